"""Calls that leak into the text of OpenAI's chat API, by the real client against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

import pytest

from tests.clients.each import LEAKS, each_leak, each_other_leak
from tests.clients.families import TOOLS, Leak
from tests.support.chunkings import chunkings
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Slow, Status, Turn, serve

openai = pytest.importorskip("openai", reason="needs toolglean[openai]")

from openai.lib.streaming.chat import ChatCompletionStreamState  # noqa: E402
from openai.types.chat import ChatCompletionChunk  # noqa: E402

from toolglean.clients import openai as ours  # noqa: E402
from toolglean.clients.openai import achat_chunks, chat_chunks, chat_completion  # noqa: E402

# Servers send fields that the types do not know; tests/project/typing checks the types.
adict_chunks: Any = ours.adict_chunks
dict_chunks: Any = ours.dict_chunks
dict_completion: Any = ours.dict_completion
MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


@pytest.fixture(scope="module")
def client(server: Loopback) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as found:
        yield found


def create(client: Any, **more: Any) -> Any:
    return client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, stream=True, **more)


def joined(chunks: Any) -> tuple[str, list[tuple[str, Any]], str | None]:
    """Text, calls and finish reason, as the openai package itself joins them."""
    state: Any = ChatCompletionStreamState()
    for chunk in chunks:
        state.handle_chunk(chunk)
    choice = state.get_final_completion().choices[0]
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls or ()]
    return (choice.message.content or "").strip(), calls, choice.finish_reason


@pytest.mark.sampled(4)
@each_leak
def test_a_leaked_call_is_what_a_structured_server_sends(leak: Leak, server: Loopback, client: Any) -> None:
    server.play(Turn([leak.content] if leak.content else [], [Call(name, arguments) for name, arguments in leak.calls]))
    structured = joined(create(client))
    server.play(Turn(list(leak.text)))
    assert joined(chat_chunks(create(client), TOOLS)) == structured == (leak.content, leak.calls, "tool_calls")


@pytest.mark.sampled(4)
@each_leak
def test_the_same_for_every_chunking(leak: Leak) -> None:
    for place, chunks in enumerate(chunkings(leak.text)):
        stream = [ChatCompletionChunk.construct(**chunk(text)) for text in chunks] + [ended()]
        found = joined(chat_chunks(stream, TOOLS, whole_calls=place % 2 == 0))
        assert found == (leak.content, leak.calls, "tool_calls"), chunks


def chunk(text: Any = None, *, reason: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    delta = {**({} if text is None else {"content": text}), **more}
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def ended(reason: str = "stop") -> ChatCompletionChunk:
    return ChatCompletionChunk.construct(**chunk(reason=reason))


@pytest.mark.sampled(2)
@each_other_leak
def test_async_and_dicts_say_the_same(leak: Leak, server: Loopback, client: Any) -> None:
    async def run() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
            return [each async for each in achat_chunks(await create(own), TOOLS)]

    server.play(*[Turn(list(leak.text))] * 3)
    expected = (leak.content, leak.calls, "tool_calls")
    assert joined(asyncio.run(run())) == expected
    plain = list(dict_chunks((each.model_dump(exclude_unset=True) for each in create(client)), TOOLS))
    assert joined(ChatCompletionChunk.construct(**each) for each in plain) == expected
    json.dumps(plain)
    whole = client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    found: Any = chat_completion(whole, TOOLS).choices[0]
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in found.message.tool_calls or ()]
    assert ((found.message.content or "").strip(), calls, found.finish_reason) == expected
    assert not whole.choices[0].message.tool_calls


# -- what passes, and what is held back --------------------------------------------------------------------------------


def test_plain_text_passes_as_it_is(server: Loopback, client: Any) -> None:
    server.play(Turn(["It is ", "cold.", " a < b"]))
    given = list(create(client, stream_options={"include_usage": True}))
    assert [new is old for new, old in zip(chat_chunks(given, TOOLS), given, strict=True)] == [True] * len(given)
    assert given[-1].usage is not None


def test_what_a_chunk_holds_besides_its_text_is_kept() -> None:
    first = chunk("<tool_", role="assistant", refusal=None)
    first["choices"][0]["logprobs"] = {"content": []}
    first["x_server"] = "kept"
    last = chunk("call>x", reason="length")
    last["usage"] = {"prompt_tokens": 1}
    found = list(dict_chunks([first, last], TOOLS))
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "refusal": None}
    assert (found[0]["x_server"], found[0]["choices"][0]["logprobs"]) == ("kept", {"content": []})
    assert "".join(each["choices"][0]["delta"].get("content", "") for each in found) == "<tool_call>x"
    assert [each["choices"][0]["finish_reason"] for each in found][-1] == "length"
    assert [each.get("usage") for each in found][-1] == {"prompt_tokens": 1}
    assert all(each.get("usage") is None for each in found[:-1])


@pytest.mark.parametrize("waits", ["<tool_", "a <tool_"], ids=["all", "some"])
def test_what_only_one_server_says_is_not_held_back(waits: str) -> None:
    first = chunk(waits) | {"timings": {"predicted_ms": 1}}
    second = chunk("call")
    second["choices"][0]["token_ids"] = [7]
    given = [first, second, chunk("> b"), chunk(reason="stop")]
    for found in (
        list(dict_chunks(given, TOOLS)),
        [each.model_dump() for each in chat_chunks([ChatCompletionChunk.construct(**each) for each in given], TOOLS)],
    ):
        assert [each["timings"] for each in found if each.get("timings")] == [{"predicted_ms": 1}]
        assert [each["choices"][0]["token_ids"] for each in found if each["choices"][0].get("token_ids")] == [[7]]
        assert "".join(each["choices"][0]["delta"].get("content") or "" for each in found) == f"{waits}call> b"


def test_an_answer_without_a_leak_is_as_it_was(server: Loopback, client: Any) -> None:
    server.play(Turn(["It is cold."]), Turn(list(LEAKS[0].text)))
    plain, leaked = (client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS) for _ in range(2))
    assert chat_completion(plain, TOOLS) == plain
    assert chat_completion(plain, TOOLS).choices[0] is plain.choices[0]
    found = chat_completion(leaked, TOOLS)
    assert (found.usage, found._request_id) == (leaked.usage, leaked._request_id)
    assert type(found.choices[0]) is type(leaked.choices[0])


def test_what_is_made_is_typed_as_the_packages_own() -> None:
    texts = ["<think>Hm</think>", '<tool_call>{"name": "get_weather", "argu', 'ments": {"city": "x"}}</tool_call>', "<"]
    stream = [ChatCompletionChunk.construct(**chunk(text)) for text in texts]
    found = list(chat_chunks(stream, TOOLS, format="hermes"))
    for each in found:
        assert each == ChatCompletionChunk.model_validate(each.model_dump(exclude_unset=True))
        assert each.model_fields_set >= {"id", "choices", "created", "model", "object"}
    deltas: list[Any] = [each.choices[0].delta for each in found]
    assert [delta.reasoning_content for delta in deltas if delta.model_extra] == ["Hm"]
    first, *more = [delta.tool_calls[0] for delta in deltas if delta.tool_calls]
    assert (first.function.name, first.type, first.index, first.function.arguments) == (
        "get_weather",
        "function",
        0,
        "",
    )
    assert "".join(each.function.arguments for each in more) == '{"city": "x"}'
    assert [(each.id, each.type, each.function.name) for each in more] == [(None, None, None)] * len(more)


def test_choices_of_a_real_stream_with_its_usage(server: Loopback, client: Any) -> None:
    first, second = LEAKS[0], LEAKS[4]
    server.play(Turn(list(first.text), choices=[Turn(list(second.text)), Turn(["It is ", "cold."])]))
    state: Any = ChatCompletionStreamState()
    for each in chat_chunks(create(client, n=3, stream_options={"include_usage": True}), TOOLS):
        state.handle_chunk(each)
    whole = state.get_final_completion()
    assert [choice.finish_reason for choice in whole.choices] == ["tool_calls", "tool_calls", "stop"]
    assert [len(choice.message.tool_calls or ()) for choice in whole.choices] == [
        len(first.calls),
        len(second.calls),
        0,
    ]
    assert [json.loads(choice.message.tool_calls[0].function.arguments) for choice in whole.choices[:2]] == [
        first.calls[0][1],
        second.calls[0][1],
    ]
    assert whole.choices[2].message.content == "It is cold."
    assert whole.usage is not None


def test_the_servers_own_calls_pass_and_ours_count_on() -> None:
    own = {"index": 0, "id": "s1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
    leak = '<tool_call>{"name": "get_weather", "arguments": {"city": "x"}}</tool_call>'
    before = list(dict_chunks([chunk(tool_calls=[own]), chunk(leak), chunk(reason="tool_calls")], TOOLS))
    assert before[0] == chunk(tool_calls=[own])
    assert indexes(before) == [("get_time", 0), ("get_weather", 1)]
    after = list(dict_chunks([chunk(leak), chunk(tool_calls=[own]), chunk(reason="tool_calls")], TOOLS))
    assert indexes(after) == [("get_weather", 0), ("get_time", 1)]
    assert after[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("given", "sent"), [("stop", "tool_calls"), ("function_call", "tool_calls"), ("length", "length")]
)
def test_a_whole_answer_ends_as_a_stream_does(given: str, sent: str) -> None:
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": given}
    assert dict_completion({"choices": [choice]}, TOOLS)["choices"][0]["finish_reason"] == sent
    assert [*dict_chunks([chunk(text), chunk(reason=given)], TOOLS)][-1]["choices"][0]["finish_reason"] == sent


def indexes(chunks: list[dict[str, Any]]) -> list[tuple[str, int]]:
    deltas = [each["choices"][0]["delta"] for each in chunks]
    fragments = [fragment for delta in deltas for fragment in delta.get("tool_calls", ())]
    return [(each["function"]["name"], each["index"]) for each in fragments if each["function"].get("name")]


@pytest.mark.parametrize(
    ("text", "reason", "shown", "written"),
    [
        ("<tool_call>", "stop", "", ""),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "T', "length", "", '{"city": "T'),
        ("a <", "stop", "a <", ""),
    ],
)
def test_no_call_closed_so_the_reason_is_the_servers(text: str, reason: str, shown: str, written: str) -> None:
    for chunks in chunkings(text):
        stream = [*map(chunk, chunks), chunk(reason=reason)]
        found = list(dict_chunks(stream, TOOLS))
        assert found[-1]["choices"][0]["finish_reason"] == reason
        content = "".join(each["choices"][0]["delta"].get("content", "") for each in found)
        arguments = "".join(
            fragment["function"]["arguments"]
            for each in found
            for fragment in each["choices"][0]["delta"].get("tool_calls", ())
        )
        assert (content, arguments) == (shown, written)


def test_odd_chunks_pass() -> None:
    odd: list[dict[str, Any]] = [{}, {"choices": []}, {"choices": None}, {"error": "x"}, {"choices": [{"delta": None}]}]
    assert list(dict_chunks(odd, TOOLS)) == odd


def test_what_is_of_the_wrong_kind_passes(server: Loopback, client: Any) -> None:
    # The package takes from a server what it finds. Mistral's own server sends lists in the place of text.
    odd: list[Any] = ["x", {"delta": ["x"]}, {"delta": {"content": [{"type": "text", "text": "Hi"}]}}, {"delta": "x"}]
    odd += [{"delta": {"tool_calls": [None, {"index": [], "id": [], "function": 5}]}}, {"delta": {"tool_calls": 5}}]
    rows = [{"id": "c", "choices": [choice]} for choice in odd]
    end = {"id": "c", "choices": [{"index": 0, "delta": ["x"], "finish_reason": ["stop"]}]}
    server.play(Turn(raw=rows), Turn(raw=[*rows, end]))
    given = list(create(client))
    assert len(given) == len(list(chat_chunks(create(client), TOOLS))) - 1 == len(odd)
    assert list(dict_chunks(rows[:4], TOOLS, format="hermes")) == rows[:4]


def test_text_in_parts_is_read() -> None:
    # As Mistral's server streams it.
    parts = [
        {"type": "text", "text": each} for each in ('Hm. <tool_call>{"name": "f", ', '"arguments": {}}</tool_call>')
    ]
    found = list(dict_chunks([chunk([part]) for part in parts], ["f"], format="hermes"))
    assert [each["choices"][0]["delta"].get("content") for each in found][:1] == ["Hm. "]
    assert found[1]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == "f"


@pytest.mark.parametrize("reason", ["", None])
def test_a_finish_reason_that_says_nothing_ends_nothing(reason: str | None) -> None:
    # Ollama's older versions and SGLang's say "" until the end.
    texts = ['<tool_call>{"name": "f", ', '"arguments": {}}</tool_call>']
    rows: list[Any] = [chunk(text) for text in texts]
    for row in rows:
        row["choices"][0]["finish_reason"] = reason
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    found = list(dict_chunks([*rows, end], ["f"]))
    assert found[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == "f"
    assert found[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("item", ["[DONE]", None, {"error": {"message": "x"}}], ids=repr)
def test_items_that_are_no_chunks_pass_and_what_waited_comes_behind_them(item: Any) -> None:
    found = list(dict_chunks([chunk("hi <tool"), item], ["f"], format="hermes"))
    assert found[1] == item
    assert [each["choices"][0]["delta"]["content"] for each in (found[0], found[2])] == ["hi ", "<tool"]
    assert found[2].keys() == found[0].keys()


def test_old_function_calls_pass() -> None:
    given = [chunk(function_call={"name": "f", "arguments": "{}"}), chunk(reason="function_call")]
    assert list(dict_chunks(given, TOOLS)) == given


# -- faults ------------------------------------------------------------------------------------------------------------


FAULTS = pytest.mark.parametrize("fault", [Cut(3), Malformed(3), ErrorLine(3)], ids=["cut", "malformed", "error"])


@FAULTS
def test_text_that_waited_comes_before_the_error(fault: Any, server: Loopback, client: Any) -> None:
    server.play(Turn(["It ", "is <tool_c"], faults=[fault]), Turn(["x"], faults=[Status(500)]))
    found = []
    with pytest.raises(Exception, match=r".") as caught:  # noqa: PT012
        for each in chat_chunks(create(client), TOOLS):
            found += [each.choices[0].delta.content or ""]
    assert "".join(found) == "It is <tool_c"
    assert not isinstance(caught.value, AssertionError)
    with pytest.raises(openai.InternalServerError):
        create(client)


@FAULTS
async def test_an_asynchronous_stream_breaks_in_the_same_way(fault: Any, server: Loopback) -> None:
    server.play(Turn(["It ", "is <tool_c"], faults=[fault]))
    found: list[str] = []

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
        stream = await create(own)
        with pytest.raises(Exception, match=r"."):  # noqa: PT012
            async for each in achat_chunks(stream, TOOLS):
                found.append(each.choices[0].delta.content or "")  # noqa: PERF401  # what came before the error
        assert stream.response.is_closed
    assert "".join(found) == "It is <tool_c"


def test_chunks_come_through_at_once(server: Loopback, client: Any) -> None:
    go_on = threading.Event()
    server.play(Turn(["It is cold", "."], faults=[Slow(2, until=go_on)]))
    stream = chat_chunks(create(client), TOOLS)
    texts = (each.choices[0].delta.content for each in stream)
    assert next(text for text in texts if text) == "It is cold"  # the server waits: nothing was held back for it
    go_on.set()
    assert "".join(text or "" for text in texts) == "."


def test_closing_closes_the_stream_also_before_the_first_item(server: Loopback, client: Any) -> None:
    server.play(*[Turn(["a"] * 50)] * 3)
    for count in (1, 0):
        stream = create(client)
        chunks = chat_chunks(stream, TOOLS)
        assert len(list(islice(chunks, count))) == count
        chunks.close()
        assert stream.response.is_closed
    stream = create(client)
    with chat_chunks(stream, TOOLS) as chunks:
        assert chunks.response is stream.response
    assert stream.response.is_closed

    async def run() -> Any:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
            server.play(Turn(["a"] * 50))
            stream = await create(own)
            async with achat_chunks(stream, TOOLS):
                pass
            return stream.response.is_closed

    assert asyncio.run(run())


def test_closing_closes_what_dicts_come_from() -> None:
    closed: list[str] = []

    def source() -> Iterator[dict[str, Any]]:
        try:
            yield from (chunk("It is. ") for _ in range(9))
        finally:
            closed.append("sync")

    async def asource() -> AsyncIterator[dict[str, Any]]:
        try:
            for each in source():
                yield each
        finally:
            closed.append("async")

    async def run() -> None:
        stream: Any = adict_chunks(kept[1], TOOLS)
        await anext(stream)
        await stream.aclose()
        assert "async" in closed

    kept: Any = source(), asource()  # still referred to: it is not the garbage collector that closes them
    stream: Any = dict_chunks(kept[0], TOOLS)
    next(stream)
    stream.close()
    assert closed == ["sync"]
    asyncio.run(run())


async def test_cancelling_ends_the_stream(server: Loopback) -> None:
    go_on = threading.Event()
    server.play(Turn(["a", "b"], faults=[Slow(2, until=go_on)]))

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as own:
        stream = await create(own)

        async def consume() -> None:
            async for _ in achat_chunks(stream, TOOLS):
                pass

        task = asyncio.create_task(consume())
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert stream.response.is_closed
    go_on.set()
