# An MCP server with a tool for each thing that can happen.
# Does not depend on toolglean. It is also run as a program.
"""The server of the MCP tests: `make_server()`, or `python mcp_tools.py` on stdio."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.tools import Tool
from mcp.types import EmbeddedResource, ImageContent, TextContent, TextResourceContents
from pydantic import BaseModel


class Point(BaseModel):
    x: int
    y: float = 0.5


def kinds(n: int, s: str, b: bool = False, o: dict[str, Any] | None = None, l: list[int] | None = None) -> str:  # noqa: FBT002
    """Says what kind of value each argument was when it came."""
    return f"{n!r} {s!r} {b!r} {o!r} {l!r}"


def either(value: int | str) -> str:
    """Takes a number or a text."""
    return repr(value)


def add(a: int, b: int = 1) -> int:
    """Adds two numbers."""
    return a + b


def where(point: Point) -> dict[str, Any]:
    """Structured in, structured out."""
    return {"sum": point.x + point.y, "name": "Tromsø"}


def names() -> list[str]:
    """A list."""
    return ["a", "b"]


def picture() -> Image:
    """An image."""
    return Image(data=b"abc", format="png")


def mixed() -> list[TextContent | ImageContent | EmbeddedResource]:
    """Blocks of all kinds."""
    inner = TextResourceContents(uri="file:///a", text="inner", mime_type="text/plain")
    return [
        TextContent(type="text", text="one"),
        ImageContent(type="image", data="YWJj", mime_type="image/png"),
        EmbeddedResource(type="resource", resource=inner),
    ]


def boom() -> str:
    """Raises."""
    raise ValueError("the reason")


async def hang() -> str:
    """Never answers."""
    await asyncio.sleep(60)
    return "late"


async def steps(ctx: Context) -> str:
    """Reports its progress."""
    await ctx.report_progress(1, 2, "half")
    await ctx.report_progress(2, 2, "done")
    return "ok"


async def grow(ctx: Context) -> str:
    """Adds a tool to the server, which tells of it."""
    ctx.mcp_server.add_tool(lambda: "new", name="grown", description="")
    await ctx.notify_tools_changed()
    return "ok"


def die() -> str:
    """Ends the process."""
    os._exit(1)


TOOLS = (kinds, either, add, where, names, picture, mixed, boom, hang, steps, grow, die)


@cache  # the schemas of a dozen tools: a test in memory takes no longer than these
def _tools() -> list[Tool]:
    return [Tool.from_function(each, structured_output=False if each is mixed else None) for each in TOOLS]


def make_server() -> MCPServer[Any]:
    return MCPServer("tools", tools=_tools(), log_level="CRITICAL")


if __name__ == "__main__":
    make_server().run("stdio")
