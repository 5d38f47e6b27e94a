# What the adapters know of each format, in one table (flags.json): the markers that are one token in the vocabulary of
# its models, and how other projects name what they have for it. Does not know what they read.
#
#   {"hermes": {"markers": "<tool_call> …", "vllm": ["hermes", "qwen3"], "llama-cpp": "Qwen-Qwen3-0.6B", …}}
#
#   markers            those that are one token, or what precedes a name in them, separated by spaces
#   vllm, sglang, smg  the parser of calls, and that of reasoning, or null
#   llama-cpp          a chat template of a model that writes so, in models/templates
#   mlx-lm             the module of its tool parser
#
# Instead of a format there may be the beginning of the ids of cases that spell it in another way.
"""The table of formats."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Flags", "flags_of", "named", "parsers_of"]

Flags = tuple[str, str | None]
"""The names of a parser of calls, and of one of reasoning."""


@cache
def _rows() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("flags.json").read_text(encoding="utf-8"))
    return rows


def named(column: str) -> dict[str, Any]:
    """That column of the table, by format."""
    return {name: row[column] for name, row in _rows().items() if column in row}


def flags_of(target: str) -> dict[str, Flags]:
    """The names of the target's parsers, by format."""
    return {name: (calls, reasoning) for name, (calls, reasoning) in named(target).items()}


def parsers_of(project: str, found: Flags | None, format: str | None, *, reasons: bool) -> Flags:
    """The names of the parsers for a case of that format, that of reasoning only if it has some.

    Args:
        project: its name, for messages.
        found: the names that the table has; None: none.
        format: the format.
        reasons: whether the case has reasoning.

    Raises:
        NotImplementedError: the project has no such parser.
    """
    if found is None:
        raise NotImplementedError(f"{project} has no parser for {format or 'turns of no known format'}")
    if reasons and found[1] is None:
        raise NotImplementedError(f"{project} has no parser of reasoning for {format}")
    return found[0], found[1] if reasons else None
