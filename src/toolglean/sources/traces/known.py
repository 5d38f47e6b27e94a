# Whether a format of the library reads the turns already: it knows more than the turns show. Does not depend on how a
# format is learnt.
"""Known formats that read turns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format
from toolglean.sources.templates.infer.recognise import is_plausible, literals, share_in
from toolglean.sources.traces.agreement import Agreement
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.proof import Proof, fault_of, prove, reading_of
from toolglean.sources.traces.sites import sites_in

__all__ = ["Known", "known_format"]


@dataclass(frozen=True)
class Known:
    """A known format: the turns that it reads, with the proof; and what is wrong with each of the others."""

    declared: Format
    kept: tuple[int, ...]
    faults: dict[int, str]
    proof: Proof


def known_format(given: Given, learnt: Agreement | None) -> Known | None:
    """The known format that reads no fewer calls than what was learnt; None if there is none."""
    text = "\n".join(given.turns)
    named = [number for number, row in enumerate(sites_in(given)) if row]
    most = len(given.turns) // 2 if learnt is None else len(learnt.faults)
    fewest = 1 if learnt is None else learnt.calls
    fitting = [declared for declared in all_formats() if is_plausible(declared, text)]

    def share(declared: Format) -> float:
        return share_in(text, literals(declared.call, *declared.section))

    for declared in sorted(fitting, key=share, reverse=True):
        wrong = ((number, fault_of(declared, given, number)) for number in range(len(given.turns)))
        faults = dict(islice(((number, fault) for number, fault in wrong if fault), most + 1))
        if len(faults) > most:
            continue
        kept = tuple(number for number in range(len(given.turns)) if number not in faults)
        counts = tuple(len(reading_of(declared, given, number).calls) for number in kept)
        silent = [number for number, count in zip(kept, counts, strict=True) if number in named and not count]
        if sum(counts) < fewest or (given.answers is None and silent):
            continue  # a name that it leaves in the text may be a call
        proof = prove(declared, given.only(kept), counts)
        if not proof.fault:
            return Known(declared, kept, faults, proof)
    return None
