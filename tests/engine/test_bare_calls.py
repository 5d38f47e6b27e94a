# Calls that have no marker of their own (a line of Python, a tool's own tag) count only alone on
# their lines, and Python's calls only where nothing is made of them, with or without a marker.
# Does not depend on how calls are read, and JSON without a marker.
"""Calls without a marker, alone on their lines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, read_with
from toolglean import CallEnd, Limits, Parser, ParserOptions, Problem, ToolSet

TOOLS = ToolSet(
    [
        {
            "name": "f",
            "parameters": {"type": "object", "properties": {"x": {"type": "integer"}, "s": {"type": "string"}}},
        },
        "g",
        "delete_all",
    ]
)
F: tuple[str, Any] = ("f", {"x": 1})
G: tuple[str, Any] = ("g", {})
ALL: tuple[str, Any] = ("delete_all", {})
FORMATS = ["auto", "pythonic", "raven", "lfm2", "llama4-pythonic", "hermes", "tool-tags"]


def read(name: str, text: str, **options: Any) -> list[Any]:
    many = name not in {"auto", "pythonic"}  # the others write the same calls
    return read_with(TOOLS, text, format=name, **options, one_of_many=many)


def verdicts(events: list[Any]) -> list[str]:
    return [event.call.status for event in events if isinstance(event, CallEnd)]


# -- without a marker --------------------------------------------------------------------------------------------------

# what is written: the calls, and what is left as content
CALLS: dict[str, tuple[str, list[tuple[str, Any]], str]] = {
    "a line": ("f(x=1)", [F], ""),
    "a line, and a line break": ("f(x=1)\n", [F], ""),
    "a line with blanks around it": ("  f(x=1)  \n", [F], ""),
    "text on the next line": ("f(x=1)\nDone.", [F], "Done."),
    "text two lines on": ("delete_all()\n\nDone.", [ALL], "Done."),
    "two lines": ("f(x=1)\ng()", [F, G], ""),
    "the second line goes on": ("f(x=1)\ng() is next.", [F], "g() is next."),
    "two on a line": ("f(x=1); g()", [F, G], ""),
    "a list": ("[f(x=1), g()]", [F, G], ""),
    "a list, then text": ("[f(x=1), g()]\nDone.", [F, G], "Done."),
    "a list on lines": ("[\n  f(x=1),\n  g()\n]\n", [F, G], ""),
    "arguments on lines": ("f(\n  x=1\n)\nDone.", [F], "Done."),
    "a bracket in a string": ('[f(x=1, s="] if a")]', [("f", {"x": 1, "s": "] if a"})], ""),
    "a marker of some family after it": ("f(x=1)<|eot_id|>", [F], None),  # type: ignore[dict-item]
    "a tag": ("<f><x>1</x></f>", [F], ""),
    "a tag on its lines": ("So:\n<f>\n<x>1</x>\n</f>\nDone.", [F], "So:\n\nDone."),
    "two tags": ("<f><x>1</x></f>\n<g></g>", [F, G], ""),
    "two tags on a line": ("<f><x>1</x></f> <g></g>", [F, G], ""),
    "a tag, and the next one's line goes on": ("<f><x>1</x></f>\n<g></g> is next", [F], "<g></g> is next"),
}

TEXT = {
    "a sentence": "delete_all() removes every record.",
    "a sentence with arguments": "f(x=1) gives the first.",
    "a sentence after a list": "[f(x=1), g()] is a list.",
    "a full stop": "delete_all().",
    "a comment": "delete_all()  # never do this",
    "a condition": "[delete_all() if False else g()]",
    "a condition on lines": "[delete_all()\n if False else g()]",
    "a line with a condition": "delete_all() if False else g()",
    "a comprehension": "[delete_all() for x in y]",
    "a comparison": "[delete_all() == 1]",
    "less than": "[delete_all() < 1]",
    "an operator": "delete_all() + 1",
    "or": "delete_all() or g()",
    "a method": "delete_all().run()",
    "an item": "delete_all()[0]",
    "what it returns is called": "delete_all()()",
    "not": "[not delete_all()]",
    "an assignment": "x = delete_all()",
    "a second element": "[f(x=1), g() if a else b]",
    "a second element that is negated": "[f(x=1), not g()]",
    "an element that is no call": "[f(x=1), 2]",
    "a line that is quoted": "So: delete_all()",
    "a tag in prose": "So <delete_all></delete_all> removes all.",
    "a tag that a sentence ends with": "To remove all, write <delete_all></delete_all>",
    "a tag that a sentence begins with": "<delete_all></delete_all> removes all.",
    "a tag in a list of words": "- <delete_all></delete_all>\n- <g></g>",
    "a tag with text after it, on lines": "<f>\n<x>1</x>\n</f> and so on",
    "two tags and text": "<f><x>1</x></f> <g></g> or so",
}


@pytest.mark.sampled(3, each="text")
@pytest.mark.parametrize(("text", "calls", "content"), CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("name", FORMATS)
def test_alone_on_its_lines(name: str, text: str, calls: list[tuple[str, Any]], content: str | None) -> None:
    events = read(name, text)
    assert calls_of(events) == calls
    assert set(verdicts(events)) == {"ok"}
    if content is not None:
        assert content_of(events).strip() == content


@pytest.mark.sampled(2, each="text")
@pytest.mark.parametrize("text", TEXT.values(), ids=list(TEXT))
@pytest.mark.parametrize("name", FORMATS)
def test_other_text_on_the_line(name: str, text: str) -> None:
    events = read(name, text)
    assert verdicts(events) == []
    assert content_of(events) == text


def test_what_is_not_a_call_is_said() -> None:
    for text in (
        TEXT["a sentence"],
        TEXT["a condition"],
        TEXT["a tag in prose"],
        TEXT["a tag that a sentence begins with"],
    ):
        problems = codes_of(read("auto", text))
        assert problems == ["call-in-line"]


def test_what_follows_is_read() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
    for before in (*TEXT.values(), "f(x=1)"):
        events = read("hermes", f"{before}\n{call}")
        assert calls_of(events)[-1] == F
        assert len(calls_of(events)) == (2 if before == "f(x=1)" else 1)


def test_a_long_line_is_kept_back_no_longer_than_held() -> None:
    parser = Parser(TOOLS, format="pythonic", options=ParserOptions(limits=Limits(held=40)))
    assert parser.feed("[f(x=1, s='" + "a" * 20) == []
    assert parser.feed("b" * 40) != []
    parser = Parser(TOOLS, format="pythonic")
    assert parser.feed("[f(x=1), g()") == []
    assert parser.feed("]") == []
    assert [event.call.name for event in parser.finish() if isinstance(event, CallEnd)] == ["f", "g"]


# -- with a marker -----------------------------------------------------------------------------------------------------

MARKED = {
    "llama4-pythonic": "<|python_start|>[{}]<|python_end|>",
    "lfm2": "<|tool_call_start|>[{}]<|tool_call_end|>",
    "olmo-3": "<function_calls>\n{}\n</function_calls>",
    "minicpm-3": "<|tool_call_start|>\n```python\n{}\n```\n<|tool_call_end|>",
}
EXPRESSIONS = [
    "delete_all() if False else g()",
    "delete_all() == 1",
    "delete_all() < 1",
    "delete_all() for x in y",
    "delete_all() or g()",
    "delete_all().run()",
    "delete_all()[0]",
    "delete_all()  # never",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("name", MARKED)
def test_an_expression_between_markers_is_malformed(name: str, expression: str) -> None:
    for declared in (name, "auto", "hermes"):
        events = read(declared, MARKED[name].format(expression))
        assert "ok" not in verdicts(events)
        assert [event for event in events if isinstance(event, Problem)]


@pytest.mark.parametrize("name", MARKED)
def test_a_call_between_markers_ends_with_what_follows(name: str) -> None:
    text = MARKED[name].format("f(x=1)")
    assert calls_of(read(name, text)) == [F]
    cut = text[: text.index(")") + 1]
    assert calls_of(read(name, cut)) == [F]
    assert calls_of(read(name, cut + "\n")) == [F]
    parser = Parser(TOOLS, format=name)
    assert [type(event) for event in parser.feed(cut)].count(CallEnd) == 0


# -- without tools -----------------------------------------------------------------------------------------------------

# Any word may be a tool's name then. What has the form of a call, and cannot be read as one, is prose: it was lost.
PROSE = (
    *("Hello (world).", "Note\n(See the other page) and more.", "f(x) = 2x", "Text.\n\n(x=1)", "See(https://a.b)"),
    *(
        "Hi (there",
        "f(x=true'a', n=2); g()\n```",
        "main() is run.",
        "Note(x=1) and more.",
        "Paris (France) is mild.\nf(x=1)",
        "a.b(c.d) (e)\n\n(f)",
    ),
)


@pytest.mark.parametrize("name", ["auto", "granite-pythonic", "raven", "tool-tags"])
@pytest.mark.parametrize("text", PROSE)
def test_without_tools_what_cannot_be_read_is_prose(name: str, text: str) -> None:
    events = read_with(None, text, format=name, one_of_many=name == "auto")
    assert (calls_of(events), content_of(events)) == ([], text)


@pytest.mark.parametrize("name", ["auto", "granite-pythonic"])
def test_without_tools_a_line_of_its_own_is_a_call(name: str) -> None:
    events = read_with(None, "find(q='a (b)', n=2)\n", format=name, one_of_many=True)
    assert calls_of(events) == [("find", {"q": "a (b)", "n": 2})]


@pytest.mark.parametrize(
    ("text", "names", "content"),
    [
        ("Calling:\n<f>\nCALL", ["f"], "Calling:\n<f>\n"),
        ("<f>\n<b>Bold</b>, for the user.", [], "<f>\n<b>Bold</b>, for the user."),
        ("I have:\n<f>\n<g>\n\nThey do as they say.", [], "I have:\n<f>\n<g>\n\nThey do as they say."),
        # Unless a call is directly behind it, what is may be meant for its arguments, and quote calls.
        ("<f>\n<b>So:\nCALL\nand so on", [], "<f>\n<b>So:\n\nand so on"),
        ("<f>\n<b>So</b>\n\nCALL", [], "<f>\n<b>So</b>"),
    ],
)
@pytest.mark.parametrize("name", ["auto", "hermes"])
def test_a_tool_s_own_tag_without_an_argument_or_an_end_is_a_word(
    text: str, names: list[str], content: str, name: str
) -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
    tools = [{"name": each, "parameters": {"type": "object", "properties": {"x": {}}}} for each in "fg"]
    events = read_with(tools, text.replace("CALL", call), format=name)
    assert [called for called, _ in calls_of(events)] == names
    assert content_of(events).rstrip() == content.rstrip()
    assert "unreadable-call" in codes_of(events)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<|channel>thought\nI need no <f><channel|>The answer is 4.", "gemma-4"),
        ("<|inner_prefix|>I use <f><|inner_suffix|>The answer is 4.", "apertus"),
        ("<|START_THINKING|>I call <f>\n<|END_THINKING|>The answer is 4.", "command-a"),
        ("<think>I call <f></think>The answer is 4.", "hermes"),
    ],
)
def test_the_end_of_the_reasoning_ends_what_a_tool_s_own_tag_began(text: str, name: str) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {}}}}]
    events = read_with(tools, text, format=name)
    assert content_of(events) == "The answer is 4."


def test_a_tool_that_is_named_as_the_reasoning_is_opened() -> None:
    tools = [{"name": "think", "parameters": {"type": "object", "properties": {"x": {}}}}]
    assert calls_of(read_with(tools, "k<think><think><think><think>", format="prompt-tags")) == []
    tools = [{"name": "think", "parameters": {"type": "object", "properties": {"x": {"type": "object"}}}}]
    parser = Parser(tools, format="lfm2", options=ParserOptions(limits=Limits(depth=1)))
    events = [event for char in "k<think><think><think>" for event in parser.feed(char)] + parser.finish()
    assert [(each.code, each.text) for each in events if isinstance(each, Problem)] == [
        ("call-in-reasoning", "<think>")
    ]
