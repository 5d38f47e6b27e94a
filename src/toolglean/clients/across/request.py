# What a request of the Messages API is in the chat API: which fields map, which are left out, which cannot be served.
# Does not depend on HTTP, or on what becomes of the answer (exchange.py). Messages go through `History`.
#
#   in the request                           in the chat request
#   messages, system                         messages: by AnthropicHistoryConverter and OpenAIHistoryConverter
#   images, also in results                  image_url; those of a result in a message of the user after it
#   tools with an input_schema               tools of type "function"
#   tool_choice                              tool_choice, parallel_tool_calls
#   max_tokens, temperature, top_p, top_k    the same
#   stop_sequences                           stop
#   output_config                            response_format, reasoning_effort
#   what IGNORED names, cache_control        left out: it changes what a request costs, not what it means
#   everything else                          an error, which names it
"""Requests of the Messages API as requests of the chat API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation import AnthropicHistoryConverter, History, OpenAIHistoryConverter, Role
from toolglean.conversation.fields import field, listed
from toolglean.conversation.messages import ContentPartText, Message
from toolglean.errors import MessageError, shown

__all__ = ["CrossingError", "chat_request"]

SAME = ("model", "max_tokens", "temperature", "top_p", "top_k")
IGNORED = frozenset(
    {"metadata", "service_tier", "cache_control", "context_management", "diagnostics", "thinking", "inference_geo"}
)
"""Fields that are left out. Whether and how long a model thinks is the server's choice."""
READ = frozenset({*SAME, *IGNORED, "messages", "system", "tools", "tool_choice", "stop_sequences", "stream"})
CHOICES = {"auto": "auto", "any": "required", "none": "none"}
EFFORTS = ("low", "medium", "high")
IN_RESULTS = frozenset({"text", "image"})
"""The blocks of a result that can be written."""
KEPT = IN_RESULTS | {"thinking", "tool_use", "tool_result"}
"""The blocks that can be written. Reasoning that Anthropic has encrypted is left out: no other server can read it."""


class CrossingError(Exception):
    """A request asks for something that the chat API does not have. The message is for the caller."""


