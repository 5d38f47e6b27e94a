# What this file knows: what may be asked of a text, as an automaton and as a regular expression.
# What it must not know: where the text stands, and why it is asked.
#
# GBNF has no "any text without this": there a constraint is an automaton, whose states become rules. Lark has
# intersections and complements of regular expressions. Both are said here, side by side, so that they stay the same.
"""Constraints on text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

__all__ = ["ALL_SPACES", "Avoid", "Constraint", "First", "JsonBody", "Length", "NoCall", "NotNames", "Quotes", "WordEnd", "automaton", "escaped"]

TOP = 0x110000
MOST_STATES = 6000
States: TypeAlias = "list[tuple[bool, dict[int, list[tuple[int, int]]]]]"
SPACES = " \t\n\r"
ALL_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
WORD = tuple("_-.") + tuple(map(chr, range(48, 58))) + tuple(map(chr, range(65, 91))) + tuple(map(chr, range(97, 123)))


class Constraint(Protocol):
    """What a text must meet. The states are anything that can be hashed; None: the text cannot meet it any more."""

    @property
    def start(self) -> Any:
        """The state before the text."""

    @property
    def chars(self) -> str:
        """The characters that are not like all others."""

    def step(self, state: Any, char: str) -> Any:
        """The state behind the character."""

    def final(self, state: Any) -> bool:
        """Whether the text may end here."""

    @property
    def regex(self) -> str:
        """As a terminal of Lark, with llguidance's operators."""


