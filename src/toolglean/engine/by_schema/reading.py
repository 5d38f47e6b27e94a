# What becomes of content that was kept until the end of the turn: calls, or content. Does not know how text is kept
# (keeping.py), or how calls are read in it (scan/by_schema/).
"""Reads what was kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.engine.by_schema.beginnings import begins, is_json
from toolglean.engine.by_schema.candidate import end_of, place_after, text_of
from toolglean.engine.by_schema.lines import NOTHING
from toolglean.engine.modes import DONE
from toolglean.engine.page.page import page_of
from toolglean.engine.page.table import Context
from toolglean.engine.reasons import LEFTOVER_MARKER, UNDECLARED
from toolglean.events import Content, Event, Markup, Problem
from toolglean.formats.orphans import close_calls
from toolglean.scan.by_schema.found import FoundCall
from toolglean.scan.by_schema.read import read_calls
from toolglean.scan.by_schema.source import Budget
from toolglean.scan.coerce import properties
from toolglean.scan.data import fault_of_arguments, is_anothers
from toolglean.scan.json import END, JsonScanner, decode
from toolglean.scan.names import ARGUMENT_KEYS, BESIDE_KEYS, KNOWN_NAME_KEYS, NAME_KEYS, THOUGHT_KEYS
from toolglean.scan.nested import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolglean.engine.by_schema.candidate import Candidate
    from toolglean.engine.emit import Emitter
    from toolglean.engine.state import TurnState
    from toolglean.tools import Tool

__all__ = ["IN_VALUE", "calls_in", "ends_in_value", "is_call", "is_call_in", "json_call_in", "value_in"]

_begin = re.compile(r"([^\w\n]{0,8})(\w*)").match

MOST_STEPS = 30_000  # of the readings of one turn
IN_VALUE = "a value of a call"
"""What quotes a declared call there, for a `Problem`."""
MOST_BEFORE = 512  # characters of a value before a call in it
MOST_STARTS = 8  # of the first lines, and as many of the last ones, from which the rest of the turn is read as calls


def calls_in(kept: Candidate, turn: TurnState, end: int) -> Emitter | None:
    """Read the kept content as calls.

    Args:
        kept: where it is.
        turn: the turn, whose emitter has its events.
        end: the place after the turn.

    Returns:
        The emitter with their events; None if it is content.
    """
    tools, since = turn.names.tools, kept.start
    turn.emit.flush()
    events = turn.emit.out
    if (
        turn.mode is DONE
        or turn.tape.hides
        or tools is None
        or not kept.prune(events, end, tools.described, at_end=True)
    ):
        return None
    if kept.start > since:
        turn.emit.release_up_to(kept.start, kept.emit, since)
        kept.without_emitter()
    if not _is_plain(turn.emit.out, kept.start):
        return None
    if any(isinstance(each, Problem) and IN_VALUE in each.reason for each in turn.emit.out):
        return None  # two readings: a call with that value, or one that was broken off, and another one
    text = text_of(turn.emit.out, kept.start)
    budget = Budget(MOST_STEPS)
    for start in _tried(kept.starts):
        part = text[start - kept.start :]
        opens = kept.opens_content and start == kept.start
        # It was kept where less of it was known.
        begun = begins(part, 0, tools.described, opens_content=opens, at_end=False)
        plain = begun is True and not _is_quoted(part, turn)
        if plain and is_json(part):
            calls = _closed_call(part, start, turn)
        else:
            calls = read_calls(part, tools, opens_content=opens, budget=budget) if plain else None
        if calls and _is_second(text, start - kept.start, kept, tools.described):
            return None
        if calls:
            return _told(calls, part, start, kept, turn) if _is_within_limits(calls, turn) else None
    return None


def ends_in_value(kept: Candidate, turn: TurnState) -> bool:
    """Whether what is kept ends where a value of a call has begun: behind a parameter's name and a sign on its line, or
    the line before, or in an element for it.
    """
    place = place_after(turn.emit.out)
    if kept.in_value[1] != place:
        kept.note_value(place, in_value=_is_in_value(kept, turn, place))
    return kept.in_value[0]


def _is_in_value(kept: Candidate, turn: TurnState, place: int) -> bool:
    events, tools = turn.emit.out, turn.names.tools
    start = None if tools is None else kept.first_left(events, place, tools.described)
    if tools is None or start is None:  # when that was looked at before depends on chunks
        return False
    end = end_of(events, max(start, place - MOST_BEFORE))
    for tool in tools:
        keys = "|".join(re.escape(key) for key in properties(tool.parameters) if key in end)
        value = re.search(_VALUE.format(keys), end) if keys else None
        named = value and tool.name in text_of(events, start).removesuffix(value[0])
        if value and named and not _is_closed(end[: value.start()].rpartition("\n")[2], value[0]):
            return True
    return False


_VALUE = (  # `key: …`, `key = …`, `key: |`, `<key>…`, `<arg name="key">…`
    r"(?<!\w)(?:{0})(?!\w)[\\\"'”’]{{0,4}}[ \t]{{0,4}}(?:"
    r"(?:[:=：]|=>)(?:[^\n}}]*|[ \t]*[|>]?[-+]?[ \t]*\n[ \t]*)|[>\]][^<\[]*)\Z"
)


_to_bracket = re.compile(r"[^\n\"\[\]:=：]*[:=：](?:[^\n\"\[\]]|\"[^\n\"]*\")*\]").match
_to_slash = re.compile(r"[^\n\"=]*=(?:[^\n\"/]|\"[^\n\"]*\"|/(?!>))*/>").match


def _is_closed(before: str, value: str) -> bool:
    # Whether the bracket in which a record began is closed behind the value: `[call:f city=Oslo]`, `<f city="Oslo"/>`.
    if before.rfind("<") > before.rfind(">"):
        return _to_slash(value) is not None
    return before.count("[") > before.count("]") and _to_bracket(value) is not None


def json_call_in(text: str, turn: TurnState) -> str:
    """The JSON with which the text begins, if all of it would be calls at the start of a turn; or ""."""
    value, end = value_in(text, turn)
    things = value if isinstance(value, list) else [value]
    return text[:end] if things and all(is_call_in(each, turn) for each in things) else ""


def value_in(text: str, turn: TurnState) -> tuple[Any, int]:
    """The JSON with which the text begins, None if it is not whole; and its end: 1 if it is none, 0 if that has not
    come.
    """
    scanner = JsonScanner(turn.limits.depth)
    end = scanner.skim(text, 0, 0)
    return decode(text[:end])[0] if scanner.state == END else None, end


def is_call_in(thing: Any, turn: TurnState) -> bool:
    """Whether that value of JSON is a call: by the rules of scan/data.py, for arguments under a key of theirs; or under
    any, if the tool requires some.
    """
    tools = turn.names.tools
    if not isinstance(thing, dict) or tools is None:
        return False
    if any(is_anothers(key, value) for key, value in thing.items() if isinstance(value, str)):
        return False
    thing = _inner(thing)
    name = next((thing[key] for key in thing if key in _NAMES), None)
    if name is not None:
        arguments = _arguments_of(thing, turn)
        resolved = turn.names.resolve(name) if isinstance(name, str) else None
        return resolved is not None and thing.keys() <= _BESIDE and _fits(tools.get(resolved), arguments, sure=True)
    objects = [(key, each) for key, each in thing.items() if isinstance(each, dict)]
    named = next((tools.get(each) for each in thing.values() if isinstance(each, str) and each in tools), None)
    return any(_fits(tool, each, sure=False) for key, each in objects for tool in (tools.get(key), named))


def _inner(thing: dict[str, Any]) -> dict[str, Any]:
    # What OpenAI's API has around a call: `{"type": "function", "function": {"name": …}}`.
    inner = thing.get("function")
    return inner if isinstance(inner, dict) and thing.keys() <= _BESIDE else thing


def _arguments_of(call: dict[str, Any], turn: TurnState) -> Any:
    # They may be in a string of JSON.
    arguments = next((call[key] for key in call if key in ARGUMENT_KEYS), None)
    return value_in(arguments, turn)[0] if isinstance(arguments, str) else arguments


def _fits(tool: Tool | None, arguments: Any, *, sure: bool) -> bool:
    # Whether these are its arguments. `sure`: also those of a tool that requires none.
    if tool is None or not isinstance(arguments, dict) or not (sure or tool.parameters.get("required")):
        return False
    return not fault_of_arguments(arguments, tool.parameters)


_NAMES = NAME_KEYS | KNOWN_NAME_KEYS
_BESIDE = _NAMES | ARGUMENT_KEYS | BESIDE_KEYS | THOUGHT_KEYS


def is_call(kept: Candidate, turn: TurnState) -> bool:
    """Whether the JSON that is kept is a call, if closers of calls follow it."""
    return json_call_in(text_of(turn.emit.out, kept.start), turn) != ""


def _closed_call(text: str, start: int, turn: TurnState) -> tuple[FoundCall, ...] | None:
    # The call in JSON of which the text at that place consists, if closers of calls follow it: its opener is lost.
    written = json_call_in(text, turn)
    left = (each for each in turn.emit.out if isinstance(each, Problem) and each.code == LEFTOVER_MARKER.code)
    closers = next((each.text for each in left if each.start >= start + len(written)), "")
    if written != text.rstrip() or not close_calls(closers) or written[0] == "[":
        return None
    value = _inner(decode(written)[0])
    name = next((value[key] for key in value if key in _NAMES), None)
    if not isinstance(name, str):  # under another key, or the key itself
        return None
    arguments = _arguments_of(value, turn)
    return (FoundCall(turn.names.spelt(name), arguments, json_text(arguments), 0, len(written)),)


def _is_second(text: str, place: int, kept: Candidate, names: frozenset[str]) -> bool:
    # Whether a frame of the same shape comes before it: that one could not be read.
    shape, before = _shape(text[place:], names), text[:place]
    element = shape.lstrip("<").casefold()
    seen = kept.seen if not place else NOTHING.read(before, "", 0).seen | kept.seen
    starts = (each - kept.start for each in kept.starts)
    return element in seen or any(_shape(text[each:], names) == shape for each in starts if each < place)


def _shape(text: str, names: frozenset[str]) -> str:
    # How a line begins: its signs, and its first word; every tool's name is the same word.
    found = _begin(text)
    assert found is not None  # it matches the empty string
    return f"{found[1]}name" if found[2] in names else found[0]


def _tried(starts: list[int]) -> list[int]:
    return starts if len(starts) <= 2 * MOST_STARTS else [*starts[:MOST_STARTS], *starts[-MOST_STARTS:]]


def _is_plain(events: Sequence[Event], start: int) -> bool:
    # Whether the events are content without gaps, and nothing but markup follows it.
    end, ended = start, False
    for event in events:
        if isinstance(event, Markup) and event.start < start:  # it waited before
            continue
        if isinstance(event, Content):
            if max(event.start, start) != end or ended:  # white space may have waited before it
                return False
            end = event.start + len(event.text)
        elif isinstance(event, Markup):
            ended = True
        elif not isinstance(event, Problem):
            return False
    return True


def _is_quoted(text: str, turn: TurnState) -> bool:
    # Whether the text begins with a quotation, or contains a tool's result, another message, or a fence of tildes. It
    # may begin with such a fence, which then is that of a call.
    if not turn.judge.heeds_quotes:
        return False
    opened = {(context, 0 if place == 0 else 1) for context, place in page_of().rows.opened_in(text)}
    contexts = {context for context, _ in opened}
    begins = {context for context, place in opened if not place}
    return (
        not contexts.isdisjoint({Context.RESULT, Context.OVER})
        or (Context.FENCE in contexts and text[0] != "~")
        or not begins <= {Context.FENCE}
    )


def _is_within_limits(calls: Sequence[FoundCall], turn: TurnState) -> bool:
    limits = turn.limits
    longest = max(each.end - each.start for each in calls)
    return turn.emit.index + len(calls) <= limits.calls and longest <= limits.call_chars


def _told(calls: Sequence[FoundCall], text: str, start: int, kept: Candidate, turn: TurnState) -> Emitter:
    turn.emit.release_up_to(start, kept.emit, kept.start)
    before, rest = turn.emit.take(), turn.emit.out
    emit = kept.emit or turn.emit
    emit.have([], None)
    emit.tell_first(before)
    end = 0
    for each in calls:
        emit.markup(text[end : each.start], start + end)
        emit.problem(UNDECLARED, text[each.start : each.end], start + each.start)
        emit.start_call(each.name, each.id, known=True, start=start + each.start, may_get_id=False)
        emit.delta(each.arguments_text, start + each.start)
        emit.end_call("ok", start + each.end)
        end = each.end
    emit.markup(text[end:], start + end)
    for event in rest:
        if isinstance(event, Markup):
            emit.markup(event.text, event.start)
    return emit
