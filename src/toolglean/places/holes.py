# What this file knows: how what fills a hole is read, until something shows that it is whole.
# What it must not know: which markers stand around it.
#
# A name, id or key is short, and is read character by character. A value is text up to its closing marker, which counts
# only if what follows may follow. Arguments have a reader of their codec. JSON objects are read by the envelope.
"""What fills a hole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.envelope import Envelope, read_envelope
from toolglean.formats.net import START, HoleEdge, Place
from toolglean.parameters import Parameters
from toolglean.places.calls import accept, arrived, no_call, start_call
from toolglean.places.phases import ARGUMENTS, MARKERS, OBJECTS, VALUE, WORD
from toolglean.readers import reader_for
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json import FAIL
from toolglean.scan.nested import whole_characters
from toolglean.scan.reader import DONE, FAILED
from toolglean.scan.rope import grown, joined
from toolglean.scan.text import NAME_CHARS

if TYPE_CHECKING:
    from toolglean.machine import Machine
    from toolglean.places.walk import Walk

__all__ = ["enter", "read_arguments", "read_objects", "read_value", "read_word", "value_goes_on"]

WORD_CHARS = 4096  # of a key, or of any word with the white space around it

_index_body = re.compile(r"\d*").match
_word_body = re.compile(r"[\w.-]*").match
_other_body = re.compile(r"\S*").match


def enter(machine: Machine, walk: Walk, edges: tuple[HoleEdge, ...], place: Place, char: str, i: int) -> int:
    """A hole begins at `i` with that character; -1: with text that is read again."""
    walk.edges, walk.hole = edges, (place, char)
    start = walk.pending_start + walk.pending_chars if i < 0 else machine.base + i
    walk.settle(start)
    edge = edges[0]
    if edge.kind == "call":
        return _enter_objects(machine, walk, i)
    if edge.kind in {"arguments", "keywords"}:
        tool = machine.tool(walk.name)
        walk.reader = reader_for(edge, machine.limits.depth, tool)
        walk.phase = ARGUMENTS
    elif edge.kind == "value":
        assert walk.parameters is not None
        lead = max((each.lead for each in edges), key=len)
        machine.delta(walk.parameters.begin_value(lead), start)
        walk.phase = VALUE
    else:
        walk.word = ""
        walk.phase = WORD
    return i


def read_arguments(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """Arguments in the format's codec."""
    assert walk.reader is not None
    j, piece, status = walk.reader.read(text, i)
    if piece:
        machine.delta(piece, walk.pending_start)
    if status == FAILED:
        if walk.reader.fault == "depth":
            machine.stop("depth", text[j], machine.base + j)
        else:
            machine.give_up(f"malformed arguments: {walk.reader.fault}", text[j], machine.base + j)
    elif status == DONE:
        rest: str = getattr(walk.reader, "rest", "")  # of a tag that is not the reader's
        end = machine.base + j - len(rest)
        walk.reader = None
        walk.settle(end)
        walk.place = walk.program.net.place([edge.target for edge in walk.edges])
        if walk.edges[0].last:
            machine.end_call(end)
            walk.go_behind(walk.place)
        else:
            walk.phase = MARKERS
        machine.read_again(rest, end, always=True)
    return j


def _enter_objects(machine: Machine, walk: Walk, i: int) -> int:
    walk.envelope = Envelope(machine.limits.depth)
    walk.first_call = machine.emit.index
    walk.format = walk.edges[0].format
    walk.phase = OBJECTS
    if all(walk.program.formats[edge.format].registered_only for edge in walk.edges):
        machine.bare_region = True
    return i  # the envelope reads its bracket itself


