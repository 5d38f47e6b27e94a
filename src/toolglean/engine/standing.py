# What this file knows: all state of a turn.
# What it must not know: how any of it changes (turn.py).
#
# The state is in parts that each have one idea: the region of text that may become a call, text that is read again, the
# limit in force, the events, what is kept back. What a payload cannot decide yet it keeps in its own state, never in
# local variables, so that the next chunk goes on where this one ended. Nothing is decided by where a chunk ends: that
# is why every chunking gives the same events.
"""Where a turn stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.bound import Bound
from toolglean.engine.modes import CONTENT, TEXT
from toolglean.engine.region import Again, Region
from toolglean.engine.repair.suspended import OFF, Repair

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.draft import Draft
    from toolglean.engine.emit import Emitter
    from toolglean.engine.names import Names
    from toolglean.engine.quotes import Quotes
    from toolglean.engine.repair.suspended import Suspended
    from toolglean.engine.strings import JsonStrings
    from toolglean.limits import Limits

__all__ = ["Standing"]


TEXT_SLOTS = frozenset({"again", "base", "held", "in_prompt"})
"""What belongs to the text, not to what is made of it: where it is, what waits, how much of it was read again."""


class Standing:
    """Where a turn stands: see the head of this file.

    Attributes:
        emit: the events.
        names: the tools, by the names that a model writes.
        limits: how much the turn may ask for; `bound` is the limit in force.
        region: text that may become a call.
        again: text to be read again.
        payload: what the last tag opened, while it is read.
        mode: what is done with the text that comes next.
        lane: content (0), or reasoning of one kind.
        only: the numbers of the formats that the turn may still be in; () for all.
        base: the place in the turn of the first character of the text that is being read.
        in_prompt: whether it is the prompt that is read.
        held: the end of the text, which waits for the next chunk.
        last: what was said last: its end tells whether a word begins.
        fresh: whether nothing has come yet before which a call would need a marker.
        owed: see `Turn.distrust`.
        coerce: whether values are typed by the tool's schema.
        marks: the markers of reasoning, by its lane: see `Plan`. None: calls in reasoning are handed out at once.
        attempt: the turn from before the region, if a call that comes of the region is kept back.
        draft: calls inside reasoning or code, which are kept back, or None.
        quotes: whether content stands in code; None where that does not matter.
        strings: whether content is in a string of JSON; None where that does not matter.
        said: whether any content came.
        quiet: whether the text is for the user alone.
        missing: closers of the last call that did not come, and up to where they count.
        wrapper: the fence that opened the turn, while nothing but calls is in it, else "".
        deaf: whether reasoning holds no calls, whatever stands in it.
        repair: whether calls are repaired: OFF, ON, or TRIAL in a copy that reads what may have been meant.
        mending: the call that may have to be repaired, while its end is awaited.
        tried: the number of calls that had begun when a repair was given up: that call is not tried again.
        log: where regions are noted down, if somebody wants them (response/log.py).
    """

    __slots__ = (
        "again",
        "attempt",
        "base",
        "bound",
        "coerce",
        "deaf",
        "draft",
        "emit",
        "fresh",
        "held",
        "in_prompt",
        "lane",
        "last",
        "limits",
        "log",
        "long_space",
        "marks",
        "mending",
        "missing",
        "mode",
        "names",
        "only",
        "owed",
        "payload",
        "quiet",
        "quotes",
        "region",
        "repair",
        "said",
        "stops_after_bare",
        "strings",
        "tried",
        "wrapper",
    )

    def __init__(self, emit: Emitter, names: Names, limits: Limits, *, coerce: bool, stops_after_bare: bool) -> None:
        self.emit = emit
        self.names = names
        self.limits = limits
        self.bound = Bound()
        self.region = Region()
        self.again = Again()
        self.payload: Any = None  # of turn.py, which stands above
        self.mode = TEXT
        self.lane = CONTENT
        self.only: tuple[int, ...] = ()
        self.base = 0
        self.in_prompt = False
        self.held = ""
        self.last = ""
        self.fresh = False
        self.long_space = False  # whether more white space of the reasoning has waited than may
        self.owed: tuple[str, ...] | None = None
        self.coerce = coerce
        self.stops_after_bare = stops_after_bare
        self.marks: Callable[[int], tuple[str, ...]] | None = None
        self.attempt: Attempt | None = None
        self.draft: Draft | None = None
        self.deaf = False
        self.quotes: Quotes | None = None
        self.strings: JsonStrings | None = None
        self.wrapper = ""
        self.missing: tuple[tuple[str, ...], int] = (), 0
        self.said = self.quiet = False
        self.log: list[Any] | None = None
        self.repair: Repair = OFF
        self.mending: Suspended | None = None
        self.tried = 0

    def copy(self) -> Self:
        """The same turn. The payload is lent: whoever reads with it first makes a copy of its own."""
        twin = type(self).__new__(type(self))
        twin.emit, twin.region, twin.again = self.emit.copy(), self.region.copy(), self.again.copy()
        twin.bound = self.bound.copy()
        twin.names, twin.limits, twin.payload = self.names, self.limits, self.payload
        twin.mode, twin.lane, twin.only, twin.fresh = self.mode, self.lane, self.only, self.fresh
        twin.base, twin.in_prompt, twin.held, twin.last = self.base, self.in_prompt, self.held, self.last
        twin.long_space, twin.owed, twin.coerce = self.long_space, self.owed, self.coerce
        twin.stops_after_bare, twin.log = self.stops_after_bare, self.log
        twin.marks, twin.deaf, twin.draft = self.marks, self.deaf, self.draft and self.draft.copy()
        twin.attempt = self.attempt and self.attempt.copy()
        twin.quiet, twin.missing = self.quiet, self.missing
        twin.quotes, twin.wrapper, twin.said = self.quotes and self.quotes.copy(), self.wrapper, self.said
        twin.strings = self.strings and self.strings.copy()
        twin.repair, twin.tried = self.repair, self.tried
        twin.mending = self.mending and self.mending.copy()
        return twin

    def adopt(self, other: Self, *, but: frozenset[str] = frozenset()) -> None:
        """From now on the turn is where the other one is, in all but the text (and but what is named)."""
        for slot in Standing.__slots__:
            if slot not in TEXT_SLOTS and slot not in but:
                setattr(self, slot, getattr(other, slot))

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(getattr(self, slot) for slot in Standing.__slots__)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for slot, value in zip(Standing.__slots__, state, strict=True):
            setattr(self, slot, value)
