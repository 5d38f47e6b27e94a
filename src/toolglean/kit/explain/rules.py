# Which rule keeps a text that names a tool from being a call, found by trial: it is read without what is around it, and
# with a key that the tool's schema lacks. Does not know the rules (engine/by_schema, scan/data.py), so what it says is
# what the parser does. What no trial shows is not guessed.
"""The rule that a text breaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from toolglean.kit.explain.evidence import Evidence
from toolglean.kit.explain.reading import detail_of, read_turn
from toolglean.tools import Tool

__all__ = ["UNKNOWN", "broken_rule", "json_around", "name_behind"]

UNKNOWN = "which one is not known"
MOST = 8  # keys that are tried, and half as many ends
REACH = 400  # characters in which the keys of a call are looked for
BEFORE = 80  # characters before a name, in which its object would begin

_line_end = re.compile(r"(?<=\S)[ \t\r]*\n")
_word = re.compile(r"[A-Za-z_][\w-]{0,63}")
_NAME_KEYS = ("name", "tool_name", "tool", "function", "action")
_name_key = re.compile(rf'"(?:{"|".join(_NAME_KEYS)})"\s{{0,16}}:\s{{0,16}}"$')
_decode = json.JSONDecoder(strict=False).raw_decode


def json_around(text: str, place: int) -> tuple[int, int] | None:
    """Where the JSON object is whose name of a tool is at that place; None if there is none."""
    begin = text.rfind("{", max(place - BEFORE, 0), place)
    if begin < 0 or not _name_key.search(text, begin, place):
        return None
    try:
        end: int = _decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None
    return (begin, end) if end > place else None


def name_behind(text: str, place: int) -> str:
    """What the JSON object behind that place says under a key for the name of a tool; "" for nothing."""
    begin = text.find("{", place, place + BEFORE)
    try:
        value = _decode(text, begin)[0] if begin >= 0 else None
    except (ValueError, RecursionError):
        return ""
    names = (value.get(key) for key in _NAME_KEYS) if isinstance(value, dict) else ()
    return next((each for each in names if isinstance(each, str)), "")


def broken_rule(found: Evidence, begin: int, *more: int) -> str:
    """What keeps the text at that place from being a call, in words; `UNKNOWN` if no trial shows it.

    Args:
        found: the evidence.
        begin: the place.
        more: where the text may end, besides the ends of lines.
    """
    text = found.read.text
    lines = (each.start() for each in _line_end.finditer(text, begin, len(text.rstrip())))
    ends = [*more, *islice(lines, MOST // 2)]
    for start, stops, where in ((begin, [len(text)], "before"), (0, ends, "after"), (begin, ends, "before and after")):
        if any(_is_call(found, text[start:stop], begin - start) for stop in stops):
            return f"there is other text {where} it, without which it would be a call"
    if key := next(_unknown_keys(found, begin), ""):
        return f"the tool has no parameter {key!r}"
    alone = read_turn(text[begin : more[0]], *found.asked).problems if more else []
    return next((f"alone it would not be a call either: {detail_of(each.reason)}" for each in alone), UNKNOWN)


def _is_call(found: Evidence, text: str, place: int, *tools: Tool) -> bool:
    read = read_turn(text, [*tools] or found.asked.tools, found.asked.options)
    return any(call.span[0] <= place < call.span[1] for call in read.done)


def _unknown_keys(found: Evidence, begin: int) -> Iterator[str]:
    text, tools = found.read.text, found.read.parser.tools or ()
    piece = text[begin : begin + REACH]
    tool = next((each for each in tools if each.name in piece), None)
    if tool is None:
        return
    words = dict.fromkeys(each[0] for each in _word.finditer(piece))
    for key in [each for each in words if each not in tool.properties and each not in tool.name][:MOST]:
        known = {**tool.parameters, "properties": {**tool.properties, key: {}}}
        if _is_call(found, text, begin, Tool(tool.name, known)):
            yield key
