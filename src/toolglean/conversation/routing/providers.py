# What this file knows: how a model's stream over OpenAI's chat API becomes text, reasoning and results of tools.
# What it must not know: how the client was made (toolglean.clients.openai makes it), or which tools there are.
#
# What is found in a stream, in this order: calls that the server has parsed (`delta.tool_calls`), joined from their
# fragments and run when the stream ends; calls in the text, which toolglean's parser finds across chunks, XML, JSON and
# every format of the library, run as soon as each is whole; and text.
#
# A call that came both ways, parsed and in the text, is one call: it is run once. Once the server has begun to send
# calls of that name, one in the text waits for the end, where theirs go first.
#
# Every call has an id that is its own in the whole conversation: the server's, the model's, or, where that is missing
# or taken, one that counts on from the calls that the history holds. What is not whole is told and never run: arguments
# that are not a JSON object; what had begun when the connection broke; a last call without arguments when the server
# stopped for length.
"""Providers: a conversation in, a stream of what the model said and what its tools gave."""

from __future__ import annotations

import abc
import contextlib
import inspect
import itertools
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolglean.conversation.messages import (
    ContentPartToolCall,
    History,
    Message,
    NeutralHistoryConverter,
    OpenAIChunkWrapper,
    OpenAIHistoryConverter,
    ToolCallAggregator,
)
from toolglean.conversation.messages.openai import CUT_OFF
from toolglean.conversation.messages.wire import field as field_of
from toolglean.conversation.routing.integration import McpIntegration
from toolglean.conversation.routing.neutral import ToolResultContent, ToolUseContent
from toolglean.conversation.routing.system import said
from toolglean.events import CallEnd, Content, Event, Problem, Reasoning
from toolglean.options import changed, options_of
from toolglean.parser import Parser
from toolglean.scan.nested import json_text

__all__ = ["ApiHandlerOptions", "BaseProvider", "OllamaHandler", "OpenAiHandler"]

OLLAMA_URL = "http://localhost:10000"
OLLAMA_KEY = "ollama"  # its server asks for none, OpenAI's client does


@dataclass(frozen=True, slots=True)
class ApiHandlerOptions:
    """The options of a handler.

    Attributes:
        open_ai_base_url, open_ai_api_key, open_ai_model_id: the server and the model, for `OpenAiHandler`.
        ollama_base_url, ollama_model_id: the same for `OllamaHandler`; the URL is the server's, without `/v1`.
        request: further arguments of `chat.completions.create` (`temperature`, …).
        parser: arguments of `toolglean.Parser` (`format`, `model`, `template`, …); without them, `format="auto"`.
    """

    open_ai_base_url: str | None = None
    open_ai_api_key: str | None = None
    open_ai_model_id: str = ""
    ollama_base_url: str | None = None
    ollama_model_id: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    parser: Mapping[str, Any] = field(default_factory=dict)


