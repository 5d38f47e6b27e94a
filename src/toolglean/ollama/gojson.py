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

from toolglean.scan.json import JsonScanner
from toolglean.scan.nested import decoded_deep, without_halves
from toolglean.scan.scanner import CLOSE, is_json_number

__all__ = ["MAX_DEPTH", "decode_object"]

MAX_DEPTH: Final = 10_000
"""The deepest nesting of objects and arrays: Go's limit."""
SHALLOW: Final = 200
"""Up to this depth, the C decoder does not run out of stack, wherever it is called from."""
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
"""A string, or all that follows if it has no end: to look for one from each later quote would take quadratic time."""
ALL_BUT_BRACKETS = re.compile(rf'{STRING}|[^"\[\]{{}}]++', re.DOTALL)
STEP = {"{": 1, "[": 1, "}": -1, "]": -1}
WHITE = " \t\n\r"
TOKEN = re.compile(rf"{STRING}|-?[0-9][-+.eE0-9]*+", re.DOTALL)
"""A string, or what begins like a number."""


def decode_object(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Decode a text that should be one JSON object, with or without white space around it.

    Returns:
        (the object, True), (None, True) for `null`, which Go stores in a map without complaint, or (None, False).
    """
    text = without_halves(text)
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
    except RecursionError:  # also if the caller is near the limit itself
        return _decode_deep(text)


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
    # Without Python's stack: our scanner says whether it is one container, and Go's floats are all its numbers.
    text = TOKEN.sub(_as_float, text.strip(WHITE))
    scanner = JsonScanner(MAX_DEPTH)
    if scanner.skim(text, 0, 0) < len(text) or scanner.token is not CLOSE or scanner.fixes:
        raise ValueError("not one container of JSON")
    return decoded_deep(text, dict)


def _as_float(found: re.Match[str]) -> str:
    token = found[0]
    if token[0] == '"':
        return token
    if not is_json_number(token):
        raise ValueError(token)
    return repr(_number(token))
