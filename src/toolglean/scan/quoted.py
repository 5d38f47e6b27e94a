# Objects with bare keys, whose strings are between markers of their own. Does not depend on formats: the caller gives
# the marker and the tool's schema. bare.py decides what a bare value means.
#
#   {k:<|"|>text<|"|>,n:1,o:{a:true},l:[1,<|"|>x<|"|>],e:null}   →   {"k": "text", "n": 1, "o": {"a": true}, …}
#
# All of this appears in real turns or in the tests of inference engines, and is read:
# - keys: bare (up to the colon, without the white space around them), between markers, or as a JSON string
# - strings: everything up to the next marker, without escapes; or a JSON string with valid escapes
# - the outer object in braces or in parentheses; an equals sign may replace the colon in parentheses (`(city="Oslo")`),
#   and in braces behind a declared key (`{city="Oslo"}`)
# - white space anywhere, and a comma before a closing bracket
# - bare text: everything between the colon (in lists, the comma) and the next comma or the closing bracket of its
#   container, without the white space around it. So it cannot contain that bracket; nor a comma, except with `commas`
#   in a parameter that the schema calls a string: there a comma ends it only before a key
# - if the dialect quotes every scalar (`all_quoted`), the schema of a parameter types the text between its markers
#
# Strings are emitted as they arrive, except those that the schema must still type; bare text is emitted when it is
# whole.
"""Objects with bare keys and quote markers, incrementally."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from toolglean.scan.bare import ODD_QUOTES, bare_value
from toolglean.scan.coerce import coerce_within, is_text, json_text, known
from toolglean.scan.nested import DepthError
from toolglean.scan.reader import MAX_NAME, DialectReader, quoted_text
from toolglean.scan.scanner import DONE, DOUBT, Scanner, loop
from toolglean.scan.text import passing, until

__all__ = ["QuotedReader"]

# States, named for what has been read. White space is skipped before those up to AFTER.
START = 0  # nothing: the opening bracket
KEY = 1  # `{` or `{a:1,`: a key or the closing bracket
NAMED = 2  # `{"a"`: the colon
VALUE = 3  # `{a:`: a value
ITEM = 4  # `[` or `[1,`: a value or the closing bracket
AFTER = 5  # a value: a comma or the closing bracket
BARE_KEY = 6  # `{a`
MARK = 7  # `<|`, perhaps a quote marker
TEXT = 8  # `<|"|>ab`
STRING = 9  # `"ab`
ESCAPE = 10  # `"ab\` or `"ab\u00`
BARE = 11  # `{a:tru`
END_MARK = 12  # `{a:1<tool_c`, perhaps the marker that ends the call
COMMA = 13  # `{a:Oslo,`, perhaps the end of the value

# Open containers, one character each. An object changes its character between key and value.
OBJECT = "{"
OBJECT_VALUE = ":"
LIST = "["
_CLOSERS = {OBJECT: "}", OBJECT_VALUE: "}", LIST: "]"}

_key_body = passing(r"""[^:{}\[\](),"'\n\r]*""")
_keyword_body = passing(r"""[^:={}\[\](),"'\n\r]*""")
_string_body = passing(r'[^"\\]*')
_bare_bodies = {
    (closer, bool(mark)): passing(rf"[^,{re.escape(closer + mark)}]*") for closer in "})]" for mark in ("", "<")
}
_BRACKETS = frozenset("{}[]()")
_key_after = re.compile(r"""[ \t]*(?:"[^"\n]*"|[^\s:={}\[\](),"'<]+)[ \t]*(?P<sign>[:=])""").match
_begun_key = re.compile(r"""[ \t]*(?:"[^"\n]*"?|[^\s:={}\[\](),"'<]*)[ \t]*""").fullmatch


