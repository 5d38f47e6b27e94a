# What this file knows: how declarations become a net of places, and what makes several patterns wrong together.
# What it must not know: how the net is walked (engine/places/), and any text.
#
# For each spelling of the section, and in it each spelling of the call, a path leads up to the last hole. The text
# after the last hole is optional, and is markup: the rest of the call, separators, the section's end. From there, calls
# without an opener begin again. Calls with an opener are found by the search for openers, as are section
# openers, reasoning markers and dropped markers: the literals with which any of these begin are the tags of a lane.
# A lane is what the text is while no call is read: content, or reasoning of one kind.
"""From formats to a program."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.net import (
    ACTION,
    EMPTY,
    END,
    FOLLOWS,
    GUARDED,
    LEFTOVER,
    LITERAL,
    MARKUP,
    NAMED,
    RAW_SPACES,
    START,
    STOP,
    TAG,
    HoleEdge,
    Net,
    Place,
)
from toolglean.formats.registry import find_format, get_format
from toolglean.formats.spec import Format, Hole, JsonOrText, Literal, Space, Token, tokens_of
from toolglean.scan.text import Finder

__all__ = [
    "CLOSE_REASONING",
    "DROP",
    "OPEN_REASONING",
    "SPEAK",
    "STRAY",
    "TELL",
    "Lane",
    "Program",
    "compiled",
    "first_literal",
    "is_bare",
]

# Actions of markers; numbers from OPEN_REASONING on say which lane opens.
DROP = 0
CLOSE_REASONING = 1
SPEAK = 2  # what follows is text: no call without a marker may begin there
TELL = 3  # what follows is text for the user, in which no call counts
STRAY = 4  # the end of reasoning that has not begun
OPEN_REASONING = 5

CONTENT = 0  # the lane of content; others are reasoning
ANY_REASONING = -1  # reasoning that any of the closers may end


class Lane:
    """What to look for in text of one kind.

    Attributes:
        finder: the literals with which anything begins.
        opening: the place before them, in the middle of a line.
        line: the place before them at the beginning of a line.
    """

    __slots__ = ("finder", "line", "opening")

    def __init__(self, program: Program, states: list[int], lines: list[int], *, words: bool) -> None:
        self.opening = program.net.place(states)
        self.line = program.net.place(states + lines) if lines else self.opening
        self.finder = Finder(program.net.exits(states + lines).literals, words=words)
        if lines:  # what was said last must be known
            self.finder.guards = "", ""

    def place_behind(self, last: str) -> Place:
        """The place before the literals, behind that text."""
        return self.line if last[-1:] in {"", "\n"} else self.opening


class Program:
    """Compiled formats: one, or several at once. Shared by parsers, never changed.

    Attributes:
        formats: the declarations, the first that fits counts.
        net: the places.
        kept: what whoever walks it has made of it, once.
    """

    def __init__(self, formats: tuple[Format, ...], base: Program | None = None) -> None:
        # `base` is the program of the first formats: only the others are laid, on a copy of its net.
        self.formats = formats
        self.net: Net = Net() if base is None else base.net.copy()
        # Per format: the state before all that has a marker of its own; before what has one that counts at the
        # beginning of a line; before calls that have none; the state before each lane of reasoning, by the number of
        # its pair of markers (some pairs may have been left out); what stands behind a call, and the states behind it;
        # what opens calls.
        self._openers: list[int] = [] if base is None else list(base._openers)
        self._line: list[int] = [] if base is None else list(base._line)
        self._bare: list[int] = [] if base is None else list(base._bare)
        self._insides: list[dict[int, int]] = [] if base is None else list(base._insides)
        self._closers: list[dict[str, list[int]]] = [] if base is None else list(base._closers)
        self._tags: list[frozenset[str]] = [] if base is None else list(base._tags)
        self._pairs: list[tuple[int, int]] = [] if base is None else list(base._pairs)  # (format, pair) of lane n + 1
        self._lanes: dict[tuple[int, tuple[int, ...]], Lane] = {}
        self._skippers: dict[int, Finder] = {}
        self._enders: dict[int, Finder] = {}
        self._before_names: dict[int, tuple[str, ...]] = {}
        self.kept: dict[Any, Any] = {}  # what those who walk derive from it, by what they call it
        done = 0 if base is None else len(base.formats)
        for number, each in enumerate(formats[done:], done):
            _Layer(self, number, each).lay()
        self.has_bare = any(self.net.eps[state] for state in self._bare)

    def __reduce__(self) -> tuple[Any, ...]:
        # By name where a name gives the same declaration: 75 declarations are 30 KB.
        return _restored, (tuple(each.name if find_format(each.name) is each else each for each in self.formats),)

    def lane(self, lane: int, only: tuple[int, ...]) -> Lane:
        """The lane of that number; `only`: the numbers of the formats that count, () for all."""
        key = (lane, only)
        if key not in self._lanes:
            lines: list[int] = []
            if lane == CONTENT:
                lines = [state for n in only or range(len(self.formats)) if self.net.eps[state := self._line[n]]]
                states = [self._openers[number] for number in only] or self._openers
            elif lane == ANY_REASONING:
                numbers = only or range(len(self.formats))
                states = [state for number in numbers for state in self._insides[number].values()]
            else:
                number, pair = self._pairs[lane - 1]
                states = [self._insides[number][pair]]
            # What closes reasoning may follow its last word at once.
            self._lanes[key] = Lane(self, states, lines, words=lane == CONTENT)
        return self._lanes[key]

    def bare_start(self, only: tuple[int, ...]) -> Place:
        """The place at the start of a turn: whatever begins with a marker, and whatever does not."""
        numbers = only or range(len(self.formats))
        return self.net.place([state[n] for state in (self._openers, self._line, self._bare) for n in numbers])

    def skipper(self, number: int) -> Finder:
        """Finds where a malformed call of that format ends: at its closer, or before the next opener."""
        if number not in self._skippers:
            closers = tuple(filter(_is_marker, self._closers[number])) or self._closers[number]
            self._skippers[number] = Finder([*closers, *self._tags[number]])
        return self._skippers[number]

    def ender(self, number: int) -> Finder:
        """Finds what ends a call of that format for certain: a closer that is a marker, or an opener."""
        if number not in self._enders:
            self._enders[number] = Finder([*filter(_is_marker, self._closers[number]), *self._tags[number]])
        return self._enders[number]

    def ends(self, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What ends a call of that format, and what begins one."""
        # A bracket is not a marker: it closes much else.
        closers = (each for each in self._closers[number] if each not in self._tags[number])
        return tuple(filter(_is_marker, closers)), tuple(each.split()[0] for each in self._tags[number])

    def ends_of_text(self, edges: tuple[HoleEdge, ...]) -> tuple[str, ...]:
        """The markers that end arguments which may be plain text: what may follow, and what is markup anywhere."""
        if not isinstance(edges[0].codec, JsonOrText):
            return ()
        drop = (marker for edge in edges for marker in self.formats[edge.format].drop)
        found = (*self.net.behind(edges)[1].literals, *drop)
        return tuple(dict.fromkeys(each for each in found if _is_marker(each) and not each[0].isalnum()))

    def closers(self, number: int) -> tuple[str, ...]:
        """What stands behind calls and sections of that format, the longest first."""
        return tuple(sorted(self._closers[number], key=len, reverse=True))

    def tags(self, number: int) -> tuple[str, ...]:
        """What begins a call or a section of that format."""
        return tuple(sorted(self._tags[number]))

    def before_names(self, number: int) -> tuple[str, ...]:
        """What stands before a call's name in that format."""
        if number not in self._before_names:
            found = [_before_name(pattern) for pattern in self.formats[number].spellings]
            self._before_names[number] = tuple(dict.fromkeys(filter(None, found)))
        return self._before_names[number]

    def behind(self, number: int, closer: str) -> Place | None:
        """The place behind a closer of that format; None if the literal is an opener."""
        states = self._closers[number].get(closer)
        return None if states is None or closer in self._tags[number] else self.net.place(states)

    def reasoning_lane(self, number: int, pair: int) -> int:
        """The number of the lane for that pair of markers."""
        return self._pairs.index((number, pair)) + 1

    def marks(self, lane: int) -> tuple[str, ...]:
        """The markers by which reasoning of that lane goes on, or ends.

        Where the lane may be of any format, those are left out that another one ends its turns with.
        """
        pairs = self._pairs if lane == ANY_REASONING else [self._pairs[lane - 1]]
        found: list[str] = []
        for number, pair in pairs:
            declared = self.formats[number]
            found += _marks(declared, (*declared.all_reasonings[pair], *declared.speaks))
        if lane == ANY_REASONING:
            ends = {marker for declared in self.formats for marker in declared.drop}
            found = [text for text in found if text not in ends]
        return tuple(dict.fromkeys(filter(None, found)))

    def first_reasoning(self) -> int:
        """The lane in which a turn starts whose prompt has opened the reasoning; 0 where no format reasons."""
        return ANY_REASONING if self._pairs else CONTENT


