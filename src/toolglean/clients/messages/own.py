# The server's blocks that are neither text nor reasoning: its calls, and what only it knows (searches, results,
# reasoning that it has encrypted). Does not depend on what becomes of text.
#
#   the text has given no call of that name     its events are sent as they come
#   the text has given one                      they wait until the block is over: if both are the same call, none of
#                                               them is sent, otherwise all are
"""The blocks of the Messages API that a server has parsed itself."""

from __future__ import annotations

from toolglean.clients.messages.blocks import Blocks, Event
from toolglean.clients.turn.duplicates import SentCall
from toolglean.clients.turn.text import TurnText
from toolglean.conversation.fields import arguments_of, field

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
        self._turn, self._blocks = turn, blocks
        self._is_call = field(self._block, "type") == "tool_use"
        self._pieces: list[str] = []  # of the arguments
        self._looked = 0  # how many of them were looked at
        self._held: list[Event] | None = None
        self._sent: SentCall | None = None

    def begin(self) -> list[Event]:
        """The events with which it begins."""
        if self._is_call:
            name = field(self._block, "name")
            if self._turn.duplicates.was_written(name) is None:
                self._held = []
                return []
            self._turn.take()
            self._sent = self._turn.duplicates.add_parsed(name)
        return self._start()

    def read(self, event: Event) -> list[Event]:
        """The events that an event of this block becomes."""
        piece = field(event.get("delta"), "partial_json")
        if isinstance(piece, str):
            self._pieces.append(piece)
        if self._held is not None:
            self._held.append(event)
            return []
        return [self._blocks.moved(event)]

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
        call = {"name": field(self._block, "name"), "arguments": self._arguments() if self._is_call else None}
        if self._held is not None:
            if self._turn.duplicates.was_call_written(call):
                return []
            self._turn.take()
            self._turn.duplicates.add_parsed_call(call)
            return [*self.release(), *self._blocks.stop(event)]
        if self._sent is not None:
            self._sent.arguments, unread = arguments_of(call["arguments"])
            if unread:
                self._turn.duplicates.drop(self._sent)
            if unread and not event:
                self._blocks.leave_open()
        return self._blocks.stop(event)

    def release(self) -> list[Event]:
        """The connection broke: what was held back. The block does not end, because nobody knows what was to come."""
        if self._sent is not None:
            self._turn.duplicates.drop(self._sent)
        held, self._held = self._held, None
        return [] if held is None else [*self._start(), *map(self._blocks.moved, held)]

    def _start(self) -> list[Event]:
        return self._blocks.start(self, self._block, self._event)

    def _arguments(self) -> object:
        # Some servers write them into the event that begins the block.
        return "".join(self._pieces) or field(self._block, "input")
