# A turn with calls in each of the formats that leak most often, and what its calls are.
# Does not depend on any client.
"""Leaked turns of ten families."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from toolglean import ToolSet
from toolglean.formats import get_format
from toolglean.formats.render import render  # it proves nothing, which would take seconds

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "where": {"type": "object"}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "get_time", "description": "", "parameters": {"type": "object", "properties": {}}}},
]  # fmt: skip

Calls = list[tuple[str, dict[str, Any]]]
ONE: Calls = [("get_weather", {"city": 'Tromsø "<N>"', "days": 2})]
TWO: Calls = [
    ("get_weather", {"city": "Oslo", "where": {"x": [1, None]}}),
    ("get_weather", {"city": "Oslo", "where": {"x": [1, None]}}),
]
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
CALLS: Calls = [("get_weather", {"city": "Oslo"})]
"""A call in a turn's text, and what it is."""
BARE = {"llama3-json", "pythonic"}
"""No marker begins their calls, so nothing may stand before them."""


class Leak(NamedTuple):
    """A turn whose calls stand in its text."""

    family: str
    text: str
    content: str
    calls: Calls


@cache
def leaks() -> list[Leak]:
    """Each family: one call after some text, and two identical ones."""
    found: list[Leak] = []
    for family in FAMILIES:
        name = get_format(family).name
        content = "" if family in BARE else "I will look. "
        for calls, before in ((ONE, content), (TWO, "")):
            text = render(name, calls, content=before, tools=ToolSet(TOOLS))
            found.append(Leak(family, text, before.strip(), calls))
    return found


FAMILIES = (
    "hermes", "qwen3-coder", "glm-4.5", "mistral-v3", "mistral-v13", "llama3-json", "pythonic", "deepseek-v3",
    "gemma-4", "harmony",
)  # fmt: skip
