# All state of a reading by a format: the walk, the call, what is being read, who else may read.
# Does not depend on how anything is read (between.py, arguments.py, texts.py), or on what comes of it (calls.py).
#
# What is read next is a *stage*: a slot of one kind, or what stands between slots and after a call. It is an object, so
# what matters in one stage only is a field of that stage. The machine's questions go to it unchanged (payload.py).
"""A reading of a text by a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from toolglean.engine.matcher.walk import Walk
from toolglean.engine.repair.suspended import Refusal
from toolglean.engine.turn import Payload
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

__all__ = ["Call", "Description", "Field", "Reading", "Stage"]


class Description(NamedTuple):
    """What is being read, for who explains it.

    Attributes:
        within: "markers", "name" (or another word), "value", "arguments" or "JSON"; "" after a call.
        name: what is known of the call's name so far.
        slot: what is filled; None between slots.
        word: what was read of a word.
        fault: what JSON expected where it broke; None where it did not.
        is_open: whether brackets of JSON are open, and it is not clear what it is.
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
        format: the number of its format, -1 while none is certain.
        name, id, index: as the model has written them.
        parameters: its parameters, if it has any that are text.
        closed: a text value whose closing marker was read, and not yet what may follow it: if that does not come, the
            marker was text of the value.
        slot_end: the place after its last parameter, as far as it is known.
        stripped: whether its markers were taken out.
        doubtful: whether a value contains a marker that its own family writes at such a place: the call does not count.
        as_written: the last place at which a marker in a value was found to be text.
    """

    __slots__ = (
        "as_written",
        "closed",
        "doubtful",
        "format",
        "id",
        "index",
        "name",
        "parameters",
        "slot_end",
        "stripped"
    )  # fmt: skip
    owned = ("parameters",)

    def __init__(self) -> None:
        self.format, self.slot_end, self.stripped = -1, 0, False
        self.name = self.id = self.index = ""
        self.parameters: Parameters | None = None
        self.closed: Any = None  # of texts.py, which is above
        self.doubtful, self.as_written = False, -1

    def end(self) -> None:
        """It is over. The next one is of the same format, as long as nothing else is known."""
        self.name = self.id = self.index = ""
        self.parameters = self.closed = None
        self.doubtful, self.as_written = False, -1

    def copy(self) -> Self:
        """The same call."""
        twin = super().copy()
        twin.closed = self.closed and self.closed.copy_for(twin)
        return twin

    def take(self, kind: str, word: str) -> None:
        """That is its name, its id or its index, by `kind`."""
        setattr(self, kind, word)

    def begin_parameters(self, parameters: Parameters) -> None:
        """Its first parameter begins."""
        self.parameters = parameters

    def is_of(self, number: int, *, stripped: bool | None = None) -> None:
        """It is of that format."""
        self.format, self.stripped = number, self.stripped if stripped is None else stripped

    def close_value(self, value: Stage, end: int) -> None:
        """That value may have ended: its closing marker ends at that place."""
        self.closed, self.slot_end = value, end

    def decide_value(self) -> None:
        """What follows has told whether that was its end."""
        self.closed = None

    def take_as_written(self, place: int, *, doubtful: bool) -> None:
        """What stands at that place of a value is text. `doubtful`: the call must not count then."""
        self.as_written, self.doubtful = place, doubtful


class Stage:
    """What is being read. Where nothing else is said, it has no state, and so is shared.

    Attributes:
        within: see `Description`.
    """

    __slots__ = ()

    within: ClassVar[str] = "markers"

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """Read on from `i`; returns the place reached."""
        raise NotImplementedError

    def copy_for(self, call: Call) -> Self:
        """The same stage, of that copy of the call."""
        return self

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return None

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return None

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """See `Payload`."""
        return False

    def finish(self, turn: Turn, reading: Reading) -> bool:
        """The turn is over, and no call is open. False: what was read is no call, as far as it came."""
        return False

    def quotes_arguments(self) -> bool:
        """Whether arguments of a call that is not certain were read: what they quote is no call."""
        return False

    def expected(self) -> str:
        """What was expected, for a `Problem`."""
        return "an argument was expected"

    def describe(self, reading: Reading) -> Description:
        """What is being read."""
        return Description(self.within, reading.call.name)

    # -- what the repair asks: see `Payload` ---------------------------------------------------------------------------

    @property
    def source(self) -> Reader | JsonScanner | None:
        """What reads the arguments; None where nothing else does."""
        return None

    @property
    def json(self) -> Envelope | JsonScanner | None:
        """What reads JSON that is passed on as it is written: it can go back before a token."""
        return None

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return Refusal(char)

    def put_in(self, put: Put) -> bool:
        """Be ready for what is put in before the character that was refused. False: nothing can be."""
        json = self.json
        if json is None or not self.undo_refusal():
            return False
        if put.back:
            json.take_back()
        elif put.skip:
            json.expect_key()
        return True

    def undo_refusal(self) -> bool:
        """Stand before the character that was refused. False: that cannot be."""
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
        between, after: the stages between slots, and after a call; they are above.
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
        """A reading that begins at that place of the program, and of the turn."""
        return cls(Walk(program, states, start), fallback)

    def copy(self) -> Self:
        """The same reading."""
        twin = super().copy()
        twin.stage = self.stage.copy_for(twin.call)
        return twin

    def enter(self, turn: Turn, edges: tuple[SlotEdge, ...], i: int) -> None:
        """What is at `i` begins to fill a slot; -1: what is read again."""
        raise NotImplementedError  # which field it is: FormatPayload knows all of them

    def read_as(self, stage: Stage) -> None:
        """That is read next."""
        self.stage = stage

    def go_on(self) -> None:
        """A slot was filled: literals follow."""
        self.stage = self.between

    def go_after(self, states: StateSet) -> None:
        """The call is complete: what follows at that place is markup, or another call."""
        self.walk.leave_call(states)
        self.call.end()
        self.stage, self.fallback = self.after, self.fallback.after_call()
