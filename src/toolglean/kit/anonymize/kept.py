# What this file knows: what of a text is the format's, and stays: markers, what is left of broken ones, keys of calls,
# the literals of JSON.
# What it must not know: what stands for the rest.
#
# A marker stays where it stands as a whole. Of a broken or stripped one, its words stay where they stand as words of
# markers do: beside an angle, a bar, a bracket, or joined to each other. In prose, the same words are words like all
# others. Keys of calls stay where a key or a name can stand.
"""What stays."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from toolglean.formats.quotations import OTHERS, RESULTS, ROLE_HEADERS, ROLES
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format, Literal, Space, tokens_of
from toolglean.scan.keys import ARGUMENT_KEYS, ID_KEYS, KNOWN_NAME_KEYS, NAME_KEYS

__all__ = ["KEYS", "LITERALS", "Kept", "kept"]

KEYS = NAME_KEYS | KNOWN_NAME_KEYS | ARGUMENT_KEYS | ID_KEYS | {"type"}
LITERALS = frozenset({"true", "false", "null", "True", "False", "None", "NaN", "Infinity"})
OPENS, CLOSES = frozenset("<[/|｜▁`"), frozenset(">]/|｜▁")
"""Behind the first, and before the second, stand the words of markers. What stands between two markers is a name."""
OPENERS = frozenset("[({<:")
"""Before these stand markers that are a mere word: `functools[…]`."""
QUOTES = frozenset("\"'\\")
BEFORE_KEYS, BEHIND_KEYS = frozenset("<{(/|="), frozenset("=:>|")
LIKE = 0.85
"""How much of a word must be as in a marker's, for it to be one that the model has misspelled."""
LONG = 5  # letters, below which words are alike by chance

_part = re.compile(r"[^\W\d_]+")


class Kept:
    """What the formats leave no choice about.

    Args:
        formats: the formats.
    """

    def __init__(self, formats: tuple[Format, ...]) -> None:
        phrases = {phrase for each in formats for phrase in _phrases(each)}
        phrases |= {phrase for each in _of_others() for phrase in each.split()}
        self._words = {part.casefold() for phrase in phrases for part in _part.findall(phrase)}
        self._words |= {
            part.casefold() for each in formats for word in each.types.values() for part in _part.findall(word)
        }
        self._lone = {each for each in phrases if each.isalpha()}
        self.symbols = {char for phrase in phrases for char in phrase if not char.isascii()}
        # A marker that begins or ends with a letter is none within a word.
        marked = [each for each in phrases if _part.search(each) and _part.sub("", each).strip("_ ")]
        marked.sort(key=len, reverse=True)
        self._marked = marked
        self._longest = len(marked[0])
        self._markers = re.compile("|".join(map(_pattern, marked)))

    def markers(self, text: str) -> Iterator[tuple[int, int]]:
        """Where markers stand; the last may be cut off by the end of the text."""
        end = 0
        for found in self._markers.finditer(text):
            end = found.end()
            yield found.span()
        for begin in range(max(end, len(text) - self._longest), len(text)):
            if text[begin] in OPENS and any(each.startswith(text[begin:]) for each in self._marked):
                yield begin, len(text)
                return

    def is_kept(self, word: str, before: str, behind: str) -> bool:
        """Whether the letters of a run of letters, digits and underscores stay.

        Args:
            word: the run.
            before, behind: the characters beside it; "" where the text begins or ends.
        """
        if word in LITERALS:
            return True
        if word in KEYS:
            return (before in QUOTES and behind in QUOTES) or before in BEFORE_KEYS or behind in BEHIND_KEYS
        parts = _part.findall(word)
        if not parts:
            return False
        if not behind and any(each.startswith(word) for each in LITERALS):  # cut off
            return True
        is_beside = before in OPENS or behind in CLOSES
        known = [part for part in parts if part.casefold() in self._words]
        if len(known) == len(parts):
            return is_beside or len(parts) > 1 or (word in self._lone and behind in OPENERS)
        return before in OPENS and all(self._is_like(part, among_words=bool(known)) for part in parts)

    def is_word(self, word: str) -> bool:
        """Whether a word is of a marker, wherever it stands."""
        return word.casefold() in self._words or word in KEYS

    def _is_like(self, part: str, *, among_words: bool) -> bool:
        # The beginning of a marker's word, or one that the model has misspelled.
        low = part.casefold()
        if len(low) >= (2 if among_words else LONG) and any(word.startswith(low) for word in self._words):
            return True
        return len(low) >= LONG and bool(difflib.get_close_matches(low, self._words, n=1, cutoff=LIKE))


@lru_cache(maxsize=1)
def kept() -> Kept:
    """What the library's formats and registered ones leave no choice about."""
    return Kept(all_formats())


def _of_others() -> Iterator[str]:
    """The markers around tools' results, and what begins the messages of others: a call in there is text."""
    for pair in RESULTS:
        yield from pair
    yield from OTHERS
    yield from (f"{header}{role}" for header in ROLE_HEADERS for role in (*ROLES, "assistant", "model"))


def _phrases(declared: Format) -> Iterator[str]:
    """The texts of a format between its holes, and each part of them between white space."""
    patterns = [
        *declared.spellings,
        *declared.parameters,
        declared.separator,
        *declared.drop,
        *declared.content_markers,
    ]
    patterns += [*declared.user_only_markers, *declared.end_markers, *declared.headers, declared.id, *declared.markers]
    patterns += [text for pair in (*declared.all_sections, *declared.all_reasonings) for text in pair]
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
    behind = r"(?![^\W_])" if phrase[-1].isalnum() else ""
    return f"{before}{found}{behind}"
