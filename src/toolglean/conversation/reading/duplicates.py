# Whether a call that the server has parsed and a call in the text are the same call; what a turn holds back of its text
# until that is known; and how the events of a call look once it is let go, with its index.
# Does not depend on any wire format, on how calls are found, or on when a call is let go (text.py).
#
# Some servers parse a call and also leave it in the text. Then it arrives twice, in either order, and must not run
# twice. Two calls with the same name and equal arguments are the same call, once for each time that it was written. So
# the calls of a turn that were emitted are remembered by their source, and each is matched with at most one call from
# the other source, the first that is the same. A server may leave as text what the tool's schema types: `"5"` and 5 are
# equal here.
"""Calls that arrive twice, parsed by the server and in the text, and calls that were not emitted yet."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from toolglean.engine.ids import renumbered
from toolglean.events import CallDelta, CallEnd, CallStart, Event
from toolglean.formats.write_values import same
from toolglean.scan.values import NO, value_of

__all__ = ["DuplicateFilter", "Ended", "Rest", "SentCall", "Shared", "in_one", "shifted"]

CallEvent = TypeVar("CallEvent", bound=CallStart | CallDelta | CallEnd)


@dataclass(slots=True, eq=False)
class SentCall:
    """A call that was emitted, or is being emitted.

    Attributes:
        name: the tool.
        place: how many of its source came before it.
        arguments: a dict; None while they are being written.
    """

    name: Any
    place: int
    arguments: Any = None


class _Alike:
    """The calls of one tool from one source that were not matched."""

    __slots__ = ("known", "new")

    def __init__(self) -> None:
        self.new: list[SentCall] = []  # their arguments were not known when these were looked at last
        self.known: dict[tuple[Any, ...], list[SentCall]] = {}  # the others, by what `_key` makes of their arguments

    def match(self, arguments: Any) -> bool | None:
        if arguments is None:
            return None if self.new or self.known else False
        new, self.new = self.new, []
        for sent in new:
            if sent.arguments is None:
                self.new.append(sent)
            else:
                insort(self.known.setdefault(_key(sent.arguments), []), sent, key=attrgetter("place"))
        key = _key(arguments) if self.known else ()
        alike = self.known.get(key, ())
        found = next((place for place, sent in enumerate(alike) if same(sent.arguments, arguments, _equal)), None)
        if found is None:
            return None if self.new else False
        del self.known[key][found]
        if not self.known[key]:
            del self.known[key]
        return True


class _Calls:
    """The calls from one source."""

    __slots__ = ("_by_name", "_next", "count")

    def __init__(self) -> None:
        self.count = 0  # of those that were not matched
        self._next = 0
        self._by_name: defaultdict[str, _Alike] = defaultdict(_Alike)

    def add(self, name: Any, arguments: Any) -> SentCall:
        sent = SentCall(name, self._next, arguments)
        self._next += 1
        if isinstance(name, str):  # a server may send any value, but a call in the text has a name
            self.count += 1
            self._by_name[name].new.append(sent)
        return sent

    def drop(self, sent: SentCall) -> None:
        if isinstance(sent.name, str) and sent in (new := self._by_name[sent.name].new):
            new.remove(sent)
            self.count -= 1

    def match(self, name: Any, arguments: Any) -> bool | None:
        found = self._by_name[name].match(arguments) if isinstance(name, str) else False
        self.count -= found is True
        return found


class DuplicateFilter:
    """The calls of one turn that were emitted, and have arrived from one source only so far.

    Attributes:
        changes: how often something has changed in those of the text.
    """

    __slots__ = ("_parsed", "_written", "changes")

    def __init__(self) -> None:
        self.changes = 0
        self._parsed = _Calls()
        self._written = _Calls()

    def add_parsed(self, name: Any, arguments: Any = None) -> SentCall:
        """A call that the server has parsed is emitted."""
        return self._parsed.add(name, arguments)

    def add_written(self, name: str, arguments: Any = None) -> SentCall:
        """A call in the text is emitted."""
        self.changes += 1
        return self._written.add(name, arguments)

    def know(self, sent: SentCall, arguments: Any) -> None:
        """The arguments of that call in the text are known."""
        self.changes += 1
        sent.arguments = arguments

    def drop(self, sent: SentCall) -> None:
        """That call, whose arguments are not known, is not a call after all: forget it."""
        self.changes += 1
        self._parsed.drop(sent)
        self._written.drop(sent)

    @property
    def any_written(self) -> bool:
        """Whether a call in the text was emitted that has not been matched with one of the server's."""
        return self._written.count > 0

    def was_parsed(self, name: str, arguments: Any = None) -> bool | None:
        """Whether the server has sent this call of the text. If so, the two are matched.

        Args:
            name: the tool.
            arguments: a dict; None while they are not all known.

        Returns:
            None if that is not known yet, because the arguments of one of the two are incomplete.
        """
        return self._parsed.match(name, arguments)

    def was_written(self, name: Any, arguments: Any = None) -> bool | None:
        """Whether this call of the server was in the text: see `was_parsed`."""
        found = self._written.match(name, arguments)
        self.changes += found is True  # it is not matched again
        return found


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, str) == isinstance(other, str):
        return same(one, other)
    text, value = (one, other) if isinstance(one, str) else (other, one)
    return same(value_of(text.strip()), value, _equal)


