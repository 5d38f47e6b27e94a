# How the tools of an MCP server are listed and called, with the mcp package (2.3 or later).
# Does not depend on how a model writes a call, or on any other client.
#
#   ours                                  the mcp package's
#   EmbeddedMcpServer(server)             Client(server): MCPServer, Server, StdioServerParameters, URL, Transport
#   .tools                                Client.list_tools, all pages
#   .execute_tool(name, input)            Client.call_tool(name, arguments)
#   ToolResultContent.content             CallToolResult.content, each block as it is sent
#   .tool, .add_tool, .remove_tool        MCPServer's own, for a server of this process
#
# The client's context contains cancel scopes, which must be left by the task that entered them. So a separate task
# enters it, keeps it open and leaves it: `start` and `stop` may then be called from any task of the loop, and a server
# that dies takes down that task, not the caller's. Calls are made in the caller's task, so that cancelling it cancels
# the call.
"""Tools of an MCP server, called as the model asks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Self, TypeAlias, TypeVar, Unpack

from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client import Transport
from mcp.server import MCPServer, Server
from mcp.shared.dispatcher import ProgressFnT

from toolglean.clients.at_once import at_once, settled
from toolglean.clients.mcp.options import ClientOptions, ToolOptions
from toolglean.conversation.arguments import coerce_arguments, read_arguments
from toolglean.conversation.calls import ErrorCode, ToolResultContent
from toolglean.conversation.runner import error_text, unknown_tool_text
from toolglean.errors import ToolgleanError, UsageError
from toolglean.tools import ToolDict, ToolSet

__all__ = ["EmbeddedMcpServer", "McpServerError", "Progress"]

Function = TypeVar("Function", bound=Callable[..., Any])
Answer = TypeVar("Answer")
Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Called with (progress, total, message); a plain function or an async one."""

MAX_PAGES = 1000  # of a list of tools, for a server whose list never ends
STOP_SECONDS = 10.0  # how long to wait for a server to close
LET_GO_SECONDS = 1.0  # how long to wait for a cancelled call to end

log = logging.getLogger(__name__)


class McpServerError(ToolgleanError, ConnectionError):
    """The server cannot be reached, or does not speak MCP. `__cause__` is what the mcp package raised."""


