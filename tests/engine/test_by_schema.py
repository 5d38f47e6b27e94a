# Calls in spellings that no format declares, as the engine sees them: when such text is kept, what becomes of it, and
# what reads it instead. How their frames are read is in tests/scan/test_by_schema.py.
"""Reading by schema, in turns."""

from __future__ import annotations

import pickle
import random
from functools import partial
from typing import Any, NamedTuple

import pytest

from tests.support import depth
from tests.support.chunkings import account, calls_of, codes_of, content_of, events_of, read_with, reasoning_of
from toolglean import CallEnd, Content, Event, Limits, Parser, ParserOptions, Problem, join, parse
from toolglean.engine.by_schema.lines import Lines, begin_in
from toolglean.events import fold
from toolglean.scan.text import Finder

WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
TOOLS: list[Any] = [WEATHER, {"name": "now", "parameters": {"type": "object", "properties": {}}}]
FRAME = "<act do='get_weather'>\n<city>Oslo</city>\n<days>3</days>\n</act>"
JSON_FRAME = '⟦call get_weather⟧{"city": "Oslo", "days": 3}⟦/call⟧'
DECLARED = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n</tool_call>'
OSLO = ("get_weather", {"city": "Oslo", "days": 3})
BERN = ("get_weather", {"city": "Bern"})


class Row(NamedTuple):
    """A turn, and what is read of it: calls, content without white space around it."""

    what: str
    text: str
    calls: list[tuple[str, object]]
    content: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


