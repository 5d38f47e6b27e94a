# Several processes read chunks, which come back in order. Does not depend on what a chunk contains.
#
# Each process has a pipe of its own and owns one end of it: when the other end is gone, the process ends too, even if
# this process was killed. A process gets a chunk when it has none, so neither side ever waits for the other with a
# full pipe. At most AHEAD chunks for each process wait because they were read out of order. All processes are spawned,
# on every system: a forked process would own the other ends of all pipes, and never see that they are gone.
"""Processes that read chunks."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

from toolglean.batch.logs.rows import Read, RowReader
from toolglean.batch.logs.source import Chunk

__all__ = ["WorkerError", "read_all"]

AHEAD = 4
PATIENCE = 5
"""Seconds that a process may take to end after it was asked to."""


class WorkerError(Exception):
    """A process that read chunks has died. The message says what it was reading."""


def read_all(chunks: Iterable[Chunk], reader: RowReader, jobs: int) -> Iterator[Read]:
    """Read all chunks, and return them in their order.

    Args:
        chunks: the chunks, which are taken as they are needed.
        reader: reads a chunk. Each process gets a copy.
        jobs: how many processes; 1: this one.

    Raises:
        WorkerError: a process died, or raised an exception that it should not have.
    """
    if jobs == 1:
        yield from map(reader.read, chunks)
        return
    workers = [_Worker(reader) for _ in range(jobs)]
    try:
        yield from _in_order(iter(chunks), workers)
    finally:
        for each in workers:
            each.end()


def _in_order(chunks: Iterator[Chunk], workers: list[_Worker]) -> Iterator[Read]:
    given, due = 0, 0
    done: dict[int, Read] = {}
    while True:
        for each in workers:
            if each.chunk is None and given - due < AHEAD * len(workers) and (chunk := next(chunks, None)) is not None:
                each.give(chunk, given)
                given += 1
        busy: dict[Any, _Worker] = {each.pipe: each for each in workers if each.chunk is not None}
        if not busy:
            return
        for pipe in wait(list(busy)):
            number = busy[pipe].number
            done[number] = busy[pipe].take()
        while due in done:
            yield done.pop(due)
            due += 1


class _Worker:
    """A process. `chunk`, with `number`, is what it is reading; None if it has nothing to do."""

    def __init__(self, reader: RowReader) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.chunk: Chunk | None = None
        self.number = 0
        self._process = context.Process(target=work, args=(theirs, reader), daemon=True)
        with _interrupts_blocked():
            self._process.start()
        theirs.close()

    def give(self, chunk: Chunk, number: int) -> None:
        """Let it read a chunk."""
        self.chunk, self.number = chunk, number
        try:
            self.pipe.send(chunk)
        except OSError as error:
            raise self._died() from error

    def take(self) -> Read:
        """Its chunk, read.

        Raises:
            WorkerError: it died while reading it.
        """
        try:
            found: Read | str = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._died() from error
        if isinstance(found, str):
            raise WorkerError(f"{self._what()} failed: {found}. This is a defect of toolglean: please report it")
        self.chunk = None
        return found

    def end(self) -> None:
        """End it: by closing its pipe if it is idle, otherwise by force."""
        self.pipe.close()
        if self.chunk is not None:
            self._process.terminate()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()

    def _what(self) -> str:
        assert self.chunk is not None
        return f"process {self._process.pid}, which read lines {self.chunk.first} to {self.chunk.last},"

    def _died(self) -> WorkerError:
        self._process.join(PATIENCE)
        code = self._process.exitcode
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        return WorkerError(f"{self._what()} {how}")


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    # A process that is started while interrupts are blocked never gets one. A terminal sends Ctrl-C to all of them, but
    # only this process should react. Windows cannot block signals: there, `work` ignores them a moment later.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(pipe: Connection, reader: RowReader) -> None:
    """The work of a process: read chunks until the other end of its pipe is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            chunk = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            found: Read | str = reader.read(chunk)
        except Exception as error:  # noqa: BLE001  # reported by the other process
            found = traceback.format_exception_only(error)[-1].strip()
        try:
            pipe.send(found)
        except OSError:
            return
