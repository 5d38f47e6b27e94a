# How an object copies and pickles whose state is its slots.
# Does not depend on what is in them.
"""State in slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from toolglean.scan.rope import flat

__all__ = ["Plain"]


class Plain:
    """What copies and pickles by its slots."""

    __slots__ = ()

    ropes: ClassVar[frozenset[str]] = frozenset()
    """The slots with a rope: it is flattened when it is pickled, because a long one is too deep."""
    owned: ClassVar[tuple[str, ...]] = ()
    """The slots with what changes in place, or None: a copy has its own."""

    def copy(self) -> Self:
        """The same, at the same place."""
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
    # Written out, as a dataclass writes its methods: a third of the time of `setattr` for each slot.
    made: dict[str, Any] = {}
    exec("\n ".join(["def copy(one, twin):", *(f"twin.{slot} = one.{slot}" for slot in _slots(kind))]), made)  # noqa: S102
    found: Callable[[Any, Any], None] = made["copy"]
    _COPIERS[kind] = found
    return found


_SLOTS: dict[type, tuple[str, ...]] = {}
_COPIERS: dict[type, Callable[[Any, Any], None]] = {}
