"""Tools of MCP servers: in memory, by stdio, and by streamable HTTP, with the real mcp package on both sides."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs toolglean[mcp]")

from mcp.server import MCPServer

from tests.clients import mcp_tools
from tests.clients.mcp_tools import make_server
from tests.clients.mcp_ways import WAYS, connected
from toolglean import Parser, Tool, UsageError
from toolglean.clients.mcp import EmbeddedMcpServer
from toolglean.conversation.calls import ToolResultContent


def call(name: str, given: Any, *, way: str = "memory", **options: Any) -> ToolResultContent:
    async def one() -> ToolResultContent:
        async with connected(way) as server:
            return await server.execute_tool(name, given, tool_use_id="id", **options)

    return asyncio.run(one())


# -- what a call comes to ----------------------------------------------------------------------------------------------

TEXT = {"type": "text", "text": "one"}
IMAGE = {"type": "image", "data": "YWJj", "mimeType": "image/png"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "inner", "mimeType": "text/plain"}}

RESULTS: dict[str, tuple[str, Any, list[dict[str, Any]] | None, Any]] = {
    # what: (tool, input, blocks or None for any, structured content)
    "a number": ("add", {"a": 2}, [{"type": "text", "text": "3"}], {"result": 3}),
    "structured": ("where", {"point": {"x": 1}}, None, {"sum": 1.5, "name": "Tromsø"}),
    "a list": ("names", {}, [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], {"result": ["a", "b"]}),
    "an image": ("picture", None, [IMAGE], None),
    "blocks": ("mixed", "", [TEXT, IMAGE, RESOURCE], None),
    "JSON text": ("add", '{"a": 2, "b": 3}', [{"type": "text", "text": "5"}], {"result": 5}),
    "an object as text": ("where", {"point": '{"x": "1", "y": "2"}'}, None, {"sum": 3, "name": "Tromsø"}),
}

FAULTS: dict[str, tuple[str, Any, str, str]] = {
    # what: (tool, input, code, part of the text)
    "the tool raises": ("boom", {}, "tool_failed", "boom"),
    "unknown tool": ("nope", {}, "unknown_tool", "Tool 'nope' not found. The tools are: kinds, either, add,"),
    "part of a name": ("ad", {}, "unknown_tool", "Tool 'ad' not found"),
    "a list as arguments": ("add", [1], "bad_arguments", "not a JSON object"),
    "text as arguments": ("add", "a=1", "bad_arguments", "not a JSON object"),
    "an argument missing": ("add", {}, "tool_failed", "Field required"),
    "an argument that does not fit": ("add", {"a": "two"}, "tool_failed", "valid integer"),
}


async def everything_is_answered(server: EmbeddedMcpServer) -> None:
    for what, (name, given, blocks, structured) in RESULTS.items():
        result = await server.execute_tool(name, given, tool_use_id=what)
        assert not result.is_error, (what, result)
        assert (result.tool_use_id, result.error, result.structured_content) == (what, None, structured)
        assert blocks in (None, result.content), what
    for what, (name, given, code, text) in FAULTS.items():
        result = await server.execute_tool(name, given, tool_use_id=what)
        assert result.is_error, (what, result)
        assert result.tool_use_id == what
        assert result.error is not None
        assert result.error.code == code, (what, result)
        assert text in result.text, (what, result)
    at_once = await asyncio.gather(*(server.execute_tool("add", {"a": n}) for n in range(20)))
    assert [each.text for each in at_once] == [str(n + 1) for n in range(20)]


@pytest.mark.parametrize("way", WAYS)  # by stdio: test_mcp_life.py, which starts such a server
async def test_calls(way: str) -> None:
    async with connected(way) as server:
        await everything_is_answered(server)


@pytest.mark.parametrize("way", WAYS)
async def test_progress_and_a_tool_that_hangs(way: str) -> None:
    told: list[Any] = []

    async def tell(*what: Any) -> None:
        told.append(what)

    async with connected(way, read_timeout=30) as server:
        await server.execute_tool("steps", {}, progress=lambda *what: told.append(what))
        await server.execute_tool("steps", {}, progress=tell)
        for _ in range(100):  # over a wire, the last report may come after the result
            if len(told) == 4:
                break
            await asyncio.sleep(0.01)
        assert sorted(told) == [(1, 2, "half")] * 2 + [(2, 2, "done")] * 2
        hung = await server.execute_tool("hang", {}, tool_use_id="h", timeout=0.05)
        assert hung.error is not None
        assert (hung.tool_use_id, hung.error.code, hung.is_error) == ("h", "timeout", True)
        assert (await server.execute_tool("add", {"a": 1})).text == "2", "the connection goes on"


@pytest.mark.parametrize("way", ["memory", "http"])
def test_a_progress_function_that_raises_does_not_reach_the_call(way: str) -> None:
    def tell(*_: Any) -> None:
        raise ValueError

    assert call("steps", {}, way=way, progress=tell).text == "ok"


@pytest.mark.parametrize("way", WAYS)
async def test_a_cancelled_call_is_cancelled(way: str) -> None:
    async with connected(way) as server:
        calling = asyncio.create_task(server.execute_tool("hang", {}))
        await asyncio.sleep(0.05)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert (await server.execute_tool("add", {"a": 1})).text == "2", "the connection goes on"


async def test_the_timeout_of_the_constructor() -> None:
    async with connected(read_timeout=0.05) as server:
        error = (await server.execute_tool("hang", {})).error
    assert error is not None
    assert error.code == "timeout"


async def test_a_tool_that_cancels_itself_does_not_cancel_the_caller() -> None:
    async with EmbeddedMcpServer() as server:

        @server.tool()
        async def gone() -> str:
            raise asyncio.CancelledError

        assert (await server.execute_tool("gone", {})).is_error


# -- arguments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "came"),
    [
        ({"n": "2", "s": "2"}, "2 '2' False None None"),
        ({"n": " 2 ", "s": "true"}, "2 'true' False None None"),
        ({"n": "2.0", "s": '{"a": 1}'}, """2 '{"a": 1}' False None None"""),
        ({"n": 2, "s": "", "b": "true"}, "2 '' True None None"),
        ({"n": 2, "s": "x", "b": "False", "o": '{"a": "1"}'}, "2 'x' False {'a': '1'} None"),
        ({"n": 2, "s": "x", "o": "null", "l": "[1, 2]"}, "2 'x' False None [1, 2]"),
        ({"n": 2, "s": "x", "l": ["1", 2]}, "2 'x' False None [1, 2]"),
        ({"n": 2, "s": "x", "l": '["1", "2"]'}, "2 'x' False None [1, 2]"),
    ],
)
def test_texts_become_what_the_schema_asks_for(given: dict[str, Any], came: str) -> None:
    assert call("kinds", given).text == came


def test_a_text_stays_a_text_where_one_is_allowed() -> None:
    assert call("either", {"value": "2"}).text == "'2'"
    assert call("either", {"value": 2}).text == "2"


# -- the list of tools -------------------------------------------------------------------------------------------------


async def test_tools_are_there_before_the_start_and_change_with_the_server() -> None:
    server = EmbeddedMcpServer()
    assert isinstance(server.server, MCPServer)
    assert not list(server.tools)

    @server.tool(description="Weather of a city.")
    def get_weather(city: str) -> str:
        return f"cold in {city}"

    server.add_tool(mcp_tools.add)
    assert list(server.tools.names) == ["get_weather", "add"]
    assert server.tools.get("get_weather") == Tool(
        "get_weather",
        {
            "type": "object",
            "properties": {"city": {"title": "City", "type": "string"}},
            "required": ["city"],
            "title": "get_weatherArguments",
        },
        "Weather of a city.",
    )
    assert server.openai_tools[1]["function"]["name"] == "add"
    assert server.openai_tools[1]["function"]["parameters"]["required"] == ["a"]
    server.remove_tool("add")
    assert list(server.tools.names) == ["get_weather"]
    assert get_weather("Oslo") == "cold in Oslo"
    async with server:
        server.add_tool(mcp_tools.add)
        assert list(server.tools.names) == ["get_weather", "add"]
        assert (await server.execute_tool("add", {"a": 1})).text == "2"
        server.remove_tool("add")
        assert (await server.execute_tool("add", {"a": 1})).is_error


def test_the_tools_are_what_a_parser_takes() -> None:
    server = EmbeddedMcpServer(make_server())
    parser = Parser(server.tools, format="hermes")
    output = parser.add('<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>')
    assert [(each.name, each.known) for each in output.calls] == [("add", True)]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "memory, older protocol"])
async def test_the_list_is_refreshed_when_the_server_says_so(way: str) -> None:
    async with connected(way) as server:
        assert server.tools.names == tuple(each.__name__ for each in mcp_tools.TOOLS)
        await server.execute_tool("grow", {})
        for _ in range(200):
            if "grown" in server.tools:
                break
            await asyncio.sleep(0.01)
        assert "grown" in server.tools


async def test_a_tool_added_behind_our_back_is_found_when_it_is_called() -> None:
    own = make_server()
    async with EmbeddedMcpServer(own) as server:
        own.add_tool(lambda: "new", name="late", description="")
        assert "late" not in server.tools
        result = await server.execute_tool("late", {})
        assert "late" in server.tools
        assert await server.refresh() == server.tools
        assert result.text == "new"


def test_only_a_server_of_this_process_takes_tools() -> None:
    server = EmbeddedMcpServer("http://127.0.0.1:9/mcp")
    assert not list(server.tools)
    for change in (lambda: server.add_tool(print), lambda: server.remove_tool("x"), server.tool):
        with pytest.raises(UsageError, match="only be added to an MCPServer in this process"):
            change()
