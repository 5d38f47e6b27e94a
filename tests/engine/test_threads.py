"""Any number of parsers in any number of threads, with one `ToolSet`, while formats are registered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.support import depth, threads
from tests.support.shared import ROOT
from toolglean import Event, Format, Parser, ToolSet, join
from toolglean.formats import find_format, get_format, registry
from toolglean.formats.compile import Program
from toolglean.formats.nfa import StateSet

TOOLS = ToolSet(["get_weather"])
TURNS = {
    "hermes": '<think>Oslo?</think>I look. <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
    "harmony": '<|channel|>commentary to=functions.get_weather <|message|>{"city": "Oslo"}<|call|>',
    "auto": '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
}
THREADS = 6 if depth.is_full() else 4
ROUNDS = 3 if depth.is_full() else 2


def events(name: str) -> list[Event]:
    parser = Parser(TOOLS, format=name)
    return join([event for char in TURNS[name] for event in parser.feed(char)] + parser.finish())


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    formats = registry._registered
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    registry._registered = formats


@pytest.mark.usefixtures("switching")
def test_threads_do_not_see_each_other() -> None:
    expected = {name: events(name) for name in TURNS}
    registry._registered = registry._Registered()  # so that the first of each kind is made in a thread
    start = threading.Barrier(THREADS + 1)
    found: list[tuple[str, list[Event]]] = []
    failed: list[BaseException] = []

    def read(number: int) -> None:
        try:
            start.wait(30)
            for turn in range(ROUNDS):
                name = list(TURNS)[(number + turn) % len(TURNS)]
                found.append((name, events(name)))
        except BaseException as error:  # noqa: BLE001  # it is told below, in the thread of the test
            failed.append(error)

    def register() -> None:
        try:
            start.wait(30)
            for number in range(20):
                name = f"mine-{number}"
                registry.register(Format(name, call=f"@{number}:" + "{name}({arguments})"))
                declared = find_format(name)
                assert declared is not None
                assert declared.name == name
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    running = [threading.Thread(target=read, args=(number,)) for number in range(THREADS)]
    running.append(threading.Thread(target=register))
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(120)
    assert failed == []
    assert len(found) == THREADS * ROUNDS
    assert all(got == expected[name] for name, got in found)


def test_what_threads_share_is_made_once_or_makes_no_difference() -> None:
    # In a process of its own, so that nothing has been made yet: plans, sets of states, compiled expressions and copiers
    # are made when they are first used, and four threads first use each of them at the same time.
    each = 1 if depth.is_full() else 72
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.threads", "4", str(each)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        check=True,
        text=True,
        timeout=600,
        encoding="utf-8",
    )
    told = json.loads(done.stdout)
    assert told["failed"] == []
    expected = {case[0]: threads.read_alone(case) for case in threads.cases(each)}
    assert len(expected) > 200 // each
    assert told["events"] == expected


def test_a_set_of_states_is_one_object_for_all_threads() -> None:
    # Sets are compared by identity: with two of them for the same states, a call is no longer followed as it is declared.
    nfa = Program((get_format("hermes"),)).nfa
    gate, made, found = threading.Barrier(2), nfa._made, []

    def both(key: tuple[int, ...]) -> StateSet:
        gate.wait(30)
        return made(key)

    nfa._made = both  # type: ignore[method-assign]
    running = [threading.Thread(target=lambda: found.append(nfa.state_set([3, 5]))) for _ in range(2)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
    assert found[0] is found[1] is nfa.state_set([3, 5])