ROWS = [
    Row("alone", FRAME, [OSLO]),
    Row("signs of its own", JSON_FRAME, [OSLO]),
    Row("after prose", f"I will look.\n\n{FRAME}\n", [OSLO], "I will look."),
    Row("after reasoning", f"<think>Hm.</think>\n{FRAME}", [OSLO]),
    Row("two", f"{FRAME}\n{JSON_FRAME}", [OSLO, OSLO]),
    Row("after a declared call", f"{DECLARED}\n{FRAME}", [BERN, OSLO]),
    Row("before a declared call", f"{FRAME}\n{DECLARED}", [BERN], FRAME),
    Row("after lines that are none", f"<b>bold</b>\n[a](b)\nTool: of mine\n{FRAME}", [OSLO], "<b>bold</b>\n[a](b)\nTool: of mine"),
    Row("after many lines with the tool's name", "<p>get_weather</p>\n" * 60 + FRAME, [OSLO], ("<p>get_weather</p>\n" * 60).strip()),
    Row("after a code fence", f"```py\nf()\n```\n{FRAME}", [OSLO], "```py\nf()\n```"),
    Row("after a tag in a code fence", f"So:\n```\n<example>\n<b\n```\n{FRAME}", [OSLO], "So:\n```\n<example>\n<b\n```"),
    Row("after a tag in inline code", f"So `<example>` is.\n{FRAME}", [OSLO], "So `<example>` is."),
    Row("after a tag between lone backticks", f"I can`t.\n<no>\nI won`t.\n{FRAME}", [], f"I can`t.\n<no>\nI won`t.\n{FRAME}"),
    Row("after a tag between them in a line", f"I can`t <no> I won`t.\n{FRAME}", [], f"I can`t <no> I won`t.\n{FRAME}"),
    Row("after a closer in a code fence", f"<no>\n```\n<no>\n```\n```\n</no>\n```\n{FRAME}", [], f"<no>\n```\n<no>\n```\n```\n</no>\n```\n{FRAME}"),
    Row("after a closer in inline code", f"<no>\n`</no>`\n{FRAME}", [], f"<no>\n`</no>`\n{FRAME}"),
    Row("after a closer in a quoted line", f"<no>\n> </no>\n\n{FRAME}", [], f"<no>\n> </no>\n\n{FRAME}"),
    Row("after a closer in a comment", f"<no>\n<!-- </no> -->\n{FRAME}", [], f"<no>\n<!-- </no> -->\n{FRAME}"),
    Row("after a tag in a comment", f"<!-- <example> -->\n{FRAME}", [OSLO], "<!-- <example> -->"),
    Row("after a tag in a fence that is not closed", f"So:\n```\n<example>\n{FRAME}", [], f"So:\n```\n<example>\n{FRAME}"),
    Row("in a code fence", f"```xml\n{FRAME}\n```", [], f"```xml\n{FRAME}\n```"),
    Row("in a code fence that is not closed", f"See:\n```xml\n{FRAME}", [], f"See:\n```xml\n{FRAME}"),
    Row("in a quoted line", f"> {JSON_FRAME}", [], f"> {JSON_FRAME}"),
    Row("in a list", f"- {JSON_FRAME}", [], f"- {JSON_FRAME}"),
    Row("in a list, indented", f"- Write:\n  {JSON_FRAME}", [], f"- Write:\n  {JSON_FRAME}"),
    Row("in a table", f"| {JSON_FRAME} |", [], f"| {JSON_FRAME} |"),
    Row("in a line", f"Write {JSON_FRAME}", [], f"Write {JSON_FRAME}"),
    Row("in inline code", f"`{JSON_FRAME}`", [], f"`{JSON_FRAME}`"),
    Row("in a JSON document", f'{{"example": "{JSON_FRAME}"}}', [], f'{{"example": "{JSON_FRAME}"}}'),
    Row("in a comment", f"<!--\n{FRAME}\n-->", [], f"<!--\n{FRAME}\n-->"),
    Row("in <pre>", f"<pre>\n{FRAME}\n</pre>", [], f"<pre>\n{FRAME}\n</pre>"),
    Row("in a result", f"<tool_response>\n{FRAME}\n</tool_response>", [], f"<tool_response>\n{FRAME}\n</tool_response>"),
    Row("before prose", f"{FRAME}\nThat is how.", [], f"{FRAME}\nThat is how."),
    Row("before another role's header", f"{FRAME}<|im_end|>\n<|im_start|>user\nHi", [], None),  # type: ignore[arg-type]
    Row("cut off", FRAME[:-4], [], FRAME[:-4]),
    Row("turned off", FRAME, [], FRAME, {"undeclared": "text"}),
    Row("with strict", FRAME, [], FRAME, {"strict": True}),
    Row("longer than `held`", FRAME, [], FRAME, {"limits": Limits(held=40)}),
    Row("as long as `held`", FRAME, [OSLO], "", {"limits": Limits(held=len(FRAME))}),
    Row("more calls than allowed", f"{FRAME}\n{FRAME}", [], f"{FRAME}\n{FRAME}", {"limits": Limits(calls=1)}),
    Row("another tool", FRAME.replace("get_weather", "get_time"), [], FRAME.replace("get_weather", "get_time")),
    Row("a tool without parameters", "<act do='now'></act>", [], "<act do='now'></act>"),
]  # fmt: skip


