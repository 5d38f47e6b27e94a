# Python's strings, numbers and names of constants, read in pieces cut anywhere. Does not depend on what is around them
# (python.py).
#
# A string is written as the body of a JSON string while it arrives: a compiled expression passes over everything that
# is neither a quote nor a backslash, and C writes the escapes that JSON needs. Names and numbers are short; they are
# read one character at a time, so that a fault is reported at its own character.
#
# Departures from Python, and why:
# - raw line breaks in any string, 07 for 7, and JSON's true, false and null are accepted: models write them
# - b"", f"" and t"" are refused: bytes are not JSON, and an f-string has no value before it runs
# - a number that no float can hold, and an integer of more than 4,300 digits, are refused, as in json.py
# - an unknown escape (`\d`) keeps its backslash, as in Python, but without a warning; so does an incomplete one
"""Python literals, incrementally."""

from __future__ import annotations

import re

from toolglean.scan.expressions import Expression
from toolglean.scan.reader import DialectReader, quoted_text
from toolglean.scan.scanner import NUMBER, NUMBER_START, OTHER, SCALAR, STRING, Token, is_json_number
from toolglean.scan.text import passing

__all__ = ["AFTER", "BODY", "CONSTANTS", "KEYWORD", "STOPS", "Literals"]

# States, named for what has been read. Those from 2 to 8, before which white space is skipped as well, and KEYWORD
# belong to python.py.
AFTER = 0  # a value
AFTER_STRING = 1  # `'abc'`: another one would belong to it
OPENED = 9  # `'` or `''`: the first quote of a string, or of three, or an empty string
BODY = 10  # `'abc`
QUOTES = 11  # `'''abc'`, perhaps the end of a triple string
ESCAPE = 12  # `'\`, `'\x4`, `'\N{BULL`, `'\` and a carriage return
RAW_ESCAPE = 13  # `r'\`
PREFIX = 14  # `'abc' r`
IN_NUMBER = 15
WORD = 16  # `Tru`
KEYWORD = 17

MAX_WORD = 256

_bodies = {quote: passing(rf"[^\\{quote}]*") for quote in "'\""}
_word_char = re.compile(r"[\w.-]").match

CONSTANTS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_RAW = frozenset("rR")
_PREFIXES = _RAW | {"u", "U"}
_BEGINNINGS = {each[:size] for each in (*CONSTANTS, *_PREFIXES) for size in range(1, len(each) + 1)}
_ESCAPES = {
    "\\": "\\\\", "'": "'", '"': '\\"', "\n": "", "\r": "", "\r\n": "",
    "a": "\\u0007", "b": "\\b", "f": "\\f", "n": "\\n", "r": "\\r", "t": "\\t", "v": "\\u000b",
}  # fmt: skip
_BROKEN = frozenset("xuUN")
"""With these, an escape begins that Python refuses if it is not whole."""
_SELVES = frozenset("'\"\n\r")
_HEX = "[0-9a-fA-F]"  # up to 0010ffff after a U
_hexadecimal = Expression(f"x{_HEX}{{2}}|u{_HEX}{{4}}|U(?:000{_HEX}|0010){_HEX}{{4}}")
_octal = Expression("[0-7]{1,3}")
_goes_on = Expression(
    f"x{_HEX}?|u{_HEX}{{0,3}}|U(?:0{{0,2}}|000{_HEX}{{0,4}}|001|0010{_HEX}{{0,3}})|[0-7]{{1,2}}"
    rf"|N(?:\{{[^}}]{{0,{MAX_WORD - 1}}})?|\r"
)

STOPS = {quote: quote + "\\" for quote in _bodies}
"""By the quote of a string: what may end it or escape."""

# The grammar of a number: JSON's, and what Python adds.
_MORE: dict[str, dict[str, str]] = {
    "-": {".": "."},
    "Z": {".": "D", "_": "_I", "x": "h", "X": "h", "o": "o", "O": "o", "b": "b", "B": "b"}
    | dict.fromkeys("0123456789", "I"),
    "I": {".": "D", "_": "_I"},
    "D": NUMBER["F"],
    "F": {"_": "_F"},
    "P": {"_": "_P"},
    "H": {"_": "_H"} | dict.fromkeys("0123456789abcdefABCDEF", "H"),
    "O": {"_": "_O"} | dict.fromkeys("01234567", "O"),
    "B": {"_": "_B"} | dict.fromkeys("01", "B"),
}
_NUMBER = NUMBER | {phase: NUMBER.get(phase, {}) | more for phase, more in _MORE.items()}
_NUMBER |= {f"_{phase}": {char: to for char, to in _NUMBER[phase].items() if to == phase} for phase in "IFPHOB"}
_NUMBER |= {mark: _NUMBER[mark.upper()] for mark in "hob"}
_NUMBER_START = NUMBER_START | {"+": "-", ".": "."}


