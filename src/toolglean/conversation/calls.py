# What this file knows: a request for a tool and its result, in the shape of MCP's `ToolUseContent` and
# `ToolResultContent` (mcp 2.3).
# Does not depend on how other forms write them, or on what runs the tool.
"""The neutral form of a tool's use and of its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from toolglean.conversation.fields import arguments_of, id_of, text_in, unrunnable, written
from toolglean.conversation.fields import field as field_of
from toolglean.conversation.messages import ContentPartToolCall, ContentPartToolResult
from toolglean.events import ToolCall

__all__ = [
    "ErrorCode",
    "ToolFault",
    "ToolResultContent",
    "ToolUseContent",
    "text_block",
    "unread_of",
]

ErrorCode: TypeAlias = Literal["bad_request", "unknown_tool", "bad_arguments", "tool_failed", "timeout"]
"""Why there is no result: `ToolFault` explains each code."""


def text_block(text: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": text}


_UNFINISHED = frozenset({"incomplete", "malformed", "in_progress"})
"""The `status` of calls that must not be run, in toolglean and in the Responses API."""


def unread_of(call: Any, *texts: Any) -> str:
    """The text of the arguments of a call that must not be run; "" if the call may be run.

    Args:
        call: a dict or an object with a `status`, or with `unread` arguments.
        texts: the arguments, if neither `unread` nor `arguments_text` has them; the first that is not empty is used.
    """
    status, unread = field_of(call, "status"), text_in(call, "unread")
    if isinstance(status, str) and status in _UNFINISHED:
        return unrunnable(unread or field_of(call, "arguments_text") or next(filter(None, texts), ""), status)
    return unrunnable(unread, "unread") if unread else ""


@dataclass(slots=True)
class ToolUseContent:
    """A request to use a tool.

    Attributes:
        name: the tool's name.
        id: the id to which the result refers; "" if there is none.
        input: the arguments.
        unread: the text of the arguments, if it is not a JSON object; or the whole request, if it does not name a tool
            (`name` is then ""). In both cases no tool is run.
        type: "tool_use".
    """

    name: str
    id: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    unread: str = ""
    type: Literal["tool_use"] = "tool_use"

    @classmethod
    def of(cls, found: Any) -> ToolUseContent:
        """Make one from `found`: a `ToolCall`, a `ContentPartToolCall`, a dict in the neutral form, or an object like
        MCP's own; a `ToolUseContent` is returned unchanged. Never raises. If the call is not finished, its text is in
        `unread`.
        """
        if isinstance(found, ToolUseContent):
            return found
        given = field_of(found, "input")
        arguments: dict[str, Any] = {}
        unread = unread_of(found)
        if not unread:
            arguments, unread = arguments_of(field_of(found, "arguments") if given is None else given)
        return cls(text_in(found, "name"), id_of(found) or "", arguments, unread)

    @classmethod
    def of_call(cls, call: ToolCall) -> ToolUseContent:
        """Make one from a parser's `call`. If the call is not finished, its text is in `unread`: no tool is run."""
        return cls.of(call)

    def to_dict(self) -> dict[str, Any]:
        """A dict in MCP's shape. Unreadable arguments are written as text, never as `{}`, which could be run."""
        return {"type": self.type, "id": self.id, "name": self.name, "input": self.unread or self.input}


@dataclass(slots=True)
class ToolFault:
    """Why there is no result.

    Attributes:
        code: "bad_request": not a request, or no tool is named; "unknown_tool"; "bad_arguments": the arguments cannot
            be read, or do not match the tool's schema; "tool_failed": the tool raised an exception or reported a
            failure; "timeout".
        message: what happened, in words that a model can act on.
    """

    code: ErrorCode
    message: str

    def to_dict(self) -> dict[str, str]:
        """The fault as a dict."""
        return {"code": self.code, "message": self.message}


