# What this file knows: how a turn is walked through the places of a program, from an opener to the end of a call.
# What it must not know: any family; how places were laid (formats/compile.py); what a dialect's values look like (scan).
#
# Between two holes the walk goes character by character from place to place. Where no character leads on, a hole may
# begin; where none may, the walk goes back to the last place that had another way on: a hole that was passed by for
# a marker (a marker beats a hole), or a marker with an action that was read whole (a longer one still fitted). Where
# there is none of these either, the text is no call.
#
# Text before the call is certain is the machine's region. In an open call, what was read since the last literal or hole
# is `pending`, for a value's closing marker counts only if what follows may follow: if not, it is text of the value.
"""Walking places."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolglean.envelope import Envelope, begin_frames, read_envelope
from toolglean.formats.compile import CLOSE_REASONING, DROP, OPEN_REASONING, Program, compiled
from toolglean.formats.net import ACTION, END, LITERAL, MARKUP, START, TAG, HoleEdge, Place
from toolglean.parameters import Parameters
from toolglean.readers import reader_for
from toolglean.scan.json import END as JSON_END
from toolglean.scan.json import FAIL
from toolglean.scan.reader import DONE, FAILED, Reader
from toolglean.scan.rope import Rope, flat, joined

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.machine import Machine
    from toolglean.scan.text import Finder

__all__ = ["FormatPlan", "Walk"]

NAME_CHARS = 256
KEY_CHARS = 4096

# Phases, named for what is being read.
MARKERS = 0  # literals and white space
WORD = 1  # a name, id, index, key or type
VALUE = 2  # the text of a parameter
ARGUMENTS = 3  # the arguments in the format's codec
OBJECTS = 4  # JSON objects with name and arguments
BEHIND = 5  # markup behind a call


class FormatPlan:
    """What the machine looks for where formats are known: see `plan.Plan`."""

    stops_after_bare = False

    def __init__(self, program: Program) -> None:
        self.program = program
        self.formats = program.formats
        self.bare = program.has_bare

    def finder(self, lane: int, only: int) -> Finder:
        """Finds the literals with which anything begins."""
        return self.program.lane(lane, only).finder

    def reasoning_lane(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning."""
        return self.program.first_reasoning()

    def begin(self, machine: Machine, found: str, start: int) -> Walk:
        """A literal was found: walk it from the lane's opening."""
        machine.open_region(start, len(found))
        walk = Walk(self.program, self.program.lane(machine.lane, machine.only).opening)
        for char in found:
            walk.step(machine, char)
        return walk

    def begin_bare(self, machine: Machine, char: str, start: int) -> tuple[Walk, int] | None:
        """The turn begins with that character: a marker, or a call that has none."""
        place = self.program.bare_start(machine.only)
        if self.program.net.step(place, char) is None and not place.hole_for(char):
            return None
        machine.open_region(start, 0, bare=True)
        return Walk(self.program, place), 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.program.formats,)


def _plan(formats: tuple[Format, ...]) -> FormatPlan:
    return FormatPlan(compiled(formats))


