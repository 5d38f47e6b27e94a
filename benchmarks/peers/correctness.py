# How the kit is run on a peer, and in which groups its cases are shown.
# Does not depend on how a peer reads, and has no rule of its own: what is right, in which ways the texts are given, and
# which cases a peer claims are what `toolglean conformance --target NAME` says.
"""Correctness, through the conformance kit."""

from __future__ import annotations

from benchmarks.peers.names import Peer
from toolglean.kit.conformance import ParserTarget, Results, results_of, run, shipped_set
from toolglean.kit.conformance.parsers import open_target

__all__ = ["GROUPS", "examine", "group_of"]

GROUPS = {
    "plain turns": {"clean", "after_prose", "multi", "typed", "nested", "long", "trailing", "fenced"},
    "markup in values": {"markup in a value"},
    "prose, mentions, reasoning": {"prose", "mention", "in_thinking"},
    "cut off": {"truncated"},
    "damaged, or of another family": set[str](),
}
"""What a case is, by its kind; the last are all others."""

SECONDS = 30.0
"""For one turn: the machine is busy with other peers."""


def group_of(kind: str) -> str:
    """The group of a kind of cases."""
    return next((name for name, kinds in GROUPS.items() if kind in kinds), list(GROUPS)[-1])


def examine(peer: Peer) -> Results:
    """The kit's results, as `toolglean conformance` would write them."""
    used = shipped_set()
    with opened(peer) as target:
        return results_of(run(target, used.cases), case_set=used)


def opened(peer: Peer) -> ParserTarget:
    """The target of the kit that is this peer."""
    if ":" in peer.kit:
        return ParserTarget(peer.kit, python=peer.python, timeout=SECONDS, label=peer.name, version=peer.version)
    return open_target(peer.kit, python=peer.python, timeout=SECONDS)
