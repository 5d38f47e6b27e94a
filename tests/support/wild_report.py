# How verdicts on wild turns are counted and shown.
# Does not depend on how they come about (tests/support/wild.py).
"""`python -m tests.support.wild_report [--show]`: what we make of turns as models really wrote them, by kind, in four ways."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from tests.support.wild import FILES, WAYS, Answer, delivered, judge, needs_no_attention, wild_rows

FAULTS = ("unsafe", "invented", "lost")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _faults(answer: Answer) -> str:
    faults = [f"unsafe: {call}" for call in answer.unsafe] + [f"invented: {call}" for call in answer.invented]
    return "; ".join([*faults, *([f"lost: {answer.lost}"] if answer.lost else [])]) or "wrong"


def _report(rows: list[dict[str, Any]], *, show: bool) -> Counter[str]:
    # Print each row that is not right, and the table. Returns how many rows have something unsafe, invented or lost.
    table: dict[str, Counter[str]] = {}
    totals: Counter[str] = Counter()
    for row in rows:
        faults: set[str] = set()
        for way in WAYS:
            answer = judge(row, way)
            if answer is None:
                continue
            counts = table.setdefault(row["kind"], Counter())
            counts[way] += 1
            counts[f"{way} right"] += answer.right
            counts["judged"] += way == "auto"
            counts["calm"] += way == "auto" and needs_no_attention(answer)
            faults |= {name for name in FAULTS if getattr(answer, name)}
            if not answer.right or any(getattr(answer, name) for name in FAULTS):
                _print(f"{row['id']:9} {row['kind']:14} {way:9} {_faults(answer)}")
                if show:
                    _print(f"    {row['text']!r}\n    {answer.detail}")
        totals.update(faults)
    _print("\n" + f"{'kind':16}" + "".join(f"{way:>12}" for way in WAYS) + f"{'no attention':>16}")
    for kind, counts in [*sorted(table.items()), ("sum", sum(table.values(), Counter()))]:
        cells = [f"{counts[f'{way} right']}/{counts[way]}" for way in WAYS]
        _print(f"{kind:16}" + "".join(f"{cell:>12}" for cell in cells) + f"{counts['calm']:>12}/{counts['judged']}")
    _print("rows with something " + ", ".join(f"{name}: {totals[name]}" for name in FAULTS) + "\n")
    return totals


def main() -> int:
    """Print a table for each collection, and each row that is not right.

    Returns 1 if a row has something unsafe, invented or lost, else 0.
    """
    options = argparse.ArgumentParser(prog="python -m tests.support.wild_report", description=__doc__)
    options.add_argument("--show", action="store_true", help="the text and the events of what is wrong too")
    options.add_argument("--only", default="", help="rows whose name begins so")
    chosen = options.parse_args()
    found: Counter[str] = Counter()
    for name in FILES:
        _print(name)
        found += _report([row for row in wild_rows(name) if row["id"].startswith(chosen.only)], show=chosen.show)
        if not chosen.only:
            counts = {way: delivered(name, way) for way in WAYS if way != "no tools"}
            _print(
                "calls delivered of those meant: " + ", ".join(f"{way} {a} of {b}" for way, (a, b) in counts.items())
            )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
