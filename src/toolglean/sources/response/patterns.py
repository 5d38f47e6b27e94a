# Which regular expressions consist only of literals, white space and words, and how those match. Does not depend on
# what a marker opens or closes.
#
# Most patterns in response templates are literals with white space between them and a name in the middle:
#
#     \s*<tool_call>\s*<function=(?P<name>[^>\n]+)>     </function>\s*</tool_call>     (?:<a>|<b>)\s*|$
#
# Such a pattern is reduced to *alternatives*, each a sequence of elements that needs no backtracking: a word ends where
# its character class ends, and the text after it cannot begin with that class. White space at a pattern's edges is left
# out, because the machine takes white space next to markers as markup anyway. `$` is left out, because the end of the
# turn ends everything. All other patterns are real regular expressions (regexes.py).
"""Patterns that do not need a regular expression engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "FAIL",
    "MAX_MARKER",
    "NEED",
    "Lit",
    "Reduced",
    "Sequence",
    "Space",
    "Until",
    "Word",
    "match",
    "past_space",
    "reduce",
]

NEED = -1  # the text ran out; nothing is wrong so far
FAIL = -2  # no match

MAX_ALTERNATIVES = 32
MAX_WORD = 256  # characters of a word, such as a name
MAX_MARKER = 4096  # characters of a marker, including white space

# Both limits also bound how far one match looks ahead. Otherwise a text of many heads and no end would be read again
# from each of them.


@dataclass(frozen=True, slots=True)
class Lit:
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Space:
    """White space, possibly none; `one`: at most one line break."""

    one: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """One or more characters of a class. `name`: the group that captures them; "": none."""

    name: str
    chars: str


@dataclass(frozen=True, slots=True)
class Until:
    """Any text up to the literal that follows."""

    name: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """A literal that must follow and is not part of the match; `far`: it may follow anywhere."""

    text: str
    far: bool = False


@dataclass(frozen=True, slots=True)
class _Edge:
    """`^` or `$`."""

    start: bool


Element: TypeAlias = Lit | Space | Word | Until | Ahead | _Edge
Sequence: TypeAlias = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """A pattern that needs no regular expressions.

    Attributes:
        alternatives: sequences; each begins with a literal.
        ahead: literals that it looks ahead to: it matches before them, without consuming them.
        far: a literal that must follow anywhere; "": none. The match has no width.
        at_start: whether it matches at the start of the turn, without any width.
    """

    alternatives: tuple[Sequence, ...] = ()
    ahead: tuple[str, ...] = ()
    far: str = ""
    at_start: bool = False

    @property
    def groups(self) -> frozenset[str]:
        """The names of its groups."""
        found = {e.name for each in self.alternatives for e in each if isinstance(e, Word | Until)}
        return frozenset(found - {""})


class _HardError(Exception):
    """The pattern is a real regular expression."""


# -- matching ----------------------------------------------------------------------------------------------------------


def match(sequence: Sequence, text: str, pos: int, captures: dict[str, str]) -> int:
    """Match at `pos`: the end, NEED or FAIL. Captures are added as they are found."""
    for number, element in enumerate(sequence):
        if isinstance(element, Lit):
            found = _literal(element.text, text, pos)
        elif isinstance(element, Until):
            following = next(each for each in sequence[number + 1 :] if isinstance(each, Lit))
            found = text.find(following.text, pos, pos + MAX_MARKER)
            if found < 0:
                found = NEED if len(text) < pos + MAX_MARKER else FAIL
        else:
            is_one = isinstance(element, Space) and element.one
            run = (_run_of(element.chars) if isinstance(element, Word) else _one_space if is_one else _spaces)(
                text, pos
            )
            found = run.end() if run is not None else pos
            found = NEED if found == len(text) else FAIL if run is None else found
        if found < 0:
            return found
        if isinstance(element, Word | Until) and element.name:
            captures[element.name] = text[pos:found]
        pos = found
    return pos


def past_space(text: str, pos: int) -> int:
    """The place after the white space at `pos`."""
    found = _spaces(text, pos)
    return found.end() if found is not None else pos


def _literal(literal: str, text: str, pos: int) -> int:
    if text.startswith(literal, pos):
        return pos + len(literal)
    rest = text[pos : pos + len(literal)]
    return NEED if len(rest) < len(literal) and literal.startswith(rest) else FAIL


_spaces = re.compile(r"\s*").match
_one_space = re.compile(r"\s?").match


@lru_cache(maxsize=256)
def _run_of(chars: str) -> Callable[[str, int], re.Match[str] | None]:
    return re.compile(f"(?:{chars}){{1,{MAX_WORD}}}+(?!{chars})").match


# -- reading -----------------------------------------------------------------------------------------------------------

_token = re.compile(
    r"""
      (?P<group> \(\?: )
    | (?P<ahead> \(\?= (?P<far> (?: \[\\s\\S\] | \. ) \*\?? )? )
    | (?P<space> (?: \\s | \[\\s\] | \\n | \n | [ ] ) [*+?]\?? )
    | (?P<run> (?: \(\?P< (?P<name> \w+ ) > )? (?P<class> \[\^?\]?(?:\\.|[^\]\\])*\] | \\[wSd] | \. )
               (?P<many> [+*]\?? ) (?(name) \) ) )
    | (?P<edge> \^ | \$ | \\[AZ] )
    | (?P<char> \\[ntr\W_] | (?!\{\d) [^\\\[(*+?.] ) (?! [*+] | \{\d )
    """,
    re.VERBOSE,
).match
_ANY = frozenset({".", r"[\s\S]", r"[\S\s]", r"[\w\W]"})
_CONTROLS = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}


@lru_cache(maxsize=256)
def reduce(source: str) -> Reduced | None:
    """The pattern as alternatives; None if it is a real regular expression."""
    try:
        reader = _Reader(source)
        found = reader.alternatives()
        if reader.i < len(source):
            return None
        return _reduced(found)
    except _HardError:
        return None


class _Reader:
    # pattern = sequence *("|" sequence); sequence = *piece

    def __init__(self, source: str) -> None:
        self.source, self.i = source, 0

    def alternatives(self) -> list[Sequence]:
        found = self._sequence()
        while self._take("|"):
            found += self._sequence()
        return found

    def _take(self, text: str) -> bool:
        taken = self.source.startswith(text, self.i)
        self.i += len(text) * taken
        return taken

    def _sequence(self) -> list[Sequence]:
        found: list[Sequence] = [()]
        while self.i < len(self.source) and self.source[self.i] not in "|)":
            pieces = self._piece()
            found = [left + right for left in found for right in pieces]
            if len(found) > MAX_ALTERNATIVES:
                raise _HardError
        return found

    def _piece(self) -> list[Sequence]:
        found = _token(self.source, self.i)
        if found is None:
            raise _HardError
        self.i = found.end()
        kind = found.lastgroup
        if kind == "group":
            return self._group()
        if kind == "ahead":
            return self._lookahead(far=bool(found["far"]))
        if kind == "space":
            return [(Space(one=found[0] in {"\n?", "\\n?"}),)]
        if kind == "run":
            return [(_run(found["name"] or "", found["class"], found["many"]),)]
        if kind == "edge":
            return [(_Edge(found[0] in {"^", r"\A"}),)]
        char = Lit(_CONTROLS.get(found[0], found[0][-1]))
        return [(char,), ()] if self._take("?") else [(char,)]

    def _group(self) -> list[Sequence]:
        found = self.alternatives()
        if not self._take(")") or self.source[self.i : self.i + 1] in {"*", "+", "{"}:
            raise _HardError
        return [*found, ()] if self._take("?") else found

    def _lookahead(self, *, far: bool) -> list[Sequence]:
        found = [_merged(each) for each in self.alternatives()]
        if not self._take(")") or not all(len(each) == 1 and isinstance(each[0], Lit) for each in found):
            raise _HardError
        return [(Ahead(each[0].text, far),) for each in found if isinstance(each[0], Lit)]


def _run(name: str, chars: str, quantity: str) -> Element:
    if chars in _ANY:
        if quantity not in {"*?", "+?"}:
            raise _HardError
        return Until(name)
    if quantity[0] == "*":
        raise _HardError
    # A lazy word stops where the next element may begin: `_settled` removes that character from the class.
    return Word(name, chars if quantity == "+" else "?" + chars)


def _reduced(found: list[Sequence]) -> Reduced:
    alternatives, ahead, far, at_start = [], [], "", False
    for each in dict.fromkeys(_settled(_merged(each)) for each in found):
        match each:
            case (Ahead(text, True),):
                far = text
            case (Ahead(text),):
                ahead.append(text)
            case (_Edge(start),):
                at_start = at_start or start
            case (Lit(), *rest) if not any(isinstance(e, Ahead | _Edge) for e in rest):
                alternatives.append(each)
            case (_, *_):
                raise _HardError
    return Reduced(tuple(alternatives), tuple(ahead), far, at_start)


def _merged(sequence: Sequence) -> Sequence:
    # Adjacent white space is merged into any white space, and white space at the edges is removed.
    while len(sequence) > 1 and sequence[-1] == _Edge(start=False):
        sequence = sequence[:-1]
    merged: list[Element] = [Space()]
    for element in (*sequence, Space()):
        last = merged[-1]
        if isinstance(element, Lit) and isinstance(last, Lit):
            merged[-1] = Lit(last.text + element.text)
        elif isinstance(element, Space) and isinstance(last, Space):
            merged[-1] = Space()
        else:
            merged.append(element)
    for number, element in enumerate(merged):
        if isinstance(element, Lit) and element.text.strip():
            text = element.text.lstrip() if isinstance(merged[number - 1], Space) else element.text
            merged[number] = Lit(text.rstrip() if isinstance(merged[number + 1], Space) else text)
    return tuple(merged[1:-1])


def _settled(sequence: Sequence) -> Sequence:
    """The same sequence with words that end where their class does; raises _HardError if one does not."""
    settled = list(sequence)
    for number, element in enumerate(sequence):
        after, beyond = (*sequence[number + 1 : number + 3], None, None)[:2]
        if isinstance(element, Until) and not isinstance(beyond if isinstance(after, Space) else after, Lit):
            raise _HardError
        if isinstance(element, Space) and isinstance(after, Lit) and after.text[0].isspace():
            raise _HardError
        if isinstance(element, Word):
            settled[number] = Word(element.name, _closed(element.chars, after))
    return tuple(settled)


def _closed(chars: str, after: Element | None) -> str:
    lazy, chars = chars.startswith("?"), chars.removeprefix("?")
    try:
        accepts = re.compile(chars).match
    except re.error as error:
        raise _HardError from error
    if isinstance(after, Lit) and accepts(after.text[0]):
        if not lazy:
            raise _HardError
        return f"(?!{re.escape(after.text[0])}){chars}"
    if isinstance(after, Space) and accepts("\n"):
        return rf"(?!\s){chars}"
    if isinstance(after, Word | Until) or (after is None and lazy):
        raise _HardError
    return chars
