"""Any number of parsers in any number of threads, with one `ToolSet`, while formats are registered."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from toolglean import Event, Format, Parser, ToolSet, join
from toolglean.formats import find_format, registry

TOOLS = ToolSet(["get_weather"])
TURNS = {
    "hermes": '<think>Oslo?</think>I look. <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
    "harmony": '<|channel|>commentary to=functions.get_weather <|message|>{"city": "Oslo"}<|call|>',
    "auto": '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
}
THREADS = 6
ROUNDS = 3


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

    threads = [threading.Thread(target=read, args=(number,)) for number in range(THREADS)]
    threads.append(threading.Thread(target=register))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failed == []
    assert len(found) == THREADS * ROUNDS
    assert all(got == expected[name] for name, got in found)
