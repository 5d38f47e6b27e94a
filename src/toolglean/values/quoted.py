# What this file knows: objects with bare keys, whose strings stand between markers of their own.
# What it must not know: formats. Which marker it is, and what the tool's schema says, it is told.
#
#   {k:<|"|>text<|"|>,n:1,o:{a:true},l:[1,<|"|>x<|"|>],e:null}   →   {"k": "text", "n": 1, "o": {"a": true}, …}
#
# What real turns and the engines' tests hold, and what therefore is read:
# - keys: bare (up to the colon, spaces at their edges do not count), between markers, or a JSON string
# - strings: everything up to the next marker, without any escape; or a JSON string, whose escapes must be right
# - the outer object in braces or in parentheses, where an equals sign may stand for the colon (`(city="Oslo")`);
#   white space anywhere; a comma before a closing bracket
# - bare text: whatever stands between the colon (in lists the comma) and the next comma or the closing bracket of its
#   container, without the white space around it. It is true, false, null (also True, False, None), a JSON number, or
#   else text: `{language:python}`; in single quotes they are taken off. The schema of a parameter has the last word:
#   a string stays text (null, 42), 007 is an integer if an integer is wanted. So a comma or a bracket cannot stand in
#   bare text; what breaks by that is refused, as is bare text that holds a marker, NaN and numbers no float can hold,
#   and text with a comment or a tag in it where the schema wants no string
# - a bare value that begins with a backtick or another quote ends with it, or is refused: it was cut within its quotes
# - where the dialect quotes every scalar (`all_quoted`), the text between markers of a parameter is typed by its schema
#
# Strings go out as they arrive, except those that the schema must still type. Bare text goes out when it is whole.
"""Objects with bare keys and quote markers, incrementally."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from toolglean.scan.nested import DepthError
from toolglean.scan.reader import DONE, DOUBTED, FAILED, NEED, Steps, quoted_text
from toolglean.scan.rope import Rope, joined
from toolglean.scan.until import until
from toolglean.values.coerce import coerce_within, is_text, json_text, known

__all__ = ["ODD_QUOTES", "QuotedReader"]

# States, named for what has been read.
START = 0  # nothing: the opening bracket
KEY = 1  # `{` or `{a:1,`: a key or the closing bracket
BARE_KEY = 2  # `{a`
NAMED = 3  # `{"a"`: the colon
VALUE = 4  # `{a:`: a value
ITEM = 5  # `[` or `[1,`: a value or the closing bracket
MARK = 6  # `<|`, perhaps a quote marker
TEXT = 7  # `<|"|>ab`
STRING = 8  # `"ab`
ESCAPE = 9  # `"ab\`
HEX = 10  # `"ab\u00`
BARE = 11  # `{a:tru`
AFTER = 12  # a value: a comma or the closing bracket
END_MARK = 13  # `{a:1<tool_c`, perhaps the marker that ends the call

# Open containers, one character each. An object changes its character between key and value.
OBJECT = "{"
OBJECT_VALUE = ":"
LIST = "["

MAX_KEY = 256
MAX_DIGITS = 4300

_space = re.compile(r"[ \t\n\r]*").match
_key_body = re.compile(r"""[^:{}\[\](),"'\n\r]*""").match
_keyword_body = re.compile(r"""[^:={}\[\](),"'\n\r]*""").match
_string_body = re.compile(r'[^"\\]*').match
_bare_bodies = {
    (closer, mark): re.compile(rf"[^,{re.escape(closer + mark)}]*").match for closer in "})]" for mark in ("", "<")
}
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_markup = re.compile(r"//|/\*|#|<!--|</?[A-Za-z_]").search
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_ESCAPES = frozenset('"\\/bfnrt')
_CONSTANTS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
ODD_QUOTES = {
    "`": "`",
    "'": "'",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u00ab": "\u00bb",
}
"""Quotes that models write where the marker belongs, and what closes them."""
_BRACKETS = frozenset("{}[]()")
_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


