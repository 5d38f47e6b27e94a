# How numbers are written, and which digits a number between bounds may have. Does not depend on schemas (the bounds are
# passed in) or dialects, which all write numbers alike.
#
# No number is written that a float cannot represent, because readers refuse it; so there is none beyond 1.7e308. A
# number with a bound has no exponent, because its digits must show how large it is.
"""Numbers between bounds, as grammars."""

from __future__ import annotations

import math
from collections.abc import Mapping
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


class Bounds(NamedTuple):
    """The smallest and largest number; None: no bound. `over`, `under`: whether the bound itself is excluded."""

    low: Decimal | None = None
    high: Decimal | None = None
    over: bool = False
    under: bool = False


NO_BOUNDS = Bounds()


def bounds_of(schema: Mapping[str, Any]) -> Bounds | None:
    """The bounds in a schema; None if a grammar does not support them: they are too large, or not numbers."""
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
    return number and -LARGE < value < LARGE


# -- whole numbers -----------------------------------------------------------------------------------------------------


def integer(bounds: Bounds = NO_BOUNDS) -> Node | None:
    """A whole number between the bounds; None if there is none."""
    low = None if bounds.low is None else math.ceil(bounds.low) + (bounds.over and bounds.low == math.ceil(bounds.low))
    high = (
        None
        if bounds.high is None
        else math.floor(bounds.high) - (bounds.under and bounds.high == math.floor(bounds.high))
    )
    if low is None and high is None:
        return seq(opt(Lit("-")), _natural(0, None))
    ways = []
    if low is None or low < 0:
        least = 1 if high is None or high >= 0 else -high
        if low is None or -low >= least:
            ways.append(seq(Lit("-"), _natural(least, None if low is None else -low)))
    if (high is None or high >= 0) and (high is None or high >= max(low or 0, 0)):
        ways.append(_natural(max(low or 0, 0), high))
    return alt(*ways) if ways else None


def _natural(low: int, high: int | None) -> Node:
    # Without leading zeros.
    ways: list[Node] = []
    first = low
    while high is None or len(str(first)) < len(str(high)):
        if high is None and first in {0, 1, 10 ** (len(str(first)) - 1)}:
            digits = len(str(first)) - 1 if first else 0
            more = seq(POSITIVE, repeat(DIGIT, digits, MOST_DIGITS))
            return alt(*ways, *([Lit("0")] if first == 0 else []), more)
        ways.append(_between(str(first), "9" * len(str(first))))
        first = 10 ** len(str(first))
    return alt(*ways, _between(str(first), str(high)))


def _between(low: str, high: str) -> Node:
    # Numbers with as many digits as both bounds have.
    same = next((at for at in range(len(low)) if low[at] != high[at]), len(low))
    head = Lit(low[:same])
    low, high = low[same:], high[same:]
    if not low:
        return head
    rest = len(low) - 1
    all_low, all_high = not low[1:].strip("0"), not high[1:].strip("9")
    first, last = ord(low[0]) + (not all_low), ord(high[0]) - (not all_high)
    ways = [] if all_low else [seq(Lit(low[0]), _between(low[1:], "9" * rest))]
    if first <= last:
        ways.append(seq(chars((chr(first), chr(last))), repeat(DIGIT, rest, rest)))
    ways += [] if all_high else [seq(Lit(high[0]), _between("0" * rest, high[1:]))]
    return seq(head, alt(*ways))


# -- numbers -----------------------------------------------------------------------------------------------------------


def number(bounds: Bounds = NO_BOUNDS) -> Node | None:
    """A number between the bounds; None if there is none."""
    if bounds.low is None and bounds.high is None:
        return _any_number()
    ways = []
    if bounds.low is None or bounds.low < 0:
        mirrored = Bounds(
            Decimal(0) if bounds.high is None or bounds.high >= 0 else -bounds.high,
            None if bounds.low is None else -bounds.low,
            bounds.high is not None and bounds.high <= 0 and bounds.under,
            bounds.over,
        )
        ways += [seq(Lit("-"), way) for way in _decimals(mirrored)]
    if bounds.high is None or bounds.high >= 0:
        low = Decimal(0) if bounds.low is None or bounds.low < 0 else bounds.low
        ways += _decimals(Bounds(low, bounds.high, bounds.over and low == bounds.low, bounds.under))
    return alt(*ways) if ways else None


def _any_number() -> Node:
    whole = alt(Lit("0"), seq(POSITIVE, repeat(DIGIT, 0, 199)))
    fraction = opt(seq(Lit("."), repeat(DIGIT, 1)))
    sign = opt(chars("+-"))
    small = seq(chars("eE"), alt(seq(sign, repeat(DIGIT, 1, 2)), seq(Lit("-"), repeat(DIGIT, 3, 3))))
    hundreds = alt(seq(chars("12"), DIGIT, DIGIT), seq(Lit("30"), chars(("0", "7"))))
    large = seq(DIGIT, fraction, chars("eE"), opt(Lit("+")), hundreds)
    largest = seq(
        Lit("1"), opt(seq(Lit("."), chars(("0", "6")), repeat(DIGIT))), chars("eE"), opt(Lit("+")), Lit("308")
    )
    return seq(opt(Lit("-")), alt(seq(whole, fraction, opt(small)), large, largest))


