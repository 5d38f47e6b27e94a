# What this file knows: Python's strings, numbers and names of constants, read in pieces cut anywhere.
# What it must not know: what stands around them (python.py).
#
# A string goes out as the body of a JSON string while it arrives: the jumps of a compiled expression over everything
# that is neither a quote nor a backslash, and C for the escapes that JSON needs. Numbers and names are short: one
# character at a time, so that the fault stands at its own character.
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

from toolglean.scan.reader import NEED, Steps, quoted_text, string_text

__all__ = ["AFTER", "LITERAL_STEPS", "SCALAR", "STRING", "WORD_START", "Literals", "begin_literal"]

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
MAX_DIGITS = 4300
MAX_OTHER = 3500  # of a number in base 16, 8 or 2: fewer than 4,300 decimal digits
MAX_WORD = 256

_space = re.compile(r"[ \t\n\r\f]*").match
_bodies = {quote: re.compile(rf"[^\\{quote}]*").match for quote in "'\""}
_word_char = re.compile(r"[\w.-]").match
WORD_START = re.compile(r"[^\W\d]").match
_json_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch

_CONSTANTS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_RAW = frozenset("rR")
_PREFIXES = _RAW | {"u", "U"}
_BEGINNINGS = {each[:size] for each in (*_CONSTANTS, *_PREFIXES) for size in range(1, len(each) + 1)}
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
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

    def stops(self) -> str:
        """See `Reader.stops`."""
        return self._quote if self.state == BODY and self.flows else ""

    def write(self, text: str) -> None:
        """JSON text that has become certain."""
        raise NotImplementedError

    def scalar(self, text: str) -> None:
        """A value that is not a string, whole, as JSON text."""
        raise NotImplementedError

    def begin_string(self) -> None:
        """A string begins here."""
        raise NotImplementedError


def begin_literal(reader: Literals, char: str, pos: int) -> int:
    """Begin the literal whose first character stands at `pos`."""
    if char in _bodies:
        return _begin_string(reader, char, pos, raw=False)
    if char in _NUMBER_START:
        reader.state, reader._token, reader._phase = NUMBER, "" if char == "+" else char, _NUMBER_START[char]
        return pos + 1
    if char in _BEGINNINGS or (reader.bare_words and WORD_START(char)):
        reader.state, reader._token = WORD, char
        return pos + 1
    return reader.fail("a value was expected", pos)


def _begin_string(reader: Literals, quote: str, pos: int, *, raw: bool) -> int:
    reader.begin_string()
    reader.write('"')
    reader.state, reader._quote, reader._raw = OPENED, quote, raw
    return pos + 1


# -- strings -----------------------------------------------------------------------------------------------------------


def _opened(reader: Literals, text: str, pos: int) -> int:
    if text[pos] == reader._quote:
        reader.state = OPENED_TWICE
        return pos + 1
    reader.state, reader._triple = BODY, False
    return pos


def _opened_twice(reader: Literals, text: str, pos: int) -> int:
    if text[pos] == reader._quote:
        reader.state, reader._triple = BODY, True
        return pos + 1
    reader.state = AFTER_STRING
    return pos


def _body(reader: Literals, text: str, pos: int) -> int:
    begin, pos = pos, _bodies[reader._quote](text, pos).end()  # type: ignore[union-attr]  # matches the empty string
    if pos > begin:
        reader.write(quoted_text(text[begin:pos]))
        if pos == len(text):
            return pos
    if text[pos] == "\\":
        reader.state = RAW_ESCAPE if reader._raw else ESCAPE
    elif reader._triple:
        reader.state, reader._token = QUOTES, text[pos]
    else:
        reader.state = AFTER_STRING
    return pos + 1


def _quotes(reader: Literals, text: str, pos: int) -> int:
    if text[pos] != reader._quote:
        reader.write(quoted_text(reader._token))
        reader.state = BODY
        return pos
    reader._token += text[pos]
    if len(reader._token) == len("'''"):
        reader.state = AFTER_STRING
    return pos + 1


def _escape(reader: Literals, text: str, pos: int) -> int:
    char = text[pos]
    reader.state, reader._token, reader._phase = BODY, "", char
    if char in _ESCAPES:
        reader.write(_ESCAPES[char])
    elif char in _LENGTHS:
        reader.state = HEX
    elif char in _OCTAL_DIGITS:
        reader.state = OCTAL
        return pos
    elif char == "N":
        reader.state = NAMED
    elif char == "\r":
        reader.state = CONTINUED
    else:
        reader.write("\\\\")  # no escape: the backslash stands for itself
        return pos
    return pos + 1


def _raw_escape(reader: Literals, text: str, pos: int) -> int:
    reader.write(quoted_text("\\" + text[pos]))
    reader.state = BODY
    return pos + 1


