# What this file knows: how what fills a hole is read, until something shows that it is whole.
# What it must not know: which markers stand around it.
#
# A name, id or key is short, and is read character by character. A value is text up to its closing marker, which counts
# only if what follows may follow. Arguments have a reader of their codec. JSON objects are read by the envelope.
"""What fills a hole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.envelope import Envelope, read_envelope
from toolglean.engine.names import holds_markup
from toolglean.engine.parameters import Parameters
from toolglean.engine.places.calls import accept, arrived, no_call, start_call
from toolglean.engine.places.phases import ARGUMENTS, MARKERS, OBJECTS, VALUE, WORD
from toolglean.engine.readers import reader_for
from toolglean.formats.net import HoleEdge, Place
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json import FAIL
from toolglean.scan.nested import whole_characters
from toolglean.scan.reader import DONE, FAILED
from toolglean.scan.rope import grown, joined
from toolglean.scan.text import NAME_CHARS, Finder

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

__all__ = [
    "begins",
    "enter",
    "read_arguments",
    "read_objects",
    "read_value",
    "read_word",
    "value_finder",
    "value_goes_on",
]

ARGUMENT_HOLES = frozenset({"key", "value", "arguments", "keywords"})
"""With the first of these a call begins: a name alone may be a mention."""

WORD_CHARS = 4096  # of a key, or of any word with the white space around it

_letters = re.compile("[A-Za-z0-9_]*").match
_plain = re.compile("[A-Za-z0-9_.-]*").fullmatch
_index_body = re.compile(r"\d*").match
_word_body = re.compile(r"[\w.-]*").match
_other_body = re.compile(r"\S*").match


def begins(turn: Turn, walk: Walk, edges: tuple[HoleEdge, ...]) -> bool:
    """Whether the call is open, if it must be for that hole: it begins with its first argument."""
    if edges[0].kind not in ARGUMENT_HOLES or turn.emit.open:
        return True
    return start_call(turn, walk, tuple(sorted({edge.format for edge in edges})))


def enter(turn: Turn, walk: Walk, edges: tuple[HoleEdge, ...], place: Place, char: str, i: int) -> int:
    """A hole begins at `i` with that character; -1: with text that is read again."""
    walk.begin_hole(place, char, edges)
    start = walk.pending_start + walk.pending_chars if i < 0 else turn.base + i
    walk.settle(start)
    edge = edges[0]
    if edge.kind == "call":
        return _enter_objects(turn, walk, i)
    if not begins(turn, walk, edges):
        return i
    if edge.kind in {"arguments", "keywords"}:
        tool = turn.names.tool(walk.name)
        walk.reader = reader_for(edge, turn.limits.depth, tool)
        walk.phase = ARGUMENTS
    elif edge.kind == "value":
        assert walk.parameters is not None
        lead = max((each.lead for each in edges), key=len)
        turn.delta(walk.parameters.begin_value(lead), start)
        walk.phase = VALUE
    else:
        walk.word = ""
        walk.phase = WORD
    return i


def read_arguments(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """Arguments in the format's codec."""
    assert walk.reader is not None
    j, piece, status = walk.reader.read(text, i)
    if piece:
        turn.delta(piece, walk.pending_start)
    if status == FAILED:
        turn.refuse_arguments(walk.reader.fault, text[j], turn.base + j)
    elif status == DONE:
        rest: str = getattr(walk.reader, "rest", "")  # of a tag that is not the reader's
        end = turn.base + j - len(rest)
        walk.reader = None
        walk.settle(end)
        walk.end_hole()
        if walk.edges[0].last:
            turn.end_call(end)
            walk.go_behind(walk.place)
        else:
            walk.phase = MARKERS
        turn.read_again(rest, end, always=True)
    return j


def _enter_objects(turn: Turn, walk: Walk, i: int) -> int:
    walk.envelope = Envelope(turn.limits.depth)
    walk.first_call = turn.emit.index
    walk.format = walk.edges[0].format
    walk.phase = OBJECTS
    turn.region.at_once = walk.program.formats[walk.format].calls_in_reasoning
    if all(walk.program.formats[edge.format].registered_only for edge in walk.edges):
        turn.region.bare = True
    return i  # the envelope reads its bracket itself


