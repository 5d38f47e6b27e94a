# How a text with constraints is written so that xgrammar compiles it in time. Does not depend on the notation
# (gbnf.py), or on where the text appears.
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

from toolglean.grammar.nodes import EMPTY, Lit, Node, Rules, Text, all_but, alt, chars, intersected, repeat, seq
from toolglean.grammar.prose import ALL_SPACES, QUOTES_CLOSED, WORD, FirstWord, NoCall, NotStartingWith
from toolglean.grammar.regexes import FirstChar
from toolglean.grammar.strings import json_body
from toolglean.grammar.texts import Avoid, Constraint

__all__ = ["avoided", "simplified"]

LETTERS = "".join(WORD)
MOST_TAGS = 2  # beginnings of markers of two characters with which a text may begin: each takes a state
SHORTEST = 3  # characters of what is left of a marker
LANGUAGE = repeat(chars(LETTERS, "+#/"))
"""The word after a fence."""
ENDS_WORD = chars(("!", "~"), ("\u00c0", "\u024f"), ("\u2010", "\u2027"))
"""What may follow the first word of a text at once: few characters, because with all of them there are more states."""
ANY_WORD = FirstWord("", "", "")
"""Nothing follows from the first word."""
_of_escape = re.compile(r"[bfnrt/]|u?[0-9a-fA-F]{1,4}").fullmatch


def simplified(node: Text, rules: Rules) -> Node | None:
    """The text, without what is around it, made of texts that only avoid others; None if that is impossible.

    A text inside a JSON string has `json_body()` as its first constraint.
    """
    words = [word for each in node.constraints for word in avoided(each) or ()]
    others = [each for each in node.constraints if avoided(each) is None]
    if json_body() in others:
        return _in_json(words) if len(others) == 1 else None
    track = _track(node, words, rules)
    if track is None:
        return None
    first = next((each for each in others if isinstance(each, FirstChar)), None)
    if len(others) == (1 if track.quotes else 0):
        return track.after_line() if track.quotes else track.plain
    if first is not None and len(others) == 1 and not first.spaces:
        return _entry(track, first.none_of, EMPTY)
    return _start(track, others)


def _track(node: Text, words: Sequence[str], rules: Rules) -> _Track | None:
    kinds = [type(each) for each in node.constraints if avoided(each) is None and each != QUOTES_CLOSED]
    if set(kinds) - {FirstChar, FirstWord} or len(set(kinds)) < len(kinds):
        return None
    if QUOTES_CLOSED not in node.constraints:
        return _Track(_shortest(words), (), rules, quotes=False)
    cut = _shortest([re.split("[`\n]", each)[0] for each in words])
    markers = [word for each in node.constraints if isinstance(each, Avoid) for word in each.words]
    return _Track(cut, markers, rules, quotes=True) if all(len(each) >= SHORTEST for each in cut) else None


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
    return None if any(len(each) < SHORTEST for each in rests) else Text((json_body(), Avoid(_shortest(found + rests))))


class _Track:
    """A text after its start.

    Attributes:
        words: what it must not contain.
        markers: those of them that inline code must not contain.
        quotes: whether backticks must be closed where it ends.
        plain: the text without backticks, or any text.
        kept: beginnings of markers with which the text may begin, and then differ from the marker.
    """

    def __init__(self, words: tuple[str, ...], markers: Sequence[str], rules: Rules, *, quotes: bool) -> None:
        self.markers = markers
        self.words = (*words, "`", "\n>") if quotes else words
        self.rules, self.quotes = rules, quotes
        self.plain, self.line = Text((Avoid(self.words),)), Text((Avoid((*words, "`", "\n")),))
        self.beginnings = {word[:size] for word in self.words for size in range(len(word))}
        tags = {each for each in self.beginnings if len(each) == 2 and each[0] == "<" and each[1].isalpha()}
        self.kept = set() if quotes else {"<", *(tags if len(tags) <= MOST_TAGS else ())}

    def after(self, begun: str, char: str) -> str | None:
        """Which beginning of a word has been read after the character; None if that is a whole word."""
        text = begun + char
        if text.endswith(self.words):
            return None
        return next(text[at:] for at in range(len(text) + 1) if text[at:] in self.beginnings)

    def end(self) -> Node:
        """What follows `plain`."""
        if not self.quotes:
            return EMPTY
        return self.rules.ref(("end", self.words), lambda: alt(EMPTY, self.code(), seq(Lit("\n"), self.fence())))

    def after_line(self) -> Node:
        """The text from the start of a line."""

        def make() -> Node:
            here = alt(EMPTY, seq(Lit("\n"), self.after_line()), self.code(), self.fence())
            return _entry(self, ">", here)

        return self.rules.ref(("after a line", self.words), make)

    def code(self) -> Node:
        """Inline code, and what follows it. It contains nothing with which markers begin, unless that is a letter."""

        def make() -> Node:
            firsts = "".join(dict.fromkeys(word[0] for word in self.markers))
            first = all_but("`\n" + firsts)
            inside = self.line if any(each.isalnum() for each in firsts) else repeat(first)
            return seq(Lit("`"), first, inside, Lit("`"), self.plain, self.end())

        return self.rules.ref(("code", self.words), make)

    def fence(self) -> Node:
        """A fence, from its first line, and what follows it."""
        inside = alt(EMPTY, seq(self.plain, Lit("\n")))
        return seq(Lit("```"), LANGUAGE, Lit("\n"), inside, Lit("```\n"), self.after_line())


