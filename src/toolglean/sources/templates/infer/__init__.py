# How a format is read from a chat template: the template writes calls, the format is inferred from what it writes, and
# is proven by reading it back. Does not depend on how templates are rendered (rendering.py).
#
#   probes.py           what the template is asked to write: sentinels in every leaf
#   input_style.py      how messages can be passed to a template
#   prober.py           which messages this template accepts; where the assistant's turn, and its tag, are in the text
#   texts.py            what texts have in common
#   frame.py            reasoning, content, the end of a turn; the header of the model's message in a prompt
#   call_syntax.py      how a call carries its arguments; parameter.py: parameters as text
#   fit.py              openers, closers, separators: a Format
#   recognise.py        known formats, which cover more than one template shows
#   messages.py         the messages of the proof; verify.py: the proof
#   result.py           Inference, NoFormatError, and how losses are worded
"""Infers a format from a chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from toolglean.errors import FormatError, TemplateError
from toolglean.formats.spec import Format
from toolglean.sources.templates.infer.fit import fit
from toolglean.sources.templates.infer.frame import Frame, frame_of, marks_of
from toolglean.sources.templates.infer.prober import CPU_SECONDS, WALL_SECONDS, Prober, shown_tag
from toolglean.sources.templates.infer.recognise import recognise as recognised
from toolglean.sources.templates.infer.result import Inference, NoFormatError, advice_for, losses_of
from toolglean.sources.templates.infer.verify import Proof, check_proof, prove
from toolglean.sources.templates.language import advice_in, template_language
from toolglean.sources.templates.markers import GENERIC
from toolglean.sources.templates.tag import go_tag_of
from toolglean.sources.templates.time_budget import TimeBudget

if TYPE_CHECKING:
    from toolglean.sources.templates.rendering import Renderer

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""The date for templates that ask for one: inference must not depend on the day."""
LAX_WORDS = ("from_json", "unsafe", "SecurityError", "generator")

__all__ = ["SAMPLES", "Inference", "NoFormatError", "infer"]

SAMPLES = 300
"""How many random messages a proof tries."""
LONGEST_MARKER = 500
"""The most characters of a pattern. Searching for a longer one is slow, and no model writes it."""


def infer(
    source: str,
    *,
    language: Literal["go", "jinja"] | None = None,
    untrusted: bool = False,
    recognise: bool = True,
    samples: int = SAMPLES,
    variables: Mapping[str, Any] | None = None,
) -> Inference:
    """Read a format from a chat template, and prove it.

    Args:
        source: the template's text.
        language: "go" or "jinja"; None: detected from the text.
        untrusted: render in a child process with limits on time and memory; and limit the time of the whole inference.
        recognise: whether to prefer a known format that fits; False: only infer.
        samples: how many random messages the proof tries.
        variables: variables that are passed to the template besides the messages (`eos_token`, …).

    Returns:
        The format, with confidence, evidence and losses.

    Raises:
        FormatError: no format reads what the template writes; the message names the probe that failed.
        TemplateError: the template cannot be read.
        UsageError: jinja2 is not installed, or the language is unknown.
    """
    from toolglean.sources.templates.rendering import renderer  # noqa: PLC0415  only inference renders

    language = language or template_language(source)
    time_budget = TimeBudget(WALL_SECONDS, CPU_SECONDS if untrusted else None)
    probers = partial(Prober, variables=variables, time_budget=time_budget)
    try:
        with renderer(source, language, untrusted=untrusted, now=NOW, time_budget=time_budget) as made:
            return _infer_with(partial(probers, made), made, recognise=recognise, samples=samples)
    except (FormatError, TemplateError) as error:
        if language == "go" or time_budget.exceeded or not any(word in str(error) for word in LAX_WORDS):
            raise
    with renderer(source, language, untrusted=untrusted, now=NOW, lax=True, time_budget=time_budget) as made:
        found = _infer_with(partial(probers, made), made, recognise=recognise, samples=samples)
    return replace(
        found, losses=(*found.losses, "it renders only in engines that let templates change lists, or have from_json")
    )


