# What is known of a value in a template that is not run, and of the names that have values. Does not depend on the
# nodes of any template language.
"""Values in the static analysis: what they write, whether they are true, whether they contain a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglean.sources.templates.outline import Item, Outline, Placeholder, has_call, size

__all__ = ["CALL", "CALLS", "NOTHING", "OTHER", "Names", "Value", "constant", "joined", "made_of", "merged"]

MAX_CHARS = 4_000  # of one value, so that repeated `x + x` does not grow without end
MAX_ITEMS = 200


class _Unknown:
    """The type of a constant that is not known."""


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value.

    Attributes:
        writes: what is written when it is printed.
        truth: whether it is true in a condition; None: not known.
        call: whether it contains a tool call.
        calls: whether it is the list of the calls.
        constant: the value itself, if it is known.
    """

    writes: Outline
    truth: bool | None = None
    call: bool = False
    calls: bool = False
    constant: Any = UNKNOWN

    @property
    def known(self) -> bool:
        """Whether the value itself is known."""
        return self.constant is not UNKNOWN


OTHER = Value((Placeholder(call=False),))
CALL = Value((Placeholder(call=True),), call=True)
CALLS = Value((Placeholder(call=True),), truth=True, call=True, calls=True)
NOTHING = Value((), truth=False, constant=None)


def constant(value: Any) -> Value:
    """A value that is written in the template itself."""
    if value is None or value == "":
        return Value((), truth=False, constant=value)
    if isinstance(value, str):
        writes: Outline = (value,)
    else:  # what a list looks like does not matter here, and Python does not print very long integers
        writes = (str(value),) if isinstance(value, int | float) and abs(value) < 2**63 else OTHER.writes
    return Value(writes, bool(value), constant=value)


def made_of(*values: Value) -> Value:
    """A value made from others: all that is known is whether they contain a call."""
    return CALL if any(value.call for value in values) else OTHER


def joined(*outlines: Outline) -> Value:
    """The texts of several outlines, joined into a value."""
    items: list[Item] = []
    chars = 0
    for item in (item for outline in outlines for item in outline):
        if isinstance(item, str):
            chars += len(item)
        if isinstance(item, str) and items and isinstance(items[-1], str):
            items[-1] += item
        else:
            items.append(item)
    call = any(has_call(item) for item in items)
    if chars > MAX_CHARS or size(tuple(items)) > MAX_ITEMS:
        return CALL if call else OTHER
    if not items or (len(items) == 1 and isinstance(items[0], str)):
        return constant(items[0] if items else "")
    return Value(tuple(items), call=call, truth=True if call else None)


def merged(one: Value, two: Value) -> Value:
    """A value that is one of two. If one contains a call, it is that one: calls are what the analysis looks for."""
    same = one is two or (
        one.known and two.known and type(one.constant) is type(two.constant) and one.constant == two.constant
    )
    if same or one.call:
        return one
    return two if two.call else OTHER


class Names:
    """Values by name; "namespace.attribute" is a name too.

    What is set between `begin` and `end` can be undone at the cost of what was set, not of all names: a template may
    have as many conditions as names.
    """

    __slots__ = ("_undo", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Value | None] = {}
        self._undo: list[dict[str, Value | None]] = []

    def get(self, name: str) -> Value | None:
        """The value of a name, None if it has none."""
        return self._values.get(name)

    def set(self, name: str, value: Value | None) -> None:
        """Set or remove the value of a name."""
        if self._undo:
            self._undo[-1].setdefault(name, self._values.get(name))
        self._values[name] = value

    def begin(self) -> None:
        """From now on, remember previous values."""
        self._undo.append({})

    def end(self) -> dict[str, Value | None]:
        """Restore the values from before `begin`. Returns what had been set since."""
        before = self._undo.pop()
        changed = {name: self._values[name] for name in before}
        self._values.update(before)
        return changed
