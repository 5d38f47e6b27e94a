"""What `Ollama` and `OpenAICompatible` promise alike, on loopback servers; what is of one is in a file of its own."""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("tenacity", reason="needs toolglean[llm]")

from tests.llm.both import HI, KINDS, LEAKED, OSLO, OWN, PARALLEL, SOON, TOOLS, Served, every_form, new
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Slow, Status, Turn, recorded
from toolglean.kit.demo import load_streams, load_tools
from toolglean.llm import (
    CallableTool,
    ChatResponse,
    CompletionResponse,
    ConfigurationError,
    InvalidObjectError,
    NoToolCallError,
    Ollama,
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
    ToolSchemaError,
    UnknownToolError,
)

CLASSES: dict[str, Any] = {"Ollama": Ollama, "OpenAICompatible": OpenAICompatible}
pytestmark = pytest.mark.parametrize("kind", KINDS)
each_form = pytest.mark.parametrize("form", range(4))
both_ways = pytest.mark.parametrize("asynchronous", [False, True])


@pytest.fixture
def llm(kind: str, server: Loopback) -> Iterator[Served]:
    with new(kind, server.url) as found:
        yield found


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield f"http://127.0.0.1:{found.getsockname()[1]}"


# -- settings ----------------------------------------------------------------------------------------------------------


def test_fields_are_kept_and_do_not_change(kind: str) -> None:
    url = "http://h:1" if kind == "Ollama" else "http://h:1/v1"
    own = CLASSES[kind]("m", base_url=url, timeout=3, temperature=0.9, additional_kwargs={"seed": 1})
    assert (own.model, own.base_url, own.timeout, own.temperature) == ("m", url, 3, 0.9)
    assert own.additional_kwargs == {"seed": 1}
    for name in ("model", "temperature", "additional_kwargs"):
        with pytest.raises(ValueError, match="frozen"):
            setattr(own, name, "x")
    assert (own.metadata.is_chat_model, own.metadata.is_function_calling_model) == (True, True)
    assert own.metadata.model_name == "m"
    assert CLASSES[kind]("m", context_window=9).metadata.context_window == 9
    assert (own._client, own._async_client) == (None, None)


@pytest.mark.parametrize("given", [{}, {"additional_kwargs": {}, "parser": {}}], ids=["left out", "given"])
def test_the_options_of_a_model_do_not_change(given: dict[str, Any], kind: str) -> None:
    # Options that were left out could be changed, and two models could not be told apart afterwards.
    own = CLASSES[kind]("m", **given)
    for options in (own.additional_kwargs, own.parser):
        with pytest.raises(TypeError, match="frozen"):
            options["seed"] = 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", ""), ("base_url", "localhost:8000"), ("base_url", "ftp://x"), ("base_url", "http://"), ("base_url", "http://h:port"),
        ("temperature", -0.1), ("temperature", 2.1), ("timeout", 0), ("context_window", 0), ("tempratur", 1), ("response_format", "json"),
    ],
)  # fmt: skip
def test_settings_that_are_wrong(field: str, value: Any, kind: str) -> None:
    with pytest.raises(ConfigurationError, match=field) as caught:
        CLASSES[kind](**{"model": "m", field: value})
    assert (caught.value.field, caught.value.value) == (field, value)
    assert isinstance(caught.value, ValueError)
    assert caught.value.__cause__ is not None
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# -- answers -----------------------------------------------------------------------------------------------------------


def test_an_answer(kind: str, llm: Served, server: Loopback) -> None:
    for key in ("reasoning_content", "reasoning"):  # of OpenAI's API
        call = Call("get_weather", {"city": "Oslo"}, "c1")
        server.play(Turn(["It is ", "cold."], [call], ["Hm"], "length", reasoning_key=key))
        response = llm.chat(HI, tools=TOOLS)
        assert isinstance(response, ChatResponse)
        message = response.message
        assert (message.role, message.content, message.reasoning) == (Role.MODEL, "It is cold.", "Hm")
        assert response.tool_calls == [ToolCallChunk(name="get_weather", arguments={"city": "Oslo"}, id="c1")]
        told = response.additional_kwargs
        assert told["done_reason"] == "length"
        assert told["eval_count"] if kind == "Ollama" else told["usage"]["total_tokens"]
        assert kind != "Ollama" or response.raw.message.content == "It is cold."
        assert response.delta is None


