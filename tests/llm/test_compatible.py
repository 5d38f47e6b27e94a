"""`OpenAICompatible`: the guarantees of `Ollama` for any server with OpenAI's chat API, on loopback servers."""

from __future__ import annotations

import asyncio
import json
import pickle
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import httpx
from pydantic import BaseModel

from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Slow, Status, Turn, recorded, serve
from toolglean.kit.demo import load_streams, load_tools
from toolglean.llm import (
    CallableTool,
    ChatResponse,
    ClientError,
    CompletionResponse,
    ConfigurationError,
    InvalidObjectError,
    Message,
    NoToolCallError,
    OpenAICompatible,
    RequestConnectionError,
    RequestTimeoutError,
    RetryPolicy,
    Role,
    ServerError,
    StreamInterruptedError,
    ToolCallChunk,
    ToolExecutionError,
    ToolMetadata,
    ToolOrchestratingLLM,
    ToolSchemaError,
    UnknownToolError,
)

HI = [Message.from_str("Is it cold?")]
ONCE = RetryPolicy(attempts=1)
SOON = RetryPolicy(attempts=3, wait=0, max_wait=0)


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


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


def new(url: str, **options: Any) -> OpenAICompatible:
    return OpenAICompatible("m", base_url=f"{url}/v1", **{"retry": ONCE, **options})


@pytest.fixture
def llm(server: Loopback) -> Iterator[OpenAICompatible]:
    with new(server.url) as found:
        yield found


# -- settings and clients ----------------------------------------------------------------------------------------------


def test_fields_are_kept_and_do_not_change() -> None:
    own = OpenAICompatible(
        "m", base_url="http://h:1/v1", api_key="secret", timeout=3, temperature=1.9, additional_kwargs={"seed": 1}
    )
    assert (own.model, own.base_url, own.timeout, own.temperature) == ("m", "http://h:1/v1", 3, 1.9)
    for name in ("model", "temperature", "additional_kwargs"):
        with pytest.raises(ValueError, match="frozen"):
            setattr(own, name, "x")
    with pytest.raises(TypeError, match="frozen"):
        own.additional_kwargs["seed"] = 2
    assert (own.metadata.is_chat_model, own.metadata.is_function_calling_model) == (True, True)
    assert OpenAICompatible("m", context_window=9).metadata.context_window == 9
    assert (own._client, own._async_client) == (None, None)
    assert "secret" not in repr(own) + str(own) + str(own.model_dump())


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"model": ""}, "model"),
        ({"base_url": "localhost:8000"}, "base_url"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": 2.1}, "temperature"),
        ({"timeout": 0}, "timeout"),
        ({"context_window": 0}, "context_window"),
        ({"keep_alive": 1}, "keep_alive"),
        ({"response_format": "json"}, "response_format"),
    ],
)
def test_settings_that_are_wrong(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigurationError, match=field) as caught:
        OpenAICompatible(**{"model": "m", **settings})
    assert (caught.value.field, caught.value.value) == (field, settings[field])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_clients_are_made_once_at_their_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAICompatible("m", timeout=3) as own:
        assert own.client is own.client
        assert own.client.timeout.read == 3
    with httpx.Client() as given, OpenAICompatible("m", client=given) as other:
        assert other.client is given

    def broken(**_: Any) -> None:
        raise ValueError("no such proxy")

    with monkeypatch.context() as patch:
        patch.setattr(httpx, "Client", broken)
        with pytest.raises(ClientError, match="no such proxy"):
            OpenAICompatible("m").chat("hi")


# -- requests and answers ----------------------------------------------------------------------------------------------


class Cold(BaseModel):
    """Whether it is."""

    cold: bool


