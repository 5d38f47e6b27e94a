# A user's program, for the type checkers only: a loop over chunks, with `add` and `close`. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""A parser in a loop."""

from collections.abc import Iterable
from typing import Any, assert_type

from toolglean import CallEnd, Content, Event, Limits, Parser, ParserOptions, Problem, ToolCall, ToolSet

TOOLS = ToolSet(["get_weather", {"name": "get_time"}])
CAREFUL = ParserOptions(unknown_tools="content", repair=False, limits=Limits(call_chars=10_000))


def run(call: ToolCall) -> str:
    """Run one call."""
    assert_type(call.arguments, dict[str, Any])
    assert_type(call.id, str)
    return f"{call.name}({call.arguments})"


def turn(chunks: Iterable[str]) -> list[str]:
    """One turn of a model."""
    parser = Parser(TOOLS, model="Qwen/Qwen3-8B", options=CAREFUL)
    results: list[str] = []
    for chunk in chunks:
        output = parser.add(chunk)
        assert_type(output.content, str)
        assert_type(output.events, list[Event])
        results += [run(call) for call in output.calls]
    last = parser.close()
    assert_type(last.unfinished, list[ToolCall])
    assert_type(last.problems, list[Problem])
    for event in last.events:
        if isinstance(event, Content):
            results.append(event.text)
        elif isinstance(event, CallEnd):
            results.append(event.call.name)
    return results


Parser(TOOLS, formats="hermes")  # type: ignore[call-arg]
ParserOptions(quoted="text")  # type: ignore[arg-type]
turn("text").append(3)  # type: ignore[arg-type]
