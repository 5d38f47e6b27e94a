# What this file knows: how a provider sends a conversation to a model, and passes on what the turn yields (turns.py).
# Does not depend on how the client was made (toolglean.clients.openai makes it), or on which tools exist.
"""Providers: they take a conversation, and stream what the model wrote and what its tools returned."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from toolglean.conversation.blocks import NeutralHistoryConverter
from toolglean.conversation.deltas import fragments_of
from toolglean.conversation.messages import History, Message
from toolglean.conversation.openai import OpenAIHistoryConverter
from toolglean.conversation.reading.arguments import check_parsing
from toolglean.conversation.routing import McpIntegration
from toolglean.conversation.runner import aclose
from toolglean.conversation.turns import Turn
from toolglean.errors import UsageError, shown
from toolglean.options import with_defaults
from toolglean.parser import ParserArguments

__all__ = ["ApiHandlerOptions", "BaseProvider", "OllamaHandler", "OpenAiHandler", "check_options"]

OLLAMA_URL = "http://localhost:10000"
OLLAMA_KEY = "ollama"  # Ollama needs no key, but OpenAI's client does
Messages: TypeAlias = History | Iterable[Message] | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ApiHandlerOptions:
    """The options of a handler.

    Attributes:
        open_ai_base_url, open_ai_api_key, open_ai_model_id: the server and the model, for `OpenAiHandler`.
        ollama_base_url, ollama_model_id: the same for `OllamaHandler`; the URL is the server's, without `/v1`.
        request: further arguments of `chat.completions.create` (`temperature`, …).
        parser: arguments of `toolglean.Parser` (`format`, `model`, `template`, …); without them, `format="auto"`.

    Raises:
        UsageError: an argument in `parser` is unknown or wrong; the message names it.
        FormatError, TemplateError: a format or a template in `parser` cannot be used.
    """

    open_ai_base_url: str | None = None
    open_ai_api_key: str | None = None
    open_ai_model_id: str = ""
    ollama_base_url: str | None = None
    ollama_model_id: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    parser: ParserArguments = field(default_factory=ParserArguments)

    def __post_init__(self) -> None:
        check_parsing(self.parser)


def check_options(options: Any) -> None:
    """Check that these are the options of a handler.

    Raises:
        UsageError: they are something else, such as the name of a model; the message says what to pass.
    """
    if not isinstance(options, ApiHandlerOptions):
        raise UsageError(
            f"options={shown(options)} is not an ApiHandlerOptions: pass ApiHandlerOptions(open_ai_base_url=…, "
            "open_ai_model_id=…), or for Ollama ApiHandlerOptions(ollama_model_id=…)"
        )


class BaseProvider(abc.ABC):
    """The base of all providers: it has the tools, and routes requests to them.

    Args:
        mcp: the tools; None: only those that `register_tools` adds.
    """

    def __init__(self, mcp: McpIntegration | None = None) -> None:
        self.mcp = McpIntegration() if mcp is None else mcp
        self.register_tools()

    def register_tools(self) -> None:  # noqa: B027  # most providers add none
        """Called once, when the provider is made, so that subclasses can add tools (`self.mcp.register_tool(...)`)."""

    async def process_tool_use(self, content: Any) -> Any:
        """Run `content`, a request for a tool in any form: see `McpIntegration.route_tool_use`."""
        return await self.mcp.route_tool_use(content)

    @abc.abstractmethod
    def create_message(self, system_prompt: str, messages: Messages) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream the answer.

        Args:
            system_prompt: the system message; "" for none.
            messages: a `History`, its messages, or neutral messages (dicts with blocks).

        Yields:
            `{"type": "text", "text"}`; `{"type": "reasoning", "text"}`; `{"type": "tool_use", "id", "name", "input"}`,
            a call that is about to be run; `{"type": "tool_result", "id", "content"}`, its result or error in the
            neutral form; `{"type": "problem", "reason", "text"}`, what could not be read, such as a call that was cut
            off, which is never run (for a call that the server has parsed, also with "id" and "name", and followed by a
            result that is an error if its arguments are not a JSON object); `{"type": "usage", "usage"}`.

        Raises:
            Exception: what the client raises, after text that was held back, and calls that had begun (as problems).
            MessageError: the messages cannot be written in OpenAI's wire format.
        """


