"""What a user asks of `grammar_of`, and what it answers."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.grammar.cases import BEFORE_CALLS, BEGINNINGS, TOOLS
from tests.grammar.gbnf_reader import Gbnf
from tests.support import depth
from toolglean import Format, Parser, Tool, ToolError, UsageError
from toolglean.formats import get_format
from toolglean.grammar import Grammar, grammar_of
from toolglean.grammar.nodes import ALL, repeat
from toolglean.grammar.regexes import FirstChar, MatchesNode
from toolglean.grammar.texts import Avoid, Constraint, States, automaton, matches

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("get_weather", CITY)


def one(schema: dict[str, Any], declared: str = "hermes", **options: Any) -> Grammar:
    """The grammar of a tool `f` with one parameter `a`."""
    parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"], "$defs": DEFS}
    return grammar_of(declared, [Tool("f", parameters)], choice="required", **options)


DEFS = {
    "Node": {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["v"],
        "additionalProperties": False,
    }
}


def takes(schema: dict[str, Any], value: str, declared: str = "hermes", **options: Any) -> bool:
    """Whether the parameter may be written so."""
    around = {
        "hermes": '<tool_call>\n{{"name": "f", "arguments": {{"a": {}}}}}\n</tool_call>',
        "pythonic": "[f(a={})]",
        "qwen3-coder": "<tool_call>\n<function=f>\n<parameter=a>\n{}\n</parameter>\n</function>\n</tool_call>",
        "gemma-4": "<|tool_call>call:f{{a:{}}}<tool_call|>",
        "anthropic": '<function_calls>\n<invoke name="f">\n<parameter name="a"{}</parameter>\n</invoke>\n</function_calls>',
        "minimax-m3": ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">{}]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    }[declared]
    return Gbnf(one(schema, declared, **options).gbnf()).accepts(around.format(value))


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 12}, "3 9 10 12", "2 13 1 03 3.0 -3"),
        ({"type": "integer", "exclusiveMinimum": -2, "exclusiveMaximum": 101}, "-1 0 7 99 100", "-2 101 1000 -10"),
        ({"type": "integer", "minimum": 100}, "100 101 999 1000 123456", "99 9 0 -100"),
        ({"type": "integer", "maximum": -5}, "-5 -6 -10 -99", "-4 0 5"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "0 0.5 1 1.0 0.000001", "-0.1 1.1 2 1.01"),
        ({"type": "number", "exclusiveMinimum": 0.25, "exclusiveMaximum": 2.5}, "0.26 0.2500001 1 2 2.4999", "0.25 0.2 2.5 2.51 3 0.25000 0.25000000000000001"),
        ({"type": "number", "minimum": -1.5}, "-1.5 -1.49 -1 0 12.75", "-1.51 -2 -1.6"),
        ({"type": "number"}, "0 -1 1.5 1e5 1E-7 1.5e300 1e308 2.5e-307 123456789012345678901234567890", "1e-400 1e-999 1e309 1e999 01 .5 +1 NaN Infinity 2e308"),
        ({"type": "string", "minLength": 2, "maxLength": 3}, '"ab" "abc" "a\\"" "a\\u0041"', '"a" "abcd" ""'),
        ({"type": "string", "pattern": "^[a-c]+\\d{2}$"}, '"a12" "abc99"', '"12" "a1" "d12" "a123"'),
        ({"type": "string", "pattern": "b"}, '"b" "abc" "xxb"', '"" "a"'),
        ({"enum": ["a", 1, None, True]}, '"a" 1 null true', '"b" 2 false 1.0'),
        ({"const": "x"}, '"x"', '"y" x'),
        ({"type": ["integer", "null"]}, "1 null", '"1" true'),
        ({"anyOf": [{"type": "integer", "maximum": 3}, {"type": "boolean"}]}, "3 true", "4 null"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, "[1] [1,2] [1,\n\t2]", "[] [1,2,3] [true]"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, '[] [1] [1,"a"]', '["a"] [1,2] [1,"a",3]'),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, '{} {"x":1} {"x":1,"y":2}', '{"x":"1"} [1]'),
        ({"type": "object", "properties": {"x": {"type": "integer"}}}, '{} {"x":1}', '{"y":1} {"x":"1"}'),
        ({"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": True}, '{"x":1,"y":[]} {"xy":1} {"y":1}', '{"x":"1"} {"\\u0078":"1"}'),
        ({"$ref": "#/$defs/Node"}, '{"v":1} {"v":1,"next":{"v":2,"next":{"v":3}}}', '{"next":{"v":1}} {"v":1,"next":{}}'),
        ({"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 4}]}, "2 4", "1 5"),
        ({"type": "string"}, '"é東🙂" "\\n" "\\ud7ff"', '"\n" "\\ud800" "\\x41" \'a\''),
        ({}, '1 "a" [] {"a":[{}]} null', "a nope"),
    ],
)  # fmt: skip
def test_json_values(schema: dict[str, Any], good: str, bad: str) -> None:
    accepts = Gbnf(one(schema).gbnf()).accepts
    around = '<tool_call>\n{{"name": "f", "arguments": {{"a": {}}}}}\n</tool_call>'
    for values, wanted in ((good, True), (bad, False)):
        for value in values.split(" "):
            assert accepts(around.format(value)) is wanted, value


@pytest.mark.parametrize(
    ("declared", "schema", "good", "bad"),
    [
        ("pythonic", {"type": "string"}, ["'a'", '"it\'s"', "'\\n'", "'\\x7f'", "'é'"], ["a", "'\n'", "'\\d'"]),
        ("pythonic", {"type": "array", "items": {"type": ["boolean", "null"]}}, ["[True, None]", "[]", "[False,True]"], ["[true]", "[1]"]),
        ("qwen3-coder", {"type": "string"}, ["a", "", "a < b", "</param>", "<tool_call>x", "line\nline"], ["</parameter>", "a</parameter>b", "<function=f", "<function= \nf>"]),
        ("qwen3-coder", {"type": "string", "maxLength": 3}, ["a<b", "", "<<<"], ["abcd"]),
        ("qwen3-coder", {"type": "integer"}, ["1", "-20"], ["1.5", "a", ""]),
        ("qwen3-coder", {"type": "array", "items": {"type": "string"}}, ['["a<b"]', "[]"], ['["</parameter>"]', "a"]),
        ("qwen3-coder", {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "string"}]}, ["5", "a7", "12"], ["4", "-5", " 4"]),
        ("anthropic", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, [">x", ">x y", ' string="true">7', ' string="false">7'], [' string="false">x', ' string="false">1.5']),
        ("anthropic", {"type": "integer"}, [">7"], [">x", ' string="false">7']),
        ("gemma-4", {"type": "string"}, ['<|"|>a}{"<|"|>'], ["a", '<|"|>a<|"|>b<|"|>']),
        ("gemma-4", {"type": "array", "items": {"type": "integer"}}, ["[1,2]", "[]"], ["[1.5]", "1"]),
        ("minimax-m3", {"type": "array", "items": {"type": "integer"}}, ["]<]minimax[>[<a>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</a>", "]<]minimax[>[<a>]<]minimax[>[</a>"], ["]<]minimax[>[<a>1]<]minimax[>[</a>"]),
    ],
)  # fmt: skip
def test_values_in_other_dialects(declared: str, schema: dict[str, Any], good: list[str], bad: list[str]) -> None:
    assert [value for value in good if not takes(schema, value, declared)] == []
    assert [value for value in bad if takes(schema, value, declared)] == []


@pytest.mark.parametrize(
    ("declared", "typed"),
    [("deepseek-v3.2", '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="b" string="{}">{}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'),
     ("anthropic", '<function_calls>\n<invoke name="f">\n<parameter name="b" string="{}">{}</parameter>\n</invoke>\n</function_calls>')],
    ids=["deepseek-v3.2", "anthropic"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("others", "text", "number"),
    [(True, True, True), ({"type": "string"}, True, False), ({"type": "integer"}, False, True), (False, False, False)],
)
def test_a_parameter_that_is_not_listed(declared: str, typed: str, others: Any, *, text: bool, number: bool) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": others}
    accepts = Gbnf(grammar_of(declared, [Tool("f", schema)], choice="required").gbnf()).accepts
    assert (accepts(typed.format("true", "x")), accepts(typed.format("false", "5"))) == (text, number)


def test_what_no_grammar_holds_is_an_error_and_without_strict_a_note() -> None:
    schema = {"type": "array", "uniqueItems": True}
    with pytest.raises(UsageError, match=re.escape("tools.f.parameters.properties.a.uniqueItems")) as error:
        one(schema)
    assert "applies to structural tags, Lark and GBNF" in str(error.value)
    assert "strict=False" in str(error.value)
    loose = one(schema, strict=False)
    assert loose.notes == ("tools.f.parameters.properties.a.uniqueItems: a grammar cannot express this keyword",)
    Gbnf(loose.gbnf())


@pytest.mark.parametrize("declared", ["gemma-4", "pythonic"])
def test_a_plain_key_is_no_longer_than_readers_take(declared: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": True}
    accepts = Gbnf(grammar_of(declared, [Tool("f", schema)], choice="required").gbnf()).accepts
    around = "<|tool_call>call:f{{{}:1}}<tool_call|>" if declared == "gemma-4" else "[f({}=1)]"
    assert accepts(around.format("k" * 100))
    assert not accepts(around.format("k" * 257))


def test_a_note_says_where_a_grammar_is_narrower() -> None:
    found = one({"type": "object"}, "minimax-m3")
    assert found.notes == (
        "tools.f.parameters.properties.a: an object with arbitrary members is written as JSON, not as elements",
    )


def test_a_note_says_which_letters_a_marker_excludes() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    assert any("may not contain any of 'ETB'" in note for note in one(schema, "continue").notes)


def test_text() -> None:
    for name, text, may_be in BEGINNINGS:
        assert Gbnf(grammar_of(name, TOOLS).gbnf()).accepts(text) == may_be, (name, text)
    accepts = Gbnf(grammar_of("hermes", TOOLS).gbnf()).accepts
    for text, may_be in BEFORE_CALLS:
        assert accepts(f'{text}<tool_call>\n{{"name": "now", "arguments": {{}}}}\n</tool_call>') == may_be, text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"format": "hermes", "tools": [WEATHER], "choice": "nope"}, "choice='nope'"),
        ({"format": "hermes", "tools": [], "choice": "required"}, "needs tools"),
        ({"format": "no such", "tools": [WEATHER]}, "unknown format"),
        ({"format": 3, "tools": [WEATHER]}, "format=3 is not a format: pass a Format, or the name of one"),
        ({"format": "command-r", "tools": [WEATHER], "reasoning": True}, "no markers for reasoning"),
        ({"format": "pythonic", "tools": ["get weather"], "choice": "required"}, "get weather"),
        ({"format": "qwen3-coder", "tools": [Tool("f", {"properties": {"a>b": {"type": "string"}}})]}, "a>b"),
        ({"format": "hermes", "tools": [Tool("f", {"properties": {"a": False}, "required": ["a"]})]}, "no object satisfies"),
        ({"format": "qwen3-coder", "tools": [Tool("f", {"anyOf": [CITY, {"type": "object"}]})]}, "own `properties`"),
    ],
)  # fmt: skip
def test_what_cannot_be_enforced(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        grammar_of(**arguments)


def test_an_entry_that_is_no_tool() -> None:
    with pytest.raises(ToolError):
        grammar_of("hermes", [3])


def test_a_format_may_be_given_in_three_ways() -> None:
    declared = Format("mine", call="<call>{call}</call>")
    assert Gbnf(grammar_of(declared, [WEATHER]).gbnf()).accepts(
        '<call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</call>'
    )
    parser = Parser([WEATHER], format="hermes")
    assert grammar_of(parser.format or "", [WEATHER]).gbnf() == grammar_of("hermes", [WEATHER]).gbnf()


def test_the_notations() -> None:
    found = grammar_of("hermes", [WEATHER], choice="required")
    tag = found.structural_tag()
    assert tag["type"] == "structural_tag"
    assert json.loads(json.dumps(tag)) == tag
    assert found.gbnf().startswith("root ::= ")
    assert "start: " in found.lark()
    assert repr(found) == "Grammar(format='hermes', choice='required', notes=())"


def test_special_tokens_stand_by_their_ids_in_lark() -> None:
    found = grammar_of("kimi-k2", [WEATHER], choice="required")
    ids = {
        "<|tool_calls_section_begin|>": 7,
        "<|tool_call_begin|>": 8,
        "<|tool_call_end|>": 9,
        "<|tool_calls_section_end|>": 10,
    }
    text = found.lark(ids)
    assert all(f"<[{number}]>" in text for number in ids.values())
    assert not any(token in text for token in ids)
    with pytest.raises(UsageError, match="special_tokens"):
        found.lark({"<x>": "7"})  # type: ignore[dict-item]


def test_calls_in_quotes_are_no_calls() -> None:
    accepts = Gbnf(grammar_of("hermes", [WEATHER]).gbnf()).accepts
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    for text in ("", "Look: ", "`x` ", "```\ncode\n```\n", "a `b` c\n```py\n1\n```\nThen\n", "`x`"):
        assert accepts(text + call), text
    for text in ("`", "Use `", "```\n", "```py\ncode", "```\ncode\n``` ", "``", "a ``b` "):
        assert not accepts(text + call), text


def test_text_does_not_begin_with_a_marker_that_is_dropped() -> None:
    # After it, a reader takes bare JSON for a call, as at the beginning of the turn.
    accepts = Gbnf(grammar_of("ernie-4.5", [WEATHER]).gbnf()).accepts
    assert not accepts('</response>{"name": "get_weather", "arguments": {}}')
    assert accepts("<response>\nHello.\n</response>")


def test_what_the_prompt_has_begun() -> None:
    accepts = Gbnf(grammar_of("functionary-v3.2", [WEATHER], choice="required").gbnf()).accepts
    assert accepts('get_weather\n{"city": "Oslo"}')
    assert accepts('>>>get_weather\n{"city": "Oslo"}')


CONSTRAINTS = [
    (Avoid(("<tool_call>", "<think>")), FirstChar("{[", spaces=True)),
    (Avoid(("ab", "ba")), MatchesNode(repeat(ALL, 2, 5))),
    (MatchesNode(repeat(ALL)), Avoid(("aab",))),
    (MatchesNode(repeat(ALL, 3, 200)),),
]


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_states_that_are_one_accept_what_the_constraints_do(constraints: tuple[Constraint, ...], seed: int) -> None:
    table = automaton(constraints)
    dice = random.Random(seed)
    words = ["a", "b", "ab", "<tool_call>", "<think", ">", "{", " ", "é", "<"]
    for _ in range(300):
        text = "".join(dice.choices(words, k=dice.randrange(8)))
        assert _ends(table, text) == matches(constraints, text), text


def test_states_from_which_the_same_follows_are_one() -> None:
    table = automaton((Avoid(("<a>", "<b>")),))
    assert len(table) == 3  # nothing, "<", and "<a" or "<b"
    assert len(automaton((MatchesNode(repeat(ALL, 3, 200)),))) == 201


def _ends(table: States, text: str) -> bool:
    state = 0
    for char in text:
        ways = [to for to, ranges in table[state][1].items() if any(low <= ord(char) <= high for low, high in ranges)]
        if not ways:
            return False
        [state] = ways
    return table[state][0]


@pytest.mark.parametrize("name", ["mistral-v3", "mistral-v11", "mistral-v13", "hermes"])
def test_text_holds_no_closer_of_reasoning(name: str) -> None:
    gbnf = Gbnf(grammar_of(name, [Tool("look", {"type": "object", "properties": {}})]).gbnf())
    assert gbnf.accepts("So it is.")
    for _, closer in get_format(name).all_reasonings:
        assert not gbnf.accepts(f"So {closer} it is."), closer


WRITE_ALL = """
import json
import sys
from tests.grammar.cases import EXPRESSED
from toolglean.grammar import grammar_of

for number, declared in enumerate(EXPRESSED[:: int(sys.argv[1])]):
    grammar = grammar_of(declared, ["f"], strict=False)
    print(declared.name, grammar.lark(), json.dumps(grammar.structural_tag()))
    if number % 12 == 0:  # GBNF takes longer than all the rest
        print(grammar.gbnf())
"""


def test_a_grammar_is_the_same_in_each_run() -> None:
    """Fixed bug: the letters that may begin a namespace came from a set, in an order that changed with the hash seed."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_ALL, "1" if depth.is_full() else "60"],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
        )
        for seed in "12"
    ]
    one, other = (run.communicate()[0] for run in runs)
    assert [run.returncode for run in runs] == [0, 0]
    assert one == other