class Literals(DialectReader):
    """The part of a reader that reads literals.

    Attributes:
        kind: what the last literal was: STRING or SCALAR.
    """

    __slots__ = ("_doubts", "_quote", "_raw", "_triple", "kind")

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.kind = Token.NEED
        self._quote = ""
        self._triple = False
        self._raw = False
        self._doubts = 0  # 1: an escape of the string is broken, 2: another one has a meaning

    def scalar(self, text: str) -> None:
        """A value that is not a string, whole, as JSON text."""
        raise NotImplementedError

    def begin_literal(self, char: str, pos: int) -> int:
        """Begin the literal whose first character is at `pos`."""
        if char in _bodies:
            return self._begin_string(char, pos, raw=False)
        if char in _NUMBER_START:
            self.state, self.held, self.phase = IN_NUMBER, "" if char == "+" else char, _NUMBER_START[char]
            return pos + 1
        if char in _BEGINNINGS:
            self.state, self.held = WORD, char
            return pos + 1
        return self.fail("a value was expected", pos)

    def _begin_string(self, quote: str, pos: int, *, raw: bool) -> int:
        self.write_item('"')
        return self._open(quote, pos, raw=raw)

    def _open(self, quote: str, pos: int, *, raw: bool) -> int:
        self.state, self._quote, self._raw, self.held, self._doubts = OPENED, quote, raw, quote, 0
        return pos + 1

    def _read_opened(self, text: str, pos: int) -> int:
        if text[pos] != self._quote:
            self.state, self._triple = AFTER_STRING if len(self.held) > 1 else BODY, False
            return pos
        self.held += text[pos]
        if len(self.held) == len("'''"):
            self.state, self._triple = BODY, True
        return pos + 1

    def _read_body(self, text: str, pos: int) -> int:
        begin, pos = pos, _bodies[self._quote](text, pos).end()
        if pos > begin:
            self.write(quoted_text(text[begin:pos]))
            if pos == len(text):
                return pos
        if text[pos] == "\\":
            self.state, self.held = RAW_ESCAPE if self._raw else ESCAPE, ""
        elif self._triple:
            self.state, self.held = QUOTES, text[pos]
        else:
            self.state = AFTER_STRING
        return pos + 1

    def _read_quotes(self, text: str, pos: int) -> int:
        if text[pos] != self._quote:
            self.write(quoted_text(self.held))
            self.state = BODY
            return pos
        self.held += text[pos]
        if len(self.held) == len("'''"):
            self.state = AFTER_STRING
        return pos + 1

    def _read_escape(self, text: str, pos: int) -> int:
        escape, end = self.held + text[pos], pos + 1
        if _goes_on.fullmatch(escape):
            self.held = escape
            return end
        found = _written_escape(escape)
        if found is None:  # it ended before that character, if it is one
            found, end = _written_escape(self.held), pos
        # An incomplete escape is text, as `\d` is: templates and models write `C:\x` unescaped. So another one may be
        # text too, in the same string: `C:\x\temp`.
        if self.held[:1] in _BROKEN and found is None:
            self._doubts |= 1
        elif found is not None and escape not in _SELVES:
            self._doubts |= 2
        if self._doubts == 1 | 2:
            return self.fail("escapes of one kind were expected", pos)
        self.write(quoted_text("\\" + self.held) if found is None else found)
        self.state = BODY
        return end

    def _read_raw_escape(self, text: str, pos: int) -> int:
        self.write(quoted_text("\\" + text[pos]))
        self.state = BODY
        return pos + 1

    def read_after_string(self, text: str, pos: int) -> int:
        """The state AFTER_STRING."""
        char = text[pos]
        if char in _bodies:
            return self._open(char, pos, raw=False)
        if char in _PREFIXES:
            self.state, self.held = PREFIX, char
            return pos + 1
        self.write('"')
        self.state, self.kind = AFTER, STRING
        return pos

    def _read_prefix(self, text: str, pos: int) -> int:
        if text[pos] not in _bodies:
            return self.fail("a quote was expected", pos)
        return self._open(text[pos], pos, raw=self.held in _RAW)

    def end_number(self) -> None:
        """See `Scanner`."""
        token = self.held.replace("_", "")
        if self.phase in OTHER:
            token = str(int(token, 0))
        elif not is_json_number(token):
            token = str(int(token) if self.phase in "ZI" else float(token))
        self.state, self.kind = AFTER, SCALAR
        self.scalar(token)

    def _read_word(self, text: str, pos: int) -> int:
        char, token = text[pos], self.held
        if token + char in _BEGINNINGS:
            self.held += char
            return pos + 1
        if char in _bodies and token in _PREFIXES:
            return self._begin_string(char, pos, raw=token in _RAW)
        if token not in CONSTANTS or _word_char(char):
            return self.fail("a value was expected", pos)
        self.state, self.kind = AFTER, SCALAR
        self.scalar(CONSTANTS[token])
        return pos

    literal_states = (
        _read_opened, _read_body, _read_quotes, _read_escape, _read_raw_escape, _read_prefix,
        DialectReader.number(_NUMBER), _read_word,
    )  # fmt: skip
    """The methods of the states from OPENED to WORD."""


def _written_escape(escape: str) -> str | None:
    # The JSON text of what comes after a backslash; None if that is not a whole escape.
    if escape in _ESCAPES:
        return _ESCAPES[escape]
    if _hexadecimal.fullmatch(escape):
        code = int(escape[1:], 16)
    elif _octal.fullmatch(escape):
        code = int(escape, 8)
    elif escape[:2] == "N{" and escape[-1] == "}" and (named := _character_named(escape[2:-1])):
        code = ord(named)
    else:
        return None
    # Half of a surrogate pair is written as an escape, so that two halves join when the JSON text is decoded.
    return f"\\u{code:04x}" if 0xD800 <= code < 0xE000 else quoted_text(chr(code))


def _character_named(name: str) -> str:
    import unicodedata  # noqa: PLC0415  # half a megabyte, and hardly ever needed

    try:
        found = unicodedata.lookup(name)
    except (KeyError, ValueError):  # half of a surrogate pair is not text to look up
        return ""
    return found if len(found) == 1 else ""