class _Handler(BaseProvider):
    """What the handlers have in common."""

    def __init__(self, options: ApiHandlerOptions, *, client: Any, mcp: McpIntegration | None = None) -> None:
        check_options(options)
        self.options = options
        self.client = client
        super().__init__(mcp)


class OpenAiHandler(_Handler):
    """Models on servers with OpenAI's chat API.

    Args:
        options: the model and its parser.
        client: an `openai.AsyncOpenAI`, or an object with the same methods.
        mcp: the tools.
    """

    def extract_tool_calls(self, delta: Any) -> list[Any]:
        """The fragments of calls in a `delta` (a legacy `function_call` is one of them); [] if there are none."""
        return fragments_of(delta)

    def has_tool_calls(self, delta: Any) -> bool:
        """Whether the `delta` has fragments of calls."""
        return len(self.extract_tool_calls(delta)) > 0

    def create_message(self, system_prompt: str, messages: Messages) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream the answer: see `BaseProvider.create_message`."""
        return _conversation(self, self, self.options.parser, system_prompt, messages)


class OllamaHandler(_Handler):
    """Models served by Ollama, through its OpenAI API; an `OpenAiHandler` detects the calls.

    Calls in JSON that follow other text and end the turn are read, unless you pass
    `ParserOptions(trailing_json="content")` in `options.parser`.

    Args:
        options: the model and its parser.
        client: an `openai.AsyncOpenAI` for `open_ai_handler.options.open_ai_base_url`, or an object with the same
            methods.
        mcp: the tools.

    Attributes:
        open_ai_handler: has the same options, Ollama's URL (`<ollama_base_url>/v1`; http://localhost:10000 by default),
            the key "ollama" and Ollama's model.
    """

    def __init__(self, options: ApiHandlerOptions, *, client: Any, mcp: McpIntegration | None = None) -> None:
        super().__init__(options, client=client, mcp=mcp)
        self.open_ai_handler = OpenAiHandler(self.open_ai_options(options), client=client, mcp=self.mcp)

    @staticmethod
    def open_ai_options(options: ApiHandlerOptions) -> ApiHandlerOptions:
        """The `options` for the OpenAI handler."""
        base = (options.ollama_base_url or OLLAMA_URL).rstrip("/")
        return replace(
            options,
            open_ai_api_key=OLLAMA_KEY,
            open_ai_base_url=f"{base}/v1",
            open_ai_model_id=options.ollama_model_id or "",
        )

    def create_message(self, system_prompt: str, messages: Messages) -> AsyncIterator[dict[str, Any]]:
        """Send the conversation, and stream the answer: see `BaseProvider.create_message`."""
        parsing = with_defaults(self.options.parser, trailing_json="call")
        return _conversation(self, self.open_ai_handler, parsing, system_prompt, messages)


# -- one turn ----------------------------------------------------------------------------------------------------------


async def _conversation(
    provider: OpenAiHandler | OllamaHandler,
    detector: OpenAiHandler,
    parsing: ParserArguments,
    system_prompt: str,
    messages: Messages,
) -> AsyncIterator[dict[str, Any]]:
    history = _history(system_prompt, messages)
    wire = OpenAIHistoryConverter().from_history(history)
    request: dict[str, Any] = {"model": detector.options.open_ai_model_id, "messages": wire, "stream": True}
    if tools := provider.mcp.openai_tools:
        request["tools"] = tools
    turn = Turn(provider.mcp, provider.process_tool_use, detector.extract_tool_calls, parsing, history)
    stream = await provider.client.chat.completions.create(**request | dict(provider.options.request))
    try:
        async for chunk in stream:
            async for part in turn.read(chunk):
                yield part
    except Exception:  # the client's: raised again after everything that was received
        async for part in turn.rest(broken=True):
            yield part
        raise
    finally:
        # A caller that leaves the loop early would keep the connection open until the stream is garbage-collected.
        with contextlib.suppress(Exception):  # everything of interest has been received
            await aclose(stream)
    async for part in turn.rest():
        yield part


def _history(system_prompt: str, messages: Messages) -> History:
    if isinstance(messages, History):
        history = messages
    else:
        given: list[Any] = list(messages)
        ours = all(isinstance(each, Message) for each in given)
        history = History(conversation=given) if ours else NeutralHistoryConverter().to_history(given)
    return replace(history, system_message=system_prompt) if system_prompt else history
