# How each context is read, what is a breach, and how the table is printed. Does not depend on what the contexts are
# (context_places.py, context_forms.py), nor on how a format writes a call (context_calls.py).
#
# A cell is one context with the call as one format writes it, read in one way. Each is read whole; every eighth one is
# also read character by character, which must give the same.
"""`python -m fuzz.contexts [--format NAME] [--auto-only] [--out FILE]`: where does a call of a dangerous tool run?"""

from __future__ import annotations

import argparse
import re
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzz.context_calls import TOOLS, Context, Written, all_written
from fuzz.context_forms import FORMS
from fuzz.context_places import PLACES
from toolglean import CallEnd, Parser, Problem

__all__ = ["AUTO", "CONTEXTS", "WAYS", "Cell", "Reading", "cells", "fault", "main"]

CONTEXTS: tuple[Context, ...] = (*PLACES, *FORMS)
AUTO = "auto"
NAME = "by name"
WAYS = (AUTO, NAME)
HARMLESS = "note"
SAMPLE = 8


@dataclass(frozen=True)
class Reading:
    """What ran, with the tools' names and whether they are known; and whether there was a `Problem`."""

    ran: tuple[tuple[str, bool, Mapping[str, Any]], ...]
    problem: bool


@dataclass(frozen=True)
class Cell:
    """One context, as one format writes the call, read in one way.

    Attributes:
        context: the context.
        format: the name of the format.
        way: `auto` or `by name`.
        text: the turn.
        ran: whether a call of a dangerous tool ran. Unknown tools do not run.
        fault: what is wrong with that; empty where nothing is.
    """

    context: Context
    format: str
    way: str
    text: str
    ran: bool
    fault: str


def cells(
    contexts: Iterable[Context] | None = None, written: Iterable[Written] | None = None, ways: Iterable[str] = WAYS
) -> Iterator[Cell]:
    """Read each context, with the call of each format, in each way. Those that make no sense are left out."""
    for context in CONTEXTS if contexts is None else contexts:
        for each in all_written() if written is None else written:
            text = context.turn(each)
            for way in () if text is None else ways:
                if text is not None and not (way == AUTO and _named_only(context, each)):
                    yield _cell(context, each, way, text)


def _named_only(context: Context, written: Written) -> bool:
    return context.named_only or (written.escaped and context.says == "runs")


def _cell(context: Context, written: Written, way: str, text: str) -> Cell:
    name = AUTO if way == AUTO else written.format.name
    found = _read(name, text)
    wrong = fault(context, found)
    if not wrong and zlib.crc32(f"{name}{text}".encode()) % SAMPLE == 0 and _by_characters(name, text) != found:
        wrong = "differs by characters"
    ran = any(known and name != HARMLESS for name, known, _ in found.ran)
    return Cell(context, written.format.name, way, text, ran, wrong)


def fault(context: Context, found: Reading) -> str:
    """What is wrong with a reading, according to the rules for the context; "" if nothing is."""
    ran = [(name, known, arguments) for name, known, arguments in found.ran if name != HARMLESS]
    calls = [(name, arguments) for name, _, arguments in ran]
    right = calls == [(name, dict(arguments)) for name, arguments in context.calls]
    if context.says in {"runs", "either"}:
        if not calls:
            return "must run, and did not" if context.says == "runs" else ""
        silent = context.said and not found.problem
        return "other arguments or calls" if not right else "ran without a Problem" if silent else ""
    if any(known for _, known, _ in ran):
        return "must not run, and ran"
    return "an unknown call" if calls and context.says == "content" else ""


@lru_cache(maxsize=1 << 16)
def _read(name: str, text: str) -> Reading:
    return _reading(Parser(TOOLS, format=name), [text])


def _by_characters(name: str, text: str) -> Reading:
    return _reading(Parser(TOOLS, format=name), text)


def _reading(parser: Parser, chunks: Iterable[str]) -> Reading:
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
    ended = [event.call for event in events if isinstance(event, CallEnd) and event.call.status == "ok"]
    return Reading(
        tuple((call.name, bool(call.known), call.arguments) for call in ended),
        any(isinstance(event, Problem) for event in events),
    )


