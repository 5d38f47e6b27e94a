# What this file knows: which reader reads which codec.
# What it must not know: how any of them reads.
"""From a hole of a format to the reader of its dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from toolglean.formats.spec import Quoted, Tree
from toolglean.scan.json import CLOSE, FAIL, QUOTE, STRING, JsonScanner, decode, mended, object_text
from toolglean.scan.python import KeywordsReader
from toolglean.scan.reader import DONE, FAILED, NEED, Reader
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.values.coerce import properties

if TYPE_CHECKING:
    from toolglean.formats.net import HoleEdge
    from toolglean.tools import Tool

__all__ = ["JsonReader", "reader_for"]


class JsonReader:
    """JSON as it stands: an object, or a string that holds one."""

    __slots__ = ("_scanner", "_string", "fault")

    def __init__(self, max_depth: int) -> None:
        self._scanner = JsonScanner(max_depth)
        self._string: Rope | None = None  # the string so far, where the arguments are written as one
        self.fault = ""

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        scanner = self._scanner
        if scanner.untouched and text[pos] == QUOTE:
            self._string = ()
        end = scanner.skim(text, pos, 0)
        piece = text[pos:end]
        if scanner.fixes:
            piece = mended(text, pos, end, scanner.fixes)
            scanner.fixes.clear()
        if self._string is not None:
            piece = self._from_string(piece)
        if scanner.token == FAIL:
            # A string without an object fails at its closing quote, which has been read.
            wrong = end - 1 if self.fault else end
            self.fault = self.fault or scanner.fault
            return wrong, piece, FAILED
        return end, piece, DONE if scanner.token in {CLOSE, STRING} else NEED

    def _from_string(self, piece: str) -> str:
        # Passed on when it is whole: only then is it known to hold an object.
        self._string = grown(self._string or (), piece)
        if self._scanner.token != STRING:
            return ""
        found, fault = object_text(decode(joined(self._string))[0], self._scanner.max_depth)
        if found is None:
            self._scanner.fail(fault if fault == "depth" else "a string that holds an object was expected", 0)
            self.fault = self._scanner.fault
        return found or ""

    def stops(self) -> str:
        """What may end the string that is being read; "" outside strings."""
        return QUOTE if self._scanner.in_string and self._string is None else ""

    def relent(self) -> bool:
        """See `Reader.relent`."""
        relents = self._string is None and self._scanner.relent()
        self.fault = "" if relents else self.fault
        return relents

    def brackets(self) -> str:
        """See `Reader.brackets`."""
        return self._scanner.brackets()

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Reader.quoting`."""
        return "", ()

    def copy(self) -> Self:
        """The same place."""
        twin = object.__new__(type(self))
        twin._scanner, twin._string, twin.fault = self._scanner.copy(), self._string, self.fault
        return twin

    def __getstate__(self) -> tuple[JsonScanner, Rope | None, str]:
        return self._scanner, None if self._string is None else flat(self._string), self.fault

    def __setstate__(self, state: tuple[JsonScanner, Rope | None, str]) -> None:
        self._scanner, self._string, self.fault = state


def reader_for(
    edge: HoleEdge, max_depth: int, tool: Tool | None, *, ends: tuple[str, ...] = (), wary: bool = False
) -> Reader:
    """The reader of a hole.

    Args:
        edge: the hole.
        max_depth: how many containers may be open.
        tool: the tool; what its schema says of the parameters is for dialects that do not type them.
        ends: the markers that end the call.
        wary: whether to stop where quote markers may be missing, if the dialect has any.
    """
    if edge.kind == "keywords":
        return KeywordsReader(max_depth)
    codec = edge.codec
    root: Any = tool.parameters if tool is not None else {}
    known = properties(root) if tool is not None else {}
    if isinstance(codec, Quoted):
        from toolglean.values.quoted import QuotedReader  # noqa: PLC0415  # only those who need a dialect pay for it

        return QuotedReader(
            codec.quote, max_depth, all_quoted=codec.all, properties=known, root=root, ends=ends, wary=wary
        )
    if isinstance(codec, Tree):
        from toolglean.values.tree import TreeReader  # noqa: PLC0415

        return TreeReader(codec.prefix, known, max_depth, root=root)
    return JsonReader(max_depth)
