# What this file knows: how one turn of a model, streamed over OpenAI's chat API, becomes text, reasoning, calls and
# results, and which messages of the history it becomes.
# Does not depend on the provider, on how the stream was requested, or on which tools exist.
#
# A stream is read in this order: calls that the server has parsed (`delta.tool_calls`), which are joined from their
# fragments and run when the stream ends; calls in the text (XML, JSON and every format of the library), which
# toolglean's parser finds across chunks, and which run as soon as each is complete; and text.
#
# Calls in the server's own reasoning field are drafts (reasoning_field.py): they are run if the turn ends with them.
#
# A call that arrives both ways, parsed and in the text, is run once. After the server has begun to send calls of a
# tool, a call of this tool in the text waits for the end of the stream, where the server's calls come first.
#
# Every call has an id that is unique in the conversation: the server's, the model's, or, if that is missing or already
# used, one that continues the numbering of the history. What is not complete is reported and never run: arguments that
# are not a JSON object; whatever had begun when the connection broke; a last call without arguments when the server
# stopped because of the length.
"""One turn: from a stream to its parts, and from the parts to messages of the history."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from toolglean.conversation.calls import ToolResultContent, ToolUseContent
from toolglean.conversation.deltas import ToolCallAggregator
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
from toolglean.conversation.openai import CUT_OFF, OpenAIChunkWrapper
from toolglean.conversation.reading.reasoning_field import ReasoningField, Said, reader_of_reasoning
from toolglean.conversation.routing import McpIntegration
from toolglean.conversation.runner import error_text
from toolglean.events import CallEnd, Content, Event, Problem, Reasoning
from toolglean.options import changed, options_of
from toolglean.parser import Parser, ParserArguments
from toolglean.scan.nested import json_text

__all__ = ["Turn", "TurnTools", "messages_of_turn"]


class TurnTools(Protocol):
    """What runs the calls of a turn."""

    mcp: McpIntegration

    async def process_tool_use(self, content: Any) -> Any:
        """Run a request."""


class Turn:
    """Reads one stream.

    Args:
        tools: run the calls.
        extract: returns the fragments of calls in a delta.
        parsing: arguments of `toolglean.Parser`.
        history: the conversation before this turn.
    """

    def __init__(
        self,
        tools: TurnTools,
        extract: Callable[[Any], list[Any]],
        parsing: ParserArguments,
        history: History,
    ) -> None:
        before = [call.id or "" for message in history.conversation for call in message.calls]
        chosen = options_of(parsing.get("options"))
        self._prefix = _id_prefix(before, chosen.id_prefix or "call_")
        self._tools = tools
        self._extract = extract
        given: ParserArguments = {**parsing, "options": changed(chosen, id_prefix=self._prefix)}
        self._parser = Parser(tools.mcp.tools or None, **given)
        self._reasoning: ReasoningField | None = None  # until the server sends some
        self._new_field = reader_of_reasoning(tools.mcp.tools or None, given)
        self._options = chosen
        self._calls = ToolCallAggregator()
        self._finish_reason = ""
        self._ended = 0  # calls in the text: new ids continue after theirs
        self._taken = set(before)  # ids
        self._ran: list[ContentPartToolCall] = []  # calls in the text that were run
        self._waiting: list[ContentPartToolCall] = []  # calls in the text, while the server calls the same tool

    async def read(self, chunk: Any) -> AsyncIterator[dict[str, Any]]:
        """The parts that the chunk completes; calls in the text are run."""
        wrapper = OpenAIChunkWrapper(chunk)
        delta, text = wrapper.delta, wrapper.get_text()
        fragments = self._extract(delta)
        thought = self._think(wrapper.get_reasoning())
        if self._reasoning is not None and (text or fragments):
            thought += self._reasoning.drop()
        async for part in self._of_thought(thought):
            yield part
        self._calls.add(fragments)
        async for part in self._of_events(self._parser.feed(text)):
            yield part
        refusal = field(delta, "refusal")
        if refusal and isinstance(refusal, str):
            yield {"type": "text", "text": refusal}
        usage = field(chunk, "usage")
        if usage is not None:
            yield {"type": "usage", "usage": usage}
        self._finish_reason = wrapper.finish_reason or self._finish_reason

    async def rest(self, *, broken: bool = False) -> AsyncIterator[dict[str, Any]]:
        """The stream has ended: what the parsers held back.

        Args:
            broken: whether the connection broke.
        """
        if self._reasoning is not None:
            cut = broken or not self._finish_reason or self._finish_reason in CUT_OFF
            async for part in self._of_thought(self._reasoning.drop() if cut else self._reasoning.finish()):
                yield part
        async for part in self._of_events(self._parser.finish()):
            yield part

    async def structured(self) -> AsyncIterator[dict[str, Any]]:
        """Run the calls that the server has parsed, then those in the text that waited for them."""
        calls = self._calls.finish()
        for call in calls:
            _remove_same(self._waiting, call)
            if call is calls[-1] and self._finish_reason in CUT_OFF and not (call.arguments or call.unread):
                yield _problem("incomplete", self._identified(call))
            elif not _remove_same(self._ran, call):
                async for part in self._run(call):
                    yield part
        for call in self._waiting:
            async for part in self._run(call):
                yield part

    def broken(self) -> list[dict[str, Any]]:
        """The stream broke: the calls that were not run, as problems, because none of them is known to be complete."""
        return [_problem("incomplete", self._identified(call)) for call in self._calls.finish() + self._waiting]

    def _think(self, text: str) -> list[Said]:
        if not text or self._new_field is None:
            return [text] if text else []
        self._reasoning = self._reasoning or self._new_field(self._takes)
        return self._reasoning.feed(text)

    def _takes(self, event: CallEnd) -> bool:
        wanted = event.call.known is not False or self._options.unknown_tools != "content"
        return event.call.status == "ok" and wanted

    async def _of_thought(self, said: Iterable[Said]) -> AsyncIterator[dict[str, Any]]:
        for each in said:
            async for part in self._of_events([Reasoning(each, 0) if isinstance(each, str) else each]):
                yield part

    def _identified(self, call: ContentPartToolCall) -> ContentPartToolCall:
        # With an id that no other call of the conversation has.
        made = (f"{self._prefix}{number}" for number in itertools.count(self._ended))
        free = next(each for each in itertools.chain([call.id], made) if each and each not in self._taken)
        self._taken.add(free)
        return replace(call, id=free)

    async def _of_events(self, events: Iterable[Event]) -> AsyncIterator[dict[str, Any]]:
        for event in events:
            self._ended += type(event) is CallEnd
            if type(event) is CallEnd and event.call.status == "ok":
                call = ContentPartToolCall.of(event.call)
                if call.name in self._calls.names:
                    self._waiting.append(call)
                    continue
                self._ran.append(call)
                async for part in self._run(call):
                    yield part
            elif found := _plain(event):
                yield found

    async def _run(self, call: ContentPartToolCall) -> AsyncIterator[dict[str, Any]]:
        call = self._identified(call)
        if call.unread or not call.name:
            yield _problem("malformed", call)
        if not call.name:  # such a call cannot be written in a history
            return
        request = ToolUseContent.of(call)
        if call.unread:  # it is not run: its result says why
            result: Any = await self._tools.mcp.system.execute_tool_from_neutral_format(request)
        else:
            yield request.to_dict()
            result = await _processed(self._tools.process_tool_use, request)
        content = result.to_dict() if isinstance(result, ToolResultContent) else result
        yield {"type": "tool_result", "id": request.id, "content": content}


async def _processed(process: Callable[[Any], Awaitable[Any]], request: ToolUseContent) -> Any:
    try:
        return await process(request)
    except Exception as error:  # noqa: BLE001  # a subclass may route requests in its own way
        return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {error_text(error)}")


def _id_prefix(taken: list[str], base: str) -> str:
    """A beginning for the ids of this turn that no id in the history begins with."""
    prefixes = (f"{base}{number}_" for number in itertools.count(len(taken)))
    return base if not taken else next(each for each in prefixes if not any(name.startswith(each) for name in taken))


def _remove_same(calls: list[ContentPartToolCall], call: ContentPartToolCall) -> bool:
    # Only one of them: two identical calls are two calls.
    same = next((each for each in calls if (each.name, each.arguments) == (call.name, call.arguments)), None)
    if same is None or call.unread:
        return False
    calls.remove(same)
    return True


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
