# Which reader reads which codec, and how plain JSON is passed on. Does not depend on how the other dialects are read
# (scan/).
"""Finds the reader for a slot of a format."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolglean.formats.spec import JsonOrText, Quoted, Tree
from toolglean.scan.coerce import is_text, properties
from toolglean.scan.coerce import known as known_type
from toolglean.scan.json import CLOSE, FAIL, START, STRING, JsonScanner, decode, leaves_string
from toolglean.scan.python import KeywordsReader
from toolglean.scan.reader import DONE, FAILED, NEED, Reader, Search, quoted_text, string_text
from toolglean.scan.rope import Rope, grown, joined
from toolglean.scan.text import Finder
from toolglean.scan.tokens import object_text

if TYPE_CHECKING:
    from toolglean.formats.nfa import SlotEdge
    from toolglean.tools import Tool

__all__ = ["JsonOrTextReader", "JsonReader", "reader_for"]


class JsonReader(Reader):
    """Reads JSON as it is written: an object, or a string that contains one."""

    __slots__ = ("_scanner", "_string")

    ropes = frozenset({"_string"})
    owned = ("_scanner",)

    def __init__(self, max_depth: int) -> None:
        super().__init__()
        self._scanner = JsonScanner(max_depth)
        self._string: Rope | None = None  # the string so far, if the arguments are written as one

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        scanner = self._scanner
        if text[pos] == '"' and scanner.state == START and not scanner.stack:
            self._string = ()
        end = scanner.skim(text, pos, 0)
        piece = scanner.written(text, pos, end)
        if self._string is not None:
            piece = self._from_string(piece)
        if scanner.token is FAIL:
            # A string without an object fails at its closing quote, which has been read.
            wrong = end - 1 if self.fault else end
            self.fault = self.fault or scanner.fault
            return wrong, piece, FAILED
        return end, piece, DONE if scanner.token in {CLOSE, STRING} else NEED

    def _from_string(self, piece: str) -> str:
        # Passed on when it is complete: only then is it known to contain an object.
        self._string = grown(self._string or (), piece)
        if self._scanner.token is not STRING:
            return ""
        found, fault = object_text(decode(joined(self._string))[0], self._scanner.max_depth)
        if found is None:
            self._scanner.fail(fault if fault == "depth" else "they are a string that is not a JSON object", 0)
            self.fault = self._scanner.fault
        return found or ""

    @property
    def scanner(self) -> JsonScanner | None:
        """What reads the JSON that is passed on as it is written."""
        return self._scanner if self._string is None else None

    @property
    def after_comma(self) -> bool:
        """See `Reader`."""
        return self._string is None and self._scanner.after_comma

    def search(self) -> Search | None:
        """See `Reader`."""
        return leaves_string if self._scanner.in_string and self._string is None else None

    def passed(self, text: str) -> tuple[str, bool] | None:
        """See `Reader`."""
        return self._scanner.passed(text)

    def undo_refusal(self) -> bool:
        """See `Reader`."""
        relents = self._string is None and self._scanner.undo_refusal()
        self.fault = "" if relents else self.fault
        return relents

    def brackets(self) -> str:
        """See `Reader`."""
        return self._scanner.brackets()


class JsonOrTextReader(JsonReader):
    """Reads a JSON object; or text up to a marker, which is the value of the tool's only parameter.

    Args:
        max_depth: how many containers may be open.
        key: the parameter that takes text; "" if there is none, so that text is refused.
        ends: the markers that end text.
    """

    __slots__ = ("_begun", "_ends", "_held", "_is_text", "_key")

    def __init__(self, max_depth: int, key: str, ends: tuple[str, ...]) -> None:
        super().__init__(max_depth)
        self._key, self._ends = key, ends
        self._begun = self._is_text = False
        self._held = ""  # what may be the beginning of a marker

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        before = ""
        if not self._begun:
            if not self._key and text[pos] not in '{"':
                self.fault = "an object was expected"
                return pos, "", FAILED
            self._begun = True
            if self._key and text[pos] != "{":
                self._is_text, before = True, f'{{{string_text(self._key)}: "'
        if not self._is_text:
            return super().read(text, pos)
        whole = self._held + text[pos:]
        place, marker = _finder(self._ends).find(whole, 0)
        piece = before + quoted_text(whole[:place])
        if not marker:
            self._held = whole[place:]
            return len(text), piece, NEED
        self.rest = marker
        return pos + place + len(marker) - len(self._held), piece + '"}', DONE

    @property
    def waiting(self) -> int:
        """See `Reader`."""
        return len(self._held)


@lru_cache(maxsize=64)
def _finder(literals: tuple[str, ...]) -> Finder:
    return Finder(literals)


def _text_parameter(tool: Tool | None) -> str:
    """The only parameter of the tool that takes text, if it needs no other; "" if there is none."""
    if tool is None:
        return ""
    root = tool.parameters
    found = [key for key, schema in properties(root).items() if known_type(schema, root) and is_text(schema, root)]
    required = root.get("required")
    needed = set(required) if isinstance(required, list) else set()
    return found[0] if len(found) == 1 and needed <= {found[0]} else ""


def reader_for(
    edge: SlotEdge,
    max_depth: int,
    tool: Tool | None,
    *,
    ends: tuple[str, ...] = (),
    stop_on_missing_quote: bool = False,
    named_tag: bool = False,
) -> Reader:
    """The reader of a slot.

    Args:
        edge: the slot.
        max_depth: how many containers may be open.
        tool: the tool, whose schema types the parameters if the dialect does not.
        ends: the markers that end the call.
        stop_on_missing_quote: whether to stop where quote markers may be missing, if the dialect has them.
        named_tag: whether the tool's name is itself the tag that opened the call.
    """
    if edge.kind == "keywords":
        return KeywordsReader(max_depth)
    codec = edge.codec
    if isinstance(codec, JsonOrText):
        with_space = tuple(edge.trail + each for each in ends) if edge.trail else ()
        return JsonOrTextReader(max_depth, _text_parameter(tool), (*with_space, *ends))
    root: Any = tool.parameters if tool is not None else {}
    known = properties(root) if tool is not None else {}
    if isinstance(codec, Quoted):
        from toolglean.scan.quoted import QuotedReader  # noqa: PLC0415  # imported only if the dialect is needed

        return QuotedReader(
            codec.quote,
            max_depth,
            all_quoted=codec.all,
            properties=known,
            root=root,
            ends=ends,
            stop_on_missing_quote=stop_on_missing_quote,
        )
    if isinstance(codec, Tree):
        from toolglean.scan.tree import TreeReader  # noqa: PLC0415

        return TreeReader(codec.prefix, known, max_depth, root=root, named_tag=named_tag)
    return JsonReader(max_depth)
