# A user's program, for the type checkers only: what the public names look like from outside. Never run.
# pyright: strict
"""The public face, as type checkers see it."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import toolglean
from toolglean import (
    CallDelta,
    CallEnd,
    CallStart,
    Content,
    Event,
    Format,
    Limits,
    Markup,
    Output,
    Parser,
    ParserOptions,
    Problem,
    Quoted,
    Reasoning,
    State,
    Tool,
    ToolCall,
    ToolSet,
    Tree,
    UsageError,
    aiter_events,
    fold,
    iter_events,
    join,
    parse,
)
from toolglean.formats import all_formats, find_format, format_of_model, get_format, register
from toolglean.ollama import Added, Call
from toolglean.ollama import Parser as ExactPort

parser = Parser(
    ["get_time", Tool("get_weather", {"type": "object"}, "The weather"), {"name": "search"}],
    format=Format.from_tag("<tool_call>", closer=None),
    options=ParserOptions(unknown_tools="content", markup=True, id_prefix="turn_1_", limits=Limits(depth=32)),
)
assert_type(parser.state, State)
assert_type(parser.fork(), Parser)
assert_type(parser.format, Format | None)

nova = Format(
    "nova",
    call="@call {name} {arguments}",
    arguments=Quoted("~"),
    types={"*": "any"},
    reasoning=("<t>", "</t>"),
    models=("nova-*",),
)
assert_type(nova.markers, tuple[str, ...])
Parser(format=nova, start="reasoning", prompt="", options=ParserOptions(coerce=False))
Parser(format="hermes")
Parser(model="qwen3:8b")
Parser(format=Format("leaf", call="<leaf>{name}{arguments}</leaf>", arguments=Tree("~")))
register(nova)
assert_type(get_format("nova"), Format)
assert_type(find_format("nova"), Format | None)
assert_type(format_of_model("nova-7b"), Format | None)
assert_type(all_formats(), tuple[Format, ...])

output = parser.add("Hello")
assert_type(output, Output)
assert_type(output.content, str)
assert_type(output.calls, list[ToolCall])
assert_type(output.problems, list[Problem])
for call in output.calls:
    assert_type(call.known, bool | None)
    assert_type(call.arguments, dict[str, Any])
    assert_type(call.span, tuple[int, int])


def shown(event: Event) -> str:
    """Every event has its case; a type checker sees that none is missing."""
    match event:
        case Content() | Reasoning() | Markup() | CallDelta():
            return event.text
        case CallStart():
            return event.name
        case CallEnd():
            return event.call.status
        case Problem():
            return event.reason


try:
    events = parser.feed("Hello") + parser.finish()
except UsageError as error:
    raise SystemExit(str(error)) from error
assert_type(events, list[Event])
assert_type(join(events), list[Event])
assert_type(parse("Hello", ["get_time"], format="hermes"), Output)
assert_type(iter_events(["Hello"], parser), Iterator[Event])
assert_type(iter_events([b"Hello"], parser), Iterator[Event])
assert_type(iter_events(["Hello", None], parser), Iterator[Event])


async def chunks() -> AsyncIterator[bytes]:
    """A stream of bytes."""
    yield b"Hello"


assert_type(aiter_events(chunks(), parser), AsyncIterator[Event])
assert_type(fold(events), Output)
assert_type([shown(event) for event in events], list[str])
assert_type(ToolSet(["x"]).names, tuple[str, ...])
assert_type(toolglean.__version__, str)

port = ExactPort(["get_time"], "<tool_call>")
added = port.add("Hello")
assert_type(added, Added)
content, calls = added
assert_type(content, str)
assert_type(calls, list[Call])