def escaped(text: str) -> str:
    """The text as a regular expression that matches it, between slashes."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\x{{{ord(char):x}}}" for char in text)


@dataclass(frozen=True, slots=True)
class Avoid:
    """None of these texts stands in it."""

    words: tuple[str, ...]

    start = 0

    @property
    def chars(self) -> str:
        return "".join(self.words)

    def step(self, state: int, char: str) -> int | None:
        behind, whole = _trie(self.words)[state].get(char, (0, False))
        return None if whole else behind

    def final(self, state: int) -> bool:
        del state
        return True

    @property
    def regex(self) -> str:
        return "~/(?s:.*)(" + "|".join(map(escaped, self.words)) + ")(?s:.*)/" if self.words else "/(?s:.*)/"


@lru_cache(maxsize=256)
def _trie(words: tuple[str, ...]) -> list[dict[str, tuple[int, bool]]]:
    # Aho and Corasick: a state for each beginning of a word; by a character the next one, and whether a word is whole.
    begins = {"": 0}
    for word in words:
        for end in range(1, len(word) + 1):
            begins.setdefault(word[:end], len(begins))
    table: list[dict[str, tuple[int, bool]]] = []
    for begun in begins:
        row = {}
        for char in dict.fromkeys("".join(words)):
            text = begun + char
            longest = next(begins[text[at:]] for at in range(len(text) + 1) if text[at:] in begins)
            row[char] = (longest, text.endswith(words))
        table.append(row)
    return table


@dataclass(frozen=True, slots=True)
class Length:
    """It has so many characters."""

    least: int
    most: int | None

    start = 0
    chars = ""

    def step(self, state: int, char: str) -> int | None:
        del char
        if self.most is None:
            return min(state + 1, self.least)
        return None if state == self.most else state + 1

    def final(self, state: int) -> bool:
        return state >= self.least

    @property
    def regex(self) -> str:
        return f"/(?s:.{{{self.least},{'' if self.most is None else self.most}}})/"


@dataclass(frozen=True, slots=True)
class JsonBody:
    """It is what stands between the quotes of a JSON string of so many characters."""

    least: int = 0
    most: int | None = None

    start = ("text", 0)

    @property
    def chars(self) -> str:
        return "".join(map(chr, range(0x80)))

    def step(self, state: Any, char: str) -> Any:
        phase, count = state
        phase = _json_step(phase, char)
        if phase == "text":
            if count == self.most:
                return None
            count = min(count + 1, self.least) if self.most is None else count + 1
        return None if phase is None else (phase, count)

    def final(self, state: Any) -> bool:
        return state[0] == "text" and state[1] >= self.least

    @property
    def regex(self) -> str:
        four = "([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})"
        count = "*" if (self.least, self.most) == (0, None) else f"{{{self.least},{'' if self.most is None else self.most}}}"
        return r'/([^"\\\x{0}-\x{1f}]|\\["\\\/bfnrt]|\\u' + four + f"){count}/"


def _json_step(phase: str, char: str) -> str | None:
    if phase == "text":
        return None if char == '"' or char < " " else "escape" if char == "\\" else "text"
    if phase == "escape":
        return "u" if char == "u" else "text" if char in '"\\/bfnrt' else None
    return _hex_step(phase, char) if char in "0123456789abcdefABCDEF" else None


def _hex_step(state: str, char: str) -> str | None:
    # `u`, then four digits; `d` was the first of them, and the second must not make it half of a surrogate pair.
    if state == "u":
        return "ud" if char in "dD" else "u1"
    if state == "ud":
        return "u2" if char in "01234567" else None
    return {"u1": "u2", "u2": "u3", "u3": "text"}[state]


@dataclass(frozen=True, slots=True)
class First:
    """Its first character is none of these; where `spaces` are passed over, the first that is no white space."""

    none_of: str
    spaces: bool = False

    start = 0

    @property
    def chars(self) -> str:
        return self.none_of + (SPACES if self.spaces else "")

    def step(self, state: int, char: str) -> int | None:
        if state == 1 or (self.spaces and char in SPACES):
            return state
        return None if char in self.none_of else 1

    def final(self, state: int) -> bool:
        del state
        return True

    @property
    def regex(self) -> str:
        spaces = f"[{escaped(SPACES)}]*" if self.spaces else ""
        return f"/{spaces}([^{escaped(self.chars)}](?s:.*))?/"


@dataclass(frozen=True, slots=True)
class NotNames:
    """Behind white space, it does not begin with one of these names, with or without a namespace."""

    names: tuple[str, ...]

    start = ("", True)

    @property
    def chars(self) -> str:
        return SPACES + "".join(WORD) + "".join(self.names)

    def step(self, state: Any, char: str) -> Any:
        if state is True:
            return True
        word, spaces = state
        if spaces and char in SPACES:
            return state
        if char == "." and not spaces:  # a namespace may end here: what follows it is looked at as well
            return None if word in self.names else ("", False)
        if char in WORD or any(char in name for name in self.names):
            return self._within(word + char)
        return None if word in self.names else True

    def _within(self, word: str) -> tuple[str, bool]:
        return (word if any(name.startswith(word) for name in self.names) else "\0", False)

    def final(self, state: Any) -> bool:
        return state is True or state[0] not in self.names

    @property
    def regex(self) -> str:
        names = "|".join(map(escaped, self.names))
        word = "[" + escaped("".join(WORD) + "".join(self.names)) + "]"
        part = "[" + escaped("".join(WORD).replace(".", "") + "".join(self.names).replace(".", "")) + "]"
        return f"~/[{escaped(SPACES)}]*({part}*\\.)*({names})((?s:[^{word[1:-1]}].*|\\..*))?/"


@dataclass(frozen=True, slots=True)
class NoCall:
    """No name of a tool stands behind one of these texts, with or without white space between, or a namespace."""

    words: tuple[str, ...]
    names: tuple[str, ...]

    start = (0, None)

    @property
    def chars(self) -> str:
        return "".join((*self.words, *self.names, *WORD, ALL_SPACES))

    def step(self, state: Any, char: str) -> Any:
        at, name = state
        behind, whole = _trie(self.words)[at].get(char, (0, False))
        if name is not None and not (name == "" and char in ALL_SPACES):
            name = self._within(name, char)
            if name is DEAD:
                return None
        return behind, "" if whole else name

    def _within(self, name: str, char: str) -> str | None:
        if char == ".":
            return DEAD if name in self.names else ""
        if char in WORD or any(char in each for each in self.names):
            longer = name + char
            return longer if any(each.startswith(longer) for each in self.names) else "\0"
        return DEAD if name in self.names else None

    def final(self, state: Any) -> bool:
        return state[1] not in self.names

    @property
    def regex(self) -> str:
        word = escaped("".join(WORD) + "".join(self.names))
        part = f"[{escaped(''.join((*WORD, *self.names)).replace('.', ''))}]"
        before = f"({'|'.join(map(escaped, self.words))})[{escaped(ALL_SPACES)}]*({part}*\\.)*"
        names = "|".join(map(escaped, self.names))
        return f"~/(?s:.*){before}({names})([^{word}](?s:.*)|\\.(?s:.*))?/"


DEAD = "\0\0"  # the name is whole


@dataclass(frozen=True, slots=True)
class WordEnd:
    """No word goes on at its end: a marker of letters may follow."""

    start = True

    @property
    def chars(self) -> str:
        return "".join(map(chr, range(0x80)))

    def step(self, state: bool, char: str) -> bool:
        del state
        return char.isascii() and not (char.isalnum() or char == "_")

    def final(self, state: bool) -> bool:
        return state

    @property
    def regex(self) -> str:
        return r"/((?s:.*)[\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{7f}])?/"


@dataclass(frozen=True, slots=True)
class Quotes:
    """No inline code and no fence is open at its end: what follows is no quotation.

    Inline code is between two single backticks of one line, a fence between two lines that begin with three. What reads
    otherwise may be a quotation for one reader and none for another, so a call cannot follow it.
    """

    start = "line"
    chars = "`\n"

    def step(self, state: str, char: str) -> str | None:
        return _QUOTES[state].get(char, _QUOTES[state].get(""))

    def final(self, state: str) -> bool:
        return state in {"line", "text", "closed"}

    @property
    def regex(self) -> str:
        inline = r"`[^`\n]+`"
        fence = r"```[^`\n]*\n([^`]*\n)?```\n"
        line = rf"([^`\n]|{inline}[^`\n])*({inline})?"
        return rf"/({line}\n|{fence})*{line}/"


_QUOTES: dict[str, dict[str, str]] = {
    "line": {"`": "one", "\n": "line", "": "text"},
    "text": {"`": "inline one", "\n": "line", "": "text"},
    "one": {"`": "two", "": "inline"},
    "inline one": {"": "inline"},
    "inline": {"`": "closed", "": "inline"},
    "closed": {"\n": "line", "": "text"},
    "two": {"`": "three"},
    "three": {"\n": "code line", "": "three"},
    "code": {"\n": "code line", "": "code"},
    "code line": {"`": "end one", "\n": "code line", "": "code"},
    "end one": {"`": "end two"},
    "end two": {"`": "end three"},
    "end three": {"\n": "line"},
}
for _state, _char in (("one", "\n"), ("inline one", "\n"), ("inline one", "`"), ("inline", "\n"), ("two", "\n"), ("two", ""),
                      ("three", "`"), ("code", "`"), ("closed", "`")):  # fmt: skip
    _QUOTES[_state].setdefault(_char, "")


@lru_cache(maxsize=128)
def automaton(constraints: tuple[Constraint, ...], most: int = MOST_STATES) -> States:
    """The states of a text that meets them all, the first one first: whether it may end there, and where ranges of
    characters lead.

    Raises:
        ValueError: there would be more states than that.
    """
    edges = {ord(char) + more for each in constraints for char in each.chars for more in (0, 1)}
    pieces = _pieces(edges.union(*(getattr(each, "edges", ()) for each in constraints)))
    states = [tuple(each.start for each in constraints)]
    known = {states[0]: 0}
    table: States = []
    for state in states:
        ways: dict[int, list[tuple[int, int]]] = {}
        for low, high in pieces:
            found = tuple(each.step(at, chr(low)) for each, at in zip(constraints, state, strict=True))
            if any(at is None or at == "" for at in found):
                continue
            if found not in known:
                if len(states) >= most:
                    raise ValueError(f"more than {most} states")
                known[found] = len(states)
                states.append(found)
            ways.setdefault(known[found], []).append((low, high))
        table.append((all(each.final(at) for each, at in zip(constraints, state, strict=True)), ways))
    return _without_dead_ends(table)


def _without_dead_ends(table: States) -> States:
    # A state from which no text ends is none; the first one stays, whatever it is.
    before: dict[int, list[int]] = {}
    for state, (_, ways) in enumerate(table):
        for to in ways:
            before.setdefault(to, []).append(state)
    alive = {state for state, (final, _) in enumerate(table) if final}
    todo = list(alive)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in alive:
                alive.add(state)
                todo.append(state)
    numbers = {state: number for number, state in enumerate(sorted(alive | {0}))}
    return [
        (table[state][0], {numbers[to]: ranges for to, ranges in table[state][1].items() if to in alive}) for state in numbers
    ]


def _pieces(edges: Iterable[int]) -> list[tuple[int, int]]:
    # All characters in ranges that begin at the edges; without halves of surrogate pairs.
    places = sorted({0, 0xD800, 0xE000, TOP, *edges})
    found = [(low, high - 1) for low, high in zip(places, places[1:], strict=False)]
    return [(low, high) for low, high in found if not 0xD800 <= low <= 0xDFFF]


def matches(constraints: Sequence[Constraint], text: str) -> bool:
    """Whether the text meets them all."""
    for each in constraints:
        state = each.start
        for char in text:
            state = each.step(state, char)
            if state is None or state == "":
                return False
        if not each.final(state):
            return False
    return True

