"""The test server is what the real clients take it for; and each fault arrives as the fault that it is.

What it sends where nothing is wrong, the other tests of this folder read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.loopback import Call, Cut, ErrorLine, Loopback, Malformed, Status, Turn

MESSAGES: Any = [{"role": "user", "content": "Is it cold?"}]


@pytest.fixture
def ollama_client(server: Loopback) -> Iterator[Any]:
    ollama = pytest.importorskip("ollama", reason="needs toolglean[ollama]")
    with ollama.Client(server.url) as client:
        yield client


@pytest.fixture
def openai_client(server: Loopback) -> Iterator[Any]:
    openai = pytest.importorskip("openai", reason="needs toolglean[openai]")
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


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
    found = ""
    with pytest.raises(Exception) as caught:  # noqa: PT011, PT012 - compared by name: ollama may not be there
        for chunk in ollama_client.chat("m", MESSAGES, stream=True):
            found += chunk.message.content
    assert f"{type(caught.value).__name__}: {caught.value}".startswith(end)
    assert found == "abc"[: getattr(fault, "after", 0)]


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


def test_openai_accumulates_the_stream(server: Loopback, openai_client: Any) -> None:
    # The client's own helper is the strictest reader of chunks that there is.
    server.play(Turn(["It ", "is"], [Call("get_weather", {"city": "Tromsø", "days": [1, 2]})]))
    with openai_client.chat.completions.stream(model="m", messages=MESSAGES) as stream:
        kinds = {event.type for event in stream}
        message = stream.get_final_completion().choices[0].message
    assert {"content.delta", "tool_calls.function.arguments.delta", "tool_calls.function.arguments.done"} <= kinds
    assert (message.content, message.tool_calls[0].function.name) == ("It is", "get_weather")


def test_a_request_without_a_turn_says_so(ollama_client: Any) -> None:
    with pytest.raises(Exception, match="no turn"):
        ollama_client.chat("m", MESSAGES)