@pytest.mark.sampled(1, each="row")
@pytest.mark.parametrize("format_name", ["auto", "hermes", "mistral", "harmony"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_a_turn_with_an_undeclared_spelling(row: Row, format_name: str) -> None:
    options = ParserOptions(markup=True, **row.options)
    events = events_of(lambda: Parser(TOOLS, format=format_name, options=options), row.text)
    account(events, row.text)
    assert calls_of(events) == row.calls
    if row.content is not None:
        assert content_of(events).strip() == row.content.strip()


BEHIND = ["(cancelled, do not run)\n", "but only if it rains\n", "dry-run: true\n", '"""Bern"""\n']


@pytest.mark.sampled(4, each="value")
@pytest.mark.parametrize("format_name", ["auto", "hermes"])
@pytest.mark.parametrize(
    "frame", ["<act do='get_weather'>\n{}</act>", "<get_weather>\n{}</get_weather>", "CALL get_weather\n{}END"]
)
@pytest.mark.parametrize("behind", ["", *BEHIND])
@pytest.mark.parametrize("value", ['city: """Oslo"""\n', "city: |\n  Oslo\n", "city: <<E\nOslo\nE\n"])
def test_nothing_is_behind_a_value_that_shows_its_end(value: str, behind: str, frame: str, format_name: str) -> None:
    """It was in no event, and the call ran without it."""
    text = frame.format(value + behind)
    events = read_with(TOOLS, text, format=format_name)
    assert calls_of(events) == ([] if behind else [("get_weather", {"city": "Oslo"})])
    assert content_of(events) == (text if behind else "")


@pytest.mark.parametrize("format_name", ["auto", "hermes", "qwen3-coder"])
@pytest.mark.parametrize(
    "text", ['{"get_weather": {"city": "Oslo"}}', '{"id": "get_weather", "arguments": {"city": "Oslo"}}']
)
def test_json_without_a_name_before_a_closer(text: str, format_name: str) -> None:
    """It raised a `StopIteration`."""
    text = f"I look.\n{text}\n</tool_call>"
    events = read_with(TOOLS, text, format=format_name)
    assert calls_of(events) == []
    assert "unread-call" in codes_of(events)


@pytest.mark.parametrize("format_name", ["auto", "qwen3-coder"])
def test_white_space_before_an_opener_that_is_told(format_name: str) -> None:
    """By characters, it came behind the problem."""
    text = "<function=f>\n<tool_call>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>"
    tools = [
        {"name": name, "parameters": {"properties": {"a": {"type": "string"}}, "required": ["a"]}} for name in "fg"
    ]
    whole, parser = join(Parser(tools, format=format_name).feed(text)), Parser(tools, format=format_name)
    assert join([event for char in text for event in parser.feed(char)] + parser.finish())[: len(whole)] == whole


def test_white_space_between_calls_is_markup() -> None:
    """The second one is read as if no format declared it."""
    events = read_with(TOOLS, "\n\n[get_weather(city='Bern')]\n\n[get_weather(city='Bern')]\n", format="pythonic")
    assert calls_of(events) == [BERN, BERN]
    assert content_of(events) == "\n\n"  # what begins the turn


@pytest.mark.parametrize("text", ["<se get_weather\x85>", "<a get_weather>", "[get_weather"])
def test_a_tag_that_ends_with_the_name_is_text(text: str) -> None:
    """Nothing is behind the name: that raised an `IndexError`."""
    events = read_with(TOOLS, text)
    assert (calls_of(events), content_of(events)) == ([], text)


@pytest.mark.parametrize("format_name", ["auto", "hermes"])
def test_an_end_marker_may_follow(format_name: str) -> None:
    options = ParserOptions(markup=True)
    events = events_of(lambda: Parser(TOOLS, format=format_name, options=options), f"Yes.\n{FRAME}<|im_end|>")
    assert calls_of(events) == [OSLO]
    assert content_of(events).strip() == "Yes."


BEFORE = [
    "I will look.\n", "I will look\n", "Let me check...\n", "**Searching**\n", "It is 5:30\n", "Yes! \U0001f50d\n", "(One moment.)\n",
    "</div>\n", "Ratio 3:4.\n\n", "`a`\n", "All done <br>\n", "See https://a.example/\n", "x << 3\n", "So it is.\n\n---\n\n",
]  # fmt: skip


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("frame", [FRAME, JSON_FRAME])
def test_a_line_that_announces_nothing_may_come_before(before: str, frame: str) -> None:
    events = read_with(TOOLS, before + frame)
    assert calls_of(events) == [OSLO]


def test_a_call_between_brackets_on_lines_of_their_own_is_content() -> None:
    events = read_with(TOOLS, f"<<<\n{FRAME}\n>>>")
    assert calls_of(events) == []


PUT = {
    "name": "put",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"],
    },
}
IN_VALUES = [
    "TOOL: put\npath: o\ntext: {}\nEND TOOL",
    "TOOL: put\npath: o\ntext: one writes {}\nEND TOOL",
    "CALL: put\npath: o\ntext: |\n  {}\nEND CALL",
    "#tool put\npath = o\ntext = {}\n#end",
    *("[call:put path=o text={}]", '[call:put path=o text="a] {}"]', "[call:put path=o text=see [1] {}]"),
    *('<use tool="put" path="o" text="{}"/>', '<use tool="put" path="o" text="a/> {}"/>'),
    "put\npath: o\ntext: a] {}",
    "@@call put@@\npath: o\ntext: {}\n@@end@@",
    '<action name="put"><path>o</path><text>{}</text></action>',
    '<call tool="put">\n<arg name="path">o</arg>\n<arg name="text">{}</arg>\n</call>',
    "<call put>\n[arg path]o[/arg]\n[arg text]\n{}\n[/arg]\n</call>",
]
MARKED = [DECLARED, '[TOOL_CALLS]get_weather[ARGS]{"city": "Bern"}', DECLARED.replace("\n", "")]


@pytest.mark.sampled(2, each="frame")
@pytest.mark.parametrize("format_name", ["auto", "hermes"])
@pytest.mark.parametrize("marked", MARKED)
@pytest.mark.parametrize("frame", IN_VALUES)
def test_a_declared_call_in_a_value_of_another_spelling(frame: str, marked: str, format_name: str) -> None:
    """Fixed bug: it ran, and the call around it did not. There are two readings, so neither does."""
    text = frame.format(marked)
    options = ParserOptions(markup=True)
    events = events_of(lambda: Parser([*TOOLS, PUT], format=format_name, options=options), text)
    assert (calls_of(events), content_of(events)) == ([], text)
    assert "quoted-call" in codes_of(events)


@pytest.mark.parametrize(
    "before",
    [
        *("Call get_weather with city: Oslo\n", "Tool: get_weather\n", "<call get_weather>\n", f"{FRAME}\n"),
        *("[call:get_weather city=Oslo]", "[TOOL_RESULTS][call:get_weather city=Oslo][/TOOL_RESULTS]"),
        *('<use tool="get_weather" city="Oslo"/>', '[TOOL_RESULTS]<use tool="get_weather" city="O/>"/>[/TOOL_RESULTS]'),
    ],
)
def test_a_declared_call_behind_a_begun_one_runs(before: str) -> None:
    events = read_with(TOOLS, before + DECLARED)
    assert calls_of(events) == [BERN]


# What a value has at its ends stays its own, if not all values have it or there is more than one of it.
VALUES = [
    ("indented, on the tag's line", "[call=put]\n[arg=text]    code\n[/arg]\n[/call]", "    code\n"),
    ("indented, on lines of its own", "<act do='put'>\n<text>\n    code\n</text>\n</act>", "    code"),
    ("a break only before it", "<act do='put'>\n<text>\ncode</text>\n</act>", "\ncode"),
    ("empty lines", "<act do='put'>\n<text>\n\ncode\n\n</text>\n</act>", "\ncode\n"),
    ("a blank at both ends", "<act do='put'>\n<text> code </text>\n</act>", "code"),
    ("more blanks", "<act do='put'>\n<text>  code  </text>\n</act>", "  code  "),
]


@pytest.mark.parametrize(("what", "text", "value"), VALUES, ids=[each[0] for each in VALUES])
def test_white_space_at_the_ends_of_a_value(what: str, text: str, value: str) -> None:
    del what
    tool = {
        "name": "put",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    }
    events = read_with([tool], text)
    assert calls_of(events) == [("put", {"text": value})]


def test_a_call_in_a_long_fence_is_reported_once() -> None:
    text = f"Here is the page:\n\n````\n```json\n{FRAME}\n```\n{DECLARED}\n````\n\nThat is all."
    events = read_with(TOOLS, text)
    assert codes_of(events) == ["quoted-call"]


@pytest.mark.parametrize("before", ["I do that now:\n", "Shall I?\n\n", "<plan>\n"])
def test_a_refused_line_that_names_a_tool_and_its_parameters_says_so(before: str) -> None:
    events = read_with(TOOLS, f"{before}{FRAME}\nSo it is.")
    assert calls_of(events) == []
    [problem] = [each for each in events if isinstance(each, Problem)]
    assert (problem.code, problem.start) == ("unread-call", len(before))


FUNCTION = '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}'


@pytest.mark.parametrize("text", ["{}", "[{}]", '{"tool_calls": [{}]}'])
@pytest.mark.parametrize("before", ["Calling:\n", "I look: "])
def test_a_call_of_the_api_s_form_behind_text_says_so(before: str, text: str) -> None:
    text = before + text.replace("{}", FUNCTION)
    [problem] = [each for each in read_with(TOOLS, text) if isinstance(each, Problem)]
    assert (problem.code, problem.start) == ("unread-call", text.index(FUNCTION))


IN_FENCES = [
    "```python\n[get_weather(city='Oslo')]\n```",
    '~~~\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n~~~',
]


@pytest.mark.parametrize("name", [None, "hermes", "pythonic"])
@pytest.mark.parametrize("text", IN_FENCES)
def test_a_call_in_a_fence_of_another_kind_that_opens_the_turn_is_told(text: str, name: str | None) -> None:
    """Fixed bug: nothing was said of it by name, and of tildes by nobody."""
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == []
    assert codes_of(events) == ["unread-call"]


@pytest.mark.parametrize("name", [None, "hermes", "llama3-json"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name: "get_weather", "arguments": {"city": "Oslo"}}', ["unread-call"]),
        ('{"name" "get_weather", "arguments" {"city": "Oslo"}}', ["unread-call"]),
        ("{“name”: “get_weather”, “arguments”: {“city”: “Oslo”}}", ["unread-call"]),
        ('["get_weather", {"city": "Oslo"}]', []),
        ('{"get_weather": "sunny", "city": "Oslo"}', []),
    ],
)
def test_an_object_that_opens_the_turn_and_breaks_off_is_told(text: str, told: list[str], name: str | None) -> None:
    events = read_with(TOOLS, text, format=name)
    assert (calls_of(events), codes_of(events)) == ([], told)


