# What the reading by schema finds, and what it is given: a tool with its schema. Does not depend on how calls are
# written.
"""Calls that were found by their schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from toolglean.scan.coerce import properties

__all__ = ["FoundCall", "Reading", "Schema", "ToolWithSchema", "readable"]


class ToolWithSchema(Protocol):
    """What is known of a tool."""

    @property
    def name(self) -> str:
        """The name by which the model calls it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call that was read by its tool's schema.

    Attributes:
        name: the tool's name.
        arguments: the typed values, in the order in which they were written.
        arguments_text: the arguments as JSON text, as the model wrote it where it wrote JSON.
        start: where its frame begins in the text, in characters.
        end: where its frame ends.
        id: the id that the model wrote, or None.
    """

    name: str
    arguments: dict[str, Any]
    arguments_text: str
    start: int = 0
    end: int = 0
    id: str | None = None

    def at(self, span: tuple[int, int], call_id: str | None = None) -> FoundCall:
        """The same call in a frame at that span, with that id if it has none."""
        return replace(self, start=span[0], end=span[1], id=self.id or call_id)


class Reading(NamedTuple):
    """What was read: where it ends, what it costs (payload.py), and the calls."""

    end: int
    cost: int
    calls: tuple[FoundCall, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of one tool, ready for reading.

    Attributes:
        name: the tool's name.
        root: the whole schema of the arguments, in which `$ref` is looked up.
        properties: the schema of each parameter.
        keys: the parameters, the longest first.
    """

    name: str
    root: Mapping[str, Any]
    properties: Mapping[str, Any]
    keys: tuple[str, ...]


def readable(tools: Iterable[ToolWithSchema]) -> dict[str, Schema]:
    """The tools whose calls may be read by their schema: those that declare parameters."""
    found: dict[str, Schema] = {}
    for tool in tools:
        declared = {key: each for key, each in properties(tool.parameters).items() if key and isinstance(key, str)}
        if declared and tool.name:
            keys = tuple(sorted(declared, key=len, reverse=True))
            found.setdefault(tool.name, Schema(tool.name, tool.parameters, declared, keys))
    return found
