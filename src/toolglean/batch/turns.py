# Where a JSON value contains a whole turn of a model, as clients, servers and their logs store it. Does not depend on
# how a turn is parsed, or on how lines are read.
#
#   the value has                                           the turn is
#   choices                                                 each choice's message or text (OpenAI)
#   output, a list of items                                 the texts, reasoning and calls of its items (Responses API)
#   message                                                 that message (Ollama's chat)
#   role, or content as text or parts                       the line itself is the message
#   text under one of TEXT_KEYS                             that text, with the reasoning and calls next to it
#   one of those inside one of HOLDERS                      the same, further in (proxies' logs, OpenAI's batches)
#   messages, or a list of messages                         the last message of the assistant
#
# The answer comes before the request: of a log that has both, what the model wrote is read.
"""Turns in lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolglean.batch.lines import InputError, json_in
from toolglean.conversation import ContentPartToolCall
from toolglean.conversation.fields import arguments_of, id_of, text_in
from toolglean.scan.nested import json_text

__all__ = ["Columns", "NotATurnError", "Written", "error_in", "evidence_of", "id_in", "is_server_chunk", "turns_in"]

Evidence: TypeAlias = Literal["turn", "message", "text", "answer", "server chunk", ""]
"""What an object tells about its file: see `evidence_of`."""

ID_KEYS = ("custom_id", "id", "turn_id", "request_id", "uuid")
TEXT_KEYS = ("content", "text", "response", "completion", "output_text", "output", "generated_text", "generation")
HOLDERS = ("response", "body", "output", "result", "completion", "data")
REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
REQUESTS = ("request", "body")
"""The keys under which logs keep the request, with its tools and its model."""
MAX_HOLDERS = 6  # nested in each other
DATA = "data:"
FIELDS = (DATA, "event:", "id:", "retry:", ":")
"""What a line of a server-sent event begins with; ":" begins a comment."""
ASSISTANT = frozenset({"assistant", "model"})
CUT_OFF = frozenset({"length", "content_filter", "incomplete", "max_tokens"})
"""Why a server stopped while the model was still writing."""


class NotATurnError(Exception):
    """A line does not contain a turn. The message says what it contains."""


@dataclass(slots=True)
class Written:
    """What a model wrote in one turn, as the server stored it.

    Attributes:
        texts: its text in pieces, which may contain calls.
        thoughts: what the server has already parsed as reasoning, in pieces.
        calls: the calls that the server has already parsed.
        unfinished: the indices in `calls` of those that were cut off.
        others: parts of the content that are not text (pictures).
        choice: which of several answers it is; None if there is only one.
    """

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ContentPartToolCall] = field(default_factory=list)
    unfinished: set[int] = field(default_factory=set)
    others: list[Any] = field(default_factory=list)
    choice: int | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing at all."""
        return not (any(self.texts) or any(self.thoughts) or self.calls or self.others)

    @property
    def text(self) -> str:
        """Its text."""
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        """What the server has already parsed as reasoning."""
        return "".join(self.thoughts)


def id_in(value: Any) -> Any:
    """The id of a line, whatever JSON value it is; the user's own before the server's. None if it has no id."""
    return next((each[key] for each in _layers(value) for key in ID_KEYS if each.get(key) is not None), None)


def _layers(value: Any, holders: Sequence[str] = HOLDERS) -> Iterator[dict[str, Any]]:
    """An object, and those that it holds in turn under these keys: an answer in a body in a response."""
    for _ in range(MAX_HOLDERS):
        if not isinstance(value, dict):
            return
        yield value
        value = next((value[key] for key in holders if value.get(key) and isinstance(value[key], dict)), None)


# -- telling turns from chunks -----------------------------------------------------------------------------------------


def evidence_of(value: Any) -> Evidence:
    """What a line tells about its file.

    Returns:
        "turn": only a whole turn looks like this.
        "message": content with an id or a role, as turns have, and rarely chunks: the next line decides.
        "text": bare text under `content` or `text`: a chunk, or a turn.
        "answer": text under another of TEXT_KEYS, without an id: a turn, or JSON that a model wrote.
        "server chunk": one chunk of a server's stream.
        "": none of these.
    """
    if isinstance(value, list):
        return "turn" if value and all(isinstance(each, dict) and "role" in each for each in value) else ""
    if not isinstance(value, dict):
        return ""
    if is_server_chunk(value):
        return "server chunk"
    if _is_answer(value):
        return "turn"
    has_text = any(isinstance(value.get(key), str) for key in ("content", "text"))
    if has_text:
        return "message" if "role" in value or id_in(value) is not None else "text"
    if "role" in value and ("content" in value or "tool_calls" in value):
        return "turn"  # its content is parts, or null
    named = id_in(value) is not None
    if named and any(key in value for key in (*TEXT_KEYS, "body", "error")):
        return "turn"
    return "answer" if any(isinstance(value.get(key), str) for key in TEXT_KEYS) else ""


