# Which markers around and between calls are markup although no call came of them.
# Does not depend on how they wait for what follows.
"""Markers left over: wrappers, empty sections, and text between a section and its calls."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with
from toolglean import Parser, ParserOptions

TOOLS = ["f", "g"]
BEGIN, END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
ONE = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>'
TWO = ONE.replace("f:0", "g:1")
EMPTY = "<|tool_call_begin|><|tool_call_end|>"
INVOKE = '<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>'
XML = "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>"
HERMES = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
LEFT = "leftover-marker"


class Row(NamedTuple):
    """A turn, the names of its calls, its content, and how many markers were left over."""

    what: str
    text: str
    calls: list[str]
    content: str
    left: int


KIMI = [
    Row("an empty section alone", f"Hi.{BEGIN}\n{END}", [], "Hi.", 1),
    Row("an empty section in text", f"Hi.{BEGIN}{END} Bye.", [], f"Hi.{BEGIN}{END} Bye.", 0),
    Row("an empty one, and a real one", f"{BEGIN}{END}{BEGIN}{ONE}{END}", ["f"], "", 1),
    Row("a real one, and an empty one", f"a{BEGIN}{ONE}{END}{BEGIN}{END}b", ["f"], "ab", 1),
    Row("a section in a section", f"{BEGIN}{BEGIN}{ONE}{END}{END}", ["f"], "", 2),
    Row("a call in a call", f"{BEGIN}<|tool_call_begin|>{ONE}{END}", ["f"], "", 2),
    Row("an empty call", f"{BEGIN}{EMPTY}{END}", [], "", 4),
    Row("an empty call before one", f"{BEGIN}{EMPTY}{ONE}{END}", ["f"], "", 3),
    Row("an empty call after one", f"{BEGIN}{ONE}{EMPTY}{END}", ["f"], "", 3),
    Row("text before the call", f"I check.{BEGIN} some text {ONE}{END}", ["f"], "I check. some text ", 1),
    Row("long text before the call", f"{BEGIN}{'text ' * 40}{ONE}{END}", ["f"], BEGIN + "text " * 40, 0),
    Row("text between calls", f"{BEGIN}{ONE}text{TWO}{END}", ["f", "g"], "text", 0),
    Row("text in a section, and no call", f"{BEGIN}Not now.{END}", [], f"{BEGIN}Not now.{END}", 0),
    Row("another family's call in it", f"{BEGIN}{HERMES}{END}", ["f"], "", 2),
]
WRAPPED = [
    Row("invoke in tool_calls", f"<tool_calls>\n{INVOKE}\n</tool_calls>", ["f"], "", 2),
    Row("with text around it", f"Hi\n<tool_calls>\n{INVOKE}\n</tool_calls>\nBye", ["f"], "Hi\n\nBye", 2),
    Row("two in it", f"<tool_calls>\n{INVOKE}\n{INVOKE}\n</tool_calls>", ["f", "f"], "", 2),
    Row("invoke in tool_call", f"<tool_call>\n{INVOKE}\n</tool_call>", ["f"], "", 2),
    Row("XML in tool_calls", f"<tool_calls>\n{XML}\n</tool_calls>", ["f"], "", 2),
    Row("JSON in brackets", f"[TOOL_CALLS]{HERMES}[/TOOL_CALLS]", ["f"], "", 2),
    Row("brackets before the closer", f"Hi.\n{HERMES.replace('}}', '}}}')}\n{HERMES.replace('}}', '}}}} ]')}", ["f", "f"], "Hi.\n", 2),
    Row("brackets before no closer", HERMES.replace("}}\n</tool_call>", "}}}\n"), ["f"], "}\n", 0),
    Row("a wrapper of no family", f"<foo>\n{HERMES}\n</foo>", ["f"], "<foo>\n\n</foo>", 0),
    Row("a mention, then a call", f"The <tool_calls> tag comes first.\n{INVOKE}", ["f"], "The <tool_calls> tag comes first.\n", 0),
    Row("a mention of both, then a call", f"<tool_calls> and </tool_calls>:\n{INVOKE}", ["f"], "<tool_calls> and </tool_calls>:\n", 0),
    Row("no call in it", '<tool_calls>\n<invoke name="x y">\n</tool_calls>', [], '<tool_calls>\n<invoke name="x y">\n</tool_calls>', 0),
    Row("in code", f"`<tool_calls>` wraps.\n{INVOKE}", ["f"], "`<tool_calls>` wraps.\n", 0),
]  # fmt: skip

# Closers at the end of a turn that nothing opened are of no use to its user, whichever family writes them.
ORPHANS = [
    Row("after a sentence", "It is done.</parameter></invoke>", [], "It is done.", 1),
    Row("on lines of their own", "It is in a.md.\n</｜DSML｜parameter>\n</｜DSML｜invoke>\n\n</｜DSML｜tool_calls>\n", [], "It is in a.md.\n", 1),
    Row("in brackets", "It is done.[/TOOL_CALLS]", [], "It is done.", 1),
    Row("before the end of the message", "Done.\n</function>\n</tool_call><|im_end|>", [], "Done.\n", 1),
    Row("nothing else", "</tool_call>", [], "", 1),
    Row("tokens", "It is 4. <|tool_call_end|><|tool_calls_section_end|>", [], "It is 4. ", 1),
    Row("wide tokens", "It is 4.\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>", [], "It is 4.\n", 1),
    Row("half of one, and a call", f"It is </tool_{XML}", ["f"], "It is </tool_", 0),
    Row("half of a token, and a call", f"Done. <tool_{XML}", ["f"], "Done. <tool_", 0),
    Row("a token, and text after it", "It is 4.<|END_ACTION|> Next.", [], "It is 4.<|END_ACTION|> Next.", 0),
    Row("a token in a sentence", "It ends with <|END_ACTION|>", [], "It ends with <|END_ACTION|>", 0),
    Row("before a call", f"Now.\n</function>\n{XML}", ["f"], "Now.\n", 1),
    Row("a call, and text after it", f"{XML}\nDone.</parameter>", ["f"], "\nDone.", 1),
    Row("text after them", "Done.</parameter></invoke> Next.", [], "Done.</parameter></invoke> Next.", 0),
    Row("in a sentence", "Close it with </parameter></invoke>", [], "Close it with </parameter></invoke>", 0),
    Row("in inline code", "It is `</invoke>`", [], "It is `</invoke>`", 0),
    Row("in a fence", "So:\n```\n</invoke>", [], "So:\n```\n</invoke>", 0),
    Row("in a quoted line", "> </invoke>", [], "> </invoke>", 0),
    Row("of a document", "<ul>\n<invoke>x.</invoke>", [], "<ul>\n<invoke>x.</invoke>", 0),
    Row("of no family", "It is done.</ul>", [], "It is done.</ul>", 0),
    Row("half of one", "It is done.</invoke></para", [], "It is done.</invoke></para", 0),
]  # fmt: skip
BARE = '{"name": "f", "arguments": {"a": 1}}'
BEHIND_BARE = [
    Row("a closer", f"{BARE}</tool_call>", ["f"], "", 1),
    Row("two, and the end of the message", f"{BARE}\n</tool_call></tool_calls><|eot_id|>", ["f"], "", 1),
    Row("a closer, and text", f"{BARE}</tool_call> so", ["f"], "</tool_call> so", 0),
    Row("a tag of no family", f"{BARE}</b>", ["f"], "</b>", 0),
]


ROWS = [
    *product(KIMI, ("kimi-k2", "auto")),
    *product(WRAPPED, ("auto", "hermes", "anthropic", "qwen3-coder")),
    *product(ORPHANS, ("auto", "hermes", "anthropic", "qwen3-coder", "mistral-v13", "gemma-4")),
    *product(BEHIND_BARE, ("llama3-json", "sarashina", "lfm2", "xlam-object", "json-input")),
]


@pytest.mark.sampled(1, each="row")
@pytest.mark.parametrize(("row", "name"), ROWS, ids=[f"{row.what}: {name}" for row, name in ROWS])
def test_what_is_left_over(row: Row, name: str) -> None:
    """Sections of Kimi, wrappers of other families, and closers that nothing opened."""
    events = read_with(TOOLS, row.text, format=name)
    assert [name for name, _ in calls_of(events)] == row.calls
    assert content_of(events) == row.content
    assert codes_of(events) == [LEFT] * row.left


def test_strictly_read_text_keeps_them() -> None:
    text = "It is done.</parameter></invoke>"
    options = ParserOptions(markup=True, strict=True)
    assert content_of(events_of(lambda: Parser(TOOLS, format="hermes", options=options), text)) == text


def test_a_call_that_could_not_be_read_is_said_where_its_marker_is_text() -> None:
    text = '<tool_calls>\n<invoke name="f" \n</tool_calls> it was.'
    codes = codes_of(events_of(lambda: Parser(TOOLS, options=ParserOptions(markup=True)), text))
    assert set(codes) == {"unreadable-call"}


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"The marker \<|im_end|> ends it.", r"The marker \<|im_end|> ends it."),
        (r"Two \\<|im_end|>", "Two \\\\"),
        (r"Put \</s> there.", r"Put \</s> there."),
        ("The folder is C:\\\\Users\\</s>", "The folder is C:\\\\Users\\"),
        ("It is C:\\<|im_end|>", "It is C:\\"),
    ],
)
def test_an_escaped_end_of_a_message_is_text(text: str, content: str) -> None:
    assert content_of(read_with(["f"], text)) == content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Price: <s>10</s> 8 euros.", "Price: <s>10</s> 8 euros."),
        ("<chat>\n<assistant>Hi.</assistant>\n</chat>", "<chat>\n<assistant>Hi.</assistant>\n</chat>"),
        ("<s>The answer.</s>", "<s>The answer."),
        ("The answer.</s>", "The answer."),
        ("A <b>1</b>.</s>", "A <b>1</b>."),
    ],
)
@pytest.mark.parametrize("name", ["auto", "mistral-v13"])
def test_an_end_of_a_message_that_closes_a_tag_of_the_text_is_text(text: str, content: str, name: str) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {}}}}]
    assert content_of(read_with(tools, text, format=name)) == content


@pytest.mark.parametrize("closer", ["</parameter></tool>", "</invoke></tool>", "</tool>"])
def test_the_brace_of_the_object_around_the_arguments_is_markup(closer: str) -> None:
    """Fixed bug: before a closer of another family's, it was content."""
    events = read_with(TOOLS, f'So:\n<tool>{{"name": "f", "arguments": {{"a": 1}}}}{closer}')
    assert calls_of(events) == [("f", {"a": 1})]
    assert content_of(events) == "So:\n"


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder"])
def test_a_problem_comes_before_the_text_that_it_is_about_whatever_waits_before_that(name: str) -> None:
    """Fixed bug: with an empty call before it, it came first of all if the text was in one piece."""
    text = "<tool_call></tool_call><tool_call><parameter=city>\nOslo and so on\n</x>"
    events = read_with(["f"], text, format=name)
    assert codes_of(events) == ["unreadable-call"]
    assert content_of(events) == text
