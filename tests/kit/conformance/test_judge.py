"""What is said of a reading, and how the answers of a parser become one."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from toolglean.kit.conformance import Case, Reading, load_cases
from toolglean.kit.conformance.http import message_of
from toolglean.kit.conformance.judge import VERDICTS, faults_of, same_outcome
from toolglean.kit.conformance.reading import AnswerError, folded
from toolglean.kit.conformance.target import CrashError

Calls = list[tuple[str, dict[str, Any]]]
OSLO, ROME = ("weather", {"city": "Oslo"}), ("weather", {"city": "Rome"})
TOOLS = tuple({"type": "function", "function": {"name": name}} for name in ("weather", "delete"))


def calls(pairs: Calls) -> tuple[dict[str, Any], ...]:
    return tuple({"name": name, "arguments": arguments} for name, arguments in pairs)


def case(
    wanted: Calls, content: str | None = "", *, reasoning: str | None = None, also: list[Calls] | None = None
) -> Case:
    return Case("c", "k", "text", TOOLS, calls(wanted), content, reasoning, tuple(calls(each) for each in also or ()))


def reading(ran: Calls, content: str = "", reasoning: str = "", unfinished: list[str] | None = None) -> Reading:
    return Reading(content, reasoning, list(calls(ran)), unfinished or [])


@pytest.mark.parametrize(
    ("wanted", "found", "verdicts"),
    [
        (case([OSLO]), reading([OSLO]), []),
        (case([OSLO], "a b"), reading([OSLO], " a\n\nb "), []),  # white space beside calls is a policy
        (case([], "a  b"), reading([], "a b"), ["text"]),  # where there is no call it is not
        (case([]), reading([OSLO]), ["unsafe"]),
        (case([]), reading([("nobody", {})]), ["invented"]),
        (case([OSLO]), reading([ROME]), ["altered", "lost"]),
        (case([OSLO]), reading([("weather", {"city": "Oslo", "x": 1})]), ["altered"]),
        (case([OSLO]), reading([OSLO, OSLO]), ["unsafe"]),
        (case([OSLO, ROME]), reading([ROME, OSLO]), ["altered"]),
        (case([OSLO, OSLO]), reading([OSLO]), ["missed"]),
        (case([OSLO]), reading([]), ["missed", "lost"]),
        (case([OSLO]), reading([], "<tool_call>Oslo"), ["missed"]),
        (case([OSLO]), reading([], unfinished=['{"city": "Oslo"']), ["missed"]),
        (case([("weather", {"days": 3})]), reading([("weather", {"days": 3.0})]), []),
        (case([("weather", {"days": 1})]), reading([("weather", {"days": True})]), ["altered"]),
        (case([("weather", {"days": 3})]), reading([("weather", {"days": "3"})]), ["altered"]),
        (case([OSLO], "Hello."), reading([OSLO]), ["lost"]),
        (case([OSLO], ""), reading([OSLO], "<|im_end|>"), ["text"]),
        (case([OSLO], None), reading([OSLO], "whatever"), []),
        (case([OSLO], "", reasoning="Hm."), reading([OSLO], "Hm."), ["text", "text"]),
        (case([OSLO], "", reasoning="Hm."), reading([OSLO], "", "Hm."), []),
        (case([], None, also=[[OSLO]]), reading([OSLO]), []),
        (case([], None, also=[[OSLO]]), reading([], "Oslo"), []),
        (case([], None, also=[[OSLO, ROME]]), reading([OSLO], "Rome"), ["missed"]),
        (case([], None, also=[[OSLO]]), reading([ROME]), ["unsafe", "lost"]),
    ],
)
def test_faults(wanted: Case, found: Reading, verdicts: list[str]) -> None:
    assert [fault.verdict for fault in faults_of(wanted, found)] == verdicts


def test_what_runs_is_worse_than_what_does_not() -> None:
    assert list(VERDICTS)[:4] == ["unsafe", "altered", "invented", "lost"]
    assert list(VERDICTS).index("cuts") < list(VERDICTS).index("missed") < list(VERDICTS).index("right")


def test_pieces_of_a_call_are_one_call() -> None:
    found = folded(
        [
            {"content": "a", "calls": [{"index": 0, "name": "weather", "arguments": ""}]},
            None,
            {"calls": [{"index": 0, "arguments": '{"city": '}, {"index": 1, "name": "delete"}]},
            {"content": "b", "reasoning": "r", "calls": [{"index": 0, "arguments": '"Oslo"}'}]},
        ]
    )
    assert found == Reading("ab", "r", list(calls([OSLO, ("delete", {})])), [])


@pytest.mark.parametrize("arguments", ['{"city": "Os', "[1]", "3", "[" * 100_000])
def test_arguments_that_no_client_can_run_are_unfinished(arguments: str) -> None:
    found = folded([{"calls": [{"name": "weather", "arguments": arguments}]}])
    assert not found.calls
    assert found.unfinished == [f"weather {arguments}"]


@pytest.mark.parametrize(
    "answer", [3, {"content": 3}, {"calls": {}}, {"calls": ["f"]}, {"calls": [{"name": "f", "arguments": 3}]}]
)
def test_what_is_not_an_answer_is_refused(answer: object) -> None:
    with pytest.raises(AnswerError):
        folded([answer])


def test_a_list_of_calls_is_refused_with_an_example_of_an_answer() -> None:
    with pytest.raises(AnswerError, match=r"expected a dict, such as \{'calls': \[…\]\}, or None"):
        folded([[{"name": "f", "arguments": {}}]])


def test_same_outcome() -> None:
    judged = case([OSLO], "", reasoning="")
    assert same_outcome(judged, reading([OSLO], "a b"), reading([OSLO], "a\nb"))
    assert not same_outcome(judged, reading([OSLO]), reading([]))
    assert not same_outcome(judged, reading([OSLO]), reading([ROME]))
    assert not same_outcome(judged, reading([], "a"), reading([]))
    assert not same_outcome(judged, reading([], "", "a"), reading([]))
    assert same_outcome(case([OSLO], None), reading([OSLO], "a"), reading([OSLO], "", "a"))


CUT_OFF = Case("c", "truncated", '<tool_call>{"name": "weather", "arg', TOOLS, (), None, None)
IN_THE_NAME = Case("c", "truncated", '<tool_call>{"name": "wea', TOOLS, (), None, None)


@pytest.mark.parametrize(
    ("given", "found", "verdicts"),
    [
        (CUT_OFF, reading([]), ["lost"]),
        (CUT_OFF, reading([], unfinished=["something"]), ["lost"]),
        (CUT_OFF, reading([], unfinished=["weather "]), []),
        (CUT_OFF, reading([], '<tool_call>{"name": "weather", "arg'), []),
        (CUT_OFF, reading([("weather", {})]), ["unsafe"]),
        (IN_THE_NAME, reading([]), ["lost"]),
        (IN_THE_NAME, reading([], unfinished=['{"name": "wea']), []),
    ],
)
def test_a_turn_that_was_cut_off_must_be_somewhere(given: Case, found: Reading, verdicts: list[str]) -> None:
    assert [fault.verdict for fault in faults_of(given, found)] == verdicts


def test_a_parser_that_says_nothing_is_right_nowhere() -> None:
    right = [case.id for case in load_cases() if not faults_of(case, Reading())]
    assert right == ["written/prose/empty"]  # the empty turn


ODD: list[Any] = [[], [1], {}, 0, 1.5, "x", True, [None], [{}]]


@pytest.mark.parametrize("new", ODD, ids=repr)
@pytest.mark.parametrize("at", ["choices", "message", "tool_calls", "call", "function", "index", "name", "content"])
def test_an_answer_of_another_shape_is_a_crash_of_the_server(at: str, new: Any) -> None:
    """The run goes on: what the server under test sends is no error of the kit."""
    function = new if at == "function" else {"name": new if at == "name" else "f", "arguments": "{}"}
    call = new if at == "call" else {"index": new if at == "index" else 0, "function": function}
    message = {"content": new if at == "content" else "", "tool_calls": new if at == "tool_calls" else [call]}
    answer = {"choices": new if at == "choices" else [{"message": new if at == "message" else message}]}
    with contextlib.suppress(CrashError, AnswerError):
        folded([message_of(answer, "message")])
