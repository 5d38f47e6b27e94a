# The proxy's counters, in Prometheus' text format. Does not depend on HTTP, or on when something is counted.
#
# Several processes may serve one port. Whichever is asked then answers for all of them: each writes its counters into a
# slot of memory that they share (Board) whenever a request begins or ends.
"""Counters in Prometheus' text format."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toolglean.conversation.reading.counts import Counts

__all__ = ["Board", "Metrics"]

MOST = 200
"""Label values of one counter. Reasons never contain text of a model, but memory must not depend on that."""
SLOT = 64 * 1024
"""Bytes of a slot: many times what the counters need."""
SUM = 4
"""Bytes of the checksum of a slot, which is wrong while the slot is written."""
READS = 100


class _Row(NamedTuple):
    """A counter: its name, its type, what it counts, and its label."""

    name: str
    kind: str
    told: str
    label: str = ""


ROWS = {
    "requests": _Row("toolglean_requests_total", "counter", "Requests, by API.", "api"),
    "open": _Row("toolglean_open_requests", "gauge", "Requests that are not answered yet."),
    "refused": _Row("toolglean_refused_requests_total", "counter", "Requests beyond the limit of open ones."),
    "unread": _Row("toolglean_unread_requests_total", "counter", "Requests whose answers are not read.", "reason"),
    "calls": _Row("toolglean_leaked_calls_total", "counter", "Calls moved from text to their place."),
    "repairs": _Row("toolglean_repairs_total", "counter", "Repairs made in those calls.", "repair"),
    "problems": _Row("toolglean_problems_total", "counter", "What could not be accepted as written.", "code"),
    "errors": _Row("toolglean_upstream_errors_total", "counter", "The upstream did not answer, or disconnected."),
    "left": _Row("toolglean_callers_left_total", "counter", "Callers that disconnected early."),
}


class Board:
    """The counters of several processes.

    Args:
        slots: shared memory, `SLOT` bytes for each process.
        own: the number of this process.
    """

    def __init__(self, slots: Sequence[Any], own: int) -> None:
        self._slots = slots
        self.own = own

    def write(self, data: bytes) -> None:
        """The counters of this process."""
        if len(data) <= SLOT - SUM:
            self._slots[self.own][: len(data) + SUM + 1] = zlib.crc32(data).to_bytes(SUM, "big") + data + b"\0"

    def read(self, place: int) -> bytes:
        """The counters of a process; b"" if it has none yet, or died while it wrote them."""
        for _ in range(READS):
            written = bytes(self._slots[place])
            data = written[SUM:].partition(b"\0")[0]
            if zlib.crc32(data).to_bytes(SUM, "big") == written[:SUM]:
                return data
        return b""

    def others(self) -> Iterable[bytes]:
        """The counters of the other processes."""
        return (self.read(place) for place in range(len(self._slots)) if place != self.own)


class Metrics:
    """What the proxy has done so far.

    Args:
        board: where other processes write what they have done; None: there are none.

    Attributes:
        values: the counters by the names of `ROWS`, each by its label; "" for one without a label.
    """

    def __init__(self, board: Board | None = None) -> None:
        self._board = board
        self.values: dict[str, Counter[str]] = {name: Counter() for name in ROWS}
        if board is not None:  # the process before this one may have died
            self._add(board.read(board.own))
            self.values["open"].clear()
            self.publish()

    @property
    def open(self) -> int:
        """How many requests are not answered yet, in this process."""
        return self.values["open"][""]

    def count(self, name: str, by: int = 1, label: str = "") -> None:
        """Count that many more."""
        self.values[name][label] += by

    def found(self, counts: Counts) -> None:
        """What was found in an answer."""
        self.count("calls", counts.calls)
        self.values["repairs"] += counts.repairs
        self.values["problems"] += counts.problems

    def publish(self) -> None:
        """Let the other processes see it."""
        if self._board is not None:
            self._board.write(json.dumps(self.values).encode())

    def text(self) -> str:
        """All counters, those of the other processes included."""
        total = Metrics()
        for values in (json.dumps(self.values).encode(), *(() if self._board is None else self._board.others())):
            total._add(values)
        return "".join(_written(row, total.values[name]) for name, row in ROWS.items())

    def _add(self, data: bytes) -> None:
        for name, values in (json.loads(data) if data else {}).items():
            self.values[name].update(values)


def _written(row: _Row, values: Counter[str]) -> str:
    rows = sorted(values.items(), key=lambda each: (-each[1], each[0]))
    if not row.label:
        shown = [("", values[""])]
    elif len(rows) > MOST:
        shown = [*rows[:MOST], ("other", sum(count for _, count in rows[MOST:]))]
    else:
        shown = rows
    lines = "".join(f"{row.name}{_labelled(row.label, value)} {count}\n" for value, count in shown)
    return f"# HELP {row.name} {row.told}\n# TYPE {row.name} {row.kind}\n{lines}"


def _labelled(label: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{{label}="{escaped}"}}' if label else ""
