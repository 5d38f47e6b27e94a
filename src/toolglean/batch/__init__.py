# What this room knows: how turns in a column of an Arrow table become columns of content, reasoning and calls.
# What it must not know: which engine the table comes from, and how a turn is parsed.
#
#   ours           theirs: all of them hand over a RecordBatch or a Table
#   parse_batch    Ray Data's `map_batches` with batch_format="pyarrow", Spark's `mapInArrow`, Polars' `to_arrow`,
#                  DuckDB's `to_arrow_reader`
#   SCHEMA         the schema that Spark wants to know beforehand
"""Many turns at once, as columns of Arrow tables: for Ray Data, Spark, Polars and DuckDB."""

from toolglean._install import needs

try:
    from toolglean.batch.columns import SCHEMA
    from toolglean.batch.parse import parse_batch
except ImportError as error:
    raise ImportError(needs(f"toolglean.batch needs {error.name}", "batch"), name=error.name) from error

__all__ = ["SCHEMA", "parse_batch"]
