# Calls to unknown tools that stay text. Does not know how calls are found, or how they are written.
#
# Such a call is read as a call, so nothing in it is searched for other calls. Then its text is content, as the model
# wrote it: the call's span, and the markup after it that closes it. Other calls are numbered as if it were not there.
#
# The text is kept only as long as a call may begin in it: from the end of what was returned on.
"""Calls to unknown tools as content."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from toolglean.engine.ids import ids_of, renumbered
from toolglean.engine.reasons import UNKNOWN_TOOL
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Problem, ToolCall
from toolglean.formats.registry import all_formats
from toolglean.scan.plain import Plain, Rope, flat, grown, joined
from toolglean.scan.text import Finder

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.turn import Turn
    from toolglean.formats.spec import Format
    from toolglean.options import ParserOptions

__all__ = ["UnknownCalls", "closers_in"]

CallEvent: TypeAlias = "CallStart | CallDelta | CallEnd"

LEAST = 4096
"""Text that is no longer needed is dropped if there is that much of it, and more of it than of what is needed."""


class UnknownCalls(Plain):
    """Turns the calls to unknown tools into content, in the events of a machine.

    Args:
        plan, options: those of the machine.

    Attributes:
        seen: the end of what was sifted.
    """

    __slots__ = (
        *("_after", "_dropped", "_from", "_id", "_ids", "_markup", "_plan", "_returned", "_stays", "_text", "seen"),
    )

    ropes = frozenset({"_text"})
    owned = ("_ids",)

    sees_all = False

    def __init__(self, plan: Plan, options: ParserOptions) -> None:
        self._plan, self._markup = plan, options.markup
        self._text: Rope = ()
        self._from = 0  # the place of that text
        self._returned = 0  # the end of what was returned
        self.seen = 0
        self._stays = False  # whether the open call stays text
        self._after: int | None = None  # the end of such a call, if it is not clear yet what of the markup closes it
        self._dropped = 0  # how many such calls there were
        self._ids = ids_of(options)
        self._id: str | None = None  # of the open call

    def sift(self, events: list[Event], chunk: str, place: int) -> list[Event]:
        """The events of the chunk at that place, without calls to unknown tools.

        What came before it and was not sifted is content that was returned at once.
        """
        if place != self.seen:
            self._returned = place
        self.seen = place + len(chunk)
        only = events[0] if len(events) == 1 else None
        if type(only) is Content and place == self._returned and only.text == chunk:  # most chunks
            self._returned, self._after, self._text = self.seen, None, ()
            return events
        if events and self._is_of_call(events, chunk, place):
            self._returned, self._after, self._text = place, None, ()  # as in `_of_call`
            return events
        if not self._text:
            self._from = place
        if chunk:
            self._text = grown(self._text, chunk)
        return self._sifted(events) if events else events

    def finish(self, events: list[Event], place: int, turn: Turn) -> list[Event]:
        """The last events of a turn that ends there, without calls to unknown tools."""
        del turn
        if place != self.seen:
            self._returned = self.seen = place
        return self._sifted(events) + self._closed(place)

    def _is_of_call(self, events: list[Event], chunk: str, place: int) -> bool:
        # Whether all of it belongs to an open call that is returned. How that is parted into events means nothing.
        first = events[0]
        if type(first) is not CallDelta or place != first.start or self._stays or self._dropped:
            return False
        texts = [event.text for event in events if isinstance(event, CallDelta)]
        return len(texts) == len(events) and "".join(texts) == chunk

    def _sifted(self, events: list[Event]) -> list[Event]:
        out: list[Event] = []
        goes_on = False  # whether the event before is of the same arguments: how they are parted means nothing
        for event in events:
            goes_on, is_first = isinstance(event, CallDelta), not goes_on
            if isinstance(event, Problem):
                out.append(event)
                continue
            if self._after is not None:
                if isinstance(event, Markup):
                    continue  # it is cut out of the text once it is clear what follows it
                out += self._closed(event.start)
            if isinstance(event, CallStart | CallDelta | CallEnd):
                out += self._of_call(event, is_first=is_first)
            else:
                self._returned = event.start + len(event.text)
                out.append(event)
        self._forget()
        return out

    def _of_call(self, event: CallEvent, *, is_first: bool) -> list[Event]:
        if isinstance(event, CallStart):
            self._stays = event.known is False
        if not self._stays:
            if is_first or not isinstance(event, CallDelta):
                self._returned = event.call.span[1] if isinstance(event, CallEnd) else event.start
            return [self._numbered(event)]
        if not isinstance(event, CallEnd):
            return []
        self._dropped += 1
        self._stays = False
        return self._as_text(event.call)

    def _as_text(self, call: ToolCall) -> list[Event]:
        begin, end = call.span
        self._returned = self._after = end
        problem, text = Problem(*UNKNOWN_TOOL, call.name, begin), self._cut(begin, end)
        return [problem, Content(text, begin)] if text else [problem]

    def _closed(self, end: int) -> list[Event]:
        # What closes a call that stays text is text, too: of all up to `end`, where something else follows.
        begin, self._after = self._after, None
        if begin is None or begin >= end:
            return []
        self._returned = end
        text = self._cut(begin, end)
        own = closers_in(text, self._plan.formats)
        found: list[Event] = [Content(own, begin)] if own else []
        if self._markup and len(own) < len(text):
            found.append(Markup(text[len(own) :], begin + len(own)))
        return found

    def _numbered(self, event: CallEvent) -> CallEvent:
        # The event, with the number of its call among those that are returned.
        index = event.index - self._dropped
        if isinstance(event, CallDelta):
            return renumbered(event, index, None) if self._dropped else event
        own = event.id if isinstance(event, CallStart) else event.call.id
        if isinstance(event, CallEnd) and self._id is not None:
            own = self._id
        elif own is not None:
            self._ids = self._ids.own()
            if own == self._ids.ours(event.index):
                own = self._ids.ours(index)
            own = self._ids.free(own)
            self._ids.add(own)
        self._id = own if isinstance(event, CallStart) else None
        return renumbered(event, index, own) if self._dropped else event

    # -- the text ------------------------------------------------------------------------------------------------------

    def _cut(self, begin: int, end: int) -> str:
        self._text = flat(self._text)
        return joined(self._text)[begin - self._from : end - self._from]

    def _forget(self) -> None:
        # The text that was returned. (Not at once, because the cost must be linear.)
        kept = self.seen - self._returned
        if not kept:
            self._text = ()
        elif self.seen - self._from >= max(LEAST, 2 * kept):
            self._text, self._from = ((), self._cut(self._returned, self.seen)), self._returned


def closers_in(markup: str, formats: tuple[Format, ...]) -> str:
    """What closes a call, of the markup after it: all up to the end of the message, another header, or reasoning.

    Args:
        markup: the text between the call and what follows.
        formats: the formats that are read; they may not be of the library, whose formats may be read too.
    """
    place, found = _ends((*all_formats(), *formats)).find(markup, 0)
    return markup[:place] if found else markup


@lru_cache(maxsize=8)
def _ends(formats: tuple[Format, ...]) -> Finder:
    markers: dict[str, Any] = {}
    for each in formats:
        reasonings = [marker.strip() for pair in each.all_reasonings for marker in pair]
        markers |= dict.fromkeys([*each.drop, *each.content_markers, *each.headers, *reasonings])
    return Finder(tuple(marker for marker in markers if marker))
