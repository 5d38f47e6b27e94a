# How to read a call when only its opening tag is known. Does not depend on where the text comes from, or on what is
# done with text that is not a call (machine.py).
#
# Names must match exactly; only their place is flexible. After the tag there is a *gap*: at most GAP characters of
# anything, in which whole words are looked up among the tools. Then comes JSON:
#
#     get_weather[ARGS]{"city": "Paris"}                          a name in the gap, then an object: its arguments
#     {"name": "get_weather", "arguments": {"city": "Paris"}}     calls in JSON (envelope.py), also in lists, nested …
#
# After a call the payload continues over white space, `,`, `;` and `]`, to other objects or names, or to the closer.
# The gap between two calls has a stricter rule: two words with only blanks between them are prose, and end the payload.
# So `<call 1></c1><c2>get_time\n{}` contains two calls, and `<call 1> I ran it with {"x": 1}` one.
"""Discovery: calls after a tag when nothing else is known."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.envelope import Envelope
from toolglean.engine.missed import release
from toolglean.engine.plan import Plan
from toolglean.engine.reasons import UNREADABLE, Reason
from toolglean.engine.tag import FENCE, GAP, Gap, Tag
from toolglean.engine.turn import Payload, Turn
from toolglean.scan.names import is_word
from toolglean.scan.plain import Plain
from toolglean.scan.scanner import FAIL
from toolglean.scan.text import Finder, possessive

if TYPE_CHECKING:
    from toolglean.engine.turn import Stops
    from toolglean.formats.origin import Source

__all__ = ["TagPayload", "TagPlan"]

_FENCE = possessive(r"\s*+`{3,16}[\w+#./-]{0,32}[ \t\r]{0,8}\n", "?")
_word_after_fence = re.compile(rf"{_FENCE}[\W]*+\w").match
SEPARATORS = frozenset(",;]")


class Phase(IntEnum):
    """What has been read."""

    IN_GAP = 0  # the tag, or the beginning of something after a call
    BRACKET = 1  # `[` in the gap: a list of calls, or the beginning of a marker such as [ARGS]
    JSON = 2  # the beginning of a JSON value
    AFTER = 3  # a call


IN_GAP, BRACKET, JSON, AFTER = Phase


class TagPayload(Plain, Payload):
    """Where the reading of a payload is.

    Attributes:
        tag: the tag.
        envelope: what reads its JSON.
        first_call: the index that its first call gets.
        gap: the text before the JSON.
    """

    __slots__ = ("_fence", "_paren", "_phase", "envelope", "first_call", "gap", "tag")
    owned = ("envelope", "gap")

    def __init__(self, tag: Tag, first_call: int, max_depth: int) -> None:
        self.tag = tag
        self.first_call = first_call
        self.envelope = Envelope(max_depth, bare=tag.bare, by_tag=True)
        self.gap = Gap(after_call=False)
        self._phase = IN_GAP
        self._fence = False  # whether a fence in the gap is still open
        self._paren = False  # whether the name was followed by "("

    def begin(self, place: int) -> None:
        """The tag was read. If it ends with a bracket, which is then at that place, the payload begins with the
        bracket.
        """
        if self.tag.bracket == "[" and not self.tag.bare:
            self._phase = BRACKET
        elif self.tag.bracket:
            self._begin_json(self.tag.bracket, place)

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self._phase](self, turn, text, i)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return self.envelope.stops() if self._phase is JSON else None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return self.envelope.scanner.passed(text)

    def forget_calls(self, calls: int) -> None:
        """See `Payload`."""
        self.first_call -= calls

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open: what waits is not a call."""
        if self._phase is JSON and self.envelope.finish(turn):
            return
        self._distrust(turn)
        if turn.region.open:
            release(turn, self._problem(), UNREADABLE, at_end=True)
        else:
            turn.leave(text_follows=False)

    def skip(self, turn: Turn, text: str, i: int, thoughts: tuple[str, ...]) -> int:
        """Skip the rest of a malformed call."""
        del thoughts
        place, found = self.tag.skipper.find(text, i)
        if not found:
            return turn.hold(text, place)
        closer = "" if found == self.tag.text else found
        turn.end_failed(turn.tape.base + place, closer, *self.tag.ends)
        if not closer:
            turn.leave(text_follows=True)
            return place
        turn.leave(text_follows=False)
        return place + len(found)

    def _distrust(self, turn: Turn) -> None:
        # What was kept may be the arguments of a call that cannot be read, and quote another call.
        if self._phase is JSON and self.envelope.in_arguments:
            turn.ignore_calls_until(self.tag.ends[0])

    def _problem(self) -> Reason | None:
        return UNREADABLE if self.gap.tried and not self.tag.bare else None

    def _read_gap(self, turn: Turn, text: str, i: int) -> int:
        # Character by character: a gap is short, and each rule must apply at its own character.
        char, gap = text[i], self.gap
        if not gap.read(char, turn.names, self.tag):
            return self._no_call(turn, i)
        if char == "{":
            return self._begin_object(turn, i)
        if char == "[" and not gap.name:
            self._phase = BRACKET
        self._paren = self._paren or char == "("
        return self._pass_by(turn, char, i)

    def _pass_by(self, turn: Turn, char: str, i: int) -> int:
        turn.region.keep(char)
        tag, gap = self.tag, self.gap
        if tag.text and gap.recent.endswith(tag.text):
            return self._no_call(turn, i + 1, again=len(tag.text))
        if tag.closer and gap.recent.endswith(tag.closer):
            return self._closed(turn, tag.closer, i + 1)
        if gap.recent.endswith(FENCE):
            if gap.after_call and self._fence:
                return self._closed(turn, FENCE, i + 1)
            self._fence = not self._fence
        return i + 1 if gap.size <= GAP else self._no_call(turn, i + 1)

    def _no_call(self, turn: Turn, i: int, *, again: int | None = None) -> int:
        # `again`: how many characters at the region's end are read again; None: all but its opener.
        self._distrust(turn)
        if again is None:
            release(turn, self._problem(), UNREADABLE)
        else:
            turn.leave(text_follows=True)
            turn.release_region(self._problem(), again)
        return i

    def _closed(self, turn: Turn, closer: str, i: int) -> int:
        if not self.gap.after_call:
            return self._no_call(turn, i)
        before = turn.content_region(drop=len(closer))
        turn.emit.markup(closer, turn.tape.base + i - len(closer))
        if closer == FENCE and self.tag.closer != FENCE and not before:
            self._fence = False
            self._phase = AFTER
        else:
            turn.leave(text_follows=False)
        return i

    def _read_bracket(self, turn: Turn, text: str, i: int) -> int:
        char = text[i]
        if char in "{[" or (self.tag.bare and (char == '"' or char.isdigit())):  # without a marker: may be data
            if self.tag.bare and not self.gap.after_call and _has_words(turn.region.text):
                return self._no_call(turn, i)
            self.gap.try_json()
            self._begin_json("[", turn.region.start + turn.region.text.rindex("["))
            return i
        if not char.isspace():
            self._phase = IN_GAP
            return i
        self.gap.read(char, turn.names, self.tag)
        return self._pass_by(turn, char, i)

    def _begin_object(self, turn: Turn, i: int) -> int:
        bare, name = self.tag.bare and not self.gap.name, self.gap.name
        if bare and not self.gap.after_call and _has_words(turn.region.text):
            return self._no_call(turn, i)  # JSON in prose
        self.envelope = Envelope(self.envelope.scanner.max_depth, bare=bare, by_tag=True)
        turn.region.keep("{")
        self.gap.try_json()
        self._begin_json("{", turn.tape.base + i, name)
        return i + 1

    def _begin_json(self, bracket: str, place: int, name: str = "") -> None:
        self._phase = JSON
        if name:
            self.envelope.begin_after_name(name)
        else:
            self.envelope.begin(bracket, place)

    def _read_json(self, turn: Turn, text: str, i: int) -> int:
        j = self.envelope.read(turn, text, i)
        if not turn.reading_call or turn.payload is not self:
            return j  # given up, or a limit was exceeded; or it is data
        scanner = self.envelope.scanner
        if scanner.token is FAIL:
            return self._unreadable(turn, text, j)
        if self.envelope.has_ended:
            self._value_closed(turn)
        return j

    def _unreadable(self, turn: Turn, text: str, j: int) -> int:
        if self.envelope.scanner.fault == "depth":
            turn.stop("depth", text[j], turn.tape.base + j)
        elif turn.region.open:
            return self._no_call(turn, j)
        else:
            self._phase = AFTER  # `[{…call…} </tool_call>`: the list was left open
        return j

    def _value_closed(self, turn: Turn) -> None:
        if turn.emit.index > self.first_call:
            if turn.region.open:  # `{…call…} {"x": 1}`: an object that is not a call
                turn.content_region()
                turn.leave(text_follows=True)
            else:
                self._phase = AFTER
            return
        turn.region.settle()
        if self.tag.bare:
            turn.leave(text_follows=True)
            turn.release_region()
        else:
            self.gap.forget_name()
            self._phase = IN_GAP

    def _read_after(self, turn: Turn, text: str, i: int) -> int:
        char = text[i]
        place = turn.tape.base + i
        if char.isspace():
            j = i
            while j < len(text) and text[j].isspace():
                j += 1
            turn.emit.space(text[i:j], place)
            return j
        if char in SEPARATORS or (char == ")" and self._paren):
            self._paren = self._paren and char != ")"
            turn.emit.markup(char, place)
            return i + 1
        closer = self.tag.closer
        if char in "{[" and char == closer[:1]:  # it is another call only if it is not the closer
            if text.startswith(closer, i):
                turn.emit.markup(closer, place)
                turn.leave(text_follows=False)
                return i + len(closer)
            if closer.startswith(text[i:]):
                return turn.hold(text, i)
        if not (is_word(char) or char in "{[<`|" or char == self.tag.closer[:1] or char == self.tag.text[:1]):
            turn.leave(text_follows=False)
            return i
        turn.open_region(place, 1, bare=self.tag.bare)
        self.gap = Gap(after_call=True)
        self._phase = IN_GAP
        return i