def _hex(reader: Literals, text: str, pos: int) -> int:
    digits = reader._token + text[pos]
    if text[pos] not in _HEX_DIGITS or (reader._phase == "U" and int(digits.ljust(8, "0"), 16) > sys.maxunicode):
        return _as_written(reader, pos)
    reader._token = digits
    if len(digits) == _LENGTHS[reader._phase]:
        _character(reader, int(digits, 16))
    return pos + 1


def _as_written(reader: Literals, pos: int) -> int:
    # No whole escape: it stands for itself, as `\d` does. Templates write strings unescaped (`C:\x`), and so do models.
    reader.write(quoted_text(f"\\{reader._phase}{reader._token}"))
    reader.state = BODY
    return pos


def _octal(reader: Literals, text: str, pos: int) -> int:
    if text[pos] in _OCTAL_DIGITS:
        reader._token += text[pos]
        if len(reader._token) == len("777"):
            _character(reader, int(reader._token, 8))
        return pos + 1
    _character(reader, int(reader._token, 8))
    return pos


def _character(reader: Literals, code: int) -> None:
    # Half of a pair is written as an escape, so that two halves join when the JSON text is decoded.
    reader.write(f"\\u{code:04x}" if 0xD800 <= code < 0xE000 else quoted_text(chr(code)))
    reader.state = BODY


def _named(reader: Literals, text: str, pos: int) -> int:
    char = text[pos]
    if not reader._token and char != "{":
        return _as_written(reader, pos)
    if char != "}":
        if len(reader._token) >= MAX_WORD:
            return _as_written(reader, pos)
        reader._token += char
        return pos + 1
    found = _character_named(reader._token[1:])
    if not found:
        return _as_written(reader, pos)
    _character(reader, ord(found))
    return pos + 1


def _character_named(name: str) -> str:
    import unicodedata  # noqa: PLC0415  # half a megabyte, and hardly ever needed

    try:
        found = unicodedata.lookup(name)
    except (KeyError, ValueError):  # half of a surrogate pair is not text to look up
        return ""
    return found if len(found) == 1 else ""


def _continued(reader: Literals, text: str, pos: int) -> int:
    reader.state = BODY
    return pos + 1 if text[pos] == "\n" else pos


def _after_string(reader: Literals, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]
    if pos == len(text):
        return pos
    char = text[pos]
    if char in _bodies:
        reader.state, reader._quote, reader._raw = OPENED, char, False
        return pos + 1
    if char in _PREFIXES:
        reader.state, reader._token = PREFIX, char
        return pos + 1
    reader.write('"')
    reader.state, reader.kind = AFTER, STRING
    return pos


def _prefix(reader: Literals, text: str, pos: int) -> int:
    if text[pos] not in _bodies:
        return reader.fail("a quote was expected", pos)
    reader.state, reader._quote, reader._raw = OPENED, text[pos], reader._token in _RAW
    return pos + 1


# -- numbers and words -------------------------------------------------------------------------------------------------


def _number(reader: Literals, text: str, pos: int) -> int:
    char = text[pos]
    phase = _NUMBER[reader._phase].get(char)
    if phase is None:
        return _end_number(reader, pos)
    if len(reader._token) >= (MAX_OTHER if phase[-1] in _OTHER else MAX_DIGITS):
        return reader.fail("a number of at most 4,300 digits was expected", pos)
    reader._phase = phase
    reader._token += char
    return pos + 1


def _end_number(reader: Literals, pos: int) -> int:
    if reader._phase not in _ENDS:
        return reader.fail("a digit was expected", pos)
    token = reader._token.replace("_", "")
    if reader._phase in _OTHER:
        token = str(int(token, 0))
    elif reader._phase in "ZI":
        token = token if _json_number(token) else str(int(token))
    elif math.isinf(float(token)):
        return reader.fail(f"a number that a float can hold was expected, not {token[:40]}", pos)
    elif not _json_number(token):
        token = repr(float(token))
    reader.state, reader.kind = AFTER, SCALAR
    reader.scalar(token)
    return pos


def _word(reader: Literals, text: str, pos: int) -> int:
    char, token = text[pos], reader._token
    if _word_char(char) and len(token) < MAX_WORD and (reader.bare_words or token + char in _BEGINNINGS):
        reader._token += char
        return pos + 1
    if char in _bodies and token in _PREFIXES:
        return _begin_string(reader, char, pos, raw=token in _RAW)
    if token in _CONSTANTS and not _word_char(char):
        reader.state, reader.kind = AFTER, SCALAR
        reader.scalar(_CONSTANTS[token])
    elif reader.bare_words and not _word_char(char):
        reader.begin_string()
        reader.write(string_text(token))
        reader.state, reader.kind = AFTER, STRING
    else:
        return reader.fail("a value was expected", pos)
    return pos


LITERAL_STEPS = (
    _opened, _opened_twice, _body, _quotes, _escape, _hex, _octal, _named, _continued, _raw_escape, _after_string,
    _prefix, _number, _word,
)  # fmt: skip
"""The functions of the states from OPENED to WORD."""
