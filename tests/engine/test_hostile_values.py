# Texts that once made a parser raise, or wait for minutes, by what they say of values and names.
# Does not depend on how values are read. (Floods of all kinds are a table: benchmarks/floods.py.)
"""Hostile values."""

from __future__ import annotations

import inspect
import json
import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with, reasoning_of
from toolglean import (
    CallEnd,
    CallStart,
    Limits,
    Parser,
    ParserOptions,
    ToolSet,
    UsageError,
    join,
    parse,
    render,
)
from toolglean.formats.registry import all_formats
from toolglean.scan.nested import whole_characters

PAIRS = sorted({pair for declared in all_formats() for pair in declared.all_reasonings if pair[0].strip()})


# -- reasoning in auto -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opener", "closer"), PAIRS, ids=[opener for opener, _ in PAIRS])
def test_auto_knows_the_reasoning_of_every_family(opener: str, closer: str) -> None:
    """Some pairs are left out in `auto`, for they are prose; the others must keep their own lane."""
    for tools in (None, ["f"]):
        make = partial(Parser, tools, format="auto", options=ParserOptions(markup=True))
        events = events_of(make, f"{opener}Hm{closer}Hello", one_of_many=True)
        thought = reasoning_of(events)
        if opener[0] == "/":
            assert not thought
        elif opener[0].isalpha():
            assert content_of(events) == f"{opener}Hm{closer}Hello"
        else:
            assert (thought.strip(), content_of(events).strip()) == ("Hm", "Hello")


@pytest.mark.parametrize("text", ["<thinking>Hm", "Write <thinking> first.", "<thinking>x</thinking>"])
def test_thinking_in_auto(text: str) -> None:
    read_with(None, text, format="auto")


# -- numbers, characters -----------------------------------------------------------------------------------------------


def typed(kind: Any) -> list[dict[str, Any]]:
    """A tool `f` whose parameter `n` is of that kind."""
    return [{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": kind}}}}]


def coder(value: str) -> str:
    """A call of qwen3-coder with that text as the value of `n`."""
    return f"<tool_call>\n<function=f>\n<parameter=n>\n{value}\n</parameter>\n</function>\n</tool_call>"


def hermes(arguments: str) -> str:
    """A call of hermes with that text as its arguments."""
    return '<tool_call>{"name": "f", "arguments": ' + arguments + "}</tool_call>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("\r\nx\r\n", "x"), ("\r\na\r\nb\r\n", "a\r\nb"), ("\r\nx\n", "x\n"), ("\nx\r\n", "x\r"), ("\rx\n", "\rx")],
)
@pytest.mark.parametrize("name", ["qwen3-coder", "auto"])
def test_a_line_break_of_two_characters_is_one_line_break(value: str, expected: str, name: str) -> None:
    """Around a value, if both are: what a model wrote on Windows."""
    call = coder("\0").replace("\n\0\n", value)
    tools = typed("string")
    events = read_with(tools, call, format=name)
    assert calls_of(events) == [("f", {"n": expected})]


LONG = "9" * 4290


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (LONG + "e10", int(LONG) * 10**10),  # 4,300 digits: as many as Python writes
        (LONG + "e11", LONG + "e11"),
        (LONG + "e300", LONG + "e300"),
        ("-" + LONG + "e9", -int(LONG) * 10**9),
        ("-" + LONG + "e10", "-" + LONG + "e10"),
        ("0" * 4000 + "7e300", 7 * 10**300),
        ("1e309", "1e309"),
        ("0e9999", "0e9999"),
        ("0e-9999", 0),
        ("1e-9999", "1e-9999"),
        ("12000e-3", 12),
        ("1234e-3", "1234e-3"),
        ("1.5e1", 15),
        ("1" * 4301, "1" * 4301),
    ],
    ids=lambda each: f"{str(each)[:10]}…{str(each)[-5:]}" if isinstance(each, str) else "",
)
def test_integers_with_exponents(text: str, value: object) -> None:
    output = parse(coder(text), typed("integer"), format="qwen3-coder")
    assert output.calls[0].arguments == {"n": value}
    if len(text) < 400:
        read_with(typed("integer"), coder(text), format="qwen3-coder")


@pytest.mark.parametrize("name", ["\ud800", "BULL\udfffET", "", "A" * 255, "LATIN SMALL LETTER \x00", "é"])
@pytest.mark.parametrize(("before", "after"), [("[f(x='", "')]"), ("[f(x={'a': {'", "'}})]")])
def test_characters_by_name(name: str, before: str, after: str) -> None:
    """What is not a character's name stays as it is."""
    text = f"{before}\\N{{{name}}}{after}"
    events = read_with(["f"], text, format="pythonic")
    arguments: Any = calls_of(events)[0][1]
    value = arguments["x"] if isinstance(arguments["x"], str) else arguments["x"]["a"][0]
    assert value == whole_characters("\\N{" + name + "}")


