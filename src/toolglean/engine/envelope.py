# What this file knows: how calls stand in JSON: an object with a name key, an object whose only key is a tool's name,
# and both of them nested in lists and objects.
# What it must not know: what stands before and after the JSON.
#
# The envelope is read token by token, with a `Frame` for each open container. A call begins when its name is certain;
# from then on its arguments are passed on as they are written, without a look inside. Arguments that come before the
# name are kept until the name comes. Text inside arguments is never searched for calls.
"""Calls in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.document import Document
from toolglean.engine.frame import AS_NULL, AS_OBJECT, AS_STRING, MISSING, WRONG, Frame
from toolglean.engine.names import holds_markup
from toolglean.engine.undecided import read_as_calls, read_undecided
from toolglean.scan.json import (
    CLOSE,
    END,
    FAIL,
    KEY,
    NEED,
    OPEN,
    SCALAR,
    STRING,
    JsonScanner,
    decode,
    object_text,
)
from toolglean.scan.reader import string_text
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.values import data
from toolglean.values.keys import ARGUMENT_KEYS, HOLDER_KEYS, ID_KEYS, KNOWN_NAME_KEYS, NAME_KEYS

if TYPE_CHECKING:
    from toolglean.engine.turn import Turn

__all__ = ["Envelope", "begin_arguments", "begin_frames", "finish_envelope", "read_envelope"]

SEPARATORS = " \t\r\n,"

# What the envelope is reading.
BRACKET = 0  # nothing: its first bracket follows
TOKENS = 1  # its own keys and brackets
HOLDING = 2  # a value that is kept, or passed over, until it is known what it is
ARGUMENTS = 3  # the arguments of the open call
UNDECIDED = 4  # JSON without a marker, of which it is not clear yet whether it is calls or data
CERTAIN = 5  # the same, from its first bracket on, when it is clear that it is calls

# Why a value is held.
FOR_ARGUMENTS = 0  # an arguments key before the name
FOR_LONE_KEY = 1  # the only key so far is a tool's name
FOR_NOTHING = 2  # beside the name and the arguments of a call
FOR_OTHER_KEY = 3  # beside the name of a call that has no arguments yet


class Envelope:
    """Where the reading of one JSON value stands. Whole when `scanner.state` is END, broken when its token is FAIL."""

    __slots__ = (
        "_alone",
        "_depth",
        "_purpose",
        "_reading",
        "_token",
        "_value",
        "_value_start",
        "bare",
        "document",
        "frames",
        "region_depth",
        "scanner",
    )

    def __init__(self, max_depth: int, *, bare: bool = False, alone: bool = True) -> None:
        self.scanner = JsonScanner(max_depth)
        self.bare = bare  # whether no marker shows that calls are meant
        self._alone = alone  # see Document
        self.document: Document | None = None  # what is undecided
        self.frames: list[Frame] = []
        self.region_depth = 0  # the depth at which the machine's region began
        self._reading = BRACKET
        self._token: Rope = ()
        self._value: Rope = ()
        self._value_start = 0
        self._depth = 0  # of the value that is held or passed on
        self._purpose = FOR_NOTHING

    @property
    def in_string(self) -> bool:
        """Whether a string of the open call's arguments is being read."""
        return self._reading == ARGUMENTS and self.scanner.in_string

    @property
    def in_arguments(self) -> bool:
        """Whether arguments of a call that is not certain yet are being read, or wait for its name."""
        if self.document is not None:
            return self.document.has_arguments
        if self._reading == HOLDING and self._purpose != FOR_NOTHING:
            return True
        return any(frame.arguments and not frame.called for frame in self.frames)

    @property
    def has_ended(self) -> bool:
        """Whether the JSON is whole, and it is clear what it is."""
        return self.scanner.state == END and self.document is None

    @property
    def has_arguments(self) -> bool:
        """Whether a call was begun and its arguments' object has closed."""
        return self._reading == TOKENS and any(frame.called and frame.held == AS_OBJECT for frame in self.frames)

    @property
    def passes_on(self) -> bool:
        """Whether the arguments that are read are passed on."""
        return self._reading == ARGUMENTS

    @property
    def in_inner_value(self) -> bool:
        """Whether a value of arguments is being read, not the arguments' own members."""
        return self._reading in {ARGUMENTS, HOLDING} and len(self.scanner.stack) > self._depth + 1

    @property
    def last_read(self) -> str:
        """The last token, if it can be taken back: a comma, or a key of the call itself."""
        if self.scanner.after_comma:
            return ","
        return string_text(self.frames[-1].key) if self._reading == TOKENS and self.scanner.due == "colon" else ""

    def expect_key(self) -> None:
        """Of an object: a key must follow."""
        self.scanner.expect_key()

    def take_back(self) -> None:
        """Go back before it."""
        if self.scanner.due == "colon":
            self.frames[-1].forget_key()
        elif self._reading == HOLDING:
            self._value = ((), joined(self._value).rstrip(SEPARATORS))
        self.scanner.take_back()

    def copy(self) -> Envelope:
        """The same place."""
        twin = Envelope.__new__(Envelope)
        twin.scanner, twin.frames = self.scanner.copy(), [frame.copy() for frame in self.frames]
        twin.region_depth, twin._reading, twin._depth = self.region_depth, self._reading, self._depth
        twin._token, twin._value, twin._value_start = self._token, self._value, self._value_start
        twin._purpose, twin.bare, twin._alone = self._purpose, self.bare, self._alone
        twin.document = self.document and self.document.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        state = {slot: getattr(self, slot) for slot in self.__slots__}
        return state | {"_token": flat(self._token), "_value": flat(self._value)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)


