# What the proxy costs in its own process, with sockets: latency, processor, memory. Does not depend on how it works.
#
#   python -m benchmarks.proxy_streams [--streams 25,50,100,500] [--rate 100] [--seconds 10] [--workers 1] [--smoke]
#
# One process (this one) is the server after the proxy and all of its callers: it writes one event of each stream every
# 1/rate seconds, and reads what comes back. The proxies are `toolglean proxy`. So an event has one clock, and the load
# takes one core: on a machine with two, more than one worker competes with it.
#
# Where not all events are written in time, this process is at its end, and the latency is its own.
#
# Latency is the time from writing an event to reading it; for a call, from the event that completes it to the call.
# "added" is that through the proxy less that of the same load without it.
"""Many streams through the proxy: latency that it adds, streams of one core, memory."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.proxy import (
    CHUNK,
    MARKDOWN,
    PROSE,
    REQUEST,
    SSE,
    chunked,
    event,
    leak,
    memory_of,
    process_of,
    processor_of,
)
from toolglean import __version__

__all__ = ["TEXTS", "main", "measured"]

PATIENCE = 60.0
CALL = b'"name":"look"'
TEXTS = {"prose": PROSE, "Markdown": MARKDOWN, "calls": leak("hermes")}
"""What a stream repeats."""


def parts_of(text: str) -> list[bytes]:
    """The events of a text, of `CHUNK` characters each, with the size before each of them."""
    return [chunked(event(content=text[begin : begin + CHUNK])) for begin in range(0, len(text), CHUNK)]


@dataclass(slots=True)
class Stream:
    """One stream, seen from both of its ends.

    Attributes:
        place: the event that is written next.
        out: where it is written.
        sent: when the events, or the calls, were written that have not come back yet.
    """

    place: int = 0
    out: asyncio.Transport | None = None
    sent: deque[float] = field(default_factory=deque)


class Load:
    """All streams.

    Args:
        text: what each stream repeats.
        rate: events of a stream in a second.
        repaired: whether the answers are repaired, so that calls come back as calls.
    """

    def __init__(self, text: str, rate: float, *, repaired: bool) -> None:
        self.parts = parts_of(text)
        end = text.find("\n</tool_call>")  # a call is complete with its last bracket
        self.awaits, self.timed = b"\n\n", set(range(len(self.parts)))
        if end >= 0 and repaired:
            self.awaits, self.timed = CALL, {(end - 1) // CHUNK}
        self.rate = rate
        self.streams: dict[int, Stream] = {}
        self.late: list[float] = []
        self.counts = False

    async def begin(self) -> None:
        """Wait until each stream can be written: processes that were just started need a while."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and any(stream.out is None for stream in self.streams.values()):  # noqa: ASYNC110  # a benchmark may look
            await asyncio.sleep(0.05)

    async def write(self, end: float) -> float:
        """Write events until `end`; the share of them that was written in time."""
        written = turn = 0
        begin = time.monotonic()
        while time.monotonic() < end:
            for number, stream in self.streams.items():
                if stream.out is None or stream.out.is_closing() or number % 10 != turn % 10:
                    continue
                if stream.place in self.timed:
                    stream.sent.append(time.monotonic())
                stream.out.write(self.parts[stream.place])
                stream.place = (stream.place + 1) % len(self.parts)
                written += 1
            turn += 1
            await asyncio.sleep(max(0.0, begin + turn / self.rate / 10 - time.monotonic()))
        due = int((end - begin) * self.rate * len(self.streams))
        return written / max(due, 1)

    def came(self, number: int, count: int) -> None:
        """That many events, or calls, of a stream have come back."""
        now = time.monotonic()
        sent = self.streams[number].sent
        for _ in range(min(count, len(sent))):
            took = now - sent.popleft()
            if self.counts:
                self.late.append(took)


