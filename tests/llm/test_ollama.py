"""`Ollama`: settings, clients, requests, answers, streams, calls; with the real ollama package on loopback servers; test_both.py has the rest."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

import ollama
from pydantic import BaseModel

from tests.llm.both import HI, ONCE, OSLO, SOON, TOOLS, WEATHER
from tests.support import depth
from tests.support.loopback import Call, Loopback, Turn
from tests.support.work import calls_made
from toolglean.events import Content
from toolglean.llm import (
    CallableTool,
    ChatResponse,
    ClientError,
    CompletionResponse,
    ConfigurationError,
    Message,
    MessageList,
    Ollama,
    RequestConnectionError,
    Role,
    TextChunk,
    ToolCallChunk,
    ToolOrchestratingLLM,
    achat_to_completion,
    astream_chat_to_completion,
    chat_to_completion_decorator,
    force_single_tool_call,
    stream_chat_to_completion,
)
from toolglean.llm.answers import Reading


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plain clients are closed after each test; the asynchronous ones in their own loop."""
    made: list[Any] = []
    make = Ollama._made

    def noted(llm: Ollama, kind: Any) -> Any:
        made.append(make(llm, kind))
        return made[-1]

    monkeypatch.setattr(Ollama, "_made", noted)
    yield
    for client in made:
        if isinstance(client, ollama.Client):
            client._client.close()


@pytest.fixture
def llm(server: Loopback) -> Ollama:
    return Ollama("m", base_url=server.url, retry=ONCE)


def sent(server: Loopback) -> dict[str, Any]:
    """The last chat request."""
    return next(body for path, body in reversed(server.requests) if path == "/api/chat")


# -- settings and clients ----------------------------------------------------------------------------------------------


def test_clients_are_made_once_at_their_first_use() -> None:
    llm = Ollama("m", base_url="http://h:1", timeout=3, json_mode=True)
    assert llm.json_mode
    assert llm.client is llm.client
    assert llm.async_client is llm.async_client
    assert str(llm.client._client.base_url) == "http://h:1"
    assert llm.client._client.timeout.read == 3
    with pytest.raises(ConfigurationError, match="temperature"):
        Ollama("m", temperature=1.1)


def test_clients_that_were_handed_in_stay_open(server: Loopback) -> None:
    with ollama.Client(server.url) as given:
        with Ollama("m", client=given) as llm:
            assert llm.client is given
        server.play(Turn(["x"]))
        assert llm.chat(HI).message.content == "x"


def test_a_client_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: Any) -> None:
        raise ValueError("no such proxy")

    llm = Ollama("m", retry=SOON)
    with monkeypatch.context() as patch:
        patch.setattr(ollama, "Client", broken)
        with pytest.raises(ClientError, match="no such proxy") as caught:
            llm.chat("hi")
    assert isinstance(caught.value, ValueError | ConnectionError)
    assert isinstance(caught.value.__cause__, ValueError)
    assert llm.client is not None  # the next use tries again


# -- requests and answers ----------------------------------------------------------------------------------------------


def test_the_request(server: Loopback) -> None:
    llm = Ollama(
        "m", base_url=server.url, temperature=0.1, json_mode=True, additional_kwargs={"seed": 1}, keep_alive="5m",
        context_window=99, system_prompt="Be brief.", retry=ONCE,
    )  # fmt: skip
    server.play(Turn(["{}"]))
    llm.generate_tool_calls(
        [Message.from_str("Hm.", "system"), *HI], [WEATHER], top_p=0.5, options={"seed": 2}, think=False
    )
    body = sent(server)
    assert body["messages"] == [
        {"role": "system", "content": "Be brief.\n\nHm."},
        {"role": "user", "content": "Is it cold?"},
    ]
    assert body["options"] == {"temperature": 0.1, "num_ctx": 99, "seed": 2, "top_p": 0.5}
    assert (body["model"], body["format"], body["keep_alive"], body["stream"]) == ("m", "json", "5m", False)
    assert body["think"] is False
    function = body["tools"][0]["function"]
    assert (body["tools"][0]["type"], function["name"], function["description"]) == (
        "function",
        "get_weather",
        "The weather.",
    )
    assert function["parameters"]["properties"]["city"]["description"] == "where"
    server.play(Turn(["x"]))
    Ollama("m", base_url=server.url).chat("hi")
    assert not {"format", "keep_alive"} & sent(server).keys()
    assert not sent(server).get("tools")


