# Which markers of its own family a text value may have swallowed because its closing marker is missing, and how such a
# place differs from a mere mention. Does not depend on what is done then (values.py, engine/repair/).
#
# A parameter's opener matters where the family writes one: on a line of its own if the pattern has line breaks there,
# else anywhere; and with the key of a parameter of the tool, or with any key if its schema is not known. The call's own
# closer matters in the same places. Between the value and the marker there may be one line break of the pattern: with
# more white space it is unclear how much of it belongs to the value, and nothing is repaired. The same is true of a
# value of several lines whose pattern has a line break only after the closing marker: the value may end with one
# itself. After the call's own closer, another call matters only if it begins at once, as the family writes it: a value
# that mentions a closer and an opener does not end with a call that comes later in the turn.
"""Markers that a value may have swallowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from toolglean.engine.names import contains_markup
from toolglean.formats.patterns import head_of, is_marker
from toolglean.formats.spec import Literal, Slot, Space, literals_in, literals_of, tokens_of
from toolglean.formats.spellings import NONE, spellings_of
from toolglean.formats.spellings import WAIT as UNDECIDED
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.formats.compile import Program
    from toolglean.formats.nfa import Terminals
    from toolglean.formats.spec import Format

__all__ = [
    "DOUBT", "MISSING", "MOST_TAG", "TEXT", "WAIT", "Spelling", "SwallowedMarkers", "Verdict", "has_marker",
    "opens_tag", "swallowed_markers_of",
]  # fmt: skip

MOST_TAG = 1024  # characters at a value's end in which a tag is looked for that it has opened


class Verdict(IntEnum):
    """What a marker in a value is."""

    TEXT = 0
    """Not such a marker."""
    WAIT = 1
    """The text ends too early to tell."""
    DOUBT = 2
    """Such a marker, but it is unclear how the value ends before it."""
    MISSING = 3
    """Such a marker, before which the value's own closing marker is missing."""


TEXT, WAIT, DOUBT, MISSING = Verdict

KEY_CHARS = 128
SPACE_CHARS = 64
NAME_CHARS = 300  # within which the name of the next call must be
FOLLOWING_CHARS = 4096
_BEHIND_A_WORD = frozenset(" `,.;:)")
MOST_CLOSERS = 4  # of one value, in other spellings
MOST_FINDERS = 256  # of one format: most are for one key of a tool

_SLOT = r"[^\s<>]{0,128}?"  # an id or an index, before the name

_key = re.compile(r"""[^\s"'<>=|/]*""").match
_space = re.compile(r"\s*").match
_tag = re.compile(r"</?[A-Za-z_][^<>]*>").search


class Spelling(NamedTuple):
    """What a closing marker in another spelling turns out to be.

    Attributes:
        kind: TEXT, WAIT or MISSING.
        end: the place after it; `after_space`: after the white space that follows it.
        final: whether it must be the last one of its call, or is followed by the marker that it replaces.
    """

    kind: Verdict
    end: int = -1
    after_space: int = -1
    final: bool = False


