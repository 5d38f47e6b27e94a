# A user's program, for the type checkers only: a proxy, and what it is made of. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Proxies and transports."""

from collections.abc import Iterable, Iterator
from typing import Any, assert_type

import httpx
from starlette.applications import Starlette

from toolglean import ParserOptions
from toolglean.clients.chat import ChunkDict, CompletionDict, dict_chunks, dict_completion
from toolglean.clients.httpx import toolglean_async_client, toolglean_client, toolglean_transport
from toolglean.clients.messages import MessageDict, MessageEventDict, dict_message, dict_message_events
from toolglean.clients.proxy import application
from toolglean.clients.repair import AnswerReader, Exchange, Repair
from toolglean.clients.responses import ResponseEventDict, dict_response_events

repair = Repair(format="hermes", options=ParserOptions(repair=False), whole_calls=False)
assert_type(application("http://localhost:8000/v1", repair, history="text"), Starlette)


def repaired(body: bytes, answer: bytes) -> bytes:
    """The bytes of an answer."""
    exchange = repair.exchange("POST", "/v1/chat/completions", body)
    assert_type(exchange, Exchange | None)
    reader = None if exchange is None else exchange.reader(200, "application/json")
    assert_type(reader, AnswerReader | None)
    return answer if reader is None else reader.feed(answer) + reader.finish()


def texts(chunks: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The text of chunks, on plain dicts."""
    for chunk in dict_chunks(chunks, ["get_weather"], model="qwen3:8b", whole_calls=True):
        assert_type(chunk, ChunkDict)
        delta = chunk["choices"][0]["delta"]
        yield delta.get("content") or ""
        for call in delta.get("tool_calls") or ():
            yield call["function"]["arguments"]


whole = dict_completion({"choices": []}, ["f"])
assert_type(whole, CompletionDict)
assert_type(whole["choices"][0]["finish_reason"], str | None)
for event in dict_response_events([{"type": "response.created"}], ["f"]):
    assert_type(event, ResponseEventDict)
    assert_type(event["type"], str)

assert_type(toolglean_client(httpx, format="hermes"), httpx.Client)
assert_type(toolglean_async_client(httpx), httpx.AsyncClient)
assert_type(httpx.Client(transport=toolglean_transport(library=httpx)), httpx.Client)

Repair(prompts="text")  # type: ignore[call-arg]
whole["choice"]  # type: ignore[typeddict-item]
application("http://localhost", history="none")  # type: ignore[arg-type]

for block_event in dict_message_events([{"type": "ping"}], ["f"], whole_calls=True):
    assert_type(block_event, MessageEventDict)
    assert_type(block_event["type"], str)
message = dict_message({"content": [{"type": "text", "text": "Hi"}]}, ["f"])
assert_type(message, MessageDict)
assert_type(message["content"][0].get("input"), dict[str, Any] | None)