def test_a_stream_adds_up(kind: str, llm: Served, server: Loopback) -> None:
    server.play(Turn(["It is ", "cold."], [Call("get_weather", {"city": "Oslo"}, "c1")], ["Hm"]))
    responses: list[Any] = list(llm.chat(HI, tools=TOOLS, stream=True))
    assert [response.message.content for response in responses][-2:] == ["It is cold."] * 2
    assert "".join(response.delta or "" for response in responses) == "It is cold."
    counts = [len(response.tool_calls) for response in responses]
    assert counts == sorted(counts)
    last = responses[-1]
    assert (last.tool_calls[0].id, last.message.reasoning) == ("c1", "Hm")
    dumped = last.model_dump()
    assert dumped["message"]["chunks"][1]["content"] == "It is cold."
    assert ChatResponse.model_validate(dumped).tool_calls == last.tool_calls
    if kind == "Ollama":
        assert last.additional_kwargs["done"] is True
    else:
        assert last.additional_kwargs["usage"]["total_tokens"]
        assert server.requests[-1][1]["stream_options"] == {"include_usage": True}


@pytest.mark.sampled(1, each="stream")
@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
@pytest.mark.parametrize("streaming", [False, True])
def test_recorded_streams(stream: Any, streaming: bool, kind: str, server: Loopback) -> None:
    server.play(recorded(stream.name))
    with new(kind, server.url, parser={"format": stream.name}) as own:
        *_, response = own.stream_chat(HI, tools=load_tools()) if streaming else [own.chat(HI, tools=load_tools())]
    expected = [(call["name"], call["arguments"]) for call in stream.calls]
    assert [(call.name, call.arguments) for call in response.tool_calls] == expected
    assert response.message.content.strip() == stream.content
    assert response.message.reasoning == stream.reasoning
    assert len({call.id for call in response.tool_calls}) == len(stream.calls)


def test_each_event_loop_has_a_client_of_its_own(kind: str, server: Loopback) -> None:
    server.play(*[Turn(["x"])] * 4)
    llm = new(kind, server.url)

    async def ask() -> Any:
        mine = llm.async_client
        steps = [each.delta async for each in llm.astream_complete("b")]
        texts = (await llm.acomplete("a")).text, steps[0]
        assert llm.async_client is mine
        await llm.aclose()
        return mine, texts

    (first, said), (second, again) = asyncio.run(ask()), asyncio.run(ask())
    assert said == again == ("x", "x")
    assert first is not second


def test_completions(llm: Served, server: Loopback) -> None:
    server.play(Turn(["It is ", "cold."]), Turn(["It is ", "cold."]))
    found = llm.complete("Is it cold?")
    assert isinstance(found, CompletionResponse)
    assert (found.text, str(found), found.delta) == ("It is cold.", "It is cold.", None)
    assert server.requests[-1][1]["messages"] == [{"role": "user", "content": "Is it cold?"}]
    steps = list(llm.stream_complete("Is it cold?"))
    assert [(step.text, step.delta) for step in steps[:2]] == [("It is ", "It is "), ("It is cold.", "cold.")]
    assert found.raw is not None


async def test_async_completions(kind: str, server: Loopback) -> None:
    server.play(Turn(["It is ", "cold."]), Turn(["It is ", "cold."]))

    async with new(kind, server.url) as own:
        found, steps = await own.acomplete("Is it cold?"), [step async for step in own.astream_complete("Is it cold?")]
    assert (found.text, steps[1].text, steps[1].delta) == ("It is cold.", "It is cold.", "cold.")


