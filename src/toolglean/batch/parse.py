# A column of a table has a turn in each row. Does not depend on how the columns of the result are built (columns.py).
"""Turns in a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, Unpack

import pyarrow as pa

from toolglean.batch.columns import SCHEMA, columns_of
from toolglean.batch.pool import ParserFactory
from toolglean.errors import UsageError, shown
from toolglean.events import Output, fold
from toolglean.parser import ParserArguments
from toolglean.tools import ToolLike, ToolSet

__all__ = ["parse_batch"]

Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)


def parse_batch(
    batch: Rows,
    *,
    text: str = "content",
    tools: Iterable[ToolLike] | ToolSet | None = None,
    tools_column: str | None = None,
    model_column: str | None = None,
    **parsing: Unpack[ParserArguments],
) -> Rows:
    """Parse the turns in a column: one turn in each row.

    Args:
        batch: the rows, as a `RecordBatch` or as a `Table`.
        text: the name of the column with what the model wrote: strings of any kind (`string`, `large_string`,
            `string_view`, or a dictionary of them). Null gives an empty turn.
        tools: the tools that the model may call, for all rows: as for `Parser`.
        tools_column: the name of a column with the tools of each row: lists of tool dicts or names, or JSON text of
            such a list. It is ignored if `tools` is given, and in rows where it is null. Tools that cannot be read are
            a problem of their row, which is parsed without them.
        model_column: the name of a column with the name of each row's model, which may say how it writes. It is
            ignored if `parsing` says that for all rows, and in rows whose name is not known.
        parsing: as for `Parser`.

    Returns:
        As many rows, in the same order, of the same class as `batch`, with the columns of `SCHEMA` and no others: `id`
        (the column of that name as it was, or nulls), `content`, `reasoning`, `calls`, `unfinished`, `problems` and
        `format` (null if the turn has shown none). `append_column` adds columns of your own.

    Raises:
        UsageError: `batch` is not a batch, a column is missing or has the wrong type, or an option is wrong.
        FormatError, ToolError, TemplateError: as for `Parser`.

    No text raises an exception.
    """
    if not isinstance(batch, pa.RecordBatch | pa.Table):
        raise UsageError(f"batch={shown(batch)} is not a table: pass a pyarrow.RecordBatch or a pyarrow.Table")
    texts = _column(batch, text, "text")
    _check_texts(texts.type, text, "text")
    parsers = ParserFactory(tools, **parsing)
    size = len(texts)
    own_tools = [None] * size if tools_column is None else _column(batch, tools_column, "tools_column").to_pylist()
    models = [None] * size if model_column is None else _models(batch, model_column)
    outputs: list[Output] = []
    formats: list[str | None] = []
    for turn, its_tools, model in zip(texts.to_pylist(), own_tools, models, strict=True):
        parser, problem = parsers.parser(its_tools, model)
        output = fold(parser.feed(turn) + parser.finish())
        if problem is not None:
            output.problems.append(problem)
        outputs.append(output)
        formats.append(None if parser.format is None else parser.format.name)
    ids = batch.column("id") if "id" in batch.schema.names else pa.nulls(size, pa.string())
    return type(batch).from_arrays([ids, *columns_of(outputs, formats)], names=SCHEMA.names)


def _models(batch: Rows, name: str) -> list[Any]:
    found = _column(batch, name, "model_column")
    _check_texts(found.type, name, "model_column")
    models: list[Any] = found.to_pylist()
    return models


def _column(batch: Rows, name: Any, argument: str) -> Any:
    names = batch.schema.names
    if not isinstance(name, str) or names.count(name) != 1:
        how = "several columns have" if names.count(name) > 1 else "no column has"
        raise UsageError(f"{argument}={shown(name)}: {how} this name; pass one of {', '.join(map(repr, names))}")
    return batch.column(name)


def _check_texts(kind: Any, name: str, argument: str) -> None:
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    types = pa.types
    if not any(each(values) for each in (types.is_string, types.is_large_string, types.is_string_view, types.is_null)):
        raise UsageError(
            f"{argument}={name!r}: this column has type {kind}; pass a column of strings, or cast it to string"
        )
