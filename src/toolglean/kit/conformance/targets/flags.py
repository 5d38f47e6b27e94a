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
# Instead of a format there may be the beginning of the ids of cases that spell it in another way. Instead of a name
# there may be {"unclaimed": reason}, for cases that are spelled in a way that nothing of the project means.
"""The table of formats."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Flags", "named", "parsers_of", "row_of"]

Flags = tuple[str, str | None]
"""The names of a parser of calls, and of one of reasoning."""


@cache
def _rows() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("flags.json").read_text(encoding="utf-8"))
    return rows


def named(column: str) -> dict[str, Any]:
    """That column of the table, by format."""
    return {name: row[column] for name, row in _rows().items() if column in row}


def row_of(column: str, format: str | None, id: str = "") -> Any:
    """What that column has for the beginning of a case's id, or else for its format; None: nothing.

    Raises:
        NotImplementedError: such cases are not claimed. Its message is the reason.
    """
    column_rows = named(column)
    found = column_rows.get(id.rpartition("/")[0], column_rows.get(format or ""))
    if isinstance(found, dict):
        raise NotImplementedError(found["unclaimed"])
    return found


def parsers_of(column: str, project: str, format: str | None, *, id: str = "", reasons: bool) -> Flags:
    """The names of a project's parsers for a case, that of reasoning only if the case has some.

    Args:
        column: that of the project.
        project: its name, for messages.
        format, id: those of the case.
        reasons: whether the case has reasoning.

    Raises:
        NotImplementedError: the project has no such parser, or does not claim the case.
    """
    found = row_of(column, format, id)
    if found is None:
        raise NotImplementedError(f"{project} has no parser for {format or 'turns of no known format'}")
    if reasons and found[1] is None:
        raise NotImplementedError(f"{project} has no parser of reasoning for {format}")
    return found[0], found[1] if reasons else None
