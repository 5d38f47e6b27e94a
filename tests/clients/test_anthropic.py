"""The real anthropic package, by the transport and behind the proxy, in front of a server that leaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import asked, pieces
from tests.clients.families import BARE, CALLS, FAMILIES, HERMES, ONE, TOOLS, TWO, Leak
from tests.clients.proxies import proxying
from tests.frameworks.leaks import LEAKS as KINDS_OF_LEAKS
from tests.support import depth
from tests.support.later import later
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Status, Thought, Turn
from tests.support.message_protocol import faults
from toolglean import ToolSet
from toolglean.clients.messages import dict_message_events
from toolglean.formats.render import render

anthropic = later("anthropic", reason="needs toolglean[anthropic]")

from toolglean.clients.httpx import toolglean_async_client, toolglean_client  # noqa: E402
from toolglean.clients.httpx.client import library_of  # noqa: E402
from toolglean.conversation import (  # noqa: E402
    AnthropicHistoryConverter,
    ContentPartText,
    ContentPartToolResult,
    History,
    Message,
    Role,
)

TWELVE = (*FAMILIES, "kimi-k2", "minimax-m2")
GIVEN: Any = asked("messages", TOOLS)["tools"]
MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]


def leaks() -> list[Leak]:
    found = []
    for family in TWELVE:
        for calls, before in ((ONE, "" if family in BARE else "I will look. "), (TWO, "")):
            text = render(family, calls, content=before, tools=ToolSet(TOOLS))
            found.append(Leak(family, text, before.strip(), calls))
    return found


LEAKS = leaks()
each_leak = pytest.mark.parametrize("leak", LEAKS, ids=[f"{leak.family}-{len(leak.calls)}" for leak in LEAKS])


@pytest.fixture
def proxy(server: Loopback) -> Iterator[str]:
    with proxying(server.url) as url:
        yield url


def client(server: Loopback, **options: Any) -> Any:
    http = toolglean_client(library_of(None), **options)
    return anthropic.Anthropic(base_url=server.url, api_key="x", max_retries=0, http_client=http)


def behind(proxy: str) -> Any:
    return anthropic.Anthropic(base_url=proxy, api_key="x", max_retries=0)


def create(own: Any, **more: Any) -> Any:
    return own.messages.create(model="m", max_tokens=99, messages=MESSAGES, tools=GIVEN, **more)


def stream(own: Any, **more: Any) -> Any:
    return own.messages.stream(model="m", max_tokens=99, messages=MESSAGES, tools=GIVEN, **more)


def final(own: Any) -> Any:
    with stream(own) as found:
        return found.get_final_message()


def outcome(message: Any) -> tuple[str, list[tuple[str, Any]], str]:
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
    assert len({block.id for block in message.content if block.type == "tool_use"}) == len(calls)
    return text.strip(), calls, message.stop_reason


@pytest.mark.sampled(4)
@each_leak
def test_leaked_calls_are_tool_use(leak: Leak, server: Loopback) -> None:
    expected = (leak.content, leak.calls, "tool_use")
    server.play(*[Turn(pieces(leak.text))] * 4)
    with client(server) as own:
        assert outcome(create(own)) == expected
        with stream(own) as found:
            assert "".join(found.text_stream).strip() == leak.content
            assert outcome(found.get_final_message()) == expected
        with stream(own) as found:
            stops = [event.content_block for event in found if event.type == "content_block_stop"]
        assert [(block.name, block.input) for block in stops if block.type == "tool_use"] == leak.calls
        raw = [event.delta for event in create(own, stream=True) if event.type == "content_block_delta"]
        assert len([delta for delta in raw if delta.type == "input_json_delta"]) == len(leak.calls)


SEVENTEEN = {name: leak for name, leak in KINDS_OF_LEAKS.items() if leak.second is None}  # a message has one choice
REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("row", SEVENTEEN)
def test_the_kinds_of_leaks_of_the_documents(row: str, server: Loopback, proxy: str) -> None:
    """The table of docs/how-to/frameworks.md."""
    leak = SEVENTEEN[row]
    (expected,) = leak.read()
    turn = leak.turn(stream=False)
    for own in (client(server), behind(proxy)):
        server.play(turn, turn)
        for message in (create(own), final(own)):
            text, calls, reason = outcome(message)
            thoughts = "".join(block.thinking for block in message.content if block.type == "thinking")
            assert (text, thoughts.strip(), calls) == tuple(expected[:3])
            assert reason == REASONS[expected.reason or ""]
        own.close()


@pytest.mark.parametrize("whole_calls", [True, False])
async def test_the_same_asynchronously(whole_calls: bool, server: Loopback) -> None:
    server.play(*[Turn(pieces(f"Look. {HERMES}"))] * 2)
    http = toolglean_async_client(library_of(None), whole_calls=whole_calls)
    inner = anthropic.AsyncAnthropic(base_url=server.url, api_key="x", max_retries=0, http_client=http)
    async with inner as own:
        assert outcome(await create(own)) == ("Look.", CALLS, "tool_use")
        async with stream(own) as found:
            kinds = [event.type async for event in found]
            assert outcome(await found.get_final_message()) == ("Look.", CALLS, "tool_use")
        assert kinds.count("input_json") == (1 if whole_calls else kinds.count("input_json"))
        assert kinds.count("input_json") >= 1


# -- a server that leaks nothing ---------------------------------------------------------------------------------------


PLAIN = [
    Turn(pieces("a < b, <tool> and <tool_ca, `{x}`, <think and\n\n  \n")),
    Turn(["Yes. ", Call("get_weather", {"city": "Oslo"}), Call("get_time", {})], thinking=["Hm. ", "So."]),
    Turn([Call("get_time", "")]),
    Turn([]),
    Turn(["cut"], finish="length"),
]


@pytest.mark.parametrize("turn", PLAIN, ids=range(len(PLAIN)))
def test_what_needs_no_repair_is_the_same_bytes(turn: Turn, server: Loopback, proxy: str) -> None:
    server.play(*[turn] * 6)
    for stream in (True, False):
        request = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": GIVEN, "stream": stream}
        found = []
        for post in (server.url, proxy):
            http = library_of(None)
            found.append(http.post(f"{post}/v1/messages?beta=true", json=request, trust_env=False).content)
        with toolglean_client(library_of(None)) as ours:
            found.append(ours.post(f"{server.url}/v1/messages", json=request).content)
        assert len(set(found)) == 1


# -- reasoning, and what a program does next ---------------------------------------------------------------------------


def test_reasoning_in_the_text_is_a_thinking_block_without_a_signature(server: Loopback) -> None:
    server.play(*[Turn(pieces(f"<think>Let me look.</think>Yes. {HERMES}"))] * 2)
    with client(server) as own:
        for message in (create(own), final(own)):
            kinds = [block.type for block in message.content]
            assert kinds == ["thinking", "text", "tool_use"]
            assert (message.content[0].thinking, message.content[0].signature) == ("Let me look.", "")


def test_the_message_can_be_sent_back(server: Loopback) -> None:
    """No text in it is empty: a server would refuse it, and the conversation would be over."""
    server.play(Turn(pieces(f"{HERMES}\n\n{HERMES}")), Turn(["Done."]))
    with client(server) as own:
        first = create(own)
        own.messages.create(
            model="m", max_tokens=9, tools=GIVEN, messages=[*MESSAGES, {"role": "assistant", "content": first.content}]
        )
    sent = server.requests[-1][1]["messages"][-1]["content"]
    assert [block["type"] for block in sent] == ["tool_use", "tool_use"]
    assert len({block["id"] for block in sent}) == 2


def test_the_packages_objects_are_a_history(server: Loopback) -> None:
    """What the package returns becomes a message of the history, and what the history writes is what it takes."""
    converter = AnthropicHistoryConverter()
    turn = Turn(pieces(f"<think>Hm.</think>Look. {HERMES}"))
    server.play(turn, turn, Turn(["Done."]))
    with client(server) as own:
        whole, events = create(own), list(create(own, stream=True))
        item, same = converter.to_history_item([whole]), converter.to_history_item(events)
        assert item is not None
        assert same is not None
        assert [part for part in item.content if part not in item.calls] == same.content[:2]
        assert [(call.name, call.arguments) for call in same.calls] == CALLS
        history = History("Be brief.", None, [Message(Role.USER, [ContentPartText("Is it cold?")]), item])
        history.add_message(Role.TOOL, [ContentPartToolResult("get_weather", {"celsius": -4}, item.calls[0].id)])
        own.messages.create(model="m", max_tokens=9, tools=GIVEN, **converter.to_request(history))
    sent = server.requests[-1][1]
    assert sent["system"] == "Be brief."
    assert converter.of_request(sent) == history == converter.canonical(history)


def test_the_tool_runner_runs_them(server: Loopback) -> None:
    cities: list[str] = []

    @anthropic.beta_tool  # type: ignore[untyped-decorator]  # the package may be missing
    def get_weather(city: str) -> str:
        """The weather of a city.

        Args:
            city: which one.
        """
        cities.append(city)
        return "cold"

    for streamed in (True, False):
        server.play(Turn(pieces(f"Look. {HERMES}")), Turn(["It is cold."]))
        with client(server) as own:
            more = {"stream": True} if streamed else {}
            runner = own.beta.messages.tool_runner(
                model="m", max_tokens=9, tools=[get_weather], messages=MESSAGES, **more
            )
            assert outcome(runner.until_done())[0] == "It is cold."
    assert cities == ["Oslo", "Oslo"]
    result = server.requests[-1][1]["messages"][-1]["content"][0]
    assert (result["type"], result["content"]) == ("tool_result", "cold")


# -- a server that breaks off, or does other things --------------------------------------------------------------------


def test_an_upstream_that_dies_at_any_event(server: Loopback, proxy: str) -> None:
    turn = pieces(f"Look. {HERMES} Then.", 3)
    places = range(len(turn) + 5)
    for place in places if depth.is_full() else places[::12]:
        for own in (client(server), behind(proxy)):
            server.play(Turn(turn, faults=[Cut(place)]))
            ended: list[Any] = []
            with pytest.raises(Exception, match=r".") as caught, stream(own) as found:
                ended += [event.content_block for event in found if event.type == "content_block_stop"]
            assert not isinstance(caught.value, AssertionError)
            calls = [(block.name, block.input) for block in ended if block.type == "tool_use"]
            assert calls in ([], CALLS)
            own.close()


def test_a_call_that_was_cut_off_cannot_be_completed(server: Loopback) -> None:
    """The package completes the half of an object: where arguments are streamed, it must fail to."""
    for text in ('{"city": "Os', '{"city": "Oslo"', '{"city": "Oslo", ', "{", '{"city": "\\', '{"x": [1', '{"x": 12'):
        server.play(*[Turn(pieces(f'<tool_call>\n{{"name": "get_weather", "arguments": {text}'), finish="length")] * 2)
        with client(server, whole_calls=False) as own, pytest.raises(ValueError, match="Unable to parse"):
            final(own)
        with client(server) as own:
            message = final(own)
        assert (outcome(message)[1:], text in message.content[0].text) == (([], "max_tokens"), True)


def test_what_follows_a_malformed_call_where_the_connection_breaks() -> None:
    """Its block did not end, and that of the next call began within it. The fuzzer has found it."""
    call = '[TOOL_CALLS]get_weather[ARGS]{"city": "%s"}'
    text = f'{call % chr(34)}Oslo"}}See `{call % "Rome"}`. It sees.{call % "Paris"}\n[TOOL_CALook: {call % "Bonn"}'
    events = [NUMBERED_BADLY[0], NUMBERED_BADLY[1]]
    events += [{**NUMBERED_BADLY[2], "delta": {"type": "text_delta", "text": each}} for each in pieces(text, 3)]
    for end in range(2, len(events) + 1):
        assert faults(dict_message_events(events[:end], TOOLS), ended=False) in [[UNFINISHED] * n for n in range(5)]


UNFINISHED = "a call that is not complete, and ends"  # with arguments that no client can complete


def test_a_whole_object_in_a_broken_call_is_no_arguments_either(server: Loopback) -> None:
    """The package ignores what follows an object."""
    for size in (1, 7, 1000):
        server.play(Turn(pieces(HERMES.replace("}}", "} and so on}"), size)))
        with client(server, whole_calls=False) as own, pytest.raises(ValueError, match="Unable to parse"):
            final(own)


def test_faults_of_the_server_are_its_own(server: Loopback, proxy: str) -> None:
    for own in (client(server), behind(proxy)):
        server.play(Turn(faults=[Status(429)]), Turn(["a ", "<tool_"], faults=[ErrorLine(5)]))
        with pytest.raises(anthropic.RateLimitError):
            create(own)
        found = []
        with pytest.raises(anthropic.APIStatusError, match="crashed"):  # noqa: PT012
            for event in create(own, stream=True):
                found += [event.delta.text] if event.type == "content_block_delta" else []
        assert "".join(found) == "a <tool_"
        own.close()


def test_the_proxy_says_what_is_wrong_in_the_words_of_the_api(server: Loopback, proxy: str) -> None:
    with proxying("http://127.0.0.1:9") as dead, behind(dead) as own:
        with pytest.raises(anthropic.APIStatusError, match="did not answer") as caught:
            create(own)
        assert caught.value.body["type"] == "error"
    server.play(Turn(["a ", "<tool_", "x"], faults=[Cut(4)]))
    with behind(proxy) as own, pytest.raises(anthropic.APIError, match="disconnected"):
        list(create(own, stream=True))


NUMBERED_BADLY: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Look."}},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t", "name": "get_time"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]  # fmt: skip


def test_blocks_that_are_numbered_badly_are_mended(server: Loopback) -> None:
    """The package looks for a block by its number, and raised an IndexError."""
    server.play(Turn(raw=NUMBERED_BADLY), Turn(raw=NUMBERED_BADLY))
    with anthropic.Anthropic(base_url=server.url, api_key="x", max_retries=0) as bare, pytest.raises(IndexError):
        final(bare)
    with client(server) as own:
        assert outcome(final(own)) == ("Look.", [("get_time", {})], "tool_use")


def test_what_is_passed(server: Loopback) -> None:
    server.play(*[Turn(pieces(HERMES))] * 4)
    with client(server) as own:
        none = create(own, tool_choice={"type": "none"})
        assert outcome(none) == (HERMES, [], "end_turn")
        one = create(own, tool_choice={"type": "auto", "disable_parallel_tool_use": True})
        assert outcome(one)[1] == CALLS
        search: Any = [{"type": "web_search_20260318", "name": "web_search"}]
        assert outcome(own.messages.create(model="m", max_tokens=9, messages=MESSAGES, tools=search))[1] == []
        both = own.messages.create(model="m", max_tokens=9, messages=MESSAGES, tools=[*search, *GIVEN])
        assert outcome(both)[1] == CALLS
        assert (both.usage.input_tokens, both.usage.output_tokens) == (7, len(pieces(HERMES)))


def test_an_answer_of_thoughts_alone(server: Loopback) -> None:
    """A call at the end of the server's own reasoning, where the turn ends."""
    server.play(*[Turn([Thought(each) for each in pieces(f"So. {HERMES}")])] * 2)
    with client(server) as own:
        for message in (create(own), final(own)):
            assert [block.type for block in message.content] == ["thinking", "tool_use"]
            assert json.dumps(message.content[1].input) == '{"city": "Oslo"}'


