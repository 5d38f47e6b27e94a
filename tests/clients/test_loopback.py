"""The test server is what the real clients take it for; and each fault arrives as the fault that it is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Slow, Status, Thought, Turn, recorded
from toolglean.kit.demo import load_streams

WEATHER = Call("get_weather", {"city": "Tromsø", "days": [1, 2]})
MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]


# -- Ollama ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ollama_client(server: Loopback) -> Iterator[Any]:
    ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    with ollama.Client(server.url) as client:
        yield client


def test_ollama_chat_streams(server: Loopback, ollama_client: Any) -> None:
    server.play(Turn(["It is ", "<cold>\u2028&\n", ""], [WEATHER, WEATHER], ["Let me ", "see."]))
    chunks = list(ollama_client.chat("m", MESSAGES, stream=True))
    assert [chunk.message.content for chunk in chunks] == ["", "", "It is ", "<cold>\u2028&\n", "", "", "", ""]
    assert [chunk.message.thinking for chunk in chunks[:2]] == ["Let me ", "see."]
    calls = [call.function for chunk in chunks for call in chunk.message.tool_calls or ()]
    assert [(call.name, call.arguments) for call in calls] == [(WEATHER.name, WEATHER.arguments)] * 2
    assert [chunk.done for chunk in chunks] == [False] * 7 + [True]
    assert (chunks[-1].done_reason, chunks[-1].prompt_eval_count, chunks[-1].eval_count) == ("stop", 7, 7)
    path, body = server.requests[0]
    assert (path, body["model"], body["messages"]) == ("/api/chat", "m", MESSAGES)


def test_ollama_sends_ids_and_indexes(server: Loopback) -> None:
    httpx = pytest.importorskip("httpx", reason="comes with toolglean[ollama]")
    server.play(Turn([Call("f"), "text", Call("f", id="mine")]))
    reply = httpx.post(f"{server.url}/api/chat", json={"model": "m", "stream": False}).json()
    found = [(call["id"], call["function"]["index"]) for call in reply["message"]["tool_calls"]]
    assert found == [("call_00000000", 0), ("mine", 1)]


def test_ollama_answers_in_one_piece(server: Loopback, ollama_client: Any) -> None:
    server.play(Turn(["a", "b"], [WEATHER], ["c"], finish="length"), Turn(["<tool", "_call>"]))
    chat = ollama_client.chat("m", MESSAGES)
    assert (chat.message.content, chat.message.thinking, chat.done_reason) == ("ab", "c", "length")
    assert chat.message.tool_calls[0].function.arguments == WEATHER.arguments
    assert ollama_client.generate("m", "p", raw=True).response == "<tool_call>"


def test_ollama_generates_shows_and_lists(server: Loopback, ollama_client: Any) -> None:
    server.play(recorded("hermes"))
    server.template, server.templates = None, {"qwen": "{{ .Tools }}"}
    stream = next(each for each in load_streams() if each.name == "hermes")
    assert tuple(chunk.response for chunk in ollama_client.generate("m", "p", stream=True))[:-1] == stream.tokens
    assert ollama_client.show("qwen").template == "{{ .Tools }}"
    assert "tools" in ollama_client.show("qwen").capabilities
    assert [each.model for each in ollama_client.list().models] == ["loopback"]
    with pytest.raises(Exception, match="'other' not found") as caught:
        ollama_client.show("other")
    assert getattr(caught.value, "status_code", None) == 404


def ollama_fault(client: Any) -> tuple[str, str]:
    """What arrived, and how it ended."""
    texts: list[str] = []
    try:
        texts += (chunk.message.content for chunk in client.chat("m", MESSAGES, stream=True))
    except Exception as error:  # noqa: BLE001 - which one it is, is what the tests look at
        return "".join(texts), f"{type(error).__name__}: {error}"
    return "".join(texts), "done"


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        (Status(500, {"error": "no memory"}), "ResponseError: no memory (status code: 500)"),
        (Status(503), "ResponseError: status 503 (status code: 503)"),
        (Cut(2), "RemoteProtocolError: peer closed connection"),
        (Cut(0), "RemoteProtocolError: peer closed connection"),
        (Cut(99), "RemoteProtocolError: peer closed connection"),
        (Malformed(2), "JSONDecodeError: "),
        (ErrorLine(2, "out of memory"), "ResponseError: out of memory"),
    ],
)
def test_ollama_faults(server: Loopback, ollama_client: Any, fault: Any, end: str) -> None:
    server.play(Turn(["a", "b", "c"], faults=[fault]))
    _, found = ollama_fault(ollama_client)
    assert found.startswith(end)


def test_what_came_before_the_fault_arrived(server: Loopback, ollama_client: Any) -> None:
    server.play(Turn(["a", "b", "c"], faults=[Cut(2)]))
    chunks = ollama_client.chat("m", MESSAGES, stream=True)
    assert [next(chunks).message.content, next(chunks).message.content] == ["a", "b"]


# -- OpenAI ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def openai_client(server: Loopback) -> Iterator[Any]:
    openai = pytest.importorskip("openai", reason="needs toolglean[openai]")
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_openai_chat_streams(server: Loopback, openai_client: Any) -> None:
    server.play(Turn(["It ", "is"], [WEATHER, Call("f", "no JSON")], ["hm"]))
    chunks = list(openai_client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert deltas[0].role == "assistant"
    assert deltas[1].reasoning_content == "hm"
    assert [delta.content for delta in deltas[2:4]] == ["It ", "is"]
    fragments = [call for delta in deltas for call in delta.tool_calls or ()]
    assert [(each.index, each.id, each.function.name) for each in fragments if each.id] == [
        (0, "call_00000000", "get_weather"),
        (1, "call_00000001", "f"),
    ]
    assert "".join(each.function.arguments for each in fragments if each.index == 1) == "no JSON"
    assert len(fragments) > 8
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["tool_calls"]
    assert not hasattr(chunks[0], "usage") or chunks[0].usage is None


def test_openai_choices_and_usage(server: Loopback, openai_client: Any) -> None:
    server.play(Turn(["a", "b"], choices=[Turn(["c"], finish="length")]))
    asked: Any = {"model": "m", "messages": MESSAGES, "n": 2}
    *chunks, last = openai_client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    found = [
        (chunk.choices[0].index, chunk.choices[0].delta.content, chunk.choices[0].finish_reason) for chunk in chunks
    ]
    assert found == [
        (0, "", None), (1, "", None), (0, "a", None), (1, "c", None), (0, "b", None), (1, None, "length"), (0, None, "stop"),
    ]  # fmt: skip
    assert (last.choices, last.usage.total_tokens) == ([], 9)
    server.play(Turn(["a", "b"], choices=[Turn(["c"], [WEATHER], ["hm"])]))
    whole = openai_client.chat.completions.create(**asked)
    assert [each.message.content for each in whole.choices] == ["ab", "c"]
    assert whole.choices[1].message.tool_calls[0].id == "call_00000000"
    assert whole.choices[1].message.reasoning_content == "hm"
    assert whole.usage.total_tokens == 9


def test_openai_accumulates_the_stream(server: Loopback, openai_client: Any) -> None:
    # The client's own helper is the strictest reader of chunks that there is.
    server.play(Turn(["It ", "is"], [WEATHER]))
    with openai_client.chat.completions.stream(model="m", messages=MESSAGES) as stream:
        kinds = {event.type for event in stream}
        message = stream.get_final_completion().choices[0].message
    assert {"content.delta", "tool_calls.function.arguments.delta", "tool_calls.function.arguments.done"} <= kinds
    assert (message.content, message.tool_calls[0].function.name) == ("It is", "get_weather")


def test_openai_responses(server: Loopback, openai_client: Any) -> None:
    turn = Turn(["a", "b", WEATHER, "c"], thinking=["h", "m"])
    server.play(turn, turn)
    with openai_client.responses.stream(model="m", input="hi") as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [item.type for item in final.output] == ["reasoning", "message", "function_call", "message"]
    assert final.output[2].call_id == "call_00000000"
    assert final.output_text == "abc"
    deltas = [event.delta for event in events if event.type == "response.function_call_arguments.delta"]
    assert "".join(deltas) == final.output[2].arguments
    assert (final.status, final.usage.output_tokens) == ("completed", 6)
    whole = openai_client.responses.create(model="m", input="hi")
    assert (whole.output_text, [item.type for item in whole.output]) == ("abc", [item.type for item in final.output])


def test_openai_lists_models(openai_client: Any) -> None:
    assert [each.id for each in openai_client.models.list()] == ["loopback"]


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        (Status(500), "InternalServerError"),
        (Status(429, {"error": {"message": "later"}}), "RateLimitError"),
        (Cut(2), "APIConnectionError"),
        (Malformed(2), "JSONDecodeError"),
    ],
)
@pytest.mark.parametrize("path", ["chat", "responses"])
def test_openai_faults(server: Loopback, openai_client: Any, path: str, fault: Any, end: str) -> None:
    server.play(Turn(["a", "b", "c"], faults=[fault]))
    ways: dict[str, Any] = {
        "chat": lambda: openai_client.chat.completions.create(model="m", messages=MESSAGES, stream=True),
        "responses": lambda: openai_client.responses.create(model="m", input="hi", stream=True),
    }
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared by name: openai may not be there
        list(ways[path]())
    assert end in {each.__name__ for each in type(caught.value).__mro__}


def test_openai_errors_in_mid_stream(server: Loopback, openai_client: Any) -> None:
    turn = Turn(["a", "b", "c"], faults=[ErrorLine(3, "crashed")])
    server.play(turn, turn)
    with pytest.raises(Exception, match="crashed"):
        list(openai_client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    *_, last = openai_client.responses.create(model="m", input="hi", stream=True)
    assert (last.type, last.message) == ("error", "crashed")  # there, the client hands it on as an event


def test_openai_responses_cut_short(server: Loopback, openai_client: Any) -> None:
    server.play(Turn(["a"], finish="length"))
    *_, last = openai_client.responses.create(model="m", input="hi", stream=True)
    assert (last.type, last.response.incomplete_details.reason) == ("response.incomplete", "max_output_tokens")


# -- both --------------------------------------------------------------------------------------------------------------


def test_raw_lines_go_out_as_they_are(server: Loopback, ollama_client: Any, openai_client: Any) -> None:
    line = {"message": {"role": "assistant", "content": "x"}, "done": True}
    server.play(Turn(raw=[line]), Turn(raw=[line]))
    assert [each.message.content for each in ollama_client.chat("m", MESSAGES, stream=True)] == ["x"]
    assert ollama_client.chat("m", MESSAGES).message.content == "x"
    chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "y"}}]}
    server.play(Turn(raw=[chunk]))
    chunks = openai_client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    assert [each.choices[0].delta.content for each in chunks] == ["y"]


def test_a_slow_server_waits_for_the_test(server: Loopback, ollama_client: Any) -> None:
    go = threading.Event()
    server.play(Turn(["a", "b"], faults=[Slow(1, until=go), Slow(2, seconds=0.001)]))
    chunks = ollama_client.chat("m", MESSAGES, stream=True)
    assert next(chunks).message.content == "a"
    go.set()
    assert [chunk.message.content for chunk in chunks] == ["b", ""]


def test_a_client_that_leaves_is_seen(server: Loopback, ollama_client: Any) -> None:
    server.play(Turn(["x" * 10_000] * 2_000))
    chunks = ollama_client.chat("m", MESSAGES, stream=True)
    next(chunks)
    chunks.close()
    for _ in range(200):
        if server.left:
            break
        threading.Event().wait(0.01)
    assert server.left == ["/api/chat"]


async def test_asynchronous_clients(server: Loopback) -> None:
    ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    openai = pytest.importorskip("openai", reason="needs toolglean[openai]")
    server.play(Turn(["a", Thought("b")]), Turn(["c"]))

    async with (
        ollama.AsyncClient(server.url) as one,
        openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as other,
    ):
        found = [chunk.message.content async for chunk in await one.chat("m", MESSAGES, stream=True)]
        stream = await other.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        assert found + [chunk.choices[0].delta.content async for chunk in stream] == ["a", "", "", "", "c", None]


def test_a_request_without_a_turn_says_so(ollama_client: Any) -> None:
    with pytest.raises(Exception, match="no turn"):
        ollama_client.chat("m", MESSAGES)
