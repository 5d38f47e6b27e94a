"""The shipped streams, and the turns in fixtures/streams: their calls are the recorded ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolglean import Output, Parser, fold
from toolglean.demo import Stream, load_streams, load_tools

ROOT = Path(__file__).parent.parent
TURNS = [
    json.loads(line) for line in (ROOT / "fixtures/streams/turns.jsonl").read_text(encoding="utf-8").split("\n") if line
]


def read(tag: str, chunks: list[str]) -> Output:
    parser = Parser(load_tools(), tag=tag)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return fold(events + parser.finish())


def plain(output: Output) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in output.calls]


@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
def test_shipped_stream_is_read_rightly(stream: Stream) -> None:
    output = read(stream.tag, list(stream.tokens))
    assert plain(output) == list(stream.calls)
    assert output.content.strip() == stream.content
    assert (output.problems, output.unfinished) == ([], [])
    assert all(call.known for call in output.calls)


def test_shipped_streams_say_where_they_are_from() -> None:
    streams = load_streams()
    assert len({stream.name for stream in streams}) == len(streams) >= 6
    assert len({stream.format for stream in streams}) == len(streams)
    assert any(stream.content and stream.calls for stream in streams)
    for stream in streams:
        assert stream.template
        assert stream.template_kind in {"jinja", "go"}
        assert stream.tokenizer
        assert stream.case
        assert stream.about


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: f"{turn['format']}-{turn['case']}-{turn['template']}")
def test_recorded_calls(turn: dict[str, Any]) -> None:
    tokens = turn["tokens"]
    text = "".join(tokens)
    for chunks in (tokens, [text], list(text)):
        assert plain(read(turn["tag"], chunks)) == turn["calls"]


def test_streams_of_the_docs_are_the_shipped_ones() -> None:
    tokens = load_streams()[0].tokens
    lines = (ROOT / "fixtures/streams/hermes.jsonl").read_text(encoding="utf-8").split("\n")
    assert tuple(json.loads(line) for line in lines if line) == tokens
    assert (ROOT / "fixtures/streams/weather.txt").read_bytes().decode() == "".join(tokens)
