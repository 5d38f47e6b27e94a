# Tags of any shape: what one looks like, and which tag closes which. Does not depend on tools or on what is between
# tags.
#
#   left  signs  items                     signs  right
#   <            call name="get_weather"           >
#   <|    /      call                              |>
#   [            END CALL                          ]
#   ===          get_weather                       ===
#
# `left` is a bracket, perhaps with signs, or a run of one sign; `right` is its mirror image. The items are words, and
# pairs of a word and a value (`name="f"`, `tool:f`, `function=f`). A slash may be anywhere before or after the items.
#
# A tag closes an earlier one of the same shape if it has the same words and a slash or other signs (`</x>`, `<x|>`), or
# the same words and one that says so (`[END X]`, `x_end`, `end` alone). Between runs of signs, the same tag again
# closes as well (`@@x@@ … @@x@@`), and so does the run alone on its line (`=== x ===`, then `===`).
"""Tags of any shape."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from toolglean.scan.by_schema.literals import after_blanks, after_space, literal_at, string_at
from toolglean.scan.by_schema.words import BEGIN_WORDS, END_SIGNS, END_WORDS
from toolglean.scan.nested import json_text

__all__ = ["Tag", "closes", "compact", "lone_sign", "mirrored", "openers_at", "says_end", "tag_at"]

MAX_TAG = 2000  # characters
MAX_ITEMS = 32
MAX_RUN = 6

_PAIRS = {"<": ">", "[": "]", "{": "}", "(": ")"}
_QUOTES = frozenset("“‘„‚‟‛〝")
_ARROWS = {"«": "»", "‹": "›", "≪": "≫", "◁": "▷", "◀": "▶", "◄": "►", "◂": "▸"}
_SIGNS = frozenset("@%=:#!-+~^&$?|.;")
# These are tags with two of the sign at least; of other signs, one is enough. `*`, `_` and backticks are Markdown's.
_BARS = frozenset("|｜‖¦%#!?/\\^~@$*+-:=&._")
_namespaced = re.compile(r"[A-Za-z_][\w.-]*:[A-Za-z_][\w.-]*(?=[ \t\r\n|])").match


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag.

    Attributes:
        start: where it begins.
        end: where it ends.
        left: its bracket or run of signs, without slashes and the signs next to its words.
        slash: whether there is a slash before its words.
        signs: other signs before and after its words.
        words: the words that are not part of a pair, in order.
        pairs: the keys and values, in order. A value in quotes is without them, with its entities decoded.
        empty: whether a slash before its end closes it.
    """

    start: int
    end: int
    left: str
    slash: bool
    signs: tuple[str, str]
    words: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    empty: bool

    @property
    def is_run(self) -> bool:
        """Whether it is between runs of signs instead of brackets."""
        return mirrored(self.left) == self.left

    @property
    def element(self) -> str:
        """Its first word."""
        return self.words[0] if self.words else self.pairs[0][0] if self.pairs else ""

    @property
    def said(self) -> str:
        """All its words."""
        return " ".join(self.words)

    @property
    def opens(self) -> bool:
        """Whether another tag closes it."""
        return not (self.slash or self.empty)

    @property
    def is_plain(self) -> bool:
        """Whether it opens, and has only words."""
        return self.opens and not self.pairs

    @property
    def form(self) -> tuple[str, tuple[str, str]]:
        """What tags of the same kind have in common."""
        return self.left, self.signs


@lru_cache(maxsize=512)
def _partner(char: str) -> str:
    # The bracket that closes this one; "" if it is not an opening bracket.
    if char in _PAIRS:
        return _PAIRS[char]
    if char.isascii():
        return ""
    if char not in _QUOTES and unicodedata.category(char) in {"Ps", "Pi"}:
        for step in (1, -1, 2):
            other = chr(ord(char) + step)
            if unicodedata.category(other) in {"Pe", "Pf"}:
                return other
    return _ARROWS.get(char, "")


@lru_cache(maxsize=512)
def _is_sign(char: str) -> bool:
    if char.isascii():
        return char in _SIGNS
    return unicodedata.category(char)[0] in "SP" and unicodedata.category(char) not in {"Ps", "Pe", "Pi", "Pf"}


def lone_sign(text: str) -> str:
    """The sign of its own at the end of the text that says that something ends; "" if there is none."""
    last = text.rstrip()[-1:]
    return last if last in END_SIGNS else ""


