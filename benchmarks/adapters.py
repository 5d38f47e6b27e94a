# The time of the clients' own work for a chunk, and what the adapters add to it. Does not depend on how figures are
# shown.
#
# The packages decode a recorded stream from memory, through a transport of their own HTTP library, so that the network
# is not measured. Each is measured bare, and with the adapter after it, in one run.
"""The adapters beside the bare clients."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.cases import CHUNK, TOOLS, call_of, cut, prose, reader

__all__ = ["PAYLOADS", "adapters", "works_of_ollama", "works_of_openai"]

CHUNKS = 2000
"""Of a stream, about."""

SCHEMAS: Any = [
    {"type": "function", "function": {"name": tool.name, "description": "", "parameters": dict(tool.parameters)}}
    for tool in TOOLS
]
PAYLOADS: dict[str, Callable[[int], list[str]]] = {
    "prose": lambda chunks: cut(prose(chunks * CHUNK)),
    "a leaked call": lambda chunks: cut(call_of(reader("hermes"), chunks * CHUNK)),
}

Works = dict[str, Callable[[], int]]
"""The bare client, and the client with the adapter: each gives the number of chunks that it gave."""


def adapters(count: int = CHUNKS) -> Iterator[tuple[str, str, int, Works]]:
    """Client, payload, number of chunks (about `count`), and what is to be timed; of the clients that are installed."""
    for name, works_of in (("openai", works_of_openai), ("ollama", works_of_ollama)):
        if importlib.util.find_spec(name) is not None:
            for payload, make in PAYLOADS.items():
                chunks = make(count)
                yield name, payload, len(chunks), works_of(chunks)


def works_of_openai(chunks: list[str]) -> Works:
    """`chat.completions.create(stream=True)`."""
    import httpx2  # noqa: PLC0415  # of the openai package: who does not have it measures the rest
    import openai  # noqa: PLC0415

    from toolglean.clients.openai import chat_chunks  # noqa: PLC0415

    def line(delta: dict[str, Any], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n"

    lines = [line({"content": chunk}) for chunk in chunks]
    body = "".join([*lines, line({}, "stop"), "data: [DONE]\n\n"]).encode()

    def answer(_: Any) -> Any:
        return httpx2.Response(200, content=body, headers={"content-type": "text/event-stream"})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = openai.OpenAI(base_url="http://localhost/v1", api_key="x", http_client=http)

    def create() -> Any:
        return client.chat.completions.create(model="m", messages=[], tools=SCHEMAS, stream=True)

    return {"bare": lambda: _count(create()), "adapted": lambda: _count(chat_chunks(create(), TOOLS, format="hermes"))}


def works_of_ollama(chunks: list[str]) -> Works:
    """`Client.chat(stream=True)`."""
    import httpx  # noqa: PLC0415  # of the ollama package
    import ollama  # noqa: PLC0415

    from toolglean.clients.ollama import chat_chunks  # noqa: PLC0415

    def line(text: str, *, done: bool = False) -> str:
        chunk = {"model": "m", "created_at": "now", "message": {"role": "assistant", "content": text}, "done": done}
        return json.dumps(chunk) + "\n"

    body = "".join([*map(line, chunks), line("", done=True)]).encode()
    client = ollama.Client("http://localhost")
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    client._client = httpx.Client(base_url="http://localhost", transport=transport)

    def create() -> Any:
        return client.chat("m", [], tools=SCHEMAS, stream=True)

    return {"bare": lambda: _count(create()), "adapted": lambda: _count(chat_chunks(create(), TOOLS, format="hermes"))}


def _count(chunks: Any) -> int:
    return sum(1 for _ in chunks)
