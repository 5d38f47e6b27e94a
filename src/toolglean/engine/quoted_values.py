# Values that a model wrote as JSON strings although their parameters allow no string: `"limit": "3"`,
# `"items": "[{\"id\": 1}]"`. A tool that is given the string refuses it, and the model writes the same again.
#
# Such a value is kept until its string is whole. If that is exactly one JSON value of a type that the schema allows,
# the value is what was meant; otherwise the string stays. Arguments without such a key are only searched for one; from
# the first one on, the containers are counted, because the name of a parameter may also be a key within another value.
# Does not depend on how a call is written, or on what reads its JSON.
"""JSON values that are written as strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from toolglean.scan.coerce import kinds_of, properties, takes_no_string
from toolglean.scan.json import START, JsonScanner, decode
from toolglean.scan.nested import kinds_of_value
from toolglean.scan.plain import Plain, Rope, grown, joined
from toolglean.scan.tokens import value_text

__all__ = ["MOST_KEY", "Part", "QuotedValues", "opens_quoted"]

MOST_KEY = 160
"""Characters before a value that are examined: its key, and the white space around the colon."""

_opening = re.compile(r'(?::|\A)[ \t\r\n]*"').finditer
_key = re.compile(r'(?:\A|[{,\s])"([^"\\]{1,128})"[ \t\r\n]*:[ \t\r\n]*\Z').search
_quote_or_escape = re.compile(r'["\\]').search


class Part(NamedTuple):
    """A piece of the arguments that may be returned.

    Attributes:
        text: the piece; place: its place.
        repair: the repair that made it, if any; instead_of: the string in whose place it is.
    """

    text: str
    place: int
    repair: str = ""
    instead_of: str = ""


def opens_quoted(
    schema: Mapping[str, Any], text: str, before: Callable[[], str], i: int = 0
) -> Iterator[tuple[int, str]]:
    """The quotes in the text, from `i` on, that open a string under the name of a parameter that allows none, and these
    names. `before`: gives the last `MOST_KEY` characters before the text.
    """
    for found in _opening(text, i):
        place = found.end() - 1
        known = text[max(place - MOST_KEY, 0) : place]
        begun = _key(known if len(known) == MOST_KEY else before() + known)
        if begun is not None and takes_no_string(schema, begun[1]):
            yield place, begun[1]


class QuotedValues(Plain):
    """Finds such values in the arguments of one call, from the first one on.

    Args:
        schema: the schema of the tool's parameters.
        max_depth: how many containers the arguments may open.
        written: the arguments so far, as JSON text.
    """

    __slots__ = ("_before", "_held", "_in_escape", "_key", "_place", "_scanner", "_schema")
    owned = ("_scanner",)
    ropes = frozenset({"_held"})

    def __init__(self, schema: Mapping[str, Any], max_depth: int, written: str) -> None:
        self._schema = schema
        self._scanner = JsonScanner(max_depth)
        self._before = ""
        self._key = ""  # of the value that is kept
        self._place = 0  # its own
        self._held: Rope = ()
        self._in_escape = False
        self._pass(written)

    @property
    def held(self) -> str:
        """What is kept: a string that is not whole yet."""
        return joined(self._held)

    def read(self, text: str, start: int) -> list[Part]:
        """Read on: a piece of the arguments, as JSON text, and its place. Returns what need not be kept."""
        parts: list[Part] = []
        i = 0
        while i < len(text):
            if self._key:
                end, is_whole = self._in_string(text, i)
                self._held = grown(self._held, text[i:end])
                if is_whole:
                    parts.append(self._value())
            else:
                end, key = self._up_to_string(text, i)
                if end > i:
                    parts.append(Part(text[i:end], start + i))
                self._key, self._place = key, start + end
            i = end
        return parts

    def rest(self) -> Part:
        """The call has ended: what was kept."""
        text, self._held, self._key = self.held, (), ""
        return Part(text, self._place)

    def _pass(self, text: str) -> None:
        self._scanner.skim(text, 0, 0)
        self._scanner.fixes.clear()
        self._before = (self._before + text)[-MOST_KEY:]

    def _up_to_string(self, text: str, i: int) -> tuple[int, str]:
        # Read up to the next value that must be kept. Returns its place, and its key; or the text's end, and "".
        before, scanner = self._before, self._scanner
        for place, key in opens_quoted(self._schema, text, lambda: before, i):
            self._pass(text[i:place])
            i = place
            if scanner.stack == "{" and scanner.state == START:
                return i, key
        self._pass(text[i:])
        return len(text), ""

    def _in_string(self, text: str, i: int) -> tuple[int, bool]:
        # The end of what belongs to the string that is kept, and whether it is whole.
        if not self._held:
            i += 1  # its quote
        elif self._in_escape:
            i, self._in_escape = i + 1, False
        while (found := _quote_or_escape(text, i)) is not None:
            if found[0] == '"':
                return found.end(), True
            i = found.end() + 1
        self._in_escape = i > len(text)
        return len(text), False

    def _value(self) -> Part:
        key = self._key
        written = self.rest().text
        self._pass(written)
        found, _ = value_text(decode(written)[0], self._scanner.max_depth - 1)
        kinds = kinds_of(properties(self._schema)[key], self._schema)
        if found is None or kinds.isdisjoint(kinds_of_value(decode(found)[0])):
            return Part(written, self._place)
        from toolglean.engine.repair.candidates import QUOTED_VALUE  # noqa: PLC0415  # few turns need it

        return Part(found, self._place, QUOTED_VALUE, written)
