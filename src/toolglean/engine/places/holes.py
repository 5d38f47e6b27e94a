# What this file knows: how what fills a hole is read, until something shows that it is whole.
# What it must not know: which markers stand around it.
#
# A name, id or key is short, and is read character by character. A value is text up to its closing marker, which counts
# only if what follows may follow. Arguments have a reader of their codec. JSON objects are read by the envelope.
"""What fills a hole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.envelope import Envelope
from toolglean.engine.mending.state import OFF, QUOTES, REGION, TRIAL, UNCLOSED, Mending
from toolglean.engine.modes import CALL
from toolglean.engine.names import holds_markup
from toolglean.engine.parameters import Parameters
from toolglean.engine.places.calls import accept, arrived, begin_unnamed, no_call, start_call
from toolglean.engine.places.ending import await_end, awaits_end
from toolglean.engine.places.phases import ARGUMENTS, MARKERS, OBJECTS, VALUE, WORD
from toolglean.engine.places.suspects import MISSING, TEXT, WAIT, Spelling, Suspects, suspects_of
from toolglean.engine.readers import reader_for, waiting_of
from toolglean.engine.turn import LEFT_OVER
from toolglean.formats.net import HoleEdge, Place, trail_of
from toolglean.formats.patterns import is_marker
from toolglean.scan.json import FAIL
from toolglean.scan.nested import whole_characters
from toolglean.scan.reader import DONE, DOUBTED, FAILED
from toolglean.scan.rope import grown, joined
from toolglean.scan.text import NAME_CHARS, Finder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn
    from toolglean.scan.reader import Search

__all__ = [
    "begins",
    "enter",
    "read_arguments",
    "read_objects",
    "read_value",
    "read_word",
    "value_finder",
    "value_goes_on",
    "value_opener",
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
    if turn.region.open:
        turn.region.doubt(bare=walk.is_doubtful())
    start = walk.pending_start + walk.pending_chars if i < 0 else turn.base + i
    walk.settle(start)
    edge = edges[0]
    if edge.kind == "call":
        return _enter_objects(turn, walk, i)
    if not begins(turn, walk, edges):
        return i
    if edge.kind in {"arguments", "keywords"}:
        tool = turn.names.tool(walk.name)
        ends = walk.program.ends_of_text(edges) or walk.program.ends(edge.format)[0]
        named_tag = walk.program.formats[edge.format].is_written_out
        walk.reader = reader_for(edge, turn.limits.depth, tool, ends=ends, wary=turn.may_mend(), named_tag=named_tag)
        walk.phase = ARGUMENTS
    elif edge.kind == "value":
        assert walk.parameters is not None
        lead = max((each.lead for each in edges), key=len)
        turn.delta(walk.parameters.begin_value(lead), start)
        walk.value_start = -1
        walk.phase = VALUE
    else:
        walk.word = ""
        walk.phase = WORD
    return i


def read_arguments(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """Arguments in the format's codec."""
    assert walk.reader is not None
    # What is written anew, the beginning above all, stands where the arguments do; all else where it was read.
    begun = turn.emit.call.has_arguments and walk.unnamed is None
    start = turn.base + i - waiting_of(walk.reader) if begun else walk.pending_start
    j, piece, status = walk.reader.read(text, i)
    if walk.unnamed is not None:
        return _read_unnamed(turn, walk, text[i:j], (piece, status), j)
    rest: str = getattr(walk.reader, "rest", "")  # of a marker that is not the reader's
    if piece:
        turn.delta(piece, min(start, turn.base + j - len(rest)), after_comma=walk.reader.after_comma)
    if status == FAILED and rest:
        turn.refuse_arguments(walk.reader.fault, rest, turn.base + j - len(rest))
        turn.read_again(rest, turn.base + j - len(rest), always=True)
    elif status == FAILED:
        turn.refuse_arguments(walk.reader.fault, text[j], turn.base + j)
    elif status == DOUBTED:
        before = walk.relented()
        assert before is not None
        turn.suspend(Mending(QUOTES, None, "", text[j], turn.base + j), before)
    elif status == DONE:
        end = turn.base + j - len(rest)
        walk.reader = None
        walk.settle(end)
        walk.end_hole()
        if awaits_end(walk):
            await_end(walk)
        elif walk.edges[0].last:
            turn.end_call(end)
            walk.go_behind(walk.place)
        else:
            walk.phase = MARKERS
        turn.read_again(rest, end, always=True)
    return j


