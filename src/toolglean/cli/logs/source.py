# What this file knows: how a log is stored, and how it is read in chunks of rows, without ever holding more than one.
# What it must not know: what a row holds.
#
# How the log is stored is told by its first bytes, not by its name. Lines stay bytes: the processes decode them.
"""A log, in chunks of rows."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from toolglean.cli.chunks import name_of
from toolglean.cli.logs.extras import pyarrow, zstd
from toolglean.cli.options import InputError

__all__ = ["Chunk", "Source"]

ROWS = 256
"""In a chunk: a few hundredths of a second of work, so that what two processes say to each other does not count."""
BYTES = 1 << 20
"""The most that a chunk of several lines takes."""

GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"


class Chunk(NamedTuple):
    """Rows of a log that follow each other; `first` is the number of the first one, counted from 1.

    `rows` are lines, or a `pyarrow.RecordBatch`. `read` says how much of the log lies before its end, from 0 to 1; None
    where that is not known.
    """

    first: int
    rows: Any
    read: float | None

    @property
    def last(self) -> int:
        """The number of its last row."""
        return self.first + len(self.rows) - 1

    def part(self, begin: int, end: int | None = None) -> Chunk:
        """Some of its rows, by their places."""
        return Chunk(self.first + begin, self.rows[begin:end], self.read)


class Source:
    """A log. A context manager.

    Args:
        path: a file; "-" for standard input.

    Attributes:
        error: why the log could not be read to its end; None as long as it could.

    Raises:
        InputError: it cannot be opened, or what reads it is not installed.
    """

    def __init__(self, path: str) -> None:
        self.name = name_of(path)
        self.error: InputError | None = None
        if path != "-" and Path(path).is_dir():
            raise InputError(f"{self.name}: this is a folder: give a file")
        with ExitStack() as stack:
            try:
                raw = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
                head = raw.peek(4)[:4] if isinstance(raw, io.BufferedReader) else b""
            except OSError as error:
                raise InputError(f"{self.name}: {error.strerror or error}") from error
            self._raw: IO[bytes] = raw
            self._size = 0 if path == "-" else Path(path).stat().st_size
            self._is_table = head == PARQUET
            if self._is_table and path == "-":
                raise InputError("standard input: Parquet cannot be read from a pipe: give the file by its name")
            self._file = self._opened(head)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _opened(self, head: bytes) -> Any:
        if self._is_table:
            return pyarrow(f"{self.name}: Parquet").parquet.ParquetFile(self._raw)
        if head[:2] == GZIP:
            return gzip.GzipFile(fileobj=self._raw)
        if head == ZSTD:
            return zstd(self.name).ZstdFile(self._raw)
        return self._raw

    def chunks(self, behind: int = 0) -> Iterator[Chunk]:
        """The rows behind the first `behind` ones. Where the log cannot be read on, it ends, and `error` says why."""
        number = behind
        try:
            for rows in self._batches(behind) if self._is_table else self._lines(behind):
                chunk = Chunk(number + 1, rows, self._read(number + len(rows)))
                number = chunk.last
                yield chunk
        except _unreadable() as error:
            said = f"{self.name}: cannot be read behind line {number}: {error}; the rows before it are written"
            self.error = InputError(said)

    def _lines(self, behind: int) -> Iterator[list[bytes]]:
        lines = iter(self._file)
        for _ in range(behind):
            if next(lines, None) is None:
                return
        rows: list[bytes] = []
        size = 0
        try:
            for line in lines:
                rows.append(line)
                size += len(line)
                if len(rows) == ROWS or size >= BYTES:
                    yield rows
                    rows, size = [], 0
        except _unreadable():
            if rows:  # they came before the log broke off
                yield rows
            raise
        if rows:
            yield rows

    def _batches(self, behind: int) -> Iterator[Any]:
        groups = range(self._file.num_row_groups)
        first = 0
        while first < len(groups) and (rows := self._file.metadata.row_group(first).num_rows) <= behind:
            behind -= rows
            first += 1
        if first == len(groups):
            return
        for batch in self._file.iter_batches(batch_size=ROWS, row_groups=list(groups[first:])):
            rest = batch.slice(behind)
            behind = max(0, behind - len(batch))
            if len(rest):
                yield rest

    def _read(self, number: int) -> float | None:
        if self._is_table:
            return number / (self._file.metadata.num_rows or 1)
        return self._raw.tell() / self._size if self._size else None


def _unreadable() -> tuple[type[Exception], ...]:
    # What readers raise where a file is cut off or damaged. pyarrow's and zstd's own errors have no common root.
    found: list[type[Exception]] = [OSError, EOFError, zlib.error]
    found += [module.ArrowException] if (module := sys.modules.get("pyarrow")) is not None else []
    for name in ("compression.zstd", "backports.zstd"):
        found += [module.ZstdError] if (module := sys.modules.get(name)) is not None else []
    return tuple(found)