@pytest.mark.parametrize("name", [None, "hermes"])
def test_a_list_of_python_with_a_bracket_in_a_string(name: str | None) -> None:
    text = "Hi.\n[get_weather(city='see [1]')]"
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == [("get_weather", {"city": "see [1]"})]


BRACES = [
    "{{call get_weather}}\n* city: Oslo\n* days: 3\n{{/call}}",
    '{call:get_weather(city="Oslo", days=3)}',
    "{% call get_weather %}\ncity = Oslo\ndays = 3\n{% endcall %}",
]


@pytest.mark.parametrize("text", BRACES)
def test_a_line_in_braces_is_no_json(text: str) -> None:
    assert calls_of(read_with(TOOLS, text)) == [OSLO]
    refused = f"For example:\n{text}\ncall: get_weather {{}}\n<call get_weather>{{}}</call>"
    events = read_with(TOOLS, refused)
    assert calls_of(events) == []
    assert codes_of(events) == ["unread-call"]


def test_what_is_quoted_behind_a_refused_line_is_told_as_quoted() -> None:
    call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    for text in (f"Say\nget_weather( then ```\n{call}", f"Say\nget_weather( then\n\n~~~\n{call}\n~~~\nDone."):
        events = read_with(TOOLS, text)  # called at once
        assert {each.code for each in events if isinstance(each, Problem)} <= {"quoted-call"}, text


