# How the patterns of a format follow from a few turns: from the text before the first call, between two calls, and
# after the last one. Does not depend on how a call carries its arguments (call_syntax.py), or on whether the result is
# right.
#
#   turn with three calls   before  BODY  between  BODY  between  BODY  after
#
# Opener, closer and separator of a call are those of `around_items`. What remains of `before` and `after` is the
# section.
"""Fits a format to turns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Any

from toolglean.errors import FormatError, TemplateError
from toolglean.formats.spec import Format, Json, Quoted, ScriptObject, Tree
from toolglean.sources.templates.infer.call_syntax import (
    KEYWORDS,
    Body,
    CallSyntax,
    as_list,
    beside_fields,
    call_syntax_of,
    has_marker,
)
from toolglean.sources.templates.infer.frame import Frame
from toolglean.sources.templates.infer.parameter import types_of
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import REPLY, TYPED, Message, call
from toolglean.sources.templates.infer.texts import around_items, common_suffix, markers_of

__all__ = ["fit"]

CONTEXT = 4  # characters before a number that tell it from others

_digits = re.compile(r"\d+")


def fit(prober: Prober, frame: Frame) -> tuple[Format, list[str]]:
    """The format that fits, and which probe showed what.

    Raises:
        FormatError: the turns follow no pattern that a format can express; the message names the probe.
    """
    evidence: list[str] = []
    text = prober.turn(Message((call(0),))).text
    try:
        syntax = call_syntax_of(text, call(0), {kind: prober.typed(kind) for kind in TYPED})
    except FormatError as error:
        raise FormatError(f"probe 'one call, two arguments' failed: {error}") from error
    evidence.append(f"one call, two arguments: {_shown(syntax)}")
    pieces = _indexed(_pieces(prober, syntax, evidence))
    patterns = _patterns(pieces, frame, _between_content_and_call(prober, syntax))
    evidence.append(f"{len(pieces.bodies)} calls: {patterns.call!r}, section {patterns.section!r}")
    try:
        return _format(prober, syntax, patterns, frame, evidence), evidence
    except FormatError as error:
        raise FormatError(
            f"no format can be read from the template: probe '{len(pieces.bodies)} calls' failed: {error}"
        ) from error


@dataclass(frozen=True, slots=True)
class Pieces:
    """The parts of a turn: the text before the calls, the patterns of the calls, the text between and after them."""

    before: str
    bodies: tuple[str, ...]
    between: tuple[str, ...]
    after: str


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of a format."""

    call: str
    section: tuple[str, str]
    separator: str
    drop: tuple[str, ...]


def _pieces(prober: Prober, syntax: CallSyntax, evidence: list[str]) -> Pieces:
    reason = ""
    for count in (3, 2, 1):
        calls = tuple(call(number) for number in range(count))
        try:
            text = prober.turn(Message(calls)).text
            ids = [prober.style.id_of(each, number) for number, each in enumerate(calls)]
            return _taken_apart(text, syntax.bodies(text, calls), ids, [each.name for each in calls])
        except (TemplateError, FormatError) as error:
            reason = str(error).partition("\n")[0]
            evidence.append(f"{count} calls: not all of them are written ({reason})")
    raise FormatError(f"probe 'one call' failed: {reason}")


def _taken_apart(text: str, bodies: list[Body], ids: list[str], names: list[str]) -> Pieces:
    follows = [text[one.end : two.start] for one, two in pairwise(bodies)] + [text[bodies[-1].end :]]
    follows = [each.replace(name, "{name}") for each, name in zip(follows, names, strict=True)]  # in the closer
    *between, after = map(_with_id, follows, ids)
    before, *between = map(_with_id, (text[: bodies[0].start], *between), ids)
    patterns = tuple(map(_with_id, (body.pattern for body in bodies), ids))
    return Pieces(before, patterns, tuple(between), after)


def _with_id(text: str, given: str) -> str:
    # With {id} for the id of the call, which the template may make itself, from the name and the index.
    return re.sub(r"functions\.\{name\}:\d+", "functions.{name}:{index}", text.replace(given, "{id}"))


def _indexed(pieces: Pieces) -> Pieces:
    # Numbers that count the calls become {index}.
    if len(pieces.bodies) < 3:
        return pieces
    body, _ = _masked(*pieces.bodies[:2])
    between, counts = _masked(*pieces.between)
    before, after = pieces.before, pieces.after
    if counts:  # the last one is of the next call, if the first call has it
        before = _with_index(before, between.rpartition("{index}")[0], rf"{counts[-1] - 1}(?!\d)")
    if counts and (len(counts) > 1 or before == pieces.before):  # the first one is of the closer
        after = _with_index(after, between.partition("{index}")[0], rf"{counts[0] + 2}(?!\d)")
    return Pieces(before, (body,) * len(pieces.bodies), (between,) * len(pieces.between), after)


def _masked(one: str, two: str) -> tuple[str, list[int]]:
    # The text with {index} for the numbers that are one higher in the other text, and these numbers.
    if _digits.split(one) != _digits.split(two):
        return one, []
    numbers = [int(each) for each in _digits.findall(one)]
    counts = [int(later) == number + 1 for number, later in zip(numbers, _digits.findall(two), strict=True)]
    is_count = iter(counts)
    text = _digits.sub(lambda found: "{index}" if next(is_count) else found[0], one)
    return text, list(compress(numbers, counts))