def _decimals(bounds: Bounds) -> list[Node]:
    # Numbers that are not negative.
    assert bounds.low is not None
    low, low_digits = _split(bounds.low)
    digits = EXACT if bounds.over or bounds.under else FRACTION
    any_fraction = opt(seq(Lit("."), repeat(DIGIT, 1, digits)))
    if bounds.high is None:
        return [
            seq(Lit(str(low)), _from(low_digits, digits, over=bounds.over)),
            seq(_natural(low + 1, None), any_fraction),
        ]
    high, high_digits = _split(bounds.high)
    if low > high or (low == high and bounds.low > bounds.high):
        return []
    if low == high:
        both = _within(low_digits, high_digits, digits, bounds)
        return [] if both is None else [seq(Lit(str(low)), both)]
    ways = [seq(Lit(str(low)), _from(low_digits, digits, over=bounds.over))]
    if low + 1 < high:
        ways.append(seq(_natural(low + 1, high - 1), any_fraction))
    last = _up_to(high_digits, digits, under=bounds.under)
    return ways if last is None else [*ways, seq(Lit(str(high)), last)]


def _split(value: Decimal) -> tuple[int, str]:
    whole, _, fraction = f"{value:f}".partition(".")
    return int(whole), fraction.rstrip("0")


def _from(low: str, digits: int, *, over: bool) -> Node:
    # A fraction that is not below `.low`.
    if not low:
        positive = seq(Lit("."), repeat(Lit("0"), 0, digits - 1), POSITIVE, repeat(DIGIT, 0, digits))
        return positive if over else opt(seq(Lit("."), repeat(DIGIT, 1, digits)))
    return seq(Lit("."), _digits_from(low, digits, over=over))


def _digits_from(low: str, digits: int, *, over: bool) -> Node:
    if not low:
        return (
            seq(repeat(Lit("0"), 0, digits), POSITIVE, repeat(DIGIT, 0, digits)) if over else repeat(DIGIT, 0, digits)
        )
    ways: list[Node] = [seq(Lit(low[0]), _digits_from(low[1:], digits, over=over))]
    if low[0] < "9":
        ways.append(seq(chars((chr(ord(low[0]) + 1), "9")), repeat(DIGIT, 0, digits)))
    return alt(*ways)


def _up_to(high: str, digits: int, *, under: bool) -> Node | None:
    # A fraction that is not above `.high`; no fraction means zero.
    if not high:
        return None if under else opt(seq(Lit("."), repeat(Lit("0"), 1, digits)))
    return opt(seq(Lit("."), _digits_up_to(high, digits, under=under, first=True)))


def _digits_up_to(high: str, digits: int, *, under: bool, first: bool) -> Node:
    # `first`: no digit has been written yet, so one is required.
    end = repeat(Lit("0"), 0, digits)
    below = seq(chars(("0", chr(ord(high[0]) - 1))), repeat(DIGIT, 0, digits)) if high[0] > "0" else None
    if len(high) == 1:
        ways = [] if under else [seq(Lit(high[0]), end)]
    else:
        ways = [seq(Lit(high[0]), _digits_up_to(high[1:], digits, under=under, first=False))]
    ways += [] if below is None else [below]
    ways += [] if first else [EMPTY]
    return alt(*ways) if ways else EMPTY


def _within(low: str, high: str, digits: int, bounds: Bounds) -> Node | None:
    # A fraction between two bounds that have the same whole part.
    if low == high:
        if bounds.over or bounds.under:
            return None
        return _fraction_of(low, digits)
    width = max(len(low), len(high))
    wide_low, wide_high = low.ljust(width, "0"), high.ljust(width, "0")
    same = next(at for at in range(width) if wide_low[at] != wide_high[at])
    head, low_digit, high_digit = wide_low[:same], wide_low[same], wide_high[same]
    ways: list[Node] = [seq(Lit(low_digit), _digits_from(wide_low[same + 1 :].rstrip("0"), digits, over=bounds.over))]
    if ord(low_digit) + 1 < ord(high_digit):
        ways.append(seq(chars((chr(ord(low_digit) + 1), chr(ord(high_digit) - 1))), repeat(DIGIT, 0, digits)))
    top = wide_high[same + 1 :].rstrip("0")
    if top:
        ways.append(seq(Lit(high_digit), _digits_up_to(top, digits, under=bounds.under, first=False)))
    elif not bounds.under:
        ways.append(seq(Lit(high_digit), repeat(Lit("0"), 0, digits)))
    found = seq(Lit("."), Lit(head), alt(*ways))
    return alt(EMPTY, found) if not low and not bounds.over else found


def _fraction_of(low: str, digits: int) -> Node:
    zeros = repeat(Lit("0"), 0, digits)
    return seq(Lit("." + low), zeros) if low else opt(seq(Lit("."), repeat(Lit("0"), 1, digits)))
