# Turns JSON that follows other text and ends the turn into calls, in the events of a machine. Does not know where such
# JSON may begin (place.py), or which JSON is a call: a machine that reads nothing else decides that, from the bracket
# on, as at the start of a turn (scan/data.py).
#
# Nothing marks such a call, so it must be nothing else: each call names a tool with a schema, its arguments are written
# and fit that schema, none has a key that the schema lacks, and nothing but white space and markers follows. All of the
# JSON is calls, or none of it.
#
# Whether text follows is known at the end of the turn. So the content is kept from the bracket on, until the machine
# finds that it is data, until it is no longer JSON, until text follows it, or for `Limits.held` characters. JSON in
# content is always read to its end, so that no call begins inside it.
"""Calls in JSON after other text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.modes import DONE
from toolglean.engine.reasons import IN_JSON_STRING, TRAILING_JSON, UNREAD
from toolglean.engine.trailing.place import Place
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Problem, Reasoning, ToolCall
from toolglean.options import changed
from toolglean.scan.coerce import properties
from toolglean.scan.json import END, JsonScanner
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import FAIL

if TYPE_CHECKING:
    from toolglean.engine.machine import Machine
    from toolglean.engine.plan import Plan
    from toolglean.engine.sieve import Sieve
    from toolglean.engine.turn import Turn
    from toolglean.options import ParserOptions
    from toolglean.tools import ToolSet

__all__ = ["TrailingCalls"]

MOST = 256
"""Brackets of one turn from which calls are tried: each costs as much as some hundred characters."""

_bracket = re.compile(r"[{\[]").search
_text = re.compile(r"\S").search
_other_text = re.compile(r"[^\s,;]").search
_empty_object = re.compile(r"\{\s*\}").search
_BESIDE = frozenset((IN_JSON_STRING.code, UNREAD.code))  # what is told of it does not show that it is none
_OF_CALL = CallStart, CallDelta, CallEnd, Markup


class TrailingCalls(Plain):
    """Finds calls in JSON after other text, in the events of a machine.

    Args:
        plan: reads JSON, and nothing else.
        tools, options: those of the machine.
        then: what its events pass next, or None.

    Attributes:
        seen: the end of what was sifted.
    """

    __slots__ = (
        *("_begun", "_calls", "_document", "_end", "_follows_json", "_is_over", "_kept", "_new", "_off", "_options"),
        *("_place", "_plan", "_read_to", "_reader", "_then", "_tools", "_tried", "seen"),
    )

    owned = ("_calls", "_document", "_kept", "_place", "_then")

    sees_all = True

    def __init__(self, plan: Plan, tools: ToolSet, options: ParserOptions, then: Sieve | None) -> None:
        self._plan, self._tools, self._then = plan, tools, then
        self._options = options
        self._place = Place(heeded=options.quoted == "content")
        self._end = 0  # of the content so far
        self._off = False  # whether a call was read: then the model does not write its calls like this
        self._document: JsonScanner | None = None  # JSON in the content
        self._follows_json = False  # whether nothing came since other JSON: what follows belongs to it
        self._tried = 0
        # What reads the kept content as calls, its events, and the content; None while nothing is kept.
        self._reader: Machine | None = None
        self._calls: list[Event] = []
        self._kept: list[Event] = []
        self._begun = self._read_to = 0  # where it begins, and how far it was read
        self._is_over = False  # whether a marker has followed it
        self._new: Machine | None = None  # the reader, of which nothing has been read
        self.seen = 0

    def copy(self) -> Self:
        """An independent copy."""
        twin = super().copy()
        twin._reader = self._reader and self._reader.fork()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_new": None}

    def sift(self, events: list[Event], chunk: str, place: int) -> list[Event]:
        """The events of the chunk at that place, of which content may be kept."""
        self.seen = place + len(chunk)
        found = self._sifted(events)
        return found if self._then is None else self._then.sift(found, chunk, place)

    def finish(self, events: list[Event], place: int, turn: Turn) -> list[Event]:
        """The last events of a turn that ends there, with the calls that were kept."""
        self.seen = place
        found = self._sifted(events)
        accepts = not (turn.mode is DONE or turn.tape.hides or turn.judge.for_user or turn.judge.mentioned)
        calls = self._read_calls() if accepts and self._reader is not None else []
        if calls:
            found += calls
        else:
            self._release(found)
        return found if self._then is None else self._then.finish(found, place, turn)

    # -- events --------------------------------------------------------------------------------------------------------

    def _sifted(self, events: Iterable[Event]) -> list[Event]:
        out: list[Event] = []
        for event in events:
            if self._off:
                out.append(event)
            elif type(event) is Content:
                self._read(event, out)
            elif isinstance(event, Problem | Markup):
                if isinstance(event, Problem) and event.code not in _BESIDE and event.start >= self._begun:
                    self._release(out)
                (out if self._reader is None else self._kept).append(event)
            else:
                self._release(out)
                self._off = not isinstance(event, Reasoning)
                out.append(event)
        return out

    def _release(self, out: list[Event]) -> None:
        # What is kept is content.
        out += self._kept
        self._reader, self._calls, self._kept = None, [], []
        if self._document is not None and self._document.state == END:
            self._leave_json()

    def _leave_json(self) -> None:
        self._document, self._follows_json = None, True

    def _read(self, event: Content, out: list[Event]) -> None:
        text, start = event.text, event.start
        if start != self._end:
            self._skip(start, out)
        self._end = start + len(text)
        i = said = 0
        while i < len(text):
            room = len(text) if self._reader is None else self._begun + self._options.limits.held - start
            if i >= room:
                self._release(out)
            elif self._document is None:
                i = self._find(text, i, start)
                if self._reader is not None:
                    _say(event, said, i, out)
                    said = i
            elif self._document.state == END:
                i = self._read_after(text[:room], i, start, out)
            else:
                i = self._read_document(self._document, text[:room], i, start, out)
        _say(event, said, len(text), out if self._reader is None else self._kept)

    def _skip(self, place: int, out: list[Event]) -> None:
        # There is something other than content before that place.
        self._place.skip(place)
        if self._reader is not None and self._document is not None and self._document.state == END:
            self._is_over = True
        else:
            self._release(out)
            self._document = None

    # -- content: each returns the place that it reached ---------------------------------------------------------------

    def _find(self, text: str, i: int, start: int) -> int:
        # Up to a bracket, with which JSON may begin.
        found = _bracket(text, i)
        place = len(text) if found is None else found.start()
        if place > i:
            part = text[i:place]
            self._place.read(part, start + i)
            self._follows_json = self._follows_json and _other_text(part) is None
        if found is not None:
            self._document = JsonScanner(self._options.limits.depth)
            if self._tried < MOST and not self._follows_json and self._place.may_begin_call:
                self._tried += 1
                self._begin_at(start + place)
        return place

    def _read_document(self, document: JsonScanner, text: str, i: int, start: int, out: list[Event]) -> int:
        place = document.skim(text, i, 0)
        if document.fixes:  # a raw line break in a string: such JSON is prose
            place = document.fixes[0] + 1
        fails = bool(document.fixes) or document.token is FAIL
        if place > i:
            self._place.read(text[i:place], start + i)
        if fails:
            self._document = None
            self._release(out)
        elif self._reader is None:
            if document.state == END:
                self._leave_json()
        elif not self._may_be_calls(text[i:place], start + i):
            self._release(out)
        return place

    def _read_after(self, text: str, i: int, start: int, out: list[Event]) -> int:
        # After JSON that may be a call: white space, and perhaps another one.
        found = _text(text, i)
        place = len(text) if found is None else found.start()
        if place > i:
            self._place.read(text[i:place], start + i)
        follows = found is None or (found[0] in "{[" and not self._is_over)
        if not follows or not self._may_be_calls(text[i:place], start + i):
            self._release(out)
        elif found is not None:
            self._document = JsonScanner(self._options.limits.depth)
        return place

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _begin_at(self, place: int) -> None:
        if self._new is None:
            from toolglean.engine.machine import Machine  # noqa: PLC0415  # few turns need it

            options = changed(self._options, repair=False, undeclared="text", strict=True)
            self._new = Machine(self._plan, self._tools, options)
        self._reader = self._new.fork()
        self._reader._begin_at(place)
        self._begun = self._read_to = place
        self._is_over = False

    def _may_be_calls(self, text: str, start: int) -> bool:
        # Whether what is kept may still be calls, if that text follows.
        if self._reader is None or self._is_over or not text:
            return True
        found = self._reader.feed(text)
        self._calls += found
        self._read_to = start + len(text)
        return all(isinstance(each, _OF_CALL) for each in found)

    def _read_calls(self) -> list[Event]:
        # The calls of what is kept, and the markers after them; [] if it is content.
        reader, document = self._reader, self._document
        if reader is None or document is None or document.state != END:
            return []
        told = self._calls + reader.finish()
        text = "".join(each.text for each in self._kept if isinstance(each, Content))
        calls = [each.call for each in told if isinstance(each, CallEnd)]
        if not all(isinstance(each, _OF_CALL) for each in told) or not calls or not self._fit(calls, text):
            return []
        rest = [each for each in self._kept if isinstance(each, Content | Markup) and each.start >= self._read_to]
        if self._options.markup:
            told += [Markup(each.text, each.start) for each in rest]
        return [Problem(*TRAILING_JSON, text.strip(), self._begun), *told]

    def _fit(self, calls: Iterable[ToolCall], text: str) -> bool:
        from toolglean.scan.by_schema.validate import fits  # noqa: PLC0415  # few turns need it

        for call in calls:
            tool = self._tools.get(call.name)
            schema: Mapping[str, Any] = {} if tool is None else tool.parameters
            known = properties(schema)
            begin, end = (place - self._begun for place in call.span)
            is_written = call.arguments or _empty_object(text, begin, end)
            is_known = all(key in known for key in call.arguments)
            if call.status != "ok" or not (known and is_known and is_written and fits(call.arguments, schema, schema)):
                return False
        return True


def _say(event: Content, begin: int, end: int, out: list[Event]) -> None:
    # That part of the event.
    if begin == 0 and end == len(event.text):
        out.append(event)
    elif begin < end:
        out.append(Content(event.text[begin:end], event.start + begin))
