# What is nearly JSON, as JSON: Python's strings and constants, keys without quotes, typographic quotes, doubled braces.
# Does not depend on where the text is, or on whether that was meant (repairer.py): the functions are pure.
"""What is nearly JSON, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from toolglean.scan.coerce import from_text
from toolglean.scan.python import literal_text
from toolglean.scan.reader import string_text

__all__ = ["Dialect", "json_of", "without_doubled_braces"]


class Dialect(Enum):
    """What a text may have that JSON has not."""

    PYTHON = "strings in single quotes, constants, a comma before a closing bracket"
    KEYS = "the same, and keys without quotes"
    QUOTES = "typographic quotes around keys and strings"


_token = re.compile(
    r"""'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[\u201c\u201d][^\u201c\u201d]*[\u201c\u201d]"""
    r"""|[^\W\d]\w*|\s+|\w+|[^'"\s\w\u201c\u201d]"""
)
_colon = re.compile(r"\s*:").match
_brace = re.compile(r'"(?:[^"\\]|\\[\s\S])*"|[{}]+|[^"{}]+')
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
OPENING, CLOSING = "{[(", "}])"
VALUE_FOLLOWS = frozenset("{[(,:")


def json_of(text: str, dialect: Dialect, depth: int) -> tuple[str, int] | None:
    """The beginning of the text as JSON, up to the bracket that closes the last open one, and where that ends.

    Args:
        text: the text, which begins inside the brackets.
        dialect: what it may have.
        depth: how many brackets are open. If they do not all close, the whole text is returned.

    Returns:
        None if a piece of it cannot be JSON.
    """
    pieces: list[str] = []
    place, comma, after = 0, -1, ""  # where the last comma is in the pieces, if only white space follows it
    for token in _token.finditer(text):
        word = token[0]
        if token.start() != place:
            return None
        place = token.end()
        if word in CLOSING and comma >= 0 and dialect is not Dialect.QUOTES:
            pieces[comma] = ""
        if not word.isspace():
            comma, after = len(pieces) if word == "," and after not in VALUE_FOLLOWS else -1, word
        found = _as_json(word, text, token, pieces[-1] if pieces else "", dialect)
        if found is None:
            return None
        pieces.append(found)
        depth += (word in OPENING) - (word in CLOSING)
        if not depth:
            return "".join(pieces), place
    return ("".join(pieces), place) if place == len(text) else None


def _as_json(word: str, text: str, token: re.Match[str], before: str, dialect: Dialect) -> str | None:
    if dialect is Dialect.QUOTES:
        inner = word[1:-1]
        if word[0] in "\u201c\u201d":
            return None if '"' in inner or "\\" in inner else string_text(inner)
        return None if word[0] == "'" else word
    if word[0] in "\u201c\u201d":
        return None
    if word[0] == "'":
        return None if before[-1:].isalnum() else _string(word)  # b'' or f'': not text
    if dialect is Dialect.KEYS and word.isidentifier() and _colon(text, token.end()):
        return string_text(word)
    return _CONSTANTS.get(word, word)


def _string(literal: str) -> str | None:
    value = from_text(literal_text, literal, 1)
    return string_text(value) if isinstance(value, str) else None


def without_doubled_braces(text: str) -> Iterator[str]:
    """What may have been meant by a text that begins with the second brace of a doubled one."""
    pieces = _brace.findall(text)
    if "".join(pieces) != text or not text.startswith("{"):
        return
    runs = [each[0] * (len(each) + (not place)) for place, each in enumerate(pieces) if each[0] in "{}"]
    if all(len(each) % 2 == 0 for each in runs):
        first, *rest = (each[: len(each) // 2] if each[0] in "{}" else each for each in (pieces[0] + "{", *pieces[1:]))
        yield first[1:] + "".join(rest)
    last = text.rfind("}")
    if last > 0 and text[last + 1 :].strip() in {"", ")"}:  # in a dialect, a bracket may stand for the outer one
        yield text[1:last] + text[last + 1 :]
