# What this file knows: how rows become a Parquet file.
# What it must not know: how rows come about.
#
# A Parquet file cannot be read before its end is written, so nothing is left of one that a kill cut off. Rows are
# therefore collected as JSON lines in a file beside it, the journal, and the table is made of that once all rows are
# there: under another name, which is then changed, so that the file is there as a whole or not at all.
"""Output as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from toolglean.cli.logs.extras import pyarrow
from toolglean.scan.nested import decoded, json_text

__all__ = ["is_done", "is_table", "journal_of", "rows_of", "write"]

ROWS = 4096  # of a row group: rows are large


def is_table(path: Path) -> bool:
    """Whether a file of that name is Parquet."""
    return path.suffix == ".parquet"


def is_done(path: Path) -> bool:
    """Whether it is there. While rows are missing, only its journal is."""
    return is_table(path) and path.exists() and path.stat().st_size > 0


def journal_of(path: Path) -> Path:
    """Where the rows are collected. What the table needs must be installed before it is begun.

    Raises:
        InputError: it is not.
    """
    pyarrow(f"--output {path}: Parquet")
    return path.with_name(f"{path.name}.rows.jsonl")


def write(journal: Path, path: Path) -> None:
    """Make the table of the journal, and remove the journal."""
    arrow = pyarrow(f"--output {path}: Parquet")
    # Not at the head of the file: only who has pyarrow can import it.
    from toolglean.batch import SCHEMA  # noqa: PLC0415

    schema = arrow.schema([SCHEMA.field("id"), ("line", arrow.int64()), ("choice", arrow.int64()), *list(SCHEMA)[1:]])
    unfinished = path.with_name(f"{path.name}.unfinished")
    with journal.open("rb") as lines, arrow.parquet.ParquetWriter(unfinished, schema) as writer:
        while rows := [_as_columns(decoded(line.decode(), dict)) for line in islice(lines, ROWS)]:
            writer.write_batch(arrow.RecordBatch.from_pylist(rows, schema))
    unfinished.replace(path)
    journal.unlink()


def rows_of(path: Path) -> Iterator[bytes]:
    """The rows of a table that is done, as lines; of each only what is counted."""
    arrow = pyarrow(f"--output {path}: Parquet")
    names = ["line", "format", "calls", "unfinished", "problems"]
    with arrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS, columns=names):
            yield from (json.dumps(row).encode() for row in batch.to_pylist())


def _as_columns(row: dict[str, Any]) -> dict[str, Any]:
    given = row["id"]
    row["id"] = given if isinstance(given, str | None) else json.dumps(given, ensure_ascii=False)
    for call in row["calls"]:
        call["arguments"] = json_text(call["arguments"])
    return row
