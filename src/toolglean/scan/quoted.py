# What this file knows: objects with bare keys, whose strings are between markers of their own.
# Does not depend on formats: it is told the marker and the tool's schema. What a bare value means is in bare.py.
#
#   {k:<|"|>text<|"|>,n:1,o:{a:true},l:[1,<|"|>x<|"|>],e:null}   →   {"k": "text", "n": 1, "o": {"a": true}, …}
#
# What real turns and the engines' tests contain, and what therefore is read:
# - keys: bare (up to the colon, spaces at their edges do not count), between markers, or a JSON string
# - strings: everything up to the next marker, without any escape; or a JSON string, whose escapes must be right
# - the outer object in braces or in parentheses, where an equals sign may replace the colon (`(city="Oslo")`);
#   white space anywhere; a comma before a closing bracket
# - bare text: whatever is between the colon (in lists the comma) and the next comma or the closing bracket of its
#   container, without the white space around it. So it cannot contain a comma or a bracket
# - where the dialect quotes every scalar (`all_quoted`), the text between markers of a parameter is typed by its schema
#
# Strings go out as they arrive, except those that the schema must still type. Bare text goes out when it is whole.
"""Objects with bare keys and quote markers, incrementally."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolglean.scan.bare import ODD_QUOTES, bare_value
from toolglean.scan.coerce import coerce_within, is_text, json_text, known
from toolglean.scan.json import ESCAPES, HEX_DIGITS
from toolglean.scan.nested import DepthError
from toolglean.scan.reader import DONE, DOUBTED, NEED, Search, Steps, quoted_text, stop_search
from toolglean.scan.rope import Rope, joined
from toolglean.scan.text import passing, until

__all__ = ["QuotedReader"]

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
ESCAPE = 9  # `"ab\` or `"ab\u00`
BARE = 10  # `{a:tru`
AFTER = 11  # a value: a comma or the closing bracket
END_MARK = 12  # `{a:1<tool_c`, perhaps the marker that ends the call

# Open containers, one character each. An object changes its character between key and value.
OBJECT = "{"
OBJECT_VALUE = ":"
LIST = "["
_CLOSERS = {OBJECT: "}", OBJECT_VALUE: "}", LIST: "]"}

MAX_KEY = 256

_key_body = passing(r"""[^:{}\[\](),"'\n\r]*""")
_keyword_body = passing(r"""[^:={}\[\](),"'\n\r]*""")
_string_body = passing(r'[^"\\]*')
_bare_bodies = {
    (closer, bool(mark)): passing(rf"[^,{re.escape(closer + mark)}]*") for closer in "})]" for mark in ("", "<")
}
_BRACKETS = frozenset("{}[]()")


