# The run: each peer that has a Python, through the kit and through the timers; then the page.
# Does not depend on what is compared (names.py, workloads.py), and how the page looks (figures.py).
"""`python -m benchmarks.peers [--only NAME] [--results FILE] [--from FILE]`: docs/explanation/figures.md, its plots."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.__main__ import commit
from benchmarks.growth import measured
from benchmarks.peers.correctness import examine
from benchmarks.peers.figures import write
from benchmarks.peers.names import INSIDE, PEERS, Peer
from benchmarks.peers.speed import measure
from benchmarks.timing import FULL
from toolglean import __version__

PARTS = ("correctness", "speed", "inside", "proxy", "growth")


def heading(peers: list[Peer]) -> dict[str, Any]:
    """What the figures are of."""
    return {
        "toolglean": __version__,
        "commit": commit(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {peer.name: peer.version for peer in peers if peer.version},
    }


def main() -> int:
    """Compare, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="Compares toolglean with its peers."
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="only this peer, beside toolglean; repeatable")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part; repeatable; needs --results")
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="write what was measured as JSON, instead of the page"
    )
    parser.add_argument(
        "--from", dest="source", type=Path, action="append", metavar="FILE", help="write the page from it"
    )
    args = parser.parse_args()
    found: dict[str, Any] = {}
    for path in args.source or ():
        found |= json.loads(path.read_text(encoding="utf-8"))
    if not found:
        found = collected(args.only, args.part or PARTS)
    if args.results is not None:
        args.results.write_text(json.dumps(found, indent=1), encoding="utf-8")
    else:
        write(found)
    return 0


def collected(only: list[str] | None, parts: Sequence[str]) -> dict[str, Any]:
    """All results, as JSON."""
    peers = [each for each in PEERS if each.python is not None and (not only or each.name in {"toolglean", *only})]
    for peer in PEERS:
        if peer.python is None:
            print(f"{peer.name}: left out; {peer.environment} names the Python that has it", file=sys.stderr)
    found: dict[str, Any] = {"heading": heading(peers)}
    if "correctness" in parts:
        found["correctness"] = {}
        for peer in (each for each in peers if each.kit):
            results = examine(peer)
            found["correctness"][peer.name] = results.data
            print(f"{peer.name}: core {results.score('core')}", file=sys.stderr, flush=True)
    if "speed" in parts:
        found["speed"] = measure([peer for peer in peers if peer.reader])
    if "inside" in parts and any(peer.name == "vLLM" for peer in peers):
        found["inside"] = measure(INSIDE)
    if "proxy" in parts:
        from benchmarks.proxy import EVENTS, cost  # noqa: PLC0415  # needs the extra of the proxy

        found["proxy"] = cost(EVENTS)
    if "growth" in parts:
        found["growth"] = {name: asdict(each) for name, each in measured(FULL)}
    return found


if __name__ == "__main__":
    sys.exit(main())
