# Which calls of which only the name was written were whole, by what follows them.
# Does not depend on any format's markers.
"""A JSON object with nothing but a name: whether it was whole, what follows it tells (`NameAlone`)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import events_of
from toolglean import CallDelta, CallEnd, Content, Parser, ParserOptions, Problem, ToolCall
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


@pytest.mark.parametrize(("format", "turn", "statuses"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_follows_tells(format: str, turn: str, statuses: list[str]) -> None:  # noqa: A002
    events = events_of(lambda: Parser(["f", "g"], format=format, options=ParserOptions(markup=True)), turn)
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
    waiting = NameAlone(delta, end)
    waiting.tell(space)
    twin = waiting.copy()
    twin.tell(space)
    assert waiting.whole() == [delta, end, space]
    assert [type(event) for event in twin.broken()] == [Problem, CallEnd, Content, Content]
    broken: Any = twin.broken()[1]
    assert broken.call.status == "malformed"
