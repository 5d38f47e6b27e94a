"""Harmony: whom a message is for, and markers in its reasoning."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.support.chunkings import calls_of, content_of, read_with, reasoning_of
from toolglean import CallEnd, Problem, Reasoning

TOOLS = ["f", "g"]
FIRST = (
    '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>',
    ' to=functions.f<|channel|>commentary json<|message|>{"a": 1}<|call|>',
)
HEADERS = ("", "<|start|>", "assistant ", "<|start|>assistant ")
KINDS = ("<|channel|>commentary <|constrain|>json", "<|channel|>commentary json", "<|channel|>analysis")
CODE = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
PYTHON = [{"type": "function", "function": {"name": "python", "parameters": CODE}}]
TO_PYTHON = (
    *("<|channel|>analysis to=python code", "<|channel|>commentary to=python <|constrain|>code", " to=python"),
    *(
        " to=python<|channel|>analysis",
        "<|channel|>analysis to=python <|constrain|>python",
        "<|channel|>analysis to=python",
    ),
)
BODY = "<|message|>import x\nprint(x)<|call|><|start|>assistant<|channel|>final<|message|>Done."


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("header", HEADERS)
def test_a_second_recipient_stands_in_the_role(header: str, name: str) -> None:
    for first, kind in product(FIRST, KINDS):
        turn = f'{first}{header}to=functions.g{kind}<|message|>{{"b": 2}}<|call|>'
        events = read_with(TOOLS, turn, format=name)
        assert calls_of(events) == [("f", {"a": 1}), ("g", {"b": 2})]
        assert content_of(events) == ""
        assert not [event for event in events if isinstance(event, Problem | Reasoning)]


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("header", TO_PYTHON)
def test_code_for_python(header: str, name: str) -> None:
    """The value of the only parameter where the tool has one; else a call that cannot run, never text for the user."""
    for tools in (PYTHON, TOOLS, None):
        events = read_with(tools, header + BODY, format=name)
        ends = [(event.call.name, event.call.status) for event in events if isinstance(event, CallEnd)]
        assert ends == [("python", "ok" if tools is PYTHON else "malformed")]
        assert calls_of(events) == ([("python", {"code": "import x\nprint(x)"})] if tools is PYTHON else [])
        assert content_of(events) == "Done."


@pytest.mark.parametrize("name", ["harmony", "llm-jp-harmony", "auto"])
@pytest.mark.parametrize("text", ["I would rather not.", '["ls"]', '```json\n{"code": "ls"}\n```'])
def test_text_behind_a_marker_that_says_json_is_no_argument(text: str, name: str) -> None:
    """It was the value of the only text parameter: a refusal ran as a command."""
    for kind in ("<|channel|>commentary <|constrain|>json", "<|channel|>commentary json", " <|constrain|>json"):
        turn = f" to=functions.python{kind}<|message|>{text}<|call|>"
        events = read_with(PYTHON, turn, format=name)
        assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["malformed"]
    turn = f"to=functions.python json {text}"
    assert calls_of(read_with(PYTHON, turn, format=name)) == []


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("header", ["final to=functions.python", "commentary to=functions.python"])
@pytest.mark.parametrize(("end", "status"), [("<|call|>", "ok"), ("<|end|>", "malformed"), ("<|return|>", "malformed")])
def test_text_that_ends_as_an_answer_does_is_no_argument(header: str, end: str, status: str, name: str) -> None:
    """Fixed bug: an answer with a recipient in its header ran as a call."""
    events = read_with(PYTHON, f"<|channel|>{header}<|message|>The fern is a plant.{end}", format=name)
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == [status]


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("body", ['```json\n{"code": "1"}\n```', ' <|constrain|>json<|message|>{"code": "1"}'])
def test_a_fence_of_json_or_a_marker_is_no_text_of_a_parameter(body: str, name: str) -> None:
    events = read_with(
        PYTHON, f"<|start|>assistant<|channel|>commentary to=functions.python<|message|>{body}<|call|>", format=name
    )
    (call,) = (event.call for event in events if isinstance(event, CallEnd))
    assert call.status == "malformed"


@pytest.mark.parametrize("tool", ["get_json", "run_code", "to_python", "json"])
def test_a_name_that_ends_like_a_kind(tool: str) -> None:
    for kind in ("", " json", " <|constrain|>json"):
        turn = f'<|channel|>commentary to=functions.{tool}{kind}<|message|>{{"a": 1}}<|call|>'
        calls: Any = calls_of(read_with([tool], turn, format="harmony"))
        assert calls == [(tool, {"a": 1})]


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("tools", [["shell"], ["shell", "shelljson"]], ids=["unknown", "known"])
def test_a_name_is_never_split(tools: list[str], name: str) -> None:
    """`to=functions.shelljson{}` ran the tool `shell`, even where a tool was named so."""
    for before in ("", "commentary ", "assistantcommentary ", "So: "):
        turn = f'{before}to=functions.shelljson{{"a": 1}}'
        events = read_with(tools, turn, format=name)
        assert calls_of(events) == []
        turn = f'{before}to=functions.shell json{{"a": 1}}'
        events = read_with(tools, turn, format=name)
        assert calls_of(events) == [("shell", {"a": 1})]
    turn = '<|channel|>commentary to=functions.shelljson<|message|>{"a": 1}<|call|>'
    events = read_with(tools, turn, format=name)
    assert [(e.call.name, e.call.known) for e in events if isinstance(e, CallEnd)] == [("shelljson", len(tools) > 1)]


@pytest.mark.parametrize("name", ["harmony", "auto", "hermes"])
def test_a_channel_that_is_written_twice(name: str) -> None:
    turn = '<|channel|>commentary to=functions.f<|channel|>commentary <|constrain|>json<|message|>{"a": 1}<|call|>'
    for header in ("", "<|start|>assistant"):
        events = read_with(TOOLS, header + turn, format=name)
        assert (calls_of(events), content_of(events)) == ([("f", {"a": 1})], "")


THINKS = "<|channel|>analysis<|message|>"
SAYS = "<|start|>assistant<|channel|>final<|message|>"


@pytest.mark.parametrize("option", ["harmony", "auto"])
@pytest.mark.parametrize("marker", ["<|call|>", "<|return|>", "<|channel|>", "<|channel|>final", "<|start|>"])
def test_a_marker_that_reasoning_mentions_is_reasoning(option: str, marker: str) -> None:
    """It was taken for the marker, and it and the white space around it were lost."""
    thought = f"I write {marker} at the end, then more."
    events = read_with(["f"], f"{THINKS}{thought}<|end|>{SAYS}Hi<|return|>", format=option)
    assert reasoning_of(events) == thought
    assert content_of(events) == "Hi"


@pytest.mark.parametrize(
    "end", ["<|call|>", "<|return|>", "<|call|>\n", "<|call|> <|start|>assistant<|channel|>final<|message|>Hi"]
)
def test_a_marker_before_another_or_the_end_is_markup(end: str) -> None:
    events = read_with(["f"], f"{THINKS}So be it.{end}", format="harmony")
    assert reasoning_of(events) == "So be it."
    assert content_of(events) == ("Hi" if end.endswith("Hi") else "")


@pytest.mark.parametrize("option", ["harmony", "auto"])
def test_json_in_the_final_channel_is_the_answer(option: str) -> None:
    answer = '{"name": "f", "arguments": {}}'
    events = read_with(["f"], f"{SAYS}{answer}<|return|>", format=option)
    assert (calls_of(events), content_of(events)) == ([], answer)


TAILS = ("\n", " json", " JSON", " <|constrain|>json", " <|constrain|>JSON", "<|constrain|>json\n")


@pytest.mark.parametrize("option", ["harmony", "auto"])
@pytest.mark.parametrize(
    "header", [*(f"final{tail}" for tail in TAILS), "commentary json", "commentary to=assistant", "commentary to=user"]
)
def test_what_is_behind_a_channels_name_is_markup(header: str, option: str) -> None:
    """Fixed bug: the answer was reasoning, or had the header in it."""
    text = f"<|channel|>analysis\n<|message|>So.<|end|><|start|>assistant<|channel|>{header}<|message|>{{}} it is.<|return|>"
    events = read_with(TOOLS, text, format=option)
    assert content_of(events) == "{} it is."
    assert reasoning_of(events) == "So."


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("filler", ["commentary", "commentary ", "commentary\n", "assistant"])
def test_a_word_of_the_next_header_between_two_calls_is_markup(filler: str, name: str) -> None:
    """Behind the first of three, it was a sentence, and the second call was its example."""
    events = read_with(TOOLS, f"{FIRST[0]}{filler}{FIRST[0]}{filler}{FIRST[0]}", format=name)
    assert calls_of(events) == [("f", {"a": 1})] * 3
    assert content_of(events) == ""


@pytest.mark.parametrize("name", ["harmony", "auto"])
def test_a_header_for_the_assistant_before_that_of_the_answer_is_markup(name: str) -> None:
    text = "<|start|>assistant<|channel|>commentary to=assistant<|channel|>final<|message|>Hello"
    events = read_with(TOOLS, text, format=name)
    assert (calls_of(events), content_of(events)) == ([], "Hello")


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("behind", ["<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>", "<|end|>{}"])
def test_an_answer_behind_text_that_is_no_argument_is_content(behind: str, name: str) -> None:
    call = "<|channel|>commentary to=functions.python<|message|>I look it up."
    events = read_with(PYTHON, call + behind.format("It is 3."), format=name)
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["malformed"]
    assert content_of(events) == "It is 3."


@pytest.mark.parametrize("name", ["harmony", "auto"])
@pytest.mark.parametrize("end", ["<|end|>", "<|call|>"])
def test_an_answer_behind_a_malformed_call_is_content(end: str, name: str) -> None:
    """Fixed bug: behind `<|end|>`, the answer was part of the call. A call there may be one that it quotes."""
    call = '<|channel|>commentary to=functions.python<|constrain|>json<|message|>{"code": }'
    answer = "<|start|>assistant<|channel|>final<|message|>I am done.<|return|>"
    events = read_with(PYTHON, f"{call}{end}{answer}", format=name)
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["malformed"]
    assert content_of(events) == "I am done."
    quoted = '<|start|>assistant<|channel|>commentary to=functions.python<|message|>{"code": "x"}<|call|>'
    assert calls_of(read_with(PYTHON, f'{call[:-1]}"x" y<|end|>{quoted}"}}<|call|>', format=name)) == []
