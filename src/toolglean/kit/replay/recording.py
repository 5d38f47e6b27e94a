# Feeds a turn chunk by chunk, and keeps the events of each step. Does not depend on how it is shown.
"""A turn, fed step by step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Unpack

from toolglean.events import Event, Output, fold
from toolglean.kit.explain import Explanation, explain
from toolglean.options import changed
from toolglean.parser import Parser, ParserArguments
from toolglean.tools import ToolLike, ToolSet

__all__ = ["Recording", "Step", "cut_turn", "record"]

# Roughly the tokens of a tokenizer: a word with the space before it, a few signs, a run of white space.
_words = re.compile(r" ?\w{1,16}|[^\w\s]{1,4}|\s{1,16}").findall


@dataclass(frozen=True, slots=True)
class Step:
    """One chunk, and what the parser returned for it.

    Attributes:
        chunk: what was fed; None at the last step, which is the end of the turn.
        events: what `feed`, or `finish`, returned.
        state: the name of the parser's `State` after it.
        format: the name of the format that the parser had by then; None if it was not known yet.
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
        explanation: what `toolglean.kit.explain.explain` finds in it.
        title: its title.
        notes: what else the reader should know, a sentence each.
    """

    text: str
    steps: tuple[Step, ...]
    explanation: Explanation
    title: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def output(self) -> Output:
        """The output of the whole turn."""
        return fold(event for step in self.steps for event in step.events)

    @property
    def format(self) -> str | None:
        """The name of the format; None if the turn shows none."""
        return self.steps[-1].format


def cut_turn(text: str, size: int | None = None) -> list[str]:
    """Cut a turn into chunks, if its own are not known any more.

    Args:
        text: the turn.
        size: how many characters a piece has; None: words and signs, roughly as a tokenizer cuts them.

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
    **parsing: Unpack[ParserArguments],
) -> Recording:
    """Feed a turn chunk by chunk, and keep the events of each. The time is linear in the length of the turn.

    Args:
        chunks: the turn, as it arrived.
        tools, parsing: as for `Parser`. `markup` is always True, so that every character is accounted for.
        title: the title of the turn.
        notes: what else the reader should know, a sentence each.

    Returns:
        The recording, which `html_page` shows.

    Raises:
        UsageError: a wrong argument, as for `Parser`. No text raises an exception.
    """
    chunks = list(chunks)
    tools = tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)
    tiled: ParserArguments = {**parsing, "options": changed(parsing.get("options"), markup=True)}
    parser = Parser(tools, **tiled)
    steps = [_step(parser, chunk, parser.feed(chunk)) for chunk in chunks]
    steps.append(_step(parser, None, parser.finish()))
    text = "".join(chunks)
    return Recording(text, tuple(steps), explain(text, tools, **parsing), title, tuple(notes))


def _step(parser: Parser, chunk: str | None, events: list[Event]) -> Step:
    return Step(chunk, tuple(events), parser.state.name, None if parser.format is None else parser.format.name)
