# How to find the first of some literals in a text, and whether the end of the text may begin one. Does not depend on
# what the literals are for.
#
# The search looks for the next character with which any literal begins: `str.find` if that is one character, otherwise
# an expression for a class of characters. It compares the literals only there, the longest first. (One expression for
# all literals took 16 µs on 2,000 characters of prose; this takes 0.1 µs.)
#
# The last characters before a literal tell whether it stands in the middle of a sentence (`in_sentence`).
"""Finding literals in text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from toolglean.scan.plain import Plain

__all__ = [
    "KEPT", "NO_GUARD", "Finder", "finder_of", "in_sentence", "is_code", "is_wrapped", "joins", "opens_quotation",
    "passing", "possessive", "space", "until", "with_closers",
]  # fmt: skip

NO_GUARD = "\x00no guard"  # appears in no chunk; if it did, the chunk would only miss a fast path


def passing(pattern: str) -> Callable[[str, int], re.Match[str]]:
    """Make a function that matches the pattern at a position. The pattern must match the empty string."""
    return re.compile(pattern).match  # type: ignore[return-value]


# Before Python 3.11.5, a possessive repeat of a group keeps what its last, failed repetition has read (CPython's issue
# 106052): `(?:ab?c)*+` matches all of "aca".
_KEEPS_FAILED = re.compile("(?:ab?c)*+").fullmatch("aca") is not None
_group_numbers = iter(range(1_000_000))


def possessive(body: str, times: str = "*", *, keeps_failed: bool = _KEEPS_FAILED) -> str:
    """An expression for that body, repeated so often as `times` says, without ever giving a repetition back.

    `keeps_failed`: whether this Python's own possessive repeat of a group must not be used. What is used instead has a
    named group, so the other groups of an expression must not be found by their number.
    """
    if not keeps_failed:
        return f"(?:{body}){times}+"
    name = f"possessive_{next(_group_numbers)}"
    return f"(?=(?P<{name}>(?:{body}){times}))(?P={name})"


space = passing(r"[ \t\n\r]*")
"""Passes over the white space of JSON."""

KEPT = 4
"""How many characters of the text before tell it: those of `said.** `."""

_ENDS = frozenset(".!?:…。！？：؟।;；")
_CLOSERS = ")]\"'”’»」』）"  # a quotation or parenthesis ends with its sentence: `(See above.) `
_GOES_ON = frozenset(",，、،-–—`/&+=|%“\"'«•◦‣‘„‹(（「『《【⟨*#")  # the last two begin an item and a heading
_BRACKETS = frozenset("[{<$@^")  # the same, unless the line begins with it (MiniMax's markers begin with `]<]…[>[`)
_item = re.compile(r"\s*(?:\*|(?:\d{1,2}|[a-z])[.)])\s+").fullmatch
_quoted_line = re.compile(r"[ \t>]*>[ \t]*(?:[-*+][ \t]*)?").fullmatch
_abbreviation = re.compile(  # the end of `e.g.`, `i.e.`, `z.B.`, `vs.`, `cf.`
    r"(?:\.[egB]|(?:\A|\W)(?:vs|cf))\.\Z"
).search
is_wrapped = re.compile(r"(?:(?:\A|\W)(?:a|an|as|by|is|of|or|to)|the)\n\Z").search
"""Whether the sentence of the line that ends there goes on on the next one: behind `such as`, `the`, `or`."""
_joined = re.compile(r"(.*?)(?:[;；→⇒➜➔➡⟶]\ufe0f?|(?<![-:<])[-=]>)[*_]{0,2}\s*").fullmatch


FENCES = "`~"
"""The characters that make a fence."""
WORD = r"[\w+#./-]{0,32}[ \t\r]{0,32}"
"""An expression for what may follow a fence on its line: the name of a language."""


class Finder(Plain):
    """Finds the first of some literals. Made once, shared by all parsers, never changed but for caches.

    Args:
        literals: what to look for; empty ones are ignored.
        words: whether a literal that begins with a letter is found only at the start of a word: in prose, most letters
            are inside words.
        exact: whether `search` looks at whole literals, not only at the characters with which they begin.
        unguarded: whether every text must be searched, so that there are no `guards`.
        line_words: literals that are found only at the beginning of a line, with `words`.

    Attributes:
        openers: the characters with which literals begin.
        guards: text without these two characters contains neither a literal nor the beginning of one. ("", "") if the
            literals begin with more than two different characters, or with letters, or if it is `unguarded`.
        alike: a finder that has the same openers, guards and search: itself, or the one that it was made from by
            `also_finding`. What is made for these alone is found again by it.
        plain: some texts in which `search` has found nothing: a cache.
        search: finds any of `openers` with the second character of a literal. If the opener is a letter, or with
            `exact`, it finds only a whole literal, as far as its first characters show (`DEEPEST`). At the end of the
            text, it also finds the beginning of one; then the match has a group. At the beginning of the text, only
            `find` knows whether a word, or a line, begins.
    """

    __slots__ = (
        "_by_two", "_exact", "_expression", "_first", "_joined", "_letters", "_longest", "_look_behind", "_of_lines",
        "_single", "alike", "guards", "line_words", "literals", "openers", "plain", "search", "unguarded", "words",
    )  # fmt: skip

    def __init__(
        self,
        literals: Iterable[str],
        *,
        words: bool = False,
        exact: bool = False,
        unguarded: bool = False,
        line_words: Iterable[str] = (),
    ) -> None:
        self.words, self._exact, self.unguarded = words, exact, unguarded
        self.line_words = frozenset(filter(None, line_words)) if words else frozenset()
        self.literals = tuple(sorted({each for each in literals if each}, key=_longest_first))
        self._longest = len(self.literals[0]) if self.literals else 0
        # By their first two characters, and by the first alone, because a text may end after it.
        by_two: dict[str, list[str]] = {}
        for literal in self.literals:
            by_two.setdefault(literal[:1], []).append(literal)
            if len(literal) > 1:
                by_two.setdefault(literal[:2], []).append(literal)
        self._single = frozenset(each for each in self.literals if len(each) == 1)
        for key, found in by_two.items():
            if len(key) > 1 and key[0] in self._single:
                found.append(key[0])
        self._by_two = {key: tuple(found) for key, found in by_two.items()}
        self._joined: dict[str, str] = {}  # those with a key, where they were needed: a set of all beginnings is large
        # The keys of those that are found only at the beginning of a line; with "\0", the others of the same key.
        self._of_lines = {each[:size] for each in self.line_words for size in (1, 2)}
        self._by_two |= {f"{key}\0": self._inside(self._by_two.get(key, ())) for key in self._of_lines}
        self.openers = "".join(key for key in self._by_two if len(key) == 1)
        self._first = self.openers if len(self.openers) == 1 else ""
        self._letters = frozenset(each for each in self.openers if words and each.isalpha()) - self._single
        of_lines = {each[0] for each in self.line_words} - {each[0] for each in {*self.literals} - self.line_words}
        self._look_behind = self._letters | of_lines  # what is found only behind some characters
        first, second = [*self.openers, NO_GUARD, NO_GUARD][:2]
        self.guards = ("", "") if unguarded or self._letters or len(self.openers) > 2 else (first, second)
        self._expression = self._candidates(exact=exact)
        self.search = re.compile(self._expression).search
        self.alike = self
        self.plain: set[str] = set()

    def also_finding(self, literals: Iterable[str]) -> Finder:
        """The same finder, which also finds these. It shares what it can with this one, and is made faster than a new
        one.
        """
        more = {each for each in literals if each}.difference(self.literals)
        alike = all(
            len(each) > 1
            and each[0] in self.openers
            and each[0] not in self._look_behind
            and (each[1] in _SECOND or each[:2] in self._by_two or each[0] in self._single)
            for each in more
        )
        if self._exact or not alike:
            every, like = (*self.literals, *more), self.line_words
            return Finder(every, words=self.words, exact=self._exact, unguarded=self.unguarded, line_words=like)
        twin = super().copy()
        twin.literals = tuple(sorted([*self.literals, *more], key=_longest_first))
        twin._longest = len(twin.literals[0]) if twin.literals else 0
        added: dict[str, list[str]] = {}
        for each in more:
            added.setdefault(each[:1], []).append(each)
            added.setdefault(each[:2], []).append(each)
        by_two, twin._joined = dict(self._by_two), {}
        for key, found in added.items():
            before = by_two.get(key) or [*self._single.intersection(key[0])]
            by_two[key] = tuple(sorted([*before, *found], key=_longest_first))
        twin._by_two = by_two | {f"{key}\0": self._inside(by_two[key]) for key in self._of_lines & added.keys()}
        return twin

    def find(self, text: str, pos: int, last: str = "") -> tuple[int, str]:  # noqa: C901  # it is the hot loop
        """Find the first literal. At one place, the longest literal is found.

        Args:
            text: the text.
            pos: where the search begins.
            last: the text before `pos`; only its last character is used.

        Returns:
            The place of the literal, and the literal. If the end of the text may begin one, or a longer one, the place
            where it begins, and "". If there is none, the length of the text, and "".
        """
        end = len(text)
        by_two, begin = self._by_two, pos
        while True:
            # At the first place, only `last` shows whether a word goes on: the expression would look at earlier text.
            if pos > begin or text[pos : pos + 1] not in self._look_behind:
                if self._first:
                    pos = text.find(self._first, pos)
                else:
                    found = self.search(text, pos)
                    pos = -1 if found is None else found.start()
            if pos < 0:
                return end, ""
            char, key = text[pos], text[pos : pos + 2]
            literals = by_two.get(key)
            if literals is None:
                if char not in self._single:
                    pos += 1
                    continue
                literals, key = (char,), char
            if char in self._letters and _is_inside_word(text[pos - 1] if pos > begin else last[-1:]):
                pos += 1
                continue
            if key in self._of_lines and (text[pos - 1] if pos > begin else last[-1:]) not in {"", "\n"}:
                key += "\0"
                literals = by_two[key]
            rest = text[pos:] if end - pos < self._longest else ""
            if text.startswith(literals, pos):
                for literal in literals:
                    if text.startswith(literal, pos):
                        return pos, literal
                    if rest and literal.startswith(rest):
                        return pos, ""
            elif rest and self._begins(rest, key):
                return pos, ""
            pos += 1

    def _inside(self, literals: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for each in literals if each not in self.line_words)

    def _begins(self, rest: str, key: str) -> bool:
        # Whether the end of the text is the beginning of a literal with that key. Mostly it is not.
        if self._longest > LONG:
            return any(each.startswith(rest) for each in self._by_two[key])
        if key not in self._joined:
            self._joined[key] = "\0".join(("", *self._by_two[key]))
        return f"\0{rest}" in self._joined[key]

    def within_lines(self) -> Finder:
        """The same finder without the literals that are found only at the beginning of a line."""
        if not self.line_words:
            return self
        return Finder(frozenset(self.literals) - self.line_words, words=self.words)

    def search_also(self, chars: str) -> Callable[[str], re.Match[str] | None]:
        """The same search, which also finds these characters."""
        # Not a class of characters: this way the expression skips to the first characters of its alternatives at once.
        return re.compile("|".join([*map(re.escape, chars), self._expression])).search

    def _second(self, first: str) -> str:
        # An expression for the second character of the literals that begin with that sign, or the end of the text; and
        # for the beginning of a line, if they are found there only.
        if first in self._single:
            return ""
        found = {each[1] for each in self.literals if each[0] == first} | _SECOND
        before = rf"(?<![^\n]{re.escape(first)})" if first in self._look_behind else ""
        return f"{before}(?:[{re.escape(''.join(sorted(found)))}]|(\\Z))"

    def _candidates(self, *, exact: bool) -> str:
        spelled = self.openers if exact else self._letters
        signs = [f"{re.escape(each)}{self._second(each)}" for each in self.openers if each not in spelled]
        if not spelled:
            return "|".join(signs) or "(?!)"
        words = {each for each in self.literals if each[0] in spelled}
        anywhere = words - self.line_words
        shortest = sorted(
            each
            for each in words
            if not any(each[:size] in (words if each in self.line_words else anywhere) for size in range(1, len(each)))
        )
        # Each alternative begins with a character of its own, so the expression skips to those at once.
        alternatives = signs
        for first, only_lines in dict.fromkeys((each[0], each in self.line_words) for each in shortest):
            behind = r"[^\n]" if only_lines else r"[\w/]"
            before = f"(?<!{behind}{first})" if first in self._letters else ""
            found = (each for each in shortest if each[0] == first and (each in self.line_words) == only_lines)
            rest = list(dict.fromkeys(each[1:DEEPEST] for each in found))
            alternatives.append(f"{re.escape(first)}{before}{_begun(rest)}")
        return "|".join(alternatives)


LONG = 256  # characters of a literal among which the end of a text is not looked for
DEEPEST = 24
"""Characters of a literal that an expression spells: each is a group in the one before, and a model may write a tag of
any length. Whether a text that has these goes on with the rest, only `find` knows.
"""
_SECOND = frozenset("/|｜")
"""What most closers have: a finder that also finds some is made without a new expression."""


def _begun(texts: list[str]) -> str:
    """An expression for any of these texts, none of which begins another, or for the beginning of one at the end of the
    searched text. What they have in common is in it once.
    """
    if "" in texts:
        return ""
    firsts = dict.fromkeys(each[0] for each in texts)
    ways = [re.escape(first) + _begun([each[1:] for each in texts if each[0] == first]) for first in firsts]
    return f"(?:{'|'.join(ways)}|(\\Z))"


def _longest_first(literal: str) -> tuple[int, str]:
    return -len(literal), literal


_IN_WORDS = ("_", "/")  # of a closer, a slash is before the word


def _is_inside_word(char: str) -> bool:
    return char.isalnum() or char in _IN_WORDS


finder_of = lru_cache(maxsize=256)(Finder)
"""A finder of these literals, a tuple, which is made once."""

with_closers = lru_cache(maxsize=64)(Finder.also_finding)
"""The same finder, which also finds these, a tuple; it is made once."""


def until(text: str, pos: int, held: str, marker: str) -> tuple[str, int, str, bool]:
    """Read text up to a marker, which may be cut anywhere.

    Args:
        text: the text, read from `pos` on.
        pos: the position.
        held: the beginning of the marker that ended the text before, or "".
        marker: what ends the text.

    Returns:
        The text that is certain to come before the marker; the position reached (after the marker, or the end);
        what is held back now; and whether the marker was found.
    """
    before = ""
    if held:
        near = held + text[pos : pos + len(marker) - 1]
        place = near.find(marker)
        if place != -1:
            return near[:place], pos + place + len(marker) - len(held), "", True
        if pos + len(marker) - 1 >= len(text):
            keep = held_back(near, marker)
            return near[: len(near) - keep], len(text), near[len(near) - keep :], False
        before = held  # no marker begins in it
    place = text.find(marker, pos)
    if place != -1:
        return before + text[pos:place], place + len(marker), "", True
    keep = min(held_back(text, marker), len(text) - pos)
    return before + text[pos : len(text) - keep], len(text), text[len(text) - keep :], False


def held_back(text: str, marker: str) -> int:
    """How many characters at the end of the text may begin the marker."""
    beginnings = _beginnings(marker)
    return next(len(each) for each in beginnings if text.endswith(each)) if text.endswith(beginnings) else 0


@lru_cache(maxsize=256)
def _beginnings(marker: str) -> tuple[str, ...]:
    return tuple(marker[:size] for size in range(len(marker) - 1, 0, -1))


_WORDS_OF_CODE = frozenset(
    {
        "bash", "c", "console", "cpp", "css", "diff", "function_call", "go", "html", "http", "ini", "java",
        "javascript", "js", "json", "jsonl", "kotlin", "log", "lua", "markdown", "md", "php", "plain", "plaintext",
        "powershell", "py", "python", "python3", "r", "rb", "rs", "ruby", "rust", "sh", "shell", "sql", "swift",
        "text", "toml", "tool", "tool_call", "tool_calls", "tool_code", "ts", "txt", "typescript", "xml", "yaml",
        "yml",
    }
)  # fmt: skip


def is_code(opener: str) -> bool:
    """Whether an opener is a fence as code has it: a quotation after other text, unless its word is a format's own."""
    word = opener.lstrip("`").lower()
    return opener[:1] == "`" and (word in _WORDS_OF_CODE or not word.replace("-", "").replace("_", "").isalnum())


