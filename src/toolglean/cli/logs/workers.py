# What this file knows: how chunks are read by several processes, and come back in order.
# What it must not know: what a chunk holds, and what becomes of it.
#
# Each process has a pipe of its own, of which it holds one end: where the other end is gone, it ends too, also if this
# process was killed. A process gets a chunk when it has none, so neither side ever waits with a full pipe for the
# other. Of what was read out of order, no more than AHEAD chunks for each process wait. All processes are spawned, on
# every system: a forked one would hold the other ends of all pipes, and never see that they are gone.
"""Processes that read chunks."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

from toolglean.cli.logs.rows import Read, RowReader
from toolglean.cli.logs.source import Chunk

__all__ = ["WorkerError", "read_all"]

AHEAD = 4
PATIENCE = 5
"""Seconds for which a process may take to end that was asked to."""


class WorkerError(Exception):
    """A process that read chunks has ended before its time. The message says what it was reading."""


def read_all(chunks: Iterable[Chunk], reader: RowReader, jobs: int) -> Iterator[Read]:
    """What became of each chunk, in their order.

    Args:
        chunks: the chunks. They are asked for as they are needed.
        reader: reads a chunk. Each process gets a copy.
        jobs: how many processes; 1: this one.

    Raises:
        WorkerError: a process died, or raised what it should not have.
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
    """A process. `chunk` is what it reads, the one with `number`; None if it has nothing to do."""

    def __init__(self, reader: RowReader) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.chunk: Chunk | None = None
        self.number = 0
        self._process = context.Process(target=work, args=(theirs, reader), daemon=True)
        with _deaf():
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
        """What became of its chunk.

        Raises:
            WorkerError: it died over it.
        """
        try:
            found: Read | str = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._died() from error
        if isinstance(found, str):
            raise WorkerError(f"{self._what()} failed:\n{found}")
        self.chunk = None
        return found

    def end(self) -> None:
        """End it: if it is idle, by closing its pipe; else by force."""
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
def _deaf() -> Iterator[None]:
    # A process that is started while an interrupt is blocked never gets one: Ctrl-C, which a terminal sends to all of
    # them, is for this one. Windows has nothing like it: there, `work` sees to it a moment later.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(pipe: Connection, reader: RowReader) -> None:
    """What a process does: it reads chunks until the other end of its pipe is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            chunk = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            found: Read | str = reader.read(chunk)
        except Exception:  # noqa: BLE001  # it is told where it is seen
            found = traceback.format_exc()
        try:
            pipe.send(found)
        except OSError:
            return