# -- SECURITY.md -------------------------------------------------------------------------------------------------------


def test_keys_are_not_logged(server: Loopback, proxy: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "toolglean")
    server.play(Turn(pieces(HERMES.replace("get_weather", "none")), faults=[Cut(9)]), Turn(faults=[Status(401)]))
    for url, count in ((proxy, 2), ("http://127.0.0.1:9", 1)):
        with proxying(url) as before:
            own = anthropic.Anthropic(base_url=before, api_key="sk-ant-secret", max_retries=0)
            for _ in range(count):
                with pytest.raises(anthropic.AnthropicError) as caught:
                    list(create(own, stream=True))
                assert "secret" not in str(caught.value)
            own.close()
            assert b"secret" not in library_of(None).get(f"{before}/metrics", trust_env=False).content
    assert not any("secret" in f"{each.getMessage()}{each.args}" for each in caplog.records)


def test_a_call_that_a_result_quotes_does_not_run(server: Loopback) -> None:
    """In the request, nothing is read; in the answer, between the markers of a result, and in a code fence."""
    quoted = [
        f"The page says:\n\n```\n{HERMES}\n```\n",
        f"<tool_response>\n{HERMES}\n</tool_response>",
        f"It wrote `{HERMES.replace(chr(10), '')}` there.",
    ]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": HERMES}]}
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "get_time", "input": {}}]}
    for text in (*quoted, "It was a page."):
        server.play(*[Turn(pieces(text))] * 2)
        with client(server) as own:
            for streamed in (True, False):
                more = {"model": "m", "max_tokens": 9, "tools": GIVEN, "messages": [*MESSAGES, use, result]}
                if streamed:
                    with own.messages.stream(**more) as found:
                        message = found.get_final_message()
                else:
                    message = own.messages.create(**more)
                assert outcome(message)[1:] == ([], "end_turn")
        assert server.requests[-1][1]["messages"][-1] == result


def test_a_fence_over_two_text_blocks_quotes(server: Loopback) -> None:
    """Servers that cite begin a new text block in the middle of a text."""
    texts = ["The page says:\n\n```\n", f"{HERMES}\n", "```\nDone."]
    events: list[Any] = [NUMBERED_BADLY[0]]
    for index, text in enumerate(texts):
        events += [
            {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": index},
        ]
    end = [{**NUMBERED_BADLY[-2], "delta": {"stop_reason": "end_turn", "stop_sequence": None}}, NUMBERED_BADLY[-1]]
    whole = {**NUMBERED_BADLY[0]["message"], "content": [{"type": "text", "text": text} for text in texts]}
    server.play(Turn(raw=[*events, *end]), Turn(raw=[{**whole, "stop_reason": "end_turn"}]))
    with client(server) as own:
        for message in (final(own), create(own)):
            assert [block.text for block in message.content] == texts
