# Follows calls along their course, chunk by chunk, and returns what the machine would. Does not know how a course is
# made (steps.py), how arguments are read (bodies.py), or what the machine does with text that is not as declared.
#
# Events are returned at once. What the machine needs to take over is kept: the text since the last call that ended
# (`unread`), and how much of it was returned as events. So nothing of the turn is changed until a call has ended.
"""Calls that are followed along their course."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglean.engine.followed_call import FollowedCall
from toolglean.engine.open_call import is_empty
from toolglean.engine.repair.suspended import OFF
from toolglean.engine.straight.bodies import ASTRAY, JsonBody, Pieces, TaggedBody, decoded, tagged_body
from toolglean.engine.straight.standing import first_step, standing_of
from toolglean.engine.straight.steps import ARGUMENTS, BEGINS, ENDS, NAME_CHARS, TEXT, VALUE, WORD
from toolglean.events import CallDelta, CallEnd, CallStart, Event, Markup, ToolCall
from toolglean.scan.names import may_be_wrapped
from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglean.engine.straight.standing import Probe, Standing
    from toolglean.engine.straight.steps import Course, Spelling, Step
    from toolglean.engine.tape import Piece
    from toolglean.engine.turn import Turn
    from toolglean.formats.compile import Program

__all__ = ["Follower", "follower_at"]

LONGEST = 2048
"""Characters of a call: a longer one, in chunks, has the fast path of the machine, which keeps less."""


class Follower(Plain):
    """Follows calls, one after another.

    Args:
        first: the text before the first name, in all courses that begin with the opener that was found.
        piece: the text, from that opener on.
        probe: reads samples of a course: see `standing_of`.

    Attributes:
        told, told_chars: how many events of what is unread were returned, and how many characters of the open call's
            arguments; told_to: the place after the text that they were made of.
        course, standing: how the calls are written, and the machine's state after one; None until that is clear.
        landed: the last call that ended; None if none has.
        astray: a place up to which the text is no longer followed.
    """

    __slots__ = (
        *("_body", "_bound", "_done", "_first", "_gap", "_id", "_limit", "_more", "_name", "_out", "_plain", "_probe"),
        *(
            "_spelling",
            "_start",
            "_step",
            "_word",
            "astray",
            "course",
            "landed",
            "standing",
            "told",
            "told_chars",
            "told_to",
        ),
    )
    owned = ("_body", "_more")

    def __init__(self, first: Step, piece: Piece, probe: Probe | Standing) -> None:
        self._first = piece  # what is unread, and `more` of it: the text since the last call that ended
        self._more: list[str] = []
        self._probe = probe
        self.told = self.told_chars = self.told_to = self.astray = 0
        self.course: Course | None = None
        self.standing: Standing | None = None
        self.landed: FollowedCall | None = None
        self._start = piece[1] + piece[2]  # of the call that is read
        self._gap = ""  # the text of the format before it
        self._name = self._word = ""
        self._id: str | None = None
        self._body: JsonBody | TaggedBody | None = None
        self._out: list[Event] = []
        self._bound = 0  # a place up to which the arguments are followed
        # Inside a string of the arguments: finds what does not pass as it is.
        self._plain: Callable[[str], Any] | None = None
        self._enter(first)

    def _enter(self, step: Step) -> None:
        self._step, self._done, self._word = step, 0, ""
        self._spelling: Spelling | None = step.spellings[0] if step.kind == TEXT else None
        self._set_limit()

    def _set_limit(self) -> None:
        # As long as less of the spelling than this has been read, nothing is returned.
        spelling = self._spelling
        if spelling is None:
            self._limit = 0
        else:
            self._limit = spelling.mark if self._done < spelling.mark else len(spelling.text)

    # -- text ----------------------------------------------------------------------------------------------------------

    def feed(self, turn: Turn, chunk: str, place: int) -> list[Event] | None:
        """Read one chunk, which is at that place. None: the machine must read what is unread."""
        self._more.append(chunk)
        if self._plain is not None:
            size = len(chunk)
            end = place + size
            if size and self._plain(chunk) is None and end < self._bound and self._body is not None:
                self._body.told.append(chunk)
                self.told_chars += size
                self.told_to = end
                return [CallDelta(turn.emit.index, chunk, place)]
        elif self._spelling is not None:
            done = self._done
            end = done + len(chunk)
            if end < self._limit and self._spelling.text.startswith(chunk, done):
                self._done = end
                return []
        return self._read(turn, chunk, 0, place)

    def begin(self, turn: Turn) -> list[Event] | None:
        """Read the piece with which it begins: see `feed`."""
        return self._read(turn, *self._first)

    def _read(self, turn: Turn, text: str, i: int, base: int) -> list[Event] | None:
        out: list[Event] = []
        self._out = out
        n = len(text)
        while i < n:
            j = _READERS[self._step.kind](self, turn, text, i, base)
            if j < 0:
                self.astray = base + i
                return None
            i = j
        inside = self._body is not None and self._step.kind in {ARGUMENTS, VALUE}
        self._plain = self._body.plain if inside and self._body is not None else None
        return out

    def unread(self) -> Piece:
        """What the machine must read: the text since the last call that ended, or since the first opener."""
        text, i, base = self._first
        if not self._more:
            return self._first
        return text[i:] + "".join(self._more), 0, base + i

    def rest(self) -> list[Event]:
        """The events of the chunk in which the text went astray."""
        return self._out

    def _read_text(self, turn: Turn, text: str, i: int, base: int) -> int:
        done, spelling = self._done, self._spelling
        assert spelling is not None
        size = len(spelling.text) - done
        piece = text[i : i + size]
        if not piece or not spelling.text.startswith(piece, done):
            other = self._other(spelling, text, i)
            if other is None:
                return ASTRAY
            self._spelling = spelling = other
            piece = text[i : i + len(spelling.text) - done]
        self._done = done + len(piece)
        if done < spelling.mark <= self._done and not self._say(turn, spelling, done, (text, i, base)):
            return ASTRAY
        i += len(piece)
        if self._done < len(spelling.text):
            self._set_limit()
            return i
        return self._pass_spelling(turn, spelling, text, i, base)

    def _other(self, spelling: Spelling, text: str, i: int) -> Spelling | None:
        # Another spelling that is the same as far as it was read, and goes on with the text.
        done = self._done
        begun = spelling.text[:done]
        for each in self._step.spellings:
            piece = text[i : i + len(each.text) - done]
            if piece and each.text.startswith(begun) and each.text.startswith(piece, done):
                return each
        return None

    def _pass_spelling(self, turn: Turn, spelling: Spelling, text: str, i: int, base: int) -> int:
        # A text is complete.
        if spelling.opener >= 0:
            start = base + i - len(spelling.text)
            self._start, self._gap = start + spelling.opener, spelling.text[spelling.end : spelling.opener]
        if spelling.course is not None:
            self.course = spelling.course
            standing = self.standing = standing_of(self.course, self._probe)
            if standing is None or (turn.narrowed_to and not set(turn.narrowed_to).issuperset(standing.formats)):
                return ASTRAY
        if spelling.after is None:
            self._limit = 0
            return i
        self._enter(spelling.after)
        if spelling.after.kind == ARGUMENTS:
            body = self._body = JsonBody(turn.quoted_schema(self._name))
            told: Pieces = []
            i = body.begin(text, i, told, base)
            if body.value is not None:  # all of it was in this chunk
                self._bound = self._start + turn.limits.call_chars
            return self._tell(told, turn, i, base)
        return i

    # -- words, arguments, values --------------------------------------------------------------------------------------

    def _read_word(self, turn: Turn, text: str, i: int, base: int) -> int:
        step, course = self._step, self.course
        assert course is not None
        j: int = step.chars(text, i).end()
        if step.word == "key" and self._body is None and (j == i or not self._begin(turn)):
            return ASTRAY
        word = self._word = self._word + text[i:j]
        if len(word) > NAME_CHARS or (word and step.begun(word) is None):
            return ASTRAY
        if j == len(text):
            return j
        if step.whole(word) is None or not self._take(turn, step.word, word):
            return ASTRAY
        assert step.after is not None
        self._enter(step.after)
        return j

    def _take(self, turn: Turn, kind: str, word: str) -> bool:
        course, tools = self.course, turn.names.tools
        assert course is not None
        if kind != "name":
            assert isinstance(self._body, TaggedBody)
            self._body.parameters.word(kind, word)
            return word not in course.format.wrappers
        name, _, index = word.partition(":") if course.indexed else (word, "", "")
        self._name, self._id = name, None
        if course.shows_id:
            declared = course.format.id
            self._id = (
                declared.replace("{name}", name).replace("{index}", index)
                if declared
                else turn.emit.ids.ours(turn.emit.index)
            )
        return tools is not None and name in tools

    def _read_arguments(self, turn: Turn, text: str, i: int, base: int) -> int:
        body = self._body
        assert isinstance(body, JsonBody)
        told: Pieces = []
        return self._tell(told, turn, body.read(text, i, told, base), base)

    def _read_value(self, turn: Turn, text: str, i: int, base: int) -> int:
        body, step = self._body, self._step
        assert isinstance(body, TaggedBody)
        told: Pieces = []
        j = self._tell(told, turn, body.read(step, text, i, told, base), base)
        if 0 <= j < len(text):
            if not body.at_closer(step):
                return ASTRAY
            assert step.after is not None
            self._enter(step.after)
            self._done = len(step.trail)
            self._set_limit()
        return j

    def _tell(self, told: Pieces, turn: Turn, i: int, base: int) -> int:
        # These pieces of the arguments were read, up to `i`.
        if i < 0 or base + i > self._bound:
            return ASTRAY
        index = turn.emit.index
        for text, at, end in told:
            self._out.append(CallDelta(index, text, at))
            self.told_chars += len(text)
            self.told_to = end
        body = self._body
        if isinstance(body, JsonBody) and body.closed:
            assert self._step.after is not None
            self._enter(self._step.after)
        return i

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _say(self, turn: Turn, spelling: Spelling, done: int, piece: Piece) -> bool:
        # The mark of a text was reached, of which `done` characters are before the piece.
        if spelling.says == BEGINS:
            return self._begin(turn)
        _, i, base = piece
        start = base + i - done
        if start + spelling.mark > self._start + turn.limits.call_chars:
            return False
        told: Pieces = []
        if isinstance(self._body, TaggedBody):
            if not self._body.end_value(start, told, repair=turn.repair is not OFF):
                return False
            if spelling.says == ENDS:
                self._body.end(start + spelling.end, told)
            if self._tell(told, turn, i, base) < 0:
                return False
        if spelling.says != ENDS:
            return True
        call_id = self._end(turn, start + spelling.end)
        if call_id is None:
            return False
        turn.emit.pass_call(call_id)
        self._land(spelling, start, done, piece)
        return True

    def _end(self, turn: Turn, end: int) -> str | None:
        # The call has ended. Returns its id; None if it needs a closer look.
        body, course, emit = self._body, self.course, turn.emit
        assert body is not None
        assert course is not None
        written = "".join(body.told)
        value = body.value if isinstance(body, JsonBody) and body.value is not None else decoded(written)
        call_id = emit.ids.ours(emit.index) if self._id is None else self._id
        if value is None or call_id in emit.ids:
            return None
        if is_empty(written):
            may_follow = not isinstance(body, JsonBody) and turn.names.parameters_of(self._name) != ()
            if may_follow or turn.names.requires_arguments(self._name):  # the latter is reported
                return None
        # It may be the definition of a tool, or arguments in another object.
        if may_be_wrapped(written) or ('"type"' in written and (isinstance(body, JsonBody) or '": {' in written)):
            return None
        span = self._start, end
        call = ToolCall(call_id, emit.index, self._name, True, value, written, span, "ok", ())
        self._out.append(CallEnd(emit.index, call, end))
        return call_id

    def _land(self, spelling: Spelling, start: int, done: int, piece: Piece) -> None:
        # The call has ended: what is unread begins after it. `start`: the place of the spelling.
        land, (text, i, base) = spelling.land, piece
        is_first = self.landed is None
        first, later = (0, 0) if self.standing is None else self.standing.again
        again = spelling.mark - land + (first if self.landed is None else self.landed.again + later)
        markup, end = spelling.text[spelling.end : land], start + spelling.end
        self.landed = FollowedCall(self._start, end, start + land, start + spelling.mark, markup, is_first, again)
        if land >= done:
            self._first, self._more = (text, i + land - done, base), []
        else:
            self._first, self._more = (spelling.text[land:done], 0, start + land), [text[i:]]
        self.told, self.told_chars, self._body = 0, 0, None

    @property
    def is_in_call(self) -> bool:
        """Whether a call is open."""
        return self._body is not None

    def at_end(self, turn: Turn, place: int) -> list[Event] | None:
        """The turn ends at that place: the last events, if it may end there; None if the machine must end it."""
        spelling = self._spelling
        if (self.landed is None and self._body is None) or spelling is None:
            return None
        read = spelling.text[: self._done]
        if read not in self._step.ends:
            return None
        out: list[Event] = []
        self._out = out
        if self._body is not None:
            if read or self._end(turn, place) is None:
                return None
            return out
        assert self.landed is not None
        gap = read[spelling.end :]
        return [Markup(gap, self.landed.end)] if gap and turn.emit.tells_markup else []

    def _begin(self, turn: Turn) -> bool:
        emit, course = turn.emit, self.course
        assert course is not None
        if emit.index >= turn.limits.calls or (self._id is not None and self._id in emit.ids):
            return False
        if self._gap and emit.tells_markup:
            assert self.landed is not None
            self._out.append(Markup(self._gap, self.landed.end))
            self.told += 1
        self._bound = self._start + min(turn.limits.call_chars, LONGEST)
        self._out.append(CallStart(emit.index, self._id, self._name, True, self._start))
        self.told += 1
        if course.begins_late:
            self._body = tagged_body(turn, self._name, course, self.standing)
        return True


_READERS = {
    TEXT: Follower._read_text,
    WORD: Follower._read_word,
    ARGUMENTS: Follower._read_arguments,
    VALUE: Follower._read_value,
}


def follower_at(program: Program, opener: str, piece: Piece, probe: Probe | Standing) -> Follower | None:
    """What follows the calls of that program that begin with that opener; None if they cannot be followed.

    `opener`: "" for all openers of a program of one format.
    """
    step = first_step(program, opener)
    return None if step is None else Follower(step, piece, probe)
