# The only loop. Does not know which chunks never reach it (fast.py), what is done with text (prose.py, and the
# payloads), how a payload is written (discovery.py, matcher/), or how the format was chosen.
#
# The loop hands text to the step of the current mode until the text is used up. A step reads on from a position and
# returns the position that it reached. It keeps what it cannot decide yet in the turn's state. The tape decides which
# text is read next.
"""The machine: LookingForTag, ToolCalling, Done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.emit import Emitter
from toolglean.engine.ids import ids_of
from toolglean.engine.judge.fence import closes_fence
from toolglean.engine.judge.judge import Judge
from toolglean.engine.modes import CALL, CONTENT, DONE, MARKER_SPACE, SPACE, START, TEXT
from toolglean.engine.names import Names
from toolglean.engine.prose import STEPS, begin, ends_with_orphans, keep_before_cut, repairer, text_before_marker
from toolglean.engine.repair.suspended import OFF, ON
from toolglean.engine.state import Rules
from toolglean.engine.straight_way import StraightWay
from toolglean.engine.turn import Turn
from toolglean.errors import UsageError
from toolglean.events import Event
from toolglean.options import DEFAULT, ParserOptions

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.straight.standing import Probe, Standing, Texts
    from toolglean.engine.tape import Piece
    from toolglean.engine.watch import Watch
    from toolglean.tools import ToolSet

__all__ = ["Machine"]

NOTHING = "\x00"  # is in no marker
LAYOUT = 32  # of the pickled state


class Machine(StraightWay):
    """Reads one turn, chunk by chunk. `Parser` is a machine with a public face: see there for most arguments.

    Args:
        reasoning: whether the prompt has opened the reasoning.
        prompt: what the prompt contains of the turn. `is_own`: whether that is all the model's; False: others' words
            may be before it; None: and it is only the end of them.
        in_text: whether the turn begins in the middle of text, so that no call may begin without a marker.
        watch: an observer of how far payloads read: see watch.py.
    """

    __slots__ = ("_finished", "_watch")

    def __init__(
        self,
        plan: Plan,
        tools: ToolSet | None,
        options: ParserOptions = DEFAULT,
        *,
        reasoning: bool = False,
        prompt: str = "",
        is_own: bool | None = True,
        in_text: bool = False,
        watch: Watch | None = None,
    ) -> None:
        limits, drafts = options.limits, options.calls_in_reasoning
        turn = Turn(
            Emitter(ids_of(options), markup=options.markup),
            Names(tools),
            limits,
            Judge(plan.quotes(heeded=options.quoted == "content")),
            Rules(
                options.coerce,
                plan.stops_after_bare,
                plan.marks if plan.drafts and drafts == "draft" else None,
                no_calls_in_reasoning=drafts == "text",
                by_schema=plan.by_schema and _reads_by_schema(tools, options),
                drops_orphans=plan.marked and not options.strict,
                thoughts=plan.thoughts,
            ),
            repair=ON if options.repair else OFF,
        )
        super().__init__(plan, turn)
        if watch is not None:
            self._follow_nothing()
        turn.begin(bare=self._may_begin_bare, spaced=plan.spaced)
        self._finished = False
        self._watch = watch
        if reasoning:
            self._begin_reasoning()
        elif in_text:
            turn.begin(bare=False, spaced=False)
        if prompt:
            self._read_prompt(prompt, is_own=is_own)
        else:
            self._set_fast_paths()

    # -- what was before the turn --------------------------------------------------------------------------------------

    @property
    def _may_begin_bare(self) -> bool:
        # Whether what comes first in a turn needs a check of its own.
        return self._plan.bare or self._turn.judge.heeds_quotes

    def _begin_reasoning(self) -> None:
        """The prompt has opened the reasoning."""
        channel = self._plan.reasoning_channel()
        if not channel:
            needed = "a format that has reasoning, which a tag does not: pass format or model"
            raise UsageError(f"start='reasoning' needs {needed}")
        self._turn.enter_channel(channel)

    def _read_prompt(self, prompt: str, *, is_own: bool | None) -> None:
        """Read what the prompt contains of the turn. Its events are dropped, and places are counted from its end.

        What remains is the state in which it ends: in the reasoning, in a marker, in a call that the model must
        complete.
        """
        turn = self._turn
        turn.tape.read_prompt(reads=True)
        self._run(prompt, -len(prompt))
        draft = turn.judge.draft
        if draft is not None and turn.emit.open:  # the model must complete that call
            rest, _, place = draft.unread
            turn.keep_draft()
            self._run(rest, place)
        elif draft is not None:
            turn.end_draft(0)
            self._run("", 0)
        if turn.emit.open and turn.reading_call and turn.payload is not None and turn.payload.completes(turn):
            self._run("", 0)  # a call that is complete in the prompt is not the model's
        turn.tape.read_prompt(reads=False)
        calls = turn.emit.index
        turn.emit.begin_turn()
        if turn.payload is not None:
            turn.payload.forget_calls(calls - turn.emit.index)
        if turn.judge.attempt is not None:
            turn.judge.attempt.before.emit.begin_turn()
        if turn.mode in {TEXT, SPACE, MARKER_SPACE, DONE} and turn.channel == CONTENT:
            literals = self._plan.finder(CONTENT, turn.narrowed_to).literals
            turn.begin_after_prompt(prompt, bare=self._may_begin_bare, literals=literals, is_own=is_own)
        self._set_fast_paths()
        if turn.emit.out:  # the start of a call that the prompt began: it comes before anything else
            self._shut_fast_paths()

    # -- the turn ------------------------------------------------------------------------------------------------------

    def feed(self, chunk: str) -> list[Event]:
        """Read one chunk."""
        return self._feed(chunk)

    def _feed_loop(self, chunk: str) -> list[Event]:
        if self._finished:
            raise UsageError("the turn is over: use a new Parser for the next turn (or fork one before it reads)")
        if not chunk:
            return self._taken()
        start = self._pos
        self._pos += len(chunk)
        if start == 0 and self._follows_at_once(chunk):
            return self._go_on([])
        self._run(chunk, start)
        events = self._taken() if self._turn.judge.draft is not None or self._turn.emit.ready else []
        return events if self._straight is None else self._go_on(events)

    def finish(self) -> list[Event]:
        """End the turn. A second call does nothing."""
        if self._finished:
            return self._taken()
        events = self._finish_straight()
        if events is None:
            events = self._get_off() + self._finish()
        self._finished = True
        return events

    def _finish(self) -> list[Event]:
        self._follow_nothing()
        self._own()
        self._catch_up()
        while self._read_rest_of_draft() or self._release_at_end() or self._settle_draft():
            pass
        self._turn.end_of_text(self._pos, self._said)
        self._turn.emit.flush()
        self._say_it_is_over()
        self._shut_fast_paths()
        return self._taken()

    def fork(self) -> Self:
        """The same machine at the same place; the two continue independently."""
        twin = super().fork()
        twin._finished, twin._watch = self._finished, None
        return twin

    @property
    def _probe(self) -> Probe | Standing:
        return partial(_read_sample, self._plan)

    def _taken(self) -> list[Event]:
        self._own()
        draft = self._turn.judge.draft
        emit = self._turn.emit if draft is None else draft.emit
        return self._said.heard(emit.take()) if emit.ready else []

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _run(self, text: str, place: int, *, i: int = 0, last: bool = False) -> None:
        if self._shared:
            self._own()
        if self._fresh:
            self._catch_up()
        turn = self._turn
        tape = turn.tape
        piece: Piece | None = (text, i, place)
        while piece is not None:
            draft = turn.judge.draft
            text, i = tape.open(piece if draft is None else draft.admit(piece, last=last))
            text, i = self._read(text, i, follows=draft is None)  # a draft that ends there has text of its own to read
            if self._straight is not None:  # what is left of the text is followed
                break
            more = i < len(text) or tape.waiting is not None or tape.ahead
            piece = tape.next(text, i) if more else None
            if draft is not None and turn.judge.draft is not draft:  # it was kept
                tape.lay_in_order(draft.unread, piece)
                piece = tape.next()
            if (draft := turn.judge.draft) is not None:
                piece = turn.after_draft(piece)
                if draft.is_word and turn.judge.draft is None:
                    self._plan.read_behind_word(turn, draft.before(draft.end), piece)
        self._set_fast_paths()

    def _read(self, text: str, i: int, *, follows: bool) -> tuple[str, int]:
        """Read on until something must be read again, or a call is followed, if `follows`.

        Returns the text, as far as it is read now, and the place.
        """
        turn = self._turn
        tape = turn.tape
        watch = self._watch
        n = len(text)
        beyond = ""  # the first character beyond the limit
        while i < n and tape.waiting is None:
            room = turn.bound.at - tape.base
            if n > room:
                if i >= room:
                    turn.stop(turn.bound.name, text[i], tape.base + i)
                else:  # read up to the limit first, so that it is exceeded at its own character
                    tape.lay((text, room, tape.base))
                    beyond = text[room]
                    text, n = text[:room], room
            elif turn.mode is CALL and (payload := turn.payload) is not None:
                i = payload.read(turn, text, i)
                if watch is not None:
                    watch.read(turn, payload, tape.base + i)
            else:
                i = STEPS[turn.mode](turn, self._plan, text, i)
                if follows and turn.mode is CALL and self._follows(text, i):
                    break
        if beyond and tape.held and turn.bound.at <= tape.base + n:  # it cannot wait for what is after the limit
            tape.release()
            turn.stop(turn.bound.name, beyond, tape.base + n)
        return text, i

    # -- the end -------------------------------------------------------------------------------------------------------

    def _read_rest_of_draft(self) -> bool:
        """Read what waited because it might have become a marker. True: there was something."""
        draft = self._turn.judge.draft
        if draft is None or not draft.waits:
            return False
        self._run("", self._pos, last=True)
        return True

    def _settle_draft(self) -> bool:
        """Decide what a draft is. True: there was text to read again."""
        draft = self._turn.judge.draft
        if draft is None:
            return False
        if draft.is_none_at_end:
            self._turn.end_draft(draft.since if draft.is_quoted and draft.since >= 0 else self._pos)
        if draft.over is not None or self._turn.reads_draft_again(draft):
            self._run("", self._pos, last=True)
            return True
        self._turn.keep_draft()
        return False

    def _release_at_end(self) -> bool:
        """Release what waits for more text. True: there was text to read again, so something may wait again."""
        turn = self._turn
        held = turn.tape.release()
        start = self._pos - len(held)
        keep_before_cut(turn, held)
        if turn.suspended is not None:  # what was kept of the call is read, and may contain other calls
            repairer().finish_repair(turn)
            self._read_waiting()
            return True
        if turn.emit.open and turn.mode is CALL and turn.payload is not None and turn.payload.completes(turn):
            self._read_waiting()
            return True
        if turn.emit.open:
            turn.end_cut_call(self._pos)
        elif turn.payload is not None:
            turn.payload.finish(turn)
        elif turn.channel == CONTENT and closes_fence(turn.judge.fence, held):
            turn.emit.markup(held, start)
        elif turn.mode is TEXT and ends_with_orphans(turn, held):
            turn.set_orphans_aside(held, start)
        elif held and (read := text_before_marker(turn, self._plan, held)):
            turn.say(held[:read], start)
            turn.hold(held, read)
            self._read_waiting()
            return True
        elif held and turn.mode in {START, TEXT} and (read := self._begun(held)) >= 0:
            self._run(held[read:], start + read)
            return True
        elif self._plan.is_header(held):
            turn.cut_off(held, start)
        else:
            turn.say(held, start)
        return self._read_waiting()

    def _begun(self, held: str) -> int:
        # What waited, because it might have become a longer marker, may begin with a complete one. Returns how much of
        # that was read; -1 if it does not.
        turn = self._turn
        place, found = self._plan.finder(turn.channel, turn.narrowed_to).find(held + NOTHING, 0, turn.last_text)
        if place or not found or found[0] == "`":
            return -1
        return begin(turn, self._plan, found, self._pos - len(held))

    def _read_waiting(self) -> bool:
        waiting = self._turn.tape.take_waiting()
        if waiting is not None:
            self._run(*waiting)
        return waiting is not None

    def _say_it_is_over(self) -> None:
        # Report the header of another message, unless nothing follows it.
        turn = self._turn
        turn.judge.marker_follows(self._pos)
        if turn.is_over and turn.judge.code is not None and turn.judge.code.followed:
            turn.end()

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        self._stand()
        self._catch_up()
        self._own()  # if a fork is pickled together with it, they must not share anything afterwards
        waits = bool(self._turn.emit.ready)
        return LAYOUT, self._plan, self._turn, self._pos, self._said.text(), self._finished, waits

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[0] != LAYOUT:
            raise UsageError(
                f"this parser was pickled by another version of toolglean (layout {state[0]}, not {LAYOUT}): "
                "make a new parser"
            )
        _, plan, turn, pos, said, self._finished, waits = state
        super().__init__(plan, turn, pos)
        self._said.pieces.extend((said,) if said[0] else ())
        self._watch = None
        if not waits and not self._finished:
            self._set_fast_paths()


class _Sampler(Machine):
    """Reads a sample of a course of calls, of which it is not known yet whether they may be followed."""

    __slots__ = ("_standing",)

    def __init__(self, plan: Plan, standing: Standing | None) -> None:
        from toolglean.engine.straight.standing import sample_tools  # noqa: PLC0415  # few samples are read

        super().__init__(plan, sample_tools())
        self._standing = standing
        if standing is None:
            self._follow_nothing()

    def fork(self) -> Self:
        """See `Machine`."""
        twin = super().fork()
        twin._standing = self._standing
        return twin

    @property
    def _probe(self) -> Probe | Standing:
        return super()._probe if self._standing is None else self._standing


def _read_sample(plan: Plan, texts: Texts, standing: Standing | None) -> tuple[Turn, list[list[Event]]]:
    machine = _Sampler(plan, standing)
    told = [events for text in texts for events in [*map(machine.feed, text), machine.fork().finish()]]
    return machine._turn, told


def _reads_by_schema(tools: ToolSet | None, options: ParserOptions) -> bool:
    # A tool without parameters is never called in an undeclared spelling.
    wanted = options.undeclared == "call" and options.repair and not options.strict
    return wanted and tools is not None and tools.has_parameters
