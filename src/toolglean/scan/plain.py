# How the state of a scanner or a reader is kept: in slots, which copy and pickle, with long text in ropes.
# Does not depend on what the slots and the text are for.
#
# A rope is () or (rope, piece). Adding a piece and forking cost the same however long the text is: `x += piece` on an
# attribute is quadratic (5.8 µs a piece at 64,000 pieces against 0.12 µs), and a list must be copied by every fork.
# Small pieces are joined as they come, because a separate piece of four characters takes more than a hundred bytes.
"""State in slots, and long text in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeAlias

__all__ = ["Plain", "Rope", "flat", "grown", "joined"]

Rope: TypeAlias = "tuple[()] | tuple[Rope, str]"

PIECE = 512  # shorter pieces are extended, in characters


def grown(rope: Rope, text: str) -> Rope:
    """The rope, with that text added at its end."""
    if rope and len(rope[1]) < PIECE:
        return (rope[0], rope[1] + text)
    return (rope, text)


def joined(rope: Rope) -> str:
    """The whole text."""
    if rope and not rope[0]:  # mostly
        return rope[1]
    pieces: list[str] = []
    while rope:
        rope, piece = rope
        pieces.append(piece)
    pieces.reverse()
    return "".join(pieces)


def flat(rope: Rope) -> Rope:
    """The same text in one piece. Ropes are pickled like this, because a long one is too deep."""
    return ((), joined(rope)) if rope else ()


class Plain:
    """An object that copies and pickles its slots."""

    __slots__ = ()

    ropes: ClassVar[frozenset[str]] = frozenset()
    """The slots that contain a rope, which is flattened for pickling."""
    owned: ClassVar[tuple[str, ...]] = ()
    """The slots whose value changes in place (or is None): a copy gets its own."""

    def copy(self) -> Self:
        """An independent copy, at the same place in the text."""
        twin = type(self).__new__(type(self))
        (_COPIERS.get(type(self)) or _copier(type(self)))(self, twin)
        for slot in self.owned:
            if (value := getattr(self, slot)) is not None:
                setattr(twin, slot, _copied(value) if isinstance(value, list) else value.copy())
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        state = {slot: getattr(self, slot) for slot in _slots(type(self))}
        return state | {slot: flat(state[slot]) for slot in self.ropes if state[slot]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for slot, value in state.items():
            setattr(self, slot, value)


def _copied(items: list[Any]) -> list[Any]:
    return [each.copy() if isinstance(each, Plain) else each for each in items]


def _slots(kind: type) -> tuple[str, ...]:
    found = _SLOTS.get(kind)
    if found is None:
        found = _SLOTS[kind] = tuple(slot for each in kind.__mro__ for slot in getattr(each, "__slots__", ()))
    return found


def _copier(kind: type) -> Callable[[Any, Any], None]:
    # Generated code, as in dataclasses: it takes a third of the time of `setattr` for each slot.
    made: dict[str, Any] = {}
    exec("\n ".join(["def copy(one, twin):", *(f"twin.{slot} = one.{slot}" for slot in _slots(kind))]), made)  # noqa: S102
    found: Callable[[Any, Any], None] = made["copy"]
    _COPIERS[kind] = found
    return found


_SLOTS: dict[type, tuple[str, ...]] = {}
_COPIERS: dict[type, Callable[[Any, Any], None]] = {}
