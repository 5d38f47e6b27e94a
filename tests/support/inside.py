# The whole state of a parser as plain data, and how two of them differ. Does not depend on how the states came about
# (straight.py).
#
# Where two states may differ, IGNORED says why that has no effect.
"""The inside of a parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any

from toolglean import Limits, Parser, join
from toolglean.engine.emit import Emitter
from toolglean.engine.fast import _anything
from toolglean.engine.ids import Ids
from toolglean.engine.matcher.arguments import Objects
from toolglean.engine.matcher.between import After
from toolglean.engine.matcher.reading import Reading
from toolglean.engine.matcher.values import Value
from toolglean.engine.names import Names
from toolglean.engine.open_call import OpenCall
from toolglean.engine.parameters import Parameters
from toolglean.engine.repair.suspended import Suspended
from toolglean.engine.tape import Region, Tape
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Markup, Problem, Reasoning
from toolglean.scan.json import ESCAPE, IN_NUMBER, LITERAL, JsonScanner
from toolglean.scan.plain import Plain, joined
from toolglean.scan.scanner import FAIL
from toolglean.scan.text import Finder
from toolglean.scan.tokens import JsonTokens

__all__ = ["IGNORED", "inside", "state_difference"]

EVENTS = (CallDelta, CallEnd, CallStart, Content, Markup, Problem, Reasoning)
OF_ARGUMENTS = (Names, Limits)
"""What follows from a parser's arguments alone."""
LAST = frozenset({"last_text"})
"""Text of which only the last character is asked for: how much it is depends on where chunks end."""
ANYTHING = "<anything>"
"""A search that finds in any chunk: it is read outside the loop, if it can be, which shows in nothing."""
FAST_PATHS = (
    "_at_line",
    "_lines",
    "_find_stop",
    "_finder",
    "_guard",
    "_look_on",
    "_second",
    "_sought",
    "_third",
)


def _is_json(value: Any) -> bool:
    return isinstance(value, JsonScanner) and not getattr(value, "_is_text", False)


IGNORED: dict[str, tuple[Callable[[Any], bool], frozenset[str]]] = {}
"""What may differ: a reason; of which objects it is true; their slots, or a path of slots."""


def _ignored(reason: str, of: Callable[[Any], bool], *slots: str) -> None:
    IGNORED[reason] = of, frozenset(slots)


_ignored(
    "between chunks, nothing is read at a place: whatever is read next is opened first, and sets it",
    lambda value: isinstance(value, Tape),
    "base",
)
_ignored(
    "a region that is closed keeps nothing: the next one sets all of it when it begins",
    lambda value: isinstance(value, Region) and not value.open,
    *("start", "end", "_text", "bare", "opener_length", "fence_line", "stream_in_reasoning"),
)
_ignored(
    "a call that has ended is not read any more: whoever reads it has begun one, or has asked whether it is open",
    lambda value: isinstance(value, Emitter) and not value.open,
    "call",
)
_ignored(
    "the first of two copies to note an id copies them: which one that is shows in nothing",
    lambda value: isinstance(value, Ids),
    "_shared",
)
_ignored(
    "a call that is followed reads a few characters of markers less again than the loop does; the budget for that is at "
    "least the place in the turn and 4,096 characters, of which the calls themselves use next to nothing",
    lambda value: isinstance(value, Tape),
    "_reread",
)
_ignored(
    "where white space begins that waits, if none waits",
    lambda value: isinstance(value, Emitter) and not value._ws,
    "_ws_start",
)
_ignored(
    "where markup begins that waits, if none waits",
    lambda value: isinstance(value, Emitter) and not value._markup,
    "_markup_start",
)
_ignored(
    "while objects of calls are read, nobody asks where the walk is: it is set anew where they end",
    lambda value: isinstance(value, Reading) and isinstance(value.stage, Objects) and not value.walk.pending_chars,
    *("walk.pending_start", "walk.states"),
)
_ignored(
    "behind a call, the place of what is pending is set with its first character",
    lambda value: isinstance(value, Reading) and isinstance(value.stage, After) and not value.walk.pending_chars,
    "walk.pending_start",
)
_ignored(
    "what a scanner holds of an escape, a number or a word is begun anew with the next of these",
    lambda value: _is_json(value) and value.state not in {ESCAPE, IN_NUMBER, LITERAL},
    "held",
)
_ignored(
    "the state of the string around an escape is set where the next one begins",
    lambda value: _is_json(value) and value.state != ESCAPE,
    "string_state",
)
_ignored(
    "the phase of a number is begun anew with the next one",
    lambda value: _is_json(value) and value.state != IN_NUMBER,
    "phase",
)
_ignored(
    "of a token that was refused, nothing is read; and what is before a token is no part of it",
    lambda value: (
        isinstance(value, JsonTokens) and (value.token is FAIL or not joined(value.collected).strip(" \t\r\n,:"))
    ),
    "collected",
)
_ignored(
    "whether a value has several lines is asked for only if its line breaks do not come in pairs",
    lambda value: isinstance(value, Parameters) and value.paired,
    "has_lines",
)
_ignored(
    "where a comma is that waits, if none waits",
    lambda value: isinstance(value, OpenCall) and not value.lags,
    "_lag_start",
)
_ignored(
    "events from before a draft, in what a repair in it goes back to: the draft that is open has them too, and they are "
    "told from there. Which of them were told already depends on where chunks end",
    lambda value: isinstance(value, Suspended),
    *(f"attempt.before.judge.draft.attempt.before.emit.{slot}" for slot in ("out", "_before")),
)
_ignored(
    "behind the first call of a list, no other format is asked for what cannot be read: the call that failed is reported",
    lambda value: isinstance(value, Reading) and isinstance(value.stage, Objects) and value.stage._begun,
    "fallback",
)
_ignored(
    "what a finder puts together when it is needed for the first time: two that look for the same may be two objects",
    lambda value: isinstance(value, Finder),
    "_joined",
)
_ignored(
    "the place of a value is asked for only if the value is told as a whole, and then no fast path passes it",
    lambda value: isinstance(value, Value) and value.parameters.streams,
    "start",
)


