# A simulated agent: a shipped stream is the model's first turn, functions in this file are its tools, and its second
# turn is written here. Does not depend on how it is shown (cli/demo.py).
#
# Only the model is simulated: the handler, the router and the history are those that a program uses with a server.
"""An agent without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from toolglean.conversation import (
    ApiHandlerOptions,
    History,
    McpIntegration,
    OpenAiHandler,
    OpenAIHistoryConverter,
    Role,
    messages_of_turn,
)
from toolglean.kit.demo import Stream, load_tools

__all__ = ["ANSWER", "QUESTION", "PlayedAgent"]

QUESTION = "Do what you think is right, with your tools."
ANSWER = ("Done", ": ", "see ", "what ", "the ", "tools ", "said", ".")
"""The second turn, which was not written by a model."""


def get_weather(location: str, unit: str = "celsius") -> dict[str, Any]:
    return {"location": location, "temperature": 7 if unit == "celsius" else 45, "unit": unit}


def calc_sum(a: float, b: float, exact: bool = False, note: str = "") -> dict[str, Any]:  # noqa: FBT001, FBT002
    return {"sum": a + b, "exact": exact, "note": note}


def send_message(to: list[str], body: str, options: dict[str, Any] | None = None) -> str:
    del options
    return f"sent {len(body)} characters to {', '.join(to)}"


def get_time() -> str:
    return "12:00"


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "get_weather": get_weather,
    "calc_sum": calc_sum,
    "send_message": send_message,
    "get_time": get_time,
}


class _Played:
    """A client of OpenAI's chat API that plays turns, token by token."""

    def __init__(self, turns: Iterable[Iterable[str]]) -> None:
        self._turns = iter(turns)
        self.chat = self.completions = self

    async def create(self, **_: Any) -> AsyncIterator[dict[str, Any]]:
        return self._stream(next(self._turns))

    async def _stream(self, tokens: Iterable[str]) -> AsyncIterator[dict[str, Any]]:
        for token in tokens:
            yield {"choices": [{"index": 0, "delta": {"content": token}}]}


class PlayedAgent:
    """An agent whose model plays a shipped stream.

    Args:
        stream: its first turn.
    """

    def __init__(self, stream: Stream) -> None:
        mcp = McpIntegration()
        for tool in load_tools():
            mcp.register_tool(FUNCTIONS[tool["function"]["name"]], tool)
        played = _Played([stream.tokens, ANSWER])
        self.handler = OpenAiHandler(ApiHandlerOptions(open_ai_model_id="played"), client=played, mcp=mcp)
        self.history = History(system_message="You are a helpful assistant.")
        self.history.add_message(Role.USER, QUESTION)

    async def turn(self) -> AsyncIterator[dict[str, Any]]:
        """Play one turn; the parts of it, as the `create_message` of `toolglean.conversation` yields them."""
        parts: list[dict[str, Any]] = []
        async for part in self.handler.create_message(self.history.system_message or "", self.history):
            parts.append(part)
            yield part
        self.history.conversation += messages_of_turn(parts)

    @property
    def wants_another_turn(self) -> bool:
        """Whether tools were run whose results the model has not seen."""
        return self.history.conversation[-1].role == Role.TOOL

    def request(self) -> list[dict[str, Any]]:
        """The messages of the next request."""
        return OpenAIHistoryConverter().from_history(self.history)
