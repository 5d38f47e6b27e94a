"""`OpenAICompatible` for any server with OpenAI's chat API, on loopback servers; test_both.py has the rest."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import httpx
from pydantic import BaseModel

from tests.llm.both import HI, ONCE, OSLO, SOON, TOOLS, WEATHER
from tests.llm.models import Cold
from tests.support.loopback import Call, Loopback, Turn
from toolglean.llm import (
    ClientError,
    ConfigurationError,
    Message,
    OpenAICompatible,
    ServerError,
    StreamInterruptedError,
    ToolOrchestratingLLM,
)


def new(url: str, **options: Any) -> OpenAICompatible:
    return OpenAICompatible("m", base_url=f"{url}/v1", **{"retry": ONCE, **options})


@pytest.fixture
def llm(server: Loopback) -> Iterator[OpenAICompatible]:
    with new(server.url) as found:
        yield found


# -- settings and clients ----------------------------------------------------------------------------------------------


def test_settings_of_the_chat_api() -> None:
    own = OpenAICompatible("m", temperature=1.9, api_key="secret")
    assert own.temperature == 1.9
    assert "secret" not in repr(own) + str(own) + str(own.model_dump())
    with pytest.raises(ConfigurationError, match="keep_alive"):
        OpenAICompatible("m", keep_alive=1)  # Ollama's


@pytest.mark.parametrize("key", ["sk-secret\n", 7])
def test_a_key_that_is_refused_is_not_shown(key: Any) -> None:
    """The line break of a file came to httpx, whose error shows the header."""
    with pytest.raises(ConfigurationError, match="api_key is not valid") as caught:
        OpenAICompatible("m", api_key=key)
    assert str(key) not in "".join(traceback.format_exception(caught.value))
    assert caught.value.value is None


def test_clients_are_made_once_at_their_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAICompatible("m", timeout=3) as own:
        assert own.client is own.client
        assert own.client.timeout.read == 3

    def broken(**_: Any) -> None:
        raise ValueError("no such proxy")

    with monkeypatch.context() as patch:
        patch.setattr(httpx, "Client", broken)
        with pytest.raises(ClientError, match="no such proxy"):
            OpenAICompatible("m", retry=SOON).chat("hi")


# -- requests and answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_json_that_is_nested_without_end_is_an_error_of_the_server(stream: bool) -> None:
    deep = b"[" * 200_000
    kind, body = ("text/event-stream", b"data: " + deep + b"\n\n") if stream else ("application/json", deep)
    answers = httpx.MockTransport(lambda _: httpx.Response(200, headers={"content-type": kind}, content=body))
    own = OpenAICompatible("m", client=httpx.Client(transport=answers), retry=ONCE)
    with pytest.raises((ServerError, StreamInterruptedError), match="cannot be read"):
        list(own.stream_chat("hi")) if stream else own.chat("hi")


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
        OpenAICompatible("m", temperature=None, client=client).chat(HI)
        assert "temperature" not in json.loads(seen[2].content)


ODD: list[Any] = [{}, {"choices": []}, {"choices": None}, {"choices": [7]}, {"choices": [{"message": 7}]}, [], 7]
ODD += [{"choices": [{"message": {"content": 7, "tool_calls": [7, {"function": 3}]}}]}]


@pytest.mark.parametrize("body", ODD, ids=repr)
def test_odd_answers_do_not_raise(body: Any) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    with httpx.Client(transport=transport) as client:
        for tools in (None, TOOLS):
            response = OpenAICompatible("m", client=client).chat(HI, tools=tools)
            assert (response.message.content, response.tool_calls) == ("", [])


def test_clients_that_were_handed_in_stay_open() -> None:
    with httpx.Client() as given:
        with OpenAICompatible("m", client=given) as own:
            assert own.client is given
        assert not given.is_closed


# -- calls -------------------------------------------------------------------------------------------------------------


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
