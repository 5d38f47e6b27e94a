# What this file knows: how to replace a server, Ollama's or one with OpenAI's chat API, so that a program can be shown
# and tested without one.
# Does not depend on what the turns contain, or on the models that ask.
#
# `Ollama` calls `chat`, as of the ollama package's client; `OpenAICompatible` calls `build_request` and `send`, as of
# httpx's. A replay has all of them. The plain client and the asynchronous one are thin: the turns and the requests are
# in one `_Source`, which both clients of a model may share.
"""Clients that replay turns instead of asking a server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import httpx
import ollama

__all__ = ["AsyncReplayClient", "ReplayClient", "replaying"]

Turn: TypeAlias = str | Sequence[str]
NONE_LEFT = "no turn is left to replay"
NOT_FOUND = 404


class _Source:
    """The turns that are left, and the requests so far."""

    def __init__(self, turns: Iterable[Turn], delay: float) -> None:
        self.turns = iter(turns)
        self.delay = delay
        self.requests: list[dict[str, Any]] = []

    def for_chat(self, request: dict[str, Any]) -> Turn:
        self.requests.append(request)
        turn = next(self.turns, None)
        if turn is None:
            raise ollama.ResponseError(NONE_LEFT, NOT_FOUND)
        return turn

    def for_http(self, request: httpx.Request) -> Turn | None:
        self.requests.append(json.loads(request.content))
        return next(self.turns, None)


class ReplayClient(ollama.Client):
    """Answers each chat with the next one of the given turns: `Ollama("any", client=ReplayClient([turn]))`, and the
    same for `OpenAICompatible`. The asynchronous methods of that model replay the same turns.

    Args:
        turns: the turns of the model: each a text (streamed in pieces of four characters), or a list of pieces.
        delay: seconds between pieces.
    """

    def __init__(self, turns: Iterable[Turn], *, delay: float = 0.0) -> None:
        self._source = _Source(turns, delay)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests so far: the arguments of each chat of `Ollama`, or the fields that `OpenAICompatible` sent."""
        return self._source.requests

    def show(self, model: str) -> Any:
        """Raises for any `model`, because a replay has no template; the format is detected from the turn.

        Raises:
            ollama.ResponseError: always.
        """
        raise ollama.ResponseError(f"{model!r} is a replay and has no template", NOT_FOUND)

    def chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        """The next turn; with `stream=True` an iterator of its pieces. The other arguments go into `requests`.

        Raises:
            ollama.ResponseError: there is no turn left.
        """
        turn = self._source.for_chat(request | {"args": args, "stream": stream})
        return self._played(turn) if stream else _whole(turn)

    def _played(self, turn: Turn) -> Iterator[ollama.ChatResponse]:
        for piece in _pieces(turn):
            time.sleep(self._source.delay)
            yield _chunk(piece)
        yield _end()

    def build_request(self, method: str, url: str, **request: Any) -> httpx.Request:
        """`httpx.Client.build_request`, for `OpenAICompatible`.

        Args:
            method, url, request: as there.
        """
        return httpx.Request(method, url, **request)

    def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """The next turn, as a server with OpenAI's chat API sends it; with status 404 if there is no turn left.

        Args:
            request: from `build_request`.
            stream: whether the turn is sent in pieces.
        """
        turn = self._source.for_http(request)
        if turn is None or not stream:
            return _answer(turn)
        return httpx.Response(200, content=self._events(turn))

    def _events(self, turn: Turn) -> Iterator[bytes]:
        for piece in _pieces(turn):
            time.sleep(self._source.delay)
            yield _event({"content": piece})
        yield _event({}, "stop")


class AsyncReplayClient(ollama.AsyncClient):
    """The same for `async_client`: see `ReplayClient`. The plain methods of that model replay the same turns."""

    def __init__(self, turns: Iterable[Turn], *, delay: float = 0.0) -> None:
        self._source = _Source(turns, delay)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests so far: see `ReplayClient.requests`."""
        return self._source.requests

    async def show(self, model: str) -> Any:
        """No `model` has a template: see `ReplayClient.show`."""
        raise ollama.ResponseError(f"{model!r} is a replay and has no template", NOT_FOUND)

    async def chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        """The next turn; with `stream=True` an iterator: see `ReplayClient.chat`."""
        turn = self._source.for_chat(request | {"args": args, "stream": stream})
        return self._played(turn) if stream else _whole(turn)

    async def _played(self, turn: Turn) -> AsyncIterator[ollama.ChatResponse]:
        for piece in _pieces(turn):
            await asyncio.sleep(self._source.delay)
            yield _chunk(piece)
        yield _end()

    def build_request(self, method: str, url: str, **request: Any) -> httpx.Request:
        """`httpx.AsyncClient.build_request`.

        Args:
            method, url, request: as there.
        """
        return httpx.Request(method, url, **request)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """The next turn, as a server with OpenAI's chat API sends it: see `ReplayClient.send`."""
        turn = self._source.for_http(request)
        if turn is None or not stream:
            return _answer(turn)
        return httpx.Response(200, content=self._events(turn))

    async def _events(self, turn: Turn) -> AsyncIterator[bytes]:
        for piece in _pieces(turn):
            await asyncio.sleep(self._source.delay)
            yield _event({"content": piece})
        yield _event({}, "stop")


def replaying(client: Any, async_client: Any) -> tuple[Any, Any]:
    """Both clients of a model: a replay that was passed as one of them also stands in for the other, if that is None.
    Otherwise the other methods of the model would connect to a server.
    """
    if async_client is None and isinstance(client, ReplayClient):
        async_client = AsyncReplayClient(())
        async_client._source = client._source
    elif client is None and isinstance(async_client, AsyncReplayClient):
        client = ReplayClient(())
        client._source = async_client._source
    return client, async_client


def _pieces(turn: Turn) -> Sequence[str]:
    return [turn[place : place + 4] for place in range(0, len(turn), 4)] if isinstance(turn, str) else turn


# -- Ollama's API ------------------------------------------------------------------------------------------------------


def _chunk(piece: str) -> ollama.ChatResponse:
    return ollama.ChatResponse(model="replay", done=False, message=ollama.Message(role="assistant", content=piece))


def _end() -> ollama.ChatResponse:
    return _whole("")


def _whole(turn: Turn) -> ollama.ChatResponse:
    message = ollama.Message(role="assistant", content="".join(turn))
    return ollama.ChatResponse(model="replay", done=True, done_reason="stop", message=message)


# -- OpenAI's chat API -------------------------------------------------------------------------------------------------


def _answer(turn: Turn | None) -> httpx.Response:
    if turn is None:
        return httpx.Response(NOT_FOUND, json={"error": {"message": NONE_LEFT}})
    message = {"role": "assistant", "content": "".join(turn)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return httpx.Response(200, json={"model": "replay", "choices": [choice]})


def _event(delta: dict[str, str], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({'model': 'replay', 'choices': [choice]})}\n\n".encode()
