# What a turn of a model, streamed over OpenAI's chat API, becomes: text, reasoning, calls and results; and which
# messages of the history these become.
# Does not depend on the provider, on how the stream was requested, on how calls are found (reading/), or on which tools
# exist.
#
# A call in the text runs as soon as it is complete; one that the server has parsed, when the stream has ended, and then
# those in the text of the same tool that came after it had begun. A call that arrives both ways is run once. Calls in
# the server's own reasoning field are drafts: they run if the turn ends with them.
#
# Every call has an id that is unique in the conversation: the server's, the model's, or, if that is missing or already
# used, one that continues the numbering of the history. What is not complete is reported and never run: arguments that
# are not a JSON object; whatever had begun when the connection broke; a last call without arguments when the server
# stopped because of the length.
"""One turn: from a stream to its parts, and from the parts to messages of the history."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any

from toolglean.conversation.calls import ToolResultContent, ToolUseContent
from toolglean.conversation.fields import field
from toolglean.conversation.messages import (
    ContentPart,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)
from toolglean.conversation.reading.chat_events import ChatEvents
from toolglean.conversation.routing import McpIntegration, failed
from toolglean.events import CallEnd, Content, Event, Problem, Reasoning, ToolCall
from toolglean.options import changed, options_of
from toolglean.parser import ParserArguments
from toolglean.scan.nested import json_text

__all__ = ["Turn", "messages_of_turn"]


class Turn:
    """Reads one stream.

    Args:
        mcp: the tools.
        run: runs a request for one of them, by a route of the caller's own.
        extract: returns the fragments of calls in a delta.
        parsing: arguments of `toolglean.Parser`.
        history: the conversation before this turn.
    """

    def __init__(
        self,
        mcp: McpIntegration,
        run: Callable[[Any], Awaitable[Any]],
        extract: Callable[[Any], list[Any]],
        parsing: ParserArguments,
        history: History,
    ) -> None:
        before = [call.id or "" for message in history.conversation for call in message.calls]
        chosen = options_of(parsing.get("options"))
        self._prefix = _id_prefix(before, chosen.id_prefix or "call_")
        options = changed(chosen, id_prefix=self._prefix, unknown_tools=chosen.unknown_tools or "call")
        self._mcp, self._run_tool = mcp, run
        self._extract = extract
        given = {**parsing, "options": options, "drop_duplicates": True}
        self._events = ChatEvents(mcp.tools or None, given)
        self._taken = set(before)  # ids
        self._parsed: list[ToolCall] = []  # calls that the server has parsed, and then
        self._waiting: list[ToolCall] = []  # those in the text of the same tools: they run when the stream has ended

    async def read(self, chunk: Any) -> AsyncIterator[dict[str, Any]]:
        """The parts that the chunk completes; calls are run."""
        async for part in self._of_events(self._events.read(chunk, self._extract)):
            yield part
        if (usage := field(chunk, "usage")) is not None:
            yield {"type": "usage", "usage": usage}

    async def rest(self, *, broken: bool = False) -> AsyncIterator[dict[str, Any]]:
        """The stream has ended: what was held back.

        Args:
            broken: whether the connection broke. Then no call is run, because none of them is known to be complete.
        """
        async for part in self._of_events(self._events.finish(ended=not broken), broken=broken):
            yield part
        for call in [*self._parsed, *self._waiting]:
            if broken or call.status == "incomplete":
                yield _problem("incomplete", self._identified(call))
                continue
            async for part in self._run(self._identified(call)):
                yield part

    async def _of_events(self, events: Iterable[Event], *, broken: bool = False) -> AsyncIterator[dict[str, Any]]:
        for event in events:
            if type(event) is CallEnd and event.index in self._events.turn.parsed:
                self._parsed.append(event.call)
            elif type(event) is not CallEnd or event.call.status != "ok":
                if found := _plain(event):
                    yield found
            elif broken or event.call.name in self._events.names:
                self._waiting.append(event.call)
            else:
                async for part in self._run(self._identified(event.call)):
                    yield part

    def _identified(self, call: ToolCall) -> ContentPartToolCall:
        # With an id that no other call of the conversation has.
        made = (f"{self._prefix}{number}" for number in itertools.count(call.index))
        free = next(each for each in itertools.chain([call.id], made) if each not in self._taken)
        self._taken.add(free)
        arguments, unread = (call.arguments, "") if call.status == "ok" else ({}, call.arguments_text)
        return ContentPartToolCall(call.name, arguments, free, unread)

    async def _run(self, call: ContentPartToolCall) -> AsyncIterator[dict[str, Any]]:
        if call.unread:
            yield _problem("malformed", call)
        if not call.name:  # such a call cannot be written in a history
            return
        request = ToolUseContent.of(call)
        if call.unread:  # it is not run: its result says why
            result: Any = await self._mcp.system.execute_tool_from_neutral_format(request)
        else:
            yield request.to_dict()
            try:
                result = await self._run_tool(request)
            except Exception as error:  # noqa: BLE001  # a subclass may route requests in its own way
                result = failed(request, error)
        content = result.to_dict() if isinstance(result, ToolResultContent) else result
        yield {"type": "tool_result", "id": request.id, "content": content}


def _id_prefix(taken: list[str], base: str) -> str:
    """A beginning for the ids of this turn that no id in the history begins with."""
    prefixes = (f"{base}{number}_" for number in itertools.count(len(taken)))
    return base if not taken else next(each for each in prefixes if not any(name.startswith(each) for name in taken))


def _problem(status: str, call: ContentPartToolCall) -> dict[str, Any]:
    text = call.unread or json_text(call.arguments, default=str)
    reason = f"{status} call of {call.name!r}"
    return {"type": "problem", "reason": reason, "text": text, "id": call.id, "name": call.name}


def _plain(event: Event) -> dict[str, Any] | None:
    if type(event) is Content:
        return {"type": "text", "text": event.text}
    if type(event) is Reasoning:
        return {"type": "reasoning", "text": event.text}
    if type(event) is Problem:
        return {"type": "problem", "reason": event.reason, "text": event.text}
    if type(event) is CallEnd:
        reason = f"{event.call.status} call of {event.call.name!r}"
        return {"type": "problem", "reason": reason, "text": event.call.arguments_text}
    return None


# -- from parts to messages --------------------------------------------------------------------------------------------

_CALLS = frozenset({"tool_use", "problem"})


def messages_of_turn(parts: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages of one turn, to be appended to the history before the next one.

    Args:
        parts: what `BaseProvider.create_message` yielded, in order.

    Returns:
        The model's message (adjacent pieces of text and of reasoning joined, and its calls), then the tool message with
        all results. A message that would be empty is left out. A call whose arguments could not be read has them in
        `unread`, if it has a result. Other problems, and usage, are left out.
    """
    given = list(parts)
    answered = {part["id"] for part in given if part["type"] == "tool_result"}
    names: dict[str, str] = {}
    parts_of_model: list[ContentPart] = []
    results: list[ContentPart] = []
    for kind, run in itertools.groupby(given, key=lambda part: part["type"]):
        own = [part for part in run if kind != "problem" or part.get("id") in answered]
        names |= {part["id"]: part["name"] for part in own if kind in _CALLS}
        parts_of_model += _model_parts(kind, own)
        results += [_result(part, names) for part in own if kind == "tool_result"]
    found = [Message(Role.MODEL, parts_of_model)] if parts_of_model else []
    return [*found, Message(Role.TOOL, results)] if results else found


def _model_parts(kind: str, parts: list[Mapping[str, Any]]) -> list[ContentPart]:
    if kind == "text":
        return [ContentPartText("".join(part["text"] for part in parts))]
    if kind == "reasoning":
        return [ContentPartReasoning("".join(part["text"] for part in parts))]
    if kind == "tool_use":
        return [ContentPartToolCall(part["name"], dict(part["input"]), part["id"] or None) for part in parts]
    if kind == "problem":
        return [ContentPartToolCall(part["name"], {}, part["id"], part["text"]) for part in parts]
    return []


def _result(part: Mapping[str, Any], names: Mapping[str, str]) -> ContentPart:
    content = part["content"]
    value = ToolResultContent.from_dict(content).value if isinstance(content, Mapping) else content
    return ContentPartToolResult(names.get(part["id"], ""), value, part["id"] or None)
