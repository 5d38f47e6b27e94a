# A user's program, for the type checkers only: the turns of a table. Never run.
# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Many turns at once."""

from collections.abc import Iterable
from typing import Any

from toolglean import ParserOptions
from toolglean.batch import SCHEMA, parse_batch


def parsed(tables: Iterable[Any]) -> list[Any]:
    """The columns of each table. pyarrow has no types of its own."""
    options = ParserOptions(coerce=False)
    return [parse_batch(table, text="answer", tools=["f"], format="hermes", options=options) for table in tables]


schema: Any = SCHEMA

parse_batch(text="answer")  # type: ignore[call-arg]
