# How numbers are written, and which digits a number between bounds may have. Does not depend on schemas (the bounds are
# passed in) or dialects, which all write numbers alike.
#
# No number is written that a float cannot represent, because readers refuse it; so there is none beyond 1.7e308,
# and none but zero below 1e-307. A number with a bound has no exponent, because its digits must show how large it is.
"""Numbers between bounds, as grammars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from toolglean.grammar.nodes import EMPTY, Lit, Node, alt, chars, opt, repeat, seq

__all__ = ["Bounds", "bounds_of", "integer", "number"]

DIGIT = chars(("0", "9"))
POSITIVE = chars(("1", "9"))
MOST_DIGITS = 299  # even with an exponent of two digits, such a number fits a float
FRACTION = 24  # digits after the point of a number with bounds
EXACT = 15  # the digits that a float represents: with more, a number could be rounded to an excluded bound
LARGE = 10**40
PLACES = 100  # digits after the point of a bound: the rules for them are nested in each other


class Bounds(NamedTuple):
    """The smallest and largest number; None: no bound. `over`, `under`: whether the bound itself is excluded."""

    low: Decimal | None = None
    high: Decimal | None = None
    over: bool = False
    under: bool = False


NO_BOUNDS = Bounds()


def bounds_of(schema: Mapping[str, Any]) -> Bounds | None:
    """The bounds in a schema; None if a grammar does not support them: they are too large, have too many digits, or
    are not numbers.
    """
    words = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    given = [schema.get(word) for word in words]
    if any(each is not None and not _is_bound(each) for each in given):
        return None
    least, over, most, under = (None if each is None else Decimal(str(each)) for each in given)
    low = max((each for each in (least, over) if each is not None), default=None)
    high = min((each for each in (most, under) if each is not None), default=None)
    return Bounds(low, high, low is not None and low == over, high is not None and high == under)


def _is_bound(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -LARGE < value < LARGE and len(_text(Decimal(str(value))).partition(".")[2]) <= PLACES


def integer(bounds: Bounds = NO_BOUNDS) -> Node | None:
    """A whole number between the bounds; None if there is none."""
    if bounds == NO_BOUNDS:
        return seq(opt(Lit("-")), alt(*_decimals(Bounds(Decimal(0)), 0)))
    low = None if bounds.low is None else math.ceil(bounds.low) + (bounds.over and bounds.low == math.ceil(bounds.low))
    high = None if bounds.high is None else math.floor(bounds.high)
    if high is not None and bounds.under and bounds.high == high:
        high -= 1
    least, most = (None if each is None else Decimal(each) for each in (low, high))
    return _signed(Bounds(least, most), 0, nearest=1)  # -0 is written as 0


def number(bounds: Bounds = NO_BOUNDS) -> Node | None:
    """A number between the bounds; None if there is none."""
    if bounds.low is None and bounds.high is None:
        return _any_number()
    return _signed(bounds, EXACT if bounds.over or bounds.under else FRACTION, nearest=0)


def _signed(bounds: Bounds, digits: int, *, nearest: int) -> Node | None:
    # Those below zero, from `-nearest` on, are the mirrored ones above it.
    low, high, over, under = bounds
    ways: list[Node] = []
    if low is None or low < 0:
        is_below = high is not None and high <= 0
        least = max(Decimal(nearest), Decimal(0) if high is None else -high)
        mirrored = Bounds(least, None if low is None else -low, is_below and under, over)
        ways += [seq(Lit("-"), each) for each in _decimals(mirrored, digits)]
        low, over = Decimal(0), False
    return _alt([*ways, *_decimals(Bounds(low, high, over, under), digits)])


def _any_number() -> Node:
    whole = alt(Lit("0"), seq(POSITIVE, repeat(DIGIT, 0, 199)))
    fraction = opt(seq(Lit("."), repeat(DIGIT, 1, 199)))
    power = seq(chars("eE"), opt(chars("+-")), repeat(DIGIT, 1, 2))
    hundreds = alt(seq(chars("12"), DIGIT, DIGIT), seq(Lit("30"), chars(("0", "7"))))
    large = seq(DIGIT, fraction, chars("eE"), opt(Lit("+")), hundreds)
    tiny = seq(POSITIVE, fraction, chars("eE"), Lit("-"), hundreds)
    largest = seq(
        Lit("1"), opt(seq(Lit("."), chars(("0", "6")), repeat(DIGIT))), chars("eE"), opt(Lit("+")), Lit("308")
    )
    return seq(opt(Lit("-")), alt(seq(whole, fraction, opt(power)), large, largest, tiny))


def _alt(ways: list[Node]) -> Node | None:
    return alt(*ways) if ways else None


# -- digits ------------------------------------------------------------------------------------------------------------


class _Limits(NamedTuple):
    digits: int  # the most after the point
    over: bool
    under: bool


def _decimals(bounds: Bounds, digits: int) -> list[Node]:
    # Numbers that are not negative, by how many digits there are before the point. A bound is text from here on: what
    # is left of it as long as the number has the same digits, and None once they differ.
    assert bounds.low is not None
    if bounds.high is not None and bounds.high < bounds.low:
        return []
    low, high = _text(bounds.low), None if bounds.high is None else _text(bounds.high)
    limits = _Limits(digits, bounds.over, bounds.under)
    least = low.index(".")
    most = least if high is None else high.index(".")
    found = [
        _whole(size, low if size == least else "1", high if size == most else None, limits)
        for size in range(least, most + 1)
    ]
    if high is None:
        found.append(seq(POSITIVE, repeat(DIGIT, most, MOST_DIGITS), _any_fraction(digits)))
    return [each for each in found if each is not None]


def _text(value: Decimal) -> str:
    whole, _, fraction = f"{value:f}".partition(".")
    return f"{whole}.{fraction.rstrip('0')}"


def _any_fraction(digits: int) -> Node:
    return opt(seq(Lit("."), repeat(DIGIT, 1, digits))) if digits else EMPTY


def _whole(size: int, low: str | None, high: str | None, limits: _Limits) -> Node | None:
    # So many digits before the point, and what follows them.
    if low is not None and not limits.over and not low.strip("0."):
        low = None  # whatever follows is above it
    if high is not None and not limits.digits and not high.strip("9."):
        high = None
    if not size:
        return _fraction(low[1:] if low else None, high[1:] if high else None, limits)
    if low is None and high is None:
        return seq(repeat(DIGIT, size, size), _any_fraction(limits.digits))
    return _alt(_by_digit(low, high, lambda low, high: _whole(size - 1, low, high, limits)))


def _fraction(low: str | None, high: str | None, limits: _Limits) -> Node | None:
    # The point and what follows it, or nothing, which means zero.
    ends = (low is None or (not low and not limits.over)) and not (high == "" and limits.under)
    after = _after(low, high, limits, least=1) if limits.digits else None
    return _alt([*([EMPTY] if ends else []), *([] if after is None else [seq(Lit("."), after)])])


def _after(low: str | None, high: str | None, limits: _Limits, *, least: int = 0) -> Node | None:
    # The digits after the point, or the rest of them; at least so many.
    if low == "" and not limits.over:
        low = None
    if high == "":  # only zeros may follow
        return None if low is not None or limits.under else repeat(Lit("0"), least, limits.digits)
    if high is None and low is None:
        return repeat(DIGIT, least, limits.digits)
    if high is None and low == "":
        return seq(repeat(Lit("0"), 0, limits.digits), POSITIVE, repeat(DIGIT, 0, limits.digits))
    ways = _by_digit(low, high, lambda low, high: _after(low, high, limits))
    return _alt([*([] if least or low is not None else [EMPTY]), *ways])


def _by_digit(low: str | None, high: str | None, then: Callable[[str | None, str | None], Node | None]) -> list[Node]:
    # A digit between the first ones of the bounds, and then what may follow it.
    first, last = low[0] if low else "0", high[0] if high else "9"
    begin, end = ord(first) + (low is not None), ord(last) - (high is not None)
    groups = {(first, first): ()} if low is not None else {}
    groups |= {(chr(begin), chr(end)): ()} if begin <= end else {}
    groups |= {(last, last): ()} if high is not None else {}
    ways: list[Node] = []
    for group in groups:
        rest = then(
            low[1:] if low is not None and group == (first, first) else None,
            high[1:] if high is not None and group == (last, last) else None,
        )
        ways += [] if rest is None else [seq(chars(group), rest)]
    return ways