def test_the_request() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(
            200, json={"choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}]}
        )

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        own = OpenAICompatible(
            "m", base_url="http://h/v1/", api_key="k", temperature=0.1, json_mode=True, additional_kwargs={"seed": 1},
            system_prompt="Be brief.", client=client,
        )  # fmt: skip
        own.generate_tool_calls(
            [Message.from_str("Hm.", "system"), *HI], [WEATHER], top_p=0.5, seed=2, tool_choice="auto"
        )
        body = json.loads(seen[0].content)
        assert (str(seen[0].url), seen[0].headers["authorization"]) == ("http://h/v1/chat/completions", "Bearer k")
        assert body.pop("messages") == [
            {"role": "system", "content": "Be brief.\n\nHm."},
            {"role": "user", "content": "Is it cold?"},
        ]
        assert body.pop("tools")[0]["function"]["parameters"]["properties"]["city"]["description"] == "where"
        assert body == {
            "model": "m",
            "temperature": 0.1,
            "seed": 2,
            "top_p": 0.5,
            "tool_choice": "auto",
            "response_format": {"type": "json_object"},
        }
        OpenAICompatible("m", client=client).chat("hi", response_format=Cold, tool_choice="auto")
        body = json.loads(seen[1].content)
        assert body["response_format"]["json_schema"] == {"name": "Cold", "schema": Cold.model_json_schema()}
        assert not {"tools", "tool_choice", "stream"} & body.keys()
        assert "authorization" not in seen[1].headers


def test_an_answer(llm: OpenAICompatible, server: Loopback) -> None:
    for key in ("reasoning_content", "reasoning"):
        turn = Turn(
            ["It is ", "cold."], [Call("get_weather", {"city": "Oslo"}, "c1")], ["Hm"], "length", reasoning_key=key
        )
        server.play(turn)
        response = llm.chat(HI, tools=TOOLS)
        assert isinstance(response, ChatResponse)
        assert (response.message.role, response.message.content) == (Role.MODEL, "It is cold.")
        assert response.message.reasoning == "Hm"
        assert response.tool_calls == [ToolCallChunk(name="get_weather", arguments={"city": "Oslo"}, id="c1")]
        assert response.additional_kwargs["done_reason"] == "length"
        assert response.additional_kwargs["usage"]["total_tokens"]
        assert response.delta is None


def test_a_stream_adds_up(llm: OpenAICompatible, server: Loopback) -> None:
    server.play(Turn(["It is ", "cold."], [Call("get_weather", {"city": "Oslo"}, "c1")], ["Hm"]))
    responses = list(llm.chat(HI, tools=TOOLS, stream=True))
    assert responses[-1].message.content == "It is cold."
    assert "".join(response.delta or "" for response in responses) == "It is cold."
    counts = [len(response.tool_calls) for response in responses]
    assert counts == sorted(counts)
    assert responses[-1].tool_calls[0].id == "c1"
    assert responses[-1].message.reasoning == "Hm"
    assert responses[-1].additional_kwargs["usage"]["total_tokens"]
    assert ChatResponse.model_validate(responses[-1].model_dump()).tool_calls == responses[-1].tool_calls
    assert server.requests[-1][1]["stream_options"] == {"include_usage": True}


ODD: list[Any] = [{}, {"choices": []}, {"choices": None}, {"choices": [7]}, {"choices": [{"message": 7}]}, [], 7]
ODD += [{"choices": [{"message": {"content": 7, "tool_calls": [7, {"function": 3}]}}]}]


@pytest.mark.parametrize("body", ODD, ids=repr)
def test_odd_answers_do_not_raise(body: Any) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    with httpx.Client(transport=transport) as client:
        for tools in (None, TOOLS):
            response = OpenAICompatible("m", client=client).chat(HI, tools=tools)
            assert (response.message.content, response.tool_calls) == ("", [])


@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
@pytest.mark.parametrize("streaming", [False, True])
def test_recorded_streams(stream: Any, streaming: bool, server: Loopback) -> None:
    server.play(recorded(stream.name))
    with new(server.url, parser={"format": stream.name}) as own:
        *_, response = own.stream_chat(HI, tools=load_tools()) if streaming else [own.chat(HI, tools=load_tools())]
    expected = [(call["name"], call["arguments"]) for call in stream.calls]
    assert [(call.name, call.arguments) for call in response.tool_calls] == expected
    assert response.message.content.strip() == stream.content
    assert response.message.reasoning == stream.reasoning
    assert len({call.id for call in response.tool_calls}) == len(stream.calls)


def test_each_event_loop_has_a_client_of_its_own(server: Loopback) -> None:
    server.play(*[Turn(["x"])] * 4)
    own = new(server.url)

    async def ask() -> Any:
        mine = own.async_client
        texts = (await own.acomplete("a")).text, *[each.delta async for each in own.astream_complete("b")][:1]
        await own.aclose()
        return mine, texts

    (first, said), (second, again) = asyncio.run(ask()), asyncio.run(ask())
    assert said == again == ("x", "x")
    assert first is not second


def test_completions(llm: OpenAICompatible, server: Loopback) -> None:
    server.play(Turn(["It is ", "cold."]), Turn(["It is ", "cold."]))
    found = llm.complete("Is it cold?")
    assert isinstance(found, CompletionResponse)
    assert (found.text, found.delta) == ("It is cold.", None)
    steps = list(llm.stream_complete("Is it cold?"))
    assert [(step.text, step.delta) for step in steps[:2]] == [("It is ", "It is "), ("It is cold.", "cold.")]


def test_the_same_asynchronously(server: Loopback) -> None:
    async def run() -> tuple[Any, Any, Any]:
        async with new(server.url) as own:
            whole = await own.acomplete("Is it cold?")
            steps = [step async for step in await own.astream_chat(HI, tools=TOOLS)]
            calls = await own.agenerate_tool_calls(HI, TOOLS)
        return whole.text, steps[-1].tool_calls, calls.tool_calls

    server.play(Turn(["It is cold."]), Turn([*OSLO]), Turn([*OSLO]))
    text, streamed, whole = asyncio.run(run())
    assert text == "It is cold."
    assert [call.arguments for call in streamed] == [call.arguments for call in whole] == [{"city": "Oslo"}]


def test_earlier_responses_do_not_change(llm: OpenAICompatible, server: Loopback) -> None:
    server.play(Turn(["a ", "b ", "c "]))
    responses = list(llm.stream_chat(HI))
    assert [response.message.content for response in responses[:3]] == ["a ", "a b ", "a b c "]


def test_clients_that_were_handed_in_stay_open() -> None:
    with httpx.Client() as given:
        with OpenAICompatible("m", client=given) as own:
            assert own.client is given
        assert not given.is_closed


def test_no_call(llm: OpenAICompatible, server: Loopback) -> None:
    server.play(*[Turn(["It is cold."])] * 2)
    with pytest.raises(NoToolCallError, match=r"it wrote: 'It is cold\.'"):
        llm.predict_and_call(TOOLS, HI)
    found = llm.predict_and_call(TOOLS, HI, error_on_no_tool_call=False)
    assert (found.response, found.sources) == ("It is cold.", [])


# -- calls -------------------------------------------------------------------------------------------------------------


def test_a_tool_without_a_schema_is_refused_before_anything_is_sent(llm: OpenAICompatible, server: Loopback) -> None:
    bare = CallableTool(len, ToolMetadata(name="bare"))
    for work in (lambda: llm.generate_tool_calls(HI, [bare]), lambda: llm.stream_chat_with_tools([bare], HI)):
        with pytest.raises(ToolSchemaError, match="'bare' has no schema"):
            work()
    assert server.requests == []


OWN = Call("get_weather", {"city": "Oslo"})
PARALLEL = Turn([], [OWN, OWN, Call("boom", {})])
LEAKED = Turn(list(OSLO * 2 + '<tool_call>{"name": "boom", "arguments": {}}</tool_call>'))
BOTH = Turn([*OSLO], [Call("get_weather", {"city": "Rome"}), Call("boom", {})])
TWICE = Turn([*OSLO, *OSLO], [OWN, OWN, Call("boom", {})])  # parsed, and also left in the text
THEIRS_FIRST = Turn([OWN, OWN, Call("boom", {}), *OSLO, *OSLO])


@pytest.mark.parametrize(
    "turn",
    [PARALLEL, LEAKED, BOTH, TWICE, THEIRS_FIRST],
    ids=["by the server", "leaked", "both", "twice", "twice, theirs first"],
)
def test_parallel_and_identical_calls(turn: Turn, llm: OpenAICompatible, server: Loopback) -> None:
    server.play(*[turn] * 4)
    both = llm.generate_tool_calls(HI, TOOLS, allow_parallel_tool_calls=True)
    assert sorted(call.name for call in both.tool_calls) == ["boom", "get_weather", "get_weather"]
    assert len({call.id for call in both.tool_calls}) == 3
    *_, streamed = llm.stream_chat_with_tools(TOOLS, HI, allow_parallel_tool_calls=True)
    assert [call.name for call in streamed.tool_calls] == ["get_weather", "get_weather", "boom"]
    assert [call.name for call in llm.generate_tool_calls(HI, TOOLS).tool_calls] == ["get_weather"]
    for response in llm.stream_generate_tool_calls(HI, TOOLS):
        assert len(response.tool_calls) <= 1
        assert not [call for call in response.unfinished if call.name == "boom"]


@pytest.mark.parametrize(
    "turn",
    [Turn(list(OSLO)), Turn([], [Call("get_weather", {"city": "Oslo"}, cut=1)])],
    ids=["leaked", "by the server"],
)
def test_arguments_are_seen_while_they_are_written(turn: Turn, llm: OpenAICompatible, server: Loopback) -> None:
    server.play(turn)
    responses = list(llm.stream_chat_with_tools(TOOLS, HI))
    texts = [response.unfinished[0].unread for response in responses if response.unfinished]
    assert texts[-1] == '{"city": "Oslo"}'
    assert len(set(texts)) > 10
    assert not any(response.tool_calls for response in responses if response.unfinished)
    assert responses[-1].tool_calls[0].arguments == {"city": "Oslo"}
    assert responses[-1].unfinished == []


UNFINISHED = [
    Turn(["Hm. ", OSLO[:60]]),
    Turn(["Hm. ", '<tool_call>{"name": "get_weather", "arguments": {"city"]}']),
    Turn(["Hm. "], [Call("get_weather", '{"city": "Os')], finish="length"),
    Turn(["Hm. "], [Call("get_weather", "")], finish="length"),
    Turn(["Hm. "], [Call("get_weather", "[1]")]),
]


@pytest.mark.parametrize("turn", UNFINISHED, ids=range(len(UNFINISHED)))
def test_calls_that_are_not_whole_are_not_run(turn: Turn, llm: OpenAICompatible, server: Loopback) -> None:
    server.play(*[turn] * 4)
    for response in (llm.generate_tool_calls(HI, TOOLS), [*llm.stream_chat_with_tools(TOOLS, HI)][-1]):
        assert response.tool_calls == []
        assert [call.name for call in response.unfinished] == ["get_weather"]
        assert response.message.content == "Hm. "
    with pytest.raises(NoToolCallError, match="'get_weather' are incomplete"):
        llm.predict_and_call(TOOLS, HI)
    assert llm.predict_and_call(TOOLS, HI, error_on_no_tool_call=False).sources == []


def outputs(server: Loopback, turn: Turn, *, asynchronous: bool, **options: Any) -> Any:
    server.play(turn)
    if not asynchronous:
        with new(server.url) as own:
            return own.predict_and_call(TOOLS, HI, **options)

    async def run() -> Any:
        async with new(server.url) as own:
            return await own.apredict_and_call(TOOLS, HI, **options)

    return asyncio.run(run())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_calls_are_run(asynchronous: bool, server: Loopback) -> None:
    one = outputs(server, LEAKED, asynchronous=asynchronous)
    assert one.parse_tool_outputs() == {"city": "Oslo", "days": 1}
    three = outputs(server, LEAKED, asynchronous=asynchronous, allow_parallel_tool_calls=True)
    assert [output.is_error for output in three.sources] == [False, False, True]
    with pytest.raises(ToolExecutionError, match="no weather today"):
        three.parse_tool_outputs(allow_parallel_tool_calls=True)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (Call("get_weather", {}), InvalidObjectError),
        (Call("nope", {}), UnknownToolError),
        (Call("boom", {}), ToolExecutionError),
    ],
)
def test_what_goes_wrong_is_an_output(call: Call, error: type, asynchronous: bool, server: Loopback) -> None:
    found = outputs(server, Turn([], [call]), asynchronous=asynchronous).sources[0]
    assert isinstance(found.error, error)
    with pytest.raises(error):
        outputs(server, Turn([], [call]), asynchronous=asynchronous, error_on_tool_error=True)


