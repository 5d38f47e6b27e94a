# Invariant: the oracles of the fuzzers say what the written rules say. Each is tried here on rows of its own, and on a
# parser that breaks its law: a fuzzer that finds nothing proves nothing else.
"""The oracles of fuzz/undo.py, documents.py, dropped.py and prefixes.py."""

from __future__ import annotations

from typing import Any

import pytest

from fuzz import documents, dropped, prefixes, undo
from fuzz.laws import Subject
from fuzz.reading import calls_of
from toolglean import CallEnd, Event, Parser, ToolCall
from toolglean.engine import straight_way
from toolglean.engine.emit import Emitter
from toolglean.engine.reasons import Reason

READ = {"name": "read", "arguments": {"path": "x"}}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
CALLS: list[tuple[Any, list[str], list[str]]] = [
    # the document; the names of the calls that may run; those that must
    (READ, ["read"], ["read"]),
    ([READ, READ], ["read", "read"], ["read", "read"]),
    ({"tool_calls": [READ]}, ["read"], ["read"]),
    ({"type": "function", "id": "x", "function": READ}, ["read"], ["read"]),
    ({"tool_calls": [{"id": "x", "type": "function", "function": READ}]}, ["read"], ["read"]),
    ({**READ, "arguments": '{"path": "x"}'}, ["read"], ["read"]),
    ({"name": "read", "parameters": {"path": "x"}, "id": 1}, ["read"], []),
    ({"name": "read", "params": {"path": "x"}}, ["read"], []),
    ({"name": "read", "options": {"path": "x"}}, ["read"], []),
    ({"tool": "read", "input": {"path": "x"}}, ["read"], []),
    ({"read": {"path": "x"}}, ["read"], []),
    ({"name": "delete_all"}, ["delete_all"], []),
    ({"thought": "I read.", "tool_calls": [READ]}, ["read"], []),
    ([READ, "text"], ["read"], []),
    ({"name": "read"}, [], []),
    ({"name": "read", "arguments": {}}, [], []),
    ({"name": "read", "description": "Reads.", "arguments": {"path": "x"}}, [], []),
    ({"name": "read", "parameters": SCHEMA}, [], []),
    ({"name": "read", "input": SCHEMA, "arguments": {"path": "x"}}, [], []),
    ({"name": "read", "params": {"path": "x"}, "kwargs": {}}, ["read"], []),
    ({"name": "read", "options": {"path": "x"}, "kwargs": {}}, [], []),
    ({"name": "read", "path": "x"}, [], []),
    ({"name": "Blue", "seats": 4}, [], []),
    ({"tool": "read", "path": {"path": "x"}}, [], []),
    ({"title": "read", "arguments": {"path": "x"}}, [], []),
    ({"tools": [{"name": "delete_all"}]}, [], []),
    ({"plan": [READ]}, [], []),
    ({"example": READ, "warning": "never do this"}, [], []),
    ([[READ]], [], []),
    ({"rooms": [{"name": "Blue"}]}, [], []),
    ({"arguments": READ}, [], []),
    ("read", [], []),
]


@pytest.mark.parametrize(("document", "may", "must"), CALLS, ids=[str(row[0])[:60] for row in CALLS])
def test_the_rules_for_documents(document: Any, may: list[str], must: list[str]) -> None:
    assert [name for name, _ in documents.allowed(document)] == may
    assert [name for name, _ in documents.due(document)] == must


def test_breaches_of_documents() -> None:
    assert documents.breach(READ, [("read", {"path": "x"})]) is None
    assert documents.breach(READ, []) == ("missed", "a call in a documented spelling")
    for document, call in (
        (READ, ("read", {})),
        (READ, ("read", {"path": "y"})),
        ({"plan": [READ]}, ("read", {"path": "x"})),
        ({"name": "read", "parameters": SCHEMA}, ("read", SCHEMA)),
        ({"name": "read"}, ("read", {})),
    ):
        found = documents.breach(document, [call])
        assert found is not None
        assert found[0] == "unsafe"
    twice = documents.breach(READ, [("read", {"path": "x"})] * 2)
    assert twice == ("unsafe", "other arguments than were written, or twice")


CALL = '<tool_call>{"name": "g", "arguments": {"days": 1}}</tool_call>'


def _undo(kind: str, before: str, region: str, after: str, tail: str = CALL) -> str:
    made = undo.Case(Subject("hermes", "typed"), kind, "a call", before, region, after, tail)
    return undo.verdict(made)[0]


def test_plain_text_keeps_lines_and_code() -> None:
    text = "<tool_call>\n```json\n{}\n```\n`a` b"
    assert undo.plain(text) == "zzzzzzzzzzz\n```json\nzz\n```\n`z` z"


@pytest.mark.parametrize(
    ("kind", "before", "region", "after", "expected"),
    [
        ("reasoning", "<think>", CALL, " no.</think>", undo.SAME),
        ("inline code", "say `", CALL, "` then ", undo.SAME),
        ("prose", "say ", "<tool_call>", " then ", undo.SAME),
        ("prose", "say ", "<tool_call>", " then\n\n", undo.SAME),
        ("prose", "say. ", CALL, " then ", undo.NOT_UNDONE),  # it is a call, and is not undone
    ],
)
def test_undone_readings(kind: str, before: str, region: str, after: str, expected: str) -> None:
    assert _undo(kind, before, region, after) == expected


