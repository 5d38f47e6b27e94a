"""`OpenAICompatible` for any server with OpenAI's chat API, on loopback servers; test_both.py has the rest."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import httpx
from pydantic import BaseModel

from tests.llm.both import HI, ONCE, OSLO, SOON, TOOLS, WEATHER, every_form
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Turn
from toolglean.llm import (
    ChatResponse,
    ClientError,
    ConfigurationError,
    Message,
    NoToolCallError,
    OpenAICompatible,
    Role,
    ServerError,
    StreamInterruptedError,
    ToolCallChunk,
    ToolOrchestratingLLM,
)


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
            OpenAICompatible("m", retry=SOON).chat("hi")


# -- requests and answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"], ids=["LF", "CRLF", "CR"])
def test_what_python_takes_for_a_line_end_is_none_in_an_event(end: bytes) -> None:
    # Such an event was cut in two, as httpx divides text into lines as Python does, and the answer broke off.
    chunk = {"choices": [{"index": 0, "delta": {"content": "a\u2028b\x85cd"}, "finish_reason": None}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events = [json.dumps(each, ensure_ascii=False).encode() for each in (chunk, last)]
    data = b"".join(b"data: " + each + end for each in [*events, b"[DONE]"])
    sizes = (1, 7, len(data))

    def answer(_: httpx.Request) -> httpx.Response:
        size = sizes[len(found)]
        return httpx.Response(200, content=iter([data[at : at + size] for at in range(0, len(data), size)]))

    found: list[str] = []
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        for _ in sizes:
            *_, response = OpenAICompatible("m", client=client).stream_chat("hi")
            found.append(response.message.content)
    assert found == ["a\u2028b\x85cd"] * 3


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


def test_clients_that_were_handed_in_stay_open() -> None:
    with httpx.Client() as given:
        with OpenAICompatible("m", client=given) as own:
            assert own.client is given
        assert not given.is_closed


# -- calls -------------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b": hello\n\n"])
@pytest.mark.parametrize("last", [b"", b"\n", b"\n\n", b"\n\ndata: [DONE]"])
def test_the_first_and_the_last_event_are_read_as_they_are(before: bytes, last: bytes) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": None}]}
    data = before + b"data: " + json.dumps(chunk).encode() + last
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=data))
    with httpx.Client(transport=transport) as client:
        *_, response = OpenAICompatible("m", client=client).stream_chat("hi")
    assert response.message.content == "Hi."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "model not found"}}', "model not found"),
        (b"<html>\n\n<p>Sign in.</p>\n\n</html>", "Sign in"),
        (b"", "200"),
    ],
)
def test_a_stream_that_is_none_is_an_error(body: bytes, said: str) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    with httpx.Client(transport=transport) as client, pytest.raises(ServerError, match=said):
        list(OpenAICompatible("m", client=client, retry=SOON).stream_chat("hi"))


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [1, 3])
@pytest.mark.parametrize("fault", [Cut(3), Malformed(3), ErrorLine(3)], ids=["cut", "malformed", "error"])
def test_a_server_that_dies_in_mid_stream(fault: Any, form: int, server: Loopback) -> None:
    server.play(Turn(["It ", "is ", "cold."], faults=[fault]))
    with pytest.raises(StreamInterruptedError) as caught:
        every_form("OpenAICompatible", server.url, retry=SOON)[form]()
    assert isinstance(caught.value.partial, ChatResponse)
    assert caught.value.partial.message.content == "It is "
    assert len(server.requests) == 1, "a stream that has begun is not sent again"
