# How values of parameters are read that no marker of their own ends: text up to where another parameter begins, and
# JSON. Does not depend on what may follow such a value (formats/parameters.py), or on how values become JSON
# (engine/parameters.py).
"""Values that no marker of their own ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.matcher.arguments import Arguments
from toolglean.engine.matcher.calls import end_value
from toolglean.engine.matcher.literals import arrived
from toolglean.engine.matcher.values import Value
from toolglean.engine.parameters import pass_value
from toolglean.formats.parameters import Followers, followers_of
from toolglean.scan.json_reader import JsonValueReader
from toolglean.scan.reader import string_text
from toolglean.scan.scanner import DONE, FAIL
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.turn import Stops, Turn
    from toolglean.formats.compile import Program

__all__ = ["JsonValue", "OpenValue"]


class OpenValue(Value):
    """Text up to where a parameter, or the end of the call, follows."""

    __slots__ = ()

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        parameters, base = self.parameters, turn.tape.base
        if parameters.lead:
            i, passed = parameters.read_lead(text, i)
            if passed is not None:
                self._pass_on(turn, passed, base + i)
            if parameters.lead:
                return i
        place, found = self._finder().find(text, i)
        if place > i:
            self._pass_on(turn, text[i:place], base + i)
        if not found:
            return turn.hold(text, place)
        end = place + len(found)
        if not found.endswith(self._text()):  # the end of the call
            self._end(turn, reading, found, base + place, base + place)
            return end
        keys = turn.names.keys_of(reading.call.name)
        followers = _followers(reading.walk.program, reading.call.format)
        follows = followers.follow(text, end, self._text(), keys, at_end=False)
        if follows is None:
            return turn.hold(text, place)
        if not follows:
            self._pass_on(turn, text[place : place + 1], base + place)
            return place + 1
        self._end(turn, reading, found, base + place, base + end)
        return end

    def stops(self) -> Stops | None:
        """See `Payload`."""
        parameters = self.parameters
        return (self._finder().search, string_text) if parameters.passes else None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return pass_value(turn, self._finder(), text)

    def _finder(self) -> Finder:
        if self.finder is None:
            ending, text = self.slot.ending, self._text()
            others = self.slot.terminals.literals if ending.open else ()
            self.finder = Finder([text, ending.trail + text, *others], exact=True)
        return self.finder

    def _text(self) -> str:
        return self.slot.ending.of(self.parameters.key)

    def _end(self, turn: Turn, reading: Reading, found: str, start: int, slot_end: int) -> None:
        # What was found ends the value: that is certain already, except of a marker with white space in it.
        reading.walk.close_slot(self.slot, "" if self.slot.ending.is_keyed else found, start)
        reading.call.close_value(self, slot_end)
        self.stray = False
        reading.go_on()
        if not self.slot.ending.is_keyed:
            arrived(turn, reading, start + len(found))
        elif end_value(turn, reading, self, start + len(found)):
            reading.walk.settle(start + len(found))


class JsonValue(Arguments):
    """A value in JSON, which is passed on as it is written."""

    __slots__ = ()

    within = "value"

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        assert reading.call.parameters is not None  # a key is before each value
        self.slot, self._kept = slot, None
        self.source = JsonValueReader(turn.limits.depth - 1)
        turn.delta(reading.call.parameters.begin_json(), reading.walk.pending_start)

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        j, piece, status = self.source.read(text, i)
        end = turn.tape.base + j
        if piece:
            turn.delta(piece, turn.tape.base + i, after_comma=self.source.after_comma)
        if status is FAIL:
            turn.refuse_arguments(self.source.fault, text[j], end)
        elif status is DONE:
            reading.walk.close_slot(self.slot, "", end)
            reading.go_on()
            turn.read_again("", end, always=True)
        return j


def _followers(program: Program, number: int) -> Followers:
    key = "followers", number
    if key not in program.kept:
        program.kept[key] = followers_of(program.formats[number])
    found: Followers = program.kept[key]
    return found
