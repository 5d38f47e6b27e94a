# Calls with a marker in the middle of a sentence, and calls without the arguments that their tool requires.
# Does not depend on how a call is held back (test_drafts.py).
"""A call that a sentence mentions is an example; one that ends its line is a call."""

from __future__ import annotations

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, read_with
from toolglean import CallStart, Parser, ParserOptions, Problem, render
from toolglean.formats.headers import HEADERS
from toolglean.formats.registry import all_formats
from toolglean.scan.text import in_sentence, joins

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [{"type": "function", "function": {"name": "delete_all", "description": "-", "parameters": PATH}}]
CALLS = {
    "function": "<function=delete_all></function>",
    "invoke": '<invoke name="delete_all"></invoke>',
    "dsml": '<｜DSML｜invoke name="delete_all"></｜DSML｜invoke>',
    "mistral": '[TOOL_CALLS]delete_all[ARGS]{"path": "x"}',
    "hermes": '<tool_call>{"name": "delete_all", "arguments": {"path": "x"}}</tool_call>',
    "hermes, on lines": '<tool_call>\n{"name": "delete_all", "arguments": {"path": "x"}}\n</tool_call>',
    "gemma": '<|tool_call>call:delete_all{path:<|"|>x<|"|>}<tool_call|>',
    "qwen3-coder": "<tool_call>\n<function=delete_all>\n<parameter=path>\nx\n</parameter>\n</function>\n</tool_call>",
}
MENTIONS = [
    "Never write {} in an answer.",
    "- {}: deletes all",
    "Use {}, please.",
    "Do not use {},",
    "Do not use {};\n",
    "It is ({}).",
    "Say “{}”.",
    "1. {} is one.",
    "Never write **{}** here.",
    "* **{}** deletes all",
    "- ~~{}~~ deletes all",
    "# {} deletes all",
    "\n### {}: deletes all",
    "| a | **{}** |",
    "写「{}」来付款。",
    "Écrivez «\u00a0{}\u00a0» ici.",
    "Write it, e.g. {}, in an answer.",
    "Never do this; {} deletes all.",
    "To delete → {} does it.",
    "To delete -> {} does it.",
]
CALLED = [
    *("I will check. {}", "I will check.{} Wait.", "Is it so? {}\nDone.", "Look: {}", "Well… {}", "Look:\n{} is it"),
    *(
        "I call {}",
        "I call {}\nDone.",
        "I call {}\n\n",
        "I call {}\n</\nDone.",
        "I call {}\n</>- is no tag.",
        "{} is it",
        "Done. **{}**",
        "(See above.) {} is it",
        "**So.** {} is it",
    ),
]


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("text", MENTIONS)
def test_a_call_that_a_sentence_mentions_is_an_example(text: str, call: str) -> None:
    text = text.format(call)
    events = read_with(TOOLS, text)
    assert (calls_of(events), content_of(events)) == ([], text)
    assert sum(isinstance(event, Problem) for event in events) == 1


@pytest.mark.parametrize(
    ("before", "count"),
    [
        ("I already ran ", 0),
        ("Do not call ", 0),
        ("- ", 0),
        ("So. ", 1),
        ("Lie:", 1),
        ("", 1),
        ("Ok:\n", 1),
        ("Use it: ", 1),
    ],
)
@pytest.mark.parametrize("behind", ["", "\n"])
def test_a_call_without_a_marker_in_a_sentence_is_none(before: str, behind: str, count: int) -> None:
    text = f"{before}default_api:delete_all{{path:x}}{behind}"
    for name in ("auto", "gemma-verbal"):
        events = read_with(TOOLS, text, format=name)
        assert len(calls_of(events)) == count
        assert sum(isinstance(event, Problem) for event in events) == 1 - count


