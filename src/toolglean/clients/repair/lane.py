# Events that differ from the one before in nothing but their text: most of a stream. Their text is read without the
# rest of their JSON, and given to the parser; if all of it is for the user, their bytes go out as they came.
# Does not depend on what an event means (the readers say where its text is), or on how parts are divided (answers.py).
#
#   an event between two others that say the same       b'data: {"delta":{"content":' b'"hey"' b'}}\n\n'
#                                                        head                         literal  tail
"""Events that differ from the one before in nothing but their text."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import Any

from toolglean.clients.turn.plain import Plain
from toolglean.clients.turn.text import TurnText
from toolglean.events import Event

__all__ = ["Lane", "lane_of", "nothing_plain"]

_value = JSONDecoder().raw_decode


class Lane:
    """The events that are like one event.

    Args:
        head, tail: the bytes before and after the literal of the text.
        turn: reads the texts.

    Attributes:
        turn: the same.
        held: the events whose text is held back, in whole or in part: their bytes, and what the parser made of them.
    """

    def __init__(self, head: bytes, tail: bytes, turn: TurnText) -> None:
        self._head, self._tail = head, tail
        self._sizes = len(head), len(tail)
        self.turn = turn
        self.held: list[tuple[bytes, list[Event]]] = []

    def text(self, block: bytes) -> str | None:
        """The text of an event, if it is like the others; None for any other event."""
        if not (block.startswith(self._head) and block.endswith(self._tail)):
            return None
        begin, end = self._sizes
        literal = block[begin : len(block) - end]
        try:
            text, size = _value(written := literal.decode())
        except (UnicodeDecodeError, ValueError, RecursionError):
            return None
        return text if size == len(written) and isinstance(text, str) else None


def lane_of(block: bytes, plain: Plain) -> Lane | None:
    """The lane of the events that are like this one; None if it is not certain where its text is."""
    keys = list(re.finditer(rb'"%b"\s*:\s*(?=")' % re.escape(plain.name.encode()), block))
    if len(keys) != 1:
        return None
    begin = keys[0].end()
    try:
        text, size = _value(written := block[begin:].decode())
    except (UnicodeDecodeError, ValueError, RecursionError):
        return None
    tail = block[begin + len(written[:size].encode()) :]
    return Lane(block[:begin], tail, plain.turn) if text == plain.text and tail.endswith(b"\n") else None


def nothing_plain(item: Any) -> Plain | None:
    """For readers that have no such events."""
    del item
    return None
