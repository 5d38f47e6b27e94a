# How one peer is timed, in a process of its own, in the Python of that peer.
# Does not depend on the other peers.
#
#   python -m benchmarks.peers.timer MODULE [READER]
#
# It says what its import took, then answers a line of JSON for each line that asks: {"work": name, "repeats": n}.
"""A process that times one peer."""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

CLOCK = time.process_time


def main(module: str, reader: str) -> None:
    """Answer until there are no more lines."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    begin = CLOCK()
    peer = importlib.import_module(f"benchmarks.peers.{module}")
    imported = CLOCK() - begin
    for answer in _answers(peer, reader, imported):
        print(json.dumps(answer), file=answers, flush=True)


def _answers(peer: Any, reader: str, imported: float) -> Iterator[dict[str, Any]]:
    # After the peer: these would otherwise share its import.
    from benchmarks.peers.workloads import TOOL_DICTS, WORKLOADS  # noqa: PLC0415

    yield {"import": imported, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    by_name = {work.name: work for work in WORKLOADS}
    made: dict[str, Callable[[], Any]] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        name = asked["work"]
        try:
            if name not in made:
                work = by_name.get(name)
                if work is None:
                    made[name] = getattr(peer, f"{reader.removesuffix('reader')}maker")("hermes", TOOL_DICTS)
                else:
                    made[name] = getattr(peer, reader)(work.format, TOOL_DICTS, work.chunks(), work.reasons)
            yield _measured(made[name], asked)
        except (NotImplementedError, AttributeError):
            yield {"failed": "does not do this"}
        except Exception as error:  # noqa: BLE001  # a peer that fails is a row of the table
            yield {"failed": f"{type(error).__name__}: {error}"[:200]}


def _measured(read: Callable[[], Any], asked: dict[str, Any]) -> dict[str, Any]:
    if asked.get("memory"):
        tracemalloc.start()
        read()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return {"peak": peak}
    begin = CLOCK()
    for _ in range(asked["repeats"]):
        read()
    return {"seconds": (CLOCK() - begin) / asked["repeats"]}


if __name__ == "__main__":
    main(*sys.argv[1:])
