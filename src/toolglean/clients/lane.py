# Events that differ from the one before in nothing but their text: most of a stream. Their text is read without the
# rest of their JSON, and given to the parser; if all of it is for the user, their bytes go out as they came.
# Does not depend on what an event means (the readers say where its text is), or on how parts are divided (parts.py).
#
#   an event between two others that say the same       b'data: {"delta":{"content":' b'"hey"' b'}}\n\n'
#                                                        head                         literal  tail
#
# An event may also be counted, in a field behind its text: then the number is left out of the tail.
#
# After a repair, an event becomes what those before it have become: nothing, if all of its text is held back; itself;
# or an event with another number, the index of another block, or another piece of text, which is written with a head
# and a tail of its own (`moved`).
"""Events that differ from the one before in nothing but their text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # it has no stub
from typing import NamedTuple, TypeAlias

from toolglean.conversation.reading.text import TurnText
from toolglean.events import Content, Event

__all__ = ["Held", "Lane", "Plain", "Sent", "lane_of"]

DIGITS = b"0123456789"
MOST_DIGITS = 18
NOTHING, SAME, OTHER = "nothing", "the same text", "another text"
"""What remains of an event after a repair."""


Sent: TypeAlias = Callable[[str, int | None], int | None]


class Plain(NamedTuple):
    """An item that is nothing but a piece of text.

    Attributes:
        name: of the field with the text.
        text: the piece.
        turn: reads it. For another item that differs in nothing but the text, this is all that must be done.
        number: the name of a field that counts the items; "" if there is none.
        sent: called for such an item once it is sent, with its text, and with its number if it keeps that. Returns the
            number that it has; None if it has none.
    """

    name: str
    text: str
    turn: TurnText
    number: str = ""
    sent: Sent | None = None


class Held(NamedTuple):
    """An event whose text is held back, in whole or in part.

    Attributes:
        block: its bytes.
        events: what the parser made of its text.
        text, number: of the event.
    """

    block: bytes
    events: list[Event]
    text: str
    number: int | None


class Lane:
    """The events that are like one event.

    Args:
        head: the bytes before the literal of the text.
        tails: those after it, divided at the number, which is left out; one piece, if there is no number.
        plain: what is plain of that event.

    Attributes:
        plain: the same.
        turn, sent: as in `Plain`.
        number: that of the event whose text was read last; None if there is none.
        held: the events that wait.
        leads: after a repair, what has remained of such events; None: nothing was repaired.
        moved: the lane of what they have become.
        kept: whether one with all of its text has changed in nothing but its number.
    """

    def __init__(self, head: bytes, tails: list[bytes], plain: Plain) -> None:
        self._head, self._tail = head, tails[-1]
        self._before = tails[0] if len(tails) > 1 else None  # what stands between text and number
        self._sizes = len(head), len(self._tail)
        self.plain, self.turn, self.sent = plain, plain.turn, plain.sent
        self.number: int | None = None
        self.held: list[Held] = []
        self.leads: set[str] | None = None
        self.moved: Lane | None = None
        self.kept = False

    def written(self, text: str, events: list[Event], block: bytes) -> bytes | None:
        """What an event becomes after a repair, if as much remains of it as of one before; else None.

        Args:
            text: its text.
            events: what the parser made of that.
            block: its bytes.
        """
        said = "".join([event.text for event in events if type(event) is Content])
        remains = SAME if said == text else OTHER if said else NOTHING
        if len(events) != bool(said) or self.leads is None or remains not in self.leads:
            return None
        kept = self.kept and remains == SAME
        if not said or (kept and self.sent is None):
            return block if said else b""
        try:
            literal = json.dumps(said, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # it must be written as escapes
            return None
        number = None if self.sent is None else self.sent(said, None)
        if kept and number == self.number:
            return block
        moved = self.moved or self
        counted = b"" if number is None or moved._before is None else b"%b%d" % (moved._before, number)
        return b"".join((moved._head, literal, counted, moved._tail))

    def text(self, block: bytes) -> str | None:
        """The text of an event, if it is like the others; None for any other event, also for one without text, of which
        readers make nothing.
        """
        if not (block.startswith(self._head) and block.endswith(self._tail)):
            return None
        begin, end = self._sizes
        literal = block[begin:-end]
        if self._before is not None:
            counted = self._numbered(literal, self._before)
            if counted is None:
                return None
            literal = counted
        try:
            text, size = scanstring(written := literal.decode(), 1)
        except ValueError:  # also if it is not UTF-8
            return None
        return text if text and size == len(written) and written[0] == '"' else None

    def _numbered(self, rest: bytes, before: bytes) -> bytes | None:
        counted = rest.rstrip(DIGITS)
        digits = rest[len(counted) :]
        if not digits or len(digits) > MOST_DIGITS or digits[:1] == b"0" != digits or not counted.endswith(before):
            return None
        self.number = int(digits)
        return counted[: len(counted) - len(before)]


def lane_of(block: bytes, plain: Plain) -> Lane | None:
    """The lane of the events that are like this one; None if it is not certain where its text is."""
    begin = _place_of(plain.name, rb'(?=")', block)
    if begin is None:
        return None
    try:
        text, size = scanstring(written := block[begin:].decode(), 1)
    except ValueError:
        return None
    tail = block[begin + len(written[:size].encode()) :]
    tails = _divided(tail, plain.number, block) if plain.number else [tail]
    if text != plain.text or tails is None or not tail.endswith(b"\n"):
        return None
    return Lane(block[:begin], tails, plain)


def _place_of(name: str, value: bytes, block: bytes) -> int | None:
    # Where the value of that field begins, if there is only one such field.
    found = list(re.finditer(rb'"%b"\s*:\s*%b' % (re.escape(name.encode()), value), block))
    return found[0].end() if len(found) == 1 else None


def _divided(tail: bytes, number: str, block: bytes) -> list[bytes] | None:
    place = _place_of(number, rb"(?=\d)", tail)
    if place is None or block.count(number.encode()) != 1:
        return None
    digits = len(tail[place:]) - len(tail[place:].lstrip(DIGITS))
    return [tail[:place], tail[place + digits :]]
