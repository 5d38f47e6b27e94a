# Closers that come outside a call. Does not know how text is searched, or how a call is read.
#
# A call that could not be read is passed over up to a closer, and that may be the closer of a call which its arguments
# quote. So what follows may still be its arguments: no call counts until one of its own closers came.
#
# A call may also end without some of its closers (`}` was enough). If one comes a little later, it is markup.
"""Closers outside a call."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Closers"]


class Closers(NamedTuple):
    """What is awaited. Never changed.

    Attributes:
        awaited: closers of a call that failed; no call counts until one comes, and with (), none does in this turn.
            None where no call failed so.
        late: closers of the last call that did not come, and `until`: up to which place they count.
    """

    awaited: tuple[str, ...] | None = None
    late: tuple[str, ...] = ()
    until: int = 0

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What must be found in text, beside what formats look for."""
        return (*(self.awaited or ()), *self.late)

    def after_fault(self, closers: tuple[str, ...]) -> Closers:
        """The same, after a call that failed: one that failed before goes on to count."""
        return self if self.awaited is not None else self._replace(awaited=closers)

    def trusting(self) -> Closers:
        """The same: the closer of the call that failed came."""
        return self._replace(awaited=None)

    def expecting(self, late: tuple[str, ...], until: int) -> Closers:
        """The same, after a call that ended without these."""
        return Closers(self.awaited, late, until if late else 0)

    def is_awaited(self, found: str) -> bool:
        """Whether that is a closer of the call that failed."""
        return self.awaited is not None and found in self.awaited

    def is_too_late(self, found: str, place: int) -> bool:
        """Whether that is a closer of the last call alone, at a place where none is waited for any more."""
        return place > self.until and found in self.late and not self.is_awaited(found)
