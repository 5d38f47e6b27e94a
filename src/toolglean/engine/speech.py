# The text of a turn: what is emitted, what waits, and what is read next; and how calls that were held back are released
# or undone. Does not know how a call begins or ends (turn.py), or what is looked for (plan.py).
"""A turn, as far as it is text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolglean.engine.by_schema.keeping import Keeping
from toolglean.engine.judge.drafts import MARKERS, Draft
from toolglean.engine.modes import CALL, CONTENT, DONE, MARKER_SPACE, SKIP, SPACE, START, TEXT, Mode
from toolglean.engine.reasons import ANOTHER_MESSAGE, CUT_OFF, LIMITS, Kind
from toolglean.engine.strays import Mark
from toolglean.engine.tape import UNBOUND
from toolglean.scan.text import FENCES, opens_quotation

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.followed_call import FollowedCall
    from toolglean.engine.payload import Payload
    from toolglean.engine.tape import Piece

__all__ = ["Speech"]


class Speech(Keeping):
    """A turn, as far as it is text: see the head of this file."""

    __slots__ = ()

    # -- text ----------------------------------------------------------------------------------------------------------

    def say(self, text: str, start: int, *, is_data: bool = False, unsure: bool = False) -> None:
        """Text that is not a call. `is_data`: it is JSON, whose strings open nothing; `unsure`: it may be none."""
        last, before = self.last_char, self.last_text
        if text and self._is_beyond_draft(text, start):
            return
        if self.channel != CONTENT:
            self.judge.reasoning(text, start, before, is_data=is_data)
            self._say_reasoning(text, start)
            return
        if (is_data and not unsure) or not self.reads_by_schema:
            self._say_part(text, start, before, is_data=is_data)
            self.note_kept(start + len(text))
            return
        i, self.last_text = 0, before
        while i < len(text):
            end, _ = self.part_at_line(text, i, len(text), last=last, start=start)
            self._say_part(text[i:end], start + i, self.last_text, is_data=is_data)
            self.remember(text[i:end])
            self.note_kept(start + end)
            last, i = text[max(end - 1, 0) : end], end

    def say_up_to(self, text: str, i: int, end: int) -> None:
        """The text from `i` to `end` is not a call. No line of it begins one in an undeclared spelling."""
        text, start, before = text[i:end], self.tape.base + i, self.last_text
        if self._is_beyond_draft(text, start):
            return
        self._say_part(text, start, before, is_data=False)
        self.note_kept(start + len(text))

    def _say_part(self, text: str, start: int, before: str, *, is_data: bool) -> None:
        if is_data:
            self.judge.json(text)
        else:
            self.judge.content(text, start)
            self.look_around(text, before, self.last_char, start)
        self._say_content(text, start)

    def _say_content(self, text: str, start: int) -> None:
        self.note_signs(text, self.last_char)
        self.last_char = text[-1:] or self.last_char
        if text and not (self.has_content and not self.at_start) and not text.isspace():
            self.has_content, self.at_start = True, False
        self.emit.content(text, start)

    def _say_reasoning(self, text: str, start: int) -> None:
        end = len(text.rstrip())  # white space at its end waits, because before a marker it is markup
        self.long_space = self.long_space and not end
        self.emit.reasoning(text[:end], start)
        if self.long_space:  # too much of this run has waited: the rest is not examined again
            self.emit.reasoning(text[end:], start + end)
            return
        self.emit.space(text[end:], start + end)
        if self.emit.space_before(start + len(text)) > self.limits.held:
            self.emit.space_is_text(self.channel)
            self.long_space = True

    def passed(self, text: str, start: int) -> None:
        """That text was emitted on a fast path, without the turn."""
        before, last = self.last_text, self.last_char
        if self.mode is not DONE and self.channel != CONTENT:
            self.judge.reasoning(text, start, before, is_data=False)
        elif self.mode is not DONE:
            self.judge.content(text, start)
            self.look_around(text, before, last, start)
            self.note_signs(text, last)
        if self.channel == CONTENT:
            self.last_char = text[-1]
        self.remember(text)

    def hold(self, text: str, place: int) -> int:
        """The end of the text, from `place` on, waits for the next chunk, and is read again before it."""
        self.tape.hold(text[place:])
        return len(text)

    def read_again(self, text: str, start: int, *, always: bool = False) -> bool:
        """Read that text, which is at `start`, once more, before what follows. False: too much was read again."""
        return self.tape.read_again(text, start, always=always)

    def wait_for_more(self, text: str, i: int) -> int:
        """White space from `i` on waits for what follows. Returns its end."""
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        here = self.tape.base + j
        self.emit.space(text[i:j], here - (j - i))
        self.pass_space(text[i:j])
        if self.emit.space_before(here) > self.limits.held:
            self.emit.space_is_text(self.channel)
            self.leave(text_follows=True)
        if self.judge.draft is not None and "\n" in text[i:j] and self.judge.draft.ends_line(here):
            self.keep_line()
        return j

    # -- what is read next ---------------------------------------------------------------------------------------------

    def enter(self, mode: Mode) -> None:
        """From here on, text is read in that mode."""
        self.mode = mode

    def read_with(self, payload: Payload) -> None:
        """From here on, that payload reads."""
        self.payload, self.mode = payload, CALL

    def pass_payload(self, payload: Payload) -> None:
        """The same, without a change of mode: what it reads is not a call."""
        self.payload = payload

    def enter_channel(self, channel: int, *, ends_message: bool = False) -> None:
        """A marker was read: what follows is content (0), or reasoning of one kind. White space after it is markup.
        `ends_message`: if text follows it on its line, what is held back was an example.
        """
        draft = self.judge.draft
        waits = ends_message and draft is not None and draft.kind in {Kind.QUOTED, Kind.MENTION}
        if draft is not None and not waits and (draft.is_quoted or draft.is_object):
            if self.reads_draft_again(draft, ends=True):  # neither code nor a transcript goes on after such a marker
                self.tape.interrupt()
            else:
                self.keep_draft()
        if not waits:
            self.keep_line()
        if channel != self.channel:
            self.keep_nothing()
            self.judge.reasoning_began()
        self.note_marker()
        self.channel, self.long_space = channel, False
        self.judge.entered()
        self.payload, self.mode = None, MARKER_SPACE

    def enter_content(self, *, for_user: bool, at_start: bool) -> None:
        """A marker was read: what follows is content. `for_user`: for the user alone; `at_start`: a call that comes
        first there needs no marker, if none was needed before.
        """
        at_start = at_start and self.at_start
        self.keep_nothing()
        self.enter_channel(CONTENT)
        self.at_start = at_start
        self.judge.address(for_user=for_user)

    def require_marker(self) -> None:
        """From here on, a call needs a marker."""
        self.at_start = False

    def narrow(self, formats: tuple[int, ...]) -> None:
        """From here on, the search is narrowed to these numbers; () for everything."""
        self.narrowed_to = formats

    def widen(self) -> None:
        """A marker of another family than the named one came: those of all families are looked for everywhere."""
        self.is_foreign = True

    def leave(self, *, text_follows: bool) -> None:
        """The payload has ended. Unless text follows at once, white space waits for what comes."""
        self.payload = None
        region = self.region
        is_text = region.open and 0 < region.opener_length <= region.end - region.start
        if not (text_follows and (is_text or self.mode is SPACE)):
            self.last_text = ""  # else what was no opener is text behind what came before
        self.bound = UNBOUND
        self.mode = SPACE if not text_follows else DONE if self.rules.stops_after_bare else TEXT

    # -- the beginning and the end of the turn -------------------------------------------------------------------------

    def begin(self, *, bare: bool, spaced: bool) -> None:
        """A turn begins. `bare`: what comes first needs a check of its own; `spaced`: see `Plan`."""
        self.at_start = bare
        self.mode = START if bare else SPACE if spaced else TEXT

    def begin_after_prompt(self, prompt: str, *, bare: bool, literals: Iterable[str], is_own: bool | None) -> None:
        """The prompt ended in text. What waits belongs to the turn only if it is one of the literals."""
        if self.tape.held not in literals:
            held = self.tape.release()
            self.judge.content(held, -len(held))
        if not is_own or not any(map(str.isalnum, self.last_text)):  # it may be the rest of a header: `Assistant:`
            self.last_text = self.last_char = ""
        self.around = self.around if is_own else type(self.around)()
        self.begin(bare=bare and not self.last_text, spaced=False)
        self.judge.turn_began(prompt, is_own=is_own)

    def end(self) -> None:
        """The turn is over: report it, and treat the rest as content."""
        self.keep_nothing()
        header, place = (self.judge.code and self.judge.code.over) or ("", 0)
        self.emit.problem(ANOTHER_MESSAGE, header, max(place, 0))  # it may be in the prompt
        self.mode, self.payload = DONE, None

    def set_orphans_aside(self, text: str, start: int) -> None:
        """Closers that nothing opened: markup if a marker or the end of the turn follows; else text."""
        self.leave(text_follows=False)
        self.pass_space(text)
        self.emit.set_aside(Mark(text, start), (), 0)

    def cut_off(self, held: str, start: int) -> None:
        """The turn ends in the middle of a marker."""
        self.emit.problem(CUT_OFF, held, start)
        self.emit.markup(held, start)

    def end_cut_call(self, end: int) -> None:
        """The turn ends within the open call."""
        if self.holds_bare_name or self.holds_word:
            self.end_draft(end)
            return
        self.emit.end_call("malformed" if self.mode is SKIP else "incomplete", end)
        self.mode, self.payload = TEXT, None

    # -- calls ---------------------------------------------------------------------------------------------------------

    def call_is_certain(self) -> None:
        """A call begins: what is kept of the text before it is not needed any more."""
        self.keep_nothing()
        self.note_marker()
        self.channel, self.at_start = CONTENT, False
        self.judge.call_began(self.region.start)

    def pass_calls(self, payload: Payload, formats: tuple[int, ...], landed: FollowedCall) -> None:
        """Calls were followed (see straight/): continue after the last one. `payload`: what reads on there."""
        if self.region.start != landed.start:  # it was not the first
            self.region.begin(landed.start, 0, bare=False)
        self.region.taken()
        self.bound = UNBOUND
        self.judge.marker_follows(landed.start)
        self.judge.attempt_from(None)
        self.call_is_certain()
        self.narrow(formats)
        self.read_with(payload)
        self.tape.count_again(landed.again)
        self.emit.markup(landed.markup, landed.end)

    # -- calls that are held back --------------------------------------------------------------------------------------

    def begin_draft(
        self, attempt: Attempt, text: str, start: int, kind: Kind | None, *, stream_in_reasoning: bool
    ) -> None:
        """A call begins that may have to be undone; `kind`: why, as far as the call itself shows it."""
        code, before, marks = self.judge.code, attempt.before.last_text, MARKERS
        where, most, again, behind_sign = None, self.limits.held, False, code is not None and code.end == start
        if kind is None and attempt.before.is_indented and not self.tape.is_trusted(start):
            kind = Kind.INDENTED
        if thought := self.channel or self.judge.mentioned:
            if self.rules.marks is None or stream_in_reasoning:
                return
            kind, marks, most = Kind.REASONING, self.rules.marks(thought), self.limits.call_chars
            behind_sign = text.startswith(("```json", "```\n")) or opens_quotation(before) or self.is_quoted_here
        elif code is not None and code.open:
            again = (kind is not None or attempt.before.in_sentence) and start >= 0
            kind, marks, where = Kind.QUOTED, (), code.where
        elif kind in {Kind.LAST, Kind.OBJECT, Kind.INDENTED} or (text[:1] in FENCES and self.judge.heeds_quotes):
            prose = text[0].isalpha() and before[-1:].isspace() and attempt.before.in_sentence
            kind = Kind.PROSE if prose else Kind.FENCED if text[0] in FENCES and kind is not Kind.LAST else kind
            marks, most = (), self.limits.call_chars
        elif kind is None and attempt.before.may_mention and not self.tape.is_trusted(start):
            kind = Kind.MENTION
        if kind is None:
            return
        if self.candidate is not None:  # a copy of it is in the attempt
            self.emit.hand_back(attempt.before.emit)
            self.candidate = None
        else:
            attempt.before.emit.tell_first(self.emit.take())  # with what was reported of its opener
        draft = Draft(
            *(attempt, kind, marks),
            start=start,
            text=text,
            most=most,
            behind_sign=behind_sign,
            where=where,
            again=again,
        )
        self.judge.keep_back(draft)
        self.tape.interrupt()

    def _is_beyond_draft(self, text: str, start: int) -> bool:
        # Whether that text shows that the draft is not one of the turn's calls. Then it is read again after the draft.
        self.remember(text)
        draft = self.judge.draft
        if draft is None or draft.is_quoted or (text.isspace() and draft.since < 0):
            return False
        is_ended = draft.is_ended_by(text, start)
        if is_ended:
            self.end_draft(start if draft.since < 0 else draft.since)
        elif is_ended is not None:
            self.keep_draft()
        return bool(is_ended)

    def after_draft(self, piece: Piece | None) -> Piece | None:
        """What to read next instead of that piece, if the draft is over; else the piece."""
        draft, tape = self.judge.draft, self.tape
        if draft is None:
            return piece
        passed = draft.passed and not (piece is not None and draft.lets_through(piece))
        if passed and not self.reads_draft_again(draft):
            self.keep_draft()
            tape.lay_in_order(draft.unread, piece)
            return tape.next()
        if draft.over is None or (piece is not None and not draft.goes_beyond(piece)):
            return piece
        tape.lay(piece)
        text, rest = draft.split()
        self.take_back(draft, text)
        tape.drop_up_to(draft.end)
        return rest if rest[0] else tape.next()

    def end_draft(self, place: int, limit: tuple[str, str, int] | None = None) -> None:
        """What is at that place shows that the draft is not one of the turn's calls; the machine takes it back."""
        assert self.judge.draft is not None
        self.judge.draft.end_at(place, limit)
        self.tape.interrupt()

    def reads_draft_again(self, draft: Draft, *, ends: bool = False) -> bool:
        """Whether a draft that is not code is read again: it may be held back for another reason. `ends`: code ends."""
        if not draft.again or (draft.over is not None and not ends):
            return False
        if not self.tape.read_draft_again(draft.let_through, draft.start):
            return False
        draft.end_at(draft.start, None)
        return True

    def take_back(self, draft: Draft, text: str) -> None:
        """Discard the draft: restore the state from before it, and emit its text as reasoning or content."""
        self.tape.take_waiting()
        self.tape.release()
        is_prose = self.holds_bare_name
        draft.attempt.undo(self)
        if draft.again and draft.over == draft.start:
            assert self.judge.code is not None
            self.judge.code.forget()
            return
        if not is_prose:
            self.emit.problem(draft.reason, text.rstrip(), draft.start)
        if self.channel != CONTENT:
            self.say(text, draft.start, is_data=True)
        elif draft.is_quoted:  # the code continues, whatever its text contains
            self.remember(text)
            self.judge.quoted()
            self._say_content(text, draft.start)
        else:
            self.judge.open_fence("")
            self.leave(text_follows=True)
            self._say_part(text, draft.start, self.last_text, is_data=False)  # told: no line of it begins a call
            self.remember(text)
            self.note_kept(draft.start + len(text))
        if draft.limit is not None:
            limit, what, place = draft.limit
            self.emit.problem(LIMITS.get(limit, ANOTHER_MESSAGE), what, place)
            if limit != "call_chars":
                self.mode, self.channel = DONE, CONTENT
                self.keep_nothing()

    def keep_draft(self) -> None:
        """The draft contains the turn's calls: release its events."""
        draft = self.judge.draft
        assert draft is not None
        self.judge.keep_back(None)
        draft.emit.release()
        self.emit.tell_first(draft.emit.out)
        if draft.is_quoted and self.judge.code is not None:
            self.judge.code.forget()

    def keep_line(self) -> None:
        """Calls that may share their line with no text are the turn's: what follows them there is none."""
        draft = self.judge.draft
        if draft is not None and draft.is_alone and draft.over is None:
            self.keep_draft()
