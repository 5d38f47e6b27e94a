# One value as JSON, JavaScript or Python write it: text between quotes, a list, or an object, whose keys may lack their
# quotes. Does not depend on what the value is for.
#
# The end of such a value shows only in its brackets and quotes, so these are followed character by character, and the
# value is decoded when it is whole. Nothing in a string counts as a bracket, and nothing is escaped in other ways than
# by a backslash.
"""Values in JSON, JavaScript or Python, and objects of them, incrementally."""

from __future__ import annotations

import re
from typing import Any

from toolglean.scan.json import decode
from toolglean.scan.plain import Plain, Rope, grown, joined
from toolglean.scan.python import literal_text
from toolglean.scan.reader import DialectReader
from toolglean.scan.scanner import DONE
from toolglean.scan.text import passing
from toolglean.scan.tokens import value_text

__all__ = ["NO", "ObjectReader", "ValueScanner", "as_json", "value_of"]

OPENERS = {"{": "}", "[": "]", "(": ")"}
QUOTES = frozenset("\"'")
# Strings, which are passed over, and keys without quotes. A string that does not end is passed over, too: else another
# one would be looked for from each quote in it.
_bare_key = re.compile(
    r"""(?s:"(?:\\.|[^"\\])*(?:"|\\?\Z)|'(?:\\.|[^'\\])*(?:'|\\?\Z))|([{,]\s*)([^\W\d][\w$-]*)(?=\s*:)"""
).sub
# By the quote of the string that is open, "" for none: passes over what does not matter.
_skip = {quote: passing(rf"[^\\{quote}]*") for quote in QUOTES} | {"": passing(r"[^\"'{}\[\]()]*")}

NO = object()
"""The text is not a value."""


def as_json(text: str, max_depth: int = 256) -> str:
    """A value in JSON, Python or JavaScript, as JSON text; "" if it is none of these, or nested too deeply."""
    found, _ = value_text(text, max_depth)
    if found is None:
        text = _bare_key(lambda match: f'{match[1]}"{match[2]}"' if match[2] else match[0], text)
        found, _ = literal_text(text, max_depth)
    return found or ""


def value_of(text: str) -> Any:
    """The value of such a text; NO if it has none."""
    found = as_json(text)
    return decode(found)[0] if found else NO


class ValueScanner(Plain):
    """Finds the end of a value that begins with a quote or a bracket.

    Attributes:
        stack: the brackets that close the open containers.
        quote: the quote of the string that is open; "" if there is none.
        is_whole: whether the value has ended.
        fault: what is wrong with it: "depth", or the bracket that was expected.

    Args:
        max_depth: how many containers may be open.
    """

    __slots__ = ("_escaped", "_max_depth", "_text", "fault", "is_whole", "quote", "stack")
    ropes = frozenset({"_text"})

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self.stack = self.quote = self.fault = ""
        self.is_whole = self._escaped = False
        self._text: Rope = ()

    @property
    def text(self) -> str:
        """What was read."""
        return joined(self._text)

    def read(self, text: str, pos: int) -> int:
        """Read on, up to the end of the value or of the text. Returns the position reached."""
        begin = pos
        while not (self.is_whole or self.fault):
            pos = (pos if self._escaped else _skip[self.quote](text, pos).end()) + 1
            if pos > len(text):
                break
            self._read(text[pos - 1])
        pos = min(pos, len(text)) - bool(self.fault)  # what is wrong is not read
        self._text = grown(self._text, text[begin:pos])
        return pos

    def _read(self, char: str) -> None:
        # The next character that matters.
        if self._escaped or char == "\\":
            self._escaped = not self._escaped
        elif char == self.quote:
            self.quote, self.is_whole = "", not self.stack
        elif char in QUOTES:
            self.quote = char
        elif char in OPENERS and len(self.stack) < self._max_depth:
            self.stack += OPENERS[char]
        elif char in OPENERS or self.stack[-1:] != char:
            self.fault = "depth" if char in OPENERS else f"{self.stack[-1:] or 'a value'} was expected"
        else:
            self.stack = self.stack[:-1]
            self.is_whole = not self.stack


class ObjectReader(DialectReader):
    """Reads one object, from its opening to its closing brace.

    Args:
        max_depth: how many containers may be open.
    """

    __slots__ = ("_value",)
    owned = (*DialectReader.owned, "_value")
    is_final = True

    def __init__(self, max_depth: int = 256) -> None:
        super().__init__(max_depth)
        self._value = ValueScanner(max_depth)

    def advance(self, text: str, pos: int, /) -> int:
        """See `Scanner`."""
        value = self._value
        if not value.stack and pos < len(text) and text[pos] != "{":
            return self.fail("an object was expected", pos)
        pos = value.read(text, pos)
        if value.fault:
            return self.fail(value.fault, pos)
        if value.is_whole:
            found = as_json(value.text, self.max_depth)
            if not found.startswith("{"):
                return self.fail("an object of JSON, JavaScript or Python was expected", pos - 1)
            self.write(found)
            self.token = DONE
        return pos
