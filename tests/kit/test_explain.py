"""Why a turn was read as it was: `toolglean.kit.explain.explain`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.support import depth
from tests.support.face import faced
from tests.support.wild import wild_rows
from toolglean import Parser, ParserOptions, ToolSet, UsageError, fold
from toolglean.formats import JSON, Format, all_formats
from toolglean.kit.explain import Explanation, Opener, Reach, causes, explain, probe, stories
from toolglean.kit.explain.openers import known_markers

EXPLAIN = Path(stories.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
GEMMA = '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'

ATEM = (
    '<atem:function_calls>\n<atem:invoke name="get_weather">\n'
    '<atem:parameter name="city">Oslo</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
)


def named(found: Explanation) -> list[str]:
    return [cause.name for cause in found.causes]


def checked(text: str, found: Explanation) -> Explanation:
    """True of every explanation: nothing is left out of the spans, and each place is correct."""
    assert "".join(span.text for span in found.spans) == text
    assert [span.start for span in found.spans] == [0, *(span.end for span in found.spans[:-1])][: len(found.spans)]
    parts: list[Any] = [*found.spans, *found.problems, *found.openers, *found.causes]
    for part in parts:
        assert (part.line, part.column) == line_and_column(text, part.start)
    for opener in found.openers:
        assert text.startswith(opener.text, opener.start)
        for reach in opener.reaches:
            assert opener.start <= reach.end <= len(text)
            assert reach.end - opener.start == reach.chars
            assert (reach.line, reach.column) == line_and_column(text, reach.end)
            assert bool(reach.expected) <= (reach.outcome not in {"call", "marker", "stopped"})
    return found


def line_and_column(text: str, place: int) -> tuple[int, int]:
    before = text[:place]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def the_reach(opener: Opener, name: str) -> Reach:
    return next(each for each in opener.reaches if each.format == name)


# -- what is told ------------------------------------------------------------------------------------------------------


def test_a_good_turn_has_nothing_to_explain() -> None:
    text = f"I look.\n{HERMES}"
    found = checked(text, explain(text, ["get_weather"]))
    assert found.complete
    assert (found.format, found.calls, found.causes, found.advice) == ("hermes", ("get_weather",), [], [])
    assert [span.kind for span in found.spans] == ["content", "call", "markup"]
    [opener] = found.openers
    assert (opener.text, opener.line, opener.column, opener.read_as) == ("<tool_call>", 2, 1, "call")
    assert opener.formats[:2] == ("hermes", "qwen3-coder")


def test_how_far_each_format_came_and_what_was_expected_there() -> None:
    text = "Now:\n<tool_call>\n<function=f>\n<parametre=x>\n1\n</parametre>\n</function>\n</tool_call>"
    found = checked(text, explain(text))
    [opener] = [each for each in found.openers if each.kind == "call"]
    reach = the_reach(opener, "qwen3-coder")
    assert (reach.outcome, reach.line, reach.column, reach.name) == ("none", 4, 9, "f")
    assert "'<parameter='" in reach.expected
    hermes = explain("<tool_call>\n; there").openers[0]
    assert the_reach(hermes, "hermes").expected == ("a JSON object with a name and arguments",)
    assert the_reach(hermes, "hermes").chars == len("<tool_call>\n")


@pytest.mark.parametrize(
    ("text", "name", "expected", "place"),
    [
        ('<tool_call>{"name": "f", "arguments": {"x": 1, y: 2}}', "hermes", "a key in double quotes", 47),
        ("<tool_call>{'name': 'f'}", "hermes", "a key in double quotes", 12),
        ('<tool_call>{"name": "f", "arguments": {"x": "a', "hermes", "the end of the JSON", 46),
        ('<tool_call>{"nome": "f"}', "hermes", 'the keys "name" and "arguments"', 24),
        ("[TOOL_CALLS]f[ARGS]x", "mistral-v13", "the arguments (a JSON object)", 19),
        ("<|tool_call>call:f{x:}", "gemma-4", "a value", 21),
        ("<|tool_call_start|>[f(x 1)]", "lfm2", "=", 24),
        ("<tool_call>f<arg_key>k</arg_key>", "glm-4.5", "'<arg_value>'", 32),
        ("<tool_call>f<arg_key>k", "glm-4.5", "'</arg_key>'", 22),
        ("<tool_call>f<arg_key>k</arg_key><arg_value>v", "glm-4.5", "'</arg_value>'", 44),
        ("<tool_call><fun", "qwen3-coder", "'<function='", 15),
        ("<tool_call>a</b>", "glm-4.5", "'</tool_call>'", 12),
    ],
)
def test_expectations(text: str, name: str, expected: str, place: int) -> None:
    opener = next(each for each in checked(text, explain(text)).openers if each.start == 0)
    reach = the_reach(opener, name)
    assert expected in reach.expected
    assert reach.end == place


def test_every_format_reaches_the_end_of_what_it_writes() -> None:
    from toolglean.formats.render import render  # noqa: PLC0415  # for this test alone; it proves nothing, and is quick
    from toolglean.kit.explain.openers import plan_of  # noqa: PLC0415
    from toolglean.kit.explain.probe import reach  # noqa: PLC0415
    from toolglean.kit.tiles import Places  # noqa: PLC0415

    tools = ToolSet(["f"])
    for declared in all_formats():
        call = {"name": "f", "arguments": {"x": "a"}}
        text = render(declared, [call], tools=tools)
        plan = plan_of(declared, ("f",))
        assert plan is not None
        found = reach(text, 0, plan, tools, bare=True, most=10_000, places=Places(text))
        assert found.outcome in {"call", "marker"}, (declared.name, text, found)
        for size in range(1, len(text), 1 if depth.is_full() else 61):
            cut = reach(text[:size], 0, plan, tools, bare=True, most=10_000, places=Places(text))
            assert cut.chars <= size


def test_a_format_of_ones_own_is_looked_for_too() -> None:
    own = Format("own", call="@@{name}@@{arguments}@@", arguments=JSON)
    text = '@@f@@{"x": oops}@@'
    found = checked(text, explain(text, format=own))
    assert found.openers[0].formats == ("own",)
    assert the_reach(found.openers[0], "own").expected == ("a value",)
    assert named(found)[:1] == ["json-broken"]


# -- the causes --------------------------------------------------------------------------------------------------------


class Story(NamedTuple):
    """A turn, and the cause that is told first."""

    cause: str
    text: str
    place: tuple[int, int]
    tools: list[Any] | None = None
    options: Mapping[str, Any] = MappingProxyType({})


TOOL = ["get_weather"]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SCHEMA: list[Any] = [{"name": "get_weather", "parameters": CITY}]
HARMONY = '<|channel|>commentary to=functions.get_weather<|message|>{"city": "Oslo"}'
FENCED = 'I will call it now.\n\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```'
RUN = Format("run", call="RUN {name}:\n{parameters}STOP", parameter="- {key} = {value};\n")
STORIES = [
    Story("markers-stripped", 'So: get_weather[ARGS]{"city": "Oslo"}', (1, 5)),
    Story("markers-stripped", 'So: get_weather{"city": "Oslo"} it is.', (1, 5), ["get_weather"]),
    Story("markers-stripped", "Yes.\nlook_up query</arg_value></tool_call>", (2, 26)),
    Story("reasoning-opened-by-prompt", "The user wants it.\n</think>\n\nShall I look?", (2, 1)),
    Story("reasoning-not-closed", "<think>\nIs it cold?\n\nIt is cold in Oslo.", (1, 1)),
    Story("missing-closer", "<function=get_weather>\n<parameter=city>Oslo\n</paramter>\n</function>", (4, 12)),
    Story("another-message", f"Hi.<|im_end|>\n<|im_start|>user\nSo.</think>{HERMES}", (2, 1)),
    Story("no-opener", "Hello.<|end|>", (1, 1)),
    Story("unknown-tool", "Now " + HERMES.replace("weather", "wether"), (1, 5), ["get_weather"]),
    Story("cut-off", HERMES[:-20], (2, 48)),
    Story("cut-off", "<tool_call>\n<function=get_weather>\n<parameter=city>\nOs", (4, 3)),
    Story("json-broken", '<tool_call>{"name": "say", "arguments": {"text": "a "b" c"}}</tool_call>', (1, 54)),
    Story("json-broken", "<tool_call>{'name': 'say'}</tool_call>", (1, 13)),
    # A missing quotation mark was said to be the limit of tokens, although the closing marker is there.
    Story("json-broken", HERMES.replace('Oslo"', "Oslo"), (2, 47), TOOL),
    Story("json-broken", '[TOOL_CALLS][{"name": "f", "arguments": {"a": "b}}]</s>', (1, 47)),
    Story("no-name", '```json\n{"city": "Oslo"}\n```\nDone.', (1, 1), ["get_weather"]),
    Story("unknown-tool", '<tool_call>{"tool": "getWeather", "args": {"city": "Oslo"}}</tool_call>', (1, 1), TOOL),
    Story("quoted", f"Write this:\n\n```xml\n{HERMES}\n```\n", (4, 1)),
    Story("data", '{"name": "get_weather", "description": "Tells the weather."}', (1, 1), TOOL),
    Story("data", '```json\n{"tool": "get_weather"}\n```', (2, 1), TOOL),  # its end was taken for an opener, cut off
    Story("in-json-string", 'So: {"a": "<|tool_call>call:get_weather{}<tool_call|>"}', (1, 12), TOOL),
    Story("addressed-to-user", f"<|start|>assistant to=user<|message|>{ATEM}<|eot|>", (1, 38), ["get_weather"]),
    Story("quoted", 'Call it as `functions.get_weather{"city": "Oslo"}` if you like.', (1, 13), ["get_weather"]),
    Story("quoted", "A call begins with `<tool_call>{` and so on.", (1, 21)),
    Story("other-dialect", GEMMA, (1, 1), None, {"format": "hermes"}),
    Story("other-dialect", HERMES.replace("<", "&lt;").replace(">", "&gt;"), (1, 1), SCHEMA),
    Story("missing-closer", "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n", (5, 1)),
    Story("in-reasoning", f"<think>\nPerhaps {HERMES} would do.\n</think>\nShall I?", (2, 9)),
    Story("arguments-malformed", "<|tool_call_start|>[get_weather(city=)]<|tool_call_end|>", (1, 38)),
    Story("no-call-after-marker", "Put [TOOL_CALLS] before each.", (1, 5)),
    Story("in-a-line", 'get_weather(city="Oslo") returns the weather.', (1, 1), ["get_weather"]),
    Story("in-a-line", 'Sure. I call get_weather(city="Oslo") now.', (1, 14), [{"name": "get_weather", "parameters": CITY}]),
    Story("markers-stripped", 'I look: get_weather[ARGS]{"city": "Oslo"}', (1, 9), [{"name": "get_weather", "parameters": CITY}]),
    Story("in-a-line", "[get_weather() for _ in range(9)]", (1, 1), ["get_weather"]),
    # Behind words, it was said that markers had been stripped.
    Story("in-a-line", 'I would call get_weather(city="Oslo") now, if I may.', (1, 14), ["get_weather"]),
    # It was said that the server had removed a marker.
    Story("unmarked-json", 'Sure! {"name": "get_weather", "arguments": {"city": "Oslo"}}', (1, 7), SCHEMA),
    Story("unmarked-json", 'Sure:\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\nSo.', (2, 1), SCHEMA),
    # A call of a format of one's own, whose closer is no tag, was said to be cut off.
    Story("missing-closer", "RUN get_weather:\n- city = Oslo;\n", (3, 1), SCHEMA, {"format": RUN}),
    Story("undeclared", '<step fn="get_weather">city=Oslo</step>', (1, 1), SCHEMA),
    Story("missing-closer", "RUN get_weather:\n- city = Oslo\nSTOPP", (3, 6), SCHEMA, {"format": RUN}),
    # First, it was said of the fence that a marker is not followed by a call.
    Story("undeclared", "```yaml\ntool: get_weather\nargs:\n  city: Oslo\n```", (1, 1), SCHEMA),
    Story("undeclared", 'Tool: get_weather {"city": "Oslo"}\nDENIED', (1, 1), SCHEMA),
    Story("in-a-line", f"Never write {HERMES} in an answer.", (1, 13), ["get_weather"]),
    Story("in-a-line", "So I write <get_weather></get_weather> then.", (1, 12), ["get_weather"]),
    Story("unknown-tool", "So " + HERMES.replace("get_weather", "get_stock") + " is it.", (1, 4), ["get_weather"]),
    Story("no-opener", "Hello, how are you?", (1, 1)),
    Story("wrong-keys", '<tool_call>{"function": "get_weather", "given": {"city": "Oslo"}}</tool_call>', (1, 1), TOOL),
    Story("wrong-keys", 'Now <tool_call>{"tool": "get_weather"}</tool_call>', (1, 5), TOOL),
    Story("arguments-not-object", '<tool_call>{"name": "get_weather", "arguments": "Oslo"}</tool_call>', (1, 49), TOOL),
    Story("arguments-not-object", '<tool_call>{"name": "get_weather", "arguments": ["Oslo"]}</tool_call>', (1, 49), TOOL),
    Story("arguments-not-object", '<tool_call>{"name": "get_weather", "parameters": 7}</tool_call>', (1, 50)),
    Story("arguments-not-object", '[TOOL_CALLS]get_weather[ARGS]"Oslo"', (1, 35), TOOL),
    Story("arguments-not-object", '<function=get_weather>"Oslo"}</function>', (1, 28), TOOL),
    Story("misspelt-marker", 'Now <tool_cal>{"name": "get_weather", "arguments": {}}</tool_cal>', (1, 5), TOOL),
    Story("misspelt-marker", '<tool_cal>\n{"name": "get_weather", "arguments": {}}\n</tool_call>', (1, 1), TOOL),
    Story("misspelt-marker", 'Look. [TOOL_CAL]get_weather[ARGS]{"city": "Oslo"}', (1, 7), TOOL),
    # It is a marker of MiniMax's, so it is not misspelt.
    Story("no-call-after-marker", 'Look. [TOOL_CALL]get_weather[ARGS]{"city": "Oslo"}', (1, 7), TOOL),
    # It said `undeclared`, which is true, and helps nobody who has only misspelt a marker.
    Story("misspelt-marker", '<tool_cal>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_cal>', (1, 1), SCHEMA),
    # It was said that every call was read, or that max_tokens stopped the model while it was thinking.
    Story("misspelt-marker", HERMES.replace("</tool_call>", "</tool_cal>\nDone."), (3, 1), TOOL),
    Story("misspelt-marker", f"{HARMONY}<|cal|>\nDone.", (1, 74), TOOL),
    Story("misspelt-marker", "<think>\nIs it cold? <b>Yes.</b>\n</thnk>\nIt is cold in Oslo.", (3, 1)),
    # It was said that every call was read, or that its spelling is not known, or that it was quoted.
    Story("misfit", HERMES.replace('"Oslo"', '"Oslo", "dayz": 3'), (1, 1), SCHEMA),
    Story("misfit", f"So. {HERMES}".replace('"city": "Oslo"', ""), (1, 5), SCHEMA),
    Story("cut-off", '<|python_tag|>get_weather(city="Oslo)"', (1, 39), SCHEMA),
    Story("other-dialect", FENCED, (3, 1), SCHEMA, {"model": "qwen3:8b", "quoted": "call"}),
    Story("left-over", f"{HERMES}</tool_call>", (3, 13)),
    Story("mention", "<think>\nI could write <tool_call> here.\n</think>\nHello.", (2, 15)),
]  # fmt: skip

NOT_SO = [
    # Of each cause, a turn that is nearly one of which it is told, and of which it must not be told.
    ("markers-stripped", 'Now <tool_cal>{"name": "get_weather", "arguments": {}}</tool_cal>', TOOL),
    ("markers-stripped", 'Sure! {"name": "get_weather", "arguments": {"city": "Oslo"}}', TOOL),
    ("markers-stripped", 'Tool: get_weather {"city": "Oslo"}\nDENIED', SCHEMA),
    ("unmarked-json", '{"name": "get_weather", "arguments": {"city": "Oslo"}} It is.', TOOL),
    ("unmarked-json", f"So. {HERMES}", TOOL),
    ("markers-stripped", "The set get_weather (of 1 and 2) is small.", TOOL),
    ("reasoning-opened-by-prompt", "<think>\nThe user wants it.\n</think>\n\nShall I look?", None),
    ("reasoning-opened-by-prompt", "Hello.<|end|>", None),
    ("reasoning-not-closed", "<think>\nIs it cold?\n</think>\n\nIt is.", None),
    ("reasoning-opened-by-prompt", f"Hi.<|im_end|>\n<|im_start|>user\nSo.</think>{HERMES}", None),
    ("another-message", f"Hi.<|im_end|>\n<|im_start|>assistant\n{HERMES}", None),
    ("unknown-tool", '<tool_call>{"function": "get_weather", "params": {"city": "Oslo"}}</tool_call>', TOOL),
    ("unknown-tool", "Now " + HERMES.replace("weather", "wether"), None),
    ("cut-off", HERMES, TOOL),
    ("cut-off", f"{HERMES} <", TOOL),
    ("cut-off", 'So:\n```json\n{"tool": "get_weather"}\n```', TOOL),
    ("json-broken", '<tool_call>{"name": "get_weather", "arguments": "Oslo"}</tool_call>', TOOL),
    ("json-broken", '<tool_call>{"name": "get_weather", "arguments": {"city": "O', TOOL),
    ("json-broken", '<tool_call>{"name": "get_weather", "arguments": {"city": "<b>Oslo</b>', TOOL),
    ("no-name", '<tool_call>{"function": "get_weather", "params": {"city": "Oslo"}}</tool_call>', TOOL),
    ("quoted", f"It is `Oslo`:\n{HERMES}", TOOL),
    ("data", '{"name": "get_weather", "arguments": {"city": "Oslo"}}', TOOL),
    ("in-json-string", 'So: {"a": "b"} <|tool_call>call:get_weather{}<tool_call|>', TOOL),
    ("addressed-to-user", f"<|start|>assistant<|message|>{ATEM}<|eot|>", TOOL),
    ("other-dialect", HERMES, TOOL),
    ("missing-closer", "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n", TOOL),
    ("in-reasoning", f"<think>\nPerhaps.\n</think>\n{HERMES}", TOOL),
    ("arguments-malformed", '<|tool_call_start|>[get_weather(city="Oslo")]<|tool_call_end|>', TOOL),
    ("no-call-after-marker", f"Put it before each. {HERMES}", TOOL),
    ("no-call-after-marker", f"Call: {HERMES}", TOOL),
    (
        "no-call-after-marker",
        'I say so.\nsend(to="Ann", amount=1)',
        [{"name": "send", "parameters": {"properties": {"to": {}, "amount": {}}, "required": ["to"]}}],
    ),
    ("undeclared", "<call get_weather>city=Oslo</call>", SCHEMA),
    ("undeclared", HERMES.replace("<", "&lt;").replace(">", "&gt;"), SCHEMA),
    ("in-a-line", 'get_weather(city="Oslo")\nDone.', TOOL),
    ("in-a-line", f"So it is. {HERMES} Wait.", TOOL),
    ("no-opener", "Put [TOOL_CALLS] before each.", TOOL),
    ("mention", "Hello, how are you?", TOOL),
    ("left-over", HERMES, TOOL),
    ("limit", HERMES, TOOL),
    ("wrong-keys", '<tool_call>{"function": "get_wether", "params": {"city": "Oslo"}}</tool_call>', TOOL),
    ("wrong-keys", '<tool_call>{"title": "get_weather"}</tool_call>', ["other"]),
    ("arguments-not-object", '<tool_call>{"name": "get_weather", "arguments": {"arguments": tru}}</tool_call>', TOOL),
    ("arguments-not-object", '<tool_call>{"name": "get_weather", "arguments": {"city": NaN}}</tool_call>', TOOL),
    ("arguments-not-object", '<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": 1}"}</tool_call>', TOOL),
    ("misspelt-marker", 'So: get_weather{"city": "Oslo"} it is.', TOOL),
    ("misspelt-marker", 'A <table>get_weather{"city": "Oslo"}</table>', TOOL),
    ("misspelt-marker", HERMES, TOOL),
    ("misspelt-marker", f"{HERMES.partition('</')[0]}</section>", TOOL),
    ("misspelt-marker", "<think>\nI link <link>it</link>, and </tool_cal>.", TOOL),
    ("undeclared", '<tool_cal>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>', SCHEMA),
    ("cut-off", '<|python_tag|>get_weather(city="(")', SCHEMA),
    ("misfit", HERMES, SCHEMA),
    ("misfit", HERMES, TOOL),
    ("misfit", HERMES, [{"name": "get_weather", "parameters": {**CITY, "properties": {}, "required": None}}]),
    (
        "misfit",
        HERMES.replace('"Oslo"', '"", "x": 1'),
        [{"name": "get_weather", "parameters": {**CITY, "additionalProperties": {}}}],
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=[f"{each.cause}: {each.text[:20]!r}" for each in STORIES])
def test_stories(story: Story) -> None:
    found = checked(story.text, explain(story.text, story.tools, **faced(**story.options)))
    assert not found.complete
    assert named(found)[:1] == [story.cause]
    assert (found.causes[0].line, found.causes[0].column) == story.place


@pytest.mark.parametrize(("cause", "text", "tools"), NOT_SO)
def test_what_is_not_so_is_not_told(cause: str, text: str, tools: list[Any] | None) -> None:
    assert cause not in named(checked(text, explain(text, tools)))


def test_each_cause_has_a_row_of_either_kind() -> None:
    told = {name.partition("/")[0] for name in stories.TEXTS}
    sources = [(EXPLAIN / name).read_text(encoding="utf-8") for name in ("causes.py", "near_misses.py")]
    assert [name for name in stories.TEXTS if not any(f'"{name}"' in source for source in sources)] == []
    assert {story.cause for story in STORIES} | {"limit"} == told
    assert {cause for cause, _, _ in NOT_SO} == told
    page = (DOCS / "how-to" / "troubleshooting.md").read_text(encoding="utf-8")
    assert [name for name in told if name not in page] == []


def test_each_kind_of_trouble_is_on_the_page_of_problems() -> None:
    page = (DOCS / "reference" / "problems.md").read_text(encoding="utf-8")
    codes = {*probe.ARGUMENTS, *causes.NOT_CLOSED, *causes._TOLD}
    assert [code for code in codes if f"`{code}`" not in page] == []


def test_a_limit_is_named() -> None:
    from toolglean import Limits  # noqa: PLC0415  # for this test alone

    found = explain(HERMES, options=ParserOptions(limits=Limits(call_chars=20)))
    assert found.causes[0].name == "limit"
    assert "call_chars" in found.causes[0].text


NEAR = ["get_weather", "send"]
OBJECT = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
NO_CITY = OBJECT.replace('"city": "Oslo"', "")
LINE = 'Tool: get_weather {"city": "Oslo"}'
TEXT = '<tool_call>{"name": "f", "arguments": "Oslo"}</tool_call>'
TOLD: list[tuple[str, Any, str, bool]] = [
    # the text, the tools, what its first cause says, and whether it does
    (f"So: {OBJECT}", SCHEMA, "there is other text before it, without which", True),
    (f"So: {OBJECT} is it.", SCHEMA, "there is other text before and after it", True),
    (f"So: {NO_CITY}", SCHEMA, "alone it would not be a call either: the arguments are missing", True),
    (f"{LINE}\nDENIED", SCHEMA, "there is other text after it, without which it would be a call", True),
    (f"Result:\n{LINE}", SCHEMA, "there is other text before it, without which it would be a call", True),
    ('get_weather: {"city": "Oslo", "days": 3}', SCHEMA, "the tool has no parameter 'days'", True),
    ('<step fn="get_weather">city=Oslo</step>', SCHEMA, "which one is not known", True),
    # a near name of a tool, or one that a single tool contains
    ("Now " + HERMES.replace("get_weather", "get_wether"), NEAR, "Did the model mean 'get_weather'?", True),
    ("Now " + HERMES.replace("get_weather", "Get_Weather"), NEAR, "Did the model mean 'get_weather'?", True),
    (HERMES.replace("get_weather", "weather"), NEAR, "Did the model mean 'get_weather'?", True),
    (HERMES.replace("get_weather", "end"), ["end_it", "send"], "Did the model mean 'end_it'?", False),
    (
        HERMES.replace("city", "citty"),
        SCHEMA,
        "There is no parameter 'citty'. Did the model mean 'city'? 'city' is required, and is missing.",
        True,
    ),
    # a misspelt marker, which is tried as a tag
    (f"<tool_cal>{HERMES[11:]}", SCHEMA, "pass format=Format.from_tag('<tool_cal>') (--tag '<tool_cal>')", True),
    (f"Now <tool_cal>{HERMES[11:-15]}", SCHEMA, "pass format=Format.from_tag(", False),
    # a fault that says what was there
    (TEXT, None, "The arguments of the call of 'f' are a string that is not a JSON object", True),
    (TEXT, None, "was expected", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tools", "said", "told"), TOLD)
def test_what_the_first_cause_says(text: str, tools: Any, said: str, told: bool) -> None:
    assert (said in checked(text, explain(text, tools)).causes[0].text) == told


# -- the advice --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tools", "options", "advice"),
    [
        # JSON after other text: nothing was said of the option that reads it.
        (
            f"I look. {json.dumps({'name': 'g', 'arguments': {'x': 1}})}",
            [{"name": "g", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}],
            {},
            ['options=ParserOptions(trailing_json="call")'],
        ),
        (GEMMA, None, {"format": "hermes"}, ['format="auto"', 'format="gemma-4"', 'tools=["get_weather"]']),
        (GEMMA, ["get_weather"], {"tag": "<nothing>"}, ['format="auto"', 'format="gemma-4"']),
        ('{"name": "get_weather", "arguments": {}}', ["other"], {}, ['tools=[…, "get_weather"]']),
        ("A thought.</think>Hello.", None, {}, ['start="reasoning"']),
        (f"A thought.</think>{HERMES}", None, {}, ['start="reasoning"']),
        ("Hello.<|end|>", None, {}, []),
        (f"Hi.<|im_end|>\n<|im_start|>user\nSo.</think>{HERMES}", None, {}, []),
        (f"{HERMES} and so", None, {"start": "reasoning"}, ['start="content"', 'options=ParserOptions(calls_in_reasoning="call")']),
        (f"Write this:\n\n```xml\n{HERMES}\n```\n", None, {}, ['options=ParserOptions(quoted="call")']),
        (HERMES, ["other"], {"format": "hermes", "unknown_tools": "content"}, ['tools=[…, "get_weather"]']),
        # Nothing was tried: one change alone reads no call.
        (FENCED, SCHEMA, {"model": "qwen3:8b"}, ['format="auto", options=ParserOptions(quoted="call")']),
    ],
)  # fmt: skip
def test_advice_was_tried(text: str, tools: Any, options: dict[str, Any], advice: list[str]) -> None:
    found = checked(text, explain(text, tools, **faced(**options)))
    assert [each.text for each in found.advice] == advice
    for each in found.advice:
        changed = dict(each.options)
        others = {} if "format" in changed else options
        parser = Parser(changed.pop("tools", tools), **faced(**{**others, **changed}))
        output = fold(parser.feed(text) + parser.finish())
        assert tuple(call.name for call in output.calls) == each.calls


def test_only_what_helps_is_advised() -> None:
    assert explain("Hello.", ["f"], format="hermes").advice == []
    assert explain(HERMES[:-20]).advice == []


# -- whatever the text -------------------------------------------------------------------------------------------------


def test_wrong_arguments_are_told_at_once() -> None:
    with pytest.raises(UsageError, match="nonsense"):
        explain("Hi", format="nonsense")
    with pytest.raises(UsageError, match="bytes"):
        explain(b"Hi")  # type: ignore[arg-type]  # that is the test


@pytest.mark.sampled(8)
@pytest.mark.parametrize("row", wild_rows(), ids=lambda row: row["id"])
def test_wild_turns(row: dict[str, Any]) -> None:
    options = {"start": row["start"]} if row["start"] else {}
    for tools in (row["tools"], None):
        found = checked(row["text"], explain(row["text"], tools, **faced(**options)))
        parser = Parser(tools, **faced(**options))
        output = fold(parser.feed(row["text"]) + parser.finish())
        assert found.calls == tuple(call.name for call in output.calls)
        assert len(found.problems) == len(output.problems)
        assert found.complete or found.causes or output.calls or found.openers
        if row["expected"]["calls"] and not found.calls:
            assert found.causes, "a lost call without a cause"


def test_no_text_raises() -> None:
    chosen = random.Random(13)
    rows = wild_rows()
    markers = [seen.text for each in all_formats() for seen in known_markers(None).find(" ".join(each.markers))]
    odd = ["<", '"', "}", "{", "[", "(", "`", "```", "\n", " ", '"name": "f"', "\ud800", "é", "f", ":0", *markers]
    for _ in range(500 if depth.is_full() else 8):
        row = chosen.choice(rows)
        text = row["text"]
        cut = chosen.randrange(len(text) + 1)
        mutants = [
            text[:cut],
            text[:cut] + chosen.choice(odd) + text[cut + chosen.randrange(3) :],
            "".join(chosen.choices([*odd, row["tools"][0]["name"] if row["tools"] else "x"], k=chosen.randrange(25))),
        ]
        mutant = chosen.choice(mutants)
        options = chosen.choice([{}, {}, {"start": "reasoning"}, {"format": row["format"] or "hermes"}])
        checked(mutant, explain(mutant, chosen.choice([row["tools"], None]), **faced(**options)))


FLOODS = {
    "openers": "<tool_call>",
    "broken calls": '<tool_call>{"name": "f", "arguments": {oops}}',
    "fences": '```json\n{"x": 1}\n```\n',
    "unknown calls": '<tool_call>{"name": "g", "arguments": {}}</tool_call>\n',
    "closers": "</think></tool_call>",
    "misspelt openers": '<tool_cal>f{"x": 1} ',
    "misspelt closers": '<tool_call>{"name": "f", "arguments": {}}</tool_cal>\n',
    "names": 'f{"x": 1} ',
    "letters": "a_",
    "backticks": "`",
    "lines": "\n",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FLOODS)
def test_floods_are_bounded(name: str) -> None:
    count = 10_000 if depth.is_full() else 400
    text = FLOODS[name] * count
    found = explain(text, ["f"])
    assert len(found.openers) <= 12
    assert len(found.causes) <= 5
    assert len(found.advice) <= 12
    if name == "openers":
        assert len(found.openers) + found.openers_left_out == count


@pytest.mark.skipif(not depth.is_full(), reason="time is measured at full depth")
@pytest.mark.parametrize("name", FLOODS)
def test_floods_take_linear_time(name: str) -> None:
    def seconds(size: int) -> float:
        text = (FLOODS[name] * size)[:size]
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            explain(text, ["f"])
            times.append(time.perf_counter() - begin)
        return min(times)

    seconds(1000)
    assert seconds(80_000) < 10 * seconds(20_000) + 0.2


def test_the_readings_are_those_of_the_engine() -> None:
    # Whatever the text is fed with: the probe reads in pieces of other lengths than the parser.
    for row in depth.chosen(wild_rows(), 30, key=lambda each: each["id"]):
        found = explain(row["text"], row["tools"])
        for opener in found.openers:
            for reach in opener.reaches:
                if reach.outcome == "call" and opener.kind == "call":
                    parser = Parser(row["tools"], format=reach.format)
                    text = "x " + row["text"][opener.start : reach.end]
                    events = [event for char in text for event in parser.feed(char)] + parser.finish()
                    output = fold(events)
                    assert [call.name for call in output.calls][:1] or output.unfinished, (row["id"], reach)


def test_it_is_made_of_plain_values() -> None:
    from toolglean.batch.lines import fields_of  # noqa: PLC0415  # for this test alone

    found = json.loads(json.dumps(fields_of(explain(GEMMA, format="hermes"))))
    assert list(found) == [
        "format", "complete", "calls", "spans", "quotations", "problems", "openers", "openers_left_out", "causes",
        "advice",
    ]  # fmt: skip


def test_what_is_expected_does_not_depend_on_the_hash_seed() -> None:
    # Literals of equal length came in the order of a set: a report named other ones of them with each start of Python.
    code = (
        "from toolglean.formats import all_formats\n"
        "from toolglean.formats.compile import compiled\n"
        f"nfa = compiled(all_formats()[::{1 if depth.is_full() else 30}]).nfa\n"
        "print([nfa.terminals([state]).literals for state in range(len(nfa.chars))])"
    )
    starts = [{**os.environ, "PYTHONHASHSEED": str(seed)} for seed in (1, 2)]
    found = [subprocess.run([sys.executable, "-c", code], env=each, capture_output=True, check=True) for each in starts]
    assert found[0].stdout == found[1].stdout
