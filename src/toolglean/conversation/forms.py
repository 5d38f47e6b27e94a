# What this file knows: how to tell apart, read and write the forms of requests for tools and of their results.
# Does not depend on what runs the tool.
#
#   content                                                                form
#   a dict (or object) with `tool_calls`, `function_call` or `function`,
#   or of type "function_call" (an item of the Responses API)              openai
#   a dict of type "tool_use"                                              neutral
#   any other dict                                                         json
#   a list                                                                 that of its first openai or neutral member,
#                                                                          else json
#   text that is JSON                                                      that of its value: `<` may be in a string
#   text that begins with `{` or `[`, or has a `{` before the first tag    json: broken, in a code fence, or after prose
#   any other text                                                         xml
#
# Text is read in texts.py. A value is read field by field, and then judged there: what the parser would not run as text
# does not run here. The `type` or the holder of a wire format is the marker of a call; any other dict, and
# all JSON in text, has no marker.
"""Requests and results in the forms of OpenAI, XML, JSON and MCP."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args
from xml.sax.saxutils import escape, quoteattr, unescape

from toolglean.conversation.calls import ErrorCode, ToolResultContent, ToolUseContent, text_block, unread_of
from toolglean.conversation.deltas import call_item
from toolglean.conversation.fields import (
    NO_JSON,
    arguments_of,
    can_be_sent,
    field,
    id_of,
    is_object,
    json_of,
    text_of,
    written,
    written_arguments,
)
from toolglean.conversation.messages import ContentPartToolCall
from toolglean.conversation.openai import result_message
from toolglean.conversation.texts import beside, check_keys, fault_of, read_text, requests_in_text
from toolglean.errors import UsageError, shown
from toolglean.events import ToolCall
from toolglean.scan.data import ANOTHERS, is_anothers
from toolglean.scan.names import ARGUMENT_KEYS
from toolglean.stream import render
from toolglean.tools import Tool, ToolLike, ToolSet

__all__ = [
    "ToolUseFormat",
    "detect_format",
    "from_neutral",
    "is_item",
    "result_from_neutral",
    "result_to_neutral",
    "to_neutral",
]

INPUT_KEYS = ("input", *sorted(ARGUMENT_KEYS - {"input"}))
ID_KEYS = ("call_id", "id", "tool_use_id", "tool_call_id")
ITEM, ITEM_OUTPUT = "function_call", "function_call_output"
"""The types of the Responses API's items: a call, and its result."""
_REQUESTS = frozenset({"tool_use", "function", ITEM, "tool_call"})
_RESULTS = frozenset({"tool_result", ITEM_OUTPUT})
_any_tag = re.compile(r"<[^\s<>/!?=]").search


class ToolUseFormat(enum.StrEnum):
    """The forms in which a tool can be requested."""

    XML = "xml"
    JSON = "json"
    OPENAI = "openai"
    NEUTRAL = "neutral"


# -- telling forms apart -----------------------------------------------------------------------------------------------


def detect_format(content: Any) -> ToolUseFormat:
    """The form of a request: text, a dict, or a client's object.

    Args:
        content: the request.

    Returns:
        The form, by the table at the head of this file. Text without any sign of a request is treated as XML: reading
        it then gives a clear error. Never raises.
    """
    if isinstance(content, str):
        found = json_of(content.strip())
        return _form_of_text(content) if found is NO_JSON else _form_of_value(found)
    try:
        return _form_of_value(content)
    except Exception:  # noqa: BLE001  # an object whose attributes raise
        return ToolUseFormat.JSON


def _form_of_text(text: str) -> ToolUseFormat:
    if text.lstrip()[:1] in {"{", "["}:
        return ToolUseFormat.JSON
    tag, brace = _any_tag(text), text.find("{")
    return ToolUseFormat.JSON if brace >= 0 and (tag is None or brace < tag.start()) else ToolUseFormat.XML


def _form_of_value(content: Any) -> ToolUseFormat:
    each = content if isinstance(content, list | tuple) else [content]
    return next((form for form in map(_form_of_one, each) if form != ToolUseFormat.JSON), ToolUseFormat.JSON)


def _form_of_one(content: Any) -> ToolUseFormat:
    kind = field(content, "type")
    if kind == ITEM or any(field(content, key) is not None for key in ("tool_calls", "function_call", "function")):
        return ToolUseFormat.OPENAI
    return ToolUseFormat.NEUTRAL if kind == "tool_use" else ToolUseFormat.JSON


# -- requests ----------------------------------------------------------------------------------------------------------


