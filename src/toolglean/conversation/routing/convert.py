# What this file knows: how each form is brought to the neutral one, and back.
# What it must not know: who runs the tool.
#
# Text is read by toolglean's own parser with the tools that there are: XML whose tag is the tool's name, JSON with
# `input`, and every other format of the library. Where it finds nothing, the text is read once more from its first `{`:
# who hands a text over to be routed means it as a request, prose before it or not. A tag that names no tool is read as
# the name of one all the same where nothing else is found, so that the answer can be "unknown tool" instead of "nothing
# found".
"""Requests and results in the forms of OpenAI, XML, JSON and MCP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args
from xml.sax.saxutils import escape, quoteattr, unescape

from toolglean.conversation.messages.wire import (
    NO_JSON,
    arguments_of,
    can_be_sent,
    field,
    json_of,
    shown,
    text_of,
    written,
)
from toolglean.conversation.routing.detect import ToolUseFormat, detect_format
from toolglean.conversation.routing.neutral import (
    ErrorCode,
    ToolResultContent,
    ToolUseContent,
    text_block,
    unread_text,
    why_unfinished,
)
from toolglean.errors import UsageError
from toolglean.events import ToolCall
from toolglean.scan.coerce import json_text
from toolglean.stream import parse, render
from toolglean.tools import Tool, ToolLike, ToolSet

__all__ = ["from_neutral", "is_item", "result_from_neutral", "result_to_neutral", "to_neutral"]

INPUT_KEYS = ("input", "arguments", "parameters", "args")
ID_KEYS = ("call_id", "id", "tool_use_id", "tool_call_id")
ITEM, ITEM_OUTPUT = "function_call", "function_call_output"
"""The types of the Responses API's items: a call, and its result."""
_REQUESTS = frozenset({"tool_use", "function", ITEM, "tool_call"})
_tag = re.compile(r"<([^\s<>/!?][^\s<>/]*)(\s[^<>]*)?>")
_NO_TOOLS = frozenset({"think", "thinking", "tool_result", "tool_use"})
"""Tags that models and routers write, and that name no tool."""


# -- requests ----------------------------------------------------------------------------------------------------------


def to_neutral(
    content: Any, tools: Iterable[ToolLike] | ToolSet | None = None, form: ToolUseFormat | None = None
) -> list[ToolUseContent]:
    """The requests in the content, in the neutral form.

    Args:
        content: text, a dict, a `ToolCall`, or a client's object: a call, or a message with several.
        tools: your tools, with which text is read, and by whose schemas untyped values are typed.
        form: the form; None: by `detect_format`.

    Returns:
        One request for each call, in order. Arguments that cannot be read are in `unread`. If one of several calls does
        not name a tool, its name is "".

    Raises:
        UsageError: the content has no request; the message shows the content.
    """
    if isinstance(content, ToolUseContent):
        return [_checked(content)]
    form = form or detect_format(content)
    known = tools if isinstance(tools, ToolSet) else ToolSet(tools or ())
    if isinstance(content, str):
        value = json_of(content.strip())
        found = _from_text(content, known) if value is NO_JSON else _from_value(value, form)
    else:
        found = _from_value(content, form)
    if not any(each.name or each.id for each in found):
        raise UsageError(f"not a request for a tool (read as {form}): {shown(content)}")
    return found


def _checked(request: ToolUseContent) -> ToolUseContent:
    # Ours, but whoever filled it in may have had anything at hand.
    if not isinstance(request.name, str):
        raise UsageError(f"not a request for a tool: the name is {shown(request.name)}")
    given: Any = request.input
    if request.unread or (isinstance(given, str) and not given.strip()):  # empty text is not {}: it may be cut off
        return ToolUseContent(request.name, _id(request, "id"), {}, request.unread or repr(given))
    arguments, unread = arguments_of(given)
    return ToolUseContent(request.name, _id(request, "id"), arguments, unread)


def _from_value(value: Any, form: ToolUseFormat) -> list[ToolUseContent]:
    if isinstance(value, list | tuple):
        return _from_items(value)
    if isinstance(value, ToolCall):
        return [ToolUseContent.of_call(value)]
    if isinstance(value, ToolUseContent):
        return [_checked(value)]
    if form == ToolUseFormat.OPENAI:
        return _from_openai(value)
    name = field(value, "name")
    if not isinstance(name, str):
        blocks = field(value, "content")  # a message
        return _from_items(blocks) if isinstance(blocks, list | tuple) else []
    given = next((found for key in INPUT_KEYS if (found := field(value, key)) is not None), None)
    arguments, unread = _arguments(value, given)
    return [ToolUseContent(name, _id(value, "id", "tool_use_id"), arguments, unread)]


