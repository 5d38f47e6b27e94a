# How a log is stored, and how it is read in chunks of rows, of which only one is in memory. Does not depend on what a
# row contains.
#
# The first bytes tell how the log is stored, not its name. Lines stay bytes: the processes decode them.
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

from toolglean.batch.lines import InputError, name_of
from toolglean.batch.logs.extras import pyarrow, zstd

__all__ = ["Chunk", "Source"]

ROWS = 256
"""In a chunk: a few hundredths of a second of work, so that the time for passing it between processes is negligible."""
BYTES = 1 << 20
"""The most that a chunk of several lines takes."""
LONGEST = 64 << 20
"""Bytes of one line. What is longer is not read: a few kilobytes of gzip can become a line of any length."""

GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"


class Chunk(NamedTuple):
    """Consecutive rows of a log.

    Attributes:
        first: the number of the first one, counted from 1.
        rows: lines, or a `pyarrow.RecordBatch`.
        read: how much of the log has been read at its end, from 0 to 1; None if that is not known.
    """

    first: int
    rows: Any
    read: float | None

    @property
    def last(self) -> int:
        """The number of its last row."""
        return self.first + len(self.rows) - 1

    def part(self, begin: int, end: int | None = None) -> Chunk:
        """Some of its rows, by their indices."""
        return Chunk(self.first + begin, self.rows[begin:end], self.read)


class Source:
    """A log. A context manager.

    Args:
        path: a file; "-" for standard input.

    Attributes:
        error: why the log could not be read to its end; None as long as it could.
        is_table: whether it is Parquet.
        file: its bytes, without compression; or the table.

    Raises:
        InputError: it cannot be opened, or the package that reads it is not installed.
    """

    def __init__(self, path: str) -> None:
        self.name = name_of(path)
        self.error: InputError | None = None
        if path != "-" and Path(path).is_dir():
            raise InputError(f"{self.name}: this is a directory; pass a file")
        with ExitStack() as stack:
            if path == "-" and sys.stdin is None:
                raise InputError("standard input: it is closed; pass the name of a file")
            try:
                raw = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
                head = raw.peek(4)[:4] if isinstance(raw, io.BufferedReader) else b""
            except OSError as error:
                raise InputError(f"{self.name}: {error.strerror or error}") from error
            self._raw: IO[bytes] = raw
            self._size = 0 if path == "-" else Path(path).stat().st_size
            self.is_table = head == PARQUET
            if self.is_table and path == "-":
                raise InputError("standard input: Parquet cannot be read from a pipe; pass the name of the file")
            try:
                self.file = self._opened(head)
            except self.unreadable() as error:
                raise InputError(f"{self.name}: cannot be read: {error}") from error
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _opened(self, head: bytes) -> Any:
        if self.is_table:
            return pyarrow(f"{self.name}: Parquet").parquet.ParquetFile(self._raw)
        if head[:2] == GZIP:
            return gzip.GzipFile(fileobj=self._raw)
        if head == ZSTD:
            return zstd(self.name).ZstdFile(self._raw)
        return self._raw

    def chunks(self, after: int = 0) -> Iterator[Chunk]:
        """The rows after the first `after` ones. They end where the log cannot be read on; `error` then says why."""
        number = after
        try:
            for rows in self._batches(after) if self.is_table else self._lines(after):
                chunk = Chunk(number + 1, rows, self._read(number + len(rows)))
                number = chunk.last
                yield chunk
        except self.unreadable() as error:
            said = f"{self.name}: cannot be read after line {number}: {error}; the rows up to there are written"
            self.error = InputError(said)

    def _lines(self, after: int) -> Iterator[list[bytes]]:
        lines = self._each_line()
        for _ in range(after):
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
        except self.unreadable():
            if rows:  # they came before the log broke off
                yield rows
            raise
        if rows:
            yield rows

    def _each_line(self) -> Iterator[bytes]:
        while line := self.file.readline(LONGEST + 1):
            if len(line) > LONGEST:
                raise OSError(f"a line has more than {LONGEST >> 20} MiB")
            yield line

    def _batches(self, after: int) -> Iterator[Any]:
        groups = range(self.file.num_row_groups)
        first = 0
        while first < len(groups) and (rows := self.file.metadata.row_group(first).num_rows) <= after:
            after -= rows
            first += 1
        if first == len(groups):
            return
        for batch in self.file.iter_batches(batch_size=ROWS, row_groups=list(groups[first:])):
            rest = batch.slice(after)
            after = max(0, after - len(batch))
            if len(rest):
                yield rest

    def _read(self, number: int) -> float | None:
        if self.is_table:
            return number / (self.file.metadata.num_rows or 1)
        return self._raw.tell() / self._size if self._size else None

    @staticmethod
    def unreadable() -> tuple[type[Exception], ...]:
        """The errors of a file that is cut off or damaged. Those of pyarrow and zstd have no common base."""
        found: list[type[Exception]] = [OSError, EOFError, zlib.error]
        found += [module.ArrowException] if (module := sys.modules.get("pyarrow")) is not None else []
        for name in ("compression.zstd", "backports.zstd"):
            found += [module.ZstdError] if (module := sys.modules.get(name)) is not None else []
        return tuple(found)
