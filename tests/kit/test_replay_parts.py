"""What each character of a turn became, and at which step that was known.

The laws, for every turn and every way of cutting it:

1. The parts, joined, are the turn; those that a step fed are its chunk.
2. No part is given out before it is fed, and all of them are given out at the end.
3. By each step, the content and the reasoning that were given out are what the events of the steps so far say.
4. Only a call that is not `ok` has unfinished parts, and only text that a `Problem` names is marked as one.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.support import depth
from tests.support.face import faced
from tests.support.work import calls_made
from toolglean import CallEnd, Content, Event, Parser, Problem, Reasoning
from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.explain import Explanation
from toolglean.kit.replay import Recording, Step, cut_turn, record
from toolglean.kit.replay.parts import Part, parts_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
STREAMS = {stream.name: stream for stream in load_streams()}
WILD: list[dict[str, Any]] = [
    json.loads(line) for line in (FIXTURES / "wild.jsonl").read_text(encoding="utf-8").split("\n") if line
]
FORMATS: list[dict[str, Any]] = [
    json.loads(path.read_text(encoding="utf-8")) for path in sorted((FIXTURES / "formats").glob("*.json"))
]


def named(case: Any) -> str:
    return str(case.get("id") or case["format"])


def recorded(chunks: list[str], tools: Any = None, **options: Any) -> Recording:
    """As `record`, but without the explanation, which takes most of the time."""
    parser = Parser(tools, **faced(**options, markup=True))
    fed = [parser.feed(chunk) for chunk in chunks]
    steps = [Step(chunk, tuple(events), "", None) for chunk, events in zip(chunks, fed, strict=True)]
    steps.append(Step(None, tuple(parser.finish()), "", None))
    return Recording("".join(chunks), tuple(steps), Explanation(None, complete=True))


def parts_by_law(found: Recording) -> list[Part]:
    """The parts, which obey the laws."""
    parts, last = parts_of(found), len(found.steps)
    assert "".join(part.text for part in parts) == found.text
    fed = {step: "".join(part.text for part in group) for step, group in groupby(parts, key=lambda part: part.fed)}
    for number, step in enumerate(found.steps, 1):
        assert fed.get(number, "") == (step.chunk or "")
    assert all(1 <= part.fed <= part.given <= last for part in parts)
    assert_said(found, parts)
    calls = [event.call for step in found.steps for event in step.events if isinstance(event, CallEnd)]
    spans = "".join(found.text[slice(*call.span)] for call in calls if call.status != "ok")
    assert "".join(part.text for part in parts if part.unfinished) == spans
    if not any(isinstance(event, Problem) for step in found.steps for event in step.events):
        assert not any(part.problem for part in parts)
    return parts


def assert_said(found: Recording, parts: list[Part]) -> None:
    kinds: tuple[tuple[str, type[Event]], ...] = (("content", Content), ("reasoning", Reasoning))
    for kind, event_type in kinds:
        said = {
            number: "".join(event.text for event in step.events if isinstance(event, event_type))  # type: ignore[union-attr]
            for number, step in enumerate(found.steps, 1)
        }
        own = [part for part in parts if part.kind == kind]
        given = {
            step: "".join(part.text for part in group) for step, group in groupby(own, key=lambda part: part.given)
        }
        assert given == {step: text for step, text in said.items() if text}


@pytest.mark.parametrize("name", STREAMS)
def test_shipped_streams(name: str) -> None:
    stream = STREAMS[name]
    for chunks in (list(stream.tokens), list("".join(stream.tokens)), cut_turn("".join(stream.tokens), 7)):
        parts = parts_by_law(recorded(chunks, load_tools()))
        assert {part.unfinished for part in parts} == {0}
        for call in stream.calls:
            assert call["name"] in "".join(part.text for part in parts if part.kind == "name")


@pytest.mark.parametrize("case", depth.chosen(FORMATS, 15, key=named), ids=named)
def test_every_format(case: dict[str, Any]) -> None:
    """The name and each text that is a value are found in the turn."""
    parts = parts_by_law(recorded(cut_turn(case["turn"]), format=case["format"]))
    names, said = ("".join(part.text for part in parts if part.kind == kind) for kind in ("name", "arguments"))
    for call in case["calls"]:
        assert call["name"] in names
        for value in call["arguments"].values():
            assert not isinstance(value, str) or not value.isalnum() or value in said


@pytest.mark.parametrize("case", depth.chosen(WILD, 15, key=named), ids=named)
def test_turns_as_models_wrote_them(case: dict[str, Any]) -> None:
    for chunks in (cut_turn(case["text"]), cut_turn(case["text"], 5), [case["text"]], []):
        parts_by_law(recorded(chunks, case["tools"], start=case["start"]))


def shown(turn: str, tools: Any = ("f",), **options: Any) -> str:
    """The turn with its parts in brackets: n(name), a(arguments), m(markup), r(reasoning); content has no brackets."""
    parts = parts_by_law(recorded(cut_turn(turn), tools, **options))
    runs = [(kind, "".join(part.text for part in group)) for kind, group in groupby(parts, key=lambda part: part.kind)]
    return "".join(text if kind == "content" else f"{kind[0]}({text})" for kind, text in runs)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        # As they are in the turn.
        (
            'Hi! <tool_call>{"name": "f", "arguments": {"x": [1, "f"]}}</tool_call> there',
            'Hi! m(<tool_call>{"name": ")n(f)m(", "arguments": )a({"x": [1, "f"]})m(}</tool_call>) there',
        ),
        # Keys in another order: the name comes after the arguments, and is in them too.
        (
            '<tool_call>{"arguments": {"x": "f"}, "name": "f"}</tool_call>',
            'm(<tool_call>{"arguments": )a({"x": "f"})m(, "name": ")n(f)m("}</tool_call>)',
        ),
        # Arguments as a JSON string: their quotes are escaped in the turn.
        (
            r'<tool_call>{"name": "f", "arguments": "{\"x\": \"a b\", \"y\": 2}"}</tool_call>',
            r'm(<tool_call>{"name": ")n(f)m(", "arguments": ")a({\"x\": \"a b\", \"y\": 2})m("}</tool_call>)',
        ),
        # A raw line break in a string, which the deltas escape.
        (
            '<tool_call>{"name": "f", "arguments": {"x": "a\nb"}}</tool_call>',
            'm(<tool_call>{"name": ")n(f)m(", "arguments": )a({"x": "a\nb"})m(}</tool_call>)',
        ),
        # Parameters: keys and values between markup. `a` is in "parameter" too.
        (
            "<tool_call>\n<function=f>\n<parameter=a>\nTrue\n</parameter>\n<parameter=b>\nx < y\n</parameter>\n</function>\n</tool_call>",
            "m(<tool_call>\n<function=)n(f)m(>\n<parameter=)a(a)m(>\n)a(True)m(\n</parameter>\n<parameter=)a(b)m(>\n)a(x < y)m(\n</parameter>\n</function>\n</tool_call>)",
        ),
        # A value that begins with the bracket with which the arguments begin.
        (
            '<function=f><parameter=t>{"ok": 1}</parameter></function>',
            'm(<function=)n(f)m(><parameter=)a(t)m(>)a({"ok": 1})m(</parameter></function>)',
        ),
        # Python's keywords.
        ("<|tool_call_start|>[f(x=None, y='a')]<|tool_call_end|>", "m(<|tool_call_start|>[)n(f)m(()a(x=None, y='a)m(')]<|tool_call_end|>)"),
        ("<think>Hm.</think>Yes.", "m(<think>)r(Hm.)m(</think>)Yes."),
        ("", ""),
    ],
)  # fmt: skip
def test_where_name_and_arguments_stand(turn: str, expected: str) -> None:
    typed = {"name": "f", "parameters": {"properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}}}
    assert shown(turn, [typed]) == expected


def test_held_back_until_it_is_known() -> None:
    turn = ["So: <tool", "_call>", '{"name": "f"', ', "arguments": {', '"x": 1', "}}", "</tool_call>"]
    parts = parts_by_law(recorded(turn, ["f"]))
    by_text = {part.text: (part.kind, part.fed, part.given) for part in parts}
    assert by_text["So: "] == ("content", 1, 1)
    assert by_text["<tool"] == ("markup", 1, 3)
    assert by_text["f"] == ("name", 3, 3)
    assert by_text['"'] == ("markup", 3, 4)  # after the name
    assert by_text["{"] == ("arguments", 4, 4)
    assert by_text["</tool_call>"] == ("markup", 7, 8)


def test_a_draft_in_the_reasoning() -> None:
    draft = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    parts = parts_by_law(recorded(["<think>Perhaps ", draft, " or not.", "</think>No."], ["f"]))
    assert [(part.kind, part.fed, part.given) for part in parts if part.text == draft] == [("reasoning", 2, 3)]
    assert next(part.problem for part in parts if part.text == draft) == 3


def test_a_call_that_was_cut_off_is_unfinished_once_it_ends() -> None:
    parts = parts_by_law(recorded(['<tool_call>{"name": "f", "arguments": {"x": ', '"half'], ["f"]))
    assert {part.unfinished for part in parts} == {3}
    assert "".join(part.text for part in parts if part.kind == "arguments") == '{"x": "half'
    assert parts[-1].given == 2  # it was given out as an argument before it was known to be unfinished


def test_a_problem_marks_its_text() -> None:
    [*_, part] = parts_by_law(recorded(["Hi. ", "<tool_call>"], ["f"]))
    assert (part.text, part.kind, part.problem) == ("<tool_call>", "markup", 3)


def test_the_explanation_and_the_output_are_those_of_the_whole_turn() -> None:
    found = record(
        ['<tool_call>{"name": "f", "argu', 'ments": {"x": 1, y: 2}}'], ["f"], title="a title", notes=["a note"]
    )
    assert [cause.name for cause in found.explanation.causes] == ["json-broken"]
    assert [call.name for call in found.output.unfinished] == ["f"]
    assert (found.title, found.notes, found.format) == ("a title", ("a note",), "hermes")


def test_what_is_cut_is_whole() -> None:
    text = "Zoë’s  naïve\n\n\t日本語 " + "x" * 50 + "\ud800!?" + "\u2028"
    for size in (None, 1, 3):
        assert "".join(cut_turn(text, size)) == text
    assert cut_turn("It is so.") == ["It", " is", " so", "."]


def test_the_work_is_linear() -> None:
    """Also for arguments of which no piece is found where it is looked for."""

    def work(count: int) -> int:
        turn = '<tool_call>{"name": "f", "arguments": {"x": "' + "a &amp; b\nq" * count + '"}}</tool_call>'
        found = recorded(cut_turn(turn), ["f"])
        return calls_made(lambda: parts_of(found))

    assert work(400) < 4.4 * work(100)
