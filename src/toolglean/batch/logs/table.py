# How rows become a Parquet file. Does not depend on how rows are made.
#
# A Parquet file cannot be read until its end is written, so a kill would leave nothing. Rows are therefore collected as
# JSON lines in a file next to it, the journal, and the table is made from the journal once all rows are there. It is
# written under another name and then renamed, so that the file is there as a whole or not at all.
"""Output as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from toolglean.batch.logs.extras import pyarrow
from toolglean.scan.nested import decoded, json_text

__all__ = ["is_done", "is_table", "journal_of", "rows_of", "write"]

ROWS = 4096  # in a row group: rows are large


def is_table(path: Path) -> bool:
    """Whether a file of that name is Parquet."""
    return path.suffix.lower() == ".parquet"


def is_done(path: Path) -> bool:
    """Whether the table exists. While rows are missing, only its journal does."""
    return is_table(path) and path.exists() and path.stat().st_size > 0


def journal_of(path: Path, name: str) -> Path:
    """Where the rows of a table are collected. Checks that the table can be written later.

    Args:
        path: the table.
        name: the name of the output in messages.

    Raises:
        InputError: pyarrow is not installed.
    """
    pyarrow(f"{name}: Parquet")
    return path.with_name(f"{path.name}.rows.jsonl")


def write(journal: Path, path: Path, name: str) -> None:
    """Make the table from the journal, and remove the journal."""
    arrow = pyarrow(f"{name}: Parquet")
    from toolglean.batch.columns import SCHEMA  # noqa: PLC0415  # it imports pyarrow

    schema = arrow.schema([SCHEMA.field("id"), ("line", arrow.int64()), ("choice", arrow.int64()), *list(SCHEMA)[1:]])
    unfinished = path.with_name(f"{path.name}.unfinished")
    with journal.open("rb") as lines, arrow.parquet.ParquetWriter(unfinished, schema) as writer:
        while rows := [_as_columns(decoded(line.decode(), dict)) for line in islice(lines, ROWS)]:
            writer.write_batch(arrow.RecordBatch.from_pylist(rows, schema))
    unfinished.replace(path)
    journal.unlink()


def rows_of(path: Path, name: str) -> Iterator[bytes]:
    """The rows of a finished table, as lines with the columns that are counted."""
    arrow = pyarrow(f"{name}: Parquet")
    names = ["line", "format", "content", "reasoning", "calls", "unfinished", "problems"]
    with arrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS, columns=names):
            yield from (json.dumps(row).encode() for row in batch.to_pylist())


def _as_columns(row: dict[str, Any]) -> dict[str, Any]:
    given = row["id"]
    row["id"] = given if isinstance(given, str | None) else json.dumps(given, ensure_ascii=False)
    for call in row["calls"]:
        call["arguments"] = json_text(call["arguments"])
    return row
