# What this file knows: the two ways in which libraries provide an asynchronous stream.
# Does not depend on what the steps are.
#
#   async for step in model.astream_chat(…)            the function is an asynchronous generator
#   async for step in await model.astream_chat(…)      it is a coroutine that returns one, as in LlamaIndex
"""Steps of an answer, which can be iterated directly or after an `await`."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Generator
from typing import Any, Generic, Self, TypeVar

from toolglean.conversation.runner import aclose

__all__ = ["AsyncSteps"]

Step_co = TypeVar("Step_co", covariant=True)


class AsyncSteps(AsyncIterator[Step_co], Generic[Step_co]):
    """An asynchronous iterator that may also be awaited: this only returns the iterator itself.

    Nothing is sent before the first step is requested.

    Args:
        steps: the source of the steps, in either way.
    """

    def __init__(self, steps: AsyncIterable[Step_co] | Awaitable[AsyncIterable[Step_co]]) -> None:
        self._steps = steps
        self._iterator: AsyncIterator[Step_co] | None = None

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield  # makes this a generator, which `await` needs

    async def __anext__(self) -> Step_co:
        """The next step. Raises whatever the source raises."""
        if self._iterator is None:
            steps: Any = self._steps
            self._iterator = aiter(await steps if inspect.isawaitable(steps) else steps)
        return await anext(self._iterator)

    async def aclose(self) -> None:
        """Close the source: there are no further steps."""
        await aclose(self._steps if self._iterator is None else self._iterator)
