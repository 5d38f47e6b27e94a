"""Shared by the tests of routing: tools that succeed, fail and hang; junk; fragments of calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import strategies as st

from toolglean.conversation import McpIntegration

WEATHER = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
}  # fmt: skip
NEUTRAL = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}


def cancellable() -> tuple[Callable[[], Awaitable[None]], list[str]]:
    """A tool named `slow` that takes half a minute, and the list in which it says that it was cancelled."""
    seen: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    return slow, seen


def integration(**options: Any) -> McpIntegration:
    mcp = McpIntegration(**options)

    def get_weather(city: str, days: int = 1) -> Any:
        return {"city": city, "days": days}

    async def hang() -> None:
        await asyncio.sleep(30)

    async def stubborn() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)

    def boom() -> None:
        raise ValueError("no weather today")

    async def cancels_itself() -> None:
        raise asyncio.CancelledError

    def odd() -> object:
        return complex(1, 2)

    for function in (hang, stubborn, boom, cancels_itself, odd):
        mcp.register_tool(function)
    mcp.register_tool(get_weather, WEATHER)
    return mcp


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["tool_use", "get_weather", "<get_weather>", "{"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "name", "id", "input", "function", "tool_calls", "arguments", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def fragment(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:  # noqa: A002
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
