# Whether transformers itself reads what `export` writes, and `message` what transformers reads.
# Does not depend on how either works.
#
#     nox -s response_templates
#
# transformers is large, so this is no part of .ci/run: it runs at night (.github/workflows/nightly.yml), and by hand.
"""Exported response templates, read by transformers' own parser."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from tests.support.response_turns import TOOLS, Turn, turns, written
from toolglean.errors import FormatError
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format
from toolglean.sources.response import message

MUST = ("hermes", "qwen3-coder", "glm-4.5", "glm-4.7", "gemma-4", "mistral-v13", "mistral-v11", "mistral-v3")


def main() -> int:
    """Check all formats that can be exported, and our own templates; 1 where one of `MUST`, or one of these, is misread."""
    import transformers  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415  # of another environment

    passed, failed = [], {}
    for declared in all_formats():
        template = exported(declared)
        if template is not None:
            found = [each for turn in turns() for each in faults(declared, template, turn)]
            if found:
                failed[declared.name] = found
            else:
                passed.append(declared.name)
    print(f"transformers {transformers.__version__}: {len(passed)} exported formats are read: {', '.join(passed)}")
    for name, found in failed.items():
        print(f"{name}: {len(found)} turns differ; the first: {found[0]}")
    others = own_faults()
    print(f"our own templates: {len(others)} turns differ", *others, sep="\n")
    return int(bool(set(MUST) - set(passed) or others))


def own_faults() -> list[str]:
    """The turns of fixtures/response_templates.json that transformers reads otherwise than it says there."""
    found = []
    path = Path(__file__).parents[2] / "fixtures" / "response_templates.json"
    for row in json.loads(path.read_text(encoding="utf-8")):
        for case in row["cases"]:
            tools = TOOLS if row.get("typed") else None
            read = _theirs(row["template"], _pieces(case["text"]), case.get("prefix", ""), tools)
            if read != case["message"]:
                found.append(f"{row['name']}: {case['text']!r} is {read}")
    return found


def exported(declared: Format) -> dict[str, Any] | None:
    """The format as a response template, its main spelling at least; None where no template can say it."""
    try:
        return declared.to_response_template(start_anchor="<|assistant|>")
    except FormatError:
        return None


def faults(declared: Format, template: dict[str, Any], turn: Turn) -> list[str]:
    """What differs between the turn, what transformers reads of it (whole and in pieces), and what `message` does."""
    text = written(declared, turn)
    reasoning, content, calls, after = turn
    expected = {
        "calls": calls,
        "content": _words(content + after),
        "reasoning": _words(reasoning if declared.all_reasonings else ""),
    }
    found = []
    readings = {"whole": _theirs(template, [text]), "in pieces": _theirs(template, _pieces(text))}
    readings["message"] = message(template, text, tools=TOOLS)
    for how, read in readings.items():
        shown = read if isinstance(read, str) else _seen(read)
        if shown != expected:
            found.append(f"{how}: {text!r} is {shown}, not {expected}")
    return found


def _pieces(text: str) -> list[str]:
    rng = random.Random(text)
    cuts = sorted(rng.choices(range(len(text) + 1), k=8))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _theirs(template: dict[str, Any], chunks: list[str], prefix: str = "", tools: Any = TOOLS) -> Any:
    from transformers.utils.chat_parsing import (  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
        ResponseParser,
    )

    try:
        parser = ResponseParser(template, prefix=prefix, tools=tools)
        for chunk in chunks:
            parser.feed(chunk)
        return parser.finalize()[0]
    except (ValueError, KeyError) as error:
        return repr(error)


def _seen(read: dict[str, Any]) -> dict[str, Any]:
    functions = [each["function"] for each in read.get("tool_calls", [])]
    return {
        "calls": [(each["name"], each["arguments"]) for each in functions],
        "content": _words(read.get("content", "")),
        "reasoning": _words(read.get("reasoning_content", "")),
    }


def _words(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
