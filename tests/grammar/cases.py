# Tools, turns that must be accepted, and ways to damage them. Does not depend on formats, or on how grammars are made.
"""Turns for grammars, good and bad."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from toolglean import Tool, ToolSet, UsageError
from toolglean.formats import Format, Pairs, all_formats
from toolglean.formats.render import render

Calls = list[tuple[str, dict[str, Any]]]

EXPRESSED = tuple(each for each in all_formats() if not isinstance(each.arguments, Pairs))
"""The formats with a grammar: none says where a value of pairs ends (formats/test_pairs.py)."""


def _object(properties: dict[str, Any], *required: str, closed: bool = True) -> dict[str, Any]:
    found = {"type": "object", "properties": properties, "required": list(required)}
    return {**found, "additionalProperties": False} if closed else found


WEATHER = _object(
    {
        "city": {"type": "string"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 0},
    },
    "city",
)
PLAN = _object(
    {
        "ratio": {"type": "number"},
        "step": _object({"title": {"type": "string"}, "size": {"type": "integer"}}, "title"),
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "until": {"type": ["string", "null"]},
    },
    "ratio",
)
TOOLS = ToolSet(
    [
        Tool("get_weather", WEATHER),
        Tool(
            "write_file",
            _object(
                {
                    "path": {"type": "string"},
                    "text": {"type": "string"},
                    "force": {"type": "boolean"},
                    "lines": {"type": "array", "items": {"type": "integer"}},
                },
                "path",
                "text",
            ),
        ),
        Tool("plan", PLAN),
        Tool("now", _object({})),
        Tool("now_utc", _object({"offset": {"type": "integer"}}, closed=False)),
    ]
)

GOOD: tuple[Calls, ...] = (
    [("get_weather", {"city": "Oslo"})],
    [("get_weather", {"city": "São Paulo, \"BR\" 'x' <b>é</b> & 東京 🙂", "unit": "celsius", "days": 3})],
    [("get_weather", {"city": "a\\b\tc", "days": 0})],
    [("write_file", {"path": "/srv/x", "text": 'def f(a):\n    return a < 3 and "q\\n"\n', "force": True, "lines": [1, -2, 30]})],
    [("write_file", {"path": "x", "text": "```\n<tool_call>\n```\n", "lines": []})],
    [("write_file", {"path": "", "text": "\n\n", "force": False})],
    [("plan", {"ratio": 0.5, "step": {"title": "go </x> on", "size": 2}, "tags": ["a", "b c", "<i>"]})],
    [("plan", {"ratio": -1e-7, "until": None})],
    [("plan", {"ratio": 3, "tags": [], "until": "tomorrow"})],
    [("now", {})],
    [("now_utc", {"offset": -3})],
    [("get_weather", {"city": "Oslo"}), ("now", {}), ("get_weather", {"city": "Rome", "days": 1})],
    [("now", {}), ("now", {})],
)  # fmt: skip
"""Calls that meet the schemas."""

SPOILT: tuple[tuple[str, Calls, dict[str, Any]], ...] = (
    ("unknown tool", [("get_wether", {"city": "Oslo"})], {"get_wether": WEATHER}),
    ("another tool's beginning", [("no", {})], {"no": {}}),
    ("missing required", [("get_weather", {"days": 3})], {}),
    ("wrong enum", [("get_weather", {"city": "Oslo", "unit": "kelvin"})], {}),
    ("below the minimum", [("get_weather", {"city": "Oslo", "days": -1})], {}),
    (
        "wrong type",
        [("get_weather", {"city": "Oslo", "days": 1.5})],
        {"get_weather": _object({"city": {"type": "string"}, "days": {"type": "number"}})},
    ),
    (
        "unknown key",
        [("get_weather", {"city": "Oslo", "zip": "1"})],
        {"get_weather": _object({"city": {"type": "string"}, "zip": {"type": "string"}})},
    ),
    ("too many items", [("plan", {"ratio": 1, "tags": ["a", "b", "c", "d"]})], {}),
    (
        "wrong item",
        [("write_file", {"path": "a", "text": "b", "lines": [1.5]})],
        {
            "write_file": _object(
                {
                    "path": {"type": "string"},
                    "text": {"type": "string"},
                    "lines": {"type": "array", "items": {"type": "number"}},
                }
            )
        },
    ),
    (
        "unknown key inside",
        [("plan", {"ratio": 1, "step": {"title": "t", "by": "x"}})],
        {
            "plan": _object(
                {"ratio": {"type": "number"}, "step": _object({"title": {"type": "string"}, "by": {"type": "string"}})}
            )
        },
    ),
)
"""Calls that do not, with the schemas for which they would."""


def texts(declared: Format, calls: Calls, schemas: dict[str, Any] | None = None) -> str | None:
    """The turn; None where the format cannot write it."""
    tools = TOOLS if not schemas else ToolSet([Tool(name, schema) for name, schema in schemas.items()])
    try:
        return render(declared, calls, tools=tools)
    except UsageError:
        return None


@lru_cache(maxsize=128)
def accepted(declared: Format) -> list[tuple[Calls, str]]:
    """Turns that a grammar of calls must accept."""
    return [(calls, text) for calls in GOOD if (text := texts(declared, calls)) is not None]


@lru_cache(maxsize=128)
def mutants(declared: Format) -> list[tuple[str, str]]:
    """Turns that it must not: what is wrong with each, and the text."""
    return list(_mutants(declared))


def _mutants(declared: Format) -> Iterator[tuple[str, str]]:
    for what, calls, schemas in SPOILT:
        text = texts(declared, calls, schemas)
        if text is not None:
            yield what, text
    good = texts(declared, GOOD[0])
    assert good is not None
    for cut in (1, 3, len(good) // 2):
        if good[:-cut].strip() != good.strip():
            yield f"cut by {cut}", good[:-cut]
    yield "text after", good + "x"
    yield "prose", "Hello, I would look."
    head = len(good) - len(good.lstrip()) + 1
    yield "head cut", good[head:]
    yield "twice without what separates", good + good[: len(good) // 2]
    yield "empty", ""


BEGINNINGS: tuple[tuple[str, str, bool], ...] = (
    ("hermes", "now is the time", True),
    ("hermes", "now", True),
    ("hermes", "plan\n{", False),
    ("hermes", "get_weather: {}", False),
    ("hermes", "functions.now()", False),
    ("hermes", "\u00a0now()", False),
    ("hermes", "gone (x)", False),  # only the first letter counts
    ("hermes", "Gone (x)", True),
    ("hermes", "bar()", True),
    ("hermes", "<table>", True),
    ("hermes", "> quoted", True),
    ("glm-4", "bar\n{", False),
    ("glm-4", "bar (x)", True),
    ("glm-4", "get_weather\n{", False),
    ("granite-pythonic", "bar(x", False),
    ("raven", "bar(x)", False),
    ("raven", "bar (x)", True),
    ("raven", "Yes, bar(x)", True),
)
"""Text that may or may not be a turn: the format, the text, and whether it may."""

BEFORE_CALLS: tuple[tuple[str, bool], ...] = (
    ("now ", True),
    ("a <b>x</b>\n\nb\n", True),
    ("`a` and `b`: ", True),
    ("`a ", False),
    ("```py\nx\n```\n\nNow: ", True),
    ("See:\n```\n\nx\n```\n> y\n", False),
    ("```\n", False),
    ("> a\n", False),
    ("Hi\n> a\n", False),
    ("\u6771\u4eac `x`\n\u6771\u4eac", True),
    ("x <pre> ", False),
    ("x <!-- ", False),
    ("~~~\n", False),
)
"""Text that may or may not come before a call of hermes."""