def test_json_without_its_opener_is_read_however_it_is_cut() -> None:
    before = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>\n tool_call>\n{"name": "get_weather",'
    chunks = (
        before,
        ' "arguments": {"city": "Oslo", "days": 1',
        "4}}\n</tool_call>",
    )  # the second needs no closer look
    for cut in (chunks, ("".join(chunks),)):
        parser = Parser([*TOOLS, "get_time"])
        events = [event for chunk in cut for event in parser.feed(chunk)] + parser.finish()
        assert calls_of(events) == [("get_time", {}), ("get_weather", {"city": "Oslo", "days": 14})], cut


def test_json_that_is_no_call_does_not_hide_a_refused_line() -> None:
    before = 'So.\n{"name": "get_weather", "description": "-"}\nFor example:\n'
    events = read_with(TOOLS, f"{before}{FRAME}")
    assert [(each.code, each.start) for each in events if isinstance(each, Problem)] == [("unread-call", len(before))]


@pytest.mark.parametrize(
    "line",
    [
        *("get_weather(city='Oslo')", 'get_weather {"city": "Oslo"}', 'get_weather[ARGS]{"city": "Oslo"}'),
        'functions.get_weather:0{"city": "Oslo"}',
    ],
)
def test_a_line_between_others_that_begins_with_a_tool_and_its_arguments_is_told(line: str) -> None:
    for text, told in (
        (f"Well.\n\n{line}\n\nThat is it.", ["unread-call"]),
        (f"Well.\n{line.replace('city', 'x')}\n", []),
    ):
        events = read_with(TOOLS, text)
        assert calls_of(events) == []
        assert codes_of(events) == told


@pytest.mark.parametrize(
    "before", ["<|.\n", "For example:\n<|\n", "&lt;tool_call&gt; ends it.\n", '````json\n{"exact": 1}\n````\nThen:\n']
)
def test_a_refused_line_does_not_hide_json_that_is_a_call(before: str) -> None:
    before = f"Well.\n{before}"
    for properties, told in (({}, []), ({"zone": {"type": "string"}}, [("unread-call", len(before))])):
        tools = [{"name": "now", "parameters": {"type": "object", "properties": properties}}]
        text = f'{before}{{"name": "now", "arguments": {{}}}}'
        events = events_of(partial(Parser, tools, format="xlam", options=ParserOptions(markup=True)), text)
        assert calls_of(events) == []
        assert [(each.code, each.start) for each in events if isinstance(each, Problem)] == told


@pytest.mark.parametrize("key", ["city: |\n \n\ndays: 3", "days: 3\ncity: |\n"])
def test_a_block_of_yaml_without_a_line_is_no_value(key: str) -> None:
    text = f"<call get_weather>\n{key}\n</call>"
    assert calls_of(read_with(TOOLS, text)) == []


CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
OPENING = [
    *("`get_weather(city='Oslo')`", f'"{CALL.replace(chr(34), chr(92) + chr(34))}"', f"\ufeff{CALL}"),
    *(f"<output>{CALL}</output>", "```python\nget_weather(city='Oslo')\n```", f"<json>{CALL}</json> it is."),
]


@pytest.mark.parametrize("text", OPENING)
def test_a_turn_that_opens_with_a_sign_and_spells_a_call_says_so(text: str) -> None:
    events = events_of(lambda: Parser(TOOLS, format="hermes"), text)
    assert calls_of(events) == []
    assert codes_of(events) == ["unread-call"]


@pytest.mark.parametrize(
    "text",
    [
        "`get_weather` takes a city: Oslo, for example.",
        "<p>get_weather</p>\n<p>It wants the city.</p>",
        f"`{DECLARED}`",
        f"`get_weather`{'.' * 512} city: Oslo",
    ],
)
def test_a_turn_that_opens_with_a_sign_and_spells_no_call_says_nothing_of_one(text: str) -> None:
    events = events_of(lambda: Parser(TOOLS, format="hermes"), text)
    assert [each for each in events if isinstance(each, Problem) and each.code == "unread-call"] == []


TAGS: list[tuple[str, list[Any], str]] = [
    ('<get_weather city="a < b" days=0>\n</get_weather>', [("get_weather", {"city": "a < b", "days": 0})], "undeclared-spelling"),
    ('<get_weather city="</arg>" days=3>\n</get_weather>', [("get_weather", {"city": "</arg>", "days": 3})], "undeclared-spelling"),
    ('Well.\n[get_weather city="x" days=3 more=["a"] /]', [], "unread-call"),
    ('Well.\n[get_weather city="how to" days="it" \n\nThen.', [], "unread-call"),
]  # fmt: skip


OBJECT = '<get_weather>{"city": "Oslo", "days": 3}</get_weather>'


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        *((OBJECT, [OSLO]), (f"I look.\n{OBJECT}\n{OBJECT}", [OSLO, OSLO]), (f"<think>x</think>{OBJECT}", [OSLO])),
        *((f"{OBJECT} is how.", []), (f"Use {OBJECT} then.", []), (f"For example:\n{OBJECT}", []), (f"> {OBJECT}", [])),
        *((OBJECT.replace("}", "} // no"), []), (OBJECT.replace("3}", '3, "dry_run": true}'), []), (OBJECT[:-1], [])),
    ],
)
def test_an_element_of_a_tools_name_around_one_object(text: str, calls: list[Any]) -> None:
    assert calls_of(read_with(TOOLS, text)) == calls


