"""The transport: the real openai client on httpx and httpx2, sync and async, against a real server on loopback."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import json
from collections.abc import AsyncIterator, Iterator
from importlib.metadata import PackageNotFoundError
from types import ModuleType
from typing import Any

import pytest

from tests.clients.answers import answer, asked, pieces
from tests.clients.families import CALLS, HERMES, TOOLS
from tests.clients.libraries import each_library
from tests.support.loopback import Cut, Loopback, Turn, serve

pytest.importorskip("httpx", reason="needs toolglean[httpx]")

from toolglean.clients.httpx import client as library_module
from toolglean.clients.httpx import (
    toolglean_async_client,
    toolglean_async_transport,
    toolglean_client,
    toolglean_transport,
)
from toolglean.errors import UsageError

LEAK = Turn(pieces(f"Look. {HERMES}"))


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve() as found:
        yield found


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ({"openai": ["httpx2<3,>=2.12", "jiter"]}, "httpx2"),
        ({"openai": ["httpx<1,>=0.23"], "anthropic": ["httpx2<3"]}, "httpx"),
        ({"anthropic": ["anyio", "httpx2<3,>=2.0.0"]}, "httpx2"),
        ({"anthropic": None}, "httpx"),
        ({}, "httpx"),
    ],
)
def test_the_library_is_that_of_the_installed_package(
    installed: dict[str, Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requires(name: str) -> Any:
        if name not in installed:
            raise PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(library_module, "requires", requires)
    assert library_module._default_name() == expected


def chat_body(**more: Any) -> dict[str, Any]:
    return asked("chat", TOOLS, stream=False, messages=[], **more)


def calls_of(message: Any) -> list[tuple[str, Any]]:
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message["tool_calls"]]


@each_library
def test_a_plain_client_gets_calls(library: ModuleType, server: Loopback) -> None:
    server.play(LEAK, LEAK, Turn(["<b>"]))
    with toolglean_client(library) as client:
        whole = client.post(f"{server.url}/v1/chat/completions", json=chat_body()).json()
        streamed = client.post(f"{server.url}/v1/chat/completions", json=chat_body() | {"stream": True})
        plain = client.post(f"{server.url}/v1/chat/completions", json=chat_body(tool_choice="none")).json()
    assert calls_of(whole["choices"][0]["message"]) == CALLS
    assert b'"finish_reason":"tool_calls"' in streamed.content
    assert "content-length" not in streamed.headers
    assert plain["choices"][0]["message"]["content"] == "<b>"
    assert server.requests[-1][1]["tool_choice"] == "none"


@each_library
def test_the_same_asynchronously(library: ModuleType, server: Loopback) -> None:
    async def run() -> tuple[Any, bytes]:
        async with toolglean_async_client(library, format="hermes") as client:
            whole = (await client.post(f"{server.url}/v1/chat/completions", json=chat_body())).json()
            body = chat_body() | {"stream": True}
            async with client.stream("POST", f"{server.url}/v1/chat/completions", json=body) as streamed:
                return whole, b"".join([data async for data in streamed.aiter_bytes()])

    server.play(LEAK, LEAK)
    whole, streamed = asyncio.run(run())
    assert calls_of(whole["choices"][0]["message"]) == CALLS
    assert b'"finish_reason":"tool_calls"' in streamed


@each_library
def test_compressed_answers(library: ModuleType) -> None:
    for stream in (True, False):
        request = chat_body() | {"stream": stream}
        data = gzip.compress(answer("chat", LEAK, request))
        headers = {
            "content-type": "text/event-stream" if stream else "application/json",
            "content-encoding": "gzip",
            "etag": "x",
        }
        inner = library.MockTransport(lambda _: library.Response(200, headers=headers, content=data))  # noqa: B023
        with library.Client(transport=toolglean_transport(inner, library=library)) as client:
            found = client.post("http://x/v1/chat/completions", json=request)
        assert b"tool_calls" in found.content
        assert {"content-encoding", "etag"}.isdisjoint(found.headers)


@each_library
def test_other_answers_are_the_same_object(library: ModuleType) -> None:
    given = library.Response(401, json={"error": {"message": "bad key"}})
    transport = toolglean_transport(library.MockTransport(lambda _: given), library=library)
    request = library.Request("POST", "http://x/v1/chat/completions", json=chat_body())
    assert transport.handle_request(request) is given


@each_library
def test_a_body_of_another_path_is_not_read(library: ModuleType) -> None:
    def body() -> Iterator[bytes]:
        raise AssertionError("read")
        yield b""

    transport = toolglean_transport(library.MockTransport(lambda _: library.Response(200)), library=library)
    # MockTransport reads every body itself: so the transport is asked without one.
    transport.inner = type("Inner", (), {"handle_request": lambda *_: library.Response(200)})()
    assert transport.handle_request(library.Request("POST", "http://x/v1/files", content=body())).status_code == 200


@each_library
def test_what_waits_comes_before_the_connections_error(library: ModuleType, server: Loopback) -> None:
    server.play(Turn(["a ", "<tool_"], faults=[Cut(3)]))
    found: list[bytes] = []
    with toolglean_client(library) as client:
        body = chat_body() | {"stream": True}
        path = f"{server.url}/v1/chat/completions"
        with client.stream("POST", path, json=body) as stream, pytest.raises(library.TransportError):
            found.extend(stream.iter_bytes())
    assert b'"<tool_"' in b"".join(found)


@each_library
def test_closing_closes_the_stream_and_the_transport(library: ModuleType) -> None:
    closed: list[str] = []

    class Body(library.AsyncByteStream):  # type: ignore[misc, name-defined]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b": keep-alive\n\n"
            await asyncio.Event().wait()

        async def aclose(self) -> None:
            closed.append("stream")

    class Inner(library.AsyncBaseTransport):  # type: ignore[misc, name-defined]
        async def handle_async_request(self, _: Any) -> Any:
            return library.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())

        async def aclose(self) -> None:
            closed.append("transport")

    async def run() -> None:
        async with toolglean_async_client(library, transport=Inner()) as client:
            async with client.stream("POST", "http://x/chat/completions", json=chat_body()) as stream:
                async for _ in stream.aiter_bytes():
                    break
            assert closed == ["stream"]

    asyncio.run(asyncio.wait_for(run(), 10))
    assert closed == ["stream", "transport"]


# -- how a client is made ----------------------------------------------------------------------------------------------


def test_the_library_is_the_one_of_the_openai_package() -> None:
    openai = pytest.importorskip("openai", reason="needs toolglean[openai]")
    assert openai.OpenAI(api_key="x", http_client=toolglean_client()) is not None
    assert openai.AsyncOpenAI(api_key="x", http_client=toolglean_async_client()) is not None


def test_the_ollama_package_takes_the_transport(server: Loopback) -> None:
    ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    httpx = importlib.import_module("httpx")
    with ollama.Client(server.url, transport=toolglean_transport(library=httpx)) as client:
        for stream in (True, False):
            server.play(LEAK)
            found = client.chat("m", [], tools=TOOLS, stream=stream)
            messages = [chunk.message for chunk in found] if stream else [found.message]
            calls = [call.function for message in messages for call in message.tool_calls or ()]
            assert [(call.name, call.arguments) for call in calls] == CALLS
            assert "".join(message.content or "" for message in messages).strip() == "Look."


@each_library
def test_proxies_of_the_environment_count(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "example.com, .org, 10.0.0.1,::1,localhost")
    expected = library.Client()
    found = toolglean_client(library)
    for url in (
        "http://a.b",
        "https://a.b",
        "http://x.example.com",
        "http://x.org",
        "http://10.0.0.1",
        "http://[::1]",
        "http://localhost",
    ):
        target = library.URL(url)
        proxied = expected._transport_for_url(target) is not expected._transport
        assert (found._transport_for_url(target) is not found._transport) == proxied, url
        assert type(found._transport_for_url(target)).__name__ == "RepairingTransport"
    for more in ({"trust_env": False}, {"proxy": "http://127.0.0.1:8"}):
        other = toolglean_client(library, client_options=more)
        proxied = other._transport_for_url(library.URL("http://a.b")) is not other._transport
        assert proxied == ("proxy" in more)
    monkeypatch.setenv("no_proxy", "*")
    assert not toolglean_client(library)._mounts


@each_library
def test_a_client_is_made_as_the_openai_package_makes_it(library: ModuleType) -> None:
    client = toolglean_client(library, client_options={"headers": {"x": "1"}})
    assert (client.timeout.read, client.timeout.connect, client.follow_redirects) == (600, 5, True)
    assert client.headers["x"] == "1"
    assert toolglean_client(library, client_options={"timeout": 3}).timeout.read == 3


def test_wrong_arguments_are_refused_at_once() -> None:
    with pytest.raises(UsageError, match="library='httpx' is not a module: pass httpx or httpx2"):
        toolglean_client("httpx")  # type: ignore[call-overload]
    for make in (toolglean_client, toolglean_async_client):  # it was "an unknown argument: pass format, model, …"
        with pytest.raises(UsageError, match=r"timeout=3 is an argument of .*: pass client_options={'timeout': …}"):
            make(timeout=3)  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="unknown format"):
        toolglean_client(format="nothing")
    with pytest.raises(UsageError, match="unknown format"):
        toolglean_async_transport(format="nothing")
