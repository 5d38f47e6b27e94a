# One run over a log: how it begins, continues where an earlier one broke off, and ends. Does not depend on how logs
# and output are stored, or on what a row contains.
"""A log of turns becomes a file of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from toolglean.batch.lines import InputError
from toolglean.batch.logs.pieces import Pieces
from toolglean.batch.logs.rows import Read, RowReader
from toolglean.batch.logs.source import Chunk, Source
from toolglean.batch.logs.workers import read_all
from toolglean.batch.outcome import Counts
from toolglean.scan.nested import decoded

__all__ = ["LogRun", "counts_of"]


class LogRun:
    """A run over a log.

    Args:
        source: the log.
        reader: turns chunks of the log into rows.
        pieces: the output.
        name: the name of the output in messages.

    Attributes:
        counts: the counts of the rows that are written.
        done: the number of the last line whose rows are written.
    """

    def __init__(self, source: Source, reader: RowReader, pieces: Pieces, *, name: str) -> None:
        self.counts = Counts()
        self.done = 0
        self._source = source
        self._reader = reader
        self._pieces = pieces
        self._name = name
        self._chunks: Iterator[Chunk] = iter(())

    def resume(self) -> None:
        """Find where a run broke off, and check that its last row is what this run would write.

        Raises:
            InputError: the output is not one of this log with these options.
        """
        last, self.counts, rows = _recounted(self._pieces.lines(), self._name)
        if not last:
            return
        self._chunks = self._source.chunks(last - 1)
        again = next(self._chunks, None)
        wrong = f"{self._name}: its last row, for line {last}, differs from what the log and the options give"
        if again is None:
            raise self._source.error or InputError(f"{wrong}: the log has fewer lines; resume with the log of that run")
        found = self._reader.read(again.part(0, 1)).output.splitlines(keepends=True)
        if found[: len(rows)] != rows:
            raise InputError(f"{wrong}: resume with the log and the options of the run that broke off")
        for row in found[len(rows) :]:  # the kill may have come between two answers to one request
            self._pieces.add(row)
            self.counts.add(decoded(row.decode(), dict))
        self._chunks = chain([again.part(1)], self._chunks)
        self.done = last

    def go(self, jobs: int = 1) -> Iterator[Read]:
        """Read and write the rest of the log.

        Args:
            jobs: how many processes read turns.

        Yields:
            Each chunk, once its rows are written.

        Raises:
            InputError: the log cannot be read to its end, or the reader is strict and a row is not a turn.
            WorkerError: a process died.
            OSError: the output cannot be written.
        """
        chunks = self._chunks if self.done else self._source.chunks()
        for read in read_all(chunks, self._reader, jobs):
            self._pieces.add(read.output)
            self.counts.merge(read.counts)
            self.done = read.last
            if read.error is not None:
                raise InputError(read.error)
            yield read
        self._pieces.sync()
        if self._source.error is not None:
            raise self._source.error


def counts_of(rows: Iterable[bytes]) -> Counts:
    """The counts of rows that are written."""
    return _recounted(rows)[1]


def _recounted(lines: Iterable[bytes], name: str = "") -> tuple[int, Counts, list[bytes]]:
    """Of rows that are written: the number of the last line, their counts, and the rows of that line."""
    counts, last = Counts(), 0
    rows: list[bytes] = []
    for place, row in enumerate(lines, 1):
        try:
            found = decoded(row.decode(), dict)
            counts.add(found)
            number: int = found["line"]
        except (ValueError, TypeError, KeyError) as error:
            said = f"{name}: its line {place} is not a row of `toolglean parse`; choose another name"
            raise InputError(said) from error
        if number < last:
            raise InputError(f"{name}: the row of line {number} comes after that of line {last}; choose another name")
        rows = [*rows, row] if number == last else [row]
        last = number
    return last, counts, rows
