# What this file knows: how the patterns of a format follow from a few turns: what stands before the first call,
# between two, and behind the last one.
# What it must not know: how a call carries its arguments (carriers.py), and whether what comes out is right.
#
#   turn with three calls   before  BODY  between  BODY  between  BODY  behind
#   closer of a call        what `between` and `behind` both begin with
#   opener of a call        what `before` and the rest of `between` both end with
#   separator               what is left of `between`; of `before` and `behind` the section is left
"""A format, fitted to turns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from toolglean.errors import FormatError, TemplateError
from toolglean.formats.spec import Format, Quoted
from toolglean.sources.templates.infer.carriers import Body, Carrier, carrier_of, marks
from toolglean.sources.templates.infer.frame import Frame
from toolglean.sources.templates.infer.probes import REPLY, TYPED, Call, Said, call
from toolglean.sources.templates.infer.stage import Stage
from toolglean.sources.templates.infer.texts import common_prefix, common_suffix, markers_of
from toolglean.sources.templates.infer.typewords import types_of

__all__ = ["Fitted", "fit"]

_digits = re.compile(r"\d+")


@dataclass
class Fitted:
    """What was read from a template.

    Attributes:
        format: the format.
        carrier: how calls carry their arguments.
        evidence: which probe showed what.
        losses: what the template cannot write, as the probes showed.
    """

    format: Format
    carrier: Carrier
    evidence: list[str] = field(default_factory=list)


def fit(stage: Stage, frame: Frame) -> Fitted:
    """Fit a format.

    Raises:
        FormatError: the turns follow no pattern that a format can say; the message names the probe.
    """
    evidence: list[str] = []
    one = Said((call(0),))
    text = stage.turn(one).text
    try:
        carrier = carrier_of(text, call(0), _nested(stage))
    except FormatError as error:
        raise FormatError(f"probe 'one call, two arguments' failed: {error}") from error
    evidence.append(f"one call, two arguments: {_shown(carrier)}")
    pieces = _pieces(stage, carrier, evidence)
    pieces = _indexed(pieces)
    patterns = _patterns(pieces, frame, _before_behind_content(stage, carrier))
    evidence.append(f"{len(pieces.bodies)} calls: {patterns.call!r}, section {patterns.section!r}")
    return Fitted(_format(stage, carrier, patterns, frame, evidence), carrier, evidence)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A turn, taken apart: `before`, then the patterns of the bodies, `between` them, `behind`."""

    before: str
    bodies: tuple[str, ...]
    between: tuple[str, ...]
    behind: str


@dataclass(frozen=True, slots=True)
class Patterns:
    """What a format is made of."""

    call: str
    section: tuple[str, str]
    separator: str
    drop: tuple[str, ...]


def _nested(stage: Stage) -> str:
    key, _, value = TYPED["object"]
    try:
        return stage.turn(Said((Call("zqxtyped", {key: value}),))).text
    except TemplateError:
        return ""


def _pieces(stage: Stage, carrier: Carrier, evidence: list[str]) -> Pieces:
    reason = ""
    for count in (3, 2, 1):
        calls = tuple(call(number) for number in range(count))
        try:
            text = stage.turn(Said(calls)).text
            ids = [stage.id_of(each, number) for number, each in enumerate(calls)]
            return _taken_apart(text, carrier.bodies(text, calls, ids), ids)
        except (TemplateError, FormatError) as error:
            reason = str(error).partition("\n")[0]
            evidence.append(f"{count} calls: not all of them are written ({reason})")
    raise FormatError(f"probe 'one call' failed: {reason}")


def _taken_apart(text: str, bodies: list[Body], ids: list[str]) -> Pieces:
    between = [text[one.end : two.start] for one, two in pairwise(bodies)]
    around = [text[: bodies[0].start], *between]
    around = [each.replace(given, "{id}") for each, given in zip(around, ids, strict=True)]
    around = [_made_of(each) for each in around]
    patterns = tuple(_made_of(body.pattern) for body in bodies)
    return Pieces(around[0], patterns, tuple(around[1:]), text[bodies[-1].end :])


def _made_of(text: str) -> str:
    # An id that the template writes, made of the rest.
    return re.sub(r"functions\.\{name\}:\d+", "functions.{name}:{index}", text)


def _indexed(pieces: Pieces) -> Pieces:
    # Numbers that count the calls become {index}.
    if len(pieces.bodies) < 3 or len(set(pieces.bodies)) == 1 == len(set(pieces.between)):
        return pieces
    one, two = pieces.between
    counted = [int(each) for each in _digits.findall(one)]
    later = [int(each) for each in _digits.findall(two)]
    bodies, between, before = pieces.bodies, pieces.between, pieces.before
    if _digits.sub("", bodies[0]) == _digits.sub("", bodies[1]):
        bodies = (_masked(bodies[0], bodies[1]),) * len(bodies)
    if len(counted) == len(later) and _digits.sub("", one) == _digits.sub("", two):
        masked = _masked(one, two)
        first = next((number for number, after in zip(counted, later, strict=True) if after == number + 1), None)
        if first is not None:
            left = masked.partition("{index}")[0][-4:]
            before = re.sub(re.escape(left) + rf"{first - 1}(?!\d)", lambda _: left + "{index}", before)
            between = (masked, masked)
    return Pieces(before, bodies, between, pieces.behind)