class Texts:
    """Reads texts as content."""

    def read(self, text: str) -> list[Any]:
        return [Content(text, 0)]

    def finish(self) -> list[Any]:
        return []


def test_a_long_stream_costs_what_it_brings() -> None:
    def steps(count: int) -> Callable[[], None]:
        def run() -> None:
            reading = Reading(Texts(), lambda _: {}, single_call=False)
            for _ in range(count):
                reading.step("abcd")

        return run

    size = 100 if depth.is_full() else 40
    small, large = calls_made(steps(size)), calls_made(steps(10 * size))
    assert large < small * 11


class Played:
    """A minimal client: `chat`, answers as dicts, streams as iterators."""

    def __init__(self, *chunks: Any) -> None:
        self.chunks = chunks

    def chat(self, *_: Any, stream: bool = False, **__: Any) -> Any:
        return iter(self.chunks) if stream else self.chunks[0]


class PlayedAsync(Played):
    async def chat(self, *_: Any, stream: bool = False, **__: Any) -> Any:
        return self.each() if stream else self.chunks[0]

    async def each(self) -> AsyncIterator[Any]:
        for chunk in self.chunks:
            yield chunk


ODD: list[Any] = [None, "text", {}, [], {"content": 5}, {"content": None, "tool_calls": None}, {"content": ["x"]}]
ODD += [{"thinking": 5}, {"tool_calls": 5}, {"tool_calls": [None, "x", {"function": 1}]}]
ODD += [{"tool_calls": [{}]}, {"tool_calls": [{"function": {"arguments": {}}}]}]  # once without a warning
UNSAID: list[Any] = [{}, {"content": None, "tool_calls": None}, {"thinking": 5}]


@pytest.mark.parametrize("tools", [None, TOOLS], ids=["no tools", "tools"])
@pytest.mark.parametrize("message", ODD, ids=repr)
def test_odd_answers_get_defaults_and_a_warning(message: Any, tools: Any, caplog: pytest.LogCaptureFixture) -> None:
    played: Any = Played({"message": message, "model": "m"})
    llm = Ollama("m", client=played, retry=ONCE)
    with caplog.at_level(logging.WARNING, "toolglean.llm"):
        response = llm.chat(HI, tools=tools)
        *_, streamed = [ChatResponse(message=Message.from_str("")), *llm.stream_chat(HI, tools=tools)]
    assert (response.message.content, response.tool_calls) == ("", [])
    assert (streamed.message.content, streamed.tool_calls) == ("", [])
    assert bool(caplog.records) == (message not in UNSAID)


@pytest.mark.parametrize("arguments", [{"city": "Oslo"}, '{"city": "Oslo"}'], ids=["object", "text"])
def test_a_client_may_be_anything_that_has_chat(arguments: Any) -> None:
    call = {"function": {"name": "get_weather", "arguments": arguments}}
    chunks = [{"message": {"content": "Hm. "}}, {"message": {"tool_calls": [call]}, "done": True}]

    async def steps() -> list[ChatResponse]:
        played: Any = PlayedAsync(*chunks)
        return [each async for each in Ollama("m", async_client=played).astream_chat(HI, tools=TOOLS)]

    played: Any = Played(*chunks)
    for found in (list(Ollama("m", client=played).stream_chat(HI, tools=TOOLS)), asyncio.run(steps())):
        assert (found[-1].message.content, [each.arguments for each in found[-1].tool_calls]) == (
            "Hm. ",
            [{"city": "Oslo"}],
        )


def test_a_call_whose_arguments_are_no_object_is_never_run() -> None:
    played: Any = Played({"message": {"tool_calls": [{"function": {"name": "get_weather", "arguments": "[1]"}}]}})
    response = Ollama("m", client=played).chat(HI, tools=TOOLS)
    assert response.tool_calls == []
    assert [(call.name, call.unread) for call in response.unfinished] == [("get_weather", "[1]")]


