# Moves leaked calls from the text of Ollama's chat to where its server puts those that it has parsed, on plain dicts:
# the lines of /api/chat. No package is needed.
# Does not depend on the ollama package's objects (ollama/chunks.py), or on how calls are written.
#
# A line of plain text is passed through unchanged. Ollama's wire format has only whole calls, so a leaked call is
# emitted once it has ended well; the text of one that does not stays content. Text that was held back is emitted before
# the last line.
"""Leaked calls in Ollama's chat, on plain dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglean.clients.turn.text import Tools, is_all, text_for
from toolglean.conversation.fields import field, is_object
from toolglean.events import CallEnd, Content, Event, Reasoning, ToolCall

__all__ = ["LineReader"]

MESSAGE_FIELDS = frozenset({"role", "content"})
"""What every message has; one with other fields is not held back."""
LINE_FIELDS = frozenset({"model", "created_at", "done", "message"})


class LineReader:
    """Reads the lines of one answer.

    Args:
        tools: as for `toolglean.Parser`.
        parsing: as for `toolglean.Parser`, and `single_call` and `counts`, as for `TurnText`.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._turn = text_for(tools, {**parsing, "whole_calls": True})
        self._last: Any = None
        self._over = False
        self._next = 0  # the index of the next call

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it."""
        return self._turn.pristine

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back."""
        return self._turn.waits

    def read(self, line: Any) -> list[Any]:
        """The lines that a line becomes: often itself, or none while its text is held back."""
        message = field(line, "message")
        if self._over:
            return [line]
        if not is_object(message):  # a line that is not part of the answer
            return [*self.finish(), line] if field(line, "done") is True else [line]
        line = self._counted(line, message)
        message = field(line, "message")
        text = field(message, "content")
        if field(line, "done") is True:
            return self._end(line, text)
        self._last = line
        if not isinstance(text, str) or not text:
            return [line]
        events = self._turn.feed(text)
        return [line] if is_all(events, text) else self._repaired(line, events)

    def whole(self, answer: Any) -> Any:
        """What an answer that was not streamed becomes: often itself."""
        message = field(answer, "message")
        text = field(message, "content")
        if not isinstance(text, str) or not text:
            return answer
        answer = self._counted(answer, message)
        events = self._turn.feed(text) + self._turn.finish()
        return answer if is_all(events, text) else self._changed(answer, events)

    def finish(self) -> list[Any]:
        """The stream is over: what was held back, if there was no last line."""
        if self._over or self._last is None:
            return []
        self._over = True
        return self._repaired(self.like(self._last), self._turn.finish())

    def _end(self, line: Any, text: Any) -> list[Any]:
        self._over = True
        said = isinstance(text, str) and bool(text)  # some servers put text into the last line
        events = self._turn.feed(text) if said else []
        rest = self._turn.finish()
        if is_all(events + rest, text if said else ""):
            return [line]
        before = self._repaired(self.like(line), events + rest)
        message = field(line, "message")
        last = self.line_with(line, "", field(message, "thinking"), field(message, "tool_calls"))
        return [*before, last if said else line]

    def _counted(self, line: Any, message: Any) -> Any:
        # The line, without the calls of the server that were already found in the text.
        calls = field(message, "tool_calls")
        if not isinstance(calls, list | tuple) or not calls:
            return line
        kept = [call for call in calls if not self._turn.duplicates.was_call_written(field(call, "function"))]
        for call in kept:
            self._turn.duplicates.add_parsed_call(field(call, "function"))
            self._turn.take()
            self._next += 1
        if len(kept) == len(calls):
            return line
        return self.line_with(line, field(message, "content"), field(message, "thinking"), kept or None)

    def _repaired(self, line: Any, events: list[Event]) -> list[Any]:
        said = any(isinstance(event, Content | Reasoning | CallEnd) for event in events)
        return [self._changed(line, events)] if said or self.says_more(line) else []

    def _changed(self, line: Any, events: list[Event]) -> Any:
        own = field(line, "message")
        thinking, calls = field(own, "thinking"), field(own, "tool_calls")
        thoughts = [thinking] if isinstance(thinking, str) else []
        found = list(calls) if isinstance(calls, list | tuple) else []
        leaked: list[Any] = []
        for event in events:
            if type(event) is Reasoning:
                thoughts.append(event.text)
            elif type(event) is CallEnd:
                leaked.append(self.call(event.call, self._next))
                self._next += 1
        content = "".join(event.text for event in events if type(event) is Content)
        return self.line_with(line, content, "".join(thoughts) or None, [*leaked, *found] or None)

    # -- dicts: a subclass does the same with the package's objects ----------------------------------------------------

    def says_more(self, line: Any) -> bool:
        """Whether a line contains anything besides its text."""
        more = [line[name] for name in line if name not in LINE_FIELDS]
        message = line["message"]
        return any(more) or any(message[name] for name in message if name not in MESSAGE_FIELDS)

    def like(self, line: Any) -> Any:
        """An empty line of the same answer, without the fields that only the last line has."""
        head = {name: line[name] for name in ("model", "created_at") if name in line}
        return {**head, "message": {"role": "assistant", "content": ""}, "done": False}

    def line_with(self, line: Any, content: str, thinking: str | None, calls: list[Any] | None) -> Any:
        """The line with these in its message; None: without that field."""
        rest = {name: value for name, value in line["message"].items() if name not in {"thinking", "tool_calls"}}
        more = {name: value for name, value in (("thinking", thinking), ("tool_calls", calls)) if value is not None}
        return {**line, "message": {**rest, "content": content, **more}}

    def call(self, call: ToolCall, index: int) -> Any:
        """A call, as Ollama writes it."""
        return {"id": call.id, "function": {"index": index, "name": call.name, "arguments": call.arguments}}
