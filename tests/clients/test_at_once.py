"""One source for the plain and the asynchronous form of a function."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

import pytest

from toolglean.clients.at_once import at_once, plainly, settled, steps_of


class Source:
    """An iterator that remembers whether it was closed."""

    def __init__(self, error: Exception | None = None) -> None:
        self.closed, self._error = 0, error

    def __iter__(self) -> Iterator[int]:
        yield 1
        if self._error is not None:
            raise self._error
        yield 2

    def close(self) -> None:
        self.closed += 1


async def doubled(source: Any) -> AsyncGenerator[int]:
    async for each in steps_of(source):
        yield each * await settled(2)


class Pause:
    """Something to wait for: one turn of the event loop."""

    def __await__(self) -> Generator[None]:
        yield


async def waited() -> str:
    await settled(Pause())
    return "done"


def test_what_never_waits_runs_here_and_now() -> None:
    async def added() -> Any:
        return await settled(1) + await settled(2)

    assert at_once(added()) == 3


def test_what_waits_is_refused() -> None:
    with pytest.raises(RuntimeError, match="cannot wait"):
        at_once(waited())
    assert asyncio.run(waited()) == "done"


def test_the_steps_of_either_kind_of_stream() -> None:
    async def later() -> list[int]:
        return [each async for each in doubled(doubled(Source()))]

    assert list(plainly(doubled(Source()))) == [2, 4]
    assert asyncio.run(later()) == [4, 8]


def test_an_error_goes_through_and_the_source_is_closed() -> None:
    source = Source(ValueError("odd"))
    steps = plainly(doubled(source))
    assert next(steps) == 2
    with pytest.raises(ValueError, match="odd"):
        next(steps)
    assert source.closed == 1


@pytest.mark.parametrize("in_a_loop", [True, False])
def test_who_leaves_early_closes_the_source(in_a_loop: bool) -> None:
    gc.freeze()  # else all that the tests before have made would be looked through
    dropped, closed = Source(), Source()

    def leave() -> None:
        assert next(plainly(steps_of(dropped))) == 1
        gc.collect()
        steps = plainly(steps_of(closed))
        assert next(steps) == 1
        steps.close()

    async def leave_there() -> None:
        leave()

    if in_a_loop:
        asyncio.run(leave_there())
    else:
        leave()
    assert (dropped.closed, closed.closed) == (1, 1)


def test_steps_that_began_in_an_event_loop_go_on_after_it() -> None:
    """A loop that ends closes the asynchronous generators that it knows: not these, of which nobody awaits any."""

    async def begun() -> Generator[int]:
        steps = plainly(doubled(Source()))
        assert next(steps) == 2
        return steps

    assert list(asyncio.run(begun())) == [4]