def _is_answer(value: Mapping[str, Any]) -> bool:
    if any(_dicts(value.get(key)) for key in ("choices", "messages")):
        return True
    if any("type" in each for each in _dicts(value.get("output"))):
        return True
    message = value.get("message")
    if isinstance(message, dict) and any(key in message for key in ("role", "content", "tool_calls")):
        return True
    return isinstance(value.get("response"), str) and ("done" in value or "model" in value or "prompt" in value)


def is_server_chunk(value: Mapping[str, Any]) -> bool:
    """Whether an object is one chunk of a server's stream."""
    if value.get("object") == "chat.completion.chunk" or any("delta" in each for each in _dicts(value.get("choices"))):
        return True
    if value.get("done") is False and ("message" in value or "response" in value):
        return True
    kind = text_in(value, "type")
    if kind.startswith("response."):
        return not value.keys().isdisjoint({"sequence_number", "response", "output_index"})
    return kind == "message_start" or kind.startswith("content_block_")


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# -- where a row has what ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Columns:
    """The keys of a row, or the columns of a table.

    Attributes:
        text: where the text of the turn is; None: anywhere that a line may have a turn.
        tools: where the tools of the turn are.
        model: where the name of the model is.
        format: where the name of the format is.
    """

    text: str | None = None
    tools: str = "tools"
    model: str = "model"
    format: str = "format"

    def turns_in(self, value: Any) -> list[Written]:
        """The turns of a row.

        Raises:
            NotATurnError: it does not contain one.
        """
        name = self.text
        if name is None:
            return turns_in(value)
        if not isinstance(value, dict):
            return turns_in(None)
        text = value.get(name)
        if isinstance(text, str):
            return [Written([text])]
        if name not in value:
            raise NotATurnError(f"this row has no {name!r}: its keys are {', '.join(map(repr, list(value)[:8]))}")
        raise NotATurnError(f"{name!r} of this row is {text!r:.80}, not text")

    def read(self, line: str, where: str) -> tuple[Any, list[Written]]:
        """The JSON value of a line, and its turns; `where`: the input's name and the line's number, for messages.

        Raises:
            InputError: it is not JSON, or does not contain a turn.
        """
        value = json_in(line, where)
        try:
            return value, self.turns_in(value)
        except NotATurnError as error:
            raise InputError(f"{where}: {error}") from error

    def of(self, value: Any) -> tuple[Any, Any, Any]:
        """What a row, or the request that it contains, says about its turn: the tools, the model and the format."""
        return tuple(_value_of(value, key) for key in (self.tools, self.model, self.format))


def _value_of(value: Any, key: str) -> Any:
    """The value of that key in a row, or in the request that the row contains."""
    return next((each[key] for each in _layers(value, REQUESTS) if each.get(key) is not None), None)


# -- reading -----------------------------------------------------------------------------------------------------------


def turns_in(value: Any) -> list[Written]:
    """The turns of a line: one, or one for each choice.

    Args:
        value: the line's JSON value. A string is a turn's text; a list of strings its chunks.

    Raises:
        NotATurnError: it does not contain a turn; the message says what it contains instead.
    """
    if isinstance(value, str):
        return [Written([value])]
    if isinstance(value, list):
        if value and all(isinstance(each, str) for each in value):
            return [Written(value)]
        value = {"messages": value}
    if not isinstance(value, dict):
        raise NotATurnError(f"this is {_kind(value)}; expected a JSON object with the text of a turn")
    found = _found(value, MAX_HOLDERS)
    if found is None:
        raise NotATurnError(_reason(value))
    return found


def _found(value: Mapping[str, Any], left: int) -> list[Written] | None:
    if is_server_chunk(value):
        raise NotATurnError(
            "this is one chunk of a server's stream, not a whole turn; store the joined turn (`toolglean parse` joins "
            "chunks itself, without --turns and --output)"
        )
    choices, output = _dicts(value.get("choices")), _dicts(value.get("output"))
    if choices:
        several = len(choices) > 1
        found = [_choice(each, place if several else None) for place, each in enumerate(choices)]
        if several and all(each.empty for each in found):
            _choice(choices[0], None)  # says what this is, if it is not a turn
        return found
    if output:
        return [_of_items(output)]
    message = value.get("message")
    if isinstance(message, dict):
        return [_message(message, value.get("done_reason"))]
    if "role" in value or isinstance(value.get("content"), list) or _calls(value):
        return [_message(value, value.get("finish_reason") or value.get("stop_reason"))]
    key = next((key for key in TEXT_KEYS if isinstance(value.get(key), str)), None)
    if key is not None:
        return [_message({**value, "content": value[key]}, value.get("finish_reason") or value.get("done_reason"))]
    for key in HOLDERS if left else ():
        inner = _found(value[key], left - 1) if isinstance(value.get(key), dict) else None
        if inner is not None:
            return inner
    return _last_message(value.get("messages"))


