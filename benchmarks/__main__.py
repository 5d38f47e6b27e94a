# The table, and its heading: a number without its baseline, commit and Python version means nothing. Does not depend on
# what is measured (measures.py).
#
#   python -m benchmarks --only "small calls" --only fork     those groups alone
#   python -m benchmarks --against ../before/src              two trees in turn: before, after, goal
"""`python -m benchmarks [--smoke] [--only GROUP] [--against SRC] [--json]`: one table."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.against import Pair, compared, markdown
from benchmarks.measures import MEASURES
from benchmarks.timing import FULL, SMOKE, Effort, Measure, Row, Stopwatch, rows_of, told
from toolglean import __version__

ROOT = Path(__file__).parent.parent


def commit() -> str:
    """The commit that is measured, with "+" where files differ from it; "unknown" outside a checkout."""
    try:
        git = ["git", "-C", str(ROOT)]
        name = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, encoding="utf-8"
        )
        changes = subprocess.run(
            [*git, "status", "--porcelain", "src"], capture_output=True, text=True, check=True, encoding="utf-8"
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name.stdout.strip() + ("+" if changes.stdout.strip() else "")


def heading() -> str:
    """What the figures are of."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = f"{platform.system()} {platform.machine()}"
    day = datetime.now(UTC).date().isoformat()
    return f"toolglean {__version__}, commit {commit()}, {python}, {machine}, {day}; best of interleaved rounds"


def print_table(rows: Iterable[Row]) -> None:
    """Print each row as soon as it is measured."""
    print(f"\n{'':44}{'figure':>14}{'x baseline':>12}{'goal':>8}")
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            print(group)
        figure = f"{row.value:,.2f} {row.unit}" if row.value < 100 else f"{row.value:,.0f} {row.unit}"
        floors = "" if row.floors is None else f"{row.floors:,.1f}"
        goal = "" if row.goal is None else f"{row.goal:g}"
        verdict = {None: "", True: "  met", False: "  missed"}[row.met]
        print(f"  {row.name:42}{figure:>14}{floors:>12}{goal:>8}{verdict}".rstrip(), flush=True)


def chosen(only: Sequence[str]) -> list[tuple[int, Measure]]:
    """The measures whose group has one of those texts in it, with their numbers; all if there are no texts."""
    found = [
        (number, each)
        for number, each in enumerate(MEASURES)
        if not only or any(word.casefold() in each.group.casefold() for word in only)
    ]
    if not found:
        groups = ", ".join(dict.fromkeys(each.group for each in MEASURES))
        raise SystemExit(f"--only {' '.join(only)} is in the name of no group. The groups are: {groups}")
    return found


def rows(measures: Iterable[Measure], effort: Effort) -> Iterator[Row]:
    """The rows of each, as soon as it is measured."""
    for measure in measures:
        watch = Stopwatch(measure, effort)
        best: dict[str, float] = {}
        for _ in range(measure.rounds_of(effort)):
            for name, found in watch.round().items():
                best[name] = min(found, best.get(name, found))
        yield from rows_of(measure.group, [told(work) for work in watch.works.values()], measure.quotients, best)


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures toolglean against its goals.")
    parser.add_argument("--smoke", action="store_true", help="short: to see that everything runs, not to compare")
    parser.add_argument("--only", action="append", default=[], metavar="GROUP", help="groups with that in their name")
    parser.add_argument("--against", type=Path, metavar="SRC", help="measure the toolglean in that folder in turn, too")
    parser.add_argument("--json", action="store_true", help="one JSON object per row, after one with the heading")
    args = parser.parse_args()
    effort, measures = SMOKE if args.smoke else FULL, chosen(args.only)
    if args.against is not None:
        _print_pairs(compared(args.against, measures, effort), args)
    elif args.json:
        print(json.dumps({"heading": heading(), "smoke": args.smoke}))
        for row in rows((each for _, each in measures), effort):
            print(json.dumps(asdict(row) | {"met": row.met}), flush=True)
    else:
        print(heading() + _length(args))
        print_table(rows((each for _, each in measures), effort))
    return 0


def _length(args: argparse.Namespace) -> str:
    return " (smoke: too short to compare)" if args.smoke else ""


def _print_pairs(pairs: Iterable[Pair], args: argparse.Namespace) -> None:
    title = f"{heading()}{_length(args)}; before: {args.against}"
    if args.json:
        print(json.dumps({"heading": title, "smoke": args.smoke}))
        for pair in pairs:
            sides = {"before": pair.before, "after": pair.after}
            print(json.dumps({side: row and asdict(row) | {"met": row.met} for side, row in sides.items()}), flush=True)
        return
    print(title + "\n")
    for line in markdown(pairs):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
