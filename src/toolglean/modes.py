# What this file knows: what the machine does with text in each of its modes.
# What it must not know: what a payload is, and what becomes of text that turned out to be no call (machine.py).
"""Modes, and the step function of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolglean.scan.text import with_closers

if TYPE_CHECKING:
    from toolglean.machine import Machine

__all__ = ["BESIDE", "CALL", "CONTENT", "DONE", "SKIP", "SPACE", "START", "STEPS", "TEXT"]

# Modes: which step function reads next.
START = 0  # white space at the start of the turn, where a call needs no marker
TEXT = 1  # content or reasoning, until a tag
SPACE = 2  # white space after a call, until anything else
CALL = 3  # what a tag opened
SKIP = 4  # the rest of a malformed call
DONE = 5  # content, to the end
BESIDE = 6  # white space beside a marker

CONTENT = 0  # the lane of content; others are reasoning


def read_start(machine: Machine, text: str, i: int) -> int:
    """White space at the start of the turn; what begins there may be a call without a marker."""
    j = i
    while j < len(text) and text[j].isspace():
        j += 1
    if machine.plan.spaced:
        machine.emit.space(text[i:j], machine.base + i)
    else:
        machine.say(text[i:j], machine.base + i)
    if j < len(text):
        begun = machine.plan.begin_bare(machine, text[j], machine.base + j)
        machine.mode = CALL if begun else DONE if machine.plan.stops_after_bare else TEXT
        if begun:
            machine.payload, read = begun
            return j + read
    return j


def read_text(machine: Machine, text: str, i: int) -> int:
    """Content or reasoning, until a tag."""
    finder = machine.plan.finder(machine.lane, machine.only)
    if machine.owed:
        finder = with_closers(finder, machine.owed)
    place, found = finder.find(text, i)
    if place > i:
        machine.say(text[i:place], machine.base + i)
    if not found:
        return machine.hold(text, place)
    if machine.owed and found in machine.owed:
        machine.owed = None
        machine.say(found, machine.base + place)
        return place + len(found)
    machine.mode = CALL
    machine.payload, read = machine.plan.begin(machine, found, machine.base + place)
    return place + read


def read_space(machine: Machine, text: str, i: int) -> int:
    """White space behind a call: whose it is, what follows decides."""
    j = machine.wait_for_more(text, i)
    if j < len(text):
        machine.leave(text_follows=True)
    return j


def read_beside_marker(machine: Machine, text: str, i: int) -> int:
    """White space beside a marker: markup."""
    j = i
    while j < len(text) and text[j].isspace():
        j += 1
    machine.emit.markup(text[i:j], machine.base + i)
    if j < len(text):
        machine.mode = START if machine.fresh and machine.lane == CONTENT else TEXT
    return j


def read_call(machine: Machine, text: str, i: int) -> int:
    """What a tag opened."""
    assert machine.payload is not None
    return machine.payload.read(machine, text, i)


def read_rest_of_call(machine: Machine, text: str, i: int) -> int:
    """The rest of a malformed call."""
    assert machine.payload is not None
    return machine.payload.skip(machine, text, i)


def read_to_the_end(machine: Machine, text: str, i: int) -> int:
    """All is content."""
    machine.emit.content(text[i:], machine.base + i)
    return len(text)


STEPS: tuple[Callable[[Machine, str, int], int], ...] = (
    read_start,
    read_text,
    read_space,
    read_call,
    read_rest_of_call,
    read_to_the_end,
    read_beside_marker,
)
