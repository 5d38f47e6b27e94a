"""Calls that leak into the text of the Responses API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.chunkings import chunkings
from tests.clients.families import TOOLS, Leak, leaks
from tests.loopback import Call, Loopback, Turn, serve

openai = pytest.importorskip("openai", reason="needs toolglean[openai]")

from toolglean.clients.openai import aresponse_events, dict_response_events, response_events  # noqa: E402

LEAKS = leaks()
IDS = [f"{leak.family}-{len(leak.calls)}" for leak in LEAKS]
FLAT: Any = [{"type": "function", **tool["function"]} for tool in TOOLS]


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


@pytest.fixture(scope="module")
def client(server: Loopback) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as found:
        yield found


def create(client: Any) -> Any:
    return client.responses.create(model="m", input="Is it cold?", tools=FLAT, stream=True)


def outcome(events: Iterable[Any]) -> tuple[str, list[tuple[str, Any]]]:
    """Text and calls, which every account of the stream must agree on."""
    found = [event if isinstance(event, dict) else event.model_dump() for event in events]
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    text = "".join(event["delta"] for event in found if event["type"] == "response.output_text.delta")
    output = found[-1]["response"]["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    spoken = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(spoken) == text
    added = {event["output_index"]: event["item"] for event in found if event["type"] == "response.output_item.added"}
    done = {event["output_index"]: event["item"] for event in found if event["type"] == "response.output_item.done"}
    assert sorted(added) == sorted(done) == list(range(len(output)))
    assert [done[place] for place in sorted(done)] == output
    pieces: dict[str, str] = {}
    for event in found:
        if event["type"] == "response.function_call_arguments.delta":
            pieces[event["item_id"]] = pieces.get(event["item_id"], "") + event["delta"]
        if event["type"] == "response.function_call_arguments.done":
            assert pieces[event["item_id"]] == event["arguments"]
    assert {item["id"]: item["arguments"] for item in calls} == pieces
    assert len({item["call_id"] for item in calls}) == len(calls)
    return text.strip(), [(item["name"], json.loads(item["arguments"])) for item in calls]


@pytest.mark.parametrize("leak", LEAKS, ids=IDS)
def test_a_leaked_call_is_what_a_structured_server_sends(leak: Leak, server: Loopback, client: Any) -> None:
    structured = Turn([leak.content or "x"], [Call(name, arguments) for name, arguments in leak.calls])
    server.play(structured, structured, Turn(list(leak.text)))
    given = outcome(create(client))
    assert outcome(response_events(create(client), TOOLS)) == given == (leak.content or "x", leak.calls)
    assert outcome(response_events(create(client), TOOLS)) == (leak.content, leak.calls)


@pytest.mark.parametrize("leak", LEAKS[::2], ids=IDS[::2])
def test_the_same_for_every_chunking(leak: Leak, server: Loopback, client: Any) -> None:
    server.play(Turn(["|"]))
    head, delta, *tail = split(list(create(client)))
    for chunks in chunkings(leak.text):
        events = head + [{**delta, "delta": chunk} for chunk in chunks] + tail[0]
        for place, event in enumerate(events := [dict(event) for event in events]):
            event["sequence_number"] = place
        assert outcome(dict_response_events(events, TOOLS)) == (leak.content, leak.calls), chunks


def split(events: list[Any]) -> tuple[list[Any], Any, list[Any]]:
    dicts = [event.model_dump() for event in events]
    place = next(i for i, event in enumerate(dicts) if event["type"] == "response.output_text.delta")
    return dicts[:place], dicts[place], dicts[place + 1 :]


def test_async(server: Loopback) -> None:
    server.play(Turn(list(LEAKS[0].text)))

    async def run() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
            return [event async for event in aresponse_events(await create(own), TOOLS)]

    assert outcome(asyncio.run(run())) == (LEAKS[0].content, LEAKS[0].calls)


def test_plain_text_passes(server: Loopback, client: Any) -> None:
    server.play(Turn(["It is ", "cold."]), Turn(["It is ", "cold."]))
    given = [event.model_dump() for event in create(client)]
    found = [event.model_dump() for event in response_events(create(client), TOOLS)]
    assert [event["type"] for event in found] == [event["type"] for event in given]
    assert outcome(found) == outcome(given)


def test_a_call_that_is_cut_off_is_incomplete(server: Loopback, client: Any) -> None:
    server.play(Turn(list('<tool_call>{"name": "get_weather", "arguments": {"city": "T')))
    found = [event.model_dump() for event in response_events(create(client), TOOLS)]
    item = next(item for item in found[-1]["response"]["output"] if item["type"] == "function_call")
    assert (item["status"], item["arguments"]) == ("incomplete", '{"city": "T')
    assert not [event for event in found if event["type"] == "response.function_call_arguments.done"]
