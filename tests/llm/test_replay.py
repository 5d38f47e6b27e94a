# What this file knows: replays as stand-ins for servers, and which objects a model accepts as its clients.
# Does not depend on what a turn contains.
"""Replays, for both models, in the four forms of a chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import httpx
import ollama

from tests.llm.models import Album
from toolglean.llm import (
    AsyncReplayClient,
    ConfigurationError,
    Ollama,
    OpenAICompatible,
    ReplayClient,
    RetryPolicy,
    ServerError,
    ToolOrchestratingLLM,
)
from toolglean.llm.served import Served

TURN = 'Here:\n<tool_call>{"name": "Album", "arguments": {"name": "Horses"}}</tool_call>'
Made = Callable[..., Served]
MODELS: dict[str, Made] = {"Ollama": Ollama, "OpenAICompatible": OpenAICompatible}
REPLAYS: dict[str, Callable[[Made, list[Any]], Served]] = {
    "client": lambda made, turns: made("m", client=ReplayClient(turns)),
    "async_client": lambda made, turns: made("m", async_client=AsyncReplayClient(turns)),
}
HORSES = Album(name="Horses")


async def collected(steps: Any) -> list[Any]:
    return [step async for step in await steps]


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("replay", REPLAYS.values(), ids=REPLAYS)
def test_a_replay_answers_every_form_of_a_chat(replay: Callable[[Made, list[Any]], Served], made: Made) -> None:
    # Fixed bugs: OpenAICompatible raised an AttributeError, and a replay for one of the two clients left the other to
    # connect to a server.
    llm = replay(made, [TURN, list(TURN), TURN, list(TURN)])
    asking = ToolOrchestratingLLM(Album, "An album.", llm)
    assert asking() == HORSES
    assert list(asking.stream_call())[-1] == HORSES
    assert asyncio.run(asking.acall()) == HORSES
    assert asyncio.run(collected(asking.astream_call()))[-1] == HORSES


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
def test_a_replay_streams_piece_by_piece_and_waits_between_them(made: Made) -> None:
    llm = made("m", client=ReplayClient([["a", "b"], ["a", "b"]], delay=0.001))
    assert [step.delta for step in llm.stream_chat("Hi")][:2] == ["a", "b"]
    steps = asyncio.run(collected(llm.astream_chat("Hi")))
    assert [step.delta for step in steps][:2] == ["a", "b"]
    assert steps[-1].message.content == "ab"


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_replay_without_turns_is_a_server_error(made: Made, *, stream: bool) -> None:
    llm = made("m", client=ReplayClient([]), retry=RetryPolicy(attempts=1))
    with pytest.raises(ServerError, match="no turn is left to replay"):
        list(cast("Any", llm.chat("Hi", stream=stream)))
    with pytest.raises(ServerError, match="no turn is left to replay"):
        asyncio.run(llm.achat("Hi"))


def test_the_requests_are_kept() -> None:
    client = ReplayClient(["a", "b", "c"])
    llm = OpenAICompatible("m", client=client)
    llm.chat("Hi", seed=7)
    asyncio.run(llm.achat("Ho"))
    Ollama("n", client=client).chat("Hu")
    assert [request["model"] for request in client.requests] == ["m", "m", "n"]
    assert client.requests[0]["seed"] == 7
    assert client.requests[1]["messages"] == [{"role": "user", "content": "Ho"}]
    assert client.requests[2]["messages"] == [{"role": "user", "content": "Hu"}]


def test_a_replay_answers_nothing_but_chats() -> None:
    client = ReplayClient(["a"])
    with pytest.raises(ollama.ResponseError, match="answers chats, and nothing else"):
        client.list()
    assert client.requests == []
    assert client.chat("m", [{"role": "user", "content": "Hi"}]).message.content == "a"


WRONG: dict[str, tuple[Made, dict[str, Any], str]] = {
    "a client of ollama": (OpenAICompatible, {"client": ollama.Client()}, "pass an httpx.Client or a ReplayClient"),
    "a client of httpx": (Ollama, {"client": httpx.Client()}, "pass an ollama.Client or a ReplayClient"),
    "text": (OpenAICompatible, {"client": "http://localhost"}, "client='http://localhost' has no method"),
    "an asynchronous client": (OpenAICompatible, {"client": httpx.AsyncClient()}, "pass it as async_client"),
    "an asynchronous replay": (Ollama, {"client": AsyncReplayClient([])}, "pass it as async_client"),
    "a plain client": (OpenAICompatible, {"async_client": httpx.Client()}, "pass it as client"),
    "a plain replay": (Ollama, {"async_client": ReplayClient([])}, "pass it as client"),
    "no asynchronous client": (Ollama, {"async_client": 3}, "pass an ollama.AsyncClient or an AsyncReplayClient"),
}


@pytest.mark.parametrize(("made", "given", "said"), WRONG.values(), ids=WRONG)
def test_an_object_that_is_not_such_a_client_is_refused(made: Made, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        made("m", **given)
    assert said in str(caught.value)
    assert caught.value.field in given
