# The interface of readers of arguments, and what the readers of dialects share beyond the core (scanner.py).
# Does not depend on any dialect.
#
# A reader turns one dialect (Python keywords, quoted objects, nested tags, JSON as it is written) into JSON text while
# the text arrives.
"""Readers: a dialect in, JSON text out, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, ClassVar

from toolglean.scan.plain import joined
from toolglean.scan.scanner import NEED, Scanner

if TYPE_CHECKING:
    from toolglean.scan.json import JsonScanner
    from toolglean.scan.scanner import Token

__all__ = [
    "MAX_NAME", "DialectReader", "Reader", "Search", "begins_cdata", "is_broken_cdata", "of_cdata", "quoted_text",
    "string_text",
]  # fmt: skip

MAX_NAME = 256  # of a key, a keyword or an element, in characters

Search = Callable[[str], object]
"""Tells whether a text contains something."""

string_text: Callable[[str], str] = encode_basestring
"""The text as a JSON string, with its quotes; everything but quotes, backslashes and control characters as it is."""


def quoted_text(text: str) -> str:
    """The text as it is written inside a JSON string."""
    return string_text(text)[1:-1]


class _Searches(dict[str, Search]):
    # By characters: a search for one of them, or for one that JSON escapes. It takes half the time of `lru_cache`.

    def __missing__(self, stops: str) -> Search:
        found = self[stops] = re.compile("[" + re.escape(stops) + '"\\\\\x00-\x1f]').search
        return found


_searches = _Searches()


class Reader(Scanner):
    """Reads one value of a dialect, in pieces cut anywhere.

    Attributes:
        rest: after DONE or FAIL, the part that was read of a marker that is not the reader's. It is read again.
        unquoted: the values that had no quotes, though they could have had them.
    """

    __slots__ = ()

    rest: str
    unquoted: str = ""

    def read(self, text: str, pos: int) -> tuple[int, str, Token]:
        """Read on.

        Returns:
            The position reached; the JSON text that became certain, often ""; and NEED, DONE, FAIL or DOUBT. All pieces
            joined are the beginning of a JSON object, after DONE exactly one JSON object.
        """
        raise NotImplementedError

    @property
    def after_comma(self) -> bool:
        """Whether what was read ends with a comma of JSON, which is passed on although nothing has followed it yet."""
        return False

    @property
    def scanner(self) -> JsonScanner | None:
        """What reads JSON that is passed on as it is written; None in other dialects."""
        return None

    def search(self) -> Search | None:
        """Inside a string that is emitted as it is: finds something in text that the reader must read. Else None."""
        return None

    def passed(self, text: str) -> tuple[str, bool] | None:
        """See `JsonScanner.passed`."""
        return None

    def refused(self) -> str:
        """What was read and is not written: a value that was refused as a whole, a line break; "" for none."""
        return ""

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """The marker around strings ("" if the dialect has none), and the parameters in the schema."""
        return "", ()


class DialectReader(Reader):
    """Reads a dialect, and writes JSON.

    Attributes:
        out: the pieces of the current `read`; empty between two.
        lead: what is written before the next item: a comma, or nothing.
        broke: whether there is a line break in the white space that was read last.
    """

    __slots__ = ("broke", "lead", "out", "rest")
    owned: ClassVar[tuple[str, ...]] = ("out",)
    is_final: ClassVar[bool] = False
    """Whether nothing that was refused is read in another way."""

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.out: list[str] = []
        self.lead = self.rest = ""
        self.broke = False

    def read(self, text: str, pos: int) -> tuple[int, str, Token]:
        """Read on: see `Reader.read`."""
        # Most chunks of a long string stop here: 0.3 µs instead of 1.3.
        stops = self.stops()
        if stops and stops[0] not in text and stops[-1] not in text and text[-1:] != "\r":  # half a line break
            return len(text), quoted_text(text[pos:]), NEED
        begin, out = pos, self.out
        pos = self.advance(text, begin)
        if pos > begin:
            self.broke = text[pos - 1].isspace() and self._breaks_line(text[begin:pos])
        if not out:
            return pos, "", self.token
        piece = "".join(out)
        out.clear()
        return pos, piece, self.token

    def stops(self) -> str:
        """Inside a string that is emitted as it is: one or two characters that may end it or escape. Else ""."""
        return ""

    def search(self) -> Search | None:
        """See `Reader`."""
        stops = self.stops()
        return _searches[stops] if stops else None

    def _breaks_line(self, text: str) -> bool:
        rest = text.rstrip()
        return "\n" in text[len(rest) :] or (not rest and self.broke)

    def refused(self) -> str:
        """See `Reader`."""
        return joined(self.collected) + ("\n" if self.broke else "")

    def undo_refusal(self) -> bool:
        """See `Scanner`."""
        if self.is_final or not super().undo_refusal():
            return False
        self.rest = ""
        return True

    def push(self, kind: str, state: int, pos: int) -> int:
        """See `Scanner`."""
        if len(self.stack) < self.max_depth:
            self.opens(kind)
        return super().push(kind, state, pos)

    def opens(self, kind: str) -> None:
        """A container of that kind is about to open."""

    def write(self, text: str) -> None:
        """JSON text that has become certain."""
        self.out.append(text)

    def write_item(self, text: str) -> None:
        """A key or an item begins with that text: the comma before it is certain."""
        self.write(self.lead + text)
        self.lead = ""

    def take_name(self, text: str, begin: int, end: int, what: str = "a name") -> int:
        """Add that part of the text to the name in `held`, up to its limit. Returns the position reached."""
        room = MAX_NAME - len(self.held)
        if end - begin > room:
            return self.fail(f"{what} of at most {MAX_NAME} characters was expected", begin + room)
        self.held += text[begin:end]
        return end

    def spell(self, text: str, pos: int, marker: str) -> int:
        """Read on while the text spells the marker, of which `held` is the beginning. Returns the position reached."""
        held, end = self.held, min(len(text), pos + len(marker) - len(self.held))
        while pos < end and text[pos] == marker[len(held)]:
            held += text[pos]
            pos += 1
        self.held = held
        return pos


CDATA, END = "<![CDATA[", "]]>"
_seems_section = re.compile(r"\s{0,64}<\s{0,4}[!！]\s{0,4}[\[［【]\s{0,4}cdata", re.IGNORECASE).match
_may_be_section = re.compile(
    r"\s{0,64}(?:<\s{0,4}(?:[!！]\s{0,4}(?:[\[［【]\s{0,4}(?:c(?:d(?:a(?:ta?)?)?)?)?)?)?)?", re.IGNORECASE
).fullmatch


def of_cdata(text: str) -> str:
    """The inside of a text that is one CDATA section; any other text as it is."""
    inner = text.strip()
    is_one = inner.startswith(CDATA) and inner.find(END) == len(inner) - len(END)
    return inner[len(CDATA) : -len(END)] if is_one else text


def begins_cdata(text: str) -> bool | None:
    """Whether the text begins like such a section, or like what was meant as one. None if more is needed."""
    return None if _may_be_section(text) else _seems_section(text) is not None


def is_broken_cdata(text: str) -> bool:
    """Whether the text begins with what was meant as the beginning of such a section, but is not one."""
    return _seems_section(text) is not None and not text.lstrip().startswith(CDATA)
