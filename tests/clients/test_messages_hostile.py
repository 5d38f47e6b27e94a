"""SECURITY.md, for the Messages API behind the proxy: what an upstream may send that means harm, or is broken."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.answers import PATHS, answer, asked, said
from tests.clients.families import CALLS, HERMES, TOOLS
from tests.clients.proxies import proxying
from tests.support.loopback import Turn
from tests.support.loopback.raw import RawServer, head, raw_server

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