def opens_quotation(before: str) -> bool:
    """Whether text with that end opens inline code, or a quoted line, as far as the last characters show it."""
    return before.endswith("`") or _quoted_line(before[-KEPT:].rpartition("\n")[2]) is not None


def in_sentence(before: str) -> bool:
    """Whether text that follows that one is in the middle of a sentence: behind a word, a comma, a list's sign."""
    line = before[-KEPT:].rpartition("\n")[2]
    text = line.rstrip().removesuffix("~~").rstrip("*_").rstrip()
    if (len(line) < KEPT and _item(line) is not None) or _abbreviation(text) is not None:
        return True
    last = text[-1:]
    if last in _BRACKETS:
        return len(line) == KEPT or text[:-1].strip() != ""
    if last in _CLOSERS:  # or there is none, or only signs of bold text, which are as many as are kept
        return (len(line) == KEPT and not line.isspace()) if text == "" else text.rstrip(_CLOSERS)[-1:] not in _ENDS
    if last.isascii() or last.isalnum() or last in _GOES_ON or last in _ENDS or "\ufe00" <= last <= "\ufe0f":
        return last.isalnum() or last in _GOES_ON
    from unicodedata import category  # noqa: PLC0415  # the import of toolglean does without it

    return category(last) in {"Mn", "Mc"}  # a vowel of a word


def joins(before: str) -> bool:
    """Whether text with that end joins what follows to what is before on its line: with a semicolon or an arrow."""
    line = before[-KEPT:].rpartition("\n")[2]
    found = _joined(line)
    return found is not None and (found[1].strip() != "" or len(line) == KEPT)
