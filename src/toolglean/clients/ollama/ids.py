# The ollama package (0.6) drops the ids of calls; this file keeps them. Does not depend on the calls themselves.
#
# The package reads the server's answers into types without a field for an id, and writes messages in the same way. Here
# are types that have one. `keeping` makes the package read into these, and puts the ids of the messages into the
# request, by overriding a method of the package, `_request`. If a later version does not have that method, nothing
# breaks: toolglean then makes ids, as for a server that sends none.
"""Ids of calls, which the ollama package drops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ollama

from toolglean.conversation.fields import field

__all__ = ["ChatResponse", "Message", "ToolCall", "keeping"]


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
    kinds = {ollama.Client: _KeepingClient, ollama.AsyncClient: _KeepingAsyncClient}
    kind: Any = next((ours for theirs, ours in kinds.items() if type(client) is theirs), None)
    return client if kind is None or not hasattr(client, "_client") else kind(client, messages)


class _Keeping:
    """What both clients have in common. Of an asynchronous one, `_request` returns a coroutine."""

    def __init__(self, client: Any, messages: Sequence[Any] | None) -> None:
        self._client = client._client
        self._messages = messages

    def _request(self, cls: Any, *args: Any, **more: Any) -> Any:
        package: Any = super()
        return package._request(_with_ids(cls), *args, **_restored(more, self._messages))


class _KeepingClient(_Keeping, ollama.Client):
    pass


class _KeepingAsyncClient(_Keeping, ollama.AsyncClient):
    pass


def _with_ids(cls: Any) -> Any:
    return ChatResponse if cls is ollama.ChatResponse else cls


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