def _key(arguments: Any) -> tuple[Any, ...]:
    # Equal for all arguments that are the same (`_equal`), and for few others. Flat, because it is hashed in C.
    found: list[Any] = []
    todo = [arguments]
    while todo:
        each = todo.pop()
        while isinstance(each, str) and (value := value_of(each.strip())) is not NO:
            each = value
        if isinstance(each, dict):
            names = sorted(each, key=str)
            found += ["{", *names]
            todo += [each[name] for name in names]
        elif isinstance(each, list):
            found += ["[", len(each)]
            todo += each
        else:
            found.append(each if isinstance(each, str | float) or type(each) is int else str(each))
    return tuple(found)


# -- calls that were not emitted yet -----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Ended:
    """A call that has ended, but was not emitted yet.

    Attributes:
        event: its end.
        text: what the model wrote.
        stays: whether it stays text, once that is known.
    """

    event: CallEnd
    text: str
    stays: bool = False


@dataclass(slots=True, eq=False)
class Shared:
    """What the parts of one turn have in common.

    Attributes:
        duplicates: the calls that have arrived from one source only so far.
        next: the index of the next call.
        free: whether another call may be emitted.
        written, parsed: the ids of the calls in the text, and of those that the server has parsed.
    """

    duplicates: DuplicateFilter = field(default_factory=DuplicateFilter)
    next: int = 0
    free: bool = True
    written: set[str] = field(default_factory=set)
    parsed: set[str] = field(default_factory=set)

    def begin(self, event: CallStart | CallEnd, id_prefix: str) -> tuple[int, str | None]:
        """What is added to the index of a call in the text that is emitted, and its id if another call has its own."""
        index, own = self.next, event.id if isinstance(event, CallStart) else event.call.id
        self.next += 1
        ours = f"{id_prefix}{index}"
        wanted = ours if own is None or own == f"{id_prefix}{event.index}" else own
        found = self.unused(wanted, ours, self.written)
        return index - event.index, None if found == wanted else found

    def unused(self, wanted: str, ours: str, ids: set[str]) -> str:
        """The id of a call that is emitted: that one, or one of ours if it is taken.

        A server may give an id to several calls of its own: that is not ours to mend.
        """
        found, number = wanted, 1
        while found in self.written or (found in self.parsed and (ids is self.written or found != wanted)):
            found, number = ours if number == 1 else f"{ours}_{number}", number + 1
        ids.add(found)
        return found


class Rest(NamedTuple):
    """The closing markers of that call, and what else was markup between it and what follows."""

    call: Ended
    text: str
    start: int


def in_one(event: CallEnd) -> list[Event]:
    """The events of a call that is emitted at once."""
    call, place = event.call, event.call.span[0]
    text = call.arguments_text or ("{}" if call.status == "ok" else "")
    pieces = [CallDelta(event.index, text, place)] if text else []
    return [CallStart(event.index, call.id, call.name, call.known, place), *pieces, event]


def shifted(event: CallEvent, shift: int, id_prefix: str, call_id: str | None = None) -> CallEvent:
    """The event, with that much added to its index. An id that a parser has made from the index changes with it.

    Args:
        event: an event of a call.
        shift: what is added.
        id_prefix: the prefix of the ids that the parser makes.
        call_id: the call's new id; None: only such an id changes.
    """
    if not shift and (call_id is None or type(event) is CallDelta):
        return event
    own = event.id if isinstance(event, CallStart) else event.call.id if isinstance(event, CallEnd) else None
    index = event.index + shift
    if call_id is None:
        call_id = f"{id_prefix}{index}" if own == f"{id_prefix}{event.index}" else own
    return renumbered(event, index, call_id)
