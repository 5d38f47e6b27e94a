# What this file knows: which regular expressions are nothing but literals, white space and words, and how those match.
# What it must not know: what a marker opens or closes.
#
# Most patterns in response templates are literals with white space between them and a name in the middle:
#
#     \s*<tool_call>\s*<function=(?P<name>[^>\n]+)>     </function>\s*</tool_call>     (?:<a>|<b>)\s*|$
#
# Such a pattern is brought to *alternatives*, each a sequence of elements that needs no going back: a word ends where
# its class does, and what follows it is not of the class. White space at a pattern's edges is left out, because the
# machine takes white space beside markers as markup anyway. `$` is left out, because the end of the turn ends all. All
# other patterns are real regular expressions (real.py).
"""Patterns that need no regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = ["FAIL", "HELD", "NEED", "Ahead", "Lit", "Reduced", "Sequence", "Space", "Until", "Word", "match", "reduce"]

NEED = -1  # the text ran out; nothing is wrong so far
FAIL = -2  # no match

MAX_ALTERNATIVES = 32
MAX_WORD = 256  # characters of a word, such as a name
HELD = 4096  # characters of a marker, white space in it included

# Both also bound how far is looked from one place: a text of many heads and no end would be looked at from each.


@dataclass(frozen=True, slots=True)
class Lit:
    """Text as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Space:
    """White space, also none; `one`: one line break at most."""

    one: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """Characters of a class, one at least. `name`: the group that holds it, "" for none."""

    name: str
    chars: str


