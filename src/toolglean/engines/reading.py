# What this file knows: one turn as an engine hands it out: pieces of content, of reasoning and of calls, each call with
# an id; and which of these an engine wants: some read reasoning and calls apart, one after the other.
# What it must not know: any engine's classes, how calls are written, how they are found (clients/reading.py holds the
# text of a call until it is known whether it is one).
"""One turn, in the pieces that engines send."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.reading import TurnText
from toolglean.engines.served import Served
from toolglean.events import CallDelta, CallStart, Content, Event, Markup, Reasoning
from toolglean.parser import Parser
from toolglean.tools import ToolSet

__all__ = ["CallPart", "Piece", "TurnReader"]


@dataclass(slots=True)
class CallPart:
    """A piece of a call.

    Attributes:
        index: which call of the turn, from 0.
        arguments: a piece of its arguments, as JSON text.
        id: its id, in its first piece; "" in all others.
        name: the tool's name, likewise.
    """

    index: int
    arguments: str = ""
    id: str = ""
    name: str = ""


@dataclass(slots=True)
class Piece:
    """What has become certain.

    Attributes:
        content, reasoning: text; "" for none.
        calls: pieces of calls, at most one for each call.
    """

    content: str = ""
    reasoning: str = ""
    calls: list[CallPart] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.content or self.reasoning or self.calls)


class TurnReader:
    """Reads one turn.

    A call of a tool that the request does not have is content: an engine's answer cannot say that a tool is unknown.

    Args:
        served: how the model writes.
        tools: the request's tools; None if there are none: then any name may be a tool's.
        prompt: the prompt or its end; "" if it is not known.
        in_reasoning: whether the turn begins inside the reasoning, if the prompt is not known.
        calls: whether calls are read. If not, their text stays content, and so does every marker except those of the
            reasoning: another reader can read it.
        reasoning: whether reasoning is told apart. If not, its text and its markers are content.
        whole_calls: whether a call comes out only once it has ended well; the text of one that does not is content.
        single_call: whether only the first call comes out; the text of further ones is content.
        new_id: makes the id of a call for which the model wrote none; None: it is `call_` and 24 random digits.

    Attributes:
        ended: whether the reasoning is over: it was closed, or content or a call has come.
    """

    __slots__ = ("_calls", "_new_id", "_prefix", "_reasoning", "_served", "_turn", "ended")

    def __init__(
        self,
        served: Served,
        tools: ToolSet | None = None,
        *,
        prompt: str = "",
        in_reasoning: bool = False,
        calls: bool = True,
        reasoning: bool = True,
        whole_calls: bool = False,
        single_call: bool = False,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        self.ended = False
        self._served = served
        self._calls = calls
        self._reasoning = reasoning
        self._new_id = new_id or _random_id
        self._prefix = f"call_{uuid.uuid4().hex}_"
        start: dict[str, Any] = {"prompt": prompt} if prompt else {"start": "reasoning" if in_reasoning else "content"}
        parser = Parser(
            tools,
            markup=True,
            unknown_tools="content" if tools else "call",
            id_prefix=self._prefix,
            **start,
            **served.arguments,
        )
        self._turn = TurnText(
            parser, self._prefix, whole_calls=whole_calls or not calls, single_call=single_call or not calls
        )
        if not calls:
            self._turn.take()

    def feed(self, text: str) -> Piece:
        """What a piece of text has made certain."""
        return self._piece(self._turn.feed(text))

    def finish(self) -> Piece:
        """The turn is over: what was held back."""
        return self._piece(self._turn.finish())

    def read(self, text: str) -> Piece:
        """A whole turn. Its calls come whole: one `CallPart` for each."""
        first, last = self.feed(text), self.finish()
        return Piece(first.content + last.content, first.reasoning + last.reasoning, _joined(first.calls + last.calls))

    def _piece(self, events: Iterable[Event]) -> Piece:
        if not isinstance(events, list):
            events = list(events)
        if len(events) == 1 and type(event := events[0]) is Content and self.ended:
            return Piece(event.text)  # most chunks
        content: list[str] = []
        reasoning: list[str] = []
        calls: list[CallPart] = []
        for event in events:
            if type(event) is Content:
                self.ended = self.ended or not event.text.isspace()
                content.append(event.text)
            elif type(event) is Reasoning:
                (reasoning if self._reasoning else content).append(event.text)
            elif type(event) is Markup:
                content.append(self._left_of(event.text))
            elif type(event) is CallStart:
                self.ended = True
                calls.append(CallPart(event.index, id=self._id(event.id), name=event.name))
            elif type(event) is CallDelta:
                calls.append(CallPart(event.index, event.text))
        return Piece("".join(content), "".join(reasoning), _joined(calls))

    def _id(self, given: str | None) -> str:
        return self._new_id() if given is None or given.startswith(self._prefix) else given

    def _left_of(self, markup: str) -> str:
        # What of the format's own text the next reader needs, and whether the reasoning ended in it.
        bare = markup
        for opener, closer in self._served.pairs:
            self.ended = self.ended or (bool(closer) and closer in markup)
            if self._reasoning:
                bare = _without(opener, _without(closer, bare))
        if not self._reasoning and bare.strip() in {marker for pair in self._served.pairs for marker in pair}:
            return markup
        return "" if self._calls else bare


def _without(marker: str, text: str) -> str:
    # The white space beside a marker of reasoning goes with it: it is neither the reasoning's nor the content's.
    return re.sub(rf"\s*{re.escape(marker)}\s*", "", text) if marker and marker in text else text


def _joined(parts: list[CallPart]) -> list[CallPart]:
    found: list[CallPart] = []
    texts: list[list[str]] = []
    for part in parts:
        if not found or found[-1].index != part.index:
            found.append(part)
            texts.append([])
        texts[-1].append(part.arguments)
    for part, pieces in zip(found, texts, strict=True):
        part.arguments = "".join(pieces)
    return found


def _random_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"
