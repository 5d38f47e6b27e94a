# What this file knows: how Go's templates compare values: which kinds go together, what is said of others.
# What it must not know: templates.
"""`eq ne lt le gt ge` of Go's templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolglean.sources.templates.golang.values import GoError, Struct, bytes_of, type_name

__all__ = ["equal", "less", "less_or_equal"]

_BASIC = (bool, int, float, complex, str)


def equal(values: Sequence[Any]) -> bool:
    """Whether the first value equals one of the others.

    Raises:
        GoError: there is no other, or two are of kinds that do not compare.
    """
    if len(values) < 2:
        raise GoError("missing argument for comparison")
    first = values[0]
    return any(_same(first, other) for other in values[1:])


def less(left: Any, right: Any) -> bool:
    """Whether the first value is less than the second: integers, floats and strings only.

    Raises:
        GoError: they do not compare.
    """
    kinds = _kind(left), _kind(right)
    if None in kinds:
        raise GoError("invalid type for comparison")
    if kinds[0] is not kinds[1]:
        raise _incompatible(left, right)
    if kinds[0] in {bool, complex}:
        raise GoError("invalid type for comparison")
    if isinstance(left, str):
        return bytes_of(left) < bytes_of(right)
    return bool(left < right)


def less_or_equal(left: Any, right: Any) -> bool:
    """Whether the first value is less than the second, or equal."""
    return less(left, right) or equal([left, right])


def _same(left: Any, right: Any) -> bool:
    kind = _kind(left)
    if kind is not _kind(right):
        if left is None or right is None:
            return False
        raise _incompatible(left, right)
    if kind is not None:
        return bool(left == right)
    if left is None or right is None:
        return left is right
    if isinstance(left, Struct) and left.type is getattr(right, "type", None):
        return left is right
    raise GoError(f"non-comparable type {type_name(right)}")


def _kind(value: Any) -> type | None:
    return type(value) if isinstance(value, _BASIC) else None


def _incompatible(left: Any, right: Any) -> GoError:
    return GoError(f"incompatible types for comparison: {type_name(left)} and {type_name(right)}")
