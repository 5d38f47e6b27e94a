# What Go's literals mean. Does not depend on where they appear. A wrong one raises a ValueError with the reason; the
# parser adds the place.
"""Values of the string, character and number literals of Go."""

from __future__ import annotations

import math
import re

__all__ = ["character", "cut", "number", "string"]

_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_BYTE = r"\\x[0-9a-fA-F]{2}|\\[0-7]{3}"
_OCTAL = "01234567"
_BYTES = re.compile(_BYTE)
# Consecutive bytes are read together, because they may be the UTF-8 of one character.
_ESCAPE = re.compile(rf"(?:{_BYTE})+|\\u[0-9a-fA-F]{{4}}|\\U[0-9a-fA-F]{{8}}|\\.", re.DOTALL)

_INTEGER = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*|[1-9](?:_?[0-9])*)",
)
_DIGITS = r"[0-9](?:_?[0-9])*"
_HEX_DIGITS = r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_DECIMAL = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
_HEXADECIMAL = rf"0[xX](?:_?{_HEX_DIGITS}(?:\.(?:{_HEX_DIGITS})?)?|\.{_HEX_DIGITS})[pP][+-]?{_DIGITS}"
_REAL = rf"(?:{_HEXADECIMAL}|{_DECIMAL})"
_FLOAT = re.compile(rf"([+-]?{_REAL})")
_COMPLEX = re.compile(rf"(?:([+-]?{_REAL})(?=[+-]))?([+-]?{_REAL})i")  # a sign separates the halves

_LARGEST = 2**64 - 1  # in Go, an integer must fit an int64 or a uint64
_SMALLEST = -(2**63)


def string(text: str) -> str:
    """The value of a string literal, given with its quotes or backticks.

    Raises:
        ValueError: an escape is not one of Go's.
    """
    body = text[1:-1]
    if text[0] == "`":
        return body.replace("\r", "")  # in Go, carriage returns are not part of a raw string
    return _ESCAPE.sub(lambda match: _unescaped(match.group(), '"'), body)


def character(text: str) -> int:
    """The code point of a character constant, given with its quotes.

    Raises:
        ValueError: not exactly one character, or an escape that is not one of Go's.
    """
    body = text[1:-1]
    if _BYTES.fullmatch(body):
        return _byte(body)  # a code point, not a byte of UTF-8
    value = _unescaped(body, "'") if _ESCAPE.fullmatch(body) else body
    if len(value) != 1 or _BYTES.match(body):
        raise ValueError(f"malformed character constant: {cut(text)}")
    return ord(value)


def number(text: str) -> int | float | complex:
    """The value of a number: integers in all bases, floats (hexadecimal ones too), imaginary and complex numbers.

    Raises:
        ValueError: it is not a number in Go, or does not fit 64 bits.
    """
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if match := _COMPLEX.fullmatch(text):
        real, imaginary = match.groups(default="0")
        return complex(_float(real), _float(imaginary))
    if _FLOAT.fullmatch(text) and set(text) & set(".eEpP"):  # 089 is neither octal nor, without a point, a float
        return _float(text)
    raise ValueError(f"illegal number syntax: {cut(text)}")


def _integer(text: str) -> int:
    digits = text.replace("_", "").lower()
    sign, digits = (-1, digits[1:]) if digits[0] == "-" else (1, digits.lstrip("+"))
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2], 8 if digits[0] == "0" else 10)
    # Python refuses decimal numbers of thousands of digits; more than twenty digits never fit anyway.
    value = sign * int(digits, base) if base != 10 or len(digits) <= 20 else _LARGEST + 1
    if not _SMALLEST <= value <= _LARGEST:
        raise ValueError(f"integer overflow: {cut(text)}")
    return value


def _float(text: str) -> float:
    plain = text.replace("_", "")
    try:
        value = float.fromhex(plain) if "x" in plain.lower() else float(plain)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"number overflow: {cut(text)}")
    return value


def _unescaped(escape: str, quote: str) -> str:
    code = escape[1:]
    if len(code) == 1:
        value = quote if code == quote else _SIMPLE.get(code, "")
    elif code[0] in "uU":
        point = int(code[1:], 16)
        value = chr(point) if point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF else ""
    else:  # anything that is not UTF-8 becomes U+FFFD
        value = bytes(_byte(each) for each in _BYTES.findall(escape)).decode("utf-8", "replace")
    if not value:
        raise ValueError(f"unknown escape: {cut(escape)}")
    return value


def _byte(escape: str) -> int:
    value = int(escape[1:], 8) if escape[1] in _OCTAL else ord(bytes.fromhex(escape[2:]))
    if value > 255:
        raise ValueError(f"escape does not fit a byte: {escape}")
    return value


def cut(text: str, limit: int = 40) -> str:
    """A text for a message: its beginning, if it is long."""
    return text if len(text) <= limit else text[:limit] + "…"
