# The other spellings in which a model may write the closing marker of a value. Does not depend on what is done then:
# reading may repair it (engine/matcher/), writing refuses such a value.
#
# The spellings are derived from the declared marker, by seven rules:
# - upper and lower case do not matter: `</Parameter>`
# - white space between its parts does not matter: `</parameter >`, `</ parameter>`
# - a known short or long form of its word may replace it, and a prefix may be missing: `</param>`, `</value>`
# - a closing tag may repeat the attributes of the opening one, and its end may be missing before the next one:
#   `</parameter=city>`, `</parameter</function>`
# - its signs may be escaped: `&lt;/parameter&gt;`
# - the parameter's key may replace its word, exactly as it is declared: `</city>`
# - behind the first letters of a long word, one letter may be too many, missing or another, or a slash may follow:
#   `</paramter>`, `</parameters>`, `</parameter/>`
# Such a text is a closing marker only if it is followed by what must follow a value. Anywhere else it is text of the
# value.
"""Closing markers in another spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape

__all__ = ["NONE", "WAIT", "Spellings", "can_close", "spellings_of"]

NONE = -1  # no such marker
WAIT = -2  # the text ends too early to tell

MOST = 96  # characters of such a marker
MOST_KEY = 32  # characters of a key in it
LEAST_WORD, SURE = 6, 3  # characters of a word in which one may be wrong, and of its beginning, which must be right
SPACE = r"[ \t]{0,4}"

FORMS = (("parameter", "param"), ("argument", "arg"), ("arg_value", "value"), ("arg_value", "arg_val"))
"""Words that models confuse."""

_TAG = ("<", "/", "name", ">")  # the parts of a tag that has no prefix
_parts = re.compile(r"\w+|\W").findall
_word_of = re.compile(r"(.*?)(\w*)(\W*)\Z", re.DOTALL).match
_blank = re.compile(r"\s+").sub
_attributes = re.compile(r"(?<=\w)[ \t=][^<>\n]{0,64}\Z").search


class Spellings:
    """The other spellings of some closing markers. Made once, shared, never changed.

    Attributes:
        begins: how they begin.
        search: finds such a beginning.
        is_declared: matches a marker as declared, with any white space where the declaration has some.
    """

    __slots__ = ("_folded", "_full", "_misspelt_begun", "_own", "begins", "is_declared", "search")

    def __init__(self, closers: tuple[str, ...], key: str = "") -> None:
        spaced = (r"\s*".join(map(re.escape, each.split())) for each in closers)
        self.is_declared = re.compile("|".join(spaced)).fullmatch
        escaped = [_parts(escape(each)) for each in closers if each[:2] == "</"]
        parts = [*(each for closer in closers for each in _variants(closer)), *escaped]
        own = [*map(_parts, closers), *(each for each in parts if len(each) > len(_TAG))]
        self._own = frozenset(_blank("", "".join(each)).casefold() for each in own)
        keyed = [each for closer in closers if key for each in _keyed(closer, key)]
        ways = [*map(_way, parts), *(f"(?-i:{_way(each)})" for each in keyed), *filter(None, map(_misspelt, closers))]
        self._misspelt_begun = re.compile("|".join(filter(None, map(_misspelt_begun, closers))) or "(?!)").fullmatch
        self._full = re.compile("|".join(ways) or "(?!)", re.IGNORECASE).match
        parts += keyed
        self._folded = tuple(dict.fromkeys(_blank("", "".join(each)).casefold() for each in parts))
        self.begins = tuple(sorted({begin for each in parts for begin in _begins("".join(each))}))
        self.search = re.compile("|".join(map(re.escape, self.begins)) or "(?!)").search

    def is_own(self, marker: str) -> bool:
        """Whether a marker, as `end` finds it, can be nothing else: `</param>` may be a tag of another language."""
        attributes = _attributes(marker.rstrip(">"))
        marker = f"{marker[: attributes.start()]}>" if attributes else marker
        return _blank("", marker).casefold() in self._own

    def end(self, text: str, place: int) -> int:
        """The end of the marker that begins at `place`; NONE or WAIT."""
        found = self._full(text, place)
        if found:
            return found.end()
        if len(text) - place >= MOST:
            return NONE
        rest = text[place:]
        attributes = _attributes(rest)
        rest = rest[: attributes.start()] if attributes else rest
        folded = _blank("", rest).casefold()
        is_begun = (
            any(each.startswith(folded) for each in self._folded) or self._misspelt_begun(text[place:]) is not None
        )
        return WAIT if is_begun else NONE


def can_close(key: str) -> bool:
    """Whether the tag of that key may close its value: it is a word, which no sign of a tag may be part of."""
    return key.isascii() and key.isidentifier() and len(key) <= MOST_KEY


@lru_cache(maxsize=256)
def spellings_of(closers: tuple[str, ...], key: str = "") -> Spellings:
    """The other spellings of these closing markers. `key`: that of the parameter, if it may replace their word."""
    return Spellings(closers, key)


def _way(parts: list[str]) -> str:
    # An expression for the marker of these parts.
    *most, last = (r"\s" if each.isspace() else re.escape(each) for each in parts)
    if (parts[:2], last) != (["<", "/"], ">"):
        return SPACE.join((*most, last))
    return rf"{SPACE.join(most)}(?:(?:[ \t=][^<>\n]{{0,64}})?>|{SPACE}(?=\s{{0,32}}<))"


def _misspelt(closer: str) -> str:
    # An expression for the closing tag with one wrong character in its word; "" for other markers.
    head, word, rest = _head_and_word(closer)
    if not word:
        return ""
    ways = [rf"{word[:i]}\w?{word[i:]}" for i in range(SURE, len(word) + 1)]
    ways += [rf"{word[:i]}\w?{word[i + 1 :]}" for i in range(SURE, len(word))]
    return rf"{re.escape(head)}(?:{'|'.join(ways)})/?{re.escape(rest)}"


def _misspelt_begun(closer: str) -> str:
    head, word, _ = _head_and_word(closer)
    return rf"{re.escape(head + word[:SURE])}\w{{0,{len(word) - SURE + 1}}}/?" if word else ""


def _head_and_word(closer: str) -> tuple[str, str, str]:
    head, word, rest = _word_of(closer).groups()  # type: ignore[union-attr]  # it matches any text
    is_long = closer[:2] == "</" and len(word) >= LEAST_WORD and rest == ">"
    return (head, word, rest) if is_long else ("", "", "")


def _variants(closer: str) -> Iterable[list[str]]:
    # The parts of the marker, with its word replaced by each known form, with and without what precedes the word.
    parts = _parts(closer)
    for place, word in enumerate(parts):
        for form in _forms(word):
            yield [*parts[:place], form, *parts[place + 1 :]]
            if parts[:2] == ["<", "/"] and place > 2:  # there is a prefix after `</`
                yield ["<", "/", form, *parts[place + 1 :]]


def _keyed(closer: str, key: str) -> Iterable[list[str]]:
    # The parts of a closing tag with the key in place of its word, with and without what precedes the word.
    head, word, rest = _word_of(closer).groups() if closer[:2] == "</" else ("", "", "")  # type: ignore[union-attr]
    if word:
        yield from (_parts(f"{before}{key}{rest}") for before in dict.fromkeys((head, "</")))


def _forms(word: str) -> list[str]:
    word = word.casefold()
    found = [word] if any(each in word for pair in FORMS for each in pair) else []
    for long, short in FORMS:
        if long in word:
            found += [word.replace(long, short), long, short]
        elif word.endswith(short) and word != long:
            found.append(word[: -len(short)] + long)
    return list(dict.fromkeys(found))


def _begins(marker: str) -> Iterable[str]:
    # Its first five characters in lower case; or those up to the first one in upper case. With fewer characters, each
    # `</p>` in HTML would be examined; with white space before them, each `a < b`.
    lower = marker[:5].lower()
    yield lower
    yield from (lower[:place] + lower[place].upper() for place in range(len(lower)) if lower[place].islower())
    if marker[:2] == "</":
        yield "</ "
