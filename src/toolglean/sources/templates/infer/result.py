# What inference returns, and how losses are worded. Does not depend on how the format was found.
"""What inference found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolglean.errors import FormatError
from toolglean.sources.templates.markers import GENERIC

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer.prober import Prober
    from toolglean.sources.templates.infer.verify import Proof

__all__ = ["Inference", "NoFormatError", "advice_for", "losses_of"]


class NoFormatError(FormatError):
    """No format can be read from a template. The error contains what was found nevertheless.

    Attributes:
        drop: the markers that end its turns.
        marks: see `Inference`.
        reasoning: the markers before and after reasoning.
        content_markers: the markers before content.
        starts_reasoning: whether the generation prompt opens the reasoning.
        writes_calls: whether it writes calls, although no format reads them.
        tag, closer: what `tag_of` finds.
        reason: why, without what to do.
        advice: what to do; "" if nothing is known. The message ends with it.
    """

    drop: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    reasoning: tuple[str, str] = ("", "")
    content_markers: tuple[str, ...] = ()
    starts_reasoning: bool = False
    writes_calls: bool = False
    tag: str = GENERIC
    closer: str = ""
    advice: str = ""

    def __init__(self, message: str, **known: Any) -> None:
        super().__init__(f"{message}. {known['advice']}" if known.get("advice") else message)
        self.reason = message
        vars(self).update(known)  # which pickle keeps


def advice_for(tag: str, *, writes_calls: bool) -> str:
    """What to do about a template from which no format is read. `tag`: its tag; "" if it has none."""
    if not writes_calls:
        return 'Pass format= ("auto" to detect it), model= or Format.from_tag(…) instead.'
    by_tag = f", or format=Format.from_tag({tag!r}) if JSON follows that" if tag else ""
    return (
        "Pass format=Format(…) with a declaration of its calls (`toolglean learn LOG --tools TOOLS` makes one from "
        f"turns of the model){by_tag}."
    )


@dataclass(frozen=True, slots=True)
class Inference:
    """A format that was read from a template.

    Attributes:
        format: the format.
        recognised: the name of the known format that it is; None if it was inferred.
        confidence: from 0 to 1: the share of messages that came back unchanged from the template.
        evidence: which probe showed what, one line each.
        losses: what does not come back, one line each, with the name of the probe that shows it.
        starts_reasoning: whether the generation prompt opens the reasoning.
        tag: the tag of the template, as `tag_of` finds it; "" if there is none.
        language: "go" or "jinja".
        marks: texts of a prompt that may end before the model's own message, which begins after the last of them.
    """

    format: Format
    recognised: str | None
    confidence: float
    evidence: tuple[str, ...]
    losses: tuple[str, ...]
    starts_reasoning: bool
    tag: str
    language: str
    marks: tuple[str, ...] = ()


DOUBTS = {
    "prompt": "the template ends its prompt differently: pass `start` or `prompt` to tell whether reasoning is open",
    "calls": "the template writes calls differently",
    "content": "the template writes content differently",
}


def losses_of(prober: Prober, proof: Proof, doubts: tuple[str, ...]) -> tuple[str, ...]:
    """The losses, one line each; `doubts`: see `Prober.doubts`."""
    lines = [f"probe {label!r}: {how}" for label, how in proof.failed.items()]
    lines += [f"probe {label!r}: {why}" for label, why in proof.unwritten.items()]
    lines += [f"probe 'without {' and '.join(prober.assumed)}': {DOUBTS[what]}" for what in doubts]
    lines += [f"probe {label!r}: {what}" for label, what in prober.style.demands.items()]
    if proof.wrong:
        lines.append(f"{proof.wrong} of {proof.tried} random messages did not come back; {proof.example}")
    return tuple(lines)
