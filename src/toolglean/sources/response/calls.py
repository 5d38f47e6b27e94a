# How the calls of a field are laid out in its region, given its content parser and its transform; and where the calls
# are in the value of a region that was read as a whole. Does not depend on how a region is read.
#
#     content       transform                                     kind
#     json          function: "{content}", or name and arguments  OBJECTS: the engine's envelope finds names and
#                   by paths that end with keys it knows          arguments, in lists and nested too
#     json          name: "{captured}", arguments: "{content}"    ARGUMENTS: one of the engine's readers, piece by piece
#     xml-inline    the same                                      PARAMETERS: each value piece by piece
#     all others                                                  WHOLE: read when the region is closed
#
# A tag pattern of xml-inline needs no regular expression if it is a head with the key, a value, and a literal:
#
#     <parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>
#     └────────────── head ────────┘  └── value ──┘   └── tail ──┘
"""How calls are laid out in a region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any

from toolglean.formats.spec import JSON, Codec, Quoted
from toolglean.scan.names import ARGUMENT_KEYS, NAME_KEYS
from toolglean.sources.response.marks import Marker, Marks
from toolglean.sources.response.patterns import Lit, Reduced, Sequence, Space, Until, reduce
from toolglean.sources.response.spec import Field, path_of

__all__ = ["CallLayout", "Kind", "Tag", "calls_in", "layout_of", "tag_of"]


class Kind(Enum):
    """How a region of calls is read."""

    OBJECTS = "objects"
    ARGUMENTS = "arguments"
    PARAMETERS = "parameters"
    WHOLE = "whole"


@dataclass(frozen=True)
class Tag:
    """A tag pattern that needs no regular expression.

    Attributes:
        head: the sequence before the value; it captures `key`.
        lead: the white space that is removed before the value; None: none.
        trail: the white space that is removed after it; None: none.
        tail: the literal after the value.
    """

    head: Sequence
    lead: Space | None
    trail: Space | None
    tail: str

    @property
    def marker(self) -> Marker:
        """The head as a marker."""
        return Marker(Reduced((self.head,)))

    @cached_property
    def heads(self) -> Marks:
        """Finds the head."""
        return Marks([(0, self.marker)])

    def trimmed(self, value: str) -> str:
        """The value without the white space that the pattern removes."""
        if self.lead is not None:
            value = value[value[:1].isspace() :] if self.lead.one else value.lstrip()
        if self.trail is not None:
            value = value[: len(value) - value[-1:].isspace()] if self.trail.one else value.rstrip()
        return value


@dataclass(frozen=True, slots=True)
class CallLayout:
    """How the calls of a field are read.

    Attributes:
        kind: how the region is read.
        name: the group that captures the tool's name.
        id: the group that captures the call's id; "": none.
        codec: for ARGUMENTS: how they are written.
        tag: for PARAMETERS: how a parameter is written.
        json: for PARAMETERS: whether values are read as JSON if possible.
    """

    kind: Kind
    name: str = ""
    id: str = ""
    codec: Codec = JSON
    tag: Tag | None = None
    json: bool = False


@lru_cache(maxsize=64)
def tag_of(pattern: str) -> Tag | None:
    """The tag of that pattern; None if it is a real regular expression."""
    found = reduce(pattern)
    if found is None or len(found.alternatives) != 1 or found.ahead or found.far or found.at_start:
        return None
    elements = found.alternatives[0]
    place = next((i for i, each in enumerate(elements) if isinstance(each, Until) and each.name == "value"), 0)
    if not place or not isinstance(elements[-1], Lit):
        return None
    head, rest = elements[:place], elements[place + 1 : -1]
    lead = head[-1] if isinstance(head[-1], Space) else None
    trail = rest[0] if rest and isinstance(rest[0], Space) else None
    head = head[: len(head) - (lead is not None)]
    if len(rest) > (trail is not None) or not isinstance(head[-1], Lit) or any(isinstance(e, Until) for e in head):
        return None
    return Tag(head, lead, trail, elements[-1].text)


def layout_of(field: Field) -> CallLayout:
    """How the calls of that field are read."""
    name, arguments = _paths_of(field.transform)
    groups = field.open.reduced.groups if field.open else frozenset()
    if field.open is not None and field.open.source:
        groups = frozenset(name)  # the transform's names are captured, or the template would have been refused
    if len(name) == 1 and name[0] != "content" and name[0] in groups and not field.each and arguments == ("content",):
        return _named(field, name[0], _id_of(field.transform, groups))
    plain = field.content == "json" and not (field.args.keys() - {"allow_non_json"})
    return CallLayout(Kind.OBJECTS if plain and _is_envelope(field, name, arguments) else Kind.WHOLE)


def _paths_of(transform: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    # The paths of the name and of the arguments; ((), path) if both are in one object.
    function = transform.get("function", transform) if isinstance(transform, Mapping) else transform
    if isinstance(function, Mapping):
        return path_of(function.get("name")), path_of(function.get("arguments"))
    return (), path_of(function) or ("content",)


def _named(field: Field, name: str, model_id: str) -> CallLayout:
    if field.content == "json":
        codec = _codec_of(field.args)
        if codec is not None:
            return CallLayout(Kind.ARGUMENTS, name, model_id, codec)
    if field.content == "xml-inline" and not field.args.get("merge_duplicates") and field.close is not None:
        tag = tag_of(str(field.args["tag_pattern"]))
        inner = field.args.get("value_parser") or {}
        json = inner.get("name") == "json" and inner.get("args") == {"allow_non_json": True}
        if tag is not None and (json or inner.get("name", "text") == "text"):
            return CallLayout(Kind.PARAMETERS, name, model_id, tag=tag, json=json)
    return CallLayout(Kind.WHOLE, name, model_id)


def _is_envelope(field: Field, name: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    if not name:
        return arguments == ("content",)
    known = name[-1] in NAME_KEYS and arguments[-1:] and arguments[-1] in ARGUMENT_KEYS
    return bool(known) and name[:-1] == arguments[:-1] and (field.each or name[0] == "content")


def _codec_of(args: Mapping[str, Any]) -> Codec | None:
    # None for a dialect that the engine has no reader for.
    pairs = args.get("string_delims", [])
    if not pairs and not args.get("unquoted_keys"):
        return JSON
    same = len(pairs) == 1 and pairs[0][0] == pairs[0][1] and len(pairs[0][0]) > 1
    return Quoted(str(pairs[0][0])) if same and args.get("unquoted_keys") else None


def _id_of(transform: Any, groups: frozenset[str]) -> str:
    path = path_of(transform.get("id")) if isinstance(transform, Mapping) else ()
    return path[0] if len(path) == 1 and path[0] in groups else ""


def calls_in(value: Any) -> list[tuple[str, Mapping[str, Any], str | None]]:
    """Name, arguments and id of each call in the value; [] if it contains anything else."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        function = each.get("function", each) if isinstance(each, Mapping) else None
        if not isinstance(function, Mapping):
            return []
        name, arguments, model_id = function.get("name"), function.get("arguments"), each.get("id")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not name or not isinstance(arguments, Mapping):
            return []
        found.append((name, arguments, model_id if isinstance(model_id, str) else None))
    return found
