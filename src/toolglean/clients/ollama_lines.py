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

from toolglean.conversation.fields import field, is_object, listed, text_in
from toolglean.conversation.reading.arguments import text_for
from toolglean.conversation.reading.text import Tools, is_all
from toolglean.events import Event, Output, Reasoning, ToolCall, fold

__all__ = ["CUT_OFF", "WHOLE", "LineReader", "dict_answer"]

MESSAGE_FIELDS = frozenset({"role", "content", "thinking"})
"""What is read or what every message has; one with other fields is not held back."""
CUT_OFF = "length"
"""The reason of a turn that was cut off."""
WHOLE: Mapping[str, Any] = {"drop_duplicates": True}
"""How the text of an answer that was not streamed is read: it comes before the calls."""
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
        if field(line, "done") is True:
            return self._end(line, message)
        self._last = line
        thoughts, events, *same = self._heard(message)
        return [line] if all(same) else self._repaired(line, thoughts + events)

    def whole(self, answer: Any) -> Any:
        """What an answer that was not streamed becomes: often itself."""
        message = field(answer, "message")
        if not (text_in(message, "thinking") or text_in(message, "content")):
            return answer
        answer = self._counted(answer, message)
        thoughts, events, *same = self._heard(message, answer)
        return answer if all(same) else self._changed(answer, fold(thoughts + events))

    def finish(self) -> list[Any]:
        """The stream is over: what was held back, if there was no last line."""
        if self._over or self._last is None:
            return []
        self._over = True
        thoughts = self._turn.end_thinking(cut=True)
        return self._repaired(self.like(self._last), thoughts + self._turn.finish())

    def _end(self, line: Any, message: Any) -> list[Any]:
        self._over = True
        thoughts, events, same, as_text = self._heard(message, line)  # some servers put text into it
        if same and as_text:
            return [line]
        before = self._repaired(self.like(line), events if same else thoughts + events)
        own = field(line, "message")
        last = self.line_with(line, "", field(own, "thinking") if same else None, field(own, "tool_calls"))
        return [*before, last if text_in(message, "content") or not same else line]

    def _heard(self, message: Any, last: Any = None) -> tuple[list[Event], list[Event], bool, bool]:
        """What the reasoning and the text of a message become, and whether each is the same as before.

        Args:
            message: the message.
            last: the line that ends the answer, if it is this message's.
        """
        thinking, text = text_in(message, "thinking"), text_in(message, "content")
        cut = None if last is None else field(last, "done_reason") == CUT_OFF
        thoughts, events = self._turn.heard(thinking, text, goes_on=bool(listed(message, "tool_calls")), cut=cut)
        return thoughts, events, is_all(thoughts, thinking, Reasoning), is_all(events, text)

    def _counted(self, line: Any, message: Any) -> Any:
        # The line, without the calls of the server that were already found in the text.
        calls = listed(message, "tool_calls")
        if not calls:
            return line
        kept = [self._named(call) for call in calls if self._turn.take_whole(field(call, "function"))]
        if len(kept) == len(calls) and all(new is old for new, old in zip(kept, calls, strict=True)):
            return line
        return self.line_with(line, field(message, "content"), field(message, "thinking"), kept or None)

    def _named(self, call: Any) -> Any:
        # The call, with another id if a call in the text has its own.
        own = field(call, "id")
        new = self._turn.parsed_id(own, self._next)
        self._next += 1
        return call if new == own else self.call_with(call, new)

    def _repaired(self, line: Any, events: list[Event]) -> list[Any]:
        found = fold(events)
        said = found.content or found.reasoning or found.calls
        return [self._changed(line, found)] if said or self.says_more(line) else []

    def _changed(self, line: Any, found: Output) -> Any:
        leaked = [self.call(call, self._next + place) for place, call in enumerate(found.calls)]
        self._next += len(leaked)
        calls = [*leaked, *listed(field(line, "message"), "tool_calls")]
        return self.line_with(line, found.content, found.reasoning or None, calls or None)

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

    def call_with(self, call: Any, id: str) -> Any:  # noqa: A002  # the wire's own word
        """A call of the server with that id."""
        return {**call, "id": id}


def dict_answer(answer: dict[str, Any], tools: Tools = None, **parsing: Any) -> Any:
    """What an answer that was not streamed becomes: often itself. `tools`, `parsing`: as for `LineReader`."""
    return LineReader(tools, {**parsing, **WHOLE}).whole(answer)
