# What this file knows: how verdicts on wild turns are counted and shown.
# What it must not know: how they come about (tests/wild.py).
"""`python -m tests.wild_report [--show]`: what we make of turns as models really wrote them, by kind, in four ways."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.wild import WAYS, Answer, judge, wild_rows


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _faults(answer: Answer) -> str:
    faults = [f"unsafe: {call}" for call in answer.unsafe] + [f"invented: {call}" for call in answer.invented]
    return "; ".join([*faults, *([f"lost: {answer.lost}"] if answer.lost else [])]) or "wrong"


def main() -> None:
    """Print the table, and each row that is not right."""
    options = argparse.ArgumentParser(prog="python -m tests.wild_report", description=__doc__)
    options.add_argument("--show", action="store_true", help="the text and the events of what is wrong too")
    options.add_argument("--only", help="rows whose name begins so")
    chosen = options.parse_args()
    table: dict[str, Counter[str]] = {}
    totals: Counter[str] = Counter()
    for row in wild_rows():
        if chosen.only and not row["id"].startswith(chosen.only):
            continue
        for way in WAYS:
            answer = judge(row, way)
            if answer is None:
                continue
            counts = table.setdefault(row["kind"], Counter())
            counts[way] += 1
            counts[f"{way} right"] += answer.right
            totals.update(unsafe=bool(answer.unsafe), invented=bool(answer.invented), lost=bool(answer.lost))
            if not answer.right or answer.unsafe or answer.invented or answer.lost:
                _print(f"{row['id']:9} {row['kind']:14} {way:9} {_faults(answer)}")
                if chosen.show:
                    _print(f"    {row['text']!r}\n    {answer.detail}")
    _print("\n" + f"{'kind':16}" + "".join(f"{way:>12}" for way in WAYS))
    for kind, counts in [*sorted(table.items()), ("sum", sum(table.values(), Counter()))]:
        cells = [f"{counts[f'{way} right']}/{counts[way]}" for way in WAYS]
        _print(f"{kind:16}" + "".join(f"{cell:>12}" for cell in cells))
    _print(f"rows with something unsafe: {totals['unsafe']}, invented: {totals['invented']}, lost: {totals['lost']}")


if __name__ == "__main__":
    main()
