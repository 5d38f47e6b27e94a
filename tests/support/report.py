# How verdicts are counted and shown.
# Does not depend on how they come about (tests/support/vectors.py).
"""`python -m tests.support.report [origin …] [--format name …] [--show n]`: per origin and format, how many cases we answer right.

Needs `../shared`. With `--show`, the text of that many cases that are not explained, and what differs: for developers, never to
be committed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.support.disagreements import explained
from tests.support.vectors import WIRE, judge, labels, wire_cases

COLUMNS = ("right", "explained", "calls", "content", "reasoning", "cuts", "error")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(prog="python -m tests.support.report", description=__doc__)
    options.add_argument("origins", nargs="*", default=list(WIRE))
    options.add_argument("--format", action="append", default=[])
    options.add_argument("--show", type=int, default=0)
    chosen = options.parse_args()
    shown = 0
    total: Counter[str] = Counter()
    for origin in chosen.origins:
        table: dict[str, Counter[str]] = {}
        for case in wire_cases(origin):
            name = labels().get(case.label)
            if name is None or (chosen.format and case.label not in chosen.format):
                continue
            answer = judge(case, name)
            verdict = answer.verdict
            if verdict not in {"right", "cuts", "error"} and case.id in explained():
                verdict = "explained"
            table.setdefault(case.label, Counter())[verdict] += 1
            if verdict not in {"right", "explained"} and shown < chosen.show:
                shown += 1
                _print(
                    f"\n== {case.id} {case.label} {verdict} start={case.start} prompt={case.prompt[-60:]!r}\n{case.text!r}"
                )
                _print(f"-- {answer.detail[:1500]}\n   {[e for e in answer.events if type(e).__name__ == 'Problem']}")
        _show(origin, table)
        total.update(sum(table.values(), Counter()))
    _print(f"\n{'total':40}" + "".join(f"{total[column]:>10}" for column in COLUMNS))


def _show(origin: str, table: dict[str, Counter[str]]) -> None:
    _print(f"\n{origin:40}" + "".join(f"{column:>10}" for column in COLUMNS))
    for label, counts in sorted(table.items()):
        _print(f"  {label:38}" + "".join(f"{counts[column] or '':>10}" for column in COLUMNS))
    sums = sum(table.values(), Counter())
    _print(f"  {'sum':38}" + "".join(f"{sums[column]:>10}" for column in COLUMNS))


if __name__ == "__main__":
    main()
