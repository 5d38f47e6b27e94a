# The laws, for every format of the library:
#   round trip       what `render` writes comes back: names, arguments (order, types, every digit), content, reasoning
#   no refusal       formats whose arguments say themselves what they are refuse no arguments at all
#   one answer       whatever the chunking, with forks, copies and pickles at every character
#   nothing lost     every character in exactly one content, reasoning, span or markup
#   valid deltas     every prefix of the deltas is the beginning of JSON; joined they are the arguments
# `events_of` checks the last three. Values are hostile: the format's own markers, quotes, line breaks at the edges.
"""Property tests of the formats."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import depth
from tests.support.chunkings import calls_of, content_of, events_of, read_with, reasoning_of
from toolglean import Parser, ParserOptions, ToolSet, UsageError, render
from toolglean.formats.registry import all_formats, get_format
from toolglean.formats.spec import JSON, Format

NAMES = [declared.name for declared in all_formats()]
EXAMPLES = max(8 if depth.is_full() else 2, settings().max_examples // 12)
TOOLS = ("f", "get_weather", "a.b", "user", "name", "get-time", "tool_2")
NUMBERS_AS_TEXT = ("1", "-0", "007", "1e3", "1.0", "null", "true", "None", "NaN", "{}", "[]", '{"a": 1}', "")
PIECES = (
    '"', "'", "\\", "\\n", "\n", "\r\n", "\t", " ", "{", "}", "[", "]", "(", ")", "<", ">", ",", ":", "=", "é",
    "😀", "\u2028", "\x00",
)  # fmt: skip


@lru_cache(maxsize=128)
def texts(name: str) -> st.SearchStrategy[str]:
    """Hostile text for that format."""
    markers = get_format(name).markers
    parts = [st.sampled_from(PIECES), st.text(max_size=3)]
    parts += [
        st.sampled_from(markers),
        st.sampled_from([each[:-1] for each in markers] + [each[1:] for each in markers]),
    ]
    mixed = st.lists(st.one_of(parts), max_size=5).map("".join)
    turn = render(name, [("f", {"x": "y", "city": "\n"}), ("get_weather", {})], tools=ToolSet(["f", "get_weather"]))
    cuts = st.tuples(st.integers(0, len(turn)), st.integers(0, len(turn)))
    return mixed | st.sampled_from(NUMBERS_AS_TEXT) | cuts.map(lambda cut: turn[min(cut) : max(cut)])


NUMBERS = st.integers() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False)
KEYS = st.sampled_from(("x", "city", "x-y", "a.b", "class", "name", "arguments", "item", "Ä")) | st.text(max_size=4)


@lru_cache(maxsize=128)
def values(name: str) -> st.SearchStrategy[Any]:
    """Any JSON."""
    plain = st.none() | st.booleans() | NUMBERS | texts(name) | texts(name)
    return st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | texts(name), inner, max_size=3),
        max_leaves=6,
    )


def arguments(name: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(KEYS | KEYS | texts(name), texts(name) | values(name), max_size=4)


def calls(name: str) -> st.SearchStrategy[list[tuple[str, dict[str, Any]]]]:
    """Calls of different tools, so that each can have a schema that fits."""
    names = st.lists(st.sampled_from(TOOLS), min_size=1, max_size=3, unique=True)
    return names.flatmap(lambda found: st.tuples(*(st.tuples(st.just(each), arguments(name)) for each in found))).map(
        list
    )


_KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def schema_of(value: Any) -> dict[str, Any]:
    """A schema that fits."""
    found: dict[str, Any] = {"type": _KINDS[type(value)]}
    if isinstance(value, dict):
        found["properties"] = {key: schema_of(each) for key, each in value.items()}
    elif isinstance(value, list) and value:
        found["items"] = schema_of(value[0])
    return found


def tools_for(written: list[tuple[str, dict[str, Any]]]) -> ToolSet:
    return ToolSet([{"name": name, "parameters": schema_of(found)} for name, found in written])


def says_itself(declared: Format) -> bool:
    """Whether the arguments are JSON or Python, which need no schema and hold any text."""
    return "{parameters}" not in declared.call and declared.arguments == JSON


def read_back(
    declared: Format, written: list[tuple[str, dict[str, Any]]], text: str, tools: ToolSet, seed: int = 0
) -> str:
    events = events_of(
        lambda: Parser(tools, format=declared, options=ParserOptions(markup=True)), text, seed=seed, one_of_many=True
    )
    assert repr(calls_of(events)) == repr(written)
    return content_of(events)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_calls_come_back(name: str, data: st.DataObject) -> None:
    declared, written = get_format(name), data.draw(calls(name))
    tools = tools_for(written)
    try:
        text = render(declared, written, tools=tools)
    except UsageError:
        assert not says_itself(declared)
        return
    assert read_back(declared, written, text, tools).strip() == ""


QUOTING = frozenset("`{[<>~")
"""With these begins what quotes: code, a string of JSON, HTML, a quoted line."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_content_and_reasoning_come_back(name: str, data: st.DataObject) -> None:
    declared = get_format(name)
    written: list[tuple[str, dict[str, Any]]] = data.draw(st.sampled_from([[], [("f", {}), ("user", {"x": "y"})]]))
    content = data.draw(texts(name) | st.just("The weather:\n"))
    # An opener that is a word counts where a word begins, a tool's own tag where a line does.
    content += "\n" if content and (declared.call[0].isalpha() or declared.is_for_tools) else ""
    reasoning = data.draw(texts(name) | st.just("Let me see.")) if declared.reasoning[0] else ""
    tools = tools_for(written or [("f", {})])
    try:
        text = render(declared, written, content=content, reasoning=reasoning, tools=tools)
    except UsageError:
        return
    events = read_with(tools, text, format=declared, strict=True)
    if QUOTING.intersection(content):  # it may quote the call: test_quotes.py, test_quotations.py, test_data.py
        events = read_with(tools, text, format=declared, strict=True, quoted="call")
    assert calls_of(events) == written
    assert content_of(events).strip() == content.strip()
    assert reasoning_of(events).strip() == reasoning.strip()


PLAIN: list[tuple[str, dict[str, Any]]] = [
    ("get_weather", {"city": "Paris", "days": 3, "units": ["c", "f"], "exact": True, "at": {"x": "1", "y": "</a> b"}}),
    ("f", {"code": 'if a < b and c > d:\n    print("</p>", {1: 2}, [3])\n'}),
    ("tool_2", {}),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_plain_calls_are_never_refused(name: str) -> None:
    declared, tools = get_format(name), tools_for(PLAIN)
    reasoning = "Let me see." if declared.reasoning[0] else ""
    text = render(declared, PLAIN, reasoning=reasoning, tools=tools)
    assert read_back(declared, PLAIN, text, tools).strip() == ""
