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

__all__ = ["serving", "until"]

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


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """The application's URL, as long as the block lasts."""
    import uvicorn  # noqa: PLC0415  # where it is missing, the tests skip themselves first

    config = uvicorn.Config(
        application, log_level="critical", access_log=False, server_header=False, date_header=False, ws="none"
    )
    class Prompt(uvicorn.Server):
        # The original looks every tenth of a second whether it should exit, and then waits as long: a test waits for it.
        async def main_loop(self) -> None:
            while not await self.on_tick(1):
                await asyncio.sleep(0.005)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            for each in (*self.servers, *(sockets or ())):
                each.close()
            for connection in list(self.server_state.connections):
                connection.shutdown()
            await asyncio.sleep(0.005)

    server = Prompt(config)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = server.force_exit = True
            thread.join(WAIT_AT_MOST)
