# What a test lets the server play: the pieces of a turn, and what goes wrong on the way.
# Does not depend on how any wire writes it.
#
# The pieces of a turn go out in this order: `thinking`, `chunks`, `calls`; each `str` is one line or event of the wire.
# Where the order matters more finely, `chunks` may hold `Thought` and `Call` objects among the strings.
#
# `after=n` of a fault counts what the wire sends: lines of NDJSON, events of SSE. 0 is before the first.
"""Turns to be played, and faults."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolglean.kit.demo import load_streams

__all__ = ["Call", "Cut", "ErrorLine", "Fault", "Malformed", "Piece", "Slow", "Status", "Thought", "Turn", "recorded"]


@dataclass(frozen=True, slots=True)
class Call:
    """A structured call, as a server sends it that has parsed it. An `arguments` of type str goes out verbatim."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""  # "": the server makes one
    cut: int = 4  # characters of a piece of the arguments, on wires that stream them


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of reasoning."""

    text: str


Piece: TypeAlias = str | Thought | Call


@dataclass(frozen=True, slots=True)
class Status:
    """The server answers with this HTTP status at once. An openai client tries 5xx again unless told max_retries=0."""

    code: int
    body: Any = None  # None: the wire's own error object


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends after so many lines or events, in the middle of the transfer."""

    after: int


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not JSON is sent after so many."""

    after: int
    text: str = '{"model": "m", "mess'


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """The wire's error object is sent after so many lines or events, and the stream ends there, in good order."""

    after: int
    message: str = "the model has crashed"


@dataclass(frozen=True, slots=True)
class Slow:
    """The server waits after so many lines or events: so long, or until the test sets the event (5 s at most)."""

    after: int
    seconds: float = 0.0
    until: threading.Event | None = None


Fault: TypeAlias = Status | Cut | Malformed | ErrorLine | Slow


@dataclass(frozen=True, slots=True)
class Turn:
    """What the server says to one request.

    Attributes:
        chunks: text, one piece per line or event (`Thought` and `Call` may stand among it).
        calls: structured calls, after the text.
        thinking: reasoning, before the text.
        finish: Ollama's `done_reason`, OpenAI's `finish_reason`; "" for the one that fits ("stop" or "tool_calls").
        faults: what goes wrong.
        choices: further choices, for a request with n > 1; where there are too few, this turn is repeated.
        raw: sent instead of all that, each an object of the wire (or a line, verbatim); for servers with ways of their
            own.
        reasoning_key: what the server calls reasoning in OpenAI's chat API.
    """

    chunks: Sequence[Piece] = ()
    calls: Sequence[Call] = ()
    thinking: Sequence[str] = ()
    finish: str = ""
    faults: Sequence[Fault] = ()
    choices: Sequence[Turn] = ()
    raw: Sequence[Mapping[str, Any] | str] | None = None
    reasoning_key: str = "reasoning_content"

    def pieces(self) -> Iterator[Piece]:
        """The pieces, in the order in which they go out. Calls without an id get one."""
        count = 0
        for piece in [*map(Thought, self.thinking), *self.chunks, *self.calls]:
            if isinstance(piece, Call) and not piece.id:
                yield Call(piece.name, piece.arguments, f"call_{count:08x}", piece.cut)
            else:
                yield piece
            count += isinstance(piece, Call)

    def choice(self, index: int) -> Turn:
        """What is said as choice `index` of one request."""
        return self.choices[index - 1] if 0 < index <= len(self.choices) else self


def recorded(name: str, **changes: Any) -> Turn:
    """A stream that ships with toolglean (`toolglean demo --list`), token by token, as a server that does not parse."""
    stream = next(each for each in load_streams() if each.name == name)
    return Turn(stream.tokens, **changes)