@pytest.mark.parametrize(("text", "calls", "told"), TAGS)
def test_a_tag_that_names_a_tool_does_so_whatever_its_attributes_are(text: str, calls: list[Any], told: str) -> None:
    events = read_with(TOOLS, text)
    assert calls_of(events) == calls
    assert codes_of(events) == [told]


def test_a_tag_that_breaks_off_does_not_go_on_behind_code() -> None:
    """What was in the code was read again with what followed, and then it was open around the call."""
    text = '<seed:tool_cal\n```text\n[Calling tool: get_weather({"city": "Oslo"})]\n```\n \n[call:get_weather city=Oslo days=3]'
    assert calls_of(read_with(TOOLS, text)) == [OSLO]


def test_a_symbol_behind_the_name_is_awaited() -> None:
    text = 'run get_weather, :city => "Oslo", :days => 3\nend'
    assert calls_of(read_with(TOOLS, text)) == [OSLO]


def test_such_a_call_says_so() -> None:
    output = parse(f"Yes.\n{FRAME}", TOOLS)
    assert [(each.code, each.text, each.start) for each in output.problems] == [("undeclared-spelling", FRAME, 5)]
    (call,) = output.calls
    assert (call.status, call.known, call.span) == ("ok", True, (5, 5 + len(FRAME)))


