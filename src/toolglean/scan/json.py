# What this file knows: JSON, read in pieces cut anywhere, each character once, and refused at the exact character.
# Does not depend on what the values mean, or on what becomes of them.
#
# A scanner is a stack of open containers and the number of a state. A state is named for what has been read; its
# method reads on from there and returns the position that it reached. `step` returns after each token, `skim` after
# the whole value. Nothing is decoded here: `decode` does that once, in C, when a value is whole.
# States are plain numbers: as members of an `IntEnum`, they would make a step 6 % slower.
#
# Departures from RFC 8259, and why:
# - raw line breaks and other control characters in strings are accepted, as models write them; they are passed on as
#   escapes (`JsonScanner.written`)
# - a number that no float can hold (1e400) is refused, as is an integer of more than 4,300 digits (Python's own limit)
# - depth is limited, so that no stack overflows later
"""An incremental, validating JSON scanner."""

from __future__ import annotations

import math
import re
from enum import IntEnum
from typing import Any

from toolglean.scan.plain import Plain
from toolglean.scan.text import passing, space

__all__ = [
    "CLOSE", "FAIL", "KEY", "NEED", "OPEN", "SCALAR", "STATES", "STRING", "JsonScanner", "Token", "decode", "escaped",
]  # fmt: skip


class Token(IntEnum):
    """What `step` has just read."""

    NEED = 0  # nothing whole yet: the text ran out
    KEY = 1  # a key, with its closing quote
    STRING = 2  # a string value, with its closing quote
    SCALAR = 3  # a number, true, false or null; the position is after its last character
    OPEN = 4  # { or [
    CLOSE = 5  # } or ]
    FAIL = 6  # the character at the position is not allowed there; `fault` says why


NEED, KEY, STRING, SCALAR, OPEN, CLOSE, FAIL = Token

# States, named for what has been read.
START = 0  # nothing: a value follows
LIST = 1  # `[`: a value or `]`
OBJECT = 2  # `{`: a key or `}`
COMMA = 3  # `{"a": 1,`: a key
NAMED = 4  # `{"a"`: a colon
VALUE = 5  # `{"a": 1`: a comma or the end of the container
IN_KEY = 6  # `{"a`
IN_STRING = 7  # `{"a": "b`
ESCAPE = 8  # `"b\`
HEX = 9  # `"b\u00`
NUMBER = 10  # `-1.`
LITERAL = 11  # `tru`
END = 12  # the outermost value

IN_STRINGS = frozenset({IN_KEY, IN_STRING})

HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
ESCAPES = frozenset('"\\/bfnrtu')  # what may follow the backslash of an escape
MAX_DIGITS = 4300  # Python's own limit for integers
_INSIDE = frozenset({KEY, OPEN})  # tokens after which a value goes on

_ESCAPE = r"""(?:["\\/bfnrt]|u[0-9a-fA-F]{4})"""
_INSIDE_STRING = rf"""(?:[^"\\\x00-\x1f]++|\\{_ESCAPE})*+(\\)?\Z"""  # at the end, an escape may have begun
leaves_string = re.compile(rf"""(?:[^"\\\x00-\x1f]++|\\{_ESCAPE})*+[\s\S]""").match
"""Inside a string: finds something if the text does not go on to its end, with each escape whole."""

_inside_string = re.compile(_INSIDE_STRING).match
_inside_escape = re.compile(_ESCAPE + _INSIDE_STRING).match