class Album(BaseModel):
    """An album."""

    name: str
    songs: list[str] = []


def test_objects(llm: OpenAICompatible, server: Loopback) -> None:
    horses: dict[str, Any] = {"name": "Horses", "songs": ["Gloria", "Birdland"]}
    make = ToolOrchestratingLLM(Album, "An album of {artist}.", llm, tool_choice="required")
    leaked = Turn(list(f"<tool_call>{json.dumps({'name': 'Album', 'arguments': horses})}</tool_call>"))
    for turn in (leaked, Turn([], [Call("Album", horses)])):
        server.play(turn, turn)
        assert make(artist="Patti Smith") == Album(**horses)
        *views, found = make.stream_call(artist="Patti Smith")
        assert found == Album(**horses)
        assert len(views) > 5
        assert server.requests[-1][1]["tool_choice"] == "required"


def test_tools_are_told_in_the_prompt(server: Loopback) -> None:
    server.play(Turn([OSLO]))
    with new(server.url, tools_in="prompt") as own:
        assert own.predict_and_call(TOOLS, HI, tool_choice="auto").sources
    body = server.requests[-1][1]
    assert "tools" not in body
    assert "tool_choice" not in body
    assert "get_weather" in body["messages"][0]["content"]


# -- errors ------------------------------------------------------------------------------------------------------------