class Walk:
    """Where the walk stands."""

    def __init__(self, program: Program, place: Place) -> None:
        self.program = program
        self.place = place
        self.phase = MARKERS
        self.format = -1  # the number of the open call's format
        self.first_call = -1  # the index that the first call of an envelope gets
        self.name = ""
        self.id = ""
        self.index = ""
        self.parameters: Parameters | None = None
        self.reader: Reader | None = None
        self.envelope: Envelope | None = None
        self._edges: tuple[HoleEdge, ...] = ()
        self._hole: tuple[Place, str] | None = None  # the place and character from which the edges follow
        self._word = ""
        self._others: tuple[tuple[Place, int], ...] = ()  # places with a hole that was passed by, and where it would begin
        self._accepted: tuple[int, int] | None = None  # an action, and where its marker ended
        self._pending: Rope = ()  # text since the last literal or hole of an open call, or since the opener
        self._pending_chars = 0
        self._pending_start = 0

    # -- the machine's side --------------------------------------------------------------------------------------------

    def read(self, machine: Machine, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](machine, self, text, i)

    def skip(self, machine: Machine, text: str, i: int) -> int:
        """Pass over the rest of a malformed call: to its closer, or before the next opener."""
        place, found = self.program.skipper(self.format).find(text, i)
        if not found:
            return machine.hold(text, place)
        machine.emit.end_call("malformed", machine.base + place)
        behind = self.program.behind(self.format, found)
        if behind is None:
            machine.leave(text_follows=True)
            return place
        machine.emit.markup(found, machine.base + place)
        machine.resume()
        self._go_behind(behind)
        return place + len(found)

    def finish(self, machine: Machine) -> None:
        """The turn is over, and no call is open."""
        if self.phase == BEHIND:
            text, start = joined(self._pending), self._pending_start
            machine.leave(text_follows=bool(text))
            machine.say(text, start)
        elif self._accepted is not None:
            _accept(machine, self)
        else:
            _no_call(machine, self)

    def copy(self) -> Walk:
        """The same place."""
        twin = Walk.__new__(Walk)
        twin.__dict__.update(self.__dict__)
        twin.parameters = self.parameters and self.parameters.copy()
        twin.reader = self.reader and self.reader.copy()
        twin.envelope = self.envelope and self.envelope.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # Places and edges belong to the program: only what they follow from is kept.
        state = self.__dict__
        return state | {
            "program": self.program.formats,
            "place": self.place.key,
            "_edges": None,
            "_hole": self._hole and (self._hole[0].key, self._hole[1]),
            "_others": tuple((place.key, chars) for place, chars in self._others),
            "_pending": flat(self._pending),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.program = compiled(state["program"])
        at = self.program.net.place
        self.place = at(state["place"])
        self._others = tuple((at(key), chars) for key, chars in state["_others"])
        self._hole = state["_hole"] and (at(state["_hole"][0]), state["_hole"][1])
        self._edges = self._hole[0].hole_for(self._hole[1]) if self._hole else ()

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, machine: Machine, char: str) -> bool:
        """Walk one character. False: it leads nowhere."""
        found = self.program.net.step(self.place, char)
        if found is None:
            return False
        if self.place.holes and not char.isspace():
            self._others = (*self._others, (self.place, self._pending_chars))
        self.place = found
        self._pending = (self._pending, char)
        self._pending_chars += 1
        if machine.in_region:
            machine.keep(char)
        if found.flags & LITERAL:
            self._others = ()
            if found.flags & ACTION:
                self._accepted = (found.action, self._pending_chars)
        return True

    def settle(self, here: int) -> None:
        """What was read before the place `here` is what it seems."""
        self._pending, self._pending_chars, self._pending_start, self._others = (), 0, here, ()

    def clear_pending(self) -> None:
        """What was read so far is settled."""
        self.settle(self._pending_start + self._pending_chars)

    def _go_behind(self, place: Place) -> None:
        self.phase, self.place = BEHIND, place
        self.name = self.id = self.index = ""
        self.parameters = self.reader = self.envelope = None
        self._hole, self._edges, self._accepted = None, (), None
        self.clear_pending()


# -- markers and white space -------------------------------------------------------------------------------------------


def _markers(machine: Machine, walk: Walk, text: str, i: int) -> int:
    while i < len(text):
        if not walk.step(machine, text[i]):
            return _astray(machine, walk, text[i], i)
        i += 1
        if walk.place.flags and not _arrived(machine, walk, machine.base + i):
            return i
    return i


def _arrived(machine: Machine, walk: Walk, here: int) -> bool:
    """A place with flags was reached. False: the phase has changed, or the walk is over."""
    flags = walk.place.flags
    if flags & LITERAL and walk.parameters is not None and walk.parameters.undecided:
        machine.delta(walk.parameters.end_value(), here)
    if flags & START and not machine.emit.open and not _start_call(machine, walk):
        return False
    if flags & END:
        return _end_call(machine, walk, here)
    if machine.emit.open:
        if flags & LITERAL:
            walk.settle(here)
    elif flags & ACTION and not walk.place.chars and not walk.place.holes:
        _accept(machine, walk)
        return False
    return True


def _astray(machine: Machine, walk: Walk, char: str, i: int) -> int:
    """No character leads on."""
    edges = walk.place.hole_for(char)
    if edges:
        return _enter(machine, walk, edges, walk.place, char, i)
    if walk.parameters is not None and walk.parameters.undecided:
        return _value_goes_on(machine, walk, i)
    if _go_back(machine, walk):
        return i
    if walk._accepted is not None and machine.in_region:
        _accept(machine, walk)
    elif machine.emit.open:
        machine.give_up("malformed call: a marker was expected", char, machine.base + i)
    else:
        _no_call(machine, walk)
    return i


