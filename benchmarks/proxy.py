# What the proxy costs, and what it does while many callers read and when things go wrong.
# Does not depend on how it does it.
#
#   python -m benchmarks.proxy [--streams 200] [--seconds 60] [--smoke]
#
# The proxy is the command `toolglean proxy`, in a process of its own; so is the server after it (--upstream), which
# streams leaked calls without end and misbehaves on request.
"""The proxy: cuts of bytes, cost a chunk, many streams at once, faults."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import platform
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.face import faced
from toolglean import ToolSet, __version__, render
from toolglean.clients.repair import Repair

__all__ = ["FAMILIES", "cost", "cuts", "events", "main"]

FAMILIES: tuple[str, ...] = (
    *("hermes", "qwen3-coder", "glm-4.5", "mistral-v3", "mistral-v13"),
    *("llama3-json", "pythonic", "deepseek-v3", "gemma-4", "harmony"),
)
BARE = frozenset({"llama3-json", "pythonic"})
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}},
    }
]
CHUNK = 4
PROSE = "The quick brown fox jumps over the lazy dog, and Grüße to 😀. "

MARKDOWN = """\
## The plan

First, look at *what* is there: `ls -l` shows **three** files, see [the list](https://example.org/a_b).

1. Read `main.py`, and note what `run()` returns.
2. Write a test (it must fail):

```python
def test_sum() -> None:
    assert total([1, 2], start=3) == 6
```

| file | lines |
|---|---|
| `main.py` | 120 |

> It is "done" once all tests pass.

"""
RATE = 100
"""Tokens of a stream in a second."""
EVENTS = 20_000
"""Of a stream whose cost is measured."""


def event(**delta: Any) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def events(text: str) -> list[bytes]:
    """The events of a whole stream."""
    pieces = [event(content=text[begin : begin + CHUNK]) for begin in range(0, len(text), CHUNK)]
    return [*pieces, event(), b"data: [DONE]\n\n"]


def leak(family: str) -> str:
    """A turn with a call in that family's form."""
    before = "" if family in BARE else PROSE
    return render(family, [("look", {"at": 'Tromsø "<N>" 😀'})], content=before, tools=ToolSet(TOOLS))


def reader(**options: Any) -> Any:
    """What repairs a stream."""
    request = json.dumps({"model": "m", "tools": TOOLS, "stream": True}).encode()
    exchange = Repair(**faced(**options, id_prefix="p")).exchange("POST", "/v1/chat/completions", request)
    assert exchange is not None
    return exchange.reader(200, "text/event-stream")


def cuts(each: int) -> list[tuple[str, int, int]]:
    """(family, random cuts of its stream, different answers) of each family."""
    rng = random.Random(1)
    found = []
    for family in FAMILIES:
        data = b"".join(events(leak(family)))
        answers = set()
        for _ in range(each):
            places = sorted(rng.choices(range(len(data)), k=rng.randint(1, 200)))
            reading = reader()
            parts = [reading.feed(data[begin:end]) for begin, end in zip([0, *places], [*places, None], strict=True)]
            answers.add(b"".join([*parts, reading.finish()]))
        assert b"tool_calls" in next(iter(answers))
        found.append((family, each, len(answers)))
    return found


def cost(chunks: int) -> list[tuple[str, float, float]]:
    """(work, µs a chunk, µs a chunk for reading its JSON alone), each the best of five."""
    texts = {
        "prose": PROSE * (chunks * CHUNK // len(PROSE)),
        "Markdown": MARKDOWN * (chunks * CHUNK // len(MARKDOWN) + 1),
        "arguments": render("hermes", [("look", {"at": "lorem ipsum " * (chunks * CHUNK // 12)})]),
    }
    works = [(name, text, options) for name, text in texts.items() for options in ({"format": "hermes"}, {})]
    return [
        (f"{name}, {options.get('format', 'auto')}", *_timed(events(text), options)) for name, text, options in works
    ]


def _timed(parts: list[bytes], options: dict[str, Any]) -> tuple[float, float]:
    whole, floor = [], []
    for _ in range(5):
        reading, begin = reader(**options), time.process_time()
        for part in parts:
            reading.feed(part)
        reading.finish()
        whole.append(time.process_time() - begin)
        begin = time.process_time()
        for part in parts[:-1]:
            json.loads(part[6:])
        floor.append(time.process_time() - begin)
    return min(whole) / len(parts) * 1e6, min(floor) / len(parts) * 1e6


# -- the server after the proxy ----------------------------------------------------------------------------------------


class _Upstream:
    """Answers by the first part of the path."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._left: Counter[str] = Counter()  # connections that were left, by that part

    async def serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, backlog=1024)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

    async def _answer(self, asked: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        head = (await asked.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head.lower())
        await asked.readexactly(int(length[1]) if length else 0)
        what = head.split()[1].split("/")[1]
        try:
            if what == "load":
                await self._load(out)
            elif what in {"hangs", "endless"}:
                await self._endless(what, asked, out)
            else:
                out.write(_answered(what, self._left))
                await out.drain()
            out.close()
        except ConnectionError:
            self._left[what] += 1

    async def _load(self, out: asyncio.StreamWriter) -> None:
        out.write(SSE)
        end = time.monotonic() + self._seconds
        parts = events(leak("hermes"))
        while time.monotonic() < end:
            for part in parts[:-2]:
                out.write(chunked(part))
                await out.drain()
                await asyncio.sleep(0.05)
        out.write(chunked(*parts[-2:]) + b"0\r\n\r\n")
        await out.drain()

    async def _endless(self, what: str, asked: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        gone = asyncio.create_task(asked.read(1))
        out.write(SSE if what == "endless" else b"")
        while not gone.done():
            out.write(chunked(event(content="Hello, ")) if what == "endless" else b"")
            await asyncio.wait([gone], timeout=0.01)
        raise ConnectionResetError


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


def _head(status: str, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more, "", ""]
    return "\r\n".join(lines).encode()


SSE = _head("200 OK", "text/event-stream", "Transfer-Encoding: chunked")


def _answered(what: str, left: Counter[str]) -> bytes:
    stream = events(leak("hermes"))
    if what == "dies":
        return SSE + chunked(*stream[:20])
    kind, data, status = "application/json", b'{"error": {"message": "no"}}', "200 OK"
    more: list[str] = []
    if what == "gzip":
        kind, data, more = "text/event-stream", gzip.compress(b"".join(stream)), ["Content-Encoding: gzip"]
    elif what == "html":
        kind, data = "text/html", b"<html>Sign in</html>"
    elif what == "left":
        data = json.dumps(left).encode()
    else:
        status = {"401": "401 Unauthorized", "500": "500 Internal Server Error"}[what]
    return _head(status, kind, f"Content-Length: {len(data)}", *more) + data


# -- both, in processes of their own -----------------------------------------------------------------------------------


@contextmanager
def process_of(stream: str, *command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    pipes: dict[str, Any] = {stream: subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-m", *command], text=True, **pipes) as process:
        try:
            line = getattr(process, stream).readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert found, line
            yield process, found[0]
        finally:
            process.terminate()


@asynccontextmanager
async def _both(seconds: float) -> AsyncIterator[tuple[int, str, httpx.AsyncClient]]:
    own = ("benchmarks.proxy", "--upstream", "--seconds", str(seconds))
    with process_of("stdout", *own) as (_, upstream):
        command = ("toolglean", "proxy", "--upstream", upstream, "--port", "0")
        limits = httpx.Limits(max_connections=None)
        with process_of("stderr", *command) as (process, proxy):
            async with httpx.AsyncClient(timeout=None, limits=limits, trust_env=False) as client:  # noqa: S113
                yield process.pid, proxy, client


REQUEST: dict[str, Any] = {"model": "m", "messages": [], "tools": TOOLS, "stream": True}


async def _load(streams: int, seconds: float) -> None:
    async with _both(seconds) as (pid, proxy, client):
        read: Counter[str] = Counter()

        async def one() -> None:
            async with client.stream("POST", f"{proxy}/load/chat/completions", json=REQUEST) as stream:
                async for line in stream.aiter_lines():
                    read["events"] += line.startswith("data: ")
                    read["calls"] += '"name":"look"' in line
                    read["leaks"] += "<tool_call>" in line
                    read["ends"] += line == "data: [DONE]"

        begin = time.monotonic()
        tasks = [asyncio.create_task(one()) for _ in range(streams)]
        print("| seconds | events | calls | MiB of the proxy | its processor seconds |\n|---|---|---|---|---|")
        step = max(seconds / 6, 0.5)
        while not all(task.done() for task in tasks):
            await asyncio.wait(tasks, timeout=step)
            told = f"{time.monotonic() - begin:.0f} | {read['events']} | {read['calls']} | {memory_of(pid):.1f}"
            print(f"| {told} | {processor_of(pid):.1f} |", flush=True)
        await asyncio.gather(*tasks)
        print(f"\n{streams} streams: {read['ends']} ended in order, {read['leaks']} leaked markers were seen")
        said = (await client.get(f"{proxy}/metrics")).text
        print("\n".join(line for line in said.splitlines() if not line.startswith("#")))


def memory_of(pid: int) -> float:
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    except OSError:  # another system
        return float("nan")
    return int(found[1]) / 1024 if found else float("nan")


def processor_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / 100


async def _faults() -> None:
    print("| upstream | what the caller sees |\n|---|---|")
    async with _both(1) as (_, proxy, client):
        for what in ("401", "500", "html", "gzip", "dies"):
            print(f"| {what} | {await _seen(client, f'{proxy}/{what}/chat/completions')} |", flush=True)
        for what in ("hangs", "endless"):
            path = f"{proxy}/{what}/chat/completions"
            try:
                async with asyncio.timeout(1), client.stream("POST", path, json=REQUEST) as stream:
                    async for _ in stream.aiter_bytes():
                        continue
            except TimeoutError:
                pass
            left = 0
            for _ in range(100):
                left = (await client.get(f"{proxy}/left/models")).json().get(what, 0)
                if left:
                    break
                await asyncio.sleep(0.05)
            print(f"| {what}, and the caller leaves | nothing; connections that the upstream saw closed: {left} |")
    async with httpx.AsyncClient(trust_env=False) as client:
        command = ("toolglean", "proxy", "--upstream", "http://127.0.0.1:9", "--port", "0")
        with process_of("stderr", *command) as (_, proxy):
            print(f"| is not there | {await _seen(client, f'{proxy}/v1/chat/completions')} |")


async def _seen(client: httpx.AsyncClient, path: str) -> str:
    data = b""
    ended = "ends"
    try:
        async with client.stream("POST", path, json=REQUEST) as stream:
            status = stream.status_code
            async for part in stream.aiter_bytes():
                data += part
    except httpx.HTTPError as error:
        ended = f"breaks ({type(error).__name__})"
    calls = len(re.findall(rb'"name":"look"', data))
    last = data.strip().rpartition(b"\n\n")[2][:110].decode()
    return f"{status}, {len(data)} bytes, {calls} calls, {ended}: `{last}`"


def main() -> int:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--smoke", action="store_true", help="only to see that it runs")
    parser.add_argument("--upstream", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.upstream:
        asyncio.run(_Upstream(args.seconds).serve())
        return 0
    if args.smoke:
        args.streams, args.seconds = 5, 1
    print(f"toolglean {__version__}, Python {platform.python_version()}\n")
    print("| family | random cuts of its bytes | different answers |\n|---|---|---|")
    for family, count, different in cuts(2 if args.smoke else 200):
        print(f"| {family} | {count} | {different} |")
    told = (
        f"| work, chunks of 4 characters | µs a chunk | reading its JSON alone | ratio | streams of {RATE}/s a core |"
    )
    print(f"\n{told}\n|---|---|---|---|---|")
    for work, own, floor in cost(50 if args.smoke else EVENTS):
        print(f"| {work} | {own:.1f} | {floor:.1f} | {own / floor:.1f} | {1e6 / own / RATE:,.0f} |")
    print()
    asyncio.run(_load(args.streams, args.seconds))
    print()
    asyncio.run(_faults())
    return 0


if __name__ == "__main__":
    sys.exit(main())
