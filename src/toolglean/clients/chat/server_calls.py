# Which fragments of the calls that the server has parsed are sent, when, and under which index.
# Does not depend on how calls are found in text, on how fragments are joined (conversation/deltas.py), or on
# any client's objects.
#
#   the text has given no call of that name     its fragments are sent as they come
#   the text has given one                      they wait until its arguments are complete: if both are the same call,
#                                               none of them is sent, otherwise all are
#   the arguments are never complete            all are sent at the end of the choice
#
# Both kinds of calls are numbered in the order in which they are sent, so the server's keep their index unless one of
# ours came before.
"""The calls of OpenAI's chat stream that the server has parsed itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toolglean.clients.turn.duplicates import SentCall
from toolglean.clients.turn.text import TurnText
from toolglean.conversation.deltas import ChatDeltas, ToolCallAggregator
from toolglean.conversation.fields import field as field_of

__all__ = ["ServerCalls"]


@dataclass(slots=True)
class _ServerCall:
    """A call of the server, as far as it has arrived."""

    held: list[Any] = field(default_factory=list)
    sent: SentCall | None = None  # it is being sent
    dropped: bool = False


class ServerCalls:
    """The server's calls in one choice.

    Args:
        turn: reads the choice's text.
        deltas: numbers the calls in it.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self._turn = turn
        self._deltas = deltas
        self._joined = ToolCallAggregator()
        self._calls: list[_ServerCall] = []
        self._undecided: list[int] = []  # places in that list
        self._indexes: dict[Any, int] = {}  # their index, or their id, to our index
        self._last: int | str = 0

    def read(self, fragments: Sequence[Any]) -> list[tuple[Any, int]]:
        """The fragments that can be sent now that these have arrived, each with its new index."""
        found: list[tuple[Any, int]] = []
        for fragment, place in zip(fragments, self._joined.add(fragments), strict=True):
            if place == len(self._calls):
                self._calls.append(_ServerCall())
                self._undecided.append(place)
            own = self._calls[place]
            if own.sent is not None:
                found.append((fragment, self._moved(fragment)))
                own.sent.arguments = own.sent.arguments or self._joined.arguments(place)
            elif not own.dropped:
                own.held.append(fragment)
                found += self._decided(place)
        return found

    def settle(self) -> list[tuple[Any, int]]:
        """More of the text was read: the fragments that need not wait any longer."""
        return [each for place in list(self._undecided) for each in self._decided(place)]

    def close(self) -> None:
        """No more will arrive: each call is complete as it is."""
        for place, own in enumerate(self._calls):
            if own.sent is not None and own.sent.arguments is None:
                own.sent.arguments = self._joined.arguments(place, over=True)
                if own.sent.arguments is None:  # they cannot be read
                    self._turn.duplicates.drop(own.sent)

    def finish(self) -> list[tuple[Any, int]]:
        """The fragments that waited until the end."""
        return [each for place in list(self._undecided) for each in self._decided(place, over=True)]

    def _decided(self, place: int, *, over: bool = False) -> list[tuple[Any, int]]:
        name, arguments = self._joined.names[place], self._joined.arguments(place, over=over)
        duplicates, own = self._turn.duplicates, self._calls[place]
        same: bool | None = False
        if duplicates.any_written:
            may_grow = not (over or self._joined.has_arguments(place))  # a name may arrive in pieces
            same = None if may_grow else duplicates.was_written(name, arguments)
        if same is None and not over:
            return []
        self._undecided.remove(place)
        held, own.held = own.held, []
        if same:
            own.dropped = True
            return []
        self._turn.take()
        own.sent = duplicates.add_parsed(name, arguments)
        return [(fragment, self._moved(fragment)) for fragment in held]

    def _moved(self, fragment: Any) -> int:
        index, id = field_of(fragment, "index"), field_of(fragment, "id")  # noqa: A001  # the wire's own word
        # Ignore an id or an index that is not a string or a number.
        key = index if isinstance(index, int) else id if id and isinstance(id, str | int) else self._last
        if key not in self._indexes:
            self._indexes[key] = self._deltas.next_index
            self._deltas.next_index += 1
        self._last = key
        return self._indexes[key]
