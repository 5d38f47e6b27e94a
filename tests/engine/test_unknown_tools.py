# Calls to tools that were not given, with unknown_tools="content": they are read as calls, and their text is content.
# Does not depend on how that is done. What clients, the proxy and plugins do: tests/clients/test_unknown_tools.py.
"""Calls to unknown tools as content."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.support import depth
from tests.support.chunkings import account, calls_of, codes_of, content_of, ended_calls, events_of
from tests.support.face import faced
from tests.support.response_turns import machine_of
from toolglean import (
    CallDelta,
    CallEnd,
    CallStart,
    Content,
    Event,
    Limits,
    Markup,
    Parser,
    ParserOptions,
    Problem,
    Reasoning,
    UsageError,
    fold,
    join,
    render,
)
from toolglean.formats.registry import all_formats
from toolglean.sources.response.plan import response_plan

TOOLS = ["f"]
JSON = '{"name": "nope", "arguments": {"x": 1}}'
CALL = f"<tool_call>\n{JSON}\n</tool_call>"
GOOD = CALL.replace("nope", "f")
IN_JSON = GOOD.replace('"', '\\"').replace("\n", "\\n")
QWEN = "<tool_call>\n<function=nope>\n<parameter=x>\nQUOTED\n</parameter>\n</function>\n</tool_call>"
HARMONY = '<|channel|>commentary to=functions.nope <|constrain|>json<|message|>{"x": "QUOTED"}'
HARMONY_QUOTED = (
    "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}"  # its marker of the end ends both
)
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.nope:0<|tool_call_argument_begin|>"
    '{"x": "QUOTED"}<|tool_call_end|><|tool_calls_section_end|>'
)
DEEPSEEK = (
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>nope<｜tool▁sep｜>"
    '{"x": "QUOTED"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="nope">\n<｜DSML｜parameter name="x" string="true">QUOTED'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
GLM = "<tool_call>nope\n<arg_key>x</arg_key>\n<arg_value>QUOTED</arg_value>\n</tool_call>"
MINIMAX = (
    '<minimax:tool_call>\n<invoke name="nope">\n<parameter name="x">QUOTED</parameter>\n</invoke>\n</minimax:tool_call>'
)


def quoting(outer: str, inner: str) -> str:
    return outer.replace("QUOTED", f"Then {inner} follows.")


class Row(NamedTuple):
    """A turn, and what is read of it: content, and the names of the calls that may run."""

    what: str
    text: str
    content: str
    calls: list[str] = []  # noqa: RUF012  # never changed
    format: str = "auto"
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    reasoning: str = ""
    codes: tuple[str, ...] = ("unknown-tool",)


def same(what: str, text: str, name: str = "auto", **more: Any) -> Row:
    """All of the text is content."""
    return Row(what, text, text, format=name, **more)


QUOTED = [
    same("hermes", CALL.replace('"x": 1', f'"x": "{IN_JSON}"'), "hermes"),
    same("qwen3-coder", quoting(QWEN, GOOD), "qwen3-coder"),
    same("glm-4.5", quoting(GLM, GLM.replace("nope", "f")), "glm-4.5", codes=("swallowed-markup", "unknown-tool")),
    same("glm-4.5, of another family", quoting(GLM, "[TOOL_CALLS]f[ARGS]{}"), "glm-4.5"),
    same("minimax-m2", quoting(MINIMAX, GOOD), "minimax-m2"),
    same("DSML", quoting(DSML, GOOD), "deepseek-v3.2"),
    same("kimi-k2", quoting(KIMI, IN_JSON), "kimi-k2"),
    same("kimi-k2, its own", quoting(KIMI, KIMI.replace("nope", "f").replace('{"x": "QUOTED"}', "{}")), "kimi-k2"),
    same("deepseek-v3.1", quoting(DEEPSEEK, IN_JSON), "deepseek-v3.1"),
    same("mistral", f'[TOOL_CALLS]nope[ARGS]{{"x": "{IN_JSON}"}}', "mistral"),
    same("functionary-v3.1", '<function=nope>{"x": "<function=f>{}</function>"}</function>', "functionary-v3.1"),
    same("phi-4-mini", f'<|tool_call|>[{{"name": "nope", "arguments": {{"x": "{IN_JSON}"}}}}]<|/tool_call|>', "phi-4-mini"),
    Row("harmony", quoting(HARMONY, HARMONY_QUOTED) + "<|call|>", quoting(HARMONY, HARMONY_QUOTED), format="harmony"),
]  # fmt: skip

ROWS = [
    *QUOTED,
    *(each._replace(what=f"{each.what}, auto", format="auto") for each in QUOTED),
    same("alone", CALL),
    same("after text", f"I do.\n{CALL}"),
    same("before text", f"{CALL}\nDone."),
    same("two", f"{CALL}\n{CALL}", codes=("unknown-tool",) * 2),
    same("in the middle of a line", f"Write {CALL} and so on."),
    same("cut off", CALL[:50]),
    same("cut off before its arguments", CALL[:30], codes=("unreadable-call",)),
    same("cut off before its closer", CALL[:-4]),
    same("in a list", CALL.replace(JSON, f"[{JSON}, {JSON}]"), codes=("unknown-tool",) * 2),
    same("malformed", CALL.replace("1}", "1 + 1}"), codes=("malformed-arguments", "unknown-tool")),
    Row(
        "malformed, and a known one in it, which is not complete then",
        CALL.replace("1}", f"1 + 1 {GOOD}}}"),
        CALL.replace("1}", "1 + 1 }"),
        codes=("malformed-arguments", "unknown-tool", "unclosed-call"),
    ),
    same("its repair quotes a known one", quoting(QWEN, GOOD).replace("</parameter>\n", "")),
    same("not closed, and a known one quoted", quoting(QWEN, GOOD)[:-40]),
    Row("a known one after it", f"{CALL}\n{GOOD}", f"{CALL}\n", ["f"]),
    Row("a known one before it", f"{GOOD}\n{CALL}", CALL, ["f"]),
    Row("between two", f"{GOOD}\n{CALL}\n{GOOD}\nDone.", f"{CALL}\n\nDone.", ["f", "f"]),
    Row(
        "in one section with a known one",
        KIMI.replace("<|tool_calls_section_end|>", "<|tool_call_begin|>functions.f:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"),
        KIMI.replace("<|tool_calls_section_end|>", ""),
        ["f"],
        "kimi-k2",
    ),
    Row("the end of the message", f"{CALL}<|im_end|>\n", CALL),
    Row(
        "harmony, then an answer",
        f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant{HARMONY}<|call|><|start|>assistant<|channel|>final<|message|>Hi.",
        f"{HARMONY}Hi.",
        format="harmony",
        reasoning="Hm.",
    ),
    Row("harmony, cut off", f"{HARMONY[:-10]}", f"{HARMONY[:-10]}", format="harmony"),
    Row("before reasoning", f"{CALL}<think>Hm.</think>Yes.", f"{CALL}Yes.", reasoning="Hm."),
    Row("at the end of the reasoning", f"<think>I do.\n{CALL}", CALL, reasoning="I do."),
    Row("there, with a known one", f"<think>I do.\n{CALL}\n{GOOD}", f"{CALL}\n", ["f"], reasoning="I do."),
    Row(
        "in the reasoning",
        f"<think>I do.\n{CALL} Or not.</think>Yes.",
        "Yes.",
        reasoning=f"I do.\n{CALL} Or not.",
        codes=("call-in-reasoning",),
    ),
    Row("in the reasoning, at once", f"<think>I do.\n{CALL}", CALL, reasoning="I do.", options={"calls_in_reasoning": "call"}),
    Row("in code", f"I write `{CALL}`.", f"I write `{CALL}`.", codes=("quoted-call",)),
    same("in a fence of its own", f"```xml\n{CALL}\n```"),
    same("without repairs", quoting(QWEN, GOOD), options={"repair": False}),
    same("strict", quoting(QWEN, GOOD), "qwen3-coder", options={"strict": True}),
    same("quoted calls are read", quoting(QWEN, GOOD), options={"quoted": "call"}),
    same("bare JSON", JSON, codes=()),
    same("bare Python", "[nope(x=1)]", codes=()),
    same("a tag", '<call>{"name": "nope", "arguments": {"x": "<call>{\\"name\\": \\"f\\"}"}}</call>', "tag"),
    Row("a tag, and a known one", f'<call>{JSON}</call><call>{{"name": "f"}}</call>', f"<call>{JSON}</call>", ["f"], "tag"),
    same("a limit", CALL, options={"limits": Limits(call_chars=40)}, codes=("limit-call-chars", "unknown-tool")),
]  # fmt: skip
rows = pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])


def maker(row: Row, tools: Any = TOOLS, **more: Any) -> Callable[[], Parser]:
    how = {"tag": "<call>", "closer": "</call>"} if row.format == "tag" else {"format": row.format}
    options = {"markup": True, "unknown_tools": "content", **row.options, **more}
    return lambda: Parser(tools, **faced(**how, **options))


@rows
def test_such_a_call_is_content(row: Row) -> None:
    events = events_of(maker(row), row.text)
    assert content_of(events) == row.content
    assert [call.name for call in fold(events).calls] == row.calls
    assert fold(events).reasoning == row.reasoning
    problems = [each for each in events if isinstance(each, Problem)]
    assert tuple(each.code for each in problems) == row.codes


WAYS: tuple[Callable[[Parser], Parser], ...] = (
    lambda each: each.fork(),
    copy.copy,
    copy.deepcopy,
    lambda each: pickle.loads(pickle.dumps(each)),
)


@rows
def test_every_cut_and_every_copy(row: Row) -> None:
    whole = join(_fed(maker(row)(), [row.text]))
    for cut in depth.chosen(range(len(row.text)), 2, key=lambda place: f"{row.text} {place}"):
        parser = maker(row)()
        events = parser.feed(row.text[:cut])
        twin = WAYS[cut % len(WAYS)](parser)
        parser.feed(f"{GOOD}{CALL}")
        assert join(events + _fed(twin, [row.text[cut:]])) == whole


@rows
def test_without_markup_the_rest_is_the_same(row: Row) -> None:
    events = join(_fed(maker(row, markup=False)(), list(row.text)))
    assert events == join([each for each in _fed(maker(row)(), [row.text]) if not isinstance(each, Markup)])


@rows
def test_without_tools_no_tool_is_unknown(row: Row) -> None:
    events = events_of(maker(row, tools=None), row.text, one_of_many=True)
    assert events == events_of(maker(row, tools=None, unknown_tools="call"), row.text, one_of_many=True)
    assert not any(isinstance(each, CallEnd) and each.call.known is not None for each in events)


# -- the law, for all formats ------------------------------------------------------------------------------------------


def expected(text: str, events: list[Event]) -> list[Event]:
    """What should be made of events that were read with unknown_tools="call", apart from what closes such calls."""
    found: list[Event] = []
    dropped: set[int] = set()
    for each in events:
        if isinstance(each, CallStart) and each.known is False:
            dropped.add(each.index)
        if not (isinstance(each, CallStart | CallDelta | CallEnd) and each.index in dropped):
            found.append(each)
        elif isinstance(each, CallEnd):
            begin, end = each.call.span
            found += [
                Problem("unknown-tool", "call to an unknown tool", each.call.name, begin),
                *([Content(text[begin:end], begin)] if end > begin else []),
            ]
    return found


def shape(events: list[Event]) -> list[Any]:
    """Events without their text that may be content or markup, and with calls numbered anew."""
    numbers: dict[int, int] = {}
    found: list[Any] = []
    for each in events:
        if isinstance(each, CallStart):
            numbers[each.index] = len(numbers)
        if isinstance(each, CallEnd):
            call = each.call
            found.append((call.name, call.arguments_text, call.status, call.span, call.repairs, numbers[each.index]))
        elif isinstance(each, Problem | Reasoning):
            found.append(each)
    return found


@pytest.mark.sampled(9)
@pytest.mark.parametrize("declared", all_formats(), ids=lambda each: each.name)
def test_it_is_the_reading_with_calls_and_nothing_else(declared: Any) -> None:
    own = render(declared, [("f", {"x": "1"})], tools=TOOLS)
    unknown = render(declared, [("nope", {"x": "say QUOTED"})], tools=["nope"])
    texts = [
        text
        for outer in (unknown.replace("QUOTED", quoted) for quoted in (own, GOOD, IN_JSON, "no call"))
        for text in (own + outer + own, outer[:-3], f"I do.\n{outer}\nDone.", f"<think>{outer}")
    ]
    for text in depth.chosen(texts, 1, key=str):
        row = same("", text, declared.name)
        events = _fed(maker(row)(), [text])
        account(join(events), text)
        calls = _fed(maker(row, unknown_tools="call")(), [text])
        assert shape(join(events)) == shape(expected(text, join(calls)))
        assert join(_fed(maker(row)(), list(text))) == join(events)


# -- numbers, ids and states -------------------------------------------------------------------------------------------


def test_calls_are_numbered_as_if_it_were_not_there() -> None:
    text = f"{CALL}{GOOD}{CALL}{GOOD}"
    calls = ended_calls(events_of(maker(same("", text)), text))
    assert [(call.index, call.id) for call in calls] == [(0, "call_0"), (1, "call_1")]


@pytest.mark.parametrize("prefix", ["call_", "turn_"])
def test_ids_stay_unique(prefix: str) -> None:
    own = GOOD.replace('"name"', '"id": "call_1", "name"')
    orders = set(itertools.permutations([own, own, CALL, CALL, GOOD, GOOD]))
    for parts in depth.chosen(orders, 25, key=str):
        events = join(_fed(Parser(TOOLS, options=ParserOptions(unknown_tools="content", id_prefix=prefix)), [*parts]))
        calls = ended_calls(events)
        assert len({call.id for call in calls}) == len(calls) == 4
        assert [call.index for call in calls] == [0, 1, 2, 3]


def test_a_call_that_the_prompt_has_begun() -> None:
    prompt = "<|im_start|>assistant\n" + CALL[:40]

    def parser() -> Parser:
        options = ParserOptions(unknown_tools="content", markup=True)
        return Parser(TOOLS, format="hermes", prompt=prompt, options=options)

    events = events_of(parser, CALL[40:] + GOOD)
    assert content_of(events) == CALL[40:]
    assert calls_of(events) == [("f", {"x": 1})]


def test_a_response_template() -> None:
    calls = {"open": "<c>", "close": "</c>", "content": "json", "repeats": True}
    calls["transform"] = {"type": "function", "function": "{content}"}
    plan = response_plan({"version": 1, "start_anchor": "<|a|>", "fields": {"content": {}, "tool_calls": calls}})
    unknown = '<c>{"name": "nope", "arguments": {"x": "<c>{\\"name\\": \\"f\\", \\"arguments\\": {}}</c>"}}</c>'
    known = '<c>{"name": "f", "arguments": {}}</c>'
    events = events_of(lambda: machine_of(plan, TOOLS, "content"), f"Hi {unknown}{known}")
    assert (content_of(events), calls_of(events)) == (f"Hi {unknown}", [("f", {})])
    assert codes_of(events) == ["unknown-tool"]


SPECIAL = {
    "their tokens wrote the markers": (True, f"{CALL}\n{GOOD}", f"{CALL}\n", ["f"]),
    "nothing is known of the markers": (None, f"{CALL}\n{GOOD}", f"{CALL}\n", ["f"]),
    "they are spelled out": (False, f"{GOOD}\n{CALL}", f"{GOOD}\n{CALL}", []),
    "they are spelled out, and a known call is quoted": (False, quoting(QWEN, GOOD), quoting(QWEN, GOOD), []),
}


@pytest.mark.parametrize("row", SPECIAL)
def test_with_special_tokens(row: str) -> None:
    special, text, content, calls = SPECIAL[row]
    options = ParserOptions(unknown_tools="content", markup=True)
    found = []
    for size in (1, 3, 20, len(text)) if depth.is_full() else (3, len(text)):
        parser = Parser(TOOLS, options=options, atomic=["<tool_call>", "</tool_call>"])
        events: list[Event] = []
        for place in range(0, len(text), size):
            events += parser.feed(text[place : place + size], special)
            if place % (2 if depth.is_full() else 8) == 1:
                twin = parser.fork() if size > 1 else pickle.loads(pickle.dumps(parser))
                parser.feed(CALL, True)
                parser = twin
        found.append(join(events + parser.finish()))
        account(found[-1], text)
    assert all(each == found[0] for each in found)
    assert (content_of(found[0]), [name for name, _ in calls_of(found[0])]) == (content, calls)


def test_the_turn_is_over() -> None:
    parser = maker(same("", CALL))()
    assert fold(_fed(parser, [CALL])).content == CALL
    assert parser.finish() == []
    with pytest.raises(UsageError, match="the turn is over"):
        parser.feed("x")


def test_output_and_add() -> None:
    parser = Parser(TOOLS, options=ParserOptions(unknown_tools="content"))
    found = parser.add(f"{CALL}{GOOD}")
    assert (found.content, [call.name for call in found.calls]) == (CALL, ["f"])
    assert [each.code for each in found.problems] == ["unknown-tool"]


def _fed(parser: Parser, chunks: list[str]) -> list[Event]:
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
