# toolglean as its users use it.
# Does not depend on the peers.
"""toolglean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolglean import Parser, ToolSet
from toolglean.cli.measure import reading
from toolglean.kit.conformance.own import Auto, Own

__all__ = ["Named", "Unnamed", "auto_maker", "auto_reader", "maker", "reader"]

Named, Unnamed = Own, Auto


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes a parser for a turn."""
    known = ToolSet(tools)
    return lambda: Parser(known, format=format)


def auto_maker(_: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """The same without being told its format."""
    return maker("auto", tools)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:
    """What reads a turn."""
    return reading(maker(format, tools), chunks)


def auto_reader(_: str, tools: list[dict[str, Any]], chunks: Sequence[str], reasons: bool) -> Callable[[], Any]:
    """What reads a turn without a format."""
    return reader("auto", tools, chunks, reasons)
