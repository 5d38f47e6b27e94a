# The processes that serve a port: how each serves it, and how several are started, watched and stopped. Does not depend
# on what they serve.
#
# Each has a socket of its own for the same port (SO_REUSEPORT): the kernel deals the connections out by chance. With
# one socket for all, the first process to look would take all that wait. A process that is killed is replaced; its
# connections are lost, except those that it had not accepted yet. SIGTERM and SIGINT are passed on: each process then
# finishes what it has begun, and ends.
"""Processes that serve one port."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

import uvicorn

from toolglean.clients.proxy.metrics import SLOT

__all__ = ["end_with_parent", "run_workers", "serve"]

PATIENCE = 20
"""Seconds that open requests have to end when the server is stopped, by default: Kubernetes waits for 30."""
ON_PURPOSE = "ASGI callable returned without completing response."
"""What uvicorn says of an answer that breaks off because the upstream's did."""


def serve(served: Any, listening: socket.socket, *, drain: float = PATIENCE) -> None:
    """Serve an ASGI application until the process gets SIGINT or SIGTERM. It then accepts no more connections.

    Args:
        served: the application.
        listening: a listening socket.
        drain: how many seconds open requests then have to end.
    """
    config = uvicorn.Config(
        served,
        log_config=None,  # its warnings go where ours go
        access_log=False,
        server_header=False,  # the upstream's own are passed on
        date_header=False,
        ws="none",
        timeout_graceful_shutdown=drain,  # type: ignore[arg-type]  # asyncio.wait_for takes any number
    )
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    uvicorn.Server(config).run(sockets=[listening])


def _is_news(record: logging.LogRecord) -> bool:
    # What the proxy does on purpose is not an error: it breaks off an answer, for which there is a record, and at the
    # end those that are open, of which uvicorn logs the number.
    is_end = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not is_end and record.msg != ON_PURPOSE


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
