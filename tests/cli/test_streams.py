# Answers as servers stream them, saved to a file: of each API, as server-sent events and as lines of JSON. Does not
# depend on how the text of a turn is read.
"""`toolglean parse`, `explain` and `doctor` on what a server streamed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parse import lines, toolglean
from toolglean.batch.streams import joined
from toolglean.batch.turns import Written, turns_in
from toolglean.cli.chunks import Line, _by_form

PIECES = ["Hm. ", "<tool_", 'call>{"name": "f", "arguments": {"x": 1}}', "</tool_call>"]
CALL = {"name": "g", "arguments": '{"y": 2}'}


def chat(*deltas: Any, id: str = "c1", reason: str | None = "stop", index: int = 0) -> list[Any]:  # noqa: A002  # the wire's
    head = {"id": id, "object": "chat.completion.chunk", "model": "m"}
    choices = [{"index": index, "delta": each, "finish_reason": None} for each in deltas]
    end = [{"index": index, "delta": {}, "finish_reason": reason}] if reason else []
    return [{**head, "choices": [each]} for each in [*choices, *end]]


def block(index: int, begun: Any, *deltas: Any) -> list[Any]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": index},
    ]


MESSAGE = [
    {"type": "message_start", "message": {"id": "c1", "role": "assistant", "content": [], "model": "m"}},
    {"type": "ping"},
    *block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "So."}),
    *block(1, {"type": "text", "text": ""}, *({"type": "text_delta", "text": each} for each in PIECES)),
    *block(
        2,
        {"type": "tool_use", "id": "t1", "name": "g", "input": {}},
        *({"type": "input_json_delta", "partial_json": each} for each in ('{"y"', ": 2}")),
    ),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    {"type": "message_stop"},
]
ITEM = {"type": "function_call", "id": "fc", "call_id": "t1", "name": "g", "arguments": ""}
EVENTS: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "c1", "model": "m", "output": []}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}},
    {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "So."},
    {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}},
    *({"type": "response.output_text.delta", "output_index": 1, "delta": each} for each in PIECES),
    {"type": "response.output_item.added", "output_index": 2, "item": ITEM},
    {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": '{"y": 2}'},
    {"type": "response.output_item.done", "output_index": 2, "item": {**ITEM, **CALL, "status": "completed"}},
]
WHOLE = {
    "id": "c1",
    "model": "m",
    "output": [
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "So."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "".join(PIECES)}]},
        {**ITEM, **CALL},
    ],
}
COMPLETED = {"type": "response.completed", "response": WHOLE}


def line(message: Any, **more: Any) -> Any:
    return {"model": "m", "id": "c1", "message": {"role": "assistant", **message}, "done": False, **more}


STREAMS: dict[str, list[Any]] = {
    "chat": chat(
        {"role": "assistant", "content": ""},
        {"reasoning_content": "So."},
        *({"content": each} for each in PIECES),
        {"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "g", "arguments": '{"y"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 2}"}}]},
    ),
    "Messages": MESSAGE,
    "Responses": [*EVENTS, {"type": "response.completed", "response": {**WHOLE, "output": []}}],
    "Responses, the end alone": [EVENTS[0], COMPLETED],
    "Ollama": [
        line({"content": "", "thinking": "So."}),
        *(line({"content": each}) for each in PIECES),
        line({"content": "", "tool_calls": [{"id": "t1", "function": {"name": "g", "arguments": {"y": 2}}}]}),
        line({"content": ""}, done=True, done_reason="stop"),
    ],
}


def as_events(chunks: Iterable[Any], *, end: str = "\n") -> str:
    named = (f"event: {each['type']}{end}" if "type" in each else f": a comment{end}" for each in chunks)
    return "".join(f"{name}data: {json.dumps(each)}{end}{end}" for name, each in zip(named, chunks, strict=True))


def as_lines(chunks: Iterable[Any]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in chunks)


FORMS = {
    "events": as_events,
    "events, CRLF": lambda chunks: as_events(chunks, end="\r\n"),
    "events, [DONE]": lambda chunks: f"{as_events(chunks)}data: [DONE]\n\n",
    "lines": as_lines,
}


def written(text: str) -> list[Written]:
    """The turns of that input, which is read as it arrives: whole, and character by character."""
    whole, slow = (list(_by_form(iter(pieces), None, "it")) for pieces in ([text], text))
    assert whole == slow
    assert all(isinstance(each, Line) and "joined from" in each.note for each in whole)
    return [turn for each in whole if isinstance(each, Line) for turn in turns_in(json.loads(each.text))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("api", STREAMS)
def test_the_chunks_of_a_server_are_joined(api: str, form: str) -> None:
    [turn] = written(FORMS[form](STREAMS[api]))
    assert (turn.text, turn.reasoning) == ("".join(PIECES), "So.")
    assert [(call.name, call.arguments, call.id) for call in turn.calls] == [("g", {"y": 2}, "t1")]
    assert not turn.unfinished
    assert len(turn.texts) == (1 if "alone" in api else len(PIECES))


@pytest.mark.parametrize("api", STREAMS)
def test_several_streams_are_several_turns(api: str) -> None:
    other = [{**each, "id": "c2"} if "id" in each else each for each in STREAMS[api]]
    assert [turn.text for turn in written(as_lines([*STREAMS[api], *other]))] == ["".join(PIECES)] * 2
    for same in (as_events(STREAMS[api]) + "data: [DONE]\n\n", *([] if api == "chat" else [as_lines(STREAMS[api])])):
        assert len(written(same * 2)) == 2


def test_several_choices_are_several_turns() -> None:
    one, two = chat({"content": "One."}), chat({"content": "Two."}, index=1)
    turns = written(as_lines(each for pair in zip(one, two, strict=True) for each in pair))
    assert [(turn.choice, turn.text) for turn in turns] == [(0, "One."), (1, "Two.")]


@pytest.mark.parametrize(
    ("chunks", "unfinished"),
    [
        (chat({"tool_calls": [{"index": 0, "function": {"name": "g", "arguments": ""}}]}, reason=None), 1),
        (chat({"tool_calls": [{"index": 0, "function": {"name": "g", "arguments": ""}}]}, reason="length"), 1),
        (chat({"tool_calls": [{"index": 0, "function": {"name": "g", "arguments": ""}}]}), 0),
        (EVENTS[:-1], 1),
        (EVENTS[:-2], 1),
    ],
)
def test_a_call_of_a_stream_that_broke_off_is_not_complete(chunks: list[Any], unfinished: int) -> None:
    [turn] = written(as_lines(chunks))
    assert len(turn.unfinished) == unfinished


def test_what_else_servers_send() -> None:
    older = [{"id": "c1", "object": "text_completion", "choices": [{"index": 0, "text": each}]} for each in PIECES]
    generated = [{"response": each, "done": False} for each in PIECES]
    for chunks in (older, generated):
        [turn] = written(as_events(chunks))
        assert turn.texts == PIECES
    [turn] = written(as_lines(chat({"refusal": "I will not."})))
    assert turn.text == "I will not."


ERROR = {"error": {"message": "overloaded"}}


def test_an_error_is_told(tmp_path: Path) -> None:
    [(number, _, note)] = joined(as_lines([*STREAMS["chat"][:4], ERROR]).split("\n"), "it")
    assert (number, note) == (1, "This turn was joined from 5 chunks of a server's stream, with an error: overloaded")
    (tmp_path / "it.sse").write_text(as_events([ERROR]))
    done = toolglean("doctor", str(tmp_path / "it.sse"))
    assert b"line 2: this is an error object, not a turn: overloaded" in done.stderr


def test_what_is_broken_is_shown_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "it.sse").write_text(as_events(STREAMS["chat"])[:-9])
    done = toolglean("parse", str(tmp_path / "it.sse"))
    assert done.returncode == 2
    assert b"it.sse: line 26, column 124: not valid JSON" in done.stderr
    (tmp_path / "it.sse").write_text(f"{as_events(STREAMS['chat'])}data: [1]\n")
    assert b"line 28: not a chunk of a server's stream" in toolglean("parse", str(tmp_path / "it.sse")).stderr


@pytest.mark.parametrize(
    "text",
    ["data: 3", "data: {}", "event: x\nHello", "data", "id: 7\n", ": x", 'data: {"a": 1}\n', "retry: no\n\nmore"],
)
def test_text_that_begins_like_an_event_is_text(text: str) -> None:
    for pieces in ([text], text):
        assert "".join(map(str, _by_form(iter(pieces), None, "it"))) == text


@pytest.mark.parametrize("api", STREAMS)
def test_commands_read_what_a_server_streamed(api: str, tmp_path: Path) -> None:
    # It was read as text, and said to have lost its markers.
    path = str(tmp_path / "it.sse")
    Path(path).write_text(as_events(STREAMS[api]), encoding="utf-8")
    [row, _] = lines(toolglean("parse", path))
    assert [call["name"] for call in row["calls"]] == ["f", "g"]
    assert (row["content"], row["reasoning"]) == ("Hm. ", "So.")
    shown = toolglean("doctor", path).stdout.decode()
    assert "This turn was joined from" in shown
    assert "none: every call was read" in shown
    assert b"This turn was joined from" in toolglean("explain", path).stderr
    for option in ("--turns", "--stream"):
        assert toolglean("parse", path, option).returncode > 0
