# Many turns: in the column of a table, or in the lines of a log. Does not depend on how a turn is parsed, or on the
# command line.
#
#   pool.py        a new parser for each of many turns
#   turns.py       where a JSON value contains a turn, as clients and servers store it
#   lines.py       lines of JSON, in and out
#   outcome.py     what a stored turn comes to, and the counts of many
#   logs/          a log of turns becomes a file of rows, read by several processes
#   columns.py     columns of Arrow tables; needs pyarrow
#
# The engines that use `parse_batch` all pass a RecordBatch or a Table: Ray Data's `map_batches` with
# batch_format="pyarrow", Spark's `mapInArrow` (which needs SCHEMA), Polars' `to_arrow`, DuckDB's `to_arrow_reader`.
"""Many turns at once, as columns of Arrow tables: for Ray Data, Spark, Polars and DuckDB."""

from typing import TYPE_CHECKING, Any

from toolglean._install import needs

if TYPE_CHECKING:
    from toolglean.batch.columns import SCHEMA, parse_batch

__all__ = ["SCHEMA", "parse_batch"]


def __getattr__(name: str) -> Any:
    # pyarrow is loaded when a name is asked for, because most files of this package do not need it.
    if name not in __all__:
        raise AttributeError(f"module 'toolglean.batch' has no attribute {name!r}")
    try:
        from toolglean.batch import columns  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(needs(f"toolglean.batch needs {error.name}", "batch"), name=error.name) from error
    return getattr(columns, name)
