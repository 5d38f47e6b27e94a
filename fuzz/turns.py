# The turns that are spoilt, and the markers to spoil them with. Does not depend on how turns are read.
"""Turns, real and generated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from tests.support.shared import FIXTURES, SHARED, rows
from toolglean import ToolSet, UsageError
from toolglean.formats.registry import all_formats, find_format
from toolglean.formats.render import render
from toolglean.formats.spec import Format

__all__ = [
    "all_markers",
    "all_reasonings",
    "every_format",
    "fixture_turns",
    "rendered_turns",
    "shared_turns",
    "stream_turns",
]


CALLS: tuple[list[tuple[str, dict[str, Any]]], ...] = (
    [("f", {"x": "y"})],
    [("get_weather", {"city": "Paris", "days": "3"}), ("f", {})],
    [
        ("g", {"code": 'if a < b:\n    print("</p>", {1: [2]})\n', "x": ""}),
        ("a.b", {"x": "\\"}),
        ("unknown", {"x": "y"}),
    ],
    [],
)


@lru_cache(maxsize=256)
def rendered_turns(declared: Format) -> tuple[str, ...]:
    """Turns that `render` writes: one call, two, three; with and without content and reasoning."""
    found = []
    for calls in CALLS:
        for content, reasoning in (("", ""), ("I will look.\n", ""), ("", "Hm.\nLet me see."), ("So:\n", "Hm.")):
            with suppress(UsageError):
                found.append(render(declared, calls, content=content, reasoning=reasoning, tools=_TOOLS))
    return tuple(dict.fromkeys(found))


_TOOLS = ToolSet(["f", "g", "get_weather", "a.b", "unknown"])


def every_format(autos: int) -> list[str]:
    """The names of what reads: every format, and `auto` as often as so many of them."""
    return [*(each.name for each in all_formats()), *["auto"] * autos]


@lru_cache(maxsize=1)
def all_markers() -> tuple[str, ...]:
    """The literals of all formats."""
    return tuple(dict.fromkeys(each for declared in all_formats() for each in declared.markers))


@lru_cache(maxsize=1)
def all_reasonings() -> tuple[str, ...]:
    """The markers before and after the reasoning of all formats."""
    pairs = (pair for declared in all_formats() for pair in declared.all_reasonings)
    return tuple(dict.fromkeys(marker for pair in pairs for marker in pair))


@lru_cache(maxsize=1)
def stream_turns() -> tuple[str, ...]:
    """The turns in fixtures/streams."""
    return tuple("".join(row["tokens"]) for row in rows(FIXTURES / "streams/turns.jsonl"))


@lru_cache(maxsize=1)
def fixture_turns() -> dict[str, tuple[str, ...]]:
    """The turns in fixtures/formats, by the name of their format."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((FIXTURES / "formats").glob("*.json"))]
    return {each["format"]: (each["turn"],) for each in found}


@lru_cache(maxsize=1)
def shared_turns() -> dict[str, tuple[str, ...]]:
    """The turns of ../shared/vectors/wire, by the name of their format; none where it is not at hand."""
    found: dict[str, list[str]] = {}
    for path in sorted((SHARED / "vectors/wire").glob("*.jsonl")):
        for name, text in _texts(rows(path)):
            declared = find_format(name)
            if declared is not None:
                found.setdefault(declared.name, []).append(text)
    return {name: tuple(texts) for name, texts in found.items()}


def _texts(found: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for row in found:
        if isinstance(row.get("format"), str) and isinstance(row.get("output"), str):
            yield row["format"], row["output"]
