# What this file knows: how a request with calls, results and tools in it becomes one of plain text, for servers whose
# template has no place for them.
# What it must not know: HTTP, and how any family writes its calls (`render` does).
#
#   in the request                      becomes
#   tools, functions, tool_choice, …    a system message: the tools as JSON, and how this model writes a call
#   a call of the assistant             the text that the model would have written
#   a result                            text of the user, in <tool_response>; several in a row are one message
#   all else                            the same
"""Requests whose calls and results are text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.clients.repair import Kind, Repair
from toolglean.errors import ToolgleanError
from toolglean.messages.wire import arguments_of, field, text_of
from toolglean.stream import render

__all__ = ["as_text"]

FALLBACK = "hermes"
"""What a model is asked to write where nobody says how it writes: most have seen it."""
DROPPED = frozenset({"tools", "functions", "tool_choice", "function_call", "parallel_tool_calls"})
TOLD = """You may call these functions:

{tools}

To call one, write exactly this, once for each call, and nothing behind it:

{example}

The results then come in <tool_response>."""
EXAMPLE = ("name_of_the_function", {"name_of_a_parameter": "its value"})


def as_text(kind: Kind | None, body: bytes, repair: Repair) -> bytes:
    """The body of a request, rewritten; as it is where it has nothing to rewrite.

    Args:
        kind: which API it is for; None for any other.
        body: of the request.
        repair: knows how the model writes.
    """
    try:
        asked = json.loads(body) if kind else None
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        return body
    place = "input" if kind == "responses" else "messages"
    given = asked.get(place)
    if kind == "responses" and isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, list):
        return body
    writer = _Writer(repair.format_for(asked) or FALLBACK)
    written = writer.messages(given)
    tools = [] if _forbidden(asked) else _functions(asked)
    if tools:
        written = _with_system(written, writer.told(tools))
    if written == given and not tools:
        return body
    rest = {name: value for name, value in asked.items() if name not in DROPPED}
    return json.dumps({**rest, place: written}).encode()


def _forbidden(asked: Mapping[str, Any]) -> bool:
    return asked.get("tool_choice") == "none" or asked.get("function_call") == "none"


def _functions(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = [*_listed(asked.get("tools")), *({"function": each} for each in _listed(asked.get("functions")))]
    found: list[dict[str, Any]] = []
    for each in given:
        inner = field(each, "function")
        tool = each if inner is None else inner
        if (
            field(each, "type") in {None, "function"}
            and isinstance(tool, Mapping)
            and isinstance(tool.get("name"), str)
        ):
            found.append({name: tool[name] for name in ("name", "description", "parameters") if name in tool})
    return found


def _listed(given: Any) -> Iterable[Any]:
    return given if isinstance(given, list) else ()


class _Writer:
    """Writes messages as one family of models would.

    Args:
        format: the family's format, or its name.
    """

    def __init__(self, format: Any) -> None:  # noqa: A002  # the field's own word for it
        self._format = format

    def told(self, tools: list[Any]) -> str:
        """What the model is told of its tools."""
        shown = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
        return TOLD.format(tools=shown, example=self._call(*EXAMPLE))

    def messages(self, given: list[Any]) -> list[Any]:
        """The messages, with calls and results as text."""
        found: list[Any] = []
        results: list[str] = []
        calls: list[str] = []
        for message in given:
            result = _result(message)
            call = field(message, "type") == "function_call"
            if calls and not call:
                found.append({"role": "assistant", "content": "\n".join(calls)})
                calls = []
            if results and result is None:
                found.append({"role": "user", "content": "\n".join(results)})
                results = []
            if result is not None:
                results.append(f"<tool_response>\n{result}\n</tool_response>")
            elif call:  # an item of the Responses API
                calls.append(self._call(field(message, "name"), field(message, "arguments")))
            else:
                found.append(self._message(message))
        if calls:
            found.append({"role": "assistant", "content": "\n".join(calls)})
        return [*found, {"role": "user", "content": "\n".join(results)}] if results else found

    def _message(self, message: Any) -> Any:
        functions = [field(each, "function") for each in _listed(field(message, "tool_calls"))]
        old = field(message, "function_call")
        functions += [old] if isinstance(old, Mapping) else []
        if not functions:
            return message
        written = [self._call(field(each, "name"), field(each, "arguments")) for each in functions]
        rest = {name: value for name, value in message.items() if name not in {"tool_calls", "function_call"}}
        return {**rest, "content": "\n".join([*filter(None, [text_of(field(message, "content"))]), *written])}

    def _call(self, name: Any, arguments: Any) -> str:
        found, unread = arguments_of(arguments)
        if isinstance(name, str) and not unread:
            for each in (self._format, FALLBACK):
                try:
                    return render(each, [(name, found)])
                except ToolgleanError:  # this format cannot write such a value
                    continue
        return f"{name}: {unread or json.dumps(found, ensure_ascii=False)}"


def _result(message: Any) -> str | None:
    if field(message, "type") == "function_call_output":
        return _text(field(message, "output"))
    return _text(field(message, "content")) if field(message, "role") in {"tool", "function"} else None


def _text(given: Any) -> str:
    if isinstance(given, list):
        return "".join(text for part in given if isinstance(text := field(part, "text"), str))
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _with_system(messages: list[Any], told: str) -> list[Any]:
    # Many templates take one system message, and only at the beginning.
    first: Any = messages[0] if messages else None
    if field(first, "role") in {"system", "developer"} and isinstance(field(first, "content"), str):
        return [{**first, "content": f"{first['content']}\n\n{told}"}, *messages[1:]]
    return [{"role": "system", "content": told}, *messages]
