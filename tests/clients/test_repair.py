"""The repairing core: what becomes of the bytes of an answer, for every API, whole and streamed, however they are cut."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from tests.clients.answers import (
    KINDS,
    PATHS,
    answer,
    asked,
    events,
    exchange,
    fed,
    pieces,
    random_sizes,
    reader,
    repaired,
    said,
)
from tests.clients.each import LEAKS, both, each_leak, kinds
from tests.clients.families import TOOLS, Leak
from tests.support import depth
from tests.support.face import faced
from tests.support.loopback import Call, ErrorLine, Thought, Turn
from tests.support.shared import shared_rows
from toolglean import CallEnd, Content, Event, Markup, ParserOptions, Problem, parse
from toolglean.clients.lane import lane_of
from toolglean.clients.repair import Kind, Repair, answers
from toolglean.clients.repair.answers import COMMENT
from toolglean.errors import ToolgleanError, UsageError
from toolglean.formats import headers

ENDS: dict[Kind, tuple[str, str]] = {
    "chat": ("stop", "tool_calls"),
    "responses": ("completed",) * 2,
    "messages": ("end_turn", "tool_use"),
    "ollama": ("stop",) * 2,
}
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tromsø 😀"}}\n</tool_call>'
CALL = ("get_weather", {"city": "Tromsø 😀"})

MESSAGE_TOOLS = asked("messages", TOOLS)["tools"]


@pytest.mark.sampled(60)
@kinds
@both
@each_leak
def test_leaked_calls_are_where_the_api_has_them(leak: Leak, kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    found = said(kind, repaired(kind, Turn(pieces(leak.text)), request), request)
    assert (found.text.strip(), found.calls, found.reason) == (leak.content, leak.calls, ENDS[kind][1])


@kinds
@both
@pytest.mark.parametrize("begun", ["It looks like this:\n```xml\n", "The text `", "> Somebody wrote: "])
def test_a_call_in_a_quotation_that_the_request_has_opened_is_text(begun: str, kind: Kind, stream: bool) -> None:
    """Fixed bug: the last message is the assistant's, the answer goes on in it, and what it quoted ran."""
    place = "input" if kind == "responses" else "messages"
    parts = [{"type": "output_text" if kind == "responses" else "text", "text": begun}]
    text = f"{HERMES}\n```\nThat is all." if "```" in begun else f"{HERMES}` is it."
    for content in (begun, parts):
        messages = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": content}]
        request = asked(kind, TOOLS, stream=stream, **{place: messages})
        found = said(kind, repaired(kind, Turn(pieces(text)), request), request)
        assert (found.text, found.calls) == (text, [])
    ended = asked(kind, TOOLS, stream=stream, **{place: [{"role": "assistant", "content": "```\na\n```\n"}]})
    assert said(kind, repaired(kind, Turn(pieces(HERMES)), ended), ended).calls == [CALL]


@kinds
def test_one_answer_for_every_cut_of_the_bytes(kind: Kind) -> None:
    """80 cuts of ten streams; with `--depth full` 2,000."""
    request = asked(kind, TOOLS)
    for place, leak in enumerate(LEAKS[::2]):
        data = answer(
            kind, Turn(pieces(f"Grüße 😀 a < b\u2028 {leak.text} end" if leak.content else leak.text)), request
        )
        crlf = data.replace(b"\n\n", b"\r\n\r\n") if place % 2 and kind != "ollama" else data
        found = {fed(lambda: reader(kind, request), crlf, lambda: 1)}
        for seed in range(200 if depth.is_full() else 3):
            found.add(fed(lambda: reader(kind, request), crlf, random_sizes(seed)))
        assert len(found) == 1
        assert said(kind, found.pop(), request).calls == leak.calls


PROSE = [
    "The quick brown fox jumps over the lazy dog.",
    "a < b, <tool> and <tool_ca, `{x}`, <think and <<< [TOOL_CALL, then\n\n  \n",
    "Write <tool_call> first. 😀\ud83d\n",
    '{"answer": [1, 2, {"name": "x"}]}',
    "",
]


@pytest.mark.sampled(3, each="text")
@kinds
@both
@pytest.mark.parametrize("text", PROSE, ids=range(len(PROSE)))
def test_an_answer_without_calls_is_the_same_bytes(text: str, kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream, stream_options={"include_usage": True})
    for size in (1, 3, 1000):
        turn = Turn(pieces(text, size), thinking=["Hm."])
        data = encoded(kind, turn, request)
        for options in ({"format": "hermes"}, {}):
            assert fed(lambda: reader(kind, request, **options), data, random_sizes(size)) == data  # noqa: B023


