# What this file knows: how to replace a server, Ollama's or one with OpenAI's chat API, so that a program can be shown
# and tested without one.
# Does not depend on what the turns contain, or on the models that ask. Knows which objects a user may pass as the
# clients of a model, a replay among them.
#
# A replay is the ollama package's own client, and has `build_request` and `send` of httpx's. Only the transport of its
# requests is replaced, by one that answers as a server does, and that both clients of a model may share.
"""Clients that replay turns instead of asking a server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import httpx
import ollama

from toolglean.llm.errors import ConfigurationError

__all__ = ["AsyncReplayClient", "ReplayClient", "clients_of"]

Turn: TypeAlias = str | Sequence[str]
NONE_LEFT, NO_CHAT = "no turn is left to replay", "a replay answers chats, and nothing else"
NOT_FOUND = 404


class _Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a streamed answer."""

    def __init__(self, pieces: Iterable[bytes], delay: float) -> None:
        self._pieces, self._delay = pieces, delay

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            time.sleep(self._delay)
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            await asyncio.sleep(self._delay)
            yield piece


class _Server(httpx.MockTransport):
    """What answers the requests of the clients that share it: the turns that are left, and the requests so far."""

    def __init__(self, turns: Iterable[Turn], delay: float) -> None:
        super().__init__(self._answered)
        self.turns = iter(turns)
        self.delay = delay
        self.requests: list[dict[str, Any]] = []

    def _answered(self, request: httpx.Request) -> httpx.Response:
        # A chat of Ollama's API, or of OpenAI's.
        is_ollama = request.url.path.endswith("/api/chat")
        if not (is_ollama or request.url.path.endswith("/chat/completions")):
            return httpx.Response(NOT_FOUND, json={"error": NO_CHAT})
        asked = json.loads(request.content)
        self.requests.append(asked)
        turn = next(self.turns, None)
        if turn is None:
            return httpx.Response(NOT_FOUND, json={"error": NONE_LEFT})
        if not asked.get("stream"):
            whole = "".join(turn)
            return httpx.Response(200, json=_line(whole, "stop") if is_ollama else _answer("message", whole, "stop"))
        pieces = [turn[at : at + 4] for at in range(0, len(turn), 4)] if isinstance(turn, str) else turn
        steps = [*((piece, None) for piece in pieces), ("", "stop")]
        if is_ollama:
            written = (f"{json.dumps(_line(*step))}\n".encode() for step in steps)
        else:
            written = (f"data: {json.dumps(_answer('delta', *step))}\n\n".encode() for step in steps)
        return httpx.Response(200, stream=_Pieces(written, self.delay))


def _line(text: str, reason: str | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": "replay", "done": reason is not None, "done_reason": reason, "message": message}


def _answer(place: str, text: str, reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, place: {"role": "assistant", "content": text}, "finish_reason": reason}
    return {"model": "replay", "choices": [choice]}


class _Replay:
    """What the two clients have in common.

    Args:
        turns: the turns of the model: each a text (streamed in pieces of four characters), or a list of pieces.
        delay: seconds between pieces.
    """

    _client: Any  # the package's own, httpx's client

    def __init__(self, turns: Iterable[Turn] | _Server, *, delay: float = 0.0) -> None:
        self._server = turns if isinstance(turns, _Server) else _Server(turns, delay)
        package: Any = super()
        package.__init__(transport=self._server)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The fields of each request for a chat, as it was sent."""
        return self._server.requests

    def build_request(self, method: str, url: str, **request: Any) -> httpx.Request:
        """`build_request` of httpx's clients, for `OpenAICompatible`.

        Args:
            method, url, request: as there.
        """
        found: httpx.Request = self._client.build_request(method, url, **request)
        return found

    def send(self, request: httpx.Request, *, stream: bool = False) -> Any:
        """`send` of httpx's clients: the next turn, as a server with OpenAI's chat API sends it; with status 404 if
        there is no turn left.

        Args:
            request: from `build_request`.
            stream: whether the answer is read piece by piece.
        """
        return self._client.send(request, stream=stream)


class ReplayClient(_Replay, ollama.Client):
    """Answers each chat with the next one of the given turns: `Ollama("any", client=ReplayClient([turn]))`, and the
    same for `OpenAICompatible`. The asynchronous methods of that model replay the same turns.

    Args:
        turns: the turns of the model: each a text (streamed in pieces of four characters), or a list of pieces.
        delay: seconds between pieces.

    `chat` raises an `ollama.ResponseError` if there is no turn left. Everything else always does, also `show`: a replay
    has no template, and the format is detected from the turn.
    """


class AsyncReplayClient(_Replay, ollama.AsyncClient):
    """The same for `async_client`: see `ReplayClient`. The plain methods of that model replay the same turns."""


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
    # A replay that was passed as one of them also stands in for the other, if that is None. Otherwise the other methods
    # of the model would connect to a server.
    if async_client is None and isinstance(client, ReplayClient):
        async_client = AsyncReplayClient(client._server)
    elif client is None and isinstance(async_client, AsyncReplayClient):
        client = ReplayClient(async_client._server)
    return client, async_client


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
