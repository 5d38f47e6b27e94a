# From a few turns to the declaration that explains them: every way to explain their calls becomes a declaration, each
# is proven, and of those that are right the shortest is the best. Does not depend on which turns these are.
"""The best declaration for some turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolglean.errors import FormatError
from toolglean.formats.spec import Format, Tree
from toolglean.sources.traces.assemble import declarations, size_of
from toolglean.sources.traces.bodies import Shape, shapes
from toolglean.sources.traces.frames import Frame, frame_of
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.pairs import pair_shapes
from toolglean.sources.traces.proof import Proof, loses_brackets, prove
from toolglean.sources.traces.refusals import Failure
from toolglean.sources.traces.safety import danger, mentioned
from toolglean.sources.traces.sites import groups, sites_in

__all__ = ["Candidate", "best_of"]


@dataclass(frozen=True)
class Candidate:
    """A declaration that may be right: what it follows from, and how many calls each turn has."""

    declared: Format
    shape: Shape
    frame: Frame
    counts: tuple[int, ...]


def best_of(name: str, given: Given, failures: list[Failure]) -> tuple[Candidate, Proof] | None:
    """The best declaration, with its proof; None if none is right. What is wrong with the others is added to a list."""
    fitting: list[Candidate] = []
    for candidate in _candidates(name, given, failures):
        fault = danger(candidate.declared, candidate.shape)
        proof = Proof(fault) if fault else prove(candidate.declared, given, candidate.counts, carefully=False)
        fault = proof.fault or mentioned(candidate.declared, (reading.content for reading in proof.readings))
        if fault:
            failures.append(_failure(given, candidate, fault, proof.turn))
        else:
            fitting.append(candidate)
    most = max((sum(each.counts) for each in fitting), default=0)
    fitting = sorted((each for each in fitting if sum(each.counts) == most), key=lambda each: size_of(each.declared))
    right: list[tuple[Candidate, Proof]] = []
    for candidate in fitting:
        proof = prove(candidate.declared, given, candidate.counts)
        if not proof.fault:
            right.append((candidate, proof))
        else:
            failures.append(_failure(given, candidate, proof.fault, proof.turn))
    if len(right) < 2:
        return right[0] if right else None
    return min(right, key=lambda each: (len(each[1].unwritten), _is_doubtful(given, *each)))


def _candidates(name: str, given: Given, failures: list[Failure]) -> Iterator[Candidate]:
    seen: set[tuple[Format, tuple[int, ...]]] = set()
    for group in groups(given, sites_in(given)):
        for shape in (*shapes(given, group), *pair_shapes(given, group)):
            try:
                frame = frame_of(given, shape)
                made = list(declarations(name, shape, frame))
            except FormatError as error:
                failures.append(Failure(str(error), shape, None, -1, 0))
                continue
            counts = tuple(map(len, shape.bodies))
            for declared in made:
                if (declared, counts) not in seen:
                    seen.add((declared, counts))
                    yield Candidate(declared, shape, frame, counts)


def _failure(given: Given, candidate: Candidate, fault: str, turn: int) -> Failure:
    number = given.numbers[turn] if turn >= 0 else -1
    return Failure(fault, candidate.shape, candidate.declared, number, sum(candidate.counts))


def _is_doubtful(given: Given, candidate: Candidate, proof: Proof) -> bool:
    # Brackets at the end of a value that are taken for those of the closer; lists and objects that were read as JSON
    # within elements: elements may be in their strings.
    values = [value for each in proof.readings for _, given in each.calls for value in given.values()]
    is_tree = isinstance(candidate.declared.arguments, Tree)
    return (is_tree and any(isinstance(value, list | dict) for value in values)) or loses_brackets(
        candidate.declared, given.tools, proof.readings
    )
