"""mlx-lm's server, with toolglean reading the calls of one model.

    python examples/engines/mlx_server.py --model ./Qwen3-Coder-30B-A3B-Instruct-4bit

The model's tokenizer_config.json must say `"tool_parser_type": "toolglean"`. Needs
`python -m pip install . mlx-lm` in a checkout.
"""

import sys
from typing import Any

from toolglean import ParserOptions, parse

FORMAT = "qwen3-coder"  # `toolglean formats` lists the names
tool_call_start = "<tool_call>"  # the format's own markers; mlx-lm passes on the text between them
tool_call_end = "</tool_call>"
NO_ID = "-"  # the prefix of ids that toolglean makes


def parse_tool_call(text: str, tools: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """The calls in a text, as mlx-lm expects them.

    Raises:
        ValueError: the text contains no call that can be run. mlx-lm then logs a warning.
    """
    turn = parse(
        f"{tool_call_start}{text}{tool_call_end}",
        tools,
        format=FORMAT,
        start="content",
        options=ParserOptions(id_prefix=NO_ID),
    )
    if not turn.calls:
        raise ValueError(f"no call that can be run in {text!r:.200}")
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.calls]
    return [call if not str(call["id"]).startswith(NO_ID) else call | {"id": None} for call in calls]


if __name__ == "__main__":
    from mlx_lm.server import main

    sys.modules["mlx_lm.tool_parsers.toolglean"] = sys.modules["__main__"]  # where mlx-lm looks for that type
    main()
