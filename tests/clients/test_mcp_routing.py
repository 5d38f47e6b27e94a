"""Requests in every form, routed to a real MCP server, and their results in the same form."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs toolglean[mcp]")

from mcp.types import ToolUseContent as McpToolUse

from tests.clients.mcp_ways import WAYS, connected
from toolglean import Parser
from toolglean.clients.mcp import EmbeddedMcpServer
from toolglean.conversation import McpIntegration, ToolResultContent, ToolUseContent
from toolglean.kit.demo import load_streams, load_tools


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
        xml = await route("<add>\n<a>2</a>\n<b>5</b>\n</add>")
        assert 'status="success"' in xml
        assert "\n7\n" in xml


def test_several_calls_of_one_message_all_run() -> None:
    found = routed({"tool_calls": [openai_call("add", '{"a": 1}', "c1"), openai_call("add", '{"a": 1}', "c2")]})
    assert [(each["tool_call_id"], json.loads(each["content"])) for each in found] == [
        ("c1", {"result": 2}),
        ("c2", {"result": 2}),
    ]


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


def test_arguments_that_cannot_be_read_reach_no_server() -> None:
    message = routed({"tool_calls": [openai_call("add", '{"a": 1')]})
    assert "JSON" in message["content"]


async def test_cancelling_the_caller_goes_through() -> None:
    async with connected() as server:
        routing = asyncio.create_task(McpIntegration(server).route_tool_use(ToolUseContent("hang", "x", {})))
        await asyncio.sleep(0.05)
        routing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await routing


@pytest.mark.parametrize("stream", load_streams(), ids=lambda each: each.name)
async def test_from_a_recorded_stream_to_the_tool(stream: Any) -> None:
    # What the model wrote, parsed token by token, is what the tool gets; each call once, in order.
    got: list[tuple[str, dict[str, Any]]] = []

    async with EmbeddedMcpServer(tools_of_the_streams(got)) as server:
        route = McpIntegration(server).route_tool_use
        parser = Parser(load_tools(), format=stream.name)
        calls = [call for token in stream.tokens for call in parser.add(token).calls] + parser.close().calls
        results = [await route(ToolUseContent(call.name, call.id, call.arguments)) for call in calls]
    assert got == [(each["name"], each["arguments"]) for each in stream.calls]
    assert not [each for each in results if each.is_error]


def tools_of_the_streams(got: list[tuple[str, dict[str, Any]]]) -> Any:
    from mcp import types  # noqa: PLC0415 - only this server is so low
    from mcp.server import Server  # noqa: PLC0415

    async def list_tools(*_: Any) -> types.ListToolsResult:
        found = [each["function"] for each in load_tools()]
        return types.ListToolsResult(
            tools=[types.Tool(name=each["name"], input_schema=each["parameters"]) for each in found]
        )

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        got.append((params.name, params.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    return Server("streams", on_list_tools=list_tools, on_call_tool=call_tool)