def _go_back(machine: Machine, walk: Walk) -> bool:
    """Back to a hole that was passed by for a marker."""
    while walk._others:
        (place, chars), walk._others = walk._others[-1], walk._others[:-1]
        pending = joined(walk._pending)
        edges = place.hole_for(pending[chars])
        if edges:
            again, start = pending[chars:], walk._pending_start + chars
            if not machine.read_again(again, start):
                return False
            if machine.in_region:
                machine.shorten_region(len(again))
            _enter(machine, walk, edges, place, again[0], -1)
            return True
    return False


def _no_call(machine: Machine, walk: Walk) -> None:
    named = bool(walk.name) and machine.takes(walk.name)
    tried = walk.phase == OBJECTS or named
    machine.leave(text_follows=True)
    machine.release_region("unreadable call" if tried and not machine.bare_region else "")


def _accept(machine: Machine, walk: Walk) -> None:
    """A marker with an action was read whole, and nothing longer came of it."""
    assert walk._accepted is not None
    action, chars = walk._accepted
    machine.markup_region(chars)
    if action == CLOSE_REASONING:
        machine.enter_lane(0)
    elif action >= OPEN_REASONING:
        machine.enter_lane(action - OPEN_REASONING)
    else:
        assert action == DROP
        machine.enter_lane(machine.lane)


# -- calls -------------------------------------------------------------------------------------------------------------


def _start_call(machine: Machine, walk: Walk) -> bool:
    number = walk.place.formats[0]
    declared = walk.program.formats[number]
    name = machine.resolve(walk.name)
    if not walk.name or not machine.takes(walk.name) or (declared.registered_only and name is None):
        _no_call(machine, walk)
        return False
    model_id = walk.id
    if declared.id and walk.index:
        model_id = declared.id.replace("{name}", walk.name).replace("{index}", walk.index)
    may_get_id = not model_id and any("{id}" in pattern for pattern in declared.calls)
    walk.format = number
    if not machine.begin_call(name or walk.name, model_id or None, may_get_id=may_get_id):
        return False
    machine.only = number
    walk._accepted = None
    walk.settle(walk._pending_start + walk._pending_chars)
    return True


def _end_call(machine: Machine, walk: Walk, here: int) -> bool:
    """The literal that ended at `here` shows that the call is complete."""
    if not machine.emit.open and not _start_call(machine, walk):
        return False
    if walk.parameters is not None:
        machine.delta(walk.parameters.end(), here)
    end = walk._pending_start
    marker = joined(walk._pending)
    machine.end_call(end)
    if walk.place.flags & TAG:
        space = len(marker) - len(marker.lstrip())
        machine.emit.space(marker[:space], end)
        machine.leave(text_follows=False)
        if not machine.read_again(marker[space:], end + space):
            machine.say(marker[space:], end + space)
        return False
    machine.emit.markup(marker, end)
    walk._go_behind(walk.place)
    return False


def _enter(machine: Machine, walk: Walk, edges: tuple[HoleEdge, ...], place: Place, char: str, i: int) -> int:
    """A hole begins at `i` with that character; -1: with text that is read again."""
    walk._edges, walk._hole = edges, (place, char)
    start = walk._pending_start + walk._pending_chars if i < 0 else machine.base + i
    walk.settle(start)
    edge = edges[0]
    if edge.kind == "call":
        return _enter_objects(machine, walk, char, i)
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
        walk._word = ""
        walk.phase = WORD
    return i


def _arguments(machine: Machine, walk: Walk, text: str, i: int) -> int:
    assert walk.reader is not None
    j, piece, status = walk.reader.read(text, i)
    if piece:
        machine.delta(piece, walk._pending_start)
    if status == FAILED:
        if walk.reader.fault == "depth":
            machine.stop("depth", text[j], machine.base + j)
        else:
            machine.give_up(f"malformed arguments: {walk.reader.fault}", text[j], machine.base + j)
    elif status == DONE:
        walk.reader = None
        walk.settle(machine.base + j)
        walk.place = walk.program.net.place([edge.target for edge in walk._edges])
        if walk._edges[0].last:
            machine.end_call(machine.base + j)
            walk._go_behind(walk.place)
        else:
            walk.phase = MARKERS
    return j


