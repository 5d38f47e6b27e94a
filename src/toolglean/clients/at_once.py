# How one source serves the plain and the asynchronous form of a function: it is written asynchronously, and awaits what
# a client returns, which may also be the result itself. If it is, nothing in it waits, so a plain function can run it
# to its end. Does not depend on what is done.
#
#   in the source                              what the client has returned
#   await settled(client.chat(…))              a result, or something to await
#   async for chunk in steps_of(stream)        an iterable, or an asynchronous one
"""Asynchronous functions that a plain function can run, if their client is a plain one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncGenerator, AsyncIterable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

from toolglean.conversation.runner import aclose

__all__ = ["at_once", "plainly", "settled", "steps_of"]

Found = TypeVar("Found")


async def settled(found: Any) -> Any:
    """What was found, awaited if it must be."""
    return await found if inspect.isawaitable(found) else found


async def steps_of(stream: Iterable[Any] | AsyncIterable[Any]) -> AsyncGenerator[Any]:
    """The steps of a stream of either kind, which is closed at the end, whatever ends it."""
    try:
        if isinstance(stream, AsyncIterable):
            async for step in stream:
                yield step
        else:
            for step in stream:
                yield step
    finally:
        await aclose(stream)


def at_once(work: Coroutine[Any, Any, Found]) -> Found:
    """Run it to its end, here and now.

    Raises:
        RuntimeError: it waits for something, because its client is an asynchronous one.
    """
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)  # a running loop would close our generators when it ends
    try:
        work.send(None)
    except StopIteration as end:
        found: Found = end.value
        return found
    finally:
        sys.set_asyncgen_hooks(*hooks)
    work.close()
    raise RuntimeError("a plain function cannot wait for an asynchronous client")


def plainly(steps: AsyncGenerator[Found]) -> Generator[Found]:
    """The steps one by one, each run to its end as by `at_once`. Closing this closes them."""
    ended: Any = object()
    try:
        while (step := at_once(_next(steps, ended))) is not ended:
            yield step
    finally:
        at_once(_closed(steps))


async def _next(steps: AsyncGenerator[Found], ended: Found) -> Found:
    return await anext(steps, ended)


async def _closed(steps: AsyncGenerator[Any]) -> None:
    await steps.aclose()
