"""A call to a tool that the request does not have: content at every door, unless the user wants it as a call."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import pytest

from tests.clients.answers import answer, asked, fed, pieces, random_sizes, reader, repaired, said
from tests.clients.each import both, kinds
from tests.clients.families import TOOLS
from tests.support.chunkings import ended_calls
from tests.support.loopback import Call, Turn
from toolglean import ParserOptions, Problem, ToolSet, fold, join
from toolglean.clients.chat import dict_chunks, dict_completion
from toolglean.clients.repair import Counts, Kind
from toolglean.conversation.reading.arguments import text_for
from toolglean.conversation.reading.server_turn import ServerTurn

JSON = '{"name": "delete_all", "arguments": {"city": "Oslo"}}'
CALL = f"<tool_call>\n{JSON}\n</tool_call>"
GOOD = CALL.replace("delete_all", "get_weather")
FOUND = ("get_weather", {"city": "Oslo"})
QWEN = "<tool_call>\n<function=delete_all>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
QUOTES = QWEN.replace("Oslo", GOOD)
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.delete_all:0<|tool_call_argument_begin|>{}"
    "<|tool_call_end|><|tool_calls_section_end|>"
)
DSML = '<｜DSML｜function_calls><｜DSML｜invoke name="delete_all"></｜DSML｜invoke></｜DSML｜function_calls>'
HARMONY = '<|channel|>commentary to=functions.delete_all <|constrain|>json<|message|>{"city": "Oslo"}'

STAYS = {
    "hermes": (CALL, CALL),
    "after text": (f"I do.\n{CALL}", f"I do.\n{CALL}"),
    "before text": (f"{CALL}\nDone.", f"{CALL}\nDone."),
    "two": (f"{CALL}\n{CALL}", f"{CALL}\n{CALL}"),
    "xml-like": (QWEN, QWEN),
    "quotes a known call": (f"{QUOTES} end", f"{QUOTES} end"),
    "section": (KIMI, KIMI),
    "dsml": (DSML, DSML),
    "mistral": ('[TOOL_CALLS]delete_all[ARGS]{"a": 1}', '[TOOL_CALLS]delete_all[ARGS]{"a": 1}'),
    "cut off": (CALL[:50], CALL[:50]),
    "malformed": (CALL.replace("Oslo", "Os\\lo"), CALL.replace("Oslo", "Os\\lo")),
}
MIXED = {
    "harmony": (f"{HARMONY}<|call|>", HARMONY, []),
    "harmony and an answer": (f"{HARMONY}<|call|><|start|>assistant<|channel|>final<|message|>Hi.", f"{HARMONY}Hi.", []),
    "the end of the message": (f"{CALL}<|im_end|>", CALL, []),
    "before a known tool": (f"{CALL}\n{GOOD}", f"{CALL}\n", [FOUND]),
    "after a known tool": (f"{GOOD}\n{CALL}", CALL, [FOUND]),
    "between": (f"{GOOD}\n{CALL}\n{GOOD}", f"{CALL}\n", [FOUND, FOUND]),
    "before reasoning": (f"{CALL}<think>Hm.</think>Yes.", f"{CALL}Yes.", []),
}  # fmt: skip


@pytest.mark.sampled(48)
@kinds
@both
@pytest.mark.parametrize("whole_calls", [True, False])
@pytest.mark.parametrize("row", [*STAYS, *MIXED])
def test_it_stays_text(row: str, whole_calls: bool, stream: bool, kind: Kind) -> None:
    text, left, calls = MIXED.get(row) or (*STAYS[row], [])
    request, turn = asked(kind, TOOLS, stream=stream), Turn(pieces(text))
    data = repaired(kind, turn, request, cut=len(text), whole_calls=whole_calls)
    found = said(kind, data, request)
    assert (found.text.strip(), found.calls) == (left.strip(), calls)
    assert row in MIXED or data == answer(kind, turn, request)


@pytest.mark.parametrize("row", [*STAYS, *MIXED])
def test_events_are_the_same_for_every_chunking(row: str) -> None:
    text = (MIXED.get(row) or STAYS[row])[0]
    found = []
    for size, whole in itertools.product((1, 2, 3, 7, len(text)), (True, False)):
        turn = text_for(ToolSet(TOOLS), {"whole_calls": whole, "options": ParserOptions(id_prefix="p")})
        events = [event for piece in pieces(text, size) for event in turn.feed(piece)] + turn.finish()
        shown = [each for each in join(events) if not isinstance(each, Problem) or each.code == "unknown-tool"]
        found.append((whole, fold(shown), [each for each in shown if isinstance(each, Problem)]))
    assert all(each[1:] == found[0][1:] for each in found)


@pytest.mark.parametrize("options", [None, ParserOptions(repair=False), ParserOptions(unknown_tools="content")])
def test_other_options_do_not_change_it(options: ParserOptions | None) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": CALL}, "finish_reason": "stop"}
    answered: Any = dict_completion({"choices": [choice]}, TOOLS, options=options)
    assert answered["choices"] == [choice]


@kinds
@both
def test_it_is_a_call_if_the_user_wants_that(kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    found = said(kind, repaired(kind, Turn(pieces(CALL)), request, unknown_tools="call"), request)
    assert (found.text, found.calls) == ("", [("delete_all", FOUND[1])])


@kinds
@both
def test_a_call_that_the_server_has_parsed_is_the_servers_own(kind: Kind, stream: bool) -> None:
    request = asked(kind, TOOLS, stream=stream)
    data = answer(kind, Turn(["I do."], [Call("delete_all", {"city": "Oslo"})]), request)
    assert fed(lambda: reader(kind, request), data, random_sizes(0)) == data


@kinds
def test_a_call_that_comes_both_ways_is_the_servers_and_text(kind: Kind) -> None:
    request = asked(kind, TOOLS)
    found = said(kind, repaired(kind, Turn([CALL], [Call("delete_all", {"city": "Oslo"})]), request), request)
    assert (found.text, found.calls) == (CALL, [("delete_all", FOUND[1])])


def test_without_tools_no_tool_is_unknown() -> None:
    chunk: Any = {"choices": [{"index": 0, "delta": {"content": CALL}}]}
    deltas = [each["choices"][0]["delta"] for each in dict_chunks([chunk], whole_calls=True)]
    assert [key for delta in deltas for key in delta] == ["tool_calls", "tool_calls"]


def test_it_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    counts = Counts()
    repaired("chat", Turn(pieces(f"{CALL}\n{GOOD}")), asked("chat", TOOLS), counts=counts)
    assert (counts.calls, dict(counts.problems)) == (1, {"unknown-tool": 1})
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    assert "'delete_all'" in caplog.text


def test_events_report_it() -> None:
    turn = ServerTurn(TOOLS, {})
    events = [event for piece in pieces(f"{CALL}{GOOD}") for event in turn.text(piece)] + turn.finish()
    problems = [(each.code, each.text, each.start) for each in events if isinstance(each, Problem)]
    assert problems == [("unknown-tool", "delete_all", 0)]
    calls = ended_calls(events)
    assert [(call.name, call.index, call.id) for call in calls] == [("get_weather", 0, f"{turn.id_prefix}0")]
    assert fold(events).content == CALL
