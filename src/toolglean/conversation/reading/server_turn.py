# One turn of a server that may send calls parsed or in the text, as one sequence of events: the calls are numbered in
# the order in which they begin, and each has an id. A call that arrives both ways is one call (duplicates.py).
# Does not depend on any client's objects, or on how calls are written.
"""A turn whose calls come from the server and from the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation.fields import arguments_of
from toolglean.conversation.reading.arguments import text_for
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Reasoning, Status, ToolCall
from toolglean.scan.nested import json_text
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ServerTurn"]


class ServerTurn:
    """Reads one turn.

    Args:
        tools: as for `toolglean.Parser`.
        parsing: as for `text_for`; None: text is only text, and calls are those that the server has parsed.

    Attributes:
        written: reads its text.
        id_prefix: as of `TurnText`.
        parsed: the indexes of the calls that the server has parsed.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None, parsing: Mapping[str, Any] | None) -> None:
        self.parsed: set[int] = set()
        known = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
        self._tools = known or None
        self._reads = parsing is not None
        self.written = text_for(known, parsing or {})
        self.id_prefix = self.written.id_prefix
        self._held: list[tuple[Any, Any, Any]] = []  # calls of the server that may be the one in the text

    def text(self, text: str) -> list[Event]:
        """Events of a piece of text."""
        if not (text and self._reads):
            return [Content(text, 0)] if text else []
        before = self.written.stop_thinking() if self.written.thinks else []
        events = before + self.written.feed(text)
        return events + self._released() if self._held else events

    def thought(self, text: str) -> list[Event]:
        """Events of a piece of reasoning that the server has parsed."""
        if not (text and self._reads):
            return [Reasoning(text, 0)] if text else []
        return self.written.think(text)

    def call(self, name: Any, arguments: Any, id: Any = None) -> list[Event]:  # noqa: A002  # the wire's own word
        """Events of a call that the server has parsed: its start, its arguments in one piece, its end.

        A call without a name, or whose arguments are not an object, is malformed. A call that was already found in the
        text has no events.
        """
        before = self.written.stop_thinking()
        found, unread = arguments_of(arguments)
        same = False if unread else self.written.duplicates.was_written(name, found)
        if same is None:  # the text is writing a call of that name
            self._held.append((name, arguments, id))
        if same is not False:
            return before
        name = name if isinstance(name, str) else ""
        if not unread:
            self.written.duplicates.add_parsed(name, found)
        start = self.begun(name, id)
        end = self.ended(start, name, found, unread)
        return [*before, start, CallDelta(start.index, end.call.arguments_text, self.place), end]

    def _released(self) -> list[Event]:
        held, self._held = self._held, []
        return [event for each in held for event in self.call(*each)]

    def begun(self, name: str, id: Any) -> CallStart:  # noqa: A002
        """The beginning of a call that the server has parsed, with the next index; and an id, if it has none."""
        index = self.written.next_index()
        self.parsed.add(index)
        own = self.written.parsed_id(id if id and isinstance(id, str) else f"{self.id_prefix}{index}", index)
        return CallStart(index, own, name, self._known(name), self.place)

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
        place, text = (self.place, self.place), unread or _text_of(arguments)
        call = ToolCall(start.id or "", start.index, name, self._known(name), arguments, text, place, status)
        return CallEnd(start.index, call, self.place)

    def _known(self, name: str) -> bool | None:
        return None if self._tools is None else name in self._tools

    @property
    def place(self) -> int:
        """How much text was read, in characters."""
        return self.written.seen

    def finish(self, *, cut: bool = False) -> list[Event]:
        """The turn is over.

        Args:
            cut: whether it was cut off: then the calls at the end of the server's own reasoning field may be drafts.
        """
        return self.written.end_thinking(cut=cut) + self.written.finish() + self._released()


def _text_of(arguments: dict[str, Any]) -> str:
    try:
        return json_text(arguments, default=str)
    except ValueError:  # NaN: a server's own parser may accept what is not JSON
        return json.dumps(arguments, ensure_ascii=False, default=str)
