# What readers take for the beginning of a call, or of a quotation of one, in text. Does not depend on formats: markers
# and names are passed in.
"""Constraints on text in which calls may be mentioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.grammar.texts import SPACES, escaped, trie
from toolglean.scan.names import namespaces_of

__all__ = ["ALL_SPACES", "WORD", "FirstWord", "NoCall", "NotStartingWith", "QuotesClosed", "WordEnd"]

WORD = tuple("_-.") + tuple(map(chr, range(48, 58))) + tuple(map(chr, range(65, 91))) + tuple(map(chr, range(97, 123)))
ALL_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))


@dataclass(frozen=True, slots=True)
class FirstWord:
    """After white space, the first word of the text is not followed by a sign that would make it a call.

    To distinguish the tools' names from all other words would take a state for each of their letters, and an engine
    that checks its whole vocabulary in each state would need seconds. So only the first letter is checked.

    Attributes:
        initials: the first letters of names and namespaces.
        letters: the characters of words.
        signs: what must not follow a word that begins with one of the initials, with or without white space.
        others: the same for any other word; "(" only without white space.
    """

    initials: str
    letters: str
    signs: str
    others: str = ""

    start = "start"

    @property
    def chars(self) -> str:
        return ALL_SPACES + self.letters + self.signs + self.others

    def step(self, state: str, char: str) -> str | None:
        if state == "start":
            if char in ALL_SPACES:
                return state
            return "known" if char in self.initials else "other" if self.others and char in self.letters else "text"
        if state == "text" or (char in self.letters and not state.endswith(" ")):
            return state
        if char in (self.signs if state.startswith("known") else self.others_after(state)):
            return None
        return state.rstrip() + " " if char in ALL_SPACES else "text"

    def others_after(self, state: str) -> str:
        """What must not follow an unknown word, or white space after it."""
        return self.others.replace("(", "") if state.endswith(" ") else self.others

    def final(self, state: str) -> bool:
        del state
        return True

    @property
    def regex(self) -> str:
        spaces, letters = f"[{escaped(ALL_SPACES)}]*", f"[{escaped(self.letters)}]"
        ways = [f"[{escaped(self.initials)}]{letters}*{spaces}[{escaped(self.signs)}]"] if self.initials else []
        ways += [f"{letters}+[{escaped(self.others)}]"] if self.others else []
        after = self.others_after(" ")
        ways += [f"{letters}+{spaces}[{escaped(after)}]"] if after else []
        return f"~/{spaces}({'|'.join(ways)})(?s:.*)/"


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

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Texts with one of which everything begins that the constraint forbids; they forbid some more."""
        namespaces = [f"{each}." for each in sorted(namespaces_of(self.names))]
        common = f"{SPACES}\\"  # an escaped line break in a JSON string is white space too
        rare = [each for each in ALL_SPACES if each not in common]
        found = [word + end for word in self.words for end in (*self.names, "\\")]
        for word in self.words:  # two spaces are enough for longer white space
            after = common if word[0] in WORD else [space + end for space in SPACES for end in (*SPACES, *self.names)]
            found += [word + end for end in after]
        # xgrammar looks for each text in each token, which is slow for texts that begin with a letter. So for what is
        # rare, the word before it does not matter: `="functions.`, not `name="functions.`.
        signs = dict.fromkeys(word.lstrip("".join(WORD)) or word for word in self.words)
        return (*found, *(sign + end for sign in signs for end in (*namespaces, *rare)))

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
    may disagree on other uses of backticks, so these are not allowed before a call. A line that begins with `>` is
    quoted too, so there is none.
    """

    start = "line"
    chars = "`\n>"

    def step(self, state: str, char: str) -> str | None:
        return _QUOTES[state].get(char, _QUOTES[state][""]) or None

    def final(self, state: str) -> bool:
        return state in {"line", "text", "closed"}

    @property
    def regex(self) -> str:
        inline = r"`[^`\n]+`"
        fence = r"```[^`\n]*\n([^`]*\n)?```\n"
        line = rf"(([^`\n>]|{inline}[^`\n])([^`\n]|{inline}[^`\n])*)?({inline})?"
        return rf"/({line}\n|{fence})*{line}/"


_DEAD = ""
_QUOTES: dict[str, dict[str, str]] = {
    "line": {"`": "one", "\n": "line", ">": _DEAD, "": "text"},
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
