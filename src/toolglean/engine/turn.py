# What this file knows: the few verbs by which what a tag opened (a payload) changes where a turn stands.
# What it must not know: what is looked for (plan.py), how text is handed round (machine.py), how a payload is written.
"""The turn, as payloads see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Self, TypeAlias

from toolglean.engine.attempt import Attempt
from toolglean.engine.draft import MARKERS, Draft
from toolglean.engine.emit import LEFT_OVER
from toolglean.engine.modes import BESIDE, CALL, CONTENT, DONE, MEND, SKIP, SPACE, TEXT
from toolglean.engine.repair.candidates import put_at_once, waits
from toolglean.engine.repair.suspended import ON, TRIAL, Fault, Kind, Repair, Repairable, Suspended
from toolglean.engine.standing import Standing
from toolglean.engine.strays import PATIENCE, Mark

if TYPE_CHECKING:
    from toolglean.scan.reader import Search

__all__ = ["ALONE", "CUT_OFF", "IN_STRING", "LEFT_OVER", "Payload", "Stops", "Turn"]

Stops: TypeAlias = "tuple[Search, Callable[[str], str] | None]"
"""Finds something in text that must be read; and what writes other text as a JSON string, None if it is JSON."""

DISTRUSTED = "call behind a malformed one that was not closed"
CUT_OFF = "cut off behind a marker"
DRAFT = "call in the reasoning, which went on"
QUOTED = "call in code"
ALONE = "call without a marker, with other text on its line"
EXAMPLE = "call of an unknown tool, in the middle of a line"
ADDRESSED = "call in text for the user"
OVER = "another message: the turn is over"
SPECIAL = frozenset("|｜")  # in special tokens, which prose does not hold
IN_STRING = "call in a string of JSON"
QUOTING = "a value that holds the opener of a "

# What a turn does not take over from a copy that read what was meant.
_OWN = frozenset({"draft", "mending", "repair", "tried"})


class Payload(Repairable):
    """What a tag opened: it reads on until it calls `leave`, `give_up` or `stop` on the turn."""

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""
        raise NotImplementedError

    def skip(self, turn: Turn, text: str, i: int) -> int:
        """Pass over the rest of a malformed call, from `i`; returns the place reached."""
        raise NotImplementedError

    def finish(self, turn: Turn) -> None:
        """The turn is over, and no call is open."""
        raise NotImplementedError

    def copy(self) -> Self:
        """The same place."""
        raise NotImplementedError

    def is_too_long(self, turn: Turn) -> bool:
        """The turn's region has passed the limit `held`. Whether the payload was only a try, and has given way."""
        del turn
        return False

    def completes(self, turn: Turn) -> bool:
        """The text is over, and a call is open. Whether it was whole but for what might have followed: then it ends."""
        del turn
        return False

    def forget_calls(self, calls: int) -> None:
        """The prompt is over, and so many of its calls are not counted any more."""
        del calls

    def stops(self) -> Stops | None:
        """Inside a string of the arguments: what text may go out without being read. None where all must be read."""
        return None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """The same for text in which a stop was found: it is read, if the string goes on to its end.

        Returns:
            The text as JSON, and whether the next characters must be passed in any case, because an escape, or what may
            be a marker, has begun. None: nothing was read.
        """
        del turn, text
        return None