def test_steps_may_be_awaited_or_iterated_at_once(kind: str, server: Loopback) -> None:
    """Some programs write `async for … in await …`, others omit the `await`."""
    turn = Turn(["It is ", "cold."], [Call("get_weather", {"city": "Oslo"})])
    ways: list[Callable[[Served], Any]] = [
        lambda own: own.astream_chat(HI),
        lambda own: own.astream_complete("Is it cold?"),
        lambda own: own.astream_chat_with_tools(TOOLS, HI),
        lambda own: own.astream_generate_tool_calls(HI, TOOLS),
    ]

    async def run(way: Callable[[Served], Any]) -> tuple[list[str], list[str]]:
        async with new(kind, server.url) as own:
            return [each.delta async for each in way(own)], [each.delta async for each in await way(own)]

    for way in ways:
        server.play(turn, turn)
        first, second = asyncio.run(run(way))
        assert first == second
        assert "".join(first) == "It is cold."


def test_earlier_responses_do_not_change(llm: Served, server: Loopback) -> None:
    server.play(Turn(["a ", "b ", "c "]))
    responses = list(llm.stream_chat(HI))
    assert [response.message.content for response in responses[:3]] == ["a ", "a b ", "a b c "]
    assert responses[0].message is responses[0].message


# -- calls -------------------------------------------------------------------------------------------------------------


def test_no_call(llm: Served, server: Loopback) -> None:
    server.play(*[Turn(["It is cold."])] * 2)
    with pytest.raises(NoToolCallError, match=r"it wrote: 'It is cold\.'"):
        llm.predict_and_call(TOOLS, HI)
    found = llm.predict_and_call(TOOLS, HI, error_on_no_tool_call=False)
    assert (found.response, found.sources) == ("It is cold.", [])
    assert llm.get_tool_calls_from_response(ChatResponse(message=HI[0]), error_on_no_tool_call=False) == []


def test_a_tool_without_a_schema_is_refused_before_anything_is_sent(llm: Served, server: Loopback) -> None:
    bare = CallableTool(len, ToolMetadata(name="bare"))
    for work in (lambda: llm.generate_tool_calls(HI, [bare]), lambda: llm.stream_chat_with_tools([bare], HI)):
        with pytest.raises(ToolSchemaError, match="'bare' has no schema") as caught:
            work()
        assert caught.value.tool_name == "bare"
    with pytest.raises(ToolSchemaError):
        llm.chat(HI, tools=["a name"])
    assert server.requests == []


BOTH = Turn([*OSLO], [Call("get_weather", {"city": "Rome"}), Call("boom", {})])
TWICE = Turn([*OSLO, *OSLO], [OWN, OWN, Call("boom", {})])  # parsed, and also left in the text
THEIRS_FIRST = Turn([OWN, OWN, Call("boom", {}), *OSLO, *OSLO])


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "turn",
    [PARALLEL, LEAKED, BOTH, TWICE, THEIRS_FIRST],
    ids=["by the server", "leaked", "both", "twice", "twice, theirs first"],
)
def test_parallel_and_identical_calls(turn: Turn, llm: Served, server: Loopback) -> None:
    server.play(*[turn] * 4)
    both = llm.generate_tool_calls(HI, TOOLS, allow_parallel_tool_calls=True)
    assert sorted(call.name for call in both.tool_calls) == ["boom", "get_weather", "get_weather"]
    assert len({call.id for call in both.tool_calls}) == 3
    *_, streamed = llm.stream_chat_with_tools(TOOLS, HI, allow_parallel_tool_calls=True)
    assert [call.name for call in streamed.tool_calls] == ["get_weather", "get_weather", "boom"]
    assert [call.name for call in llm.generate_tool_calls(HI, TOOLS).tool_calls] == ["get_weather"]
    for response in llm.stream_generate_tool_calls(HI, TOOLS):  # streams are trimmed too
        assert len(response.tool_calls) <= 1
        assert not [call for call in response.unfinished if call.name == "boom"]


def test_arguments_are_seen_while_they_are_written(kind: str, llm: Served, server: Loopback) -> None:
    by_the_server = [Turn([], [Call("get_weather", {"city": "Oslo"}, cut=1)])] if kind == "OpenAICompatible" else []
    for turn in (Turn(list(OSLO)), *by_the_server):
        server.play(turn)
        responses = list(llm.stream_chat_with_tools(TOOLS, HI))
        texts = [response.unfinished[0].unread for response in responses if response.unfinished]
        assert texts[-1] == '{"city": "Oslo"}'
        assert [len(text) for text in texts] == sorted(len(text) for text in texts)
        assert len(set(texts)) > 10
        assert not any(response.tool_calls for response in responses if response.unfinished)
        assert responses[-1].tool_calls[0].arguments == {"city": "Oslo"}
        assert responses[-1].unfinished == []