def mirrored(left: str) -> str:
    """The mirror image of an opening run: `<|` gives `|>`."""
    return "".join(_partner(char) or char for char in reversed(left))


def tag_at(text: str, pos: int) -> Tag | None:
    """The tag that begins at `pos`, or None."""
    run = _run(text, pos)
    if not run:
        return None
    before, slash, rest = run.partition("/")
    if slash and before and text.startswith(mirrored(before), pos + len(before) + 1):  # nothing but a slash
        return Tag(pos, pos + 2 * len(before) + 1, before, True, ("", ""), (), (), False)
    core = before + rest
    least = 1 if _partner(run[0]) or not run[0].isascii() else 2
    for size in range(len(core), least - 1, -1):
        left, signs = core[:size], core[size:]
        if signs and (not _partner(left[0]) or any(map(_partner, signs))):
            break  # a run of signs has no signs next to it, and a bracket is not a sign
        found = _tag(text, pos, pos + len(run), left, signs, slash=bool(slash))
        if found:
            return found
    return None


def _run(text: str, pos: int) -> str:
    # An opening bracket with the signs next to it, or a run of one sign.
    first, chars = text[pos : pos + 1], text[pos : pos + MAX_RUN]
    if first and _partner(first):  # parentheses are around something else
        return first + "".join(takewhile(_in_parentheses if first == "(" else _may_follow_bracket, chars[1:]))
    run = chars[: len(chars) - len(chars.lstrip(first))]
    if not first or first in "/.;" or not _is_sign(first) or len(run) <= first.isascii():
        return ""
    return run + "/" * text.startswith("/", pos + len(run))


def openers_at(text: str, pos: int) -> tuple[str, ...]:
    """What may be an opening bracket at `pos`, with the signs next to it, the longest first."""
    run = _run(text, pos)
    return tuple(run[:size] for size in range(len(run), 0, -1) if _partner(run[0]) or size > 1 or not run.isascii())


_in_parentheses = frozenset("(/").__contains__


def _may_follow_bracket(char: str) -> bool:
    return char != "(" and (bool(_partner(char)) or char in _BARS or (not char.isascii() and _is_sign(char)))


def _tag(text: str, start: int, pos: int, left: str, before: str, *, slash: bool) -> Tag | None:
    right = mirrored(left)
    is_run = right == left
    words: list[str] = []
    pairs: list[tuple[str, str]] = []
    after = after_blanks if is_run else after_space
    first = _namespaced(text, pos)
    if first and _next_pair(text, first.end()):  # attributes follow: else it may be the name of a tool after a word
        words.append(first[0])
        pos = first.end()
    for _ in range(MAX_ITEMS):
        pos = after(text, pos)
        end = _end(right)(text, pos)
        if end:
            if not (words or pairs or slash) or end.end() - start > MAX_TAG:
                return None
            signs, empty = (before, end["signs"] or ""), end["slash"] is not None
            return Tag(start, end.end(), left, slash, signs, tuple(words), tuple(pairs), empty)
        if text.startswith("/", pos) and not slash and not words and not pairs:
            slash, pos = True, pos + 1
            continue
        item = _item(text, pos, right)
        if item is None:
            return None
        pos, word, value = item
        if value is None and pairs and word[:1] == "#" and word[1:].isdigit():
            continue  # a number: `[[use:f #1]]`
        if value is None and pairs:
            return None  # a word after a pair may belong to its value
        if value is None:
            words.append(word)
        else:
            pairs.append((word, value))
    return None


_next_pair = re.compile(r"[ \t\r\n]+[\w.-]+[ \t]*=(?!>)").match


@lru_cache(maxsize=128)
def _end(right: str) -> Callable[[str, int], re.Match[str] | None]:
    # An expression for the end of a tag: a slash that closes it, or signs before its bracket.
    return re.compile(rf"(?:(?P<slash>/)[ \t]*|(?P<signs>[|｜‖!#~^.$*+&%:-]{{0,3}}?)){re.escape(right)}").match