HEADED = [
    (declared.name, marker)
    for declared in all_formats()
    for marker in (*(each for each in declared.drop if each.strip().startswith(HEADERS)), *declared.content_markers)
    if "\n" not in marker and declared.name != "auto"
]
ENDED = [
    ("command-a", "<|START_RESPONSE|>{}<|END_RESPONSE|>{} Done."),
    ("ernie-4.5", "<response>{}</response>{}Done."),
    ("hunyuan-a13b", "<answer>{}</answer>{} Done"),
    ("solar", "<|content|>{}<|flush|>{}Done"),
    ("inkling", "{}<|content_model_end_sampling|>{}Done"),
    ("firefunction", "{}<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>"),
    ("functionary-v3.1", "{}<|start_header_id|>assistant<|end_header_id|>\n\n{}\nDone."),
]


@pytest.mark.parametrize(("name", "text"), ENDED)
def test_a_call_behind_what_ends_a_section_or_on_a_line_of_its_own_is_one(name: str, text: str) -> None:
    call = render(name, [("delete_all", {"path": "x"})], tools=TOOLS).strip()
    text = text.format("I will delete it now", call)
    assert len(calls_of(read_with(TOOLS, text, format=name))) == 1


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "marker"), HEADED)
def test_a_call_that_a_sentence_mentions_with_its_header_is_an_example(name: str, marker: str) -> None:
    """The header does not end the sentence."""
    call = render(name, [("delete_all", {"path": "x"})], tools=TOOLS).strip()
    for given in (name, "auto") if marker.strip().startswith(HEADERS) else (name,):  # others drop what is content here
        events = read_with(TOOLS, f"Never write {marker}{call} in an answer.", format=given)
        assert calls_of(events) == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("text", CALLED)
def test_any_other_call_is_one(text: str, call: str) -> None:
    events = read_with(TOOLS, text.format(call))
    assert len(calls_of(events)) == 1


@pytest.mark.parametrize("name", [None, "hermes"])
@pytest.mark.parametrize("written", ["", ', "arguments": {}'])
def test_a_call_without_the_arguments_that_are_required_says_so(written: str, name: str | None) -> None:
    text = f'<tool_call>{{"name": "delete_all"{written}}}</tool_call>'
    unnamed = [
        {"name": "delete_all", "parameters": {"type": "object", "required": ["path"]}}
    ]  # properties are not listed
    for tools, told in ((TOOLS, ["missing-arguments"]), (unnamed, ["missing-arguments"]), (["delete_all"], [])):
        events = read_with(tools, text, format=name)
        assert calls_of(events) == [("delete_all", {})]
        assert codes_of(events) == told


@pytest.mark.parametrize(
    "call", [*CALLS.values(), "default_api:delete_all{path:x}", "call:default_api:delete_all{path:x}"]
)
@pytest.mark.parametrize("behind", [" now.", "", "\nDone."])
def test_two_calls_in_a_sentence(call: str, behind: str) -> None:
    """Fixed bug: the second one made the first one a call, whatever followed on their line."""
    text = f"I call {call} {call}{behind}"
    events = read_with(TOOLS, text)
    expected = 0 if behind == " now." or "default_api" in call else 2
    assert len(calls_of(events)) == expected
    assert expected or (content_of(events) == text and any(isinstance(event, Problem) for event in events))


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_a_cut_takes_no_call_back(call: str) -> None:
    parser, told, counts = Parser(TOOLS), [], []
    for sign in f"I call {call}{call}":
        told += parser.feed(sign)
        counts.append(len(calls_of([*told, *parser.fork().finish()])))
    assert counts == sorted(counts)
    assert counts[-1] == 2


def test_a_call_behind_a_sentence_is_told_at_once() -> None:
    for text, told in (("Let me see. ", True), ("Let me see: ", True), ("Let me see ", False)):
        parser = Parser(TOOLS, format="hermes")
        events = parser.feed(text + '<tool_call>{"name": "delete_all", "arguments": {"path": "')
        assert any(isinstance(event, CallStart) for event in events) is told


