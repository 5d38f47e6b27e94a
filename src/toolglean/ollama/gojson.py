# Which texts Go's `encoding/json` decodes into a `map[string]any`, and to what (rule 12 of `__init__.py`). Does not
# depend on where the text came from, or on what becomes of it.
#
# Python's `json` differs, and is corrected here:
#   NaN, Infinity                 refused
#   numbers                       all become floats; too large for a float is refused, too small becomes 0
#   integers of any length        read like other numbers (Python refuses more than 4,300 digits)
#   half a surrogate pair         becomes U+FFFD, in keys too, before keys are compared
#   nesting                       10,000 levels, however deep Python's own stack may go
#
# The same in both: RFC 8259 to the letter; the last of two equal keys wins.
"""Decodes JSON as Go does."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from typing import Any, Final

__all__ = ["MAX_DEPTH", "decode_object"]

MAX_DEPTH: Final = 10_000
"""The deepest nesting of objects and arrays: Go's limit."""

SHALLOW: Final = 200
"""Up to this depth, the C decoder does not run out of stack, wherever it is called from."""

WHITE = re.compile(r"[ \t\n\r]*+")
# A string without an end extends to the end of the text. Searching for its end again from each escaped quote in it
# would take quadratic time.
ALL_BUT_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^"\[\]{}]++', re.DOTALL)
STEP = {"{": 1, "[": 1, "}": -1, "]": -1}

# A pair or another escape is consumed first, so that the last alternative matches only half pairs.
ESCAPE = re.compile(
    r"(?s:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?!u[dD][89a-fA-F][0-9a-fA-F]{2}).)"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
SURROGATE = re.compile("[\ud800-\udfff]")


def decode_object(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Decode a text that should be one JSON object, with or without white space around it.

    Returns:
        (the object, True), (None, True) for `null`, which Go stores in a map without complaint, or (None, False).
    """
    text = _without_halves(text)
    try:
        value = _decode(text)
    except ValueError:
        return None, False
    if value is None or isinstance(value, dict):
        return value, True
    return None, False


def _decode(text: str) -> Any:
    if text.count("{") + text.count("[") > SHALLOW and _depth(text) > SHALLOW:
        return _decode_deep(text)
    try:
        return DECODER.decode(text)
    except RecursionError:  # the caller is near the limit itself
        return _decode_deep(text)


def _without_halves(text: str) -> str:
    if "\\ud" in text or "\\uD" in text:
        text = ESCAPE.sub(_whole, text)
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def _whole(found: re.Match[str]) -> str:
    return "\\ufffd" if found["half"] else found[0]


def _depth(text: str) -> int:
    # Correct for every text that can be decoded. For others any answer will do, because both decoders refuse them.
    return max(accumulate(map(STEP.__getitem__, ALL_BUT_BRACKETS.sub("", text))), default=0)


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value


def _refused(text: str) -> Any:
    raise ValueError(text)


DECODER = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_refused)


def _decode_deep(text: str) -> Any:
    # The open containers are on a list instead of Python's stack. A key is used before the next one is read.
    root: list[Any] = []
    stack: list[Any] = [root]
    key = ""
    pos = _skip(text, 0)
    while True:
        value, pos, is_open = _value(text, pos)
        if isinstance(stack[-1], dict):
            stack[-1][key] = value
        else:
            stack[-1].append(value)
        if is_open:
            stack.append(value)
            if len(stack) > MAX_DEPTH + 1:
                raise ValueError("nested too deeply")
        else:
            pos = _after_value(text, pos, stack)
            if len(stack) == 1:
                break
        if isinstance(stack[-1], dict):
            key, pos = _key(text, pos)
    if pos != len(text):
        raise ValueError("text after the value")
    return root[0]


def _value(text: str, pos: int) -> tuple[Any, int, bool]:
    """Read a value; of a non-empty container, only its opener. Returns it, the next place, and whether it is open."""
    if text.startswith(("{", "["), pos):
        closer = "}" if text[pos] == "{" else "]"
        value: Any = {} if text[pos] == "{" else []
        pos = _skip(text, pos + 1)
        closed = text.startswith(closer, pos)
        return value, pos + closed, not closed
    value, pos = DECODER.raw_decode(text, pos)
    return value, pos, False


def _after_value(text: str, pos: int, stack: list[Any]) -> int:
    """Close the containers that end here. Returns the place of the next value or key, or of the text after the root."""
    while len(stack) > 1:
        pos = _skip(text, pos)
        if text.startswith(",", pos):
            return _skip(text, pos + 1)
        if not text.startswith("}" if isinstance(stack[-1], dict) else "]", pos):
            raise ValueError("neither a comma nor the end")
        stack.pop()
        pos += 1
    return _skip(text, pos)


def _key(text: str, pos: int) -> tuple[str, int]:
    if not text.startswith('"', pos):
        raise ValueError("not a key")
    key, pos = DECODER.raw_decode(text, pos)
    pos = _skip(text, pos)
    if not text.startswith(":", pos):
        raise ValueError("no colon")
    return key, _skip(text, pos + 1)


def _skip(text: str, pos: int) -> int:
    found = WHITE.match(text, pos)
    return pos if found is None else found.end()
