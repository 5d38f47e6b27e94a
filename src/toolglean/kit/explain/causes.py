# The likely cause of a lost call, and how to say it. Does not depend on how the evidence was found.
"""The likely cause, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolglean.events import ToolCall
from toolglean.formats.registry import formats_of_auto
from toolglean.kit.explain import near_misses
from toolglean.kit.explain.evidence import Evidence
from toolglean.kit.explain.expected import KEYS, TOOL_NAME
from toolglean.kit.explain.explanation import Cause, Opener, Reach
from toolglean.kit.explain.reading import another_message, detail_of
from toolglean.kit.explain.rules import json_around, name_behind
from toolglean.kit.explain.stories import Story, story
from toolglean.kit.explain.trials import shown_value
from toolglean.options import options_of

if TYPE_CHECKING:
    from toolglean.events import ProblemCode

__all__ = ["causes_of"]

MOST = 5  # causes that are named
LONG = 60  # characters of an argument that is shown
SHOWN = 12  # characters of the text at the place of a fault
NOT_CLOSED: frozenset[ProblemCode] = frozenset({"swallowed-markup", "unclosed-call"})


def causes_of(found: Evidence) -> list[Cause]:
    """The likely causes, the likeliest first; empty if everything was read."""
    causes: dict[str, Cause] = {}
    for rule in _RULES:
        if rule is _nothing and causes:
            break
        for name, place, text in rule(found):
            causes.setdefault(name, Cause(name, text, place, *found.read.places.of(place)))
    return list(causes.values())[:MOST]


# -- calls that were not finished --------------------------------------------------------------------------------------


def _limits(found: Evidence) -> Iterator[Story]:
    for problem in found.read.problems:
        if name := _limit_of(problem.code):
            yield story("limit", problem.start, limit=name)


def _limit_of(code: ProblemCode) -> str:
    # The name of the limit that was exceeded; "" if the code tells something else.
    return code.removeprefix("limit-").replace("-", "_") if code.startswith("limit-") else ""


def _unfinished(found: Evidence) -> Iterator[Story]:
    for call in found.read.calls:
        if call.status == "incomplete":
            yield next(near_misses.open_string(found, call), None) or _incomplete(found, call)
        elif call.status == "malformed":
            yield from _malformed(found, call)


_closers = re.compile(r"</[^<>\s\\]{2,40}>?").findall


def _incomplete(found: Evidence, call: ToolCall) -> Story:
    end = len(found.read.text)
    reach = _reach_at(found, call.span[0])
    declared = found.read.parser.format
    markers, pattern = ((), "") if declared is None else (declared.markers, declared.call.rstrip())
    ends = (">", "]", ")", "}", *filter(None, map(str.strip, markers)))
    if reach is not None and reach.within == "markers" and found.read.text.rstrip().endswith(ends):
        opens = ("'</", "'<|/")
        closers = (each for each in reach.expected if each.startswith(opens) or pattern.endswith(each[1:-1]))
        waits = next(closers, next(iter(reach.expected), "its closer"))
        return story("missing-closer", end, call=call.name, waits=waits)
    if reach is not None and reach.within == "value" and reach.expected:
        waits, written = reach.expected[0], _closers(call.arguments_text.rpartition('": "')[2])
        if marker := next((each for each in written if repr(each) != waits), None):  # another one than is expected
            return story("missing-closer/value", end, call=call.name, waits=waits, marker=marker)
        last = found.read.text.rsplit(None, 1)[-1]
        if near := near_misses.nearest(last, markers):
            return story("missing-closer/value", end, call=call.name, waits=repr(near), marker=last)
    return story("cut-off", end, what=f"the call of {call.name!r}")


def _malformed(found: Evidence, call: ToolCall) -> Iterator[Story]:
    start, end = call.span
    problem = next((each for each in found.read.problems if start <= each.start <= end), None)
    if problem is None or _limit_of(problem.code):
        return
    if problem.code in NOT_CLOSED:
        yield story("missing-closer/before", problem.start, call=call.name, reason=problem.reason)
        return
    if not_object := list(near_misses.no_object(found.read.text, call.name, problem.start, problem.code)):
        yield from not_object
        return
    reach = _reach_at(found, start)
    kind = "json-broken" if reach is not None and reach.within == "JSON" else "arguments-malformed"
    what = "the JSON of its arguments" if kind == "json-broken" else "its arguments"
    if reach is not None and reach.outcome == "malformed" and reach.expected:
        place = reach.end
        said = _expected_but(found, reach)
    else:
        place, said = problem.start, detail_of(problem.reason)
    line, column = found.read.places.of(place)
    yield story(kind, place, call=call.name, what=what, line=line, column=column, said=said)


def _reach_at(found: Evidence, start: int) -> Reach | None:
    for opener in found.openers:
        if opener.start == start and opener.reaches:
            same = [each for each in opener.reaches if each.format == found.read.format]
            return (same or list(opener.reaches))[0]
    return None


# -- openers without a call --------------------------------------------------------------------------------------------


def _calls_elsewhere(found: Evidence) -> Iterator[Story]:
    """Whole calls that were read as text, because of where they are or how they are written."""
    for opener, reach in _lost(found):
        if reach.outcome not in {"call", "malformed"}:
            continue
        what = f"the call of {reach.name!r}" if reach.name else "a call"
        if reach.outcome == "malformed" and opener.quoted:
            continue
        if opener.read_as == "reasoning":
            yield story("in-reasoning", opener.start, what=what)
        elif opener.quoted and options_of(found.asked.options.get("options")).quoted != "call":
            yield story("quoted", opener.start, what=f"{what[:1].upper()}{what[1:]}")
        elif found.asked.ways and found.read.format not in opener.formats:
            ways = ", ".join(f"{name}={_way(value)}" for name, value in found.asked.ways.items())
            formats = ", ".join(opener.formats[:3])
            yield story("other-dialect", opener.start, ways=ways, marker=opener.text, what=what, formats=formats)
        elif not (found.asked.ways or any(each.name in opener.formats for each in formats_of_auto())):
            said = {"marker": opener.text, "what": what, "format": opener.formats[0]}
            yield story("other-dialect/registered", opener.start, **said)
        elif reach.name and found.read.parser.tools is not None and reach.name not in found.read.parser.tools:
            yield _unknown(found, reach.name, opener.start, "so it is content")


def _way(value: Any) -> str:
    return shown_value(value) if isinstance(value, str) and len(value) <= LONG else "…"


_TOLD: Mapping[ProblemCode, str] = {
    "not-a-call": "data",
    "call-in-json-string": "in-json-string",
    "call-to-user": "addressed-to-user",
    "leftover-marker": "left-over",
}
"""The causes of problems that have one of their own."""


def _told(found: Evidence) -> Iterator[Story]:
    """What the parser itself reports about calls that it did not return."""
    first = {each.code: each for each in reversed(found.read.problems)}
    for problem in sorted(first.values(), key=lambda each: each.start):
        if problem.code == "quoted-call":
            yield story("quoted", problem.start, what="A call")
        elif problem.code == "call-in-line":
            yield story("in-a-line", problem.start, text=problem.text[:LONG])
        elif problem.code == "unread-call" and not _is_whole_call(found, problem.start):
            yield from near_misses.undeclared(found, problem.start)
        elif problem.code == "unreadable-call":
            yield from near_misses.cut_off(found, problem.start)
        elif problem.code in _TOLD:
            said = {"text": problem.text.strip()[:LONG], "why": detail_of(problem.reason)}
            yield story(_TOLD[problem.code], problem.start, **said)


def _is_whole_call(found: Evidence, place: int) -> bool:
    # Whether a format that was not asked for reads it: that is another cause.
    return any(opener.start == place and reach.outcome == "call" for opener, reach in _lost(found))


def _openers_without_call(found: Evidence) -> Iterator[Story]:
    data = {each.start for each in found.read.problems if each.code == "not-a-call"}  # the parser reports why
    for opener, reach in _lost(found):
        told = any(opener.start <= start <= reach.end for start in data)
        if told or opener.read_as == "reasoning" or reach.outcome == "call" or _is_of_call(found, opener, reach):
            continue
        if opener.quoted:
            yield story("quoted", opener.start, what="A marker of calls")
        elif reach.outcome == "unfinished":
            yield story("cut-off", reach.end, what=f"what {opener.text!r} began")
        elif TOOL_NAME in reach.expected and reach.name:
            tools = found.read.parser.tools
            if tools is not None and reach.name in tools:
                yield story("wrong-keys", opener.start, marker=opener.text, call=reach.name)
            else:
                yield _unknown(found, reach.name, opener.start, "so it is content")
        elif reach.within == "JSON" and not reach.name and reach.expected[:1] in {(TOOL_NAME,), (KEYS,)}:
            name, tools = name_behind(found.read.text, opener.start), found.read.parser.tools
            if name and tools is not None and name not in tools:  # under a key that counts only for a known one
                yield _unknown(found, name, opener.start, "so it is content")
            else:
                yield story("no-name", opener.start, marker=opener.text)
        elif reach.within == "JSON" or reach.outcome == "none":
            yield _stopped(found, opener, reach)


def _is_of_call(found: Evidence, opener: Opener, reach: Reach) -> bool:
    # Whether it is a word before a call that was read, or one of the arguments of a call in Python.
    before = found.read.text[: opener.start].rstrip()[-1:]
    return before in {"(", ","} or any(call.span[0] == reach.end for call in found.read.done)


def _stopped(found: Evidence, opener: Opener, reach: Reach) -> Story:
    # The reading of a marker ended before it was certain that a call is meant.
    is_json = reach.within == "JSON"
    name, start = ("json-broken/marker", reach.end) if is_json else ("no-call-after-marker", opener.start)
    said = _expected_but(found, reach)
    return story(name, start, marker=opener.text, line=reach.line, column=reach.column, said=said)


def _lost(found: Evidence) -> Iterator[tuple[Opener, Reach]]:
    for opener in found.openers:
        if opener.reaches and opener.read_as != "call" and opener.kind != "reasoning":
            yield opener, opener.reaches[0]


# -- names -------------------------------------------------------------------------------------------------------------


def _unknown_calls(found: Evidence) -> Iterator[Story]:
    for call in found.read.calls:
        if call.known is False and call.status == "ok":
            yield _unknown(found, call.name, call.span[0], "so it has known=False")


def _unknown(found: Evidence, name: str, start: int, therefore: str) -> Story:
    tools = found.read.parser.tools
    hint = near_misses.meant(name, tools.names if tools is not None else (), near_misses.SURE)
    return story("unknown-tool", start, call=name, therefore=therefore, hint=hint)


# -- no opener ---------------------------------------------------------------------------------------------------------


def _reasoning(found: Evidence) -> Iterator[Story]:
    if another_message(found.read) is not None:
        return
    for opener in found.openers:
        if opener.kind == "end of reasoning" and found.asked.options.get("start") != "reasoning":
            yield story("reasoning-opened-by-prompt", opener.start, marker=opener.text)
    spans = [each for each in found.read.spans if each.text.strip()]
    if [each.kind for each in spans[-2:]] == ["markup", "reasoning"]:
        marker = spans[-2].text.strip()
        misspelt = next(near_misses.misspelt_end(found, marker, spans[-1]), None)
        yield misspelt or story("reasoning-not-closed", spans[-2].start, marker=marker)


def _names_without_opener(found: Evidence) -> Iterator[Story]:
    told = False
    for each in found.bare:
        span, is_json = found.read.span_at(each.start), json_around(found.read.text, each.start) is not None
        if span is None or span.kind == "reasoning" or _is_told(found, each.start) or (told and is_json):
            continue
        if found.quotes.contains(each.start):
            yield story("quoted", each.start, what=f"What looks like a call of {each.name!r}")
            continue
        told = told or is_json  # one is enough: a rule is found by reading the turn many times
        ways = near_misses.misspelt, near_misses.in_sentence, near_misses.unmarked_json
        if nearly := next(filter(None, ([*way(found, each)] for way in ways)), None):
            yield from nearly
            continue
        certain = " Pass tools= too: without a marker, a call is certain only if it names a known tool."
        hint = certain if found.read.parser.tools is None else ""
        yield story("markers-stripped", each.start, call=each.name, hint=hint)


def _is_told(found: Evidence, place: int) -> bool:
    # Whether the parser itself reported what is wrong with a call there.
    told = (each for each in found.read.problems if each.code in {"call-in-line", "unread-call"})
    return any(each.start <= place < each.start + len(each.text) for each in told)


def _closers_without_opener(found: Evidence) -> Iterator[Story]:
    # Its closer has an opener, which is misspelt.
    if any(list(near_misses.misspelt(found, each)) for each in found.bare):
        return
    for opener in found.openers:
        if opener.kind == "call" or found.read.calls:
            return
        if opener.kind == "end of call" and opener.read_as != "reasoning" and not opener.quoted:
            yield story("markers-stripped/closer", opener.start, marker=opener.text)


def _nothing(found: Evidence) -> Iterator[Story]:
    if found.read.calls:
        return
    if found.openers or found.bare:
        yield story("mention", (found.openers or found.bare)[0].start)
    else:
        yield story("no-opener", 0, formats=len(found.known.formats))


_RULES: tuple[Callable[[Evidence], Iterator[Story]], ...] = (
    _limits, _unfinished, near_misses.after_another_message, _reasoning, _calls_elsewhere, _unknown_calls, _told,
    _openers_without_call, _names_without_opener, _closers_without_opener, near_misses.misspelt_closers,
    near_misses.misfits, _nothing,
)  # fmt: skip


def _expected_but(found: Evidence, reach: Reach) -> str:
    wanted = " or ".join(reach.expected[:3]) or "a marker"
    shown = found.read.text[reach.end : reach.end + SHOWN]
    return f"expected {wanted}, but found {repr(shown) if shown else 'the end of the turn'}"
