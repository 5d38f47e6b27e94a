# What all scanners share: their state, the loop over it, and what JSON and the dialects read in the same way.
# Does not depend on any dialect, or on what becomes of the values.
#
# A scanner is the number of a state and a stack of open containers. A state is named for what has been read; its method
# reads on from a position and returns the position that it reached. What it cannot decide yet it keeps in its slots,
# never in local variables: then the result does not depend on where the text was cut. All slots are plain (strings,
# numbers, tuples, ropes), so a scanner can be copied and pickled at every moment.
#
# States are plain numbers: as members of an `IntEnum`, they would make a step 6 % slower. Some of them skip white space
# first, in the loop. `loop` and `Scanner.number` make methods from the tables of a class, because tables in a closure
# are found faster than attributes. `JsonScanner.skim` and `JsonTokens.read_token` repeat the loop: calling it for each
# token would cost more than 2 %.
"""The core of all scanners."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar

from toolglean.scan.plain import Plain, Rope, grown, joined
from toolglean.scan.text import passing, possessive, space

__all__ = [
    "CLOSE", "DONE", "DOUBT", "FAIL", "HEX_DIGITS", "KEY", "MAX_DIGITS", "NEED", "NUMBER", "NUMBER_START", "OPEN",
    "OTHER", "SCALAR", "SHORT", "STRING", "Scanner", "Token", "is_finite", "is_json_number", "loop",
    "number_of", "numbers", "whole_number",
]  # fmt: skip


class Token(IntEnum):
    """What a scanner has just read."""

    NEED = 0  # nothing whole yet: the text ran out, and nothing is wrong so far
    KEY = 1  # a key, with its closing quote
    STRING = 2  # a string value, with its closing quote
    SCALAR = 3  # a number, true, false or null; the position is after its last character
    OPEN = 4  # { or [
    CLOSE = 5  # } or ]
    FAIL = 6  # the character at the position is not allowed there; `fault` says what was expected
    DONE = 7  # of a reader: the whole value; the position is after its last character
    DOUBT = 8  # of a reader: the value at the position may lack its quote markers; `undo_refusal` accepts it as it is


NEED, KEY, STRING, SCALAR, OPEN, CLOSE, FAIL, DONE, DOUBT = Token

HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
ESCAPES = frozenset('"\\/bfnrtu')  # what may follow the backslash of an escape in JSON
MAX_DIGITS = 4300  # Python's own limit for integers
MAX_OTHER = 3500  # of a number in base 16, 8 or 2: fewer than 4,300 decimal digits

# The grammar of a number in JSON: what has been read, and what may follow. Phases of ENDS may end a number, in all
# dialects; those of FLOATS end one with a fraction or a power, those of OTHER one in another base.
_DIGIT = "0123456789"
NUMBER: dict[str, dict[str, str]] = {
    "-": {"0": "Z"} | dict.fromkeys("123456789", "I"),
    "Z": {".": ".", "e": "e", "E": "e"},
    "I": {".": ".", "e": "e", "E": "e"} | dict.fromkeys(_DIGIT, "I"),
    ".": dict.fromkeys(_DIGIT, "F"),
    "F": {"e": "e", "E": "e"} | dict.fromkeys(_DIGIT, "F"),
    "e": {"+": "s", "-": "s"} | dict.fromkeys(_DIGIT, "P"),
    "s": dict.fromkeys(_DIGIT, "P"),
    "P": dict.fromkeys(_DIGIT, "P"),
}
NUMBER_START = {"-": "-", "0": "Z"} | dict.fromkeys("123456789", "I")
ENDS = frozenset("ZIDFPHOB")
FLOATS = frozenset("DFP")
OTHER = frozenset("HOB")
_SIGNS = frozenset("+-")

# Numbers that are neither too long nor too large, so that nothing but their spelling must be looked at. Others are read
# by the character, and so are all in a text that is SHORT: to try these first would take longer.
_NUMBER = r"-?(?:0|[1-9][0-9]{0,99}+)(?:\.[0-9]{1,200}+)?(?:[eE][+-]?[0-9]{1,2}+)?"
whole_number = re.compile(rf"{_NUMBER}(?=[,\]}} \t\n\r])").match
"""Matches a number whose end is shown by the character after it."""
numbers = passing(possessive(rf"{_NUMBER}[ \t\n\r]*+,[ \t\n\r]*+"))
"""Passes over the numbers of a list, up to the last one that a comma follows."""
SHORT = 16

is_json_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch


_digit_of_value = re.compile("[-+0.]*[1-9]").match


def is_finite(number: str) -> bool:
    """Whether a float can contain that number: it is not too large, nor so small that only zero would be left."""
    found = float(number)
    return math.isfinite(found) and (found != 0 or not _digit_of_value(number))


def number_of(text: str) -> int | float | None:
    """The value of a number as JSON writes it; None if it is too long, or no float can contain it."""
    if len(text) > MAX_DIGITS:
        return None
    if text.lstrip("-").isdigit():
        return int(text)
    return float(text) if is_finite(text) else None


State = Callable[[Any, str, int], int]
"""The method of a state: it reads on from a position, and returns the position reached."""


def loop(states: Sequence[State], spaced: int, skip: Callable[[str, int], re.Match[str]] = space) -> State:
    """Make the method `advance` of a class of scanners.

    Args:
        states: the method of each state, by its number.
        spaced: the states below this number skip white space first.
        skip: passes over white space.
    """
    by_number = tuple(states)

    def advance(self: Scanner, text: str, pos: int) -> int:
        end = len(text)
        while pos < end and not self.token:
            state = self.state
            if state < spaced and text[pos] <= " " and (pos := skip(text, pos).end()) == end:
                break
            pos = by_number[state](self, text, pos)
        return pos

    return advance


class Scanner(Plain):
    """Reads one value, in pieces cut anywhere.

    Attributes:
        state: the number of the state.
        stack: the open containers, one character each; its length is the depth.
        max_depth: how many containers may be open.
        token: what was read last.
        fault: after FAIL, what was expected; "depth" if the depth limit was passed.
        held: short text that is not whole yet: a number, a word, an escape, the beginning of a marker.
        phase: of a number, how much of it was read, see NUMBER.
        collected: long text that is not whole yet.
    """

    __slots__ = ("collected", "fault", "held", "max_depth", "phase", "stack", "state", "token")
    ropes = frozenset({"collected"})

    closers: ClassVar[Mapping[str, str]] = {}
    """What closes each kind of container."""

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth
        self.stack = ""
        self.state = 0
        self.token = NEED
        self.fault = ""
        self.held = ""
        self.phase = ""
        self.collected: Rope = ()

    def advance(self, text: str, pos: int, /) -> int:
        """Read on until there is a token, or the text runs out. Made by `loop`. Returns the position reached."""
        raise NotImplementedError

    def fail(self, fault: str, pos: int) -> int:
        """Refuse the character at `pos`."""
        self.token, self.fault = FAIL, fault
        return pos

    def undo_refusal(self) -> bool:
        """After FAIL or DOUBT: go back before that character, to read on with another text, or without the doubt.

        Returns:
            False: nothing was refused, or the depth limit was passed, and nothing can follow.
        """
        if self.token not in {FAIL, DOUBT} or self.fault == "depth":
            return False
        self.token, self.fault = NEED, ""
        return True

    def brackets(self) -> str:
        """What closes the open containers, innermost first."""
        return "".join(self.closers[each] for each in reversed(self.stack))

    def push(self, kind: str, state: int, pos: int) -> int:
        """Open a container of that kind, whose bracket is at `pos`, and go on in that state."""
        if len(self.stack) >= self.max_depth:
            return self.fail("depth", pos)
        self.stack += kind
        self.state = state
        return pos + 1

    def collect(self, text: str) -> None:
        """Keep a piece of long text."""
        self.collected = grown(self.collected, text)

    def take_collected(self) -> str:
        """The long text, which is not kept any more."""
        found, self.collected = joined(self.collected), ()
        return found

    @staticmethod
    def number(grammar: Mapping[str, Mapping[str, str]]) -> State:
        """Make the method of the state inside a number, by its grammar."""

        # By the character, because numbers are short, and a fault is reported at its own place.
        def read_number(self: Scanner, text: str, pos: int) -> int:
            held, phase, begin, size = self.held, self.phase, pos, len(text)
            room = pos + MAX_OTHER - len(held) + (held[:1] in _SIGNS)  # Python counts no sign either
            while pos < size and (following := grammar[phase].get(text[pos])) is not None:
                if pos >= room and (pos - room >= MAX_DIGITS - MAX_OTHER or following[-1] in OTHER):
                    break
                phase = following
                pos += 1
            else:
                following = None
            if pos > begin:
                self.phase, self.held = phase, held + text[begin:pos]
            if following is not None:
                return self.fail("a number of at most 4,300 digits was expected", pos)
            return pos if pos == size else self._end_number(pos)

        return read_number

    def _end_number(self, pos: int) -> int:
        # The character at `pos` is not part of the number in `held`.
        if self.phase not in ENDS:
            return self.fail("a digit was expected", pos)
        if self.phase in FLOATS and not is_finite(self.held):
            return self.fail(f"a number that a float can contain was expected, not {self.held[:40]}", pos)
        self.end_number()
        return pos

    def end_number(self) -> None:
        """The number in `held` is whole."""
        raise NotImplementedError

    def read_escape(self, text: str, pos: int) -> int:
        """A state: after the backslash in a JSON string, with `held` "" at first."""
        held, char = self.held, text[pos]
        if char not in (HEX_DIGITS if held else ESCAPES):
            return self.fail("four hexadecimal digits were expected" if held else "an escape was expected", pos)
        held += char
        if held[0] == "u" and len(held) < len("u0000"):
            self.held = held
        else:
            self.held = ""
            self.end_escape("\\" + held)
        return pos + 1

    def end_escape(self, escape: str) -> None:
        """That escape is whole."""
        raise NotImplementedError