def _masked(one: str, two: str) -> str:
    later = iter(_digits.findall(two))
    return _digits.sub(lambda found: "{index}" if int(next(later)) == int(found[0]) + 1 else found[0], one)


def _before_behind_content(stage: Stage, carrier: Carrier) -> str | None:
    # What stands before a call that follows content.
    asked = call(0)
    try:
        text = stage.turn(Said((asked,), content=REPLY)).text
        begin = carrier.bodies(text, (asked,), [stage.id_of(asked, 0)])[0].start
    except (TemplateError, FormatError):
        return None
    at = text.find(REPLY)
    return text[at + len(REPLY) : begin].replace(stage.id_of(asked, 0), "{id}") if -1 < at < begin else None


def _patterns(pieces: Pieces, frame: Frame, after_content: str | None) -> Patterns:
    body = pieces.bodies[0]
    between = pieces.between[0] if pieces.between else ""
    behind = frame.without_end(pieces.behind)
    drop: list[str] = []
    before = frame.without_reasoning(pieces.before)
    if after_content is not None:
        shared = common_suffix(_made_of(after_content), before)
        if shared.strip() or not before.strip():
            drop += markers_of(after_content[: len(after_content) - len(shared)])
            drop += markers_of(before[: len(before) - len(shared)])
            before = shared
    if not pieces.between:
        return _listed(Patterns(before + body + behind, ("", ""), "", tuple(drop)), before, body, behind)
    closer = common_prefix(between, behind)
    rest = between[len(closer) :]
    opener = common_suffix(before, rest)
    separator = rest[: len(rest) - len(opener)]
    section = (before[: len(before) - len(opener)], behind[len(closer) :])
    if not section[0].strip() and section[1].strip() and not separator.strip():
        drop += markers_of(section[1])
        section = ("", "")
    found = Patterns(opener + body + closer, section, separator, tuple(drop))
    return found if marks(opener) or marks(closer) else _listed(found, before, body, behind)


def _listed(found: Patterns, before: str, body: str, behind: str) -> Patterns:
    # A JSON list is what {calls} reads, with its brackets.
    between = found.separator.strip()  # without commas it is not a list of JSON
    single = not found.separator and found.section == ("", "")
    if body != "{call}" or not (single or between == ","):
        return found
    if before.rstrip().endswith("[") and behind.lstrip().startswith("]"):
        pattern = before.rstrip()[:-1] + "{calls}" + behind.lstrip()[1:]
        return Patterns(pattern, ("", ""), "", found.drop)
    return found


def _format(stage: Stage, carrier: Carrier, patterns: Patterns, frame: Frame, evidence: list[str]) -> Format:
    parameter: tuple[str, ...] = ()
    types: dict[str, str] = {}
    codec = carrier.codec
    if carrier.parameter is not None:
        parameter, types = types_of(stage, carrier.parameter)
        evidence.append(f"one argument of each type: parameter {parameter!r}, types {types!r}")
    if isinstance(codec, Quoted):
        codec = Quoted(codec.quote, all=_quotes_numbers(stage, codec.quote))
    own = {patterns.call, *patterns.section}
    drop = [each for each in (*frame.drop, *patterns.drop) if each and not any(each in text for text in own)]
    content_markers = [each for each in frame.content_markers if not any(each in text for text in own)]
    return Format(
        "inferred",
        call=patterns.call.strip(),
        section=patterns.section if patterns.section[0].strip() else ("", ""),
        separator=patterns.separator,
        parameter=parameter,
        arguments=codec,
        keys=carrier.keys,
        id="functions.{name}:{index}" if "functions.{name}:{index}" in patterns.call else "",
        types=types,
        reasoning=frame.reasoning,
        content_markers=tuple(dict.fromkeys(content_markers)),
        drop=tuple(dict.fromkeys(each for each in drop if each not in content_markers and each not in frame.reasoning)),
        source="read from its chat template",
    )


def _quotes_numbers(stage: Stage, quote: str) -> bool:
    key, _, value = TYPED["integer"]
    try:
        text = stage.turn(Said((Call("zqxtyped", {key: value}),))).text
    except TemplateError:
        return False
    return f"{quote}{value}" in text


def _shown(carrier: Carrier) -> str:
    return {
        "whole": f"a JSON object with the keys {carrier.keys[0]!r} and {carrier.keys[1]!r}",
        "keyed": "a JSON object with the name as its key",
        "arguments": "the name, then a JSON object of the arguments",
        "keywords": "Python keyword arguments",
        "quoted": f"an object with bare keys: {carrier.codec}",
        "tree": f"nested tags: {carrier.codec}",
        "parameters": "each parameter as text between markers",
    }[carrier.kind]
