# The server that leaks, and what came of a question to it.
# Does not depend on any framework.
"""A question, directly, through the transport and through the proxy."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from tests.clients.proxies import serving
from tests.frameworks.ways import FRAMEWORKS, Api, Ask, installed
from tests.support.loopback import Loopback, Turn, serve
from toolglean.clients.proxy import application

__all__ = ["ANSWER", "BROKEN", "FINAL", "LEAK", "WAYS", "Run", "Servers", "Way", "cases", "run", "servers"]

Way = Literal["direct", "transport", "proxy"]
WAYS: tuple[Way, ...] = ("direct", "transport", "proxy")
PATIENCE = 60.0

# No framework may send anything anywhere.
os.environ.update(
    OPENAI_AGENTS_DISABLE_TRACING="1",
    HAYSTACK_TELEMETRY_ENABLED="False",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    OPENAI_API_KEY="x",
    ANONYMIZED_TELEMETRY="False",
    LANGSMITH_TRACING="false",
)

CALL = '<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{}"}}}}\n</tool_call>'
LEAK = "<think>Let me look.</think>I will check.\n" + "\n".join(map(CALL.format, ("Oslo", "Rome")))
BROKEN = "I will check.\n" + CALL.format("Oslo")[:-20]
"""A call that the model did not finish."""
ANSWER = "It is sunny in Oslo and Rome."
FINAL = '<tool_call>\n{"name": "final_answer", "arguments": {"answer": "' + ANSWER + '"}}\n</tool_call>'


class Servers(NamedTuple):
    """The server that leaks, the proxy in front of it, and one event loop: some frameworks keep a client for it."""

    upstream: Loopback
    proxy: str
    loop: asyncio.Runner


@contextmanager
def servers() -> Iterator[Servers]:
    """Both, as long as the block lasts."""
    with serve() as upstream, serving(application(f"{upstream.url}/v1")) as proxy, asyncio.Runner() as loop:
        yield Servers(upstream, proxy, loop)


class Run(NamedTuple):
    """What came of a question.

    Attributes:
        calls: the cities that the tool was called with.
        answer: the last answer, as the framework gives it.
        results: how many results of the tool the server was sent.
    """

    calls: list[str]
    answer: str
    results: int

    @property
    def right(self) -> bool:
        """Whether both tools ran, once each, the server got both results, and the answer is the second turn's."""
        return sorted(self.calls) == ["Oslo", "Rome"] and self.results == 2 and self.answer.strip() == ANSWER


def run(name: str, way: Way, api: Api, *, stream: bool, among: Servers, first: str | Turn = LEAK) -> Run:
    """Ask once; the server's first answer is `first`."""
    upstream = among.upstream
    upstream._turns.clear()
    second = FINAL if name == "smolagents" else ANSWER  # its agents answer by a call, too
    upstream.play(*map(_turn, (first, second, second)))
    url = f"{among.proxy}/v1" if way == "proxy" else f"{upstream.url}/v1"
    ask = Ask(url, way == "transport", api, stream, [])

    async def asked() -> Any:
        return await asyncio.wait_for(FRAMEWORKS[name].ask(ask), PATIENCE)

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # smolagents prints what it streams
            answer = str(among.loop.run(asked()))
    except Exception as error:  # noqa: BLE001  # what a framework makes of leaked calls is what is looked at
        answer = f"{type(error).__name__}: {error}"
    return Run(ask.calls, answer, _results(upstream.requests[-1][1]))


def _turn(text: str | Turn) -> Turn:
    return Turn([text[at : at + 5] for at in range(0, len(text), 5)]) if isinstance(text, str) else text


def _results(body: Any) -> int:
    messages = (body or {}).get("messages") or (body or {}).get("input") or []
    results = [each for each in messages if each.get("role") == "tool" or each.get("type") == "function_call_output"]
    # smolagents writes both into one message of its own.
    return len(results) or sum(json.dumps(messages).count(f"It is sunny in {city}.") for city in ("Oslo", "Rome"))


def cases() -> Iterator[tuple[str, Api, bool]]:
    """(framework, API, streamed) of those that are installed."""
    for name, framework in FRAMEWORKS.items():
        if installed(framework):
            yield from ((name, api, stream) for api in framework.apis for stream in (True, False))
