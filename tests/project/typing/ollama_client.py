# A user's program, for the type checkers only: a wrapped client of the ollama package. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Ollama's chat."""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import assert_type

import ollama

from toolglean import Event, ParserArguments, ToolSet
from toolglean.clients.ollama import AsyncOllamaClient, ChatResponse, OllamaClient, chat_chunks


def get_weather(city: str) -> str:
    """The weather of a city."""
    return city


client = OllamaClient(ollama.Client("http://localhost:11434"))
as_own: ollama.Client = client
found = client.chat("qwen3:8b", [{"role": "user", "content": "Hi"}], tools=[get_weather], think=True)
assert_type(found, ollama.ChatResponse)
for call in found.message.tool_calls or ():
    assert_type(call.function.name, str)
if isinstance(found, ChatResponse):  # so it is, unless the client is of a class of its own: then calls have ids
    assert_type([call.id for call in found.message.tool_calls or ()], list[str | None])
assert_type(client.chat("m", stream=True, tools=ToolSet(["f"])), Iterator[ollama.ChatResponse])
assert_type(client.list().models[0].model, str | None)
assert_type(client.parser_arguments("m"), ParserArguments)
for event in client.chat_events("m", [], tools=["get_weather"], options={"num_ctx": 9}):
    checked: Event = event


async def streamed() -> None:
    """Asynchronously."""
    own = AsyncOllamaClient(format="hermes")
    assert_type(await own.chat("m", []), ollama.ChatResponse)
    assert_type(await own.chat("m", [], stream=True), AsyncIterator[ollama.ChatResponse])
    async for each in own.chat_events("m", [], tools=["f"]):
        assert_type(each, Event)


def repaired(stream: Iterable[ollama.ChatResponse]) -> Iterator[str]:
    """On a stream of a client that is not wrapped."""
    for chunk in chat_chunks(stream, [get_weather], format="hermes"):
        assert_type(chunk, ollama.ChatResponse)
        yield chunk.message.content or ""


client.chats("m")  # type: ignore[attr-defined]
client.chat("m", keepalive=3)  # type: ignore[call-overload]
OllamaClient(ollama.AsyncClient())  # type: ignore[arg-type]
