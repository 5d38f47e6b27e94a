# What the wires have in common: JSON text, counts, faults among the lines.
# Does not depend on any single wire, HTTP.
"""What the wires share."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from tests.support.loopback.turns import Call, Cut, ErrorLine, Malformed, Slow, Thought, Turn

__all__ = ["CutOff", "arguments_text", "counts", "dumped", "faulty", "joined", "runs", "sse"]

CREATED = 1_790_000_000
WAIT_AT_MOST = 5.0


class CutOff(Exception):  # noqa: N818 - no error of the server: it does as it was told
    """The test wants the connection to end here."""


def dumped(value: Any) -> str:
    """JSON text as Go's encoder writes it: it escapes what would end a line for some readers, and `<`, `>` and `&`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def arguments_text(call: Call) -> str:
    """The arguments as JSON text."""
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def counts(turn: Turn) -> tuple[int, int]:
    """(prompt tokens, completion tokens): made up, and always the same."""
    return 7, len(list(turn.pieces()))


def joined(turn: Turn) -> tuple[str, str, list[Call]]:
    """(text, reasoning, calls) of the whole turn."""
    pieces = list(turn.pieces())
    text = "".join(each for each in pieces if isinstance(each, str))
    thinking = "".join(each.text for each in pieces if isinstance(each, Thought))
    return text, thinking, [each for each in pieces if isinstance(each, Call)]


def runs(turn: Turn) -> Iterator[list[Any]]:
    """A run of text is one part of the answer, and a run of thoughts; each call is a part of its own."""
    for kind, run in groupby(turn.pieces(), type):
        pieces = list(run)
        yield from [[each] for each in pieces] if kind is Call else [pieces]


def sse(event: Mapping[str, Any] | str) -> str:
    """A server-sent event that has its name twice; or a text as it is."""
    if isinstance(event, str):
        return event
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"


def faulty(
    lines: Iterable[str], turn: Turn, *, wrap: Callable[[str], str], error: Callable[[str], str]
) -> Iterator[str]:
    """The lines, with the turn's faults among them.

    Args:
        lines: what goes out, ready for the wire.
        turn: whose faults they are.
        wrap: makes a line of the wire of a text that is not JSON.
        error: makes the wire's error line of a message.
    """
    sent = 0
    for sent, line in enumerate(lines):
        for fault in turn.faults:
            if getattr(fault, "after", None) != sent:
                continue
            if isinstance(fault, Cut):
                raise CutOff
            if isinstance(fault, ErrorLine):
                yield error(fault.message)
                return
            if isinstance(fault, Malformed):
                yield wrap(fault.text)
            elif isinstance(fault, Slow):
                _wait(fault)
        yield line
    if any(isinstance(fault, Cut) and fault.after > sent for fault in turn.faults):
        raise CutOff


def _wait(fault: Slow) -> None:
    if fault.until is not None:
        fault.until.wait(WAIT_AT_MOST)
    else:
        time.sleep(fault.seconds)
