# What this file knows: what the wires have in common: JSON in strings, fields of dicts and of the clients' objects, and
# the steps of the normal form that every wire needs.
# What it must not know: the fields of any one wire.
"""What the wires have in common."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolglean.conversation.messages.types import (
    ContentPart,
    ContentPartOther,
    ContentPartReasoning,
    ContentPartText,
    ContentPartToolCall,
    ContentPartToolResult,
    History,
    Message,
    Role,
)
from toolglean.errors import MessageError
from toolglean.scan.nested import json_text

__all__ = [
    "FITTING",
    "NO_JSON",
    "arguments_of",
    "arguments_text",
    "can_be_sent",
    "check",
    "field",
    "gathered",
    "id_of",
    "is_object",
    "joined_texts",
    "json_of",
    "listed",
    "opened",
    "result_of",
    "result_text",
    "role_of",
    "text_of",
    "unrunnable",
    "written",
]

FITTING: Mapping[Role, tuple[type, ...]] = {
    Role.SYSTEM: (ContentPartText,),
    Role.USER: (ContentPartText, ContentPartOther),
    Role.MODEL: (ContentPartReasoning, ContentPartText, ContentPartOther, ContentPartToolCall),
    Role.TOOL: (ContentPartToolResult,),
}
"""Which parts a message may hold, by who speaks."""

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.MODEL,
    "model": Role.MODEL,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


class _NoJson:
    """Stands for text that is not JSON."""


NO_JSON = _NoJson()


def field(holder: Any, name: str) -> Any:
    """The field of a dict, or the attribute of a client's object; None where it is not there."""
    if isinstance(holder, Mapping):
        return holder.get(name)
    return None if type(holder) in _PLAIN else getattr(holder, name, None)


def is_object(value: Any) -> bool:
    """Whether it has fields: a dict, or a client's object."""
    return isinstance(value, Mapping) or (value is not None and type(value) not in _PLAIN)


_PLAIN = frozenset({str, bytes, list, tuple, set, int, float, bool})
"""Types with attributes that are not fields (`list.index`): a server put it in the place of an object."""


def role_of(wire: Any, place: int) -> Role:
    """Who speaks in a wire message, the one at that place.

    Raises:
        MessageError: it names nobody that the wires know.
    """
    role = field(wire, "role")
    found = _ROLES.get(role) if isinstance(role, str) else None
    if found is None:
        raise MessageError(f"message {place}: unknown role {role!r}; use one of {', '.join(_ROLES)}: {shown(wire)}")
    return found


def id_of(wire: Any, name: str = "id") -> str | None:
    """The id in that field; None where there is none. Some servers count with numbers: as text they are ids too."""
    found = field(wire, name)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found or None if isinstance(found, str) else None


def listed(wire: Any, name: str, place: int) -> list[Any]:
    """The items of that field of a wire message, the one at that place; [] where there is nothing.

    Raises:
        MessageError: it holds something that is not a list.
    """
    found = field(wire, name)
    if not found:
        return []
    if not isinstance(found, Iterable) or isinstance(found, str | bytes | Mapping):
        raise MessageError(f"message {place}: {name} must be a list, not {shown(found)}")
    return list(found)


def text_of(content: Any) -> str:
    """The text of what stands as content in a chunk: text, or a list of parts (Mistral's server), of which text counts.

    "" where there is none.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = [field(part, "text") for part in parts if field(part, "type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def shown(value: Any, limit: int = 200) -> str:
    """The value, for an error message."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


_lone = re.compile("[\ud800-\udfff]").sub


