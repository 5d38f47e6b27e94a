"""The shipped streams, and the turns in fixtures/streams: their calls are the recorded ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.face import faced
from toolglean import Output, Parser, fold
from toolglean.formats import get_format
from toolglean.kit.demo import Stream, load_streams, load_tools

ROOT = Path(__file__).parents[2]
TURNS = [
    json.loads(line) for line in (ROOT / "fixtures/streams/turns.jsonl").read_text(encoding="utf-8").split("\n") if line
]


def read(chunks: list[str], **how: str) -> Output:
    parser = Parser(load_tools(), **faced(**how))
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return fold(events + parser.finish())


def plain(output: Output) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in output.calls]


@pytest.mark.parametrize("named", [False, True], ids=["auto", "by name"])
@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
def test_shipped_stream_is_read_rightly(stream: Stream, named: bool) -> None:
    output = read(list(stream.tokens), **({"format": stream.name} if named else {}))
    assert plain(output) == list(stream.calls)
    assert output.content.strip() == stream.content
    assert output.reasoning == stream.reasoning
    assert (output.problems, output.unfinished) == ([], [])
    assert all(call.known for call in output.calls)


@pytest.mark.parametrize("stream", load_streams(), ids=lambda stream: stream.name)
def test_shipped_stream_shows_its_format(stream: Stream) -> None:
    parser = Parser(load_tools())
    assert parser.format is None
    for token in stream.tokens:
        parser.feed(token)
    assert parser.format == get_format(stream.name)


def test_shipped_streams_say_where_they_are_from() -> None:
    streams = load_streams()
    assert len({stream.name for stream in streams}) == len({stream.wire_format for stream in streams}) == len(streams)
    assert len(streams) >= 10
    assert any(stream.content and stream.calls for stream in streams)
    assert sum(bool(stream.reasoning) for stream in streams) >= 2
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
        assert plain(read(chunks, tag=turn["tag"])) == turn["calls"]


def test_streams_of_the_docs_are_the_shipped_ones() -> None:
    tokens = load_streams()[0].tokens
    lines = (ROOT / "fixtures/streams/hermes.jsonl").read_text(encoding="utf-8").split("\n")
    assert tuple(json.loads(line) for line in lines if line) == tokens
    assert (ROOT / "fixtures/streams/weather.txt").read_bytes().decode() == "".join(tokens)
