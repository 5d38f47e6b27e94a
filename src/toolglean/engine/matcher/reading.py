# All state of a reading by a format: the walk, the call, what is being read, which other formats may read. Does not
# depend on how anything is read (between.py, arguments.py, values.py), or on the outcome (calls.py).
#
# What is read next is a *stage*: a slot of one kind, or what is between slots and after a call. It is an object, so
# what matters in only one stage is a field of that stage. The machine's questions are passed on to it unchanged
# (payload.py).
"""A reading of a text by a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from toolglean.engine.matcher.walk import Walk
from toolglean.engine.repair.suspended import Refusal
from toolglean.engine.tape import NEVER
from toolglean.engine.turn import Payload
from toolglean.formats.parameters import heads_of_parameter
from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from toolglean.engine.envelope import Envelope
    from toolglean.engine.matcher.fallback import Fallback
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.parameters import Parameters
    from toolglean.engine.repair.suspended import Put
    from toolglean.engine.turn import Stops, Turn
    from toolglean.formats.compile import Program
    from toolglean.formats.nfa import SlotEdge, StateSet
    from toolglean.scan.json import JsonScanner
    from toolglean.scan.reader import Reader

__all__ = ["NOWHERE", "Call", "Description", "Field", "Reading", "Stage"]

NOWHERE = -NEVER
"""Before every place, also of the prompt."""


class Description(NamedTuple):
    """What is being read, for kit/explain/.

    Attributes:
        within: "markers", "name" (or another word), "value", "arguments" or "JSON"; "" after a call.
        name: what is known about the call's name so far.
        slot: the slot that is being filled; None between slots.
        word: what was read of a word.
        fault: what was expected where JSON broke; None if it did not.
        is_open: whether brackets of JSON are open, and its meaning is not clear yet.
    """

    within: str
    name: str
    slot: OpenSlot | None = None
    word: str = ""
    fault: str | None = None
    is_open: bool = False


class Call(Plain):
    """What was read of the call so far.

    Attributes:
        format: the number of its format; -1 until it is certain.
        name, id, index, server: as the model wrote them.
        parameters: its parameters, if they are written as text.
        closed: a text value whose closing marker was read, but not yet what must follow it: if that does not come, the
            marker was text of the value.
        slot_end: the place after its last parameter, as far as known.
        stripped: whether its special tokens were removed.
        doubtful: whether a value contains a marker that its own family writes in such a place: then the call must not
            run.
        as_written: the last place at which a marker in a value turned out to be text.
        resumed: whether such a marker was a closing one, which nothing in the value had opened.
    """

    __slots__ = (
        "as_written", "closed", "doubtful", "format", "id", "index", "name", "parameters", "resumed", "server",
        "slot_end", "stripped",
    )  # fmt: skip
    owned = ("parameters",)

    def __init__(self) -> None:
        self.format, self.slot_end, self.stripped = -1, 0, False
        self.name = self.id = self.index = self.server = ""
        self.parameters: Parameters | None = None
        self.closed: Any = None  # of values.py, which is above
        self.doubtful, self.as_written, self.resumed = False, NOWHERE, False

    def end(self) -> None:
        """The call is over. The next one has the same format, as long as nothing else is known."""
        self.name = self.id = self.index = self.server = ""
        self.parameters = self.closed = None
        self.doubtful, self.as_written, self.resumed = False, NOWHERE, False

    def copy(self) -> Self:
        """The same call."""
        twin = super().copy()
        twin.closed = self.closed and self.closed.copy_for(twin)
        return twin

    def take(self, kind: str, word: str) -> None:
        """Set its name, its id, its index or its server, according to `kind`."""
        setattr(self, kind, word)

    def begin_parameters(self, parameters: Parameters) -> None:
        """Its first parameter begins."""
        self.parameters = parameters

    def is_of(self, number: int, *, stripped: bool | None = None) -> None:
        """Set its format."""
        self.format, self.stripped = number, self.stripped if stripped is None else stripped

    def close_value(self, value: Stage, end: int) -> None:
        """That value may have ended: its closing marker ends at that place."""
        self.closed, self.slot_end = value, end

    def ended_at(self, place: int) -> None:
        """It has ended at that place."""
        if self.slot_end:
            self.slot_end = place

    def decide_value(self, *, resumed: bool = False) -> None:
        """What follows has shown whether the value has ended. `resumed`: not, though nothing in it opened that."""
        self.closed, self.resumed = None, self.resumed or resumed

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """What is at that place of a value is text. `doubtful`: then the call must not run."""
        self.as_written, self.doubtful = place, doubtful


class Stage:
    """What is being read. A stage has no state unless its class says otherwise, so it is shared.

    Attributes:
        within: see `Description`.
    """

    __slots__ = ()

    within: ClassVar[str] = "markers"

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""
        raise NotImplementedError

    def copy_for(self, call: Call) -> Self:
        """The same stage, for that copy of the call."""
        return self

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return None if self.source is None else self.source.passed(text)

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """See `Payload`."""
        return False

    def finish(self, turn: Turn, reading: Reading) -> bool:
        """The turn is over, and no call is open. False: what was read is not a call."""
        return False

    def quotes_arguments(self) -> bool:
        """Whether arguments of a call that is not certain were read: a call that they quote is not one."""
        return False

    def expected(self) -> str:
        """What was expected, for a `Problem`."""
        return "an argument was expected"

    def describe(self, reading: Reading) -> Description:
        """What is being read."""
        return Description(self.within, reading.call.name)

    # -- the repairer's questions: see `Payload` -----------------------------------------------------------------------

    @property
    def source(self) -> Reader | JsonScanner | None:
        """What reads the arguments; None if the stage itself does."""
        return None

    @property
    def json(self) -> Envelope | JsonScanner | None:
        """What reads JSON that is passed on as written: it can go back before a token."""
        return None

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return Refusal(char)

    def put_in(self, put: Put) -> bool:
        """Prepare to read what is inserted before the refused character. False: that is not possible."""
        json = self.json
        if json is None or not self.undo_refusal():
            return False
        if put.back:
            json.take_back()
        elif put.skip:
            json.expect_key()
        return True

    def undo_refusal(self) -> bool:
        """Go back before the refused character. False: that is not possible."""
        return self.source is not None and self.source.undo_refusal()

    def brackets(self) -> str:
        """See `Payload`."""
        return "" if self.source is None else self.source.brackets()

    def is_whole(self) -> bool:
        """See `Payload`."""
        return False

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Payload`."""
        return "", ()