# -- the start of a text -----------------------------------------------------------------------------------------------


def _start(track: _Track, constraints: Sequence[Constraint]) -> Node | None:
    # White space, and what may begin a turn.
    signs = next((each.none_of for each in constraints if isinstance(each, FirstChar)), "")
    word = next((each for each in constraints if isinstance(each, FirstWord)), ANY_WORD)
    for each in track.words:
        if each != "\n>" and (each[0] in ALL_SPACES or not each.lstrip(word.letters)):
            return None  # white space or a word at the start would hide it
    initials = "".join(each for each in word.initials if each not in signs)
    others = word.letters if word.others else ""
    ways = [_after_space(track, signs + initials + others, code="`" not in signs)]
    if initials:
        ways.append(seq(chars(initials), _after_word(track, word, (word.signs, word.signs))))
    rest = "".join(each for each in others if each not in initials + signs)
    if rest:
        ways.append(seq(chars(rest), _after_word(track, word, (word.others, word.others_after()))))
    spaces = repeat(chars(ALL_SPACES))
    fences = [track.fence(), seq(spaces, Lit("\n"), track.fence())] if track.quotes and "`" not in signs else []
    return alt(seq(spaces, alt(*ways)), *fences)


def _after_space(track: _Track, signs: str, *, code: bool = True) -> Node:
    # Text that does not begin with white space, one of the signs, or a quoted line.
    here = alt(EMPTY, track.code()) if track.quotes and code else EMPTY
    return _entry(track, ALL_SPACES + signs + (">" if track.quotes else ""), here)


def _after_word(track: _Track, word: FirstWord, signs: tuple[str, str]) -> Node:
    # The rest of the first word, and what may follow it, and white space after it. A marker of letters and something
    # else (`to=`) may have begun in the word.
    ends = "".join(each.lstrip(word.letters)[:1] for each in track.words if each[0] in word.letters)
    firsts = "".join(each[0] for each in track.words)
    following = intersected(ENDS_WORD, all_but(signs[0] + word.letters + ends + firsts + ALL_SPACES))
    here = alt(EMPTY, track.code()) if track.quotes else EMPTY
    space = chars(ALL_SPACES)
    ways = [here, seq(following, track.plain, track.end())]
    ways.append(seq(repeat(space, 1), _after_space(track, signs[1])))
    if track.quotes:
        ways.append(seq(repeat(space), Lit("\n"), track.fence()))
    return seq(repeat(chars(word.letters)), alt(*ways))


def _entry(track: _Track, excluded: str, here: Node, begun: str = "") -> Node:
    """The text, which does not begin with the excluded characters, or `here` instead.

    `begun`: the beginning of a marker that has been read.
    """

    def make() -> Node:
        ways, blocked = [here], excluded
        for char in dict.fromkeys("".join(track.words)):
            after = track.after(begun, char)
            blocked += "" if after == "" else char
            if after and after in track.kept and char not in excluded:
                ways.append(seq(Lit(char), _entry(track, "", track.end(), after)))
        return alt(*ways, seq(all_but(blocked), track.plain, track.end()))

    return track.rules.ref(("entry", track.words, excluded, here, begun), make)
