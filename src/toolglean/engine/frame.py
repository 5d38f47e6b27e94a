# What the keys and values of a JSON object mean for a call, and when the call begins. Does not depend on how JSON is
# read, or on where the object is in it (envelope.py).
#
# A call begins when its name is certain. A name that is not a tool's is certain only next to an arguments key. What
# came before the name is kept here and emitted then. The rules about keys next to the arguments are in scan/data.py.
"""An object in the JSON around calls."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from toolglean.engine.names import contains_markup
from toolglean.engine.reasons import (
    A_CALL,
    IGNORED_KEYS,
    MISPLACED,
    NO_OBJECT,
    REPEATED_CALL_KEY,
    STRING_INSTEAD,
    malformed_call,
    unreadable,
)
from toolglean.scan import data
from toolglean.scan.json import decode
from toolglean.scan.names import (
    ARGUMENT_KEYS,
    BESIDE_KEYS,
    HOLDER_KEYS,
    ID_KEYS,
    KNOWN_NAME_KEYS,
    NAME_KEYS,
    RESULT_KEYS,
)
from toolglean.scan.plain import Plain
from toolglean.scan.tokens import object_text

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["AS_OBJECT", "WRONGLY", "Frame"]

_HOLDER_KEYS = HOLDER_KEYS | {"calls"}
MOST_NOTED = 8  # keys that are remembered


class Written(Enum):
    """How the arguments of a call were written."""

    NOT_YET = auto()
    AS_OBJECT = auto()
    AS_STRING = auto()
    AS_NULL = auto()
    WRONGLY = auto()


NOT_YET, AS_OBJECT, AS_STRING, AS_NULL, WRONGLY = Written


class Frame(Plain):
    """One open container of the envelope. A list has no keys.

    Attributes:
        key: the key whose value is being read.
        keys: how many keys were read.
        name: the value of its name key, or of another key that may have a tool's name as its value.
        soft: whether the name is under a key that may also have other values.
        id: the value of its id key.
        written: how its arguments were written.
        arguments: their text, if they came before the name or under another key; `start` is its place.
        under: the key of an object in `arguments` that may not be the arguments: the only key so far, which is a tool's
            name; or, if the name is known, the first key next to it whose value is an object.
        called: whether a call was begun from this object.
        holds: whether a call came from under one of its keys: then it is none itself.
        repeated: the last name or arguments key that came a second time, and its place.
        others: keys that are not for a name or arguments, and not in `beside`; only the first few.
        beside: keys that may be next to a name without being arguments.
        refused: of a list, the text up to its first object that is no call, and its place, until a call follows.
    """

    __slots__ = (
        "arguments", "beside", "called", "holds", "id", "key", "keys", "name", "others", "refused", "repeated", "soft",
        "start", "under", "written",
    )  # fmt: skip

    def __init__(self, *, call_id: str | None = None, name: str | None = None) -> None:
        self.key = self.arguments = self.under = ""
        self.keys = self.start = 0
        self.name, self.id = name, call_id
        self.soft = self.called = self.holds = False
        self.written = NOT_YET
        self.repeated: tuple[str, int] | None = None
        self.others: tuple[str, ...] = ()
        self.beside: tuple[str, ...] = ()
        self.refused: tuple[str, int] | None = None

    @property
    def has_arguments(self) -> bool:
        """Whether arguments came under one of their names."""
        return self.written is not NOT_YET

    @property
    def awaits_arguments(self) -> bool:
        """Whether a name has come, and nothing yet that may be its arguments."""
        return self.name is not None and not self.has_arguments and not self.under

    def may_hold_calls(self, *, any_key: bool) -> bool:
        """Whether a container that begins may be a call, or contain calls. Elsewhere it is data: of a call that the
        object itself is, or of no call.
        """
        if not self.keys:
            return not self.others  # a list of calls contains nothing else
        return (any_key or self.key in _HOLDER_KEYS) and self.name is None and not self.has_arguments

    def may_be_arguments(self, bracket: str) -> bool:
        """Whether the object that begins may be the arguments, although its key is not an arguments key."""
        if not self.keys or bracket != "{" or self.name is None or self.has_arguments or self.others:
            return False
        return self.called or (self.key not in HOLDER_KEYS and not self.soft)

    def forget_key(self) -> None:
        """The last key was not meant."""
        self.keys -= 1

    def note(self, key: str, *, is_container: bool = False) -> None:
        """Note a value that is not the name or the arguments."""
        if key in ARGUMENT_KEYS or (key in NAME_KEYS and not is_container):  # a second one is reported
            return
        if key in BESIDE_KEYS and not is_container:
            self.beside = (*self.beside, key)[:MOST_NOTED]
        else:
            self.others = (*self.others, key)[:MOST_NOTED]

    def note_call(self) -> None:
        """A call came from inside it."""
        self.holds = True

    # -- keys and values -----------------------------------------------------------------------------------------------

    def read_key(self, key: str) -> bool:
        """A key was read. Returns whether it is a second key for the name or the arguments."""
        self.key = key
        self.keys += 1
        if self.under and self.name is None:  # it is not the only key, so it is an ordinary one
            self.note(self.under, is_container=True)
            self.under = ""
        return bool(self.name) if key in NAME_KEYS else key in ARGUMENT_KEYS and self.written is not NOT_YET

    def repeat_key(self, turn: Turn, place: int) -> None:
        """The key that was read, at that place, came a second time."""
        self.repeated = self.key, place
        if self.called:
            self._report_repeated(turn)

    def read_string(self, turn: Turn, value: str, start: int, here: int, room: int) -> None:
        """A string was read.

        Args:
            turn: the turn.
            value: the string.
            start: its place.
            here: the place after what was read.
            room: how deeply arguments that are written as a string may be nested.
        """
        key = self.key
        if key in NAME_KEYS and (self.name is None or (self.soft and not self.called)):
            self.name, self.soft = value, False
            if self.has_arguments or turn.names.resolve(value) is not None:
                self._begin(turn, here, room)
        elif key in KNOWN_NAME_KEYS and self.name is None and turn.names.resolve(value) is not None:
            self.name, self.soft = value, True
            if self.has_arguments:
                self._begin(turn, here, room)
        elif key in ID_KEYS and self.id is None:
            self.id = value
            self.note(key)
            if self.called:
                turn.emit.call.set_id(value)
        elif key in ARGUMENT_KEYS and not self.has_arguments:
            self.read_arguments(turn, AS_STRING, value, start, here, room)
        else:
            if self.keys == 1 and not self.called and turn.names.resolve(key) is not None:
                found, _ = object_text(value, room)
                if found is not None:
                    self.under, self.arguments, self.start = key, found, start
            self.note(key)

    def read_scalar(self, turn: Turn, value: str, here: int) -> None:
        """A number, true, false or null was read."""
        if self.key in ARGUMENT_KEYS and not self.has_arguments:
            written = AS_NULL if value == "null" else WRONGLY
            self.read_arguments(turn, written, value, here - len(value), here, 0)
        elif value != "null":
            self.note(self.key, is_container=self.key in NAME_KEYS)

    def read_arguments(self, turn: Turn, written: Written, text: str, start: int, here: int, room: int) -> None:
        """The arguments were read; or their first character, if they cannot be arguments. See `read_string`."""
        self.written, self.arguments, self.start = written, text, start
        if self.called:
            self._hand_out(turn, here, room)
        elif self.name is not None:
            self._begin(turn, here, room)

    def begin_value(self, start: int) -> None:
        """An object that is kept until it is complete begins at that place."""
        self.start = start

    def end_value(self, text: str, *, is_arguments: bool) -> None:
        """That object is complete: it is the arguments, before the name; or see `under`."""
        self.arguments = text
        if is_arguments:
            self.written = AS_OBJECT
        else:
            self.under = self.key

    # -- the call ------------------------------------------------------------------------------------------------------

    def begin_arguments(self, turn: Turn) -> bool:
        """The arguments begin. Returns whether a call is open that takes them as they are read."""
        if not self.called and self.name is not None:
            self._begin_call(turn)  # an unknown name is accepted next to an arguments key
        if self.called:
            self.written = AS_OBJECT
        return self.called

    def begin_under(self, turn: Turn, key: str) -> bool:
        """The call begins; its arguments follow under this key, the first one. False: it is not accepted."""
        self.called = turn.begin_call(self.name or "", None, may_get_id=True)
        if self.called:
            turn.expect_json()
        self.key, self.keys = key, 1
        return self.called

    def close(self, turn: Turn, place: int, around: list[Frame], *, bare: bool, ends: bool = True) -> bool:
        """The object has closed. Returns whether it was a call, which has then ended.

        Args:
            turn: the turn.
            place: the place after the bracket.
            around: the containers around it.
            bare: whether no marker shows that calls are meant.
            ends: False: a call that is complete stays open, unless it is only a name.
        """
        if around and turn.reading_call and self._is_name_alone(turn) and around[-1].takes_over(turn, self):
            return True
        lone = self.under if self.name is None else ""  # a tool's name, as the only key, whose value is an object
        # Whether the name has nothing next to it but an object under another key.
        lacks_arguments = self.name is not None and bool(self.under) and self.others == (self.under,)
        if not self.called and lacks_arguments and not self.has_arguments and turn.region.open:
            self._begin_call(turn)
        if self.called:
            if turn.reading_call:
                _tell_around(turn, around)
                self._end_call(turn, place, bare=bare, ends=ends)
        elif lone and turn.region.open:
            name = turn.names.resolve(lone)
            if name is not None and turn.accepts(name) and turn.begin_call(name, self.id, may_get_id=False):
                turn.expect_json()
                turn.emit.delta(self.arguments, self.start)
                if ends:
                    turn.end_call(place)
        else:
            return False
        for frame in around:
            frame.note_call()
        return True

    def refuse(self, text: str, start: int) -> None:
        """An object in it is no call: that text, which is at that place, ends with it. See `refused`."""
        if not self.keys and self.refused is None:
            self.refused = text, start

    def take_refused(self) -> tuple[str, int] | None:
        """What is before a call in this list and is none: see `refused`."""
        refused, self.refused = self.refused, None
        return refused

    def _is_name_alone(self, turn: Turn) -> bool:
        # Whether no arguments have come, or empty ones.
        return self.awaits_arguments or (self.called and _is_empty(turn.emit.call.arguments))

    def takes_over(self, turn: Turn, inner: Frame) -> bool:
        """Whether the call in that object, which has closed, may have its arguments in this one, next to it: then it
        goes on here.
        """
        if not self.keys or self.name is not None or self.key not in _HOLDER_KEYS:
            return False
        if inner.called and (left_out := self.left_out()):
            turn.emit.problem(IGNORED_KEYS, ", ".join(left_out), turn.emit.call.start)
        self.name, self.soft, self.called, self.written = inner.name, inner.soft, inner.called, inner.written
        self.id = inner.id if self.id is None else self.id
        self.others, self.beside = inner.others, (*self.beside, *inner.beside)
        return True

    def _begin(self, turn: Turn, here: int, room: int) -> None:
        if self._begin_call(turn):
            self._hand_out(turn, here, room)

    def _begin_call(self, turn: Turn) -> bool:
        name = self.name or ""
        known = turn.names.resolve(name)
        if self.holds:
            turn.emit.problem(IGNORED_KEYS, name, turn.region.start)
            self.name = None
            return False
        if not turn.accepts(name) or (known is None and contains_markup(name)):
            return False
        self.called = turn.begin_call(name if known is None else known, self.id, may_get_id=True)
        if self.called:
            turn.expect_json()
            self._report_repeated(turn)
        return self.called

    def _report_repeated(self, turn: Turn) -> None:
        # The first one is used: its deltas have already been emitted.
        if self.repeated is not None:
            turn.emit.problem(REPEATED_CALL_KEY, *self.repeated)

    def _hand_out(self, turn: Turn, here: int, room: int) -> None:
        # Emit the arguments that came before the call's name, or in one piece.
        text, self.arguments = self.arguments, ""
        if self.written is AS_OBJECT:
            turn.emit.delta(text, self.start)
        elif self.written is AS_STRING and text.strip() not in {"", "null"}:
            found, fault = object_text(text, room)
            if fault == "depth":
                turn.stop("depth", text, here)
            elif found is not None:
                turn.emit.delta(found, self.start)
            elif not (turn.may_repair() and _read_as_python(turn, text, room, self.start)):
                turn.give_up(STRING_INSTEAD, text, self.start)
        elif self.written is WRONGLY:
            turn.give_up(NO_OBJECT, text, self.start)

    def _end_call(self, turn: Turn, place: int, *, bare: bool, ends: bool) -> None:
        schema = turn.names.schema(turn.emit.call.name)
        others = list(self.others)
        if not self.has_arguments:
            others += (key for key in self.beside if data.declares(schema, key))
        own = turn.emit.call.arguments
        meant = [key for key in others if self.has_arguments and data.declares(schema, key) and f'"{key}"' not in own]
        if self.repeated is not None and self.repeated[0] in ARGUMENT_KEYS and data.takes_arguments(schema):
            meant += [self.repeated[0]] if _is_empty(own) else []
        if meant:  # without them the call might do more than was meant
            turn.end_malformed(MISPLACED, ", ".join(meant), place)
            return
        if self.has_arguments and others:
            turn.emit.problem(IGNORED_KEYS, ", ".join(others), turn.emit.call.start)
        elif self.under and others == [self.under] and self.under.lower() not in RESULT_KEYS:
            turn.emit.delta(self.arguments, self.start)
        elif others:
            turn.end_malformed(MISPLACED, ", ".join(others), place)
            return
        if bare and (fault := data.fault_of_text(turn.emit.call.arguments, schema, bare=True)):
            turn.end_malformed(malformed_call(fault), turn.emit.call.name, place)
            return
        name_alone = not (self.has_arguments or turn.emit.call.has_arguments)
        if ends or name_alone:
            turn.end_call(place, name_alone=name_alone)

    def left_out(self) -> list[str]:
        """The keys around a call that are not part of it, each of them once."""
        if not self.keys or self.called:
            return []
        found, self.others = [key for key in self.others if key != self.key], ()  # the call is under its key
        return found


def _is_empty(arguments: str) -> bool:
    return not arguments.strip("{} \t\r\n")


def _read_as_python(turn: Turn, text: str, room: int, start: int) -> bool:
    # Arguments written as a string that is a dict of Python are repaired.
    from toolglean.engine.repair.candidates import PYTHON  # noqa: PLC0415  # few turns need it
    from toolglean.engine.repair.meant import keys_match  # noqa: PLC0415
    from toolglean.engine.repair.relaxed import Dialect, json_of  # noqa: PLC0415

    dictionary = text.strip()
    found = json_of(dictionary, Dialect.PYTHON, 0)
    written = None if found is None or found[1] < len(dictionary) else object_text(found[0], room)[0]
    if written is None or not keys_match(turn.names.tool(turn.emit.call.name), decode(written)[0]):
        return False
    turn.repaired(PYTHON, text, start)
    turn.emit.delta(written, start)
    return True


def _tell_around(turn: Turn, around: list[Frame]) -> None:
    # What is written in the objects around a call is not part of it, and neither is what is before it in a list.
    if left_out := [key for frame in around for key in frame.left_out()]:
        turn.emit.problem(IGNORED_KEYS, ", ".join(left_out), turn.emit.call.start)
    for refused in filter(None, (frame.take_refused() for frame in around)):
        turn.emit.problem(unreadable(A_CALL), *refused)
