# What this file knows: toolglean as its users use it.
# What it must not know: the peers.
"""toolglean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolglean import Parser, ToolSet
from toolglean.conformance.own import Auto, Own

__all__ = ["Named", "Unnamed", "maker", "reader"]

Named, Unnamed = Own, Auto


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:  # noqa: A002
    """What makes a parser for a turn."""
    known = ToolSet(tools)
    return lambda: Parser(known, format=format)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:  # noqa: A002, FBT001
    """What reads a turn."""
    make = maker(format, tools)

    def read() -> None:
        parser = make()
        feed = parser.feed
        for chunk in chunks:
            feed(chunk)
        parser.finish()

    return read
