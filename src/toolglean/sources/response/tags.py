# How a region of xml-inline is read, each value as it arrives. Does not depend on how a value is typed
# (engine/parameters.py).
#
# Any text may appear between two parameters, as in transformers: most patterns name `</tool_call>` as the closer and do
# not mention the `</function>` before it. After a value's closing literal, though, only a tag or the closer may follow;
# otherwise the literal is text of the value: `</parameter> is how it ends` does not end it. (After more white space
# than is ever held back, the value has ended.)
#
# White space next to a value: where the pattern removes all of it (`\s*`), one line break is removed, and the one after
# the value only if there was one before. Models write one line break; a value's indentation belongs to the value.
"""Regions of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.parameters import Parameters, pass_value
from toolglean.scan.reader import string_text
from toolglean.scan.text import Finder, finder_of
from toolglean.sources.response.calls import Tag
from toolglean.sources.response.marks import Found
from toolglean.sources.response.patterns import MAX_MARKER, past_space
from toolglean.sources.response.region import BODY, VALUE, CallsRegion
from toolglean.sources.response.values import json_or_text

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops, Turn

__all__ = ["Tags"]


class _JsonParameters(Parameters):
    """Parameters of a template that reads values as JSON if possible, for values without a schema."""

    __slots__ = ()

    def begin_value(self, lead: str, trail: str) -> str:
        """See `Parameters.begin_value`."""
        begun = super().begin_value(lead, trail)
        if self._coerce and self._schema is None and self.streams:
            self.streams = False
            return begun[:-1]
        return begun

    def _typed(self, text: str, *, repair: bool) -> Any:
        if self._coerce and self._schema is None:
            return json_or_text(text.strip())
        return super()._typed(text, repair=repair)


class Tags(CallsRegion):
    """Parameters after the name: a head with the key, the value, and its closing literal."""

    leads = False  # whether a line break may come before the value
    trails = False  # whether a line break after the value is removed

    @property
    def _tag(self) -> Tag:
        tag = self.layout.tag
        assert tag is not None
        return tag

    @property
    def _finder(self) -> Finder:
        # Finds the value's closing literal, with the line break before it if that is removed.
        tail = self._tag.tail
        return finder_of((tail, "\n" + tail) if self.trails else (tail,), exact=True)

    def _begin_without(self, turn: Turn, place: int) -> None:
        kind = _JsonParameters if self.layout.json else Parameters
        self.reader = kind(turn.names.tool(self.name), {}, turn.limits.depth, coerce=turn.rules.coerce)

    def _read_body(self, turn: Turn, text: str, i: int) -> int:
        return self._read_value(turn, text, i) if self.step is VALUE else self._read_between(turn, text, i)

    def _read_between(self, turn: Turn, text: str, i: int) -> int:
        # Read up to the next parameter, or the closer.
        place, found = self.plan.firsts[self.opener.number].find(text, i)
        if not isinstance(found, Found):
            return turn.hold(text, place)
        start = turn.tape.base + place
        if found.number < 0:
            turn.delta(self.reader.end(), start)
            self.end_call(turn, start)
            self.close(turn, found, start, "")
            return place + len(found)
        self.reader.word("key", found.captures["key"])
        turn.delta(self.reader.begin_value("", ""), start)
        self.leads, self.trails = self._tag.lead is not None, self._tag.trail is not None and self._tag.lead is None
        self.step = VALUE
        return place + len(found)

    def _read_value(self, turn: Turn, text: str, i: int) -> int:
        if self.leads:
            self.leads = False
            if text[i] == "\n":
                self.trails = self._tag.trail is not None
                return i + 1
        place, found = self._finder.find(text, i)
        if place > i:
            turn.delta(self.reader.text(text[i:place]), turn.tape.base + i)
        j = past_space(text, place + len(found))
        far = j - place > MAX_MARKER
        if not found or (j == len(text) and not far):
            return turn.hold(text, place)
        start = turn.tape.base + place
        if far or text[j] in self.plan.firsts[self.opener.number].firsts:
            turn.delta(self.reader.end_value(repair=False), start)
            self.step = BODY
            if self.reader.too_deep:
                turn.stop("depth", text[place:j], turn.tape.base + j)
            return j
        turn.delta(self.reader.text(text[place]), start)  # the rest may begin another closing literal
        return place + 1

    def stops(self) -> Stops | None:
        """See `Payload`."""
        streams = self.step is VALUE and self.reader.streams and not self.leads
        return (self._finder.search, string_text) if streams else None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return pass_value(turn, self._finder, text) if self.step is VALUE else None
