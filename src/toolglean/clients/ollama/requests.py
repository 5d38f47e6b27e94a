# The arguments of a request to the ollama package (0.6), and the ids of calls, which the package drops.
# Does not depend on what becomes of the answer.
#
# The package reads the server's answers into types without a field for an id, and writes messages in the same way. Here
# are types that have one. `keeping` makes the package read into these, and puts the ids of the messages into the
# request, by overriding a method of the package, `_request`. If a later version does not have that method, nothing
# breaks: toolglean then makes ids, as for a server that sends none.
"""Arguments of `ollama.Client.chat` and `generate`, and messages whose calls have ids."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

import ollama
from ollama._utils import convert_function_to_tool

from toolglean.conversation.fields import field
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ChatOptions", "ChatResponse", "GenerateOptions", "Message", "Messages", "ToolCall", "Tools", "keeping"]
__all__ += ["tools_of_request"]

Messages: TypeAlias = Sequence[Mapping[str, Any] | ollama.Message] | None
Tools: TypeAlias = Iterable[ToolLike] | ToolSet | None


class ChatOptions(TypedDict, total=False):
    """Further arguments of `ollama.Client.chat`."""

    tools: Tools
    think: bool | str | None
    logprobs: bool | None
    top_logprobs: int | None
    format: Literal["", "json"] | dict[str, Any] | None
    options: Mapping[str, Any] | ollama.Options | None
    keep_alive: float | str | None


class GenerateOptions(ChatOptions, total=False):
    """Further arguments of `ollama.Client.generate`."""

    suffix: str
    system: str
    template: str
    context: Sequence[int] | None
    images: Sequence[str | bytes | ollama.Image] | None


def tools_of_request(tools: Tools) -> tuple[list[Any], ToolSet | None]:
    """The tools, as the package takes them (functions, dicts and its own; all other shapes become dicts), and the same
    for a parser: functions become tools as the package makes them.
    """
    sent = [
        tool if inspect.isroutine(tool) or isinstance(tool, Mapping | ollama.Tool) else ToolSet([tool]).to_openai()[0]
        for tool in tools or ()
    ]
    return sent, ToolSet(convert_function_to_tool(tool) if inspect.isroutine(tool) else tool for tool in sent) or None


# -- ids ---------------------------------------------------------------------------------------------------------------


class ToolCall(ollama.Message.ToolCall):
    """A call, with its id: the server's, or one that toolglean made."""

    id: str | None = None


class Message(ollama.Message):
    """A message whose calls have ids.

    Attributes:
        tool_calls: the calls; None if there are none.
        tool_call_id: in a tool's result, the id of the call.
    """

    tool_calls: Sequence[ToolCall] | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    tool_call_id: str | None = None


class ChatResponse(ollama.ChatResponse):
    """A response, or a chunk of one, whose calls have ids.

    Attributes:
        message: what the model said.
    """

    message: Message  # pyright: ignore[reportIncompatibleVariableOverride]


def keeping(client: Any, messages: Sequence[Any] | None) -> Any:
    """The client, with ids kept in one `chat` with these messages. An object of another class is returned unchanged."""
    kinds: dict[type, Any] = {ollama.Client: _KeepingClient, ollama.AsyncClient: _KeepingAsyncClient}
    kind = kinds.get(type(client))
    return client if kind is None or not hasattr(client, "_client") else kind(client, messages)


class _Keeping:
    """What both clients have in common. Of an asynchronous one, `_request` returns a coroutine."""

    def __init__(self, client: Any, messages: Sequence[Any] | None) -> None:
        self._client = client._client
        self._messages = messages

    def _request(self, cls: Any, *args: Any, **more: Any) -> Any:
        package: Any = super()
        kind = ChatResponse if cls is ollama.ChatResponse else cls  # ours has ids
        return package._request(kind, *args, **_restored(more, self._messages))


class _KeepingClient(_Keeping, ollama.Client):
    pass


class _KeepingAsyncClient(_Keeping, ollama.AsyncClient):
    pass


def _restored(more: dict[str, Any], messages: Sequence[Any] | None) -> dict[str, Any]:
    body = more.get("json")
    sent = body.get("messages") if isinstance(body, dict) else None
    if messages and isinstance(sent, list) and len(sent) == len(messages):
        for given, message in zip(messages, sent, strict=True):
            id = field(given, "tool_call_id")  # noqa: A001  # the wire's own word
            if id:
                message["tool_call_id"] = id
            for own, call in zip(field(given, "tool_calls") or (), message.get("tool_calls") or (), strict=False):
                if field(own, "id"):
                    call["id"] = field(own, "id")
    return more