# -- JSON objects with name and arguments ------------------------------------------------------------------------------


def _enter_objects(machine: Machine, walk: Walk, char: str, i: int) -> int:
    walk.envelope = Envelope(machine.limits.depth)
    walk.first_call = machine.emit.index
    walk.format = walk._edges[0].format
    walk.phase = OBJECTS
    if all(walk.program.formats[edge.format].registered_only for edge in walk._edges):
        machine.bare_region = True
    if i < 0:  # the bracket is read again with what follows
        return i
    machine.keep(char)
    begin_frames(walk.envelope, char)
    return i + 1


def _objects(machine: Machine, walk: Walk, text: str, i: int) -> int:
    envelope = walk.envelope
    assert envelope is not None
    if not envelope.frames and not envelope.scanner.stack and envelope.scanner.state == 0:
        machine.keep(text[i])
        begin_frames(envelope, text[i])
        return i + 1
    j = read_envelope(machine, envelope, text, i)
    begun = machine.emit.index > walk.first_call
    if begun and machine.only < 0:
        machine.only = walk.format
    if not machine.reading_call:
        return j
    scanner = envelope.scanner
    if scanner.token == FAIL:
        if scanner.fault == "depth":
            machine.stop("depth", text[j], machine.base + j)
        elif machine.in_region:
            _no_call(machine, walk)
        else:
            _go_behind(walk)
    elif scanner.state == JSON_END:
        if not begun:
            _no_call(machine, walk)
        elif machine.in_region:
            machine.content_region()
            machine.leave(text_follows=True)
        else:
            _go_behind(walk)
    return j


def _go_behind(walk: Walk) -> None:
    walk._go_behind(walk.program.net.place([edge.target for edge in walk._edges]))


# -- words: names, ids, keys -------------------------------------------------------------------------------------------


def _word(machine: Machine, walk: Walk, text: str, i: int) -> int:
    net = walk.program.net
    exits = net.exits([edge.target for edge in walk._edges])
    while i < len(text):
        char = text[i]
        if char in exits.chars and walk._word.strip():
            if _word_read(machine, walk, walk._word):
                _walk_on(machine, walk, "", machine.base + i)
            return i
        walk._word += char
        if machine.in_region:
            machine.keep(char)
        i += 1
        for literal in exits.literals:
            if walk._word.endswith(literal):
                if _word_read(machine, walk, walk._word[: -len(literal)]):
                    _walk_on(machine, walk, literal, machine.base + i)
                return i
        if not _may_go_on(machine, walk, exits.literals):
            if machine.emit.open:
                machine.give_up(f"malformed call: {walk._edges[0].kind} expected", char, machine.base + i - 1)
            elif not _instead(machine, walk):
                _no_call(machine, walk)
            return i
    return i


def _instead(machine: Machine, walk: Walk) -> bool:
    """Instead of a call, a marker with an action had been read."""
    if walk._accepted is None:
        return False
    _accept(machine, walk)
    return True


def _may_go_on(machine: Machine, walk: Walk, literals: tuple[str, ...]) -> bool:
    """Whether what was read of a word can still become one."""
    edge, word = walk._edges[0], walk._word.lstrip()
    if edge.kind in {"key", "type"}:
        return len(word) <= KEY_CHARS
    if edge.kind == "name" and not edge.word and machine.has_spaced_names and "\n" not in word:
        return len(word) <= NAME_CHARS
    end = 0
    if edge.kind == "index":
        while end < len(word) and word[end].isdigit():
            end += 1
    elif edge.word:
        while end < len(word) and (word[end].isalnum() or word[end] in "_-."):
            end += 1
    else:
        while end < len(word) and not word[end].isspace():
            end += 1
    rest = word[end:].lstrip()
    if end > NAME_CHARS + max(map(len, literals), default=0) or (edge.word and rest and not end):
        return False
    return not rest or any(literal.startswith(rest) for literal in literals)


