"""Response templates: read, streamed, and given back in the shape of transformers."""

from __future__ import annotations

import json
import pickle
import sys
from typing import Any

import pytest

from tests.support.chunkings import calls_of, content_of, events_of
from tests.support.response_turns import TOOLS, machine_of
from tests.support.shared import SHARED, shared_rows
from toolglean import CallDelta, CallEnd, CallStart, Content, Event, Problem, Reasoning
from toolglean.engine.matcher.payload import FormatPlan
from toolglean.errors import FormatError, UsageError
from toolglean.limits import Limits
from toolglean.sources.response import ResponsePlan, message, plan_of, prompt_of, to_format
from toolglean.sources.response.plan import response_plan

CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TAG = r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>"
THINK = {"open": "<think>", "close": "</think>"}


def template(calls: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A template with these calls, and a sink unless `content` is given."""
    found = {"tool_calls": calls} if calls is not None else {}
    return {"start_anchor": "A:", "fields": {"content": {}} | found | fields}


def events(
    given: dict[str, Any],
    text: str,
    tools: list[Any] | None = None,
    unknown: str = "call",
    limits: Limits | None = None,
) -> list[Event]:
    """The events by regions, at every chunking."""
    plan = response_plan(given)
    return events_of(lambda: machine_of(plan, tools, unknown, limits), text)


JSON_CALLS = template(
    {"open_pattern": r"<c>(?P<name>\w+)\s*", "close": "</c>", "repeats": True, "content": "json", "transform": CALL},
    thinking=THINK,
)
TAG_CALLS = template(
    {
        "open_pattern": r"<c>\s*<f=(?P<name>[^\n>]+)>",
        "close": "</c>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {"tag_pattern": TAG},
        "transform": CALL,
    }
)
LIST_CALLS = template(
    {"open": "<c>", "close": "</c>", "content": "json", "transform_each": True}
    | {"transform": {"function": {"name": "{tool_name}", "arguments": "{parameters}"}}}
)
LINE_CALLS = template(
    {"open_pattern": r"<c>(?P<name>\w+)\n", "close": "</c>", "content": "kv-lines", "transform": CALL}
)
GPT_OSS = {
    "start_anchor": "<|start|>assistant",
    "fields": {
        "thinking": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
        "content": {"open": "<|channel|>final<|message|>", "close": "<|end|>"},
        "tool_calls": {
            "open_pattern": r"<\|channel\|>commentary to=functions\.(?P<name>\w+).*?<\|message\|>",
            "close": "<|call|>",
            "repeats": True,
            "content": "json",
            "transform": CALL,
        },
    },
}


# -- the cases of transformers -----------------------------------------------------------------------------------------

CASES = "vectors/response_template_cases.jsonl"
# toolglean never raises an exception for model output. transformers raises ValueError for these four.
RAISES_NOT = {
    16: {"role": "assistant"},  # a field that must come does not
    20: {},  # the transform asks for a key that the model did not write
    21: {},  # or for a key of what is no object
    27: {},  # a region's JSON is cut off
}


@pytest.mark.parametrize("number", range(43))
def test_a_case_of_transformers(number: int) -> None:
    row = shared_rows(CASES)[number]

    def found() -> dict[str, Any]:
        return message(row["template"], row["text"], row["prefix"] or "", row["tools"])

    if "message" in row:
        assert found() == row["message"]
    elif number in RAISES_NOT:
        assert found() == RAISES_NOT[number]
    else:
        with pytest.raises(FormatError, match=r"field|fields"):
            found()


@pytest.mark.parametrize("number", range(43))
def test_its_text_is_streamed_the_same_at_every_chunking(number: int) -> None:
    row = shared_rows(CASES)[number]
    if "message" in row:
        events(row["template"], row["text"], row["tools"])


def test_the_templates_of_transformers_tests_are_read() -> None:
    path = SHARED / "vectors" / "response_templates.json"
    if not path.exists():
        pytest.skip(f"../shared is not here: {path.name} may not be committed")
    for given in json.loads(path.read_text(encoding="utf-8")).values():
        assert plan_of(given) is not None
        events(given, "Hi <think>a</think> there <tool_call>")


# -- wrong templates ---------------------------------------------------------------------------------------------------

WRONG = [
    ([], "dict"),
    ({"fields": {"content": {}}}, "start_anchor"),
    (template() | {"version": 2}, "version 2"),
    (template() | {"stop": 1}, "stop"),
    (template() | {"defaults": []}, "defaults"),
    ({"start_anchor": "A:", "fields": {}}, "fields is missing or empty"),
    (template(x=[]), "field 'x'"),
    (template(x={"open": "a", "open_pattern": "b"}), "field 'x': open and open_pattern exclude each other"),
    (template(x={"open": "a", "shut": "b"}), "field 'x': unknown key shut"),
    (template(x={"open": ["a", ""]}), "field 'x': open"),
    (template(x={"open": "a", "close": 1}), "field 'x': close"),
    (template(x={"open_pattern": 1}), "field 'x': open_pattern"),
    (template(x={"open": "a", "content": "yaml"}), "field 'x': unknown content 'yaml'"),
    (template(x={"open": "a", "content": "xml-inline"}), "field 'x': xml-inline"),
    (template(x={"open": "a", "content": "json", "content_args": {"string_delims": ["'"]}}), "string_delims"),
    (template(x={"open": "a", "content": "kv-lines", "content_args": {"value_parser": "int"}}), "value_parser"),
    (template(x={"open": "a", "content": "kv-lines", "content_args": {"value_parser": {"name": "q"}}}), "'q'"),
    (template(x={"open": "a", "join": " "}), "field 'x': join"),
    (template(x={"open": "a", "join": " ", "repeats": True, "content": "json"}), "field 'x': join"),
    (template(x={"open": "a", "transform_each": True}), "field 'x': transform_each"),
    (template(x={"open_pattern": r"<(?P<n>\w+)>"}), "field 'x': n"),
    (template(x={"open": "a", "transform": {"b": "say {content}"}}), "field 'x'"),
    (template(x={"open": "a", "transform": {"b": ["{name}"]}}), "field 'x': {name}"),
    (template(x={}), "content, x"),
    (template(x={"open_pattern": r"(?<=a)b+?c*"}), "field 'x': open_pattern '(?<=a)b+?c*' contains a lookbehind"),
    (template(x={"open_pattern": r"(a"}), "field 'x': open_pattern"),
]


@pytest.mark.parametrize(("given", "named"), WRONG)
def test_what_is_wrong_is_named(given: Any, named: str) -> None:
    with pytest.raises(FormatError) as caught:
        plan_of(given)
    assert named in str(caught.value)


def test_a_real_regular_expression_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(UsageError, match=r"pip install .*\[regex\]"):
        plan_of(template(x={"open_pattern": r"<(a|b)+q>", "close": "</q>"}))


# -- streaming ---------------------------------------------------------------------------------------------------------


def test_text_before_between_and_after_calls_is_kept_in_order() -> None:
    text = '<think>\nwhy\n</think>\n\nOne <c>get_time {"a": 1}</c> two <c>get_time{}</c> three'
    found = events(JSON_CALLS, text)
    kinds = [type(each) for each in found if isinstance(each, Content | Reasoning | CallEnd)]
    assert kinds == [Reasoning, Content, CallEnd, Content, CallEnd, Content]
    assert content_of(found) == "One  two  three"
    assert calls_of(found) == [("get_time", {"a": 1}), ("get_time", {})]
    spans = [each.call.span for each in found if isinstance(each, CallEnd)]
    assert [text[begin:end] for begin, end in spans] == ['<c>get_time {"a": 1}', "<c>get_time{}"]


def test_arguments_arrive_while_they_are_written() -> None:
    for given, text in ((JSON_CALLS, '<c>get_time {"note": "a long'), (TAG_CALLS, "<c><f=get_time>\n<p=note>\na long")):
        machine = machine_of(response_plan(given))
        found = machine.feed(text)
        assert "a long" in "".join(each.text for each in found if isinstance(each, CallDelta))
        assert [getattr(each, "text", "") for each in machine.feed(" way")] == [" way"]


SPACED = "\n  7\n"
BLANKS = " " * 4000
OWN_KEYS = template(
    {"open": "<c>", "close": "</c>", "content": "json", "transform_each": True}
    | {"transform": {"function": {"name": "{fn.called}", "arguments": "{fn.with}"}}}
)
UNCLOSED = {key: value for key, value in LINE_CALLS["fields"]["tool_calls"].items() if key != "close"}
TWO = '[{"tool_name": "a", "parameters": {"x": 1}}, {"tool_name": "b", "parameters": {}}]'
TWO_OWN = '[{"fn": {"called": "a", "with": {"x": 1}}}, {"fn": {"called": "b", "with": {}}}]'
TYPED = f"<c>\n<f=add-2>\n<p=city>{SPACED}</p>\n<p=days>\n7\n</p>\n</function>\n</c>"
READ: dict[str, tuple[Any, str, Any, list[tuple[str, Any]], str]] = {
    # the template, the text, the tools, its calls, its content
    "typed by the schema": (TAG_CALLS, TYPED, TOOLS, [("add-2", {"city": "  7", "days": 7})], ""),
    "not typed": (TAG_CALLS, TYPED, None, [("add-2", {"city": "  7", "days": "7"})], ""),
    "a closing literal in a value": (
        TAG_CALLS, "<c><f=get_time><p=city>a </p> b</p></c>", None, [("get_time", {"city": "a </p> b"})], "",
    ),
    "much white space after one": (
        TAG_CALLS,
        f"<c><f=get_time><p=city>a</p>{BLANKS}b</p>{BLANKS}{BLANKS}b</p></c>",
        None,
        [("get_time", {"city": f"a</p>{BLANKS}b"})],
        "",
    ),
    "a closer in a string": (JSON_CALLS, '<c>f {"a": "</c>"}</c>', None, [("f", {"a": "</c>"})], ""),
    "a complete call needs no closer": (JSON_CALLS, '<c>f {"a": 1}', None, [("f", {"a": 1})], ""),
    "or another one": (JSON_CALLS, '<c>f {"a": 1} </d>', None, [("f", {"a": 1})], " </d>"),
    "no arguments": (JSON_CALLS, "<c>f</c>", None, [("f", {})], ""),
    "no parameters": (TAG_CALLS, "<c><f=f>\n</c>", None, [("f", {})], ""),
    "a list": (LIST_CALLS, f"<c>{TWO}</c>", None, [("a", {"x": 1}), ("b", {})], ""),
    "a list with other keys": (OWN_KEYS, f"<c>{TWO_OWN}</c>", None, [("a", {"x": 1}), ("b", {})], ""),
    "lines": (
        LINE_CALLS, "<c>get_time\ndays: 7\ncity: Rome\n</c> ok", TOOLS, [("get_time", {"days": 7, "city": "Rome"})], " ok",
    ),
    "the end of the turn closes": (template(UNCLOSED), "<c>f\na: 1\n", None, [("f", {"a": "1"})], ""),
    "and shows that it is no call": (template(UNCLOSED | {"content": "json"}), "<c>f\n[1", None, [], "<c>f\n[1"),
    "tags without a call": (JSON_CALLS, "use <c>tags like this", None, [], "use <c>tags like this"),
    "two openers": (JSON_CALLS, "use <c>f and <c>", None, [], "use <c>f and <c>"),
    "an opener of a call": (TAG_CALLS, "use <c><f=x> or not", None, [], "use <c><f=x> or not"),
    "a list of numbers": (LIST_CALLS, "a <c> [1, 2]</c> b", None, [], "a <c> [1, 2]</c> b"),
    "no list": (LIST_CALLS, "a <c>nothing</c> b", None, [], "a <c>nothing</c> b"),
    "lines that do not close": (LINE_CALLS, "a <c>f\nx: 1", None, [], "a <c>f\nx: 1"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "text", "tools", "calls", "content"), READ.values(), ids=READ)
def test_calls_and_content(given: Any, text: str, tools: Any, calls: list[Any], content: str) -> None:
    found = events(given, text, tools)
    assert calls_of(found) == calls
    assert content_of(found) == content
    assert any(isinstance(each, CallStart) for each in found) == bool(calls)


def test_a_template_that_reads_values_as_json() -> None:
    given = json.loads(json.dumps(TAG_CALLS))
    args = {"name": "json", "args": {"allow_non_json": True}}
    given["fields"]["tool_calls"]["content_args"]["value_parser"] = args
    text = '<c><f=add-2><p=city>\n1.50\n</p><p=other>\n["x"]\n</p><p=more>x [</p></c>'
    found = {"city": "1.50", "other": ["x"], "more": "x ["}
    assert calls_of(events(given, text, TOOLS)) == [("add-2", found)]
    assert calls_of(events(given, text)) == [("add-2", found | {"city": 1.5})]


@pytest.mark.parametrize(
    ("given", "text", "status"),
    [
        (JSON_CALLS, '<c>f {"a": 1,}</c> after', "malformed"),
        (JSON_CALLS, '<c>f {"a": 1,} <c>get_time {}</c>', "malformed"),
        (JSON_CALLS, '<c>f {"a": 1', "incomplete"),
        (TAG_CALLS, "<c><f=f><p=a>1</p>", "incomplete"),
        (TAG_CALLS, "<c><f=f><p=a>1", "incomplete"),
    ],
)
def test_a_call_that_cannot_be_read_is_never_ok(given: dict[str, Any], text: str, status: str) -> None:
    found = events(given, text)
    assert next(each.call.status for each in found if isinstance(each, CallEnd)) == status
    assert any(isinstance(each, Problem) for each in found) == (status == "malformed")


def test_the_beginning_of_a_closer_stands_at_its_place() -> None:
    machine = machine_of(response_plan(JSON_CALLS))
    found = [*machine.feed('<c>f {"a": 1}  </'), *machine.finish()]
    assert [(each.text, each.start) for each in found if isinstance(each, Content)] == [("  ", 13), ("</", 15)]


def test_an_unknown_tool() -> None:
    for given, text in ((JSON_CALLS, "<c>f {}</c>"), (TAG_CALLS, "<c><f=f>\n</c>"), (LINE_CALLS, "<c>f\na: 1</c>")):
        start = next(each for each in events(given, text, TOOLS) if isinstance(each, CallStart))
        assert start.known is False
        assert content_of(events(given, text, TOOLS, "content")) == text


def test_calls_in_a_list_are_those_of_the_message() -> None:
    assert message(LIST_CALLS, f"<c>{TWO}</c>")["tool_calls"][0] == {"function": {"name": "a", "arguments": {"x": 1}}}


def test_limits_are_passed_at_the_same_place_at_every_chunking() -> None:
    text = "a <c>f\nb: 1\n</c> <c>f\nc: 2</c> <c>f\nc: " + "x" * 40 + "</c> d"
    for limits in (Limits(calls=1), Limits(call_chars=20), Limits(held=3)):
        found = events(LINE_CALLS, text, limits=limits)
        assert any(isinstance(each, Problem) and each.code.startswith("limit-") for each in found)


def test_a_dialect_with_quotes_of_its_own() -> None:
    calls = JSON_CALLS["fields"]["tool_calls"] | {
        "content_args": {"unquoted_keys": True, "string_delims": [["<|q|>", "<|q|>"]]}
    }
    text = '<c>get_weather{city:<|q|>a "b" {c:1}<|q|>,days:2}</c>'
    arguments = {"city": 'a "b" {c:1}', "days": 2}
    assert calls_of(events(template(calls), text)) == [("get_weather", arguments)]
    assert message(template(calls), text)["tool_calls"] == [
        {"type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    ]
    other = calls | {"content_args": {"string_delims": [["'", "'"]]}}
    assert calls_of(events(template(other), "<c>f{\"a\": 'x'}</c>")) == [("f", {"a": "x"})]


def test_fields_that_have_no_event_are_content_as_they_stand() -> None:
    given = template(count={"open": "<n>", "close": "</n>", "content": "int"})
    assert content_of(events(given, "a <n>42</n> b")) == "a <n>42</n> b"
    assert message(given, "a <n>42</n> b") == {"content": "a  b", "count": 42}


def test_content_in_a_region_and_the_anchor_written_again() -> None:
    text = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>'
        "<|start|>assistant<|channel|>final<|message|>Done <|channel|>.<|end|>"
    )
    found = events(GPT_OSS, text)
    assert calls_of(found) == [("f", {"a": 1})]
    assert content_of(found) == "Done <|channel|>."
    assert [each.text for each in found if isinstance(each, Reasoning)] == ["Hm."]


def test_a_region_that_is_open_from_the_start() -> None:
    given = template(thinking={"open_pattern": r"(?:^|<think>\s*)", "close": "</think>"})
    for text in ("so</think>x", "<think>so</think>x", "<b</think>x"):
        found = events(given, text)
        assert content_of(found) == "x"
        assert any(isinstance(each, Reasoning) for each in found)
    assert content_of(events(given, "so</think>x<think>y</think></think>")) == "x</think>"


def test_a_region_that_what_follows_shows_to_be_open() -> None:
    given = template(thinking={"open_pattern": r"(?=[\s\S]*?</think>)", "close_pattern": r"</think>\s*"})
    found = events(given, "<b> so </think>\n\nx </think>")
    assert [each.text for each in found if isinstance(each, Reasoning)] == ["<b> so"]
    assert content_of(found) == "x </think>"
    assert content_of(events(given, "no thinking")) == "no thinking"
    assert content_of(events(given, "")) == ""


def test_real_regular_expressions() -> None:
    given = template(
        x={"open_pattern": r"<(?P<a>q)+>", "close_pattern": r"</q(?:\s*z)?>+", "transform": "{a}"},
        thinking={"open_pattern": r"<(t)\1*>", "close_pattern": r"</t{1,2}>"},
    )
    found = events(given, "a <qq>b</q  z>> <tt>so</tt> c </q> <tx")
    assert [each.text for each in found if isinstance(each, Reasoning)] == ["so"]
    assert content_of(found).endswith("<tx")


def test_a_closer_that_only_stands_ahead() -> None:
    given = template(
        JSON_CALLS["fields"]["tool_calls"], thinking={"open": "<think>", "close_pattern": "</think>|(?=<c>)"}
    )
    found = events(given, "<think>so <c>f {}</c> ok")
    assert [each.text for each in found if isinstance(each, Reasoning)] == ["so"]
    assert calls_of(found) == [("f", {})]


def test_the_id_of_the_model_is_kept() -> None:
    calls = {"open_pattern": r"<c>(?P<name>\w+)#(?P<id>\w+):", "content": "json", "transform": CALL | {"id": "{id}"}}
    found = events(template(calls), '<c>f#abc:{"a": 1} ok')
    assert [each.call.id for each in found if isinstance(each, CallEnd)] == ["abc"]
    assert content_of(found) == " ok"


def test_a_plan_pickles_by_its_template() -> None:
    plan = plan_of(TAG_CALLS)
    assert isinstance(plan, ResponsePlan)
    assert pickle.loads(pickle.dumps(plan)) is plan


# -- formats, prompts and messages -------------------------------------------------------------------------------------


def test_what_a_format_says_too_is_read_as_one() -> None:
    assert isinstance(plan_of(JSON_CALLS), FormatPlan)
    found = to_format(JSON_CALLS)
    assert found is not None
    assert found.call == "<c>{name}{ws}{arguments}{ws}</c>"
    assert to_format(TAG_CALLS) is None, "anything may stand between </f> and </c>"
    assert to_format(GPT_OSS) is None
    assert to_format(LINE_CALLS) is None


def test_the_prompt_counts_from_its_last_anchor() -> None:
    given = template(thinking=THINK)
    assert prompt_of(given, "A: x U: y A: <think>") == " <think>"
    assert prompt_of(given, "none") == "none"
    assert message(given, "so</think>x", "A: old U: y A: <think>") == {"thinking": "so", "content": "x"}
    pattern = {"start_anchor_pattern": r"A:(?:\n|<think></think>)?", "fields": given["fields"]}
    assert prompt_of(pattern, "A:<think></think>") == ""


def test_what_cannot_be_read_is_content_of_the_message() -> None:
    given = template(THINK | {"content": "json", "open": "<c>", "close": "</c>", "transform": "{content.x}"})
    assert message(given, "a <c>{}</c> b") == {"content": "a <c>{}</c> b"}
    given = template(score={"open": "<s>", "close": "</s>", "content": "float"})
    assert message(given, "<s>1.5</s><s>nan</s>") == {"score": 1.5, "content": "<s>nan</s>"}
    assert message(given, "<s>x</s>") == {"content": "<s>x</s>"}


def test_other_contents_of_a_message() -> None:
    fields: dict[str, Any] = {
        "yes": {"open": "<y>", "close": "</y>", "content": "bool"},
        "all": {"open": "<l>", "close": "</l>", "content": "json", "repeats": True},
        "tags": {"open": "<t>", "close": "</t>", "content": "xml-inline", "content_args": {"tag_pattern": TAG}},
        "made": {"open": "<m>", "close": "</m>", "transform": {"a": ["{content}", 1, "b"]}},
    }
    text = "<y>true</y><l>[1]</l><l>{}</l><t><p=a>1</p> <p=b>2</p></t><m> x </m>"
    assert message(template(**fields), text) == {
        "yes": True,
        "all": [[1], {}],
        "tags": {"a": "1", "b": "2"},
        "made": {"a": ["x", 1, "b"]},
    }
