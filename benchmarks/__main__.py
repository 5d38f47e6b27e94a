# The table, and its heading: a number without its baseline, commit and Python version means nothing. Does not depend on
# what is measured (measures.py).
"""`python -m benchmarks [--smoke] [--json]`: one table."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measures import FULL, SMOKE, Row, all_rows
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


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures toolglean against its goals.")
    parser.add_argument("--smoke", action="store_true", help="short: to see that everything runs, not to compare")
    parser.add_argument("--json", action="store_true", help="one JSON object per row, after one with the heading")
    args = parser.parse_args()
    rows = all_rows(SMOKE if args.smoke else FULL)
    if args.json:
        print(json.dumps({"heading": heading(), "smoke": args.smoke}))
        for row in rows:
            print(json.dumps(asdict(row) | {"met": row.met}), flush=True)
    else:
        print(heading() + (" (smoke: too short to compare)" if args.smoke else ""))
        print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