@lru_cache(maxsize=128)
def _items(right: str) -> Callable[[str, int], re.Match[str] | None]:
    # An expression for a word, or a pair, in a tag with that closing bracket.
    end = re.escape(right)
    word = r"#?\w(?:[\w.-]*\w)?" if right[0] not in "-." else rf"#?\w(?:(?!{end})[\w.-])*(?<=\w)"
    mid = rf"[ \t]*(?!{end})(?:=>|->|:=|::|=(?!>)|:(?![:=]))"
    bare = rf"(?:(?!/?{end})[^\s\"'<>(){{}}\[\]|,;=`])+"
    value = rf"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<opens>(?=[{{\[]))|(?P<bare>{bare})"
    return re.compile(rf"[｜‖¦]{{0,2}}(?P<word>{word})(?:{mid}[ \t]*(?:{value})|(?!{mid})|(?=:{end}))").match


def _item(text: str, pos: int, right: str) -> tuple[int, str, str | None] | None:
    # A word, or a pair. Returns its end, the word, and the value of the pair.
    found = _items(right)(text, pos)
    if not found:
        return None
    quoted = found["double"] if found["single"] is None else found["single"]
    if found["opens"] is not None:
        literal = literal_at(text, found.end())
        return None if literal is None else (literal[0], found["word"], json_text(literal[1]))
    if quoted is None:
        return found.end(), found["word"], found["bare"]
    if "\\" in quoted:  # an attribute has entities, a string has escapes: nobody knows which is meant
        literal = string_at(text, found.end() - len(quoted) - 2)
        return (found.end(), found["word"], quoted) if literal == (found.end(), quoted) else None
    return found.end(), found["word"], _entity(_char, quoted)


_entity = re.compile(r"&(?:(quot|apos|lt|gt|amp)|#([0-9]{1,6})|#[xX]([0-9a-fA-F]{1,5}));").sub
_ENTITIES = {"quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&"}


def _char(found: re.Match[str]) -> str:
    if found[1]:
        return _ENTITIES[found[1]]
    code = int(found[2]) if found[2] else int(found[3], 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code <= sys.maxunicode else found[0]


@lru_cache(maxsize=512)
def compact(words: str) -> str:
    """The letters and digits of words, in lower case: `END_CALL` and `endCall` are the same."""
    return "".join(char for char in words if char.isalnum()).casefold()


@lru_cache(maxsize=2048)
def says_end(words: str, heads: tuple[str, ...]) -> bool:
    """Whether the words say that something ends that has one of those heads, or nothing else: `END CALL`, `end`."""
    plain, stems = compact(words), {""}
    for head in map(compact, heads):
        stems |= {head, *map(head.removeprefix, BEGIN_WORDS), *map(head.removesuffix, BEGIN_WORDS)}
    begins = (plain[len(end) :] in stems for end in END_WORDS if plain.startswith(end))
    return any(begins) or any(plain[: -len(end)] in stems for end in END_WORDS if plain.endswith(end))


@lru_cache(maxsize=128)
def _heads(tag: Tag) -> tuple[tuple[str, ...], frozenset[str]]:
    # What a tag that closes this one may repeat; and the same as `compact` gives it.
    found = [tag.element, tag.said]
    if tag.pairs:
        key, value = tag.pairs[0]
        found += [value, f"{key} {value}", f"{tag.element} {value}", f"{tag.element} {key}"]
        found += [f"{tag.element} {key} {value}"] if tag.words else []
    if len(tag.words) > 2:
        found += [" ".join(tag.words[:2]), f"{tag.element} {tag.words[-1]}"]
    found = [head for head in (*found, *tag.words[1:]) if head]
    return tuple(found), frozenset(map(compact, found))


def closes(opening: Tag, tag: Tag) -> bool:
    """Whether the later tag closes the earlier one."""
    if tag.left != opening.left or opening.empty or len(tag.pairs) > 1 or opening.slash:
        return False
    if tag.empty:
        return not tag.pairs and len(tag.words) == 1 and tag.words == opening.words and not opening.pairs
    said = " ".join((*tag.words, *(f"{key} {value}" for key, value in tag.pairs)))
    heads, compacted = _heads(opening)
    if tag.slash:
        return not said or compact(said) in compacted or compact(said) in END_WORDS
    if tag.pairs and tag.pairs != opening.pairs and not says_end(said, heads):
        return False
    if tag.signs != opening.signs:
        return any(tag.signs) and said in heads
    if says_end(said, heads):
        return compact(said) not in compacted
    return tag.is_run and tag.words == opening.words and tag.pairs == opening.pairs