def _infer_with(probers: Callable[..., Prober], made: Renderer, *, recognise: bool, samples: int) -> Inference:
    prober = None
    try:
        prober = probers()
        return _known_or_fitted(prober, _frame(prober), recognise=recognise, samples=samples)
    except FormatError as error:
        texts = partial(probers, calls=False)
        reason = FormatError(advice_in(made.language, str(error)))
        raise _with_frame(reason, prober, texts, _tag(prober, texts, made)) from error


def _with_frame(
    error: FormatError, calling: Prober | None, texts: Callable[[], Prober], shown: tuple[str, str]
) -> FormatError:
    # Even a template that writes no readable call shows what opens and ends a turn.
    refused = partial(NoFormatError, tag=shown[0], closer=shown[1])
    try:
        prober = calling or texts()
        if not prober.writes_user:
            return refused(
                "no format can be read from the template: it does not write the user's message, so it is not a chat "
                "template"
            )
        frame = frame_of(prober)
        return refused(
            str(error),
            drop=frame.ends,
            marks=marks_of(prober, frame),
            reasoning=frame.reasoning,
            content_markers=frame.content_markers,
            starts_reasoning=frame.starts_reasoning and "prompt" not in prober.doubts((frame.reasoning,)),
            writes_calls=calling is not None,
            advice=advice_for(shown[0] if shown[0] != GENERIC else "", writes_calls=calling is not None),
        )
    except (FormatError, TemplateError):
        return refused(str(error))


def _known_or_fitted(prober: Prober, frame: Frame, *, recognise: bool, samples: int) -> Inference:
    known = recognised(prober) if recognise else None
    if known is not None and not known[1].failed:
        return _of_known(prober, frame, known[0], samples)
    try:
        fitted, seen = fit(prober, frame)
        _check_markers(fitted)
        proof = prove(prober, fitted, samples)
        check_proof(proof, known=False)
    except FormatError:
        if known is None:
            raise
        return _of_known(prober, frame, known[0], samples)
    if known is not None and len(proof.failed) >= len(known[1].failed):
        return _of_known(prober, frame, known[0], samples)
    return _inference(prober, frame, fitted, None, proof, seen)


def _frame(prober: Prober) -> Frame:
    try:
        return frame_of(prober)
    except TemplateError as error:
        raise FormatError(f"probe 'plain reply' failed: {error.reason}") from error


def _check_markers(found: Format) -> None:
    longest = max(map(len, found.patterns))
    if longest > LONGEST_MARKER:
        raise FormatError(
            f"no format can be read from the template: it writes the same text of {longest} characters with each call, "
            f"but a format's pattern may have at most {LONGEST_MARKER}"
        )


def _of_known(prober: Prober, frame: Frame, known: Format, samples: int) -> Inference:
    declared = _extended(known, frame)
    proof = prove(prober, declared, samples)
    check_proof(proof, known=True)
    reads = f"{known.name} reads {len(proof.passed)} of {len(proof.passed) + len(proof.failed)} probes"
    return _inference(prober, frame, declared, known.name, proof, [f"known format: {reads}"])


def _extended(known: Format, frame: Frame) -> Format:
    # The family's format, with the marker that ends turns in this template.
    declared = {*known.markers}
    more = tuple(each for each in frame.drop if each not in declared and not any(each in own for own in declared))
    marked = tuple(each for each in more if each[0] in "<[")
    return replace(known, drop=known.drop + marked) if marked else known


def _inference(
    prober: Prober, frame: Frame, found: Format, known: str | None, proof: Proof, seen: list[str]
) -> Inference:
    doubts = prober.doubts(found.all_reasonings)
    return Inference(
        format=found,
        recognised=known,
        confidence=proof.confidence,
        evidence=(*frame.evidence, *seen, f"{proof.tried - proof.wrong} of {proof.tried} random messages came back"),
        losses=losses_of(prober, proof, doubts),
        starts_reasoning=frame.starts_reasoning and "prompt" not in doubts,
        tag=_tag(prober, lambda: prober, prober.renderer)[0],
        language=prober.renderer.language,
        marks=marks_of(prober, frame, found.all_reasonings),
    )


def _tag(calling: Prober | None, texts: Callable[[], Prober], made: Renderer) -> tuple[str, str]:
    if made.language == "go":
        found = go_tag_of(made.source)
        return found.tag, found.closer
    return shown_tag(calling, texts)
