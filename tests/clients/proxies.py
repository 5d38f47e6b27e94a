# How the proxy is run during a test.
# Does not depend on what it does.
"""The proxy, served by uvicorn in a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

__all__ = ["proxying", "server_of", "serving", "until"]

WAIT_AT_MOST = 20.0


def until(is_true: Callable[[], bool]) -> None:
    """Wait until something is true.

    Raises:
        AssertionError: it does not, for too long.
    """
    end = time.monotonic() + WAIT_AT_MOST
    while not is_true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def server_of(application: Any, **options: Any) -> Any:
    """A server of uvicorn that ends at once.

    Args:
        application: what it serves.
        options: for its configuration.
    """
    import uvicorn  # noqa: PLC0415  # where it is missing, the tests skip themselves first

    class Prompt(uvicorn.Server):
        # The original looks every tenth of a second whether it should exit, and then waits as long.
        async def main_loop(self) -> None:
            while not await self.on_tick(1):  # noqa: ASYNC110  # signals set what it looks at
                await asyncio.sleep(0.005)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            for each in (*self.servers, *(sockets or ())):
                each.close()
            for connection in list(self.server_state.connections):
                connection.shutdown()
            await asyncio.sleep(0.005)
            if not self.force_exit:
                await self.lifespan.shutdown()

    return Prompt(uvicorn.Config(application, log_level="critical", ws="none", **options))


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """The application's URL, as long as the block lasts."""
    server = server_of(application, access_log=False, server_header=False, date_header=False)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = server.force_exit = True
            thread.join(WAIT_AT_MOST)


@contextmanager
def proxying(upstream: str, *given: Any, **options: Any) -> Iterator[str]:
    """The URL of our proxy before a server; the test is skipped where its packages are missing.

    Args:
        upstream: the server's URL.
        given: a Repair, if it is not the usual one.
        options: for the application.
    """
    pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
    pytest.importorskip("starlette", reason="needs toolglean[proxy]")
    from toolglean.clients.proxy import application  # noqa: PLC0415  # it needs starlette

    with serving(application(upstream, *given, **options)) as url:
        yield url
