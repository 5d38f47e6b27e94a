# How long it takes to make a grammar, and how long engines take to compile it. Does not depend on how grammars are
# made, or on the engines.
"""Milliseconds of the processor."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.grammar.cases import TOOLS
from toolglean import Tool, ToolSet
from toolglean.grammar import grammar_of

__all__ = ["times"]

FORMATS = ("hermes", "qwen3-coder", "pythonic", "glm-4.7", "minimax-m3", "gemma-4", "kimi-k2")


def times(every: Mapping[str, Any]) -> None:
    """Print the milliseconds to make and to compile, for 1, 10 and 100 tools: of one processor, the best of three."""
    print(f"{'format':16}{'tools':>6}{'make':>8}" + "".join(f"{name:>18}" for name in every))
    for name in FORMATS:
        for number in (1, 10, 100):
            tools = _tools(number)
            grammar = grammar_of(name, tools)
            made = _best(lambda: grammar_of(name, tools))  # noqa: B023  # called at once
            row = [_best(lambda: engine.compiled(grammar)) for engine in every.values()]  # noqa: B023
            print(f"{name:16}{number:>6}{made:>8.1f}" + "".join(f"{each:>18.1f}" for each in row), flush=True)


def _tools(number: int) -> ToolSet:
    three = list(TOOLS)[:3]
    return ToolSet([Tool(f"{three[at % 3].name}_{at}", three[at % 3].parameters) for at in range(number)])


def _best(do: Callable[[], object]) -> float:
    found = []
    for _ in range(3):
        begin = time.process_time()
        do()
        found.append((time.process_time() - begin) * 1e3)
    return min(found)
