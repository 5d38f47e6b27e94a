# Markers that come to nothing: mentioned, cut off, left over, addressed to somebody else.
# Does not depend on drafts and quotations (test_drafts.py, test_quotes.py).
"""Markers without a call."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.chunkings import calls_of, content_of, read_with
from tests.support.face import faced
from toolglean import CallEnd, Parser, Problem

TOOLS = ["f", "shell"]
HERMES = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'


class Row(NamedTuple):
    """A turn: its calls, the statuses of calls that do not count, its content (None: the turn) and its problems."""

    what: str
    text: str
    format: str | None
    calls: list[str] = []  # noqa: RUF012  # never changed
    unfinished: list[str] = []  # noqa: RUF012
    content: str | None = None
    problems: tuple[str, ...] | None = None  # None: not judged


CUT = ("cut-off",)
LEFT = ("leftover-marker",)
ROWS = [
    Row("prose about tags", "Write <tool_call> and </tool_call> around it.", "glm-4.5", problems=("unreadable-call",)),
    Row("dots", "<tool_call>\n ...\n</tool_call>", "glm-4.5"),
    Row("dots of a function", "Write <function=...> first, then the rest.", "qwen3-coder"),
    Row("a placeholder, not a name", "Write <function=name> first, then the rest.", "qwen3-coder", problems=("unreadable-call",)),
    Row("a known name", "Write <function=f> first, then the rest.", "qwen3-coder", problems=("unreadable-call",)),
    Row("a mention, then the call", f"Write <tool_call> so:\n{HERMES}", None, ["f"], content="Write <tool_call> so:\n"),
    Row("markup in a name", "<tool_call>f</arg_value></tool_call>", "glm-4.7"),
    Row(
        "markup in a key",
        '<tool_call>\n<function=f>\n<parameter=x" y="1">\n1\n</parameter>\n</function>\n</tool_call>',
        *("qwen3-coder", [], ["malformed"], "", ("malformed-call: malformed call: a key was expected",)),
    ),
    Row("markup in a JSON name", '<tool_call>{"name": "<b>", "arguments": {}}</tool_call>', "hermes", problems=("unreadable-call",)),
    # An opener and a tool's name, and no call: it was meant for one.
    Row("a name, and no JSON", '<tool_call>\nf\n{"x": 1}\n</tool_call>', "hermes", problems=("unreadable-call",)),
    Row("a name with brackets", "<tool_call>f[x=1]</tool_call>", None, problems=("unreadable-call",)),
    Row("a name that does not end", "<tool_call>\n<function=f\n<parameter=x>\n1\n</parameter>", "qwen3-coder", problems=("unreadable-call",)),
    Row("a name in quotes", '<function="f">\n<parameter=x>\n1\n</parameter>', "qwen3-coder", problems=("unreadable-call",)),
    Row("a name, and the end", "<tool_call>f", "hermes", problems=("unreadable-call",)),
    Row("text in place of ReAct's object", "Action: f\nAction Input: lamps", "react", problems=("unreadable-call",)),
    Row("ReAct's action alone", "I look.\nAction: f\n", "react", problems=("unreadable-call",)),
    Row("the same by another name", "I look.\nAction: f", "hermes", problems=("unreadable-call",)),
    Row("an action in brackets, as in ReAct's paper", "Action: f[the lamps]\nI wait.", None, problems=("unreadable-call",)),
    Row("an action in prose", "Action: f the lamps.", "react", problems=()),
    Row("an action, and another line", "Action: f\nOr not.", None, problems=()),
    Row("an action of an unknown tool", "Action: other", "react", problems=()),
    Row("the same for an unknown tool", "Action: other\nAction Input: lamps", "react", problems=()),
    Row("a name in prose", "Write <tool_call> before f, always.", "hermes", problems=()),
    Row("a name far after it", "<tool_call>" + " " * 130 + "f", "hermes", problems=()),
    Row("the markers of another family", '<|tool_call_begin|>f<|tool_sep|>{"x": 1}<|tool_call_end|>', None, problems=("unreadable-call",)),
    Row("an unknown name with arguments", "<tool_call>\n<function=other>\n<parameter=x>\n1\n</parameter>\n</function>\n"
        "</tool_call>", "qwen3-coder", ["other"], content=""),
    Row("an unknown name without any", "<tool_call>other</tool_call>", "glm-4.5", problems=("unreadable-call",)),
    Row("cut off after an opener", "Yes.\n<tool_call>", "hermes", content="Yes.", problems=CUT),
    Row("and a line", "<tool_call>\n", "hermes", content="", problems=CUT),
    Row("cut off after a section", "<｜tool▁calls▁begin｜>", "deepseek-v3.1", content="", problems=CUT),
    Row("cut off after a name", "<function=f>\n", "qwen3-coder", unfinished=["incomplete"], content=""),
    Row("cut off in a header", "<|channel|>commentary to=functions.f", "harmony", content="", problems=CUT),
    Row("cut off in a header's channel", "<|channel|>comm", "harmony", content="", problems=CUT),
    Row("the beginning of a header", "Yes <|chan", "harmony"),
    Row("signs that may open a call", "Type this:\n>>>", None, problems=()),
    Row("signs that open the format's own", "It is `x = y >>>", "functionary-v3.2", problems=()),
    Row("the beginning of an opener", "Yes.\n<tool_c", "hermes"),
    Row("a closer too many", f"{HERMES}</tool_call>", "hermes", ["f"], content="", problems=LEFT),
    Row("its closer after text", HERMES.replace("\n</", " well\n</") + "\nYes", "hermes", ["f"], content=" well\n\nYes", problems=LEFT),
    Row("what may have become its closer", HERMES.split("\n</", maxsplit=1)[0] + "</tool_x call>", "hermes", ["f"], content="</tool_x call>"),
    Row("the same, in code", HERMES.replace("\n</", " `</") + "`", "hermes", ["f"], content=" `</tool_call>`"),
    Row("an empty section beside a call", "<tools_x>", None),
    Row("a closer in prose", "The end is </tool_call>, always.", None),
    Row("a closer of another family", f"{HERMES}[/TOOL_CALLS]", "hermes", ["f"], content="", problems=LEFT),
    Row(
        "text for the user",
        '<|start|>assistant to=user<|message|>So:\n<atem:function_calls>\n<atem:invoke name="f">\n'
        '<atem:parameter name="x">1</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>',
        *("muse", [], [], None, ("call-to-user",)),
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_markers_without_a_call(row: Row) -> None:
    events = read_with(TOOLS, row.text, format=row.format)
    ends = [event.call.status for event in events if isinstance(event, CallEnd)]
    assert [name for name, _ in calls_of(events)] == row.calls
    assert [status for status in ends if status != "ok"] == row.unfinished
    content = content_of(events).strip()
    if row.content is not None:
        assert content == row.content.strip()
    elif row.format != "muse":
        assert content == row.text.strip()
    else:
        assert "So:" in content
        assert "<atem:invoke" in content
    found = [f"{event.code}: {event.reason}" for event in events if isinstance(event, Problem)]
    if row.problems is not None:
        assert len(found) >= len(row.problems)
        assert bool(found) == bool(row.problems)
    for problem, wanted in zip(found, row.problems or (), strict=False):
        assert f"{problem}: ".startswith(f"{wanted}: ")


def test_no_problem_where_there_was_nothing_to_call() -> None:
    def reasons(text: str, **options: Any) -> list[str]:
        parser = Parser(TOOLS, **faced(**options))
        return [problem.reason for problem in parser.add(text).problems + parser.close().problems]

    assert reasons("A <tool_call> is a marker, and so is </tool_call>.") == []
    assert reasons("The end is </tool_call>.", format="hermes") == []


# The tools' parameters are known, so a line that begins with a backtick waits: it may be the fence of a call in another
# spelling. What ends the turn after it is read as it is after any other text.
TYPED = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]
AFTER_BACKTICKS = {
    "an opener in a fence": ("```x\n``", "<tool_call>", CUT),
    "an opener on a line": ("So:\n`", "<tool_call>", CUT),
    "an opener, and a line": ("So:\n`", "<tool_call>\n", CUT),
    "a marker that may go on": ("So:\n~", "<|channel>", ()),
    "a marker that may go on, after text": ("So:\n~a b", "<|channel>", ()),
    "a marker of the end": ("So:\n~", "<|im_end|>", ()),
    "a header": ("So:\n`", "<|im_start|>", CUT),
}


@pytest.mark.parametrize(("text", "marker", "problems"), AFTER_BACKTICKS.values(), ids=list(AFTER_BACKTICKS))
@pytest.mark.parametrize("tools", [TYPED, TOOLS], ids=["typed", "names alone"])
@pytest.mark.parametrize("name", ["auto", "hermes"])
def test_a_marker_at_the_end_after_text_that_waits(
    name: str, tools: list[Any], text: str, marker: str, problems: tuple[str, ...]
) -> None:
    """Whole, it was content; in pieces it was markup, because the backtick had been emitted before."""
    events = read_with(tools, text + marker, format=name)
    assert content_of(events).rstrip() == text.rstrip()
    assert tuple(event.code for event in events if isinstance(event, Problem)) == problems


def test_a_tools_name_behind_a_label_is_told_alike_however_it_is_cut() -> None:
    """Fixed bug: the text of the problem ended with its chunk."""
    text = "Action:`f[{x"
    for chunks in ([text], [*text], [text[:10], text[10:]]):
        parser = Parser(TOOLS, format="react")
        events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
        assert [event.text for event in events if isinstance(event, Problem)] == ["Action:`f["]
