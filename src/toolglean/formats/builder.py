# Turns the declaration of one format into paths of an automaton. Does not depend on how many formats share the
# automaton, on how it is walked, or on any text.
#
# For each spelling of the section, and each spelling of the call in it, a path leads up to the last slot. The text
# after the last slot is optional, and is markup: the rest of the call, separators, the section's end. From there, calls
# without an opener begin again. Calls with an opener are found by the search for openers, and so are section openers,
# reasoning markers and dropped markers.
"""From one format to paths of an automaton."""

from __future__ import annotations

from collections.abc import Iterator

from toolglean.errors import FormatError
from toolglean.formats.frames import Frame, Reasoning
from toolglean.formats.nfa import (
    ACTION,
    EMPTY,
    END,
    FOLLOWS,
    LEFTOVER,
    LITERAL,
    MARKUP,
    NAMED,
    NEEDS_FOLLOWER,
    START,
    STOP,
    TAG,
    Nfa,
)
from toolglean.formats.parameter_paths import add_parameter, end_of_name, parting_space
from toolglean.formats.patterns import (
    begins_with_objects,
    first_literal,
    is_bare,
    is_marker,
    parts_words,
    space_at,
    whole_markers,
)
from toolglean.formats.quotations import MADE_UP
from toolglean.formats.spec import Format, JsonOrText, Literal, Slot, Space, Token, literals_in, literals_of, tokens_of
from toolglean.formats.words import Codec, Json, JsonAlone, opening

__all__ = [
    "BEGIN_CONTENT", "BEGIN_USER_TEXT", "BETWEEN_CALLS", "CLOSE_REASONING", "DROP", "OPEN_REASONING", "STRAY",
    "NfaBuilder",
]  # fmt: skip

# Actions of markers; numbers from OPEN_REASONING on say which channel opens.
DROP = 0
CLOSE_REASONING = 1
BEGIN_CONTENT = 2  # content follows: no call without a marker may begin there
BEGIN_USER_TEXT = 3  # text for the user follows, in which calls are ignored
STRAY = 4  # the end of reasoning that was never opened
OPEN_REASONING = 5

BETWEEN_CALLS = (",", ";")
"""What may part objects in one section, whatever the format writes there."""


def _codec_after(before: tuple[Token, ...], declared: Codec) -> Codec:
    # That of arguments after these tokens. Behind a marker that says that they are JSON, text is no argument.
    marker = ""
    for token in before:
        marker = marker + token.text.strip() if isinstance(token, Literal | Space) else ""
    says_json = marker.removesuffix("<|message|>").endswith("json")
    return JsonAlone() if says_json and isinstance(declared, JsonOrText) else declared