def _restored(formats: tuple[str | Format, ...]) -> Program:
    return compiled(tuple(get_format(each) if isinstance(each, str) else each for each in formats))


@lru_cache(maxsize=256)
def compiled(formats: tuple[Format, ...]) -> Program:
    """The program of these formats.

    Raises:
        FormatError: the patterns cannot be put together; the message names the hole or marker.
    """
    fixed = tuple(each for each in formats if not each.is_written_out)
    if fixed and fixed == formats[: len(fixed)] and len(fixed) < len(formats):
        return _extended(fixed, formats[len(fixed) :])
    program = Program(formats)
    if len(formats) == 1:
        _check_places(program)
    return program


@lru_cache(maxsize=16)
def _extended(fixed: tuple[Format, ...], more: tuple[Format, ...]) -> Program:
    # Formats that are written out for the tools of a conversation: laid on top of those that are the same for all.
    return Program(fixed + more, compiled(fixed))


# Of each of these, only one hole may begin at one place: nothing would tell them apart.
_RIVALS = (frozenset({"name", "id", "index", "key", "type"}), frozenset({"arguments", "call"}))


def _check_places(program: Program) -> None:
    net = program.net
    todo = [program.lane(CONTENT, ()).opening, program.bare_start(())]
    seen = {place.key for place in todo}
    while todo:
        place = todo.pop()
        kinds = {edge.kind for edge in place.holes}
        for rivals in _RIVALS:
            if len(kinds & rivals) > 1:
                names = " and ".join(f"{{{kind}}}" for kind in sorted(kinds & rivals))
                raise FormatError(f"format {program.formats[0].name!r}: {names} begin alike at the same place")
        cores = list(place.chars.values())
        cores += [[edge.target for edge in place.holes if edge.kind == kind] for kind in kinds]
        for found in (net.place(core) for core in cores):
            if found.key not in seen:
                seen.add(found.key)
                todo.append(found)


