# How programs without a parser of their own read calls: a regular expression finds them, and a
# library that is lenient with JSON reads what is between the markers.
# Does not depend on what is right.
#
# json-repair and partial-json-parser are libraries of JSON, not of turns: what they are given here is for this file to
# answer for. It runs calls only whose closing marker came.
"""json-repair and partial-json-parser."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import json_repair as mending
from partial_json_parser import loads

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
REASONING = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)


def _read(text: str, loads: Callable[[str], Any]) -> dict[str, Any]:
    thought = REASONING.match(text)
    rest = text[thought.end() :] if thought else text
    found = [loads(body.strip()) for body in CALL.findall(rest)]
    good = [each for each in found if isinstance(each, dict) and isinstance(each.get("name"), str)]
    calls = [{"name": each["name"], "arguments": _object(each.get("arguments"))} for each in good]
    return {
        "content": CALL.sub("", rest),
        "reasoning": thought[1] if thought else "",
        "calls": [call for call in calls if call["arguments"] is not None],
    }


def _object(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def json_repair(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    """`<tool_call>` found, and its body repaired."""
    return _read(text, mending.loads) if format == "hermes" else None


def partial_json(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    """The same, and its body read as far as it goes."""

    def read(body: str) -> Any:
        try:
            return loads(body)
        except ValueError:
            return None

    return _read(text, read) if format == "hermes" else None


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:  # noqa: FBT001
    """json-repair reads a turn once it is whole."""
    if format != "hermes":
        raise NotImplementedError
    text = "".join(chunks)
    return lambda: json_repair(text, tools, format=format)


def partial_reader(format: str, _: Any, chunks: Sequence[str], __: bool) -> Callable[[], Any]:  # noqa: FBT001
    """partial-json-parser reads a call at each chunk, from its beginning."""
    if format != "hermes":
        raise NotImplementedError

    def read() -> None:
        text = ""
        for chunk in chunks:
            text += chunk
            for body in text.split("<tool_call>")[1:]:
                with contextlib.suppress(ValueError):  # the beginning of a closer
                    loads(body.partition("</tool_call>")[0].strip())

    return read
