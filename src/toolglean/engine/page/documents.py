# JSON documents in text, as far as it matters where their strings are. Does not depend on what else the text contains,
# or on what a document means.
#
# A document is JSON as long as a strict reader accepts it. One that begins inside another one is read as a part of
# it: if the outer one turns out not to be JSON, the inner one may be it still. So a document is the stack of its
# containers, and each of them is a document of its own.
"""Documents of JSON."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolglean.engine.page.table import MOST_DEEP, MOST_SCALAR

__all__ = ["AFTER", "SMALL", "Document", "begun", "is_in_string", "is_small", "may_follow", "read_on", "without_outer"]

# States, named for what must come.
VALUE, FIRST, KEY, FIRST_KEY, COLON, NEXT = range(6)
IN_KEY, IN_STRING = 6, 7

_space = re.compile(r"[ \t\r\n]*").match
_body = re.compile(r'[^"\\\r\n]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\r\n]*)*').match
_escape_begun = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?").fullmatch
_scalar = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null").match
_scalar_begun = re.compile(
    r"-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?"
).fullmatch


class Document(NamedTuple):
    """A document that is open. Never changed.

    Attributes:
        start: its place.
        stack: its open containers, by what closes them.
        outer: how many containers around these turned out not to be JSON.
        state: what must come.
        since: the place of the string that is open.
        part: the beginning of an escape or a number, which is not complete.
        shown: the place up to which its strings are something else.
    """

    start: int
    stack: str
    outer: int
    state: int
    since: int
    part: str
    shown: int

    @property
    def depth(self) -> int:
        """How many containers are open, with those that are none."""
        return self.outer + len(self.stack)


def begun(start: int, bracket: str) -> Document:
    """The document that begins with that bracket."""
    return Document(start, _CLOSER[bracket], 0, _FIRST[bracket], 0, "", 0)


def may_follow(bracket: str, char: str) -> bool:
    """Whether a document may go on with that character after its first bracket."""
    return char != "" and char in AFTER[bracket]


SMALL = {"[": r"(?:0|[1-9]\d{0,3})?\]", "{": r"\}"}
"""Expressions for the rest of a document of a number, or of nothing, after its bracket."""
AFTER = {"[": ' \t\r\n"{[]-0123456789tfn', "{": ' \t\r\n"}'}
"""What may follow a document's first bracket."""
is_small = re.compile("|".join(re.escape(each) + rest for each, rest in SMALL.items())).match
"""Matches such a document."""


def is_in_string(document: Document) -> bool:
    """Whether what comes next is in a string."""
    return document.state >= IN_KEY


def without_outer(document: Document, count: int) -> Document:
    """The same without that many of its outer containers, which are no documents."""
    return document._replace(stack=document.stack[count:], outer=document.outer + count)


def read_on(  # noqa: C901, PLR0915  # it is the hot loop
    document: Document, text: str, i: int, end: int, base: int, levels: frozenset[int] | tuple[int, ...]
) -> tuple[Document | None, int, list[tuple[int, int]], int]:
    """Read on from `i` to `end`.

    Args:
        document: the document.
        text: the text; `base` is its place.
        i, end: the part to read.
        base: see `text`.
        levels: the depths at which a container is looked at when it is closed.

    Returns:
        The document, None if it is over; the place in the text that was reached; the places of the strings that ended,
        or broke off, from their beginning to their end; and the depth of the container that was closed, if it is one of
        `levels`: else 0.
    """
    start, stack, outer, state, since, part, shown = document
    strings: list[tuple[int, int]] = []
    while i < end:
        if state >= IN_KEY:
            if part:
                i, part, bad = _escape(text, i, part)
                if bad:
                    strings.append((since, base + i - bad))
                    return None, i, strings, 0
                continue
            i = _body(text, i, end).end()  # type: ignore[union-attr]
            if i == end:
                break
            char = text[i]
            if char == '"':
                i += 1
                strings.append((since, base + i))
                state = COLON if state == IN_KEY else NEXT
            elif char == "\\":
                part = "\\"
                i += 1
            else:
                strings.append((since, base + i))
                return None, i, strings, 0
            continue
        if part:
            i, part, bad = _number(text, i, end, part)
            if bad:
                return None, i, strings, 0
            state = state if part else NEXT
            continue
        char = text[i]
        if char in " \t\r\n":
            i = _space(text, i, end).end()  # type: ignore[union-attr]
        elif char == '"' and state <= FIRST_KEY:
            state, since = IN_STRING if state <= FIRST else IN_KEY, base + i
            i += 1
        elif char == stack[-1] and state in _MAY_END:
            depth = outer + len(stack)
            stack = stack[:-1]
            i, state = i + 1, NEXT
            if not stack or depth in levels:
                over = None if not stack else Document(start, stack, outer, state, since, "", shown)
                return over, i, strings, depth if depth in levels else 0
        elif char in "{[" and state <= FIRST:
            stack += _CLOSER[char]
            state = _FIRST[char]
            i += 1
            if len(stack) > MOST_DEEP:
                stack, outer = stack[1:], outer + 1
        elif char == ":" and state == COLON:
            i, state = i + 1, VALUE
        elif char == "," and state == NEXT:
            i, state = i + 1, KEY if stack[-1] == "}" else VALUE
        elif state <= FIRST and char in "-0123456789tfn":
            part = char
            i += 1
        else:
            return None, i, strings, 0
    return Document(start, stack, outer, state, since, part, shown), i, strings, 0


_CLOSER = {"{": "}", "[": "]"}
_FIRST = {"{": FIRST_KEY, "[": FIRST}
_MAY_END = frozenset({FIRST, FIRST_KEY, NEXT})


def _escape(text: str, i: int, part: str) -> tuple[int, str, int]:
    # Reads on in an escape. Returns the place reached, what is not complete, and how far the escape's beginning is
    # behind that place if it is none.
    part += text[i]
    if _escape_begun(part):
        return i + 1, part, 0
    is_one = part[1] in '"\\/bfnrt' if part[1] != "u" else len(part) == 6 and part[-1] in _HEX
    return (i + 1, "", 0) if is_one else (i, "", len(part) - 1)


_HEX = frozenset("0123456789abcdefABCDEF")


def _number(text: str, i: int, end: int, part: str) -> tuple[int, str, bool]:
    # Reads on in a number or a word. Returns the place reached, what is not complete, and whether it is none.
    piece = text[i : min(end, i + MOST_SCALAR + 1 - len(part))]
    found = _scalar(part + piece)
    size = 0 if found is None else found.end()
    if found is not None and size < len(part) + len(piece) and not _scalar_begun(part + piece):
        return i + size - len(part), "", size > MOST_SCALAR or size < len(part)
    if len(part) + len(piece) > MOST_SCALAR or not _scalar_begun(part + piece):
        return i, "", True
    return i + len(piece), part + piece, False