class QuotedReader(Steps):
    """Reads one object, from its opening to its closing bracket.

    Args:
        quote: the marker before and behind a string.
        max_depth: how many containers may be open.
        all_quoted: whether numbers, constants, lists and objects may stand between markers too.
        properties: the JSON schema of each parameter, where it is known.
        root: the schema in which their `$ref` is looked up.
        ends: markers that end the call: bare text ends before them, and a bracket is missing.
        wary: whether to stop, once, at a bare value that may lack its markers: one that the schema calls a string, or
            that begins with another quote.

    Attributes:
        rest: after FAILED, the marker that was read and is not the reader's.
    """

    __slots__ = (
        "_all_quoted", "_closer", "_ends", "_flows", "_held", "_key", "_lead", "_loose", "_properties", "_quote",
        "_root", "_stack", "_typed", "_value", "_wary", "rest",
    )  # fmt: skip

    ropes = frozenset({"_value"})

    def __init__(
        self,
        quote: str,
        max_depth: int = 256,
        *,
        all_quoted: bool = False,
        properties: Mapping[str, Any] | None = None,
        root: Mapping[str, Any] | None = None,
        ends: tuple[str, ...] = (),
        wary: bool = False,
    ) -> None:
        super().__init__(max_depth)
        self._ends = tuple(end for end in ends if end[0] == "<")
        self._wary = wary
        self._loose = False  # whether bare text holds a bracket, or in a list a colon: it may be more than one value
        self.rest = ""
        self._quote = quote
        self._all_quoted = all_quoted
        self._properties = properties
        self._root = root
        self._stack = ""
        self._closer = "}"  # of the outer object
        self._lead = ""  # the comma that goes out before the next item
        self._held = ""  # what may be the beginning of a marker
        self._key = ""  # the parameter, as the inside of a JSON string
        self._flows = True  # whether the string goes out and nothing else becomes of it
        self._typed = False  # whether the string is held until it can be typed
        self._value: Rope = ()  # bare text, or a string to be typed

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        # Most chunks of a long string stop here.
        if self.state == TEXT and self._flows and not self._held and self._quote[0] not in text:
            return len(text), quoted_text(text[pos:]), NEED
        return super().read(text, pos)

    def stops(self) -> str:
        """See `Reader.stops`."""
        return self._quote[0] if self.state == TEXT and self._flows and not self._held else ""

    def relent(self) -> bool:
        """See `Reader.relent`."""
        if self.status not in {FAILED, DOUBTED} or self.fault == "depth":
            return False
        self.status, self.fault, self.rest = NEED, "", ""
        self._wary = False
        return True

    def brackets(self) -> str:
        """See `Reader.brackets`."""
        if self._loose:
            return ""  # nobody knows where the missing one was meant to be
        inner = ["]" if each == LIST else "}" for each in self._stack[1:]]
        return "".join([*reversed(inner), self._closer if self._stack else ""])

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Reader.quoting`."""
        return self._quote, tuple(self._properties or ())

    @property
    def schema(self) -> Any:
        """The schema of the parameter whose value is read; None within it, and where none is known."""
        if self._properties is None or self._stack != OBJECT_VALUE or len(self._key) > MAX_KEY:
            return None
        return self._properties.get(json.loads(f'"{self._key}"'))

    def closer(self) -> str:
        """The bracket that closes the innermost container."""
        if len(self._stack) == 1:
            return self._closer
        return "]" if self._stack[-1] == LIST else "}"

    def signs(self) -> str:
        """What may part a key from its value."""
        return ":=" if self._closer == ")" and len(self._stack) == 1 else ":"

    def begin_item(self) -> None:
        """A key or an item begins: the comma before it is certain."""
        if self._lead:
            self.out.append(self._lead)
            self._lead = ""

    def begin_string(self, state: int) -> None:
        """A string begins here, or a key."""
        self.begin_item()
        if self._stack == OBJECT:
            self._key = ""
        self._typed = state == TEXT and self._all_quoted and not is_text(self.schema, self._root)
        self._flows = not self._typed and self._stack != OBJECT
        if not self._typed:
            self.out.append('"')
        self.state = state

    def take(self, piece: str) -> None:
        """A piece of the string, as the inside of a JSON string."""
        if self._stack == OBJECT and len(self._key) <= MAX_KEY:
            self._key += piece
        self.out.append(piece)

    def end_string(self) -> None:
        """The string is whole. Raises DepthError as `typed` does."""
        if self._typed:
            text, self._value = joined(self._value), ()
            self.out.append(json_text(self.typed(text)))
            self._typed = False
        else:
            self.out.append('"')
        self.state = NAMED if self._stack[-1] == OBJECT else AFTER

    def typed(self, text: str) -> Any:
        """The value that the text of a parameter stands for. Raises DepthError where it is nested too deeply."""
        return coerce_within(text, self.schema, self._root, self.max_depth - len(self._stack))

    def push(self, bracket: str, pos: int) -> int:
        """Open the container whose bracket stands at `pos`."""
        if len(self._stack) >= self.max_depth:
            return self.fail("depth", pos)
        self.begin_item()
        self.out.append("[" if bracket == LIST else "{")
        self._stack += LIST if bracket == LIST else OBJECT
        self.state = ITEM if bracket == LIST else KEY
        return pos + 1

    def pop(self, pos: int) -> int:
        """Close the innermost container, whose bracket stands at `pos`."""
        self.out.append("]" if self._stack[-1] == LIST else "}")
        self._stack, self._lead = self._stack[:-1], ""
        self.state = AFTER
        if not self._stack:
            self.status = DONE
        return pos + 1


def _start(reader: QuotedReader, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]  # the pattern matches the empty string
    if pos == len(text):
        return pos
    if text[pos] not in "{(":
        return reader.fail("an object was expected", pos)
    reader._closer = "}" if text[pos] == "{" else ")"
    return reader.push(OBJECT, pos)


def _key(reader: QuotedReader, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]
    if pos == len(text):
        return pos
    char = text[pos]
    if char == reader.closer():
        return reader.pop(pos)
    if char == reader._quote[0]:
        reader.state = MARK
        return pos
    if char == '"':
        reader.begin_string(STRING)
        return pos + 1
    if _key_body(text, pos).end() == pos:  # type: ignore[union-attr]
        return reader.fail("a key was expected", pos)
    reader.state, reader._key = BARE_KEY, ""
    return pos


def _bare_key(reader: QuotedReader, text: str, pos: int) -> int:
    signs = reader.signs()
    begin, pos = pos, (_key_body if signs == ":" else _keyword_body)(text, pos).end()  # type: ignore[union-attr]
    room = MAX_KEY - len(reader._key)
    if pos - begin > room:
        return reader.fail(f"a key of at most {MAX_KEY} characters was expected", begin + room)
    reader._key += text[begin:pos]
    if pos == len(text):
        return pos
    if text[pos] in "\r\n":
        reader.state = NAMED
    elif text[pos] not in signs:
        return reader.fail("a colon was expected", pos)
    reader._key = quoted_text(reader._key.rstrip())
    reader.begin_item()
    reader.out.append(f'"{reader._key}"')
    reader.state = NAMED
    return pos


def _named(reader: QuotedReader, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]
    if pos == len(text):
        return pos
    if text[pos] not in reader.signs():
        return reader.fail("a colon was expected", pos)
    reader.out.append(": ")
    reader._stack = reader._stack[:-1] + OBJECT_VALUE
    reader.state = VALUE
    return pos + 1


def _value(reader: QuotedReader, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]
    if pos == len(text):
        return pos
    char = text[pos]
    if char == reader._quote[0]:
        reader.state = MARK
        return pos
    if char == '"':
        reader.begin_string(STRING)
        return pos + 1
    if char in "{[":
        return reader.push(char, pos)
    if char == "]" and reader.state == ITEM:
        return reader.pop(pos)
    if char in ",)]}":
        return reader.fail("a value was expected", pos)
    if reader._wary and (char in ODD_QUOTES or _is_string(reader)):
        reader.status = DOUBTED
        return pos
    reader.state = BARE
    return pos


def _is_string(reader: QuotedReader) -> bool:
    schema = reader.schema
    return known(schema, reader._root) and is_text(schema, reader._root)


def _mark(reader: QuotedReader, text: str, pos: int) -> int:
    quote, held = reader._quote, reader._held
    while pos < len(text) and len(held) < len(quote) and text[pos] == quote[len(held)]:
        held += text[pos]
        pos += 1
    reader._held = held
    if held == quote:
        reader._held = ""
        reader.begin_string(TEXT)
    elif pos < len(text):
        if reader._stack[-1] == OBJECT:
            return reader.fail("a key was expected", pos)
        reader.state, reader._value, reader._held = BARE, ((), held), ""
    return pos


def _text(reader: QuotedReader, text: str, pos: int) -> int:
    piece, pos, reader._held, found = until(text, pos, reader._held, reader._quote)
    if piece and reader._typed:
        reader._value = (reader._value, piece)
    elif piece:
        reader.take(quoted_text(piece))
    if found:
        try:
            reader.end_string()
        except DepthError:
            return reader.fail("depth", pos - 1)
    return pos


def _string(reader: QuotedReader, text: str, pos: int) -> int:
    begin, pos = pos, _string_body(text, pos).end()  # type: ignore[union-attr]
    if pos > begin:
        reader.take(quoted_text(text[begin:pos]))
        if pos == len(text):
            return pos
    if text[pos] == '"':
        reader.end_string()
    else:
        reader.state = ESCAPE
    return pos + 1


def _escape(reader: QuotedReader, text: str, pos: int) -> int:
    if text[pos] == "u":
        reader.state, reader._held = HEX, "\\u"
    elif text[pos] in _ESCAPES:
        reader.take("\\" + text[pos])
        reader.state = STRING
    else:
        return reader.fail("an escape was expected", pos)
    return pos + 1


def _hex(reader: QuotedReader, text: str, pos: int) -> int:
    if text[pos] not in _HEX_DIGITS:
        return reader.fail("four hexadecimal digits were expected", pos)
    reader._held += text[pos]
    if len(reader._held) == len("\\u0000"):
        reader.take(reader._held)
        reader.state, reader._held = STRING, ""
    return pos + 1


def _bare(reader: QuotedReader, text: str, pos: int) -> int:
    # Up to the next place at which a marker may begin, and no further: what follows it is looked at when it is reached.
    mark = "<" if reader._ends else ""
    begin, pos = pos, _bare_bodies[reader.closer(), mark](text, pos).end()  # type: ignore[union-attr]
    if pos > begin:
        reader._value = (reader._value, text[begin:pos])
    if pos == len(text):
        return pos
    if text[pos] == "<" and reader._ends:
        reader.state = END_MARK
        return pos
    return _end_bare(reader, pos)


def _end_bare(reader: QuotedReader, pos: int) -> int:
    word, reader._value = joined(reader._value).strip(), ()
    reader._loose = reader._loose or not _BRACKETS.isdisjoint(word) or (reader._stack[-1] == LIST and ":" in word)
    try:
        found = _bare_value(word, reader)
    except DepthError:
        return reader.fail("depth", pos)
    if not found:
        return reader.fail("a value was expected", pos)
    reader.begin_item()
    reader.out.append(found)
    reader.state = AFTER
    return pos


def _end_mark(reader: QuotedReader, text: str, pos: int) -> int:
    # What may be the marker that ends the call. It is not the reader's: it is given back.
    held = reader._held + text[pos]
    if any(end.startswith(held) for end in reader._ends):
        reader._held, pos = held, pos + 1
        if held in reader._ends:
            reader._held = ""
            _end_bare(reader, pos)
            reader.rest = held
            return reader.fail(reader.fault or f"a comma or {reader.closer()} was expected", pos)
        return pos
    taken = reader._held or text[pos]
    reader._value, reader.state = (reader._value, taken), BARE
    pos += not reader._held
    reader._held = ""
    return pos


def _bare_value(word: str, reader: QuotedReader) -> str:
    """The JSON text of a bare value, or "" if there is none."""
    if len(word) > 1 and word[0] in ODD_QUOTES and not word[1:].endswith(ODD_QUOTES[word[0]]):
        return ""  # a comma or bracket within the quotes has cut it
    schema, root = reader.schema, reader._root
    if known(schema, root) and reader._quote not in word:
        if is_text(schema, root, word):
            return json_text(_unquoted(word))
        value = reader.typed(word)
        if not isinstance(value, str):
            return json_text(value)
        if _markup(word):  # what should be a number, say, and has a comment beside it, is not text
            return ""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if _number(word):
        whole = word.lstrip("-").isdigit()
        return word if len(word) <= MAX_DIGITS and (whole or not math.isinf(float(word))) else ""
    return json_text(_unquoted(word)) if word not in _NO_NUMBERS and reader._quote not in word else ""


def _unquoted(word: str) -> str:
    inner = word[1:-1]
    return inner if word == f"'{inner}'" and "'" not in inner else word


def _after(reader: QuotedReader, text: str, pos: int) -> int:
    pos = _space(text, pos).end()  # type: ignore[union-attr]
    if pos == len(text):
        return pos
    closer = reader.closer()
    if text[pos] == closer:
        return reader.pop(pos)
    if text[pos] != ",":
        return reader.fail(f"a comma or {closer} was expected", pos)
    if reader._stack[-1] == LIST:
        reader.state = ITEM
    else:
        reader._stack, reader.state = reader._stack[:-1] + OBJECT, KEY
    reader._lead = ", "
    return pos + 1


QuotedReader.steps = (
    _start, _key, _bare_key, _named, _value, _value, _mark, _text, _string, _escape, _hex, _bare, _after,
    _end_mark,
)  # fmt: skip
