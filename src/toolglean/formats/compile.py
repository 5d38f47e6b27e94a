# Compiles one or several formats to a program, which answers the matcher's questions, and finds patterns that cannot
# be put together. Does not depend on how a pattern becomes a path (builder.py), on how an automaton is walked
# (engine/matcher/), or on any text.
#
# A channel is what the text is while no call is being read: content, or reasoning of one kind. The literals with which
# calls, sections, reasoning or dropped markers begin are the tags of the channel.
"""From formats to a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar, TypeVarTuple

from toolglean.errors import FormatError
from toolglean.formats.builder import NfaBuilder
from toolglean.formats.frames import ANYWHERE, NO_FRAME, Frame, writes
from toolglean.formats.nfa import LITERAL, Nfa, SlotEdge, StateSet
from toolglean.formats.patterns import before_name, closers_of, ends_of_pairs, first_literal, head_of, is_marker, marks
from toolglean.formats.registry import find_format, get_format
from toolglean.formats.respelling import openers_of_respellings, respelling
from toolglean.formats.spec import Format, JsonOrText, Literal, Pairs, tokens_of
from toolglean.scan.text import KEPT, Finder

__all__ = ["Channel", "Program", "compiled"]

CONTENT = 0  # the channel of content; others are reasoning
ANY_REASONING = -1  # reasoning that any of the closers may end
LINES = tuple("\n" + " " * size for size in range(KEPT))  # a line's beginning, as far as the last characters show it

T = TypeVar("T")
Given = TypeVarTuple("Given")


class Channel:
    """What to look for in text of one kind.

    Attributes:
        finder: the literals with which anything begins.
        opening: the states before them, in the middle of a line.
        line: the states before them, at the beginning of a line.
        anywhere: the literals that are accepted in the middle of a line too.
        respelt: the openers of other spellings: see respelling.py.
        foreign: if only some formats are looked for, the markers of the others.
    """

    __slots__ = ("anywhere", "finder", "foreign", "line", "opening", "respelt")

    finder: Finder

    def __init__(
        self,
        program: Program,
        states: list[int],
        lines: list[int],
        *,
        words: bool,
        like: Finder | None,
        whole: Channel | None = None,
    ) -> None:
        # `like`: the finder of the program that this one extends. `whole`: the channel for all formats.
        self.opening = program.nfa.state_set(states)
        self.line = program.nfa.state_set(states + lines) if lines else self.opening
        self.anywhere = tuple(program.nfa.terminals(states).literals)
        # Only the text before tells whether a line begins: then every chunk is examined.
        literals = program.nfa.terminals(states + lines).literals
        self.respelt = frozenset(program.respelt).difference(literals)
        own = frozenset(literals).difference(self.anywhere if words and lines else literals)
        only = frozenset(each for each in own if each[0].isalpha())
        marks = () if whole is None else (each for each in whole.finder.literals if each[0] in ANYWHERE)
        self.foreign = frozenset(marks).difference(literals)
        every = (*literals, *self.respelt, *self.foreign)
        if like is not None and (like.words, like.unguarded, like.line_words) == (words, bool(lines), only):
            self.finder = like.also_finding(every)
        else:
            self.finder = Finder(every, words=words, unguarded=bool(lines), line_words=only)

    def states_after(self, last: str) -> StateSet:
        """The states before the literals, after that text."""
        return self.line if last[-1:] in {"", "\n"} else self.opening


def _kept(made: Callable[[Program, *Given], T]) -> Callable[[Program, *Given], T]:
    # A method of a program whose answers are kept: they follow from what never changes.
    @wraps(made)
    def found(program: Program, *given: *Given) -> T:
        key = made.__name__, *given
        if key not in program.kept:
            program.kept[key] = made(program, *given)
        answer: T = program.kept[key]
        return answer

    return found


class Program:
    """Compiled formats: one, or several at once. Shared by parsers, never changed.

    Attributes:
        formats: the declarations; the first one that fits is used.
        others: what other families write around their calls, if one format is read: see frames.py.
        borrowed: the markers of `others`.
        base: the program of the first of the formats, which this one extends; None if it extends none.
        nfa: the automaton.
        own_tags: the openers that are a tool's own name.
        respelt: the formats that have other spellings, each with the spelling of its part, by their openers.
        last_tags: the literals that begin a call that is accepted only at the end of the turn.
        kept: a cache for what follows from the program, here and in the matcher.
    """

    def __init__(self, formats: tuple[Format, ...], base: Program | None = None, *, others: Frame = NO_FRAME) -> None:
        # `base` is the program of the first formats: only the others are added, to an automaton that shares its states.
        self.formats, self.others, self.base = formats, others, base
        self.nfa: Nfa = Nfa(None if base is None else base.nfa)
        self._layers: list[NfaBuilder] = [] if base is None else list(base._layers)
        # (format, pair) of channel n + 1
        self._pairs: list[tuple[int, int]] = [] if base is None else list(base._pairs)
        self.kept: dict[Any, Any] = {}  # by keys of those who ask
        done = 0 if base is None else len(base.formats)
        for number, each in enumerate(formats[done:], done):
            layer = NfaBuilder(self.nfa, number, each, channels=len(self._pairs), among=formats, others=others)
            self._layers.append(layer)
            self._pairs += [(number, pair) for pair in layer.insides]
        written_out = [layer.tags for layer, each in zip(self._layers, formats, strict=True) if each.is_written_out]
        self.own_tags = frozenset(tag for tags in written_out for tag in tags)
        self.last_tags: frozenset[str] = frozenset() if base is None else base.last_tags
        self.respelt: dict[str, tuple[tuple[Format, str], ...]] = {} if base is None else dict(base.respelt)
        for each in formats[done:]:
            if each.at_turn_end:
                self.last_tags |= {*filter(None, map(first_literal, each.calls))}
            for opener, other in openers_of_respellings(each).items():
                self.respelt[opener] = (*self.respelt.get(opener, ()), (each, other))
        self._frames = tuple(number for number, each in enumerate(formats) if not each.call)
        self.borrowed = (
            *others.closers,
            *others.drop,
            *others.content_markers,
            *(each[0] for each in others.reasonings),
        )
        self.headers = tuple(dict.fromkeys(text for each in formats for text in each.headers))
        self.has_bare = any(layer.nfa.epsilon.get(layer.bare) for layer in self._layers)

    def __reduce__(self) -> tuple[Any, ...]:
        # By name if the name gives the same declaration: 75 declarations are 30 KB.
        formats = tuple(each.name if find_format(each.name) is each else each for each in self.formats)
        return _restored, (formats, self.others)

    def respelling(self, opener: str) -> Program:
        """The program of the other spelling that has this opener."""
        return compiled(tuple(respelling(declared, other) for declared, other in self.respelt[opener]))

    @_kept
    def channel(self, channel: int, only: tuple[int, ...]) -> Channel:
        """The channel of that number; `only`: the numbers of the formats that are looked for, () for all."""
        layers = self._chosen(only)
        words = True
        if channel == CONTENT:
            lines = [layer.line for layer in layers if layer.nfa.epsilon.get(layer.line)]
            states = [*(layer.opener for layer in layers), *self._other_reasoning(layers)]
        else:
            states = [self._layers[number].insides[pair] for number, pair in self._pairs_of(channel)]
            # What closes reasoning may follow its last word at once: it is found within a word if it begins like one.
            words = not any(literal[0].isalnum() for literal in self.nfa.terminals(states).literals)
            # A model that reasons in this way may call in any of the formats.
            states += [layer.call_opener for layer in layers if not layer.format.at_line_start]
            lines = [layer.call_opener for layer in layers if layer.format.at_line_start]
        like = None if self.base is None or only else self.base.channel(channel, ()).finder
        whole = self.channel(channel, ()) if only and channel == CONTENT else None
        return Channel(self, states, lines, words=words, like=like, whole=whole)

    def _other_reasoning(self, chosen: list[NfaBuilder]) -> list[int]:
        # Of the families that are not looked for any more: what they reason is not an answer either.
        own = [layer.format for layer in chosen]
        found = [item for layer in self._layers if layer not in chosen for item in layer.of_reasoning.items()]
        return [state for marker, state in found if not any(writes(each, marker) for each in own)]

    def calls_in_reasoning(self, number: int, channel: int) -> bool:
        """Whether that format's own template writes calls inside the reasoning of that channel."""
        if not self.formats[number].calls_in_reasoning or channel == CONTENT:
            return False
        own = range(len(self.formats[number].all_reasonings))
        return all(each == number and pair in own for each, pair in self._pairs_of(channel))

    def _pairs_of(self, channel: int) -> list[tuple[int, int]]:
        if channel != ANY_REASONING:
            return [self._pairs[channel - 1]]
        # If a format has reasoning of its own, the markers of other families open reasoning, but do not end its own.
        own = [(number, pair) for number, pair in self._pairs if pair < len(self.formats[number].all_reasonings)]
        return own or self._pairs

    @_kept
    def bare_start(self, only: tuple[int, ...]) -> StateSet:
        """The states at the start of a turn: before all that begins with a marker, and all that does not."""
        states = [state for layer in self._chosen(only) for state in (layer.opener, layer.line, layer.bare)]
        return self.nfa.state_set(states)

    def written_start(self) -> StateSet:
        """The same for writing: sections that are JSON are one with their calls only for reading."""
        return self.nfa.state_set([*self.bare_start(()).key, *(layer.written for layer in self._layers)])

    def _chosen(self, only: tuple[int, ...]) -> list[NfaBuilder]:
        # What ends a turn that a template shows is looked for whatever the calls are.
        return [self._layers[number] for number in (*only, *self._frames)] if only else self._layers

    @_kept
    def skipper(self, number: int, thoughts: tuple[str, ...]) -> Finder:
        """Finds where a malformed call of that format ends: at its closer, or before the next opener, or a line that
        begins with one of these markers, which open reasoning, or with a few spaces before it; or before such a marker
        anywhere, if no closer is a marker: a bracket closes much else. Or before the end of its message, where the
        header of another one follows, or a line with what ends the calls of a turn.
        """
        closers = tuple(filter(is_marker, self._layers[number].closers))
        lines = (f"{line}{each}" for line in LINES for each in thoughts)
        ends = (*closers, *lines) if closers else (*self._layers[number].closers, *thoughts)
        declared = self.formats[number]
        ends_of_message = {*declared.drop} - {*declared.headers, *self._layers[number].closers}
        messages = sorted(f"{end}{header}" for end in ends_of_message for header in declared.headers)
        messages += (f"\n{each}" for each in declared.end_markers)
        return Finder(dict.fromkeys((*ends, *self._layers[number].tags, *messages)))

    @_kept
    def ender(self, number: int) -> Finder:
        """Finds what ends a call of that format for certain: a closer that is a marker, or an opener."""
        return Finder([*filter(is_marker, self._layers[number].closers), *self._layers[number].tags])

    @_kept
    def ends(self, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What ends a call of that format, and what begins one."""
        # A bracket is not a marker: it closes much else.
        tags = dict.fromkeys(self._layers[number].tags)  # as many as there are tools, in some formats
        closers = filter(is_marker, (each for each in self._layers[number].closers if each not in tags))
        return tuple(closers), tuple(map(head_of, tags))

    def ends_of_text(self, edges: tuple[SlotEdge, ...]) -> tuple[str, ...]:
        """The markers that end arguments which may be plain text: what may follow, and what is always markup."""
        if isinstance(edges[0].codec, Pairs):
            return tuple(dict.fromkeys(end for edge in edges for end in ends_of_pairs(self.formats[edge.format])))
        if not isinstance(edges[0].codec, JsonOrText):
            return ()
        drop = (marker for edge in edges for marker in self.formats[edge.format].drop)
        found = (*self.nfa.after_slot(edges)[1].literals, *drop)
        return tuple(dict.fromkeys(each for each in found if is_marker(each) and not each[0].isalnum()))

    def closers(self, number: int) -> tuple[str, ...]:
        """What follows calls and sections of that format, the longest first."""
        return tuple(sorted(self._layers[number].closers, key=len, reverse=True))

    @_kept
    def closers_of(self, opener: str) -> tuple[str, ...]:
        """What closes a section, or a call, that begins with that marker."""
        done = 0 if self.base is None else len(self.base.formats)
        before = () if self.base is None else self.base.closers_of(opener)
        return tuple(dict.fromkeys((*before, *closers_of(opener, self.formats[done:]))))

    def tags(self, number: int) -> tuple[str, ...]:
        """What begins a call or a section of that format."""
        return tuple(sorted(self._layers[number].tags))

    @cached_property
    def opening_tags(self) -> frozenset[str]:
        """What begins a call or a section of any of the formats."""
        heads = (first_literal(each) for declared in self.formats for each in declared.calls)  # also of headers
        return frozenset(heads).union(*(layer.tags for layer in self._layers)) - {""}

    @_kept
    def before_names(self, number: int) -> tuple[str, ...]:
        """What precedes a call's name in that format, or in others that close a call as it does."""
        patterns = self.formats[number].spellings
        alike = [other for way, other in _ALIKE for each in patterns if way in each]
        return tuple(dict.fromkeys([*filter(None, map(before_name, patterns)), *alike]))

    def states_after_closer(self, number: int, closer: str) -> StateSet | None:
        """The states after a closer of that format; None if the literal is an opener."""
        states = self._layers[number].closers.get(closer)
        return None if states is None or closer in self._layers[number].tags else self.nfa.state_set(states)

    def reasoning_channel(self, number: int, pair: int) -> int:
        """The number of the channel for that pair of markers."""
        return self._pairs.index((number, pair)) + 1

    @cached_property
    def thoughts(self) -> tuple[str, ...]:
        """The markers that open reasoning and are not words."""
        openers = (each[0].strip() for layer in self._layers for each in layer.reasonings)
        return tuple(dict.fromkeys(each for each in openers if each.startswith(tuple(ANYWHERE))))

    def marks(self, channel: int) -> tuple[str, ...]:
        """The markers with which reasoning of that channel continues or ends.

        If the channel may belong to any format, markers that end the turns of another one are left out.
        """
        found: list[str] = []
        for number, pair in self._pairs_of(channel):
            declared = self.formats[number]
            found += marks(declared, (*self._layers[number].reasonings[pair], *declared.content_markers))
        if channel == ANY_REASONING:
            ends = {marker for declared in self.formats for marker in declared.drop}
            found = [text for text in found if text not in ends]
        return tuple(dict.fromkeys(filter(None, found)))

    def first_reasoning(self) -> int:
        """The channel in which a turn starts if the prompt has opened the reasoning; 0 if no format has reasoning."""
        return ANY_REASONING if self._pairs else CONTENT


def _restored(formats: tuple[str | Format, ...], others: Frame) -> Program:
    found = tuple(get_format(each) if isinstance(each, str) else each for each in formats)
    return compiled(found, others) if any(others) else compiled(found)


@lru_cache(maxsize=256)
def compiled(formats: tuple[Format, ...], others: Frame = NO_FRAME) -> Program:
    """The program of these formats.

    Args:
        formats: the declarations.
        others: what other families write around their calls, if one format is read.

    Raises:
        FormatError: the patterns cannot be put together; the message names the slot or marker.
    """
    fixed = tuple(each for each in formats if not each.is_written_out)
    if fixed and fixed == formats[: len(fixed)] and len(fixed) < len(formats):
        return _extended(fixed, formats[len(fixed) :])
    program = Program(formats, others=others)
    if len(formats) == 1:
        _check_places(Program((_for_one_tool(formats[0]),)) if fixed != formats else program)
    return program


# Two ways to name a call in the same tag, which the same closer ends: an opener in one, and what the other begins with.
_ALIKE = (("<function={name}", '<function name="'), ('<function name="{name}', "<function="))


def _for_one_tool(declared: Format) -> Format:
    # A format that is written out for the tools has the same states for each of them, so one tool is enough.
    [name] = {token.name for token in tokens_of(declared.call) if isinstance(token, Literal) and token.name}
    calls = [each for each in declared.calls if f"{{name={name}}}" in each]
    return replace(declared, call=calls[0], also=tuple(calls[1:]))


@lru_cache(maxsize=16)
def _extended(fixed: tuple[Format, ...], more: tuple[Format, ...]) -> Program:
    # Formats that are written out for the tools of a conversation are added to those that are the same for all.
    return Program(fixed + more, compiled(fixed))


# Only one of each of these may begin in the same states: otherwise nothing would distinguish them.
_RIVALS = (frozenset({"name", "id", "index", "server", "key", "type"}), frozenset({"arguments", "call"}))


def _check_places(program: Program) -> None:
    # By the numbers of the states: to make their sets takes ten times as long.
    nfa = program.nfa
    todo = [program.channel(CONTENT, ()).opening.key, program.bare_start(()).key]
    seen = set(todo)
    while todo:
        after: dict[str, set[int]] = {}  # by what is read: a character, or the kind of a slot
        for state in nfa.closure(todo.pop()):
            if state in nfa.slots:
                after.setdefault(nfa.slots[state].kind, set()).add(nfa.slots[state].target)
            elif nfa.chars[state]:
                after.setdefault(nfa.chars[state], set()).add(state + 1)
        for rivals in _RIVALS:
            if len(after.keys() & rivals) > 1:
                names = " and ".join(f"{{{kind}}}" for kind in sorted(after.keys() & rivals))
                raise FormatError(f"format {program.formats[0].name!r}: {names} begin alike at the same place")
        for found in after.values():
            key = _ahead(nfa, tuple(sorted(found)))
            if key not in seen:
                seen.add(key)
                todo.append(key)


def _ahead(nfa: Nfa, states: tuple[int, ...]) -> tuple[int, ...]:
    # Where one of them is no longer within a literal, or their characters differ: until then nothing else can begin.
    chars, flags = nfa.chars, nfa.flags
    while (char := chars[states[0]]) and not any(flags[state] & LITERAL or chars[state] != char for state in states):
        states = tuple(state + 1 for state in states)
    return states
