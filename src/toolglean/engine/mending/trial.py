# What this file knows: how a copy of a turn reads a text that may have been meant, up to the end of one call; and which
# calls count as meant.
# What it must not know: where the text comes from (tails.py), and what is done with the call (mender.py).
#
# Every text is given with the place at which it ends in the turn. What was put in, or stands for other text, thus ends
# where that text ended, and all places that follow are those of the turn.
"""Reading what may have been meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.engine.modes import CALL, MEND
from toolglean.events import CallEnd, Problem
from toolglean.scan.nested import json_text
from toolglean.values.coerce import properties, within
from toolglean.values.keys import ARGUMENT_KEYS, ID_KEYS, NAME_KEYS

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn
    from toolglean.events import ToolCall

__all__ = [
    "ENDED",
    "FAILED",
    "NEED",
    "call_of",
    "ends_with_stray_tag",
    "fits",
    "is_placed",
    "key_of",
    "read_call",
    "trial_of",
]

NEED = 0
ENDED = 1
FAILED = 2

Piece = tuple[str, int]
"""A text, and the place at which it ends."""


def trial_of(before: Turn, repair: int) -> Turn:
    """A copy of the turn, which reads on as `repair` says."""
    turn = before.copy()
    turn.payload = before.payload and before.payload.copy()
    turn.repair = repair
    return turn


def read_call(turn: Turn, first: int, pieces: list[Piece]) -> tuple[int, int, str]:
    """Read on, up to the end of the call with the index `first`.

    Returns:
        NEED, ENDED or FAILED; and after ENDED the place from which on nothing was read, and what was given from there.
    """
    stack = [(text, end - len(text)) for text, end in reversed(pieces)]
    i = 0
    while stack:
        text = turn.tape.join(*stack.pop())
        i = 0
        while i < len(text):
            if turn.mode != CALL or turn.payload is None or turn.base + i >= turn.bound.at:
                return FAILED, 0, ""
            i = turn.payload.read(turn, text, i)
            waiting = turn.tape.take_waiting()
            if waiting is not None and not waiting[0]:  # only the loop was interrupted
                waiting = None
            if turn.emit.index > first and not turn.emit.open:
                rest = (waiting[0] if waiting else "") + text[i:] + "".join(each for each, _ in reversed(stack))
                return ENDED, waiting[1] if waiting else turn.base + i, rest
            if waiting or turn.mode == MEND:
                i += turn.mending.skip if turn.mending is not None else 0
                stack.append((text[i:], turn.base + i))
                stack.append(waiting or _put_in(turn, turn.base + i))
                break
    if turn.mode == CALL and turn.payload is not None and turn.emit.open and turn.payload.completes(turn):
        waiting = turn.tape.take_waiting()
        rest, place = waiting or ("", turn.base + i)
        return ENDED, place, rest
    return NEED, 0, ""


def _put_in(turn: Turn, place: int) -> Piece:
    # Another parameter without its closing marker.
    assert turn.mending is not None
    closer = turn.mending.text
    turn.before_closers = turn.mending.final
    turn.mode, turn.mending = CALL, None
    return closer, place - len(closer)


def call_of(turn: Turn) -> ToolCall | None:
    """The call that ended, if it is one that may run and nothing about it is doubtful."""
    doubts = [each for each in turn.emit.out if isinstance(each, Problem) and not each.reason.startswith("mended: ")]
    call = next((each.call for each in turn.emit.out if isinstance(each, CallEnd)), None)
    return None if call is None or call.status != "ok" or doubts else call


def fits(turn: Turn, call: ToolCall) -> bool:
    """Whether the tool is known, where any is, and the schema knows the keys and misses none."""
    if call.known is False:
        return False
    tool = turn.names.tool(call.name)
    if tool is None:
        return True
    extra = tool.parameters.get("additionalProperties", False)
    required = tool.parameters.get("required")
    keys = call.arguments
    return (not tool.properties or bool(extra) or all(key in tool.properties for key in keys)) and (
        not isinstance(required, list | tuple) or all(key in keys for key in required)
    )


def ends_with_stray_tag(value: str) -> bool:
    """Whether text ends with a closing tag that nothing in it opened: perhaps what was meant to close the text."""
    found = _closing_tag(value)
    return found is not None and f"<{found[1]}" not in value


_closing_tag = re.compile(r"</([\w:.-]{1,64})>\s*\Z").search


def is_placed(turn: Turn, call: ToolCall) -> bool:
    """Whether a bracket that was missing can only have been where it was put in.

    What stands at the end of an object may have been meant for the object around it, if that takes such keys.
    """
    tool = turn.names.tool(call.name)
    root: Any = tool.parameters if tool is not None else {}
    if not tool or not tool.properties:
        around = NAME_KEYS | ARGUMENT_KEYS | ID_KEYS
        if any(key in around for key in call.arguments):
            return False
    schema: Any = root
    value: Any = call.arguments
    while value and isinstance(value, dict | list):
        last: Any = value[-1] if isinstance(value, list) else value[next(reversed(value))]
        if isinstance(value, list) and isinstance(last, list) and len(last) > 1:
            return False
        if isinstance(value, dict) and isinstance(last, dict):
            known = properties(schema, root)
            if any(key in known for key in last) or (not known and len(last) > 1):
                return False
        name = "item" if isinstance(value, list) else next(reversed(value))
        schema, value = within(schema, name, root) or {}, last
    return True


def key_of(call: ToolCall) -> str:
    """What tells the call from others."""
    return json_text([call.name, call.arguments])