def _arguments(value: Any, given: Any) -> tuple[dict[str, Any], str]:
    # A server's item that is still in progress, or a call of ours as JSON: what stands there is not all of it.
    if why := why_unfinished(value):
        text = field(value, "unread") or field(value, "arguments_text") or given
        return {}, unread_text(why, text if text is None or isinstance(text, str) else shown(text))
    return arguments_of(given)


def _from_items(items: Iterable[Any]) -> list[ToolUseContent]:
    found: list[ToolUseContent] = []
    for item in items:
        kind = field(item, "type")
        if not isinstance(kind, str) or kind in _REQUESTS:  # else a text, an image, a thought
            found += _from_value(item, detect_format(item)) or [_nameless(item)]
    return found


def is_item(content: Any) -> bool:
    """Whether a request in OpenAI's form is an item of the Responses API, or a list with such an item."""
    each = content if isinstance(content, list | tuple) else [content]
    return any(field(item, "type") == ITEM for item in each)


def _nameless(item: Any) -> ToolUseContent:
    return ToolUseContent("", _id(item, *ID_KEYS), {}, shown(item))


def _from_openai(value: Any) -> list[ToolUseContent]:
    calls = field(value, "tool_calls")
    if isinstance(calls, list | tuple):
        return [each for call in calls for each in _from_openai(call) or [_nameless(call)]]
    function = field(value, "function") or field(value, "function_call") or value
    name = field(function, "name")
    if not isinstance(name, str):
        return []
    arguments, unread = _arguments(value, field(function, "arguments"))
    return [ToolUseContent(name, _id(value, "call_id", "id"), arguments, unread)]


def _id(value: Any, *keys: str) -> str:
    found = next((found for key in keys if (found := field(value, key)) is not None), "")
    return str(found) if isinstance(found, str | int) else ""


def _from_text(text: str, tools: ToolSet) -> list[ToolUseContent]:
    found = _parsed(text, tools)
    if not found and (brace := text.find("{")) > 0:
        found = _parsed(text[brace:], tools)
    tag = next((each for each in _tag.finditer(text) if each[1] not in _NO_TOOLS), None)
    if not found and tag is not None:  # one that names no tool, or has attributes
        plain = f"{text[: tag.start()]}<{tag[1]}>{text[tag.end() :]}"
        found = _parsed(plain, ToolSet([*tools, *([] if tag[1] in tools else [Tool(tag[1])])]))
    return found


def _parsed(text: str, tools: ToolSet) -> list[ToolUseContent]:
    output = parse(text, tools or None)
    calls = sorted(output.calls + output.unfinished, key=lambda call: call.index)
    return [
        ToolUseContent(call.name, "" if call.id == f"call_{call.index}" else call.id, call.arguments)
        if call.status == "ok"
        else ToolUseContent(call.name, "", {}, unread_text(call.status, text[slice(*call.span)]))
        for call in calls
    ]


def from_neutral(
    request: ToolUseContent | Mapping[str, Any], form: ToolUseFormat, tools: Iterable[ToolLike] | ToolSet | None = None
) -> Any:
    """The request in that form: a dict, or text for XML (which has no field for the id).

    Args:
        request: the request; or a dict in the neutral form.
        form: the form.
        tools: for XML, whose values are text: only the tool's schema distinguishes `3` from `"3"`.

    Raises:
        UsageError: the arguments are not JSON, or XML cannot express them; the message says which.
    """
    request = ToolUseContent.of(request)
    if form == ToolUseFormat.OPENAI:
        arguments = request.unread or _json(request)
        return {
            "id": request.id,
            "type": "function",
            "function": {"name": request.name, "arguments": arguments},
        }
    if form == ToolUseFormat.XML:
        return _request_xml(request, tools if isinstance(tools, ToolSet) else ToolSet(tools or [request.name]))
    return request.to_dict()


def _json(request: ToolUseContent) -> str:
    try:
        return json_text(request.input)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"the arguments of {request.name!r} are not valid JSON ({error}): {shown(request.input)}"
        ) from error


