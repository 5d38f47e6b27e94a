# The ways to a server, each ready for use.
# Does not depend on what is asked of it.
"""The server of the MCP tests, in memory, by stdio, and by streamable HTTP."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

from tests.clients import mcp_tools
from tests.clients.mcp_tools import make_server
from tests.clients.proxies import server_of
from tests.support import depth
from toolglean.clients.mcp import EmbeddedMcpServer

__all__ = ["EVERY_WAY", "SCRIPT", "WAYS", "connected", "on_http"]

SCRIPT = StdioServerParameters(command=sys.executable, args=[str(Path(mcp_tools.__file__))])
EVERY_WAY = ("memory", "memory, older protocol", "stdio", "http")
# A process of its own takes two seconds to start: below full depth, only some tests go by stdio.
WAYS = EVERY_WAY if depth.is_full() else tuple(way for way in EVERY_WAY if way != "stdio")


@contextlib.contextmanager
def on_http() -> Iterator[tuple[str, Any]]:
    server = server_of(make_server().streamable_http_app(), host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp", server
    finally:
        server.should_exit = True
        thread.join()


@contextlib.asynccontextmanager
async def connected(way: str = "memory", **options: Any) -> AsyncIterator[EmbeddedMcpServer]:
    with contextlib.ExitStack() as stack:
        server: Any = make_server()
        if way == "memory, older protocol":
            options["mode"] = "legacy"
        elif way == "stdio":
            server = SCRIPT
        elif way == "http":
            server, _ = stack.enter_context(on_http())
        async with EmbeddedMcpServer(server, **options) as found:
            yield found
