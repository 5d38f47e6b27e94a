# One literal at a place in a text: an object, a list, a string, a number or a constant, as JSON, JavaScript or Python
# write them. Does not depend on calls.
#
# The three agree about nearly everything; where they do not, the text is refused, because nothing shows which one is
# meant. So an escape that is not the same in all three is refused, and so are names as values. A tuple is a list. A key
# may be a bare name or a quoted string, and is followed by `:` or `=`. A comma may follow the last item.
"""Literals in JSON, JavaScript or Python."""

from __future__ import annotations

import re
from typing import Any

from toolglean.scan.scanner import MAX_DIGITS, is_finite

__all__ = ["keywords_at", "literal_at", "skip_space", "string_at"]

MAX_DEPTH = 24

_space = re.compile(r"[ \t\r\n]*").match
_word = re.compile(r"[^\W\d][\w-]*").match
_symbol = re.compile(r":([^\W\d]\w*)[ \t]*=>\s*").match
_lua_sign = re.compile(r"\][ \t]*=\s*(?!=)").match
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?(?![\w.])").match
_plain = {quote: re.compile(rf"[^\\{quote}]*").match for quote in "\"'`"}
_hex = {size: re.compile(rf"[0-9a-fA-F]{{{size}}}").match for size in (2, 4)}
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "/": "/", "\n": ""}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}

Found = tuple[int, Any] | None
"""The position after a literal, and its value; None if there is none."""


def skip_space(text: str, pos: int) -> int:
    """The position of the next character that is not white space."""
    return _space(text, pos).end()  # type: ignore[union-attr]  # it matches the empty string


def literal_at(text: str, pos: int, depth: int = MAX_DEPTH) -> Found:
    """Read the literal that begins at `pos`."""
    char = text[pos : pos + 1]
    if char in {'"', "'", "`"}:
        return string_at(text, pos)
    if char in {"{", "[", "("}:
        return _container(text, pos, depth) if depth else None
    number = _number(text, pos)
    if number:
        return _number_value(number[0], number.end())
    word = _word(text, pos)
    if word and word[0] in _CONSTANTS:
        return word.end(), _CONSTANTS[word[0]]
    return None


def _number_value(word: str, end: int) -> Found:
    if len(word) > MAX_DIGITS:
        return None
    if word.lstrip("-").isdigit():
        return end, int(word)
    return (end, float(word)) if is_finite(word) else None


def string_at(text: str, pos: int) -> tuple[int, str] | None:
    """Read the string that begins at `pos`, in one quote of any kind, or in three double or single ones."""
    quote = text[pos]
    marker = quote * 3 if text.startswith(quote * 3, pos) and quote != "`" else quote
    pos += len(marker)
    pieces: list[str] = []
    while pos < len(text):
        plain = _plain[quote](text, pos)
        assert plain is not None  # it matches the empty string
        pieces.append(plain[0])
        pos = plain.end()
        if text.startswith(marker, pos):
            found = "".join(pieces)
            return None if quote == "`" and "${" in found else (pos + len(marker), found)
        if text.startswith("\\", pos):
            escape = _escape(text, pos + 1)
            if escape is None:
                return None
            pos, piece = escape
            pieces.append(piece)
        elif pos < len(text):
            pieces.append(quote)
            pos += 1
    return None


def _escape(text: str, pos: int) -> tuple[int, str] | None:
    char = text[pos : pos + 1]
    if char in _ESCAPES and char:
        return pos + 1, _ESCAPES[char]
    digits = _hex[4 if char == "u" else 2](text, pos + 1) if char in {"u", "x"} else None
    if digits is None:
        return None
    code = int(digits[0], 16)
    end = digits.end()
    if 0xD800 <= code < 0xDC00 and text.startswith("\\u", end):
        low = _hex[4](text, end + 2)
        if low and 0xDC00 <= int(low[0], 16) < 0xE000:
            return low.end(), chr(0x10000 + ((code - 0xD800) << 10) + int(low[0], 16) - 0xDC00)
    return (end, chr(code)) if not 0xD800 <= code < 0xE000 else None


def _container(text: str, pos: int, depth: int) -> Found:
    closer = _CLOSERS[text[pos]]
    if closer == "}":
        return keywords_at(text, pos, depth)
    if closer == "]" and (found := keywords_at(text, pos, depth, signs=("=>",))) is not None and found[1]:
        return found  # PHP
    items: list[Any] = []
    pos = skip_space(text, pos + 1)
    while not text.startswith(closer, pos):
        item = literal_at(text, pos, depth - 1)
        if item is None:
            return None
        items.append(item[1])
        pos = skip_space(text, item[0])
        if text.startswith(",", pos):
            pos = skip_space(text, pos + 1)
        elif not text.startswith(closer, pos) or (closer == ")" and len(items) == 1):
            return None  # a value in parentheses is not a tuple
    return pos + 1, items


SIGNS = ("=>", ":", "=")


def keywords_at(
    text: str, pos: int, depth: int = MAX_DEPTH, signs: tuple[str, ...] = SIGNS
) -> tuple[int, dict[str, Any]] | None:
    """Read the object, or the keyword arguments in parentheses, whose bracket is at `pos`.

    A key that is there twice is refused.
    """
    closer = _CLOSERS[text[pos]]
    found: dict[str, Any] = {}
    pos = skip_space(text, pos + 1)
    while not text.startswith(closer, pos):
        key = _key(text, pos, signs)
        if key is None or key[1] in found:
            return None
        value = literal_at(text, key[0], depth - 1)
        if value is None:
            return None
        found[key[1]] = value[1]
        pos = skip_space(text, value[0])
        if text.startswith(",", pos):
            pos = skip_space(text, pos + 1)
        elif not text.startswith(closer, pos):
            return None
    return pos + 1, found


def _key(text: str, pos: int, signs: tuple[str, ...]) -> tuple[int, str] | None:
    # A key and what separates it from its value. Ruby writes `:key =>`, Lua `["key"] =`.
    if text.startswith("[", pos):
        inner = string_at(text, pos + 1) if text[pos + 1 : pos + 2] in {'"', "'"} else None
        close = _lua_sign(text, inner[0]) if inner is not None else None
        return (close.end(), inner[1]) if inner is not None and close else None
    symbol = _symbol(text, pos)
    if symbol:
        return symbol.end(), symbol[1]
    if text[pos : pos + 1] in {'"', "'"}:
        quoted = string_at(text, pos)
        if quoted is None:
            return None
        end, key = quoted
    else:
        word = _word(text, pos)
        if not word:
            return None
        end, key = word.end(), word[0]
    end = skip_space(text, end)
    for sign in signs:
        if text.startswith(sign, end):
            return skip_space(text, end + len(sign)), key
    return None