class Turn(Standing):
    """A turn, and what may be done to it. Its state, and the meaning of each part, is in standing.py."""

    __slots__ = ()

    payload: Payload | None

    # -- text ----------------------------------------------------------------------------------------------------------

    def say(self, text: str, start: int) -> None:
        """Text that is no call: content, or reasoning."""
        if text:
            self.last = text
            if self.draft is not None and not self.draft.quoted and not text.isspace():
                draft, first = self.draft, start + len(text) - len(text.lstrip())
                if draft.over is not None or not draft.alone or draft.shares_line(first):
                    self.end_draft(start)
                    return
                self.keep_draft()
        if self.lane == CONTENT:
            self.fresh = self.fresh and (not text or text.isspace())
            self._scan(text, start)
            if not self.said or self.wrapper:
                blank = not text or text.isspace()
                self.said, self.wrapper = self.said or not blank, self.wrapper if blank else ""
            self.emit.content(text, start)
            return
        end = len(text.rstrip())  # white space at its end waits: beside a marker it is markup
        if end:
            self.long_space = False
        self.emit.reasoning(text[:end], start)
        if self.long_space:  # too much of this run has waited: the rest is not looked at again
            self.emit.reasoning(text[end:], start + end)
            return
        self.emit.space(text[end:], start + end)
        if self.emit.space_before(start + len(text)) > self.limits.held:
            self.emit.space_is_text(self.lane)
            self.long_space = True

    def _scan(self, text: str, start: int) -> None:
        # Whether the content that follows is quoted, or in a string.
        if self.quotes is not None:
            self.quotes.scan(text, start)
        if self.strings is not None and (self.strings.is_open or "{" in text or "[" in text):
            self.strings.scan(text)

    def say_json(self, text: str, start: int) -> None:
        """The same for JSON that is data: what its strings quote opens no code."""
        (quotes, self.quotes), (strings, self.strings) = (self.quotes, None), (self.strings, None)
        self.say(text, start)
        self.quotes, self.strings = quotes, strings
        if quotes is not None and self.lane == CONTENT:
            quotes.pass_by(text)

    def hold(self, text: str, place: int) -> int:
        """The text's end, from `place` on, waits for the next chunk, before which it is read again."""
        self.held = text[place:]
        return len(text)

    def read_again(self, text: str, start: int, *, always: bool = False, kept: bool = False) -> bool:
        """Read that text, which stands at `start`, once more, before what follows. False: too much was read again.

        `kept`: the text is that of a region, or of one that is opened for it now.
        """
        # What was in the prompt is not part of the turn, so it is not read again, but for what a region keeps.
        if start < 0 and not self.in_prompt and not (kept or self.region.open):
            text, start = text[-start:], 0
        return self.again.read(text, start, always=always)

    def wait_for_more(self, text: str, i: int) -> int:
        """White space from `i` on waits for what follows; returns its end."""
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        self.emit.space(text[i:j], self.base + i)
        self.pass_space(text[i:j])
        if self.emit.space_before(self.base + j) > self.limits.held:
            self.emit.space_is_text(self.lane)
            self.leave(text_follows=True)
        if self.draft is not None and "\n" in text[i:j] and self.draft.ends_line(self.base + j):
            self._keep_line()
        return j

    def enter_lane(self, lane: int) -> None:
        """A marker was read: what follows is content (0), or reasoning of one kind. White space beside it is markup."""
        if self.draft is not None and self.draft.quoted:  # code does not go on behind such a marker
            self.keep_draft()
        self._keep_line()
        self.lane, self.long_space, self.last, self.quiet = lane, False, "", False
        if self.strings is not None:
            self.strings.reset()
        self.payload, self.mode = None, BESIDE

    def enter_content(self, *, for_user: bool, at_start: bool) -> None:
        """A marker was read: what follows is content. `for_user`: for the user alone; `at_start`: a call that comes
        first there needs no marker, if none has been needed so far.
        """
        at_start = at_start and self.fresh
        self.enter_lane(CONTENT)
        self.fresh, self.quiet = at_start, for_user

    def require_marker(self) -> None:
        """From here on, a call needs a marker."""
        self.fresh = False

    def narrow(self, formats: tuple[int, ...]) -> None:
        """From here on, only these formats count; () for all."""
        self.only = formats

    def narrowed(self, formats: tuple[int, ...]) -> tuple[int, ...]:
        """Of these formats, those that the turn may still be in."""
        return tuple(number for number in formats if number in self.only) or formats

    def read_with(self, payload: Payload) -> None:
        """From here on, that payload reads."""
        self.payload, self.mode = payload, CALL

    def pass_payload(self, payload: Payload) -> None:
        """The same, in the mode that the turn is in: what it reads is no call any more."""
        self.payload = payload

    def read_instead(self, text: str, start: int) -> None:
        """Read that text next, which stands at `start` and was read before: it is not counted again."""
        self.again.put(text, start)

    def rest_is_content(self) -> None:
        """Nothing else counts in this turn."""
        self.mode = DONE

    # -- the end of the turn -------------------------------------------------------------------------------------------

    def pass_marker(self, chars: int) -> None:
        """The region's first characters are a marker that is always markup: also in another message's header."""
        if self.quotes is not None and self.lane == CONTENT:
            lead = self.region.lead
            self.quotes.mark(self.region.text[lead : lead + chars], self.region.start + lead)

    def pass_space(self, text: str) -> None:
        """White space beside a call or a marker: a line may begin behind it."""
        if self.quotes is not None and self.lane == CONTENT:
            self.quotes.pass_by(text)

    @property
    def heeds_quotes(self) -> bool:
        """Whether calls in quotations are content."""
        return self.quotes is not None and self.quotes.heeded

    @property
    def is_over(self) -> bool:
        """Whether the header of another message was read: the rest is content."""
        return self.quotes is not None and self.mode != DONE and not self.in_prompt and self.quotes.over is not None

    def end(self) -> None:
        """The turn is over: say so, and let the rest be content."""
        header, place = (self.quotes and self.quotes.over) or ("", 0)
        self.emit.problem(OVER, header, place)
        self.mode, self.payload = DONE, None

    # -- the region ----------------------------------------------------------------------------------------------------

    def open_region(self, start: int, kept: int, *, bare: bool = False, alone: bool = False) -> None:
        """From `start` on, text is kept; if no call comes of it, its first `kept` characters are not read again.

        `bare`: no marker opened it. `alone`: what begins there may count only alone on its lines.
        """
        if self.draft is not None and self.draft.alone and not self.draft.shares_line(start):
            self._keep_line()
        needs_line = (bare or alone) and self.draft is None and self.lane == CONTENT and not self.in_prompt
        self.attempt = None  # of an opener that nothing came of
        self.attempt = Attempt(self, start) if needs_line or self._may_be_undone else None
        self._open_region(start, kept, bare=bare)

    @property
    def _may_be_undone(self) -> bool:
        # Whether a call that begins here is kept back: see draft.py.
        if self.draft is not None:
            return False
        if self.lane != CONTENT:
            return self.marks is not None
        return self.quotes is not None and self.quotes.open > 0

    def _open_region(self, start: int, kept: int, *, bare: bool) -> None:
        self.region.begin(start, kept, bare=bare)
        self.bound.set(start + self.limits.held, "held")

    def allow_long_region(self) -> None:
        """The region holds the arguments of a call whose name is still to come: they may be as long as a call."""
        if self.region.open:
            self.bound.set(self.region.start + self.limits.call_chars, "call_chars")

    def take_region(self) -> tuple[str, int]:
        """Its text and place; nothing is kept any more, and no limit is in force."""
        self.bound.lift()
        return self.region.taken()

    def content_region(self, drop: int = 0) -> bool:
        """No call came of the region: it is content, but for its last `drop` characters. Whether any is left."""
        text, start = self.take_region()
        text = text[: len(text) - drop]
        self.say(text, start)
        return bool(text)

    def release_region(self, problem: str = "", again: int | None = None) -> None:
        """No call came of the region: its opener is content, and the rest is read again.

        Args:
            problem: the reason of the `Problem` that is reported; "" for none.
            again: how many characters at the region's end are read again; None: all but the opener.
        """
        kept = self.region.kept
        text, start = self.take_region()
        if problem:
            self.emit.problem(problem, text, start)
        if again is not None:
            kept = len(text) - again
        if self.mode != DONE and kept < len(text) and self.read_again(text[kept:], start + kept):
            text = text[:kept]
        self.say(text, start)

    def may_set_aside(self) -> bool:
        """Whether the region begins with a whole marker, which is markup if a call follows it: see strays.py."""
        region = self.region
        opener = region.text[: region.kept]
        return (
            opener[-1:] in {">", "]"}
            and any(map(str.isalnum, opener))
            and not (self.lane != CONTENT or region.start < 0 or self.is_deaf or region.lead or self.emit.open)
            and not (self.quotes is not None and self.quotes.open)
        )

    def set_aside(self, closers: tuple[str, ...], problem: str = "") -> None:
        """No call came of the region: what follows tells whether its marker is markup or text; the rest is read again.

        Args:
            closers: what closes the marker.
            problem: the reason of the `Problem` that is reported if it is text.
        """
        kept = self.region.kept
        self.pass_marker(kept)
        text, start = self.take_region()
        mark = Mark(text[:kept], start, (problem, text if problem else ""))
        patience = min(PATIENCE, self.limits.held) if closers and SPECIAL.intersection(mark.text) else 0
        self.fresh = False
        self.leave(text_follows=False)
        self.emit.set_aside(mark, closers, patience)
        if kept < len(text) and not self.read_again(text[kept:], start + kept):
            self.say(text[kept:], start + kept)
            self.mode = TEXT

    def read_region_again(self, payload: Payload, kept: int, *, bare: bool) -> bool:
        """That payload reads the region again, from its first character on. False: too much was read so.

        `kept`, `bare`: as for `open_region`.
        """
        lead = self.region.lead
        whole, start = self.region.text, self.region.start + lead
        if start < lead or not self.again.read_otherwise(whole[lead:], start):
            return False
        self.take_region()
        self._open_region(start, kept, bare=bare)
        if lead:
            self.region.begin_before(whole[:lead])
        self.payload, self.mode = payload, CALL
        return True

    def markup_region(self, chars: int, problem: str = "") -> None:
        """The region's first characters are a marker; the rest is read again."""
        chars += self.region.lead
        text, start = self.take_region()
        if problem:
            self.emit.problem(problem, text[:chars], start)
        self.emit.markup(text[:chars], start)
        if not self.read_again(text[chars:], start + chars):
            self.say(text[chars:], start + chars)

    def drop_region(self, problem: str) -> None:
        """The region is markers of the format, of which nothing came."""
        text, start = self.take_region()
        self.emit.problem(problem, text, start)
        self.emit.markup(text, start)

    # -- calls ---------------------------------------------------------------------------------------------------------

    @property
    def reading_call(self) -> bool:
        """Whether the payload is still being read: not given up, not stopped, not left."""
        return self.mode == CALL

    @property
    def is_deaf(self) -> bool:
        """Whether no call counts here: in reasoning, if the user wants it so; in code, JSON, text for the user."""
        if self.lane != CONTENT:
            return self.deaf
        return (
            self.quiet
            or (self.quotes is not None and self.quotes.sure)
            or (self.strings is not None and self.strings.in_string)
        )

    @property
    def deaf_because(self) -> str:
        """Why no call counts here, for a `Problem`; "" where the user wants it so."""
        if self.lane != CONTENT:
            return ""
        in_code = self.quotes is not None and self.quotes.sure
        return ADDRESSED if self.quiet else QUOTED if in_code else IN_STRING

    def takes(self, name: str) -> bool:
        """Whether a call of that name counts."""
        return not self.is_deaf and self.names.takes(name, bare=self.region.bare)

    def begin_call(self, name: str, model_id: str | None, *, may_get_id: bool, alone: bool = False) -> bool:
        """A call is certain; the region is the beginning of its span. False: the limit of calls is passed.

        `alone`: it has no marker, and counts only if nothing else is on its lines. Nor does the call of an unknown tool
        count in the middle of a line: it is an example.
        """
        if not alone and self.draft is not None and self.draft.alone:
            if self.region.bare and self.draft.shares_line(self.region.start):  # JSON on the line of a call
                self.end_draft(self.region.start)
                return False
            self._keep_line()
        if self.emit.index >= self.limits.calls:
            self.stop("calls", name, self.region.start)
            return False
        at_once = self.region.at_once
        text, start = self.take_region()
        if self.quotes is not None and self.lane == CONTENT:
            self.quotes.settle(start)
        self.bound.set(start + self.limits.call_chars, "call_chars")
        attempt, self.attempt = self.attempt, None
        if attempt is not None and self.lane == CONTENT and self.quotes is not None and self.quotes.open:
            self._begin_draft(attempt, text, start, ("`" * self.quotes.open,), self.limits.held, quoted=True)
        elif attempt is not None and self.lane != CONTENT and self.marks is not None and not at_once:
            self._begin_draft(attempt, text, start, self.marks(self.lane), self.limits.call_chars)
        elif attempt is not None and self.lane == CONTENT and (alone or self.names.known(name) is False):
            draft = self._begin_draft(attempt, text, start, MARKERS, self.limits.held, alone=True)
            draft.in_list, draft.example = alone and text.startswith("["), not alone
        self.lane, self.fresh, self.last, self.missing = CONTENT, False, "", ((), 0)
        if self.strings is not None:
            self.strings.reset()
        self.emit.start_call(name, model_id, known=self.names.known(name), start=start, may_get_id=may_get_id)
        return True

    def delta(self, text: str, start: int, *, after_comma: bool = False) -> None:
        """A piece of the open call's arguments, if there is any: see `Emitter.delta`."""
        if text:
            self.emit.delta(text, start, after_comma=after_comma)

    def end_call(self, end: int, *, whole: bool = True) -> None:
        """The open call is finished; `whole`: not because the turn is."""
        if end > self.bound.at:
            self.emit.problem("limit passed: call_chars", "", end)
            self.emit.end_call("malformed", end)
        elif not whole:
            self.emit.end_call("incomplete", end)
        elif self.owed is not None:
            self.emit.problem(DISTRUSTED, self.emit.name, self.emit.start)
            self.emit.end_call("malformed", end)
        else:
            self.emit.end_call("ok", end)
        self.bound.lift()

    def end_malformed(self, reason: str, text: str, end: int) -> None:
        """The open call was read to its end, and may not run."""
        self.emit.problem(reason, text, self.emit.start)
        self.emit.end_call("malformed", end)
        self.bound.lift()

    def limit_passed(self, i: int) -> bool:
        """Whether what stands at `i` is beyond a limit: of a call that has just become certain, say."""
        return self.base + i >= self.bound.at

    def miss(self, closers: tuple[str, ...], place: int) -> None:
        """A call was left at that place, and these of its closers did not come: if one comes soon, it is markup."""
        closers = (*closers, *self.emit.strays.around)
        self.missing = closers, place + self.limits.held if closers else 0

    def leave(self, *, text_follows: bool) -> None:
        """The payload is over. Unless text follows at once, white space waits for what comes."""
        self.payload, self.last = None, ""
        self.bound.lift()
        self.mode = SPACE if not text_follows else DONE if self.stops_after_bare else TEXT

    # -- calls that are kept back --------------------------------------------------------------------------------------

    def _begin_draft(
        self,
        attempt: Attempt,
        text: str,
        start: int,
        marks: tuple[str, ...],
        most: int,
        *,
        quoted: bool = False,
        alone: bool = False,
    ) -> Draft:
        close = self.quotes is not None and self.quotes.end == start
        attempt.before.emit.out = self.emit.out  # with what was said of its opener
        self.draft = Draft(attempt, marks, start=start, text=text, most=most, quoted=quoted, close=close, alone=alone)
        self.emit = self.emit.copy()
        self.emit.out = []
        self.again.interrupt()
        return self.draft

    def end_draft(self, place: int, limit: tuple[str, str, int] | None = None) -> None:
        """What stands at that place shows that the draft is none of the turn's calls; the machine takes it back."""
        assert self.draft is not None
        if self.draft.over is None or place < self.draft.over:
            self.draft.over, self.draft.limit = place, limit
        self.again.interrupt()

    def take_back(self, draft: Draft, text: str) -> None:
        """The draft was no call: undo it, and emit its text as reasoning or content."""
        self.again.waiting, self.held = None, ""
        draft.attempt.undo(self)
        reason = EXAMPLE if draft.example else ALONE if draft.alone else QUOTED if draft.quoted else DRAFT
        self.emit.problem(reason, text.rstrip(), draft.start)
        if draft.alone:  # it is plain text
            self.leave(text_follows=True)
            self.say(text, draft.start)
        else:
            quotes, self.quotes = self.quotes, None  # the code goes on, whatever its text contains
            self.say(text, draft.start)
            self.quotes = quotes
        if draft.limit is not None:
            limit, what, place = draft.limit
            self.emit.problem(f"limit passed: {limit}", what, place)
            if limit != "call_chars":
                self.mode, self.lane = DONE, CONTENT

    def keep_draft(self) -> None:
        """The draft holds the turn's calls."""
        draft, self.draft = self.draft, None
        assert draft is not None
        self.emit.out = draft.emit.out + self.emit.out
        if draft.quoted and self.quotes is not None:
            self.quotes.forget()

    def _keep_line(self) -> None:
        # Calls without a marker are the turn's, for something other than text follows them on their line.
        if self.draft is not None and self.draft.alone and self.draft.over is None:
            self.keep_draft()

    # -- calls that cannot be read -------------------------------------------------------------------------------------

    # What is repaired, and how, is in repair/.

    def may_mend(self) -> bool:
        """Whether the call that is read may be mended: not where it might be a draft, or does not count anyway."""
        if self.repair != ON or self.in_prompt:
            return False
        if not self.region.open:
            return self.tried != self.emit.index
        return self.lane == CONTENT and not self.is_deaf and (self.quotes is None or not self.quotes.open)

    def suspend(self, fault: Fault, before: Payload) -> None:
        """Keep what comes next, until it shows what was meant. `before`: the payload, as it is to read on then."""
        attempt, own, self.payload = None, self.payload, before
        if self.repair != TRIAL:
            attempt, self.payload = Attempt(self, fault.place), own
            self.bound.lift()
        if fault.put is not None and fault.put.back:
            (self if attempt is None else attempt.before).emit.drop_comma()
        self.mending, self.mode, self.held = Suspended(fault, attempt), MEND, ""

    def suspend_refused(self, kind: Kind, reason: str, text: str, place: int) -> bool:
        """That text was refused. Whether it may be repaired: then what comes next is kept."""
        payload = self.payload
        if payload is None or not (self.repair == TRIAL or self.may_mend()):
            return False
        name, put = put_at_once(payload.refusal(self, text[:1])) or ("", None)
        if put is not None:
            before = payload.repaired_with(put)
        else:
            before = payload.relented() if self.repair == ON and waits(kind, text[:1]) else None
        if before is not None:
            self.suspend(Fault(kind, reason, text, place, name, put), before)
        return before is not None

    def begin_trial(self, repair: Repair) -> None:
        """It is a copy that reads what may have been meant: no repair waits for the end of the call."""
        self.repair = repair

    def take_text(self, text: str, start: int) -> str:
        """That text, which is at `start`, is read next. Returns it after what was held back of the text before."""
        held = ""
        if text:
            held, self.held = self.held, ""
        self.base = start - len(held)
        return held + text

    def mended(self, name: str, text: str, place: int) -> None:
        """What stands at that place was mended."""
        self.emit.problem(f"mended: {name}", text, place)
        self.emit.floor = place
        if name not in self.emit.repairs:
            self.emit.repairs = (*self.emit.repairs, name)

    def take_over(self, trial: Turn) -> None:
        """Go on from where that copy came to; what it told is told."""
        trial.emit.out[:0] = self.emit.out
        self.adopt(trial, but=_OWN)
        self.again.chars, self.held, self.mending = trial.again.chars, "", None

    def give_up(self, reason: str, text: str, place: int) -> None:
        """The open call cannot be read: pass over the rest of it."""
        if self.suspend_refused(Kind.CHARACTER, reason, text, place):
            return
        self.emit.problem(reason, text, place)
        self.bound.lift()
        self.mode, self.held = SKIP, ""

    def refuse_arguments(self, fault: str, text: str, place: int) -> None:
        """A reader refused that character of the open call's arguments; `fault`: what it expected, or "depth"."""
        if fault == "depth":
            self.stop("depth", text, place)
        else:
            self.give_up(f"malformed arguments: {fault}", text, place)

    def give_up_repair(self, before: Turn) -> None:
        """The call is read on as it was written, and no other repair of it is tried. `before`: the turn as it was."""
        self.bound.set(before.bound.at, before.bound.name)
        self.tried = self.emit.index
        self.resume()

    def resume(self) -> None:
        """The payload that was skipped, or waited, reads on."""
        self.mode, self.mending = CALL, None

    def end_failed(self, place: int, closer: str, closers: Iterable[str], tags: Iterable[str]) -> None:
        """The rest of a call that was given up ends there: at its closer, or, where that is "", before an opener.

        A closer may be that of a call which the arguments quote, if they hold one of the tags that open calls.
        """
        arguments = self.emit.arguments()
        self.emit.end_call("malformed", place)
        if closer:
            self.emit.markup(closer, place)
        if not closer or any(tag in arguments for tag in tags):
            self.distrust(closers)

    def end_doubtful(self, end: int, closers: Iterable[str], *, of: str) -> None:
        """The open call is finished, but a value holds the opener `of` a call or a parameter: its end may be the end of
        that one.
        """
        self.end_wrong(QUOTING + of, end)
        self.distrust(closers)

    def end_wrong(self, reason: str, end: int) -> None:
        """The open call is finished, and must not run for that reason."""
        self.emit.problem(reason, self.emit.name, self.emit.start)
        self.emit.end_call("malformed", end)
        self.bound.lift()

    def distrust(self, closers: Iterable[str]) -> None:
        """A call could not be read, and what comes next may be text of its arguments: a call that is quoted there.

        No call counts until one of the closers came that the failed call still owes, outside any other call; if there
        are none, until the end of the turn.
        """
        if self.owed is None:
            self.owed = tuple(closers)

    def stop(self, limit: str, text: str, place: int) -> None:
        """A limit is passed: an open call ends here, and the rest of the turn is content."""
        if limit == "held" and self.region.open and self.payload is not None and self.payload.is_too_long(self):
            return
        self.mode, self.payload = DONE, None
        self.bound.lift()
        self._keep_line()
        if self.draft is not None:
            self.end_draft(place, (limit, text, place))
            return
        self.emit.problem(f"limit passed: {limit}", text, place)
        if self.emit.open:
            self.emit.end_call("malformed", place)
        elif self.region.open:
            self.release_region()
