# How Go escapes text: quoted strings, single characters, HTML, JavaScript, URLs. Does not depend on formats and
# templates.
"""Escaping as Go does."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from toolglean.sources.templates.golang.values import bytes_of

__all__ = ["character", "html", "javascript", "quoted", "url_query"]

_SIMPLE = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}
_HTML = {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SCRIPT = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
_REPLACEMENT = 0xFFFD


def quoted(text: str, flags: str = "") -> str:
    """`%q` of a string: in double quotes; with `#` in backticks, if they can contain it; with `+` in ASCII."""
    if "#" in flags and not re.search("[\x00-\x08\x0a-\x1f\x7f`\ufeff\ud800-\udfff]", text):
        return f"`{text}`"
    return '"' + "".join(_escaped(char, '"', flags) for char in text) + '"'


def character(point: int, letter: str, flags: str = "") -> str:
    """An integer as `%c`, `%q` or `%U`: a character by its code point."""
    if letter == "U":
        shown = f"U+{point & 0xFFFF_FFFF_FFFF_FFFF:04X}"
        return f"{shown} '{chr(point)}'" if "#" in flags and _is_point(point) and chr(point).isprintable() else shown
    char = chr(point if _is_point(point) else _REPLACEMENT)
    return char if letter == "c" else f"'{_escaped(char, chr(39), flags)}'"


def html(text: str) -> str:
    """Text escaped for HTML."""
    return re.sub("[\0\"'&<>]", lambda found: _HTML[found[0]], text)


def javascript(text: str) -> str:
    """Text escaped for a JavaScript string."""
    return re.sub(r"[\\'\"<>&=\x00-\x1f\x80-\U0010ffff]", lambda found: _in_script(found[0]), text)


def url_query(text: str) -> str:
    """Text escaped for the query of a URL."""
    return quote_plus(bytes_of(text))


def _is_point(point: int) -> bool:
    return 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def _in_script(char: str) -> str:
    if char in _SCRIPT:
        return _SCRIPT[char]
    return char if char >= "\x80" and char.isprintable() else f"\\u{ord(char):04X}"


def _escaped(char: str, quote: str, flags: str) -> str:
    point = ord(char)
    if char in _SIMPLE or char == quote:
        return _SIMPLE.get(char, "\\" + char)
    if 0xDC80 <= point <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{point - 0xDC00:02x}"
    if char.isprintable() and (char.isascii() or "+" not in flags):
        return char
    if point < 0x20 or point == 0x7F:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