def read_objects(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """JSON objects with name and arguments."""
    envelope = walk.envelope
    assert envelope is not None
    before = machine.emit.index
    j = read_envelope(machine, envelope, text, i)
    begun = machine.emit.index > walk.first_call
    if machine.emit.index > before:
        machine.only = machine.narrowed(tuple(sorted({edge.format for edge in walk.edges})))
    if not machine.reading_call:
        return j
    scanner = envelope.scanner
    if scanner.token == FAIL:
        if scanner.fault == "depth":
            machine.stop("depth", text[j], machine.base + j)
        elif machine.in_region:
            no_call(machine, walk)
        else:
            _go_behind(walk)
    elif scanner.state == JSON_END:
        if not begun:
            no_call(machine, walk, whole=True)
        elif machine.in_region:
            machine.content_region()
            machine.leave(text_follows=True)
        else:
            _go_behind(walk)
    return j


def _go_behind(walk: Walk) -> None:
    walk.go_behind(walk.program.net.place([edge.target for edge in walk.edges]))


def read_word(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """A name, id, index, key or type."""
    exits = walk.program.net.exits([edge.target for edge in walk.edges])
    while i < len(text):
        char = text[i]
        if char in exits.chars and walk.word.strip():
            return _word_ends(machine, walk, "", i)
        walk.word += char
        if machine.in_region:
            machine.keep(char)
        i += 1
        literal = next((each for each in exits.literals if walk.word.endswith(each)), "")
        if literal:
            return _word_ends(machine, walk, literal, i)
        if not _may_go_on(machine, walk, exits.literals):
            return _no_word(machine, walk, char, i)
    return i


def _word_ends(machine: Machine, walk: Walk, literal: str, i: int) -> int:
    if _word_read(machine, walk, walk.word[: len(walk.word) - len(literal)]):
        _walk_on(machine, walk, literal, machine.base + i)
    return i


def _no_word(machine: Machine, walk: Walk, char: str, i: int) -> int:
    if machine.emit.open:
        machine.give_up(f"malformed call: {walk.edges[0].kind} expected", char, machine.base + i - 1)
    elif walk.accepted is not None:
        accept(machine, walk)
    else:
        no_call(machine, walk)
    return i


def _may_go_on(machine: Machine, walk: Walk, literals: tuple[str, ...]) -> bool:
    """Whether what was read of a word can still become one."""
    edge, word = walk.edges[0], walk.word.lstrip()
    if edge.kind in {"key", "type"} or len(walk.word) > WORD_CHARS:  # white space counts too: it is looked at again
        return len(walk.word) <= WORD_CHARS
    if edge.kind == "name" and not edge.word and machine.has_spaced_names and "\n" not in word:
        return len(word) <= NAME_CHARS
    if edge.kind == "name" and machine.bare_region and not word.isascii() and not machine.may_be_tool(word):
        return False  # prose without spaces, in Chinese say: it must not wait for a bracket that never comes
    body = _index_body if edge.kind == "index" else _word_body if edge.word else _other_body
    end = body(word).end()  # type: ignore[union-attr]  # the patterns match the empty string
    rest = word[end:].lstrip()
    if end > NAME_CHARS + max(map(len, literals), default=0) or (edge.word and rest and not end):
        return False
    return not rest or any(literal.startswith(rest) for literal in literals)


def _word_read(machine: Machine, walk: Walk, word: str) -> bool:
    """The word is whole. False: it cannot be what it should."""
    declared = walk.program.formats[walk.edges[0].format]
    kind, word = walk.edges[0].kind, word.strip() if walk.edges[0].kind != "key" else word
    if kind in {"key", "type"}:
        if walk.parameters is None:
            types = walk.program.formats[walk.format].types
            tool, depth = machine.tool(walk.name), machine.limits.depth
            walk.parameters = Parameters(tool, types, depth, coerce=machine.coerce)
        walk.parameters.word(kind, declared.unescaped(word) if kind == "key" else word)
    elif kind == "name":
        if not word:
            no_call(machine, walk)
            return False
        walk.name = whole_characters(declared.unescaped(word))
    elif kind == "id":
        walk.id = whole_characters(word)
        if machine.emit.open:
            machine.emit.set_id(walk.id)
    else:
        walk.index = word
    return True


def _walk_on(machine: Machine, walk: Walk, literal: str, here: int) -> None:
    """Behind the word; the literal that ended it has been read, and ended at `here`."""
    net = walk.program.net
    walk.phase = MARKERS
    before = walk.place = net.place([edge.target for edge in walk.edges])
    walk.hole, walk.edges = None, ()
    walk.settle(here - len(literal))
    for char in literal:
        found = net.step(walk.place, char)
        assert found is not None
        walk.place = found
        walk.pending = grown(walk.pending, char)
        walk.pending_chars += 1
    if before.flags & START and not machine.emit.open and not start_call(machine, walk):
        return
    if literal and walk.place.flags:
        arrived(machine, walk, here)


def read_value(machine: Machine, walk: Walk, text: str, i: int) -> int:
    """The text of a parameter."""
    parameters, net = walk.parameters, walk.program.net
    assert parameters is not None
    if parameters.lead:
        i = _lead(machine, walk, parameters, text, i)
        if parameters.lead:
            return i
    exits = net.exits([edge.target for edge in walk.edges])
    trail = max((edge.trail for edge in walk.edges), key=len) if parameters.paired else ""
    place, found = net.finder(exits, trail).find(text, i)
    if place > i:
        machine.delta(parameters.text(text[i:place]), machine.base + i)
    if not found:
        return machine.hold(text, place)
    start = machine.base + place
    walk.settle(start)
    walk.pending, walk.pending_chars = ((), found), len(found)
    walk.place = net.place([edge.target for edge in walk.edges])
    for char in found[len(trail) if trail and found.startswith(trail) and found not in exits.literals else 0 :]:
        walk.place = net.step(walk.place, char) or walk.place
    parameters.undecided = True
    walk.hole_end = start + len(found)
    walk.phase = MARKERS
    return place + len(found)


def _lead(machine: Machine, walk: Walk, parameters: Parameters, text: str, i: int) -> int:
    # The white space before a value, exact and optional.
    while i < len(text) and parameters.lead:
        if text[i] != parameters.lead[0]:
            parameters.lead, passed = "", parameters.passed
            machine.delta(parameters.text(passed), machine.base + i)
            return i
        parameters.passed += text[i]
        parameters.lead = parameters.lead[1:]
        parameters.paired = not parameters.lead
        i += 1
    del walk
    return i


def value_goes_on(machine: Machine, walk: Walk, i: int) -> int:
    """What looked like the value's closing marker is not followed by what may follow: it is text of the value."""
    assert walk.parameters is not None
    pending, start = joined(walk.pending), walk.pending_start
    walk.parameters.undecided = False
    walk.phase = VALUE
    walk.clear_pending()
    text = pending[:1] if machine.read_again(pending[1:], start + 1) else pending
    machine.delta(walk.parameters.text(text), start)
    return i
