# Several processes that serve one port: how they are started, watched and stopped. Does not depend on what they serve.
#
# Each has a socket of its own for the same port (SO_REUSEPORT): the kernel deals the connections out by chance. With
# one socket for all, the first process to look would take all that wait. A process that is killed is replaced; its
# connections are lost, except those that it had not accepted yet. SIGTERM and SIGINT are passed on: each process then
# finishes what it has begun, and ends.
"""Processes that serve one port."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from toolglean.clients.proxy.metrics import SLOT

__all__ = ["end_with_parent", "run_workers"]


def run_workers(listening: Sequence[socket.socket], work: Callable[..., None], given: Any) -> int:
    """Run `work(given, socket, slots, number)` in a process for each socket, until one of SIGINT and SIGTERM comes.

    Args:
        listening: the sockets, which are closed.
        work: a function of a module; `slots` is memory for `Board`, and `number` counts the processes from 0.
        given: what it is called with; can be pickled.

    Returns:
        0; or 1 if a process ended by an error of its own, which it has reported.
    """
    context = multiprocessing.get_context("spawn")
    slots = [context.RawArray("c", SLOT) for _ in listening]
    stopping = threading.Event()
    for each_signal in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each_signal, lambda *_: stopping.set())

    def started(number: int) -> BaseProcess:
        process = context.Process(target=work, args=(given, listening[number], slots, number), name=f"worker {number}")
        process.start()
        return process

    running = [started(number) for number in range(len(listening))]
    code = 0
    while not stopping.is_set() and not code:
        wait([process.sentinel for process in running], timeout=0.2)
        for number, process in enumerate(running):
            if process.exitcode is not None and not stopping.is_set():
                code = int(process.exitcode > 0)  # below 0: it was killed, perhaps for its memory
                running[number] = process if code else started(number)
    for each in listening:
        each.close()
    for process in running:
        process.terminate()  # SIGTERM
    for process in running:
        process.join()
    return code


def end_with_parent() -> None:
    """End this process, in order, when the one that started it has died."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
