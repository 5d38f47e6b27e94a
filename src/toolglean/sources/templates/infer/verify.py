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
from toolglean.sources.templates.infer.probes import Message
from toolglean.sources.templates.infer.reading import chunkings, difference, read
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer.prober import Prober, Turn

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


def score(prober: Prober, declared: Format) -> Proof:
    """The checks alone, at one chunking."""
    proof = Proof()
    for message in checks():
        _check(prober, declared, message, proof, None)
        if proof.core_failure:
            break  # no format at all: what else it fails says nothing more
    return proof


def prove(prober: Prober, declared: Format, count: int) -> Proof:
    """Checks and `count` random messages, each at several chunkings."""
    proof = Proof()
    rng = random.Random(SEED)  # noqa: S311  a proof must be repeatable
    for message in checks():
        _check(prober, declared, message, proof, rng)
    for message in samples(count, SEED, proof.lost):
        if proof.wrong >= ENOUGH_WRONG:
            break
        wrong = _wrong(prober, declared, message, rng)
        if wrong is None:
            continue
        proof.tried += 1
        proof.wrong += bool(wrong)
        if wrong and not proof.example:
            proof.example = f"{message.label}: {wrong}"
    return proof


def _check(prober: Prober, declared: Format, message: Message, proof: Proof, rng: random.Random | None) -> None:
    try:
        turn = prober.turn(message, TOOLS)
    except TemplateError as error:
        proof.unwritten[message.label] = f"the template refuses it: {error.reason}"
        return
    written, left_out = what_is_written(message, turn.text)
    wrong = difference_of(turn, declared, written, rng)
    if wrong:
        proof.failed[message.label] = wrong
    elif left_out:
        proof.unwritten[message.label] = left_out
    else:
        proof.passed.append(message.label)


def _wrong(prober: Prober, declared: Format, message: Message, rng: random.Random) -> str | None:
    try:
        turn = prober.turn(message, TOOLS)
    except TemplateError:
        return None
    return difference_of(turn, declared, message, rng)


def difference_of(turn: Turn, declared: Format, message: Message, rng: random.Random | None) -> str:
    """How the message differs after the way through the template and back; "" where it does not.

    Raises:
        FormatError: the format does not compile.
    """
    known = ToolSet(TOOLS)
    cuts = chunkings(turn.text, rng) if rng is not None else iter([[turn.text]])
    for chunks in cuts:
        wrong = difference(message, read(declared, known, chunks, turn.prompt))
        if wrong:
            return wrong
    return ""


def what_is_written(message: Message, text: str) -> tuple[Message, str]:
    """What of the message the template wrote, and what it left out ("" for nothing)."""
    left_out = []
    if message.content and message.content.strip() not in text:
        message = replace(message, content="")
        left_out.append("the content")
    if message.reasoning and message.reasoning.strip() not in text:
        message = replace(message, reasoning="")
        left_out.append("the reasoning")
    here = count = 0
    for each in message.calls:
        here = text.find(each.name, here) + 1
        if not here:
            break
        count += 1
    if count < len(message.calls):
        left_out.append(f"more than {count} of {len(message.calls)} calls")
        message = replace(message, calls=message.calls[:count])
    return message, f"the template does not write {' and '.join(left_out)}" if left_out else ""


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
