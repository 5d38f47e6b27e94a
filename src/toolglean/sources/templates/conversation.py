# How messages and tools in OpenAI's shape become the values that Ollama passes to a Go template. Does not depend on the
# template.
#
# Ollama's data has been JSON at some point, so all numbers in arguments and schemas are floats.
"""OpenAI's messages, converted to Ollama's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from toolglean.errors import UsageError, shown
from toolglean.sources.templates.golang.shapes import call_value, message_value
from toolglean.sources.templates.golang.values import Struct

__all__ = ["chat_messages", "decoded", "tool_dicts"]

MAX_DEPTH: Final = 256
"""The deepest nesting of lists and objects."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def chat_messages(messages: Sequence[Mapping[str, Any]]) -> list[Struct]:
    """Messages as Ollama passes them to a template.

    Raises:
        UsageError: a message is not of OpenAI's shape, or its arguments are not an object.
    """
    return [_message(each, at) for at, each in enumerate(messages)]


def tool_dicts(tools: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Tools, with their values as Go decodes them from JSON.

    Raises:
        UsageError: a value is not a JSON value.
    """
    return [decoded(each) for each in tools or ()]


def decoded(value: Any, depth: int = 0) -> Any:
    """A value as Go decodes it from JSON into `any`.

    Raises:
        UsageError: it is not a JSON value, is nested deeper than `MAX_DEPTH`, or is too large for a float.
    """
    if isinstance(value, str):
        return text(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return _float(value)
    if depth >= MAX_DEPTH:
        raise UsageError(f"messages or tools are nested more than {MAX_DEPTH} levels deep: flatten the value")
    if isinstance(value, Mapping):
        return {text(str(key)): decoded(each, depth + 1) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [decoded(each, depth + 1) for each in value]
    raise UsageError(f"messages or tools contain a value of type {type(value).__name__}: pass only JSON values")


def text(value: str) -> str:
    """Text without lone surrogates, which UTF-8 cannot encode."""
    return value if value.isascii() else _SURROGATE.sub("\ufffd", value)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UsageError(
            f"an integer of {value.bit_length():,} bits in messages or tools is too large for the float that Ollama "
            "converts it to: pass it as a string"
        ) from None


def _message(message: Mapping[str, Any], at: int) -> Struct:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str):
        raise UsageError(f"messages[{at}]={shown(message)} is not a message: pass a dict with a role")
    thinking = message.get("reasoning_content") or message.get("thinking") or message.get("reasoning") or ""
    calls = message.get("tool_calls") or ()
    return message_value(
        Role=text(role),
        Content=_content(message.get("content")),
        Thinking=_content(thinking),
        Images=decoded(message.get("images") or []),
        ToolCalls=[_call(each, at) for at, each in enumerate(calls)],
        ToolName=text(str(message.get("tool_name") or message.get("name") or "")),
        ToolCallID=text(str(message.get("tool_call_id") or "")),
    )


def _content(content: Any) -> str:
    """The content as one text; the texts of a list of parts are joined."""
    if content is None or isinstance(content, str):
        return text(content or "")
    if isinstance(content, Sequence):
        return text("".join(each if isinstance(each, str) else str(each.get("text") or "") for each in content))
    raise UsageError(f"content={shown(content)} of a message is not valid: pass text or a list of parts")


def _call(call: Mapping[str, Any], at: int) -> Struct:
    function = call.get("function", call)
    index = function.get("index", call.get("index", at))
    name = text(str(function.get("name") or ""))
    return call_value(text(str(call.get("id") or "")), int(index), name, _arguments(function.get("arguments")))


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # a text that is not JSON is refused below
            arguments = json.loads(arguments) if arguments.strip() else {}
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise UsageError(f"arguments={shown(arguments)} of a tool call are not a JSON object: pass an object")
    values: dict[str, Any] = decoded(arguments)
    return values
