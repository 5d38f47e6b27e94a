# What this file knows: how to replace a server, Ollama's or one with OpenAI's chat API, so that a program can be shown
# and tested without one.
# Does not depend on what the turns contain, or on the models that ask. Knows which objects a user may pass as the
# clients of a model, a replay among them.
#
# `Ollama` calls `chat`, as of the ollama package's client; `OpenAICompatible` calls `build_request` and `send`, as of
# httpx's. A replay has all of them. The plain client and the asynchronous one are thin: the turns and the requests are
# in one `_Source`, which both clients of a model may share.
"""Clients that replay turns instead of asking a server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from typing import Any, TypeAlias

import httpx
import ollama

from toolglean.clients.at_once import plainly, settled
from toolglean.llm.errors import ConfigurationError

__all__ = ["AsyncReplayClient", "ReplayClient", "clients_of"]

Turn: TypeAlias = str | Sequence[str]
NONE_LEFT = "no turn is left to replay"
NOT_FOUND = 404


class _Source:
    """The turns that are left, and the requests so far."""

    def __init__(self, turns: Iterable[Turn], delay: float) -> None:
        self.turns = iter(turns)
        self.delay = delay
        self.requests: list[dict[str, Any]] = []

    def turn_for(self, request: dict[str, Any]) -> Turn | None:
        self.requests.append(request)
        return next(self.turns, None)


class _Replay:
    """What the two clients have in common."""

    _sleep: Any  # waits for so many seconds
    _steps: Any  # the steps of an asynchronous generator, as this client returns them

    def __init__(self, turns: Iterable[Turn], *, delay: float = 0.0) -> None:
        self._source = _Source(turns, delay)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests so far: the arguments of each chat of `Ollama`, or the fields that `OpenAICompatible` sent."""
        return self._source.requests

    def build_request(self, method: str, url: str, **request: Any) -> httpx.Request:
        """`build_request` of httpx's clients, for `OpenAICompatible`.

        Args:
            method, url, request: as there.
        """
        return httpx.Request(method, url, **request)

    async def _played(self, turn: Turn, chunk: Callable[[str], Any], end: Any) -> AsyncGenerator[Any]:
        for piece in [turn[at : at + 4] for at in range(0, len(turn), 4)] if isinstance(turn, str) else turn:
            await settled(self._sleep(self._source.delay))
            yield chunk(piece)
        yield end

    def _chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        turn = self._source.turn_for(request | {"args": args, "stream": stream})
        if turn is None:
            raise ollama.ResponseError(NONE_LEFT, NOT_FOUND)
        return self._steps(self._played(turn, _chunk, _whole(""))) if stream else _whole(turn)

    def _send(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        turn = self._source.turn_for(json.loads(request.content))
        if turn is None or not stream:
            return _answer(turn)
        events = self._played(turn, lambda piece: _event({"content": piece}), _event({}, "stop"))
        return httpx.Response(200, content=self._steps(events))


class ReplayClient(_Replay, ollama.Client):
    """Answers each chat with the next one of the given turns: `Ollama("any", client=ReplayClient([turn]))`, and the
    same for `OpenAICompatible`. The asynchronous methods of that model replay the same turns.

    Args:
        turns: the turns of the model: each a text (streamed in pieces of four characters), or a list of pieces.
        delay: seconds between pieces.
    """

    _sleep, _steps = staticmethod(time.sleep), staticmethod(plainly)

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
        return self._chat(*args, stream=stream, **request)

    def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """The next turn, as a server with OpenAI's chat API sends it; with status 404 if there is no turn left.

        Args:
            request: from `build_request`.
            stream: whether the turn is sent in pieces.
        """
        return self._send(request, stream=stream)


class AsyncReplayClient(_Replay, ollama.AsyncClient):
    """The same for `async_client`: see `ReplayClient`. The plain methods of that model replay the same turns."""

    _sleep, _steps = staticmethod(asyncio.sleep), staticmethod(aiter)

    async def show(self, model: str) -> Any:
        """No `model` has a template: see `ReplayClient.show`."""
        raise ollama.ResponseError(f"{model!r} is a replay and has no template", NOT_FOUND)

    async def chat(self, *args: Any, stream: bool = False, **request: Any) -> Any:
        """The next turn; with `stream=True` an iterator: see `ReplayClient.chat`."""
        return self._chat(*args, stream=stream, **request)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """The next turn, as a server with OpenAI's chat API sends it: see `ReplayClient.send`."""
        return self._send(request, stream=stream)


# -- the clients of a model --------------------------------------------------------------------------------------------


def clients_of(client: Any, async_client: Any, kinds: tuple[Any, Any], needed: tuple[str, ...]) -> tuple[Any, Any]:
    """The two clients of a model.

    Args:
        client, async_client: what the user passed; None: nothing.
        kinds: the classes that the model makes its clients of.
        needed: the methods that a client must have.

    Raises:
        ConfigurationError: one is not such a client, or is passed as the other one.
    """
    _check("client", client, (kinds[0], ReplayClient), (kinds[1], AsyncReplayClient), "async_client", needed)
    _check("async_client", async_client, (kinds[1], AsyncReplayClient), (kinds[0], ReplayClient), "client", needed)
    return _shared(client, async_client)


def _check(
    name: str, given: Any, wanted: tuple[Any, Any], others: tuple[Any, Any], other: str, needed: tuple[str, ...]
) -> None:
    if given is None:
        return
    if isinstance(given, others):
        kind = "an asynchronous client" if name == "client" else "not an asynchronous client"
        raise ConfigurationError(f"{name}={given!r:.80} is {kind}: pass it as {other}", field=name, value=given)
    missing = next((each for each in needed if not callable(getattr(given, each, None))), None)
    if missing is not None:
        package = wanted[0].__module__.partition(".")[0]
        replay = f"{'a' if name == 'client' else 'an'} {wanted[1].__name__}"
        expected = f"pass an {package}.{wanted[0].__name__} or {replay}, or leave it out"
        message = f"{name}={given!r:.80} has no method {missing!r}: {expected}"
        raise ConfigurationError(message, field=name, value=given)


def _shared(client: Any, async_client: Any) -> tuple[Any, Any]:
    # A replay that was passed as one of them also stands in for the other, if that is None. Otherwise the other methods
    # of the model would connect to a server.
    if async_client is None and isinstance(client, ReplayClient):
        async_client = AsyncReplayClient(())
        async_client._source = client._source
    elif client is None and isinstance(async_client, AsyncReplayClient):
        client = ReplayClient(())
        client._source = async_client._source
    return client, async_client


# -- Ollama's API ------------------------------------------------------------------------------------------------------


def _chunk(piece: str) -> ollama.ChatResponse:
    return ollama.ChatResponse(model="replay", done=False, message=ollama.Message(role="assistant", content=piece))


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
