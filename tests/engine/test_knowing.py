# Invariant: to name a format, any format, never reads less than to name none. fuzz/knowing.py says what that means, and has
# more turns; here are those of the fixtures, a few of them for each format.
"""What a named format reads, against what `auto` reads."""

from __future__ import annotations

from functools import partial

import pytest

from fuzz.knowing import KNOWN, Row, fixture_rows, missed, names
from tests.support import depth
from tests.support.chunkings import events_of
from toolglean import Parser, ParserOptions, parse


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", names())
def test_a_named_format_reads_what_auto_reads(name: str) -> None:
    rows = [row for row in fixture_rows() if (name, row.id) not in KNOWN]
    for row in depth.chosen(rows, 1, key=lambda each: f"{name} {each.id}"):
        assert missed(row, name) is None, row.id


def test_what_is_known_to_be_missed_still_is() -> None:
    rows = {row.id: row for row in fixture_rows()}
    read = {pair for pair in KNOWN if pair[1] in rows and missed(rows[pair[1]], pair[0]) is None}
    assert read == set()


TURNS = {
    "a tool whose name begins like the first word of a call": 'find({"city": "Kobe"})',
    "a list with a comma too many": '[{"name": "look", "arguments": {"city": "Oslo"}},\n{"name": "clock", "arguments": {}},]',
    "what a server leaves of Kimi's markers": 'functions.look:0{"city": "Oslo"}',
    "Llama 4's text between its markers": (
        '<|python_start|>I look.<|python_end|>{"name": "look", "parameters": {"city": "Oslo"}}'
    ),
    "a line that begins behind blanks": '  Action: look\n  Action Input: {"city": "Oslo"}',
    "the section of another family, and own calls": (
        '<minimax:tool_call>\n<invoke name="look">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
        '<invoke name="look">\n<parameter name="city">Kobe</parameter>\n</invoke>\n</minimax:tool_call>'
    ),
    "an attribute that only another family declares": (
        '<invoke name="look">\n<parameter name="city" string="true">Oslo</parameter>\n</invoke>'
    ),
}


@pytest.mark.parametrize("which", TURNS)
def test_every_named_format_reads(which: str) -> None:
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    row = Row(which, TURNS[which], [*({"name": name, "parameters": city} for name in ("look", "find")), "clock"])
    assert {name: less for name in names() if (less := missed(row, name)) is not None} == {}
    for name in ("deepseek-v3", "llama3-json", "anthropic", "xlam", "react"):
        events_of(partial(Parser, row.tools, format=name, options=ParserOptions(markup=True)), row.text)


@pytest.mark.parametrize("tool", ["", "a b", "<x>", "{name}", "f\ng", "名前", "["])
def test_every_format_reads_for_a_tool_whose_name_none_of_its_markers_may_contain(tool: str) -> None:
    """Of a format that writes a tag for each tool, nothing is left then."""
    for name in ("auto", *names()):
        assert parse("Hi <a b>x</a b>", tools=[tool], format=name).content == "Hi <a b>x</a b>"
        assert parse('Action: f\nAction Input: {"x": 1} y', tools=[tool], format=name).content


def test_it_tells_what_is_missed() -> None:
    tools = ["f"]
    text = 'functools[{"name": "f", "arguments": {}}]'
    assert missed(Row("a word of a line", f"So: {text}", tools), "hermes") is None
    assert missed(Row("a line", f"So:\n{text}", tools), "hermes") is None
    text = "I look. <tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>"
    found = missed(Row("what breaks", text, tools), "lost-brackets")
    assert found is not None
    assert found[:2] == ("calls", "fewer")
    assert missed(Row("the end of a turn", "Hi.<|end_of_text|>", tools), "hermes") is None
    found = missed(Row("a marker of Functionary", "Hi.>>>all\nHo.", tools), "hermes")
    assert found is not None
    assert found[:2] == ("markers", "left")