class Upstream(asyncio.Protocol):
    """Answers a request with a stream, whose number is its path."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._out: asyncio.Transport = transport  # type: ignore[assignment]  # a stream's

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, parted, _ = self._data.partition(b"\r\n\r\n")
        if parted:
            self._out.write(SSE)
            self._load.streams[int(head.split(b"/")[1])].out = self._out
            self._data = b""


class Caller(asyncio.Protocol):
    """Sends one request, and reads its stream."""

    def __init__(self, load: Load, number: int) -> None:
        self._load, self._number = load, number
        self._left = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        body = json.dumps(REQUEST).encode()
        head = f"POST /{self._number}/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        transport.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        awaited = self._load.awaits
        data = self._left + data
        self._load.came(self._number, data.count(awaited))
        end = data.rfind(awaited)
        self._left = data[max(end + len(awaited) if end >= 0 else 0, len(data) - len(awaited) + 1) :]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run showed: seconds of latency, the share of events written in time, processor seconds a second, MiB."""

    p50: float
    p99: float
    in_time: float
    processor: float
    memory: float


async def measured(text: str, streams: int, rate: float, seconds: float, workers: int) -> Figures:
    """Run that many streams through that many processes; 0: without a proxy."""
    load = Load(text, rate, repaired=workers > 0)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Upstream(load), "127.0.0.1", 0, backlog=1024)
    upstream = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    with contextlib.ExitStack() as stack:
        pids: list[int] = []
        url = upstream
        if workers:
            more = ("--workers", str(workers)) if workers > 1 else ()
            command = ("toolglean", "proxy", "--upstream", upstream, "--port", "0", *more)
            process, url = stack.enter_context(process_of("stderr", *command))
        port = urlsplit(url).port or 0
        callers = []
        for number in range(streams):
            load.streams[number] = Stream()
            callers.append((await loop.create_connection(lambda n=number: Caller(load, n), "127.0.0.1", port))[0])  # type: ignore[misc]
        await load.begin()
        if workers:
            pids = [process.pid, *_children(process.pid)]
        await load.write(time.monotonic() + min(2.0, seconds / 2))
        load.counts, before, begin = True, sum(map(processor_of, pids)), time.monotonic()
        in_time = await load.write(begin + seconds)
        load.counts = False
        used = (sum(map(processor_of, pids)) - before) / (time.monotonic() - begin)
        memory = sum(map(memory_of, pids))
        for caller in callers:
            caller.close()
        server.close()
        await asyncio.sleep(0.1)  # they are closed by the loop, which the end of the process would block
    late = sorted(load.late) or [float("nan")]
    return Figures(late[len(late) // 2], late[int(len(late) * 0.99)], in_time, used, memory)


def _children(pid: int) -> Iterator[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        for task in tasks:
            yield from map(int, (task / "children").read_text(encoding="utf-8").split())
    except OSError:  # another system
        return


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--streams", default="25,50,100,500", help="how many at once, separated by commas")
    parser.add_argument("--rate", type=float, default=100, help="events of a stream in a second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--workers", default="1", help="processes of the proxy, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="only to see that it runs")
    args = parser.parse_args()
    if args.smoke:
        args.streams, args.seconds, args.rate = "3", 0.5, 20
    print(
        f"toolglean {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores, {args.rate:g} events/s\n"
    )
    print("| text | streams | workers | added p50, ms | p99 | written in time | cores | streams a core | MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, text in TEXTS.items():
        for streams in map(int, args.streams.split(",")):
            floor = asyncio.run(measured(text, streams, args.rate, min(args.seconds, 3), 0))
            for workers in map(int, args.workers.split(",")):
                own = asyncio.run(measured(text, streams, args.rate, args.seconds, workers))
                added = f"{(own.p50 - floor.p50) * 1e3:.1f} | {(own.p99 - floor.p99) * 1e3:.1f}"
                per_core = streams * own.in_time / own.processor if own.processor else float("nan")
                told = f"{own.in_time:.0%} | {own.processor:.2f} | {per_core:.0f} | {own.memory:.0f}"
                print(f"| {name} | {streams} | {workers} | {added} | {told} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
