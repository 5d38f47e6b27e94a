# What this file knows: a request for a tool, and what came of it, in the shape of MCP's `ToolUseContent` and
# `ToolResultContent` (mcp 2.3).
# What it must not know: how anybody else writes them, and who runs the tool.
"""The neutral form of a tool's use and of its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from toolglean.conversation.messages.wire import arguments_of, written
from toolglean.conversation.messages.wire import field as field_of
from toolglean.events import ToolCall

__all__ = [
    "ErrorCode",
    "ToolFault",
    "ToolResultContent",
    "ToolUseContent",
    "text_block",
    "unread_text",
    "why_unfinished",
]

ErrorCode: TypeAlias = Literal["bad_request", "unknown_tool", "bad_arguments", "tool_failed", "timeout"]
"""Why there is no result: `ToolFault` says what each means."""


def text_block(text: str) -> dict[str, Any]:
    """A block of content that is text."""
    return {"type": "text", "text": text}


_UNFINISHED = frozenset({"incomplete", "malformed", "in_progress"})
"""What a call's `status` says that must not be run: toolglean's own words, and those of the Responses API."""


def why_unfinished(found: Any) -> str:
    """Why a call must not be run, in a word: the `status` of a dict or an object, or "unread"; "" where it may be."""
    status = field_of(found, "status")
    if isinstance(status, str) and status in _UNFINISHED:
        return status
    unread = field_of(found, "unread")
    return "unread" if unread and isinstance(unread, str) else ""


def unread_text(why: str, text: Any) -> str:
    """The text of an unfinished call's arguments, such that nobody reads it as arguments.

    What was written before a call was cut off, or broke, may well be a whole JSON object.
    """
    text = text if isinstance(text, str) else ""
    return text if arguments_of(text)[1] else f"{why}: {text}"


@dataclass(slots=True)
class ToolUseContent:
    """A request to use a tool.

    Attributes:
        name: the tool's name.
        id: what the result will refer to; "" if there is none.
        input: the arguments.
        unread: the text of the arguments, if it is not a JSON object; or the whole request, if it does not name a tool
            (`name` is then ""). No tool is run for either.
        type: "tool_use".
    """

    name: str
    id: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    unread: str = ""
    type: Literal["tool_use"] = "tool_use"

    @classmethod
    def of(cls, found: Any) -> ToolUseContent:
        """Make one of what was `found`: a dict in the neutral form, an object like MCP's own, or a `ToolCall`; a
        `ToolUseContent` is returned unchanged. Never raises. A call that is not finished has its text in `unread`.
        """
        if isinstance(found, ToolUseContent):
            return found
        if isinstance(found, ToolCall):
            return cls.of_call(found)
        name, id = field_of(found, "name"), field_of(found, "id")  # noqa: A001  # the field's own word
        given = field_of(found, "input")
        arguments: dict[str, Any] = {}
        if why := why_unfinished(found):
            unread = unread_text(why, field_of(found, "unread") or field_of(found, "arguments_text"))
        else:
            arguments, unread = arguments_of(field_of(found, "arguments") if given is None else given)
        return cls(
            name if isinstance(name, str) else "", str(id) if isinstance(id, str | int) else "", arguments, unread
        )

    @classmethod
    def of_call(cls, call: ToolCall) -> ToolUseContent:
        """Make one from a call. If the call is not finished, its text is in `unread`, so that no tool is run for it."""
        if call.status == "ok":
            return cls(call.name, call.id, call.arguments)
        return cls(call.name, call.id, {}, unread_text(call.status, call.arguments_text))

    def to_dict(self) -> dict[str, Any]:
        """Return a dict in MCP's shape. Unreadable arguments are given as text, never as `{}`, which could be run."""
        return {"type": self.type, "id": self.id, "name": self.name, "input": self.unread or self.input}


@dataclass(slots=True)
class ToolFault:
    """Why there is no result.

    Attributes:
        code: "bad_request": not a request, or no tool is named; "unknown_tool"; "bad_arguments": unreadable, or against
            the tool's schema; "tool_failed": the tool raised an exception or reported a failure; "timeout".
        message: what happened, in words that a model can act on.
    """

    code: ErrorCode
    message: str

    def to_dict(self) -> dict[str, str]:
        """As a dict."""
        return {"code": self.code, "message": self.message}


@dataclass(slots=True)
class ToolResultContent:
    """The result of a request.

    Attributes:
        tool_use_id: the request's id; "error" if it had none and could not be understood.
        content: blocks: `{"type": "text", "text": …}`, images and resources as in MCP.
        structured_content: the result as a JSON value, if the tool returned one.
        is_error: whether the tool was not run, or failed.
        error: why; None if `is_error` is False.
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
        """An error, as the result of the request `tool_use_id`: its `code`, and a `message` that a model can act on."""
        return cls(tool_use_id, [text_block(message)], None, is_error=True, error=ToolFault(code, message))

    @classmethod
    def of(cls, tool_use_id: str, value: Any) -> ToolResultContent:
        """The result of the request `tool_use_id` that a tool's value is: text as text, any other JSON value also as
        `structured_content`.
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
        """What to tell the model: the structured result if there is one, else the text; other blocks (such as an image)
        unchanged.
        """
        if self.structured_content is not None:
            return self.structured_content
        return self.text if all(block.get("type") == "text" for block in self.content) else self.content

    def to_dict(self) -> dict[str, Any]:
        """As a dict in MCP's shape, with `status`, and `error` where there is one."""
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
        """What `found`, a dict in the neutral form or an object like MCP's own, tells; ours as it is. Never raises."""
        if isinstance(found, ToolResultContent):
            return found
        dump = getattr(found, "model_dump", None)
        given = dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else found
        return cls.from_dict(given if isinstance(given, Mapping) else {})

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> ToolResultContent:
        """Read `found`, what `to_dict` wrote, also in MCP's spelling (`toolUseId`, `isError`, …). Never raises."""
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
        id = found.get("tool_use_id", found.get("toolUseId"))  # noqa: A001  # the field's own word
        return cls(id if isinstance(id, str) else "", content, structured, is_error=failed, error=error)


_CODES: Mapping[str, ErrorCode] = {code: code for code in get_args(ErrorCode)}
