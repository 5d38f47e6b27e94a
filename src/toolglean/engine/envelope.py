# How calls are written in JSON: an object with a name key, an object whose only key is a tool's name, and both nested
# in lists and objects. Does not depend on what comes before and after the JSON.
#
# The envelope is read token by token, with a `Frame` for each open container, which shows when a call begins. From then
# on its arguments are passed on as they are written, without looking inside. Arguments that come before the name are
# kept until the name comes. Text inside arguments is never searched for calls.
#
# JSON that no marker opened is first read by a `Document`, which distinguishes calls from data. Until then, nothing is
# reported. Calls are then read again from the first bracket, and data is skipped (passing.py).
"""Calls in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

from toolglean.engine.document import CALLS, DATA, Document
from toolglean.engine.frame import AS_OBJECT, WRONGLY, Frame
from toolglean.engine.passing import pass_over
from toolglean.engine.reasons import IGNORED_KEYS, malformed_arguments
from toolglean.engine.repair.suspended import Refusal
from toolglean.scan.json import COMMA, END, IN_STRINGS, leaves_string
from toolglean.scan.names import ARGUMENT_KEYS, HOLDER_KEYS, are_beside
from toolglean.scan.plain import Plain
from toolglean.scan.reader import string_text
from toolglean.scan.scanner import CLOSE, FAIL, KEY, NEED, OPEN, SCALAR, STRING
from toolglean.scan.tokens import JsonTokens, token_text

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops, Turn

__all__ = ["READERS", "Envelope"]

SEPARATORS = " \t\r\n,"
IN_JSON_STRING: Stops = leaves_string, None


COMMON: Mapping[str, str] = {}  # of a format without keys of its own


class Reading(IntEnum):
    """What the envelope is reading."""

    BRACKET = 0  # nothing yet: its first bracket follows
    TOKENS = 1  # its own keys and brackets
    ARGUMENTS = 2  # the arguments of the open call
    UNDECIDED = 3  # JSON without a marker, which may be calls or data
    FIRST_KEY = 4  # an object after a tool's name: its first key tells whether it is the arguments
    # A value that is kept, or skipped, until its meaning is known:
    BESIDE = 5  # next to the name and the arguments of a call
    EARLY = 6  # under an arguments key, before the name
    UNDER_TOOL = 7  # under the only key so far, which is a tool's name
    UNDER_OTHER = 8  # under another key, next to the name of a call that has no arguments yet


BRACKET, TOKENS, ARGUMENTS, UNDECIDED, FIRST_KEY, BESIDE, EARLY, UNDER_TOOL, UNDER_OTHER = Reading
_KEPT = frozenset({EARLY, UNDER_TOOL, UNDER_OTHER})


class Envelope(Plain):
    """The state of reading one JSON value. It is complete when `scanner.state` is END, and broken when its token is
    FAIL.

    Attributes:
        scanner: where it is in the JSON.
        bare: whether no marker shows that calls are meant.
        by_tag: whether only a tag is known: then text may follow JSON at once, and calls may be under any key.
        document: in that case, what reads it first, until it is clear that it is calls.
        reading: what is being read.
        frames: the open containers, the innermost last. None are open if the value itself is the arguments of a call.
        region_depth: the depth at which the machine's region began.
        leaves_open: whether a call that is the whole JSON is left open: what follows it decides.
        renamed: keys of the format's own, with the common key that each one means.
    """

    __slots__ = (
        *("bare", "by_tag", "document", "frames", "leaves_open", "reading", "region_depth", "renamed", "scanner"),
    )
    owned = ("document", "frames", "scanner")

    def __init__(
        self,
        max_depth: int,
        *,
        bare: bool = False,
        by_tag: bool = False,
        leaves_open: bool = False,
        renamed: Mapping[str, str] = COMMON,
        ends: tuple[str, ...] = (),
    ) -> None:
        self.scanner = JsonTokens(max_depth)
        self.leaves_open = leaves_open
        self.bare, self.by_tag = bare, by_tag
        self.renamed = renamed
        self.document = Document(alone=not by_tag, renamed=renamed, ends=ends) if bare else None
        self.frames: list[Frame] = []
        self.region_depth = 0
        self.reading = BRACKET

    def stops(self) -> Stops | None:
        """See `Payload`: inside a string of the open call's arguments."""
        return IN_JSON_STRING if self.reading is ARGUMENTS and self.scanner.state in IN_STRINGS else None

    @property
    def in_arguments(self) -> bool:
        """Whether arguments of a call that is not certain yet are being read, or wait for its name."""
        if self.document is not None:
            return self.document.has_arguments
        return self.reading in _KEPT or any(frame.arguments and not frame.called for frame in self.frames)

    @property
    def has_ended(self) -> bool:
        """Whether the JSON is complete, and it is clear what it is."""
        return self.scanner.state == END and self.document is None

    @property
    def has_arguments(self) -> bool:
        """Whether a call has begun, and the object of its arguments has closed."""
        return self.reading is TOKENS and any(frame.called and frame.written is AS_OBJECT for frame in self.frames)

    @property
    def last_read(self) -> str:
        """The last token, if it can be taken back: a comma, or a key of the call itself."""
        is_own = self.reading is TOKENS
        if self.scanner.after_comma:  # after a lone name, arguments were to follow
            return "" if is_own and self.frames and self.frames[-1].awaits_arguments else ","
        if not is_own or self.scanner.due != "colon":
            return ""
        key = self.frames[-1].key
        return string_text(next((own for own, common in self.renamed.items() if common == key), key))

    def refusal(self, char: str, *, lags: bool) -> Refusal:
        """See `Payload`. `lags`: whether the last comma of the arguments has not been emitted yet."""
        if self.bare:
            return Refusal(char)
        passes_on, scanner = self.reading is ARGUMENTS, self.scanner
        inner = (passes_on or self.reading in _KEPT) and len(scanner.stack) > scanner.value_depth + 1
        return Refusal(char, scanner.due, "" if passes_on and not lags else self.last_read, inner=inner)

    def expect_key(self) -> None:
        """A key of the object must follow."""
        self.scanner.expect_key()

    def take_back(self) -> None:
        """Go back before the last token: see `last_read`."""
        if self.scanner.due == "colon":
            self.frames[-1].forget_key()
        elif self.reading in _KEPT:
            self.scanner.shorten_value(SEPARATORS)
        self.scanner.take_back()

    def begin(self, bracket: str, place: int) -> None:
        """The JSON begins with that bracket, which has been read, at that place of the turn."""
        self.scanner.step(bracket, 0)
        if self.document is not None:
            self.document.begin(place)
            self.reading = UNDECIDED
        else:
            self.frames, self.reading = [Frame()], TOKENS

    def begin_after_name(self, name: str) -> None:
        """The brace of an object after a tool's name has been read: the object is the arguments, or has them under a
        key.
        """
        self.scanner.step("{", 0)
        self.scanner.begin_value()
        self.frames, self.reading = [Frame(name=name)], FIRST_KEY

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on. On return, the machine's payload has changed if the call was given up, or a limit was exceeded."""
        return READERS[self.reading](self, turn, text, i)

    def finish(self, turn: Turn) -> bool:
        """The turn is over, and no call is open. False: what the region contains is not a call."""
        if not turn.region.open:  # between two calls
            turn.leave(text_follows=False)
            return True
        if self.document is None or not self.document.is_plausible:
            return False
        self._read_again(turn, self.document)
        return True

    # -- calls or data -------------------------------------------------------------------------------------------------

    def _read_bracket(self, turn: Turn, text: str, i: int) -> int:
        turn.region.keep(text[i])
        self.begin(text[i], turn.tape.base + i)
        return i + 1

    def _read_undecided(self, turn: Turn, text: str, i: int) -> int:
        document, scanner = self.document, self.scanner
        assert document is not None
        j = document.read(scanner, turn.names, text, i)
        turn.region.keep(text[i:j])
        if document.is_long:
            turn.allow_long_region()
        if document.verdict is DATA:
            pass_over(turn, scanner, document)
        elif document.verdict is CALLS or (scanner.token is FAIL and document.is_plausible):
            self._read_again(turn, document)  # a call in which the JSON is broken is one too: it ends `malformed`
        return j

    def _read_again(self, turn: Turn, document: Document) -> None:
        # These are calls: they are read again from the first bracket on.
        written = turn.region.text[document.start - turn.region.start :]
        turn.region.shorten(len(written))
        turn.tape.read_instead(written, document.start)
        self.scanner = JsonTokens(self.scanner.max_depth)
        self.document, self.reading = None, BRACKET

    # -- arguments, and values that are kept ---------------------------------------------------------------------------

    def _read_first_key(self, turn: Turn, text: str, i: int) -> int:
        scanner, name = self.scanner, self.frames[0].name or ""
        j = scanner.read_in_value(text, i)
        turn.region.keep(text[i:j])
        if scanner.token in {NEED, FAIL}:
            return j
        held = scanner.take_collected()
        key = held[held.index('"') + 1 : -1] if scanner.token is KEY else ""
        if key in {"arguments", "parameters"} and not turn.names.has_parameter(name, key):
            if self.frames[0].begin_under(turn, key):
                self.reading = TOKENS
        elif turn.begin_call(name, None, may_get_id=False):
            turn.expect_json()
            turn.emit.delta(held, turn.tape.base + j - len(held))
            self.frames, self.reading = [], ARGUMENTS
            if scanner.token is CLOSE:
                turn.end_call(turn.tape.base + j)
        return j

    def _read_arguments(self, turn: Turn, text: str, i: int) -> int:
        scanner = self.scanner
        j = scanner.skim(text, i, scanner.value_depth)
        if j > i:
            piece = scanner.written(text, i, j) if scanner.fixes else text[i:j]
            after_comma = scanner.state <= COMMA and scanner.after_comma
            turn.emit.delta(piece, turn.tape.base + i, after_comma=after_comma)
        if scanner.token is CLOSE:
            self.reading = TOKENS
            if not self.frames:  # the object itself is the arguments
                turn.end_call(turn.tape.base + j)
        elif scanner.token is FAIL:
            _broken(turn, scanner, text, j)
        return j

    def _read_kept(self, turn: Turn, text: str, i: int) -> int:
        scanner, kept = self.scanner, self.reading is not BESIDE
        j = scanner.read_value(text, i) if kept else scanner.skim(text, i, scanner.value_depth)
        scanner.fixes.clear()
        if turn.region.open:
            turn.region.keep(text[i:j])
        if scanner.token is CLOSE:
            if kept:
                self.frames[-1].end_value(scanner.take_collected(), is_arguments=self.reading is EARLY)
            self.reading = TOKENS
        elif scanner.token is FAIL:
            _broken(turn, scanner, text, j)
        return j

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _read_token(self, turn: Turn, text: str, i: int) -> int:
        scanner = self.scanner
        j, raw = scanner.read_token(text, i)
        token = scanner.token
        if not turn.emit.open:
            self._account(turn, text, i, j)
        if token is FAIL:
            # A list of calls without commas: some templates, and so some models, write such lists.
            goes_on = text[j] == "{" and not turn.emit.open and not turn.region.open and scanner.forgive_comma()
            if not goes_on:
                _broken(turn, scanner, text, j)
        elif token is not NEED:
            _TOKENS[token](self, turn, raw, turn.tape.base + j)
        return j

    def _account(self, turn: Turn, text: str, i: int, j: int) -> None:
        # No call is open: the text belongs to the region, or is between two calls.
        token, depth = self.scanner.token, len(self.scanner.stack)
        if turn.region.open:
            if token is CLOSE and depth < self.region_depth:
                # `…, "note": 1}` after a call: what is in the region is not a call; the bracket belongs to the
                # envelope.
                turn.region.keep(text[i : j - 1])
                if left_out := [key for key in self.frames[-1].others if key not in HOLDER_KEYS]:
                    turn.emit.problem(IGNORED_KEYS, ", ".join(left_out), turn.region.start)
                if are_beside(turn.region.text):
                    turn.emit.markup(*turn.take_region())
                else:
                    turn.content_region()
                turn.emit.markup(text[j - 1 : j], turn.tape.base + j - 1)
            else:
                turn.region.keep(text[i:j])
            return
        begin = j - len(text[i:j].lstrip(SEPARATORS))
        turn.emit.markup(text[i:begin], turn.tape.base + i)
        turn.pass_space(text[i:begin].replace(",", ""))  # a list that has no end goes on as text
        if token is CLOSE:
            turn.emit.markup(text[begin:j], turn.tape.base + begin)
        elif begin < j:
            turn.open_region(turn.tape.base + begin, 1, bare=turn.region.bare)
            turn.region.keep(text[begin:j])
            self.region_depth = depth - 1 if token is OPEN else depth

    def _on_key(self, turn: Turn, raw: str, place: int) -> None:
        frame, key = self.frames[-1], token_text(raw)
        if "\n" in raw.strip():  # no key has a line break: what the string has swallowed may end the turn
            turn.judge.skipped(raw, place - len(raw))
        if frame.read_key(self.renamed.get(key, key)):
            frame.repeat_key(turn, place - len(raw) + raw.index('"'))

    def _on_string(self, turn: Turn, raw: str, place: int) -> None:
        frame, scanner = self.frames[-1], self.scanner
        if frame.keys:
            room = scanner.max_depth - len(scanner.stack)
            frame.read_string(turn, token_text(raw), place - len(raw) + raw.index('"'), place, room)
        else:
            frame.note("")

    def _on_scalar(self, turn: Turn, raw: str, place: int) -> None:
        frame = self.frames[-1]
        if frame.keys:
            frame.read_scalar(turn, raw.lstrip(SEPARATORS + ":"), place)
        else:
            frame.note("")

    def _on_open(self, turn: Turn, raw: str, place: int) -> None:
        frame = self.frames[-1]
        bracket = self.scanner.stack[-1]
        if frame.keys and frame.key in ARGUMENT_KEYS and not frame.has_arguments:
            self._arguments_open(turn, frame, bracket, place)
        elif frame.may_be_arguments(bracket):
            frame.note(frame.key, is_container=True)
            self._keep(turn, UNDER_OTHER, place)
        elif bracket == "{" and frame.keys == 1 and turn.names.resolve(frame.key) is not None and not frame.called:
            self._keep(turn, UNDER_TOOL, place)
        else:
            holds = frame.may_hold_calls(any_key=self.by_tag)
            if frame.keys:
                frame.note(frame.key, is_container=True)
            if holds:
                self.frames.append(Frame(call_id=frame.id))  # {"id": "call_1", "function": {"name": …}}
            else:
                if self.region_depth:  # a call came before
                    turn.emit.problem(IGNORED_KEYS, frame.key or bracket, place - 1)
                self._pass_value(BESIDE)

    def _arguments_open(self, turn: Turn, frame: Frame, bracket: str, place: int) -> None:
        if bracket == "[":
            frame.read_arguments(turn, WRONGLY, bracket, place - 1, place, 0)
            self._pass_value(BESIDE)
        elif frame.begin_arguments(turn):
            self._pass_value(ARGUMENTS)
            turn.emit.delta("{", place - 1)
        elif turn.reading_call:  # else a limit was passed
            self._keep(turn, EARLY, place)

    def _keep(self, turn: Turn, reading: Reading, place: int) -> None:
        self.reading = reading
        self.scanner.begin_value()
        self.frames[-1].begin_value(place - 1)
        turn.allow_long_region()

    def _pass_value(self, reading: Reading) -> None:
        self.reading = reading
        self.scanner.begin_value(collect=False)

    def _on_close(self, turn: Turn, raw: str, place: int) -> None:
        frame = self.frames.pop()
        ends = not (self.leaves_open and self.scanner.state == END)
        if frame.close(turn, place, self.frames, bare=self.bare, ends=ends):
            return
        if turn.region.open and self.frames and len(self.scanner.stack) == self.region_depth:
            turn.content_region()
        elif turn.region.open and self.frames and not frame.holds:
            self.frames[-1].refuse(turn.region.text, turn.region.start)


READERS = (
    Envelope._read_bracket, Envelope._read_token, Envelope._read_arguments, Envelope._read_undecided,
    Envelope._read_first_key, Envelope._read_kept, Envelope._read_kept, Envelope._read_kept, Envelope._read_kept,
)  # fmt: skip

_TOKENS = {
    KEY: Envelope._on_key,
    STRING: Envelope._on_string,
    SCALAR: Envelope._on_scalar,
    OPEN: Envelope._on_open,
    CLOSE: Envelope._on_close,
}


def _broken(turn: Turn, scanner: JsonTokens, text: str, j: int) -> None:
    if scanner.fault == "depth":
        turn.stop("depth", text[j], turn.tape.base + j)
    elif turn.emit.open:
        turn.give_up(malformed_arguments(scanner.fault), text[j], turn.tape.base + j)
