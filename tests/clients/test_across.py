"""A client of the Messages API in front of a server that has only OpenAI's chat API."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import KINDS, PATHS, Said, answer, asked, events, fed, joined, pieces, random_sizes, said
from tests.clients.each import both, each_leak
from tests.clients.families import CALLS, HERMES, TOOLS
from tests.clients.proxies import proxying
from tests.clients.test_shapes import CHAT, SHAPES, WHOLE, places, put
from tests.support import depth
from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Status, Turn
from tests.support.loopback.raw import head, raw_server
from tests.support.message_protocol import faults
from toolglean.clients.across import Crossing, CrossingError
from toolglean.clients.repair import AnswerReader, Repair, answers, decoded
from toolglean.conversation import AnthropicHistoryConverter, ToolResultContent

MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": "Is it cold?"}]


def request(**more: Any) -> dict[str, Any]:
    return {**asked("messages", TOOLS), "max_tokens": 9, "messages": MESSAGES, **more}


def crossing(**more: Any) -> Crossing:
    return Crossing(request(**more), Repair())


def reading(content_type: str = "text/event-stream", **more: Any) -> AnswerReader:
    found = crossing(**more).reader(200, content_type)
    assert found is not None
    return found


def read(turn: Turn, **more: Any) -> tuple[bytes, dict[str, Any]]:
    """What a caller gets for an answer of the chat API, however it is cut, and the request that reached that server."""
    sent = json.loads(json.dumps(crossing(**more).asked))
    data = answer("chat", turn, {"stream": False, **sent})
    outputs = [fed(lambda: reading("", **more), data, random_sizes(seed)) for seed in range(3)]
    assert len({made(each) for each in outputs}) == 1
    return outputs[0], sent


def made(data: bytes) -> bytes:
    """The answer without the ids that are made, which are other ones each time."""
    return re.sub(rb"call_\w+", b"call", data)


def outcome(turn: Turn, *, stream: bool, **more: Any) -> Said:
    data, sent = read(turn, stream=stream, **more)
    if stream:
        assert faults(events(data)) == []
        assert b"[DONE]" not in data
    return said("messages", data, {"stream": sent.get("stream", False)})


@pytest.mark.sampled(1, each="leak")
@both
@each_leak
def test_leaked_calls_are_tool_use(leak: Any, stream: bool) -> None:
    found = outcome(Turn(pieces(leak.text)), stream=stream)
    assert (found.text.strip(), found.calls, found.reason) == (leak.content, leak.calls, "tool_use")


@both
def test_what_the_server_has_parsed(stream: bool) -> None:
    turn = Turn(["Look. "], [Call("get_weather", {"city": "Oslo"}), Call("get_time", "")], ["Hm. ", "So."])
    found = outcome(turn, stream=stream)
    assert found == ("Look. ", "Hm. So.", [*CALLS, ("get_time", {})], "tool_use")


@both
def test_a_call_both_ways_is_one(stream: bool) -> None:
    found = outcome(Turn(pieces(HERMES), [Call("get_weather", {"city": "Oslo"})]), stream=stream)
    assert (found.calls, found.reason) == (CALLS, "tool_use")


@both
@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", "end_turn"), ("length", "max_tokens"), ("content_filter", "refusal"), ("x", "end_turn")],
)
def test_reasons(finish: str, reason: str, stream: bool) -> None:
    assert outcome(Turn(["Hi"], finish=finish), stream=stream) == ("Hi", "", [], reason)


def test_one_choice_is_served() -> None:
    # The other one's text and end were those of the message.
    def chunk(index: int, text: str, reason: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": index, "delta": {"content": text}, "finish_reason": reason}]}

    given = [
        chunk(0, HERMES[:40]),
        chunk(1, "I would rather not."),
        chunk(1, "", "length"),
        chunk(0, HERMES[40:], "stop"),
    ]
    sent = b"".join(b"data: %b\n\n" % json.dumps(each).encode() for each in given)
    data = fed(lambda: reading(stream=True), sent, lambda: 9)
    found = said("messages", data, {"stream": True})
    assert (found.text.strip(), found.calls, found.reason) == ("", CALLS, "tool_use")


@both
def test_a_call_that_is_not_complete_is_text(stream: bool) -> None:
    for call in (Call("get_weather", '{"city": "Os'), Call("get_weather", "[1]")):
        found = outcome(Turn(["Look. "], [call], finish="length"), stream=stream)
        assert (found.calls, found.reason) == ([], "max_tokens")
        assert found.text == f"Look. get_weather{call.arguments}"
    assert outcome(Turn([HERMES[:-30]], finish="length"), stream=stream).text == HERMES[:-30]


@both
def test_a_refusal_is_text(stream: bool) -> None:
    """The answer was empty: the chat API has a field of its own for it."""
    refused = {"role": "assistant", "content": None, "refusal": f"No: {HERMES}"}
    chunk = {"choices": [{"index": 0, "delta" if stream else "message": refused, "finish_reason": "stop"}]}
    data = b"data: " + json.dumps(chunk).encode() + b"\n\n" if stream else json.dumps(chunk).encode()
    found = said("messages", fed(lambda: reading("", stream=stream), data, lambda: 99), {"stream": stream})
    assert found == (refused["refusal"], "", [], "end_turn")


def test_usage() -> None:
    data, sent = read(Turn(["Hi ", "you"]), stream=True)
    assert sent["stream_options"] == {"include_usage": True}
    assert events(data)[-2]["usage"] == {"input_tokens": 7, "output_tokens": 2}
    data, _ = read(Turn(["Hi ", "you"]), stream=False)
    assert json.loads(data)["usage"] == {"input_tokens": 7, "output_tokens": 2}
    assert json.loads(data).keys() >= {"id", "type", "role", "model", "content", "stop_reason", "stop_sequence"}


def test_without_tools_nothing_is_read() -> None:
    body = {name: value for name, value in request().items() if name != "tools"}
    found = Crossing(body, Repair()).reader(200, "text/event-stream")
    assert found is not None
    data = fed(lambda: found, answer("chat", Turn(pieces(HERMES)), {"stream": True}), lambda: 50)
    assert said("messages", data, {"stream": True})[:3] == (HERMES, "", [])


def test_a_connection_that_breaks_runs_nothing() -> None:
    data = answer("chat", Turn(pieces(f"Look. {HERMES}"), [Call("get_time", {})]), {"stream": True})
    blocks = data.split(b"\n\n")
    for count in range(len(blocks) - 3):
        found = events(fed(reading, b"".join(block + b"\n\n" for block in blocks[:count]), lambda: 1 << 20))
        assert faults(found, ended=False) == []
        assert not any(each["type"] == "message_stop" for each in found)
        assert joined(found)["content"] == [] or all(
            (block["name"], block["input"]) in CALLS
            for block in joined(found)["content"]
            if block["type"] == "tool_use"
        )


@both
@pytest.mark.parametrize("own", [True, False], ids=["parsed", "leaked"])
def test_an_answer_that_ends_without_a_reason_is_over(own: bool, stream: bool) -> None:
    """Its calls, its usage and its end were lost: some servers never say why."""
    turn = Turn(["Look. "], [Call("get_weather", {"city": "Oslo"})]) if own else Turn(["Look. ", *pieces(HERMES)])
    data = re.sub(rb'"finish_reason": ?"\w+"', b'"finish_reason": null', answer("chat", turn, request(stream=stream)))
    data = fed(lambda: reading("", stream=stream), data, lambda: 30)
    assert said("messages", data, {"stream": stream}) == ("Look. ", "", CALLS, "tool_use")
    if stream:
        assert faults(events(data)) == []


def test_a_call_that_was_parsed_before_the_connection_broke_is_text() -> None:
    data = answer("chat", Turn(["Look. "], [Call("get_weather", {"city": "Oslo"})]), request(stream=True))
    broken = b"".join(
        each + b"\n\n" for each in data.split(b"\n\n") if b'finish_reason": "' not in each and b"DONE" not in each
    )
    found = joined(events(fed(reading, broken, lambda: 1 << 20)))["content"]
    assert [each["type"] for each in found] == ["text"]
    assert found[0]["text"].startswith("Look. get_weather{")


def test_an_error_of_the_server_is_one_of_the_api() -> None:
    data = answer("chat", Turn(["a <tool_", "x"], faults=[ErrorLine(2)]), {"stream": True})
    found = events(fed(reading, data, lambda: 1 << 20))
    assert found[-1] == {"type": "error", "error": {"type": "api_error", "message": "the model has crashed"}}
    assert joined(found[:-1])["content"][0]["text"] == "a <tool_"


STRANGE = [b"data: <html>\n\n", b"data: [1]\n\n", b"data: " + b"x" * 3000, b'data: {"choi', "data: é".encode()[:-1]]


@pytest.mark.parametrize("strange", STRANGE)
def test_bytes_of_the_server_that_cannot_be_read_are_an_error(strange: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """They reached a client that does not know the chat API."""
    monkeypatch.setattr(answers, "LONGEST", 2000)
    data = answer("chat", Turn(["a <tool_", "x"]), {"stream": True})
    cut = data.index(b'"x"')
    begun, rest = data[:cut].rpartition(b"data: ")[0], data[cut:].partition(b"\n\n")[2]
    for more in (b"", b"\n\n" + rest):
        own = reading()
        found = events(own.feed(begun + strange) + own.feed(more) + own.finish())
        assert found[-1]["error"]["type"] == "api_error"
        assert joined(found[:-1])["content"][0]["text"] == "a <tool_"
    found = events(fed(reading, data + strange, lambda: 1 << 20))  # the turn is over
    assert found[-1]["type"] == "message_stop"


@pytest.mark.parametrize("strange", [b"<html>", b"[1]", b"", b'{"choices": []}', b'{"id": "' + b"x" * 3000 + b'"}'])
def test_a_whole_answer_that_cannot_be_read_is_an_error(strange: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONGEST", 2000)
    found = fed(lambda: reading("application/json", stream=False), strange * 2, lambda: len(strange))
    assert json.loads(found)["error"]["type"] == "api_error"


# -- requests ----------------------------------------------------------------------------------------------------------


def test_a_whole_conversation() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    sent = json.loads(
        json.dumps(
            crossing(
                system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
                messages=[
                    {"role": "user", "content": [{"type": "text", "text": "Is it cold?"}]},
                    {"role": "system", "content": "Tools: 2"},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                            {"type": "redacted_thinking", "data": "x"},
                            {"type": "text", "text": "Look."},
                            {"type": "tool_use", "id": "a", "name": "get_weather", "input": {"city": "Oslo"}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {
                                "type": "tool_result",
                                "tool_use_id": "a",
                                "content": [{"type": "text", "text": "cold"}, image],
                            },
                            {"type": "text", "text": "And now?"},
                        ],
                    },
                    {"role": "system", "content": [{"type": "text", "text": "Hurry."}]},
                ],
                temperature=0.5,
                stop_sequences=["END"],
                tool_choice={"type": "any", "disable_parallel_tool_use": True},
                thinking={"type": "adaptive"},
                metadata={"user_id": "x"},
                output_config={"effort": "high", "format": {"type": "json_schema", "schema": {"type": "object"}}},
                stream=False,
            ).asked
        )
    )
    call = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    assert sent.pop("messages") == [
        {"role": "system", "content": "Be brief.\n\nTools: 2"},
        {"role": "user", "content": "Is it cold?"},
        {
            "role": "assistant",
            "reasoning_content": "Hm.",
            "content": "Look.",
            "tool_calls": [{"id": "a", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "a", "name": "get_weather", "content": "cold"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And now?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                {"type": "text", "text": "Hurry."},
            ],
        },
    ]
    assert [tool["function"]["parameters"] for tool in sent.pop("tools")] == [
        tool["function"]["parameters"] for tool in TOOLS
    ]
    assert sent == {
        "model": "m",
        "max_tokens": 9,
        "temperature": 0.5,
        "stop": ["END"],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "reasoning_effort": "high",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        },
    }


def test_a_system_message_in_both_places() -> None:
    """The parameter was lost."""
    for given in ("Be brief.", [{"type": "text", "text": "Be brief."}]):
        sent = crossing(system=given, messages=[{"role": "system", "content": "Be kind."}, *MESSAGES]).asked
        assert sent["messages"] == [{"role": "system", "content": "Be brief.\n\nBe kind."}, *MESSAGES]


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": []}, {"content": ""}])
def test_a_tool_that_returns_nothing(content: dict[str, Any]) -> None:
    """Its result was the text "null"."""
    call = {"type": "tool_use", "id": "a", "name": "get_time", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", **content}
    given = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    found = crossing(messages=[*MESSAGES, *given]).asked["messages"][-1]
    assert found == {"role": "tool", "tool_call_id": "a", "name": "get_time", "content": ""}


@pytest.mark.parametrize(
    ("texts", "expected"), [(["1", "2"], "1\n2"), (["one", "two\n", ""], "one\ntwo\n\n"), (['{"a": 1}'], '{"a": 1}')]
)
def test_a_result_of_several_texts(texts: list[str], expected: str) -> None:
    """They were one word, or one number: vLLM puts each on a line of its own, too."""
    call = {"type": "tool_use", "id": "a", "name": "get_time", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": text} for text in texts]}
    given = [*MESSAGES, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert crossing(messages=given).asked["messages"][-1]["content"] == expected
    converter = AnthropicHistoryConverter()
    back = converter.from_history(converter.to_history(given))
    assert back[-1]["content"][0]["content"] == [{"type": "text", "text": expected}]
    assert crossing(messages=back).asked["messages"][-1]["content"] == expected
    if len(texts) > 1:
        assert ToolResultContent.from_dict(result).text == expected


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"container": "c"}, "container"),
        ({"mcp_servers": [{"url": "x"}]}, "mcp_servers"),
        ({"tools": [{"type": "web_search_20260318", "name": "web_search"}]}, "tools.0. of type 'web_search_20260318'"),
        ({"tools": 7}, "tools=7"),
        ({"tool_choice": {"type": "own"}}, "tool_choice"),
        ({"messages": 7}, "messages=7"),
        ({"messages": [7]}, "message 0"),
        ({"messages": [{"role": "user", "content": [{"type": "document", "source": {}}]}]}, "type 'document'"),
        *(
            ({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [part]}]}]}, words)
            for part, words in [({"type": "document", "source": {}}, "type 'document'"), (7, "type None")]
        ),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "file"}}]}]}, "image from 'file'"),
        ({"output_config": {"format": {"type": "own"}}}, "output_config.format"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "a block of type 'text' has the text None"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 7}]}]}, "has the text 7"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(CrossingError, match=words):
        crossing(**more)
    for body in (b"", b"[1]", b"[" * 5000):
        with pytest.raises(CrossingError, match="not a JSON object"):
            Crossing(decoded(body), Repair())


ASKED: dict[str, Any] = {
    **request(stream=True, stop_sequences=["END"], temperature=1),
    "system": [{"type": "text", "text": "Be brief."}],
    "tool_choice": {"type": "tool", "name": "get_weather", "disable_parallel_tool_use": True},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {}}},
    "messages": [
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "http://x"}}]},
        {"role": "system", "content": [{"type": "text", "text": "Hurry."}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "get_time", "input": {"x": [1]}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]}],
        },
    ],
}


def test_odd_requests_are_served_or_refused() -> None:
    for place in places(ASKED):
        for new in SHAPES:
            with contextlib.suppress(CrossingError):
                found = Crossing(decoded(json.dumps(put(ASKED, place, new)).encode()), Repair())
                assert isinstance(json.loads(json.dumps(found.asked))["messages"], list)


def test_odd_answers_never_raise() -> None:
    changes = [(number, place, new) for number, chunk in enumerate(CHAT) for place in places(chunk) for new in SHAPES]
    for number, place, new in depth.chosen(changes, 60, key=str):
        chunks = [*CHAT[:number], put(CHAT[number], place, new), *CHAT[number + 1 :]]
        data = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in chunks)
        found: list[Any] = events(fed(reading, data + b"data: [DONE]\n\n", lambda: 1 << 20))
        known = [each for each in found if isinstance(each, dict) and each.get("type", "error") != "error"]
        assert not faults(known, ended=False)
    for place in places(WHOLE["chat"]):
        for new in SHAPES:
            data = json.dumps(put(WHOLE["chat"], place, new)).encode()
            assert fed(lambda: reading("application/json", stream=False), data, lambda: 1 << 20)


# -- the proxy ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def own(server: Loopback) -> Iterator[Any]:
    anthropic = pytest.importorskip("anthropic", reason="needs toolglean[anthropic]")
    with proxying(f"{server.url}/v1", serve_messages=True) as url:
        found = anthropic.Anthropic(base_url=url, api_key="secret", max_retries=0)
        yield found
        found.close()


def test_the_anthropic_package_before_a_server_of_the_chat_api(own: Any, server: Loopback) -> None:
    given: Any = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": request()["tools"]}
    server.play(*[Turn(pieces(f"<think>Hm.</think>Look. {HERMES}"))] * 2)
    with own.messages.stream(**given) as stream:
        streamed = stream.get_final_message()
    for message in (streamed, own.messages.create(**given)):
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
        assert (message.content[2].input, message.stop_reason) == ({"city": "Oslo"}, "tool_use")
        assert message.usage.input_tokens == 7
    assert [path for path, _ in server.requests] == ["/v1/chat/completions"] * 2
    assert server.requests[0][1]["messages"] == MESSAGES


def test_errors_behind_the_proxy(own: Any, server: Loopback) -> None:
    anthropic = pytest.importorskip("anthropic", reason="needs toolglean[anthropic]")
    given: Any = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": request()["tools"]}
    with pytest.raises(anthropic.BadRequestError, match="web_search"):
        own.messages.create(**{**given, "tools": [{"type": "web_search_20260318", "name": "web_search"}]})
    server.play(Turn(faults=[Status(429)]), Turn(pieces(HERMES), faults=[Cut(6)]))
    with pytest.raises(anthropic.RateLimitError):
        own.messages.create(**given)
    with pytest.raises(anthropic.APIError, match="disconnected"), own.messages.stream(**given) as stream:
        stream.get_final_message()


UNREADABLE = "an answer of the server is not one of the chat API, or too long to be read"
REFUSALS: dict[str, tuple[str, bytes, int, str, str]] = {
    # its status, its body; the caller's status, and the type and the message of the error
    "a limit": (
        "429 Slow",
        b'{"error": {"message": "slow down", "type": "rate"}}',
        429,
        "rate_limit_error",
        "slow down",
    ),
    "a text": ("404 No", b'{"error": "no model"}', 404, "not_found_error", "no model"),
    "a detail": ("401 No", b'{"detail": "no key"}', 401, "authentication_error", "no key"),
    "vLLM's": ("400 No", b'{"object": "error", "message": "long"}', 400, "invalid_request_error", "long"),
    "several": ("422 No", b'{"detail": [{"loc": 1}]}', 422, "invalid_request_error", '[{"loc": 1}]'),
    "a page": ("503 Busy", b"<html>busy", 503, "api_error", "the server answered with status 503"),
    "an error with status 200": ("200 OK", b'{"error": {"message": "crashed"}}', 502, "api_error", "crashed"),
    "a page with status 200": ("200 OK", b"<html>", 502, "api_error", UNREADABLE),
    "no choices": ("200 OK", b'{"choices": []}', 502, "api_error", UNREADABLE),
    "nothing": ("200 OK", b"", 502, "api_error", UNREADABLE),
    "half of an answer": ("200 OK", b'{"choices": [{"message"', 502, "api_error", UNREADABLE),
    "too much": ("200 OK", b'{"id": "' + b"x" * 9000 + b'"}', 502, "api_error", UNREADABLE),
}


@both
@pytest.mark.parametrize("row", REFUSALS)
def test_errors_have_a_status_and_the_form_of_the_api(row: str, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with status 200 kept it, and all others came as the chat API's."""
    httpx = pytest.importorskip("httpx", reason="needs toolglean[proxy]")
    monkeypatch.setattr(answers, "LONGEST", 2000)
    line, sent, status, kind, message = REFUSALS[row]
    announced = len(sent) + 9 * row.startswith("half")  # the server disconnects
    with raw_server() as raw, proxying(raw.url, serve_messages=True) as url:
        for name in ("application/json", "text/html", "text/plain"):
            if stream and (line, name) == ("200 OK", "text/plain"):
                continue  # it is read as the stream that was asked for
            raw.answer = head(line, f"Content-Type: {name}", f"Content-Length: {announced}", "Retry-After: 7") + sent
            found = httpx.post(f"{url}/v1/messages", json=request(stream=stream), trust_env=False)
            assert (found.status_code, found.headers["content-type"]) == (status, "application/json")
            assert found.json() == {"type": "error", "error": {"type": kind, "message": message}}
            assert found.headers["retry-after"] == "7"


def test_other_apis_are_served_as_before(server: Loopback) -> None:
    httpx = pytest.importorskip("httpx", reason="needs toolglean[proxy]")
    with proxying(server.url, serve_messages=True) as url:
        for kind in KINDS:
            server.play(Turn(pieces(HERMES)))
            body = asked(kind, TOOLS, stream=False, max_tokens=9, messages=MESSAGES)
            found = httpx.post(url + PATHS[kind], json=body, headers={"x-api-key": "k"}, trust_env=False)
            assert said(kind, found.content, body).calls == CALLS
