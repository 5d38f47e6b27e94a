# How numbers are written, and which digits a number between bounds may have. Does not depend on schemas (the bounds are
# passed in) or dialects, which all write numbers alike.
#
# No number is written that a float cannot represent, because readers refuse it; so there is none beyond 1.7e308,
# and none but zero below 1e-307. A number with a bound has no exponent, because its digits must show how large it is.
"""Numbers between bounds, as grammars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from toolglean.grammar.nodes import EMPTY, Lit, Node, alt, chars, opt, repeat, seq

__all__ = ["are_supported", "number"]

BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
DIGIT = chars(("0", "9"))
POSITIVE = chars(("1", "9"))
MOST_DIGITS = 299  # even with an exponent of two digits, such a number fits a float
FRACTION = 24  # digits after the point of a number with bounds
EXACT = 15  # the digits that a float represents: with more, a number could be rounded to an excluded bound
LARGE = 10**40
PLACES = 100  # digits after the point of a bound: the rules for them are nested in each other
_exact = Context(prec=3 * PLACES)


def are_supported(schema: Mapping[str, Any]) -> bool:
    """Whether the bounds in a schema are numbers, not too large, and of not too many digits for a grammar."""
    return all(_is_bound(schema[word]) for word in BOUNDS if schema.get(word) is not None)


def _is_bound(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -LARGE < value < LARGE and len(_text(Decimal(str(value))).partition(".")[2]) <= PLACES


def number(schema: Mapping[str, Any], *, whole: bool = False) -> Node | None:
    """A number, or a whole one, between the bounds in a schema; None if there is none."""
    low, over, high, under = (None if schema.get(word) is None else Decimal(str(schema[word])) for word in BOUNDS)
    lows = [_whole(low, ROUND_CEILING) if whole else low] if low is not None else []
    lows += [_next(over, ROUND_FLOOR, whole=whole)] if over is not None else []
    highs = [_whole(high, ROUND_FLOOR) if whole else high] if high is not None else []
    highs += [_next(under, ROUND_CEILING, whole=whole)] if under is not None else []
    if not lows and not highs:
        return seq(opt(Lit("-")), alt(*_decimals(Decimal(0), None, 0))) if whole else _any_number()
    return _signed(max(lows, default=None), min(highs, default=None), 0 if whole else FRACTION)


def _whole(bound: Decimal, rounding: str) -> Decimal:
    return bound.quantize(Decimal(1), rounding, _exact)


def _next(bound: Decimal, rounding: str, *, whole: bool) -> Decimal:
    # The number after an excluded bound, away from where `rounding` leads: a whole one, or of digits that a float has.
    unit = Decimal(1) if whole else Decimal(1).scaleb(max(bound.adjusted() + 1, 0) - EXACT)
    step = unit if rounding == ROUND_FLOOR else -unit
    return _exact.add(bound.quantize(unit, rounding, _exact), step)


def _signed(low: Decimal | None, high: Decimal | None, digits: int) -> Node | None:
    # Those below zero are the mirrored ones above it; a whole -0 is written as 0.
    ways: list[Node] = []
    if low is None or low < 0:
        least = max(Decimal(0 if digits else 1), Decimal(0) if high is None else high.copy_negate())
        ways += [seq(Lit("-"), each) for each in _decimals(least, None if low is None else low.copy_negate(), digits)]
        low = Decimal(0)
    return _alt([*ways, *_decimals(low, high, digits)])


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


def _decimals(least: Decimal, most: Decimal | None, digits: int) -> list[Node]:
    # Numbers that are not negative, by how many digits there are before the point, with so many after it. A bound is
    # text from here on: what is left of it as long as the number has the same digits, and None once they differ.
    if most is not None and most < least:
        return []
    low, high = _text(least), None if most is None else _text(most)
    first = low.index(".")
    last = first if high is None else high.index(".")
    found = [
        _before(size, low if size == first else "1", high if size == last else None, digits)
        for size in range(first, last + 1)
    ]
    if high is None:
        found.append(seq(POSITIVE, repeat(DIGIT, last, MOST_DIGITS), _any_fraction(digits)))
    return [each for each in found if each is not None]


def _text(value: Decimal) -> str:
    whole, _, fraction = f"{value.copy_abs():f}".partition(".")
    return f"{whole}.{fraction.rstrip('0')}"


def _any_fraction(digits: int) -> Node:
    return opt(seq(Lit("."), repeat(DIGIT, 1, digits))) if digits else EMPTY


def _before(size: int, low: str | None, high: str | None, digits: int) -> Node | None:
    # So many digits before the point, and what follows them.
    if low is not None and not low.strip("0."):
        low = None  # whatever follows is not below it
    if size and (low is not None or high is not None):
        return _alt(_by_digit(low, high, lambda low, high: _before(size - 1, low, high, digits)))
    if size:
        return seq(repeat(DIGIT, size, size), _any_fraction(digits))
    ends = [EMPTY] if low is None else []  # without a point
    after = _after(low and low[1:], high and high[1:], digits, least=1) if digits else None
    return _alt([*ends, *([] if after is None else [seq(Lit("."), after)])])


def _after(low: str | None, high: str | None, digits: int, *, least: int = 0) -> Node | None:
    # The digits after the point, or the rest of them; at least so many.
    if high == "":  # only zeros may follow
        return None if low else repeat(Lit("0"), least, digits)
    if not low and high is None:
        return repeat(DIGIT, least, digits)
    ways = _by_digit(low or None, high, lambda low, high: _after(low, high, digits))
    return _alt([*([] if least or low else [EMPTY]), *ways])


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
