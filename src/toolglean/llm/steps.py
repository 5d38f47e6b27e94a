# What this file knows: the two customs by which an asynchronous stream is asked for.
# What it must not know: what the steps are.
#
#   async for step in model.astream_chat(…)            the function is an asynchronous generator
#   async for step in await model.astream_chat(…)      it is a coroutine that gives one (LlamaIndex, the seeds)
"""Steps of an answer, to be iterated at once or after an `await`."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Generator
from typing import Any, Generic, Self, TypeVar

from toolglean.clients.streams import aclose

__all__ = ["AsyncSteps"]

Step_co = TypeVar("Step_co", covariant=True)
Step = TypeVar("Step")


class AsyncSteps(AsyncIterator[Step_co], Generic[Step_co]):
    """An asynchronous iterator that may be awaited, which gives the iterator itself and does nothing else.

    Nothing is sent before the first step is asked for.

    Args:
        steps: where they come from, in either custom.
    """

    def __init__(self, steps: AsyncIterable[Step_co] | Awaitable[AsyncIterable[Step_co]]) -> None:
        self._steps = steps
        self._iterator: AsyncIterator[Step_co] | None = None

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield  # what makes it a generator, as `await` needs one

    async def __anext__(self) -> Step_co:
        """The next step. Raises what its source raises."""
        if self._iterator is None:
            steps: Any = self._steps
            self._iterator = aiter(await steps if inspect.isawaitable(steps) else steps)
        return await anext(self._iterator)

    async def aclose(self) -> None:
        """Close the source: no further step comes."""
        await aclose(self._steps if self._iterator is None else self._iterator)

    def map(self, change: Callable[[Step_co], Step]) -> AsyncSteps[Step]:
        """Other steps, made of these one by one."""

        async def changed() -> AsyncIterator[Step]:
            try:
                async for step in self:
                    yield change(step)
            finally:
                await self.aclose()

        return AsyncSteps(changed())
