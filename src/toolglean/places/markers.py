# What this file knows: the walk between holes and behind a call, and what is done where no character leads on.
# What it must not know: what fills the holes.
#
# Where nothing leads on, a hole may begin; where none may, the walk goes back to the last place that had another way
# on: a hole that was passed by for a marker (a marker beats a hole), or a marker with an action that was read whole (a
# longer one still fitted). Where there is none of these either, the text is no call.
"""Between holes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.formats.net import LITERAL, MARKUP
from toolglean.places.calls import accept, arrived, no_call
from toolglean.places.holes import enter, value_goes_on
from toolglean.places.phases import MARKERS
from toolglean.scan.rope import grown, joined

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.places.walk import Walk

__all__ = ["read_behind", "read_markers"]


def read_markers(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """Literals and white space between holes."""
    while i < len(text):
        if not walk.step(machine, text[i]):
            return _astray(machine, walk, text[i], i)
        i += 1
        if walk.place.flags and (not arrived(machine, walk, machine.base + i) or machine.limit_passed(i)):
            return i
    return i


def _astray(machine: Machine, walk: Walk, char: str, i: int) -> int:
    """No character leads on."""
    edges = walk.place.hole_for(char)
    if edges:
        return enter(machine, walk, edges, walk.place, char, i)
    if walk.parameters is not None and walk.parameters.undecided:
        return value_goes_on(machine, walk, i)
    if _go_back(machine, walk):
        return i
    if walk.accepted is not None and machine.in_region:
        accept(machine, walk)
    elif machine.emit.open:
        machine.give_up("malformed call: a marker was expected", char, machine.base + i)
    else:
        no_call(machine, walk)
    return i


def _go_back(machine: Machine, walk: Walk) -> bool:
    """Back to a hole that was passed by for a marker."""
    while walk.others:
        (place, chars), walk.others = walk.others[-1], walk.others[:-1]
        pending = joined(walk.pending)
        edges = place.hole_for(pending[chars])
        if edges:
            again, start = pending[chars:], walk.pending_start + chars
            if not machine.read_again(again, start):
                return False
            if machine.in_region:
                machine.shorten_region(len(again))
            enter(machine, walk, edges, place, again[0], -1)
            return True
    return False


def read_behind(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """What stands behind a call: markup, a call that has no marker of its own, or the end of it all."""
    char = text[i]
    if not walk.pending_chars and char.isspace():
        return machine.wait_for_more(text, i)
    found = walk.program.net.step(walk.place, char)
    if found is not None:
        if not walk.pending_chars:
            walk.pending_start = machine.base + i
        walk.place = found
        walk.pending = grown(walk.pending, char)
        walk.pending_chars += 1
        if found.flags & LITERAL:
            _literal_behind(machine, walk, machine.base + i + 1)
        return i + 1
    if walk.pending_chars:
        pending, start = joined(walk.pending), walk.pending_start
        machine.leave(text_follows=False)
        if not machine.read_again(pending, start):
            machine.say(pending, start)
        return i
    edges = walk.place.hole_for(char)
    if edges:
        machine.open_region(machine.base + i, 1, bare=machine.bare_region)
        return enter(machine, walk, edges, walk.place, char, i)
    machine.leave(text_follows=False)
    return i


def _literal_behind(machine: Machine, walk: Walk, here: int) -> None:
    text, start = joined(walk.pending), walk.pending_start
    if walk.place.flags & MARKUP:
        machine.emit.markup(text, start)
        walk.clear_pending()
        return
    machine.open_region(start, len(text), bare=machine.bare_region)  # a call whose first literal is JSON itself
    machine.keep(text)
    walk.phase = MARKERS
    arrived(machine, walk, here)
