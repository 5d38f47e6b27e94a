# What this file knows: how a payload is read of which only the tag is known.
# What it must not know: where the text comes from, and what becomes of text that is not a call (machine.py).
#
# Names match exactly; what is fuzzy is the place. After the tag there is a *gap*: at most GAP characters of anything,
# in which whole words are looked up among the tools. Then comes JSON:
#
#     get_weather[ARGS]{"city": "Paris"}                          a name in the gap, then an object: its arguments
#     {"name": "get_weather", "arguments": {"city": "Paris"}}     calls in JSON (envelope.py), also in lists, nested …
#
# After a call the payload goes on over white space, `,`, `;` and `]`, to further objects or names, or to the closer.
# A gap between two calls is stricter than the first one: two words with only blanks between them are prose, and the
# payload is over. So `<call 1></c1><c2>get_time\n{}` holds two calls, and `<call 1> I ran it with {"x": 1}` one.
"""Discovery: calls behind a tag of which nothing else is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.envelope import Envelope, begin_arguments, begin_frames, finish_envelope, read_envelope
from toolglean.engine.frame import Frame
from toolglean.engine.missed import UNREADABLE, release
from toolglean.engine.plan import Plan
from toolglean.engine.tag import Tag
from toolglean.engine.turn import Payload, Turn
from toolglean.scan.json import CLOSE, FAIL, KEY, NEED, leaves_string
from toolglean.scan.rope import Rope, flat, grown, joined
from toolglean.scan.text import Finder, is_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglean.engine.turn import Stops

__all__ = ["TagPayload", "TagPlan"]

GAP = 256  # characters of anything that may stand before a call's JSON
FENCE = "```"
_word_after_fence = re.compile(r"(?:\s*+`{3,16}[\w+#./-]{0,32}[ \t\r]{0,8}\n)?+[\W]*+\w").match
SEPARATORS = frozenset(",;]")

# Phases, named for what has been read.
IN_GAP = 0  # the tag, or the beginning of something after a call
BRACKET = 1  # `[` in the gap: a list of calls, or the beginning of a marker such as [ARGS]
FIRST_KEY = 2  # a name and `{`: its first key decides whether it is the arguments
IN_JSON = 3  # the beginning of a JSON value
AFTER = 4  # a call


class TagPayload(Payload):
    """Where the reading of a payload stands."""

    def __init__(self, tag: Tag, first_call: int, max_depth: int) -> None:
        self.tag = tag
        self.phase = IN_GAP
        self.envelope = Envelope(max_depth, bare=tag.bare, alone=False)
        self.first_call = first_call  # the index that the payload's first call gets
        self._after = False  # whether the gap stands after a call
        self._tried = False  # whether JSON was begun: a payload without a call is then worth a Problem
        self._fence = False  # whether a fence in the gap is still open
        self._paren = False  # whether the name was followed by "("
        self._start_gap()
        self._held: Rope = ()  # FIRST_KEY: the object so far

    def _start_gap(self) -> None:
        self._gap = 0
        self._recent = ""  # the gap's end, as long as the tag, the closer or a fence
        self._word = ""
        self._name = ""
        self._prose = 0  # 1: in a word; 2: blanks after a word

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return _PHASES[self.phase](turn, self, text, i)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return (leaves_string, None) if self.phase == IN_JSON and self.envelope.in_string else None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        del turn
        return self.envelope.scanner.passed(text)

    def forget_calls(self, calls: int) -> None:
        """See `Payload`."""
        self.first_call -= calls

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open: what waits is not a call."""
        if self.phase == IN_JSON and finish_envelope(turn, self.envelope):
            return
        _distrust(turn, self)
        if turn.region.open:
            release(turn, _problem(self), UNREADABLE, at_end=True)
        else:
            turn.leave(text_follows=False)

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Pass over the rest of a malformed call."""
        place, found = self.tag.skipper.find(text, i)
        if not found:
            return turn.hold(text, place)
        closer = "" if found == self.tag.text else found
        turn.end_failed(turn.base + place, closer, *self.tag.ends)
        if not closer:
            turn.leave(text_follows=True)
            return place
        turn.leave(text_follows=False)
        return place + len(found)

    def copy(self) -> TagPayload:
        """The same place."""
        twin = TagPayload.__new__(TagPayload)
        twin.tag, twin.phase, twin.envelope, twin.first_call = (
            self.tag,
            self.phase,
            self.envelope.copy(),
            self.first_call,
        )
        twin._after, twin._tried, twin._fence, twin._paren = self._after, self._tried, self._fence, self._paren
        twin._gap, twin._recent, twin._word, twin._name = self._gap, self._recent, self._word, self._name
        twin._prose, twin._held = self._prose, self._held
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_held": flat(self._held), "tag": (self.tag.text, self.tag.closer)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)
        self.tag = Tag.of(*state["tag"])


class Dropped(Payload):
    """A marker that is markup wherever it stands."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start

    def read(self, turn: Turn, text: str, i: int) -> int:
        """The marker is done before anything is read."""
        del text
        self.finish(turn)
        return i

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Never called: a marker is never given up."""
        del turn, i
        return len(text)

    def finish(self, turn: Turn) -> None:
        """It is markup, as is the white space beside it."""
        turn.emit.markup(self.text, self.start)
        turn.enter_lane(turn.lane)

    def copy(self) -> Self:
        """The same place: nothing changes here."""
        return self


class TagPlan(Plan):
    """What the machine looks for where only a tag is known: see `plan.Plan`.

    Args:
        tag: the tag.
        drop: markers that are markup wherever they stand: those that end a turn.
    """

    def __init__(self, tag: Tag, drop: tuple[str, ...] = ()) -> None:
        self.tag = tag
        self.tag_text = tag.text
        self.drop = tuple(each for each in drop if each and each not in {tag.text, tag.closer})
        self.bare = tag.bare
        self.spaced = False
        self.stops_after_bare = tag.bare and not self.drop
        # A bare tag counts at the start of a turn alone.
        self._finder = Finder([*(() if tag.bare else (tag.text,)), *self.drop]) if self.drop else tag.finder

    def finder(self, lane: int, only: tuple[int, ...]) -> Finder:
        """Finds the tag, and what ends a turn."""
        del lane, only
        return self._finder

    def reasoning_lane(self) -> int:
        """The lane of reasoning: a tag knows none."""
        return 0

    def begin(self, turn: Turn, found: str, start: int) -> tuple[Payload, int]:
        """The tag was found at that place of the turn; where it ends with a bracket, the bracket is the payload's."""
        if found in self.drop:
            return Dropped(found, start), len(found)
        turn.open_region(start, len(found), bare=self.bare)
        turn.region.keep(found)
        payload = TagPayload(self.tag, turn.emit.index, turn.limits.depth)
        if self.tag.bracket == "[" and not self.tag.bare:
            payload.phase = BRACKET
        elif self.tag.bracket:
            begin_frames(payload.envelope, self.tag.bracket, start + len(found) - 1)
            payload.phase = IN_JSON
        return payload, len(found)

    def begin_bare(self, turn: Turn, text: str, i: int) -> tuple[Payload, int] | None:
        """The turn begins at `i`: the payload, and how many characters it has read; None if none."""
        char, start = text[i], turn.base + i
        if char == self.tag.text:
            return self.begin(turn, char, start)
        return None if self.tag.text else self.begin(turn, "", start)

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.tag.text, self.tag.closer, self.drop)


