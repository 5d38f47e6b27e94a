# The ids of a turn's calls: the model's own, or ours, each of them once.
"""The ids of calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from toolglean.events import CallDelta, CallEnd, CallStart
from toolglean.options import ParserOptions
from toolglean.scan.plain import Plain

__all__ = ["Ids", "ids_of", "renumbered"]

CallEvent = TypeVar("CallEvent", bound=CallStart | CallDelta | CallEnd)


class Ids(Plain):
    """The ids that the calls of a turn have so far. Copies share them until one of the two adds another.

    Args:
        prefix: what our own ids begin with; the call's number follows.
    """

    __slots__ = ("_prefix", "_shared", "_used")

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._used: dict[str, int] = {}  # each with the number for the next one like it
        self._shared = False

    def copy(self) -> Ids:
        """The same ids: whoever adds one must make them his `own` before."""
        self._shared = True
        return self

    def own(self) -> Ids:
        """These ids, to which one may be added."""
        if not self._shared:
            return self
        twin = Ids.__new__(Ids)
        twin._prefix, twin._used, twin._shared = self._prefix, self._used.copy(), False
        return twin

    def __contains__(self, call_id: str) -> bool:
        return call_id in self._used

    def none(self) -> Ids:
        """No call has an id yet."""
        return Ids(self._prefix)

    def ours(self, index: int) -> str:
        """Our id for a call to which the model gives none."""
        return f"{self._prefix}{index}"

    def add(self, call_id: str) -> None:
        """A call has that id."""
        self._used.setdefault(call_id, 2)

    def free(self, wanted: str) -> str:
        """That id, made unique."""
        found = wanted
        while found in self._used:
            number = self._used[wanted]
            found, self._used[wanted] = f"{wanted}_{number}", number + 1
        return found


def ids_of(options: ParserOptions) -> Ids:
    """No ids yet, for a turn that is read with these options."""
    return Ids("call_" if options.id_prefix is None else options.id_prefix)


def renumbered(event: CallEvent, index: int, call_id: str | None) -> CallEvent:
    """The event of a call under that index and id. None: the id is not known yet, or not in the event."""
    if isinstance(event, CallStart):
        return replace(event, index=index, id=call_id)
    if isinstance(event, CallEnd):
        own = event.call.id if call_id is None else call_id
        return replace(event, index=index, call=replace(event.call, index=index, id=own))
    return replace(event, index=index)
