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
from collections import Counter
from collections.abc import Sequence

from toolglean.grammar.nodes import EMPTY, Lit, Node, Rules, Text, all_but, alt, chars, repeat, seq
from toolglean.grammar.prose import ALL_SPACES, WORD, FirstWord, NoCall, NotStartingWith, QuotesClosed
from toolglean.grammar.texts import Avoid, Constraint, FirstChar, JsonBody

__all__ = ["avoided", "simplified"]

LETTERS = "".join(WORD)
SHORTEST = 3  # characters of what is left of a marker
MOST_STATES = 6  # in which a marker may have begun, besides "any text without these"
_of_escape = re.compile(r"[bfnrt/]|u?[0-9a-fA-F]{1,4}").fullmatch


def simplified(node: Text, rules: Rules) -> Node | None:
    """The text, without what is around it, made of texts that only avoid others; None if that is impossible.

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
    # Quotes and line breaks are escaped there, and the end of an escape may be the beginning of a word. Where several
    # words are openers with different names, what precedes the names must not occur.
    heads = Counter(each.rstrip(LETTERS) for each in words)
    cut = (head if head[:1] == "<" and heads[head] > 1 else each for each in words for head in [each.rstrip(LETTERS)])
    found = [each for each in cut if not any(char == '"' or char < " " for char in each) and "\\" not in each[:-1]]
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
        self.words = (*words, "`", "\n>") if self.quotes else words
        self.plain = Text((Avoid(self.words),))
        self.line = Text((Avoid((*words, "`", "\n")),))
        self.kept = self._kept()

    def _kept(self) -> frozenset[str]:
        # Beginnings of markers with which the text may begin, and then differ from the marker: the short ones. With
        # quotes, where each would count three times, only the most frequent first character.
        if self.quotes:
            first = Counter(each[0] for each in self.words if len(each) > 1).most_common(1)
            return frozenset(char for char, _ in first)
        sizes = range(1, max(map(len, self.words), default=0))
        by_size = [{each[:size] for each in self.words if len(each) > size} for size in sizes]
        found: set[str] = by_size[0] if by_size else set()
        for more in by_size[1:]:
            if len(found) + len(more) > MOST_STATES:
                break
            found |= more
        return frozenset(found)

    def node(self) -> Node | None:
        """The text; None if it cannot be expressed."""
        if self.first is None and self.word is None:
            return self.after_line() if self.quotes else self.plain
        if self.word is None and self.first is not None and not self.first.spaces:
            if self.quotes:
                return None
            return self.entry(self.first.none_of, EMPTY, EMPTY)
        letters = self.word.letters if self.word else ""
        if any(each[0] in ALL_SPACES or not each.lstrip(letters) for each in self.words if each[0] != "\n"):
            return None  # white space or a word at the start would hide it
        return self.start()

    # -- the start of a turn -------------------------------------------------------------------------------------------

    def start(self) -> Node:
        """White space, and what may begin a turn."""
        signs = self.first.none_of if self.first else ""
        initials = "".join(each for each in (self.word.initials if self.word else "") if each not in signs)
        others = self.word.letters if self.word and self.word.others else ""
        here = alt(EMPTY, *([self.code()] if self.quotes and "`" not in signs else []))
        line = ">" if self.quotes else ""
        ways: list[Node] = [self.entry(ALL_SPACES + signs + line + initials + others, here, self.end())]
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
        space, line = chars(ALL_SPACES), ">" if self.quotes else ""
        ways = [
            self.entry(signs + letters + ends + ALL_SPACES, here, self.end()),
            seq(repeat(space, 1), self.entry(signs_after_space + line + ALL_SPACES, here, self.end())),
        ]
        if self.quotes:
            ways.append(seq(repeat(space), Lit("\n"), self.fence()))
        return seq(repeat(chars(letters)), alt(*ways))

    def entry(self, excluded: str, here: Node | None, end: Node, plain: Text | None = None, begun: str = "") -> Node:
        """Any text whose first character is none of the excluded ones, and then `end`.

        Args:
            excluded: the characters.
            here: what may be here instead of it; None: nothing.
            end: what follows the text.
            plain: the text; None: `self.plain`.
            begun: the beginning of a word that has been read.
        """
        text = plain or self.plain
        key = ("entry", text, excluded, here, end, begun)
        return self.rules.ref(key, lambda: self._entry(excluded, here, end, text, begun))

    def _entry(self, excluded: str, here: Node | None, end: Node, plain: Text, begun: str) -> Node:
        words = tuple(word for each in plain.constraints for word in avoided(each) or ())
        beginnings = {word[:size] for word in words for size in range(len(word))}
        ways = [] if here is None else [here]
        begins = ""
        for char in dict.fromkeys("".join(words)):
            text = begun + char
            after = next(text[at:] for at in range(len(text) + 1) if text[at:] in beginnings)
            whole = text.endswith(words)
            if after or whole:
                begins += char
            if after in self.kept and not whole and char not in excluded:
                ways.append(seq(Lit(char), self.entry("", end, end, plain, after)))
        return alt(*ways, seq(all_but(excluded + begins), plain, end))

    # -- lines and code ------------------------------------------------------------------------------------------------

    def end(self) -> Node:
        """What follows text without backticks."""
        if not self.quotes:
            return EMPTY
        key = ("end of plain text", self.words)
        return self.rules.ref(key, lambda: alt(EMPTY, self.code(), seq(Lit("\n"), self.fence())))

    def after_line(self) -> Node:
        """Text from the start of a line."""

        def make() -> Node:
            here = alt(EMPTY, seq(Lit("\n"), self.after_line()), self.code(), self.fence())
            return self.entry(">", here, self.end())

        return self.rules.ref(("after a line", self.words), make)

    def code(self) -> Node:
        """Inline code, and what follows it."""
        end = self.rules.ref(("end of code", self.words), lambda: seq(Lit("`"), self.plain, self.end()))
        return seq(Lit("`"), self.entry("", None, end, self.line))

    def fence(self) -> Node:
        """A fence, from its first line, and what follows it."""
        return seq(
            Lit("```"), self.line, Lit("\n"), alt(EMPTY, seq(self.plain, Lit("\n"))), Lit("```\n"), self.after_line()
        )
