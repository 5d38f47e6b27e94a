# One literal at a place in a text: an object, a list, a string, a number or a constant, as JSON, JavaScript or Python
# write them. Does not depend on calls.
#
# The three agree about nearly everything; where they do not, the text is refused, because nothing shows which one is
# meant. So an escape that is not the same in all three is refused, and so are names as values. A tuple is a list. A key
# may be a bare name or a quoted string, and is followed by `:` or `=`. A comma may follow the last item.
"""Literals in JSON, JavaScript or Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from toolglean.scan.scanner import number_of
from toolglean.scan.text import passing, space

__all__ = ["after_blanks", "after_space", "keywords_at", "literal_at", "plain_string_at", "string_at"]

MAX_DEPTH = 24

_blank = passing(r"[ \t]*")
_word = re.compile(r"[^\W\d][\w-]*").match
_symbol = re.compile(r":([^\W\d]\w*)[ \t]*=>\s*").match
_lua_sign = re.compile(r"\][ \t]*=\s*(?!=)").match
_signs = {signs: re.compile(rf"[ \t\r\n]*(?:{signs})[ \t\r\n]*").match for signs in ("=>|:|=", "=>", "=")}
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?(?![\w.])").match
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
# The two halves of a surrogate pair are one escape, and one half alone is not an escape.
_ESCAPE = (
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    r"|x[0-9a-fA-F]{2}|[ntrbf\\'\"/\n])"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_escapes = re.compile(_ESCAPE)
_strings = {
    mark: re.compile(rf"{mark}([^\\{mark[0]}]*(?:(?:{_ESCAPE}{more})[^\\{mark[0]}]*)*){mark}").match
    for mark, more in (
        *((quote, "") for quote in "\"'`"),
        *((quote * 3, f"|{quote}(?!{quote}{quote})") for quote in "\"'"),
    )
}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
SIGNS = "=>|:|="

Found = tuple[int, Any] | None
"""The position after a literal, and its value; None if there is none."""


def after_space(text: str, pos: int) -> int:
    """The position of the next character that is not white space."""
    return space(text, pos).end()


def after_blanks(text: str, pos: int) -> int:
    """The same, on this line."""
    return _blank(text, pos).end()


def literal_at(text: str, pos: int, depth: int = MAX_DEPTH) -> Found:
    """Read the literal that begins at `pos`."""
    char = text[pos : pos + 1]
    if char in {'"', "'", "`"}:
        return string_at(text, pos)
    if char in {"{", "[", "("}:
        return _container(text, pos, depth) if depth else None
    number = _number(text, pos)
    if number:
        value = number_of(number[0])
        return None if value is None else (number.end(), value)
    word = _word(text, pos)
    if word and word[0] in _CONSTANTS:
        return word.end(), _CONSTANTS[word[0]]
    return None


def string_at(text: str, pos: int) -> tuple[int, str] | None:
    """Read the string that begins at `pos`, in one quote of any kind, or in three double or single ones."""
    quote = text[pos]
    found = _strings[quote * 3 if text.startswith(quote * 3, pos) and quote != "`" else quote](text, pos)
    value = _escapes.sub(_unescaped, found[1]) if found else ""
    return (found.end(), value) if found and not (quote == "`" and "${" in value) else None


def plain_string_at(text: str, pos: int) -> tuple[int, str] | None:
    """The same, without backslashes that would change it: nobody knows whether they are escapes."""
    found = string_at(text, pos)
    raw = text[pos : found[0]] if found is not None else ""
    return None if found is None or ("\\" in raw and found[1] not in raw) else found


def _unescaped(found: re.Match[str]) -> str:
    if found[0][1] in "ux":
        return found[0].encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")
    return _ESCAPES.get(found[0][1], found[0][1])


def _series(text: str, pos: int, item_at: Callable[[int], Found]) -> tuple[int, list[Any], bool] | None:
    # The items between the bracket at `pos` and its closer; whether a comma follows the last one.
    closer, ends = _CLOSERS[text[pos]], False
    found: list[Any] = []
    pos = after_space(text, pos + 1)
    while not text.startswith(closer, pos):
        item = item_at(pos) if ends or not found else None
        if item is None:
            return None
        found.append(item[1])
        pos = after_space(text, item[0])
        ends = text.startswith(",", pos)
        pos = after_space(text, pos + ends)
    return pos + 1, found, ends


def _container(text: str, pos: int, depth: int) -> Found:
    if text[pos] == "{":
        return keywords_at(text, pos, depth)
    if text[pos] == "[" and (pairs := keywords_at(text, pos, depth, "=>")) is not None and pairs[1]:
        return pairs  # PHP
    found = _series(text, pos, lambda at: literal_at(text, at, depth - 1))
    if found is None or (text[pos] == "(" and len(found[1]) == 1 and not found[2]):
        return None  # a value in parentheses is not a tuple
    return found[0], found[1]


_escaped = re.compile(r"\\(.)", re.DOTALL).findall


def _escapes_less(value: str) -> bool:
    # Whether that is a string in single quotes with an escape that is none in PHP and Ruby, which write `=>`.
    return value[0] == "'" and not {"'", "\\"}.issuperset(_escaped(value))


def keywords_at(text: str, pos: int, depth: int = MAX_DEPTH, signs: str = SIGNS) -> tuple[int, dict[str, Any]] | None:
    """Read the object, or the keyword arguments in parentheses, whose bracket is at `pos`.

    A key that is there twice is refused.
    """

    def pair_at(at: int) -> Found:
        key = _key(text, at, signs)
        value = literal_at(text, key[0], depth - 1) if key is not None else None
        if key is None or value is None or ("=>" in text[at : key[0]] and _escapes_less(text[key[0] : value[0]])):
            return None
        return value[0], (key[1], value[1])

    found = _series(text, pos, pair_at)
    values = {} if found is None else dict(found[1])
    return None if found is None or len(values) < len(found[1]) else (found[0], values)


def _key(text: str, pos: int, signs: str) -> tuple[int, str] | None:
    # A key and what separates it from its value. Ruby writes `:key =>`, Lua `["key"] =`.
    symbol = _symbol(text, pos)
    if symbol:
        return symbol.end(), symbol[1]
    is_lua = text.startswith("[", pos)
    if text[pos + is_lua : pos + is_lua + 1] in {'"', "'"}:
        key = string_at(text, pos + is_lua)
    else:
        word = None if is_lua else _word(text, pos)
        key = (word.end(), word[0]) if word else None
    sign = (_lua_sign if is_lua else _signs[signs])(text, key[0]) if key is not None else None
    return (sign.end(), key[1]) if sign and key is not None else None
