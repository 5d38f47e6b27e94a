# What this file knows: how a turn is fed chunk by chunk, and what is kept of it.
# What it must not know: how it is shown.
"""A turn, fed step by step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from toolglean.events import Event, Output, fold
from toolglean.kit.explain import Explanation, explain
from toolglean.options import changed
from toolglean.parser import Parser
from toolglean.tools import ToolLike, ToolSet

__all__ = ["Recording", "Step", "cut_turn", "record"]

# About what a tokenizer makes: a word with the space before it, a few signs, a run of white space.
_words = re.compile(r" ?\w{1,16}|[^\w\s]{1,4}|\s{1,16}").findall


@dataclass(frozen=True, slots=True)
class Step:
    """One chunk, and what came of it.

    Attributes:
        chunk: what was fed; None at the last step, which is the end of the turn.
        events: what `feed`, or `finish`, returned.
        state: the name of the parser's `State` after it.
        format: the name of the format that the parser had by then; None while none was known.
    """

    chunk: str | None
    events: tuple[Event, ...]
    state: str
    format: str | None


@dataclass(frozen=True, slots=True)
class Recording:
    """A turn that was fed chunk by chunk.

    Attributes:
        text: the whole turn.
        steps: one for each chunk, and one for the end of the turn.
        explanation: what `toolglean.kit.explain.explain` says of it.
        title: what it is called.
        notes: what the reader should know besides, a sentence each.
    """

    text: str
    steps: tuple[Step, ...]
    explanation: Explanation
    title: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def output(self) -> Output:
        """What the whole turn came to."""
        return fold(event for step in self.steps for event in step.events)

    @property
    def format(self) -> str | None:
        """The name of the format, as far as the turn has shown one."""
        return self.steps[-1].format


def cut_turn(text: str, size: int | None = None) -> list[str]:
    """Cut a turn of which nobody knows any more how it came.

    Args:
        text: the turn.
        size: how many characters a piece has; None: words and signs, about as a tokenizer cuts them.

    Returns:
        The pieces; joined, they are the text.
    """
    return _words(text) if size is None else [text[i : i + size] for i in range(0, len(text), size)]


def record(
    chunks: Iterable[str],
    tools: Iterable[ToolLike] | ToolSet | None = None,
    *,
    title: str = "",
    notes: Iterable[str] = (),
    **options: Any,
) -> Recording:
    """Feed a turn chunk by chunk, and keep what came of each. The time is linear in the length of the turn.

    Args:
        chunks: the turn, as it arrived.
        tools, options: as for `Parser`. `markup` counts as True, so that every character is accounted for.
        title: what the turn is called.
        notes: what the reader should know besides, a sentence each.

    Returns:
        The recording, which `html_page` shows.

    Raises:
        UsageError: a wrong argument, as for `Parser`. No text raises an exception.
    """
    chunks = list(chunks)
    tools = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
    parser = Parser(tools, **{**options, "options": changed(options.get("options"), markup=True)})
    steps = [_step(parser, chunk, parser.feed(chunk)) for chunk in chunks]
    steps.append(_step(parser, None, parser.finish()))
    text = "".join(chunks)
    return Recording(text, tuple(steps), explain(text, tools, **options), title, tuple(notes))


def _step(parser: Parser, chunk: str | None, events: list[Event]) -> Step:
    return Step(chunk, tuple(events), parser.state.name, None if parser.format is None else parser.format.name)
