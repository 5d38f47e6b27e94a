# What a value without quotes means, in an object with bare keys. Does not depend on how such objects are read
# (quoted.py).
#
# A bare value is true, false, null (also True, False, None), a JSON number, or else text: `{language:python}`. Single
# quotes around it are removed. The schema of the parameter decides: a string stays text (null, 42), and 007 is an
# integer if the schema asks for one. These values are refused, because a comma or a bracket in them probably cut them:
# text that begins with a quote and does not end with one, or with a part of a string marker, text that contains one,
# text with an empty line, an escaped tag, the end of a message or another object (what comes after a broken call), NaN
# and numbers that are too large for a float, and, if the schema does not ask for a string, text with a comment, a tag,
# an entity or a line break.
"""Values without quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolglean.scan.coerce import coerce_within, is_text, json_text, known
from toolglean.scan.literals import CONSTANTS
from toolglean.scan.scanner import is_json_number, number_of

__all__ = ["ODD_QUOTES", "bare_value", "has_rest"]

_PAIRS = ("``", "''", "\u2018\u2019", "\u2019\u2019", "\u201c\u201d", "\u201d\u201d", "\u00ab\u00bb")
ODD_QUOTES = {pair[0]: pair[1] for pair in _PAIRS}
"""Quotes that models write instead of the marker, and what closes them."""

_special = re.compile(r'<\|"|<\|[\w:.-]+\|?>|<[\w:.-]+\|>').search
_text_behind = re.compile(r"&lt;|\n[^\S\n]*\n").search
_rest = re.compile(r"(?P<end></[sS]>)|<eos>|<end_of_turn>|\{\s*([\"'])[\w-]+\2\s*:").search
_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
_markup = re.compile(r"//|/\*|#|<!--|</?[A-Za-z_]|&\w{1,8};|\n").search


def has_rest(word: str) -> bool:
    """Whether a value without quotes contains what follows a call that breaks off: a message's end, or an object."""
    found = _rest(word)
    return found is not None and not (found["end"] and "<s>" in word[: found.start()].lower())


def bare_value(word: str, marker: str, schema: Any, root: Mapping[str, Any] | None, max_depth: int) -> str:
    """The JSON text of a bare value, or "" if it is refused.

    Args:
        word: the value, without the white space around it.
        marker: what comes before and after a string.
        schema: the schema of the parameter; None if it is not known.
        root: the schema in which its `$ref` is looked up.
        max_depth: how deeply the value may be nested, in containers.

    Raises:
        DepthError: the value is nested deeper than that.
    """
    quoted = len(word) > 1 and word[0] in ODD_QUOTES
    if quoted and not word[1:].endswith(ODD_QUOTES[word[0]]):
        return ""  # a comma or bracket inside the quotes has cut it
    if _special(word) or _begins_marker(word, marker) or (not quoted and (_text_behind(word) or has_rest(word))):
        return ""  # it has swallowed a marker or a paragraph, or begins with a part of its own marker
    if known(schema, root) and marker not in word:
        is_null = word == "null" and not {"enum", "const"} & schema.keys()  # a string would be quoted
        if not is_null and is_text(schema, root, word):
            return json_text(_unquoted(word))
        value = coerce_within(word, schema, root, max_depth)
        if not isinstance(value, str):
            return json_text(value)
        if _markup(word):  # a number with a comment after it, for example, is not text
            return ""
    if word in CONSTANTS:
        return CONSTANTS[word]
    if is_json_number(word):
        return "" if number_of(word) is None else word
    return json_text(_unquoted(word)) if word not in _NO_NUMBERS and marker not in word else ""


def _begins_marker(word: str, marker: str) -> bool:
    # Whether it begins with a part of the marker, after which no word goes on; or with most of it.
    size = next((i for i, char in enumerate(word) if not marker.startswith(char, i)), len(word))
    rest = word[size : size + 1]
    return size > len(marker) // 2 or (size > 0 and rest == "\n") or (size > 1 and not rest.isalnum())


def _unquoted(word: str) -> str:
    inner = word[1:-1]
    return inner if word == f"'{inner}'" and "'" not in inner else word
