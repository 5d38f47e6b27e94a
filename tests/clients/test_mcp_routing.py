"""Requests in every form, routed to a real MCP server, and their results in the same form."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs toolglean[mcp]")

from mcp.types import ToolUseContent as McpToolUse

from tests.clients.mcp_ways import WAYS, connected
from toolglean.conversation import McpIntegration, ToolResultContent, ToolUseContent


def routed(content: Any, *, way: str = "memory", timeout: float | None = 60.0) -> Any:
    async def one() -> Any:
        async with connected(way) as server:
            return await McpIntegration(server, timeout=timeout).route_tool_use(content)

    return asyncio.run(one())


def openai_call(name: str, arguments: str, id: str = "c1") -> dict[str, Any]:  # noqa: A002
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("way", [way for way in WAYS if way != "memory, older protocol"])
async def test_every_form_reaches_the_server(way: str) -> None:
    async with connected(way) as server:
        route = McpIntegration(server).route_tool_use
        result = await route(ToolUseContent("add", "n1", {"a": 2}))
        assert isinstance(result, ToolResultContent)
        assert (result.tool_use_id, result.value) == ("n1", {"result": 3})
        result = await route(McpToolUse(type="tool_use", name="add", id="m1", input={"a": "2"}))
        assert (result.tool_use_id, result.text) == ("m1", "3")
        neutral = await route({"type": "tool_use", "id": "d1", "name": "add", "input": {"a": "2"}})
        assert (neutral["tool_use_id"], neutral["status"], neutral["is_error"]) == ("d1", "success", False)
        assert neutral["content"] == [{"type": "text", "text": "3"}]
        text = await route(json.dumps({"type": "tool_use", "id": "j1", "name": "add", "input": {"a": 2}}))
        assert (text if isinstance(text, dict) else json.loads(text))["tool_use_id"] == "j1"
        message = await route({"role": "assistant", "tool_calls": [openai_call("add", '{"a": "2"}')]})
        assert (message["role"], message["tool_call_id"], message["name"]) == ("tool", "c1", "add")
        assert json.loads(message["content"]) == {"result": 3}
        several = await route({"tool_calls": [openai_call("add", '{"a": 1}'), openai_call("add", '{"a": 1}', "c2")]})
        assert [(each["tool_call_id"], json.loads(each["content"])["result"]) for each in several] == [
            ("c1", 2),
            ("c2", 2),
        ]
        xml = await route("<add>\n<a>2</a>\n<b>5</b>\n</add>")
        assert 'status="success"' in xml
        assert "\n7\n" in xml


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("nope", {}, "unknown_tool"),
        ("add", {"a": "two"}, "bad_arguments"),
        ("add", {}, "bad_arguments"),
        ("boom", {}, "tool_failed"),
        ("hang", {}, "timeout"),
    ],
)
@pytest.mark.parametrize("way", ["memory", "http"])
def test_faults_are_results(way: str, name: str, given: Any, code: str) -> None:
    result = routed(ToolUseContent(name, "x", given), way=way, timeout=0.3 if code == "timeout" else 60.0)
    assert (result.tool_use_id, result.is_error, result.error.code) == ("x", True, code)
