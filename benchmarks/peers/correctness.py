# Which cases a peer is given, and how the kit's results are counted: by group of cases, and by
# the way in which the text arrived.
# Does not depend on how a peer reads.
"""Correctness, through the conformance kit."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.names import Peer
from toolglean.kit.conformance import Case, ParserTarget, Result, load_cases, run
from toolglean.kit.conformance.cuts import BY_PIECES, FEW, ONE_CHUNK, RANDOM, WHOLE

__all__ = ["GROUPS", "WAYS", "claimed", "examine", "group_of"]

GROUPS = {
    "plain turns": {"clean", "after_prose", "multi", "typed", "nested", "long", "trailing", "fenced"},
    "markup in values": {"markup in a value"},
    "prose, mentions, reasoning": {"prose", "mention", "in_thinking"},
    "cut off": {"truncated"},
    "damaged, or of another family": set[str](),
}
"""What a case is, by its kind; the last are all others."""

WAYS = {
    "whole": WHOLE,
    "token by token": BY_PIECES,
    "1 to 6 tokens": FEW,
    "random cuts": RANDOM,
    "in one chunk": ONE_CHUNK,
}
RARE = (RANDOM, ONE_CHUNK)
"""Chunks of half a turn are rare in servers: these ways have columns, and do not count in the verdict."""

RANDOM_CUTS = 2


def group_of(case: Case) -> str:
    """The group of a case."""
    return next((name for name, kinds in GROUPS.items() if case.kind in kinds), list(GROUPS)[-1])


def reasons(case: Case) -> bool:
    """Whether reasoning matters to a case: some servers read it with another parser, which is chosen by the model."""
    return case.start == "reasoning" or case.reasoning is not None or "think>" in case.text


def examine(peer: Peer) -> list[dict[str, Any]]:
    """What the kit finds, a row for each case that the peer claims."""
    rows = []
    cases = load_cases()
    for about in (False, True):
        chosen = [case for case in cases if reasons(case) is about]
        with ParserTarget(peer.target(reasons=about), python=peer.python, timeout=30) as target:
            report = run(target, chosen, random_cuts=RANDOM_CUTS)
        rows += [_row(result) for result in report.results if result.verdict != "skipped"]
    return rows


def _row(result: Result) -> dict[str, Any]:
    ways = {name: way for name, way in WAYS.items() if any(tried.startswith(way) for tried in result.ways)}
    bad = {
        name
        for name, way in ways.items()
        for finding in result.findings
        if finding.verdict != "cuts" and any(tried.startswith(way) for tried in finding.ways)
    }
    counted = [each for each in result.findings if not all(way.startswith(RARE) for way in each.ways)]
    return {
        "id": result.case.id,
        "group": group_of(result.case),
        "format": result.case.format,
        "verdict": counted[0].verdict if counted else "right",
        "ways": {name: name not in bad for name in ways},
        "findings": [(each.verdict, each.detail, each.ways) for each in result.findings],
    }


def claimed(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows without those of spellings that the peer cannot mean, and what was left out.

    A format may be spelled in several ways, of which a peer may claim one. Where it reads not one of the turns that
    were generated, or that a template wrote, for a format, even whole, it most likely claims another spelling.
    """
    spellings: dict[str, list[bool]] = {}
    for row in rows:
        spellings.setdefault(_spelling(row), []).append(row["ways"].get("whole", False))
    unread = sorted(name for name, right in spellings.items() if name and not any(right))
    return [row for row in rows if _spelling(row) not in unread], unread


def _spelling(row: dict[str, Any]) -> str:
    source, _, rest = row["id"].partition("/")
    return f"{source}/{rest.partition('/')[0]}" if source in {"formats", "templates"} else ""
