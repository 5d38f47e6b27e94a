# What readers take for the beginning of a call, or of a quotation of one, in text. Does not depend on formats: markers
# and names are passed in.
"""Constraints on text in which calls may be mentioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.grammar.texts import SPACES, escaped, trie

__all__ = ["ALL_SPACES", "NoCall", "NotStartingWith", "NotStartingWithName", "QuotesClosed", "WordEnd"]

WORD = tuple("_-.") + tuple(map(chr, range(48, 58))) + tuple(map(chr, range(65, 91))) + tuple(map(chr, range(97, 123)))
ALL_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))


@dataclass(frozen=True, slots=True)
class NotStartingWithName:
    """After white space, the text does not begin with one of these names, with or without a namespace."""

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
        if char == "." and not spaces:  # a namespace may end here: the name after it is checked too
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
class NotStartingWith:
    """After white space, the text does not begin with one of these texts."""

    words: tuple[str, ...]

    start = ""

    @property
    def chars(self) -> str:
        return SPACES + "".join(self.words)

    def step(self, state: Any, char: str) -> Any:
        if state is True or (state == "" and char in SPACES):
            return state
        begun = state + char
        if begun in self.words:
            return None
        return begun if any(word.startswith(begun) for word in self.words) else True

    def final(self, state: Any) -> bool:
        del state
        return True

    @property
    def regex(self) -> str:
        return f"~/[{escaped(SPACES)}]*({'|'.join(map(escaped, self.words))})(?s:.*)/"


@dataclass(frozen=True, slots=True)
class NoCall:
    """No tool's name follows one of these texts, with or without white space or a namespace between."""

    words: tuple[str, ...]
    names: tuple[str, ...]

    start = (0, None)

    @property
    def chars(self) -> str:
        return "".join((*self.words, *self.names, *WORD, ALL_SPACES))

    def step(self, state: Any, char: str) -> Any:
        at, name = state
        after, whole = trie(self.words)[at].get(char, (0, False))
        if name is not None and not (name == "" and char in ALL_SPACES):
            name = self._within(name, char)
            if name is DEAD:
                return None
        return after, "" if whole else name

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
    """The text does not end within a word, so a marker that begins with a letter may follow."""

    start = True

    @property
    def chars(self) -> str:
        return "".join(map(chr, range(0x80)))

    def step(self, state: object, char: str) -> bool:
        del state
        return char.isascii() and not (char.isalnum() or char == "_")

    def final(self, state: object) -> bool:
        return state is True

    @property
    def regex(self) -> str:
        return r"/((?s:.*)[\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{7f}])?/"


@dataclass(frozen=True, slots=True)
class QuotesClosed:
    """No inline code and no fence is open at the end of the text, so what follows is not quoted.

    Inline code is between two single backticks on one line; a fence is between two lines that begin with three. Readers
    may disagree on other uses of backticks, so these are not allowed before a call.
    """

    start = "line"
    chars = "`\n"

    def step(self, state: str, char: str) -> str | None:
        return _QUOTES[state].get(char, _QUOTES[state][""]) or None

    def final(self, state: str) -> bool:
        return state in {"line", "text", "closed"}

    @property
    def regex(self) -> str:
        inline = r"`[^`\n]+`"
        fence = r"```[^`\n]*\n([^`]*\n)?```\n"
        line = rf"([^`\n]|{inline}[^`\n])*({inline})?"
        return rf"/({line}\n|{fence})*{line}/"


_DEAD = ""
_QUOTES: dict[str, dict[str, str]] = {
    "line": {"`": "one", "\n": "line", "": "text"},
    "text": {"`": "inline one", "\n": "line", "": "text"},
    "one": {"`": "two", "\n": _DEAD, "": "inline"},
    "inline one": {"`": _DEAD, "\n": _DEAD, "": "inline"},
    "inline": {"`": "closed", "\n": _DEAD, "": "inline"},
    "closed": {"`": _DEAD, "\n": "line", "": "text"},
    "two": {"`": "three", "": _DEAD},
    "three": {"`": _DEAD, "\n": "code line", "": "three"},
    "code": {"`": _DEAD, "\n": "code line", "": "code"},
    "code line": {"`": "end one", "\n": "code line", "": "code"},
    "end one": {"`": "end two", "": _DEAD},
    "end two": {"`": "end three", "": _DEAD},
    "end three": {"\n": "line", "": _DEAD},
}
