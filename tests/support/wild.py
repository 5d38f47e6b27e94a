# The turns of fixtures/wild*.jsonl and fixtures/wild_made_up.jsonl, the ways in which they are read, and what is right, unsafe, invented.
# Does not depend on how a parser reads them.
"""Turns as models really wrote them, read in four ways and judged."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support import depth
from tests.support.chunkings import account, reasoning_of, run_of, some_chunkings
from tests.support.shared import FIXTURES, rows
from toolglean import CallEnd, Content, Event, Parser, ParserOptions, Problem, ToolCall, UsageError

__all__ = ["FILES", "WAYS", "Answer", "delivered", "judge", "needs_no_attention", "wild_rows"]

FILES = ("wild.jsonl", "wild3.jsonl", "wild4.jsonl", "wild_made_up.jsonl")
"""The collections: three of turns from threads, each from other threads than those before it, and turns made up later."""

RANDOM_CUTS = 3


@dataclass(frozen=True)
class Answer:
    """What a reading made of a row.

    Attributes:
        right: the calls, the content and the reasoning are those expected, as far as the row says.
        unsafe: calls of known tools that would run and should not, or with other arguments.
        invented: calls of names that no tool has, although tools were given.
        lost: characters are not accounted for, or the events differ by chunking: what, else empty.
        detail: what came out.
        events: all that came out.
    """

    right: bool
    unsafe: tuple[str, ...]
    invented: tuple[str, ...]
    lost: str
    detail: str
    events: tuple[Event, ...]


def wild_rows(name: str = FILES[0]) -> list[dict[str, Any]]:
    """The rows of a collection that are scored."""
    return [row for row in rows(FIXTURES / name) if not row["ambiguous"]]


def _auto(row: dict[str, Any]) -> Callable[[], Parser] | None:
    return lambda: Parser(row["tools"], start=row["start"] or "content", options=ParserOptions(markup=True))


def _by_model(row: dict[str, Any]) -> Callable[[], Parser] | None:
    try:
        Parser(model=row["model"])
    except UsageError:  # a model that is not known
        return None
    return lambda: Parser(
        row["tools"], model=row["model"], start=row["start"] or "content", options=ParserOptions(markup=True)
    )


def _by_format(row: dict[str, Any]) -> Callable[[], Parser] | None:
    if row["format"] is None:
        return None
    return lambda: Parser(
        row["tools"], format=row["format"], start=row["start"] or "content", options=ParserOptions(markup=True)
    )


def _without_tools(row: dict[str, Any]) -> Callable[[], Parser] | None:
    return lambda: Parser(start=row["start"] or "content", options=ParserOptions(markup=True))


WAYS: dict[str, Callable[[dict[str, Any]], Callable[[], Parser] | None]] = {
    "auto": _auto,
    "model": _by_model,
    "format": _by_format,
    "no tools": _without_tools,
}
"""The ways to read a row: each gives what makes the parser, or None where the row has nothing to be read so."""


def judge(row: dict[str, Any], way: str) -> Answer | None:
    """Read a row in one way; None where there is no such way for it."""
    make = WAYS[way](row)
    if make is None:
        return None
    whole = run_of(make(), [row["text"]])
    ran = [event.call for event in whole if isinstance(event, CallEnd) and event.call.status == "ok"]
    tools = way != "no tools"
    accepted = _accepted(row, tools=tools)
    plausible = [call for calls in accepted for call in calls]
    unexpected = [call for call in ran if not any(_same(each, call, tools=tools) for each in plausible)]
    return Answer(
        right=any(_all_same(calls, ran, tools=tools) for calls in accepted)
        and _texts_are_right(row, whole, tools=tools)
        and _ends(row, whole, ran),
        unsafe=tuple(f"{call.name} {call.arguments}" for call in unexpected if call.known or not tools),
        invented=tuple(f"{call.name} {call.arguments}" for call in unexpected if tools and not call.known),
        lost=_lost(make, row["text"], whole),
        detail=_shown(whole),
        events=tuple(whole),
    )


def delivered(name: str, way: str) -> tuple[int, int]:
    """How many of the calls that the models meant were delivered to run, and how many there are.

    All rows of the collection count that can be read in that way, also those that are not scored, and the calls of a
    malformed text, which a parser may leave unread.
    """
    found = wanted = 0
    for row in rows(FIXTURES / name):
        make = WAYS[way](row)
        if make is None:
            continue
        events = run_of(make(), [row["text"]])
        ran = [event.call for event in events if isinstance(event, CallEnd) and event.call.status == "ok"]
        for meant in row["meant"] or row["expected"]["calls"]:
            wanted += 1
            call = next((call for call in ran if _same(meant, call, tools=way != "no tools")), None)
            if call is not None:
                found += 1
                ran.remove(call)
    return found, wanted


def _accepted(row: dict[str, Any], *, tools: bool) -> list[list[dict[str, Any]]]:
    expected = row["expected"]
    calls = expected["calls"]
    if not tools and expected["calls_without_tools"] is not None:
        calls = expected["calls_without_tools"]
    return [calls] if row["meant"] is None else [calls, row["meant"]]


def _same(expected: dict[str, Any], call: ToolCall, *, tools: bool) -> bool:
    if expected["name"] != call.name or expected["arguments"].keys() != call.arguments.keys():
        return False
    pairs = [(value, call.arguments[key]) for key, value in expected["arguments"].items()]
    # Without tools there is no schema, and a number that a format writes as text is text.
    return all(one == other or (not tools and json.dumps(one) == other) for one, other in pairs)


def _all_same(expected: list[dict[str, Any]], ran: list[ToolCall], *, tools: bool) -> bool:
    return len(expected) == len(ran) and all(
        _same(each, call, tools=tools) for each, call in zip(expected, ran, strict=True)
    )


def _texts_are_right(row: dict[str, Any], events: list[Event], *, tools: bool) -> bool:
    content = "".join(event.text for event in events if isinstance(event, Content)).strip()
    reasoning = reasoning_of(events).strip()
    wanted = row["expected"]
    without = wanted["calls_without_tools"]
    if not tools and without is not None and len(without) != len(wanted["calls"]):
        # The content that the row says is what is left beside the other calls: nothing says what is content here.
        return True
    return (wanted["content"] is None or wanted["content"].strip() == content) and (
        wanted["reasoning"] is None or wanted["reasoning"].strip() == reasoning
    )


def _ends(row: dict[str, Any], events: list[Event], ran: list[ToolCall]) -> bool:
    # A turn that was cut off in a call shows it, unless the call was repaired.
    unfinished = any(isinstance(event, CallEnd) and event.call.status != "ok" for event in events)
    return not row["expected"]["unfinished"] or unfinished or bool(ran)


def _lost(make: Callable[[], Parser], text: str, whole: list[Event]) -> str:
    try:
        account(whole, text)
    except AssertionError as error:
        return str(error).split("\n", 1)[0]
    if not depth.is_full() and zlib.crc32(text.encode()) % 10:
        return ""  # by default, one text in ten is read in pieces too
    for chunks in some_chunkings(text, RANDOM_CUTS):
        if run_of(make(), chunks) != whole:
            return f"differs by chunking: {chunks!r:.200}"
    return ""


def _shown(events: list[Event]) -> str:
    calls = [
        (
            event.call.name,
            event.call.arguments if event.call.status == "ok" else event.call.arguments_text,
            event.call.status,
        )
        for event in events
        if isinstance(event, CallEnd)
    ]
    content = "".join(event.text for event in events if isinstance(event, Content))
    reasoning = reasoning_of(events)
    return f"calls={calls} content={content!r} reasoning={reasoning!r}"


_marker = re.compile(r"<[|｜/]|</?(?:tool|function|invoke|parameter|think)|\[/?(?:TOOL|ARGS)|[|｜]>")


def needs_no_attention(answer: Answer) -> bool:
    """Whether a plain user of `auto` has nothing to look at: it is right, without a `Problem`, and no marker is left in
    the content.
    """
    content = "".join(each.text for each in answer.events if isinstance(each, Content))
    told = any(isinstance(each, Problem) for each in answer.events)
    return answer.right and not told and _marker.search(content) is None