class QuotedReader(Steps):
    """Reads one object, from its opening to its closing bracket.

    Args:
        quote: the marker before and after a string.
        max_depth: how many containers may be open.
        all_quoted: whether numbers, constants, lists and objects may be between markers too.
        properties: the JSON schema of each parameter, where it is known.
        root: the schema in which their `$ref` is looked up.
        ends: markers that end the call: bare text ends before them, and a bracket is missing.
        stop_on_missing_quote: whether to stop, once, at a bare value that may lack its markers: one that the schema
            calls a string, or that begins with another quote.
    """

    __slots__ = (
        "_all_quoted",
        "_closer",
        "_ends",
        "_held",
        "_key",
        "_lead",
        "_loose",
        "_properties",
        "_quote",
        "_root",
        "_stack",
        "_stop_on_missing_quote",
        "_typed",
        "_value",
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
        stop_on_missing_quote: bool = False,
    ) -> None:
        super().__init__(max_depth)
        self._ends, self._stop_on_missing_quote = tuple(end for end in ends if end[0] == "<"), stop_on_missing_quote
        self._loose = False  # whether a bare value has a bracket in it, or in a list a colon: it may be several values
        self._quote, self._all_quoted = quote, all_quoted
        self._properties, self._root = properties, root
        self._stack = ""
        self._closer = "}"  # of the outer object
        self._lead = ""  # the comma that goes out before the next item
        self._held = ""  # what may be the beginning of a marker; an escape so far
        self._key = ""  # the parameter, as the inside of a JSON string
        self._typed = False  # whether the string is held until it can be typed
        self._value: Rope = ()  # bare text, or a string to be typed

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        # Most chunks of a long string stop here.
        if self.state == TEXT and not self._held and self._quote[0] not in text and self._flows:
            return len(text), quoted_text(text[pos:]), NEED
        return super().read(text, pos)

    def search(self) -> Search | None:
        """See `Reader`."""
        return stop_search(self._quote[0]) if self.state == TEXT and self._flows and not self._held else None

    @property
    def _flows(self) -> bool:
        # Whether the string goes out, and nothing else becomes of it.
        return not self._typed and self._stack != OBJECT

    def undo_refusal(self) -> bool:
        """See `Reader.relent`."""
        relents = super().undo_refusal()
        self._stop_on_missing_quote = self._stop_on_missing_quote and not relents
        return relents

    def brackets(self) -> str:
        """See `Reader.brackets`."""
        if self._loose:
            return ""  # nobody knows where the missing one was meant to be
        return "".join(_CLOSERS[each] for each in self._stack[:0:-1]) + (self._closer if self._stack else "")

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
        return self._closer if len(self._stack) == 1 else _CLOSERS[self._stack[-1]]

    def signs(self) -> str:
        """What may part a key from its value."""
        return ":=" if self._closer == ")" and len(self._stack) == 1 else ":"

    def write_item(self, text: str) -> None:
        """A key or an item begins with that text: the comma before it is certain."""
        self.out.append(self._lead + text)
        self._lead = ""

    def begin_string(self, state: int) -> None:
        """A string begins here, or a key."""
        if self._stack == OBJECT:
            self._key = ""
        self._typed = state == TEXT and self._all_quoted and not is_text(self.schema, self._root)
        self.write_item("" if self._typed else '"')
        self.state = state

    def take(self, piece: str) -> None:
        """A piece of the string, as the inside of a JSON string."""
        if self._stack == OBJECT and len(self._key) <= MAX_KEY:
            self._key += piece
        self.out.append(piece)

    def end_string(self) -> None:
        """The string is whole. Raises DepthError if it stands for a value that is nested too deeply."""
        if self._typed:
            text, self._value = joined(self._value), ()
            schema, root = self.schema, self._root
            self.out.append(json_text(coerce_within(text, schema, root, self.max_depth - len(self._stack))))
            self._typed = False
        else:
            self.out.append('"')
        self.state = NAMED if self._stack[-1] == OBJECT else AFTER

    def push(self, bracket: str, pos: int) -> int:
        """Open the container whose bracket is at `pos`."""
        if len(self._stack) >= self.max_depth:
            return self.fail("depth", pos)
        kind, self.state = (LIST, ITEM) if bracket == LIST else (OBJECT, KEY)
        self.write_item(kind)
        self._stack += kind
        return pos + 1

    def pop(self, pos: int) -> int:
        """Close the innermost container, whose bracket is at `pos`."""
        self.out.append(_CLOSERS[self._stack[-1]])
        self._stack, self._lead = self._stack[:-1], ""
        self.state, self.status = AFTER, NEED if self._stack else DONE
        return pos + 1

    def _read_start(self, text: str, pos: int) -> int:
        if text[pos] not in "{(":
            return self.fail("an object was expected", pos)
        self._closer = "}" if text[pos] == "{" else ")"
        return self.push(OBJECT, pos)

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
        self.state, self._key = BARE_KEY, ""
        return pos

    def _read_bare_key(self, text: str, pos: int) -> int:
        signs = self.signs()
        begin, pos = pos, (_key_body if signs == ":" else _keyword_body)(text, pos).end()
        room = MAX_KEY - len(self._key)
        if pos - begin > room:
            return self.fail(f"a key of at most {MAX_KEY} characters was expected", begin + room)
        self._key += text[begin:pos]
        if pos == len(text):
            return pos
        if text[pos] not in signs + "\r\n":
            return self.fail("a colon was expected", pos)
        self._key = quoted_text(self._key.rstrip())
        self.write_item(f'"{self._key}"')
        self.state = NAMED
        return pos

    def _read_named(self, text: str, pos: int) -> int:
        if text[pos] not in self.signs():
            return self.fail("a colon was expected", pos)
        self.out.append(": ")
        self._stack = self._stack[:-1] + OBJECT_VALUE
        self.state = VALUE
        return pos + 1

    def _read_value(self, text: str, pos: int) -> int:
        char = text[pos]
        if char in {self._quote[0], '"'}:
            return self._begin_quoted(char, pos)
        if char in "{[":
            return self.push(char, pos)
        if char == "]" and self.state == ITEM:
            return self.pop(pos)
        if char in ",)]}":
            return self.fail("a value was expected", pos)
        if self._stop_on_missing_quote and self._may_lack_marker(char):
            self.status = DOUBTED
            return pos
        self.state = BARE
        return pos

    def _may_lack_marker(self, char: str) -> bool:
        schema, root = self.schema, self._root
        return char in ODD_QUOTES or (known(schema, root) and is_text(schema, root))

    def _read_mark(self, text: str, pos: int) -> int:
        quote, held = self._quote, self._held
        while pos < len(text) and len(held) < len(quote) and text[pos] == quote[len(held)]:
            held += text[pos]
            pos += 1
        self._held = held
        if held == quote:
            self._held = ""
            self.begin_string(TEXT)
        elif pos < len(text):
            if self._stack[-1] == OBJECT:
                return self.fail("a key was expected", pos)
            self.state, self._value, self._held = BARE, ((), held), ""
        return pos

    def _read_text(self, text: str, pos: int) -> int:
        piece, pos, self._held, found = until(text, pos, self._held, self._quote)
        if piece and self._typed:
            self._value = (self._value, piece)
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
            self.state, self._held = ESCAPE, "\\"
        return pos + 1

    def _read_escape(self, text: str, pos: int) -> int:
        escape = self._held + text[pos]
        if self._held == "\\" and text[pos] not in ESCAPES:
            return self.fail("an escape was expected", pos)
        if self._held != "\\" and text[pos] not in HEX_DIGITS:
            return self.fail("four hexadecimal digits were expected", pos)
        self._held = escape
        if escape[1] != "u" or len(escape) == len("\\u0000"):
            self.take(escape)
            self.state, self._held = STRING, ""
        return pos + 1

    def _read_bare(self, text: str, pos: int) -> int:
        # Up to the next place at which a marker may begin, and no further: the rest is looked at when it is reached.
        begin, pos = pos, _bare_bodies[self.closer(), bool(self._ends)](text, pos).end()
        if pos > begin:
            self._value = (self._value, text[begin:pos])
        if pos < len(text) and text[pos] == "<" and self._ends:
            self.state = END_MARK
        elif pos < len(text):
            return self._end_bare(pos)
        return pos

    def _end_bare(self, pos: int) -> int:
        word, self._value = joined(self._value).strip(), ()
        self._loose = self._loose or not _BRACKETS.isdisjoint(word) or (self._stack[-1] == LIST and ":" in word)
        try:
            found = bare_value(word, self._quote, self.schema, self._root, self.max_depth - len(self._stack))
        except DepthError:
            return self.fail("depth", pos)
        if not found:
            return self.fail("a value was expected", pos)
        self.write_item(found)
        self.state = AFTER
        return pos

    def _read_end_mark(self, text: str, pos: int) -> int:
        # What may be the marker that ends the call. It is not the reader's: it is given back.
        held = self._held + text[pos]
        if not any(end.startswith(held) for end in self._ends):
            self._value, self.state = (self._value, self._held or held), BARE
            pos += not self._held
            self._held = ""
            return pos
        self._held = held
        if held not in self._ends:
            return pos + 1
        self._held, self.rest = "", held
        self._end_bare(pos + 1)
        return self.fail(self.fault or f"a comma or {self.closer()} was expected", pos + 1)

    def _read_after(self, text: str, pos: int) -> int:
        closer = self.closer()
        if text[pos] == closer:
            return self.pop(pos)
        if text[pos] != ",":
            return self.fail(f"a comma or {closer} was expected", pos)
        if self._stack[-1] == LIST:
            self.state = ITEM
        else:
            self._stack, self.state = self._stack[:-1] + OBJECT, KEY
        self._lead = ", "
        return pos + 1

    spaced = frozenset({START, KEY, NAMED, VALUE, ITEM, AFTER})
    steps = (
        _read_start, _read_key, _read_bare_key, _read_named, _read_value, _read_value, _read_mark, _read_text,
        _read_string, _read_escape, _read_bare, _read_after, _read_end_mark,
    )  # fmt: skip
