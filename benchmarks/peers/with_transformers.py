# How transformers' `ResponseParser` is timed: through the adapter of the conformance kit (targets/transformers.py).
# Does not depend on what is right.
"""transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolglean.cli.measure import reading
from toolglean.kit.conformance.targets.transformers import Transformers

__all__ = ["maker", "reader"]


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    return lambda: Transformers(tools, format).parser


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:
    """What reads a turn."""
    return reading(maker(format, tools), chunks, finish="finalize")