def chat_request(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The request for the chat API.

    Args:
        asked: the fields of the request.

    Raises:
        CrossingError: a field cannot be served; it says which, and what to do.
    """
    unknown = sorted(name for name in asked if name not in READ and name != "output_config" and asked[name] is not None)
    if unknown:
        raise CrossingError(f"{', '.join(unknown)}: a server of OpenAI's chat API has nothing like it: leave it out")
    found: dict[str, Any] = {name: asked[name] for name in SAME if asked.get(name) is not None}
    found["messages"] = _messages(asked)
    if asked.get("tools"):
        found["tools"] = [_tool(tool, place) for place, tool in enumerate(_listed(asked["tools"], "tools"))]
    if asked.get("stop_sequences"):
        found["stop"] = asked["stop_sequences"]
    if asked.get("stream"):
        found |= {"stream": True, "stream_options": {"include_usage": True}}
    return found | _choice(asked.get("tool_choice")) | _output(asked.get("output_config"))


def _listed(given: Any, name: str) -> Iterable[Any]:
    if not isinstance(given, list | tuple):
        raise CrossingError(f"{name}={shown(given)} is not a list")
    return given


def _tool(tool: Any, place: int) -> dict[str, Any]:
    kind, schema = field(tool, "type"), field(tool, "input_schema")
    if kind not in (None, "custom") or not isinstance(schema, Mapping):
        raise CrossingError(
            f"tools[{place}] of type {kind!r:.80} is none that a server of OpenAI's chat API knows: leave it out, or "
            "give it an input_schema and no type"
        )
    given = {"description": tool["description"]} if tool.get("description") else {}
    return {"type": "function", "function": {"name": tool.get("name"), **given, "parameters": schema}}


def _choice(choice: Any) -> dict[str, Any]:
    if choice is None:
        return {}
    kind = field(choice, "type")
    found: dict[str, Any] = {}
    if kind == "tool":
        found["tool_choice"] = {"type": "function", "function": {"name": field(choice, "name")}}
    elif isinstance(kind, str) and kind in CHOICES:
        found["tool_choice"] = CHOICES[kind]
    else:
        raise CrossingError(f"tool_choice={shown(choice)} is none of 'auto', 'any', 'tool', 'none'")
    return found | ({"parallel_tool_calls": False} if field(choice, "disable_parallel_tool_use") is True else {})


def _output(config: Any) -> dict[str, Any]:
    effort, form = field(config, "effort"), field(config, "format")
    found: dict[str, Any] = {"reasoning_effort": effort} if effort in EFFORTS else {}
    if form is None:
        return found
    if field(form, "type") != "json_schema":
        raise CrossingError(f"output_config.format of type {field(form, 'type')!r:.80} is not 'json_schema'")
    schema = {"name": "answer", "schema": field(form, "schema"), "strict": True}
    return found | {"response_format": {"type": "json_schema", "json_schema": schema}}


# -- messages ----------------------------------------------------------------------------------------------------------


def _messages(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = [_prepared(message, place) for place, message in enumerate(_listed(asked.get("messages"), "messages"))]
    try:
        history = AnthropicHistoryConverter().of_request({"system": asked.get("system"), "messages": given})
        return _joined(OpenAIHistoryConverter().from_history(_with_one_system(history)))
    except MessageError as error:
        raise CrossingError(str(error)) from error


def _prepared(message: Any, place: int) -> Any:
    content = field(message, "content")
    if not isinstance(message, Mapping) or not isinstance(content, list | tuple):
        return message
    blocks: list[Any] = []
    images: list[Any] = []  # of results: they follow all results
    for block in content:
        if field(block, "type") == "redacted_thinking":
            continue
        kind, parts = _kind(block, KEPT, place), listed(block, "content")
        if kind == "tool_result" and parts:
            shown_in = [part for part in parts if _kind(part, IN_RESULTS, place) == "image"]
            images += [_image(part, place) for part in shown_in]
            blocks.append({**block, "content": [part for part in parts if part not in shown_in]})
        else:
            blocks.append(_image(block, place) if kind == "image" else block)
    return {**message, "content": blocks + images}


def _kind(block: Any, kept: frozenset[str], place: int) -> str:
    kind = field(block, "type")
    if not isinstance(block, Mapping) or not isinstance(kind, str) or kind not in kept:
        raise CrossingError(f"messages[{place}]: OpenAI's chat API has no block of type {kind!r:.80}: leave it out")
    if kind == "text" and not isinstance(block.get("text"), str):
        raise CrossingError(f"messages[{place}]: a block of type 'text' has the text {shown(block.get('text'))}")
    return kind


def _image(block: Any, place: int) -> dict[str, Any]:
    source = field(block, "source")
    kind, data, url = (field(source, name) for name in ("type", "data", "url"))
    if kind == "base64" and isinstance(data, str):
        url = f"data:{field(source, 'media_type') or 'image/png'};base64,{data}"
    elif kind != "url" or not isinstance(url, str):
        raise CrossingError(f"messages[{place}]: an image from {kind!r:.80} cannot be sent: pass 'base64' or 'url'")
    return {"type": "image_url", "image_url": {"url": url}}


def _with_one_system(history: History) -> History:
    # Most templates accept one system message, at the beginning. Later ones are said by the user.
    before: list[str] = [history.system_message] if history.system_message else []
    messages: list[Message] = []
    begun = False
    for message in history.conversation:
        begun = begun or message.role == Role.MODEL
        if message.role != Role.SYSTEM:
            messages.append(message)
            continue
        text = "\n".join(part.text for part in message.content if isinstance(part, ContentPartText))
        if begun:
            messages.append(Message(Role.USER, [ContentPartText(text)]))
        else:
            before.append(text)
    return History("\n\n".join(before) if before else None, None, messages)


def _joined(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    # Most templates require that user and assistant alternate.
    found: list[dict[str, Any]] = []
    for message in messages:
        if found and message["role"] == found[-1]["role"] == "user":
            found[-1] = {**found[-1], "content": _parts(found[-1]["content"]) + _parts(message["content"])}
        else:
            found.append(message)
    return [{**each, "content": _plain(each["content"])} for each in found]


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _plain(content: Any) -> Any:
    if isinstance(content, list) and all(field(part, "type") == "text" for part in content):
        return "\n".join(part["text"] for part in content)
    return content
