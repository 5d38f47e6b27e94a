# What this file knows: which fragments of the calls that the server has parsed go out, when, and under which index.
# What it must not know: how calls are found in text, how fragments are joined
# (conversation/deltas.py), any client's
# objects.
#
#   no call of that name came out of the text       its fragments go out as they come
#   one did                                         they wait until its arguments are whole: if both are the same call,
#                                                   none of them goes out, else all do
#   the arguments are never whole                   all go out at the end of the choice
#
# Both kinds of calls are numbered in the order in which they go out, so the server's keep their index as long as none
# of ours came before.
"""The calls of OpenAI's chat stream that the server has parsed itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.both_ways import Met
from toolglean.clients.reading import TurnText
from toolglean.conversation.deltas import ChatDeltas, ToolCallAggregator
from toolglean.conversation.fields import field as field_of

__all__ = ["OwnCalls"]


@dataclass(slots=True)
class _Own:
    """A call of the server's, as far as it has come."""

    held: list[Any] = field(default_factory=list)
    met: Met | None = None  # it goes out
    dropped: bool = False


class OwnCalls:
    """The server's calls in one choice.

    Args:
        turn: reads the choice's text.
        deltas: numbers the calls in it.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self._turn = turn
        self._deltas = deltas
        self._joined = ToolCallAggregator()
        self._calls: list[_Own] = []
        self._undecided: list[int] = []  # places in that list
        self._indexes: dict[Any, int] = {}  # theirs, or their id, to ours
        self._last: int | str = 0

    def read(self, fragments: Sequence[Any]) -> list[tuple[Any, int]]:
        """The fragments that go out after these came, each with the index that it gets."""
        found: list[tuple[Any, int]] = []
        for fragment, place in zip(fragments, self._joined.add(fragments), strict=True):
            if place == len(self._calls):
                self._calls.append(_Own())
                self._undecided.append(place)
            own = self._calls[place]
            if own.met is not None:
                found.append((fragment, self._moved(fragment)))
                own.met.arguments = own.met.arguments or self._joined.arguments(place)
            elif not own.dropped:
                own.held.append(fragment)
                found += self._decided(place)
        return found

    def settle(self) -> list[tuple[Any, int]]:
        """More of the text was read: the fragments that no longer wait for it."""
        return [each for place in list(self._undecided) for each in self._decided(place)]

    def close(self) -> None:
        """No more will come: what has come of each call is all of it."""
        for place, own in enumerate(self._calls):
            if own.met is not None and own.met.arguments is None:
                own.met.arguments = self._joined.arguments(place, over=True)
                if own.met.arguments is None:  # they cannot be read
                    self._turn.both.drop(own.met)

    def finish(self) -> list[tuple[Any, int]]:
        """The fragments that waited to the end."""
        return [each for place in list(self._undecided) for each in self._decided(place, over=True)]

    def _decided(self, place: int, *, over: bool = False) -> list[tuple[Any, int]]:
        name, arguments = self._joined.names[place], self._joined.arguments(place, over=over)
        both, own = self._turn.both, self._calls[place]
        same: bool | None = False
        if both.any_written:
            may_grow = not (over or self._joined.has_arguments(place))  # a name may come in pieces
            same = None if may_grow else both.was_written(name, arguments)
        if same is None and not over:
            return []
        self._undecided.remove(place)
        held, own.held = own.held, []
        if same:
            own.dropped = True
            return []
        self._turn.take()
        own.met = both.parsed(name, arguments)
        return [(fragment, self._moved(fragment)) for fragment in held]

    def _moved(self, fragment: Any) -> int:
        index, id = field_of(fragment, "index"), field_of(fragment, "id")  # noqa: A001  # the wire's own word
        # A list or the like in the place of either is none.
        key = index if isinstance(index, int) else id if id and isinstance(id, str | int) else self._last
        if key not in self._indexes:
            self._indexes[key] = self._deltas.next_index
            self._deltas.next_index += 1
        self._last = key
        return self._indexes[key]
