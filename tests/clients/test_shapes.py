"""What a server sends never raises, whatever replaces a value: each event of each API, with other shapes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pytest

from tests.clients.answers import asked, reader
from tests.clients.each import kinds
from tests.clients.families import TOOLS
from tests.support import depth
from toolglean.clients.chat import dict_chunks, dict_completion
from toolglean.clients.messages import dict_message, dict_message_events
from toolglean.clients.ollama_lines import LineReader, dict_answer
from toolglean.clients.repair import Kind
from toolglean.clients.responses import dict_response, dict_response_events
from toolglean.conversation import AnthropicChunkWrapper, AnthropicHistoryConverter

Path: TypeAlias = tuple[Any, ...]

LEAK = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
GONE = object()
SHAPES: list[Any] = [GONE, None, [], [[]], [{}], {}, {"type": "function_call"}, 0, -1, 1.5, 10**30, True, "", "x"]
"""What may stand in the place of a value."""

CHAT: list[dict[str, Any]] = [
    {"id": "c", "object": "chat.completion.chunk", "usage": None, "choices": [{"index": 0, "delta": delta, **more}]}
    for delta, more in (
        ({"role": "assistant", "content": f"Hi {LEAK}"}, {"finish_reason": None}),
        ({"content": [{"type": "text", "text": "a <tool"}]}, {"logprobs": {"content": []}}),
        ({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "get_weather", "arguments": ""}}]}, {}),
        ({"tool_calls": [{"index": 0, "function": {"arguments": '{"city": "Oslo"}'}}]}, {}),
        ({"function_call": {"name": "get_weather", "arguments": "{}"}}, {}),
        ({"reasoning_content": "Hm", "content": None}, {}),
        ({}, {"finish_reason": "stop"}),
    )
]
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "f",
    "call_id": "c",
    "name": "get_weather",
    "arguments": '{"city": "Oslo"}',
}
PART: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
TEXT: dict[str, Any] = {"output_index": 1, "item_id": "m", "content_index": 0}
MESSAGE: dict[str, Any] = {"type": "message", "id": "m", "role": "assistant", "content": []}
SAID = {**MESSAGE, "content": [{**PART, "text": f"Hi {LEAK}"}]}
EVENTS: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "r", "output": []}},
    {"type": "response.output_item.added", "output_index": 0, "item": {**CALL, "arguments": ""}},
    {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "f", "delta": "{}"},
    {"type": "response.output_item.done", "output_index": 0, "item": CALL},
    {"type": "response.output_item.added", "output_index": 1, "item": MESSAGE},
    {"type": "response.content_part.added", "part": PART, **TEXT},
    {"type": "response.output_text.delta", "delta": "", **TEXT},
    {"type": "response.output_text.delta", "delta": f"Hi {LEAK}", **TEXT},
    {"type": "response.output_text.delta", "delta": " a <tool", **TEXT},
    {"type": "response.output_text.done", "text": f"Hi {LEAK} a <tool", **TEXT},
    {"type": "response.content_part.done", "part": {**PART, "text": f"Hi {LEAK} a <tool"}, **TEXT},
    {"type": "response.output_item.done", "output_index": 1, "item": SAID},
    {"type": "response.output_item.added", "output_index": 2, "item": {**CALL, "arguments": ""}},
    {"type": "response.output_item.done", "output_index": 2, "item": CALL},
    {"type": "response.completed", "response": {"output": [CALL, SAID, CALL], "output_text": "Hi"}},
]
RESPONSES = [{**event, "sequence_number": number} for number, event in enumerate(EVENTS)]
OLLAMA: list[dict[str, Any]] = [
    {"model": "m", "created_at": "now", "message": {"role": "assistant", **message}, **more}
    for message, more in (
        ({"content": f"Hi {LEAK}", "thinking": "Hm"}, {"done": False}),
        (
            {"content": "", "tool_calls": [{"id": "x", "function": {"name": "get_weather", "arguments": {}}}]},
            {"done": False},
        ),
        ({"content": "a <tool"}, {"done": False, "logprobs": [1]}),
        ({"content": "x"}, {"done": True, "done_reason": "stop"}),
    )
]
USE: dict[str, Any] = {"type": "tool_use", "id": "u", "name": "get_weather", "input": {}}
MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "content": [], "stop_reason": None, "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": f"Hm {LEAK}"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": f"Hi {LEAK}"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"type": "page"}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": " a <tool"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": USE},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 2},
    {"type": "content_block_start", "index": 3, "content_block": {"type": "server_tool_use", "id": "s", "input": {}}},
    {"type": "content_block_stop", "index": 3},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {}},
    {"type": "message_stop"},
]
STREAMS: Mapping[Kind, list[dict[str, Any]]] = {
    "chat": CHAT,
    "responses": RESPONSES,
    "messages": MESSAGES,
    "ollama": OLLAMA,
}

OWN = [{"id": "a", "function": {"name": "get_weather", "arguments": "{}"}}]
FULL = {"role": "assistant", "content": f"Hi {LEAK}", "tool_calls": OWN, "reasoning_content": "Hm"}
OLD = {"role": "assistant", "content": LEAK, "function_call": {"name": "get_weather", "arguments": "{}"}}
CHOICES = [{"index": 0, "message": FULL, "finish_reason": "stop"}, {"index": 1, "message": OLD}]
WHOLE: Mapping[Kind, dict[str, Any]] = {
    "chat": {"id": "c", "choices": CHOICES},
    "responses": {"id": "r", "output": [CALL, SAID], "output_text": "Hi", "status": "completed"},
    "messages": {
        "content": [
            {"type": "thinking", "thinking": f"Hm {LEAK}", "signature": "x"},
            {"type": "text", "text": f"Hi {LEAK}", "citations": None},
            {**USE, "input": {"city": "Oslo"}},
        ],
        "stop_reason": "end_turn",
    },
    "ollama": {"model": "m", "message": {"role": "assistant", "content": LEAK, "tool_calls": OWN}, "done": True},
}
WHOLES: Mapping[Kind, Any] = {
    "chat": dict_completion,
    "responses": dict_response,
    "messages": dict_message,
    "ollama": dict_answer,
}


# -- other shapes ------------------------------------------------------------------------------------------------------


def places(value: Any, before: Path = ()) -> Iterator[Path]:
    """The paths of the values in this one; () for itself."""
    yield before
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*before, key))


def put(value: Any, place: Path, new: Any) -> Any:
    """The value with another one there."""
    if not place:
        return None if new is GONE else new
    found = value.copy()
    if new is GONE and len(place) == 1:
        del found[place[0]]
    else:
        found[place[0]] = put(value[place[0]], place[1:], new)
    return found


def read_by_all(kind: Kind, stream: Sequence[Any]) -> None:
    """Read the stream by the reader of proxy and transport, and by the adapters, which change nothing of it."""
    data = [json.dumps(each).encode() for each in stream]
    read = reader(kind, asked(kind, TOOLS))
    end = b"\n" if kind == "ollama" else b"\n\n"
    assert read.feed(b"".join((b"" if kind == "ollama" else b"data: ") + each + end for each in data)) + read.finish()
    if kind == "chat":
        list(dict_chunks(stream, TOOLS))
        list(dict_chunks(stream, TOOLS, whole_calls=True, legacy=True))
    elif kind == "responses":
        list(dict_response_events(stream, TOOLS))
    elif kind == "messages":
        list(dict_message_events(stream, TOOLS))
        list(dict_message_events(stream, TOOLS, whole_calls=True))
        AnthropicHistoryConverter().to_history_item(stream)
        for each in stream:
            AnthropicChunkWrapper(each).get_tool_calls()
    else:
        lines = LineReader(TOOLS, {})
        for each in stream:
            lines.read(each)
        lines.finish()
    assert [json.dumps(each).encode() for each in stream] == data


@kinds
def test_one_other_value_in_a_stream(kind: Kind) -> None:
    stream = STREAMS[kind]
    changes = [
        (number, place, at)
        for number, event in enumerate(stream)
        for place in places(event)
        for at in range(len(SHAPES))
    ]
    for number, place, at in depth.chosen(changes, 20, key=str):
        read_by_all(kind, [*stream[:number], put(stream[number], place, SHAPES[at]), *stream[number + 1 :]])


@kinds
@pytest.mark.parametrize("seed", range(3))
def test_several_other_values_in_a_stream(kind: Kind, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60 if depth.is_full() else 4):
        stream: list[Any] = list(STREAMS[kind])
        for _ in range(rng.randint(2, 5)):
            number = rng.randrange(len(stream))
            place = rng.choice(list(places(stream[number])))
            stream[number] = put(stream[number], place, rng.choice(SHAPES))
        read_by_all(kind, stream)


@kinds
def test_one_other_value_in_a_whole_answer(kind: Kind) -> None:
    changes = [(place, at) for place in places(WHOLE[kind]) for at in range(len(SHAPES))]
    for place, at in depth.chosen(changes, 40, key=str):
        answer = put(WHOLE[kind], place, SHAPES[at])
        read = reader(kind, asked(kind, TOOLS, stream=False))
        read.feed(json.dumps(answer).encode())
        read.finish()
        if kind == "ollama" or isinstance(answer, dict):
            before = json.dumps(answer)
            WHOLES[kind](answer, TOOLS)
            assert json.dumps(answer) == before


# -- the rows that were found so ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", [None, [], 0, "x", 1.5, True])
def test_a_last_line_whose_message_is_not_an_object(message: Any) -> None:
    lines = LineReader(TOOLS, {})
    last = {"model": "m", "message": message, "done": True}
    found = [*lines.read(OLLAMA[2]), *lines.read(last), *lines.finish()]
    assert found[-1] == last
    assert "".join(each["message"]["content"] for each in found[:-1]) == "a <tool"  # held back, and out before it


@pytest.mark.parametrize("index", [[], {}, None, "0", 1.5])
@pytest.mark.parametrize("delta", ["", "a <tool", LEAK])
def test_an_output_index_that_is_not_a_number(index: Any, delta: str) -> None:
    events = [*RESPONSES[:6], {**RESPONSES[6], "delta": delta, "output_index": index}, *RESPONSES[7:]]
    found = list(dict_response_events(events, TOOLS))
    assert found[-1]["type"] == "response.completed"


@pytest.mark.parametrize("event", [None, [], 0, "x"])
def test_what_is_not_an_event_goes_out_as_it_is(event: Any) -> None:
    assert list(dict_response_events([event], TOOLS)) == [event]
