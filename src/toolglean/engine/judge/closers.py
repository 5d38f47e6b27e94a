# Closers that come outside a call. Does not know how text is searched, or how a call is read.
#
# A call that could not be read is skipped up to a closer, which may belong to a call that its arguments quote. So what
# follows may still be its arguments: calls are ignored until one of its own closers has come.
#
# A call may also end without some of its closers (`}` was enough). If one comes soon after, it is markup.
"""Closers outside a call."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Closers"]


class Closers(NamedTuple):
    """What is awaited. Never changed.

    Attributes:
        awaited: closers of a call that failed: calls are ignored until one comes, and with (), for the rest of the
            turn. None if no call failed in this way.
        failed: the place of that call; -1 if it is none.
        late: closers of the last call that did not come; `until`: the place up to which they are recognised.
        in_section: whether that may be a section of another family, in which the named one's calls follow.
    """

    awaited: tuple[str, ...] | None = None
    late: tuple[str, ...] = ()
    until: int = 0
    failed: int = -1
    in_section: bool = False

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What must be found in text, in addition to what formats look for."""
        return (*(self.awaited or ()), *self.late)

    def after_fault(self, closers: tuple[str, ...], place: int) -> Closers:
        """The same, after a call at that place that failed. If one failed before it, that one's closers are kept."""
        return self if self.awaited is not None else self._replace(awaited=closers, failed=place)

    def after_mention(self) -> Closers:
        """The same, after what looks like a call and is none: a closer that follows may be its own."""
        return self if self.awaited is None else self._replace(awaited=(), failed=-1)

    def trusting(self) -> Closers:
        """The same, after the closer of the call that failed."""
        return self._replace(awaited=None)

    def call_began(self, place: int) -> Closers:
        """The same, when a call begins at that place."""
        return self if self.in_section and place <= self.until else self.expecting((), 0)

    def after_call(self, late: tuple[str, ...], until: int, *, foreign: bool) -> Closers:
        """The same, after a call that ended without these closers. `foreign`: it is another family's."""
        if not self.in_section:
            return self._replace(late=late, until=until if late else 0, in_section=foreign)
        return self._replace(late=tuple(dict.fromkeys((*late, *self.late))), until=until)

    def expecting(self, late: tuple[str, ...], until: int) -> Closers:
        """The same, if only these late ones are looked for."""
        return self._replace(late=late, until=until if late else 0, in_section=False)

    def is_awaited(self, found: str) -> bool:
        """Whether that is a closer of the call that failed."""
        return self.awaited is not None and found in self.awaited

    def is_too_late(self, found: str, place: int) -> bool:
        """Whether that is only a closer of the last call, and comes too late."""
        return place > self.until and found in self.late and not self.is_awaited(found)
