# What is asked of a model: tools with schemas of many kinds, the choice among them, and how it is sampled. Does not
# depend on engines, or on how a turn is read.
"""Requests with tools."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.engines.random_weights.vocabulary import Family
from tests.grammar import schemas
from toolglean import Tool, ToolSet, UsageError
from toolglean.grammar import Grammar, grammar_of

__all__ = ["CHOICES", "Request", "requests"]

CHOICES = ("required", "named", "auto")
MANNERS = ("calm", "wild", "calm", "spelled")
"""How a model writes. "calm": it tends to close what it has opened; "wild": at random; "spelled": like "calm", but
never with the markers that are one token, so that it has to spell them out."""
TOOL_SETS = 24
"""Different sets of tools in the requests of one family."""
NAMES = ("get_weather", "write_file", "plan", "now", "search-docs", "f", "get_weather_v2", "list_all")
PROMPTS = ("what", "is", "the weather", "in Oslo", "and then", "write", "the plan", "to a file", "all names", "please")


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        number: its number.
        seed: of the sampling.
        tools: the tools.
        choice: "required", "named" or "auto".
        asked: the choice as `grammar_of` takes it: a tool's name for "named".
        grammar: what the answer is held to.
        manner: one of `MANNERS`.
        prompt: the user's words.
        temperature: of the sampling.
        most: the token limit.
    """

    number: int
    seed: int
    tools: ToolSet
    choice: str
    asked: str
    grammar: Grammar
    manner: str
    prompt: str
    temperature: float
    most: int


def requests(family: Family, count: int, seed: int = 0) -> Iterator[Request]:
    """So many requests: the choices in turn, and all manners with each."""
    sets = [_tools(family, random.Random(f"{family.name} {seed} {number}"), number) for number in range(TOOL_SETS)]
    grammars: dict[tuple[int, str], Grammar] = {}
    for number in range(count):
        rng = random.Random(f"{family.name} {seed} request {number}")
        at, choice = number // len(CHOICES) % TOOL_SETS, CHOICES[number % len(CHOICES)]
        tools = sets[at]
        asked = choice if choice != "named" else tools.names[at % len(tools)]
        if (at, asked) not in grammars:
            grammars[at, asked] = grammar_of(family.name, tools, choice=asked)
        yield Request(
            number=number,
            seed=seed * 1_000_003 + number,
            tools=tools,
            choice=choice,
            asked=asked,
            grammar=grammars[at, asked],
            manner=MANNERS[(number // len(CHOICES) + number // (len(CHOICES) * TOOL_SETS)) % len(MANNERS)],
            prompt=" ".join(rng.choices(PROMPTS, k=rng.randint(2, 8))),
            temperature=rng.choice((0.6, 1.0, 1.4)),
            most=rng.choice((48, 320, 480)),
        )


def _tools(family: Family, rng: random.Random, number: int) -> ToolSet:
    # Each kind of schema begins some sets; the others of a set are of any kind.
    kinds = tuple(_KINDS.values())
    names = rng.sample(NAMES, 1 + number % 4)
    found: list[Tool] = []
    for place, name in enumerate(names):
        kind = kinds[number % len(kinds)] if not place else rng.choice(kinds)
        found.append(_tool(family, name, kind, rng))
    return ToolSet(found)


def _tool(family: Family, name: str, kind: Callable[[random.Random], dict[str, Any]], rng: random.Random) -> Tool:
    while True:
        tool = Tool(name, kind(rng))
        try:
            for choice in ("required", "auto"):
                grammar_of(family.name, [tool], choice=choice)
        except UsageError:  # the format cannot be made to write such a value, with a reason
            continue
        return tool


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _short(rng: random.Random) -> dict[str, Any]:
    return {"type": "string", "maxLength": rng.choice((4, 12, 30))}


def _words(rng: random.Random) -> dict[str, Any]:
    pattern = rng.choice(("^[a-z]{2,4}$", "^\\d{4}-\\d\\d$", "^(low|high)!?$"))
    colors = ["red", "dark blue", "a-b", 'quo"ted', "null", "3"]
    return _object(
        {"city": _short(rng), "unit": {"enum": rng.sample(colors, 3)}, "code": {"type": "string", "pattern": pattern}},
        "city",
    )


def _numbers(rng: random.Random) -> dict[str, Any]:
    least = rng.randint(-9, 9)
    return _object(
        {
            "days": {"type": "integer", "minimum": least, "maximum": least + rng.choice((1, 20, 500))},
            "count": {"type": "integer"},
            "ratio": {"type": "number", "minimum": 0, "maximum": 1},
            "force": {"type": "boolean"},
            "level": {"type": "integer", "enum": [1, 12, 5]},
        },
        *rng.sample(("days", "count", "ratio", "force", "level"), 2),
    )


def _nested(rng: random.Random) -> dict[str, Any]:
    inner = _object({"title": _short(rng), "size": {"type": "integer", "minimum": 0}}, "title")
    middle = _object({"step": inner, "on": {"type": "boolean"}}, "step")
    return _object({"options": middle, "note": _short(rng)}, "options")


def _arrays(rng: random.Random) -> dict[str, Any]:
    return _object(
        {
            "tags": {"type": "array", "items": _short(rng), "maxItems": 3},
            "lines": {"type": "array", "items": {"type": "integer"}, "minItems": rng.randint(0, 2)},
            "rows": {"type": "array", "items": _object({"x": {"type": "integer"}}, "x"), "maxItems": 2},
        },
        "tags",
    )


def _unions(rng: random.Random) -> dict[str, Any]:
    return _object(
        {
            "until": {"anyOf": [_short(rng), {"type": "null"}]},
            "size": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "mode": {"type": ["integer", "null"]},
        },
        *rng.sample(("until", "size", "mode"), 1),
    )


def _texts(rng: random.Random) -> dict[str, Any]:
    del rng
    text = {"type": "string"}
    return _object({"path": text, "text": text, "items": {"type": "array", "items": text}}, "path", "text")


_KINDS: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "words": _words,
    "numbers": _numbers,
    "nested": _nested,
    "arrays": _arrays,
    "unions": _unions,
    "texts": _texts,
    "none": lambda rng: _object({}) if rng.random() < 0.5 else {"type": "object", "properties": {}},
    "any": schemas.parameters,
}
