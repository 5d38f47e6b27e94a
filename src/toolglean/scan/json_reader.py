# How arguments in JSON are read: an object, passed on as it is written, a string that contains one, or text.
# Does not depend on formats: the caller gives the parameter that takes text, and the markers that end it.
"""JSON arguments, incrementally."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.scan.json import IN_STRINGS, START, JsonScanner, decode, leaves_string
from toolglean.scan.reader import Reader, quoted_text, string_text
from toolglean.scan.scanner import CLOSE, DONE, FAIL, NEED, STRING
from toolglean.scan.text import finder_of
from toolglean.scan.tokens import object_text

if TYPE_CHECKING:
    from toolglean.scan.reader import Search
    from toolglean.scan.scanner import Token

__all__ = ["JsonOrTextReader", "JsonReader", "JsonValueReader"]


class JsonReader(JsonScanner, Reader):
    """JSON as it is written: an object, or a string that contains one."""

    __slots__ = ("_is_string", "rest")

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self._is_string = False  # whether the arguments are a string, which is collected until it is whole
        self.rest = ""

    def read(self, text: str, pos: int) -> tuple[int, str, Token]:
        """Read on: see `Reader.read`."""
        if text[pos] == '"' and self.state == START and not self.stack:
            self._is_string = True
        end = self.skim(text, pos, 0)
        piece = self.written(text, pos, end) if self.fixes else text[pos:end]
        if self._is_string:
            self.collect(piece)
            piece = ""
            if self.token is STRING:
                found, fault = object_text(decode(self.take_collected())[0], self.max_depth)
                if found is None:  # it fails at its closing quote, which has been read
                    fault = fault if fault == "depth" else "they are a string that is not a JSON object"
                    end = self.fail(fault, end - 1)
                piece = found or ""
        token = self.token
        return end, piece, FAIL if token is FAIL else DONE if token in {CLOSE, STRING} else NEED

    @property
    def scanner(self) -> JsonScanner | None:
        """See `Reader`."""
        return None if self._is_string else self

    @property
    def after_comma(self) -> bool:
        """See `Reader`."""
        return not self._is_string and super().after_comma

    def search(self) -> Search | None:
        """See `Reader`."""
        return leaves_string if self.state in IN_STRINGS and not self._is_string else None

    def undo_refusal(self) -> bool:
        """See `Scanner`."""
        return not self._is_string and super().undo_refusal()


class JsonValueReader(JsonReader):
    """A value of any type, as it is written."""

    __slots__ = ()

    def read(self, text: str, pos: int) -> tuple[int, str, Token]:
        """Read on: see `Reader.read`."""
        end = self.skim(text, pos, 0)
        piece, token = self.written(text, pos, end) if self.fixes else text[pos:end], self.token
        return end, piece, FAIL if token is FAIL else NEED if token is NEED else DONE


class JsonOrTextReader(JsonReader):
    """A JSON object; or text up to a marker, which is the value of the tool's only parameter.

    Args:
        max_depth: how many containers may be open.
        key: the parameter that takes text; "" if there is none: then text is refused.
        ends: the markers that end text.
    """

    __slots__ = ("_begun", "_ends", "_is_text", "_key")

    def __init__(self, max_depth: int, key: str, ends: tuple[str, ...]) -> None:
        super().__init__(max_depth)
        self._key, self._ends = key, ends
        self._begun = self._is_text = False

    def read(self, text: str, pos: int) -> tuple[int, str, Token]:
        """Read on: see `Reader.read`."""
        before = ""
        if not self._begun:
            if not self._key and text[pos] not in '{"':
                self.fault = "an object was expected"  # not by `fail`: no repair can undo it
                return pos, "", FAIL
            self._begun = True
            if self._key and text[pos] != "{":
                self._is_text, before = True, f'{{{string_text(self._key)}: "'
        if not self._is_text:
            return super().read(text, pos)
        held, whole = self.held, self.held + text[pos:]
        place, marker = finder_of(self._ends).find(whole, 0)
        piece = before + quoted_text(whole[:place])
        if not marker:
            self.held = whole[place:]
            return len(text), piece, NEED
        self.rest = marker
        return pos + place + len(marker) - len(held), piece + '"}', DONE

    @property
    def is_text(self) -> bool:
        """Whether the arguments are text, which ends at a marker."""
        return self._is_text

    @property
    def waiting(self) -> int:
        """How many characters were read that may be passed on with what comes next."""
        return len(self.held) if self._is_text else 0