def every_form(url: str, **options: Any) -> list[Callable[[], Any]]:
    """The same question in all four forms."""

    def whole() -> Any:
        with new(url, **options) as own:
            return own.chat(HI)

    def steps() -> Any:
        with new(url, **options) as own:
            return list(own.stream_chat(HI))

    async def awhole() -> Any:
        async with new(url, **options) as own:
            return await own.achat(HI)

    async def asteps() -> Any:
        async with new(url, **options) as own:
            return [step async for step in own.astream_chat(HI)]

    return [whole, steps, lambda: asyncio.run(awhole()), lambda: asyncio.run(asteps())]


@pytest.mark.parametrize("form", range(4))
def test_errors_of_the_server(form: int, server: Loopback) -> None:
    ask = every_form(server.url, retry=SOON)[form]
    server.play(Turn(["x"], faults=[Status(404, {"error": {"message": "model 'm' not found"}})]))
    with pytest.raises(ServerError, match=r"chat with 'm' at http.*: model 'm' not found$") as caught:
        ask()
    assert (caught.value.status, caught.value.attempts, caught.value.model) == (404, 1, "m")
    server.play(*[Turn(["x"], faults=[Status(503)])] * 3)
    with pytest.raises(ServerError) as caught:
        ask()
    assert (caught.value.status, caught.value.attempts) == (503, 3)
    server.play(Turn(["x"], faults=[Status(400, "<html>")]))
    with pytest.raises(ServerError, match="<html>"):
        ask()