def _last_message(messages: Any) -> list[Written] | None:
    own = [each for each in _dicts(messages) if each.get("role") in ASSISTANT]
    if _dicts(messages) and not own:
        raise NotATurnError("messages has no message with role 'assistant'; only those are turns of a model")
    return [_message(own[-1], None)] if own else None


def _choice(choice: Mapping[str, Any], place: int | None) -> Written:
    message = choice.get("message")
    if not isinstance(message, dict):
        message = {"content": choice.get("text")}
    if place is not None and message.get("content") is None:  # one of several: the others must not be lost with it
        message = {**message, "content": ""}
    found = _message(message, choice.get("finish_reason"))
    found.choice = place
    return found


def _message(message: Mapping[str, Any], stopped: Any) -> Written:
    role = message.get("role")
    if isinstance(role, str) and role not in ASSISTANT:
        raise NotATurnError(f"this message has role {role!r}; only those with role 'assistant' are turns of a model")
    found = Written()
    found.thoughts += [text for key in REASONING_KEYS if isinstance(text := message.get(key), str) and text][:1]
    content = message.get("content")
    for part in _parts(content):
        _add_part(found, part)
    refusal = message.get("refusal")
    found.texts += [refusal] if isinstance(refusal, str) else []
    for call in _calls(message):
        _add_call(found, call.get("function"), id_of(call))
    if found.calls and isinstance(stopped, str) and stopped in CUT_OFF and not found.calls[-1].arguments:
        found.unfinished.add(len(found.calls) - 1)  # its arguments were still to come
    if found.empty and not isinstance(content, str | list):
        raise NotATurnError(f"this turn has no text: its content is {_kind(content)}, and it has no calls")
    return found


def _calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    legacy = message.get("function_call")
    return [*_dicts(message.get("tool_calls")), *([{"function": legacy}] if isinstance(legacy, dict) else [])]


def _add_call(found: Written, function: Any, id: str | None, *, cut: bool = False) -> None:  # noqa: A002  # the wire's
    name = function.get("name") if isinstance(function, dict) else None
    given = function.get("arguments", function.get("input")) if isinstance(function, dict) else None
    arguments, unread = arguments_of(given)
    try:
        json_text(arguments)
    except ValueError:  # `json.loads` accepts NaN and 1e999, which are not JSON and could not be written again
        arguments, unread = {}, json.dumps(given, ensure_ascii=False)
    if cut:
        found.unfinished.add(len(found.calls))
    found.calls.append(ContentPartToolCall(name if isinstance(name, str) else "", arguments, id, unread))


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if isinstance(content, str) else []


def _add_part(found: Written, part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        found.texts.append(part)
    elif kind in {"thinking", "reasoning", "reasoning_text", "summary_text"}:
        found.thoughts.append(_first_text(part, ("thinking", "text", "reasoning")))
    elif kind in {"tool_use", "function_call", "tool_call"}:
        id = id_of(part, "call_id") or id_of(part)  # noqa: A001  # the wire's own word
        _add_call(found, part, id, cut=part.get("status") in CUT_OFF)
    elif isinstance(part, dict) and (text := _first_text(part, ("text", "refusal"))):
        found.texts.append(text)
    elif not isinstance(part, dict) or not isinstance(part.get("text"), str):
        found.others.append(part)


def _first_text(part: Any, keys: Sequence[str]) -> str:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), "") if isinstance(part, dict) else ""


def _of_items(items: list[dict[str, Any]]) -> Written:
    """A response of the Responses API: its messages joined, its reasoning, its calls."""
    found = Written()
    for item in items:
        parts = _parts(item.get("content"))
        if item.get("type") == "reasoning":
            summary = item.get("summary")
            said = parts or (summary if isinstance(summary, list) else [])
            found.thoughts += [each if isinstance(each, str) else _first_text(each, ("text",)) for each in said]
        elif item.get("type") == "message" or parts:
            for part in parts:
                _add_part(found, part)
        else:
            _add_part(found, item)
    return found


def _reason(value: Mapping[str, Any]) -> str:
    error = error_in(value)
    if error is not None:
        return f"this is an error object, not a turn: {error}"
    keys = ", ".join(map(repr, list(value)[:8])) or "none"
    return f"this object has no turn: its keys are {keys}; expected content, messages, choices or message"


def error_in(value: Mapping[str, Any]) -> str | None:
    """What an object, or one that it holds, says about an error; None if there is none."""
    error = next((each["error"] for each in _layers(value) if each.get("error")), None)
    if error is None:
        return None
    told = error.get("message") if isinstance(error, dict) else error
    return _cut(told if isinstance(told, str) else json.dumps(error, ensure_ascii=False))


def _cut(text: str, limit: int = 200) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
