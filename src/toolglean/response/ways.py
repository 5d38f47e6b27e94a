# What this file knows: in which of four ways the calls of a field are read, by its content parser and its transform.
# What it must not know: any text.
#
#     content       transform                                     way
#     json          function: "{content}", or name and arguments  OBJECTS: the envelope of the core finds names and
#                   by paths that end with keys it knows          arguments, in lists and nested too
#     json          name: "{captured}", arguments: "{content}"    ARGUMENTS: a reader of the core, piece by piece
#     xml-inline    the same                                      PARAMETERS: each value piece by piece
#     all others                                                  WHOLE: read when the region is closed
"""How calls stand in a region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.response.spec import Field, path_of
from toolglean.response.tags import Tag, tag_of
from toolglean.values.keys import ARGUMENT_KEYS, NAME_KEYS

__all__ = ["ARGUMENTS", "OBJECTS", "PARAMETERS", "WHOLE", "Way", "paths_of", "way_of"]

OBJECTS = 0
ARGUMENTS = 1
PARAMETERS = 2
WHOLE = 3


@dataclass(frozen=True, slots=True)
class Way:
    """How the calls of a field are read.

    Attributes:
        kind: OBJECTS, ARGUMENTS, PARAMETERS or WHOLE.
        name: the group that captures the tool's name.
        id: the group that captures the call's id, "" for none.
        quote: of ARGUMENTS: the marker around strings; "" for JSON.
        tag: of PARAMETERS: a parameter.
        json: of PARAMETERS: whether values are JSON where they can be read as such.
    """

    kind: int
    name: str = ""
    id: str = ""
    quote: str = ""
    tag: Tag | None = None
    json: bool = False


def paths_of(transform: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a transform takes for the name and for the arguments; ((), path) where both stand in one object."""
    function = transform.get("function", transform) if isinstance(transform, Mapping) else transform
    if isinstance(function, Mapping):
        return path_of(function.get("name")), path_of(function.get("arguments"))
    return (), path_of(function) or ("content",)


def way_of(field: Field) -> Way:
    """How the calls of that field are read."""
    name, arguments = paths_of(field.transform)
    groups = field.open.reduced.groups if field.open else frozenset()
    if field.open is not None and field.open.source:
        groups = frozenset(name)  # whatever the transform names must be captured, or the template would be refused
    captured = len(name) == 1 and name[0] != "content" and name[0] in groups and not field.each
    if captured and arguments == ("content",):
        return _named(field, name[0], _id_of(field.transform, groups))
    plain = field.content == "json" and not (field.args.keys() - {"allow_non_json"})
    if plain and _is_envelope(field, name, arguments):
        return Way(OBJECTS)
    return Way(WHOLE)


def _named(field: Field, name: str, model_id: str) -> Way:
    if field.content == "json":
        quote = _quote_of(field.args)
        if quote is not None:
            return Way(ARGUMENTS, name, model_id, quote)
    if field.content == "xml-inline" and not field.args.get("merge_duplicates"):
        tag = tag_of(str(field.args["tag_pattern"]))
        inner = field.args.get("value_parser") or {}
        json = inner.get("name") == "json" and inner.get("args") == {"allow_non_json": True}
        if tag is not None and field.close is not None and (json or inner.get("name", "text") == "text"):
            return Way(PARAMETERS, name, model_id, "", tag, json)
    return Way(WHOLE, name, model_id)


def _is_envelope(field: Field, name: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    if field.transform is None or not name:
        return field.transform is None or arguments == ("content",)
    if not field.each and name[0] != "content":
        return False
    return bool(arguments) and _known(name, arguments)


def _known(name: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    return name[:-1] == arguments[:-1] and name[-1] in NAME_KEYS and arguments[-1] in ARGUMENT_KEYS


def _quote_of(args: Mapping[str, Any]) -> str | None:
    """The marker around strings, "" for JSON; None for a dialect that no reader of the core reads."""
    pairs = args.get("string_delims", [])
    if not pairs and not args.get("unquoted_keys"):
        return ""
    same = len(pairs) == 1 and pairs[0][0] == pairs[0][1] and len(pairs[0][0]) > 1
    return str(pairs[0][0]) if same and args.get("unquoted_keys") else None


def _id_of(transform: Any, groups: frozenset[str]) -> str:
    path = path_of(transform.get("id")) if isinstance(transform, Mapping) else ()
    return path[0] if len(path) == 1 and path[0] in groups else ""
