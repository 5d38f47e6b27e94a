# Which turns agree, and on what. A log has turns that were cut or are broken, and may have turns of two formats. So a
# format is learnt from a few turns, all others are read with it, and those that it cannot read are added, one after
# the other, as long as more turns agree for it. Does not depend on how a format is learnt from the few (candidates.py).
#
# Where the few that are tried first do not agree, others are tried: some with the same text around the tools' names,
# and some by chance, which a seed decides. What most turns agree on is the result; of every other turn it is known
# what does not fit.
"""The largest set of turns that agree."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice, zip_longest

from toolglean.formats.spec import Format
from toolglean.sources.traces.candidates import Candidate, best_of
from toolglean.sources.traces.given import FEWEST, Given
from toolglean.sources.traces.proof import Proof, fault_of, in_quotes, left_over, reading_of
from toolglean.sources.traces.refusals import Failure
from toolglean.sources.traces.safety import is_begun, mentioned
from toolglean.sources.traces.sites import groups, sites_in

__all__ = ["Agreement", "Search"]

FEW = 12
"""How many turns are learnt from at first."""
MANY, CHARACTERS = 40, 30_000
"""If no more turns than that agree, and no more characters, all of them are learnt from."""
SEEDS = 16
"""How many other sets are tried where the first one does not agree, of `SEED` turns with calls each."""
SEED = 4
TRIES = 10
"""How many turns that a format cannot read are added, to see whether more agree."""


@dataclass(frozen=True)
class Agreement:
    """What some turns agree on.

    Attributes:
        candidate: the declaration that reads them.
        kept: the turns that it was learnt from.
        faults: what is wrong with every other turn that does not fit.
        called: how many turns with calls it reads.
        calls: how many calls it reads in them.
    """

    candidate: Candidate
    kept: frozenset[int]
    faults: dict[int, str]
    called: int
    calls: int

    @property
    def score(self) -> tuple[int, int]:
        """How good it is: how many turns with calls it reads, and how many turns do not fit."""
        return self.called, -len(self.faults)

    def fitting(self, given: Given) -> list[int]:
        """The turns that fit."""
        return [number for number in range(len(given.turns)) if number not in self.faults]

    def failure(self, proof: Proof, given: Given) -> Failure:
        """What the proof of it shows to be wrong."""
        turn = self.fitting(given)[proof.turn]
        return Failure(proof.fault, self.candidate.declared, turn, self.calls)


class Search:
    """Looks for what most turns agree on.

    Args:
        name: the name of the format.
        given: all turns.
    """

    def __init__(self, name: str, given: Given) -> None:
        self.failures: list[Failure] = []
        self._name, self._given = name, given
        self._sites = sites_in(given)
        self._tried: dict[frozenset[int], Agreement | None] = {}
        self._every = range(len(given.turns))

    def best(self) -> Agreement | None:
        """What most turns agree on; None if nothing explains even a few of them."""
        found = self._grown(self.learn(self.few(self._every), failures=self.failures))
        if found is None or found.faults:
            rest = [] if found is None else [self.few(number for number in found.faults if self._sites[number])]
            # Of one broken turn alone, what is wrong with it is learnt as if it were of the format.
            seeds = (self.learn(seed) for seed in chain(rest, self._seeds()) if len(seed) >= FEWEST)
            tried = [each for each in seeds if each is not None]
            better = self._grown(max(tried, key=lambda each: each.score, default=None))
            if better is not None and (found is None or better.score > found.score):
                found = better
        return None if found is None else self._settled(found)

    def learn(self, kept: Iterable[int], *, failures: list[Failure] | None = None) -> Agreement | None:
        """What those turns agree on, and who else does."""
        chosen = frozenset(kept)
        if chosen not in self._tried:
            self._tried[chosen] = self._learnt(chosen, [] if failures is None else failures)
        return self._tried[chosen]

    def few(self, numbers: Iterable[int]) -> list[int]:
        """The shortest of those turns, with different tools and with one call and several, and some without a call."""
        by_kind: dict[tuple[frozenset[str], bool], list[int]] = {}
        for number in sorted(numbers, key=lambda each: len(self._given.turns[each])):
            row = self._sites[number]
            by_kind.setdefault((frozenset(site.tool.name for site in row), len(row) > 1), []).append(number)
        plain = by_kind.pop((frozenset(), False), [])
        rounds = (number for column in zip_longest(*by_kind.values()) for number in column if number is not None)
        return [*plain[: FEW // 4], *islice(rounds, FEW)]

    def _learnt(self, kept: frozenset[int], failures: list[Failure]) -> Agreement | None:
        given = self._given
        best = best_of(self._name, given.only(kept), failures)
        if best is None:
            return None
        declared = best.declared
        faults = {number: fault for number in self._every if (fault := fault_of(declared, given, number))}
        faults |= self._quoted(declared, [number for number in self._every if number not in faults])
        readings = [reading_of(declared, given, number) for number in self._every if number not in faults]
        for number in self._every:
            content = reading_of(declared, given, number).content
            fault = mentioned(declared, [content])
            if fault and not is_begun(declared, content, given.tools.names):
                failures.append(Failure(fault, declared, number, sum(best.counts)))
                return None
            if fault:
                faults.setdefault(
                    number, f"{fault.rpartition(', which')[0].replace('text before a call is', 'opener')} is left in it"
                )
        if left_over(readings):
            return None
        called = [len(reading.calls) for reading in readings if reading.calls]
        return Agreement(best, kept, faults, len(called), sum(called))

    def _quoted(self, declared: Format, fitting: list[int]) -> dict[int, str]:
        # Where texts are bare, one between quotes may be what it seems to be, or of another format.
        if self._given.answers is not None:
            return {}
        readings = {number: reading_of(declared, self._given, number) for number in fitting}
        keys = {number: key for number, reading in readings.items() if (key := in_quotes(declared, reading))}
        return {number: f"{key!r} is between quotes, unlike the texts of other turns" for number, key in keys.items()}

    def _grown(self, found: Agreement | None) -> Agreement | None:
        tried: set[int] = set()
        while found is not None and len(tried) < TRIES:
            left = [number for number in found.faults if number not in tried and number not in found.kept]
            if not left:
                break
            number = min(left, key=lambda each: len(self._given.turns[each]))
            tried.add(number)
            more = self.learn((found.kept - found.faults.keys()) | {number})
            if more is not None and more.score > found.score:
                found = more
        return found

    def _seeds(self) -> Iterator[list[int]]:
        # Turns with calls alone: of one without, nothing tells whether it is cut.
        rng = random.Random(len(self._given.turns))  # noqa: S311  what is learnt must be repeatable
        named = tuple(number for number, row in enumerate(self._sites) if row)
        alike = (tuple(n for n, row in enumerate(group) if row) for group in groups(self._given, self._sites))
        pools = [pool for pool in dict.fromkeys(alike) if len(pool) >= SEED][: SEEDS // 2] or [named]
        if len(named) <= SEED:  # too few for chance: all but one of them, which may be the broken one
            yield from map(list, combinations(named, FEWEST))
            return
        for number in range(SEEDS):
            pool = named if number % 2 else pools[number // 2 % len(pools)]
            yield rng.sample(pool, SEED)

    def _settled(self, found: Agreement) -> Agreement:
        # Learnt from all turns that agree, if they are few: they show more of the format than some of them.
        fitting = found.fitting(self._given)
        if fitting and len(fitting) <= MANY and sum(len(self._given.turns[each]) for each in fitting) <= CHARACTERS:
            more = self.learn(fitting)
            return more if more is not None and more.score >= found.score else found
        return found
