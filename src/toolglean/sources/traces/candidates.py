# From a few turns to the declaration that explains them: every way to explain their calls becomes a declaration, each
# is proven, and of those that are right the shortest is the best. Does not depend on which turns these are.
"""The best declaration for some turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.patterns import is_marker
from toolglean.formats.spec import Format, Pairs, Tree, literals_of
from toolglean.sources.templates.infer.call_syntax import as_list
from toolglean.sources.traces.bodies import Shape, shapes
from toolglean.sources.traces.frames import Frame, frame_of
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.pairs import pair_shapes
from toolglean.sources.traces.proof import Proof, loses_brackets, prove
from toolglean.sources.traces.refusals import Failure
from toolglean.sources.traces.safety import danger, mentioned, shown_only
from toolglean.sources.traces.sites import groups, sites_in
from toolglean.sources.traces.texts import markers_in

__all__ = ["Candidate", "best_of"]


@dataclass(frozen=True)
class Candidate:
    """A declaration that may be right: what it follows from, and how many calls each turn has."""

    declared: Format
    shape: Shape
    frame: Frame
    counts: tuple[int, ...]


def best_of(name: str, given: Given, failures: list[Failure]) -> Candidate | None:
    """The best declaration; None if none is right. What is wrong with the others is added to a list."""
    fitting: list[Candidate] = []
    for candidate in _candidates(name, given, failures):
        fault = danger(candidate.declared, candidate.shape)
        proof = Proof(fault) if fault else prove(candidate.declared, given, candidate.counts, carefully=False)
        fault = proof.fault or shown_only(candidate.declared)
        fault = fault or mentioned(candidate.declared, (reading.content for reading in proof.readings))
        if fault:
            failures.append(_failure(given, candidate, fault, proof.turn))
        else:
            fitting.append(candidate)
    most = max((sum(each.counts) for each in fitting), default=0)
    fitting = sorted((each for each in fitting if sum(each.counts) == most), key=lambda each: _size_of(each.declared))
    right: list[tuple[Candidate, Proof]] = []
    for candidate in fitting:
        proof = prove(candidate.declared, given, candidate.counts)
        if not proof.fault:
            right.append((candidate, proof))
        else:
            failures.append(_failure(given, candidate, proof.fault, proof.turn))
    if len(right) < 2:
        return right[0][0] if right else None
    return min(right, key=lambda each: (len(each[1].unwritten), _is_doubtful(given, *each)))[0]


def _candidates(name: str, given: Given, failures: list[Failure]) -> Iterator[Candidate]:
    seen: set[tuple[Format, tuple[int, ...]]] = set()
    for group in groups(given, sites_in(given)):
        for shape in (*shapes(given, group), *pair_shapes(given, group)):
            try:
                frame = frame_of(given, shape)
                made = list(_declarations(name, shape, frame))
            except FormatError as error:
                failures.append(Failure(str(error), None, -1, 0))
                continue
            counts = tuple(map(len, shape.bodies))
            for declared in made:
                if (declared, counts) not in seen:
                    seen.add((declared, counts))
                    yield Candidate(declared, shape, frame, counts)


def _failure(given: Given, candidate: Candidate, fault: str, turn: int) -> Failure:
    number = given.numbers[turn] if turn >= 0 else -1
    return Failure(fault, candidate.declared, number, sum(candidate.counts))


def _is_doubtful(given: Given, candidate: Candidate, proof: Proof) -> bool:
    # Brackets at the end of a value that are taken for those of the closer; lists and objects that were read as JSON
    # within elements: elements may be in their strings.
    values = [value for each in proof.readings for _, given in each.calls for value in given.values()]
    is_tree = isinstance(candidate.declared.arguments, Tree)
    return (is_tree and any(isinstance(value, list | dict) for value in values)) or loses_brackets(
        candidate.declared, given.tools, proof.readings
    )


# -- declarations ------------------------------------------------------------------------------------------------------


def _declarations(name: str, shape: Shape, frame: Frame) -> Iterator[Format]:
    # Those of that shape and frame, or FormatError, which says why none can be written.
    if frame.head is None:
        raise FormatError("the text between the name and the arguments differs from call to call")
    if frame.separator is None:
        raise FormatError("the text between two calls differs from turn to turn")
    if frame.closer.strip() in {'"', "'"}:
        raise FormatError("only a quote shows where a call ends: it needs a closing marker")
    opener = frame.opener.strip()
    if any(each.isalnum() for each in opener) and re.search(re.escape(opener) + r"(?!\w)", frame.closer):
        raise FormatError("the text after a call has the opener of another one in it")
    closer, parameter = frame.closer, shape.fields.get("parameter", "")
    if parameter[-1:].isspace():  # the white space before the closer is the parameter's
        closer = closer.lstrip()
    body = shape.slot if shape.slot in {"{call}", "{calls}"} else "{name}" + frame.head + shape.slot
    call = (frame.opener + body + closer).strip()
    words: dict[str, Any] = {
        **shape.fields,
        "section": frame.section,
        "separator": frame.separator or ("\n" if not frame.several else ""),
        "reasoning": frame.talk.reasoning,
        "content_markers": tuple(filter(None, (frame.talk.content[0].strip(),))),
        "drop": tuple(dict.fromkeys(filter(None, (frame.talk.content[1].strip(), frame.talk.end, *frame.extra)))),
        "registered_only": frame.named,
    }
    if (listed := _listed(frame, body)) is not None:
        yield Format(name, call=listed, **(words | {"section": ("", ""), "separator": ""}))
    yield Format(name, call=call, **(words | _care(call, frame)))
    lead, marker, rest = frame.opener.partition(next(iter(markers_in(frame.opener)), "\n"))
    if "{id}" in lead and marker.strip():  # words that count the calls may be content: `Step 2: <use>`
        call = (marker + rest + body + closer).strip()
        yield Format(name, call=call, **(words | _care(call, frame)))


def _listed(frame: Frame, body: str) -> str | None:
    if body != "{call}":
        return None
    if not frame.opener.strip() and not frame.closer.strip():
        return as_list(*frame.section) if frame.separator == ", " or frame.several else None
    return None if frame.several else as_list(frame.opener, frame.closer)


def _care(call: str, frame: Frame) -> dict[str, Any]:
    # A call that begins with a word begins a line, and counts only with a tool's name.
    first = next(iter(literals_of(frame.section[0] or call)), "")
    if first[:1].isalnum():
        return {"at_line_start": True, "registered_only": True}
    return {} if is_marker(first) else {"registered_only": True}


def _size_of(declared: Format) -> tuple[int, int]:
    # Its fields, then its characters. Pairs are the last resort: no grammar has them.
    given = [getattr(declared, each.name) for each in fields(declared) if each.name not in {"name", "source", "origin"}]
    said = [value for value in given if value not in ("", (), ("", ""), False, None, {})]
    return len(said) + 2 * isinstance(declared.arguments, Pairs), sum(len(str(value)) for value in said)