def encoded(kind: Kind, turn: Turn, request: dict[str, Any]) -> bytes:
    """The answer; half a surrogate pair goes over the wire as an escape."""
    try:
        return answer(kind, turn, request)
    except UnicodeEncodeError:
        whole = Turn(
            [each.replace("\ud83d", "HALF") for each in turn.chunks if isinstance(each, str)], thinking=["Hm."]
        )
        return answer(kind, whole, request).replace(b"HALF", b"\\ud83d")


def test_half_a_surrogate_pair_beside_a_call_can_be_sent() -> None:
    for kind in KINDS:
        request = asked(kind, TOOLS)
        data = answer(kind, Turn([f"HALF {HERMES}"]), request).replace(b"HALF", b"\\ud83d")
        found = said(kind, fed(lambda: reader(kind, request), data, lambda: 7), request)  # noqa: B023
        assert (found.text.strip(), found.calls) == ("\ud83d", [CALL])


def test_half_a_surrogate_pair_in_the_type_of_an_event_can_be_sent() -> None:
    """The type is also written as the event's name, which has no escapes: the answer broke off with an exception."""
    request = asked("responses", TOOLS)
    blocks = answer("responses", Turn([HERMES]), request).split(b"\n\n")
    data = b"\n\n".join([*blocks[:-2], b'data: {"type": "\\ud83d", "sequence_number": 99}', *blocks[-2:]])
    for size in (7, len(data)):
        found = fed(lambda: reader("responses", request), data, lambda: size)  # noqa: B023
        assert "\ud83d" in [event["type"] for event in events(found)]
        assert said("responses", found, request).calls == [CALL]


def without_lanes(kind: Kind, request: dict[str, Any], **options: Any) -> Any:
    """A reader for which no event is like another."""
    found: Any = reader(kind, request, **options)
    found._plain = lambda _: None
    return found


