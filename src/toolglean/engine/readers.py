# Which reader reads which codec. Does not depend on how the dialects are read (scan/).
"""Finds the reader for a slot of a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.formats.spec import JsonOrText, Pairs, PythonDict, Quoted, ScriptObject, Tree
from toolglean.formats.words import JsonAlone
from toolglean.scan.coerce import is_text, properties
from toolglean.scan.coerce import known as known_type
from toolglean.scan.json_reader import JsonOrTextReader, JsonReader
from toolglean.scan.python import KeywordsReader

if TYPE_CHECKING:
    from toolglean.formats.nfa import SlotEdge
    from toolglean.scan.reader import Reader
    from toolglean.tools import Tool

__all__ = ["reader_for"]


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
    if isinstance(codec, PythonDict):
        return KeywordsReader(max_depth, lone=True)
    if isinstance(codec, JsonOrText):
        with_space = tuple(edge.trail + each for each in ends) if edge.trail else ()
        key = "" if isinstance(codec, JsonAlone) else _text_parameter(tool)
        return JsonOrTextReader(max_depth, key, (*with_space, *ends))
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
            stop_on_missing_quote=stop_on_missing_quote and not codec.commas,
            commas=codec.commas,
        )
    if isinstance(codec, Pairs):
        from toolglean.scan.pairs import PairPattern, PairsReader  # noqa: PLC0415

        pattern = PairPattern(*codec.around, codec.separator, codec.quoted)
        return PairsReader(pattern, known, max_depth, root=root, ends=ends)
    if isinstance(codec, ScriptObject):
        from toolglean.scan.values import ObjectReader  # noqa: PLC0415

        return ObjectReader(max_depth)
    if isinstance(codec, Tree):
        from toolglean.scan.tree import TreeReader  # noqa: PLC0415

        return TreeReader(codec.prefix, known, max_depth, root=root, named_tag=named_tag)
    return JsonReader(max_depth)
