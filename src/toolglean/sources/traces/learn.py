# From turns to a format: what most turns agree on is learnt, proven on all of them, and compared with known formats.
# Does not depend on how turns are read, or on how a declaration is found.
#
#   given.py        what is learnt from
#   agreement.py    the largest set of turns that agree; what is wrong with the others
#   candidates.py   the declarations that may explain some turns, and the best of them
#   sites.py        the names of tools, the anchors
#   bodies.py       how a call carries its name and arguments; pairs.py: arguments as keys and values
#   frames.py       the text around calls; talk.py: reasoning, and the end of a turn; texts.py: what texts share
#   proof.py        the proof; safety.py: what is never learnt
#   refusals.py     why nothing was learnt; report.py: evidence and losses
"""Learns a format from turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from toolglean.errors import FormatError, UsageError, shown
from toolglean.formats.origin import Origin
from toolglean.formats.spec import Format, literals_of
from toolglean.sources.templates.infer.recognise import plausible_in, share_in
from toolglean.sources.traces.agreement import Agreement, Search
from toolglean.sources.traces.given import FEWEST, Given, given
from toolglean.sources.traces.proof import between_calls, fault_of, prove, reading_of
from toolglean.sources.traces.refusals import refusal, too_few, two_ways
from toolglean.sources.traces.report import evidence_of, left_out_lines, losses_of
from toolglean.sources.traces.sites import sites_in
from toolglean.tools import ToolLike, ToolSet

__all__ = ["Learnt", "learn"]

MOST_FOLDS = 12
"""How many times the format is learnt again, without some of the turns."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """A format that was learnt from turns.

    Attributes:
        format: the format.
        recognised: the name of the known format that it is; None if it was learnt.
        evidence: how many turns support each part, one line each.
        losses: what the turns do not show, or what cannot be written, one line each.
        left_out: what does not fit in each turn that does not agree with the others, by the number of the turn, counted
            from 0.
    """

    format: Format
    recognised: str | None
    evidence: tuple[str, ...]
    losses: tuple[str, ...]
    left_out: tuple[tuple[int, str], ...] = ()


def learn(
    turns: Iterable[str],
    tools: Iterable[ToolLike] | ToolSet,
    *,
    name: str = "learnt",
    answers: Iterable[Iterable[Any]] | None = None,
) -> Learnt:
    """Learn a format from turns: see `Format.from_turns`."""
    if not isinstance(name, str) or not name.strip():  # type: ignore[redundant-expr]  # users have no mypy
        raise UsageError(f"name={shown(name)} is not a name: pass a text, under which the format is declared")
    known = given(turns, tools, answers)
    search = Search(name, known)
    best = search.best()
    if best is not None and best.called < len(best.faults):
        best = None  # not what most turns agree on
    recognised = _recognised(known, best)
    if recognised is not None:
        return recognised
    if best is None:
        raise refusal(known.only(search.few(range(len(known.turns)))), search.failures)
    if best.called < (FEWEST if best.faults else 2):
        raise two_ways(known, best.faults) or too_few(known, best.called)
    best = _with_separator(best, known)
    proof = prove(best.candidate.declared, known.only(best.fitting(known)))
    if proof.fault:
        raise refusal(known, [*search.failures, best.failure(proof, known)])
    again = _left_out(search, best, known)
    left_out = tuple(sorted(best.faults.items()))
    losses = (*left_out_lines(left_out), *losses_of(best.candidate.declared, proof, known, best.fitting(known), again))
    origin = Origin(reason=f"learnt from {_count(known, left_out)}: {best.candidate.shape.kind}", losses=losses)
    declared = replace(best.candidate.declared, origin=origin)
    return Learnt(declared, None, evidence_of(best, proof, known, again), losses, left_out)


def _with_separator(best: Agreement, known: Given) -> Agreement:
    # If none of the turns that it was learnt from has two calls, another one may show what is between them.
    found = best.candidate
    if found.frame.several:
        return best
    closer = found.frame.closer.strip()  # a call's span may end before it
    between = set().union(*(between_calls(found.declared, known, number) for number in best.fitting(known)))
    shown = {text[text.index(closer) + len(closer) :] if closer in text else text for text in between}
    if len(shown) != 1 or (separator := shown.pop()).strip():
        return best
    declared, frame = replace(found.declared, separator=separator), replace(found.frame, separator=separator)
    return replace(best, candidate=replace(found, declared=declared, frame=frame))


def _count(known: Given, left_out: tuple[tuple[int, str], ...]) -> str:
    total = len(known.turns)
    return f"{total - len(left_out)} of {total} turns" if left_out else f"{total} turns"


def _recognised(given: Given, learnt: Agreement | None) -> Learnt | None:
    """The known format that reads no fewer calls than what was learnt; None if there is none."""
    text = "\n".join(given.turns)
    named = [number for number, row in enumerate(sites_in(given)) if row]
    most = len(given.turns) // 2 if learnt is None else len(learnt.faults)
    fewest = 1 if learnt is None else learnt.calls

    def share(declared: Format) -> float:
        return share_in(text, literals_of(declared.call, *declared.section))

    for declared in sorted(plausible_in(text), key=share, reverse=True):
        wrong = ((number, fault_of(declared, given, number)) for number in range(len(given.turns)))
        faults = dict(islice(((number, fault) for number, fault in wrong if fault), most + 1))
        if len(faults) > most:
            continue
        kept = tuple(number for number in range(len(given.turns)) if number not in faults)
        counts = tuple(len(reading_of(declared, given, number).calls) for number in kept)
        silent = [number for number, count in zip(kept, counts, strict=True) if number in named and not count]
        if sum(counts) < fewest or (given.answers is None and silent):
            continue  # a name that it leaves in the text may be a call
        proof = prove(declared, given.only(kept))
        if not proof.fault:
            unwritten = (f"turn {kept[number] + 1}: it cannot be written: {why}" for number, why in proof.unwritten)
            return _known_format(declared, given, sum(counts), tuple(sorted(faults.items())), unwritten)
    return None


def _known_format(
    declared: Format, given: Given, calls: int, left_out: tuple[tuple[int, str], ...], unwritten: Iterable[str]
) -> Learnt:
    which = _count(given, left_out) if left_out else f"all {len(given.turns)} turns"
    reason = f"the known format {declared.name!r} reads {which}"
    losses = (*left_out_lines(left_out), *unwritten)
    origin = Origin(reason=reason, losses=losses)
    evidence = (f"{reason}, with {calls} calls",)
    return Learnt(replace(declared, origin=origin), declared.name, evidence, losses, left_out)


def _left_out(search: Search, best: Agreement, known: Given) -> tuple[int, ...]:
    """The turns that are read differently with what all others show.

    Raises:
        FormatError: most of them are.
    """
    fitting = best.fitting(known)
    kept = sorted(best.kept.intersection(fitting))
    folds = [kept[start::MOST_FOLDS] for start in range(min(len(kept), MOST_FOLDS))]
    differing: list[int] = []
    for fold in folds:
        rest = [number for number in kept if number not in fold]
        others = search.few(number for number in fitting if number not in best.kept)
        for more in ((), others) if others else ((),):
            again = search.learn([*rest, *more]) if rest or more else None
            wrong = [each for each in fold if again is None or not _same(again, best, known, each)]
            if not wrong:
                break
        differing += wrong
    count = len(kept)
    if len(differing) > count - max(2, count // 3):
        raise FormatError(
            f"no format can be learnt from these turns: {len(differing)} of {count} would be read differently if they "
            "were not among them, so they have too little in common; pass more turns"
        )
    return tuple(sorted(differing))


def _same(one: Agreement, other: Agreement, known: Given, number: int) -> bool:
    return reading_of(one.candidate.declared, known, number) == reading_of(other.candidate.declared, known, number)
