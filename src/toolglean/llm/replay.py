# What this file knows: how to replace an Ollama server, so that a program can be shown and tested without one.
# Does not depend on what the turns contain.
"""A client that replays turns instead of asking a server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import ollama

__all__ = ["AsyncReplayClient", "ReplayClient"]


def _chunks(turn: str | Sequence[str]) -> Iterator[ollama.ChatResponse]:
    pieces = [turn[place : place + 4] for place in range(0, len(turn), 4)] if isinstance(turn, str) else turn
    for piece in pieces:
        yield ollama.ChatResponse(model="replay", done=False, message=ollama.Message(role="assistant", content=piece))
    end = ollama.Message(role="assistant", content="")
    yield ollama.ChatResponse(model="replay", done=True, done_reason="stop", message=end)


def _whole(turn: str | Sequence[str]) -> ollama.ChatResponse:
    message = ollama.Message(role="assistant", content="".join(turn))
    return ollama.ChatResponse(model="replay", done=True, done_reason="stop", message=message)


class ReplayClient(ollama.Client):
    """An `ollama.Client` that answers each chat with the next one of the given turns, for `Ollama("any", client=...)`.

    Args:
        turns: the turns of the model: each a text (streamed in pieces of four characters), or a list of pieces.
        delay: seconds between pieces.

    Attributes:
        requests: the arguments of each chat.
    """

    def __init__(self, turns: Iterable[str | Sequence[str]], *, delay: float = 0.0) -> None:
        self._turns = iter(turns)
        self._delay = delay
        self.requests: list[dict[str, Any]] = []

    def show(self, model: str) -> Any:
        """Raises for any `model`, because a replay has no template; the format is detected from the turn.

        Raises:
            ollama.ResponseError: always.
        """
        raise ollama.ResponseError(f"{model!r} is a replay and has no template", 404)

    def chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        """The next turn; with `stream=True` an iterator of its pieces. The other arguments go into `requests`.

        Raises:
            ollama.ResponseError: there is no turn left.
        """
        self.requests.append(request | {"args": args, "stream": stream})
        turn = next(self._turns, None)
        if turn is None:
            raise ollama.ResponseError("no turn is left to replay", 404)
        return self._played(turn) if stream else _whole(turn)

    def _played(self, turn: str | Sequence[str]) -> Iterator[ollama.ChatResponse]:
        for chunk in _chunks(turn):
            time.sleep(self._delay)
            yield chunk


class AsyncReplayClient(ollama.AsyncClient):
    """The same for `Ollama("any", async_client=...)`: see `ReplayClient`."""

    def __init__(self, turns: Iterable[str | Sequence[str]]) -> None:
        self._plain = ReplayClient(turns)
        self.requests = self._plain.requests

    async def show(self, model: str) -> Any:
        """No `model` has a template: see `ReplayClient.show`."""
        return self._plain.show(model)

    async def chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        """The next turn; with `stream=True` an iterator: see `ReplayClient.chat`."""
        found = self._plain.chat(*args, stream=stream, **request)
        return self._played(found) if stream else found

    async def _played(self, chunks: Iterator[ollama.ChatResponse]) -> AsyncIterator[ollama.ChatResponse]:
        for chunk in chunks:
            yield chunk
