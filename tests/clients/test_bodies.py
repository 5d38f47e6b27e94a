"""Compressed answers: decompressed a bounded piece at a time, and refused where they grow without an end."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

import pytest

from tests.clients.answers import answer, asked, random_sizes
from tests.clients.families import TOOLS
from tests.clients.libraries import each_library
from tests.clients.proxies import proxying
from tests.support import depth
from tests.support.loopback import Turn
from tests.support.loopback.raw import head, raw_server
from toolglean.clients.repair import Kind, bodies
from toolglean.clients.repair.bodies import MOST, PIECE, BodyError, Inflater, can_unpack

BOMB = (12 if depth.is_full() else 5) * 1024 * 1024
"""Characters of a bomb that is not refused: below `MOST`."""
MORE = MOST * 9 // 8
"""Characters of one that is. To make them takes longer than to refuse them."""

EVENT = b'data: {"choices": [], "more": "' + b"a" * 8000 + b'"}\n\n'


@lru_cache
def stream_of(length: int, event: bytes = EVENT) -> bytes:
    """A stream of so many bytes of that event, compressed."""
    return gzip.compress(event * (length // len(event)))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "X-GZIP ": gzip.compress,
    "deflate": zlib.compress,
    " Deflate": raw_deflate,
    "gzip, identity": gzip.compress,
    "identity": bytes,
    "": bytes,
}
each_encoding = pytest.mark.parametrize("encoding", list(PACKED))


def bomb(encoding: str, length: int = BOMB) -> bytes:
    text = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "a" * length}}]}
    return PACKED[encoding](json.dumps(text).encode())


# -- pieces ------------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@each_encoding
@pytest.mark.parametrize("seed", range(3))
def test_pieces_are_the_body_however_it_is_cut(encoding: str, seed: int) -> None:
    data = b"".join(b'data: {"n": %d}\n\n' % number for number in range(20_000))
    sizes, packed = random_sizes(seed, most=[1, 60, 9000][seed]), PACKED[encoding](data)
    found: list[bytes] = []
    inflater, place = Inflater(encoding), 0
    while place < len(packed):
        size = sizes()
        found += inflater.pieces(packed[place : place + size])
        place += size
    assert b"".join(found) == data
    assert max(map(len, found)) <= PIECE


@pytest.mark.parametrize("encoding", ["gzip", "deflate", " Deflate"])
def test_a_bomb_costs_no_more_than_a_piece(encoding: str) -> None:
    packed = bomb(encoding)
    tracemalloc.start()
    try:
        length = sum(map(len, Inflater(encoding).pieces(packed)))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert length > BOMB


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_grows_without_an_end_is_refused(encoding: str) -> None:
    lengths: list[int] = []
    pieces = map(len, Inflater(encoding).pieces(bomb(encoding, MORE)))
    with pytest.raises(BodyError, match="bytes of the answer become more than"):
        lengths.extend(pieces)
    assert sum(lengths) <= MOST


def test_a_long_answer_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST", 10_000)
    data = json.dumps(list(range(50_000))).encode()
    assert b"".join(Inflater("gzip").pieces(gzip.compress(data))) == data


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_is_not_compressed_so_is_an_error(encoding: str) -> None:
    with pytest.raises(BodyError, match="cannot be decompressed"):
        list(Inflater(encoding).pieces(b'\xff\xfe{"choices": []}'))


@each_encoding
def test_a_body_that_is_cut_off_is_an_error_after_what_came_of_it(encoding: str) -> None:
    """It ended as if it were whole: httpx says nothing of it either."""
    data = b"".join(b'data: {"n": %d}\n\n' % number for number in range(99))
    packed = PACKED[encoding](data)
    for length in (0, 1, len(packed) // 2, len(packed) - 1, len(packed)):
        inflater = Inflater(encoding)
        assert data.startswith(b"".join(inflater.pieces(packed[:length])))
        if not can_be_cut(encoding) or length in {0, len(packed)}:
            inflater.end()
            continue
        with pytest.raises(BodyError, match="is cut off"):
            inflater.end()


def can_be_cut(encoding: str) -> bool:
    return encoding not in {"", "identity"}


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "gzip, gzip", "compress"])
def test_encodings_that_cannot_be_bounded_are_not_read(encoding: str) -> None:
    assert not can_unpack(encoding)


# -- the transport -----------------------------------------------------------------------------------------------------


def answered(library: Any, encoding: str, data: bytes, kind: str = "text/event-stream") -> tuple[Any, list[Any]]:
    """A client on loopback, whose server sends this; and the requests that reach the server."""
    from toolglean.clients.httpx import toolglean_transport  # noqa: PLC0415  # where httpx is missing, no test asks

    seen: list[Any] = []

    class Stream(library.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            yield data

    class Inner(library.BaseTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            seen.append(request)
            headers = {"content-type": kind, "content-encoding": encoding}
            return library.Response(200, headers=headers, stream=Stream())

    return library.Client(transport=toolglean_transport(Inner(), library=library)), seen


@each_library
@pytest.mark.parametrize("stream", [True, False])
def test_the_transport_raises_for_a_body_that_is_cut_off(library: ModuleType, stream: bool) -> None:
    request = asked("chat", TOOLS, stream=stream)
    data = answer("chat", Turn([f"word {number} " for number in range(200)]), request)
    packed = gzip.compress(data)
    kind = "text/event-stream" if stream else "application/json"
    client, _ = answered(library, "gzip", packed[: len(packed) // 2], kind)
    found: list[bytes] = []
    with (
        client,
        client.stream("POST", "http://x/v1/chat/completions", json=request) as response,
        pytest.raises(library.DecodingError, match="is cut off"),
    ):
        found.extend(response.iter_raw())
    assert found
    assert data.startswith(b"".join(found))


ONE_PART = {
    "an event": (b'data: {"choices": [{"index": 0, "delta": {"content": "', b'"}}]}\n\n', "text/event-stream"),
    "an event that does not end": (b"data: ", b"", "text/event-stream"),
    "an answer": (b'{"choices": [{"index": 0, "message": {"content": "', b'"}}]}', "application/json"),
}


@pytest.mark.sampled(1, each="what")
@each_library
@pytest.mark.parametrize("what", ONE_PART)
def test_a_bomb_goes_through_the_transport_in_pieces(library: ModuleType, what: str) -> None:
    """16 KB of gzip took 49 MiB where they were an answer, and 81 MiB where they were an event."""
    begin, end, kind = ONE_PART[what]
    length = MOST - 100
    whole = begin + b"x" * (length - len(begin) - len(end)) + end
    client, _ = answered(library, "gzip", gzip.compress(whole), kind)
    tracemalloc.start()
    largest = came = 0
    try:
        request = asked("chat", TOOLS, stream=kind != "application/json")
        with client, client.stream("POST", "http://x/v1/chat/completions", json=request) as found:
            for piece in found.iter_raw():
                assert whole.startswith(piece, came)
                came, largest = came + len(piece), max(largest, len(piece))
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert came == length
    assert largest < 5_000_000
    assert peak < 20_000_000


EVENTS: dict[Kind, tuple[str, bytes]] = {
    "chat": ("/v1/chat/completions", EVENT),
    "messages": ("/v1/messages?beta=true", EVENT.replace(b"choices", b"content")),
}


@each_library
@pytest.mark.parametrize("kind", EVENTS)
def test_a_stream_of_events_takes_no_memory_and_does_not_grow_without_an_end(library: ModuleType, kind: Kind) -> None:
    path, event = EVENTS[kind]
    client, _ = answered(library, "gzip", stream_of(BOMB, event))
    tracemalloc.start()
    try:
        with client, client.stream("POST", f"http://x{path}", json=asked(kind, TOOLS)) as found:
            assert sum(map(len, found.iter_raw())) > BOMB - len(event)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    client, _ = answered(library, "gzip", stream_of(MORE, event))
    with (
        client,
        pytest.raises(library.DecodingError),
        client.stream("POST", f"http://x{path}", json=asked(kind, TOOLS)) as found,
    ):
        list(found.iter_raw())


@each_library
@pytest.mark.parametrize("given", ["gzip, deflate, br, zstd", "br", "gzip;q=1.0, *;q=0.5"])
def test_only_readable_encodings_are_asked_for(library: ModuleType, given: str) -> None:
    client, seen = answered(library, "", b"data: [DONE]\n\n")
    with client:
        client.post("http://x/v1/chat/completions", json=asked("chat", TOOLS), headers={"Accept-Encoding": given})
        client.post("http://x/v1/embeddings", json={"input": "x"}, headers={"Accept-Encoding": given})
    wanted = {"gzip, deflate, br, zstd": "gzip, deflate", "br": "identity", "gzip;q=1.0, *;q=0.5": "gzip;q=1.0"}
    assert [each.headers["accept-encoding"] for each in seen] == [wanted[given], given]


@each_library
async def test_an_answer_that_was_read_by_a_hook_is_repaired(library: ModuleType) -> None:
    """A client in front of another one gets its responses; a hook of that one may have read the body."""
    from toolglean.clients.httpx import in_front_of  # noqa: PLC0415
    from toolglean.clients.repair import Repair  # noqa: PLC0415

    said = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    message = {"role": "assistant", "content": said}
    data = gzip.compress(json.dumps({"choices": [{"index": 0, "message": message}]}).encode())
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    inner = library.AsyncClient(
        transport=library.MockTransport(lambda _: library.Response(200, headers=headers, content=data))
    )

    async with in_front_of(inner, Repair()) as client:
        found = await client.post("http://x/v1/chat/completions", json=asked("chat", TOOLS, stream=False))
        assert found.json()["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "get_weather"


# -- the proxy ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["length", "chunks", "close"])
def test_a_body_that_is_cut_off_before_the_proxy(ending: str) -> None:
    """Its caller got a stream that ended in order."""
    httpx = pytest.importorskip("httpx")
    packed = stream_of(80_000)
    packed = packed[: len(packed) * 3 // 4]
    headers = {"length": [f"Content-Length: {len(packed)}"], "chunks": ["Transfer-Encoding: chunked"]}.get(ending, [])
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed) if ending == "chunks" else packed
    found: list[bytes] = []
    with raw_server() as raw, proxying(raw.url) as proxy, httpx.Client(trust_env=False) as client:
        raw.answer = head("200 OK", "Content-Type: text/event-stream", "Content-Encoding: gzip", *headers) + sent
        with (
            client.stream("POST", f"{proxy}/v1/chat/completions", json=asked("chat", TOOLS)) as stream,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            found.extend(stream.iter_raw())
    *whole, last = b"".join(found).strip().split(b"\n\n")
    assert EVENT.strip() in whole
    error = json.loads(last.removeprefix(b"data: "))["error"]
    assert (error["code"], "is cut off" in error["message"]) == ("upstream_disconnected", True)


@pytest.mark.parametrize("length", [BOMB, MORE], ids=["much", "too much"])
def test_a_bomb_before_the_proxy(length: int) -> None:
    httpx = pytest.importorskip("httpx")
    data = stream_of(length)
    found = 0
    with raw_server() as raw, proxying(raw.url) as proxy, httpx.Client(trust_env=False) as client:
        raw.answer = (
            head("200 OK", "Content-Type: text/event-stream", "Content-Encoding: gzip", f"Content-Length: {len(data)}")
            + data
        )
        try:
            with client.stream("POST", f"{proxy}/v1/chat/completions", json=asked("chat", TOOLS)) as stream:
                for piece in stream.iter_raw():
                    found += len(piece)
        except httpx.RemoteProtocolError:
            assert length > MOST
        errors = client.get(f"{proxy}/metrics").text
    assert found <= MOST + 10_000
    assert f"toolglean_upstream_errors_total {int(length > MOST)}" in errors