class SwallowedMarkers:
    """The markers of one format that a value may have swallowed. Made once, shared, never changed.

    Attributes:
        lines: whether the family writes line breaks around its parameters.
        closers: the first marker after the parameters of a call.
        all_of_values: the closing markers of values; `of_values`: those that are a tag.
        knows_openers: whether each parameter that a value has swallowed is found: its key ends at a marker.
    """

    def __init__(self, program: Program, number: int) -> None:
        self._source, declared, tags = (program, number), program.formats[number], program.tags(number)
        found = [_opener(pattern) for pattern in declared.parameters]
        self._openers = [each for each in found if each is not None]
        self.knows_openers = None not in found
        self._bases_of_openers = frozenset(parts[0] for parts, _ in self._openers)
        self._closers = dict(filter(None, map(_closer, declared.parameters)))
        self.all_of_values = tuple(self._closers.values())
        self.of_values = tuple(each for each in self._closers if each.startswith("</") and each.endswith(">"))
        rests = [*filter(None, (literals_of(each.partition("{parameters}")[2]) for each in declared.calls))]
        self.closers = tuple(dict.fromkeys(each[0] for each in rests))
        self._last = tuple(dict.fromkeys(each[-1] for each in rests))
        followers = {literal for each in rests for literal in each}
        followers |= {*literals_of(*(closer for _, closer in declared.all_sections), declared.separator)}
        followers |= {each for each in declared.drop if len(literals_of(each)) == 1}
        self._followers = tuple(sorted(followers, key=len, reverse=True))
        self._tags = tuple(dict.fromkeys(map(head_of, tags)))
        self._markers = (*self._followers, *self._tags)
        self._next_call = _next_call(declared).match
        written = (*declared.parameters, *filter(None, map(_after_parameters, declared.calls)))
        self.lines = any(
            "\n" in token.text for each in written for token in tokens_of(each) if isinstance(token, Space)
        )
        self._bases = tuple(dict.fromkeys([parts[0] for parts, _ in self._openers] + list(self.closers)))
        self._finders: dict[tuple[tuple[str, ...], str, bool, bool, str], Finder] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return swallowed_markers_of, self._source

    def finder(
        self, terminals: Terminals, trail: str, *, lines: bool, first_line: bool = False, key: str = ""
    ) -> Finder:
        """Finds what may be after a value, with its white space, and what it may have swallowed.

        `first_line`: any line break too. `key`: see `spellings_of`.
        """
        of = terminals.literals, trail, lines, first_line, key
        if of not in self._finders:
            if len(self._finders) >= MOST_FINDERS:  # tools come and go, and so do their keys
                self._finders.clear()
            with_space = [trail + literal for literal in terminals.literals] if trail else []
            # One that begins like what ends the value cannot be distinguished from it, so only that is looked for.
            bases = [each for each in self._bases if each not in terminals.literals]
            bases += [f"\n{each}" for each in bases if self.lines and lines]
            breaks = ["\n"] if first_line else []
            begins = spellings_of(self.closers_of(terminals), key).begins
            bases += [*begins, *(trail + each for each in begins if trail)]
            self._finders[of] = Finder([*terminals.literals, *with_space, *bases, *breaks], exact=True)
        return self._finders[of]

    def closers_of(self, terminals: Terminals) -> tuple[str, ...]:
        """The closing markers of the value, complete: the terminals have only the first part of some."""
        return tuple(self._closers.get(each, each) for each in terminals.literals)

    def may_open(self, written: str) -> bool:
        """Whether text has a tag that is a closing marker but for the slash: a closer that comes twice may be its."""
        return any(f"<{each[2:-1]}" in written for each in self.of_values)

    def is_opener(self, found: str) -> bool:
        """Whether the literal that the finder found begins a parameter's opener."""
        return found.lstrip("\n") in self._bases_of_openers

    def opens(self, text: str, place: int, found: str) -> bool | None:
        """Whether the literal found at that place is a whole opener of a parameter of any key, which neither closes
        itself nor is a word of a sentence. None if more text is needed.
        """
        base = found.lstrip("\n")
        begin = place + len(found) - len(base)
        results = [_matched(text, begin, parts, after, None) for parts, after in self._openers if parts[0] == base]
        end = max(results, default=-1)
        if end < 0:
            return None if -2 in results else False
        if text[end - 1] == '"':  # other attributes follow
            place, end = end, text.find(">", end, end + NAME_CHARS) + 1
            if not end:
                return None if len(text) < place + NAME_CHARS else False
        return None if end == len(text) else text[end - 2] != "/" and text[end] not in _BEHIND_A_WORD

    def is_parted(self, found: str) -> bool:
        """Whether that is only the first part of a value's closing marker, which contains white space."""
        begun = found.lstrip()
        return self._closers.get(begun, begun) != begun

    def has_marker(self, text: str) -> bool:
        """Whether the text contains a tag, or a marker of its own family."""
        return _tag(text) is not None or any(each in text for each in (*self._bases, *self._markers))

    def spelling(
        self, terminals: Terminals, text: str, place: int, found: str, keys: Iterable[str] | None, key: str
    ) -> Spelling | None:
        """What begins there, if it is the beginning of a closing marker in another spelling; None if it is not.

        It is MISSING before what must follow the value: its own closing marker, the call's, or another parameter.
        `key`: see `spellings_of`.
        """
        spellings = spellings_of(self.closers_of(terminals), key)
        begun = found.lstrip()
        if begun not in spellings.begins and not self.is_parted(begun):
            return None
        begin = place + len(found) - len(begun)
        end = after_space = spellings.end(text, begin)
        if end > 0 and spellings.is_declared(text[begin:end]):
            return None
        foreign, right, first = False, False, begin
        for _ in range(MOST_CLOSERS):  # several in a row, including the right one, are one
            if end < 0:
                return Spelling(WAIT if end == UNDECIDED else TEXT)
            declared = spellings.is_declared(text[first:end]) is not None
            right, foreign = right or declared, foreign or not (declared or spellings.is_own(text[first:end]))
            after_space = _space(text, end).end()  # type: ignore[union-attr]  # the pattern matches the empty string
            more = spellings.end(text, after_space) if after_space - end <= SPACE_CHARS else NONE
            if more == NONE:
                break
            first, end = after_space, more
        else:
            return Spelling(WAIT if end == UNDECIDED else TEXT)  # so many are none
        if right and foreign:  # the value is closed correctly, and ends with the closing tag of something else
            return Spelling(TEXT)
        if after_space - end > SPACE_CHARS:
            return Spelling(TEXT)
        closers = (*terminals.literals, *self.closers)
        if text.startswith(closers, after_space):
            return Spelling(MISSING, end, after_space, final=True)
        results = [_matched(text, after_space, parts, after, keys) for parts, after in self._openers]
        if max(results, default=-1) >= 0:
            return Spelling(MISSING, end, after_space)
        rest = text[after_space : after_space + NAME_CHARS]
        return Spelling(WAIT if -2 in results or any(each.startswith(rest) for each in closers) else TEXT)

    def kind(
        self, text: str, place: int, found: str, before: str, *, exact: bool, paired: bool, keys: Iterable[str] | None
    ) -> Verdict:
        """What the literal found at that place is: TEXT, WAIT, DOUBT or MISSING.

        Args:
            text, place, found: the text, and the literal found.
            before: the character before it; "" if the value begins there.
            exact: whether it is certain which white space before it belongs to the value.
            paired: whether the value began with the line break that its pattern has.
            keys: the keys of the tool; None if they are not known.
        """
        base = found.lstrip("\n")
        if base in self.closers:
            return MISSING if exact and before else TEXT
        begin = place + len(found) - len(base)
        results = [_matched(text, begin, parts, after, keys) for parts, after in self._openers if parts[0] == base]
        end = max(results, default=-1)
        if end < 0:
            return WAIT if -2 in results else TEXT
        if paired and found == base:  # within a line: a mention, unless the line ends with it
            if end >= len(text):
                return WAIT
            return DOUBT if text[end] == "\n" else TEXT
        return MISSING if exact and before and keys is not None else DOUBT

    def goes_on(self, before: str, after: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        """See `Payload.goes_on`."""
        seen, place = before.endswith(self._last), 0
        while True:
            place = _space(after, place).end()  # type: ignore[union-attr]  # the pattern matches the empty string
            if place == len(after):
                return seen if at_end else False if place > FOLLOWING_CHARS else None
            rest = after[place : place + NAME_CHARS]
            if not at_end and any(len(each) > len(rest) and each.startswith(rest) for each in self._markers):
                return None
            literal = next((each for each in self._followers if after.startswith(each, place)), "")
            if literal in self.closers:
                return False  # twice: the first may be the value's
            if literal:
                seen, place = seen or literal in self._last, place + len(literal)
                continue
            return seen and rest.startswith(self._tags) and self._calls(rest, is_name, at_end=at_end)

    def _calls(self, rest: str, is_name: Callable[[str], bool], *, at_end: bool) -> bool | None:
        found = self._next_call(rest)
        if found:
            return is_name(found[1])
        return False if at_end or len(rest) >= NAME_CHARS else None


def swallowed_markers_of(program: Program, number: int) -> SwallowedMarkers:
    """The markers of that format of the program that a value may have swallowed."""
    key = "swallowed markers", number
    if key not in program.kept:
        program.kept[key] = SwallowedMarkers(program, number)
    found: SwallowedMarkers = program.kept[key]
    return found


def has_marker(program: Program, number: int, word: str) -> bool:
    """Whether a name contains an opener or a closer of that format: it is the rest of something else."""
    key = "markers", number
    if key not in program.kept:
        closers, tags = program.ends(number)
        markers = dict.fromkeys(filter(is_marker, (*closers, *tags)))
        program.kept[key] = tuple(each for each in markers if not contains_markup(each))
    return any(each in word for each in program.kept[key])


def opens_tag(arguments: str, key: str) -> bool:
    """Whether the value of that key, the last one of the arguments, opens the key's tag itself."""
    return f"<{key}".casefold() in arguments.rpartition(f'"{key}": ')[2].casefold()


def _matched(text: str, place: int, parts: tuple[str, ...], after: str, keys: Iterable[str] | None) -> int:
    """The end of the opener that begins at `place`; -1 if there is none, -2 if the text ends too early."""
    for part in (*parts, ""):
        limit = place + SPACE_CHARS
        if part != parts[0] and part:
            place = min(_space(text, place).end(), limit)  # type: ignore[union-attr]
        if not text.startswith(part, place):
            return -2 if part.startswith(text[place:]) else -1
        place += len(part)
    end = min(_key(text, place).end(), place + KEY_CHARS)  # type: ignore[union-attr]
    if end == len(text):
        return -2
    key = text[place:end]
    if not key or (keys is not None and key not in keys):
        return -1
    if not text.startswith(after, end):
        return -2 if after.startswith(text[end:]) else -1
    return end + len(after)


def _opener(pattern: str) -> tuple[tuple[str, ...], str] | None:
    # The literals before the key, and what follows it: a literal, or the end of its line.
    tokens = tokens_of(pattern.strip())
    place = tokens.index(Slot("key")) if Slot("key") in tokens else 0
    parts = tuple(literals_in(tokens[:place]))
    if parts and isinstance(space := tokens[place - 1], Space):
        parts = (*parts[:-1], parts[-1] + space.text)
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if not parts or following is None or isinstance(following, Slot):
        return None
    return (parts, following.text) if isinstance(following, Literal) or following.text == "\n" else None


def _closer(pattern: str) -> tuple[str, str] | None:
    # The first literal after the value, and all of them, with the white space between.
    tokens = tokens_of(pattern.strip())
    following = tokens[tokens.index(Slot("value")) + 1 :] if Slot("value") in tokens else ()
    first = next((each for each in following if isinstance(each, Literal)), None)
    if first is None:
        return None
    rest = following[following.index(first) :]
    return first.text, "".join(each.text for each in rest if isinstance(each, Literal | Space))


def _after_parameters(pattern: str) -> str:
    # The white space after the parameters, if there is any.
    rest = pattern.partition("{parameters}")[2]
    return rest[: len(rest) - len(rest.lstrip())]


def _next_call(declared: Format) -> re.Pattern[str]:
    # A call's beginning up to its name, with or without the section's opener before it.
    heads = filter(None, map(_head, declared.spellings))
    openers = dict.fromkeys(literals_of(*(opener for opener, _ in declared.all_sections)))
    sections = "|".join(map(re.escape, openers)) or "(?!)"
    return re.compile(rf"(?:(?:{sections})\s*)*(?:{'|'.join(dict.fromkeys(heads)) or '(?!)'})\s*([\w.:-]+)(?=[^\w.:-])")


def _head(pattern: str) -> str:
    tokens = tokens_of(pattern.strip())
    if Slot("name") not in tokens:
        return ""
    parts = [
        re.escape(each.text) if isinstance(each, Literal) else _SLOT
        for each in tokens[: tokens.index(Slot("name"))]
        if not isinstance(each, Space)
    ]
    return r"\s*".join(parts)
