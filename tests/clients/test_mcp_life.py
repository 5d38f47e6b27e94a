"""Connections to MCP servers: how they start, stop and die."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs toolglean[mcp]")

from mcp import StdioServerParameters

from tests.clients.mcp_tools import make_server
from tests.clients.mcp_ways import SCRIPT, WAYS, connected, on_http
from tests.clients.test_mcp import everything_is_answered
from toolglean import UsageError
from toolglean.clients.mcp import EmbeddedMcpServer, McpServerError


def test_not_started() -> None:
    server = EmbeddedMcpServer(make_server())
    with pytest.raises(UsageError, match="has not been started"):
        asyncio.run(server.execute_tool("add", {"a": 1}))
    asyncio.run(server.stop())  # nothing to do


async def test_start_and_stop_from_different_tasks_and_again() -> None:
    server = EmbeddedMcpServer(make_server())
    for _ in range(2):
        await asyncio.create_task(server.start())
        await server.start()
        result = await asyncio.create_task(server.execute_tool("add", {"a": 1}))
        assert result.text == "2"
        await asyncio.create_task(server.stop())
        await server.stop()


async def test_starts_and_stops_at_the_same_time() -> None:
    server = EmbeddedMcpServer(make_server())
    await asyncio.gather(server.start(), server.start())
    assert (await server.execute_tool("add", {"a": 1})).text == "2"
    await asyncio.gather(server.stop(), server.stop(), server.start())
    assert (await server.execute_tool("add", {"a": 1})).text == "2"
    await server.stop()
    assert [each for each in asyncio.all_tasks() if each is not asyncio.current_task()] == []


@pytest.mark.parametrize(
    "server",
    ["http://127.0.0.1:9/mcp", StdioServerParameters(command=sys.executable, args=["-c", ""])],
    ids=["nobody listens", "a program that ends"],
)
async def test_a_server_that_is_not_there(server: Any) -> None:
    with pytest.raises(McpServerError, match=r"server=.* cannot be reached: ") as caught:
        await EmbeddedMcpServer(server).start()
    assert caught.value.__cause__ is not None
    assert isinstance(caught.value, ConnectionError)


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    silent = StdioServerParameters(command=sys.executable, args=["-c", "import sys; sys.stdin.read()"])
    server = EmbeddedMcpServer(silent)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(server.start(), 0.1)
    assert [each for each in asyncio.all_tasks() if each is not asyncio.current_task()] == []


async def test_a_server_that_dies_in_a_call() -> None:
    async with EmbeddedMcpServer(SCRIPT, read_timeout=5) as server:
        other = asyncio.create_task(server.execute_tool("hang", {}))
        await asyncio.sleep(0.05)
        for result in (await server.execute_tool("die", {}), await other, await server.execute_tool("add", {"a": 1})):
            assert result.is_error
            assert "closed" in result.text.lower()
        await server.stop()
        await server.start()
        await everything_is_answered(server)  # it can be started anew


async def test_an_http_server_that_goes_away() -> None:
    with on_http() as (url, running):
        async with EmbeddedMcpServer(url, read_timeout=5) as server:
            assert (await server.execute_tool("add", {"a": 1})).text == "2"
            running.should_exit = running.force_exit = True
            await asyncio.sleep(0.2)
            result = await server.execute_tool("add", {"a": 1}, tool_use_id="x")
            assert (result.is_error, result.tool_use_id) == (True, "x")


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_under_way_at_the_stop_gets_an_error(way: str) -> None:
    async with connected(way) as server:
        calling = asyncio.create_task(server.execute_tool("hang", {}))
        await asyncio.sleep(0.05)
    assert (await asyncio.wait_for(calling, 5)).is_error
