# What payloads do to a turn: they open a region, begin a call and end it, or give it up. Does not depend on what is
# looked for (plan.py), on the order in which text is read (machine.py), or on how a payload is written.
#
# Readers change a turn only by its methods; its fields (state.py) are not written from outside.
"""A turn, as its readers see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.engine import reasons
from toolglean.engine.attempt import Attempt
from toolglean.engine.modes import CALL, CONTENT, DONE, REPAIR, SKIP, START, TEXT
from toolglean.engine.payload import Payload, Stops
from toolglean.engine.reasons import AFTER_UNCLOSED, LIMITS, MISSING_ARGUMENTS, Kind, Reason, malformed_arguments
from toolglean.engine.repair.suspended import OFF, ON, TRIAL, Fault, Repair, Suspended
from toolglean.engine.repair.suspended import Kind as FaultKind
from toolglean.engine.speech import Speech
from toolglean.engine.strays import PATIENCE, Mark
from toolglean.engine.tape import UNBOUND, Bound

__all__ = ["Payload", "Stops", "Turn"]

SPECIAL = frozenset("|｜")  # in special tokens, which prose does not contain


class Turn(Speech):
    """A turn, and what may be done to it. Its fields are those of `TurnState`."""

    __slots__ = ()

    # -- the region ----------------------------------------------------------------------------------------------------

    def open_region(self, start: int, kept: int, *, bare: bool = False, alone: bool = False) -> None:
        """Keep the text from `start` on. If it does not become a call, its first `kept` characters are not read again.

        `bare`: no marker opened it. `alone`: what begins there is accepted only if nothing else is on its lines.
        """
        judge = self.judge
        if judge.draft is not None and judge.draft.is_kept_before(start):
            self.keep_draft()
        needs_line = (bare or alone) and judge.draft is None and self.channel == CONTENT and not self.tape.in_prompt
        judge.attempt_from(None)  # of an opener without a call
        if needs_line or self._may_be_undone:
            judge.attempt_from(Attempt(self))
        self._open_region(start, kept, bare=bare)

    @property
    def _may_be_undone(self) -> bool:
        # Whether a call that begins here is held back: see drafts.py.
        if self.judge.draft is not None:
            return False
        in_doubt = self.judge.in_doubt or bool(self.judge.fence) or self.is_wrapped
        in_doubt = in_doubt or (self.around.mention != "" and self.in_sentence)
        return self.rules.marks is not None if self.channel or self.judge.mentioned else in_doubt

    def _open_region(self, start: int, kept: int, *, bare: bool) -> None:
        self.region.begin(start, kept, bare=bare)
        self.bound = Bound(start + self.limits.held, "held")

    def allow_long_region(self) -> None:
        """The region contains the arguments of a call whose name is still to come: they may be as long as a call."""
        if self.region.open:
            self.bound = Bound(self.region.start + self.limits.call_chars, "call_chars")

    def take_region(self) -> tuple[str, int]:
        """Its text and place. Nothing is kept after that, and no limit is in force."""
        self.bound = UNBOUND
        return self.region.taken()

    def content_region(self, drop: int = 0) -> bool:
        """The region is not a call: it is content, except for its last `drop` characters. Whether any are left."""
        text, start = self.take_region()
        self.say(text[: len(text) - drop], start)
        return len(text) > drop

    def release_region(self, problem: Reason | None = None, again: int | None = None) -> None:
        """The region is not a call: its opener is content, and the rest is read again.

        Args:
            problem: the reason of the `Problem` that is reported; None for none.
            again: how many characters at the region's end are read again; None: all but the opener.
        """
        text, start = self.take_region()
        kept = self.region.opener_length if again is None else len(text) - again
        if problem is not None:
            self.emit.problem(problem, text, start)
        if self.mode is not DONE and kept < len(text) and self.read_again(text[kept:], start + kept):
            text = text[:kept]
        self.say(text, start)

    def may_set_aside(self) -> bool:
        """Whether the region begins with a whole marker, which is markup if a call follows it: see strays.py."""
        region = self.region
        opener = region.text[: region.opener_length]
        return (
            opener[-1:] in {">", "]"}
            and any(map(str.isalnum, opener))
            and not (
                self.channel != CONTENT or region.start < 0 or self.calls_ignored or region.fence_line or self.emit.open
            )
            and not self.judge.in_doubt
            and not (self.judge.code is not None and self.judge.code.is_opened_by(f"{opener}\n"))
        )

    def set_aside(self, closers: tuple[str, ...], problem: Reason | None = None) -> None:
        """The region is not a call: what follows shows whether its marker is markup or text; the rest is read again.

        Args:
            closers: what closes the marker.
            problem: the reason of the `Problem` that is reported if it is text.
        """
        kept = self.region.opener_length
        self.pass_marker(kept)
        text, start = self.take_region()
        mark = Mark(text[:kept], start, None if problem is None else (problem, text))
        patience = min(PATIENCE, self.limits.held) if closers and SPECIAL.intersection(mark.text) else 0
        self.note_signs(mark.text, self.last_char)
        self.keep_marker(mark.text, start)
        before = self.last_text if self.in_sentence else ""  # a sentence goes on behind a marker
        self.leave(text_follows=False)
        self.last_text = before
        self.emit.set_aside(mark, closers, patience)
        self.enter(START if self.at_start else self.mode)  # a fence that opens the turn may follow
        if kept < len(text) and not self.read_again(text[kept:], start + kept):
            self.say(text[kept:], start + kept)
            self.mode = TEXT

    def read_region_again(self, payload: Payload, kept: int, *, bare: bool) -> bool:
        """Have that payload read the region again, from its first character. False: too much was read again already.

        `kept`, `bare`: as for `open_region`.
        """
        lead = self.region.fence_line
        whole, start = self.region.text, self.region.start + lead
        if start < lead or not self.tape.read_by_fallback(whole[lead:], start):
            return False
        self.take_region()
        self._open_region(start, kept, bare=bare)
        if lead:
            self.region.begin_before(whole[:lead])
        self.read_with(payload)
        return True

    def pass_marker(self, chars: int) -> None:
        """The region's first characters are a marker that is always markup, and may be part of another message's
        header.
        """
        if self.channel == CONTENT:
            lead = self.region.fence_line
            self.judge.marker(self.region.text[lead : lead + chars], self.region.start + lead)

    def markup_region(self, chars: int, problem: Reason | None = None) -> None:
        """The region's first characters are a marker; the rest is read again."""
        chars += self.region.fence_line
        text, start = self.take_region()
        if problem is not None:
            self.emit.problem(problem, text[:chars], start)
        self.emit.markup(text[:chars], start)
        if not self.read_again(text[chars:], start + chars):
            self.say(text[chars:], start + chars)

    def drop_region(self, problem: Reason) -> None:
        """The region consists of markers of the format, without a call."""
        text, start = self.take_region()
        self.emit.problem(problem, text, start)
        self.emit.markup(text, start)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def begin_call(
        self, name: str, model_id: str | None, *, may_get_id: bool, alone: bool = False, last: bool = False
    ) -> bool:
        """A call is certain; the region is the beginning of its span. False: the limit of calls is exceeded.

        `alone`: it has no marker, and is accepted only if nothing else is on its lines. A call to an unknown tool in
            the middle of a line is not accepted either: it is an example.
        `last`: it is accepted only if no text follows.
        """
        draft, marks = self.judge.draft, self.emit.strays.marks
        place = marks[0].start if marks else self.region.start
        if draft is not None and draft.ends_at_call(place, last=last, is_marked=bool(marks)):
            self.end_draft(place)
            return False
        if draft is not None and draft.go_on(place):
            self.keep_draft()
        if not alone and draft is not None and draft.is_alone:
            if self.region.bare and draft.shares_line(self.region.start):  # JSON on the line of a call
                self.end_draft(self.region.start)
                return False
            if not (draft.kind is Kind.MENTION and draft.is_line_of(place)):
                self.keep_line()
        if self.emit.index >= self.limits.calls:
            self.stop("calls", name, self.region.start)
            return False
        stream_in_reasoning, bare = self.region.stream_in_reasoning, self.region.bare
        text, start = self.take_region()
        if self.channel == CONTENT:
            self.judge.marker_follows(start)
        self.bound = Bound(start + self.limits.call_chars, "call_chars")
        attempt, known = self.judge.attempt, self.names.known(name)
        self.judge.attempt_from(None)
        if attempt is not None:
            kind = Kind.LAST if last else Kind.ALONE if alone else Kind.EXAMPLE if known is False else None
            is_json = bare and attempt.before.mode is START and text.lstrip()[:1] in {"{", "["}
            if kind is None and is_json and self.judge.heeds_quotes:
                kind = Kind.OBJECT
            self.begin_draft(attempt, text, start, kind, stream_in_reasoning=stream_in_reasoning)
        self.call_is_certain()
        self.emit.start_call(name, model_id, known=known, start=start, may_get_id=may_get_id)
        return True

    def quoted_schema(self, name: str) -> Mapping[str, Any]:
        """The schema by which values are found that are written as strings, in a call of that tool; {} for none."""
        return self.names.schema_of_values(name) if self.repair is not OFF else {}

    def expect_json(self) -> None:
        """The arguments of the open call are JSON."""
        self.emit.call.expect_values(self.quoted_schema(self.emit.call.name), self.limits.depth)

    def delta(self, text: str, start: int, *, after_comma: bool = False) -> None:
        """A piece of the open call's arguments, if there is any: see `Emitter.delta`."""
        if text:
            self.emit.delta(text, start, after_comma=after_comma)

    def end_call(self, end: int, *, whole: bool = True, name_alone: bool = False) -> None:
        """The open call has ended; `whole`: not because the turn has. `name_alone`: see `NameAlone`."""
        if end > self.bound.at:
            self.emit.problem(LIMITS["call_chars"], "", end)
            self.emit.end_call("malformed", end)
        elif not whole:
            self.emit.end_call("incomplete", end)
        elif self.judge.closers.awaited is not None:
            self.emit.problem(AFTER_UNCLOSED, self.emit.call.name, self.emit.call.start)
            self.emit.end_call("malformed", end)
        elif fault := self.names.fault_of(self.emit.call.name, self.emit.call.arguments):
            self.end_malformed(reasons.malformed_call(fault), self.emit.call.name, end)
        else:
            call = self.emit.call
            is_empty = call.is_empty
            if is_empty and self.names.requires_arguments(call.name):
                self.emit.problem(MISSING_ARGUMENTS, call.name, call.start)
            keys = self.names.parameters_of(call.name) if is_empty else ()
            self.emit.end_call("ok", end, name_alone=name_alone, keys=keys)
        self.bound = UNBOUND

    def end_malformed(self, reason: Reason, text: str, end: int) -> None:
        """The open call was read to its end, but must not run."""
        self.emit.problem(reason, text, self.emit.call.start)
        self.judge.swallowed(self.emit.call.written, text, end)
        self.emit.end_call("malformed", end)
        self.bound = UNBOUND

    def end_doubtful(self, end: int, closers: Iterable[str], *, of: str) -> None:
        """The open call has ended, but a value contains an opener, `of` something, to which the closer may belong."""
        self.end_malformed(reasons.opener_in_value(of), self.emit.call.name, end)
        self.ignore_calls_until(closers)

    def end_failed(self, place: int, closer: str, closers: Iterable[str], tags: Iterable[str]) -> None:
        """The rest of a call that was given up ends there: at its closer or, if that is "", before an opener. It may
        belong to a call that the arguments quote, if they contain one of the tags that open calls.
        """
        if not closer and self.holds_word:
            self.end_draft(place)
            return
        arguments = self.emit.call.written
        self.emit.end_call("malformed", place)
        if closer:
            self.emit.markup(closer, place)
        if not closer or any(tag in arguments for tag in tags):
            self.ignore_calls_until(closers)

    def expect_late_closers(self, closers: tuple[str, ...], until: int, *, foreign: bool) -> None:
        """A call, maybe another family's, ended without these closers: if one comes before that place, it is markup."""
        self.judge.heed(self.judge.closers.after_call((*closers, *self.emit.strays.around), until, foreign=foreign))

    def ignore_calls_until(self, closers: Iterable[str]) -> None:
        """A call could not be read: ignore calls until one of the closers has come. See closers.py."""
        self.judge.heed(self.judge.closers.after_fault(tuple(closers), self.region.start if self.region.open else -1))

    # -- calls that cannot be read: what is repaired, and how, is in repair/ -------------------------------------------

    def may_repair(self) -> bool:
        """Whether the call that is being read may be repaired: not if it may be a draft, or is ignored anyway."""
        if self.repair is not ON or self.tape.in_prompt:
            return False
        if not self.region.open:
            return self.repair_failed_at != self.emit.index
        return self.channel == CONTENT and not self.calls_ignored and not self.judge.in_doubt

    def suspend(self, fault: Fault, before: Payload) -> None:
        """Keep what comes next until it shows what was meant. `before`: the payload that will then read on."""
        attempt = None
        if self.repair is not TRIAL:
            attempt = Attempt(self, before)
            self.bound = UNBOUND
        if fault.put is not None and fault.put.back:
            (self if attempt is None else attempt.before).emit.call.drop_comma()
        if attempt is None:
            self.payload = before
        self.suspended, self.mode = Suspended(fault, attempt), REPAIR
        self.tape.release()

    def suspend_refused(self, kind: FaultKind, reason: Reason | None, text: str, place: int) -> bool:
        """That text was refused. Returns whether it may be repaired; then what comes next is kept."""
        payload = self.payload
        if payload is None or not (self.repair is TRIAL or self.may_repair()):
            return False
        from toolglean.engine.repair.candidates import put_at_once, waits  # noqa: PLC0415  # few turns need it

        name, put = put_at_once(payload.refusal(self, text[:1])) or ("", None)
        if put is not None:
            before = payload.repaired_with(put)
        else:
            before = payload.before_refusal() if self.repair is ON and waits(kind, text[:1]) else None
        if before is not None:
            self.suspend(Fault(kind, reason, text, place, name, put), before)
        return before is not None

    def begin_trial(self, repair: Repair) -> None:
        """This copy reads what may have been meant: no repair waits for the end of the call."""
        self.repair = repair
        self.emit.begin_trial()

    def repaired(self, name: str, text: str, place: int) -> None:
        """Report a repair at that place."""
        self.emit.problem(reasons.repaired(name), text, place)
        self.emit.repaired(name, place)

    def take_over(self, trial: Turn, written: str) -> None:
        """Adopt the trial's state, and emit its events. `written`: the text since the region began, as it was written,
        which is that of a draft that began in the trial; "" if it began before.
        """
        draft, begun, told = self.judge.draft, trial.judge.draft, self.emit.take()
        repair, tried = self.repair, self.repair_failed_at
        if draft is None and begun is not None and written:
            draft = begun.of(written)
            draft.emit.tell_first(told)
        else:
            trial.emit.tell_first(told)
        self.adopt(trial)
        self.judge.keep_back(draft)
        if draft is not None and begun is None:  # the trial has kept it
            self.keep_draft()
        self.repair, self.repair_failed_at, self.suspended = repair, tried, None
        self.tape.count_as(trial.tape)
        self.tape.release()

    def give_up_repair(self, before: Turn) -> None:
        """Read the call on as it was written, and try no other repair of it. `before`: the turn as it was."""
        self.bound = before.bound
        self.repair_failed_at = self.emit.index
        self.resume()

    def give_up(self, reason: Reason, text: str, place: int) -> None:
        """The open call cannot be read: skip the rest of it."""
        if self.suspend_refused(FaultKind.CHARACTER, reason, text, place):
            return
        if self.holds_form:
            self.mode = SKIP
            self.end_draft(place)
            return
        self.emit.problem(reason, text, place)
        unwritten = "" if self.payload is None else self.payload.refusal(self, text[:1]).last
        self.judge.swallowed(self.emit.call.written + unwritten, text, place)
        if (draft := self.judge.draft) is not None:
            draft.fails_at(place, begun=self.emit.call.written != "")
        self.bound = UNBOUND
        self.mode = SKIP
        self.tape.release()

    def refuse_arguments(self, fault: str, text: str, place: int) -> None:
        """A reader refused that character of the open call's arguments. `fault`: what it expected, or "depth"."""
        if fault == "depth":
            self.stop("depth", text, place)
        else:
            self.give_up(malformed_arguments(fault), text, place)

    def resume(self) -> None:
        """The payload that was skipped, or has waited, reads on."""
        self.mode, self.suspended = CALL, None

    def stop(self, limit: str, text: str, place: int) -> None:
        """A limit is exceeded: an open call ends here, and the rest of the turn is content."""
        if limit == "held" and self.region.open and self.payload is not None and self.payload.is_too_long(self):
            return
        self.mode, self.payload = DONE, None
        self.bound = UNBOUND
        self.keep_nothing()
        self.keep_line()
        if self.judge.draft is not None:
            self.end_draft(place, (limit, text, place))
            return
        self.emit.problem(LIMITS[limit], text, place)
        if self.emit.open:
            self.emit.end_call("malformed", place)
        elif self.region.open:
            self.release_region()