class QuotedReader(DialectReader):
    """Reads one object, from its opening to its closing bracket.

    Args:
        quote: the marker before and after a string.
        max_depth: how many containers may be open.
        all_quoted: whether numbers, constants, lists and objects may be between markers too.
        properties: the JSON schema of each parameter, if known.
        root: the schema in which their `$ref` is looked up.
        ends: the markers that end the call. Bare text ends before them; then a bracket is missing.
        commas: whether bare text of a parameter that the schema calls a string may contain commas.
        stop_on_missing_quote: whether to stop, once, at a bare value that may lack its markers: one that the schema
            calls a string, or that begins with another quote.
    """

    __slots__ = (
        "_all_quoted", "_bare_text", "_closer", "_commas", "_ends", "_key", "_loose", "_properties", "_quote",
        "_root", "_stop_on_missing_quote", "_typed",
    )  # fmt: skip

    closers: ClassVar = _CLOSERS

    def __init__(
        self,
        quote: str,
        max_depth: int = 256,
        *,
        all_quoted: bool = False,
        properties: Mapping[str, Any] | None = None,
        root: Mapping[str, Any] | None = None,
        ends: tuple[str, ...] = (),
        stop_on_missing_quote: bool = False,
        commas: bool = False,
    ) -> None:
        super().__init__(max_depth)
        self._ends, self._stop_on_missing_quote = tuple(end for end in ends if end[0] == "<"), stop_on_missing_quote
        self._loose = False  # whether a bare value contains a bracket, or in a list a colon: it may be several values
        self._bare_text = False  # whether the last parameter is text without markers, which a comma may have cut
        self._quote, self._all_quoted, self._commas = quote, all_quoted, commas
        self._properties, self._root = properties, root
        self._closer = "}"  # of the outer object
        self._key = ""  # the parameter, as the inside of a JSON string
        self._typed = False  # whether the string is held until it can be typed

    def stops(self) -> str:
        """See `DialectReader`."""
        return self._quote[0] if self.state == TEXT and self._flows and not self.held else ""

    @property
    def _flows(self) -> bool:
        # Whether the string is emitted as it is, and nothing else is done with it.
        return not self._typed and self.stack != OBJECT

    def undo_refusal(self) -> bool:
        """See `Scanner`."""
        undone = super().undo_refusal()
        self._stop_on_missing_quote = self._stop_on_missing_quote and not undone
        return undone

    def brackets(self) -> str:
        """See `Scanner`."""
        if self._loose:
            return ""  # the place of the missing one cannot be known
        return "".join(_CLOSERS[each] for each in self.stack[:0:-1]) + (self._closer if self.stack else "")

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Reader`."""
        return self._quote, tuple(self._properties or ())

    @property
    def schema(self) -> Any:
        """The schema of the parameter whose value is read. None inside that value, and if the schema is not known."""
        if self._properties is None or self.stack != OBJECT_VALUE or len(self._key) > MAX_NAME:
            return None
        return self._properties.get(json.loads(f'"{self._key}"'))

    def closer(self) -> str:
        """The bracket that closes the innermost container."""
        return self._closer if len(self.stack) == 1 else _CLOSERS[self.stack[-1]]

    def signs(self, key: str = "") -> str:
        """The characters that may separate a key from its value, or that one."""
        return ":=" if len(self.stack) == 1 and (self._closer == ")" or key in (self._properties or ())) else ":"

    def begin_string(self, state: int) -> None:
        """A string begins here, or a key."""
        if self.stack == OBJECT:
            self._key = ""
        self._typed = state == TEXT and self._all_quoted and not is_text(self.schema, self._root)
        self.write_item("" if self._typed else '"')
        self.state = state

    def take(self, piece: str) -> None:
        """A piece of the string, as the inside of a JSON string."""
        if self.stack == OBJECT and len(self._key) <= MAX_NAME:
            self._key += piece
        self.write(piece)

    def end_string(self) -> None:
        """The string is whole.

        Raises:
            DepthError: it is typed, and its value is nested too deeply.
        """
        if self._typed:
            text, schema, root = self.take_collected(), self.schema, self._root
            self.write(json_text(coerce_within(text, schema, root, self.max_depth - len(self.stack))))
            self._typed = False
        else:
            self.write('"')
        self.state = NAMED if self.stack[-1] == OBJECT else AFTER

    def opens(self, kind: str) -> None:
        """See `Scanner`."""
        self.write_item(kind)

    def pop(self, pos: int) -> int:
        """Close the innermost container, whose bracket is at `pos`."""
        self.write(_CLOSERS[self.stack[-1]])
        self.stack, self.lead = self.stack[:-1], ""
        self.state, self.token = AFTER, self.token if self.stack else DONE
        return pos + 1

    def _read_start(self, text: str, pos: int) -> int:
        if text[pos] not in "{(":
            return self.fail("an object was expected", pos)
        self._closer = "}" if text[pos] == "{" else ")"
        return self.push(OBJECT, KEY, pos)

    def _begin_quoted(self, char: str, pos: int) -> int:
        if char == self._quote[0]:
            self.state = MARK
            return pos
        self.begin_string(STRING)
        return pos + 1

    def _read_key(self, text: str, pos: int) -> int:
        char = text[pos]
        if char == self.closer():
            return self.pop(pos)
        if char in {self._quote[0], '"'}:
            return self._begin_quoted(char, pos)
        if _key_body(text, pos).end() == pos:
            return self.fail("a key was expected", pos)
        self.state, self.held = BARE_KEY, ""
        return pos

    def _read_bare_key(self, text: str, pos: int) -> int:
        body = _keyword_body if len(self.stack) == 1 else _key_body
        pos = self.take_name(text, pos, body(text, pos).end(), "a key")
        if pos == len(text) or self.token:
            return pos
        if text[pos] not in self.signs(self.held.strip()) + "\r\n":
            return self.fail("a colon was expected", pos)
        key, self.held = self.held.rstrip(), ""
        return self._begin_item(key, pos)

    def _read_named(self, text: str, pos: int) -> int:
        if text[pos] not in self.signs(json.loads(f'"{self._key}"')):
            return self.fail("a colon was expected", pos)
        cut, self._bare_text = self._bare_text and self.stack == OBJECT, False
        if cut and self._properties and json.loads(f'"{self._key}"') not in self._properties:
            return self.fail("a parameter of the tool was expected", pos)  # it may be a part of the text before it
        self.write(": ")
        self.stack = self.stack[:-1] + OBJECT_VALUE
        self.state = VALUE
        return pos + 1

    def _read_value(self, text: str, pos: int) -> int:
        char = text[pos]
        if char in {self._quote[0], '"'}:
            return self._begin_quoted(char, pos)
        if char in "{[":
            return self.push(char, ITEM if char == LIST else KEY, pos)
        if char == "]" and self.state == ITEM:
            return self.pop(pos)
        if char in ",)]}":
            return self.fail("a value was expected", pos)
        if self._stop_on_missing_quote and (char in ODD_QUOTES or self._is_string()):
            self.token = DOUBT
            return pos
        self.state = BARE
        return pos

    def _is_string(self) -> bool:
        # Whether the schema says that the parameter is one.
        schema, root = self.schema, self._root
        return known(schema, root) and is_text(schema, root)

    def _read_mark(self, text: str, pos: int) -> int:
        pos, quote = self.spell(text, pos, self._quote), self._quote
        if self.held == quote:
            self.held = ""
            self.begin_string(TEXT)
        elif pos < len(text):
            if self.stack[-1] == OBJECT:
                return self.fail("a key was expected", pos)
            self.collected, self.state, self.held = ((), self.held), BARE, ""
        return pos

    def _read_text(self, text: str, pos: int) -> int:
        piece, pos, self.held, found = until(text, pos, self.held, self._quote)
        if piece and self._typed:
            self.collect(piece)
        elif piece:
            self.take(quoted_text(piece))
        if found:
            try:
                self.end_string()
            except DepthError:
                return self.fail("depth", pos - 1)
        return pos

    def _read_string(self, text: str, pos: int) -> int:
        begin, pos = pos, _string_body(text, pos).end()
        if pos > begin:
            self.take(quoted_text(text[begin:pos]))
            if pos == len(text):
                return pos
        if text[pos] == '"':
            self.end_string()
        else:
            self.state, self.held = ESCAPE, ""
        return pos + 1

    def end_escape(self, escape: str) -> None:
        """See `Scanner`."""
        self.take(escape)
        self.state = STRING

    def _read_bare(self, text: str, pos: int) -> int:
        # Up to the next place at which a marker may begin.
        begin, pos = pos, _bare_bodies[self.closer(), bool(self._ends)](text, pos).end()
        if pos > begin:
            self.collect(text[begin:pos])
        if pos < len(text) and text[pos] == "<" and self._ends:
            self.state = END_MARK
        elif pos < len(text) and text[pos] == "," and self._commas and self._is_string():
            self.state, self.held = COMMA, ""
            return pos + 1
        elif pos < len(text):
            return self._end_bare(pos)
        return pos

    def _read_comma(self, text: str, pos: int) -> int:
        # A comma in the text of a parameter ends the value if a key follows. With a blank before it, only a declared
        # one is a key: `Oslo, Norway: the north`.
        while pos < len(text):
            char = text[pos]
            if not self.held.strip() and char in {self._quote[0], self.closer()}:
                return self._end_at_comma(pos)
            self.held += char
            pos += 1
            found = _key_after(self.held)
            if found is not None and found["sign"] in self.signs() and self._is_key(self.held):
                key, self.held = self.held[:-1].strip().strip('"'), ""
                end = self._end_at_comma(pos - 1)  # the value before it may be refused
                return end if self.token else self._begin_item(key, pos - 1)
            if found is not None or _begun_key(self.held) is None or len(self.held) > MAX_NAME:
                self.collect("," + self.held[:-1])
                self.state, self.held = BARE, ""
                return pos - 1
        return pos

    def _end_at_comma(self, pos: int) -> int:
        self.held = ""
        pos = self._end_bare(pos)
        if not self.token:
            self.stack, self.lead, self.state = self.stack[:-1] + OBJECT, ", ", KEY
        return pos

    def _begin_item(self, key: str, pos: int) -> int:
        self._key = quoted_text(key)
        self.write_item(f'"{self._key}"')
        self.state = NAMED
        return pos

    def _is_key(self, held: str) -> bool:
        key = held[:-1].strip().strip('"')
        return not held[0].isspace() or (self._properties is not None and key in self._properties)

    def _end_bare(self, pos: int) -> int:
        word = self.take_collected().strip()
        self._loose = self._loose or not _BRACKETS.isdisjoint(word) or (self.stack[-1] == LIST and ":" in word)
        try:
            found = bare_value(word, self._quote, self.schema, self._root, self.max_depth - len(self.stack))
        except DepthError:
            return self.fail("depth", pos)
        if not found:
            self.collect(word)  # see `refused`
            return self.fail("a value was expected", pos)
        self.write_item(found)
        self._bare_text = found[0] == '"' and self.stack == OBJECT_VALUE
        self.state = AFTER
        return pos

    def _read_end_mark(self, text: str, pos: int) -> int:
        # This may be the marker that ends the call. It is not the reader's, so it is returned in `rest`.
        held = self.held + text[pos]
        if not any(end.startswith(held) for end in self._ends):
            self.collect(self.held or held)
            pos += not self.held
            self.state, self.held = BARE, ""
            return pos
        self.held = held
        if held not in self._ends:
            return pos + 1
        self.held, self.rest = "", held
        self._end_bare(pos + 1)
        return self.fail(self.fault or f"a comma or {self.closer()} was expected", pos + 1)

    def _read_after(self, text: str, pos: int) -> int:
        closer = self.closer()
        if text[pos] == closer:
            return self.pop(pos)
        if text[pos] != ",":
            return self.fail(f"a comma or {closer} was expected", pos)
        if self.stack[-1] == LIST:
            self.state = ITEM
        else:
            self.stack, self.state = self.stack[:-1] + OBJECT, KEY
        self.lead = ", "
        return pos + 1

    states = (
        _read_start, _read_key, _read_named, _read_value, _read_value, _read_after, _read_bare_key, _read_mark,
        _read_text, _read_string, Scanner.read_escape, _read_bare, _read_end_mark, _read_comma,
    )  # fmt: skip
    advance = loop(states, AFTER + 1)