def _numbered_like(text: str, before: str) -> str:
    # The number of the first call, as in the text before the calls.
    return _with_index(text, before.partition("{index}")[0], r"\d+") if "{index}" in before else text


def _with_index(text: str, left: str, number: str) -> str:
    # The text, with {index} for that number, after as much of `left` as is there.
    for size in range(min(len(left), CONTEXT), 0, -1):
        begun = left[-size:]
        found, count = re.subn(re.escape(begun) + number, lambda _, begun=begun: begun + "{index}", text)  # type: ignore[misc]
        if count:
            return found
    return text


def _between_content_and_call(prober: Prober, syntax: CallSyntax) -> str | None:
    # The text between content and the call that follows it.
    probed = call(0)
    try:
        text = prober.turn(Message((probed,), content=REPLY)).text
        begin = syntax.bodies(text, (probed,))[0].start
    except (TemplateError, FormatError):
        return None
    at = text.find(REPLY)
    return _with_id(text[at + len(REPLY) : begin], prober.style.id_of(probed, 0)) if -1 < at < begin else None


def _patterns(pieces: Pieces, frame: Frame, after_content: str | None) -> Patterns:
    body = pieces.bodies[0]
    between = pieces.between[0] if pieces.between else ""
    after = frame.without_end(pieces.after)
    drop: list[str] = []
    before = frame.without_reasoning(pieces.before)
    if after_content is not None:
        after_content = _numbered_like(after_content, before)
        shared = common_suffix(after_content, before)
        if shared.strip() or not before.strip():
            drop += markers_of(after_content.removesuffix(shared))
            drop += markers_of(before.removesuffix(shared))
            before = shared
    if not pieces.between:
        return _listed(Patterns(before + body + after, ("", ""), "", tuple(drop)), before, body, after)
    opener, closer, separator = around_items(before, between, after)
    section = (before.removesuffix(opener), after.removeprefix(closer))
    if not section[0].strip() and section[1].strip() and not separator.strip():
        drop += markers_of(section[1])
        section = ("", "")
    found = Patterns(opener + body + closer, section, separator, tuple(drop))
    return found if has_marker(opener) or has_marker(closer) else _listed(found, before, body, after)


def _listed(found: Patterns, before: str, body: str, after: str) -> Patterns:
    single = not found.separator and found.section == ("", "")
    if body != "{call}" or not (single or found.separator.strip() == ","):  # without commas it is not a JSON list
        return found
    pattern = as_list(before, after)
    return found if pattern is None else Patterns(pattern, ("", ""), "", found.drop)


def _format(prober: Prober, syntax: CallSyntax, patterns: Patterns, frame: Frame, evidence: list[str]) -> Format:
    parameters: dict[str, Any] = {}
    codec = syntax.codec
    if syntax.parameter is not None and syntax.slot == "{parameters}":
        written, types = types_of(prober, syntax.parameter)
        evidence.append(f"one argument of each type: parameter {written!r}, types {types!r}")
        parameters = {"parameter": written, "parameter_separator": syntax.parameter.separator, "types": types}
    if isinstance(codec, Quoted):
        codec = Quoted(codec.quote, all=f"{codec.quote}{TYPED['integer'][2]}" in prober.typed("integer"))
    own = {patterns.call, *patterns.section}
    drop = [each for each in (*frame.drop, *patterns.drop) if each and not any(each in text for text in own)]
    content_markers = [each for each in frame.content_markers if not any(each in text for text in own)]
    call_pattern = beside_fields(patterns.call.strip(), syntax.keys)
    if call_pattern.endswith("{parameters}") and not patterns.section[1].strip():
        call_pattern += next(iter(frame.ends), "")  # nothing else shows that the last call of a turn is complete
    return Format(
        "inferred",
        call=call_pattern,
        registered_only=call_pattern.count("{name}") > 1,
        section=patterns.section if patterns.section[0].strip() else ("", ""),
        separator=patterns.separator,
        arguments=codec,
        keys=syntax.keys,
        id="functions.{name}:{index}" if "functions.{name}:{index}" in patterns.call else "",
        **parameters,
        reasoning=frame.reasoning,
        content_markers=tuple(dict.fromkeys(content_markers)),
        drop=tuple(dict.fromkeys(each for each in drop if each not in content_markers and each not in frame.reasoning)),
        source="read from its chat template",
    )


def _value(syntax: CallSyntax) -> str:
    parameter = syntax.parameter
    if parameter is None or parameter.is_json:
        return "JSON after its key"
    return "text between markers" if parameter.opener.strip() and parameter.closer.strip() else "text after its key"


def _shown(syntax: CallSyntax) -> str:
    codec = syntax.codec
    by_codec = {
        Json: "the name, then a JSON object of the arguments",
        ScriptObject: "the name, then an object of JavaScript or Python of the arguments",
        Quoted: f"an object with bare keys: {codec}",
        Tree: f"nested tags: {codec}",
    }
    return {
        "{call}": f"a JSON object with the keys {syntax.keys[0]!r} and {syntax.keys[1]!r}",
        "{arguments}": by_codec[type(codec)],
        KEYWORDS: "Python keyword arguments",
        "{parameters}": f"each parameter as {_value(syntax)}",
    }[syntax.slot]
