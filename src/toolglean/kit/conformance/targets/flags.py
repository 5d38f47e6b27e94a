# How other projects name the parsers of a format: one table for all of them (flags.json). Does not know what they read.
#
#   {"hermes": {"vllm": ["hermes", "qwen3"], …}}     the parser of calls, and that of reasoning, or null
"""The names of other projects' parsers."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["flags_of"]


def flags_of(target: str) -> dict[str, tuple[str, str | None]]:
    """For each format that the target reads, or the beginning of the ids of cases that spell it in another way: the
    names of its parser of calls and of its parser of reasoning.
    """
    rows = json.loads(Path(__file__).with_name("flags.json").read_text(encoding="utf-8"))
    return {name: (row[target][0], row[target][1]) for name, row in rows.items() if target in row}