# -- the table ---------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """What became of one context in one way: how many cells, how many ran, and by its fault, which formats."""

    count: int = 0
    ran: int = 0
    faults: dict[str, list[str]] = field(default_factory=dict)

    def add(self, cell: Cell) -> None:
        """Count a cell."""
        self.count += 1
        self.ran += cell.ran
        if cell.fault:
            self.faults.setdefault(cell.fault, []).append(cell.format)

    @property
    def breaches(self) -> int:
        """How many cells are wrong."""
        return sum(map(len, self.faults.values()))


_LINE = re.compile(r"(.+?) {2,}(?:runs|content|malformed|unknown|either) +(\S+) +(\S+)")
_WIDTH = max(len(context.name) for context in CONTEXTS) + 2


def earlier(text: str) -> dict[str, str]:
    """What an earlier table says of each context: how many ran by `auto`, and by name."""
    return {found[1]: f"{found[2]:>9}{found[3]:>9}" for found in map(_LINE.match, text.splitlines()) if found}


def table(
    found: Iterable[Cell], formats: int, *, show: bool = False, before: Mapping[str, str] | None = None
) -> tuple[list[str], int]:
    """The lines of the table, and how many breaches there are.

    Args:
        found: the cells.
        formats: how many formats were read.
        show: for each context, say also why it is decided so, and which formats are wrong.
        before: what an earlier table says, printed beside.
    """
    rows: dict[str, dict[str, Row]] = {context.name: {way: Row() for way in WAYS} for context in CONTEXTS}
    for cell in found:
        rows[cell.context.name][cell.way].add(cell)
    beside = f"{'auto':>9}{'by name':>9}"
    head = f"{'context':{_WIDTH}}{'rule':10}{beside}{'skipped':>9}{'breaches':>10}"
    lines = [head + (f"  before: {beside}" if before else "")]
    for context in CONTEXTS:
        ways = rows[context.name]
        breaches = sum(row.breaches for row in ways.values())
        shown = "".join(f"{f'{row.ran}/{row.count}' if row.count else '-':>9}" for row in ways.values())
        skipped = formats - max(row.count for row in ways.values())
        line = f"{context.name:{_WIDTH}}{context.says:10}{shown}{skipped:>9}{breaches or '':>10}"
        lines.append((line + f"{'':10}{before.get(context.name, '')}" if before else line).rstrip())
        if show:
            lines += [f"    {context.why}"]
            lines += [
                f"    {way}: {kind} ({len(names)}): {', '.join(names)}"
                for way, row in ways.items()
                for kind, names in row.faults.items()
            ]
    return [*lines, "", *_sums(rows)], sum(row.breaches for ways in rows.values() for row in ways.values())


def _sums(rows: Mapping[str, Mapping[str, Row]]) -> list[str]:
    lines = []
    for way in WAYS:
        every = [ways[way] for ways in rows.values()]
        kinds: dict[str, int] = {}
        for row in every:
            for kind, names in row.faults.items():
                kinds[kind] = kinds.get(kind, 0) + len(names)
        said = ", ".join(f"{kind}: {count:,}" for kind, count in sorted(kinds.items())) or "no breach"
        lines.append(f"{way}: {sum(row.count for row in every):,} cells; {said}")
    return lines


def main() -> int:
    """Print the table. Returns 1 if a call ran that must not, or did not run although it must, else 0."""
    options = argparse.ArgumentParser(prog="python -m fuzz.contexts", description=__doc__)
    options.add_argument("--format", help="one format; default: all of them")
    options.add_argument("--auto-only", action="store_true", help="do not read by the formats' own names")
    options.add_argument("--show", action="store_true", help="for each context also why, and which formats are wrong")
    options.add_argument("--before", type=Path, help="an earlier table, whose figures are printed beside")
    options.add_argument("--out", type=Path, help="a file to which the table is written too")
    chosen = options.parse_args()
    begin = time.perf_counter()
    written = [each for each in all_written() if chosen.format in {None, each.format.name}]
    found = cells(written=written, ways=(AUTO,) if chosen.auto_only else WAYS)
    before = earlier(chosen.before.read_text(encoding="utf-8")) if chosen.before else None
    lines, breaches = table(found, len(written), show=chosen.show, before=before)
    lines.append(
        f"{len(CONTEXTS)} contexts, {len(written)} formats: {breaches:,} breaches ({time.perf_counter() - begin:.0f} s)"
    )
    text = "".join(f"{line}\n" for line in lines)
    sys.stdout.write(text)
    if chosen.out is not None:
        chosen.out.write_text(text, encoding="utf-8")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
