"""Functions are run here or in an event loop, plain or asynchronous; whatever they raise is their outcome."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

import pytest

from toolglean.conversation.runner import Outcome, arun, is_async, run, run_within
from toolglean.errors import UsageError


def plain(value: int = 1) -> int:
    return value


async def later(value: int = 1) -> int:
    await asyncio.sleep(0)
    return value


def gives_an_awaitable(value: int = 1) -> Any:
    return later(value)


class Later:
    async def __call__(self, value: int = 1) -> int:
        return value


def fails() -> None:
    raise KeyError("x")


def stops() -> None:
    next(iter([]))


WORKING = pytest.mark.parametrize("function", [plain, later, gives_an_awaitable, Later()])


@WORKING
def test_a_value(function: Callable[..., Any]) -> None:
    call = functools.partial(function, value=7)
    assert run(call) == asyncio.run(arun(call)) == Outcome(7)
    assert asyncio.run(run_within(5, lambda: arun(call))) == Outcome(Outcome(7))


@pytest.mark.parametrize("function", [fails, stops])
def test_an_error(function: Callable[..., Any]) -> None:
    for found in (run(function), asyncio.run(arun(function))):
        assert found.value is None
        assert isinstance(found.error, (KeyError, StopIteration))
        with pytest.raises((KeyError, RuntimeError)):
            found.result()


def test_what_is_asynchronous() -> None:
    assert [
        is_async(each) for each in (plain, later, Later(), functools.partial(Later()), functools.partial(plain))
    ] == [False, True, True, True, False]


@pytest.mark.parametrize("function", [later, Later(), gives_an_awaitable])
def test_no_loop_is_started_within_a_loop(function: Callable[..., Any]) -> None:
    async def within() -> Outcome:
        return run(function)

    try:
        found = asyncio.run(within())
    except UsageError as error:
        found = Outcome(error=error)
    assert "use acall" in str(found.error)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_interruptions_are_raised(kind: type[BaseException]) -> None:
    def interrupt() -> None:
        raise kind

    with pytest.raises(kind):
        run(interrupt)
