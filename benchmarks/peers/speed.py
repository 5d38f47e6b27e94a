# All timers, in turn: what disturbs the machine disturbs all alike, and of each the best counts.
# Does not depend on how a peer reads.
"""Speed, interleaved."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.names import Peer
from benchmarks.peers.workloads import WORKLOADS
from toolglean._child import ChildError, LineChild

__all__ = ["CONSTRUCTION", "MEMORY", "measure"]

ROOT = Path(__file__).parents[2]
CONSTRUCTION = "construction"
MEMORY = "argument of 100 KB"
"""The workload whose memory is measured."""

ROUNDS = 25
SAMPLE = 0.01
"""Seconds that one turn of a timer should last at least. Many short turns find the undisturbed moments."""

COLD = 1.0
"""Seconds of a first reading up to which there is a second: the first one fills caches, so it does not tell how often a
short turn should be repeated."""

LONGEST = 20.0
"""Seconds that one reading may take: what would take longer is not measured."""

PATIENCE = 300.0


class Timer:
    """A process that times a peer. One that takes too long is ended, and another begun."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self.ready = self._start()

    def _start(self) -> dict[str, Any]:
        python, paths = self._peer.python, [str(ROOT), str(ROOT / "src")]
        assert python is not None
        code = (
            f"import sys; sys.path += [path for path in {paths!r} if path not in sys.path]; "
            "from benchmarks.peers.timer import main; main(*sys.argv[1:])"
        )
        self._child = LineChild([python, "-c", code, self._peer.module, self._peer.reader], cwd=ROOT)
        return self._next("")

    def _next(self, line: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self._child.ask(line, PATIENCE))
        except ChildError as error:
            return {"failed": f"ended after {PATIENCE:g} s" if error.late else "its process died", "dead": True}
        return found

    def ask(self, **asked: Any) -> dict[str, Any]:
        """The answer to a request."""
        found = self._next(json.dumps(asked))
        if "dead" in found:
            self._start()
        return found

    def close(self) -> None:
        """End the process."""
        self._child.close()


def measure(peers: Sequence[Peer], *, rounds: int = ROUNDS) -> dict[str, dict[str, Any]]:
    """By peer: the best seconds of each workload, or why there are none; import, memory and peak."""
    timers = {peer.name: Timer(peer) for peer in peers}
    rows: dict[str, dict[str, Any]] = {name: {"ready": timer.ready, "works": {}} for name, timer in timers.items()}
    sizes: dict[str, list[float]] = {name: [] for name in timers}
    try:
        for work in (CONSTRUCTION, *(work.name for work in WORKLOADS)):
            _measure(work, timers, rows, sizes, rounds)
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
    sizes: dict[str, list[float]],
    rounds: int,
) -> None:
    sized = work.startswith("argument")
    repeats = {}
    for name, timer in timers.items():
        known = sizes[name] if sized else []
        expected = _expected(known)
        if expected > LONGEST:
            rows[name]["works"][work] = f"not run: it would take {_long(expected)}"
            known.append(expected)
            continue
        first = timer.ask(work=work, repeats=1)
        if first.get("seconds", LONGEST) < COLD:
            first = timer.ask(work=work, repeats=1)
        known.append(first.get("seconds", LONGEST))
        if "seconds" not in first:
            rows[name]["works"][work] = first["failed"]
            continue
        rows[name]["works"][work] = first["seconds"]
        repeats[name] = max(1, int(SAMPLE / max(first["seconds"], 1e-6)))
    for number in range(1, rounds + 1):
        for name, count in repeats.items():
            if rows[name]["works"][work] * count * number > LONGEST / 4:
                continue  # what takes seconds needs fewer turns
            found = timers[name].ask(work=work, repeats=count)
            if "seconds" in found:
                rows[name]["works"][work] = min(rows[name]["works"][work], found["seconds"])


def _long(seconds: float) -> str:
    hours = seconds / 3600
    return f"at least {hours:,.0f} hours" if hours >= 2 else f"at least {seconds:,.0f} s"


def _expected(known: list[float]) -> float:
    # What ten times the text will take: as the last two show, or else ten times as long.
    if not known:
        return 0.0
    return known[-1] * (max(known[-1] / known[-2], 10.0) if len(known) > 1 else 10.0)
