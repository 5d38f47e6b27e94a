# What this room knows: how turns in a column of an Arrow table become columns of content, reasoning and calls.
# What it must not know: which engine the table comes from, and how a turn is parsed.
#
#   ours           theirs: all of them hand over a RecordBatch or a Table
#   parse_batch    Ray Data's `map_batches` with batch_format="pyarrow", Spark's `mapInArrow`, Polars' `to_arrow`,
#                  DuckDB's `to_arrow_reader`
#   SCHEMA         the schema that Spark wants to know beforehand
#   pool.py        a new parser for each of many turns, without pyarrow
"""Many turns at once, as columns of Arrow tables: for Ray Data, Spark, Polars and DuckDB."""

from typing import TYPE_CHECKING, Any

from toolglean._install import needs

if TYPE_CHECKING:
    from toolglean.batch.columns import SCHEMA
    from toolglean.batch.parse import parse_batch

__all__ = ["SCHEMA", "parse_batch"]


def __getattr__(name: str) -> Any:
    # pyarrow is loaded when a name is asked for: pool.py, which needs none, is part of this room.
    if name not in __all__:
        raise AttributeError(f"module 'toolglean.batch' has no attribute {name!r}")
    try:
        from toolglean.batch import columns, parse  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(needs(f"toolglean.batch needs {error.name}", "batch"), name=error.name) from error
    return columns.SCHEMA if name == "SCHEMA" else parse.parse_batch