def _plan(tag: str, closer: str, drop: tuple[str, ...] = ()) -> TagPlan:
    return TagPlan(Tag.of(tag, closer), drop)


def _distrust(turn: Turn, payload: TagPayload) -> None:
    # What was kept may quote a call in the arguments of one that cannot be read.
    if payload.phase == IN_JSON and payload.envelope.in_arguments:
        turn.distrust(payload.tag.ends[0])


def _problem(payload: TagPayload) -> str:
    return UNREADABLE if payload._tried and not payload.tag.bare else ""


# -- the gap ---------------------------------------------------------------------------------------------------------


def _gap(turn: Turn, payload: TagPayload, text: str, i: int) -> int:
    # Character by character: a gap is short, and each rule must act at its own character.
    char = text[i]
    if is_word(char):
        if payload._after and payload._prose == 2:
            return _no_call(turn, payload, i)
        payload._word += char
        payload._prose = 1
    else:
        if payload._word and not _end_word(turn, payload):
            return _no_call(turn, payload, i)
        if char == "{":
            return _object(turn, payload, i)
        if char == "[" and not payload._name:
            payload.phase = BRACKET
        payload._paren = payload._paren or char == "("
        payload._prose = 2 if payload._prose and char in " \t" else 0
    return _in_gap(turn, payload, char, i)


