# One turn of a server that may send calls parsed or in the text, as one sequence of events: the calls are numbered in
# the order in which they begin, and each has an id. A call that arrives both ways is one call (duplicates.py).
# Does not depend on any client's objects, or on how calls are written.
"""A turn whose calls come from the server and from the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation.fields import arguments_of
from toolglean.conversation.reading.arguments import text_for, with_own_ids
from toolglean.conversation.reading.duplicates import DuplicateFilter
from toolglean.conversation.reading.numbering import shifted
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Status, ToolCall
from toolglean.scan.nested import json_text
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ServerTurn"]


class ServerTurn:
    """Reads one turn.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None, parsing: Mapping[str, Any]) -> None:
        chosen = with_own_ids(parsing.get("options"))
        self.id_prefix = chosen.id_prefix or ""
        known = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
        self._tools = known or None
        self._turn = text_for(known, {**parsing, "options": chosen, "whole_calls": False})
        self._held: list[tuple[Any, Any, Any]] = []  # calls of the server that may be the one in the text
        self._chars = 0  # of the text read so far: the position of what the server has parsed
        self._next = 0
        self._shift = 0  # from the parser's index to ours, for the call that is open

    def text(self, text: str) -> list[Event]:
        """Events of a piece of text."""
        before = self.stop_thinking() if self._turn.thinks else []
        self._chars += len(text)
        events = before + self._turn.feed(text) if before else self._turn.feed(text)
        if self._held:
            return self._numbered(events) + self._released()
        return events if not self._next and len(events) == 1 and type(events[0]) is Content else self._numbered(events)

    def thought(self, text: str) -> list[Event]:
        """Events of a piece of reasoning that the server has parsed."""
        return self._numbered(self._turn.think(text)) if text else []

    def stop_thinking(self) -> list[Event]:
        """Text follows, or a call that the server has parsed: the reasoning that was held back."""
        return self._numbered(self._turn.stop_thinking())

    def call(self, name: Any, arguments: Any, id: Any = None) -> list[Event]:  # noqa: A002  # the wire's own word
        """Events of a call that the server has parsed: its start, its arguments in one piece, its end.

        A call without a name, or whose arguments are not an object, is malformed. A call that was already found in the
        text has no events.
        """
        before = self.stop_thinking()
        found, unread = arguments_of(arguments)
        same = False if unread else self.duplicates.was_written(name, found)
        if same is None:  # the text is writing a call of that name
            self._held.append((name, arguments, id))
        return before if same or same is None else before + self._parsed(name, arguments, id)

    @property
    def duplicates(self) -> DuplicateFilter:
        """The calls of the turn that have arrived from one source only so far."""
        return self._turn.duplicates

    def parsed_call(self) -> ParsedCall:
        """A call that the server begins to send, piece by piece."""
        return ParsedCall(self._turn)

    def settle(self) -> list[Event]:
        """The server has sent more of its calls: the events of those in the text that no longer wait for them."""
        return self._numbered(self._turn.settle())

    def _released(self) -> list[Event]:
        held, self._held = self._held, []
        return [event for each in held for event in self.call(*each)]

    def _parsed(self, name: Any, arguments: Any, id: Any) -> list[Event]:  # noqa: A002
        name = name if isinstance(name, str) else ""
        found, unread = arguments_of(arguments)
        if not unread:
            self.duplicates.add_parsed(name, found)
        start = self.begun(name, id)
        end = self.ended(start, name, found, unread)
        return [start, CallDelta(start.index, end.call.arguments_text, self._chars), end]

    def begun(self, name: str, id: Any) -> CallStart:  # noqa: A002
        """The beginning of a call that the server has parsed, with the next index; and an id, if it has none."""
        index = self._next
        self._next += 1
        own = id if id and isinstance(id, str) else f"{self.id_prefix}{index}"
        return CallStart(index, own, name, self._known(name), self._chars)

    def ended(
        self, start: CallStart, name: str, arguments: dict[str, Any], unread: str, *, cut: bool = False
    ) -> CallEnd:
        """Its end.

        Args:
            start: its beginning.
            name: the tool; more of the name may have come since then.
            arguments, unread: as `arguments_of` returns them.
            cut: whether the turn was cut off in it.
        """
        status: Status = "ok"
        if unread or not name or (cut and not arguments):
            status = "incomplete" if cut and name else "malformed"
        place, text = (self._chars, self._chars), unread or _text_of(arguments)
        call = ToolCall(start.id or "", start.index, name, self._known(name), arguments, text, place, status)
        return CallEnd(start.index, call, self._chars)

    def _known(self, name: str) -> bool | None:
        return None if self._tools is None else name in self._tools

    @property
    def place(self) -> int:
        """How much text was read, in characters."""
        return self._chars

    def finish(self, *, cut: bool = False) -> list[Event]:
        """The turn is over.

        Args:
            cut: whether it was cut off: then the calls at the end of the server's own reasoning field may be drafts.
        """
        thought = self._turn.end_thinking(cut=cut)
        return self._numbered(thought) + self._numbered(self._turn.finish()) + self._released()

    def _numbered(self, events: list[Event]) -> list[Event]:
        return [self._with_index(event) for event in events]

    def _with_index(self, event: Event) -> Event:
        if type(event) is CallStart:
            self._shift = self._next - event.index
            self._next += 1
        if not isinstance(event, CallStart | CallDelta | CallEnd):
            return event
        return shifted(event, self._shift, self.id_prefix)


def _text_of(arguments: dict[str, Any]) -> str:
    try:
        return json_text(arguments, default=str)
    except ValueError:  # NaN: a server's own parser may accept what is not JSON
        return json.dumps(arguments, ensure_ascii=False, default=str)
