"""SECURITY.md, for the Messages API behind the proxy: what an upstream may send that means harm, or is broken."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import PATHS, answer, asked, events, fed, joined, pieces, random_sizes, reader, said
from tests.clients.families import CALLS, HERMES, TOOLS
from tests.clients.proxies import proxying
from tests.support.loopback import Turn
from tests.support.loopback.raw import RawServer, head, raw_server
from tests.support.message_protocol import faults

httpx = pytest.importorskip("httpx", reason="needs toolglean[proxy]")


MIB = 1024 * 1024
REQUEST = asked("messages", TOOLS)
LEAK = answer("messages", Turn(list(HERMES)), REQUEST)


@pytest.fixture
def raw() -> Iterator[RawServer]:
    with raw_server() as found:
        yield found


@pytest.fixture
def proxy(raw: RawServer) -> Iterator[str]:
    with proxying(raw.url) as url:
        yield url


def answered(proxy: str, raw: RawServer, data: bytes, *headers: str) -> tuple[int, str, int]:
    """How many bytes came, how the answer ended, and how much memory that took, in bytes."""
    raw.answer = head("200 OK", f"Content-Length: {len(data)}", "Connection: close", *headers) + data
    count, ended = 0, "in order"
    with httpx.Client(trust_env=False, timeout=60) as client:
        client.get(f"{proxy}/healthz")
        tracemalloc.start()
        try:
            with client.stream("POST", proxy + PATHS["messages"], json=REQUEST) as stream:
                for piece in stream.iter_raw():
                    count += len(piece)
        except httpx.RemoteProtocolError:
            ended = "broken"
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return count, ended, peak


def test_an_answer_that_grows_a_thousandfold(proxy: str, raw: RawServer) -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}
    ]
    events += [{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    begin = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in events)
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a" * 4000}}
    event = b"data: " + json.dumps(delta).encode() + b"\n\n"
    data = gzip.compress(begin + event * (24 * MIB // len(event)))
    assert 200 * len(data) < 24 * MIB
    count, ended, peak = answered(proxy, raw, data, "Content-Type: text/event-stream", "Content-Encoding: gzip")
    assert (ended, 15 * MIB < count < 17 * MIB) == ("broken", True)
    assert peak < 8 * MIB


ENDLESS: list[tuple[bytes, str]] = [
    # what begins, and never ends: a line of a stream, or a whole answer
    *(
        (begin, "text/event-stream")
        for begin in (b"data: ", b"", b'data: {"type": "content_block_delta", "delta": {"text": "')
    ),
    (b'{"content": [{"type": "text", "text": "', "application/json"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("begin", "kind"), ENDLESS)
def test_what_never_ends_passes_unread(begin: bytes, kind: str, proxy: str, raw: RawServer) -> None:
    data = begin + b"a" * (24 * MIB)
    count, ended, peak = answered(proxy, raw, data, f"Content-Type: {kind}")
    assert (count, ended) == (len(data), "in order")
    assert peak < 24 * MIB


@pytest.mark.parametrize(
    "kind", ["text/html", "application/xml", "image/png", "application/x-ndjson", "a", "text/event"]
)
def test_other_content_types_pass(kind: str, proxy: str, raw: RawServer) -> None:
    raw.answer = head("200 OK", f"Content-Type: {kind}", f"Content-Length: {len(LEAK)}", "Connection: close") + LEAK
    found = httpx.post(proxy + PATHS["messages"], json=REQUEST, trust_env=False)
    assert (found.content, found.headers["content-type"]) == (LEAK, kind)


@pytest.mark.parametrize("kind", ["", "text/plain", "TEXT/EVENT-STREAM; charset=utf-8", "application/octet-stream"])
def test_content_types_that_do_not_say_what_it_is(kind: str, proxy: str, raw: RawServer) -> None:
    headers = [f"Content-Type: {kind}"] if kind else []
    raw.answer = head("200 OK", *headers, f"Content-Length: {len(LEAK)}", "Connection: close") + LEAK
    found = httpx.post(proxy + PATHS["messages"], json=REQUEST, trust_env=False)
    assert said("messages", found.content, REQUEST).calls == CALLS


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\x00", b"[" * 100_000, b"data: " + b"[" * 100_000 + b"\n\n", b"data: null\n\ndata: 7\n\n", b"\r\r\r"],
)
def test_what_is_no_answer_passes(kind: str, data: bytes, proxy: str, raw: RawServer) -> None:
    raw.answer = head("200 OK", f"Content-Type: {kind}", f"Content-Length: {len(data)}", "Connection: close") + data
    assert httpx.post(proxy + PATHS["messages"], json=REQUEST, trust_env=False).content == data


def test_paths_of_gemini_are_not_read(proxy: str, raw: RawServer) -> None:
    data = json.dumps({"candidates": [{"content": {"parts": [{"text": HERMES}]}}]}).encode()
    raw.answer = (
        head("200 OK", "Content-Type: application/json", f"Content-Length: {len(data)}", "Connection: close") + data
    )
    request: dict[str, Any] = {"contents": [], "tools": [{"functionDeclarations": [{"name": "get_weather"}]}]}
    for way in ("generateContent", "streamGenerateContent?alt=sse"):
        found = httpx.post(f"{proxy}/v1beta/models/m:{way}", json=request, trust_env=False)
        assert found.content == data
    assert raw.asked[-1].startswith(b"POST /v1beta/models/m:streamGenerateContent?alt=sse ")


# -- blocks between texts ----------------------------------------------------------------------------------------------

TEXTS = {"text": "text_delta", "thinking": "thinking_delta"}
OWN = {"type": "tool_use", "id": "toolu_1", "name": "get_time", "input": {}}

OWN_LEAK = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'


def text(said: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": said}


def of_block(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a block; a text comes in small pieces, the arguments of a call in one."""
    kind = block["type"]
    field, contents = "partial_json", [json.dumps(block["input"])] if kind == "tool_use" else []
    begun = {**block, "input": {}} if contents else block
    if kind in TEXTS:
        field, contents, begun = kind, pieces(block[kind], 7), {**block, kind: ""}
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *(
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": TEXTS.get(kind, "input_json_delta"), field: each},
            }
            for each in contents
        ),
        {"type": "content_block_stop", "index": index},
    ]


