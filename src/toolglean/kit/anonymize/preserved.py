# What belongs to the format in a text, and stays: markers, the rests of broken ones, keys of calls, the literals of
# JSON. Does not depend on what replaces the rest.
#
# A whole marker always stays. The words of a broken or stripped marker stay where the words of markers are: next to an
# angle bracket, a bar or a bracket, or joined to each other. In prose, the same words are words like any others. Keys
# of calls stay where a key or a name can be.
"""What is preserved."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from toolglean.formats.quotations import OTHERS, RESULTS, ROLE_HEADERS, ROLES
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format, Literal, Space, tokens_of
from toolglean.scan.names import ARGUMENT_KEYS, ID_KEYS, KNOWN_NAME_KEYS, NAME_KEYS

__all__ = ["KEYS", "LITERALS", "Preserved", "preserved"]

KEYS = NAME_KEYS | KNOWN_NAME_KEYS | ARGUMENT_KEYS | ID_KEYS | {"type"}
LITERALS = frozenset({"true", "false", "null", "True", "False", "None", "NaN", "Infinity"})
OPENS, CLOSES = frozenset("<[/|｜▁`"), frozenset(">]/|｜▁")
"""The words of markers come after the first and before the second. A word between two markers is a name."""
OPENERS = frozenset("[({<:")
"""A marker that is a mere word comes before one of these: `functools[…]`."""
QUOTES = frozenset("\"'\\")
BEFORE_KEYS, AFTER_KEYS = frozenset("<{(/|="), frozenset("=:>|")
LIKE = 0.85
"""How similar a word must be to a word of a marker to be a misspelling of it."""
LONG = 5  # letters: shorter words are similar by chance

_part = re.compile(r"[^\W\d_]+")


class Preserved:
    """The texts that belong to formats.

    Args:
        formats: the formats.
    """

    def __init__(self, formats: tuple[Format, ...]) -> None:
        phrases = {phrase for each in formats for phrase in _phrases(each)}
        phrases |= {phrase for each in _of_others() for phrase in each.split()}
        types = {word for each in formats for word in each.types.values()}
        self._words = {part.casefold() for text in phrases | types for part in _part.findall(text)}
        self._lone = {each for each in phrases if each.isalpha()}
        self.symbols = {char for phrase in phrases for char in phrase if not char.isascii()}
        # A marker that begins or ends with a letter is not a marker inside a word.
        marked = (each for each in phrases if _part.search(each) and _part.sub("", each).strip("_ "))
        self._marked = sorted(marked, key=len, reverse=True)
        self._longest = len(self._marked[0])
        self._markers = re.compile("|".join(map(_pattern, self._marked)))

    def markers(self, text: str) -> Iterator[tuple[int, int]]:
        """The places of markers; the last one may be cut off by the end of the text."""
        end = 0
        for found in self._markers.finditer(text):
            end = found.end()
            yield found.span()
        for begin in range(max(end, len(text) - self._longest), len(text)):
            if text[begin] in OPENS and any(each.startswith(text[begin:]) for each in self._marked):
                yield begin, len(text)
                return

    def is_preserved(self, word: str, before: str, after: str) -> bool:
        """Whether the letters of a run of letters, digits and underscores stay.

        Args:
            word: the run.
            before, after: the characters next to it; "" at the beginning or the end of the text.
        """
        if word in LITERALS:
            return True
        if word in KEYS:
            return (before in QUOTES and after in QUOTES) or before in BEFORE_KEYS or after in AFTER_KEYS
        parts = _part.findall(word)
        if not parts:
            return False
        if not after and any(each.startswith(word) for each in LITERALS):  # cut off
            return True
        is_near_marker = before in OPENS or after in CLOSES
        known = [part for part in parts if part.casefold() in self._words]
        if len(known) == len(parts):
            return is_near_marker or len(parts) > 1 or (word in self._lone and after in OPENERS)
        return before in OPENS and all(self._is_like(part, among_words=bool(known)) for part in parts)

    def is_word(self, word: str) -> bool:
        """Whether a marker has this word, wherever it appears."""
        return word.casefold() in self._words or word in KEYS

    def _is_like(self, part: str, *, among_words: bool) -> bool:
        # The beginning of a marker's word, or a misspelling of one.
        low = part.casefold()
        if len(low) >= (2 if among_words else LONG) and any(word.startswith(low) for word in self._words):
            return True
        return len(low) >= LONG and bool(difflib.get_close_matches(low, self._words, n=1, cutoff=LIKE))


@lru_cache(maxsize=1)
def preserved() -> Preserved:
    """The texts that belong to the library's formats and to registered ones."""
    return Preserved(all_formats())


def _of_others() -> Iterator[str]:
    """The markers around tools' results and at the beginning of others' messages: calls inside these are text."""
    for pair in RESULTS:
        yield from pair
    yield from OTHERS
    yield from (f"{header}{role}" for header in ROLE_HEADERS for role in (*ROLES, "assistant", "model"))


def _phrases(declared: Format) -> Iterator[str]:
    """The texts of a format between its fields, and each part of them between white space."""
    patterns = [*declared.patterns, *declared.without_special_tokens, *declared.markers]
    patterns += [*declared.keys, *declared.user_only_markers, *declared.headers, declared.id]
    for pattern in patterns:
        phrase = ""
        for token in (*tokens_of(pattern), None):
            if isinstance(token, Literal):
                yield token.text
                phrase += token.text
            elif isinstance(token, Space) and phrase:
                phrase += " "
            else:
                if phrase.strip():
                    yield phrase.strip()
                phrase = ""


def _pattern(phrase: str) -> str:
    found = r"\s*".join(map(re.escape, phrase.split()))
    before = r"(?<![^\W_])" if phrase[0].isalnum() else ""
    after = r"(?![^\W_])" if phrase[-1].isalnum() else ""
    return f"{before}{found}{after}"