@dataclass(slots=True)
class ToolResultContent:
    """The result of a request.

    Attributes:
        tool_use_id: the request's id; "error" if it had none and could not be understood.
        content: blocks: `{"type": "text", "text": …}`, images and resources as in MCP.
        structured_content: the result as a JSON value, if the tool returned one.
        is_error: whether the tool was not run, or failed.
        error: the reason; None if `is_error` is False.
        type: "tool_result".
    """

    tool_use_id: str
    content: list[dict[str, Any]] = field(default_factory=list)
    structured_content: Any = None
    is_error: bool = False
    error: ToolFault | None = None
    type: Literal["tool_result"] = "tool_result"

    @classmethod
    def failed(cls, tool_use_id: str, code: ErrorCode, message: str) -> ToolResultContent:
        """An error as the result of the request `tool_use_id`: its `code`, and a `message` that a model can act on."""
        return cls(tool_use_id, [text_block(message)], None, is_error=True, error=ToolFault(code, message))

    @classmethod
    def of(cls, tool_use_id: str, value: Any) -> ToolResultContent:
        """Make the result of the request `tool_use_id` from the `value` that a tool returned: a string becomes text,
        any other JSON value becomes text and `structured_content`, and anything else becomes what `str` makes of it.
        """
        if isinstance(value, ToolResultContent):
            return value
        if isinstance(value, str):
            return cls(tool_use_id, [text_block(value)])
        try:
            text = written(value)
        except (TypeError, ValueError, RecursionError):
            return cls(tool_use_id, [text_block(str(value))])
        return cls(tool_use_id, [text_block(text)], value)

    @property
    def status(self) -> Literal["success", "error"]:
        """Either "success" or "error"."""
        return "error" if self.is_error else "success"

    @property
    def text(self) -> str:
        """Its text blocks, joined by line breaks."""
        return "\n".join(block["text"] for block in self.content if isinstance(block.get("text"), str))

    @property
    def value(self) -> Any:
        """The value for the model: the structured result if there is one, otherwise the text; other blocks (such as an
        image) unchanged.
        """
        if self.structured_content is not None:
            return self.structured_content
        return self.text if all(block.get("type") == "text" for block in self.content) else self.content

    def part(self, call: ContentPartToolCall) -> ContentPartToolResult:
        """The result of `call` as a part of a message in the history."""
        return ContentPartToolResult(call.name, self.value, call.id)

    def to_dict(self) -> dict[str, Any]:
        """A dict in MCP's shape, with `status`, and with `error` if there is one."""
        found: dict[str, Any] = {
            "type": self.type,
            "tool_use_id": self.tool_use_id,
            "content": self.content,
            "is_error": self.is_error,
            "status": self.status,
        }
        if self.structured_content is not None:
            found["structured_content"] = self.structured_content
        if self.error is not None:
            found["error"] = self.error.to_dict()
        return found

    @classmethod
    def like(cls, found: Any) -> ToolResultContent:
        """Make one from `found`, a dict in the neutral form or an object like MCP's own; a `ToolResultContent` is
        returned unchanged. Never raises.
        """
        if isinstance(found, ToolResultContent):
            return found
        dump = getattr(found, "model_dump", None)
        given = dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else found
        return cls.from_dict(given if isinstance(given, Mapping) else {})

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> ToolResultContent:
        """Read `found`, which `to_dict` wrote; MCP's spelling (`toolUseId`, `isError`, …) is read too. Never raises."""
        blocks = found.get("content")
        if isinstance(blocks, str):
            blocks = [text_block(blocks)]
        content = (
            [dict(block) for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, Iterable) else []
        )
        failed = bool(found.get("is_error", found.get("isError", found.get("status") == "error")))
        given = found.get("error")
        given = given if isinstance(given, Mapping) else {}
        text = "\n".join(str(block["text"]) for block in content if "text" in block)
        code = _CODES.get(str(given.get("code")), "tool_failed")
        error = ToolFault(code, str(given.get("message", text))) if failed else None
        structured = found.get("structured_content", found.get("structuredContent"))
        own = found.get("tool_use_id", found.get("toolUseId"))
        return cls(own if isinstance(own, str) else "", content, structured, is_error=failed, error=error)


_CODES: Mapping[str, ErrorCode] = {code: code for code in get_args(ErrorCode)}
