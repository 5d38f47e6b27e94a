# What is said of a call that nobody read. Does not depend on which spellings are read (test_by_schema.py).
"""A turn that names a tool and its keys, of which no call was made, says so."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import pytest

from fuzz.undeclared import FRAMES, WORDS, bodies
from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with
from tests.support.work import calls_made
from toolglean import CallEnd, Limits, Parser, ParserOptions, Problem
from toolglean.engine.outbox import MOST

WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
TOOLS = [WEATHER, {"name": "get_time"}]
FRAME = 'get_weather city="Oslo"'
MARKED = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


@pytest.mark.parametrize("before", ["", "I will look.\n", "I will look. ", "For example:\n"])
def test_a_call_in_any_spelling_is_read_or_told(before: str) -> None:
    """Fixed bug: of 1,870 turns with a call in a spelling of fuzz.undeclared, 411 to 1,436 said nothing."""
    silent = []
    for frame in FRAMES:
        for word in WORDS if "{w}" in frame else WORDS[:1]:
            for body in bodies("get_weather", {"city": "Oslo", "days": 3}):
                text = before + frame.replace("{w}", word).replace("{b}", body)
                parser = Parser(TOOLS)
                if not any(isinstance(event, CallEnd | Problem) for event in parser.feed(text) + parser.finish()):
                    silent.append(text)
    assert silent == []


SPELLINGS = [
    "Let me check: <use_tool>get_weather {'city': 'Oslo'}</use_tool>",
    "Let me check: {'tool': 'get_weather', 'city': 'Oslo'}",
    "I look.\n\nThen get_weather(city='Oslo') says it.",
    "I use get_weather\nwith --city Oslo now.",
    "Calling [get_weather] city => Oslo",
    "**get_weather**\n- **city**: Oslo\n",
    "So, (get_weather (city Oslo)) it is.",
    "So, functions.get_weather: city=Oslo",
    "So.\n\nget_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
    "So.\n\nget_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n",
    'So: {"name": "get_weather", "arguments": {"city": "Os',
    'So: {"name": "get_weather", "arguments": {"city": "Oslo",}}',
    'So: {"name": "get_weather", "arguments": {"city": Oslo}}',
    'So: {"thought": "look", "action": {"name": "get_weather", "arguments": {"city": "Oslo"}}}',
    '{"So get_weather city=Oslo',
    '我用get_weather(city="北京")看看',
    "So get_weather city: list of cities",
]


@pytest.mark.parametrize("name", [None, "hermes", "qwen3-coder", "pythonic"])
@pytest.mark.parametrize("text", SPELLINGS)
def test_a_call_in_the_middle_of_text_is_told(text: str, name: str | None) -> None:
    events = read_with(TOOLS, text, format=name)
    assert calls_of(events) == []
    assert codes_of(events) == ["unread-call"]


# Behind the opener of a call: a parameter, a marker that comes twice, or the name together with what follows it.
WITHOUT_A_NAME = [
    ("qwen3-coder", "<tool_call>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"),
    ("minimax-m2", '<minimax:tool_call>\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>'),
    ("glm-4.7", "<tool_call>get_weathercity</arg_key><arg_value>Oslo</arg_value></tool_call>"),
    ("lfm2", "<|tool_call_start|>[get_weathercity='Oslo')]<|tool_call_end|>"),
    ("gemma-4", '<|tool_call>call:get_weathercity:<|"|>Oslo<|"|>}<tool_call|>'),
    (
        "deepseek-v3",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜><｜tool▁sep｜>get_weather\n{"city": "Oslo"}',
    ),
]


@pytest.mark.parametrize("name", [None, "of the family"])
@pytest.mark.parametrize(("family", "text"), WITHOUT_A_NAME, ids=[family for family, _ in WITHOUT_A_NAME])
def test_an_opener_without_a_name_is_told(family: str, text: str, name: str | None) -> None:
    for before in ("", "I look.\n"):
        events = read_with(TOOLS, before + text, format=name and family)
        assert calls_of(events) == []
        assert set(codes_of(events)) == {"unreadable-call"}  # one for the section, too
        assert content_of(events) == before + text


NO_CALLS = [
    "The markers are <tool_call> and <parameter=city>.",
    "Behind <tool_call> get_weathercity is no name.",
    "Use get_weather for that.",
    "The tool get_weather(city: str, days: int) looks it up.",
    'So, get_weather: {"city": {"type": "string"}}',
    "Use get_weather for that.\n\nThe city: Oslo.",
    "So, get_weather is a tool that I would not use here, since you want to know the city: it is Oslo.",
    "Use `get_weather(city='Oslo')` for that.",
    "So:\n```python\nget_weather(city='Oslo')\n```\n",
    "So, get_weather_now(city='Oslo') it is.",
    "So, get_weather(days=3) it is.",
    "So <!-- get_weather(city='Oslo') --> it is.",
    "So get_weather(city: String) it is.",
    "So get_weather. Then I tell you about the city: it is slow.",
    "See https://example.org/get_weather?city=Oslo for it.",
    "So GET /get_weather?city=Oslo HTTP/1.1",
    'So: {"name": "get_weather", "city": "Oslo"}',
]


@pytest.mark.parametrize("text", NO_CALLS)
def test_text_about_a_tool_is_not_told(text: str) -> None:
    assert codes_of(read_with(TOOLS, text)) == []


def test_what_is_told_is_the_line_of_the_name_up_to_that_of_the_last_key() -> None:
    text = "Well.\nI use get_weather\nwith city=Oslo now.\nThat is all."
    [problem] = [each for each in read_with(TOOLS, text) if isinstance(each, Problem)]
    assert (problem.text, problem.start) == ("I use get_weather\nwith city=Oslo now.", len("Well.\n"))


QUOTED = ["> get_weather city=Oslo", "```call\nget_weather city=Oslo\n```", "```\nget_weather city=Oslo\n```"]


@pytest.mark.parametrize("text", QUOTED)
def test_a_call_in_a_quotation_that_may_be_meant_is_told_as_quoted(text: str) -> None:
    events = read_with(TOOLS, f"I look.\n\n{text}\n")
    assert calls_of(events) == []
    assert codes_of(events) == ["quoted-call"]


def test_a_tool_that_requires_nothing_is_told_by_one_of_its_keys() -> None:
    tools = [{"name": "note", "parameters": {"type": "object", "properties": {"title": {"type": "string"}}}}]
    assert codes_of(read_with(tools, "So, note(title='x') it is.")) == ["unread-call"]
    assert codes_of(read_with(tools, "So, note(body='x') it is.")) == []


def test_what_comes_before_a_call_that_was_read_is_not_told() -> None:
    for text, told in ((f"So, {FRAME}\n{MARKED}", []), (f"{MARKED}\nSo, {FRAME} now.", ["unread-call"])):
        events = read_with(TOOLS, text)
        assert len(calls_of(events)) == 1
        assert codes_of(events) == told


def test_a_window_that_begins_in_a_fence_begins_behind_it() -> None:
    text = "Here:\n```python\n" + "get_weather(city='Oslo')\n" * (MOST // 20) + "```\nDone.\n"
    assert codes_of(read_with(TOOLS, text)) == []
    assert codes_of(read_with(TOOLS, f"{text}So, {FRAME} now.")) == ["unread-call"]


def test_text_behind_a_call_or_long_reasoning_opens_no_turn() -> None:
    said = "get_weather found nothing for that city."
    assert codes_of(read_with(TOOLS, f"{MARKED}\n{said}")) == []
    parted = f"call: get_weather\n<think>{'hmm ' * 500}</think>\ncity: {{'Oslo'}}"
    assert codes_of(read_with(TOOLS, parted)) == []


def test_a_pickle_says_the_same() -> None:
    parser = Parser(TOOLS, format="hermes")
    events = parser.feed("<think>" + "hmm " * 5000 + "</think>")
    parser = pickle.loads(pickle.dumps(parser))
    events += parser.feed('~~~\nsome words that are long enough here\n"get_weather" city: Oslo') + parser.finish()
    assert codes_of(events) == ["unread-call"]


def test_what_was_told_is_not_told_again() -> None:
    text = "x <tool_call>{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}</tool_call> y\n".replace("'", '"')
    assert set(codes_of(read_with(TOOLS, text * 8, format="hermes"))) == {"call-in-line"}


@pytest.mark.parametrize("unit", [':{"', " }{", "`a` ", '{"', ".", "get_weather ", "city "])
def test_the_work_at_the_end_grows_as_the_text(unit: str) -> None:
    counts = []
    for size in (3_000, 3_000, 12_000):  # the first one imports
        parser = Parser(TOOLS)
        parser.feed(f"So, get_weather city {unit * (size // len(unit))}")
        counts.append(calls_made(parser.finish))
    assert counts[2] < 6 * counts[1]


@pytest.mark.parametrize("behind", ["So it is.\n", "so it is, ", "So <b>it</b> is.\n"])
def test_only_the_end_of_a_turn_is_looked_at(behind: str) -> None:
    text = f"So, {FRAME} now.\n"
    times = (MOST - len(text)) // len(behind) - 1
    for size, told in ((times, ["unread-call"]), (times + 20, [])):
        events = events_of(partial(Parser, TOOLS, options=ParserOptions(markup=True)), text + behind * size)
        assert codes_of(events) == told


def test_the_end_of_a_turn_is_that_of_its_own_copy() -> None:
    parser = Parser(TOOLS)
    parser.feed("So, get_weather ")
    twin = parser.fork()
    events, others = [*parser.feed("city=Oslo"), *parser.finish()], [*twin.feed("it is."), *twin.finish()]
    assert (codes_of(events), codes_of(others)) == (["unread-call"], [])


@pytest.mark.parametrize("options", [ParserOptions(strict=True), ParserOptions(undeclared="text")])
def test_nothing_is_told_where_undeclared_spellings_are_not_read(options: ParserOptions) -> None:
    assert codes_of(events_of(partial(Parser, TOOLS, options=options), f"So, {FRAME} now.")) == []


def test_content_behind_reasoning_that_a_limit_ended_is_told_however_it_is_cut() -> None:
    """Fixed bug: of text behind the limit, what came in small chunks was not looked at."""
    text = '<|action_start|><|plugin|>{"name":"get_weather","parameters":{"city":"Oslo"}}'
    options = ParserOptions(limits=Limits(held=1), markup=True)
    for chunks in ([text], [*text]):
        parser = Parser(TOOLS, format="internlm", start="reasoning", options=options)
        events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
        assert codes_of(events) == ["limit-held", "unread-call"]


def test_with_quoted_calls_a_quotation_hides_nothing() -> None:
    options = ParserOptions(quoted="call", markup=True)
    events = events_of(partial(Parser, TOOLS, options=options), "So:\n```python\nget_weather(city='Oslo')\n```\n")
    assert codes_of(events) == ["unread-call"]
