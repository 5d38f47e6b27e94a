# The laws of the parser for a tag, for any text:
#   one answer       whatever the chunking, with forks, copies and pickles on the way
#   nothing lost     every character in exactly one content, markup or span
#   no exception     from any text
#   valid deltas     every prefix of the deltas is the beginning of JSON; joined they decode to the arguments
#   round trip       calls written in any spelling come back
# `events_of` checks all but the last.
"""Property tests of the parser for a tag."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support import depth
from tests.support.chunkings import account, calls_of, chunkings, read_with, run_of
from tests.support.shared import FIXTURES, SHARED, rows
from toolglean import Format, Parser, ParserOptions

TOOLS = ("f", "get", "get_weather", "tool", "name", "a.b")
TAGS = (
    "<tool_call>",
    "{",
    "[",
    "[TOOL_CALLS]",
    "[TOOL_CALLS] [",
    "```json",
    "<|calls_begin|>",
    "",
    "functools[",
    "aab",
)
CLOSERS = (None, "[[/call]]", "{end}", "[")

FRAGMENTS = st.sampled_from(
    [
        "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[/TOOL_CALLS]", "```json", "```", "<|calls_begin|>", "<|calls_end|>",
        "functools[", "aab", "[[/call]]", "[[/", "{end}", "a", "b", " ", "\n", "{", "}", "[", "]", ",", ";", ":", "(", ")", '"', "\\", "\\u12", "\\ud83d",
        '"name"', '"arguments"', '"parameters"', '"id"', '"f"', '"get"', "f", "get", "functions.f", "a.b", "json", "x y",
        '{"name": "f", "arguments": {}}', '{"name": "get", "arguments": {"x": 1}}', '{"arguments": {"y": [1, {"z": null}]}, "name": "f"}',
        '{"f": {"x": "</tool_call>"}}', '{"name": "unknown", "arguments": {}}', '{"x": 1}', '"name": "f"', "1e400", "-0.5", "1", "NaN",
        "true", "null", "é", "😀", "\t", "\x00", "\u2028", "[ARGS]", "<|", "|>", '{"name": "f", "arguments": "{\\"q\\": 1}"}',
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(FRAGMENTS, FRAGMENTS, st.text(max_size=3)), max_size=14).map("".join)


@given(TEXTS, st.sampled_from(TAGS), st.sampled_from(CLOSERS), st.booleans())
def test_any_text(text: str, tag: str, closer: str | None, unknown: bool) -> None:
    read_with(TOOLS, text, format=Format.from_tag(tag, closer=closer), unknown_tools="call" if unknown else "content")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | FRAGMENTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(st.text(max_size=6) | FRAGMENTS, JSON, max_size=4)
CALLS = st.lists(st.tuples(st.sampled_from(TOOLS), ARGUMENTS), min_size=1, max_size=3)


def _spellings(name: str, arguments: dict[str, Any]) -> list[Any]:
    return [
        {"name": name, "arguments": arguments},
        {"name": name, "parameters": arguments},
        {"arguments": arguments, "name": name},
        {"name": name, "arguments": json.dumps(arguments)},
        {"id": "i", "type": "function", "function": {"name": name, "arguments": arguments}},
        {name: arguments},
    ]


@given(CALLS, st.data())
def test_calls_come_back(calls: list[tuple[str, dict[str, Any]]], data: st.DataObject) -> None:
    written = [data.draw(st.sampled_from(_spellings(*call))) for call in calls]
    ascii_only = data.draw(st.booleans())
    one_by_one = [f"<tool_call>\n{json.dumps(each, ensure_ascii=ascii_only)}\n</tool_call>" for each in written]
    listed = f"<tool_call>{json.dumps(written, ensure_ascii=ascii_only)}</tool_call>"
    text = listed if data.draw(st.booleans()) else "\n".join(one_by_one)
    if any(
        name == "name" and isinstance(each.get("name"), dict) for (name, _), each in zip(calls, written, strict=True)
    ):
        return  # {"name": {…}}: a tool called "name" under its own name; the fixed row below covers it
    events = read_with(TOOLS, text, format=Format.from_tag("<tool_call>"))
    assert calls_of(events) == [(name, json.loads(json.dumps(arguments))) for name, arguments in calls]


def test_a_tool_called_name_under_its_own_name() -> None:
    events = read_with(TOOLS, '<tool_call>{"name": {"x": 1}}</tool_call>', format=Format.from_tag("<tool_call>"))
    assert calls_of(events) == [("name", {"x": 1})]


def _random_streams() -> list[dict[str, Any]]:
    path = SHARED / "vectors/ollama/tools_random.jsonl.gz"
    return rows(path) if path.exists() else rows(FIXTURES / "ollama/random.jsonl")


def test_hard_streams() -> None:
    """The streams on which the port is proven, all of them where ../shared is at hand: 0 differences, all tiled."""
    for number, case in enumerate(depth.chosen(_random_streams(), 60, key=lambda row: row["id"])):
        parsers = [
            Parser(case["tools"], format=Format.from_tag(case["tag"]), options=ParserOptions(markup=True))
            for _ in range(8)
        ]
        text = case["text"]
        whole = run_of(parsers.pop(), [text])
        account(whole, text)
        wanted = [chunks for chunks in chunkings(text, seed=number) if len(chunks) != 2]
        for parser, chunks in zip(parsers, wanted, strict=False):
            assert run_of(parser, chunks) == whole, (case["id"], chunks)