def test_a_reading_that_is_still_open() -> None:
    assert _undo("prose", "say ", '<tool_call>{"name": "f', "", '", "arguments": {}}</tool_call>') == undo.OPEN


def test_a_trace_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that reads no call any more once it has told of a problem."""

    def begin(self: Emitter, *given: Any, **more: Any) -> None:
        told.clear()
        made(self, *given, **more)

    def problem(self: Emitter, reason: Reason, text: str, start: int) -> None:
        told.append(reason)
        tell(self, reason, text, start)

    def end_call(self: Emitter, status: Any, end: int, **more: Any) -> None:
        ended(self, "malformed" if told else status, end, **more)

    told: list[Reason] = []
    made, tell, ended = Emitter.__init__, Emitter.problem, Emitter.end_call
    monkeypatch.setattr(straight_way, "_route", lambda *_: None)  # the fault is in what the machine uses
    monkeypatch.setattr(Emitter, "__init__", begin)
    monkeypatch.setattr(Emitter, "problem", problem)
    monkeypatch.setattr(Emitter, "end_call", end_call)
    assert _undo("inline code", "say `", CALL, "` then ") == "a call after it is lost"


@pytest.mark.parametrize(
    ("text", "is_dropped"),
    [
        ('<tool_call>{"name": "send", "arguments": {"city": "v10001"}}</tool_call>', False),
        ('<tool_call>{"name": "send", "arguments": {"city": "v10001", "city": "v10002"}}</tool_call>', False),
        ('<tool_call>{"name": "send", "id": "v10001", "arguments": {"days": 10002}}</tool_call>', False),
        ('v10001 <tool_call>{"name": "send", "arguments": {}}</tool_call> v10002', False),
        ('<tool_call>{"name": "send", "arguments": {"v10001": 1}}</tool_call>', False),
    ],
)
def test_nothing_is_dropped(text: str, is_dropped: bool) -> None:
    assert (dropped.verdict(dropped.Case("hermes", text)) is not None) == is_dropped


def test_dropped_arguments_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser whose calls have no arguments; and one whose content is markup."""
    text = '<tool_call>{"name": "send", "arguments": {"city": "v10001"}}</tool_call>'
    monkeypatch.setattr(dropped, "calls_of", _without_arguments)
    found = dropped.verdict(dropped.Case("hermes", text))
    assert found is not None
    assert found[0] == "a value of a call that runs"
    monkeypatch.setattr(dropped, "labels", lambda _, size: "m" * size)
    found = dropped.verdict(dropped.Case("hermes", "It is v10001."))
    assert found is not None
    assert found[0] == "a value that is markup"


def _without_arguments(events: list[Event]) -> list[Any]:
    return [_with_arguments(call, {}) for call in calls_of(events)]


PREFIXES: list[tuple[str, str, str]] = [
    ("hermes", '<tool_call>{"name": "f", "arguments": {}}</tool_call>', "a closer that may be missing"),
    ("hermes", '<think><tool_call>{"name": "f", "arguments": {}}</tool_call> no</think>', "a draft"),
    ("hermes", 'say `<tool_call>{"name": "f", "arguments": {}}</tool_call>` no', "a quotation"),
    ("pythonic", "[f(x=1), f(x=2)]", "a list"),
    ("qwen3-coder", "<tool_call><function=f><parameter=x>1</parameter></function></tool_call>", "a value"),
    ("ui-tars", "Action: f(x=1)\n\nAction: f(x=2) no", "the last calls of a turn"),
]


@pytest.mark.parametrize(("name", "text", "about"), PREFIXES, ids=[row[2] for row in PREFIXES])
def test_what_the_end_of_a_stream_may_make_a_call(name: str, text: str, about: str) -> None:
    del about
    assert prefixes.verdict(Subject(name, "many"), text, list(range(1, len(text)))) is None


def test_text_may_follow_a_call_in_an_undeclared_spelling() -> None:
    text = "```get_weather\ncity\nEND_ARG\n```:"
    assert prefixes.verdict(Subject("continue", "typed", quoted="call"), text, list(range(1, len(text)))) is None


def test_a_call_that_is_changed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that gives an argument of its own to a call that is handed out at the end."""

    def finish(self: Parser) -> Any:
        return [_with_size(event, self._pos) for event in found(self)]

    found = Parser.finish
    monkeypatch.setattr(Parser, "finish", finish)
    text = '<think><tool_call>{"name": "f", "arguments": {}}</tool_call>\n\n'
    places = list(range(1, len(text)))
    answer = prefixes.verdict(Subject("hermes", "many"), text, places)
    assert answer is not None
    assert answer[0] == "at the end of a prefix, and changed later"
    text = "<think><tool_call>f\n</tool_call>\n\n"
    places = list(range(1, len(text)))
    assert prefixes.verdict(Subject("glm-4.5", "many"), text, places) is not None
    assert prefixes.verdict(Subject("glm-4.5", "many", drafts="call"), text, places) is None  # handed out by `feed`


def _with_size(event: Event, size: int) -> Event:
    # A new event: forks share those that they keep back.
    if not isinstance(event, CallEnd) or event.call.status != "ok":
        return event
    return CallEnd(event.index, _with_arguments(event.call, {"size": size}), event.start)


def _with_arguments(call: ToolCall, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(call.id, call.index, call.name, call.known, arguments, call.arguments_text, call.span)
