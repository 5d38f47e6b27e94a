"""How the proxy sends the body of an answer: in order, joined where the caller is slow, and never much at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

anyio = pytest.importorskip("anyio", reason="needs toolglean[proxy]")
pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
pytest.importorskip("starlette", reason="needs toolglean[proxy]")
pytest.importorskip("httpx", reason="needs toolglean[proxy]")

from toolglean.clients.proxy.body import MOST, Body  # noqa: E402


class Caller:
    """Takes each piece after a while."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.pieces: list[bytes] = []
        self.whole = False

    async def send(self, message: dict[str, Any]) -> None:
        await anyio.sleep(self._seconds)
        self.pieces.append(message["body"])
        self.whole = not message["more_body"]


def sent(seconds: float, write: Callable[[Body], Any], *, last: bytes = b"") -> Caller:
    caller = Caller(seconds)

    async def run() -> None:
        body = Body(caller.send)
        async with anyio.create_task_group() as group:
            group.start_soon(body.send_what_waits)
            await write(body)
            group.cancel_scope.cancel()
        await body.end(last, is_whole=True)

    anyio.run(run)
    return caller


def numbers(count: int, pause: float, size: int = 0) -> Callable[[Body], Any]:
    async def write(body: Body) -> None:
        for number in range(count):
            await body.add(b"%d." % number + b"x" * size)
            await anyio.sleep(pause)

    return write


def test_each_piece_is_sent_at_once_to_a_caller_that_is_not_slow() -> None:
    caller = sent(0, numbers(5, 0.02), last=b"end")
    assert caller.pieces == [b"0.", b"1.", b"2.", b"3.", b"4.", b"end"]
    assert caller.whole


def test_what_comes_meanwhile_is_sent_in_one_piece() -> None:
    caller = sent(0.02, numbers(200, 0), last=b"end")
    assert len(caller.pieces) < 20
    assert b"".join(caller.pieces) == b"".join(b"%d." % number for number in range(200)) + b"end"


def test_no_more_than_a_little_waits_for_a_caller_that_does_not_read() -> None:
    """Of an answer without an end, only so much is in memory."""
    caller = sent(0.002, numbers(100, 0, size=10_000))
    assert b"".join(caller.pieces).count(b".") == 100
    assert max(map(len, caller.pieces)) <= MOST + 10_100
