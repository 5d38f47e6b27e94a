"""Calls that leak into the text of Ollama's chat, by the real client against a real server on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.each import LEAKS, each_leak
from tests.clients.families import TOOLS, Leak
from tests.support.chunkings import chunkings
from tests.support.face import faced
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Slow, Status, Turn, recorded, serve
from toolglean import CallDelta, CallEnd, CallStart, Content, ParserOptions, Reasoning, fold
from toolglean.kit.demo import load_streams, load_tools

ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")

from toolglean.clients.ollama import (  # noqa: E402
    AsyncOllamaClient,
    OllamaClient,
    chat_chunks,
    chat_events,
    chat_response,
    generate_chunks,
    generate_events,
)

MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]
WEATHER = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
GO_TEMPLATE = (
    "{{ range .Messages }}{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}[CALL]"
    '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}[/CALL]{{ end }}{{ end }}{{ end }}'
)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serve() as found:
        found.template = ""
        yield found


@pytest.fixture
def client(server: Loopback) -> Iterator[Any]:
    with ollama.Client(server.url) as found:
        yield found


def create(client: Any) -> Any:
    return client.chat("m", MESSAGES, tools=TOOLS, stream=True)


def joined(chunks: Any) -> tuple[str, list[tuple[str, Any]]]:
    """Text and calls of a response."""
    messages = [chunk.message for chunk in chunks]
    calls = [call.function for message in messages for call in message.tool_calls or ()]
    text = "".join(message.content or "" for message in messages)
    return text.strip(), [(call.name, call.arguments) for call in calls]


@pytest.mark.sampled(10)
@each_leak
def test_a_leaked_call_is_what_a_structured_server_sends(leak: Leak, server: Loopback, client: Any) -> None:
    server.play(Turn([leak.content] if leak.content else [], [Call(name, arguments) for name, arguments in leak.calls]))
    structured = joined(create(client))
    server.play(Turn(list(leak.text)))
    chunks: list[Any] = list(chat_chunks(create(client), TOOLS))
    assert joined(chunks) == structured == (leak.content, leak.calls)
    ids = [call.id for chunk in chunks for call in chunk.message.tool_calls or ()]
    assert len(set(ids)) == len(leak.calls)
    assert [chunk.done for chunk in chunks][-1] is True
    assert chunks[-1].eval_count


@pytest.mark.sampled(10)
@each_leak
def test_the_same_for_every_chunking(leak: Leak) -> None:
    for texts in chunkings(leak.text):
        stream = [chunk(text) for text in texts] + [chunk("", done=True)]
        assert joined(chat_chunks(stream, TOOLS)) == (leak.content, leak.calls), texts
        events = list(chat_events(stream, TOOLS))
        assert [(call.name, call.arguments) for call in fold(events).calls] == leak.calls
        deltas = ["" for _ in leak.calls]
        for event in events:
            if isinstance(event, CallDelta):
                deltas[event.index] += event.text
        assert deltas == [call.arguments_text for call in fold(events).calls]


def chunk(text: str | None, *, done: bool = False, calls: Any = None, **message: Any) -> Any:
    return ollama.ChatResponse(
        model="m", done=done, message=ollama.Message(role="assistant", content=text, tool_calls=calls, **message)
    )


LOOKS_LIKE = [
    '<<tool_call>\n{"name": "get_weather", "argu',
    "a < b <<tool_call>[1] <",
    '<tool_<tool_call>{"name": "get_weather", "arguments": {"city": <',
    "<<<<",
    "It is <tool_c",
    '<tool_call>{"name": "get_weather", "arguments": {"city": "T',
    "a [",
    "<tool_call>{oops} b",
]


@pytest.mark.parametrize("text", LOOKS_LIKE)
@pytest.mark.parametrize("options", [{}, {"format": "hermes"}], ids=["auto", "hermes"])
def test_no_text_is_lost_however_it_is_cut(text: str, options: Any) -> None:
    for texts in chunkings(text):
        stream = [chunk(each) for each in texts] + [chunk("", done=True)]
        found = list(chat_chunks(stream, TOOLS, **options))
        assert "".join(each.message.content or "" for each in found) == text, texts
        assert [each.done for each in found] == [False] * (len(found) - 1) + [True]
        assert joined(found)[1] == []
    assert joined([chat_response(chunk(text), TOOLS, **options)]) == (text.strip(), [])


def test_chunks_behind_the_last_one_pass() -> None:
    stream = [chunk("hi "), chunk("", done=True), chunk("more"), chunk("", done=True)]
    assert [each.message.content for each in chat_chunks(stream, TOOLS, format="hermes")] == ["hi ", "", "more", ""]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [stream.name for stream in load_streams()])
def test_recorded_streams(name: str, server: Loopback, client: Any) -> None:
    stream = next(each for each in load_streams() if each.name == name)
    server.play(recorded(name))
    found = list(chat_chunks(client.chat("m", MESSAGES, tools=load_tools(), stream=True), load_tools()))
    assert joined(found) == (stream.content, [(call["name"], call["arguments"]) for call in stream.calls])
    assert "".join(each.message.thinking or "" for each in found) == stream.reasoning


# -- clients -----------------------------------------------------------------------------------------------------------


def test_a_model_of_which_too_little_is_said(server: Loopback) -> None:
    """The package refuses what `/api/show` says of some models of the cloud: a field is missing."""

    class Terse(ollama.Client):  # type: ignore[misc, name-defined]  # imported where it is installed
        def show(self, model: str) -> Any:
            return ollama.ShowResponse.model_validate({"template": model})

    class AsyncTerse(ollama.AsyncClient):  # type: ignore[misc, name-defined]
        async def show(self, model: str) -> Any:
            return ollama.ShowResponse.model_validate({"template": model})

    async def run() -> Any:
        async with AsyncTerse(server.url) as own:
            return await AsyncOllamaClient(own).chat("m", MESSAGES, tools=TOOLS)

    server.play(Turn([LEAKS[0].text]), Turn([LEAKS[0].text]))
    with Terse(server.url) as own:
        plain = OllamaClient(own).chat("m", MESSAGES, tools=TOOLS)
    for found in (plain, asyncio.run(run())):
        assert [call.function.name for call in found.message.tool_calls or ()] == [name for name, _ in LEAKS[0].calls]


def test_the_client_reads_the_models_template(server: Loopback, client: Any) -> None:
    server.template = GO_TEMPLATE
    text = 'Hm. [CALL]{"name": "get_weather", "arguments": {"city": "Oslo"}}[/CALL]'
    own = OllamaClient(client)
    for _ in range(2):
        server.play(Turn(list(text)))
        assert joined(own.chat("m", MESSAGES, tools=TOOLS, stream=True)) == ("Hm.", [("get_weather", {"city": "Oslo"})])
    server.play(Turn([text]))
    assert joined([own.chat("m", MESSAGES, tools=TOOLS)]) == ("Hm.", [("get_weather", {"city": "Oslo"})])
    assert [path for path, _ in server.requests].count("/api/show") == 1


@pytest.mark.parametrize(
    "template", ["", "{{ broken", "{{ .Prompt }}", None], ids=["none", "broken", "without calls", "no show"]
)
def test_without_a_template_the_turn_shows_its_format(template: str | None, server: Loopback, client: Any) -> None:
    server.template = template or ""
    if template is None:
        server.template, server.templates = None, {}
    server.play(Turn(list(WEATHER)))
    found = list(OllamaClient(client).chat("m", MESSAGES, tools=TOOLS, stream=True))
    assert joined(found) == ("", [("get_weather", {"city": "Oslo"})])


def test_the_users_format_counts_and_the_server_is_not_asked(server: Loopback, client: Any) -> None:
    server.template = GO_TEMPLATE
    server.play(Turn(list(WEATHER)))
    found = list(OllamaClient(client, format="hermes").chat("m", MESSAGES, tools=TOOLS, stream=True))
    assert joined(found)[1] == [("get_weather", {"city": "Oslo"})]
    assert [path for path, _ in server.requests] == ["/api/chat"]


def test_without_tools_nothing_is_parsed(server: Loopback, client: Any) -> None:
    server.play(Turn([WEATHER]), Turn([WEATHER]))
    own = OllamaClient(client)
    assert joined(own.chat("m", MESSAGES, stream=True)) == (WEATHER, [])
    assert joined([own.chat("m", MESSAGES)]) == (WEATHER, [])
    assert [path for path, _ in server.requests] == ["/api/chat"] * 2


def test_functions_are_tools(server: Loopback, client: Any) -> None:
    def get_weather(city: str, days: int = 1) -> str:
        """The weather.

        Args:
            city: where
            days: how long
        """
        return f"{city} {days}"

    server.play(Turn(["<tool_call><function=get_weather><parameter=days>3</parameter></function></tool_call>"]))
    found = OllamaClient(client).chat("m", MESSAGES, tools=[get_weather])
    assert joined([found])[1] == [("get_weather", {"days": 3})]
    assert server.requests[-1][1]["tools"][0]["function"]["name"] == "get_weather"


def test_everything_else_is_the_clients_own(client: Any) -> None:
    assert [each.model for each in OllamaClient(client).list().models] == ["loopback"]


# -- ids ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_the_servers_ids_come_through(stream: bool, server: Loopback, client: Any) -> None:
    server.play(Turn(["Hm."], [Call("get_time", {}, id="mine"), Call("get_time", {}, id="too")]))
    found: Any = OllamaClient(client).chat("m", MESSAGES, tools=TOOLS, stream=stream)
    chunks: list[Any] = list(found) if stream else [found]
    assert [call.id for each in chunks for call in each.message.tool_calls or ()] == ["mine", "too"]


def test_ids_go_to_the_server(server: Loopback, client: Any) -> None:
    server.play(Turn(["ok"]))
    call = {"id": "mine", "function": {"name": "get_time", "arguments": {}}}
    result = {"role": "tool", "tool_name": "get_time", "content": "noon", "tool_call_id": "mine"}
    OllamaClient(client).chat("m", [*MESSAGES, {"role": "assistant", "tool_calls": [call]}, result], tools=TOOLS)
    sent = server.requests[-1][1]["messages"]
    assert (sent[1]["tool_calls"][0]["id"], sent[2]["tool_call_id"]) == ("mine", "mine")


def test_ids_of_two_turns_differ_and_the_prefix_can_be_given(server: Loopback, client: Any) -> None:
    ids = []
    for options in ({}, {}, {"id_prefix": "t_"}):
        server.play(Turn([WEATHER + WEATHER]))
        found: Any = OllamaClient(client, **faced(**options)).chat("m", MESSAGES, tools=TOOLS)
        ids.append([call.id for call in found.message.tool_calls])
    assert len({each for turn in ids for each in turn}) == 6
    assert ids[2] == ["t_0", "t_1"]


def test_the_servers_calls_and_ours_are_numbered_together() -> None:
    call = {"function": {"name": "get_time", "arguments": {"a": 10**20}}}
    stream = [
        chunk("a.", thinking="Hm"),
        chunk(WEATHER),
        chunk(None, calls=[call]),
        chunk(WEATHER),
        chunk("", done=True),
    ]
    events = list(chat_events(stream, TOOLS, options=ParserOptions(id_prefix="t_")))
    calls = fold(events).calls
    assert [(each.index, each.id, each.name) for each in calls] == [
        (0, "t_0", "get_weather"),
        (1, "t_1", "get_time"),
        (2, "t_2", "get_weather"),
    ]
    assert calls[1].arguments_text == '{"a": 100000000000000000000}'
    starts = [each for each in events if isinstance(each, CallStart)]
    ends = [each for each in events if isinstance(each, CallEnd)]
    assert [each.index for each in starts] == [each.index for each in ends] == [0, 1, 2]
    assert events[:2] == [Reasoning("Hm", 0), Content("a.", 0)]


# -- what passes, and what is held back --------------------------------------------------------------------------------


def test_plain_text_passes_as_it_is() -> None:
    given = [chunk("It is "), chunk("cold, "), chunk("a < b"), chunk(None, calls=None), chunk("", done=True)]
    assert all(new is old for new, old in zip(chat_chunks(given, TOOLS), given, strict=True))


def test_content_beside_calls_is_kept() -> None:
    call = {"function": {"name": "get_time", "arguments": {}}}
    found = joined(chat_chunks([chunk("Now: ", calls=[call, call]), chunk("x", done=True)], TOOLS))
    assert found == ("Now: x", [("get_time", {}), ("get_time", {})])


def test_a_stream_without_an_end_gives_what_it_held() -> None:
    assert joined(chat_chunks([chunk("a <tool_")], TOOLS)) == ("a <tool_", [])
    assert joined(chat_chunks([], TOOLS)) == ("", [])


# -- raw generate ------------------------------------------------------------------------------------------------------


def test_raw_generate(server: Loopback, client: Any) -> None:
    stream = load_streams()[0]
    calls = [(call["name"], call["arguments"]) for call in stream.calls]
    server.play(*[recorded(stream.name)] * 3)
    found = fold(generate_events(client.generate("m", "p", raw=True, stream=True), load_tools()))
    assert [(call.name, call.arguments) for call in found.calls] == calls
    chunks = list(generate_chunks(client.generate("m", "p", raw=True, stream=True), load_tools()))
    assert joined(chunks) == (stream.content, calls)
    assert (chunks[-1].done, chunks[-1].done_reason) == (True, "stop")
    own = OllamaClient(client, format=stream.name)
    assert fold(own.generate_events("m", "a prompt", tools=load_tools())).calls[0].arguments == calls[0][1]
    assert server.requests[-1][1]["raw"] is True


def test_the_prompt_opens_the_reasoning(server: Loopback, client: Any) -> None:
    server.play(Turn(["Hm</think>", WEATHER]))
    own = OllamaClient(client, format="qwen3")
    found = fold(own.generate_events("m", "user: x\n<think>", tools=TOOLS))
    assert (found.reasoning, len(found.calls)) == ("Hm", 1)


# -- async, and faults -------------------------------------------------------------------------------------------------


def run_async(server: Loopback, work: Any) -> Any:
    async def run() -> Any:
        own = ollama.AsyncClient(server.url)
        try:
            return await work(AsyncOllamaClient(own))
        finally:
            await own._client.aclose()

    return asyncio.run(run())


def test_async(server: Loopback) -> None:
    server.template = GO_TEMPLATE
    text = '[CALL]{"name": "get_weather", "arguments": {"city": "Oslo"}}[/CALL]'
    server.play(*[Turn(list(text))] * 3, Turn(["Hm."], [Call("get_time", {}, id="mine")]))

    async def work(own: AsyncOllamaClient) -> Any:
        streamed = [each async for each in await own.chat("m", MESSAGES, tools=TOOLS, stream=True)]
        whole = await own.chat("m", MESSAGES, tools=TOOLS)
        events = [each async for each in own.chat_events("m", MESSAGES, tools=TOOLS)]
        structured = await own.chat("m", MESSAGES, tools=TOOLS)
        return streamed, whole, events, structured

    streamed, whole, events, structured = run_async(server, work)
    expected = [("get_weather", {"city": "Oslo"})]
    assert joined(streamed) == joined([whole]) == ("", expected)
    assert [(call.name, call.arguments) for call in fold(events).calls] == expected
    assert structured.message.tool_calls[0].id == "mine"


@pytest.mark.parametrize("fault", [Cut(2), Malformed(2), ErrorLine(2)], ids=["cut", "malformed", "error"])
def test_text_that_waited_comes_before_the_error(fault: Any, server: Loopback, client: Any) -> None:
    server.play(Turn(["It ", "is <tool_c", "x"], faults=[fault]))
    found: list[Any] = []
    with pytest.raises(Exception, match=r".") as caught:  # noqa: PT012
        for each in chat_chunks(create(client), TOOLS):
            found += [each]
    assert joined(found) == ("It is <tool_c", [])
    assert not isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("code", [404, 500])
def test_a_server_error_is_the_clients(code: int, server: Loopback, client: Any) -> None:
    server.play(Turn(["x"], faults=[Status(code)]), Turn(["x"], faults=[Status(code)]))
    own = OllamaClient(client, format="hermes")
    for stream in (True, False):
        with pytest.raises(ollama.ResponseError) as caught:
            joined(own.chat("m", MESSAGES, tools=TOOLS, stream=stream))
        assert caught.value.status_code == code


def test_no_connection_is_the_clients_error() -> None:
    with pytest.raises(ConnectionError):
        OllamaClient(ollama.Client("http://127.0.0.1:9")).chat("m", MESSAGES, tools=TOOLS)


def test_chunks_come_through_at_once_and_closing_closes(server: Loopback, client: Any) -> None:
    go_on = threading.Event()
    server.play(Turn(["It is cold", "."], faults=[Slow(1, until=go_on)]))
    chunks = chat_chunks(create(client), TOOLS)
    assert next(chunks).message.content == "It is cold"
    chunks.close()
    go_on.set()
    assert list(chunks) == []


def test_cancelling(server: Loopback) -> None:
    go_on = threading.Event()
    server.play(Turn(["a ", "b"], faults=[Slow(1, until=go_on)]))

    async def work(own: AsyncOllamaClient) -> bool:
        async def consume() -> None:
            async for _ in await own.chat("m", MESSAGES, tools=TOOLS, stream=True):
                pass

        task = asyncio.create_task(consume())
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled()

    assert run_async(server, work)
    go_on.set()


def test_it_is_a_client_of_the_package(server: Loopback) -> None:
    with OllamaClient(ollama.Client(server.url)) as own:
        assert isinstance(own, ollama.Client)
        assert [each.model for each in own.list().models] == ["loopback"]
    assert own.client._client.is_closed

    class OnlyLikeOne:
        def chat(self, *args: Any, **options: Any) -> Any:
            return args, options

        def ps(self) -> str:
            return "mine"

    like: Any = OnlyLikeOne()
    found: Any = OllamaClient(like)
    assert found.ps() == "mine"
    assert found.chat("m") == (("m", None), {"tools": None, "stream": False})


# -- JSON after other text ---------------------------------------------------------------------------------------------

JSON = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
PROSE = "I'll look that up. "
OSLO = ("get_weather", {"city": "Oslo"})


def test_json_after_prose_is_a_call() -> None:
    for texts in chunkings(PROSE + JSON):
        stream = [chunk(text) for text in texts] + [chunk("", done=True)]
        assert joined(chat_chunks(stream, TOOLS)) == (PROSE.strip(), [OSLO]), texts
        assert [(call.name, call.arguments) for call in fold(chat_events(stream, TOOLS)).calls] == [OSLO]
    assert joined([chat_response(chunk(PROSE + JSON), TOOLS)]) == (PROSE.strip(), [OSLO])
    calls = [{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]  # that the server has parsed, too
    stream = [chunk(PROSE + JSON), chunk("", calls=calls), chunk("", done=True)]
    assert joined(chat_chunks(stream, TOOLS))[1] == [OSLO]
    assert [(call.name, call.arguments) for call in fold(chat_events(stream, TOOLS)).calls] == [OSLO]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"{PROSE}{JSON} Then I tell you.", {}),
        (f"{PROSE}`{JSON}`", {}),
        (PROSE + JSON.replace("city", "town"), {}),
        (PROSE + JSON, {"trailing_json": "content"}),
    ],
)
def test_json_that_is_not_plainly_a_call_is_text(text: str, options: dict[str, Any]) -> None:
    stream = [chunk(text), chunk("", done=True)]
    assert joined(chat_chunks(stream, TOOLS, options=ParserOptions(**options))) == (text, [])
    stream = [chunk("", thinking=text), chunk("", done=True)]
    assert joined(chat_chunks(stream, TOOLS, options=ParserOptions(**options))) == ("", [])