def test_a_mention_is_read_where_quotations_are() -> None:
    for call in CALLS.values():
        parser = Parser(TOOLS, options=ParserOptions(quoted="call"))
        assert [*parser.add(f"Never write {call} in an answer.").calls, *parser.close().calls]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("", False), ("So it is", True), ("So it is ", True), ("So, ", True), ("So. ", False), ("So.", False)),
        *(("Is it?", False), ("It is so: ", False), ("So\n", False), ("So\n- ", True), ("So\n* ", True)),
        *(("1. ", True), ("Say \"no.\" ", False), ("Say \"no\" ", True), ("(Yes.) ", False), ("(yes) ", True)),
        *(("**so* ", True), ("so **", True), ("| **", True), ("So:\n**", False), ("ok. ", False), ("e.g. ", True)),
        *(("10. ", False), ("Room 12. ", False), ("v1.0.1. ", False), ("5 p.m. ", False), ("\na. ", True), ("So «\u00a0", True), ("So\u3000", True), ("写「", True)),
        *(("例（", True), ("so ‘", True), ("so [", True), ("[", False), ("Done ✔\ufe0f", False), ("好的~ ", False), ("नमस्ते ", True), ("so e\u0301 ", True), ("so، ", True)),
        *(("so → ", False), ("so; ", False), ("z. B. ", False), ("好的。\u3000", False), ("So:\u00a0", False)),
        *(("**So.** ", False), ("**so** ", True), ("查询", True), ("好的。", False), ("Sure! \N{GRINNING FACE}", False)),
    ],
)  # fmt: skip
def test_where_a_sentence_goes_on(text: str, expected: bool) -> None:
    assert in_sentence(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("so; ", True), ("查一下；", True), ("so → ", True), ("so →", True), ("so ➡\ufe0f ", True), ("so -> ", True)),
        *(("so => ", True), ("**so;** ", True), ("So;\n", False), ("; ", False), ("→ ", False), ("So\n-> ", False)),
        *(
            (" → ", False),
            ("<!-- so -->", False),
            ("Yes! :-> ", False),
            ("<-> ", False),
            ("So ;) ", False),
            ("so ", False),
        ),
    ],
)
def test_what_joins_a_call_to_what_is_before_it_on_its_line(text: str, expected: bool) -> None:
    """Only a call is a mention there: what opens reasoning does."""
    assert joins(text) is expected


@pytest.mark.parametrize("sign", ["; ", ";", " → ", " => ", "；"])
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_calls_that_a_sign_joins_to_each_other_all_run(call: str, sign: str) -> None:
    assert len(calls_of(read_with(TOOLS, sign.join([call] * 3)))) == 3


@pytest.mark.parametrize("sign", ["; ", " -> "])
def test_reasoning_opens_behind_a_sign_that_joins(sign: str) -> None:
    text = f"I see{sign}<think> so <|end|>{CALLS['hermes']}\nno"
    assert calls_of(read_with(TOOLS, text, format="hermes")) == []


@pytest.mark.parametrize(
    "text", ["delete_all() <", "[delete_all() <", "[delete_all(),\n<", "<delete_all></delete_all> <"]
)
def test_behind_a_call_without_a_marker_a_sign_is_no_cut_marker(text: str) -> None:
    events = read_with(["delete_all"], text)
    assert calls_of(events) == []


def test_a_word_that_may_become_a_marker_is_text() -> None:
    """Fixed bug: a turn that ended in the rest of a closer, without its brackets, ran what it mentioned."""
    call = '<atem:invoke name="delete_all"><atem:parameter name="path">/</atem:parameter></atem:invoke>'
    for rest in ("tool_call>", "tool_call> it is"):
        events = read_with(["delete_all"], f"Hi. I could write {call}<|eom|>{rest}", format="muse")
        assert calls_of(events) == []


@pytest.mark.parametrize("text", ["[delete_all(),\nfoo]", "[delete_all(),\n# never\n]", "[delete_all(),\n x"])
def test_a_line_break_in_a_list_that_is_open_ends_no_line(text: str) -> None:
    events = read_with(["delete_all"], text)
    assert calls_of(events) == []
