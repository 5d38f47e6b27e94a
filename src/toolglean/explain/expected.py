# What this file knows: how to say what could have stood where a walk ended.
# What it must not know: any family, and why the walk went there.
"""What was expected, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.places.phases import ARGUMENTS, BEHIND, ENDING, MARKERS, OBJECTS, VALUE, WORD
from toolglean.formats.net import START
from toolglean.formats.spec import Json, Quoted, Tree
from toolglean.scan.json import FAIL

if TYPE_CHECKING:
    from toolglean.engine.names import Names
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn
    from toolglean.formats.net import HoleEdge

__all__ = ["KEYS", "TOOL_NAME", "expected", "within"]

MOST = 6  # of what is named
TOOL_NAME = "the name of one of the tools"
KEYS = 'the keys "name" and "arguments"'

_HOLES = {
    "name": "a tool's name",
    "id": "the id of the call",
    "index": "the number of the call",
    "key": "the name of a parameter",
    "type": "the type of a parameter",
    "value": "a value",
    "call": "a JSON object with a name and arguments",
    "keywords": "keyword arguments, as in Python",
}
_WITHIN = {
    MARKERS: "markers",
    WORD: "name",
    VALUE: "value",
    ARGUMENTS: "arguments",
    OBJECTS: "JSON",
    BEHIND: "",
    ENDING: "markers",
}


def within(walk: Walk) -> str:
    """What is being read: see `Reach.within`."""
    edge = walk.edges[0] if walk.edges else None
    if walk.phase == ARGUMENTS and edge is not None and edge.kind == "arguments" and isinstance(edge.codec, Json):
        return "JSON"
    return _WITHIN[walk.phase]


def expected(walk: Walk, turn: Turn, fault: str) -> tuple[str, ...]:
    """What could have stood there, the likeliest first.

    Args:
        walk: the walk, where it ended.
        turn: where the turn stands.
        fault: what a reader of arguments said that it expected; "" if none did.
    """
    if fault:
        return _named_by(fault)
    if walk.phase == OBJECTS:
        return _of_objects(walk, turn.names)
    if walk.phase == ARGUMENTS:
        return (f"the end of the arguments ({_codec(walk.edges[0])})",) if walk.edges else ("the end of the arguments",)
    if walk.phase == VALUE:
        return tuple(map(repr, walk.exits.literals[:MOST]))
    if walk.phase == WORD:
        wanted = (_hole(walk.edges[0]),) if walk.edges and not walk.word.strip() else ()
        return (*wanted, *map(repr, walk.exits.literals[:MOST]))
    if walk.place.flags & START and walk.name and not turn.emit.open and turn.names.known(walk.name) is False:
        return (TOOL_NAME,)
    literals = [repr(each) for each in walk.program.net.literals_at(walk.place)]
    holes = dict.fromkeys(_hole(edge) for edge in walk.place.holes)
    return (*literals[:MOST], *holes)


def _of_objects(walk: Walk, names: Names) -> tuple[str, ...]:
    envelope = walk.envelope
    if envelope is None:
        return ()
    scanner = envelope.scanner
    if scanner.token == FAIL:
        return _named_by(scanner.fault)
    if scanner.stack and (envelope.document is None or not envelope.document.verdict):
        return ("the end of the JSON",)
    return (TOOL_NAME if names.tools is not None else KEYS,)


def _named_by(fault: str) -> tuple[str, ...]:
    # A fault that says what was there, and not what was expected, names nothing.
    found = next((fault.removesuffix(each) for each in (" was expected", " were expected") if fault.endswith(each)), "")
    return (found,) if found else ()


def _hole(edge: HoleEdge) -> str:
    return f"the arguments ({_codec(edge)})" if edge.kind == "arguments" else _HOLES[edge.kind]


def _codec(edge: HoleEdge) -> str:
    if edge.kind == "keywords":
        return "keyword arguments, as in Python"
    if isinstance(edge.codec, Quoted):
        return f"an object with strings between {edge.codec.quote!r}"
    return "nested elements" if isinstance(edge.codec, Tree) else "a JSON object"