TEXTS = [
    *PROSE[:4],
    f"Look, it is to\n\n{HERMES}\n and t <tool",
    'Say "<tool_call>", \\ or `{"name": "get_weather"}`.\n\t\u2028 é',
    f"<think>Hm < t</think>Yes. {HERMES}{HERMES} Then.",
    HERMES[:-30],
    f"One. {HERMES}\nTwo < three, and four.\n{HERMES}\nFive: `{HERMES}` <|im_end|>",
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_short_way_of_an_event_leads_to_the_same_bytes(kind: Kind, text: str) -> None:
    """An event that differs from the one before in nothing but its text is not decoded (clients/lane.py)."""
    ways: list[dict[str, Any]] = [{}, {"whole_calls": False}, {"format": "hermes"}, {"unknown_tools": "call"}]
    for seed, options in depth.chosen(enumerate(ways), 1, key=lambda each: f"{kind} {text} {each}"):
        rng = random.Random(seed)
        request = asked(kind, TOOLS)
        turn = Turn(pieces(text, rng.choice((1, 2, 5))), thinking=["Hm."] if seed % 2 else [])
        data = encoded(kind, turn, request)
        blocks = data.split(b"\n\n")
        for _ in range(3):  # lookalikes, in any place
            place = rng.randrange(2, len(blocks))
            blocks.insert(place, rng.choice((blocks[place - 1], blocks[rng.randrange(len(blocks))], *ODD[kind])))
        for given in (data, b"\n\n".join(blocks), b"\r\n\r\n".join(blocks)):
            short, long = both_ways(kind, request, given, seed, options)
            assert short == long
            for end in rng.sample(range(len(given)), 5 if depth.is_full() else 1):
                short, long = both_ways(kind, request, given[:end], seed, options)
                assert short == long


@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
@pytest.mark.parametrize("size", [1, 2, 5, 7])
def test_the_short_way_ends_with_the_text_that_it_was_for(kind: Kind, size: int) -> None:
    # Two events waited, and were read again when the second began reasoning: the text after it took the short way of the
    # first, and went into the block before the reasoning.
    request = asked(kind, TOOLS)
    chunks = [*pieces("One <", 2), *pieces("<think>Hm</think>So: ", size), *["then ", "more. "] * 4]
    short, long = both_ways(kind, request, answer(kind, Turn(chunks), request), 1, {})
    assert short == long


@kinds
def test_an_event_without_text_takes_nothing_away(kind: Kind) -> None:
    """It was read the short way, of which the long way made nothing: the text of the next event was lost, and its call."""
    request, parts = asked(kind, TOOLS), pieces(f"Hi.\n{HERMES}\nDone.", 3)
    due = said(kind, repaired(kind, Turn(parts), request), request)
    assert due.calls == [CALL]
    for place in range(len(parts) + 1):
        turn = Turn([*parts[:place], "", *parts[place:]])
        assert said(kind, repaired(kind, turn, request, cut=99), request) == due, place


def both_ways(
    kind: Kind, request: dict[str, Any], data: bytes, seed: int, options: dict[str, Any]
) -> tuple[bytes, bytes]:
    ways = (lambda: reader(kind, request, **options), lambda: without_lanes(kind, request, **options))
    short, long = (fed(way, data, random_sizes(seed)) for way in ways)
    assert fed(ways[0], data, lambda: 1 << 20) == short
    return short, long


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
@pytest.mark.parametrize("before", ["<think>Hm.</think>", f"One. {HERMES}\n"], ids=["reasoning", "call"])
def test_text_after_a_repair_takes_the_short_way(kind: Kind, before: str) -> None:
    # In the Messages API it did not, because its block has another index than the server's; in the Responses API, since
    # its events have other numbers; and nowhere after a piece of which a part had waited, as that of a possible marker.
    request = asked(kind, TOOLS)
    text = "The quick fox, to < jump. " * 200
    data = answer(kind, Turn(pieces(before + text, 4)), request)
    found: Any = reader(kind, request)
    long_way, taken = found._item, []

    def counted(item: Any, block: bytes) -> bytes:
        taken.append(block)
        decoded: bytes = long_way(item, block)
        return decoded

    found._item = counted
    whole = fed(lambda: found, data, lambda: 1 << 20)
    assert said(kind, whole, request).text.endswith(text)
    assert len(taken) < 50
    assert fed(lambda: without_lanes(kind, request), data, lambda: 1 << 20) == whole


@pytest.mark.parametrize("numbered", [True, False])
def test_text_after_a_repair_is_the_same_bytes_but_for_its_number(numbered: bool) -> None:
    request = asked("responses", TOOLS)
    data = answer("responses", Turn(["One. ", *pieces(HERMES), *["\nThen, ", "é 😀 ", "more."] * 20]), request)
    if not numbered:
        data = re.sub(rb', "sequence_number": \d+', b"", data)
    given = [block for block in data.split(b"\n\n") if b"output_text.delta" in block][-59:]
    for sizes in (lambda: 1 << 20, lambda: 1, random_sizes(1), random_sizes(2)):
        found = fed(lambda: reader("responses", request), data, sizes)
        blocks = [block for block in found.split(b"\n\n") if b"output_text.delta" in block][-59:]
        if numbered:
            numbers = [event["sequence_number"] for event in events(found)]
            assert numbers == list(range(len(numbers)))
            assert [_without_number(block) for block in blocks] == [_without_number(block) for block in given]
        else:
            assert blocks == given


def _without_number(block: bytes) -> Any:
    name, _, data = block.partition(b"\n")
    return name, {**json.loads(data[6:]), "sequence_number": 0}


OUTPUT_TEXT = b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_0",'


def test_a_server_whose_events_all_differ_is_not_looked_at_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's own server adds letters of random number to each chunk."""
    looked: list[bytes] = []

    def counted(block: bytes, plain: Any) -> Any:
        looked.append(block)
        return lane_of(block, plain)

    monkeypatch.setattr(answers, "lane_of", counted)
    delta = b'data: {"choices":[{"index":0,"delta":{"content":"a "},"finish_reason":null}],"obfuscation":"%d"}\n\n'
    data = b"".join(delta % number for number in range(100))
    assert fed(lambda: reader("chat", asked("chat", TOOLS)), data, lambda: 1 << 20) == data
    assert len(looked) == answers.TRIES
    looked.clear()
    data = delta % 1 * 50 + data + delta % 1 * 50  # until then it may be that they are alike
    assert fed(lambda: reader("chat", asked("chat", TOOLS)), data, lambda: 1 << 20) == data
    assert len(looked) == answers.TRIES + 1


ODD: dict[str, list[bytes]] = {
    "responses": [
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"delta":"x","sequence_number":07}',
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"delta":"x","sequence_number":[7]}',
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"delta":"a","delta":"b","sequence_number":7}',
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"sequence_number":70,"delta":"x"}',
        OUTPUT_TEXT + b'"output_index":1,"content_index":0,"delta":"x","sequence_number":7}',
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"delta":"x"}',
        OUTPUT_TEXT + b'"output_index":0,"content_index":0,"delta":"x 1","sequence_number":1%b}' % (b"0" * 30),
        b": comment",
    ],
    "chat": [
        b'data: {"choices":[{"index":0,"delta":{"content":"a","content":"b"},"finish_reason":null}]}',
        b'data: {"choices":[{"index":0,"delta":{"content":"x"},"logprobs":{"content":[{"token":"x"}]}}]}',
        b'data: {"choices":[{"index":0,"delta":{"con\\u0074ent":"x","x":{"content":"x"}},"finish_reason":null}]}',
        b'data: {"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":null}]}',
        b'data: {"choices":[{"index":0,"delta":{"content":"a\xff"},"finish_reason":null}]}',
        b'data: {"choices":[{"index":0,"delta":{"content":"a\x01"},"finish_reason":null}]}',
        b'data: {"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}',
        b": comment",
    ],
    "messages": [
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}',
        b'event: content_block_delta\ndata: {"delta":{"text":"x","type":"text_delta"},"index":0,"type":"content_block_delta"}',
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}',
        b'data: {"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}',
        b'data: {"type":"content_block_stop","index":0}',
        b'data: {"type":"ping"}',
        b": comment",
    ],
}