class BaseProvider(abc.ABC):
    """What all providers share: the tools, and the way of a request to them.

    Args:
        mcp: the tools; None: only those that `register_tools` adds.
    """

    def __init__(self, mcp: McpIntegration | None = None) -> None:
        self.mcp = McpIntegration() if mcp is None else mcp
        self.register_tools()

    def register_tools(self) -> None:  # noqa: B027  # most have none
        """Called once, when the provider is made, so that subclasses can add tools (`self.mcp.register_tool(...)`)."""

    async def process_tool_use(self, content: Any) -> Any:
        """Run `content`, a request for a tool in any form: see `McpIntegration.route_tool_use`."""
        return await self.mcp.route_tool_use(content)

    @abc.abstractmethod
    def create_message(
        self, system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream what comes.

        Args:
            system_prompt: what the system says first; "" for nothing.
            messages: a `History`, its messages, or neutral messages (dicts with blocks).

        Yields:
            `{"type": "text", "text"}`; `{"type": "reasoning", "text"}`; `{"type": "tool_use", "id", "name", "input"}`,
            a call that is about to be run; `{"type": "tool_result", "id", "content"}`, what came of it, in the neutral
            form, errors too; `{"type": "problem", "reason", "text"}`, what could not be read, such as a call that was
            cut off, which is never run (a call that the server had parsed has its "id" and "name" too, and if its
            arguments are not a JSON object a result that says so); `{"type": "usage", "usage"}`.

        Raises:
            Exception: what the client raises; text that waited, and calls that had begun (as problems), are given out
                before.
            MessageError: the messages cannot be written for OpenAI's wire.
        """


class OpenAiHandler(BaseProvider):
    """Models behind OpenAI's chat API.

    Args:
        options: the model and its parser.
        client: an `openai.AsyncOpenAI`, or an object that behaves like one.
        mcp: the tools.
    """

    def __init__(self, options: ApiHandlerOptions, *, client: Any, mcp: McpIntegration | None = None) -> None:
        self.options = options
        self.client = client
        super().__init__(mcp)

    def extract_tool_calls(self, delta: Any) -> list[Any]:
        """The fragments of calls in a delta (its `function_call` of old is one); [] where it has none."""
        found = field_of(delta, "tool_calls")
        if isinstance(found, list | tuple):
            return list(found)
        legacy = field_of(delta, "function_call")
        return [] if legacy is None else [{"function": legacy}]

    def has_tool_calls(self, delta: Any) -> bool:
        """Whether the delta has fragments of calls."""
        return len(self.extract_tool_calls(delta)) > 0

    def create_message(
        self, system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream what comes: see `BaseProvider.create_message`."""
        return _conversation(self, self, self.options.open_ai_model_id, system_prompt, messages)


class OllamaHandler(BaseProvider):
    """Models behind Ollama, through its OpenAI API; an `OpenAiHandler` detects the calls.

    Args:
        options: the model and its parser.
        client: an `openai.AsyncOpenAI` for `open_ai_handler.options.open_ai_base_url`, or what behaves like one.
        mcp: the tools.

    Attributes:
        open_ai_handler: made with the same options, Ollama's URL (`<ollama_base_url>/v1`; http://localhost:10000 if
            none is given), its key "ollama" and its model.
    """

    def __init__(self, options: ApiHandlerOptions, *, client: Any, mcp: McpIntegration | None = None) -> None:
        self.options = options
        self.client = client
        super().__init__(mcp)
        self.open_ai_handler = OpenAiHandler(self.open_ai_options(options), client=client, mcp=self.mcp)

    @staticmethod
    def open_ai_options(options: ApiHandlerOptions) -> ApiHandlerOptions:
        """The options for the OpenAI handler."""
        base = (options.ollama_base_url or OLLAMA_URL).rstrip("/")
        return replace(
            options,
            open_ai_api_key=OLLAMA_KEY,
            open_ai_base_url=f"{base}/v1",
            open_ai_model_id=options.ollama_model_id or "",
        )

    def create_message(
        self, system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream what comes: see `BaseProvider.create_message`."""
        model = self.open_ai_handler.options.open_ai_model_id
        return _conversation(self, self.open_ai_handler, model, system_prompt, messages)


# -- one turn ----------------------------------------------------------------------------------------------------------


async def _conversation(
    provider: OpenAiHandler | OllamaHandler,
    detector: OpenAiHandler,
    model: str,
    system_prompt: str,
    messages: History | Iterable[Message] | Iterable[Mapping[str, Any]],
) -> AsyncIterator[dict[str, Any]]:
    history = _history(system_prompt, messages)
    wire = OpenAIHistoryConverter().from_history(history)
    request: dict[str, Any] = {"model": model, "messages": wire, "stream": True}
    if tools := provider.mcp.openai_tools:
        request["tools"] = tools
    turn = _Turn(provider, detector, history)
    stream = await provider.client.chat.completions.create(**request | dict(provider.options.request))
    try:
        async for chunk in stream:
            async for part in turn.read(chunk):
                yield part
    except Exception:  # the client's: it goes on once what waited has been told
        async for part in turn.rest():
            yield part
        for part in turn.broken():
            yield part
        raise
    finally:
        await _closed(stream)
    async for part in turn.rest():
        yield part
    async for part in turn.structured():
        yield part


def _history(system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]) -> History:
    if isinstance(messages, History):
        history = messages
    else:
        given: list[Any] = list(messages)
        ours = all(isinstance(each, Message) for each in given)
        history = History(conversation=given) if ours else NeutralHistoryConverter().to_history(given)
    return replace(history, system_message=system_prompt) if system_prompt else history


async def _closed(stream: Any) -> None:
    # Whoever leaves the loop early would keep the connection until the stream is collected.
    close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
    with contextlib.suppress(Exception):  # what came has come
        found = close() if callable(close) else None
        if inspect.isawaitable(found):
            await found


def _ids(history: History) -> list[str]:
    """The ids of the calls of a history."""
    return [
        part.id or ""
        for message in history.conversation
        for part in message.content
        if isinstance(part, ContentPartToolCall)
    ]


def _id_prefix(taken: list[str], base: str) -> str:
    """What the ids of this turn begin with: no id of the history does."""
    numbers = itertools.count(len(taken))
    prefixes = (f"{base}{number}_" for number in numbers)
    return base if not taken else next(each for each in prefixes if not any(name.startswith(each) for name in taken))


class _Turn:
    """What comes of one stream."""

    def __init__(self, provider: OpenAiHandler | OllamaHandler, detector: OpenAiHandler, history: History) -> None:
        options = dict(provider.options.parser)
        before = _ids(history)
        chosen = options_of(options.pop("options", None))
        self.prefix = _id_prefix(before, chosen.id_prefix or "call_")
        self.provider = provider
        self.detector = detector
        self.parser = Parser(provider.mcp.tools or None, options=changed(chosen, id_prefix=self.prefix), **options)
        self.calls = ToolCallAggregator()
        self.finish_reason = ""
        self._ended = 0  # calls in the text: ids go on behind theirs
        self._taken = set(before)  # ids
        self._ran: list[ContentPartToolCall] = []  # in the text, and run
        self._waiting: list[ContentPartToolCall] = []  # in the text, while the server sends calls of that name

    async def read(self, chunk: Any) -> AsyncIterator[dict[str, Any]]:
        wrapper = OpenAIChunkWrapper(chunk)
        delta = wrapper.delta
        if reasoning := wrapper.get_reasoning():
            yield {"type": "reasoning", "text": reasoning}
        self.calls.add(self.detector.extract_tool_calls(delta))
        async for part in self._told(self.parser.feed(wrapper.get_text())):
            yield part
        refusal = field_of(delta, "refusal")
        if refusal and isinstance(refusal, str):
            yield {"type": "text", "text": refusal}
        usage = field_of(chunk, "usage")
        if usage is not None:
            yield {"type": "usage", "usage": usage}
        choices = field_of(chunk, "choices")
        if isinstance(choices, list | tuple) and choices:
            reason = field_of(choices[0], "finish_reason")
            self.finish_reason = reason if reason and isinstance(reason, str) else self.finish_reason

    async def rest(self) -> AsyncIterator[dict[str, Any]]:
        """What the text still held when the stream ended."""
        async for part in self._told(self.parser.finish()):
            yield part

    async def structured(self) -> AsyncIterator[dict[str, Any]]:
        """The calls that the server had parsed, then those in the text that waited for them."""
        calls = self.calls.finish()
        for call in calls:
            _remove_same(self._waiting, call)
            if call is calls[-1] and self.finish_reason in CUT_OFF and not (call.arguments or call.unread):
                yield _problem("incomplete", self._identified(call))
            elif not _remove_same(self._ran, call):
                async for part in self._run(call):
                    yield part
        for call in self._waiting:
            async for part in self._run(call):
                yield part

    def broken(self) -> list[dict[str, Any]]:
        """The same when the stream broke: none of them is known to be whole."""
        return [_problem("incomplete", self._identified(call)) for call in self.calls.finish() + self._waiting]

    def _identified(self, call: ContentPartToolCall) -> ContentPartToolCall:
        # With an id that no other call of the conversation has.
        numbers = itertools.count(self._ended)
        made = (f"{self.prefix}{number}" for number in numbers)
        free = next(each for each in itertools.chain([call.id], made) if each and each not in self._taken)
        self._taken.add(free)
        return replace(call, id=free)

    async def _told(self, events: Iterable[Event]) -> AsyncIterator[dict[str, Any]]:
        for event in events:
            self._ended += type(event) is CallEnd
            if type(event) is CallEnd and event.call.status == "ok":
                call = ContentPartToolCall(event.call.name, event.call.arguments, event.call.id)
                if call.name in self.calls.names:
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
        if not call.name:  # no history could hold it
            return
        request = ToolUseContent(call.name, call.id or "", call.arguments, call.unread)
        if call.unread:
            result: Any = await self.provider.mcp.system.execute_tool_from_neutral_format(request)  # says why it is not
        else:
            yield request.to_dict()
            result = await self._processed(request)
        content = result.to_dict() if isinstance(result, ToolResultContent) else result
        yield {"type": "tool_result", "id": request.id, "content": content}

    async def _processed(self, request: ToolUseContent) -> Any:
        try:
            return await self.provider.process_tool_use(request)
        except Exception as error:  # noqa: BLE001  # a subclass may route in its own way
            return ToolResultContent.failed(request.id, "tool_failed", f"{request.name!r} failed: {said(error)}")


def _remove_same(calls: list[ContentPartToolCall], call: ContentPartToolCall) -> bool:
    # One for one: two calls that are the same are two calls.
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