def to_neutral(
    content: Any, tools: Iterable[ToolLike] | ToolSet | None = None, form: ToolUseFormat | None = None
) -> list[ToolUseContent]:
    """The requests in the content, in the neutral form.

    Args:
        content: text, a dict, a `ToolCall`, or a client's object: a call, or a message with several.
        tools: your tools, which are used to read text; their schemas give untyped values their types.
        form: the form; None: as `detect_format` finds it.

    Returns:
        One request for each call, in order. Arguments that cannot be read are in `unread`. If one of several calls does
        not name a tool, its name is "".

    Raises:
        UsageError: the content is not a request; the message shows the content.
    """
    if isinstance(content, ToolUseContent):
        return [_checked(content)]
    form = form or detect_format(content)
    known = tools if isinstance(tools, ToolSet) else ToolSet(tools or ())
    value = json_of(content.strip()) if isinstance(content, str) else content
    source = _Source(known, is_text=isinstance(content, str))
    if source.is_text and value is not NO_JSON:
        check_keys(content)
    found = requests_in_text(content, known) if value is NO_JSON else _from_value(value, form, source)
    if not any(each.name or each.id for each in found):
        raise UsageError(f"not a request for a tool (read as {form}): {shown(content)}")
    return found


def _checked(request: ToolUseContent) -> ToolUseContent:
    # Our own class, but its fields may have been given values of any type.
    if not isinstance(request.name, str):
        raise UsageError(f"not a request for a tool: the name is {shown(request.name)}")
    given: Any = request.input
    if request.unread or (isinstance(given, str) and not given.strip()):  # empty text is not {}: it may be cut off
        return ToolUseContent(request.name, id_of(request) or "", {}, request.unread or repr(given))
    arguments, unread = arguments_of(given)
    return ToolUseContent(request.name, id_of(request) or "", arguments, unread)


class _Source(NamedTuple):
    """Where a value is from.

    Attributes:
        tools: those that it may call.
        is_text: whether a model wrote it as text.
    """

    tools: ToolSet
    is_text: bool


def _from_value(value: Any, form: ToolUseFormat, source: _Source) -> list[ToolUseContent]:
    if isinstance(value, list | tuple):
        return _from_items(value, source)
    if isinstance(value, ToolCall | ContentPartToolCall):
        return [ToolUseContent.of(value)]
    if isinstance(value, ToolUseContent):
        return [_checked(value)]
    _check_role(value)
    if form == ToolUseFormat.OPENAI:
        return _from_openai(value, source)
    name = field(value, "name")
    if not isinstance(name, str):
        blocks = field(value, "content")  # a message
        return _from_items(blocks, source) if isinstance(blocks, list | tuple) else []
    return [_request(name, (value,), source, "id", "tool_use_id")]


def _check_role(value: Any) -> None:
    role = field(value, "role")
    if isinstance(role, str) and role and is_anothers("role", role):
        raise UsageError(f"not a request for a tool ({ANOTHERS}): {shown(value)}")


def _request(name: str, holders: tuple[Any, ...], source: _Source, *ids: str) -> ToolUseContent:
    # The first holder has the name, the second one the id. A server's item in progress, or one of our unfinished calls
    # as JSON, is marked: its arguments are not complete.
    value = holders[:2][-1]
    key = next((each for each in INPUT_KEYS if field(holders[0], each) is not None), "")
    given = field(holders[0], key)
    unread = unread_of(value, given if isinstance(given, str) else shown(given, 200) if given else "")
    arguments, unread = ({}, unread) if unread else arguments_of(given)
    if name and not unread:
        read = ids if key or not source.is_text else ()  # in text, a name and an id are no call
        own = {key: arguments} if key else {}
        is_marked = not source.is_text and (len(holders) > 1 or _form_of_one(value) != ToolUseFormat.JSON)
        fault = fault_of(name, own, beside(holders, own, read), source.tools.get(name), is_marked=is_marked)
        if fault and not is_marked:
            raise UsageError(f"not a request for a tool ({fault}): {shown(value)}")
        unread = f"{shown(value, 200)} ({fault})" if fault else ""
    return ToolUseContent(name, id_of(value, *ids) or "", {} if unread else arguments, unread)


def _from_items(items: Iterable[Any], source: _Source) -> list[ToolUseContent]:
    found: list[ToolUseContent] = []
    for item in items:
        kind = field(item, "type")
        _check_role(item)
        if not is_object(item) or (isinstance(kind, str) and kind in _RESULTS):
            raise UsageError(f"not a request for a tool (it is in a list of other data): {shown(item)}")
        if not isinstance(kind, str) or kind in _REQUESTS:  # otherwise text, an image, reasoning
            found += _from_value(item, detect_format(item), source) or [_nameless(item)]
    return found


def is_item(content: Any) -> bool:
    """Whether a request in OpenAI's form is an item of the Responses API, or a list with such an item."""
    each = content if isinstance(content, list | tuple) else [content]
    return any(field(item, "type") == ITEM for item in each)


def _nameless(item: Any) -> ToolUseContent:
    return ToolUseContent("", id_of(item, *ID_KEYS) or "", {}, shown(item, 200))