async def test_asynchronous_calls_not_run(kind: str, server: Loopback) -> None:
    server.play(LEAKED, LEAKED, LEAKED, LEAKED)

    async with new(kind, server.url) as own:
        whole = await own.agenerate_tool_calls(HI, TOOLS, allow_parallel_tool_calls=True)
        steps = [each async for each in own.astream_generate_tool_calls(HI, TOOLS, allow_parallel_tool_calls=True)]
        single = [each async for each in own.astream_chat_with_tools(TOOLS, HI)]
        chat = [each async for each in await own.astream_chat(HI, tools=TOOLS)]
        found = [whole, steps[-1], single[-1], chat[-1]]
    assert [len(response.tool_calls) for response in found] == [3, 3, 1, 3]
    assert [response.tool_calls[0].arguments for response in found] == [{"city": "Oslo"}] * 4


UNFINISHED = [
    Turn(["Hm. ", OSLO[:60]]),
    Turn(["Hm. ", '<tool_call>{"name": "get_weather", "arguments": {"city"]}']),
    Turn(["Hm. "], [Call("get_weather", '{"city": "Os')], finish="length"),
    Turn(["Hm. "], [Call("get_weather", "")], finish="length"),
    Turn(["Hm. "], [Call("get_weather", "[1]")]),
]


@pytest.mark.parametrize("turn", UNFINISHED, ids=range(len(UNFINISHED)))
def test_calls_that_are_not_whole_are_not_run(turn: Turn, kind: str, llm: Served, server: Loopback) -> None:
    if kind == "Ollama" and any(isinstance(piece, Call) for piece in (*turn.chunks, *turn.calls)):
        return  # its server sends arguments as objects
    server.play(*[turn] * 4)
    for response in (llm.generate_tool_calls(HI, TOOLS), [*llm.stream_chat_with_tools(TOOLS, HI)][-1]):
        assert response.tool_calls == []
        assert [call.name for call in response.unfinished] == ["get_weather"]
        assert response.message.content == "Hm. "
    with pytest.raises(NoToolCallError, match="'get_weather' are incomplete") as caught:
        llm.predict_and_call(TOOLS, HI)
    assert caught.value.response.unfinished
    found = llm.predict_and_call(TOOLS, HI, error_on_no_tool_call=False)
    assert (found.sources, [call.name for call in found.unfinished]) == ([], ["get_weather"])


def outputs(kind: str, server: Loopback, turn: Turn, *, asynchronous: bool, **options: Any) -> Any:
    server.play(turn)
    if not asynchronous:
        with new(kind, server.url) as own:
            return own.predict_and_call(TOOLS, HI, **options)

    async def run() -> Any:
        async with new(kind, server.url) as own:
            return await own.apredict_and_call(TOOLS, HI, **options)

    return asyncio.run(run())


@both_ways
def test_calls_are_run(asynchronous: bool, kind: str, server: Loopback) -> None:
    one = outputs(kind, server, LEAKED, asynchronous=asynchronous)
    assert one.response == '{"city": "Oslo", "days": 1}'
    assert one.parse_tool_outputs() == {"city": "Oslo", "days": 1}
    assert (one.sources[0].tool_name, one.sources[0].raw_input) == ("get_weather", {"city": "Oslo"})
    parallel = {"asynchronous": asynchronous, "allow_parallel_tool_calls": True}
    three = outputs(kind, server, LEAKED, **parallel)
    assert [output.is_error for output in three.sources] == [False, False, True]
    assert three.response.count("\n\n") == 2
    assert "Encountered error: RuntimeError: no weather today" in three.response
    with pytest.raises(ToolExecutionError, match="no weather today") as caught:
        three.parse_tool_outputs(allow_parallel_tool_calls=True)
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(ToolExecutionError):
        outputs(kind, server, LEAKED, **parallel, error_on_tool_error=True)


