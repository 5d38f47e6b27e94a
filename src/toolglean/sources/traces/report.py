# How many turns support each part of a format, and what they do not show. Does not depend on how it was learnt.
"""Evidence and losses of a format that was learnt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolglean.formats.spec import Format, Pairs
from toolglean.scan.coerce import kinds_of
from toolglean.sources.traces.agreement import Agreement
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.proof import STEPS, Proof
from toolglean.tools import Tool

__all__ = ["evidence_of", "left_out_lines", "losses_of"]

KINDS = ("string", "integer", "number", "boolean", "array", "object")


def evidence_of(found: Agreement, proof: Proof, given: Given, differing: tuple[int, ...]) -> tuple[str, ...]:
    """One line for each part."""
    shape, frame = found.candidate.shape, found.candidate.frame
    total, count = len(given.turns), len(proof.readings)
    readings, turns = proof.readings, [given.turns[number] for number in found.fitting(given)]
    called = found.called
    lines = [f"{called} of {total} turns: {found.calls} calls, each {shape.kind}"]
    lines.append(f"{called} turns: {frame.opener.strip()!r} before and {frame.closer.strip()!r} after each call")
    if several := sum(len(reading.calls) > 1 for reading in readings):
        lines.append(f"{several} turns: several calls, separated by {frame.separator!r}")
    if frame.section != ("", ""):
        lines.append(
            f"{called} turns: the calls are between {frame.section[0].strip()!r} and {frame.section[1].strip()!r}"
        )
    talk = frame.talk
    if talk.reasoning[0]:
        pair = tuple(each.strip() for each in talk.reasoning)
        thought = sum(bool(reading.reasoning) for reading in readings)
        lines.append(f"{thought} turns: reasoning is between {pair[0]!r} and {pair[1]!r}")
    if talk.content[0]:
        pair = tuple(each.strip() for each in talk.content)
        said = sum(pair[0] in text for text in turns)
        lines.append(f"{said} turns: content is between {pair[0]!r} and {pair[1]!r}")
    if talk.end:
        ended = sum(text.rstrip().endswith(talk.end) for text in turns)
        lines.append(f"{ended} turns: they end with {talk.end!r}")
    if plain := count - called:
        lines.append(f"{plain} turn{'s' * (plain > 1)} without a call: nothing in them is read as one")
    if total > count:
        lines.append(f"{total - count} of {total} turns do not agree with these, and are left out")
    lines.append(f"{count} of {total} turns are read the same whole and {_cut(turns)}")
    lines.append(f"{count - len(proof.unwritten)} of {total} turns are the same after they are written and read again")
    kept = len(found.kept.difference(found.faults))
    lines.append(f"{kept - len(differing)} of {kept} turns are read the same with what the others show")
    return tuple(lines)


def _cut(turns: list[str]) -> str:
    by_characters = all(len(text) <= STEPS // len(turns) for text in turns)
    return "character by character" if by_characters else "in pieces, long ones by character only at both ends"


def left_out_lines(left_out: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """One line for each turn that is left out."""
    return tuple(f"turn {number + 1} is left out: {why}" for number, why in left_out)


def _kinds(parameters: Iterable[tuple[Tool, str]]) -> set[str]:
    return {kind for tool, key in parameters for kind in kinds_of(tool.properties.get(key), tool.parameters)}


def losses_of(
    declared: Format, proof: Proof, given: Given, turns: Sequence[int], differing: tuple[int, ...]
) -> tuple[str, ...]:
    """What the turns do not show, and what cannot be written; one line each."""
    lines = []
    if not any(len(reading.calls) > 1 for reading in proof.readings):
        lines.append("no turn has two calls: what is between calls is a guess")
    lines += [f"only turn {number + 1} shows all that it needs: pass more turns like it" for number in differing]
    every = _kinds((tool, key) for tool in given.tools for key in tool.properties)
    calls = [call for reading in proof.readings for call in reading.calls]
    seen = _kinds((tool, key) for tool in given.tools for name, keys in calls if name == tool.name for key in keys)
    one_key = all(len(keys) < 2 for _, keys in calls) and any(len(tool.properties) > 1 for tool in given.tools)
    if one_key and (declared.parameter or isinstance(declared.arguments, Pairs)):
        lines.append("no call has two parameters: what is between parameters is a guess, and a value may swallow one")
    missing = [kind for kind in KINDS if kind in every - seen]
    if missing and "{call" not in declared.call:
        lines.append(f"no turn has a value of the type {' or '.join(missing)}: how it is written is a guess")
    lines += [f"turn {turns[number] + 1} cannot be written: {why}" for number, why in proof.unwritten]
    return tuple(lines)
