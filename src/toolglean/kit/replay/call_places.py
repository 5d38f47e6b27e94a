# Finds, in the text of a call, its name and the pieces of its arguments. Does not depend on any format.
#
# The events give the name and the values of a call, but not their places. So they are searched for: the name as a whole
# word, then each key and value of the arguments, in order. What is not found stays markup, which only makes the picture
# coarser. If the arguments appear in the call literally, one search is enough; otherwise each key and value is searched
# for in the WINDOW characters after the one before it, so that the time stays linear.
"""Where the name and the arguments of a call are."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from toolglean.events import ToolCall

__all__ = ["CallPlaces", "find_places"]

WINDOW = 512
NEAR = 4  # a piece this short occurs everywhere: inside a string it must follow at once
TRIES = 8  # places that are tried for one piece before it is given up

_outside = re.compile(r'[^\s{}\[\],:"]+|[{}\[\],:"]')
_inside = re.compile(r'[^"\\]+|\\u[0-9a-fA-F]{4}|\\.|["\\]', re.DOTALL)
_quotes = re.compile(r"""["'\s\\]*""").match
_joint = re.compile(r"""[\s{}\[\],:"'\\=]*""").fullmatch
_is_key = re.compile(r"""["']\s*:|\s*=""").match
_SIGNS = frozenset('{}[],:"')
_IN_PYTHON = {"true": "True", "false": "False", "null": "None"}


class Piece(NamedTuple):
    """A piece of the arguments that was found: its place in `arguments_text`, its place in the turn, its length."""

    offset: int
    start: int
    length: int


class Word(NamedTuple):
    """A piece of the arguments to search for.

    Attributes:
        offset: its place in `arguments_text`.
        texts: how it may be written in the turn.
        sign: whether it is a bracket, a comma, a colon or a quote.
        begins, ends: whether it is the beginning, or the end, of a key or a value.
    """

    offset: int
    texts: tuple[str, ...]
    sign: bool = False
    begins: bool = False
    ends: bool = False


class CallPlaces:
    """Where the name and the arguments of one call are in the turn.

    Attributes:
        name: (start, end) of the name; None if it was not found.
        runs: (start, end) of each stretch of arguments, in order.
    """

    def __init__(self, call: ToolCall, name: tuple[int, int] | None, pieces: list[Piece], text: str) -> None:
        self.name = name
        self._pieces = pieces
        self._first = call.span[0] if name is None else name[1]
        self.runs = _runs(pieces, text)

    def reached(self, chars: int) -> int:
        """The place up to which the turn has been given out, once so many characters of the arguments have been."""
        found = bisect_left(self._pieces, chars, key=lambda piece: piece.offset) - 1
        if found < 0:
            return self._first
        piece = self._pieces[found]
        return max(self._first, piece.start + min(piece.length, chars - piece.offset))


def find_places(call: ToolCall, text: str, hint: int | None) -> CallPlaces:
    """Search for the name and the arguments of a call.

    Args:
        call: the call.
        text: the whole turn.
        hint: the place of its first `CallDelta`; None if it has none.
    """
    start, end = call.span
    written = call.arguments_text
    if hint is None or not start <= hint <= end:
        return CallPlaces(call, _name(call, text, start, end), [], text)
    hint = _quotes(text, hint, end).end()  # type: ignore[union-attr]  # of arguments that are written as a string
    exact = _begins_alike(written, text, hint, end)
    if text.startswith(written, hint):
        pieces = [Piece(0, hint, len(written))]
    else:
        name = _name(call, text, start, hint)
        pieces = list(_pieces(written, text, hint if exact or name is None else name[1], end, exact=exact))
    after = pieces[-1].start + pieces[-1].length if pieces else hint
    first = min(hint, pieces[0].start) if pieces else hint
    return CallPlaces(call, _name(call, text, start, first) or _name(call, text, after, end), pieces, text)


def _begins_alike(written: str, text: str, hint: int, end: int) -> bool:
    """Whether the arguments begin there with their bracket and their first key, unlike a value with a bracket."""
    words = list(islice(_words(written), 3))
    if len(words) < 3 or not text.startswith(written[0], hint):
        return False
    found = _find(words[2], text, hint + 1, end)
    return found is not None and _joint(text, hint, found[0]) is not None


def _name(call: ToolCall, text: str, start: int, end: int) -> tuple[int, int] | None:
    found = re.compile(rf"(?<!\w){re.escape(call.name)}(?!\w)").search
    match = found(text, start, end) if call.name else None
    first = match
    for _ in range(TRIES):
        if match is None or not _is_key(text, match.end()):
            break
        match = found(text, match.end(), end)
    match = match or first
    return None if match is None else match.span()


def _pieces(written: str, text: str, cursor: int, end: int, *, exact: bool) -> Iterator[Piece]:
    """The pieces of the arguments, each searched for after the one before it; with `exact`, brackets and quotes too."""
    for word in _words(written):
        if not word.sign:
            found = _find(word, text, cursor, end)
        else:
            found = _find_sign(word.texts[0], text, cursor, end) if exact else None
        if found is not None:
            yield Piece(word.offset, *found)
            cursor = sum(found)


def _words(written: str) -> Iterator[Word]:
    at, inside, begins = 0, False, False
    while match := (_inside if inside else _outside).search(written, at):
        at, found = match.end(), match.group()
        if found == '"' or (not inside and found in _SIGNS):
            inside ^= found == '"'
            begins = inside
            yield Word(match.start(), (found,), sign=True)
        elif not inside:
            yield Word(match.start(), (found, _IN_PYTHON.get(found, found)), begins=True, ends=True)
        else:
            texts = (_unescaped(found), found)
            yield Word(match.start(), texts, begins=begins, ends=written.startswith('"', at))
            begins = False


def _unescaped(found: str) -> str:
    try:
        return str(json.loads(f'"{found}"')) if found[0] == "\\" else found
    except ValueError:  # the end of arguments that were cut off
        return found


def _find_sign(sign: str, text: str, i: int, end: int) -> tuple[int, int] | None:
    while i < end and (text[i].isspace() or text[i] == "\\"):
        i += 1
    same = i < end and (text[i] == sign or (sign == '"' and text[i] == "'"))
    return (i, 1) if same else None


def _find(word: Word, text: str, cursor: int, end: int) -> tuple[int, int] | None:
    """Place and length of a piece; None if it is not near."""
    for wanted in dict.fromkeys(word.texts):
        near = NEAR if len(wanted) < NEAR and not word.begins else WINDOW
        place, last = cursor, min(end, cursor + near + len(wanted))
        for _ in range(TRIES):
            place = text.find(wanted, place, last)
            if place < 0:
                break
            if _is_whole(word, text, place, place + len(wanted)):
                return place, len(wanted)
            place += 1
    return None


def _is_whole(word: Word, text: str, start: int, end: int) -> bool:
    def joined(i: int) -> bool:
        return 0 < i < len(text) and _is_word(text[i - 1]) and _is_word(text[i])

    return not (word.begins and joined(start)) and not (word.ends and joined(end))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _runs(pieces: list[Piece], text: str) -> list[tuple[int, int]]:
    """The stretches of arguments: pieces with nothing between them but what joins keys and values."""
    runs: list[tuple[int, int]] = []
    for piece in pieces:
        if runs and _joint(text, runs[-1][1], piece.start):
            runs[-1] = runs[-1][0], piece.start + piece.length
        else:
            runs.append((piece.start, piece.start + piece.length))
    return runs