_body = passing(r'[^"\\\x00-\x1f]*')
_CONTROL = {code: f"\\u{code:04x}" for code in range(32)} | {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
_CLOSERS = str.maketrans("{[", "}]")
_LITERALS = {"t": "rue", "f": "alse", "n": "ull"}

# The grammar of a number: what has been read, and what may follow. Upper case may end the number.
_DIGIT = "0123456789"
_NUMBER: dict[str, dict[str, str]] = {
    "-": {"0": "Z"} | dict.fromkeys("123456789", "I"),
    "Z": {".": ".", "e": "e", "E": "e"},
    "I": {".": ".", "e": "e", "E": "e"} | dict.fromkeys(_DIGIT, "I"),
    ".": dict.fromkeys(_DIGIT, "F"),
    "F": {"e": "e", "E": "e"} | dict.fromkeys(_DIGIT, "F"),
    "e": {"+": "s", "-": "s"} | dict.fromkeys(_DIGIT, "X"),
    "s": dict.fromkeys(_DIGIT, "X"),
    "X": dict.fromkeys(_DIGIT, "X"),
}
_NUMBER_START = {"-": "-", "0": "Z"} | dict.fromkeys("123456789", "I")


class JsonScanner(Plain):
    """Reads one JSON value, in pieces.

    Attributes:
        stack: the open containers, one character each; its length is the depth.
        token: what the last `step` or `skim` has read.
        fault: after FAIL, what was expected; "depth" where the depth limit was passed.
        fixes: positions, in the text last given, of raw control characters inside strings.
    """

    __slots__ = ("_back", "_partial", "_phase", "fault", "fixes", "max_depth", "stack", "state", "token")
    owned = ("fixes",)

    def __init__(self, max_depth: int = 256) -> None:
        self.max_depth = max_depth
        self.stack = ""
        self.state = START
        self.token = NEED
        self.fault = ""
        self.fixes: list[int] = []
        self._back = IN_STRING  # the string state to which an escape returns
        self._partial = ""  # a number so far; what a literal still lacks; a dot for each missing hex digit
        self._phase = ""  # of a number: see _NUMBER

    @property
    def in_string(self) -> bool:
        """Whether the text is inside a string, and not in an escape."""
        return self.state in IN_STRINGS

    @property
    def after_comma(self) -> bool:
        """Whether the last token was a comma."""
        return self.state == COMMA or (self.state == START and self.stack[-1:] == "[")

    @property
    def due(self) -> str:
        """What may follow: "first key", "key", "colon", or "" for anything else."""
        return {OBJECT: "first key", COMMA: "key", NAMED: "colon"}.get(self.state, "")

    def take_back(self) -> None:
        """Go back before the last token: a comma, or a key."""
        self.state = VALUE if self.after_comma else COMMA

    def expect_key(self) -> None:
        """Of an object: a key must follow."""
        self.state = COMMA

    def forgive_comma(self) -> bool:
        """Where it failed because a list's comma is missing: read on as if it had been there. False: it is not so."""
        if self.token is not FAIL or self.state != VALUE or self.stack[-1] != "[":
            return False
        self.state, self.token = START, NEED
        return True

    def undo_refusal(self) -> bool:
        """Go back before the refused character. False: none was refused, or nothing may follow."""
        if self.token is not FAIL or self.fault == "depth":
            return False
        self.token, self.fault = NEED, ""
        return True

    def brackets(self) -> str:
        """What closes the open containers, innermost first."""
        return self.stack[::-1].translate(_CLOSERS)

    def step(self, text: str, pos: int) -> int:
        """Read one token. Returns the position after it, the end of the text (NEED), or the offending one (FAIL)."""
        self.token = NEED
        end = len(text)
        while pos < end and not self.token:
            pos = STATES[self.state](self, text, pos)
        return pos

    def skim(self, text: str, pos: int, depth: int) -> int:
        """Read on until the value that began at `depth` containers is whole, or the text runs out."""
        self.token = NEED
        end = len(text)
        while pos < end:
            pos = STATES[self.state](self, text, pos)
            token = self.token
            if token:
                if token is FAIL or (len(self.stack) == depth and token not in _INSIDE):
                    return pos
                self.token = NEED
        return pos

    def passed(self, text: str) -> tuple[str, bool] | None:
        """Inside a string: read the text, if it is of the string to its end.

        Returns:
            The text, and whether an escape has begun; None: nothing was read.
        """
        escapes = self.state == ESCAPE
        found = _inside_escape(text) if escapes else _inside_string(text)
        if found is None:
            return None
        if escapes:
            self.state = self._back
        begun = found.lastindex is not None
        if begun:
            self._back, self.state = self.state, ESCAPE
        return text, begun

    def written(self, text: str, begin: int, end: int) -> str:
        """What was read of the text, with its raw control characters as JSON escapes."""
        if not self.fixes:
            return text[begin:end]
        found = escaped(text, begin, end, self.fixes)
        self.fixes.clear()
        return found

    def fail(self, fault: str, pos: int) -> int:
        """Refuse the character at `pos`."""
        self.token, self.fault = FAIL, fault
        return pos

    def _push(self, char: str, pos: int) -> int:
        if len(self.stack) >= self.max_depth:
            return self.fail("depth", pos)
        self.stack += char
        self.state = OBJECT if char == "{" else LIST
        self.token = OPEN
        return pos + 1

    def _pop(self, pos: int) -> int:
        self.stack = self.stack[:-1]
        self.state = VALUE if self.stack else END
        self.token = CLOSE
        return pos + 1

    def _read_value(self, text: str, pos: int) -> int:
        pos = space(text, pos).end()
        if pos == len(text):
            return pos
        char = text[pos]
        if char == '"':
            self.state = IN_STRING
            return pos + 1
        if char in "{[":
            return self._push(char, pos)
        if char in _NUMBER_START:
            self.state, self._partial, self._phase = NUMBER, char, _NUMBER_START[char]
            return pos + 1
        if char in _LITERALS:
            self.state, self._partial = LITERAL, _LITERALS[char]
            return pos + 1
        if char == "]" and self.state == LIST:
            return self._pop(pos)
        return self.fail("a value was expected", pos)

    def _read_key(self, text: str, pos: int) -> int:
        pos = space(text, pos).end()
        if pos == len(text):
            return pos
        char = text[pos]
        if char == '"':
            self.state = IN_KEY
            return pos + 1
        if char == "}" and self.state == OBJECT:
            return self._pop(pos)
        return self.fail("a key in double quotes was expected", pos)

    def _read_colon(self, text: str, pos: int) -> int:
        pos = space(text, pos).end()
        if pos == len(text):
            return pos
        if text[pos] != ":":
            return self.fail("a colon was expected", pos)
        self.state = START
        return pos + 1

    def _read_comma(self, text: str, pos: int) -> int:
        pos = space(text, pos).end()
        if pos == len(text):
            return pos
        char = text[pos]
        inner = self.stack[-1]
        if char == ",":
            self.state = COMMA if inner == "{" else START
            return pos + 1
        if char == ("}" if inner == "{" else "]"):
            return self._pop(pos)
        return self.fail(f"a comma or the end of the {'object' if inner == '{' else 'list'} was expected", pos)

    def _read_string(self, text: str, pos: int) -> int:
        pos = _body(text, pos).end()
        if pos == len(text):
            return pos
        char = text[pos]
        if char == '"':
            if self.state == IN_KEY:
                self.state, self.token = NAMED, KEY
            else:
                self.state, self.token = VALUE if self.stack else END, STRING
        elif char == "\\":
            self._back, self.state = self.state, ESCAPE
        else:
            self.fixes.append(pos)
        return pos + 1

    def _read_escape(self, text: str, pos: int) -> int:
        char = text[pos]
        if char == "u":
            self.state, self._partial = HEX, "...."
        elif char in ESCAPES:
            self.state = self._back
        else:
            return self.fail("an escape was expected", pos)
        return pos + 1

    def _read_hex(self, text: str, pos: int) -> int:
        if text[pos] not in HEX_DIGITS:
            return self.fail("four hexadecimal digits were expected", pos)
        self._partial = self._partial[1:]
        if not self._partial:
            self.state = self._back
        return pos + 1

    def _read_number(self, text: str, pos: int) -> int:
        # One character at a time: numbers are short, and the fault must be at its own character.
        phase = _NUMBER[self._phase].get(text[pos])
        if phase is not None:
            if len(self._partial) >= MAX_DIGITS:
                return self.fail("a number of at most 4,300 characters was expected", pos)
            self._phase = phase
            self._partial += text[pos]
            return pos + 1
        if self._phase not in "ZIFX":
            return self.fail("a digit was expected", pos)
        if self._phase in "FX" and math.isinf(float(self._partial)):
            return self.fail(f"a number that a float can hold was expected, not {self._partial[:40]}", pos)
        self.state, self.token = VALUE if self.stack else END, SCALAR
        return pos

    def _read_literal(self, text: str, pos: int) -> int:
        if text[pos] != self._partial[0]:
            return self.fail("true, false or null was expected", pos)
        self._partial = self._partial[1:]
        if not self._partial:
            self.state, self.token = VALUE if self.stack else END, SCALAR
        return pos + 1

    def _read_nothing(self, text: str, pos: int) -> int:
        return self.fail("the end was expected", pos)

    _states = (
        _read_value, _read_value, _read_key, _read_key, _read_colon, _read_comma, _read_string, _read_string,
        _read_escape, _read_hex, _read_number, _read_literal, _read_nothing,
    )  # fmt: skip


STATES = JsonScanner._states  # a global is faster than an attribute


def escaped(text: str, begin: int, end: int, fixes: list[int]) -> str:
    """`text[begin:end]`, with the raw control characters at `fixes` written as JSON escapes."""
    pieces: list[str] = []
    for pos in fixes:
        pieces += text[begin:pos], _CONTROL[ord(text[pos])]
        begin = pos + 1
    pieces.append(text[begin:end])
    return "".join(pieces)


def decode(text: str) -> tuple[Any, str | None]:
    """Decode a value that a scanner has found whole, however deep it is.

    Returns:
        The value (integers exact, keys in the order written, lone surrogates as U+FFFD), and a key that some object
        has twice (the last value counts), or None.
    """
    from toolglean.scan.nested import decoded_with_repeats  # noqa: PLC0415  # the first call pays, not every import

    return decoded_with_repeats(text)
