# What this file knows: Python's strings, numbers and names of constants, read in pieces cut anywhere.
# Does not depend on what is around them (python.py).
#
# A string goes out as the body of a JSON string while it arrives: the jumps of a compiled expression over everything
# that is neither a quote nor a backslash, and C for the escapes that JSON needs. Numbers and names are short: one
# character at a time, so that the fault is at its own character.
#
# Departures from Python, and why:
# - raw line breaks in any string, 07 for 7, JSON's true, false and null: models write them
# - b"", f"" and t"" are refused: bytes are not JSON, and an f-string has no value before it runs
# - a number that no float can hold, and an integer of more than 4,300 digits, is refused, as in json.py
# - an unknown escape (`\d`) keeps its backslash, as in Python, without its warning; so does one that is not whole
"""Python literals, incrementally."""

from __future__ import annotations

import math
import re
import sys

from toolglean.scan.json import HEX_DIGITS, MAX_DIGITS
from toolglean.scan.reader import NEED, Search, Steps, quoted_text, stop_search, string_text
from toolglean.scan.text import passing

__all__ = ["AFTER", "AFTER_STRING", "SCALAR", "STRING", "WORD_START", "Literals", "is_json_number"]

# States, named for what has been read. Those above belong to python.py.
AFTER = 0  # a value
OPENED = 1  # `'`: the first quote of a string, or of three, or of an empty one
OPENED_TWICE = 2  # `''`
BODY = 3  # `'abc`
QUOTES = 4  # `'''abc'`, perhaps the end of a triple string
ESCAPE = 5  # `'\`
HEX = 6  # `'\x4`
OCTAL = 7  # `'\1`
NAMED = 8  # `'\N{BULL`
CONTINUED = 9  # `'\` and a carriage return
RAW_ESCAPE = 10  # `r'\`
AFTER_STRING = 11  # `'abc'`: another one would belong to it
PREFIX = 12  # `'abc' r`
NUMBER = 13
WORD = 14  # `Tru`

STRING = "s"
SCALAR = "v"
MAX_OTHER = 3500  # of a number in base 16, 8 or 2: fewer than 4,300 decimal digits
MAX_WORD = 256

_bodies = {quote: passing(rf"[^\\{quote}]*") for quote in "'\""}
_word_char = re.compile(r"[\w.-]").match
WORD_START = re.compile(r"[^\W\d]").match
is_json_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch

_CONSTANTS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_RAW = frozenset("rR")
_PREFIXES = _RAW | {"u", "U"}
_BEGINNINGS = {each[:size] for each in (*_CONSTANTS, *_PREFIXES) for size in range(1, len(each) + 1)}
_OCTAL_DIGITS = frozenset("01234567")
_LENGTHS = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {
    "\\": "\\\\", "'": "'", '"': '\\"', "\n": "",
    "a": "\\u0007", "b": "\\b", "f": "\\f", "n": "\\n", "r": "\\r", "t": "\\t", "v": "\\u000b",
}  # fmt: skip

# The grammar of a number: what has been read, and what may follow. Phases of _ENDS may end the number.
_DIGIT = "0123456789"
_POWER = {"e": "e", "E": "e"}
_NUMBER: dict[str, dict[str, str]] = {
    "-": {"0": "Z", ".": "."} | dict.fromkeys("123456789", "I"),
    "Z": {".": "D", "_": "_I", "x": "h", "X": "h", "o": "o", "O": "o", "b": "b", "B": "b"}
    | _POWER
    | dict.fromkeys(_DIGIT, "I"),
    "I": {".": "D", "_": "_I"} | _POWER | dict.fromkeys(_DIGIT, "I"),
    ".": dict.fromkeys(_DIGIT, "F"),
    "D": _POWER | dict.fromkeys(_DIGIT, "F"),
    "F": {"_": "_F"} | _POWER | dict.fromkeys(_DIGIT, "F"),
    "e": {"+": "s", "-": "s"} | dict.fromkeys(_DIGIT, "P"),
    "s": dict.fromkeys(_DIGIT, "P"),
    "P": {"_": "_P"} | dict.fromkeys(_DIGIT, "P"),
    "H": {"_": "_H"} | dict.fromkeys("0123456789abcdefABCDEF", "H"),
    "O": {"_": "_O"} | dict.fromkeys("01234567", "O"),
    "B": {"_": "_B"} | dict.fromkeys("01", "B"),
}
_NUMBER |= {f"_{phase}": {char: to for char, to in _NUMBER[phase].items() if to == phase} for phase in "IFPHOB"}
_NUMBER |= {mark: _NUMBER[mark.upper()] for mark in "hob"}
_NUMBER_START = {"-": "-", "+": "-", ".": ".", "0": "Z"} | dict.fromkeys("123456789", "I")
_ENDS = frozenset("ZIDFPHOB")
_OTHER = frozenset("HOB")


