# Turns as a model of a format would write them, in the main spelling, for tests of both ways
# between formats and response templates.
# Does not depend on response templates.
"""Turns of a format, written by hand: a renderer of a few lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolglean import Parser, ToolSet
from toolglean.engine.machine import Machine
from toolglean.engine.plan import Plan
from toolglean.formats.spec import Format, Quoted
from toolglean.limits import Limits
from toolglean.options import changed

PROPERTIES = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "exact": {"type": "boolean"},
    "places": {"type": "array", "items": {"type": "string"}},
    "where": {"type": "object"},
}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": PROPERTIES}}}
    for name in ("get_weather", "get_time", "add-2")
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_weather", {"city": "Paris"}),
    ("get_time", {}),
    ("add-2", {"city": 'two\nlines, a "quote", {braces}: [x]', "days": -12, "exact": True}),
    ("get_weather", {"places": ["São Paulo", "b"], "where": {"lat": 1.5, "note": "null"}}),
    ("get_weather", {"city": "42", "days": 12345678901234567890}),
]

Turn = tuple[str, str, list[tuple[str, dict[str, Any]]], str]  # reasoning, content, calls, content after them


def turns() -> Iterator[Turn]:
    """What the turns hold."""
    yield "", "Just text.", [], ""
    yield "", "", [], ""
    for call in CALLS:
        yield "", "", [call], ""
    yield "I think.\n\nYes.", "Here:", [CALLS[0]], ""
    yield "Hm.", "An answer.", [], ""
    yield "", "Both:", [CALLS[2], CALLS[0]], ""
    yield "", "", [CALLS[0], CALLS[1], CALLS[3]], ""


def written(declared: Format, turn: Turn) -> str:
    """The turn as the format writes it."""
    reasoning, content, calls, after = turn
    opener, closer = declared.all_reasonings[0] if declared.all_reasonings else ("", "")
    text = f"{opener}{reasoning}{closer}\n\n" if reasoning and opener else ""
    text += f"{content}\n" if content and calls else content
    if calls:
        begin, end = declared.section
        if "{calls}" in declared.call:
            listed = [dict(zip(declared.keys, call, strict=True)) for call in calls]
            body = declared.call.replace("{calls}", json.dumps(listed, ensure_ascii=False))
        else:
            body = declared.separator.join(_call(declared, *call) for call in calls)
        text += begin + body.replace("{ws}", "") + end
    return text + after


def _call(declared: Format, name: str, arguments: dict[str, Any]) -> str:
    pairs = dict(zip(declared.keys, (name, arguments), strict=True))
    found = declared.call.replace("{call}", json.dumps(pairs, ensure_ascii=False))
    found = found.replace("{id}", "abc123XYZ").replace("{name}", name)
    if "{parameters}" in found:
        found = found.replace("{parameters}", "".join(_parameter(declared, *pair) for pair in arguments.items()))
    return found.replace("{arguments}", _arguments(declared, arguments))


def _arguments(declared: Format, arguments: dict[str, Any]) -> str:
    if isinstance(declared.arguments, Quoted):
        return _quoted(arguments, declared.arguments.quote)
    return json.dumps(arguments, ensure_ascii=False)


def _quoted(value: Any, quote: str) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_quoted(each, quote)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_quoted(each, quote) for each in value) + "]"
    return f"{quote}{value}{quote}" if isinstance(value, str) else json.dumps(value)


def _parameter(declared: Format, key: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return declared.parameters[0].replace("{key}", key).replace("{value}", text)


def machine_of(
    plan: Plan, tools: list[Any] | None = None, unknown_tools: str = "call", limits: Limits | None = None
) -> Parser:
    """A parser that runs the plan."""
    known = ToolSet(tools) if tools else None
    parser = Parser(known)
    options = changed(None, unknown_tools=unknown_tools, markup=True, limits=limits or Limits())
    Machine.__init__(parser, plan, known, options)
    parser._choose(options)
    return parser