CALLED = {"message": {"tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]}}


def test_calls_of_the_server_count_also_where_no_tools_were_given() -> None:
    played: Any = Played(CALLED, CALLED | {"done": True})
    llm = Ollama("m", client=played)
    assert [call.name for call in llm.chat(HI).tool_calls] == ["get_weather"]
    *_, last = llm.stream_chat(HI)
    assert [call.arguments for call in last.tool_calls] == [{"city": "Oslo"}] * 2
    assert len({call.id for call in last.tool_calls}) == 2


def test_keys_of_arguments_are_texts() -> None:
    played: Any = Played({"message": {"tool_calls": [{"function": {"name": "f", "arguments": {1: 2}}}]}})
    assert Ollama("m", client=played).chat(HI).tool_calls[0].arguments == {"1": 2}


LEFT_OPEN = """
import asyncio, sys
from toolglean.llm import Ollama
llm = Ollama("m", base_url=sys.argv[1])
for _ in range(2):
    print(asyncio.run(llm.acomplete("a")).text)
"""


def test_a_loop_that_was_left_open_does_not_spoil_the_next(server: Loopback) -> None:
    # In a separate process: its connections stay open, which would be reported here.
    server.play(Turn(["x"]), Turn(["y"]))
    done = subprocess.run(
        [sys.executable, "-c", LEFT_OPEN, server.url], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.split() == ["x", "y"]


def test_a_busy_server_is_asked_again_what_the_model_is() -> None:
    client = MagicMock()
    busy = ollama.ResponseError("busy", 503)
    client.show.side_effect = [busy, busy, {"capabilities": ["completion"]}]
    client.chat.return_value = {"message": {"content": "x"}}
    llm = Ollama("m", client=client, retry=SOON)
    for told in (True, False, False):
        llm.chat(HI, tools=TOOLS)
        assert ("tools" in client.chat.call_args.kwargs) is told
    assert client.show.call_count == 3
    client.show.side_effect = [ConnectionError, ConnectionError, {"capabilities": ["tools"]}]
    Ollama("m", client=client, retry=SOON).chat(HI, tools=TOOLS)
    client.show.side_effect = ConnectionError
    with pytest.raises(RequestConnectionError) as caught:
        Ollama("m", client=client, retry=SOON).chat(HI, tools=TOOLS)
    assert (caught.value.operation, caught.value.attempts) == ("show", 3)


class Careless(Ollama):
    """A user's own model, whose `chat` does not support `single_call`."""

    def chat(self, *_: Any, **__: Any) -> Any:
        calls = [ToolCallChunk(name="get_weather", arguments={"city": each}) for each in ("Oslo", "Rome")]
        return ChatResponse(message=Message(role=Role.MODEL, chunks=[*calls]))


def test_one_call_is_kept_whatever_chat_gives(caplog: pytest.LogCaptureFixture) -> None:
    llm = Careless(model="m")
    with caplog.at_level(logging.WARNING, "toolglean.llm"):
        assert len(llm.generate_tool_calls(HI, TOOLS).tool_calls) == 1
        assert len(llm.predict_and_call(TOOLS, HI).sources) == 1
    assert len(caplog.records) == 2
    assert len(llm.generate_tool_calls(HI, TOOLS, allow_parallel_tool_calls=True).tool_calls) == 2
    assert len(llm.predict_and_call(TOOLS, HI, allow_parallel=True).sources) == 2


def test_calls_that_are_left_out_are_told_of(llm: Ollama, server: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    turn = Turn([], [Call("get_weather", {"city": each}) for each in ("Oslo", "Rome", "Bonn")])
    server.play(turn, turn)
    with caplog.at_level(logging.WARNING, "toolglean.llm"):
        assert len(llm.generate_tool_calls(HI, TOOLS).tool_calls) == 1
        assert len([*llm.stream_chat_with_tools(TOOLS, HI)][-1].tool_calls) == 1
    assert len(caplog.records) == 2


def test_messages_may_be_dicts_and_have_content() -> None:
    client = MagicMock()
    client.chat.return_value = {"message": {"content": "x"}}
    given: Any = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
    Ollama("m", client=client).chat(given)
    assert client.chat.call_args.kwargs["messages"] == given
    assert client.chat.call_args.kwargs["stream"] is False
    assert Message.model_validate({"role": "assistant", "content": "x"}) == Message.from_str("x", Role.MODEL)


def test_tools_that_cannot_be_run_are_refused() -> None:
    client = MagicMock()
    client.chat.return_value = CALLED
    given: Any = [WEATHER.metadata.to_openai_tool()]
    assert Ollama("m", client=client).generate_tool_calls(HI, given).tool_calls
    with pytest.raises(
        ConfigurationError, match="which cannot be run: pass a CallableTool, a function or a pydantic class"
    ):
        Ollama("m", client=client).predict_and_call(given, HI)


def test_what_a_client_says_of_the_model_may_be_anything() -> None:
    # For example a mock, which has every attribute.
    for shown in (MagicMock(), {"template": 5, "capabilities": 5}, None):
        client = MagicMock()
        client.show.return_value = shown
        client.chat.return_value = {"message": {"content": OSLO}}
        assert [call.name for call in Ollama("m", client=client).chat(HI, tools=TOOLS).tool_calls] == ["get_weather"]
        assert client.chat.call_args.kwargs["tools"]
        assert client.show.call_count == 1


async def test_a_stream_that_is_never_begun_leaves_nothing_open(server: Loopback) -> None:
    before = len(server.requests)

    async with Ollama("m", base_url=server.url) as own:
        for steps in (
            own.astream_chat(HI),
            await own.astream_complete("x"),
            own.astream_chat_with_tools(TOOLS, HI),
        ):
            await steps.aclose()
    assert len(server.requests) == before


# -- completions -------------------------------------------------------------------------------------------------------


def test_a_completion_in_steps_has_a_method_of_its_own(llm: Ollama) -> None:
    """An AttributeError said that a generator has no `to_completion_response`."""
    with pytest.raises(ConfigurationError, match=r"stream=True .* call stream_complete or astream_complete"):
        llm.complete("Hi", stream=True)
    with pytest.raises(ConfigurationError, match=r"stream=True"):
        asyncio.run(llm.acomplete("Hi", stream=True))


def test_the_decorators_make_one_message_of_the_prompt() -> None:
    seen: list[Any] = []
    answer = ChatResponse(message=Message.from_str("a", "assistant"), raw="raw", delta="d", additional_kwargs={"x": 1})

    def chat(messages: Any, **kwargs: Any) -> ChatResponse:
        seen.append((messages, kwargs))
        return answer

    async def achat(messages: Any, **kwargs: Any) -> ChatResponse:
        return chat(messages, **kwargs)

    expected = CompletionResponse(text="a", raw="raw", delta="d", additional_kwargs={"x": 1})
    assert chat_to_completion_decorator(chat)("p", seed=1) == expected
    assert list(
        stream_chat_to_completion(lambda messages, **kwargs: iter([chat(messages, **kwargs)]))("p", seed=1)
    ) == [expected]
    assert asyncio.run(_awaited(achat_to_completion(achat)("p", seed=1))) == expected
    assert seen == [([Message(role=Role.USER, chunks=[TextChunk(content="p")])], {"seed": 1})] * 3


def test_the_decorators_decorate_methods() -> None:
    # They took a prompt and nothing else, so `@chat_to_completion_decorator` in a class was a TypeError.
    class Echo:
        def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
            return ChatResponse(message=Message.from_str(f"{messages[0].content} {kwargs}"))

        complete = chat_to_completion_decorator(chat)

        @stream_chat_to_completion
        def stream_complete(self, messages: Any, **kwargs: Any) -> Any:
            yield self.chat(messages, **kwargs)

        @achat_to_completion
        async def acomplete(self, messages: Any, **kwargs: Any) -> ChatResponse:
            return self.chat(messages, **kwargs)

        @astream_chat_to_completion
        async def astream_complete(self, messages: Any, **kwargs: Any) -> AsyncIterator[ChatResponse]:
            yield self.chat(messages, **kwargs)

    async def run(echo: Echo) -> list[CompletionResponse]:
        return [await echo.acomplete("p", x=1)] + [each async for each in echo.astream_complete("p", x=1)]

    found = [Echo().complete("p", x=1), *Echo().stream_complete(prompt="p", x=1), *asyncio.run(run(Echo()))]
    assert [each.text for each in found] == ["p {'x': 1}"] * 4


def test_the_decorator_takes_a_coroutine_that_gives_a_stream() -> None:
    async def astream_chat(messages: Any, **_: Any) -> Any:
        async def steps() -> AsyncIterator[ChatResponse]:
            yield ChatResponse(message=Message.from_str(messages[0].content.upper()), delta="x")

        return steps()

    async def run() -> list[CompletionResponse]:
        complete = astream_chat_to_completion(astream_chat)
        return [each async for each in await complete("p")] + [each async for each in complete("q")]

    assert [each.text for each in asyncio.run(run())] == ["P", "Q"]


async def _awaited(work: Any) -> Any:
    return await work


# -- calls -------------------------------------------------------------------------------------------------------------


def test_texts_become_numbers_only_where_the_schema_asks() -> None:
    def add(label: str, count: int) -> str:
        """Add."""
        return f"{label!r} {count!r}"

    assert CallableTool.from_function(add).call(label="123", count="7").content == "'123' 7"


def test_force_single_tool_call_keeps_the_rest() -> None:
    chunks: list[Any] = [TextChunk(content="a"), *[ToolCallChunk(name=name) for name in "fgh"], TextChunk(content="b")]
    response = ChatResponse(message=Message(role=Role.MODEL, chunks=chunks))
    assert force_single_tool_call(response) is response
    assert [getattr(chunk, "name", "") for chunk in response.message.chunks] == ["", "f", ""]
    assert Ollama.force_single_tool_call(response).message.content == "ab"


# -- models whose template does not support tools -----------------------------------------------------------------------


@pytest.mark.parametrize("template", ["{{ .Prompt }}", ""])
def test_tools_are_told_in_the_prompt(template: str, server: Loopback) -> None:
    server.template = template
    server.play(Turn(list("Hm. " + OSLO)), Turn([OSLO]))
    llm = Ollama("m", base_url=server.url, tools_in="prompt", retry=ONCE)
    found = llm.predict_and_call(TOOLS, HI)
    assert found.parse_tool_outputs() == {"city": "Oslo", "days": 1}
    body = sent(server)
    assert not body.get("tools")
    assert '"get_weather"' in body["messages"][0]["content"]
    assert llm.predict_and_call(TOOLS, HI).sources
    assert [path for path, _ in server.requests].count("/api/show") == 1


def test_the_server_tells_whether_tools_are_supported(server: Loopback) -> None:
    for template, told in (("{{ .Prompt }}", True), ("{{ .Tools }}", False)):
        server.template = template
        server.play(Turn([OSLO]))
        Ollama("m", base_url=server.url, retry=ONCE).predict_and_call(TOOLS, HI)
        assert bool(sent(server).get("tools")) != told


def test_messages_there_and_back() -> None:
    given = MessageList(
        [Message.from_str("s", "system"), *HI, Message(role=Role.MODEL, chunks=[ToolCallChunk(name="f")])]
    )
    assert MessageList.from_history(given.to_history()) == given


# -- a real server -----------------------------------------------------------------------------------------------------

REAL = os.environ.get("OLLAMA_HOST")


@pytest.mark.skipif(not REAL, reason="no Ollama server: set OLLAMA_HOST (and OLLAMA_MODEL)")
def test_a_real_server() -> None:
    class Answer(BaseModel):
        """The sum."""

        total: int

    base = REAL if str(REAL).startswith("http") else f"http://{REAL}"
    llm = Ollama(os.environ.get("OLLAMA_MODEL", "qwen3:8b"), base_url=str(base), timeout=300, temperature=0)
    found = ToolOrchestratingLLM(Answer, "How much is {a} + {b}?", llm)(a=2, b=3)
    assert found == Answer(total=5)
    assert json.loads(found.model_dump_json())
