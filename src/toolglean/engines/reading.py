# One turn as an engine sends it: deltas of content, of reasoning and of calls, each call with an id; and which of these
# an engine asks for: some read reasoning and calls separately, one after the other.
# Does not depend on any engine's classes, on how calls are written, or on how they are found
# (conversation/reading/text.py holds back the text of a call until it is clear whether it is one).
"""One turn, in the deltas that engines send."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from toolglean.conversation.fields import refused_end
from toolglean.conversation.reading.arguments import text_for
from toolglean.engines.syntax import ModelSyntax
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Reasoning
from toolglean.options import ParserOptions, changed
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.engines.special_tokens import SpecialTokens

__all__ = ["ToolCallDelta", "TurnDelta", "TurnReader"]


@dataclass(slots=True)
class ToolCallDelta:
    """What a delta adds to a call.

    Attributes:
        index: which call of the turn, from 0.
        arguments: a piece of its arguments, as JSON text.
        id: its id, in its first delta; "" in all others.
        name: the tool's name, likewise.
    """

    index: int
    arguments: str = ""
    id: str = ""
    name: str = ""


@dataclass(slots=True)
class TurnDelta:
    """What has become certain, and can be sent.

    Attributes:
        content, reasoning: text; "" for none.
        calls: the deltas of calls, at most one for each call.
    """

    content: str = ""
    reasoning: str = ""
    calls: list[ToolCallDelta] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.content or self.reasoning or self.calls)


class TurnReader:
    """Reads one turn.

    Args:
        syntax: how the model writes.
        tools: the request's tools; None if there are none: then any name may be a tool's.
        prompt: the prompt or its end; "" if it is not known.
        in_reasoning: whether the turn begins inside the reasoning, if the prompt is not known.
        calls: whether calls are emitted. If not, their text is content, with their markers.
        reasoning: whether reasoning is separated from content. If not, its text and its markers are content.
        spaces: whether the white space next to the markers of reasoning is kept, at the edges of the reasoning and of
            the content. White space between the reasoning and a call is part of neither.
        whole_calls: whether a call is emitted only once it has ended well; the text of one that does not is content.
        single_call: whether only the first call is emitted; the text of further ones is content.
        options: how calls are read; None: the default ones. Calls to a tool that is not among the request's tools are
            content by default, because an engine's answer cannot mark a tool as unknown.
        new_id: makes the id of a call without an id of the model; None: it is `call_` and 24 random hex digits.
        special: the special tokens of the model's vocabulary, if `feed` gets token ids; None: they are not known.

    Attributes:
        ended: whether the reasoning is over: it was closed, or there was content or a call.
        broken: the indexes of calls that were emitted and did not end well: they must not be run. Their arguments,
            joined, are never JSON, as in `conversation.ChatDeltas`.
    """

    def __init__(
        self,
        syntax: ModelSyntax,
        tools: ToolSet | None = None,
        *,
        prompt: str = "",
        in_reasoning: bool = False,
        calls: bool = True,
        reasoning: bool = True,
        spaces: bool = False,
        whole_calls: bool = False,
        single_call: bool = False,
        options: ParserOptions | None = None,
        new_id: Callable[[], str] | None = None,
        special: SpecialTokens | None = None,
    ) -> None:
        self.ended = False
        self.broken: set[int] = set()
        self._syntax = syntax
        self._calls = calls
        self._spaces = spaces
        self._inside = in_reasoning  # if the prompt is known, the first event tells
        self._gap = ""  # white space after the reasoning, which belongs to the content if content follows
        self._reasoning = reasoning
        self._new_id = new_id or _random_id
        self._spans = None if special is None else special.turn()
        start: dict[str, Any] = {"prompt": prompt} if prompt else {"start": "reasoning" if in_reasoning else "content"}
        chosen = changed(options, markup=True, id_prefix=None, **({} if calls else {"unknown_tools": "call"}))
        whole, single = whole_calls or not calls, single_call or not calls
        manner = {"whole_calls": whole, "single_call": single, "keep_closers": calls}
        atomic = None if special is None else special.atomic
        self._turn = text_for(tools, {"options": chosen, "atomic": atomic, **manner, **start, **syntax.arguments})
        self._prefix = self._turn.id_prefix
        if not calls:
            self._turn.take()

    def feed(self, text: str, ids: Sequence[int] | None = None) -> TurnDelta:
        """What a piece of text makes certain.

        Args:
            text: the text, possibly empty.
            ids: the ids of the tokens since the last piece; None: they are not known, nor are those that follow.
        """
        special = None if self._spans is None else self._spans.spans(text, ids)
        return self._piece(self._turn.feed(text, special))

    def finish(self) -> TurnDelta:
        """The turn is over: what was held back."""
        return self._piece(self._turn.finish())

    def read(self, text: str) -> TurnDelta:
        """A whole turn. Its calls come whole: one `ToolCallDelta` for each."""
        first, last = self.feed(text), self.finish()
        return TurnDelta(
            first.content + last.content, first.reasoning + last.reasoning, _joined(first.calls + last.calls)
        )

    def _piece(self, events: list[Event]) -> TurnDelta:
        if len(events) == 1 and (plain := self._plain(events[0])) is not None:
            return plain
        content: list[str] = []
        reasoning: list[str] = []
        calls: list[ToolCallDelta] = []
        for event in events:
            if type(event) is Content:
                self._outside(event.text)
                content += (self._gap, event.text)
                self._gap = ""
            elif type(event) is Reasoning:
                self._inside = True
                (reasoning if self._reasoning else content).append(event.text)
            elif type(event) is Markup:
                self._markup(event.text, content, reasoning)
            elif type(event) is CallStart:
                self._outside(event.name)
                self._gap = ""
                calls.append(ToolCallDelta(event.index, id=self._id(event.id), name=event.name))
            elif type(event) is CallDelta:
                calls.append(ToolCallDelta(event.index, event.text))
            elif type(event) is CallEnd and event.call.status != "ok":
                self.broken.add(event.index)
                # The pieces that were sent must not join to arguments that a client can run.
                if rest := refused_end(event.call.arguments_text, event.call.status):
                    calls.append(ToolCallDelta(event.index, rest))
        return TurnDelta("".join(content), "".join(reasoning), _joined(calls))

    def _plain(self, event: Event) -> TurnDelta | None:
        # Most chunks: more text of the content, or of a call.
        if type(event) is CallDelta:
            return TurnDelta(calls=[ToolCallDelta(event.index, event.text)])
        return TurnDelta(event.text) if type(event) is Content and self.ended and not self._gap else None

    def _id(self, given: str | None) -> str:
        return self._new_id() if given is None or given.startswith(self._prefix) else given

    def _outside(self, text: str) -> None:
        self._inside = False
        self.ended = self.ended or not text.isspace()

    def _markup(self, text: str, content: list[str], reasoning: list[str]) -> None:
        # The format's own text: the markers of reasoning, the white space next to them, and everything else.
        openers, closers, marks = _marks(self._syntax.declared)
        pieces = marks.split(text) if marks is not None else [text]
        if not self._reasoning and (len(pieces) > 1 or self._inside):
            content.append(text)
        for number, piece in enumerate(pieces):
            if number % 2:  # a marker
                marker = piece.strip()
                self._inside = marker in openers and not (self._inside and marker in closers)
                self.ended = not self._inside
            elif self._reasoning and self._inside and (piece.isspace() or not piece):
                begins = number + 1 < len(pieces) and pieces[number + 1].strip() not in closers
                reasoning.append(piece if self._spaces and not begins else "")
            elif self._reasoning or (len(pieces) == 1 and not self._inside):
                self._other(piece, content, near=len(pieces) > 1)

    def _other(self, text: str, content: list[str], *, near: bool) -> None:
        # Text that belongs neither to the reasoning nor to its markers. White space between them and a call is dropped.
        if near and (text.isspace() or not text):
            self._gap += text if self._spaces else ""
            text = ""
        if not self._calls:
            for end in self._syntax.ends:
                text = _without(end, text)
            if text:
                content += (self._gap, text)
                self._gap = ""


@lru_cache(maxsize=256)
def _marks(declared: tuple[tuple[str, str], ...]) -> tuple[frozenset[str], frozenset[str], re.Pattern[str] | None]:
    # White space that a format declares as part of a marker belongs to the marker.
    openers = frozenset(opener.strip() for opener, _ in declared if opener.strip())
    closers = frozenset(closer.strip() for _, closer in declared if closer.strip())
    every = sorted({marker for pair in declared for marker in pair if marker.strip()}, key=len, reverse=True)
    return openers, closers, re.compile(f"({'|'.join(map(_spelt, every))})") if every else None


def _spelt(marker: str) -> str:
    bare = marker.strip()
    before, after = ("".join(f"(?:{re.escape(each)})?" for each in edge) for edge in marker.split(bare))
    return before + re.escape(bare) + after


def _without(marker: str, text: str) -> str:
    # The white space around such a marker is removed with it.
    return re.sub(rf"\s*{re.escape(marker)}\s*", "", text) if marker and marker in text else text


def _joined(parts: list[ToolCallDelta]) -> list[ToolCallDelta]:
    found: list[ToolCallDelta] = []
    for _, group in groupby(parts, key=lambda part: part.index):
        first, *rest = group
        first.arguments += "".join(part.arguments for part in rest)
        found.append(first)
    return found


def _random_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"