# -- JSON in strings ---------------------------------------------------------------------------------------------------


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def json_of(text: str) -> Any:
    """The JSON value that the text is; `NO_JSON` if it is not JSON (also `NaN`, and numbers too large for a float)."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return NO_JSON


def written(value: Any) -> str:
    """The value as JSON text that every wire can carry: half a surrogate pair, which none can, is escaped.

    Raises:
        TypeError, ValueError, RecursionError: it is not a JSON value.
    """
    text = json_text(value)
    return text if can_be_sent(text) else _lone(lambda found: f"\\u{ord(found[0]):04x}", text)


def can_be_sent(text: str) -> bool:
    """Whether a wire can carry the text: not with half a surrogate pair in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def result_text(value: Any, name: str) -> str:
    """A tool's result as text: text as it is, unless it would be read as something else; all else as JSON.

    Raises:
        MessageError: the result is not a JSON value.
    """
    if isinstance(value, str) and result_of(value) == value and can_be_sent(value):
        return value
    try:
        return written(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(f"the result of tool {name!r} is not a JSON value ({error}): {shown(value)}") from error


def result_of(content: Any) -> Any:
    """The result that `result_text` wrote; the wire may hold text, parts of text, or nothing.

    Objects and lists are read as JSON. Other text becomes a value only if it is written exactly as that value would
    be: "0.10" is a version, not a number, and stays text.
    """
    if not isinstance(content, str | None) and isinstance(content, Iterable) and not isinstance(content, Mapping):
        texts = [field(part, "text") for part in content]
        if any(not isinstance(text, str) for text in texts):
            return content
        content = "".join(texts)
    if not isinstance(content, str):
        return content
    found = json_of(content)
    if isinstance(found, dict | list):
        return found
    return found if found is not NO_JSON and result_text(found, "") == content else content


def arguments_text(call: ContentPartToolCall) -> str:
    """The call's arguments as JSON text; what could not be read goes out as it came.

    Raises:
        MessageError: the arguments are not JSON.
    """
    if call.unread:
        return call.unread
    try:
        return written(call.arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(
            f"the arguments of {call.name!r} are not valid JSON ({error}): {shown(call.arguments)}"
        ) from error


def unrunnable(text: str, status: str) -> str:
    """The arguments of an unfinished call, for a wire that cannot mark it: never the text of a JSON object.

    What was written may be a whole object, or nothing, which clients take for no arguments; both could be run.
    """
    return text if arguments_of(text)[1] else f"{text}<{status}>"


def arguments_of(found: Any) -> tuple[dict[str, Any], str]:
    """The arguments, and their text where they could not be read; the wire may hold text, an object, or nothing."""
    if isinstance(found, Mapping):
        return {key if isinstance(key, str) else str(key): value for key, value in found.items()}, ""
    if found is None:
        return {}, ""
    text = found if isinstance(found, str) else shown(found)
    if not text.strip():
        return {}, ""
    value = json_of(text)
    if isinstance(value, dict):
        return value, ""
    return ({}, "") if value is None else ({}, text)


# -- the normal form ---------------------------------------------------------------------------------------------------


def check(message: Message, place: int, wire: str, kinds: tuple[type, ...] = ()) -> None:
    """Whether every part fits who speaks.

    Raises:
        MessageError: a part does not; the message names it and its place.
    """
    for part in message.content:
        if not isinstance(part, kinds or FITTING[message.role]):
            raise MessageError(
                f"message {place}: {type(part).__name__} cannot be written in a message of role "
                f"{message.role.value!r} for {wire}: {shown(part)}"
            )


def opened(history: History) -> History:
    """The beginning in its normal form: the context is a user message, a leading system message the system's."""
    conversation = [message for message in history.conversation if message.content or message.role != Role.TOOL]
    system = history.system_message
    if history.context is not None:
        conversation.insert(0, Message(Role.USER, [ContentPartText(history.context)]))
    if system is None and conversation and conversation[0].role == Role.SYSTEM:
        texts = [part.text for part in conversation[0].content if isinstance(part, ContentPartText)]
        if len(texts) == len(conversation[0].content):
            system = "".join(texts)
            del conversation[0]
    return History(system, None, conversation)


def gathered(message: Message) -> Iterator[Message]:
    """The message as the wires can hold it: one result in each message of a tool, empty texts left out, and the
    model's reasoning before its text before its calls.
    """
    if message.role == Role.TOOL:
        for part in message.content:
            assert isinstance(part, ContentPartToolResult)
            yield Message(Role.TOOL, [replace(part, id=part.id or None)])
        return
    reasoning = "".join(part.text for part in message.content if isinstance(part, ContentPartReasoning))
    parts: list[ContentPart] = [ContentPartReasoning(reasoning)] if reasoning else []
    parts += [
        part
        for part in message.content
        if isinstance(part, ContentPartOther) or (isinstance(part, ContentPartText) and part.text)
    ]
    parts += [_plain_call(part) for part in message.content if isinstance(part, ContentPartToolCall)]
    yield Message(message.role, parts)


def _plain_call(call: ContentPartToolCall) -> ContentPartToolCall:
    arguments, unread = arguments_of(call.unread) if call.unread else (call.arguments, "")
    return ContentPartToolCall(call.name, arguments, call.id or None, unread)


def joined_texts(parts: Iterable[ContentPart]) -> list[ContentPart]:
    """The parts with all text in one, where the first text stood."""
    found = list(parts)
    text = "".join(part.text for part in found if isinstance(part, ContentPartText))
    first = next((place for place, part in enumerate(found) if isinstance(part, ContentPartText)), None)
    return [
        ContentPartText(text) if place == first else part
        for place, part in enumerate(found)
        if place == first or not isinstance(part, ContentPartText)
    ]