class _Layer:
    # Lays the paths of one format.

    def __init__(self, program: Program, number: int, declared: Format) -> None:
        self.program, self.number, self.format = program, number, declared
        net = self.net = program.net
        net.format = number
        self.opener = net.state()  # before all that has a marker of its own
        self.call_opener = net.state()  # before calls and sections that have one
        self.line = net.state()  # the same, where it counts only at the beginning of a line
        self.bare = net.state()  # before those that have none
        net.eps[self.line if declared.at_line_start else self.opener].append(self.call_opener)
        self.program._closers.append({})
        openings = [_opening(text) for text in (*(pair[0] for pair in declared.all_sections), *declared.calls)]
        self.tags = tuple(dict.fromkeys(each for each in openings if each and not is_bare(each)))
        self.program._tags.append(frozenset(self.tags))

    def lay(self) -> None:
        for opener, closer in self.format.all_sections:
            self._section(opener, closer)
        pairs = list(enumerate(self.format.all_reasonings))
        if len(self.program.formats) > 1:  # among many formats, a phrase such as "Here is my thought process:" is prose
            pairs = [(number, pair) for number, pair in pairs if not pair[0][0].isalpha() and pair[0][0] != "/"]
        insides = {number: self._reasoning(number, *pair) for number, pair in pairs}
        for marker in self.format.drop:
            self._marker(self.opener, marker, DROP)
        for marker in self.format.speaks:
            self._marker(self.opener, marker, self._said_by(marker))
        self.program._openers.append(self.opener)
        self.program._line.append(self.line)
        self.program._bare.append(self.bare)
        self.program._insides.append(insides)

    def _error(self, reason: str) -> FormatError:
        return FormatError(f"format {self.format.name!r}: {reason}")

    # -- sections and calls --------------------------------------------------------------------------------------------

    def _section(self, opener: str, closer: str) -> None:
        net = self.net
        inside, again, tail = net.state(), net.state(), net.state()
        closers = [token.text for token in tokens_of(closer) if isinstance(token, Literal)]
        for pattern in self.format.spellings:
            begin = net.state()
            marker = "" if pattern in self.format.stripped else first_literal(pattern)
            marked = bool(marker) and not is_bare(marker)
            stripped = net.stripped = pattern in self.format.stripped
            net.doubtful = stripped or (not marked and not opener) or (opener or marker).startswith("`")
            self._call(pattern, begin, tail, closers)
            net.eps[inside].append(begin)
            if marked:
                net.eps[self.call_opener].append(begin)
            else:
                net.eps[again].append(begin)
                if not opener or (stripped and (opener, closer) == self.format.section):
                    net.eps[self.bare].append(begin)
        net.doubtful = net.stripped = False
        self._tail(tail, again, closers)
        self._leftovers(tail)
        if opener:
            marker = first_literal(opener)
            if not marker:
                raise self._error(f"a section needs a marker: {opener!r}")
            end = self._path(self.bare if is_bare(marker) else self.call_opener, opener)
            net.eps[net.space(end)].append(inside)
            if closers and not is_bare(marker):
                net.eps[net.literal(net.space(end), closers[0], LITERAL | EMPTY)].append(tail)

    def _leftovers(self, tail: int) -> None:
        # A closer too many.
        extra = self.net.state()
        self.net.eps[tail].append(extra)
        for text in self.program._closers[self.number]:
            if _is_marker(text) and text not in self.tags:
                self.net.eps[self.net.literal(extra, text, LITERAL | LEFTOVER)].append(extra)

    def _path(self, begin: int, text: str, flag: int = 0) -> int:
        # Literals with any white space between them.
        for token in tokens_of(text.strip()):
            if isinstance(token, Hole):
                raise self._error(f"a section or marker must not have holes: {text!r}")
            begin = self.net.space(begin) if isinstance(token, Space) else self.net.literal(begin, token.text)
        self.net.flags[begin] |= flag
        return begin

    def _tail(self, tail: int, again: int, closers: list[str]) -> None:
        net = self.net
        for token in tokens_of(self.format.separator):
            if isinstance(token, Literal):
                net.eps[net.literal(tail, token.text, LITERAL | MARKUP)].append(tail)
        for text in self.format.stops:
            self._path(tail, text, STOP)
        net.eps[tail].append(again)
        self._remember(closers, self._optional(tail, closers))

    def _remember(self, literals: list[str], ends: list[int]) -> None:
        for text, end in zip(literals, ends, strict=True):
            self.program._closers[self.number].setdefault(text, []).append(end)

    def _optional(self, begin: int, literals: list[str]) -> list[int]:
        # Literals in this order, each of which may be missing; returns the states behind each.
        net = self.net
        entries = [net.state() for _ in literals]
        flags = LITERAL | MARKUP
        ends = [net.literal(entry, text, flags) for entry, text in zip(entries, literals, strict=True)]
        for number, state in enumerate([begin, *ends]):
            net.eps[state] += entries[number:]
        return ends

    def _call(self, pattern: str, begin: int, tail: int, closers: list[str]) -> None:
        tokens = tokens_of(pattern.strip())
        last = max(place for place, token in enumerate(tokens) if isinstance(token, Hole) and token.name != "ws")
        rest = [token.text for token in tokens[last + 1 :] if isinstance(token, Literal)]
        hole = tokens[last]
        if isinstance(hole, Hole) and hole.name == "keywords":
            rest = [rest[0][1:], *rest[1:]] if rest[0] != ")" else rest[1:]
        after = self.net.state()
        ends = self._optional(after, rest)
        for state in (after, *ends):
            self.net.eps[state].append(tail)
        self._remember(rest, ends)
        here = begin
        for place, token in enumerate(tokens[: last + 1]):
            here = self._token(tokens, place, token, here, last=place == last)
        self._last(tokens[last], here, after, [*zip(rest, ends, strict=True)], closers, pattern)

    def _token(self, tokens: tuple[Token, ...], place: int, token: Token, here: int, *, last: bool) -> int:
        net = self.net
        if isinstance(token, Literal):
            end = net.literal(here, token.text)
            if token.name:
                net.flags[end] |= NAMED
                net.names[end] = token.name
            return end
        if isinstance(token, Space):
            return net.space(self._parting_space(here) if _parts_words(tokens, place) else here)
        if token.name == "parameters":
            return here
        if token.name in {"call", "calls"}:
            return net.hole(net.space(here), "call", last=last)
        if token.name in {"arguments", "keywords"}:
            codec = self.format.arguments
            trail = _space_at([*tokens], place + 1) if isinstance(codec, JsonOrText) else ""
            return net.hole(net.space(here), token.name, codec=codec, trail=trail, flags=START, last=last)
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        called = isinstance(following, Literal) and following.text.startswith("(")
        target = net.hole(here, token.name, word=called or place == 0, last=last)
        if following is None or (isinstance(following, Hole) and following.name not in {"arguments", "parameters"}):
            raise self._error(f"nothing shows where {{{token.name}}} ends: a marker must follow it")
        return target

    def _parting_space(self, here: int) -> int:
        # Between a word and a name: without white space it is a longer word.
        behind = self.net.state()
        for char in (" ", "\n", *RAW_SPACES):
            self.net.eps[self.net.literal(here, char, 0)].append(behind)
        return behind

    def _last(
        self, hole: Token, here: int, after: int, rest: list[tuple[str, int]], closers: list[str], pattern: str
    ) -> None:
        # What ends the call behind its last hole.
        net = self.net
        name = hole.name if isinstance(hole, Hole) else ""
        if name == "parameters":
            self._parameters(here, rest, closers, pattern)
        elif name in {"call", "calls", "arguments", "keywords"}:
            net.eps[here].append(after)
            if name in {"call", "calls"}:  # more objects in a row, in one wrapper
                net.eps[net.hole(after, "call", last=True)].append(after)
            if name == "arguments" and rest:  # no arguments at all
                before = net.before[here]
                net.eps[net.literal(before, rest[0][0], LITERAL | END)].append(rest[0][1])
        elif not rest:
            raise self._error(f"nothing shows where {{{name}}} ends: a marker must follow it")
        else:
            net.eps[net.literal(net.space(here), rest[0][0], LITERAL | END)].append(rest[0][1])

    # -- parameters ----------------------------------------------------------------------------------------------------

    def _parameters(self, here: int, rest: list[tuple[str, int]], closers: list[str], pattern: str) -> None:
        net = self.net
        loop = net.state(START)
        net.eps[here].append(loop)
        inner = net.space(loop)
        for parameter in self.format.parameters:
            net.eps[self._parameter(parameter, inner)].append(inner)
        if not rest and not closers and not self.tags:
            raise self._error(f"nothing shows where {{parameters}} end: {pattern!r}")
        for text, end in rest:
            net.eps[net.literal(inner, text, LITERAL | END)].append(end)
        ends = [net.literal(inner, text, LITERAL | END) for text in closers]
        for number, end in enumerate(ends):
            self._optional(end, closers[number + 1 :])
        for tag in self.tags:
            net.flags[self._path(inner, tag)] |= END | TAG

    def _parameter(self, pattern: str, begin: int) -> int:
        net = self.net
        tokens = list(tokens_of(pattern.strip()))
        here = begin
        for place, token in enumerate(tokens):
            if isinstance(token, Literal):
                here = net.literal(here, token.text)
            elif isinstance(token, Hole) and token.name == "value":
                lead, trail = _space_at(tokens, place - 1), _space_at(tokens, place + 1)
                if place + 1 + bool(trail) >= len(tokens):
                    raise self._error(f"nothing shows where {{value}} ends in {pattern!r}")
                here = net.hole(here, "value", lead=lead, trail=trail)
            elif isinstance(token, Hole):
                here = net.hole(here, token.name)
            elif not (_is_value(tokens, place + 1) or _is_value(tokens, place - 1)):
                here = net.space(here)
        return here

    # -- markers with an action ----------------------------------------------------------------------------------------

    def _marker(self, begin: int, text: str, action: int) -> int:
        end = self._path(begin, text)
        self.net.flags[end] |= ACTION
        self.net.actions[end] = action
        return end

    def _said_by(self, marker: str) -> int:
        return TELL if marker in self.format.tells else SPEAK

    def _reasoning(self, number: int, opener: str, closer: str) -> int:
        inside = self.net.state()
        self.program._pairs.append((self.number, number))
        self._marker(self.opener, opener, OPEN_REASONING + len(self.program._pairs))
        self._marker(self.opener, closer, DROP if closer.strip() in self.format.drop else STRAY)
        self._marker(inside, closer, CLOSE_REASONING)
        self._marker(inside, opener, DROP)
        self._guarded(inside, (opener, closer, *self.format.drop, *self.format.speaks))
        for marker in self.format.speaks:
            self._marker(inside, marker, self._said_by(marker))
        self.net.eps[inside].append(self.call_opener)
        return inside

    def _guarded(self, inside: int, markers: tuple[str, ...]) -> None:
        # A model that reasons about its own markers mentions them: a dropped one counts if another follows.
        net = self.net
        behind = net.state()
        for text in dict.fromkeys(first_literal(each) for each in (*markers, *self.tags)):
            net.literal(net.space(behind), text, LITERAL | FOLLOWS)
        for marker in self.format.drop:
            end = self._path(inside, marker)
            net.flags[end] |= GUARDED
            net.eps[end].append(behind)


