# What this file knows: what the end of a call may have been meant to be, as texts, each with the names of its repairs.
# What it must not know: which of them is right (trial.py): nothing here decides, so nothing here may be sure.
#
# All functions are pure and take the text from the refused character up to the call's closer.
"""Texts that may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolglean.engine.mending.state import BRACKETS, JUNK, PYTHON, QUOTE
from toolglean.scan.nested import DepthError
from toolglean.scan.python import python_value
from toolglean.scan.reader import string_text
from toolglean.values.quoted import ODD_QUOTES

__all__ = ["Tail", "json_of", "meant", "meant_by_quotes"]

Tail = tuple[tuple[str, ...], str]
"""The names of the repairs, and the text."""

MOST = 8  # brackets, or places for a quote marker, that are tried

_python = re.compile(r"""'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[^\W\d]\w*|[^'"\w]+|\w+""")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_data = re.compile(r"""["'{\[:=]""").search
_behind_value = re.compile(r"\s*(?:[,}\])]|\Z)").match


def meant(tail: str, closers: str, *, whole: bool) -> Iterator[Tail]:
    """What may have been meant where a character of JSON, or of another dialect with brackets, was refused.

    Args:
        tail: the text from that character up to the call's closer.
        closers: the brackets that close the open containers, innermost first.
        whole: whether the arguments' object has closed, and what is open is only what stands around it.
    """
    if not tail.strip():
        yield (BRACKETS,), closers + tail
        return
    if tail[0] in "}])":
        for size in range(1, min(len(closers), MOST)):
            yield (BRACKETS,), closers[:size] + tail
    if tail[0] in "'TFN":
        found = json_of(tail)
        if found is not None:
            yield (PYTHON,), found
    if whole and not _data(tail):
        yield (JUNK,), closers


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


def meant_by_quotes(tail: str, quote: str, closers: str, keys: Iterable[str]) -> Iterator[Tail]:
    """What may have been meant where a value began without its quote marker.

    Args:
        tail: the text from the value on, up to the call's closer.
        quote: the marker.
        closers: the brackets that close the open containers, innermost first.
        keys: the parameters that the tool's schema knows.
    """
    other = ODD_QUOTES.get(tail[:1])
    if other:
        places = [found.start() for found in re.finditer(re.escape(other), tail[1:]) if _behind_value(tail, found.end() + 1)]
        for place in places[:MOST]:
            rest = _requoted(tail[place + 2 :], quote)
            yield (QUOTE,), f"{quote}{tail[1 : place + 1]}{quote}{rest}"
        return
    if quote in tail:
        yield (QUOTE,), quote + tail
    known = "|".join(re.escape(key) for key in keys if key)
    found = re.search(rf",\s*(?:{known})\s*:", tail) if known else None
    if found:
        yield (QUOTE,), f"{quote}{tail[: found.start()]}{quote}{tail[found.start() :]}"
    elif len(closers) == 1 and tail.rstrip().endswith(closers):
        end = len(tail.rstrip()) - 1
        yield (QUOTE,), f"{quote}{tail[:end]}{quote}{tail[end:]}"


def _requoted(text: str, quote: str) -> str:
    # Later values between the same odd quotes.
    for opener, closer in ODD_QUOTES.items():
        inner = f"[^{re.escape(opener)}{re.escape(closer)}]*"
        pattern = rf"([:,\[]\s*){re.escape(opener)}({inner}){re.escape(closer)}(?=\s*(?:[,}}\])]|\Z))"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text