def framed(middle: list[dict[str, Any]]) -> bytes:
    """The stream of a message with these events."""
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": None}
    reason = (
        "tool_use" if any(each.get("content_block", {}).get("type") == "tool_use" for each in middle) else "end_turn"
    )
    end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}
    stream = [{"type": "message_start", "message": message}, *middle, end, {"type": "message_stop"}]
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in stream).encode()


def streamed(data: bytes) -> list[dict[str, Any]]:
    """The blocks that a client reads in a stream, which come out the same however its bytes are divided."""
    found = [events(fed(lambda: reader("messages", REQUEST), data, random_sizes(seed))) for seed in range(8)]
    assert [faults(each) for each in found] == [[]] * len(found)
    [blocks] = {json.dumps(joined(each)["content"]) for each in found}
    return list(json.loads(blocks))


def read(blocks: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """What a client reads in a message with these blocks, streamed and whole: the type and the contents of each block."""
    stream = streamed(framed([event for index, block in enumerate(blocks) for event in of_block(index, block)]))
    request = {**REQUEST, "stream": False}
    message = {"id": "m", "type": "message", "role": "assistant", "content": blocks, "stop_reason": "end_turn"}
    data = json.dumps(message).encode()
    whole = json.loads(fed(lambda: reader("messages", request), data, lambda: 1 << 20))["content"]
    assert brief(stream) == brief(whole)
    return brief(whole)


def brief(blocks: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """The type and the contents of each block."""
    contents = {"text": "text", "thinking": "thinking", "tool_use": "input"}
    return [(each["type"], each.get(contents.get(each["type"], ""))) for each in blocks]


BETWEEN: dict[str, list[dict[str, Any]]] = {
    "a call": [OWN],
    "two calls": [OWN, {**OWN, "id": "toolu_2", "input": {"zone": "UTC"}}],
    "a thinking": [{"type": "thinking", "thinking": "Hm.", "signature": ""}],
    "a thinking that only the server can read": [{"type": "redacted_thinking", "data": "x"}],
    "a search": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    ],
    "a call, a text and a call": [OWN, text(f"{HERMES}\n"), {**OWN, "id": "toolu_2", "input": {"zone": "UTC"}}],
}
OPENED = {
    "Never do it like this:\n```xml\n": "\n```\nDone.",
    "Never do it like this:\n```xml": "\n```\nDone.",  # its line ends with the block
    "~~~~\n": "\n~~~~\n",
    "<example>\nLike this: ": "\n</example>",
    "Never write\n> ": "",
    "<tool_response>\n": "\n</tool_response>",
}


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("begin", OPENED)
def test_what_is_quoted_before_another_block_is_quoted_after_it(begin: str, between: str) -> None:
    """The parser of the text after a block knew nothing of what the text before it had opened: the call ran."""
    if begin.endswith("> ") and between == "a call, a text and a call":
        return  # the quoted line has ended by then
    blocks = [text(begin), *BETWEEN[between], text(f"{HERMES}{OPENED[begin]}")]
    assert read(blocks) == brief(blocks)


def test_a_quotation_that_has_ended_before_another_block() -> None:
    for begin in ("Here:\n```\nls\n```\n", "<example>ls</example>", "> ls\n\n", "A `word"):
        assert [kind for kind, _ in read([text(begin), OWN, text(HERMES)])] == ["text", "tool_use", "tool_use"]
    found = read([text("Here:\n```\n"), OWN, text(f"{HERMES}\n```\nNow I do it.\n{HERMES}")])
    assert [kind for kind, _ in found] == ["text", "tool_use", "text", "tool_use"]


# -- text in the block of a call ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TEXTS)
def test_text_that_follows_a_call_in_its_block(kind: str) -> None:
    """SGLang, and vLLM's first server of the API, end a call only after that: the packages drop a text in its block."""
    [begin, piece, end] = of_block(1, OWN)
    for before, after in ("Look. ", "Then I am done."), (f"Look. {OWN_LEAK}", "\nI wait."):
        late = of_block(1, {"type": kind, kind: after})[1:-1]
        found = streamed(framed([*of_block(0, text(before)), begin, piece, *late, end]))
        assert brief(found) == [("text", "Look. "), ("tool_use", {}), (kind, after)]


def test_an_empty_text_does_not_end_a_call() -> None:
    begin, piece, end = of_block(0, {**OWN, "input": {"zone": "UTC"}})
    halves = [{**piece, "delta": {**piece["delta"], "partial_json": each}} for each in ('{"zone"', ': "UTC"}')]
    empty = {**piece, "delta": {"type": "text_delta", "text": ""}}
    found = events(
        fed(lambda: reader("messages", REQUEST), framed([begin, *halves[:1], empty, *halves[1:], end]), lambda: 9)
    )
    assert brief(joined(found)["content"]) == [("tool_use", {"zone": "UTC"})]


def test_a_leaked_call_in_the_block_of_a_call() -> None:
    [begin, piece, end] = of_block(0, OWN)
    found = streamed(framed([begin, piece, *of_block(0, text(f"\n{HERMES}\nDone."))[1:-1], end]))
    assert brief(found) == [("tool_use", {}), ("tool_use", {"city": "Oslo"}), ("text", "\nDone.")]


# -- texts of white space, and early ends ------------------------------------------------------------------------------

DONE = ("text", "Done.")
CALLED = ("tool_use", {"city": "Oslo"})
WHITE_SPACE: dict[str, tuple[list[dict[str, Any]], list[tuple[str, Any]]]] = {
    "after a call, before another text": ([text(f"{HERMES}\n\n"), text("Done.")], [CALLED, DONE]),
    "after a call, at the end": ([text(f"Look. {HERMES}\n\n")], [("text", "Look. "), CALLED]),
    "the server's, between texts": ([text("Look."), text(" \n"), text("Done.")], [("text", "Look."), DONE]),
    "the server's, at the end": ([text("Done."), text("\n")], [DONE]),
    "the server's, before a call": ([text("\n\n"), OWN], [("tool_use", {})]),
    "around text": ([text("\n\n\n\n\n\n\n\n\nDone. \n")], [("text", "\n\n\n\n\n\n\n\n\nDone. \n")]),
}


@pytest.mark.parametrize("row", WHITE_SPACE)
def test_a_text_of_white_space_is_left_out(row: str) -> None:
    """It survived next to another text: Anthropic's API refuses a history with such a text."""
    blocks, expected = WHITE_SPACE[row]
    assert read(blocks) == expected


def test_an_event_without_a_reason_does_not_end_the_message() -> None:
    """A server that counts tokens on the way ended a call in the middle: its two halves were text."""
    begin, *pieces_of_text, end = of_block(0, text(f"Look. {HERMES}"))
    counted = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 1}}
    for at in range(len(pieces_of_text) + 1):
        data = framed([begin, *pieces_of_text[:at], counted, *pieces_of_text[at:], end])
        for seed in range(4):
            found = events(fed(lambda: reader("messages", REQUEST), data, random_sizes(seed)))
            assert brief(joined(found)["content"]) == [("text", "Look. "), CALLED]
            assert [each["delta"]["stop_reason"] for each in found if each["type"] == "message_delta"][1:] == [
                "tool_use"
            ]


@pytest.mark.parametrize("more", [{}, {"stop_reason": None}])
def test_a_whole_message_without_a_reason(more: dict[str, Any]) -> None:
    request, message = {**REQUEST, "stream": False}, {"type": "message", "content": [text(f"Look. {HERMES}")], **more}
    found = json.loads(fed(lambda: reader("messages", request), json.dumps(message).encode(), lambda: 1 << 20))
    assert brief(found.pop("content")) == [("text", "Look. "), CALLED]
    assert found == {"type": "message", **more}