def _word_read(machine: Machine, walk: Walk, word: str) -> bool:
    """The word is whole. False: it cannot be what it should."""
    kind, word = walk._edges[0].kind, word.strip() if walk._edges[0].kind != "key" else word
    if kind in {"key", "type"}:
        if walk.parameters is None:
            types = walk.program.formats[walk.format].types
            walk.parameters = Parameters(machine.tool(walk.name), types, coerce=machine.coerce)
        walk.parameters.word(kind, word)
    elif kind == "name":
        if not word:
            _no_call(machine, walk)
            return False
        walk.name = word
    elif kind == "id":
        walk.id = word
        if machine.emit.open:
            machine.emit.set_id(word)
    else:
        walk.index = word
    return True


def _walk_on(machine: Machine, walk: Walk, literal: str, here: int) -> None:
    """Behind the word; the literal that ended it has been read, and ended at `here`."""
    net = walk.program.net
    walk.phase = MARKERS
    walk.place = net.place([edge.target for edge in walk._edges])
    walk._hole, walk._edges = None, ()
    walk.settle(here - len(literal))
    if walk.place.flags & START and not machine.emit.open and not _start_call(machine, walk):
        return
    for char in literal:
        found = net.step(walk.place, char)
        assert found is not None
        walk.place = found
        walk._pending = (walk._pending, char)
        walk._pending_chars += 1
    if walk.place.flags:
        _arrived(machine, walk, here)


# -- values ------------------------------------------------------------------------------------------------------------


def _value(machine: Machine, walk: Walk, text: str, i: int) -> int:
    parameters, net = walk.parameters, walk.program.net
    assert parameters is not None
    if parameters.lead:
        i = _lead(machine, walk, parameters, text, i)
        if parameters.lead:
            return i
    exits = net.exits([edge.target for edge in walk._edges])
    trail = max((edge.trail for edge in walk._edges), key=len) if parameters.paired else ""
    place, found = net.finder(exits, trail).find(text, i)
    if place > i:
        machine.delta(parameters.text(text[i:place]), machine.base + i)
    if not found:
        return machine.hold(text, place)
    start = machine.base + place
    walk.settle(start)
    walk._pending, walk._pending_chars = ((), found), len(found)
    walk.place = net.place([edge.target for edge in walk._edges])
    for char in found[len(trail) if trail and found.startswith(trail) and found not in exits.literals else 0 :]:
        walk.place = net.step(walk.place, char) or walk.place
    parameters.undecided = True
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


def _value_goes_on(machine: Machine, walk: Walk, i: int) -> int:
    """What looked like the value's closing marker is not followed by what may follow: it is text of the value."""
    assert walk.parameters is not None
    pending, start = joined(walk._pending), walk._pending_start
    walk.parameters.undecided = False
    walk.phase = VALUE
    walk.clear_pending()
    text = pending[:1] if machine.read_again(pending[1:], start + 1) else pending
    machine.delta(walk.parameters.text(text), start)
    return i


# -- behind a call -----------------------------------------------------------------------------------------------------


def _behind(machine: Machine, walk: Walk, text: str, i: int) -> int:
    char = text[i]
    if not walk._pending_chars and char.isspace():
        return machine.wait_for_more(text, i)
    found = walk.program.net.step(walk.place, char)
    if found is not None:
        if not walk._pending_chars:
            walk._pending_start = machine.base + i
        walk.place = found
        walk._pending = (walk._pending, char)
        walk._pending_chars += 1
        if found.flags & LITERAL:
            _literal_behind(machine, walk, machine.base + i + 1)
        return i + 1
    if walk._pending_chars:
        pending, start = joined(walk._pending), walk._pending_start
        machine.leave(text_follows=False)
        if not machine.read_again(pending, start):
            machine.say(pending, start)
        return i
    edges = walk.place.hole_for(char)
    if edges:
        machine.open_region(machine.base + i, 1, bare=machine.bare_region)
        return _enter(machine, walk, edges, walk.place, char, i)
    machine.leave(text_follows=False)
    return i


def _literal_behind(machine: Machine, walk: Walk, here: int) -> None:
    text, start = joined(walk._pending), walk._pending_start
    if walk.place.flags & MARKUP:
        machine.emit.markup(text, start)
        walk.clear_pending()
        return
    machine.open_region(start, len(text), bare=machine.bare_region)  # a call whose first literal is JSON itself
    machine.keep(text)
    walk.phase = MARKERS
    _arrived(machine, walk, here)


_PHASES: tuple[Callable[[Machine, Walk, str, int], int], ...] = (_markers, _word, _value, _arguments, _objects, _behind)