class NfaBuilder:
    """Adds the paths of one format to an automaton.

    Attributes:
        of_reasoning: the state before each marker that opens reasoning, or closes it outside, by the marker.
        opener: the state before everything that has a marker of its own.
        line: the same, for what is accepted only at the beginning of a line.
        bare: the state before calls that have no marker.
        tags: what opens calls and sections.
        closers: what follows calls and sections, each with the states after it.
        reasonings: the markers of each channel of reasoning: what opens it, and what closes it.
        insides: the state before each of these channels, by its number there; some may be missing.
        written: the state before sections that are JSON: it is used for writing, not for reading.
    """

    __slots__ = (
        *("bare", "call_opener", "channels", "closers", "format", "insides"),
        *("line", "nfa", "of_reasoning", "opener", "reasonings", "tags", "written"),
    )

    def __init__(
        self,
        nfa: Nfa,
        number: int,
        declared: Format,
        *,
        channels: int,
        among: tuple[Format, ...],
        others: Frame,
    ) -> None:
        # `channels`: how many channels of reasoning there are already. `among`: the formats of the automaton, including
        # this one. `others`: what families write around calls that are not among them.
        self.nfa, self.format, self.channels = nfa, declared, channels
        nfa.begin_format(number)
        self.opener = nfa.state()
        self.call_opener = nfa.state()  # before calls and sections that have a marker
        self.line = nfa.state()
        self.bare = nfa.state()
        self.written = nfa.state()
        nfa.epsilon[self.line if declared.at_line_start else self.opener].append(self.call_opener)
        self.of_reasoning: dict[str, int] = {}
        self.closers: dict[str, list[int]] = {}
        openings = [opening(text) for text in (*(pair[0] for pair in declared.all_sections), *declared.calls)]
        self.tags = tuple(dict.fromkeys(each for each in openings if each and not is_bare(each)))
        for pair in declared.all_sections:
            self._section(*pair)
        self.reasonings: tuple[Reasoning, ...] = (*declared.all_reasonings, *others.reasonings)
        own = len(declared.all_reasonings)
        self.insides = {each: self._reasoning(*declared.all_reasonings[each]) for each in self._pairs(among)}
        self.insides |= enumerate(self._reasonings_of_others(others.reasonings), own)
        for marker in others.closers:
            self._marker(self._before_reasoning(marker), marker, STRAY)
        for writer in (others, declared):
            for marker in writer.drop:
                self._marker(self.opener, marker, DROP)
            self._content_markers(self.opener, writer)

    def _pairs(self, among: tuple[Format, ...]) -> list[int]:
        pairs = enumerate(self.format.all_reasonings)
        if len(among) == 1:
            return [number for number, _ in pairs]
        # Among many formats, a phrase such as "Here is my thought process:" is prose.
        return [number for number, (opener, _) in pairs if not (opener[0].isalpha() or opener[0] == "/")]

    def _error(self, reason: str) -> FormatError:
        return FormatError(f"format {self.format.name!r}: {reason}")

    # -- sections and calls --------------------------------------------------------------------------------------------

    def _section(self, opener: str, closer: str) -> None:
        nfa = self.nfa
        inside, again, tail = nfa.state(), nfa.state(), nfa.state()
        closers = literals_of(closer)
        for pattern in self.format.spellings:
            begin = nfa.state()
            marker = "" if pattern in self.format.without_special_tokens else first_literal(pattern)
            marked = bool(marker) and not is_bare(marker)
            stripped = pattern in self.format.without_special_tokens
            objects = begins_with_objects(pattern)
            whole = objects and bool(opener) and is_bare(first_literal(opener))
            unmarked = not marked and (not opener or is_bare(first_literal(opener)))
            fenced = (opener or marker).startswith("`")
            nfa.begin_call(
                doubtful=stripped or unmarked or fenced,
                stripped=stripped,
                unmarked=whole or (objects and not opener) or fenced,
            )
            self._call(pattern, begin, tail, closers)
            if whole:  # only all of a section that is JSON itself shows whether it is calls or data
                nfa.epsilon[self.bare].append(begin)
                nfa.epsilon[again].append(begin)
                nfa.epsilon[nfa.space(self._path(self.written, opener))].append(begin)
                continue
            nfa.epsilon[inside].append(begin)
            if marked:
                nfa.epsilon[self.call_opener].append(begin)
            else:
                nfa.epsilon[again].append(begin)
                if not opener or (stripped and (opener, closer) == self.format.section):
                    nfa.epsilon[self.bare].append(begin)
        nfa.begin_call()
        self._tail(tail, again, closers)
        self._leftovers(tail)
        if opener:
            marker = first_literal(opener)
            if not marker:
                raise self._error(f"a section needs a marker: {opener!r}")
            if is_bare(marker) and not nfa.epsilon.get(inside):
                return
            end = self._path(self.bare if is_bare(marker) else self.call_opener, opener)
            nfa.epsilon[nfa.space(end)].append(inside)
            if closers and not is_bare(marker):
                nfa.epsilon[nfa.literal(nfa.space(end), closers[0], LITERAL | EMPTY)].append(tail)

    def _leftovers(self, tail: int) -> None:
        # An extra closer.
        extra = self.nfa.state()
        self.nfa.epsilon[tail].append(extra)
        tags = frozenset(self.tags)  # in some formats, as many as there are tools
        words = [tag for tag in self.tags if tag[0].isalnum()]  # `ACTION:`, where `END ACTION` closes
        for text in self.closers:
            if is_marker(text) and text not in tags and not any(tag.startswith(text) for tag in words):
                self.nfa.epsilon[self.nfa.literal(extra, text, LITERAL | LEFTOVER)].append(extra)

    def _path(self, begin: int, text: str, flag: int = 0, *, inner: int = LITERAL) -> int:
        # Literals with any white space between them. `inner`: their flag.
        for token in tokens_of(text.strip()):
            if isinstance(token, Slot):
                raise self._error(f"a section or marker must not have fields: {text!r}")
            begin = self.nfa.space(begin) if isinstance(token, Space) else self.nfa.literal(begin, token.text, inner)
        self.nfa.flags[begin] |= flag
        return begin

    def _tail(self, tail: int, again: int, closers: list[str]) -> None:
        nfa = self.nfa
        for text in literals_of(self.format.separator):
            nfa.epsilon[nfa.literal(tail, text, LITERAL | MARKUP)].append(tail)
        for text in self.format.leads:
            nfa.epsilon[nfa.space(self._path(tail, text, inner=0))].append(self.call_opener)
        made_up, ends = nfa.state(), self._optional(tail, closers)
        for text in dict.fromkeys((*self.format.end_markers, *MADE_UP)):
            self._path(made_up, text, STOP)
        for end in (tail, *ends):
            nfa.epsilon[end].append(made_up)
        nfa.epsilon[tail].append(again)
        self._remember(closers, ends)

    def _remember(self, literals: list[str], ends: list[int]) -> None:
        for text, end in zip(literals, ends, strict=True):
            self.closers.setdefault(text, []).append(end)

    def _optional(self, begin: int, literals: list[str]) -> list[int]:
        # Literals in this order, each of which may be missing. Returns the states after each.
        nfa = self.nfa
        entries = [nfa.state() for _ in literals]
        flags = LITERAL | MARKUP
        ends = [nfa.literal(entry, text, flags) for entry, text in zip(entries, literals, strict=True)]
        for number, state in enumerate([begin, *ends]):
            nfa.epsilon[state] += entries[number:]
        return ends

    def _call(self, pattern: str, begin: int, tail: int, closers: list[str]) -> None:
        tokens = tokens_of(pattern.strip())
        last = max(place for place, token in enumerate(tokens) if isinstance(token, Slot))
        rest = literals_in(tokens[last + 1 :])
        slot = tokens[last]
        if isinstance(slot, Slot) and slot.name == "keywords":
            rest = [rest[0][1:], *rest[1:]] if rest[0] != ")" else rest[1:]
        after = self.nfa.state()
        ends = self._optional(after, rest)
        for state in (after, *ends):
            self.nfa.epsilon[state].append(tail)
        self._remember(rest, ends)
        here = begin
        for place, token in enumerate(tokens[: last + 1]):
            here = self._token(tokens, place, token, here, last=place == last)
        self._last(tokens[last], here, after, [*zip(rest, ends, strict=True)], closers, pattern)

    def _token(self, tokens: tuple[Token, ...], place: int, token: Token, here: int, *, last: bool) -> int:
        nfa = self.nfa
        if isinstance(token, Literal):
            end = nfa.literal(here, token.text)
            if token.name:
                nfa.flags[end] |= NAMED
                nfa.names[end] = token.name
            return end
        if isinstance(token, Space) and tokens[place - 1 : place + 2 : 2] == (Slot("name"), Slot("parameters")):
            return end_of_name(nfa, self.format, here, tokens[place : place + 3])
        if isinstance(token, Space) and tokens[place - 1 : place + 2 : 2] == (Slot("index"), Slot("name")):
            return nfa.space(nfa.literal(here, token.text[0]))
        if isinstance(token, Space):
            return nfa.space(parting_space(nfa, here) if parts_words(tokens, place) else here)
        if token.name == "parameters":
            return here
        if token.name in {"call", "calls"}:
            return nfa.slot(nfa.space(here), "call", last=last)
        if token.name in {"arguments", "keywords"}:
            codec = _codec_after(tokens[:place], self.format.arguments)
            trail = space_at([*tokens], place + 1) if isinstance(codec, JsonOrText) else ""
            return nfa.slot(nfa.space(here), token.name, codec=codec, trail=trail, flags=START, last=last)
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        called = isinstance(following, Literal) and following.text.startswith("(")
        target = nfa.slot(here, token.name, word=called or place == 0, last=last)
        if following is None or (isinstance(following, Slot) and following.name not in {"arguments", "parameters"}):
            raise self._error(f"nothing shows where {{{token.name}}} ends: a marker must follow it")
        return target

    def _last(
        self, slot: Token, here: int, after: int, rest: list[tuple[str, int]], closers: list[str], pattern: str
    ) -> None:
        # What ends the call after its last slot.
        nfa = self.nfa
        name = slot.name if isinstance(slot, Slot) else ""
        if name == "parameters":
            self._parameters(here, rest, closers, pattern)
        elif name in {"call", "calls", "arguments", "keywords"}:
            nfa.epsilon[here].append(after)
            if name in {"call", "calls"}:  # more objects in a row, in one section
                nfa.epsilon[nfa.slot(after, "call", last=True)].append(after)
                for sign in BETWEEN_CALLS:
                    nfa.epsilon[nfa.slot(nfa.space(nfa.literal(after, sign, 0)), "call", last=True)].append(after)
            in_json = isinstance(self.format.arguments, Json) and bool(rest) and rest[0][0].startswith("}")
            if name == "arguments" and rest and not in_json:  # no arguments at all; a key of JSON has a value
                before = nfa.before[here]
                nfa.epsilon[nfa.literal(before, rest[0][0], LITERAL | END)].append(rest[0][1])
        elif not rest:
            raise self._error(f"nothing shows where {{{name}}} ends: a marker must follow it")
        else:
            nfa.epsilon[nfa.literal(nfa.space(here), rest[0][0], LITERAL | END)].append(rest[0][1])

    # -- parameters ----------------------------------------------------------------------------------------------------

    def _parameters(self, here: int, rest: list[tuple[str, int]], closers: list[str], pattern: str) -> None:
        nfa = self.nfa
        loop = nfa.state(START)
        nfa.epsilon[here].append(loop)
        inner = nfa.space(loop)
        closing = nfa.state()  # before what follows the parameters
        nfa.epsilon[inner].append(closing)
        for parameter in self.format.parameters:
            nfa.epsilon[add_parameter(nfa, self.format, parameter, inner, closing)].append(inner)
        if not rest and not closers and not self.tags:
            raise self._error(f"nothing shows where {{parameters}} end: {pattern!r}")
        for first, last in whole_markers([text for text, _ in rest]):
            nfa.epsilon[self._marker_of([text for text, _ in rest[first : last + 1]], closing)].append(rest[last][1])
        for first, last in whole_markers(closers):
            self._optional(self._marker_of(closers[first : last + 1], closing), closers[last + 1 :])
        ends = (*(text for text, _ in rest), *closers)
        for tag in self.tags:
            if any(text.startswith("".join(tag.split())) for text in ends):
                continue  # what follows it shows whether it is a closer
            nfa.flags[self._path(closing, tag, inner=0)] |= LITERAL | END | TAG

    def _marker_of(self, literals: list[str], here: int) -> int:
        # One marker, which ends the call; there may be white space between its literals.
        for text in literals[:-1]:
            here = self.nfa.space(self.nfa.literal(here, text, 0))
        return self.nfa.literal(here, literals[-1], LITERAL | END)

    # -- markers with an action ----------------------------------------------------------------------------------------

    def _marker(self, begin: int, text: str, action: int) -> int:
        end = self._path(begin, text)
        self.nfa.flags[end] |= ACTION
        self.nfa.actions[end] = action
        return end

    def _content_markers(self, begin: int, writer: Frame | Format) -> None:
        for marker in writer.content_markers:
            self._marker(begin, marker, BEGIN_USER_TEXT if marker in writer.user_only_markers else BEGIN_CONTENT)

    def _reasoning(self, opener: str, closer: str) -> int:
        inside = self._inside((opener, *(end for begin, end in self.format.all_reasonings if begin == opener)))
        self._marker(self._before_reasoning(closer), closer, DROP if closer.strip() in self.format.drop else STRAY)
        self._common(inside, (opener, closer))
        return inside

    def _before_reasoning(self, marker: str) -> int:
        begin = self.of_reasoning.get(marker.strip())
        if begin is None:
            begin = self.of_reasoning[marker.strip()] = self.nfa.state()
            self.nfa.epsilon[self.opener].append(begin)
        return begin

    def _reasonings_of_others(self, others: tuple[Reasoning, ...]) -> Iterator[int]:
        common = self.nfa.state()
        if others:
            self._common(common, ())
        for markers in others:
            inside = self._inside(markers)
            self.nfa.epsilon[inside].append(common)
            yield inside

    def _inside(self, markers: Reasoning) -> int:
        inside = self.nfa.state()
        self.channels += 1
        opener, *closers = markers
        self._marker(self._before_reasoning(opener), opener, OPEN_REASONING + self.channels)
        for closer in closers:
            self._marker(inside, closer, CLOSE_REASONING)
        self._marker(inside, opener, DROP)
        return inside

    def _common(self, inside: int, markers: tuple[str, ...]) -> None:
        self._guarded(inside, (*markers, *self.format.drop, *self.format.content_markers))
        self._content_markers(inside, self.format)

    def _guarded(self, inside: int, markers: tuple[str, ...]) -> None:
        # A model that reasons about its own markers mentions them: a dropped marker is one only if another marker
        # follows.
        nfa = self.nfa
        after = nfa.state()
        for text in dict.fromkeys(first_literal(each) for each in (*markers, *self.tags)):
            nfa.literal(nfa.space(after), text, LITERAL | FOLLOWS)
        for marker in self.format.drop:
            end = self._path(inside, marker)
            nfa.flags[end] |= NEEDS_FOLLOWER
            nfa.epsilon[end].append(after)
