# The reasoning that a server has taken out of the text itself, and the calls in it. Does not depend on the name of the
# field, or on what becomes of a call.
#
# The field is the reasoning of the same turn, so calls in it are drafts, as in any reasoning (engine/judge/drafts.py).
# The marker that closes the reasoning is not in it, so what shows that the reasoning went on, or ended, is
#
#   more reasoning in the field                    the parser sees it
#   content, or a call that the server has parsed  the client says so (`drop`)
#   the end of the turn                            the calls are the turn's, unless the turn was cut off
#
# Everything in the field that is not such a call stays as it is, markers included.
"""A server's own reasoning field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from toolglean.conversation.reading.tape import Tape
from toolglean.errors import UsageError
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Problem, Reasoning
from toolglean.options import changed, options_of
from toolglean.parser import Parser

__all__ = ["NewField", "ReasoningField", "Said", "reader_of_reasoning"]

Text: TypeAlias = Content | Reasoning | Markup
Said: TypeAlias = str | CallEnd
"""Text that stays in the field, or a call that is the turn's."""
NewField: TypeAlias = "Callable[[Callable[[CallEnd], bool]], ReasoningField]"
"""Makes a reader, which asks that function for each call whether it is the turn's."""


def parser_of_reasoning(tools: Any, parsing: Mapping[str, Any]) -> Parser:
    """A parser for such a field.

    Args:
        tools, parsing: as for `toolglean.Parser`, for the text of the turn.
    """
    options = changed(parsing.get("options"), markup=True, unknown_tools="call", trailing_json="content")
    asked = {name: value for name, value in parsing.items() if name not in {"start", "prompt", "options"}}
    try:
        return Parser(tools, start="reasoning", options=options, **asked)
    except UsageError:  # a tag has no reasoning
        return Parser(tools, start="content", options=options, **asked)


def reader_of_reasoning(tools: Any, parsing: Mapping[str, Any]) -> NewField | None:
    """What makes the reader of such a field; None if nothing in it is a call.

    Args:
        tools, parsing: as for `toolglean.Parser`, for the text of the turn.
    """
    chosen = options_of(parsing.get("options")).calls_in_reasoning
    if chosen == "text":
        return None
    return partial(ReasoningField, partial(parser_of_reasoning, tools, parsing), at_once=chosen == "call")


class ReasoningField:
    """Reads the field of one turn.

    Args:
        new: makes a parser for it, which reports `Markup`.
        accepts: takes a call for the turn, or refuses it: then its text stays in the field.
        at_once: whether calls are returned as soon as each has ended; if not, at the end of the turn.
    """

    __slots__ = ("_accepts", "_at_once", "_base", "_closes", "_held", "_new", "_parser", "_seen", "_tape", "_told")

    def __init__(self, new: Callable[[], Parser], accepts: Callable[[CallEnd], bool], *, at_once: bool) -> None:
        self._new, self._accepts, self._at_once = new, accepts, at_once
        self._parser = new()
        self._tape = Tape()
        self._base = 0  # where the parser began
        self._seen = 0  # the end of what was read
        self._told = 0  # the end of what was returned
        self._held: list[CallEnd | Text] = []  # calls that may be drafts, and the markup after them
        self._closes = False  # whether markup would belong to the call before it

    @property
    def waits(self) -> bool:
        """Whether some of the text is held back."""
        return self._told < self._seen

    def feed(self, text: str) -> list[Said]:
        """What is certain now that this text was read."""
        events, plain = self._parser.feed(text), self._told == self._seen and not self._closes
        self._seen += len(text)
        if plain and len(events) == 1 and type(events[0]) is Reasoning and events[0].text == text:  # most chunks
            self._told = self._seen
            return [text]
        self._tape.add(text, self._seen - len(text))
        found = self._read(events)
        rest = self._seen - self._told
        if 0 < rest <= len(text) and text[-rest:].isspace() and not self._closes:
            found += self._text(self._seen)  # the parser holds it back, but it is never part of a call
        return _joined(found)

    def drop(self) -> list[Said]:
        """The reasoning is over, and the turn goes on: what was held back is text."""
        found = self._read(self._parser.finish()) if self._at_once else []
        self._held.clear()
        return found + self._rest()

    def finish(self) -> list[Said]:
        """The turn is over: what was held back."""
        found = self._read(self._parser.finish())
        held, self._held = self._held, []
        for event in held:
            found += self._said(event)
        return found + self._rest()

    def _rest(self) -> list[Said]:
        # What was not returned is text. More reasoning may follow, which is read anew.
        found = self._text(self._seen)
        self._parser, self._base, self._closes = self._new(), self._seen, False
        return found

    def _read(self, events: list[Event]) -> list[Said]:
        found: list[Said] = []
        for event in events:
            if isinstance(event, CallStart | CallDelta | Problem):
                continue
            if not self._at_once and (isinstance(event, CallEnd) or (self._held and _is_space(event))):
                self._held.append(event)
                continue
            self._held.clear()  # text after a call shows that it was a draft
            found += self._said(event)
        return found

    def _said(self, event: CallEnd | Text) -> list[Said]:
        if isinstance(event, CallEnd):
            start, end = event.call.span
            before = self._text(self._base + start)
            self._closes = self._accepts(event)
            return [*before, event] if self._skip(self._base + end) else before + self._text(self._base + end)
        self._closes = self._closes and isinstance(event, Markup)
        end = self._base + event.start + len(event.text)
        return [] if self._skip(end) else self._text(end)

    def _skip(self, end: int) -> bool:
        # What belongs to a call that was returned is not text.
        if self._closes:
            self._text(end)
        return self._closes

    def _text(self, end: int) -> list[Said]:
        if end <= self._told:
            return []
        text = self._tape.cut((self._told, end))
        self._told = end
        return [text]


def _joined(said: list[Said]) -> list[Said]:
    if len(said) < 2 or not all(isinstance(each, str) for each in said):
        return said
    return ["".join(map(str, said))]


def _is_space(event: Text) -> bool:
    return isinstance(event, Markup) or event.text.isspace()