NAMED = [
    ("hermes", '<tool_call>{"id": "i\\ud800", "name": "n\ud800", "arguments": {}}</tool_call>'),
    ("hermes", '<tool_call>{"arguments": {}, "name": "n\\udfff", "id": "i\udfff"}</tool_call>'),
    ("mistral-v11", "[TOOL_CALLS]n\ud800[CALL_ID]i\ud800[ARGS]{}"),
    ("kimi-k2", "<|tool_call_begin|>n\ud800:i\ud800<|tool_call_argument_begin|>{}<|tool_call_end|>"),
    ("qwen3-coder", "<tool_call>\n<function=n\ud800>\n</function>\n</tool_call>"),
]


@pytest.mark.parametrize(("name", "text"), NAMED, ids=[f"{name}-{number}" for number, (name, _) in enumerate(NAMED)])
def test_names_and_ids_hold_no_lone_surrogate(name: str, text: str) -> None:
    for tools in (None, ["f"]):
        events = events_of(partial(Parser, tools, format=name, options=ParserOptions(markup=True)), text)
        for event in events:
            if isinstance(event, CallStart):
                event.name.encode()
            if isinstance(event, CallEnd):
                assert event.call.name == "n\ufffd"
                (event.call.name + event.call.id).encode()


def test_halves_of_a_pair_join() -> None:
    """However each half is written, as a character or as an escape."""
    for high in ("\ud83d", "\\ud83d", "\\uD83D"):
        for low in ("\ude00", "\\ude00", "\\uDE00"):
            output = parse(hermes(f'{{"{high}{low}": "\\\\{high}{low}{high}"}}'), format="hermes")
            assert output.calls[0].arguments == {"😀": "\\😀\ufffd"}


# -- depth -------------------------------------------------------------------------------------------------------------

# What holds a list in `depth` lists, within `room` other containers, as each dialect writes it.
DEEP: dict[str, tuple[str, int, Callable[[str], str], Any]] = {
    "an object": ("hermes", 2, lambda inner: hermes(f'{{"n": {inner}}}'), ["f"]),
    "a string": ("hermes", 2, lambda inner: hermes(json.dumps(f'{{"n": {inner}}}')), ["f"]),
    "a string before the name": (
        "hermes",
        2,
        lambda inner: (
            f'<tool_call>{{"arguments": {json.dumps(f"{{{chr(34)}n{chr(34)}: {inner}}}")}, "name": "f"}}</tool_call>'
        ),
        ["f"],
    ),
    "a string alone": ("mistral-v13", 1, lambda inner: "[TOOL_CALLS]f[ARGS]" + json.dumps(f'{{"n": {inner}}}'), ["f"]),
    "a typed value": ("qwen3-coder", 1, coder, typed("array")),
    "a typed Python value": ("qwen3-coder", 1, lambda inner: coder(inner.replace("1", "'x'")), typed("array")),
    "a value with its type": (
        "kimi-k3",
        1,
        lambda inner: (
            '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="n" type="array"<|sep|>'
            f"{inner}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
        ),
        ["f"],
    ),
    "quoted": ("gemma-4", 1, lambda inner: f"<|tool_call>call:f{{n:{inner}}}<tool_call|>", ["f"]),
    "an element": (
        "minimax-m3",
        1,
        lambda inner: (
            ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">'
            f"]<]minimax[>[<n>{inner}]<]minimax[>[</n>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
        ),
        typed("array"),
    ),
    "keywords": ("pythonic", 1, lambda inner: f"[f(n={inner})]", ["f"]),
}


@pytest.mark.parametrize("which", DEEP)
@pytest.mark.parametrize("limit", [4, 7])
def test_the_depth_limit(which: str, limit: int) -> None:
    """It counts the containers around the arguments too, however they are written."""
    name, room, written, tools = DEEP[which]

    def make() -> Parser:
        return Parser(tools, format=name, options=ParserOptions(markup=True, limits=Limits(depth=limit)))

    held = limit - room
    events = events_of(make, written("[" * held + "1" + "]" * held))
    assert [each.call.status for each in events if isinstance(each, CallEnd)] == ["ok"]
    events = events_of(make, written("[" * (held + 1) + "1" + "]" * (held + 1)))
    assert [each.call.status for each in events if isinstance(each, CallEnd)] == ["malformed"]
    assert codes_of(events) == ["limit-depth"]


