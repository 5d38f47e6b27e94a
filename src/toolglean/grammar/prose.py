# What readers take for the beginning of a call, or of a quotation of one, in text. Does not depend on formats: markers
# and names are passed in.
"""Constraints on text in which calls may be mentioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.grammar.nodes import ALL, Lit, Node, all_but, alt, chars, opt, repeat, seq
from toolglean.grammar.regexes import MatchesNode, NodeConstraint
from toolglean.grammar.texts import SPACES, edges_of, escaped, trie
from toolglean.scan.names import namespaces_of

__all__ = ["ALL_SPACES", "QUOTES_CLOSED", "WORD", "WORD_END", "FirstWord", "NoCall", "NotStartingWith"]

WORD = tuple("_-.") + tuple(map(chr, range(48, 58))) + tuple(map(chr, range(65, 91))) + tuple(map(chr, range(97, 123)))
ALL_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
ANY = repeat(ALL)


@dataclass(frozen=True, slots=True)
class FirstWord(NodeConstraint):
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

    negated = True

    def others_after(self) -> str:
        """What must not follow white space after an unknown word."""
        return self.others.replace("(", "")

    @property
    def form(self) -> Node:
        spaces, letter = repeat(chars(ALL_SPACES)), chars(self.letters)
        ways = [seq(chars(self.initials), repeat(letter), spaces, chars(self.signs))] if self.initials else []
        ways += [seq(repeat(letter, 1), chars(self.others))] if self.others else []
        after = self.others_after()
        ways += [seq(repeat(letter, 1), spaces, chars(after))] if after else []
        return seq(spaces, alt(*ways), ANY)


@dataclass(frozen=True, slots=True)
class NotStartingWith(NodeConstraint):
    """After white space, the text does not begin with one of these texts."""

    words: tuple[str, ...]

    negated = True

    @property
    def form(self) -> Node:
        return seq(repeat(chars(SPACES)), alt(*map(Lit, self.words)), ANY)


@dataclass(frozen=True, slots=True)
class NoCall:
    """No tool's name follows one of these texts, with or without white space or a namespace between."""

    words: tuple[str, ...]
    names: tuple[str, ...]

    start = (0, None)

    @property
    def edges(self) -> set[int]:
        return edges_of("".join((*self.words, *self.names, *WORD, ALL_SPACES)))

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


WORD_END = MatchesNode(opt(seq(ANY, chars(("\0", "/"), (":", "@"), ("[", "^"), "`", ("{", "\x7f")))))
"""The text does not end within a word, so a marker that begins with a letter may follow."""

_OTHER = all_but("`\n")
_INLINE = seq(Lit("`"), repeat(_OTHER, 1), Lit("`"))
_FENCE = seq(*(Lit("```"), repeat(_OTHER), Lit("\n")), opt(seq(repeat(all_but("`")), Lit("\n"))), Lit("```\n"))
_ANY_OTHER = seq(opt(_INLINE), _OTHER)
_LINE = seq(opt(seq(alt(all_but("`\n>"), seq(_INLINE, _OTHER)), repeat(_ANY_OTHER))), opt(_INLINE))
QUOTES_CLOSED = MatchesNode(seq(repeat(alt(seq(_LINE, Lit("\n")), _FENCE)), _LINE))
"""No inline code and no fence is open at the end of the text, so what follows is not quoted.

Inline code is between two single backticks on one line; a fence is between two lines that begin with three. Readers may
disagree on other uses of backticks, so these are not allowed before a call. A line that begins with `>` is quoted too,
so there is none.
"""
