# What this file knows: how a turn is read with a format, at several chunkings, and what counts as the same.
# What it must not know: where format and turn come from.
"""Turns, read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolglean.engine.machine import Machine
from toolglean.engine.matcher.payload import FormatPlan
from toolglean.events import Output, fold
from toolglean.formats.compile import compiled
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format
    from toolglean.sources.templates.infer.probes import Said

__all__ = ["chunkings", "difference", "read"]

EVERY_CHARACTER = 4_000  # turns up to this length are read character by character, too


def read(declared: Format, tools: ToolSet, chunks: list[str], prompt: str = "") -> Output:
    """What the turn comes to. Raises FormatError if the format does not compile."""
    written_out = declared.for_tools(tools.names) if declared.is_for_tools else declared
    plan = FormatPlan(compiled((written_out or declared,)))
    machine = Machine(plan, tools, prompt=prompt)
    events = [event for chunk in chunks for event in machine.feed(chunk)]
    return fold(events + machine.finish())


def chunkings(text: str, rng: random.Random) -> Iterator[list[str]]:
    """The text whole, character by character, and cut at random."""
    yield [text]
    if len(text) <= EVERY_CHARACTER:
        yield list(text)
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 12)))
    yield [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def difference(said: Said, found: Output) -> str:
    """How what was read differs from what was said; "" where it does not. White space at the edges of texts is free."""
    if found.unfinished:
        return f"a call is {found.unfinished[0].status}"
    if len(found.calls) != len(said.calls):
        return f"{len(found.calls)} calls came back for {len(said.calls)}"
    for given, call in zip(said.calls, found.calls, strict=True):
        if call.name != given.name:
            return f"the name {given.name!r} came back as {call.name!r}"
        if call.arguments.keys() != given.arguments.keys():
            return f"the arguments {list(given.arguments)} came back as {list(call.arguments)}"
        for key, value in given.arguments.items():
            if not _same(value, call.arguments[key]):
                return f"the argument {value!r} came back as {call.arguments[key]!r}"
    for what, given_text, text in (
        ("content", said.content, found.content),
        ("reasoning", said.reasoning, found.reasoning),
    ):
        if given_text.strip() != text.strip():
            return f"the {what} {given_text!r} came back as {text!r}"
    return ""


def _same(one: Any, other: Any) -> bool:
    # 2.0 may be written as 2, but True is not 1.
    if isinstance(one, bool) or isinstance(other, bool) or one is None:
        return one is other
    if isinstance(one, int | float):
        return isinstance(other, int | float) and one == other
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
