# The proxy's counters, in Prometheus' text format. Does not depend on HTTP, or on when something is counted.
"""Counters in Prometheus' text format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from toolglean.clients.turn.text import Counts

__all__ = ["Metrics"]

MOST = 200
"""Label values of one counter. Reasons never contain text of a model, but memory must not depend on that."""


class Metrics:
    """What the proxy has done so far.

    Attributes:
        requests: how many requests came, by API.
        open: how many are not answered yet.
        upstream_errors: how often the upstream did not answer, or disconnected.
        left: how often a caller disconnected before the end.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.open = 0
        self.upstream_errors = 0
        self.left = 0

    def begin(self, api: str) -> None:
        """A request came."""
        self.requests[api] += 1
        self.open += 1

    def end(self) -> None:
        """It was answered, or given up."""
        self.open -= 1

    def text(self, counts: Counts) -> str:
        """All counters.

        Args:
            counts: what was found in the answers.
        """
        return "".join(
            (
                _counter("toolglean_requests_total", "Requests, by API.", self.requests, "api"),
                _plain("toolglean_open_requests", "gauge", "Requests that are not answered yet.", self.open),
                _plain(
                    "toolglean_leaked_calls_total", "counter", "Calls moved from text to their place.", counts.calls
                ),
                _counter("toolglean_repairs_total", "Repairs made in those calls.", counts.repairs, "repair"),
                _counter("toolglean_problems_total", "What could not be accepted as written.", counts.problems, "code"),
                _plain(
                    "toolglean_upstream_errors_total",
                    "counter",
                    "The upstream did not answer, or disconnected.",
                    self.upstream_errors,
                ),
                _plain("toolglean_callers_left_total", "counter", "Callers that disconnected early.", self.left),
            )
        )


def _plain(name: str, kind: str, told: str, value: int) -> str:
    return f"# HELP {name} {told}\n# TYPE {name} {kind}\n{name} {value}\n"


def _counter(name: str, told: str, values: Mapping[str, int], label: str) -> str:
    # A request may come in meanwhile, so copy the values first.
    rows = sorted(dict(values).items(), key=lambda each: (-each[1], each[0]))
    shown = [*rows[:MOST], *([("other", sum(count for _, count in rows[MOST:]))] if len(rows) > MOST else [])]
    lines = "".join(f'{name}{{{label}="{_escaped(value)}"}} {count}\n' for value, count in shown)
    return f"# HELP {name} {told}\n# TYPE {name} counter\n{lines}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