class EmbeddedMcpServer:
    """The tools of one MCP server, listed, and called with arguments that fit their schemas.

    Use it with `async with`, or `start` and `stop`, in one event loop of asyncio, from any of its tasks. It is a
    `toolglean.conversation.ToolExecutor`: `McpIntegration(EmbeddedMcpServer(...))` routes to it.

    Args:
        server: a server of this process (`MCPServer`, or a lowlevel `Server`); `StdioServerParameters` of a program to
            run; the URL of a streamable HTTP server; a transport. None: an empty `MCPServer`, to which you add tools
            with `tool` and `add_tool`.
        read_timeout: seconds to wait for an answer, unless `execute_tool` sets another limit; None: no limit.
        client_options: passed on to `mcp.Client` (`mode`, `client_info`, `elicitation_callback`, …).
    """

    def __init__(
        self,
        server: MCPServer[Any] | Server[Any] | StdioServerParameters | Transport | str | None = None,
        *,
        read_timeout: float | None = None,
        **client_options: Unpack[ClientOptions],
    ) -> None:
        self.server = MCPServer("toolglean") if server is None else server
        self._options: dict[str, Any] = {"read_timeout_seconds": read_timeout, **client_options}
        self._handler = self._options.pop("message_handler", None)
        self._tools = self._listed_here()
        self._client: Client | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._wake = asyncio.Event()
        self._stopping = False
        self._failure: BaseException | None = None

    # -- the tools -----------------------------------------------------------------------------------------------------

    @property
    def tools(self) -> ToolSet:
        """The tools as last listed: at the start, by `refresh`, or when the server said that they had changed."""
        return self._tools

    @property
    def openai_tools(self) -> list[ToolDict]:
        """The tools in the form that OpenAI's chat API and Ollama accept in a request."""
        return self._tools.to_openai()

    def tool(self, name: str | None = None, **options: Unpack[ToolOptions]) -> Callable[[Function], Function]:
        """`MCPServer.tool`: a decorator that makes a function a tool of the server of this process.

        Args:
            name: the tool's name; None: that of the function.
            options: further arguments of `MCPServer.tool`: `description`, `annotations`, …

        Raises:
            UsageError: the server is not an `MCPServer` in this process, so no tools can be added to it.
        """
        decorate = self._own().tool(name, **options)

        def decorator(function: Function) -> Function:
            decorate(function)
            self._tools = self._listed_here()
            return function

        return decorator

    def add_tool(self, function: Callable[..., Any], name: str | None = None, **options: Unpack[ToolOptions]) -> None:
        """`MCPServer.add_tool`. Raises a `UsageError` as `tool` does.

        Args:
            function: the tool.
            name, options: as for `tool`.
        """
        self._own().add_tool(function, name, **options)
        self._tools = self._listed_here()

    def remove_tool(self, name: str) -> None:
        """`MCPServer.remove_tool`. Raises a `UsageError` as `tool` does, and what mcp raises for an unknown name."""
        self._own().remove_tool(name)
        self._tools = self._listed_here()

    async def refresh(self) -> ToolSet:
        """List the tools again.

        Returns:
            The tools, as `tools` has them from now on.

        Raises:
            McpServerError: the server did not list its tools.
        """
        client = self._connected()
        found: list[types.Tool] = []
        cursor: str | None = None
        try:
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                found += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
        except Exception as error:
            raise McpServerError(f"the MCP server does not list its tools: {_said(error)}") from error
        self._tools = ToolSet(found)
        return self._tools

    def _own(self) -> MCPServer[Any]:
        if not isinstance(self.server, MCPServer):
            raise UsageError(f"tools can only be added to an MCPServer in this process, not to server={self.server!r}")
        return self.server

    def _listed_here(self) -> ToolSet:
        # An MCPServer of this process has nothing to wait for: the tools are known even before the start.
        return ToolSet(at_once(self.server.list_tools())) if isinstance(self.server, MCPServer) else ToolSet()

    # -- the connection ------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Connect, and list the tools. Does nothing if connected. After `stop`, or if the server died, it reconnects.

        Raises:
            McpServerError: the server cannot be reached or does not speak MCP; see its `__cause__`.
        """
        async with self._starting:
            if self._keeper is not None and not self._keeper.done():
                if not self._stopping:
                    return
                await asyncio.wait({self._keeper})
            await self._connect()

    async def _connect(self) -> None:
        self._stopping, self._failure, self._wake = False, None, asyncio.Event()
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._keeper = keeper = asyncio.create_task(self._keep(ready), name="toolglean: MCP client")
        try:
            await ready
        except BaseException:
            keeper.cancel()
            await asyncio.wait({keeper})
            raise

    async def stop(self) -> None:
        """Disconnect; a program that was started for it ends. Calls in progress get an error result.

        Does nothing if not connected. Does not raise if the server has died, or does not close.
        """
        keeper = self._keeper
        if keeper is None:
            return
        self._stopping = True
        self._wake.set()
        try:
            await asyncio.wait({keeper}, timeout=STOP_SECONDS)
        finally:
            keeper.cancel()  # does nothing if it has ended
            if self._keeper is keeper:
                self._keeper = None

    async def _keep(self, ready: asyncio.Future[None]) -> None:
        # The client's cancel scopes are entered and left in this task.
        try:
            async with Client(self.server, message_handler=self._heard, **self._options) as client:
                self._client = client
                await self.refresh()
                watcher = asyncio.create_task(self._watch(client))
                try:
                    if not ready.done():
                        ready.set_result(None)
                    await self._serve()
                finally:
                    watcher.cancel()
                    await asyncio.wait({watcher})
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - reported to the start, or in the log
            self._ended(error, ready)
        finally:
            self._client = None
            ready.cancel()  # does nothing if the start has succeeded or failed

    def _ended(self, error: BaseException, ready: asyncio.Future[None]) -> None:
        self._failure = error
        if not ready.done():
            found = McpServerError(f"server={self.server!r} cannot be reached: {_said(error)}")
            found.__cause__ = error
            ready.set_exception(found)
        else:
            log.warning("the connection to the MCP server ended: %s", _said(error))

    async def _serve(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._stopping:
                return
            try:
                await self.refresh()
            except McpServerError as error:  # the old list stays; the next call reports the error
                log.warning("%s", error)

    async def _heard(self, message: Any) -> None:
        # This runs in the reading task of the client, so a request to the server must not be awaited here.
        if isinstance(message, types.ToolListChangedNotification):
            self._wake.set()
        if self._handler is not None:
            await self._handler(message)

    async def _watch(self, client: Client) -> None:
        # Since protocol 2026-07-28 the server only tells those who listen that its tools have changed.
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._wake.set()
        except Exception as error:  # noqa: BLE001 - there is still `refresh`
            log.debug("the MCP server does not announce changes of its tools: %s", _said(error))

    def _connected(self) -> Client:
        if self._client is not None:
            return self._client
        if self._failure is not None:
            raise McpServerError(f"the connection to the MCP server ended: {_said(self._failure)}") from self._failure
        raise UsageError("the MCP server has not been started: use it in 'async with', or call start()")

    # -- the calls -----------------------------------------------------------------------------------------------------

    async def execute_tool(
        self,
        name: str,
        input: Any,  # noqa: A002 - the name in the neutral format
        *,
        tool_use_id: str = "",
        progress: Progress | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - passed to the client, which tells the server
    ) -> ToolResultContent:
        """Call a tool.

        Args:
            name: the tool.
            input: its arguments: a mapping, or the JSON text of an object. Strings become what the tool's schema asks
                for (`toolglean.conversation.coerce_arguments`).
            tool_use_id: the call's id, which the result repeats.
            progress: called with the progress, if the tool reports it.
            timeout: seconds to wait for the server; None: the constructor's limit.

        Returns:
            The tool's result: its blocks (text, images, resources) as they were sent, and its structured content. With
            `is_error`, the message of the tool, the server or the connection: the tool failed or refused the arguments,
            it does not exist, the answer took too long, the server is gone. `error.code` tells these apart.

        Raises:
            UsageError: it has not been started.
        """
        arguments = read_arguments(input)
        if arguments is None:
            said = f"the arguments of tool {name!r} are not a JSON object"
            return ToolResultContent.failed(tool_use_id, "bad_arguments", said)
        try:
            client = self._connected()
            tool = self._tools.get(name) or (await self.refresh()).get(name)
            if tool is None:
                return ToolResultContent.failed(tool_use_id, "unknown_tool", unknown_tool_text(name, self._tools.names))
            fitting = coerce_arguments(arguments, tool.parameters)
            found = await self._while_connected(client.call_tool(name, fitting, timeout, _reporting(progress)))
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - the mcp package raises many kinds of errors; the model is told about each
            code = _CODES.get(error.code, "tool_failed") if isinstance(error, MCPError) else "tool_failed"
            return ToolResultContent.failed(tool_use_id, code, f"tool {name!r} returned no result: {_said(error)}")
        own = ToolResultContent.like(found)
        return replace(own, tool_use_id=tool_use_id, structured_content=found.structured_content)

    async def _while_connected(self, calling: Coroutine[Any, Any, Answer]) -> Answer:
        # The call is a separate task: if the connection ends first, the caller is told. A tool of this process runs in
        # that task, so what it does to its own task does not affect the caller's.
        keeper, call = self._keeper, asyncio.create_task(calling)
        try:
            await asyncio.wait({call} if keeper is None else {call, keeper}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not call.done():
                call.cancel()
                call.add_done_callback(_look_away)
                await asyncio.wait({call}, timeout=LET_GO_SECONDS)  # a tool of this process may ignore its cancellation
        if not call.done() or call.cancelled():
            raise McpServerError(
                "the connection to the MCP server ended" if keeper is None or keeper.done() else "cancelled"
            )
        return call.result()


def _look_away(call: asyncio.Task[Any]) -> None:
    if not call.cancelled():
        call.exception()  # otherwise asyncio warns that it was never retrieved


def _reporting(told: Progress | None) -> ProgressFnT | None:
    if told is None:
        return None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        await settled(told(progress, total, message))

    return report


_CODES: dict[int, ErrorCode] = {types.REQUEST_TIMEOUT: "timeout", types.INVALID_PARAMS: "bad_arguments"}


def _said(error: BaseException) -> str:
    # A task group wraps an error in a group, or in several: the innermost one is what happened.
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) if isinstance(error, MCPError | ToolgleanError) else error_text(error)
