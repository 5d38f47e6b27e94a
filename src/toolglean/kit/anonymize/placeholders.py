# Which word replaces which. Does not depend on which words are replaced.
#
# A placeholder is as long as its word, with letters for letters and digits for digits. Placeholders are given out in
# order, so they reveal nothing about the word. They have no vowels, so that they are not words of any language by
# chance. They share no four consecutive letters with a replaced word, so that a search for such a word finds nothing.
"""Placeholders."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

__all__ = ["Placeholders", "like_symbol", "words_in"]

LETTERS = "bcdghjklmpqrsvwxz"
"""Neither vowels nor the first letters of `true`, `false` and `null`: the problem of a value without quotes depends on
these."""
FOREIGN = "ñçðþøłßżŋđħŧ"
"""For letters that are not ASCII. Placeholders must not have fewer bytes, because some faults depend on bytes."""
GRAM = 4
TRIES = 20_000
LARGEST = 308
"""The largest exponent of a float."""

_word = re.compile(r"[^\W_]+")
_number = re.compile(r"(\d+)(\.\d+)?([eE][+-]?\d+)?")


def words_in(text: str) -> Iterator[str]:
    """The words of a text: runs of letters and digits."""
    return (found[0] for found in _word.finditer(text))


class Placeholders:
    """Gives out placeholders.

    Args:
        words: the words that may be replaced. No placeholder looks like one of them.
        taken: words that must not be placeholders.
    """

    def __init__(self, words: Iterable[str], taken: Collection[str]) -> None:
        self._taken = {each.casefold() for each in taken}
        self._grams: set[str] = set()
        for word in {each.casefold() for each in words}:
            self._grams.update(word[place : place + GRAM] for place in range(len(word) - GRAM + 1))
            if len(word) < GRAM:
                self._taken.add(word)
        self._given: dict[str, str] = {}
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def word(self, word: str) -> str:
        """The placeholder for a word. If words differ only in case, as `Oslo`, `oslo` and `OSLO`, so do theirs."""
        # Capitals inside a word would reveal much of a key or a password, so their places are not preserved.
        is_plain = word.islower() or word.isupper() or (word[:1].isupper() and word[1:].islower())
        key = "".join(map(_folded, word)) if is_plain else word
        placeholder = self._given.get(key)
        if placeholder is None:
            placeholder = self._given[key] = self._made(key)
        return "".join(map(_in_case_of, placeholder, word)) if is_plain else placeholder

    def number(self, text: str) -> str:
        """The placeholder for a number: another one, with as many digits, equally valid and about as large."""
        found = _number.fullmatch(text)
        if found is None:
            return self.word(text)
        whole, part, exponent = found[1], found[2] or "", found[3] or ""
        if part and part.strip(".0"):
            part = "." + self._digits(part[1:])
        if exponent:
            sign = len(exponent) - len(exponent.lstrip("eE+-"))
            exponent = exponent[:sign] + _like_exponent(exponent[sign:])
        return self._digits(whole) + part + exponent

    def _digits(self, text: str) -> str:
        if len(text) == 1:
            return str((int(text) + 3) % 10)
        if not text.strip("0"):
            return text
        leading = len(text) - len(text.lstrip("0"))
        # Leading zeros stay, because they can make a number invalid.
        return text[:leading] + self.word(text[leading:])

    def _made(self, key: str) -> str:
        shape = "".join(map(_kind, key))
        for place in range(self._next.get(shape, 0), TRIES):
            self._next[shape] = place + 1
            placeholder = self._nth(shape, place)
            if placeholder not in self._used and placeholder not in self._taken:
                self._used.add(placeholder)
                return placeholder
        # All short words of this shape are taken (there are only ten digits), so one of them is used twice.
        return next(each for place in range(TRIES) if (each := self._nth(shape, place)) != key)

    def _nth(self, shape: str, place: int) -> str:
        # Random, but the same each time. A letter is skipped if the last four would occur in a replaced word.
        dice = random.Random(f"{shape} {place}")  # noqa: S311  # not for secrets
        found = ""
        for kind in shape:
            letters = _alphabet(kind)
            if kind == "0" and not found and len(shape) > 1:
                letters = letters[1:]
            wanted = dice.randrange(len(letters))
            for letter in letters[wanted:] + letters[:wanted]:
                if (found + letter)[-GRAM:] not in self._grams:
                    break
            found += letter
        return found


def _alphabet(kind: str) -> str:
    return {"a": LETTERS, "0": "0123456789", "٠": "٠١٢٣٤٥٦٧٨٩"}.get(kind, FOREIGN)


def _kind(char: str) -> str:
    if char.isdecimal():
        return "0" if char.isascii() else "٠"
    return "a" if char.isascii() else "ä"


def _folded(char: str) -> str:
    lower = char.lower()
    return lower if len(lower) == 1 else char


def _in_case_of(placeholder: str, char: str) -> str:
    upper = placeholder.upper()
    return upper if char.isupper() and len(upper) == 1 else placeholder


def _like_exponent(digits: str) -> str:
    # An exponent that is too large for a float stays too large, and no other becomes so.
    size = len(digits.lstrip("0"))
    if size > 2:
        return digits[: len(digits) - size] + ("9" if size > 3 or int(digits) > LARGEST else "1") * size
    return digits.translate(_OTHER)


_OTHER = {ord(each): str(9 - int(each)) for each in "0123456789"}


def like_symbol(char: str) -> str:
    """The placeholder for a character that is neither ASCII nor a letter. White space and punctuation stay."""
    kind = unicodedata.category(char)
    if kind[0] in "ZP":
        return char
    if kind == "Cs":  # half of a pair
        return chr(0xD83D if ord(char) < 0xDC00 else 0xDE00)
    if kind[0] == "M":
        return "\u0301"
    return "\u200b" if kind[0] == "C" else "※"
