# What this file knows: how a function is run as a tool, here or in an event loop, and what can go wrong.
# Does not depend on how the call was written, or on the form of its result.
#
# A plain function that is run in an event loop gets a thread of its own, not one of `asyncio.to_thread`: a few
# functions that hang would fill that pool, and keep `asyncio.run` from returning.
"""Runs functions as tools: plain and asynchronous ones, with a time limit, and with every error caught."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolglean.errors import UsageError

__all__ = ["Call", "Outcome", "aclose", "arun", "error_text", "is_async", "loop_here", "run", "run_within"]
__all__ += ["unknown_tool_text"]

Call: TypeAlias = Callable[[], Any]
"""A function with its arguments, such as a `functools.partial`."""

LOOP_IS_RUNNING = "an asynchronous tool was called from within a running loop: use acall"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool returned or raised.

    Attributes:
        value: the value; None if there is an error.
        error: the exception; None if there is none.
    """

    value: Any = None
    error: BaseException | None = None

    def result(self) -> Any:
        """Return the value, or raise the error: a `StopIteration` as `RuntimeError`, as no coroutine can raise it."""
        if isinstance(self.error, StopIteration):
            raise RuntimeError(f"StopIteration: {self.error}") from self.error  # noqa: TRY004
        if self.error is not None:
            raise self.error
        return self.value


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a function, a partial, or an object with `__call__` is asynchronous."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def run(call: Call) -> Outcome:
    """Run a tool in this thread; an asynchronous one in a new event loop.

    Raises:
        UsageError: the tool is asynchronous, and a loop is running in this thread. The tool was not run.
    """
    loop_is_running = loop_here() is not None
    if loop_is_running and is_async(call):
        raise UsageError(LOOP_IS_RUNNING)
    try:
        value = call()
        if not inspect.isawaitable(value):
            return Outcome(value)
        if loop_is_running:
            getattr(value, "close", lambda: None)()
            return Outcome(error=UsageError(LOOP_IS_RUNNING))
        return Outcome(asyncio.run(_awaited(value)))
    except Exception as error:  # noqa: BLE001  # whatever a tool raises is its outcome
        return Outcome(error=error)


async def arun(call: Call) -> Outcome:
    """Run a tool in this event loop; a plain function in a thread of its own.

    The thread blocks no other tool, and does not keep the program from ending. An exception that is not an `Exception`
    (`KeyboardInterrupt`, say) is raised.
    """
    try:
        found = Outcome(call()) if is_async(call) else await _in_thread(call)
        return Outcome(await found.value) if inspect.isawaitable(found.value) else found
    except Exception as error:  # noqa: BLE001  # whatever a tool raises is its outcome
        return Outcome(error=error)


async def run_within(seconds: float | None, work: Callable[[], Awaitable[Any]]) -> Outcome | None:
    """Run `work` in a task of its own, so that the time limit applies even if it ignores its cancellation.

    Args:
        seconds: the limit; None: no limit.
        work: a function without arguments. What it raises before it first waits is caught too.

    Returns:
        The outcome; None if the time was up: the task has been cancelled and abandoned. A tool that wants to end the
        program has failed, as has one that cancels itself.

    Raises:
        asyncio.CancelledError: the caller was cancelled; so was the task.
    """
    task = asyncio.create_task(_caught(work))
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not task.done():
            task.cancel()
    if not task.done():
        return None
    return Outcome(error=asyncio.CancelledError()) if task.cancelled() else task.result()


def error_text(error: BaseException) -> str:
    """The type and the message of any exception, even of one whose `__str__` raises."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # the exception's own `__str__`
        text = ""
    return f"{type(error).__name__}: {text}".removesuffix(": ")


def unknown_tool_text(name: str, known: Iterable[str]) -> str:
    """The message for a call to an unknown tool."""
    return f"Tool {name!r} not found. The tools are: {', '.join(known) or 'none'}"


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


async def _caught(work: Callable[[], Awaitable[Any]]) -> Outcome:
    try:
        return Outcome(await work())
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a tool raises is its outcome
        return Outcome(error=error)


def loop_here() -> asyncio.AbstractEventLoop | None:
    """The event loop that is running in this thread; None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def aclose(stream: Any) -> None:
    """Close an asynchronous stream, if it can be closed: a client's has `close`, a generator `aclose`."""
    found = getattr(stream, "aclose", None) or getattr(stream, "close", None)
    done = found() if callable(found) else None
    if inspect.isawaitable(done):
        await done


async def _in_thread(call: Call) -> Outcome:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outcome] = loop.create_future()
    context = contextvars.copy_context()

    def run_there() -> None:
        try:
            found = Outcome(context.run(call))
        except BaseException as error:  # noqa: BLE001  # it is raised again in the loop's thread
            found = Outcome(error=error)
        with contextlib.suppress(RuntimeError):  # the loop has been closed, so nobody is waiting
            loop.call_soon_threadsafe(_settle, future, found)

    threading.Thread(target=run_there, name="toolglean-tool", daemon=True).start()
    found = await future
    if found.error is not None and not isinstance(found.error, Exception):
        raise found.error
    return found


def _settle(future: asyncio.Future[Outcome], found: Outcome) -> None:
    if not future.done():  # otherwise its time was up
        future.set_result(found)