def _from_openai(value: Any, source: _Source, *around: Any) -> list[ToolUseContent]:
    calls = field(value, "tool_calls")
    if isinstance(calls, list | tuple):
        message = (value,) if source.is_text else ()  # a server's has fields of its own
        return [each for call in calls for each in _from_openai(call, source, *message) or [_nameless(call)]]
    function = field(value, "function") or field(value, "function_call") or value
    name = field(function, "name")
    if not isinstance(name, str):
        return []
    return [_request(name, (value,) if function is value else (function, value, *around), source, "call_id", "id")]


def from_neutral(
    request: ToolUseContent | Mapping[str, Any], form: ToolUseFormat, tools: Iterable[ToolLike] | ToolSet | None = None
) -> Any:
    """The request in that form: a dict, or text for XML (which has no field for the id).

    Args:
        request: the request; or a dict in the neutral form.
        form: the form.
        tools: your tools, for XML: its values are text, and only the tool's schema distinguishes `3` from `"3"`.

    Raises:
        UsageError: the arguments are not JSON, or XML cannot express them; the message says which.
    """
    request = ToolUseContent.of(request)
    if form == ToolUseFormat.OPENAI:
        return call_item(request.id, request.name, request.unread or _json(request))
    if form == ToolUseFormat.XML:
        return _request_xml(request, tools if isinstance(tools, ToolSet) else ToolSet(tools or [request.name]))
    return request.to_dict()


def _json(request: ToolUseContent) -> str:
    return written_arguments(request.name, request.input, UsageError)


def _request_xml(request: ToolUseContent, tools: ToolSet) -> str:
    if request.unread:
        raise UsageError(f"the arguments {shown(request.unread)} could not be read, so they cannot be written as XML")
    try:
        return render("tool-tags", [(request.name, request.input)], tools=tools)
    except UsageError:
        # A list whose items have no schema would not be read back from tags; as JSON it is.
        whole = _json(request)
        texts = {name: value if isinstance(value, str) else written(value) for name, value in request.input.items()}
        text = render("tool-tags", [(request.name, texts)], tools=[Tool(request.name)])
        if [written(each.input) for each in read_text(text, tools)] != [whole]:
            raise
        return text


# -- results -----------------------------------------------------------------------------------------------------------


def result_from_neutral(
    result: ToolResultContent | Mapping[str, Any], form: ToolUseFormat, name: str = "", *, is_item: bool = False
) -> Any:
    """The result in that form: OpenAI's tool message, XML text, or a dict in the neutral form.

    Args:
        result: the result; or a dict in the neutral form.
        form: the form of the request.
        name: the tool's name, which is a field of OpenAI's message.
        is_item: in OpenAI's form: write an item of the Responses API (`function_call_output`), not a chat message.
    """
    result = ToolResultContent.like(result)
    if form == ToolUseFormat.XML:
        return _result_xml(result)
    if form == ToolUseFormat.OPENAI and is_item:
        return {"type": ITEM_OUTPUT, "call_id": result.tool_use_id, "output": _output(result)}
    if form == ToolUseFormat.OPENAI:
        return result_message(result.tool_use_id, name, _output(result))
    return result.to_dict()


def _output(result: ToolResultContent) -> str:
    # OpenAI's message has no field for errors, so an object marks them; images are written as their JSON.
    if result.error is not None:
        return written({"error": result.error.to_dict()})
    if result.structured_content is None:
        return _text(result)
    return written(result.structured_content)


def _text(result: ToolResultContent) -> str:
    value = result.value if result.structured_content is None else result.text
    return value if isinstance(value, str) and can_be_sent(value) else written(value)


def _result_xml(result: ToolResultContent) -> str:
    head = f"<tool_result tool_use_id={quoteattr(result.tool_use_id)} status={quoteattr(result.status)}>"
    body = escape(_text(result))
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
    """The neutral form of a result, written by `result_from_neutral` or by a server.

    Args:
        content: the result: a dict, a client's object, or XML text.

    Raises:
        UsageError: it is not a result in any of the forms.
    """
    if isinstance(content, str):
        found = _result(content)
        if found is None:
            raise UsageError(f"not a tool's result: {shown(content)}")
        own, status, text, code, message = found.groups()
        given = {"code": code, "message": unescape((message or '""')[1:-1], _ATTRIBUTE)}
        return ToolResultContent.from_dict(
            {
                "tool_use_id": unescape(own[1:-1], _ATTRIBUTE),
                "content": [text_block(unescape(text))] if text else [],
                "is_error": status == "error",
                "error": given if code else None,
            }
        )
    if field(content, "type") == "tool_result":
        return ToolResultContent.like(content)
    if field(content, "role") == "tool":
        return _from_openai_result(id_of(content, "tool_call_id") or "", field(content, "content"))
    if field(content, "type") == ITEM_OUTPUT:
        return _from_openai_result(id_of(content, "call_id") or "", field(content, "output"))
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
