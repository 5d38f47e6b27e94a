# What the tests of both clients ask, and how: of Ollama's, and of those for OpenAI's chat API.
# Does not depend on what is answered.
"""Two clients, two tools, and a question in every form."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.support.loopback import Call, Turn
from toolglean.llm import CallableTool, Message, Ollama, OpenAICompatible, RetryPolicy

__all__ = [
    "HI", "KINDS", "LEAKED", "ONCE", "OSLO", "OWN", "PARALLEL", "SOON", "TOOLS", "WAYS", "WEATHER", "Served", "ask",
    "every_form", "get_weather", "new",
]  # fmt: skip

Served: TypeAlias = Ollama | OpenAICompatible

HI = [Message.from_str("Is it cold?")]
ONCE = RetryPolicy(attempts=1)
SOON = RetryPolicy(attempts=3, wait=0, max_wait=0)
KINDS = ("Ollama", "OpenAICompatible")


def get_weather(city: str, days: int = 1) -> dict[str, Any]:
    """The weather.

    Args:
        city: where
        days: how long
    """
    return {"city": city, "days": days}


def boom() -> None:
    """Fails."""
    raise RuntimeError("no weather today")


WEATHER, BOOM = CallableTool.from_function(get_weather), CallableTool.from_function(boom)
TOOLS = [WEATHER, BOOM]
OSLO = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
OWN = Call("get_weather", {"city": "Oslo"})
PARALLEL = Turn([], [OWN, OWN, Call("boom", {})])
LEAKED = Turn(list(OSLO * 2 + '<tool_call>{"name": "boom", "arguments": {}}</tool_call>'))


def new(kind: str, url: str, **options: Any) -> Served:
    """A client of that kind, which asks once unless it is told otherwise."""
    if kind == "Ollama":
        return Ollama("m", base_url=url, **{"retry": ONCE, **options})
    return OpenAICompatible("m", base_url=f"{url}/v1", **{"retry": ONCE, **options})


WAYS = ["call", "acall", "stream_call", "astream_call", "await astream_call"]


def ask(function: Any, url: str, way: str, **variables: Any) -> Any:
    """The last object that an orchestrator returns in this way."""
    if way == "call":
        return function(**variables)
    if way == "stream_call":
        *_, last = function.stream_call(**variables)
        return last

    async def run() -> Any:
        # A client belongs to its loop.
        before = function._llm
        async with new(type(before).__name__, url, system_prompt=before.system_prompt) as own:
            function._llm = own
            if way == "acall":
                return await function.acall(**variables)
            steps = function.astream_call(**variables)
            found = [each async for each in (await steps if way.startswith("await") else steps)]
            return found[-1]

    return asyncio.run(run())


def every_form(kind: str, url: str, **options: Any) -> list[Callable[[], Any]]:
    """The same question in all four forms."""

    def whole() -> Any:
        with new(kind, url, **options) as own:
            return own.chat(HI)

    def steps() -> Any:
        with new(kind, url, **options) as own:
            return list(own.stream_chat(HI))

    async def awhole() -> Any:
        async with new(kind, url, **options) as own:
            return await own.achat(HI)

    async def asteps() -> Any:
        async with new(kind, url, **options) as own:
            return [step async for step in own.astream_chat(HI)]

    return [whole, steps, lambda: asyncio.run(awhole()), lambda: asyncio.run(asteps())]
