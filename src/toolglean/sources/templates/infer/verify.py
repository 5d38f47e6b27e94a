# What this file knows: how a format is proven: messages go through the template, are read, and must be what went in.
# What it must not know: how the format was found.
#
# First one message for each thing that may get lost (messages.py): what fails there is a loss, named after it. Without
# the core no format is accepted. Then several hundred random messages without what is known to be lost: what fails
# there shows that the format is wrong in a way that nobody has a name for, and counts against it.
"""The proof of a format."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toolglean.errors import FormatError, TemplateError
from toolglean.sources.templates.infer.messages import CORE, TOOLS, checks, samples
from toolglean.sources.templates.infer.probes import Said
from toolglean.sources.templates.infer.reading import chunkings, difference, read
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer.stage import Stage, Turn

__all__ = ["Proof", "prove", "score"]

SEED = 20260115
ENOUGH_WRONG = 12  # random messages that fail, after which the proof has failed


@dataclass
class Proof:
    """What the messages showed.

    Attributes:
        passed, failed: labels of the checks, and with those that failed how.
        unwritten: what of a check the template left out, or why it wrote no turn at all; the rest came back.
        tried, wrong: random messages, and how many of them did not come back.
        example: the first random message that did not, and how.
    """

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    unwritten: dict[str, str] = field(default_factory=dict)
    tried: int = 0
    wrong: int = 0
    example: str = ""

    @property
    def lost(self) -> frozenset[str]:
        """The labels of all that did not come back."""
        return frozenset(self.failed) | frozenset(self.unwritten)

    @property
    def core_failure(self) -> str:
        """The first check of the core that failed, and how; "" where none did."""
        return next((f"{label}: {self.failed[label]}" for label in self.failed if label in CORE), "")

    @property
    def confidence(self) -> float:
        """The share of what came back: checks and random messages count alike."""
        checked = len(self.passed) + len(self.failed)
        right = len(self.passed) / checked if checked else 0.0
        return round(right * (1 - self.wrong / self.tried if self.tried else 1.0), 3)


def score(stage: Stage, declared: Format) -> Proof:
    """The checks alone, at one chunking."""
    proof = Proof()
    for said in checks():
        _check(stage, declared, said, proof, None)
        if proof.core_failure:
            break  # no format at all: what else it fails says nothing more
    return proof


def prove(stage: Stage, declared: Format, count: int) -> Proof:
    """Checks and `count` random messages, each at several chunkings."""
    proof = Proof()
    rng = random.Random(SEED)  # noqa: S311  a proof must be repeatable
    for said in checks():
        _check(stage, declared, said, proof, rng)
    for said in samples(count, SEED, proof.lost):
        if proof.wrong >= ENOUGH_WRONG:
            break
        wrong = _wrong(stage, declared, said, rng)
        if wrong is None:
            continue
        proof.tried += 1
        proof.wrong += bool(wrong)
        if wrong and not proof.example:
            proof.example = f"{said.label}: {wrong}"
    return proof


def _check(stage: Stage, declared: Format, said: Said, proof: Proof, rng: random.Random | None) -> None:
    try:
        turn = stage.turn(said, TOOLS)
    except TemplateError as error:
        proof.unwritten[said.label] = f"the template refuses it: {error.reason}"
        return
    written, left_out = what_is_written(said, turn.text)
    wrong = difference_of(turn, declared, written, rng)
    if wrong:
        proof.failed[said.label] = wrong
    elif left_out:
        proof.unwritten[said.label] = left_out
    else:
        proof.passed.append(said.label)


def _wrong(stage: Stage, declared: Format, said: Said, rng: random.Random) -> str | None:
    try:
        turn = stage.turn(said, TOOLS)
    except TemplateError:
        return None
    return difference_of(turn, declared, said, rng)


def difference_of(turn: Turn, declared: Format, said: Said, rng: random.Random | None) -> str:
    """How the message differs after the way through the template and back; "" where it does not.

    Raises:
        FormatError: the format does not compile.
    """
    known = ToolSet(TOOLS)
    cuts = chunkings(turn.text, rng) if rng is not None else iter([[turn.text]])
    for chunks in cuts:
        wrong = difference(said, read(declared, known, chunks, turn.prompt))
        if wrong:
            return wrong
    return ""


def what_is_written(said: Said, text: str) -> tuple[Said, str]:
    """What of the message the template wrote, and what it left out ("" for nothing)."""
    left_out = []
    if said.content and said.content.strip() not in text:
        said = replace(said, content="")
        left_out.append("the content")
    if said.reasoning and said.reasoning.strip() not in text:
        said = replace(said, reasoning="")
        left_out.append("the reasoning")
    here = count = 0
    for each in said.calls:
        here = text.find(each.name, here) + 1
        if not here:
            break
        count += 1
    if count < len(said.calls):
        left_out.append(f"more than {count} of {len(said.calls)} calls")
        said = replace(said, calls=said.calls[:count])
    return said, f"the template does not write {' and '.join(left_out)}" if left_out else ""


def refusal(proof: Proof, *, known: bool) -> FormatError | None:
    """Why the format is not accepted; None where it is. A known one may misread what its template does to content."""
    if not known and "content" in proof.failed:
        return FormatError(f"no format can be read from the template: probe content: {proof.failed['content']}")
    if proof.core_failure:
        return FormatError(f"no format can be read from the template: probe {proof.core_failure}")
    if proof.tried and proof.wrong > proof.tried // 20:
        return FormatError(
            f"no format can be read from the template: {proof.wrong} of {proof.tried} random messages "
            f"came back wrong; {proof.example}"
        )
    return None
