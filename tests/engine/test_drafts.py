# What becomes of calls that a model writes inside its reasoning.
# Does not depend on how they are kept back.
"""Calls inside reasoning: drafts."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, read_with, reasoning_of
from tests.support.face import faced
from toolglean import CallEnd, Limits, Parser, parse
from toolglean.formats.registry import get_format

TOOLS = ["f", "g"]
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
OTHER = CALL.replace('"f"', '"g"')
CODER = "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"
IN_STRING = CALL.replace("1", '"</think>b"')


class Row(NamedTuple):
    """A turn, and what is read of it: the names of its calls, the reasoning and the content, stripped."""

    what: str
    text: str
    calls: list[str]
    reasoning: str
    content: str = ""
    format: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


ROWS = [
    Row("reasoning follows", f"<think>I try {CALL} and so on</think>Yes", [], f"I try {CALL} and so on", "Yes"),
    Row("its closer follows", f"<think>I try {CALL}\n</think>\nYes", [], f"I try {CALL}", "Yes"),
    Row("then the real one", f"<think>I try {CALL} now</think>\n{OTHER}", ["g"], f"I try {CALL} now"),
    Row("the turn ends there", f"<think>I call\n{CALL}", ["f"], "I call"),
    Row("calls and end markers follow", f"<think>I call\n{CALL}\n{OTHER}<|im_end|>", ["f", "g"], "I call"),
    Row("cut off in the draft", f"<think>I call\n{CALL[:-20]}", [], "I call"),
    Row("a quoted line as the turn ends", f"<think>It says:\n> {CALL}", [], f"It says:\n> {CALL}"),
    Row("a quotation in a quotation as the turn ends", f"<think>It says:\n> > {CALL}", [], f"It says:\n> > {CALL}"),
    Row("a quoted item as the turn ends", f"<think>It says:\n> - {CALL}", [], f"It says:\n> - {CALL}"),
    Row("a deep quoted line as the turn ends", f"<think>It says:\n- a\n   >{CALL}", [], f"It says:\n- a\n   >{CALL}"),
    Row("a comparison as the turn ends", f"<think>a > {CALL}", ["f"], "a >"),
    Row("a sign in a line as the turn ends", f"<think>a\n-> {CALL}", ["f"], "a\n->"),
    Row("a tag at a line's end as the turn ends", f"<think>ok\n</b>{CALL}", ["f"], "ok\n</b>"),
    Row("code before a call as the turn ends", f"<think>Use `f` {CALL}", ["f"], "Use `f`"),
    Row("code as the turn ends", f"<think>Never `{CALL}`", [], f"Never `{CALL}`"),
    Row(
        "a fence of JSON as the turn ends",
        '<think>So:\n```json\n{"name": "f", "arguments": {"x": 1}}\n```',
        *([], 'So:\n```json\n{"name": "f", "arguments": {"x": 1}}\n```'),
    ),
    *(
        Row(f"in code as the turn ends: {block!r}", f"<think>So:\n{block}{CALL}", [], f"So:\n{block}{CALL}")
        for block in (
            *(
                "#+begin_src\n",
                "{code}\n",
                "/*\n",
                "{#\n",
                "@@ -1 +1 @@\n-",
                "\\begin{verbatim}\n",
            ),
            *("cat <<EOF\n", "[code]\n", "{% raw %}\n"),
        )
    ),
    Row("two drafts", f"<think>a {CALL} b {OTHER} c</think>d", [], f"a {CALL} b {OTHER} c", "d"),
    Row("another opener of reasoning", f"<think>a {CALL}<think>b", [], f"a {CALL}b"),
    Row("a value that never ends", f"<think>a {CODER[:-40]} b</think>c", [], f"a {CODER[:-40]} b", "c", "qwen3-coder"),
    Row("a closer in a string", f"<think>a {IN_STRING}", [], "a " + IN_STRING.split("</")[0], 'b"}}'),
    Row("a mention", "<think>I write <tool_call> first</think>Yes", [], "I write <tool_call> first", "Yes"),
    Row("by characters that begin the closer", f"<think>a {CALL}</thi", [], f"a {CALL}</thi"),
    Row("in XML, as the turn ends", f"<think>a\n{CODER}", ["f"], "a", "", "qwen3-coder"),
    Row(
        "where nothing marks reasoning",
        "[THINK]a [TOOL_CALLS]f[ARGS]{} b[/THINK]c",
        *([], "a [TOOL_CALLS]f[ARGS]{} b", "c", "mistral"),
    ),
    Row(
        "a family that reasons around its calls",
        '<|inner_prefix|>a<|tools_prefix|>[{"f": {"x": 1}}]<|tools_suffix|>b',
        *(["f"], "a", "b", "apertus"),
    ),
    Row(
        "its closer is a phrase",
        'Here is my thought process: a <|tool_call|>[{"name": "f", "arguments": {"x": 1}}]\nHere is my response:\nb',
        *([], 'a <|tool_call|>[{"name": "f", "arguments": {"x": 1}}]', "b", "granite-3"),
    ),
    Row("asked for at once", f"<think>a {CALL} b", ["f"], "a", "b", None, {"calls_in_reasoning": "call"}),
    Row("asked for never", f"<think>a {CALL}", [], f"a {CALL}", "", None, {"calls_in_reasoning": "text"}),
    Row("the prompt opened it", f"a {CALL} b</think>c", [], f"a {CALL} b", "c", "hermes", {"prompt": "<think>"}),
    Row("as the user says", f"a {CALL} b</think>c", [], f"a {CALL} b", "c", None, {"start": "reasoning"}),
    Row("as the user says, at the end", f"a {CALL}", ["f"], "a", "", None, {"start": "reasoning"}),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_drafts(row: Row) -> None:
    options: dict[str, Any] = {"format": row.format} | row.options
    if "prompt" in options:  # what it has begun counts from before the turn: the events do not tile it
        parser = Parser(TOOLS, **faced(**options, markup=True))
        events = parser.feed(row.text) + parser.finish()
    else:
        events = read_with(TOOLS, row.text, **options)
    assert [name for name, _ in calls_of(events)] == row.calls
    assert reasoning_of(events).strip() == row.reasoning
    if row.content or not any(isinstance(event, CallEnd) for event in events):
        assert content_of(events).strip() == row.content


def test_what_was_no_call_is_said_and_takes_no_id() -> None:
    output = parse(f"<think>a {CALL} b</think>{OTHER}", TOOLS)
    assert [(each.code, each.text, each.start) for each in output.problems] == [("call-in-reasoning", CALL, 9)]
    assert [(call.id, call.index) for call in output.calls] == [("call_0", 0)]


def test_a_draft_is_kept_back_up_to_the_limit() -> None:
    long = CALL.replace("1", f'"{"x" * 100}"')
    for size in (50, 120, 1000):
        limits = Limits(call_chars=size)
        events = read_with(TOOLS, f"<think>a {long}", limits=limits)
        assert len(calls_of(events)) == (size == 1000)
        assert ("limit-call-chars" in codes_of(events)) == (size < 1000)


def test_a_draft_that_is_not_decided_shows_nothing() -> None:
    parser = Parser(TOOLS)
    assert not parser.add(f"<think>a {CALL}").calls
    assert [call.name for call in parser.fork().close().calls] == ["f"]
    assert parser.add(" b").calls == []
    assert parser.close().calls == []


def test_the_formats_that_are_declared_so() -> None:
    from toolglean.formats.registry import all_formats  # noqa: PLC0415

    assert [each.name for each in all_formats() if each.calls_in_reasoning] == ["apertus"]
    assert get_format("apertus").source