def read_objects(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """JSON objects with name and arguments."""
    envelope = walk.envelope
    assert envelope is not None
    before = turn.emit.index
    j = read_envelope(turn, envelope, text, i)
    begun = turn.emit.index > walk.first_call
    if turn.emit.index > before:
        turn.only = turn.narrowed(tuple(sorted({edge.format for edge in walk.edges})))
    if not turn.reading_call:
        return j
    scanner = envelope.scanner
    if scanner.token == FAIL:
        if scanner.fault == "depth":
            turn.stop("depth", text[j], turn.base + j)
        elif turn.region.open:
            no_call(turn, walk)
        else:
            _go_behind(walk)
    elif scanner.state == JSON_END:
        if not begun:
            turn.region.settle()
            no_call(turn, walk)
        elif turn.region.open:
            turn.content_region()
            turn.leave(text_follows=True)
        else:
            _go_behind(walk)
    return j


def _go_behind(walk: Walk) -> None:
    walk.end_hole()
    walk.go_behind(walk.place)


def read_word(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """A name, id, index, key or type."""
    exits = walk.exits
    while i < len(text):
        if exits.after_words and (j := _inside_word(turn, walk, text, i)) > i:
            i = j
            continue
        char = text[i]
        if char in exits.chars and walk.word.strip():
            return _word_ends(turn, walk, "", i)
        walk.word += char
        if turn.region.open:
            turn.region.keep(char)
        i += 1
        if walk.word.endswith(exits.literals):
            return _word_ends(turn, walk, next(each for each in exits.literals if walk.word.endswith(each)), i)
        if not _may_go_on(turn, walk, exits.literals):
            return _no_word(turn, walk, char, i)
    return i


def _inside_word(turn: Turn, walk: Walk, text: str, i: int) -> int:
    # Letters behind letters: nothing can end or go wrong there, as long as the name is not too long.
    end: int = _letters(text, i).end()  # type: ignore[union-attr]  # the pattern matches the empty string
    if end == i or walk.edges[0].kind == "index" or len(walk.word) + end - i > NAME_CHARS or not _plain(walk.word):
        return i
    walk.word += text[i:end]
    if turn.region.open:
        turn.region.keep(text[i:end])
    return end


def _word_ends(turn: Turn, walk: Walk, literal: str, i: int) -> int:
    if _word_read(turn, walk, walk.word[: len(walk.word) - len(literal)], turn.base + i - len(walk.word)):
        _walk_on(turn, walk, literal, turn.base + i)
    return i


def _no_word(turn: Turn, walk: Walk, char: str, i: int) -> int:
    if turn.emit.open:
        turn.give_up(f"malformed call: {walk.edges[0].kind} expected", char, turn.base + i - 1)
    elif walk.accepted is not None:
        accept(turn, walk)
    else:
        no_call(turn, walk)
    return i


def _may_go_on(turn: Turn, walk: Walk, literals: tuple[str, ...]) -> bool:
    """Whether what was read of a word can still become one."""
    edge, word = walk.edges[0], walk.word.lstrip()
    if edge.kind in {"key", "type"} or len(walk.word) > WORD_CHARS:  # white space counts too: it is looked at again
        return len(walk.word) <= WORD_CHARS
    if edge.kind == "name" and not edge.word and turn.names.spaced and "\n" not in word:
        return len(word) <= NAME_CHARS
    if edge.kind == "name" and turn.region.bare and not word.isascii() and not turn.names.may_begin(word):
        return False  # prose without spaces, in Chinese say: it must not wait for a bracket that never comes
    body = _index_body if edge.kind == "index" else _word_body if edge.word else _other_body
    end = body(word).end()  # type: ignore[union-attr]  # the patterns match the empty string
    rest = word[end:].lstrip()
    if end > NAME_CHARS + max(map(len, literals), default=0) or (edge.word and rest and not end):
        return False
    return not rest or any(literal.startswith(rest) for literal in literals)


def _word_read(turn: Turn, walk: Walk, word: str, start: int) -> bool:
    """The word is whole. False: it cannot be what it should."""
    declared = walk.program.formats[walk.edges[0].format]
    kind, word = walk.edges[0].kind, word.strip() if walk.edges[0].kind != "key" else word
    if kind in {"key", "type"}:
        if holds_markup(word) and not turn.names.has_parameter(turn.emit.name, declared.unescaped(word)):
            turn.give_up(f"malformed call: {kind} expected", word, start)
            return False
        if walk.parameters is None:
            types = walk.program.formats[walk.format].types
            tool, depth = turn.names.tool(walk.name), turn.limits.depth
            walk.parameters = Parameters(tool, types, depth, coerce=turn.coerce)
        walk.parameters.word(kind, declared.unescaped(word) if kind == "key" else word)
    elif kind == "name":
        if not word or (holds_markup(word) and turn.names.resolve(word) is None):
            no_call(turn, walk)
            return False
        walk.name = whole_characters(declared.unescaped(word))
    elif kind == "id":
        walk.id = whole_characters(word)
        if turn.emit.open:
            turn.emit.set_id(walk.id)
    else:
        walk.index = word
    return True


def _walk_on(turn: Turn, walk: Walk, literal: str, here: int) -> None:
    """Behind the word; the literal that ended it has been read, and ended at `here`."""
    net = walk.program.net
    walk.phase = MARKERS
    walk.end_hole()
    walk.hole, walk.edges = None, ()
    walk.settle(here - len(literal))
    for char in literal:
        found = net.step(walk.place, char)
        assert found is not None
        walk.place = found
        walk.pending = grown(walk.pending, char)
        walk.pending_chars += 1
    if literal and walk.place.flags:
        arrived(turn, walk, here)


def read_value(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """The text of a parameter."""
    parameters, net = walk.parameters, walk.program.net
    assert parameters is not None
    if parameters.lead:
        i = _lead(turn, walk, parameters, text, i)
        if parameters.lead:
            return i
    place, found = value_finder(walk).find(text, i)
    if place > i:
        turn.delta(parameters.text(text[i:place]), turn.base + i)
    if not found:
        return turn.hold(text, place)
    start = turn.base + place
    walk.settle(start)
    walk.pending, walk.pending_chars = ((), found), len(found)
    walk.end_hole()
    trail = _trail(walk)
    for char in found[len(trail) if trail and found.startswith(trail) and found not in walk.exits.literals else 0 :]:
        walk.place = net.step(walk.place, char) or walk.place
    parameters.undecided = True
    walk.hole_end = start + len(found)
    walk.phase = MARKERS
    return place + len(found)


def value_finder(walk: Walk) -> Finder:
    """Finds what may stand behind the value that is being read, with the white space that belongs to it."""
    return walk.program.net.finder(walk.exits, _trail(walk))


def _trail(walk: Walk) -> str:
    paired = walk.parameters is not None and walk.parameters.paired
    return max((edge.trail for edge in walk.edges), key=len) if paired else ""


def _lead(turn: Turn, walk: Walk, parameters: Parameters, text: str, i: int) -> int:
    # The white space before a value, exact and optional.
    while i < len(text) and parameters.lead:
        if text[i] != parameters.lead[0]:
            parameters.lead, passed = "", parameters.passed
            turn.delta(parameters.text(passed), turn.base + i)
            return i
        parameters.passed += text[i]
        parameters.lead = parameters.lead[1:]
        parameters.paired = not parameters.lead
        i += 1
    del walk
    return i


def value_goes_on(turn: Turn, walk: Walk, i: int) -> int:
    """What looked like the value's closing marker is not followed by what may follow: it is text of the value."""
    assert walk.parameters is not None
    pending, start = joined(walk.pending), walk.pending_start
    walk.parameters.undecided = False
    walk.phase = VALUE
    walk.clear_pending()
    text = pending[:1] if turn.read_again(pending[1:], start + 1) else pending
    turn.delta(walk.parameters.text(text), start)
    return i