def _request_xml(request: ToolUseContent, tools: ToolSet) -> str:
    if request.unread:
        raise UsageError(f"arguments that could not be read cannot be written as XML: {shown(request.unread)}")
    try:
        return render("tool-tags", [(request.name, request.input)], tools=tools)
    except UsageError:
        # A list whose schema says nothing of its items has no tags that would come back, but its JSON does.
        whole = _json(request)
        texts = {name: value if isinstance(value, str) else json_text(value) for name, value in request.input.items()}
        text = render("tool-tags", [(request.name, texts)], tools=[Tool(request.name)])
        if [json_text(each.input) for each in _parsed(text, tools)] != [whole]:
            raise
        return text


# -- results -----------------------------------------------------------------------------------------------------------


def result_from_neutral(
    result: ToolResultContent | Mapping[str, Any], form: ToolUseFormat, name: str = "", *, is_item: bool = False
) -> Any:
    """The result in that form: OpenAI's tool message, XML text, or a dict in the neutral shape.

    Args:
        result: the result; or a dict in the neutral form.
        form: the form of the request.
        name: the tool's name, which OpenAI's message carries.
        is_item: in OpenAI's form, an item of the Responses API (`function_call_output`), not a message of the chat API.
    """
    result = ToolResultContent.like(result)
    if form == ToolUseFormat.XML:
        return _result_xml(result)
    if form == ToolUseFormat.OPENAI and is_item:
        return {"type": ITEM_OUTPUT, "call_id": result.tool_use_id, "output": _told(result)}
    if form == ToolUseFormat.OPENAI:
        return {"role": "tool", "tool_call_id": result.tool_use_id, "name": name, "content": _told(result)}
    return result.to_dict()


def _told(result: ToolResultContent) -> str:
    # OpenAI's message knows no errors: an object says what is one. Nor does it know images: they are their JSON.
    if result.error is not None:
        return written({"error": result.error.to_dict()})
    if result.structured_content is None:
        return _shown_text(result)
    return written(result.structured_content)


def _shown_text(result: ToolResultContent) -> str:
    value = result.value if result.structured_content is None else result.text
    return value if isinstance(value, str) and can_be_sent(value) else written(value)


def _result_xml(result: ToolResultContent) -> str:
    head = f"<tool_result tool_use_id={quoteattr(result.tool_use_id)} status={quoteattr(result.status)}>"
    body = escape(_shown_text(result))
    if result.error is not None:
        code, message = quoteattr(result.error.code), quoteattr(result.error.message)
        body += f"\n<error code={code} message={message}/>"
    return f"{head}\n{body}\n</tool_result>"


_result = re.compile(
    r'\s*<tool_result tool_use_id=("[^"]*"|\'[^\']*\') status="(success|error)">\n(.*?)\n'
    r"(?:<error code=\"([a-z_]+)\" message=(\"[^\"]*\"|'[^']*')/>\n)?</tool_result>\s*",
    re.DOTALL,
).fullmatch
_ATTRIBUTE = {"&quot;": '"', "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}


def result_to_neutral(content: Any) -> ToolResultContent:
    """The neutral form of a result that `result_from_neutral` wrote, or a server.

    Args:
        content: the result: a dict, a client's object, or XML text.

    Raises:
        UsageError: it is not a result of any form.
    """
    if isinstance(content, str):
        found = _result(content)
        if found is None:
            raise UsageError(f"not a tool's result: {shown(content)}")
        id, status, text, code, message = found.groups()  # noqa: A001  # the field's own word
        given = {"code": code, "message": unescape((message or '""')[1:-1], _ATTRIBUTE)}
        return ToolResultContent.from_dict(
            {
                "tool_use_id": unescape(id[1:-1], _ATTRIBUTE),
                "content": [text_block(unescape(text))] if text else [],
                "is_error": status == "error",
                "error": given if code else None,
            }
        )
    if field(content, "type") == "tool_result":
        return ToolResultContent.like(content)
    if field(content, "role") == "tool":
        return _from_openai_result(_id(content, "tool_call_id"), field(content, "content"))
    if field(content, "type") == ITEM_OUTPUT:
        return _from_openai_result(_id(content, "call_id"), field(content, "output"))
    raise UsageError(f"not a tool's result: {shown(content)}")


def _from_openai_result(id: str, content: Any) -> ToolResultContent:  # noqa: A002  # the field's own word
    text = text_of(content)
    value = json_of(text)
    fault = value.get("error") if isinstance(value, Mapping) and len(value) == 1 else None
    if isinstance(fault, Mapping) and fault.keys() == {"code", "message"}:
        code, message = fault["code"], fault["message"]
        if code in get_args(ErrorCode) and isinstance(message, str):
            return ToolResultContent.failed(id, code, message)
    return ToolResultContent(id, [text_block(text)], None if value is NO_JSON or isinstance(value, str) else value)