def _read_unnamed(turn: Turn, walk: Walk, read: str, found: tuple[str, int], j: int) -> int:
    """The arguments of a call that has a number for a name: kept until they are whole."""
    piece, status = found
    turn.region.keep(read)
    walk.unnamed = grown(walk.unnamed or (), piece)
    if status == FAILED:
        no_call(turn, walk)
    elif status == DONE:
        arguments, start, end = joined(walk.unnamed), walk.pending_start, turn.base + j
        if begin_unnamed(turn, walk, arguments, end):
            turn.delta(arguments, start)
            turn.end_call(end)
            _go_behind(walk)
    return j


def _enter_objects(turn: Turn, walk: Walk, i: int) -> int:
    walk.envelope = Envelope(turn.limits.depth, bare=all(edge.unmarked for edge in walk.edges))
    walk.first_call = turn.emit.index
    walk.format = walk.edges[0].format
    walk.phase = OBJECTS
    turn.region.hand_out(at_once=not walk.is_foreign and walk.program.calls_in_reasoning(walk.format, turn.lane))
    return i  # the envelope reads its bracket itself


def read_objects(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """JSON objects with name and arguments."""
    envelope = walk.envelope
    assert envelope is not None
    before = turn.emit.index
    j = envelope.read(turn, text, i)
    begun = turn.emit.index > walk.first_call
    if turn.emit.index > before and not walk.is_foreign:
        turn.narrow(turn.narrowed(tuple(sorted({edge.format for edge in walk.edges}))))
    if turn.mode != CALL or turn.payload is not walk:  # given up, stopped or left; or it is data
        return j
    scanner = envelope.scanner
    if scanner.token == FAIL:
        if scanner.fault == "depth":
            turn.stop("depth", text[j], turn.base + j)
        elif turn.region.open:
            _no_object(turn, walk, text[j], turn.base + j)
        elif not _is_comma_after_call(turn, walk, text[j], turn.base + j):
            _go_behind(walk)
    elif envelope.has_ended:
        if not begun:
            turn.region.settle()
            no_call(turn, walk)
        elif turn.region.open:
            turn.content_region()
            turn.leave(text_follows=True)
        else:
            _go_behind(walk)
    return j


def _no_object(turn: Turn, walk: Walk, char: str, place: int) -> None:
    if not turn.suspend_refused(REGION, "", char, place):
        no_call(turn, walk)


def _is_comma_after_call(turn: Turn, walk: Walk, char: str, place: int) -> bool:
    # Calls in a list, and a comma after the last one: no call needs a repair, but the list is to be closed.
    envelope = walk.envelope
    if turn.repair == OFF or char != "]" or envelope is None or envelope.bare or envelope.last_read != ",":
        return False
    turn.emit.problem(LEFT_OVER, char, place)
    envelope.take_back()
    return True


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
        if exits.marker and (j := _along_marker(turn, walk, exits.marker, text, i)) > i:
            i = j
            if walk.word.endswith(exits.marker):
                return _word_ends(turn, walk, exits.marker, i)
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


def _along_marker(turn: Turn, walk: Walk, marker: str, text: str, i: int) -> int:
    # As much of the marker behind the word as there is of it: nothing else can end there. What may stand before its
    # last character may stand before each of them.
    word = walk.word
    place = word.rfind(marker[0])
    begun = len(word) - place if place >= 0 and marker.startswith(word[place:]) else 0
    piece = text[i : i + len(marker) - begun]
    if len(piece) < 2 or not marker.startswith(piece, begun) or len(word) + len(piece) > NAME_CHARS or turn.region.bare:
        return i
    walk.word = word + (piece[:-1] if begun + len(piece) == len(marker) else piece)
    if not _may_go_on(turn, walk, (marker,)):
        walk.word = word
        return i
    walk.word = word + piece
    if turn.region.open:
        turn.region.keep(piece)
    return i + len(piece)


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
    if edge.kind == "name" and edge.doubtful and not word.isascii() and not turn.names.may_begin(word):
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
        if holds_markup(word) and not turn.names.has_parameter(turn.emit.call.name, declared.unescaped(word)):
            turn.give_up(f"malformed call: {kind} expected", word, start)
            return False
        if walk.parameters is None:
            opened = walk.program.formats[walk.format]
            tool, depth = turn.names.tool(walk.name), turn.limits.depth
            walk.parameters = Parameters(tool, opened.types, depth, coerce=turn.coerce, wrappers=opened.wrappers)
        walk.parameters.word(kind, declared.unescaped(word) if kind == "key" else word)
    elif kind == "name":
        strange = holds_markup(word) or _has_marker(walk, word) or (turn.region.bare and not turn.takes(word))
        if not word or (strange and turn.names.resolve(word) is None):
            no_call(turn, walk)
            return False
        walk.name = whole_characters(declared.unescaped(word))
    elif kind == "id":
        walk.id = whole_characters(word)
        if turn.emit.open:
            turn.emit.call.set_id(walk.id)
    else:
        walk.index = word
    return True


def _has_marker(walk: Walk, word: str) -> bool:
    # A name that holds what opens or closes calls of its own format is the rest of something else.
    number = walk.edges[0].format
    key = "markers", number
    if key not in walk.program.kept:
        closers, tags = walk.program.ends(number)
        markers = dict.fromkeys(filter(is_marker, (*closers, *tags)))
        walk.program.kept[key] = tuple(each for each in markers if not holds_markup(each))
    return any(each in word for each in walk.program.kept[key])


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
    line = -1 if parameters.paired or parameters.has_lines else text.find("\n", i, place)
    if line >= 0:  # from here on, something else is looked for: see `value_finder`
        place, found = line + 1, ""
    if place > i:
        _pass_on(turn, walk, text[i:place], turn.base + i)
    if line >= 0:
        walk.finder = None
        return place
    if not found:
        return turn.hold(text, place)
    if not suspects(walk).ends_value(walk.exits, found):
        return _swallowed(turn, walk, text, place, found)
    if _goes_on_otherwise(turn, walk, text, place, found):
        return place if turn.mode != CALL else turn.hold(text, place)
    start = turn.base + place
    walk.settle(start)
    walk.pending, walk.pending_chars = ((), found), len(found)
    walk.end_hole()
    trail = trail_of(walk.edges) if parameters.paired else ""
    for char in found[len(trail) if trail and found.startswith(trail) and found not in walk.exits.literals else 0 :]:
        walk.place = net.step(walk.place, char) or walk.place
    parameters.undecided, parameters.ending.stray = True, False
    walk.hole_end = start + len(found)
    walk.phase = MARKERS
    return place + len(found)


def _pass_on(turn: Turn, walk: Walk, text: str, start: int) -> None:
    # Text of the value. Behind its first line break something else may be looked for: see `value_finder`.
    parameters = walk.parameters
    assert parameters is not None
    had_lines = parameters.has_lines
    if walk.value_start < 0:
        walk.value_start = start
    turn.delta(parameters.text(text), start)
    if parameters.has_lines != had_lines:
        walk.finder = None


def _swallowed(turn: Turn, walk: Walk, text: str, place: int, found: str) -> int:
    # A marker of the family's own that is not what ends the value: the value's own closing marker may be missing, or
    # stand there in another spelling.
    parameters, seen = walk.parameters, suspects(walk)
    assert parameters is not None
    parameters.ending.quoted = parameters.ending.quoted or seen.is_opener(found)
    start, end = turn.base + place, place + len(found)
    keys = _keys(turn, walk)
    spelling = seen.spelling(walk.exits, text, place, found, keys)
    if spelling is not None:
        if _misspelt(turn, walk, text, place, spelling):
            return place if turn.mode != CALL else turn.hold(text, place)
    elif not parameters.doubtful and start > parameters.as_written:
        before = parameters.last_char(turn.emit.call.arguments_end)
        exact = not seen.lines or not (before.isspace() or (parameters.has_lines and not parameters.paired))
        kind = seen.kind(text, place, found, before, exact=exact, paired=parameters.paired, keys=keys)
        if kind == WAIT:
            return turn.hold(text, place)
        closer, final = seen.closers_of(walk.exits)[-1], found.lstrip() in seen.closers
        if kind == MISSING and (turn.may_mend() or turn.repair == TRIAL):
            turn.suspend(Mending(UNCLOSED, None, found.lstrip(), closer, start, final=final), walk.copy())
            return place
        parameters.doubtful = kind != TEXT and not final
    _pass_on(turn, walk, found, start)
    return end


def _goes_on_otherwise(turn: Turn, walk: Walk, text: str, place: int, found: str) -> bool:
    # Of a closing marker that holds white space only the first part is found: what follows may be another spelling.
    seen = suspects(walk)
    if not seen.is_parted(found):
        return False
    spelling = seen.spelling(walk.exits, text, place, found, _keys(turn, walk))
    return spelling is not None and _misspelt(turn, walk, text, place, spelling)


def _keys(turn: Turn, walk: Walk) -> Iterable[str] | None:
    # The parameters of the tool; None where they are not known.
    tool = turn.names.tool(walk.name)
    return tool.properties if tool is not None and tool.properties else None


def _misspelt(turn: Turn, walk: Walk, text: str, place: int, spelling: Spelling) -> bool:
    # The value's closing marker may stand there in another spelling. False: it is text of the value.
    parameters = walk.parameters
    assert parameters is not None
    start = turn.base + place
    if spelling.kind != MISSING:
        return spelling.kind == WAIT
    if start > parameters.as_written and not parameters.doubtful and (turn.may_mend() or turn.repair == TRIAL):
        closer, written = suspects(walk).closers_of(walk.exits)[-1], text[place : spelling.end]
        mending = Mending(UNCLOSED, None, written, closer, start, final=spelling.final, skip=len(written))
        turn.suspend(mending, walk.copy())
        return True
    parameters.ending.misspelt = turn.base + spelling.behind
    return False


def value_opener(walk: Walk) -> str:
    """The marker that is due before a value, if nothing else is; "" elsewhere, and where it has begun."""
    net = walk.program.net
    literals = () if joined(walk.pending).strip() else net.literals_at(walk.place)
    if len(literals) != 1:
        return ""
    place: Place | None = walk.place
    for char in literals[0]:
        place = place and net.step(place, char)
    return literals[0] if place and any(edge.kind == "value" for edge in place.holes) else ""


def suspects(walk: Walk) -> Suspects:
    """The markers that a value of the open call may have swallowed."""
    return suspects_of(walk.program, walk.format)


def value_finder(walk: Walk) -> Finder:
    """Finds what may stand behind the value that is read, with its white space, and what it may have swallowed."""
    if walk.finder is None:
        # Of a value of lines, whose pattern has no line break before it, nobody knows whether it ends with one.
        parameters = walk.parameters
        paired = parameters is not None and parameters.paired
        lines = parameters is None or paired or not parameters.has_lines
        walk.finder = suspects(walk).finder(walk.exits, trail_of(walk.edges) if paired else "", lines=lines)
    return walk.finder


def value_search(walk: Walk) -> Search:
    """Says whether a text must be read for what `value_finder` finds; or for the value's first line break."""
    found = value_finder(walk)
    parameters = walk.parameters
    if parameters is None or parameters.paired or parameters.has_lines:
        return found.search
    return suspects(walk).finder(walk.exits, "", lines=True, first_line=True).search


def _lead(turn: Turn, walk: Walk, parameters: Parameters, text: str, i: int) -> int:
    # The white space before a value, exact and optional.
    while i < len(text) and parameters.lead:
        if text[i] != parameters.lead[0]:
            parameters.lead, passed = "", parameters.passed
            _pass_on(turn, walk, passed, turn.base + i)
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
    _pass_on(turn, walk, text, start)
    return i
