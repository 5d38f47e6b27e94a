# How a text with constraints is written so that xgrammar compiles it in time. Does not depend on the notation
# (structural_tag.py), or on where the text appears.
#
# xgrammar checks its whole vocabulary in each state of a grammar. "Any text without these" is an element of its own, in
# which it does so in no time. Elsewhere, a state in which nearly everything may follow takes tens of milliseconds, and
# the automaton of a text with a few constraints has a hundred such states. So here such a text is made of "any text
# without these", of the few states at its start, and of the states between lines and between backticks.
#
# What this allows is a part of what the constraints allow. It leaves out: a text that begins like a marker and then
# differs from it, where the state depends on the first character; in values, everything that begins like a call.
"""Texts with constraints, for xgrammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolglean.grammar.nodes import EMPTY, Lit, Node, Rules, Text, all_but, alt, chars, repeat, seq
from toolglean.grammar.prose import ALL_SPACES, FirstWord, NoCall, NotStartingWith, QuotesClosed
from toolglean.grammar.texts import Avoid, Constraint, FirstChar, JsonBody, trie

__all__ = ["avoided", "simplified"]

SHORTEST = 3  # characters of what is left of a marker
MOST_STATES = 6  # in which a marker may have begun, besides "any text without these"
_of_escape = re.compile(r"[bfnrt/]|u?[0-9a-fA-F]{1,4}").fullmatch


def simplified(node: Text, rules: Rules) -> Node | None:
    """The text without the one before it and after it, made of texts that only avoid others; None if that is impossible.

    A text inside a JSON string has `JsonBody()` as its first constraint.
    """
    words: list[str] = []
    others: list[Constraint] = []
    for each in node.constraints:
        found = avoided(each)
        words += found or ()
        others += [] if found is not None else [each]
    if JsonBody() in others:
        return _in_json(words) if len(others) == 1 else None
    kinds = [type(each) for each in others]
    if set(kinds) - {FirstChar, FirstWord, QuotesClosed} or len(set(kinds)) < len(kinds):
        return None
    found_words = _shortest(words)
    if QuotesClosed in kinds:
        found_words = _shortest([re.split("[`\n]", each)[0] for each in words])
        if any(len(each) < SHORTEST for each in found_words):
            return None
    return _Start(found_words, others, rules).node()


def avoided(constraint: Constraint) -> tuple[str, ...] | None:
    """The texts that must not occur if the constraint is to be met; None if there is more to it."""
    if isinstance(constraint, Avoid | NotStartingWith):
        return constraint.words
    return constraint.beginnings if isinstance(constraint, NoCall) else None


def _shortest(words: Sequence[str]) -> tuple[str, ...]:
    # Without those that contain another one.
    found: list[str] = []
    for word in sorted(dict.fromkeys(words), key=len):
        if not any(each in word for each in found):
            found.append(word)
    return tuple(found)


def _in_json(words: Sequence[str]) -> Node | None:
    # Quotes and line breaks are escaped there. The end of an escape may be the beginning of a word.
    found = [each for each in words if not any(char == '"' or char < " " or char == "\\" for char in each[:-1])]
    found = [each for each in found if each[-1] != '"' and each[-1] >= " "]
    rests = [each[size:] for each in found for size in range(1, 6) if _of_escape(each[:size])]
    return None if any(len(each) < SHORTEST for each in rests) else Text((JsonBody(), Avoid(_shortest(found + rests))))


class _Start:
    """The text of some constraints: its start, and what follows.

    Args:
        words: what it must not contain.
        constraints: the other constraints.
        rules: the rules of the grammar; further ones are added to them.
    """

    def __init__(self, words: tuple[str, ...], constraints: Sequence[Constraint], rules: Rules) -> None:
        self.rules = rules
        self.quotes = any(isinstance(each, QuotesClosed) for each in constraints)
        self.first = next((each for each in constraints if isinstance(each, FirstChar)), None)
        self.word = next((each for each in constraints if isinstance(each, FirstWord)), None)
        self.words = (*words, *("`\n" if self.quotes else ""))
        self.plain = Text((Avoid(self.words),))
        self.begun = [""]  # the text that was read in each state of the trie
        for each in self.words:
            new = (each[:end] for end in range(1, len(each) + 1))
            self.begun += [text for text in new if text not in self.begun]
        depths = range(1, max(map(len, self.words), default=0) + 1)
        count = {depth: sum(len(each) <= depth for each in self.begun) - 1 for depth in depths}
        most = 1 if self.quotes else MOST_STATES  # each comes three times if there are quotes
        self.depth = max((depth for depth in depths if depth == 1 or count[depth] <= most), default=0)

    def node(self) -> Node | None:
        """The text; None if it cannot be expressed."""
        if self.first is None and self.word is None:
            return self.line() if self.quotes else self.plain
        if self.word is None and self.first is not None and not self.first.spaces:
            if self.quotes:
                return None
            return self.entry(self.first.none_of, EMPTY, EMPTY)
        letters = self.word.letters if self.word else ""
        if any(each[0] in ALL_SPACES or not each.lstrip(letters) for each in self.words if each != "\n"):
            return None  # white space or a word at the start would hide it
        return self.start()

    # -- the start of a turn -------------------------------------------------------------------------------------------

    def start(self) -> Node:
        """White space, and what may begin a turn."""
        signs = self.first.none_of if self.first else ""
        initials = "".join(each for each in (self.word.initials if self.word else "") if each not in signs)
        others = self.word.letters if self.word and self.word.others else ""
        here = alt(EMPTY, *([self.code()] if self.quotes and "`" not in signs else []))
        ways: list[Node] = [self.entry(ALL_SPACES + signs + initials + others, here, self.end())]
        if self.word is not None and initials:
            ways.append(seq(chars(initials), self.after_word(self.word.signs, self.word.signs)))
        rest = "".join(each for each in others if each not in initials + signs)
        if self.word is not None and rest:
            ways.append(seq(chars(rest), self.after_word(self.word.others, self.word.others_after(" "))))
        spaces = repeat(chars(ALL_SPACES))
        begun = seq(spaces, alt(*ways))
        if self.quotes and "`" not in signs:
            begun = alt(begun, self.fence(), seq(spaces, Lit("\n"), self.fence()))
        return begun

    def after_word(self, signs: str, signs_after_space: str) -> Node:
        """The rest of the first word, and what may follow it."""
        assert self.word is not None
        letters = self.word.letters
        # A marker of letters and something else (`to=`) may have begun in the word.
        ends = "".join(each.lstrip(letters)[:1] for each in self.words if each[0] in letters)
        here = alt(EMPTY, *([self.code()] if self.quotes else []))
        space = chars(ALL_SPACES)
        ways = [
            self.entry(signs + letters + ends + ALL_SPACES, here, self.end()),
            seq(repeat(space, 1), self.entry(signs_after_space + ALL_SPACES, here, self.end())),
        ]
        if self.quotes:
            ways.append(seq(repeat(space), Lit("\n"), self.fence()))
        return seq(repeat(chars(letters)), alt(*ways))

    def entry(self, excluded: str, here: Node | None, end: Node, state: int = 0) -> Node:
        """Any text whose first character is none of the excluded ones, and then `end`.

        Args:
            excluded: the characters.
            here: what may be here instead of it; None: nothing.
            end: what follows the text.
            state: the state of the trie.
        """
        key = ("entry", self.words, excluded, here, end, state)
        return self.rules.ref(key, lambda: self._entry(excluded, here, end, state))

    def _entry(self, excluded: str, here: Node | None, end: Node, state: int) -> Node:
        row = trie(self.words)[state] if self.words else {}
        ways = [] if here is None else [here]
        begins = [char for char, (after, whole) in row.items() if after or whole]
        for char in begins:
            after, whole = row[char]
            if not whole and char not in excluded and len(self.begun[after]) <= self.depth:
                ways.append(seq(Lit(char), self.entry("", end, end, after)))
        return alt(*ways, seq(all_but(excluded + "".join(begins)), self.plain, end))

    # -- lines and code ------------------------------------------------------------------------------------------------

    def end(self) -> Node:
        """What follows text without backticks and line breaks."""
        if not self.quotes:
            return EMPTY
        key = ("end of plain text", self.words)
        return self.rules.ref(key, lambda: alt(EMPTY, seq(Lit("\n"), self.line()), self.code()))

    def line(self) -> Node:
        """Text from the start of a line."""
        return self.rules.ref(("line", self.words), lambda: alt(seq(self.plain, self.end()), self.fence()))

    def code(self) -> Node:
        """Inline code, and what follows it."""
        end = self.rules.ref(("end of code", self.words), lambda: seq(Lit("`"), self.plain, self.end()))
        return seq(Lit("`"), self.entry("", None, end))

    def fence(self) -> Node:
        """A fence, from its first line, and what follows it."""
        return seq(Lit("```"), self.plain, Lit("\n"), self.fenced())

    def fenced(self) -> Node:
        """The lines of a fence, its end, and what follows it."""

        def make() -> Node:
            return alt(seq(self.plain, Lit("\n"), self.fenced()), seq(Lit("```\n"), self.line()))

        return self.rules.ref(("fenced", self.words), make)