def test_json_arguments_are_passed_on_as_they_were_written() -> None:
    (call,) = parse(JSON_FRAME.replace(", ", " ,\t"), TOOLS).calls
    assert call.arguments_text == '{"city": "Oslo" ,\t"days": 3}'


def test_tools_that_are_only_names_are_never_called_so() -> None:
    assert not parse(FRAME, ["get_weather"]).calls
    assert not parse(FRAME).calls


def test_prose_is_returned_at_once() -> None:
    parser = Parser(TOOLS, format="hermes")
    words = ["Hello", " there", ".\n\n", "It", " is", " fine", ":\n", "- one", "\n- two", "\n"]
    assert [parser.add(word).content for word in words] == words


def test_content_that_can_be_no_call_is_released() -> None:
    parser = Parser(TOOLS)
    said = parser.add("<act>\nThis is a paragraph.").content
    assert not said
    for _ in range(40):
        said += parser.add(" And more words.").content
    assert said.startswith("<act>\nThis is a paragraph. And more words.")


def test_no_more_than_held_is_kept_back() -> None:
    parser = Parser(TOOLS, options=ParserOptions(limits=Limits(held=1000)))
    parser.add("<act do='get_weather'>\n")
    fed = sum(len(chunk) - len(parser.add(chunk).content) for chunk in ["more text, "] * 400)
    assert fed <= 1000 + 300


