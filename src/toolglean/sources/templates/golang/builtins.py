# What each function of a Go template does, how many arguments it takes, and which of them must be strings. `and` and
# `or` are not here, because they leave arguments unevaluated. Does not depend on how arguments are evaluated.
"""The functions of Go's `text/template`, and Ollama's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from toolglean.sources.templates.golang import quoting
from toolglean.sources.templates.golang.budget import Budget
from toolglean.sources.templates.golang.marshal import marshal_or_nothing
from toolglean.sources.templates.golang.printing import sprint, sprintln
from toolglean.sources.templates.golang.sprintf import sprintf
from toolglean.sources.templates.golang.values import (
    GoError,
    Struct,
    byte_length,
    bytes_of,
    is_true,
    text_of,
    type_name,
    zero_of,
)

__all__ = ["KNOWN", "GoFunction", "functions"]


@dataclass(frozen=True, slots=True)
class GoFunction:
    """A function.

    Attributes:
        run: what it does with its arguments.
        least: how many it needs.
        most: how many it takes at most; None: any number.
        strings: how many of the first ones must be strings; -1: all of them.
    """

    run: Callable[[Sequence[Any], Budget], Any]
    least: int = 1
    most: int | None = 1
    strings: int = 0


def functions(now: datetime) -> dict[str, GoFunction]:
    """All functions by name.

    Args:
        now: the date for `currentDate` and `yesterdayDate`.
    """
    today = now.strftime("%Y-%m-%d")
    yesterday = (now - timedelta(days=1)).strftime("%Y-%m-%d")
    return _FUNCTIONS | {
        "currentDate": GoFunction(lambda _values, _budget: today, 0, None, -1),
        "yesterdayDate": GoFunction(lambda _values, _budget: yesterday, 0, None, -1),
    }


# --- parts of values -----------------------------------------------------------------------------------------------


def _len(values: Sequence[Any], _: Budget) -> int:
    value = values[0]
    if isinstance(value, str):
        return byte_length(value)
    if isinstance(value, list | dict):
        return len(value)
    raise GoError("len of nil pointer" if value is None else f"len of type {type_name(value)}")


def _index(values: Sequence[Any], _: Budget) -> Any:
    item = values[0]
    if item is None:
        raise GoError("index of untyped nil")
    for at in values[1:]:
        item = _indexed(item, at)
    return item


def _indexed(item: Any, at: Any) -> Any:
    if item is None:
        raise GoError("index of nil pointer")
    if isinstance(item, dict):
        if not isinstance(at, str):
            problem = "value is nil; should be" if at is None else f"value has type {type_name(at)}; should be"
            raise GoError(f"{problem} of type string" if at is None else f"{problem} string")
        return item[at] if at in item else zero_of(item)
    if not isinstance(item, list | str):
        raise GoError(f"can't index item of type {type_name(item)}")
    sequence: Any = bytes_of(item) if isinstance(item, str) else item
    place = _place(at, len(sequence))
    if place == len(sequence):
        raise GoError("reflect: slice index out of range")
    return sequence[place]


def _place(at: Any, most: int) -> int:
    if at is None:
        raise GoError("cannot index slice/array with nil")
    if not isinstance(at, int) or isinstance(at, bool):
        raise GoError(f"cannot index slice/array with type {type_name(at)}")
    if not 0 <= at <= most:
        raise GoError(f"index out of range: {at}")
    return at


def _slice(values: Sequence[Any], budget: Budget) -> Any:
    item, places = values[0], values[1:]
    if item is None:
        raise GoError("slice of untyped nil")
    if len(places) > 3:
        raise GoError(f"too many slice indexes: {len(places)}")
    if isinstance(item, str) and len(places) == 3:
        raise GoError("cannot 3-index slice a string")
    if not isinstance(item, list | str):
        raise GoError(f"can't slice item of type {type_name(item)}")
    whole: Any = bytes_of(item) if isinstance(item, str) else item
    given = [_place(each, len(whole)) for each in places]
    bounds = given + [0, len(whole), len(whole)][len(given) :]
    for low, high in itertools.pairwise(bounds):
        if low > high:
            raise GoError(f"invalid slice index: {low} > {high}")
    part = whole[bounds[0] : bounds[1]]
    if isinstance(item, str):
        budget.make(len(part))
        return text_of(part)
    budget.read(len(part))
    return type(item)(part)  # a type that prints in its own way keeps doing so


# --- text ----------------------------------------------------------------------------------------------------------


def _escaping(escape: Callable[[str], str]) -> Callable[[Sequence[Any], Budget], str]:
    def run(values: Sequence[Any], budget: Budget) -> str:
        text = sprint(["<no value>" if each is None else each for each in values], budget)
        budget.make(6 * len(text))
        return escape(text)

    return run


def _typescript(values: Sequence[Any], _: Budget) -> str:
    methods = values[0].type.methods if isinstance(values[0], Struct) else {}
    return str(methods["ToTypeScriptType"](values[0])) if "ToTypeScriptType" in methods else "any"


def _call(values: Sequence[Any], _: Budget) -> Any:
    # None of the values here are functions.
    raise GoError("call of nil" if values[0] is None else f"non-function of type {type_name(values[0])}")


_JSON = GoFunction(lambda values, budget: marshal_or_nothing(values[0], budget))
_FUNCTIONS = {
    "call": GoFunction(_call, 1, None),
    "eq": GoFunction(lambda values, _: equal(values), 1, None),
    "ge": GoFunction(lambda values, _: not less(*values), 2, 2),
    "gt": GoFunction(lambda values, _: not less_or_equal(*values), 2, 2),
    "html": GoFunction(_escaping(quoting.html), 0, None),
    "index": GoFunction(_index, 1, None),
    "js": GoFunction(_escaping(quoting.javascript), 0, None),
    "json": _JSON,
    "le": GoFunction(lambda values, _: less_or_equal(*values), 2, 2),
    "len": GoFunction(_len),
    "lt": GoFunction(lambda values, _: less(*values), 2, 2),
    "ne": GoFunction(lambda values, _: not equal(values), 2, 2),
    "not": GoFunction(lambda values, _: not is_true(values[0])),
    "print": GoFunction(sprint, 0, None),
    "printf": GoFunction(lambda values, budget: sprintf(values[0], values[1:], budget), 1, None, 1),
    "println": GoFunction(sprintln, 0, None),
    "slice": GoFunction(_slice, 1, None),
    "toJson": _JSON,
    "toTypeScriptType": GoFunction(_typescript),
    "urlquery": GoFunction(_escaping(quoting.url_query), 0, None),
}
KNOWN = frozenset({*_FUNCTIONS, "and", "or", "currentDate", "yesterdayDate"})
"""The names of all functions: Go's, and those that Ollama adds (`toJson` is the older name of `json`)."""


# --- comparisons ---------------------------------------------------------------------------------------------------

_BASIC = (bool, int, float, complex, str)


def equal(values: Sequence[Any]) -> bool:
    """Whether the first value equals one of the others.

    Raises:
        GoError: there is no other, or two of the values cannot be compared.
    """
    if len(values) < 2:
        raise GoError("missing argument for comparison")
    first = values[0]
    return any(_same(first, other) for other in values[1:])


def less(left: Any, right: Any) -> bool:
    """Whether the first value is less than the second: integers, floats and strings only.

    Raises:
        GoError: they cannot be compared.
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
    if left is None or right is None:
        return left is right
    kind = _kind(left)
    if kind is not _kind(right):
        raise _incompatible(left, right)
    if kind is not None:
        return bool(left == right)
    if isinstance(left, Struct) and left.type is getattr(right, "type", None):
        return left is right
    raise GoError(f"non-comparable type {type_name(right)}")


def _kind(value: Any) -> type | None:
    return type(value) if isinstance(value, _BASIC) else None


def _incompatible(left: Any, right: Any) -> GoError:
    return GoError(f"incompatible types for comparison: {type_name(left)} and {type_name(right)}")