def _parts_words(tokens: tuple[Token, ...], place: int) -> bool:
    before = tokens[place - 1] if place else None
    return (
        isinstance(before, Literal) and before.text[-1].isalnum() and tokens[place + 1 : place + 2] == (Hole("name"),)
    )


def first_literal(pattern: str) -> str:
    """The literal with which a pattern begins; "" where it begins with a hole."""
    tokens = tokens_of(pattern.strip())
    return tokens[0].text if tokens and isinstance(tokens[0], Literal) else ""


def _marks(declared: Format, patterns: tuple[str, ...]) -> list[str]:
    # What shows each of these markers. Of one that holds white space, that is a part which no call is written with.
    calls = " ".join((*declared.calls, *(text for pair in declared.all_sections for text in pair)))
    found = []
    for pattern in patterns:
        parts = [token.text for token in tokens_of(pattern.strip()) if isinstance(token, Literal)]
        found += [each for each in parts if not each[0].isalnum() and each not in calls][:1]
    return found


def _before_name(pattern: str) -> str:
    before = ""
    for token in tokens_of(pattern.strip()):
        if token == Hole("name"):
            return before
        before = token.text if isinstance(token, Literal) else before
    return ""


def _opening(pattern: str) -> str:
    """The text before the first hole, if it begins with a marker."""
    found = ""
    for token in tokens_of(pattern.strip()):
        if isinstance(token, Hole):
            break
        found += token.text
    return found.strip()


def _is_marker(literal: str) -> bool:
    return any(char.isalnum() for char in literal)


def is_bare(literal: str) -> bool:
    """Whether a literal is not a marker but JSON or Python itself: then it counts only where a turn starts."""
    return literal[0] == "{" or (literal[0] == "[" and not literal[1:2].replace("/", "").isalpha())


def _space_at(tokens: list[Token], place: int) -> str:
    token = tokens[place] if 0 <= place < len(tokens) else None
    return token.text if isinstance(token, Space) else ""


def _is_value(tokens: list[Token], place: int) -> bool:
    token = tokens[place] if 0 <= place < len(tokens) else None
    return isinstance(token, Hole) and token.name == "value"