@pytest.mark.parametrize("text", [f"Yes.\n{FRAME}", f"<p>get_weather</p>\n{JSON_FRAME}\n"])
def test_a_parser_that_keeps_text_forks_and_pickles(text: str) -> None:
    whole = _joined(parse_events(text))
    for place in range(0, len(text), 1 if depth.is_full() else 4):
        parser = Parser(TOOLS)
        before = parser.feed(text[:place])
        twin, thawed = parser.fork(), pickle.loads(pickle.dumps(parser))  # our own
        for each in (parser, twin, thawed):
            assert _joined([*before, *each.feed(text[place:]), *each.finish()]) == whole


def test_a_declared_call_is_streamed_although_its_line_might_begin_another() -> None:
    parser = Parser(TOOLS)
    told = [type(event).__name__ for char in DECLARED[:-20] for event in parser.feed(char)]
    assert told.count("CallDelta") > 5


def test_what_was_kept_before_says_nothing_about_a_repair() -> None:
    python = "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Bern'}}</tool_call>"
    text = f"See\n```\n{DECLARED}\n```\nthen {python}"
    events = read_with(TOOLS, text)
    assert calls_of(events) == [BERN]


def test_reasoning_is_not_read_by_schema() -> None:
    events = events_of(lambda: Parser(TOOLS, start="reasoning"), FRAME)
    assert not [event for event in events if isinstance(event, CallEnd)]
    assert reasoning_of(events) == FRAME


def test_problems_of_text_that_became_a_call_are_not_reported() -> None:
    text = "<tool_call>\n<act do='get_weather'>\n<city>Oslo</city>\n</act>\n</tool_call>"
    events = read_with(TOOLS, text)
    assert calls_of(events) == [("get_weather", {"city": "Oslo"})]
    assert codes_of(events) == ["undeclared-spelling"]


PIECES = (
    *("begin", "call", "Use", "CALL", "f", "add_two", "a-b", " ", "\n", ":", "->", "=>", "(", "{", "<", "[", "|", "="),
    *("-", "***", "$>", "`", "```", "~~~", "x", "The", "#", "@", "!", "%", "⟦", "Tool", "I", "'", ".", "1", "\t", "next step", "?", ",", "with", "k", "调用", "🔧", "：", "//"),
)  # fmt: skip
NAMES = frozenset({"f", "add_two", "a-b"})
LINES = Lines(Finder([]), NAMES)


def test_what_waits_for_its_line_is_searched_for_names_once_it_is_kept() -> None:
    before = "<tool_call>\nx\n\n> get_weather {aaaaaaaaaaaaaaaaaaaaaaaaaa 1"
    parser = Parser(TOOLS)
    chunks = before, "\n\nTOOL: get_we", "ather\ncity: Oslo\ndays: 3\nEND TOOL"
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
    assert calls_of(events) == [OSLO]


def test_where_a_line_may_begin_a_call_does_not_depend_on_the_cuts() -> None:
    rng = random.Random(23)
    for _ in range(3000):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
        whole = _first_line(text)
        assert whole[0] < 0 or LINES.look(text, at_line=True) != -1, "the fast path lets no such line pass"
        for place in range(1, len(text)):
            begun = _first_line(text[:place])
            if begun[0] >= 0 and begun[1]:
                assert whole == begun, (text, place)
            elif begun[0] < 0:
                assert not 0 <= whole[0] < place, (text, place)


def _first_line(text: str) -> tuple[int, bool]:
    return begin_in(text, 0, len(text), "\n", NAMES, opens_content=False)


def parse_events(text: str) -> list[Event]:
    """The events of a whole turn."""
    parser = Parser(TOOLS)
    return [*parser.feed(text), *parser.finish()]


def _joined(events: list[Event]) -> Any:
    output = fold(events)
    return (
        output.content,
        output.calls,
        output.problems,
        [event.start for event in events if not isinstance(event, Content)],
    )


def test_code_is_returned_as_it_comes() -> None:
    parser = Parser(TOOLS, format="hermes")
    words = ["Look:\n", "```", "python", "\n", "x = 1\n", "print(x)\n", "```", "\n", "Done"]
    said = [parser.add(word).content for word in words]
    assert said[4:6] == words[4:6]