def _has_words(text: str) -> bool:
    # Besides the line of a fence.
    return _word_after_fence(text) is not None


_PHASES = (TagPayload._read_gap, TagPayload._read_bracket, TagPayload._read_json, TagPayload._read_after)


class Dropped(Payload):
    """A marker that is always markup."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start

    def read(self, turn: Turn, text: str, i: int) -> int:
        """The marker is complete before anything is read."""
        self.finish(turn)
        return i

    def finish(self, turn: Turn) -> None:
        """It is markup, and so is the white space after it."""
        turn.emit.markup(self.text, self.start)
        turn.enter_channel(turn.channel)

    def copy(self) -> Self:
        """The same object: it never changes."""
        return self


class TagPlan(Plan):
    """What the machine looks for if only a tag is known: see `Plan`.

    Args:
        tag: the tag.
        drop: markers that are always markup: those that end a turn.
    """

    def __init__(self, tag: Tag, drop: tuple[str, ...] = ()) -> None:
        self.tag = tag
        self.drop = tuple(each for each in drop if each and each not in {tag.text, tag.closer})
        self.bare = tag.bare
        self.spaced = False
        self.stops_after_bare = tag.bare and not self.drop
        # A bare tag is accepted only at the start of a turn.
        self._finder = Finder([*(() if tag.bare else (tag.text,)), *self.drop]) if self.drop else tag.finder

    @property
    def described(self) -> Source:
        """See `Plan`."""
        from toolglean.formats.origin import TagOnly  # noqa: PLC0415  # only those who ask pay for it

        return TagOnly(self.tag.text, self.tag.closer or None, self.drop)

    def finder(self, channel: int, only: tuple[int, ...]) -> Finder:
        """Finds the tag, and what ends a turn."""
        return self._finder

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """The tag was found at that place. If it ends with a bracket, the bracket belongs to the payload."""
        if found in self.drop:
            return Dropped(found, start), len(found)
        turn.open_region(start, len(found), bare=self.bare, alone=turn.in_line)
        turn.region.keep(found)
        payload = TagPayload(self.tag, turn.emit.index, turn.limits.depth)
        payload.begin(start + len(found) - 1)
        return payload, len(found)

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The turn begins at `i`. Returns the payload, and how many characters it has read; or None."""
        char, start = text[i], turn.tape.base + i
        if char == self.tag.text:
            return self.begin(turn, char, start)
        return None if self.tag.text else self.begin(turn, "", start)

    def __reduce__(self) -> tuple[Any, ...]:
        return TagPlan, (self.tag, self.drop)
