# Which calls of which only the name was written were whole, by what follows them.
# Does not depend on any format's markers.
"""A JSON object with nothing but a name: whether it was whole, what follows it tells (`NameAlone`)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import codes_of, read_with
from toolglean import CallDelta, CallEnd, Content, Limits, Parser, Problem, ToolCall
from toolglean.engine.open_call import NameAlone

ROWS = [
    # (what it shows, format, turn, statuses of its calls)
    ("its closer", "hermes", '<tool_call>{"name": "f"}</tool_call> Done.', ["ok"]),
    ("white space and its closer", "hermes", '<tool_call>{"name": "f"}\n</tool_call>\n', ["ok"]),
    ("the end of the turn", "hermes", '<tool_call>{"name": "f"}', ["ok"]),
    ("white space, and the end", "hermes", '<tool_call>{"name": "f"}\n\n', ["ok"]),
    ("another call", "hermes", '<tool_call>{"name": "f"}<tool_call>{"name": "g", "arguments": {}}', ["ok", "ok"]),
    ("another object of a list", "jamba", '<tool_calls>[{"name": "f"}, {"name": "g"}]</tool_calls>', ["ok", "ok"]),
    ("empty arguments were written", "hermes", '<tool_call>{"name": "f", "arguments": {}} and so on', ["ok"]),
    ("the arguments come after it", "hermes", '<tool_call>{"name": "f"}, "arguments": {"x": 1}}</tool_call>', ["malformed"]),
    ("a bracket too many", "hermes", '<tool_call>{"name": "f"}}, "arguments": {"x": 1}}</tool_call>', ["malformed"]),
    ("text", "hermes", '<tool_call>{"name": "f"} I will wait.', ["malformed"]),
    ("text on another line", "hermes", '<tool_call>{"name": "f"}\nI will wait.', ["malformed"]),
    ("Python closes its calls itself", "llama4", "[f()]", ["ok"]),
]  # fmt: skip


CFG = {"name": "cfg", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}
THERE = [
    # (what it shows, format, turn, statuses of its calls): the tool takes arguments, which are there or not
    ("arguments behind the object in a list", "mistral-v3", '[TOOL_CALLS] [{"name": "cfg"} "arguments": {"to": "Ann"}}]', ["malformed"]),
    ("an object behind the object", "granite-3", '<|tool_call|>[{"name": "cfg"}{"to": "Ann"}]', ["malformed"]),
    ("an object of the list", "mistral-v3", '[TOOL_CALLS] [{"name": "cfg"}, {"arguments": {"to": "Ann"}}]', ["malformed"]),
    ("JSON without a marker", "auto", '{"name": "cfg"}, {"parameters": {"to": "Ann"}}', ["malformed"]),
    ("two fences", "deepseek-v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>cfg\n```json\n```json\n{\"to\": \"Ann\"}\n```\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", ["malformed"]),
    ("an empty fence", "deepseek-v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>cfg\n```json\n```\n{\"to\": \"Ann\"}\n```<｜tool▁call▁end｜>", ["malformed"]),
    ("parameters behind the wrapper", "qwen3-coder", "<tool_call>\n<function=cfg></tool_call>\n<parameter=to>\nAnn\n</parameter>\n</function>\n</tool_call>", ["malformed"]),
    ("the same with another prefix", "anthropic", '<function_calls>\n<invoke name="cfg"></invoke>\n</function_calls>\n<parameter name="to">Ann</parameter>\n</invoke>\n</function_calls>', ["malformed"]),
    ("keys behind the closer", "glm-4.5", "<tool_call>cfg\n</tool_call><arg_key>to</arg_key>\n<arg_value>Ann</arg_value>\n</tool_call>", ["malformed"]),
    ("an object behind the closer", "gemma-4", '<|tool_call>call:cfg<tool_call|>{to:<|"|>Ann<|"|>}<tool_call|>', ["malformed"]),
    ("prose", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\nAnd so on.", ["ok"]),
    ("prose with the first sign of arguments", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\n(I wait for it.)", ["ok"]),
    ("prose with a word of arguments", "hermes", '<tool_call>{"name": "cfg"}</tool_call>\nArguments are not needed.', ["ok"]),
    ("a tag", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\n<b>So.</b>", ["ok"]),
    ("a tag whose name begins like that of parameters", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call><paramsx>x</paramsx>", ["ok"]),
    ("a word that looks like one of arguments", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\nınput: 3", ["ok"]),
    ("prose that begins like arguments", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\ninput: a file.", ["ok"]),
    ("a call in another spelling", "hermes", '<tool_call>\n{"name": "cfg"}\n</tool_call>\n\n{"name": "g", "arguments": {}}', ["ok"]),
    ("another call", "qwen3-coder", "<tool_call>\n<function=cfg>\n</function>\n</tool_call>\n<tool_call>\n<function=f>\n</function>\n</tool_call>", ["ok", "ok"]),
    ("the end of the turn", "mistral-v3", '[TOOL_CALLS] [{"name": "cfg"}]', ["ok"]),
]  # fmt: skip


def test_reasoning_behind_a_call_waits_for_nothing() -> None:
    """Fixed bug: the end of the call, and all of the reasoning, came when it ended."""
    parser = Parser([CFG], format="qwen3-coder")
    parser.feed("<tool_call>\n<function=cfg>\n</function>\n</tool_call><think>")
    events = [event for char in "Hm." for event in parser.feed(char)]
    assert isinstance(events[1], CallEnd)
    assert [type(event).__name__ for event in events[2:]] == ["Reasoning"] * 3


def test_no_line_that_follows_a_call_that_waits_is_kept() -> None:
    """Fixed bug: what was told behind the call was lost."""
    text = '<function=cfg>\n</function>\n{"fn": "cfg", "with": {"to": "x"}}\n<|tool_call_end|>\n\n=> cfg(to=\'x'
    for held in (60, 65536):
        read_with([CFG], text, format="kimi-k2", quoted="call", limits=Limits(held=held))


@pytest.mark.parametrize("name", ["apertus", "auto"])
def test_a_value_that_is_missing_is_no_empty_object(name: str) -> None:
    events = read_with([CFG], '<|tools_prefix|>[{"cfg": }]<|tools_suffix|>', format=name)
    assert not any(isinstance(event, CallEnd) for event in events)
    assert codes_of(events) == ["unreadable-call"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("format", "turn", "statuses"), [row[1:] for row in THERE], ids=[row[0] for row in THERE])
def test_no_call_runs_without_arguments_that_are_there(
    format: str,  # noqa: A002
    turn: str,
    statuses: list[str],
    *,
    named: bool,
) -> None:
    events = read_with([CFG, "f"], turn, format=format if named else "auto")
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == statuses
    told = [event.text for event in events if isinstance(event, Problem) and event.code == "name-alone"]
    assert told == ["cfg"] * statuses.count("malformed")


@pytest.mark.parametrize(("format", "turn", "statuses"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_follows_tells(format: str, turn: str, statuses: list[str]) -> None:  # noqa: A002
    events = read_with(["f", "g"], turn, format=format)
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == statuses
    refused = [event for event in events if isinstance(event, Problem) and event.code == "name-alone"]
    assert len(refused) == statuses.count("malformed")


def test_a_refused_call_shows_no_arguments() -> None:
    """None were written, so none are handed out, in a delta or in the call."""
    events = Parser(["f"], format="hermes").feed('<tool_call>{"name": "f"} I will wait.')
    assert not any(isinstance(event, CallDelta) for event in events)
    (call,) = (event.call for event in events if isinstance(event, CallEnd))
    assert call.arguments_text == ""


def test_the_policy_by_itself() -> None:
    call = ToolCall("call_0", 0, "f", True, {}, "{}", (3, 20), "ok")
    delta, end, space = CallDelta(0, "{}", 20), CallEnd(0, call, 20), Content("\n", 20)
    waiting = NameAlone(delta, end, is_open=True, keys=())
    waiting.tell(space)
    twin = waiting.copy()
    twin.tell(space)
    assert waiting.whole() == [delta, end, space]
    assert [type(event) for event in twin.broken()] == [Problem, CallEnd, Content, Content]
    broken: Any = twin.broken()[1]
    assert broken.call.status == "malformed"