def begin_frames(envelope: Envelope, bracket: str, place: int) -> None:
    """The envelope begins with that bracket, at that place of the turn, which has been read."""
    envelope.scanner.step(bracket, 0)
    if envelope.bare:
        envelope.document = Document(place, alone=envelope._alone)
        envelope.document.begin(bracket)
        envelope._reading = UNDECIDED
    else:
        envelope.frames, envelope._reading = [Frame(bracket)], TOKENS


def begin_arguments(envelope: Envelope, depth: int) -> None:
    """What follows are the open call's arguments, in a container that began at that depth."""
    envelope._reading, envelope._depth = ARGUMENTS, depth


def read_envelope(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    """Read on. The machine's payload has changed on return if the call was given up, or a limit was passed."""
    return _READS[envelope._reading](turn, envelope, text, i)


def _read_bracket(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    turn.region.keep(text[i])
    begin_frames(envelope, text[i], turn.base + i)
    return i + 1


def finish_envelope(turn: Turn, envelope: Envelope) -> bool:
    """The turn is over, and no call is open. False: what the region holds, as far as it came, is not a call."""
    if not turn.region.open:  # between two calls
        turn.leave(text_follows=False)
        return True
    if envelope.document is None or not envelope.document.is_plausible:
        return False
    _begin_again(turn, envelope, envelope.document)
    return True


def _read_undecided(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    assert envelope.document is not None
    j, is_calls = read_undecided(turn, envelope.scanner, envelope.document, text, i)
    if is_calls:
        _begin_again(turn, envelope, envelope.document)
    return j


def _begin_again(turn: Turn, envelope: Envelope, document: Document) -> None:
    read_as_calls(turn, document)
    envelope.scanner = JsonScanner(envelope.scanner.max_depth)
    envelope.document, envelope._reading = None, CERTAIN


def _read_certain(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    # The bracket of what was undecided, for the second time.
    turn.region.keep(text[i])
    envelope.scanner.step(text[i], 0)
    envelope.frames, envelope._reading = [Frame(text[i])], TOKENS
    return i + 1


def _read_arguments(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    scanner = envelope.scanner
    j = scanner.skim(text, i, envelope._depth)
    if j > i:
        turn.emit.delta(scanner.written(text, i, j), turn.base + i, after_comma=scanner.after_comma)
    if scanner.token == CLOSE:
        envelope._reading = TOKENS
        if not envelope.frames:  # the object itself is the arguments
            turn.end_call(turn.base + j)
    elif scanner.token == FAIL:
        _broken(turn, scanner, text, j)
    return j


def _read_held(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    scanner = envelope.scanner
    j = scanner.skim(text, i, envelope._depth)
    if turn.region.open:
        turn.region.keep(text[i:j])
    if envelope._purpose != FOR_NOTHING:
        envelope._value = grown(envelope._value, scanner.written(text, i, j))
    scanner.fixes.clear()
    if scanner.token == CLOSE:
        envelope._reading = TOKENS
        _held_whole(envelope)
    elif scanner.token == FAIL:
        _broken(turn, scanner, text, j)
    return j


def _held_whole(envelope: Envelope) -> None:
    if envelope._purpose == FOR_NOTHING:
        return
    frame = envelope.frames[-1]
    frame.arguments, frame.start = joined(envelope._value), envelope._value_start
    envelope._value = ()
    if envelope._purpose == FOR_ARGUMENTS:
        frame.held = AS_OBJECT
    elif envelope._purpose == FOR_OTHER_KEY:
        frame.other = frame.key
    else:
        frame.lone = frame.key


def _read_token(turn: Turn, envelope: Envelope, text: str, i: int) -> int:
    scanner = envelope.scanner
    j = scanner.step(text, i)
    scanner.fixes.clear()
    token = scanner.token
    if not turn.emit.open:
        _account(turn, envelope, text, i, j)
    if token == NEED:
        envelope._token = grown(envelope._token, text[i:j])
    elif token == FAIL:
        if not _is_next_call(turn, scanner, text[j]):
            _broken(turn, scanner, text, j)
    else:
        raw = joined(envelope._token) + text[i:j] if token in {KEY, STRING, SCALAR} else ""
        envelope._token = ()
        _TOKENS[token](turn, envelope, raw, turn.base + j)
    return j


_READS = (_read_bracket, _read_token, _read_held, _read_arguments, _read_undecided, _read_certain)


def _account(turn: Turn, envelope: Envelope, text: str, i: int, j: int) -> None:
    # No call is open: the text belongs to the region, or it parts two calls.
    token = envelope.scanner.token
    depth = len(envelope.scanner.stack)
    if turn.region.open:
        if token == CLOSE and depth < envelope.region_depth:
            # `…, "note": 1}` after a call: what the region holds is not a call, and the bracket is the envelope's own.
            turn.region.keep(text[i : j - 1])
            turn.content_region()
            turn.emit.markup(text[j - 1 : j], turn.base + j - 1)
        else:
            turn.region.keep(text[i:j])
        return
    begin = i
    while begin < j and text[begin] in SEPARATORS:
        begin += 1
    turn.emit.markup(text[i:begin], turn.base + i)
    if token == CLOSE:
        turn.emit.markup(text[begin:j], turn.base + begin)
    elif begin < j:
        turn.open_region(turn.base + begin, 1, bare=turn.region.bare)
        turn.region.keep(text[begin:j])
        envelope.region_depth = depth - 1 if token == OPEN else depth


def _is_next_call(turn: Turn, scanner: JsonScanner, char: str) -> bool:
    # A list of calls without commas: some templates, and so some models, write them.
    return char == "{" and not turn.emit.open and not turn.region.open and scanner.forgive_comma()


def _broken(turn: Turn, scanner: JsonScanner, text: str, j: int) -> None:
    if scanner.fault == "depth":
        turn.stop("depth", text[j], turn.base + j)
    elif turn.emit.open:
        turn.give_up(f"malformed arguments: {scanner.fault}", text[j], turn.base + j)


def _on_key(turn: Turn, envelope: Envelope, raw: str, place: int) -> None:
    frame = envelope.frames[-1]
    frame.key = _string(raw)
    frame.keys += 1
    if frame.lone:  # a tool's name as a key, and not the only one: a key like any other
        frame.note(frame.lone, is_container=True)
        frame.lone = ""
    if frame.name if frame.key in NAME_KEYS else frame.held if frame.key in ARGUMENT_KEYS else None:
        frame.repeated = frame.key, place - len(raw) + raw.index('"')
        if frame.called:
            _tell_repeated(turn, frame)


def _on_string(turn: Turn, envelope: Envelope, raw: str, place: int) -> None:
    frame = envelope.frames[-1]
    if frame.kind == "[":
        return
    if frame.key in NAME_KEYS and (frame.name is None or (frame.soft and not frame.called)):
        frame.soft = False
        frame.name = _string(raw)
        _name_read(turn, frame, frame.name, place)
    elif frame.key in KNOWN_NAME_KEYS and frame.name is None and turn.names.resolve(_string(raw)) is not None:
        frame.name, frame.soft = _string(raw), True
        if frame.held != MISSING and _open(turn, frame, frame.name):
            _give(turn, frame, place)
    elif frame.key in ID_KEYS and frame.id is None:
        frame.id = _string(raw)
        frame.note(frame.key)
        if frame.called:
            turn.emit.set_id(frame.id)
    elif frame.key in ARGUMENT_KEYS and frame.held == MISSING:
        frame.room = _room(envelope)
        _arguments_read(turn, frame, AS_STRING, _string(raw), place - len(raw) + raw.index('"'), place)
    elif frame.keys == 1 and not frame.called and turn.names.resolve(frame.key) is not None:
        found, _ = object_text(_string(raw), _room(envelope))
        if found is not None:
            frame.lone, frame.arguments, frame.start = frame.key, found, place - len(raw) + raw.index('"')
        frame.note(frame.key)
    else:
        frame.note(frame.key)


def _on_scalar(turn: Turn, envelope: Envelope, raw: str, place: int) -> None:
    frame = envelope.frames[-1]
    value = raw.lstrip(SEPARATORS + ":")
    if frame.kind != "{":
        return
    if frame.key in ARGUMENT_KEYS and frame.held == MISSING:
        _arguments_read(turn, frame, AS_NULL if value == "null" else WRONG, value, place - len(value), place)
    elif value != "null":
        frame.note(frame.key, is_container=frame.key in NAME_KEYS)


def _on_open(turn: Turn, envelope: Envelope, raw: str, place: int) -> None:
    del raw
    frame = envelope.frames[-1]
    bracket = envelope.scanner.stack[-1]
    if frame.kind == "{" and frame.key in ARGUMENT_KEYS and frame.held == MISSING:
        _arguments_open(turn, envelope, frame, bracket, place)
    elif _is_other(frame, bracket):
        frame.note(frame.key, is_container=True)
        _hold(envelope, FOR_OTHER_KEY, bracket, place)
        turn.allow_long_region()
    elif frame.called:
        frame.note(frame.key, is_container=True)
        _hold(envelope, FOR_NOTHING, bracket, place)
    elif bracket == "{" and frame.keys == 1 and turn.names.resolve(frame.key) is not None:
        _hold(envelope, FOR_LONE_KEY, bracket, place)
        turn.allow_long_region()
    else:
        if frame.kind == "{":
            frame.note(frame.key, is_container=True)
        inner = Frame(bracket)
        inner.id = frame.id  # {"id": "call_1", "function": {"name": …}}
        envelope.frames.append(inner)


def _is_other(frame: Frame, bracket: str) -> bool:
    # Whether the object that begins may be the arguments, under a key that is not theirs.
    if frame.kind != "{" or bracket != "{" or frame.name is None or frame.held != MISSING or frame.others:
        return False
    return frame.called or (frame.key not in HOLDER_KEYS and not frame.soft)


def _arguments_open(turn: Turn, envelope: Envelope, frame: Frame, bracket: str, place: int) -> None:
    if bracket == "[":
        _arguments_read(turn, frame, WRONG, bracket, place - 1, place)
        _hold(envelope, FOR_NOTHING, bracket, place)
        return
    if not frame.called and frame.name is not None:
        _open(turn, frame, frame.name)  # an unregistered name counts beside an arguments key
        if not turn.reading_call:
            return  # a limit was passed
    if frame.called:
        frame.held = AS_OBJECT
        begin_arguments(envelope, len(envelope.scanner.stack) - 1)
        turn.emit.delta("{", place - 1)
    else:
        _hold(envelope, FOR_ARGUMENTS, bracket, place)
        turn.allow_long_region()


def _hold(envelope: Envelope, purpose: int, bracket: str, place: int) -> None:
    envelope._reading, envelope._purpose = HOLDING, purpose
    envelope._depth = len(envelope.scanner.stack) - 1
    envelope._value, envelope._value_start = ((), bracket), place - 1


def _on_close(turn: Turn, envelope: Envelope, raw: str, place: int) -> None:
    del raw
    frame = envelope.frames.pop()
    if not frame.called and frame.lacks_only_arguments and turn.region.open and frame.name is not None:
        _open(turn, frame, frame.name)
    if frame.called:
        if turn.reading_call:
            _tell_left_out(turn, envelope.frames)
            _end_call(turn, frame, place, bare=envelope.bare)
    elif frame.lone and frame.keys == 1 and turn.region.open:
        name = turn.names.resolve(frame.lone)
        if name is not None and turn.takes(name) and turn.begin_call(name, frame.id, may_get_id=False):
            turn.emit.delta(frame.arguments, frame.start)
            turn.end_call(place)
    elif turn.region.open and envelope.frames and len(envelope.scanner.stack) == envelope.region_depth:
        turn.content_region()


def _tell_left_out(turn: Turn, around: list[Frame]) -> None:
    # What is written in the objects around a call is not a part of it. Each key is told once.
    left_out: list[str] = []
    for frame in around:
        if frame.kind == "{" and not frame.called:
            left_out += (key for key in frame.others if key != frame.key)  # under its key is the call
            frame.others = ()
    if left_out:
        turn.emit.problem(data.LEFT_OUT, ", ".join(left_out), turn.emit.start)


def _end_call(turn: Turn, frame: Frame, place: int, *, bare: bool) -> None:
    """The object of the open call has closed: see data.py."""
    schema = turn.names.schema(turn.emit.name)
    others = [*frame.others, *(key for key in frame.beside if frame.held == MISSING and data.declares(schema, key))]
    if frame.held != MISSING and others:
        turn.emit.problem(data.LEFT_OUT, ", ".join(others), turn.emit.start)
    elif frame.other and others == [frame.other]:
        turn.emit.delta(frame.arguments, frame.start)
    elif others:
        turn.end_malformed(data.MISPLACED, ", ".join(others), place)
        return
    fault = data.fault_of_text(turn.emit.arguments(), schema, bare=bare)
    if fault:
        turn.end_malformed(f"malformed call: {fault}", turn.emit.name, place)
    else:
        turn.end_call(place)


def _tell_repeated(turn: Turn, frame: Frame) -> None:
    # The first one counts: what it held is out already, and cannot be taken back.
    if frame.repeated is not None:
        turn.emit.problem("repeated key of a call", *frame.repeated)


_TOKENS = {KEY: _on_key, STRING: _on_string, SCALAR: _on_scalar, OPEN: _on_open, CLOSE: _on_close}


def _name_read(turn: Turn, frame: Frame, name: str, here: int) -> None:
    # An unregistered name counts only beside an arguments key, which may still come.
    if (frame.held != MISSING or turn.names.resolve(name) is not None) and _open(turn, frame, name):
        _give(turn, frame, here)


def _open(turn: Turn, frame: Frame, name: str) -> bool:
    known = turn.names.resolve(name)
    if not turn.takes(name) or (known is None and holds_markup(name)):
        return False
    frame.called = turn.begin_call(name if known is None else known, frame.id, may_get_id=True)
    if frame.called:
        _tell_repeated(turn, frame)
    return frame.called


def _arguments_read(turn: Turn, frame: Frame, held: int, value: str, place: int, here: int) -> None:
    frame.held, frame.arguments, frame.start = held, value, place
    if frame.called or (frame.name is not None and _open(turn, frame, frame.name)):
        _give(turn, frame, here)


def _give(turn: Turn, frame: Frame, here: int) -> None:
    # The open call gets the arguments that came before its name, or in one piece; `here` is behind what was read.
    text, frame.arguments = frame.arguments, ""
    if frame.held == AS_OBJECT:
        turn.emit.delta(text, frame.start)
    elif frame.held == AS_STRING and text.strip() not in {"", "null"}:
        found, fault = object_text(text, frame.room)
        if fault == "depth":
            turn.stop("depth", text, here)
        elif found is None:
            turn.give_up("malformed arguments: a string that is not a JSON object", text, frame.start)
        else:
            turn.emit.delta(found, frame.start)
    elif frame.held == WRONG:
        turn.give_up("malformed arguments: an object was expected", text, frame.start)


def _string(raw: str) -> str:
    text = raw[raw.index('"') + 1 : -1]
    if text.isascii() and "\\" not in text:  # nearly always: names, keys and ids are plain
        return text
    found: str = decode(f'"{text}"')[0]
    return found


def _room(envelope: Envelope) -> int:
    return envelope.scanner.max_depth - len(envelope.scanner.stack)
