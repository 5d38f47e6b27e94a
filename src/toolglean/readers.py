# What this file knows: which reader reads which codec.
# What it must not know: how any of them reads.
"""From a hole of a format to the reader of its dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from toolglean.coerce import properties
from toolglean.formats.spec import Quoted, Tree
from toolglean.scan.json import CLOSE, FAIL, QUOTE, JsonScanner, mended
from toolglean.scan.python import KeywordsReader
from toolglean.scan.reader import DONE, FAILED, NEED, Reader

if TYPE_CHECKING:
    from toolglean.formats.net import HoleEdge
    from toolglean.tools import Tool

__all__ = ["JsonReader", "reader_for"]


class JsonReader:
    """JSON as it stands."""

    __slots__ = ("_scanner", "fault")

    def __init__(self, max_depth: int) -> None:
        self._scanner = JsonScanner(max_depth)
        self.fault = ""

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        scanner = self._scanner
        end = scanner.skim(text, pos, 0)
        piece = text[pos:end]
        if scanner.fixes:
            piece = mended(text, pos, end, scanner.fixes)
            scanner.fixes.clear()
        if scanner.token == FAIL:
            self.fault = scanner.fault
            return end, piece, FAILED
        return end, piece, DONE if scanner.token == CLOSE else NEED

    def stops(self) -> str:
        """What may end the string that is being read; "" outside strings."""
        return QUOTE if self._scanner.in_string else ""

    def copy(self) -> Self:
        """The same place."""
        twin = object.__new__(type(self))
        twin._scanner, twin.fault = self._scanner.copy(), self.fault
        return twin


def reader_for(edge: HoleEdge, max_depth: int, tool: Tool | None) -> Reader:
    """The reader of a hole; what the tool's schema says of the parameters is for dialects that do not type them."""
    if edge.kind == "keywords":
        return KeywordsReader(max_depth)
    codec = edge.codec
    known: Any = properties(tool.parameters) if tool is not None else {}
    if isinstance(codec, Quoted):
        from toolglean.scan.quoted import QuotedReader  # noqa: PLC0415  # only those who need a dialect pay for it

        return QuotedReader(codec.quote, max_depth, all_quoted=codec.all, properties=known)
    if isinstance(codec, Tree):
        from toolglean.scan.tree import TreeReader  # noqa: PLC0415

        return TreeReader(codec.prefix, known, max_depth)
    return JsonReader(max_depth)
