# How a declaration is proven: every turn is read whole and character by character, its calls must be those that the
# names and keys show, and what is written from them must read the same. Does not depend on how it was found.
"""The proof of a declaration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from typing import Any

from toolglean.errors import FormatError, UsageError, shown
from toolglean.events import CallStart, Content, Event, Output, ToolCall, fold, join
from toolglean.formats.render import render
from toolglean.formats.spec import Format, Pairs
from toolglean.scan.coerce import kinds_of, properties
from toolglean.scan.schema_faults import faults
from toolglean.sources.reading import alone, events_by
from toolglean.sources.traces.given import Answer, Given
from toolglean.sources.traces.sites import unread_call
from toolglean.sources.traces.texts import common_end, common_start, is_markup, markers_in
from toolglean.tools import ToolSet

__all__ = [
    "STEPS", "Proof", "Reading", "between_calls", "fault_of", "in_quotes", "left_over", "loses_brackets", "prove",
    "reading_of",
]  # fmt: skip

Calls = tuple[Answer, ...]
STEPS = 20_000
"""How many pieces all turns are read in: characters, as long as there are no more. To read one takes 10 to 20 µs."""
PIECE = 61


@dataclass(frozen=True)
class Reading:
    """A turn that was read; `before`: its content before the first call."""

    calls: Calls
    content: str
    reasoning: str
    before: str = field(default="", compare=False)


@dataclass(frozen=True)
class Proof:
    """What the proof showed.

    Attributes:
        fault: why the declaration is not right; "" if it is.
        turn: the number of the turn that shows it.
        readings: each turn, read.
        unwritten: why `render` refuses a turn, by its number.
    """

    fault: str = ""
    turn: int = -1
    readings: tuple[Reading, ...] = ()
    unwritten: tuple[tuple[int, str], ...] = ()


def read(declared: Format, tools: ToolSet, chunks: Iterable[str]) -> list[Event]:
    """The events of a turn.

    Raises:
        FormatError: the patterns cannot be put together.
    """
    return join(events_by(alone(declared, tools), chunks))


def prove(declared: Format, given: Given, counts: Sequence[int] = (), *, carefully: bool = True) -> Proof:
    """Read all turns.

    Args:
        declared: the declaration.
        given: the turns.
        counts: how many calls each turn has; if they are not given, any number.
        carefully: whether the turns are read in pieces, too, and written.
    """
    readings: list[Reading] = []
    unwritten: list[tuple[int, str]] = []
    for number, count in enumerate(counts or [None] * len(given.turns)):
        fault = fault_of(declared, given, number, count)
        if fault:
            return Proof(fault, number)
        readings.append(reading_of(declared, given, number))
        if carefully:
            fault, refused = _checked(declared, given, number)
            if fault:
                return Proof(fault, number)
            unwritten += [(number, refused)] if refused else []
    if marker := left_over(readings):
        odd = next((number for number, each in enumerate(readings) if marker not in each.content), 0)
        return Proof(f"{marker!r} is left in the content of most turns with calls", odd)
    fault = _edges(readings, ")]}>" if _is_bare(declared) else "")
    return Proof(fault, 0 if fault else -1, tuple(readings), tuple(unwritten))


def fault_of(declared: Format, given: Given, number: int, count: int | None = None) -> str:
    """What is wrong with the reading of a turn that has so many calls; "" if nothing is. None: any number of calls."""
    output, _, error = _read_once(declared, given, number)
    return error or _fault(output, declared, given, number, count)


def reading_of(declared: Format, given: Given, number: int) -> Reading:
    """What a turn says."""
    return _read_once(declared, given, number)[1]


def between_calls(declared: Format, given: Given, number: int) -> set[str]:
    """The texts between two calls of a turn."""
    spans = [call.span for call in _read_once(declared, given, number)[0].calls]
    return {given.turns[number][one[1] : two[0]] for one, two in pairwise(spans)}


def _read_once(declared: Format, given: Given, number: int) -> tuple[Output, Reading, str]:
    def made() -> tuple[Output, Reading, str]:
        try:
            events, error = read(declared, given.tools, [given.turns[number]]), ""
        except FormatError as wrong:
            events, error = [], str(wrong)
        output = fold(events)
        before = takewhile(lambda event: not isinstance(event, CallStart), events)
        content = "".join(event.text for event in before if isinstance(event, Content))
        calls = tuple((call.name, call.arguments) for call in output.calls)
        return output, Reading(calls, output.content, output.reasoning, content), error

    return given.once((declared, given.numbers[number]), made)


def _checked(declared: Format, given: Given, number: int) -> tuple[str, str]:
    # What is wrong if the turn is read in pieces, or written; and why it cannot be written.
    def made() -> tuple[str, str]:
        reading = reading_of(declared, given, number)
        events = read(declared, given.tools, pieces(given.turns[number], STEPS // len(given.turns)))
        same = events == read(declared, given.tools, [given.turns[number]])
        return _written(declared, given.tools, reading) if same else ("it is read differently in pieces", "")

    return given.once((declared, given.numbers[number], "pieces"), made)


def pieces(text: str, steps: int) -> Iterator[str]:
    """The text character by character; of one that has more than so many, its beginning and its end, and pieces."""
    if len(text) <= steps:
        yield from text
        return
    edge = steps // 4
    yield from text[:edge]
    yield from (text[begin : min(begin + PIECE, len(text) - edge)] for begin in range(edge, len(text) - edge, PIECE))
    yield from text[len(text) - edge :]


def _is_in_call(place: int, calls: Sequence[ToolCall]) -> bool:
    return any(begin <= place < end for begin, end in (call.span for call in calls))


def _fault(output: Output, declared: Format, given: Given, number: int, count: int | None) -> str:
    if output.unfinished:
        failed = output.unfinished[0]
        if failed.status == "incomplete":
            return f"nothing shows that the call of {failed.name} is complete: it needs a closing marker"
        why = f" ({output.problems[0].reason})" if output.problems else ""
        return f"the call of {failed.name} is {failed.status}{why}"
    # A key behind a call, of the object around it, is next to no arguments: such a format may be learnt.
    beside = (each for each in output.problems if each.code != "ignored-keys" or _is_in_call(each.start, output.calls))
    if (problem := next(beside, None)) is not None:
        return f"reading it has a problem: {problem.reason}"
    if count is not None and len(output.calls) != count:
        return f"{len(output.calls)} of {count} calls are read"
    for call in output.calls:
        reason = invalid(given.tools, call.name, call.arguments)
        if reason:
            return f"the call of {call.name} is not valid: {reason}"
    if given.answers is not None and (wrong := _differs(given.answers[number], output)):
        return wrong
    seen = [marker for marker in declared.markers if len(marker) > 2 and marker in output.content]
    if seen and (output.calls or count is None):
        return f"{seen[0]!r} is left in its content"
    if count is not None:
        return ""
    # Reasoning may well be about a tool; without a call after it, it is the call of a format taken for its markers.
    return unread_call(output.content if output.calls else output.content + output.reasoning, given.tools)


def invalid(tools: ToolSet, name: str, arguments: Mapping[str, Any]) -> str:
    """Why the arguments are not valid by the schema; "" if they are."""
    tool = tools.get(name)
    if tool is None:
        return "an unknown tool"
    needed, known = tool.parameters.get("required"), properties(tool.parameters)
    return next(
        faults(arguments, {"properties": known, "required": needed, "additionalProperties": False}, lambda _: True), ""
    )


def _differs(answers: Calls, output: Output) -> str:
    if len(answers) != len(output.calls):
        return f"{len(output.calls)} calls are read, and its answer has {len(answers)}"
    for (name, arguments), call in zip(answers, output.calls, strict=True):
        if name != call.name:
            return f"a call of {call.name} is read, and its answer has {name}"
        for key in (*arguments, *call.arguments):
            one, other = arguments.get(key), call.arguments.get(key)
            if one != other or isinstance(one, bool) != isinstance(other, bool):
                return f"the argument {key!r} is read as {shown(other)}, and its answer has {shown(one)}"
    return ""


def _written(declared: Format, tools: ToolSet, reading: Reading) -> tuple[str, str]:
    # What is wrong with what is written; and why it is refused.
    before = reading.before if reading.before.strip() else ""
    try:
        text = render(declared, reading.calls, content=before, reasoning=_told(declared, reading), tools=tools)
    except UsageError as error:
        return "", str(error)
    output = fold(read(declared, tools, [text]))
    calls = tuple((call.name, call.arguments) for call in output.calls)
    if calls != reading.calls or output.unfinished:
        return "what is written from its calls is read differently", ""
    if output.content.strip() != before.strip() or output.reasoning.strip() != _told(declared, reading):
        return "what is written from it has another content or reasoning", ""
    return "", ""


def loses_brackets(declared: Format, tools: ToolSet, readings: Iterable[Reading]) -> bool:
    """Whether calls that end with an empty object or list are read differently: its bracket may seem to close them."""
    kinds: dict[str, Any] = {"object": {}, "array": []}
    for name, values in {name: values for reading in readings for name, values in reading.calls}.items():
        tool = tools.get(name)
        for key, schema in (tool.properties if tool is not None else {}).items():
            empty = kinds.get("".join(kinds_of(schema)))
            rest = {other: value for other, value in values.items() if other != key}
            if empty is not None and any(_written(declared, tools, Reading(((name, {**rest, key: empty}),), "", ""))):
                return True
    return False


def _told(declared: Format, reading: Reading) -> str:
    return reading.reasoning.strip() if declared.reasoning[0] else ""


def _edges(readings: list[Reading], closing: str) -> str:
    # If all texts begin or end in the same way, that is part of the format.
    texts = [
        value
        for reading in readings
        for _, arguments in reading.calls
        for value in arguments.values()
        if isinstance(value, str) and value
    ]
    for edge, where in ((0, "begins"), (-1, "ends")):
        chars = {text[edge] for text in texts}
        if len(set(texts)) > 1 and len(chars) == 1 and min(chars) in " \n\t\"'|;=,:" + closing * -edge:
            return f"every text {where} with {min(chars)!r}, which is part of the format"
    return ""


def in_quotes(declared: Format, reading: Reading) -> str:
    """The key of a text between quotes, in a format that has none; "" if there is none, or the format has quotes."""
    if not _is_bare(declared):
        return ""
    texts = ((key, value) for _, given in reading.calls for key, value in given.items() if isinstance(value, str))
    return next((key for key, text in texts if len(text) > 1 and text[0] in "\"'" and text[0] == text[-1]), "")


def _is_bare(declared: Format) -> bool:
    # Whether texts are written as they are.
    codec = declared.arguments
    return any("{value}" in each for each in declared.parameters) or (isinstance(codec, Pairs) and not codec.quoted)


def left_over(readings: Sequence[Reading]) -> str:
    """The marker that is in the content of most turns with calls: a part of the format that was not understood."""
    called = [reading for reading in readings if reading.calls]
    if len(called) < 2:
        return ""
    contents = [reading.content.strip() for reading in called]
    counted = Counter(chain.from_iterable({*markers_in(content), *_edge_marks(content)} for content in contents))
    shared = {marker for marker, count in counted.items() if count > max(1, len(called) * 0.6)}
    shared |= {
        found for found in (common_end(contents).text, common_start(contents).text) if found and is_markup(found)
    }
    return min(shared, default="")


def _edge_marks(text: str) -> list[str]:
    # The first and the last word, if they look like markers: a broken turn may not have the one that all others have.
    return [word for word in (*text.split(None, 1)[:1], *text.rsplit(None, 1)[-1:]) if is_markup(word)]
