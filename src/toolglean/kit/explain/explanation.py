# The parts of an explanation. Does not depend on how any of them is found (the other files here), or on how they are
# shown (wording.py, cli/explain.py).
"""The parts of an explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolglean.events import ProblemCode, ToolCall

__all__ = ["Advice", "Cause", "Explanation", "Kind", "Opener", "Outcome", "Quotation", "Reach", "Span", "Trouble"]

Outcome: TypeAlias = Literal["call", "marker", "malformed", "unfinished", "none", "stopped"]
Kind: TypeAlias = Literal["call", "end of call", "reasoning", "end of reasoning", "start of turn"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the turn, and what it was read as.

    Attributes:
        kind: "content", "reasoning", "call" or "markup".
        start, end: its place in the turn, in characters.
        line, column: of its first character, both counted from 1.
        text: the part itself.
        call: the call, if it is one.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    text: str
    call: ToolCall | None = None


@dataclass(frozen=True, slots=True)
class Quotation:
    """A part of the content that is quoted: a call in it is content.

    Attributes:
        context: what quotes it, in words: "code", "a code fence", "a quoted line", "a JSON string" and so on.
        start, end: its place in the turn, in characters.
        since: the place of what opened the quotation.
        line, column: of its first character, both counted from 1.
    """

    context: str
    start: int
    end: int
    since: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A `Problem` of the parser, with its line and column.

    Attributes:
        code, reason, text, start: as in `Problem`.
        line, column: of `start`, both counted from 1.
    """

    code: ProblemCode
    reason: str
    text: str
    start: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the reading of one format got from an opener.

    Attributes:
        format: the format's name.
        outcome: "call": a whole call was read; "marker": the marker means something by itself, as that of reasoning
            does; "malformed": a call began and cannot be read; "unfinished": the text ended first; "none": not a call;
            "stopped": the explanation looked no further.
        chars: how many characters fit.
        end, line, column: the place of the first character that does not fit, or of the end of the text.
        expected: what could have followed there, the likeliest first; empty for a whole call.
        name: the name that was read, or "".
        within: what was being read there: "markers", "name", "value", "arguments", "JSON" or "".
    """

    format: str
    outcome: Outcome
    chars: int
    end: int
    line: int
    column: int
    expected: tuple[str, ...] = ()
    name: str = ""
    within: str = ""


@dataclass(frozen=True, slots=True)
class Opener:
    """A marker that was seen in the turn.

    Attributes:
        text: the marker; for bare JSON and the like, its first character.
        kind: "call" (an opener of calls), "end of call", "reasoning", "end of reasoning", or "start of turn": what may
            be a call without a marker, because the turn begins there.
        start, line, column: its place.
        read_as: what it was read as: the kind of its span; "call" also if a call was not finished.
        quoted: whether it is in inline code or in a code fence.
        formats: the names of the formats that it fits.
        reaches: how far each of these got, the farthest first; empty if a whole call was read from there.
        left_out: how many further formats fit and are not in `reaches`.
    """

    text: str
    kind: Kind
    start: int
    line: int
    column: int
    read_as: str
    quoted: bool
    formats: tuple[str, ...]
    reaches: tuple[Reach, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely cause.

    Attributes:
        name: a name for programs, such as "cut-off"; docs/how-to/troubleshooting.md lists them.
        text: the cause, and what to do about it, in plain words.
        start, line, column: the place that shows it.
    """

    name: str
    text: str
    start: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Advice:
    """What to pass to read the turn differently. It was tried.

    Attributes:
        options: the arguments of `Parser` that change, with their values.
        text: the same as code, such as `format="gemma-4"`.
        effect: what the turn is then read as.
        calls: the names of the complete calls.
    """

    options: Mapping[str, Any]
    text: str
    effect: str
    calls: tuple[str, ...]


@dataclass(slots=True)
class Explanation:
    """Why a turn was read as it was.

    Attributes:
        format: the name of the format in which it was read; None if the turn shows none.
        complete: whether nothing is left to explain: no problem, no likely cause, no unfinished call, and no marker
            without a call.
        calls: the names of the complete calls.
        spans: what the turn was read as, without gaps.
        quotations: the parts of its content that are quoted.
        problems: what the parser reported.
        openers: the markers that were seen, in order. Markers inside whole calls and in markup are left out.
        openers_left_out: how many more there are.
        causes: the likely causes, the likeliest first.
        advice: what to pass to read the turn differently.
    """

    format: str | None
    complete: bool
    calls: tuple[str, ...] = ()
    spans: list[Span] = field(default_factory=list)
    quotations: list[Quotation] = field(default_factory=list)
    problems: list[Trouble] = field(default_factory=list)
    openers: list[Opener] = field(default_factory=list)
    openers_left_out: int = 0
    causes: list[Cause] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)