def _in_gap(turn: Turn, payload: TagPayload, char: str, i: int) -> int:
    turn.region.keep(char)
    payload._gap += 1
    tag = payload.tag
    recent = payload._recent = (payload._recent + char)[-max(len(tag.text), len(tag.closer), 3) :]
    if tag.text and recent.endswith(tag.text):
        return _no_call(turn, payload, i + 1, again=len(tag.text))
    if tag.closer and recent.endswith(tag.closer):
        return _closed(turn, payload, tag.closer, i + 1)
    if recent.endswith(FENCE):
        if payload._after and payload._fence:
            return _closed(turn, payload, FENCE, i + 1)
        payload._fence = not payload._fence
    if payload._gap > GAP:
        return _no_call(turn, payload, i + 1)
    return i + 1


def _end_word(turn: Turn, payload: TagPayload) -> bool:
    """A word of the gap is whole. False: it shows that no call follows."""
    word, payload._word = payload._word, ""
    before = payload._recent[: -len(word)]
    name = None if before.endswith("`") else turn.names.resolve(word)  # ```json: not a name
    if name is not None:
        payload._name = name
    # Directly after a call, a word is a name or it is prose.
    return name is not None or not (payload._after and payload._gap == len(word))


def _no_call(turn: Turn, payload: TagPayload, i: int, *, again: int | None = None) -> int:
    # `again`: how much of the region's end is to be read again; None: all but its opener.
    _distrust(turn, payload)
    if again is None:
        release(turn, _problem(payload), UNREADABLE)
    else:
        turn.leave(text_follows=True)
        turn.release_region(_problem(payload), again)
    return i


def _closed(turn: Turn, payload: TagPayload, closer: str, i: int) -> int:
    if not payload._after:
        return _no_call(turn, payload, i)
    before = turn.content_region(drop=len(closer))
    turn.emit.markup(closer, turn.base + i - len(closer))
    if closer == FENCE and payload.tag.closer != FENCE and not before:
        payload._fence = False
        payload.phase = AFTER
    else:
        turn.leave(text_follows=False)
    return i


def _bracket(turn: Turn, payload: TagPayload, text: str, i: int) -> int:
    char = text[i]
    if char in "{[" or (payload.tag.bare and (char == '"' or char.isdigit())):  # without a marker, also data
        if payload.tag.bare and not payload._after and _has_words(turn.region.text):
            return _no_call(turn, payload, i)
        begin_frames(payload.envelope, "[", turn.region.start + turn.region.text.rindex("["))
        payload.phase, payload._tried = IN_JSON, True
        return i
    if not char.isspace():
        payload.phase = IN_GAP
        return i
    return _in_gap(turn, payload, char, i)


# -- JSON ------------------------------------------------------------------------------------------------------------


def _object(turn: Turn, payload: TagPayload, i: int) -> int:
    if payload.tag.bare and not payload._name and not payload._after and _has_words(turn.region.text):
        return _no_call(turn, payload, i)  # JSON in prose
    bare = payload.tag.bare and not payload._name
    payload.envelope = Envelope(payload.envelope.scanner.max_depth, bare=bare, alone=False)
    begin_frames(payload.envelope, "{", turn.base + i)
    turn.region.keep("{")
    payload.phase, payload._tried = IN_JSON, True
    if payload._name:
        payload.envelope.frames = []
        payload.phase, payload._held = FIRST_KEY, ((), "{")
    return i + 1


