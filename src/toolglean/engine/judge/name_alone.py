# A JSON object of which nothing but a name was read as a call: whether it was whole, what follows it tells. Does not
# know how it was read, or how events are put in order.
#
# `{"name": "f"}` calls a tool that needs no arguments. But in `{"name": "f"}, "arguments": {"x": 1}}` a bracket came
# too early, and the arguments are what follows. A call must never run without arguments that were written. So the end
# of such a call waits: a marker, another call or the end of the turn shows that it was whole; text shows that it was
# not.
"""Calls of which only the name was written."""

from __future__ import annotations

from typing import Any

from toolglean.events import CallDelta, CallEnd, Event, Problem, ToolCall

__all__ = ["NAME_ALONE", "NameAlone"]

NAME_ALONE = "malformed call: a name without arguments, and text after it"


class NameAlone:
    """The end of such a call, and what was said since.

    Args:
        delta, end: its arguments and its end, if it was whole.
    """

    __slots__ = ("_delta", "_end", "_since")

    def __init__(self, delta: CallDelta, end: CallEnd) -> None:
        self._delta, self._end = delta, end
        self._since: tuple[Event, ...] = ()

    def tell(self, event: Event) -> None:
        """White space or a problem comes after it."""
        self._since = (*self._since, event)

    def copy(self) -> NameAlone:
        """The same."""
        twin = NameAlone(self._delta, self._end)
        twin._since = self._since
        return twin

    def whole(self) -> list[Event]:
        """What may follow a call came: it is one."""
        return [self._delta, self._end, *self._since]

    def broken(self) -> list[Event]:
        """Text came: it is malformed."""
        was = self._end.call
        call = ToolCall(was.id, was.index, was.name, was.known, {}, "", was.span, "malformed")
        problem = Problem(NAME_ALONE, call.name, call.span[0])
        return [problem, CallEnd(call.index, call, self._end.start), *self._since]

    def __getstate__(self) -> tuple[Any, ...]:
        return self._delta, self._end, self._since

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._delta, self._end, self._since = state