@pytest.mark.parametrize("form", range(4))
def test_a_busy_server_is_asked_again(form: int, server: Loopback) -> None:
    server.play(Turn(["x"], faults=[Status(429)]), Turn(["x"], faults=[Status(500)]), Turn(["It is cold."]))
    found = every_form(server.url, retry=SOON)[form]()
    response = found[-1] if isinstance(found, list) else found
    assert response.message.content == "It is cold."


@pytest.mark.parametrize("form", range(4))
def test_no_server(form: int) -> None:
    with pytest.raises(RequestConnectionError) as caught:
        every_form("http://127.0.0.1:9", retry=SOON)[form]()
    assert caught.value.attempts == 3


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield f"http://127.0.0.1:{found.getsockname()[1]}"


@pytest.mark.parametrize("form", range(4))
def test_a_server_that_is_too_slow(form: int, silent: str) -> None:
    with pytest.raises(RequestTimeoutError) as caught:
        every_form(silent, retry=RetryPolicy(attempts=2, wait=0), timeout=0.05)[form]()
    assert caught.value.attempts == 2


@pytest.mark.parametrize("form", [1, 3])
@pytest.mark.parametrize("fault", [Cut(3), Malformed(3), ErrorLine(3)], ids=["cut", "malformed", "error"])
def test_a_server_that_dies_in_mid_stream(fault: Any, form: int, server: Loopback) -> None:
    server.play(Turn(["It ", "is ", "cold."], faults=[fault]))
    with pytest.raises(StreamInterruptedError) as caught:
        every_form(server.url, retry=SOON)[form]()
    assert isinstance(caught.value.partial, ChatResponse)
    assert caught.value.partial.message.content == "It is "
    assert len(server.requests) == 1, "a stream that has begun is not sent again"


def test_a_stream_that_is_left_is_closed(llm: OpenAICompatible, server: Loopback) -> None:
    server.play(Turn(["a "] * 100, faults=[Slow(50)]))
    stream = llm.stream_chat(HI)
    next(stream)
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert list(stream) == []


def test_cancellation_goes_through(silent: str) -> None:
    async def run() -> bool:
        async with new(silent, retry=SOON) as own:
            task = asyncio.create_task(own.achat(HI))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.wait({task})
            return task.cancelled()

    assert asyncio.run(run())