class Literals(Steps):
    """A reader's part that reads literals.

    Attributes:
        flows: whether what is written goes out at once.
        kind: what the last literal was: STRING or SCALAR.
        bare_words: whether a lone name is a string.
    """

    __slots__ = ("_phase", "_quote", "_raw", "_token", "_triple", "bare_words", "flows", "kind")

    space = staticmethod(passing(r"[ \t\n\r\f]*"))

    def __init__(self, max_depth: int, *, bare_words: bool) -> None:
        super().__init__(max_depth)
        self.bare_words = bare_words
        self.flows = True
        self.kind = ""
        self._quote = ""
        self._triple = False
        self._raw = False
        self._token = ""  # a number, a word, the digits of an escape
        self._phase = ""

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        # Most chunks of a long string stop here: 0.3 µs instead of 1.3.
        if self.state == BODY and self.flows and self._quote not in text and "\\" not in text:
            return len(text), quoted_text(text[pos:]), NEED
        return super().read(text, pos)

    def search(self) -> Search | None:
        """See `Reader`."""
        return stop_search(self._quote) if self.state == BODY and self.flows else None

    def write(self, text: str) -> None:
        """JSON text that has become certain."""
        raise NotImplementedError

    def scalar(self, text: str) -> None:
        """A value that is not a string, whole, as JSON text."""
        raise NotImplementedError

    def begin_string(self) -> None:
        """A string begins here."""
        raise NotImplementedError

    def begin_literal(self, char: str, pos: int) -> int:
        """Begin the literal whose first character is at `pos`."""
        if char in _bodies:
            return self._begin_string(char, pos, raw=False)
        if char in _NUMBER_START:
            self.state, self._token, self._phase = NUMBER, "" if char == "+" else char, _NUMBER_START[char]
            return pos + 1
        if char in _BEGINNINGS or (self.bare_words and WORD_START(char)):
            self.state, self._token = WORD, char
            return pos + 1
        return self.fail("a value was expected", pos)

    def _begin_string(self, quote: str, pos: int, *, raw: bool) -> int:
        self.begin_string()
        self.write('"')
        self.state, self._quote, self._raw = OPENED, quote, raw
        return pos + 1

    def _read_opened(self, text: str, pos: int) -> int:
        if text[pos] == self._quote:
            self.state = OPENED_TWICE
            return pos + 1
        self.state, self._triple = BODY, False
        return pos

    def _read_opened_twice(self, text: str, pos: int) -> int:
        if text[pos] == self._quote:
            self.state, self._triple = BODY, True
            return pos + 1
        self.state = AFTER_STRING
        return pos

    def _read_body(self, text: str, pos: int) -> int:
        begin, pos = pos, _bodies[self._quote](text, pos).end()
        if pos > begin:
            self.write(quoted_text(text[begin:pos]))
            if pos == len(text):
                return pos
        if text[pos] == "\\":
            self.state = RAW_ESCAPE if self._raw else ESCAPE
        elif self._triple:
            self.state, self._token = QUOTES, text[pos]
        else:
            self.state = AFTER_STRING
        return pos + 1

    def _read_quotes(self, text: str, pos: int) -> int:
        if text[pos] != self._quote:
            self.write(quoted_text(self._token))
            self.state = BODY
            return pos
        self._token += text[pos]
        if len(self._token) == len("'''"):
            self.state = AFTER_STRING
        return pos + 1

    def _read_escape(self, text: str, pos: int) -> int:
        char = text[pos]
        self.state, self._token, self._phase = BODY, "", char
        if char in _ESCAPES:
            self.write(_ESCAPES[char])
        elif char in _LENGTHS:
            self.state = HEX
        elif char in _OCTAL_DIGITS:
            self.state = OCTAL
            return pos
        elif char == "N":
            self.state = NAMED
        elif char == "\r":
            self.state = CONTINUED
        else:
            self.write("\\\\")  # not an escape: the backslash is a backslash
            return pos
        return pos + 1

    def _read_raw_escape(self, text: str, pos: int) -> int:
        self.write(quoted_text("\\" + text[pos]))
        self.state = BODY
        return pos + 1

    def _read_hex(self, text: str, pos: int) -> int:
        digits = self._token + text[pos]
        if text[pos] not in HEX_DIGITS or (self._phase == "U" and int(digits.ljust(8, "0"), 16) > sys.maxunicode):
            return self._as_written(pos)
        self._token = digits
        if len(digits) == _LENGTHS[self._phase]:
            self._character(int(digits, 16))
        return pos + 1

    def _as_written(self, pos: int) -> int:
        # An escape that is not whole is text, as `\d` does: templates and models write `C:\x` unescaped.
        self.write(quoted_text(f"\\{self._phase}{self._token}"))
        self.state = BODY
        return pos

    def _read_octal(self, text: str, pos: int) -> int:
        if text[pos] in _OCTAL_DIGITS:
            self._token += text[pos]
            if len(self._token) == len("777"):
                self._character(int(self._token, 8))
            return pos + 1
        self._character(int(self._token, 8))
        return pos

    def _character(self, code: int) -> None:
        # Half of a pair is written as an escape, so that two halves join when the JSON text is decoded.
        self.write(f"\\u{code:04x}" if 0xD800 <= code < 0xE000 else quoted_text(chr(code)))
        self.state = BODY

    def _read_named(self, text: str, pos: int) -> int:
        char = text[pos]
        if not self._token and char != "{":
            return self._as_written(pos)
        if char != "}":
            if len(self._token) >= MAX_WORD:
                return self._as_written(pos)
            self._token += char
            return pos + 1
        found = _character_named(self._token[1:])
        if not found:
            return self._as_written(pos)
        self._character(ord(found))
        return pos + 1

    def _read_continued(self, text: str, pos: int) -> int:
        self.state = BODY
        return pos + 1 if text[pos] == "\n" else pos

    def _read_after_string(self, text: str, pos: int) -> int:
        char = text[pos]
        if char in _bodies:
            self.state, self._quote, self._raw = OPENED, char, False
            return pos + 1
        if char in _PREFIXES:
            self.state, self._token = PREFIX, char
            return pos + 1
        self.write('"')
        self.state, self.kind = AFTER, STRING
        return pos

    def _read_prefix(self, text: str, pos: int) -> int:
        if text[pos] not in _bodies:
            return self.fail("a quote was expected", pos)
        self.state, self._quote, self._raw = OPENED, text[pos], self._token in _RAW
        return pos + 1

    def _read_number(self, text: str, pos: int) -> int:
        char = text[pos]
        phase = _NUMBER[self._phase].get(char)
        if phase is None:
            return self._end_number(pos)
        if len(self._token) >= (MAX_OTHER if phase[-1] in _OTHER else MAX_DIGITS):
            return self.fail("a number of at most 4,300 digits was expected", pos)
        self._phase = phase
        self._token += char
        return pos + 1

    def _end_number(self, pos: int) -> int:
        if self._phase not in _ENDS:
            return self.fail("a digit was expected", pos)
        token = self._token.replace("_", "")
        if self._phase in _OTHER:
            token = str(int(token, 0))
        elif self._phase in "ZI":
            token = token if is_json_number(token) else str(int(token))
        elif math.isinf(float(token)):
            return self.fail(f"a number that a float can hold was expected, not {token[:40]}", pos)
        elif not is_json_number(token):
            token = repr(float(token))
        self.state, self.kind = AFTER, SCALAR
        self.scalar(token)
        return pos

    def _read_word(self, text: str, pos: int) -> int:
        char, token = text[pos], self._token
        if _word_char(char) and len(token) < MAX_WORD and (self.bare_words or token + char in _BEGINNINGS):
            self._token += char
            return pos + 1
        if char in _bodies and token in _PREFIXES:
            return self._begin_string(char, pos, raw=token in _RAW)
        if token in _CONSTANTS and not _word_char(char):
            self.state, self.kind = AFTER, SCALAR
            self.scalar(_CONSTANTS[token])
        elif self.bare_words and not _word_char(char):
            self.begin_string()
            self.write(string_text(token))
            self.state, self.kind = AFTER, STRING
        else:
            return self.fail("a value was expected", pos)
        return pos

    literal_steps = (
        _read_opened, _read_opened_twice, _read_body, _read_quotes, _read_escape, _read_hex, _read_octal, _read_named,
        _read_continued, _read_raw_escape, _read_after_string, _read_prefix, _read_number, _read_word,
    )  # fmt: skip
    """The methods of the states from OPENED to WORD."""


def _character_named(name: str) -> str:
    import unicodedata  # noqa: PLC0415  # half a megabyte, and hardly ever needed

    try:
        found = unicodedata.lookup(name)
    except (KeyError, ValueError):  # half of a surrogate pair is not text to look up
        return ""
    return found if len(found) == 1 else ""
