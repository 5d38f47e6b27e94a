# Reads the stream of an answer whose text comes in several places: the blocks of a message, the parts of the items of
# an output. What remains of a text is sent where it came from, and in its order with everything else.
# Does not depend on how an API names its events, or numbers its places: a reader of that API says so, and writes them
# (`_sent` and the methods after it).
#
#   a piece of text          is read; what is certain to be text is sent. Texts that follow each other are one text,
#                            until something else follows: a code fence may begin in one and end in the next. The
#                            text after that is read apart, but a quotation that is open goes on in it
#   an event about a text    has a position: the number of characters that the server has written before it. It waits
#                            until all of that text is decided
#   a call of the server     its events are sent as they come, or once it is clear that the text has not given it
#                            (parsed.py). Events of other places wait until it has ended: servers send one thing at a
#                            time, or several that are read as if they did
"""Answers whose text comes in several places, with calls of the server between them."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.conversation.arguments import read_arguments
from toolglean.conversation.reading.arguments import text_for
from toolglean.conversation.reading.parsed import ParsedCall
from toolglean.conversation.reading.text import Tools, TurnText
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Reasoning

__all__ = ["Own", "Source", "SourceReader", "Wire"]

Wire = Mapping[str, Any]
"""An event of an API."""


@dataclass(slots=True, eq=False)
class Source:
    """A text, or a reasoning, of the server.

    Attributes:
        kind: "text" or "thinking".
        event: one of its events, which the events of ours about it are like.
        said: whether there was any text in it.
        signed: whether nothing may be taken out of it, because the server has signed it.
        held: those of its events that wait for its first piece; None: none does.
    """

    kind: str
    event: Wire
    said: bool = False
    signed: bool = False
    held: list[Wire] | None = None

    def hold(self, event: Wire) -> None:
        """Let the event wait."""
        self.held = [] if self.held is None else self.held
        self.held.append(event)

    def released(self) -> list[Wire]:
        """The events that waited."""
        held, self.held = self.held or [], None
        return held


class Own:
    """What the server has parsed itself, as far as it has arrived: a call, or something that only the server knows.

    Args:
        place: where it is, by which its events name it; can be hashed.
        name: of the tool.
        given: its arguments, if its first event has them.
        call: decides what becomes of it; None: it is not a call.
    """

    def __init__(self, place: Any, name: Any, given: Any, call: ParsedCall | None) -> None:
        self.place = place
        self.call = call
        self.given = given
        self._name = name
        self._pieces: list[str] = []  # of the arguments
        self._looked = 0  # how many of them were looked at

    @property
    def waits(self) -> bool:
        """Whether its events wait."""
        return self.call is not None and self.call.waits

    @property
    def arguments(self) -> dict[str, Any] | None:
        """Its arguments; None if what has come of them cannot be read."""
        return read_arguments("".join(self._pieces) or self.given)

    def read(self, event: Wire, piece: Any = None) -> list[Wire]:
        """The events that can be sent now that this one has come, with a piece of the arguments."""
        if isinstance(piece, str):
            self._pieces.append(piece)
        if self.call is None:
            return [event]
        return [*self.call.add(event), *(self.call.decide(self._name) if self.call.waits else ())]

    def is_whole(self) -> bool:
        """Whether nothing can follow but its end: its arguments have come, and are an object."""
        if self._looked == len(self._pieces):
            return False
        self._looked = len(self._pieces)
        text = "".join(self._pieces)
        return bool(text.strip()) and read_arguments(text) is not None

    def end(self, event: Wire | None, arguments: Any) -> list[Wire]:
        """The events that can be sent now that it has ended, with these arguments; None: they cannot be read."""
        if self.call is None:
            return [] if event is None else [event]
        found = [] if event is None else self.call.add(event)
        found += self.call.decide(self._name, arguments, over=True)
        self.call.note(arguments, over=True)
        return found


class SourceReader:
    """Reads the events of one answer. A subclass knows the API.

    Args:
        tools, parsing: as for `toolglean.Parser`.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._turn = text_for(tools, parsing)  # the reasoning that the server has parsed
        self._part: TurnText | None = None  # the text that is being read
        self._ended: TurnText | None = None  # the one before, in which a quotation may be open
        self._base = 0  # the position of its first character
        self._kept = True  # whether all texts that were read to their end were pristine
        self._written = self._decided = 0  # how many characters the server has written, and how many are decided
        self._marks: deque[tuple[int, Wire, Any]] = deque()  # the events that wait, each with its position
        self._last: Source | None = None  # that of the text or the reasoning that came last, until it ends
        self._source: Source | None = None  # that of the text that is sent
        self._own: Own | None = None  # what the server is sending itself
        self._dropped: set[Any] = set()  # the places of calls that the text has given
        self._later: dict[Any, list[Wire]] = {}  # what it has sent of other places meanwhile, by these
        self._replays = False  # whether those events are being read
        self._broke = False  # whether the stream has ended before the answer

    def read(self, event: Any) -> list[Any]:
        """The events that an event becomes. What is not an event is passed through."""
        return self._as_written(self._read(event)) if isinstance(event, Mapping) else [event]

    def finish(self) -> list[Any]:
        """The stream is over: what was held back. What is not complete does not end."""
        return self._as_written(self._broken_off())

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it."""
        return self._kept and self._turn.pristine and (self._part is None or self._part.pristine)

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back, or the beginning of what contains it, or any other event."""
        held = self._turn.waits or (self._part is not None and self._part.waits) or bool(self._later)
        return held or bool(self._marks) or self._holds or (self._own is not None and self._own.waits)

    @property
    def _flows(self) -> TurnText | None:
        """What reads the text, if nothing waits for it: then another piece of it is read by that alone."""
        return None if self._own is not None or self._marks else self._part

    # -- what the API knows --------------------------------------------------------------------------------------------

    @abstractmethod
    def _read(self, event: Wire) -> list[Any]:
        """What an event becomes."""

    def _as_written(self, events: list[Any]) -> list[Any]:
        """The events as the API writes them."""
        return events

    @abstractmethod
    def _sent(self, event: Wire) -> list[Any]:
        """An event of what the server has parsed itself, as it is sent."""

    def _left_open(self, *, whole: bool) -> list[Any]:
        """The server has not said that what it has parsed is over. `whole`: all of it has come."""
        del whole
        return []

    @property
    @abstractmethod
    def _holds(self) -> bool:
        """Whether the beginning of what contains a text waits for its first piece."""

    @abstractmethod
    def _passed(self, event: Wire, about: Any) -> list[Any]:
        """An event that has waited for the text before it: see `_mark`."""

    @abstractmethod
    def _piece(self, text: str) -> list[Any]:
        """A text that remains, of `_source`."""

    @abstractmethod
    def _reasoning(self, text: str) -> list[Any]:
        """Reasoning that was in the text."""

    @abstractmethod
    def _call(self, event: CallStart | CallDelta | CallEnd, source: Source | None) -> list[Any]:
        """A call that was in the text; `source`: None, if it was in the reasoning of the server."""

    # -- what the server has parsed itself -----------------------------------------------------------------------------

    def _begin_own(self, event: Wire | None, place: Any, name: Any, given: Any, *, is_call: bool = True) -> list[Any]:
        """The server begins something that it has parsed, with this event, if there is one; the others: see `Own`."""
        found = self._something_else()
        self._own = Own(place, name, given, ParsedCall(self._turn) if is_call else None)
        return found if event is None else found + self._all_sent(self._own.read(event))

    def _something_else(self) -> list[Any]:
        """Something other than text follows."""
        found = [*self._end_part(), *self._stop_thinking(), *self._all(), *self._left()]
        self._last = self._source = None
        return found

    def _of_own(self, own: Own, event: Wire, place: Any, *, begins: bool, ends: bool, piece: Any) -> list[Any]:
        """What an event becomes while the server is sending that.

        Args:
            own: that.
            event: the event.
            place: where it is.
            begins, ends: whether it begins or ends what is there.
            piece: of the arguments; all of them, if it ends a call.
        """
        if begins and (place == own.place or own.is_whole()):  # servers forget ends, or send them late
            return [*self._end_own(own, None), *self._read(event)]
        if place != own.place:
            if self._comes_early(event, place):
                self._later.setdefault(place, []).append(event)
            return []
        if not ends:
            return self._all_sent(own.read(event, piece))
        own.given = own.given if piece is None else piece
        return self._end_own(own, event)

    def _comes_early(self, event: Wire, place: Any) -> bool:
        """Whether an event of another place is read later; if not, it is left out."""
        del event, place
        return True

    def _end_own(self, own: Own, event: Wire | None) -> list[Any]:
        self._own = None
        arguments = own.arguments
        found = self._all_sent(own.end(event, arguments))
        if own.call is not None and own.call.dropped:
            self._dropped.add(own.place)
        elif event is None:
            found += self._left_open(whole=own.call is None or arguments is not None)
        return found + self._replayed()

    def _all_sent(self, events: Iterable[Wire]) -> list[Any]:
        return [each for event in events for each in self._sent(event)]

    def _replayed(self) -> list[Any]:
        found: list[Any] = []
        while self._own is None and self._later and not self._replays:
            self._replays = True
            for event in self._later.pop(next(iter(self._later))):
                found += self._read(event)
            self._replays = False
        return found

    def _broken_off(self) -> list[Any]:
        # The stream is over, and the answer is not.
        self._broke = True
        found: list[Any] = []
        while (own := self._own) is not None:
            self._own = None
            found += [*self._all_sent(own.call.release() if own.call else ()), *self._left_open(whole=False)]
            found += self._replayed()
        return found + self._rest(cut=True)

    # -- text ----------------------------------------------------------------------------------------------------------

    def _mark(self, event: Wire, about: Any) -> list[Any]:
        """An event about a text or a reasoning: it waits for what the server has written before it.

        Args:
            event: that.
            about: what the API's reader must know about it.
        """
        self._reach()
        self._marks.append((self._written, event, about))
        held = self._turn.thinks or not (self._part is None or self._part.settled)
        return [] if held else self._all()

    def _text(self, source: Source, text: str) -> list[Any]:
        """A piece of the text of that source, which has begun."""
        source.said = True
        if source.kind == "thinking":
            found = self._end_part()
            self._written += len(text)
            found += self._told([Reasoning(text, 0)] if source.signed else self._turn.think(text), None)
            return found if self._turn.thinks else found + self._all()
        found = self._stop_thinking()
        if self._part is None:
            self._part, self._base = self._turn.part(self._ended), self._written
        return found + self._told(self._part.feed(text), self._base)

    def _reach(self) -> None:
        # Some of the text may have been read by somebody else (`plain`).
        if self._part is not None:
            self._written = self._base + self._part.seen

    def _end_part(self) -> list[Any]:
        # Something other than text follows.
        part = self._part
        if part is None:
            return []
        self._reach()
        found = self._told(part.finish(), self._base)
        self._kept, self._part, self._ended = self._kept and part.pristine, None, part
        return found + self._all()

    def _stop_thinking(self) -> list[Any]:
        return [*self._told(self._turn.stop_thinking(), None), *self._all()] if self._turn.thinks else []

    def _over(self, *, cut: bool) -> list[Any]:
        """The server says that the answer is over: what was held back. `cut`: whether it was cut off."""
        found: list[Any] = []
        while self._own is not None:
            found += self._end_own(self._own, None)
        return found + self._rest(cut=cut)

    def _rest(self, *, cut: bool) -> list[Any]:
        found = self._end_part()
        ended = self._turn.end_thinking(cut=cut)
        # The reasoning ends before its calls begin.
        found += [*self._told([each for each in ended if type(each) is Reasoning], None), *self._all()]
        found += self._told([each for each in ended if type(each) is not Reasoning], None)
        return found + self._left()

    def _left(self) -> list[Any]:
        """No more text follows: the rest of what is sent about it."""
        return []

    def _told(self, events: Iterable[Event], base: int | None) -> list[Any]:
        # `base`: the position of the text from whose beginning the events are counted; None: of the reasoning that the
        # server has parsed. Where calls were taken out of it, positions are those of the text that remains, until
        # nothing is held back.
        found: list[Any] = []
        for event in events:
            if type(event) is Content or (base is None and type(event) is Reasoning):
                found += self._remains(event.text, self._decided if base is None else base + event.start)
                continue
            if base is not None and isinstance(event, Reasoning | CallStart):
                found += self._up_to(base + event.start)
            if type(event) is Reasoning:
                found += self._reasoning(event.text)
            elif isinstance(event, CallStart | CallDelta | CallEnd):
                found += self._call(event, None if base is None else self._source)
        return found

    def _remains(self, text: str, at: int) -> list[Any]:
        # A text that remains text, from that position on.
        found = self._up_to(at) if self._marks else []
        while self._marks and self._marks[0][0] < at + len(text):
            size = self._marks[0][0] - at
            found += [*self._piece(text[:size]), *self._up_to(at + size)]
            text, at = text[size:], at + size
        self._decided = at + len(text)
        return [*found, *self._piece(text)]

    def _up_to(self, position: int) -> list[Any]:
        found: list[Any] = []
        while self._marks and self._marks[0][0] <= position:
            found += self._passed(*self._marks.popleft()[1:])
        return found

    def _all(self) -> list[Any]:
        # Nothing is held back.
        self._decided = self._written
        return self._up_to(self._written)
