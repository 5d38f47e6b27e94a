# What this file knows: what the end of a call may have been meant to be, as texts, each with the name of its repair.
# What it must not know: which of them is right (trial.py): nothing here decides, so nothing here may be sure.
#
# All functions are pure and take the text from the refused character up to the call's closer.
"""Texts that may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolglean.engine.mending.state import BRACKETS, EXTRA, PYTHON, QUOTE
from toolglean.scan.nested import DepthError
from toolglean.scan.python import python_value
from toolglean.scan.reader import string_text
from toolglean.values.bare import ODD_QUOTES

__all__ = ["PYTHON_BEGINS", "Tail", "meant", "meant_by_python", "meant_by_quotes", "meant_by_schema"]

Tail = tuple[str, str, str]
"""The repair ("" for the text as it is written); brackets to put in; and the text that follows them."""

MOST = 8  # brackets, or places for a quote marker, that are tried

_python = re.compile(r"""'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[^\W\d]\w*|[^'"\w]+|\w+""")
_WORDS = {"True": "true", "False": "false", "None": "null"}
PYTHON_BEGINS = ("'", "T", "F", "N")
_brackets = re.compile(r"[}\])]").finditer
_behind_value = re.compile(r"\s*(?:[,}\])]|\Z)").match


def meant(tail: str, closers: str, *, whole: bool) -> Iterator[Tail]:
    """What may have been meant where a character of JSON, or of another dialect with brackets, was refused.

    Args:
        tail: the text from that character up to the call's closer.
        closers: the brackets that close the open containers, innermost first.
        whole: whether the arguments' object has closed, and what is open is only what stands around it.
    """
    if not tail.strip():
        yield BRACKETS, closers, tail
        return
    if tail[0] in "}])":
        for size in range(1, min(len(closers), MOST) + 1):
            yield BRACKETS, closers[:size], tail
    yield from meant_by_python(tail)
    if whole:
        yield from _without_extra(tail, closers)


def _without_extra(tail: str, closers: str) -> Iterator[Tail]:
    # More closing brackets than are due. Any other text may take back the call that stands before it: "// cancelled".
    brackets = list(_brackets(tail))
    written = "".join(each[0] for each in brackets)
    if len(written) > len(closers) and written == "".join(tail.split()) and written.endswith(closers):
        yield EXTRA, "", tail[brackets[-len(closers)].start() :]


def meant_by_python(tail: str) -> Iterator[Tail]:
    """What may have been meant where Python was written for JSON: this needs no closer to be certain."""
    found = json_of(tail) if tail[:1] in PYTHON_BEGINS else None
    if found is not None:
        yield PYTHON, "", found


def json_of(text: str) -> str | None:
    """The text with Python's strings and names of constants as JSON; None where one of them is none."""
    pieces: list[str] = []
    place = 0
    for token in _python.finditer(text):
        if token.start() != place:
            return None
        place, word = token.end(), token[0]
        if word[0] == "'":
            if pieces and pieces[-1][-1:].isalnum():
                return None  # b'' or f'': no text
            found = _string(word)
            if found is None:
                return None
            word = found
        pieces.append(_WORDS.get(word, word))
    return "".join(pieces) if place == len(text) else None


def _string(literal: str) -> str | None:
    try:
        value = python_value(literal)
    except (ValueError, DepthError):
        return None
    return string_text(value) if isinstance(value, str) else None


def meant_by_quotes(tail: str, quote: str, keys: Iterable[str]) -> Iterator[Tail]:
    """What may have been meant where a value began without its quote marker.

    Args:
        tail: the text from the value on, up to the call's closer.
        quote: the marker.
        keys: the parameters that the tool's schema knows.
    """
    next_key = _next_key(keys)
    other = ODD_QUOTES.get(tail[:1])
    if other:
        for place in _ends(tail, other, next_key):
            rest = _requoted(tail[place + 1 :], quote)
            yield QUOTE, "", f"{quote}{tail[1:place]}{quote}{rest}"
    elif quote in tail:
        yield QUOTE, "", quote + tail


def meant_by_schema(tail: str, quote: str, closers: str, keys: Iterable[str]) -> Iterator[Tail]:
    """What may have been meant where a value stands without quote markers, and cannot be read so: see above."""
    if tail[:1] in ODD_QUOTES:
        return
    found = _next_key(keys).search(tail)
    if found:
        yield QUOTE, "", f"{quote}{tail[: found.start()]}{quote}{tail[found.start() :]}"
    elif len(closers) == 1 and tail.rstrip().endswith(closers):
        end = len(tail.rstrip()) - 1
        yield QUOTE, "", f"{quote}{tail[:end]}{quote}{tail[end:]}"


def _next_key(keys: Iterable[str]) -> re.Pattern[str]:
    known = "|".join(re.escape(key) for key in keys if key)
    return re.compile(rf"\s*,\s*(?:{known or '(?!)'})\s*:")


def _ends(tail: str, other: str, next_key: re.Pattern[str]) -> list[int]:
    # The places of the quote that may close the value; the first before a parameter that the schema knows is the last.
    places: list[int] = []
    place = tail.find(other, 1)
    while place >= 0 and len(places) < MOST:
        if _behind_value(tail, place + 1):
            places.append(place)
            if next_key.match(tail, place + 1):
                break
        place = tail.find(other, place + 1)
    return places


def _requoted(text: str, quote: str) -> str:
    # Later values between the same odd quotes.
    for opener, closer in ODD_QUOTES.items():
        inner = f"[^{re.escape(opener)}{re.escape(closer)}]*"
        pattern = rf"([:,\[]\s*){re.escape(opener)}({inner}){re.escape(closer)}(?=\s*(?:[,}}\])]|\Z))"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text
