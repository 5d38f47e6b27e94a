# How a known format is recognised by what the template writes: its markers occur there, and it reads the probes back.
# Does not depend on how a format is fitted to a template.
"""Recognises known formats."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.formats.registry import all_formats
from toolglean.formats.render import render
from toolglean.formats.spec import Format, literals_of
from toolglean.sources.templates.infer.messages import TOOLS, checks
from toolglean.sources.templates.infer.probes import TOOLS as PROBED
from toolglean.sources.templates.infer.probes import Message, call
from toolglean.sources.templates.infer.verify import Proof, score
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.sources.templates.infer.prober import Prober

__all__ = ["plausible_in", "recognise", "share_in"]

MOST = 12  # how many formats are tried


def recognise(prober: Prober) -> tuple[Format, Proof] | None:
    """The known format that reads back most of what the template writes, with its proof; None if none fits.

    Of several that read back the same, the one with the largest share of its markers in the turns; of these, one that
    writes a call exactly as the template does; of these, the one with the largest share of its other markers (of
    reasoning, roles and ends) in the template.
    """
    text = _turns(prober)
    fitting = plausible_in(text)
    fitting.sort(key=lambda declared: _specific(declared, text, prober.renderer.source), reverse=True)
    best: tuple[Format, Proof] | None = None
    for declared in fitting[:MOST]:
        try:
            proof = score(prober, declared)
        except FormatError:
            continue
        if not proof.core_failure and (best is None or len(proof.failed) < len(best[1].failed)):
            best = (declared, proof)
        if best is not None and not best[1].failed:
            break
    return best


def _turns(prober: Prober) -> str:
    found = []
    for message in (Message((call(0), call(1))), *checks()):
        with suppress(TemplateError):
            turn = prober.turn(message) if message.label == "" else prober.turn(message, TOOLS)
            found += [turn.prompt, turn.text]
    with suppress(TemplateError):
        found.append(prober.prompt())
    return "\n".join(found)


def plausible_in(text: str) -> list[Format]:
    """The known formats with the markers of a call in the text: some templates leave out those of the section."""
    return [declared for declared in all_formats() if any(_is_written(pattern, text) for pattern in declared.calls)]


def _is_written(pattern: str, text: str) -> bool:
    return all(each in text for each in literals_of(pattern))


def share_in(text: str, markers: list[str]) -> float:
    """The share of the markers that are in the text."""
    return sum(each in text for each in markers) / len(markers) if markers else 0.5


def _writes(declared: Format, text: str) -> bool:
    probed = call(0)
    try:
        return render(declared, [(probed.name, probed.arguments)], tools=ToolSet(PROBED)).strip() in text
    except (FormatError, UsageError):
        return False


def _specific(declared: Format, text: str, source: str) -> tuple[float, bool, float]:
    main = literals_of(declared.call, *declared.section, *declared.parameters[:1])
    around = [part for pair in declared.all_reasonings for part in pair] + list(
        declared.drop + declared.content_markers
    )
    known = sum(each.strip() in text or each.strip() in source for each in around) / len(around) if around else 0.0
    return share_in(text, main), _writes(declared, text), known
