# How mlx-lm's state machine and tool parsers are timed: through the adapter of the conformance kit (targets/mlx_lm.py),
# without what the kit needs for each turn.
# Does not depend on what is right.
"""mlx-lm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolglean.cli.measure import reading
from toolglean.kit.conformance.targets.mlx_lm import MlxLm

__all__ = ["maker", "reader"]


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn. The server keeps the machine itself."""
    made = MlxLm(tools, format)

    def make() -> MlxLm:
        made.begin(tools, "normal", "stop")
        return made

    return make


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:
    """What reads a turn."""
    return reading(maker(format, tools), chunks, "take")