@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
def test_most_events_take_the_short_way(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above compares something: of 200 events, few are decoded."""
    decoded: list[Any] = []
    decode = answers.decoded

    def counted(data: Any) -> Any:
        decoded.append(data)
        return decode(data)

    monkeypatch.setattr(answers, "decoded", counted)
    request = asked(kind, TOOLS)
    data = answer(kind, Turn(pieces(PROSE[0] * 20, 4)), request)
    assert fed(lambda: reader(kind, request), data, lambda: 100) == data
    assert len(decoded) < 16


# -- what is passed through ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/chat/completions", {}),
        ("POST", "/v1/completions", {}),
        ("POST", "/v1/embeddings", {}),
        ("POST", "/v1/chat/completions", {"tools": None}),
        ("POST", "/v1/chat/completions", {"tools": []}),
        ("POST", "/v1/chat/completions", {"tools": "f"}),
        ("POST", "/v1/chat/completions", {"tools": [7, None, {}, {"type": "function", "function": {"name": 3}}]}),
        ("POST", "/v1/chat/completions", {"tool_choice": "none"}),
        ("POST", "/v1/chat/completions", {"tools": [], "functions": [{"name": "f"}], "function_call": "none"}),
        ("POST", "/v1/responses", {"tools": [{"type": "web_search"}]}),
        ("POST", "/v1/responses", {"tool_choice": "none"}),
        ("POST", "/v1/responses/resp_1/cancel", {}),
        ("POST", "/v1/messages", {}),  # tools in OpenAI's form
        ("POST", "/v1/messages", {"tools": [{"type": "web_search_20260318", "name": "web_search"}]}),
        ("POST", "/v1/messages", {"tools": [{"type": "mcp_toolset", "mcp_server_name": "files"}]}),
        ("POST", "/v1/messages", {"tools": [{"type": "bash_20250124", "name": "f", "input_schema": {}}]}),
        ("POST", "/v1/messages", {"tools": MESSAGE_TOOLS, "tool_choice": {"type": "none"}}),
        ("POST", "/v1/messages/count_tokens", {"tools": MESSAGE_TOOLS}),
        ("POST", "/v1/messages/batches", {"tools": MESSAGE_TOOLS}),
        ("POST", "/api/generate", {}),
    ],
)
def test_requests_whose_answer_is_none_of_ours(method: str, path: str, body: dict[str, Any]) -> None:
    assert Repair().exchange(method, path, json.dumps({"tools": TOOLS} | body).encode()) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 5000, b'{"tools": ' + b"[" * 5000])
def test_bodies_that_are_no_request(body: bytes) -> None:
    assert Repair().exchange("POST", "/v1/chat/completions", body) is None


@pytest.mark.parametrize(
    ("status", "content_type"),
    [(401, "application/json"), (500, "text/event-stream"), (200, "text/html"), (206, "application/json"), (204, "")],
)
def test_answers_that_are_none_of_ours(status: int, content_type: str) -> None:
    for kind in KINDS:
        assert exchange(kind, asked(kind, TOOLS)).reader(status, content_type) is None


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[1]", b'"x"', b'{"error": {"message": "no"}}', b'{"choices": 7}', b"[" * 5000]
)
def test_what_is_no_answer_is_the_same_bytes(body: bytes) -> None:
    for kind in KINDS:
        for stream in (True, False):
            assert fed(lambda: reader(kind, asked(kind, TOOLS, stream=stream)), body, lambda: 3) == body  # noqa: B023


def test_an_answer_without_a_content_type_is_what_was_asked_for() -> None:
    for kind in KINDS:
        for stream in (True, False):
            request = asked(kind, TOOLS, stream=stream)
            reading = exchange(kind, request).reader(200, "")
            assert reading is not None
            data = reading.feed(answer(kind, Turn([HERMES]), request)) + reading.finish()
            assert said(kind, data, request).calls == [CALL]


def test_a_server_that_does_not_stream_although_it_was_asked() -> None:
    request = asked("chat", TOOLS)
    reading = exchange("chat", request).reader(200, "application/json; charset=utf-8")
    assert reading is not None
    whole = {**request, "stream": False}
    data = reading.feed(answer("chat", Turn([HERMES]), whole)) + reading.finish()
    assert said("chat", data, whole).calls == [CALL]


def test_what_stands_among_the_events_passes() -> None:
    request = asked("chat", TOOLS, stream_options={"include_usage": True})
    data = answer("chat", Turn(["a <tool_", "call>x"]), request)
    blocks = data.split(b"\n\n")
    odd = [b": keep-alive", b"event: ping", b"data: {not json", b"data: [1]", b"data:", b"retry: 10"]
    for place in range(len(blocks)):
        for block in odd:
            given = b"\n\n".join([*blocks[:place], block, *blocks[place:]])
            found = fed(lambda: reader("chat", request), given, lambda: 11)
            assert sorted(found.split(b"\n\n")) == sorted(given.split(b"\n\n"))


def test_a_comment_does_not_wait() -> None:
    reading = reader("chat", asked("chat", TOOLS))
    assert reading.feed(b'data: {"choices": [{"index": 0, "delta": {"content": "<tool_"}}]}\n\n') == b""
    assert reading.feed(b": keep-alive\n\n") == b": keep-alive\n\n"


def test_who_waits_for_a_long_call_hears_something() -> None:
    request = asked("chat", TOOLS)
    reading = reader("chat", request)
    long = HERMES.replace("Tromsø", "x" * 1000)
    parts = [part + b"\n\n" for part in answer("chat", Turn(list(long)), request).split(b"\n\n")]
    silent = [reading.feed(part) == b"" for part in parts]
    assert max(len(run) for run in "".join("x" if each else " " for each in silent).split()) < 64
    assert said("chat", repaired("chat", Turn(list(long)), request), request).calls[0][1] == {
        "city": "x" * 1000 + " 😀"
    }


# -- what a request asks for -------------------------------------------------------------------------------------------


@both
def test_several_choices_are_read_each_for_itself(stream: bool) -> None:
    request = asked("chat", TOOLS, stream=stream, n=3)
    turn = Turn(pieces(HERMES), choices=[Turn(pieces("a < b")), Turn(pieces(f"Yes. {HERMES}"))])
    data = repaired("chat", turn, request)
    found = [said("chat", data, request, choice) for choice in range(3)]
    assert [(each.text.strip(), each.calls, each.reason) for each in found] == [
        ("", [CALL], "tool_calls"),
        ("a < b", [], "stop"),
        ("Yes.", [CALL], "tool_calls"),
    ]


@both
def test_functions_of_the_old_kind(stream: bool) -> None:
    request = {"model": "m", "functions": [tool["function"] for tool in TOOLS], "stream": stream}
    data = repaired("chat", Turn(pieces(f"Yes. {HERMES}\n{HERMES}")), request)
    found = said("chat", data, request)
    assert (found.calls, found.reason) == ([CALL], "function_call")
    assert found.text.replace("\n", "") == "Yes. " + HERMES.replace("\n", "")
    assert b"tool_calls" not in data


@kinds
@both
def test_one_call_where_one_is_allowed(kind: Kind, stream: bool) -> None:
    one: dict[str, Any] = {"parallel_tool_calls": False}
    if kind == "messages":
        one = {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
    request = asked(kind, TOOLS, stream=stream, **one)
    for options in ({}, {"whole_calls": False}):
        found = said(kind, repaired(kind, Turn(pieces(HERMES + HERMES)), request, **options), request)
        assert (found.calls, '"city": "Tromsø 😀"' in found.text) == ([CALL], True)
        own = said(kind, repaired(kind, Turn([Call(*CALL), *pieces(HERMES)]), request, **options), request)
        if kind != "responses" or stream:  # the server's own counts
            assert own.calls == [CALL]


OLD = {"tools": None, "functions": [tool["function"] for tool in TOOLS]}
CHOICES: dict[str, tuple[Kind, Any]] = {
    "one": ("chat", lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}}),
    "one of the old kind": ("chat", lambda name: {**OLD, "function_call": {"name": name}}),
    "several": (
        "chat",
        lambda name: {
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": name}}]},
            }
        },
    ),
    "one of responses": ("responses", lambda name: {"tool_choice": {"type": "function", "name": name}}),
    "several of responses": (
        "responses",
        lambda name: {
            "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": name}]}
        },
    ),
    "one of messages": ("messages", lambda name: {"tool_choice": {"type": "tool", "name": name}}),
}


@both
@pytest.mark.parametrize("choice", CHOICES)
def test_a_call_that_the_request_does_not_allow_is_text(choice: str, stream: bool) -> None:
    """It ran: only `tool_choice` "none" was read."""
    kind, choosing = CHOICES[choice]
    for name, calls in (("get_weather", [CALL]), ("get_time", [])):
        request = asked(kind, TOOLS, stream=stream) | choosing(name)
        found = said(kind, repaired(kind, Turn(pieces(HERMES)), request), request)
        assert (found.calls, found.text) == (calls, "" if calls else HERMES)
    request = asked(kind, TOOLS) | choosing("own")
    assert Repair().asked(kind, request) is None


def test_the_model_of_the_request_says_how_calls_are_written() -> None:
    text = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"
    for model in ("zai-org/GLM-4.5", "unknown", 7, None):
        request = asked("chat", TOOLS, model=model)
        assert said("chat", repaired("chat", Turn([text]), request), request).calls == [
            ("get_weather", {"city": "Oslo"})
        ]
    assert exchange("chat", asked("chat", TOOLS, model="zai-org/GLM-4.5")).parsing["model"] == "zai-org/GLM-4.5"
    assert "model" not in exchange("chat", asked("chat", TOOLS, model="zai-org/GLM-4.5"), format="hermes").parsing
    assert "model" not in exchange("chat", asked("chat", TOOLS, model="gpt-4o")).parsing


def test_wrong_options_are_refused_at_once() -> None:
    wrong: list[dict[str, Any]] = [
        {"format": "nothing"},
        {"model": "nothing"},
        {"start": 1},
        {"prompt": "x"},
        {"markup": True},
    ]
    for options in wrong:
        with pytest.raises(UsageError):
            Repair(**faced(**options))
    assert issubclass(UsageError, ToolgleanError)


# -- nothing runs that the model did not plainly write -----------------------------------------------------------------

BROKEN = [
    HERMES[:-20],  # cut off
    HERMES[: HERMES.index("Tromsø")],
    HERMES.replace('"}}', '", y}}'),  # malformed
    HERMES.replace('{"city": "Tromsø 😀"}', "[1]"),
]


@kinds
@both
@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_call_that_broke_off_is_never_seen(text: str, kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    for size in (1, 7, 1000):
        turn = Turn(pieces(f"Look. {text}", size))
        data = repaired(kind, turn, request)
        found = said(kind, data, request)
        assert (found.calls, found.reason) == ([], ENDS[kind][0])
        assert found.text.startswith("Look. ")
        assert "get_weather" in found.text  # nothing is lost
        assert b'"tool_calls":[{' not in data.replace(b" ", b"")
        assert b'"function_call"' not in data


def test_calls_stream_where_that_is_wanted() -> None:
    for kind in ("chat", "responses", "messages"):
        request = asked(kind, TOOLS)
        data = repaired(kind, Turn(list(HERMES)), request, whole_calls=False)
        found = events(data)
        if kind == "chat":
            deltas = [call for each in found for call in each["choices"][0]["delta"].get("tool_calls", ())]
        elif kind == "responses":
            deltas = [each for each in found if each["type"] == "response.function_call_arguments.delta"]
        else:
            deltas = [each for each in found if "partial_json" in each.get("delta", ())]
        assert len(deltas) > 10
        assert said(kind, data, request).calls == [CALL]


@pytest.mark.sampled(2, each="text")
@kinds
@pytest.mark.parametrize("text", ["a <tool_", "<think>Hm", HERMES[:-30], f"{HERMES}\n<tool"])
def test_a_connection_that_breaks_loses_nothing(text: str, kind: Kind) -> None:
    request = asked(kind, TOOLS)
    data = answer(kind, Turn(list(text)), request)
    rng = random.Random(text)
    for place in sorted({rng.randrange(len(data)) for _ in range(40 if depth.is_full() else 12)}):
        cut = data[:place]
        reading = reader(kind, request)
        found = reading.feed(cut) + reading.finish()
        given = texts(kind, cut)
        output = parse(given, TOOLS)
        left = "".join(given[slice(*call.span)] for call in output.unfinished)
        assert sorted(texts(kind, found)) == sorted(output.reasoning + output.content + left)


def texts(kind: Kind, data: bytes) -> str:
    """The text in those parts that are whole."""
    found = ""
    for line in data.split(b"\n"):
        try:
            item = json.loads(line.removeprefix(b"data: "))
        except ValueError:
            continue
        if kind == "responses":
            found += item.get("delta", "") if item["type"].endswith("text.delta") else ""
        elif kind == "messages":
            delta = item.get("delta", {})
            found += delta.get("text") or delta.get("thinking") or ""
        else:
            message = item["message"] if kind == "ollama" else item["choices"][0]["delta"]
            found += message.get("content") or message.get("reasoning_content") or message.get("thinking") or ""
    return found


@kinds
@pytest.mark.parametrize("text", ["a <tool_", HERMES[:-13], HERMES[:-20], f"{HERMES} <tool"])
def test_an_answer_that_ends_before_the_end_of_its_last_event(text: str, kind: Kind) -> None:
    """What was held back was written onto the same line, or into the same event, which no client could read."""
    request = asked(kind, TOOLS)
    data = answer(kind, Turn([*pieces(text), Call("get_time", "{}", id="z", cut=9), " Then."]), request)
    end, more = (b"\n", ()) if kind == "ollama" else (b"\n\n", (b"\n", b"\r\n"))
    parts = data.split(end)[:-1]
    for count in range(1, len(parts) + 1):
        whole = end.join(parts[:count])
        expected = fed(lambda: reader(kind, request), whole + end, lambda: 50)
        for begun in (b"", b"\r", *more):
            found = fed(lambda: reader(kind, request), whole + begun, lambda: 50)
            assert _parts_in(found, end) == _parts_in(expected, end)


def _parts_in(data: bytes, end: bytes) -> list[bytes]:
    # Only between events, more than one empty line is none.
    found = data.replace(b"\r", b"").rstrip(b"\n")
    return found.split(end) if end == b"\n" else re.split(rb"\n{2,}", found)


@kinds
def test_what_waits_comes_before_an_error_of_the_server(kind: Kind) -> None:
    request = asked(kind, TOOLS)
    for after in range(3, 8):
        data = answer(kind, Turn(list("a <tool_"), faults=[ErrorLine(after, "out of memory")]), request)
        assert fed(lambda: reader(kind, request), data, lambda: 9) == data


def written(events: list[Event], text: str) -> str:
    """What is not a complete call: content, and the calls that stay text, with the markers that close them."""
    found, stays = [], False
    for event in events:
        if isinstance(event, CallEnd):
            stays = event.call.status != "ok"
            found += [text[slice(*event.call.span)]] if stays else []
        elif isinstance(event, Content) or (isinstance(event, Markup) and stays and event.text not in headers.ENDS):
            found.append(event.text)
        stays = stays and isinstance(event, CallEnd | Markup | Problem)
    return "".join(found)


@both
def test_turns_as_models_wrote_them(stream: bool) -> None:
    """What the parser makes of a text is what comes out: no call more, no text less. Without a call, the same bytes."""
    rng = random.Random(1)
    for row in depth.chosen(shared_rows("vectors/wild.jsonl"), 8, key=lambda each: str(each["id"])):
        text, functions = row["text"], [{"name": "f"}, *row["tools"]]
        output = parse(text, functions)
        left = written(parse(text, functions, options=ParserOptions(markup=True)).events, text)
        for kind in KINDS:
            request = asked(kind, [{"type": "function", "function": each} for each in functions], stream=stream)
            turn = Turn(pieces(text, rng.randint(1, 9)))
            data = repaired(kind, turn, request, cut=rng.randint(1, 200))
            found = said(kind, data, request)
            assert found.calls == [(call.name, call.arguments) for call in output.calls], row["id"]
            assert sorted("".join(found.text.split())) == sorted("".join(left.split())), row["id"]
            assert found.reasoning == output.reasoning, row["id"]
            if output.content == text:
                assert data.replace(COMMENT, b"") == answer(kind, turn, request), row["id"]


# -- the rest ----------------------------------------------------------------------------------------------------------


@kinds
@both
def test_reasoning_comes_first(kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    turn = Turn(pieces(f"<think>Let me look.</think>Yes. {HERMES}"))
    data = repaired(kind, turn, request)
    found = said(kind, data, request)
    assert (found.reasoning.strip(), found.text.strip(), found.calls) == ("Let me look.", "Yes.", [CALL])
    if kind == "responses":
        whole = events(data)[-1]["response"] if stream else json.loads(data)
        assert [item["type"] for item in whole["output"]] == ["reasoning", "message", "function_call"]


@kinds
@both
def test_calls_of_the_server_keep_their_place(kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    own = Call("get_time", {}, "own")
    turn = Turn([Thought("Hm."), own, *pieces(HERMES)])
    found = said(kind, repaired(kind, turn, request), request)
    assert sorted(found.calls) == sorted([("get_time", {}), CALL])
    untouched = Turn([Thought("Hm."), "Yes. ", own])
    assert repaired(kind, untouched, request) == answer(kind, untouched, request)


@kinds
@both
def test_a_call_that_comes_both_ways_is_one(kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    other = HERMES.replace("Tromsø", "Oslo")
    turn = Turn([Call(*CALL), *pieces(f"Look. {HERMES}{other}")])
    found = said(kind, repaired(kind, turn, request), request)
    assert sorted(each[1]["city"] for each in found.calls) == ["Oslo 😀", "Tromsø 😀"]
    has_order = stream or kind in {"messages", "responses"}  # in other whole answers, the text comes first
    assert ("Tromsø" in found.text) is has_order
    twice = Turn([Call(*CALL), *pieces(HERMES + HERMES)])  # written twice, and parsed once
    assert said(kind, repaired(kind, twice, request), request).calls == [CALL, CALL]


def test_what_was_found_is_counted() -> None:
    repair = Repair(format="hermes")
    for text in (
        HERMES + HERMES,
        "a < b",
        HERMES.replace('"}}', '", y}}'),
        HERMES.replace('"city"', '"city": 1, "city"'),
    ):
        for kind in KINDS:
            for stream in (True, False):
                request = asked(kind, TOOLS, stream=stream)
                begun = repair.exchange("POST", PATHS[kind], json.dumps(request).encode())
                assert begun is not None
                reading = begun.reader(200, "")
                assert reading is not None
                reading.feed(answer(kind, Turn(pieces(text)), request))
                reading.finish()
    assert repair.counts.calls == 3 * 8
    assert repair.counts.problems["duplicate-key"] == 8
    assert sum(count for code, count in repair.counts.problems.items() if code.startswith("malformed")) == 8


def test_a_part_that_is_too_long_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolglean.clients.repair import answers  # noqa: PLC0415

    monkeypatch.setattr(answers, "LONGEST", 2000)
    for kind in KINDS:
        for stream in (True, False):
            request = asked(kind, TOOLS, stream=stream)
            data = answer(kind, Turn(["x" * 5000, HERMES]), request)
            assert fed(lambda: reader(kind, request), data, lambda: 100) == data  # noqa: B023


def chunk_of(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


def block_of(kind: str, index: int, **fields: Any) -> dict[str, Any]:
    return {"type": f"content_block_{kind}", "index": index, **fields}


ITEM: dict[str, Any] = {"item_id": "m", "output_index": 0, "content_index": 0}
SAID = {"type": "response.output_text.delta", **ITEM, "delta": "<tool_"}
NOTE = {"type": "response.output_text.annotation.added", **ITEM}
BEGUN = [
    block_of("start", 0, content_block={"type": "text", "text": ""}),
    block_of("delta", 0, delta={"type": "text_delta", "text": "<tool_"}),
]
TOOL = block_of("start", 0, content_block={"type": "tool_use", "id": "t", "name": "f", "input": {}})
EARLY = block_of("delta", 5, delta={"type": "text_delta", "text": "x"})
AGAIN = chunk_of(tool_calls=[{"index": 0, "id": "t", "function": {"name": "get_weather", "arguments": "{"}}])
FUNCTION = {"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "name": CALL[0]}}
PIECE = {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": ""}
LINE = {"message": {"role": "assistant", "content": "<tool_"}, "done": False}
MEANWHILE: dict[str, tuple[Kind, list[Any], Any]] = {
    # the API, what is held back, what follows without an end
    "empty deltas": ("chat", [chunk_of(content="<tool_")], chunk_of()),
    "no object": ("chat", [chunk_of(content="<tool_")], 0),
    "an empty object": ("chat", [chunk_of(content="<tool_")], {}),
    "JSON that may be a call": ("chat", [chunk_of(content='{"a": "')], chunk_of(content="x")),
    "JSON behind text": (
        "chat",
        [chunk_of(content="a "), chunk_of(content='<tool_call>{"a": "')],
        chunk_of(content="x"),
    ),
    "pieces of a call that may be the same": ("chat", [chunk_of(content=HERMES), AGAIN], chunk_of(tool_calls=[{}])),
    "a ping": ("messages", BEGUN, {"type": "ping"}),
    "citations": ("messages", BEGUN, block_of("delta", 0, delta={"type": "citations_delta", "citation": {}})),
    "another block": ("messages", [TOOL], EARLY),
    "an unknown event": ("responses", [SAID], {"type": "response.x", "a": 1}),
    "annotations": ("responses", [SAID], NOTE),
    "annotations in a call": ("responses", [{**SAID, "delta": HERMES[:-20]}], NOTE),
    "pieces of an item that may be the same": ("responses", [{**SAID, "delta": HERMES}, FUNCTION], PIECE),
    "an empty line": ("ollama", [LINE], {"message": {"role": "assistant", "content": ""}, "done": False}),
}


@pytest.mark.parametrize("row", MEANWHILE)
def test_what_waits_behind_a_text_that_is_held_back_has_a_bound(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six kilobytes of gzip took 100 MiB. Beyond the bound the answer passes, as behind a part that is too long."""
    kind, held, follows = MEANWHILE[row]
    monkeypatch.setattr(answers, "WAITING", 50_000)
    before, each = [b"data: " * (kind != "ollama") + json.dumps(one).encode() for one in held], json.dumps(follows)
    end = b"\n" if kind == "ollama" else b"\n\n"
    part = b"data: " * (kind != "ollama") + each.encode() + end
    data = b"".join([one + end for one in before]) + part * (2 * 50_000 // len(part))
    for size in (len(part), 1000, len(data)):
        reading, sent = reader(kind, asked(kind, TOOLS)), b""
        for place in range(0, len(data), size):
            sent += reading.feed(data[place : place + size]).replace(COMMENT, b"")
        assert sent.endswith(part * 20)
        assert reading.feed(b"x") == b"x"
        if not (row.endswith(("in a call", "the same")) or row == "another block"):
            assert sent == data
