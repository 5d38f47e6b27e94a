# Rewrites a request with calls, results and tools as plain text, for servers whose template does not support them.
# Does not depend on HTTP, or on how any family writes its calls (`render` does that).
#
#   in the request                      becomes
#   tools, functions, tool_choice, …    a system message: the tools as JSON, and how this model writes a call
#   a call of the assistant             the text that the model would have written
#   a result                            text of the user, in <tool_response>, in the order of the calls. Several in a
#                                       row, and a message of the user after them, become one message.
#   blocks of the Messages API          the same, each in its place; the list of tools is at the end of `system`
#   everything else                     stays the same
"""Requests whose calls and results are text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolglean.clients.repair import Kind, Repair
from toolglean.clients.repair.exchange import functions_of
from toolglean.conversation.fields import arguments_of, field, listed, text_of
from toolglean.conversation.told import described, written_call
from toolglean.formats.spec import Format
from toolglean.tools import Tool, ToolSet

__all__ = ["as_text"]

DROPPED = frozenset({"tools", "functions", "tool_choice", "function_call", "parallel_tool_calls"})
TOLD = "The results then come in <tool_response>."
_ITEMS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Calls of the Responses API, and what is passed to the tool: JSON or text."""
RESULTS, SYSTEM = ("tool", "function"), ("system", "developer")
"""Roles. Tuples, because a caller may send any value."""


def as_text(kind: Kind, asked: dict[str, Any], repair: Repair) -> dict[str, Any]:
    """The fields of a request, rewritten; or the same dict, if there is nothing to rewrite.

    Args:
        kind: which API it is for.
        asked: the fields of the request's body.
        repair: knows how the model writes.
    """
    place = "input" if kind == "responses" else "messages"
    given = asked.get(place)
    if kind == "responses" and isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, list):
        return asked
    written_in = repair.format_for(asked)
    declared = functions_of(kind, {**asked, "tool_choice": None, "function_call": None})[0]
    writer = _BlockWriter if kind == "messages" else _Writer
    written = writer(written_in, ToolSet(declared.values())).messages(given)
    tools = [_function(tool) for tool in functions_of(kind, asked)[0].values()]
    told = f"{described(tools, written_in)}\n\n{TOLD}"
    rest = {name: value for name, value in asked.items() if name not in DROPPED}
    if tools and kind == "messages":
        rest["system"] = _joined(rest.get("system"), told)
    elif tools and isinstance(rest.get("instructions"), str) and kind == "responses":
        rest["instructions"] += f"\n\n{told}"  # they are the system message
    elif tools:
        written = _with_system(written, told)
    if written == given and not declared:
        return asked
    return {**rest, place: written}


def _function(tool: Tool) -> dict[str, Any]:
    return {name: value for name, value in tool.to_openai()["function"].items() if value}


class _Writer:
    """Writes messages as one family of models would.

    Args:
        format: the family's format; None: it is not known.
        tools: those that the request declares: most families write a value as its schema says.
    """

    def __init__(self, format: Format | None, tools: ToolSet) -> None:  # noqa: A002  # the field's own word for it
        self._format, self._tools = format, tools

    def messages(self, given: list[Any]) -> list[Any]:
        """The messages, with calls and results as text."""
        found: list[Any] = []
        results: list[tuple[int, str]] = []  # with the positions of their calls
        places: dict[str, int] = {}  # the positions of the calls, by their ids
        for message in given:
            result = _result(message)
            if result is not None:
                place = places.get(str(field(message, "tool_call_id") or field(message, "call_id")), len(places))
                results.append((place, f"<tool_response>\n{result}\n</tool_response>"))
                continue
            if results:
                _say(found, "user", _in_order(results))
                results, places = [], {}
            ids = [field(each, "id") for each in listed(message, "tool_calls")]
            for each in (field(message, "call_id"), *ids):
                places |= {str(each): len(places)} if each else {}
            if (key := _ITEMS.get(str(field(message, "type")))) is not None:  # an item of the Responses API
                _say(found, "assistant", self._call(field(message, "name"), field(message, key)))
            elif _follows_results(found, given, message):
                found[-1] = {**message, "content": _joined(found[-1]["content"], field(message, "content"))}
            else:
                found.append(self._message(message))
        if results:
            _say(found, "user", _in_order(results))
        return found

    def _message(self, message: Any) -> Any:
        functions = [field(each, "function") or field(each, "custom") for each in listed(message, "tool_calls")]
        old = field(message, "function_call")
        functions += [old] if isinstance(old, Mapping) else []
        if not functions:
            return message
        written = [
            self._call(field(each, "name"), field(each, "arguments") or field(each, "input")) for each in functions
        ]
        rest = {name: value for name, value in message.items() if name not in {"tool_calls", "function_call"}}
        return {**rest, "content": "\n".join([*filter(None, [text_of(field(message, "content"))]), *written])}

    def _call(self, name: Any, arguments: Any) -> str:
        found, unread = arguments_of(arguments)
        writes = isinstance(name, str) and not unread
        written = written_call(self._format, name, found, self._tools) if writes else None
        return written or f"{name}: {unread or json.dumps(found, ensure_ascii=False)}"


