# What this file knows: how a model's stream over OpenAI's chat API becomes text, reasoning and results of tools.
# What it must not know: how the client was made (toolglean.clients.openai makes it), or which tools there are.
#
# What is found in a stream, in this order: calls that the server has parsed (`delta.tool_calls`), joined from their
# fragments and run when the stream ends; calls in the text, which toolglean's parser finds across chunks, XML, JSON and
# every format of the library, run as soon as each is whole; and text.
"""Providers: a conversation in, a stream of what the model said and what its tools gave."""

from __future__ import annotations

import abc
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolglean.events import CallEnd, Content, Event, Problem, Reasoning
from toolglean.messages import (
    ContentPartToolCall,
    History,
    Message,
    NeutralHistoryConverter,
    OpenAIChunkWrapper,
    OpenAIHistoryConverter,
    ToolCallAggregator,
)
from toolglean.messages.wire import field as field_of
from toolglean.parser import Parser
from toolglean.routing.integration import McpIntegration
from toolglean.routing.neutral import ToolResultContent, ToolUseContent

__all__ = ["ApiHandlerOptions", "BaseProvider", "OllamaHandler", "OpenAiHandler"]

OLLAMA_URL = "http://localhost:10000"
OLLAMA_KEY = "ollama"  # its server asks for none, OpenAI's client does


@dataclass(frozen=True, slots=True)
class ApiHandlerOptions:
    """What a handler is told.

    Attributes:
        open_ai_base_url, open_ai_api_key, open_ai_model_id: where and what, for `OpenAiHandler`.
        ollama_base_url, ollama_model_id: the same for `OllamaHandler`; the URL is the server's, without `/v1`.
        request: further arguments of `chat.completions.create` (`temperature`, …).
        parser: arguments of `toolglean.Parser` (`format`, `model`, `template`, …); none of them: `format="auto"`.
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
        mcp: the tools; None: none but those that `register_tools` adds.
    """

    def __init__(self, mcp: McpIntegration | None = None) -> None:
        self.mcp = McpIntegration() if mcp is None else mcp
        self.register_tools()

    def register_tools(self) -> None:  # noqa: B027  # most have none
        """Called once, when the provider is made: for subclasses that bring tools of their own
        (`self.mcp.register_tool(...)`).
        """

    async def process_tool_use(self, content: Any) -> Any:
        """Run a request for a tool, in any form: see `McpIntegration.route_tool_use`."""
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
            cut off, which is never run; `{"type": "usage", "usage"}`.

        Raises:
            What the client raises; text that waited is given out before.
        """


class OpenAiHandler(BaseProvider):
    """Models behind OpenAI's chat API.

    Args:
        options: the model and its parser.
        client: an `openai.AsyncOpenAI`, or what behaves like one.
        mcp: the tools.
    """

    def __init__(self, options: ApiHandlerOptions, *, client: Any, mcp: McpIntegration | None = None) -> None:
        self.options = options
        self.client = client
        super().__init__(mcp)

    def extract_tool_calls(self, delta: Any) -> list[Any]:
        """The fragments of calls in a delta; [] where it has none."""
        found = field_of(delta, "tool_calls")
        return list(found) if isinstance(found, list | tuple) else []

    def has_tool_calls(self, delta: Any) -> bool:
        """Whether the delta has fragments of calls."""
        return len(self.extract_tool_calls(delta)) > 0

    def create_message(
        self, system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]
    ) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream what comes: see `BaseProvider.create_message`."""
        return _conversation(self, self, self.options.open_ai_model_id, system_prompt, messages)


class OllamaHandler(BaseProvider):
    """Models behind Ollama, over its OpenAI door; calls are detected by an `OpenAiHandler`.

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
    request: dict[str, Any] = {"model": model, "messages": _wire(system_prompt, messages), "stream": True}
    if tools := provider.mcp.openai_tools:
        request["tools"] = tools
    turn = _Turn(provider, detector, Parser(provider.mcp.tools or None, **provider.options.parser))
    stream = await provider.client.chat.completions.create(**request | dict(provider.options.request))
    try:
        async for chunk in stream:
            async for part in turn.read(chunk):
                yield part
    except Exception:  # the client's: it goes on once what waited has been told
        async for part in turn.rest():
            yield part
        raise
    async for part in turn.rest():
        yield part
    for call in turn.calls.finish():
        async for part in turn.run(call):
            yield part


def _wire(system_prompt: str, messages: History | Iterable[Message] | Iterable[Mapping[str, Any]]) -> list[Any]:
    if isinstance(messages, History):
        history = messages
    else:
        given: list[Any] = list(messages)
        ours = all(isinstance(each, Message) for each in given)
        history = History(conversation=given) if ours else NeutralHistoryConverter().to_history(given)
    if system_prompt:
        history = replace(history, system_message=system_prompt)
    return OpenAIHistoryConverter().from_history(history)


class _Turn:
    """What comes of one stream."""

    def __init__(self, provider: BaseProvider, detector: OpenAiHandler, parser: Parser) -> None:
        self.provider = provider
        self.detector = detector
        self.parser = parser
        self.calls = ToolCallAggregator()

    async def read(self, chunk: Any) -> AsyncIterator[dict[str, Any]]:
        wrapper = OpenAIChunkWrapper(chunk)
        if reasoning := wrapper.get_reasoning():
            yield {"type": "reasoning", "text": reasoning}
        self.calls.add(self.detector.extract_tool_calls(wrapper.delta))
        async for part in self._told(self.parser.feed(wrapper.get_text())):
            yield part
        usage = field_of(chunk, "usage")
        if usage is not None:
            yield {"type": "usage", "usage": usage}

    async def rest(self) -> AsyncIterator[dict[str, Any]]:
        async for part in self._told(self.parser.finish()):
            yield part

    async def _told(self, events: Iterable[Event]) -> AsyncIterator[dict[str, Any]]:
        for event in events:
            if type(event) is CallEnd and event.call.status == "ok":
                call = event.call
                async for part in self.run(ContentPartToolCall(call.name, call.arguments, call.id)):
                    yield part
            elif found := _plain(event):
                yield found

    async def run(self, call: ContentPartToolCall) -> AsyncIterator[dict[str, Any]]:
        request = ToolUseContent(call.name, call.id or "", call.arguments, call.unread)
        if not call.unread:
            yield request.to_dict()
        try:
            result = await self.provider.process_tool_use(request)
        except Exception as error:  # noqa: BLE001  # a subclass may route in a way of its own
            message = f"{call.name!r} failed: {type(error).__name__}: {error}"
            result = ToolResultContent.failed(request.id, "tool_failed", message)
        content = result.to_dict() if isinstance(result, ToolResultContent) else result
        yield {"type": "tool_result", "id": request.id, "content": content}


def _plain(event: Event) -> dict[str, Any] | None:
    if type(event) is Content:
        return {"type": "text", "text": event.text}
    if type(event) is Reasoning:
        return {"type": "reasoning", "text": event.text}
    if type(event) is Problem:
        return {"type": "problem", "reason": event.reason, "text": event.text}
    if type(event) is CallEnd:
        return {
            "type": "problem",
            "reason": f"{event.call.status} call of {event.call.name!r}",
            "text": event.call.arguments_text,
        }
    return None
