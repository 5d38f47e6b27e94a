# A user's program, for the type checkers only: from a model's files to a parser. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""A parser from a chat template."""

from pathlib import Path
from typing import assert_type

from toolglean import Format, FormatError, Output, Parser, TemplateError, parse

FOLDER = Path("Qwen3-8B")


def format_of(folder: Path) -> Format:
    """The format that a model's files show."""
    try:
        found = Format.from_tokenizer_config(folder / "tokenizer_config.json", untrusted=True)
    except (FormatError, TemplateError):
        found = Format.from_template(folder / "chat_template.jinja", variables={"enable_thinking": False})
    assert_type(found, Format)
    return found


declared = format_of(FOLDER)
assert_type(declared.reason, str)
parser = Parser(["get_weather"], format=declared, prompt="<|im_start|>assistant\n<think>\n")
assert_type(parser.feed("text")[0].start, int)
assert_type(parse("text", ["get_weather"], format=[declared, "llama3-json"]), Output)
assert_type(parse("text", template=FOLDER / "chat_template.jinja"), Output)
Parser(format=Format.from_tag("<call>", closer="</call>"))
Parser(model="qwen3:8b")

Format.from_template(3)  # type: ignore[arg-type]
parse("text", format=3)  # type: ignore[arg-type]