@both_ways
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (Call("get_weather", {}), InvalidObjectError),
        (Call("nope", {}), UnknownToolError),
        (Call("boom", {}), ToolExecutionError),
    ],
)
def test_what_goes_wrong_is_an_output(call: Call, error: type, asynchronous: bool, kind: str, server: Loopback) -> None:
    found = outputs(kind, server, Turn([], [call]), asynchronous=asynchronous).sources[0]
    assert found.is_error
    assert isinstance(found.error, error)
    assert found.content.startswith("Encountered error: ")
    with pytest.raises(error):
        outputs(kind, server, Turn([], [call]), asynchronous=asynchronous, error_on_tool_error=True)
    assert issubclass(UnknownToolError, KeyError)


# -- what may fail -----------------------------------------------------------------------------------------------------


@each_form
def test_errors_of_the_server(form: int, kind: str, server: Loopback) -> None:
    ask = every_form(kind, server.url, retry=SOON)[form]
    said = "model 'm' not found"
    body = {"error": said if kind == "Ollama" else {"message": said}}
    server.play(Turn(["x"], faults=[Status(404, body)]))
    with pytest.raises(ServerError, match=r"chat with 'm' at http.*: model 'm' not found") as caught:
        ask()
    assert (caught.value.status, caught.value.attempts, caught.value.model) == (404, 1, "m")
    assert caught.value.__cause__ is not None
    server.play(*[Turn(["x"], faults=[Status(503)])] * 3)
    with pytest.raises(ServerError) as caught:
        ask()
    assert (caught.value.status, caught.value.attempts) == (503, 3)
    server.play(Turn(["x"], faults=[Status(400, "<html>")]))
    with pytest.raises(ServerError, match="<html>"):
        ask()


@each_form
def test_a_busy_server_is_asked_again(form: int, kind: str, server: Loopback) -> None:
    server.play(Turn(["x"], faults=[Status(429)]), Turn(["x"], faults=[Status(500)]), Turn(["It is cold."]))
    found = every_form(kind, server.url, retry=SOON)[form]()
    response = found[-1] if isinstance(found, list) else found
    assert response.message.content == "It is cold."


@each_form
def test_no_server(form: int, kind: str) -> None:
    with pytest.raises(RequestConnectionError) as caught:
        every_form(kind, "http://127.0.0.1:9", retry=SOON)[form]()
    assert caught.value.attempts == 3
    assert isinstance(caught.value, ConnectionError)


@each_form
def test_a_server_that_is_too_slow(form: int, kind: str, silent: str) -> None:
    with pytest.raises(RequestTimeoutError) as caught:
        every_form(kind, silent, retry=RetryPolicy(attempts=2, wait=0), timeout=0.05)[form]()
    assert isinstance(caught.value, TimeoutError)
    assert caught.value.attempts == 2


@pytest.mark.sampled(2, each="fault")
@pytest.mark.parametrize("form", [1, 3])
@pytest.mark.parametrize("fault", [Cut, Malformed, ErrorLine])
def test_a_connection_that_breaks_during_a_stream(fault: Any, form: int, kind: str, server: Loopback) -> None:
    # The first chunk of OpenAI's API has only the role.
    place, path = (2, "/api/chat") if kind == "Ollama" else (3, "/v1/chat/completions")
    server.play(Turn(["It ", "is ", "cold."], faults=[fault(place)]))
    with pytest.raises(StreamInterruptedError) as caught:
        every_form(kind, server.url, retry=SOON)[form]()
    assert isinstance(caught.value.partial, ChatResponse)
    assert caught.value.partial.message.content == "It is "
    assert caught.value.__cause__ is not None
    assert [each for each, _ in server.requests] == [path], "a stream that has begun is not sent again"


def test_a_stream_that_is_left_is_closed(llm: Served, server: Loopback) -> None:
    server.play(Turn(["a "] * 100, faults=[Slow(50)]))
    stream = llm.stream_chat(HI)
    next(stream)
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert list(stream) == []


async def test_cancellation_goes_through(kind: str, silent: str) -> None:
    async with new(kind, silent, retry=SOON) as own:
        task = asyncio.create_task(own.achat(HI))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