def inside(parser: Parser) -> Any:
    """The whole state of a parser in nested lists and dicts. The parser itself stays as it is."""
    twin = parser.fork()
    (_, plan, turn, place, *rest), *known = twin.__getstate__()
    rest += [_shown(each, ()) for each in known]
    if turn.judge.code is not None:  # asked for the end of the text, it puts together what it has passed and read
        _ = turn.judge.code.begins_line
    # In the reasoning, a fork has the next chunk examined.
    fast = {name: _shown(getattr(twin, name), ()) for name in FAST_PATHS if name != "_look_on" or not turn.channel}
    return {"plan": _shown(plan, ()), "turn": _shown(turn, ()), "place": place, "rest": rest, "fast paths": fast}


def state_difference(one: Any, other: Any) -> str:
    """Where two states differ first, and how; "" if they do not."""
    return next(_differences(one, other, ""), "")


def _differences(one: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key, value in one.items():
            yield from _differences(value, other[key], f"{path}.{key}" if path else str(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, f"{path}[{place}]")
    elif ANYTHING not in (one, other) and (one != other or type(one) is not type(other)):
        yield f"{path}: {one!r} for {other!r}"


def _shown(value: Any, within: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    if isinstance(value, OF_ARGUMENTS):
        return f"<{type(value).__name__}>"
    if isinstance(value, EVENTS):
        return repr(value)
    if isinstance(value, Enum):
        return str(value)
    if callable(value):
        return _function(value)
    if id(value) in within:
        return "<itself>"
    within = (*within, id(value))
    if isinstance(value, dict):
        return {repr(key): _shown(each, within) for key, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))
    if isinstance(value, list) and value and all(isinstance(each, EVENTS) for each in value):
        return [repr(each) for each in join(value)]
    if isinstance(value, list | tuple):
        return [_shown(each, within) for each in value]
    if not hasattr(value, "copy"):  # it never changes, and is part of a large graph: what it says itself must do
        return {"": type(value).__name__} | {
            slot: each for slot, each in _slots(value) if isinstance(each, str | int | frozenset)
        }
    ignored = _ignored_slots(value)
    found = {"": type(value).__name__} | {
        slot: _shown(each[-1:] if slot in LAST else each, within) for slot, each in _slots(value) if slot not in ignored
    }
    for path in ignored:
        *slots, last = path.split(".")
        inner: Any = found
        for slot in slots:
            inner = inner[slot] if isinstance(inner, dict) and slot in inner else None
        if slots and isinstance(inner, dict):
            inner.pop(last, None)
    return found


def _function(value: Any) -> str:
    if value is _anything:
        return ANYTHING
    of, name = getattr(value, "__self__", None), getattr(value, "__qualname__", type(value).__name__)
    if of is None or isinstance(of, ModuleType):
        return f"<{name}>"
    return f"<{name} of {of.pattern if isinstance(of, re.Pattern) else type(of).__name__}>"


def _slots(value: Any) -> Iterator[tuple[str, Any]]:
    state = value.__getstate__() if isinstance(value, Plain) else object.__getstate__(value)
    for part in state if isinstance(state, tuple) else (state,):
        yield from (part or {}).items()


def _ignored_slots(value: Any) -> set[str]:
    return {slot for of, slots in IGNORED.values() if of(value) for slot in slots}