@pytest.mark.sampled(1, each="which")
@pytest.mark.parametrize("which", DEEP)
@pytest.mark.parametrize("deep", [250, 1900])
def test_nesting_is_read_wherever_the_caller_stands(which: str, deep: int) -> None:
    """Near the end of the caller's stack, and deeper than any stack; also when it is pickled on the way."""
    name, _, written, tools = DEEP[which]
    text = written("[" * deep + "1" + "]" * deep)

    def run() -> Any:
        parser = Parser(tools, format=name, options=ParserOptions(limits=Limits(depth=2000)))
        events = parser.feed(text[: len(text) // 2])
        parser = pickle.loads(pickle.dumps(parser))
        return join(events + parser.feed(text[len(text) // 2 :]) + parser.finish())

    run()  # what is imported and compiled only once takes more of the stack
    for room in (60, 200, 500):
        [end] = [each for each in _near_the_end(run, room) if isinstance(each, CallEnd)]
        assert end.call.status == "ok", end.call.arguments_text[-80:]
        value = end.call.arguments["n"]
        for _ in range(deep):
            [value] = value
        assert value in (1, "x")


def _near_the_end(work: Callable[[], Any], room: int) -> Any:
    # With room for so many more frames.
    depth = len(inspect.stack(0))

    def deeper(frames: int) -> Any:
        return deeper(frames - 1) if frames > 0 else work()

    return deeper(sys.getrecursionlimit() - depth - room)


@pytest.mark.parametrize("name", ["hermes", "pythonic", "gemma-4", "minimax-m3", "qwen3-coder", "kimi-k3"])
def test_nesting_is_rendered_wherever_the_caller_stands(name: str) -> None:
    inner: Any = "x"
    for _ in range(120):
        inner = {"a": [inner]}
    tools = ToolSet(typed("object"))

    def written() -> str:
        return render(name, [("f", {"n": inner})], tools=tools)

    text = written()
    assert _near_the_end(written, 60) == text
    assert parse(text, tools, format=name).calls[0].arguments == {"n": inner}


def test_schemas_are_asked_wherever_the_caller_stands() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for word in ("anyOf", "allOf", "oneOf") * 80:
        schema = {word: [schema]}
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"n": schema}}}]

    def run() -> Any:
        return parse(coder("7"), tools, format="qwen3-coder").calls[0].arguments

    assert run() == {"n": 7}
    assert _near_the_end(run, 60) == {"n": 7}


REFERRED = {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}


@pytest.mark.parametrize("which", ["a typed value", "an element", "quoted"])
def test_references_are_followed_in_every_dialect(which: str) -> None:
    name, _, written, _ = DEEP[which]
    tools = ToolSet([{"name": "f", "parameters": REFERRED}])
    text = written("007" if which == "quoted" else "7")
    assert calls_of(read_with(tools, text, format=name)) == [("f", {"n": 7})]
    assert parse(render(name, [("f", {"n": 7})], tools=tools), tools, format=name).calls[0].arguments == {"n": 7}


def test_the_depth_limit_has_a_limit() -> None:
    assert Limits(depth=10_000).depth == 10_000
    with pytest.raises(UsageError, match=r"Limits\(depth=10001\) is over the maximum: pass 10,000 or less"):
        Limits(depth=10_001)


# -- escapes of names and keys -----------------------------------------------------------------------------------------

ATTRIBUTES = [
    # as it is written, what it means
    ("a&amp;b", "a&b"),
    ("say&quot;hi&quot;", 'say"hi"'),
    ("&amp;quot;", "&quot;"),  # escaped once, so once unescaped
    ("a&b;&lt;", "a&b;&lt;"),  # the template escapes no more than these two
]


@pytest.mark.parametrize(("written", "meant"), ATTRIBUTES, ids=[written for written, _ in ATTRIBUTES])
def test_kimi_k3_unescapes_attributes_and_nothing_else(written: str, meant: str) -> None:
    text = (
        f'<|open|>tools<|sep|><|open|>call tool="{written}" index="1"<|sep|>'
        f'<|open|>argument key="{written}" type="string"<|sep|>{written}<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    )
    for tools in (None, [meant]):
        assert calls_of(
            events_of(partial(Parser, tools, format="kimi-k3", options=ParserOptions(markup=True)), text)
        ) == [(meant, {meant: written})]


@pytest.mark.parametrize("word", ["a&b", 'q"k', "&amp;", "&quot;", '&"&'])
def test_kimi_k3_writes_what_it_reads(word: str) -> None:
    text = render("kimi-k3", [(word, {word: word, f"{word}{word}": [word]})])
    assert [(each.name, each.arguments) for each in parse(text, format="kimi-k3").calls] == [
        (word, {word: word, f"{word}{word}": [word]})
    ]
