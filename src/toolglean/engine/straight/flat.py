# Arguments in JSON whose values are not containers, read a chunk at a time by one pattern for each state of the JSON
# scanner; and whole arguments, by the C scanner of the standard library. Both are stricter than the scanner of
# scan/json.py: what they refuse, that one reads.
"""JSON arguments, in few looks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from toolglean.scan.json import COMMA, IN_KEY, IN_STRING, NAMED, OBJECT, START, VALUE
from toolglean.scan.nested import has_halves, unique
from toolglean.scan.scanner import is_finite
from toolglean.scan.text import possessive

__all__ = ["CLOSED", "read_flat", "whole"]

CLOSED = -1
"""The object has closed."""

MAX_NESTING = 64

_BODY = r'[^"\\\x00-\x1f]*+'
_SPACE = r"[ \n\t]*+"
_VALUE = rf'(?:"{_BODY}"|-?(?:0|[1-9]\d{{0,15}})(?:\.\d{{1,15}})?(?=[,}} \n])|true|false|null)'
_PAIR = f'"{_BODY}"{_SPACE}:{_SPACE}{_VALUE}'


class _Pattern:
    """Makes the pattern of one state: its groups are named for the state in which the text ends."""

    def __init__(self) -> None:
        self._groups = 0

    def at(self, state: int) -> str:
        """The text ends in that state."""
        self._groups += 1
        return rf"(?P<s{state}_{self._groups}>\Z)"

    def value(self) -> str:
        """A value has begun, or not even that."""
        return f'(?:{self.at(START)}|"{_BODY}{self.at(IN_STRING)})'

    def after_key(self) -> str:
        """A key is complete."""
        return f"{_SPACE}(?:{self.at(NAMED)}|:{_SPACE}{self.value()})"

    def key(self) -> str:
        """A key has begun, or not even that."""
        return f"(?:{self.at(COMMA)}|{self.in_key()})"

    def in_key(self) -> str:
        """A key has begun."""
        return f'"{_BODY}(?:{self.at(IN_KEY)}|"{self.after_key()})'

    def rest(self) -> str:
        """A value is complete."""
        pairs = possessive(f"{_SPACE},{_SPACE}{_PAIR}")
        return f"{pairs}{_SPACE}(?:(?P<closed>\\}})|{self.at(VALUE)}|,{_SPACE}{self.key()})"

    def of(self, state: int) -> str:
        """The pattern of a text that begins in that state."""
        if state == IN_STRING:
            return f'{_BODY}(?:{self.at(state)}|"{self.rest()})'
        if state == IN_KEY:
            return f'{_BODY}(?:{self.at(state)}|"(?:{_SPACE}:{_SPACE}{_VALUE}{self.rest()}|{self.after_key()}))'
        if state == NAMED:
            return f"{_SPACE}(?::{_SPACE}{_VALUE}{self.rest()}|{self.at(state)}|:{_SPACE}{self.value()})"
        if state == START:
            return f"{_SPACE}(?:{_VALUE}{self.rest()}|{self.value()})"
        if state == VALUE:
            return self.rest()
        if state == COMMA:
            return f"{_SPACE}(?:{_PAIR}{self.rest()}|{self.key()})"
        return f"{_SPACE}(?:{_PAIR}{self.rest()}|(?P<empty>\\}})|{self.at(state)}|{self.in_key()})"


def _reader(state: int) -> tuple[Callable[..., Any], dict[str, int]]:
    pattern = re.compile(_Pattern().of(state))
    ends = {name: CLOSED if name[0] != "s" else int(name[1 : name.index("_")]) for name in pattern.groupindex}
    return pattern.match, ends


_READERS = {state: _reader(state) for state in (START, OBJECT, COMMA, NAMED, VALUE, IN_KEY, IN_STRING)}


def read_flat(state: int, text: str, i: int) -> tuple[int, int] | None:
    """Read on in an object that is not nested.

    Returns:
        The state in which the text ends, and the end; `CLOSED`, and the place after the brace; None if the text needs
        a closer look.
    """
    reader = _READERS.get(state)
    if reader is None:
        return None
    match, ends = reader
    found = match(text, i)
    return None if found is None else (ends[found.lastgroup], found.end())


# -- whole arguments ---------------------------------------------------------------------------------------------------


# What the C scanner accepts, and the scanner of this library reads in another way, is refused.


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _finite(text: str) -> Any:
    return float(text) if is_finite(text) else _refuse(text)


_decoder: Any = json.JSONDecoder(object_pairs_hook=unique, parse_constant=_refuse, parse_float=_finite)
_scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once


def whole(text: str, i: int, nesting: int) -> tuple[dict[str, Any], int] | None:
    """The object that is at `i`, and its end; None if it is not whole, or needs a closer look.

    `nesting`: how many containers it may have.
    """
    try:
        value, end = _scan(text, i)
    except (ValueError, StopIteration, RecursionError):
        return None
    if text.count("{", i, end) + text.count("[", i, end) > nesting or type(value) is not dict:
        return None
    if (not text.isascii() or text.find("\\u", i, end) >= 0) and has_halves(text, i, end):
        return None
    return value, end
