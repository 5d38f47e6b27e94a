"""`OpenAIClient`: the wrapped client of the openai package, against a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import pieces
from tests.clients.families import CALLS, HERMES, TOOLS
from tests.support.loopback import Loopback, Status, Turn

openai = pytest.importorskip("openai", reason="needs toolglean[openai]")
httpx2 = pytest.importorskip("httpx2", reason="openai 3 is built on it")

from tests.support.face import faced  # noqa: E402
from toolglean.clients.openai import AsyncOpenAIClient, OpenAIClient  # noqa: E402
from toolglean.errors import UsageError  # noqa: E402

LOOK = f"Look. {HERMES}"
LEAK = Turn(pieces(LOOK))
FLAT: Any = [{"type": "function", **tool["function"]} for tool in TOOLS]
MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]


def client(server: Loopback, **options: Any) -> Any:  # the types are tested in tests/project/typing
    return OpenAIClient(openai.OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0), **faced(**options))


@pytest.fixture
def own(server: Loopback) -> Iterator[Any]:
    with client(server) as found:
        yield found


def chat_calls(calls: Any) -> list[tuple[str, Any]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in calls or ()]


def response_calls(output: Any) -> list[tuple[str, Any]]:
    return [(item.name, json.loads(item.arguments)) for item in output if item.type == "function_call"]


def test_chats_and_responses_have_calls(server: Loopback) -> None:
    server.play(LEAK, LEAK, LEAK, LEAK)
    with client(server, format="hermes") as own:
        whole = own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
        assert chat_calls(whole.choices[0].message.tool_calls) == CALLS
        chunks = list(own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, stream=True))
        fragments = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        assert json.loads("".join(each.function.arguments for each in fragments)) == CALLS[0][1]
        assert len(fragments) == 2  # whole: its name, its arguments
        assert response_calls(own.responses.create(model="m", input="x", tools=FLAT).output) == CALLS
        events = list(own.responses.create(model="m", input="x", tools=FLAT, stream=True))
        assert response_calls(events[-1].response.output) == CALLS
        assert own.counts.calls == 4


async def test_the_same_asynchronously(server: Loopback) -> None:
    server.play(LEAK, LEAK, LEAK, LEAK)
    inner = openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0)
    ours: Any = AsyncOpenAIClient(inner)
    async with ours as own:
        whole = await own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
        assert chat_calls(whole.choices[0].message.tool_calls) == CALLS
        stream = await own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, stream=True)
        assert [chunk.choices[0].finish_reason async for chunk in stream][-1] == "tool_calls"
        stream = await own.responses.create(model="m", input="x", tools=FLAT, stream=True)
        assert response_calls([event async for event in stream][-1].response.output) == CALLS
        assert [model.id async for model in own.models.list()] == ["loopback"]
        async with own.chat.completions.stream(model="m", messages=MESSAGES, tools=STRICT) as helper:
            final = await helper.get_final_completion()
        assert chat_calls(final.choices[0].message.tool_calls) == CALLS


STRICT: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]
STRICT_FLAT: Any = [{"type": "function", **STRICT[0]["function"]}]


def test_every_way_to_ask_is_repaired(own: Any, server: Loopback) -> None:
    server.play(*[LEAK] * 8)
    parsed = own.chat.completions.parse(model="m", messages=MESSAGES, tools=STRICT)
    assert chat_calls(parsed.choices[0].message.tool_calls) == CALLS
    with own.chat.completions.stream(model="m", messages=MESSAGES, tools=STRICT) as stream:
        kinds = {event.type for event in stream}
        assert chat_calls(stream.get_final_completion().choices[0].message.tool_calls) == CALLS
    assert "tool_calls.function.arguments.done" in kinds
    raw = own.chat.completions.with_raw_response.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert chat_calls(raw.parse().choices[0].message.tool_calls) == CALLS
    with own.chat.completions.with_streaming_response.create(
        model="m", messages=MESSAGES, tools=TOOLS, stream=True
    ) as response:
        assert '"tool_calls"' in "".join(response.iter_text())
    found = own.with_options(timeout=7).chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert chat_calls(found.choices[0].message.tool_calls) == CALLS
    assert response_calls(own.responses.parse(model="m", input="x", tools=STRICT_FLAT).output) == CALLS
    with own.responses.stream(model="m", input="x", tools=STRICT_FLAT) as events:
        assert response_calls(events.get_final_response().output) == CALLS
    whole = own.responses.with_raw_response.create(model="m", input="x", tools=FLAT)
    assert response_calls(whole.parse().output) == CALLS
    assert own.counts.calls == 8


def test_what_goes_over_a_websocket_is_refused(own: Any) -> None:
    with pytest.raises(UsageError, match=r"a websocket.*use create\(\.\.\., stream=True\)"):
        own.responses.connect()


def test_the_clients_own_settings_count(server: Loopback) -> None:
    seen: list[Any] = []
    http = httpx2.Client(headers={"x-own": "1"}, event_hooks={"request": [seen.append]})
    inner = openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0, http_client=http)
    own: Any = OpenAIClient(inner)
    server.play(Turn(faults=[Status(503)]), LEAK)
    with pytest.raises(openai.InternalServerError):
        own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert [model.id for model in own.models.list()] == ["loopback"]
    assert {request.headers["x-own"] for request in seen} == {"1"}
    assert {request.headers["authorization"] for request in seen} == {"Bearer k"}
    with own:
        pass
    assert http.is_closed


def test_without_tools_the_packages_own_objects_come(own: Any, server: Loopback) -> None:
    server.play(LEAK, LEAK)
    stream = own.chat.completions.create(model="m", messages=MESSAGES, tools=openai.NOT_GIVEN, stream=True)
    assert isinstance(stream, openai.Stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == LOOK
    found = own.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, tool_choice="none")
    assert found.choices[0].message.content == LOOK


def test_all_else_is_the_clients(own: Any) -> None:
    assert [model.id for model in own.models.list()] == ["loopback"]
    assert own.chat.completions.with_raw_response is not None
    assert own.api_key == "x"
    with pytest.raises(AttributeError):
        _ = own.nothing


def test_wrong_clients_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"is an openai\.AsyncOpenAI: pass an openai\.OpenAI, or use AsyncOpenAIClient"
    ):
        OpenAIClient(openai.AsyncOpenAI(api_key="x"))
    with pytest.raises(UsageError, match=r"is an openai\.OpenAI: pass an openai\.AsyncOpenAI, or use OpenAIClient"):
        AsyncOpenAIClient(openai.OpenAI(api_key="x"))
    wrong: Any = "http://localhost"
    with pytest.raises(UsageError, match="is not a client"):
        OpenAIClient(wrong)
    with pytest.raises(UsageError, match="unknown format"):
        OpenAIClient(openai.OpenAI(api_key="x"), format="nothing")


def test_it_is_a_client_of_the_package(own: Any, server: Loopback) -> None:
    server.play(LEAK, LEAK)
    twin = own.with_options(timeout=7).copy(max_retries=1)
    for each in (own, twin):
        assert isinstance(each, OpenAIClient)
        assert isinstance(each, openai.OpenAI)
    assert (twin.timeout, twin.max_retries, twin.api_key) == (7, 1, "x")
    assert (twin.client, twin.counts) == (own.client, own.counts)
    found = twin.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert chat_calls(found.choices[0].message.tool_calls) == CALLS
    http = httpx2.Client()
    found = own.with_options(http_client=http).chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert chat_calls(found.choices[0].message.tool_calls) == CALLS
    with pytest.raises(UsageError, match="repairs answers already"):
        OpenAIClient(own)
    with twin:
        pass
    assert own.client.is_closed()
    http.close()


def test_a_client_of_another_class_stays_one(server: Loopback) -> None:
    # Azure's client writes the deployment into the path, and its `copy` takes other arguments.
    inner = openai.AzureOpenAI(azure_endpoint=f"{server.url}", api_version="1", api_key="x", max_retries=0)
    own: Any = OpenAIClient(inner)
    for each in (own, own.with_options(timeout=7)):
        assert isinstance(each, OpenAIClient)
        assert isinstance(each, openai.AzureOpenAI)
        request = each._build_request(
            openai._models.FinalRequestOptions(method="post", url="/chat/completions", json_data={"model": "m"})
        )
        assert "/openai/deployments/m/chat/completions" in str(request.url)
    own.close()
    assert inner.is_closed()
