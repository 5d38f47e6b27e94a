# JSON, read in pieces cut anywhere: each character once, and refused at the exact character. Does not depend on what
# the values mean, or on what becomes of them.
#
# `step` returns after each token, `skim` after the whole value. Nothing is decoded here: `decode` does that once, in C,
# when a value is whole.
#
# Departures from RFC 8259, and why:
# - raw line breaks and other control characters in strings are accepted, because models write them; they are passed on
#   as escapes (`JsonScanner.written`)
# - a number that is too large for a float (1e400) is refused, as is an integer of more than 4,300 digits (Python's own
#   limit)
# - the depth is limited, so that no stack overflows later
"""An incremental, validating JSON scanner."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from toolglean.scan.scanner import (
    CLOSE,
    FAIL,
    KEY,
    NEED,
    NUMBER,
    NUMBER_START,
    OPEN,
    SCALAR,
    SHORT,
    STRING,
    Scanner,
    loop,
    numbers,
    whole_number,
)
from toolglean.scan.text import passing, possessive, space

__all__ = ["JsonScanner", "decode", "escaped"]

# States, named for what has been read. Those up to VALUE skip white space first.
START = 0  # nothing: a value follows
LIST = 1  # `[`: a value or `]`
OBJECT = 2  # `{`: a key or `}`
COMMA = 3  # `{"a": 1,`: a key
NAMED = 4  # `{"a"`: a colon
VALUE = 5  # `{"a": 1`: a comma or the end of the container
IN_KEY = 6  # `{"a`
IN_STRING = 7  # `{"a": "b`
ESCAPE = 8  # `"b\` or `"b\u00`
IN_NUMBER = 9  # `-1.`
LITERAL = 10  # `tru`
END = 11  # the outermost value

IN_STRINGS = frozenset({IN_KEY, IN_STRING})  # inside a string, and not in an escape

_INSIDE = frozenset({KEY, OPEN})  # tokens after which a value goes on

_ESCAPE = r"""(?:["\\/bfnrt]|u[0-9a-fA-F]{4})"""
_IN_STRING = possessive(rf"""[^"\\\x00-\x1f]++|\\{_ESCAPE}""")
_INSIDE_STRING = rf"""{_IN_STRING}(?P<escape>\\)?\Z"""  # at the end, an escape may have begun
leaves_string = re.compile(rf"{_IN_STRING}[\s\S]").match
"""Inside a string: finds something if the text ends it, or contains a control character or an incomplete escape."""

_inside_string = re.compile(_INSIDE_STRING).match
_inside_escape = re.compile(_ESCAPE + _INSIDE_STRING).match

_BODY = r"""[^"\\\x00-\x1f]*"""
_body = passing(_BODY + possessive(rf"\\{_ESCAPE}{_BODY}"))
_CONTROL = {code: f"\\u{code:04x}" for code in range(32)} | {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
_LITERALS = {"t": "rue", "f": "alse", "n": "ull"}


class JsonScanner(Scanner):
    """Reads one JSON value, in pieces.

    Attributes:
        fixes: positions, in the text last given, of raw control characters inside strings.
        string_state: inside an escape, the state of the string around it: IN_KEY or IN_STRING.
    """

    __slots__ = ("fixes", "string_state")
    owned = ("fixes",)
    closers: ClassVar = {"{": "}", "[": "]"}

    def __init__(self, max_depth: int = 256) -> None:
        super().__init__(max_depth)
        self.fixes: list[int] = []
        self.string_state = IN_STRING

    @property
    def after_comma(self) -> bool:
        """Whether the last token was a comma."""
        return self.state == COMMA or (self.state == START and self.stack[-1:] == "[")

    @property
    def due(self) -> str:
        """What may follow: "first key", "key", "colon", "escape", or "" for anything else."""
        if self.state == ESCAPE:
            return "" if self.held else "escape"
        return {OBJECT: "first key", COMMA: "key", NAMED: "colon"}.get(self.state, "")

    def resume(self, state: int) -> None:
        """In the outermost object: go on in that state."""
        self.state = state

    def take_back(self) -> None:
        """Go back before the last token: a comma, or a key."""
        self.state = VALUE if self.after_comma else COMMA

    def expect_key(self) -> None:
        """Inside an object: a key must follow."""
        self.state = COMMA

    def forgive_comma(self) -> bool:
        """After a failure at a list's missing comma: read on as if it were there. False: it failed otherwise."""
        if self.token is not FAIL or self.state != VALUE or self.stack[-1] != "[":
            return False
        self.state, self.token = START, NEED
        return True

    def step(self, text: str, pos: int) -> int:
        """Read one token. Returns the position after it, the end of the text (NEED), or the offending one (FAIL)."""
        self.token = NEED
        return self.advance(text, pos)

    def skim(self, text: str, pos: int, depth: int) -> int:
        """Read on until the value that began at `depth` containers is whole, or the text runs out."""
        self.token = NEED
        end = len(text)
        while pos < end:
            state = self.state
            if state <= VALUE and text[pos] <= " " and (pos := space(text, pos).end()) == end:
                break
            if state <= LIST and end - pos > SHORT and text[pos] in NUMBER_START and self.stack[-1:] == "[":
                passed = numbers(text, pos).end()
                if passed > pos:  # they are whole, and more follow
                    self.state, pos = START, passed
                    continue
            pos = STATES[state](self, text, pos)
            token = self.token
            if token:
                if token is FAIL or (len(self.stack) == depth and token not in _INSIDE):
                    return pos
                self.token = NEED
        return pos

    def passed(self, text: str) -> tuple[str, bool] | None:
        """Inside a string: read the text if all of it belongs to the string.

        Returns:
            The text, and whether it ends inside an escape; None if nothing was read.
        """
        escapes = self.state == ESCAPE
        found = _inside_escape(text) if escapes else _inside_string(text)
        if found is None:
            return None
        if escapes:
            self.state = self.string_state
        begun = found["escape"] is not None
        if begun:
            self._begin_escape()
        return text, begun

    def written(self, text: str, begin: int, end: int) -> str:
        """What was read of the text, with its raw control characters as JSON escapes."""
        if not self.fixes:
            return text[begin:end]
        found = escaped(text, begin, end, self.fixes)
        self.fixes.clear()
        return found

    def _pop(self, pos: int) -> int:
        self.stack = self.stack[:-1]
        self.state, self.token = VALUE if self.stack else END, CLOSE
        return pos + 1

    def _begin_escape(self) -> None:
        self.string_state, self.state, self.held = self.state, ESCAPE, ""

    def _read_value(self, text: str, pos: int) -> int:
        char = text[pos]
        if char == '"':
            self.state = IN_STRING
        elif char in "{[":
            self.token = OPEN
            return self.push(char, OBJECT if char == "{" else LIST, pos)
        elif char in NUMBER_START:
            if len(text) - pos > SHORT and (whole := whole_number(text, pos)) is not None:
                self.end_number()
                return whole.end()
            self.state, self.held, self.phase = IN_NUMBER, char, NUMBER_START[char]
        elif char in _LITERALS:
            self.state, self.held = LITERAL, _LITERALS[char]
        elif char == "]" and self.state == LIST:
            return self._pop(pos)
        else:
            return self.fail("a value was expected", pos)
        return pos + 1

    def _read_key(self, text: str, pos: int) -> int:
        char = text[pos]
        if char == '"':
            self.state = IN_KEY
            return pos + 1
        if char == "}" and self.state == OBJECT:
            return self._pop(pos)
        return self.fail("a key in double quotes was expected", pos)

    def _read_colon(self, text: str, pos: int) -> int:
        if text[pos] != ":":
            return self.fail("a colon was expected", pos)
        self.state = START
        return pos + 1

    def _read_comma(self, text: str, pos: int) -> int:
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
            self._begin_escape()
        else:
            self.fixes.append(pos)
        return pos + 1

    def end_escape(self, escape: str) -> None:
        """See `Scanner`."""
        self.state = self.string_state

    def end_number(self) -> None:
        """See `Scanner`. A literal ends in the same way."""
        self.state, self.token = VALUE if self.stack else END, SCALAR

    def _read_literal(self, text: str, pos: int) -> int:
        if text[pos] != self.held[0]:
            return self.fail("true, false or null was expected", pos)
        self.held = self.held[1:]
        if not self.held:
            self.end_number()
        return pos + 1

    def _read_nothing(self, text: str, pos: int) -> int:
        return self.fail("the end was expected", pos)

    states = (
        _read_value, _read_value, _read_key, _read_key, _read_colon, _read_comma, _read_string, _read_string,
        Scanner.read_escape, Scanner.number(NUMBER), _read_literal, _read_nothing,
    )  # fmt: skip
    advance = loop(states, VALUE + 1)


STATES = JsonScanner.states  # a global is faster than an attribute


def escaped(text: str, begin: int, end: int, fixes: list[int]) -> str:
    """`text[begin:end]`, with the raw control characters at the positions `fixes` written as JSON escapes."""
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
        has twice (the last value is used), or None.
    """
    from toolglean.scan.nested import decoded_with_repeats  # noqa: PLC0415  # imported by the first call: not every user needs it

    return decoded_with_repeats(text)
