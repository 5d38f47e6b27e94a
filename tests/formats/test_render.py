# Rows: what `render` writes for each family's fixture, what it writes for rare values, and what it refuses, with reasons.
# (The law behind it, for any values: test_format_properties.py.)
"""Tests of toolglean.formats.render."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolglean
from tests.support.chunkings import calls_of, content_of, read_with, reasoning_of
from tests.support.shared import FIXTURES
from toolglean import Format, Quoted, ToolCall, ToolSet, Tree, UsageError, parse
from toolglean.formats.registry import get_format
from toolglean.formats.render import CallLike, render

FAMILIES = sorted(path.stem for path in (FIXTURES / "formats").glob("*.json"))

# Families whose fixture is not what `render` writes: the fixture shows another spelling, or the template's white space.
OTHERWISE = {
    "anthropic": "types",
    "bracket-calls": "two spellings",
    "cwm": "text for JSON",
    "escaped-markup": "two spellings",
    "granite-pythonic": "other quotes",
    "prompt-tags": "two spellings",
    "tool-code": "other quotes",
    "beam": "no line break after the last parameter",
    "command-a": "ids, and the template's white space",
    "command-r": "the template's white space",
    "functionary-v2": "headers of messages",
    "functionary-v3.2": "the prompt has written the first marker",
    "glm-4.5": "an empty reasoning",
    "harmony": "JSON without spaces",
    "internlm": "no white space",
    "json-input": "ids and types",
    "k2-horizon": "no white space",
    "kimi-k3": "indexes from 1",
    "laguna": "no white space",
    "ling-3": "no white space",
    "llama4": "content inside the marker",
    "llama4-pythonic": "no section",
    "mimo": "no white space",
    "minicpm-3": "other quotes",
    "mistral-v11": "ids",
    "muse": "headers of messages",
    "tool-tags": "line breaks between the parameters",
    "nemotron-mini": "JSON without spaces",
    "olmo-3": "no white space",
    "phi-4-mini": "another spelling",
    "solar": "ids",
    "step-3": "no white space",
    "xlam-object": "the template's white space",
}

AFTER = {"xlam-object"}  # families whose fixture has content after the calls, which `render` does not write


def fixture_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / "formats" / f"{name}.json").read_text(encoding="utf-8"))
    return found | {"content": ""} if name in AFTER else found


def rendered(case: dict[str, Any]) -> str:
    tools = ToolSet(case["tools"])
    return render(case["format"], case["calls"], content=case["content"], reasoning=case["reasoning"], tools=tools)


@pytest.mark.parametrize("name", FAMILIES)
def test_fixtures_are_written(name: str) -> None:
    """Both directions, one case: the turn is read in test_library.py, and written here."""
    case = fixture_of(name)
    text = rendered(case)
    assert case["turn"].startswith(text) == (name not in OTHERWISE), text
    events = read_with(case["tools"], text, format=name, one_of_many=True)
    assert calls_of(events) == [(call["name"], call["arguments"]) for call in case["calls"]]
    assert content_of(events).strip() == case["content"].strip()
    assert reasoning_of(events).strip() == case["reasoning"].strip()


def typed(**properties: Any) -> ToolSet:
    """One tool called f, with parameters of these types."""
    schemas = {key: {"type": kind} if isinstance(kind, str | list) else kind for key, kind in properties.items()}
    return ToolSet([{"name": "f", "parameters": {"type": "object", "properties": schemas}}])


CODER = "<tool_call>\n<function=f>\n<parameter=x>\n{}\n</parameter>\n</function>\n</tool_call>"
ROWS: list[tuple[str, Any, ToolSet | None, str]] = [
    ("qwen3-coder", {"x": "y"}, None, CODER.format("y")),
    ("qwen3-coder", {"x": ""}, None, CODER.format("")),
    ("qwen3-coder", {"x": "\n a\n"}, None, CODER.format("\n a\n")),
    ("qwen3-coder", {"x": "a\n</parameter>\nb"}, None, CODER.format("a\n</parameter>\nb")),
    ("qwen3-coder", {"x": "3"}, None, CODER.format("3")),
    ("qwen3-coder", {"x": 3}, typed(x="integer"), CODER.format("3")),
    ("qwen3-coder", {"x": None}, typed(x=["string", "null"]), CODER.format("null")),
    ("qwen3-coder", {"x": [1, "é"]}, typed(x="array"), CODER.format('[1, "é"]')),
    ("qwen3-coder", {}, None, "<tool_call>\n<function=f>\n</function>\n</tool_call>"),
    ("hermes", {"x": "</tool_call>"}, None, '<tool_call>\n{"name": "f", "arguments": {"x": "</tool_call>"}}\n</tool_call>'),
    ("minicpm-5", {"x": "a < b"}, None, '<function name="f"><param name="x">a < b</param></function>'),
    ("pythonic", {"x": "it's", "y": None}, None, """[f(x="it's", y=None)]"""),
    ("pythonic", {"x y": [True]}, None, "[f({'x y': [True]})]"),
    ("gemma-4", {"k": 'a"b', "l": [1, "x"], "o": {"a b": None}}, None,
     '<|tool_call>call:f{k:<|"|>a"b<|"|>,l:[1,<|"|>x<|"|>],o:{a b:null}}<tool_call|>'),
    ("gemma-4", {"k": 'a<|"|>b', "a:b": ""}, None, '<|tool_call>call:f{k:"a<|\\"|>b",<|"|>a:b<|"|>:<|"|><|"|>}<tool_call|>'),
    ("functiongemma", {"n": 3, "s": "x"}, typed(n="integer", s="string"),
     "<start_function_call>call:f{n:<escape>3<escape>,s:<escape>x<escape>}<end_function_call>"),
    ("functiongemma", {"n": 3}, None, "<start_function_call>call:f{n:3}<end_function_call>"),
    ("glm-4", {"x": 1}, None, 'f\n{"x": 1}'),
    ("tool-tags", {"x": "a\nb"}, typed(x="string"), "<f>\n<x>a\nb</x></f>"),
    ("tool-tags", {"x": "\n a\n"}, typed(x="string"), "<f>\n<x>\n\n a\n\n</x></f>"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "tools", "text"), ROWS)
def test_one_call(name: str, arguments: dict[str, Any], tools: ToolSet | None, text: str) -> None:
    assert render(name, [("f", arguments)], tools=tools) == text
    assert calls_of(read_with(tools, text, format=name)) == [("f", arguments)]


def test_types_are_written_where_the_format_has_them() -> None:
    text = render("deepseek-v3.2", [("f", {"a": "1", "b": 1, "c": [None]})])
    assert text.count('string="true"') == 1
    assert text.count('string="false"') == 2
    assert parse(text, format="deepseek-v3.2").calls[0].arguments == {"a": "1", "b": 1, "c": [None]}


def test_every_way_to_give_a_call() -> None:
    call = ToolCall("id-1", 0, "f", None, {"x": 1}, "", (0, 0), "ok")
    as_dict = {"id": "id-1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    ways: list[CallLike] = [call, ("f", {"x": 1}), {"name": "f", "arguments": {"x": 1}}, as_dict]
    assert len({render("hermes", [way]) for way in ways}) == 1
    assert parse(render("solar", ways), format="solar").calls[0].id == "id-1"
    assert [each.id for each in parse(render("solar", ways), format="solar").calls] == [
        "id-1",
        "call_1",
        "call_2",
        "id-1_2",  # no two calls of a turn share an id
    ]


def test_indexes_make_ids() -> None:
    calls = parse(render("kimi-k2", [("f", {}), ("g", {})]), format="kimi-k2").calls
    assert [call.id for call in calls] == ["functions.f:0", "functions.g:1"]


def test_no_call_no_section() -> None:
    assert render("kimi-k2", content="Hello", reasoning="Hm.") == "<think>Hm.</think>Hello"
    assert render("kimi-k2") == ""


def test_the_first_parameter_pattern_that_can_hold_the_value_counts() -> None:
    declared = Format(
        "two-forms",
        call="<f name={name}>{parameters}</f>",
        parameter=("<p {key}>{value}</p>", "<j {key}:{type}>{value}</j>"),
        types={"string": "s", "*": "other"},
    )
    text = render(declared, [("f", {"a": "x", "b": 1})])
    assert text == "<f name=f><p a>x</p><j b:other>1</j></f>"
    assert parse(text, format=declared).calls[0].arguments == {"a": "x", "b": 1}


# -- refusals ----------------------------------------------------------------------------------------------------------

TREE = Format("tree", call="<f n={name}>{arguments}</f>", arguments=Tree("~"))
QUOTED = Format("quoted", call="<f>{name}{arguments}</f>", arguments=Quoted("@@", all=True))
OPEN = Format("open", call="<f n={name}>{parameters}", parameter="<p {key}>{value}</p>")

REFUSALS: list[tuple[Any, Any, dict[str, Any], str]] = [
    # (format, calls, other arguments, what the message says)
    ("qwen3-coder", [("f", {"x": "a\n</parameter>\n</function>"})], {}, "'x': the value contains what ends it: '\\n</parameter"),
    ("qwen3-coder", [("f", {"x": "a</parameter><parameter=b>"})], {}, "call 0 ('f'), argument 'x': the value contains what ends it"),
    ("qwen3-coder", [("f", {}), ("g", {"x": 3})], {}, "call 1 ('g'), argument 'x': this format has no text that is read as 3 without"),
    ("qwen3-coder", [("f", {"x": 3})], {"tools": typed(x="string")}, "read as 3 with its schema"),
    ("qwen3-coder", [("f", {"x": "3"})], {"tools": typed(x="integer")}, "read as '3' with its schema"),
    ("qwen3-coder", [("f", {"x": "null"})], {"tools": typed(x=["string", "null"])}, "no text that is read as 'null'"),
    ("qwen3-coder", [("f", {"a>b": "x"})], {}, "the key 'a>b' contains what ends it, and would be read as 'a'"),
    ("qwen3-coder", [("f g", {})], {}, "white space in the name 'f g'"),
    ("qwen3-coder", [("a>b", {})], {}, "the name 'a>b' contains what ends it"),
    ("qwen3-coder", [("<f", {})], {}, "the name cannot begin with '<'"),
    ("qwen3-coder", [("f" * 300, {})], {}, "the name has more than 256 characters"),
    ("qwen3-coder", [("f", {"k" * 5000: "x"})], {}, "a key has at most"),
    ("pythonic", [("f/g", {})], {}, "the name 'f/g'"),
    ("pythonic", [("g", {})], {"tools": ToolSet(["f"])}, "no such tool"),
    ("hermes", [("functions.f", {})], {"tools": ToolSet(["f"])}, "it would be read as a call of 'f'"),
    ("tool-tags", [("f", {})], {}, "this format reads only calls to known tools: pass tools"),
    ("solar", [{"id": "a b", "name": "f", "arguments": {}}], {}, "white space in the id 'a b'"),
    ("solar", [{"id": "a<|tool_call:name|>", "name": "f", "arguments": {}}], {}, "the id 'a<|tool_call:name|>' contains what ends it"),
    (TREE, [("f", {"a b": "x"})], {}, "argument 'a b': this format has no text"),
    (TREE, [("f", {"a": "~<b>"})], {}, "argument 'a': this format has no text"),
    (QUOTED, [("f", {"a": "3"}), ("f", {"a": 3})], {"tools": typed(a="string")}, "call 1 ('f'), argument 'a'"),
    (OPEN, [("f", {}), ("f", {})], {}, "call 1 ('f'): nothing in the pattern shows that the call is complete"),
    ("hermes", [("f", {"x": float("nan")})], {}, "argument 'x': nan is not JSON"),
    ("hermes", [("f", {"x": [object()]})], {}, "argument 'x': object is not a JSON type"),
    ("hermes", [("f", {"x": {1: 2}})], {}, "argument 'x': the key 1 is not a string"),
    ("hermes", [("f", {"x": "\ud83d"})], {}, "argument 'x': half of a surrogate pair"),
    ("hermes", [("f", {"x": 10**4300})], {}, "argument 'x': an integer of more than 4300 digits"),
    ("hermes", [("f", {"x": json.loads("[" * 260 + "]" * 260)})], {}, "argument 'x': it is nested deeper than 250"),
    ("hermes", [("f", [])], {}, "arguments=[] are not an object: pass a dict"),
    ("hermes", [{"name": "f", "arguments": "{"}], {}, "arguments='{' are not JSON ("),
    ("hermes", [("", {})], {}, "the name is empty or not text: pass the name of a tool"),
    ("hermes", [{"function": "f"}], {}, "not a call"),
    ("hermes", ["f"], {}, "not a call"),
    ("hermes", [ToolCall("i", 0, "f", None, {}, "", (0, 0), "incomplete")], {}, "it is incomplete"),
    ("hermes", [("f", {})] * 1025, {}, "at most 1,024 calls, not 1,025"),
    ("hermes", [], {"content": "a <tool_call> b"}, "the content contains a marker: '<tool_call>'"),
    # What begins a message's header shows nothing, where the turn ends with it.
    ("harmony", [], {"content": "a <|channel|>"}, "the content contains a marker: '<|channel|>'"),
    ("hermes", [("f", {})], {"reasoning": "a</think>b"}, "the reasoning contains a marker: '</think>'"),
    ("gigachat-3", [], {"reasoning": "x"}, "it has no markers for reasoning"),
    ("pythonic", [("f", {})], {"content": "a"}, "can be no content before them"),
    ("xlam", [], {"content": '[{"name": 1}]'}, "the content begins like a call"),
    ("glm-4", [], {"content": "f\n{x"}, "the content begins like a call"),
    ("no-such-format", [], {}, "unknown format 'no-such-format'"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "calls", "options", "message"), REFUSALS)
def test_what_would_not_come_back_is_refused(declared: Any, calls: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as found:
        render(declared, calls, **options)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("qwen3-coder", "<![CDATA[x]]>", "a value would become another one"),
        ("qwen3-coder", "<parameter=x>", "value that contains the opener of a parameter"),
        ("glm-4.5", "<arg_value>", "value that contains its own closing marker"),
        ("minimax-m2", '<parameter name="x">', "value that contains the opener of a parameter"),
    ],
)
def test_what_a_parser_reads_otherwise_is_refused(name: str, value: str, reason: str) -> None:
    """No rule of a slot is against it; a parser judges what it means."""
    with pytest.raises(UsageError, match=f"format '{name}': the calls would not be read back: .*{reason}"):
        toolglean.render(name, [("f", {"x": value})], tools=["f"])
    for calls in ([("f", {"x": f"a {value[:-1]}"})], [{"id": "a", "name": "f", "arguments": '{"x": "y"}'}] * 2):
        assert toolglean.render(name, calls, tools=["f"]) == render(name, calls, tools=ToolSet(["f"]))


@pytest.mark.parametrize("content", ["f is a function: f(x)", "Hello, {x}", "f g\n{", "3 < 4"])
def test_content_that_begins_like_no_call_is_content(content: str) -> None:
    """Where calls need no marker, prose is told from them by what follows the first word."""
    text = render("glm-4", content=content)
    assert parse(text, format="glm-4").content == content == text


def test_formats_can_be_given_by_name_or_as_they_are() -> None:
    assert render("HERMES", [("f", {})]) == render(get_format("hermes"), [("f", {})])
