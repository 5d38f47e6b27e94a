# What this file knows: all timers, in turn: what disturbs the machine disturbs all alike, and of each the best counts.
# What it must not know: how a peer reads.
"""Speed, interleaved."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.names import Peer
from benchmarks.peers.workloads import WORKLOADS

__all__ = ["CONSTRUCTION", "MEMORY", "measure"]

ROOT = Path(__file__).parents[2]
CONSTRUCTION = "construction"
MEMORY = "argument of 100 KB"
"""The workload whose memory is measured."""

ROUNDS = 5
SAMPLE = 0.05
"""Seconds that one turn of a timer should last at least."""

LONGEST = 20.0
"""Seconds that one reading may take: what would take longer is not measured."""

PATIENCE = 240.0
READERS = {
    "toolglean auto": "auto_reader",
    "vLLM without a parser": "bare_reader",
    "partial-json-parser": "partial_reader",
}
"""What reads, where it is not `reader`."""


class Timer:
    """A process that times a peer."""

    def __init__(self, peer: Peer) -> None:
        python = peer.python
        assert python is not None
        paths = [str(ROOT), str(ROOT / "src")]
        code = (
            f"import sys; sys.path += [path for path in {paths!r} if path not in sys.path]; "
            "from benchmarks.peers.timer import main; main(*sys.argv[1:])"
        )
        self._process = subprocess.Popen(
            [python, "-c", code, peer.module, READERS.get(peer.name, "reader")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._pump, daemon=True).start()
        self.ready = self._next(600)
        self.slow: set[str] = set()

    def _pump(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self._process.kill()
            return {"failed": f"longer than {seconds:g} s"}
        found: dict[str, Any] = json.loads(line) if line else {"failed": "its process died"}
        return found

    def ask(self, **asked: Any) -> dict[str, Any]:
        """The answer to a request."""
        assert self._process.stdin is not None
        try:
            print(json.dumps(asked), file=self._process.stdin, flush=True)
        except OSError:
            return {"failed": "its process died"}
        return self._next(PATIENCE)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def measure(peers: Sequence[Peer], *, rounds: int = ROUNDS) -> dict[str, dict[str, Any]]:
    """By peer: the best seconds of each workload, or why there are none; import, memory and peak."""
    timers = {peer.name: Timer(peer) for peer in peers}
    rows: dict[str, dict[str, Any]] = {name: {"ready": timer.ready, "works": {}} for name, timer in timers.items()}
    previous: dict[str, float] = {}
    try:
        for work in (CONSTRUCTION, *(work.name for work in WORKLOADS)):
            _measure(work, timers, rows, previous, rounds)
            print(work, {name: row["works"].get(work) for name, row in rows.items()}, file=sys.stderr, flush=True)
        for name, timer in timers.items():
            if isinstance(rows[name]["works"].get(MEMORY), float):
                rows[name]["peak"] = timer.ask(work=MEMORY, memory=True)
    finally:
        for timer in timers.values():
            timer.close()
    return rows


def _measure(
    work: str,
    timers: dict[str, Timer],
    rows: dict[str, dict[str, Any]],
    previous: dict[str, float],
    rounds: int,
) -> None:
    sized = work.startswith("argument")
    repeats = {}
    for name, timer in timers.items():
        before = previous.get(name, 0.0)
        if sized and before * 10 > LONGEST:
            rows[name]["works"][work] = f"not run: a tenth of it took {before:.1f} s"
            previous[name] = before * 10
            continue
        first = timer.ask(work=work, repeats=1)
        if "seconds" not in first:
            rows[name]["works"][work] = first["failed"]
            continue
        rows[name]["works"][work] = first["seconds"]
        repeats[name] = max(1, int(SAMPLE / max(first["seconds"], 1e-6)))
        if sized:
            previous[name] = first["seconds"]
    for _ in range(rounds):
        for name, count in repeats.items():
            if rows[name]["works"][work] * count > LONGEST / 4:
                continue  # once is enough: it is not close
            found = timers[name].ask(work=work, repeats=count)
            if "seconds" in found:
                rows[name]["works"][work] = min(rows[name]["works"][work], found["seconds"])
