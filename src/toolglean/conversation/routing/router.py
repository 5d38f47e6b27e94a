# What this file knows: the way of a request, in whatever form it came, and back.
# What it must not know: how a form is read (convert.py), how a tool is run (system.py).
"""From a request in any form to its result in the same form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, overload

from toolglean.conversation.messages.wire import field, json_of
from toolglean.conversation.routing.convert import ID_KEYS, is_item, result_from_neutral, to_neutral
from toolglean.conversation.routing.detect import ToolUseFormat, detect_format
from toolglean.conversation.routing.neutral import ToolResultContent, ToolUseContent
from toolglean.conversation.routing.system import UnifiedMcpToolSystem, said
from toolglean.errors import UsageError
from toolglean.events import ToolCall

__all__ = ["McpToolRouter"]

_Writer: TypeAlias = Callable[[ToolResultContent, str], Any]


class McpToolRouter:
    """Routes requests for tools.

    Args:
        system: who runs them.
    """

    def __init__(self, system: UnifiedMcpToolSystem) -> None:
        self.system = system
        self._made = 0  # ids

    @overload
    async def route_tool_use(self, content: ToolCall | ToolUseContent) -> ToolResultContent: ...
    @overload
    async def route_tool_use(self, content: Any) -> Any: ...
    async def route_tool_use(self, content: Any) -> Any:
        """Run what the content asks for.

        Args:
            content: a `ToolCall` from a parser; a `ToolUseContent`, or MCP's own; a dict in the neutral form, in
                OpenAI's form, or in JSON with `name` and `input`; text with XML, JSON, or a call in any format of the
                library; or a list of these. An unfinished call (a `ToolCall` whose status is not "ok", an item of the
                Responses API in progress) is not run: its result is the error "bad_arguments".

        Returns:
            The result in the form of the request: a `ToolResultContent` for a `ToolCall` or an object of the neutral
            form; OpenAI's tool message, or the Responses API's item; text for XML; otherwise a dict in the neutral
            form. If the content asks for several, they are run one after another, and a list of results is returned in
            the same order. A request without an id gets one (`tool_0`, …). Errors are results too: "bad_request" if the
            content is not a request, with the id "error" if it has none.

        Raises:
            asyncio.CancelledError: the caller was cancelled. Nothing else.
        """
        try:
            form = detect_format(content)
            tools = self.system.tools if isinstance(content, str) else None
            requests = to_neutral(content, tools, form)
            write = _writer(content, form)
        except Exception as error:  # noqa: BLE001  # whatever was handed in: the answer is a result
            return self._refused(content, error)
        answers = [await self._answered(request, write) for request in requests]
        return answers[0] if len(answers) == 1 else answers

    async def _answered(self, request: ToolUseContent, write: _Writer) -> Any:
        if not request.id:
            request.id = f"tool_{self._made}"
            self._made += 1
        try:
            return write(await self.system.execute_tool_from_neutral_format(request), request.name)
        except Exception as error:  # noqa: BLE001  # a system of another kind; a result that is not JSON
            message = f"{request.name!r} failed: {said(error)}"
            return write(ToolResultContent.failed(request.id, "tool_failed", message), request.name)

    def _refused(self, content: Any, error: Exception) -> Any:
        found = json_of(content.strip()) if isinstance(content, str) else content
        known = next((str(each) for key in ID_KEYS if isinstance(each := _read(found, key), str | int)), "")
        message = str(error) if isinstance(error, UsageError) else said(error)
        result = ToolResultContent.failed(known or "error", "bad_request", message)
        try:
            return _writer(content, detect_format(content))(result, "")
        except Exception:  # noqa: BLE001  # an object that cannot even be looked at
            return result.to_dict()


def _writer(content: Any, form: ToolUseFormat) -> _Writer:
    # Of a result and the tool's name it makes what answers that content.
    if _is_neutral_object(content):
        return lambda result, _: result
    found = json_of(content.strip()) if isinstance(content, str) else content
    item = form == ToolUseFormat.OPENAI and is_item(found)
    return lambda result, name: result_from_neutral(result, form, name, is_item=item)


def _read(holder: Any, key: str) -> Any:
    try:
        return field(holder, key)
    except Exception:  # noqa: BLE001  # a property that raises
        return None


def _is_neutral_object(content: Any) -> bool:
    if isinstance(content, list | tuple):
        return bool(content) and all(isinstance(each, ToolCall) for each in content)
    return isinstance(content, ToolCall) or (not isinstance(content, dict) and _read(content, "type") == "tool_use")