class Field(Stage, Plain):
    """What fills a slot.

    Attributes:
        slot: the slot.
    """

    __slots__ = ("slot",)

    slot: OpenSlot

    def copy_for(self, call: Call) -> Self:
        """See `Stage`."""
        return self.copy()

    def describe(self, reading: Reading) -> Description:
        """See `Stage`."""
        return Description(self.within, reading.call.name, self.slot)


class Reading(Plain, Payload):
    """Where a reading by a format is.

    Attributes:
        walk: where it is on the places.
        call: what was read of the call.
        stage: what is being read.
        fallback: who reads, and who else may.
        between, after: the stages between slots, and after a call; payload.py sets them.
    """

    __slots__ = ("call", "fallback", "stage", "walk")
    owned = ("call", "walk")

    between: ClassVar[Stage]
    after: ClassVar[Stage]

    def __init__(self, walk: Walk, fallback: Fallback) -> None:
        self.walk, self.stage, self.fallback = walk, self.between, fallback
        self.call = Call()

    @classmethod
    def at(cls, program: Program, states: StateSet, start: int, fallback: Fallback) -> Self:
        """A reading that begins in these states of the program, at that place of the turn."""
        return cls(Walk(program, states, start), fallback)

    def copy(self) -> Self:
        """The same reading."""
        twin = super().copy()
        twin.stage = self.stage.copy_for(twin.call)
        return twin

    def enter(self, turn: Turn, edges: tuple[SlotEdge, ...], i: int) -> None:
        """What is at `i` begins to fill a slot; -1: the text that is read again does."""
        raise NotImplementedError  # FormatPayload knows which stage that is

    def heads(self) -> tuple[str, ...]:
        """See `Payload`."""
        formats = self.walk.program.formats
        of = formats if self.call.format < 0 else (formats[self.call.format],)
        return tuple(dict.fromkeys(head for each in of for head in heads_of_parameter(each)))

    def read_as(self, stage: Stage) -> None:
        """Enter that stage."""
        self.stage = stage

    def go_on(self) -> None:
        """A slot was filled: literals follow."""
        self.stage = self.between

    def stand_behind(self, place: int, end: int, fallback: Fallback) -> Self:
        """This reading, which is at the end of a call, as one that is at the end of another, which ended at `end`."""
        twin = self.copy()
        twin.walk.go_back_to(place)
        twin.call.ended_at(end)
        twin.fall_back(fallback.after_call() if twin.stage is twin.after else fallback)
        return twin

    def fall_back(self, fallback: Fallback) -> None:
        """From here on, other formats read as that says."""
        self.fallback = fallback

    def go_after(self, states: StateSet) -> None:
        """The call is complete: what follows in these states is markup, or another call."""
        self.walk.leave_call(states)
        self.call.end()
        self.stage, self.fallback = self.after, self.fallback.after_call()
