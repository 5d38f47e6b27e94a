# A column of a table has a turn in each row: how they are parsed, and the columns of the result. Does not depend on
# where a table comes from.
#
# Arrays are built from one list for each field. Building them from a dict for each call takes several times as long.
"""Turns in a column, and the columns of parsed turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, TypeVar, Unpack

import pyarrow as pa

from toolglean.batch.outcome import read_turn
from toolglean.batch.pool import ParserFactory
from toolglean.batch.turns import Written
from toolglean.errors import UsageError, shown
from toolglean.events import Output
from toolglean.parser import ParserArguments
from toolglean.scan.nested import json_text, whole_characters
from toolglean.tools import ToolLike, ToolSet

__all__ = ["SCHEMA", "parse_batch"]

Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)

CALL = pa.struct(
    [
        ("id", pa.string()),
        ("index", pa.int64()),
        ("name", pa.string()),
        ("known", pa.bool_()),
        ("arguments", pa.string()),
        ("arguments_text", pa.string()),
        ("span", pa.list_(pa.int64())),
        ("status", pa.string()),
        ("repairs", pa.list_(pa.string())),
    ]
)
PROBLEM = pa.struct([("code", pa.string()), ("reason", pa.string()), ("text", pa.string()), ("start", pa.int64())])

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("content", pa.string()),
        ("reasoning", pa.string()),
        ("calls", pa.list_(CALL)),
        ("unfinished", pa.list_(CALL)),
        ("problems", pa.list_(PROBLEM)),
        ("format", pa.string()),
    ]
)
"""The columns that `parse_batch` returns. `id` has the type that it has in the input, if that has such a column.

A call has the fields of `ToolCall`. Arrow needs one type for all arguments, so `arguments` is JSON text; it is null
if a call is unfinished, because its arguments must not be used.
"""


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
    texts = _texts(batch, text, "text")
    parsers = ParserFactory(tools, **parsing)
    size = len(texts)
    own_tools = [None] * size if tools_column is None else _column(batch, tools_column, "tools_column").to_pylist()
    models = [None] * size if model_column is None else _texts(batch, model_column, "model_column").to_pylist()
    rows = zip(texts.to_pylist(), own_tools, models, strict=True)
    read: list[tuple[Output, str | None]] = [
        read_turn(Written([turn or ""]), *parsers.parser(its_tools, model)) for turn, its_tools, model in rows
    ]
    ids = _column(batch, "id", "id") if "id" in batch.schema.names else pa.nulls(size, pa.string())
    return type(batch).from_arrays([ids, *_columns_of(read)], names=SCHEMA.names)


def _column(batch: Rows, name: Any, argument: str) -> Any:
    names = batch.schema.names
    if not isinstance(name, str) or name not in names:
        others = ", ".join(map(repr, names))
        raise UsageError(f"{argument}={shown(name)}: no column has this name; pass one of {others}")
    if names.count(name) > 1:
        raise UsageError(f"{argument}={name!r}: several columns have this name; rename all but one of them")
    return batch.column(name)


def _texts(batch: Rows, name: str, argument: str) -> Any:
    found, types = _column(batch, name, argument), pa.types
    values = found.type.value_type if types.is_dictionary(found.type) else found.type
    if not any(each(values) for each in (types.is_string, types.is_large_string, types.is_string_view, types.is_null)):
        raise UsageError(
            f"{argument}={name!r}: this column has type {found.type}; pass a column of strings, or cast it to string"
        )
    return found


# -- the result --------------------------------------------------------------------------------------------------------


def _columns_of(read: Sequence[tuple[Output, str | None]]) -> list[Any]:
    """The columns of SCHEMA after `id`."""
    *fields, last = list(SCHEMA)[1:]
    outputs, formats = [output for output, _ in read], [name for _, name in read]
    return [*(_field(each, outputs) for each in fields), _array(last.type, formats)]


def _field(field: Any, holders: Sequence[Any]) -> Any:
    """The array of that field of outputs, calls or problems."""
    if field.name == "arguments":
        return _array(field.type, [json_text(call.arguments) if call.status == "ok" else None for call in holders])
    return _array(field.type, [getattr(each, field.name) for each in holders])


def _array(kind: Any, values: Sequence[Any]) -> Any:
    if pa.types.is_struct(kind):
        return pa.StructArray.from_arrays([_field(each, values) for each in kind], fields=list(kind))
    if pa.types.is_list(kind):
        offsets = pa.array(accumulate(map(len, values), initial=0), pa.int32())
        return pa.ListArray.from_arrays(offsets, _array(kind.value_type, list(chain.from_iterable(values))))
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:  # half of a surrogate pair, written as an escape
        return pa.array([None if each is None else whole_characters(each) for each in values], kind)