@dataclass(frozen=True, slots=True)
class Until:
    """Any text up to the literal that follows."""

    name: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """A literal that must follow, and is not part of the match; `far`: anywhere behind."""

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
        alternatives: sequences, each of which begins with a literal.
        ahead: literals before which it matches without taking them.
        far: a literal that must stand anywhere behind; "" for none. It matches without any width.
        at_start: whether it matches where the turn starts, without any width.
    """

    alternatives: tuple[Sequence, ...] = ()
    ahead: tuple[str, ...] = ()
    far: str = ""
    at_start: bool = False

    @property
    def groups(self) -> frozenset[str]:
        """The names of what it captures."""
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
        elif isinstance(element, Space):
            found = _space(text, pos, one=element.one)
        elif isinstance(element, Word):
            found = _word(element, text, pos)
        else:
            following = next(each for each in sequence[number + 1 :] if isinstance(each, Lit))
            found = text.find(following.text, pos, pos + HELD)
            if found < 0:
                return NEED if len(text) < pos + HELD else FAIL
        if found < 0:
            return found
        if isinstance(element, Word | Until) and element.name:
            captures[element.name] = text[pos:found]
        pos = found
    return pos


def _literal(literal: str, text: str, pos: int) -> int:
    if text.startswith(literal, pos):
        return pos + len(literal)
    rest = text[pos : pos + len(literal)]
    return NEED if len(rest) < len(literal) and literal.startswith(rest) else FAIL


def _space(text: str, pos: int, *, one: bool) -> int:
    end = pos
    while end < len(text) and text[end].isspace() and not (one and end > pos):
        end += 1
    return end if end < len(text) else NEED


def _word(word: Word, text: str, pos: int) -> int:
    found = _run_of(word.chars).match(text, pos)
    if found is None:
        return FAIL if pos < len(text) else NEED
    if found.end() - pos > MAX_WORD:
        return FAIL
    return found.end() if found.end() < len(text) else NEED


@lru_cache(maxsize=256)
def _run_of(chars: str) -> re.Pattern[str]:
    return re.compile(f"(?:{chars}){{1,{MAX_WORD + 1}}}")


# -- reading -----------------------------------------------------------------------------------------------------------

_CLASS = r"(\[\^?\]?(?:\\.|[^\]\\])*\]|\\[wSd]|\.)"
_captured = re.compile(rf"\(\?P<(\w+)>{_CLASS}([+*]\??)\)").match
_unnamed = re.compile(rf"{_CLASS}([+*]\??)").match
_spaces = re.compile(r"(?:\\s|\[\\s\]|\\n|\n| )([*+?]\??)").match
_ahead = re.compile(r"\(\?=(\[\\s\\S\]\*\??|\.\*\??)?").match
_ANY = frozenset({".", r"[\s\S]", r"[\S\s]", r"[\w\W]"})
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


@lru_cache(maxsize=256)
def reduce(source: str) -> Reduced | None:
    """The pattern in alternatives; None where it is a real regular expression."""
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
        if self._take("(?:"):
            return self._group()
        if found := _ahead(self.source, self.i):
            self.i = found.end()
            return self._lookahead(far=bool(found[1]))
        if found := _captured(self.source, self.i):
            self.i = found.end()
            return [(_run(found[1], found[2], found[3]),)]
        if found := _spaces(self.source, self.i):
            self.i = found.end()
            return [(Space(one=found[0] in {"\n?", "\\n?"}),)]
        if found := _unnamed(self.source, self.i):
            self.i = found.end()
            return [(_run("", found[1], found[2]),)]
        for edge in ("^", "$", r"\A", r"\Z"):
            if self._take(edge):
                return [(_Edge(edge in {"^", r"\A"}),)]
        return self._char()

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

    def _char(self) -> list[Sequence]:
        char = self.source[self.i]
        self.i += 1
        if char == "\\":
            char = self.source[self.i : self.i + 1]
            self.i += 1
            if not char or (char.isalnum() and char not in _CONTROLS):
                raise _HardError
            char = _CONTROLS.get(char, char)
        elif char in "[(*+?." or (char == "{" and self.source[self.i : self.i + 1].isdigit()):
            raise _HardError
        after = self.source[self.i : self.i + 1]
        if after and after in "*+":
            raise _HardError
        if after == "{" and self.source[self.i + 1 : self.i + 2].isdigit():
            raise _HardError
        return [(Lit(char),), ()] if self._take("?") else [(Lit(char),)]


def _run(name: str, chars: str, quantity: str) -> Element:
    if chars in _ANY:
        if quantity not in {"*?", "+?"}:
            raise _HardError
        return Until(name)
    if quantity[0] == "*":
        raise _HardError
    # A lazy word stops where what follows may begin: `_settled` takes that character out of the class.
    return Word(name, chars if quantity == "+" else "?" + chars)


def _reduced(found: list[Sequence]) -> Reduced:
    alternatives, ahead, far, at_start = [], [], "", False
    for each in dict.fromkeys(_settled(_merged(each)) for each in found):
        if len(each) == 1 and isinstance(each[0], Ahead):
            if each[0].far:
                far = each[0].text
            else:
                ahead.append(each[0].text)
        elif each and isinstance(each[0], _Edge) and len(each) == 1:
            at_start = at_start or each[0].start
        elif each and isinstance(each[0], Lit) and not any(isinstance(e, Ahead | _Edge) for e in each):
            alternatives.append(each)
        elif each:
            raise _HardError
    return Reduced(tuple(alternatives), tuple(ahead), far, at_start)


def _merged(sequence: Sequence) -> Sequence:
    merged: list[Element] = []
    for element in sequence:
        last = merged[-1] if merged else None
        if isinstance(element, Lit) and isinstance(last, Lit):
            merged[-1] = Lit(last.text + element.text)
        elif isinstance(element, Space) and isinstance(last, Space):
            merged[-1] = Space()
        else:
            merged.append(element)
    _widen(merged)
    while len(merged) > 1 and isinstance(merged[-1], _Edge) and not merged[-1].start:
        merged.pop()
    while merged and isinstance(merged[0], Space):
        merged.pop(0)
    while merged and isinstance(merged[-1], Space):
        merged.pop()
    if merged and isinstance(merged[0], Lit) and merged[0].text.strip():
        merged[0] = Lit(merged[0].text.lstrip())
    if merged and isinstance(merged[-1], Lit) and merged[-1].text.strip():
        merged[-1] = Lit(merged[-1].text.rstrip())
    return tuple(merged)


def _widen(merged: list[Element]) -> None:
    # `\s*\n<x>`: white space beside white space is any.
    for number, element in enumerate(merged):
        if isinstance(element, Lit) and element.text.strip():
            text = element.text
            if number and isinstance(merged[number - 1], Space):
                text = text.lstrip()
            if number + 1 < len(merged) and isinstance(merged[number + 1], Space):
                text = text.rstrip()
            merged[number] = Lit(text)


def _settled(sequence: Sequence) -> Sequence:
    """The same with words that end by their own class; raises where they do not."""
    settled = list(sequence)
    for number, element in enumerate(sequence):
        following = sequence[number + 1] if number + 1 < len(sequence) else None
        if isinstance(element, Until) and not _ends_until(sequence, number):
            raise _HardError
        if isinstance(element, Space) and isinstance(following, Lit) and following.text[0].isspace():
            raise _HardError
        if isinstance(element, Word):
            lazy = element.chars.startswith("?")
            settled[number] = Word(element.name, _closed(element.chars.removeprefix("?"), following, lazy=lazy))
    return tuple(settled)


def _ends_until(sequence: Sequence, number: int) -> bool:
    rest = sequence[number + 1 : number + 3]
    return bool(rest) and (isinstance(rest[0], Lit) or (isinstance(rest[0], Space) and isinstance(rest[-1], Lit)))


def _closed(chars: str, following: Element | None, *, lazy: bool) -> str:
    try:
        accepts = re.compile(chars).match
    except re.error as error:
        raise _HardError from error
    if isinstance(following, Lit) and accepts(following.text[0]):
        if not lazy:
            raise _HardError
        return f"(?!{re.escape(following.text[0])}){chars}"
    if isinstance(following, Space) and accepts("\n"):
        return rf"(?!\s){chars}"
    if isinstance(following, Word | Until) or (following is None and lazy):
        raise _HardError
    return chars
