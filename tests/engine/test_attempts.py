# What a reading that is undone must not leave behind, turn by turn, and what must not be lost.
# Does not depend on how a reading is undone (engine/attempt.py). fuzz/undo.py has the law, for all formats.
"""An undone reading leaves no trace."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import pytest

from tests.support.chunkings import calls_of, content_of, ended_calls, read_with
from toolglean import Content, Event, Limits, Parser, Reasoning
from toolglean.engine.outbox import MOST

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}, "s": {"type": "string"}}}
TOOLS = [{"name": name, "parameters": SCHEMA} for name in "fg"]
F = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
G = '{"name": "g", "arguments": {"x": 1}}'
DRAFT = f"<think>I try {F} hmm</think>\n"
BROKEN = '<think>I try <tool_call>{"name": "f", "arguments": {"x": tr}}</tool_call> hmm</think>\n'


class Row(NamedTuple):
    """A turn, the names of its finished calls, and its content; None: not judged."""

    what: str
    text: str
    calls: list[str]
    content: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


ROWS = [
    # `fresh` was left behind: the answer was not at the start of the turn any more.
    *(
        Row(f"a draft, then {what} ({name})", DRAFT + text, ["g"], None, {"format": name})
        for name in ("auto", "hermes", "qwen3-coder", "granite-4")
        for what, text in (
            ("bare JSON", G),
            ("a fence around JSON", f"```json\n{G}\n```"),
            ("a fence around a call", f"```\n<tool_call>{G}</tool_call>\n```"),
            ("bare Python", "g(x=1)"),
        )
    ),
    # `tried` was left behind: the call had the number of the one whose repair failed.
    Row("a broken draft, then a repair", f"{BROKEN}<tool_call>{G[:-1]}</tool_call>", ["g"]),
    # `missing` was left behind: the late closer was content.
    Row(
        "a quotation, then a late closer",
        f'<tool_call>{{"name": "f", "arguments": {{}}}} x `{F}` z </tool_call> y',
        ["f"],
        f" x `{F}` z  y",
    ),
    # The end of the chunk was lost where a marker after the call showed that the backtick opens no code.
    *(
        Row(
            f"a lone backtick, a call and {marker}",
            f"It`s here: {F}{marker}hm` more</think>The answer is 42. {F}",
            ["f", "f"],
            None,
            {"format": name},
        )
        for marker in ("<think>", "<|im_end|>\n<think>")
        for name in ("auto", "hermes", "qwen3-coder")
    ),
    Row("two backticks, a call, reasoning, two backticks", f"a ``{F}<think>` x ``{F}</think>\nb", ["f"]),
    Row("the same, and text on the line", f"a ``{F}<think>` x ``{F}</think>b", []),
    # Whether a second backtick came in time must not depend on the cuts.
    *(
        Row(
            f"a backtick {size} characters on",
            f"a `{F}{'b' * size}`. {F} c` d",
            ["f"] if size < 28 else [],  # then the first one is a mention, and the second one is code
            None,
            {"limits": Limits(held=80)},
        )
        for size in (26, 27, 28)
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
def test_what_follows_is_read_as_after_plain_text(row: Row) -> None:
    events = read_with(TOOLS, row.text, **row.options)
    assert [name for name, _ in calls_of(events)] == row.calls
    if row.content is not None:
        assert content_of(events) == row.content


def test_a_failed_repair_in_a_draft_does_not_stop_the_next_repair() -> None:
    events = read_with(TOOLS, f"{BROKEN}<tool_call>{G[:-1]}</tool_call>")
    found = ended_calls(events)
    assert [(call.name, call.status, call.repairs) for call in found] == [("g", "ok", ("closing brackets",))]


def test_a_call_that_begins_in_the_prompt_is_the_first_of_the_turn() -> None:
    parser = Parser(TOOLS, prompt=f"{F} Run `<tool_call>")
    output = parser.add(f"{G}</tool_call> x" + "y" * 5000)
    assert [(call.index, call.id) for call in output.calls] == [(0, "call_0")]


def test_attempts_that_came_to_nothing_are_not_kept() -> None:
    parser = Parser(TOOLS)
    parser.feed("`" + "<tool_call>" * 2000)
    assert len(pickle.dumps(parser)) < len(pickle.dumps(Parser(TOOLS))) + MOST + 10_000  # and what was said last


def test_openers_without_a_call_do_not_pile_up() -> None:
    # Each of them takes a copy of the turn. Once it held the copies before it too, and 600 were a RecursionError.
    for before, after in (("<think>", "</think>Done."), ("`", "Done."), ("", "Done.")):
        parser = Parser(["f"], format="hermes")
        content = parser.add(before + "x <tool_call> " * 700 + after).content + parser.close().content
        assert content.endswith("Done.")


@pytest.mark.parametrize(
    ("format", "prompt", "said"),
    [
        # The prompt's text after the draft was read as the draft's own: the answer was reasoning, or a call's arguments.
        ("hermes", '<think>\nI try <tool_call>{"name": "f", "arguments": {"x": 1</think>', Content),
        ("hermes", '<think>\nI try <tool_call>{"name": "f", "arguments": {}}</tool_call></think> Now', Content),
        ("functionary-v3.1", '<think>\nI try <function=f>{"x": </think>} now ', Content),
        ("firefunction", '<think>\nfunctools[{"name": "f", "arguments": {<think>"x": "b"}}', Reasoning),
    ],
)
def test_a_draft_that_ends_within_the_prompt(format: str, prompt: str, said: type[Event]) -> None:  # noqa: A002
    prompt = f"<|im_start|>assistant\n{prompt}"
    events = read_with(TOOLS, " So: hello.", format=format, prompt=prompt)
    assert {type(event) for event in events} == {said}
