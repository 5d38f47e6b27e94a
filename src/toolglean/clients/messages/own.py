# The server's blocks that are neither text nor reasoning: its calls, and what only it knows (searches, results,
# reasoning that it has encrypted). Does not depend on what becomes of text, or on when a call is sent
# (conversation/reading/parsed.py).
"""The blocks of the Messages API that a server has parsed itself."""

from __future__ import annotations

from toolglean.clients.messages.blocks import Blocks, Event
from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.fields import arguments_of, field
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import TurnText

__all__ = ["OwnBlock"]


class OwnBlock:
    """One such block, as far as it has arrived.

    Args:
        event: with which it begins.
        turn: the text of the message.
        blocks: numbers it.
    """

    def __init__(self, event: Event, turn: TurnText, blocks: Blocks) -> None:
        self.place = event.get("index")
        self._event = event
        self._block = event.get("content_block")
        self._blocks = blocks
        self._call = ParsedCall(turn) if field(self._block, "type") == "tool_use" else None
        self._name = field(self._block, "name")
        self._pieces: list[str] = []  # of the arguments
        self._looked = 0  # how many of them were looked at

    def begin(self) -> list[Event]:
        """The events with which it begins."""
        found = self._sent(self._event)
        return found if self._call is None else found + self._moved(self._call.decide(self._name))

    def read(self, event: Event) -> list[Event]:
        """The events that an event of this block becomes."""
        piece = field(event.get("delta"), "partial_json")
        if isinstance(piece, str):
            self._pieces.append(piece)
        return self._sent(event)

    def is_whole(self) -> bool:
        """Whether nothing can follow but its end: its arguments have come, and are an object."""
        if self._looked == len(self._pieces):
            return False
        self._looked = len(self._pieces)
        text = "".join(self._pieces)
        return bool(text.strip()) and not arguments_of(text)[1]

    def end(self, event: Event | None = None) -> list[Event]:
        """The events with which it ends.

        Args:
            event: the server's; None: it has sent none. Then a call that is not complete does not end either.
        """
        call = self._call
        if call is not None:
            # Some servers write them into the event that begins the block.
            arguments = read_arguments("".join(self._pieces) or field(self._block, "input"))
            found = self._moved(call.decide(self._name, arguments, over=True))
            call.note(arguments, over=True)
            if call.dropped:
                return []
            if arguments is None and not event and not found:
                self._blocks.leave_open()
            return [*found, *self._blocks.stop(event)]
        return self._blocks.stop(event)

    def release(self) -> list[Event]:
        """The connection broke: what was held back. The block does not end, because nobody knows what was to come."""
        return [] if self._call is None else self._moved(self._call.release())

    def _sent(self, event: Event) -> list[Event]:
        return self._moved([event] if self._call is None else self._call.add(event))

    def _moved(self, events: list[Event]) -> list[Event]:
        found: list[Event] = []
        for event in events:
            begins = event is self._event
            found += self._blocks.start(self, self._block, event) if begins else [self._blocks.moved(event)]
        return found