class _BlockWriter(_Writer):
    """The same for the Messages API, whose calls and results are blocks of a message."""

    def messages(self, given: list[Any]) -> list[Any]:
        """The messages, with calls and results as text."""
        found: list[Any] = []
        places: dict[str, int] = {}
        for message in given:
            content = field(message, "content")
            if not isinstance(message, Mapping) or not isinstance(content, list):
                found.append(message)
                continue
            if field(message, "role") == "assistant":
                calls = [block for block in content if field(block, "type") == "tool_use"]
                places = {str(field(call, "id")): place for place, call in enumerate(calls)}
            found.append({**message, "content": self._blocks(content, places)})
        return found

    def _blocks(self, content: list[Any], places: Mapping[str, int]) -> list[Any]:
        results = [block for block in content if field(block, "type") == "tool_result"]
        ids = {id(block): places.get(str(field(block, "tool_use_id")), len(places)) for block in results}
        in_order = iter(sorted(results, key=lambda block: ids[id(block)]))
        return [self._block(next(in_order) if id(block) in ids else block) for block in content]

    def _block(self, block: Any) -> Any:
        kind = field(block, "type")
        if kind == "tool_result":
            said = _text(field(block, "content"), between="\n")
            text = f"<tool_response>\n{said}\n</tool_response>"
        elif kind == "tool_use":
            text = self._call(field(block, "name"), field(block, "input"))
        else:
            return block
        return {"type": "text", "text": text}


def _say(found: list[Any], role: str, text: str) -> None:
    # Many templates refuse two messages with the same role in a row: append the text to the last one.
    last = found[-1] if found else None
    if field(last, "role") == role and isinstance(last, Mapping) and not field(last, "tool_calls"):
        found[-1] = {**last, "content": _joined(field(last, "content"), text)}
    else:
        found.append({"role": role, "content": text})


def _follows_results(found: list[Any], given: list[Any], message: Any) -> bool:
    # Whether the last message is one of ours, with results, and the user's message follows it.
    last = found[-1] if found else None
    ours = field(last, "role") == "user" and not any(last is each for each in given)
    return ours and field(message, "role") == "user" and bool(field(message, "content"))


def _joined(before: Any, after: Any) -> Any:
    # Two contents as one: texts, or lists of parts.
    if not before or not after:
        return before or after
    if isinstance(before, str) and isinstance(after, str):
        return f"{before}\n{after}"
    parts = [part for each in (before, after) if isinstance(each, list) for part in each]
    kind = next((field(part, "type") for part in parts if isinstance(field(part, "text"), str)), "text")
    lists = [each if isinstance(each, list) else [{"type": kind, "text": str(each)}] for each in (before, after)]
    return lists[0] + lists[1]


def _in_order(results: list[tuple[int, str]]) -> str:
    # A model can only tell the results apart by their order.
    return "\n".join(text for _, text in sorted(results, key=lambda each: each[0]))


def _result(message: Any) -> str | None:
    if field(message, "type") in ("function_call_output", "custom_tool_call_output"):
        return _text(field(message, "output"))
    return _text(field(message, "content")) if field(message, "role") in RESULTS else None


def _text(given: Any, *, between: str = "") -> str:
    if isinstance(given, list):
        texts = [(field(part, "text"), field(part, "type")) for part in given]
        return between.join(text if isinstance(text, str) else f"[{kind}]" for text, kind in texts)
    if given is None:
        return ""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _with_system(messages: list[Any], told: str) -> list[Any]:
    # Many templates accept only one system message, at the beginning.
    first: Any = messages[0] if messages else None
    if isinstance(first, Mapping) and field(first, "role") in SYSTEM:
        own = field(first, "content")
        more = f"\n{told}" if isinstance(own, str) else told
        return [{**first, "content": _joined(own, more) or told}, *messages[1:]]
    return [{"role": "system", "content": told}, *messages]