def _has_words(text: str) -> bool:
    # Besides the line of a fence.
    return _word_after_fence(text) is not None


def _first_key(turn: Turn, payload: TagPayload, text: str, i: int) -> int:
    scanner = payload.envelope.scanner
    j = scanner.step(text, i)
    turn.region.keep(text[i:j])
    payload._held = grown(payload._held, scanner.written(text, i, j))
    if scanner.token == FAIL:
        return _unreadable(turn, payload, text, j)
    if scanner.token == NEED:
        return j
    held, payload._held = joined(payload._held), ()
    key = held[held.index('"') + 1 : -1] if scanner.token == KEY else ""
    if key in {"arguments", "parameters"} and not turn.names.has_parameter(payload._name, key):
        _wrapped_arguments(turn, payload, key)
    elif turn.begin_call(payload._name, None, may_get_id=False):
        turn.emit.delta(held, turn.base + j - len(held))
        if scanner.token == CLOSE:
            turn.end_call(turn.base + j)
            payload.phase = AFTER
        else:
            begin_arguments(payload.envelope, 0)
            payload.phase = IN_JSON
    return j


def _wrapped_arguments(turn: Turn, payload: TagPayload, key: str) -> None:
    # name {"arguments": {…}}: the object is an envelope whose name is known.
    if turn.begin_call(payload._name, None, may_get_id=True):
        frame = Frame("{")
        frame.name, frame.key, frame.keys, frame.called = payload._name, key, 1, True
        payload.envelope.frames = [frame]
        payload.phase = IN_JSON


def _json(turn: Turn, payload: TagPayload, text: str, i: int) -> int:
    j = read_envelope(turn, payload.envelope, text, i)
    if not turn.reading_call or turn.payload is not payload:
        return j  # given up, or a limit was passed; or it is data
    scanner = payload.envelope.scanner
    if scanner.token == FAIL:
        return _unreadable(turn, payload, text, j)
    if payload.envelope.has_ended:
        _value_closed(turn, payload)
    return j


def _unreadable(turn: Turn, payload: TagPayload, text: str, j: int) -> int:
    if payload.envelope.scanner.fault == "depth":
        turn.stop("depth", text[j], turn.base + j)
    elif turn.region.open:
        return _no_call(turn, payload, j)
    else:
        payload.phase = AFTER  # `[{…call…} </tool_call>`: the list was left open
    return j


def _value_closed(turn: Turn, payload: TagPayload) -> None:
    if turn.emit.index > payload.first_call:
        if turn.region.open:  # `{…call…} {"x": 1}`: an object that is not a call
            turn.content_region()
            turn.leave(text_follows=True)
        else:
            payload.phase = AFTER
        return
    turn.region.settle()
    if payload.tag.bare:
        turn.leave(text_follows=True)
        turn.release_region()
    else:
        payload._name, payload.phase = "", IN_GAP


# -- after a call ----------------------------------------------------------------------------------------------------


def _after(turn: Turn, payload: TagPayload, text: str, i: int) -> int:
    char = text[i]
    place = turn.base + i
    if char.isspace():
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        turn.emit.space(text[i:j], place)
        return j
    if char in SEPARATORS or (char == ")" and payload._paren):
        payload._paren = payload._paren and char != ")"
        turn.emit.markup(char, place)
        return i + 1
    if not (is_word(char) or char in "{[<`|" or char == payload.tag.closer[:1] or char == payload.tag.text[:1]):
        turn.leave(text_follows=False)
        return i
    turn.open_region(place, 1, bare=payload.tag.bare)
    payload._after, payload._tried = True, False
    payload._start_gap()
    payload.phase = IN_GAP
    return i


_PHASES: tuple[Callable[[Turn, TagPayload, str, int], int], ...] = (_gap, _bracket, _first_key, _json, _after)
