# How values of parameters are read: text up to its marker, or up to where another parameter begins, and JSON. Does not
# depend on which markers a family has (swallowed_markers.py), on what may follow a value (formats/parameters.py), or on
# how values become JSON (engine/parameters.py).
#
# Only a marker after a text shows that it is complete, and only if it is followed by what may follow it. So a value
# whose closing marker was read is kept in the call, and continues if something else follows. If it lacks its closing
# marker, or has another spelling of it, a marker of its family appears where it can only come after the value, and a
# repair is tried.
"""Values of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.matcher.arguments import Arguments
from toolglean.engine.matcher.calls import end_value
from toolglean.engine.matcher.literals import arrived
from toolglean.engine.matcher.reading import NOWHERE, Field
from toolglean.engine.matcher.swallowed_markers import MISSING, TEXT, WAIT, opens_tag, swallowed_markers_of
from toolglean.engine.parameters import pass_value
from toolglean.engine.reasons import UNCLOSED_VALUE
from toolglean.engine.repair.candidates import CLOSER
from toolglean.engine.repair.suspended import TRIAL, Fault, Kind, Put
from toolglean.formats.parameters import Followers, followers_of
from toolglean.formats.spellings import can_close
from toolglean.scan.json_reader import JsonValueReader
from toolglean.scan.reader import quoted_text, string_text
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Call, Reading
    from toolglean.engine.matcher.swallowed_markers import Spelling
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.turn import Stops, Turn
    from toolglean.formats.compile import Program

__all__ = ["JsonValue", "OpenValue", "Value"]


class Value(Field):
    """The text of a parameter.

    Attributes:
        parameters: the parameters of the call, which turn it into JSON.
        seen: the markers that it may have swallowed.
        finder: finds what may end it; None until it is needed.
        start: the place of its first character; -1 before it.
        key: that of the parameter, if its own tag may close the value; "" if not, or if the value opens that tag.
        quoted: whether an opener of a parameter is in it, so that a closing marker may belong to that.
        opened: how many parameters were opened in it and not closed: a closing marker may be theirs.
        stray: whether closing markers follow the one that ends it.
        misspelt: the place after the last closing marker in another spelling that stayed in it, and after the white
            space that follows: if the value ends there, the call must not run. -1 if there is none.
    """

    __slots__ = ("finder", "key", "misspelt", "opened", "parameters", "quoted", "seen", "start", "stray")

    within = "value"

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        assert reading.call.parameters is not None  # a key is before each value
        self.slot, self.parameters = slot, reading.call.parameters
        self.seen = swallowed_markers_of(reading.walk.program, reading.call.format)
        self.finder: Finder | None = None
        key, keys = self.parameters.key, turn.names.keys_of(reading.call.name)
        self.key = key if keys and key in keys and can_close(key) else ""
        self.start, self.misspelt, self.opened, self.quoted, self.stray = -1, NOWHERE, 0, False, False
        trail = slot.trail if self.seen.knows_openers else ""  # a value of several lines may have swallowed parameters
        turn.delta(self.parameters.begin_value(slot.lead, trail), reading.walk.pending_start)

    def copy_for(self, call: Call) -> Self:
        """See `Stage`."""
        twin = super().copy_for(call)
        assert call.parameters is not None
        twin.parameters = call.parameters
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"finder": None}

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        parameters = self.parameters
        if parameters.lead:
            i, passed = parameters.read_lead(text, i)
            if passed is not None:
                self._pass_on(turn, passed, turn.tape.base + i)
            if parameters.lead:
                return i
        place, found = (self.finder or self._finder()).find(text, i)
        if not (parameters.paired or parameters.has_lines) and (line := text.find("\n", i, place)) >= 0:
            self._pass_on(turn, text[i : line + 1], turn.tape.base + i)
            return line + 1  # from here on, the finder looks for something else: see `_finder`
        if place > i:
            self._pass_on(turn, text[i:place], turn.tape.base + i)
        if not found:
            return turn.hold(text, place)
        if found.lstrip() not in self.slot.terminals.literals:
            return self._swallowed(turn, reading, text, place, found)
        # If a closing marker contains white space, only its first part is found: another spelling may follow.
        other = self._spelling(turn, reading, text, place, found) if self.seen.is_parted(found) else None
        if other is not None and self._misspelt(turn, reading, text, place, other):
            return turn.hold(text, place) if turn.reading_call else place
        self._close(reading, turn.tape.base + place, found)
        return place + len(found)

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """See `Payload`. No value completes a call: only says what was left out. (An unknown tool's may be content.)"""
        call, closers = turn.emit.call, reading.walk.program.ends(reading.call.format)[0]
        written = call.written.rpartition('": "')[2]
        if call.known is not False and any(quoted_text(each) in written for each in closers):
            turn.emit.problem(UNCLOSED_VALUE, call.name, call.start)
        return False

    def stops(self) -> Stops | None:
        """See `Payload`."""
        parameters = self.parameters
        if not parameters.passes:
            return None
        if parameters.paired or parameters.has_lines:
            return self._finder().search, string_text
        return self.seen.finder(self.slot.terminals, "", lines=True, first_line=True, key=self.key).search, string_text

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        if not (self.parameters.paired or self.parameters.has_lines) and "\n" in text:
            return None  # that is noted, and the finder looks for something else from there on
        return pass_value(turn, self.finder or self._finder(), text)

    def _finder(self) -> Finder:
        # Finds what may be after the value, with its white space, and what it may have swallowed. It is unclear whether
        # a value of several lines ends with a line break if its pattern has none before it.
        if self.finder is None:
            trail = self.parameters.as_before(self.slot.trail)
            lines = self.parameters.paired or not self.parameters.has_lines
            self.finder = self.seen.finder(self.slot.terminals, trail, lines=lines, key=self.key)
        return self.finder

    def _pass_on(self, turn: Turn, text: str, start: int) -> None:
        parameters = self.parameters
        had_lines = parameters.has_lines
        if self.start < 0:
            self.start = start
        begun = self.start if parameters.is_section is None else start  # what has waited comes with it
        turn.delta(parameters.text(text), begun)
        self.finder = self.finder if parameters.has_lines == had_lines else None

    # -- its end -------------------------------------------------------------------------------------------------------

    def _close(self, reading: Reading, start: int, found: str) -> None:
        # Its closing marker was read, but not yet what follows it.
        trail = self.parameters.as_before(self.slot.trail)
        with_trail = trail and found.startswith(trail) and found not in self.slot.terminals.literals
        reading.walk.close_slot(self.slot, found, start, len(trail) if with_trail else 0)
        reading.call.close_value(self, start + len(found))
        self.stray = False
        reading.go_on()

    def is_closed_again(self, turn: Turn) -> bool:
        """Its closing marker came again. Returns whether that may be an extra one.

        If the value contains an opener, the marker may belong to that; and if another closing marker was inserted, to
        the value that lacked it.
        """
        self.stray = not self.quoted and turn.repair is not TRIAL
        return self.stray

    def resume(self, turn: Turn, reading: Reading) -> None:
        """What looked like its closing marker is not followed by what may follow it, so it is text of the value."""
        pending, start = reading.walk.unsettled
        reading.call.decide_value(resumed=not self.opened)
        reading.walk.settle_all()
        reading.read_as(self)
        self.opened = max(self.opened - 1, 0)
        text = pending[:1] if turn.read_again(pending[1:], start + 1) else pending
        self._pass_on(turn, text, start)

    # -- markers of its own family in it -------------------------------------------------------------------------------

    def _swallowed(self, turn: Turn, reading: Reading, text: str, place: int, found: str) -> int:
        # A marker of its own family that does not end the value: the value's closing marker may be missing, or be there
        # in another spelling.
        parameters, seen, terminals, call = self.parameters, self.seen, self.slot.terminals, reading.call
        self.quoted = self.quoted or seen.is_opener(found)
        start = turn.tape.base + place
        opens = seen.opens(text, place, found)
        if opens is None:
            return turn.hold(text, place)
        spelling = self._spelling(turn, reading, text, place, found)
        if spelling is not None:
            if self._misspelt(turn, reading, text, place, spelling):
                return turn.hold(text, place) if turn.reading_call else place
        elif not call.doubtful and start > call.as_written:
            before = parameters.last_char(turn.emit.call.arguments_end)
            exact = not seen.lines or not (before.isspace() or (parameters.has_lines and not parameters.paired))
            keys = turn.names.keys_of(call.name)
            kind = seen.kind(text, place, found, before, exact=exact, paired=parameters.paired, keys=keys)
            if kind == WAIT:
                return turn.hold(text, place)
            closer, final = seen.closers_of(terminals)[-1], found.lstrip() in seen.closers
            if kind == MISSING and (turn.may_repair() or turn.repair is TRIAL):
                _suspend(turn, reading, found.lstrip(), start, Put(closer, final=final))
                return place
            call.take_as_written(call.as_written, doubtful=kind != TEXT and not final)
        self.opened += opens
        self._pass_on(turn, found, start)
        return place + len(found)

    def _spelling(self, turn: Turn, reading: Reading, text: str, place: int, found: str) -> Spelling | None:
        keys = turn.names.keys_of(reading.call.name)
        return self.seen.spelling(self.slot.terminals, text, place, found, keys, self.key)

    def _misspelt(self, turn: Turn, reading: Reading, text: str, place: int, spelling: Spelling) -> bool:
        # The closing marker may be there in another spelling. False: it is text of the value.
        start, call = turn.tape.base + place, reading.call
        if spelling.kind != MISSING:
            return spelling.kind == WAIT
        if self.key and self.key in text[place : spelling.end] and opens_tag(turn.emit.call.arguments, self.key):
            self.key, self.finder = "", None  # the value has opened that tag itself
            return False
        if start > call.as_written and not call.doubtful and (turn.may_repair() or turn.repair is TRIAL):
            closer, written = self.seen.closers_of(self.slot.terminals)[-1], text[place : spelling.end]
            _suspend(turn, reading, written, start, Put(closer, len(written), final=spelling.final))
            return True
        self.misspelt = turn.tape.base + spelling.after_space
        return False


def _suspend(turn: Turn, reading: Reading, found: str, place: int, put: Put) -> None:
    # The closing marker may be missing there; if it is inserted, `found` is what follows it.
    turn.suspend(Fault(Kind.UNCLOSED, None, found, place, CLOSER, put), reading.copy())


# -- values that no marker of their own ends ---------------------------------------------------------------------------


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


def _followers(program: Program, number: int) -> Followers:
    key = "followers", number
    if key not in program.kept:
        program.kept[key] = followers_of(program.formats[number])
    found: Followers = program.kept[key]
    return found
