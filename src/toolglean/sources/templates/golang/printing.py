# What Go's `fmt` writes for a value and a verb. Does not depend on how a format string is read.
#
# `write` gives each value the verb that was asked for; lists, maps and structs pass the verb on to their elements. A
# verb that does not fit a value becomes `%!d(string=a)`, as in Go; nothing here raises except the limits.
"""Prints values as Go does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from toolglean.sources.templates.golang import quoting
from toolglean.sources.templates.golang.budget import Budget
from toolglean.sources.templates.golang.marshal import marshal_or_nothing
from toolglean.sources.templates.golang.values import JsonList, JsonMap, Struct, Text, bytes_of, type_name

__all__ = ["PLAIN", "Verb", "show", "sprint", "sprintln", "write"]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of a format with its flags, `%-08.3f`; None: no width or precision.

    The flag `=` represents the plus of `%+v`, which differs from that of `%+d`.
    """

    letter: str = "v"
    flags: str = ""
    width: int | None = None
    precision: int | None = None


PLAIN: Final = Verb()


def show(value: Any, budget: Budget) -> str:
    """A value as `%v`, and as an action prints it. The caller handles the case of no value."""
    if isinstance(value, str):
        return value
    return write(value, PLAIN, budget)


def sprint(values: Sequence[Any], budget: Budget) -> str:
    """All values, with a space between two values if neither is a string."""
    parts: list[str] = []
    for at, value in enumerate(values):
        if at and not isinstance(value, str) and not isinstance(values[at - 1], str):
            parts.append(" ")
        parts.append(show(value, budget))
        budget.make(len(parts[-1]) if isinstance(value, str) else 1)
    return "".join(parts)


def sprintln(values: Sequence[Any], budget: Budget) -> str:
    """All values with spaces between them, and a line break."""
    parts = []
    for value in values:
        parts.append(show(value, budget))
        budget.make(len(parts[-1]) + 1)
    return " ".join(parts) + "\n"


def write(value: Any, verb: Verb, budget: Budget, *, within: bool = False) -> str:
    """A value with a verb.

    Args:
        value: the value.
        verb: the verb, flags and sizes.
        budget: counts the text.
        within: it is in a list, map or struct, where nil is neither padded nor refused.

    Raises:
        Exceeded: a limit is exceeded.
    """
    budget.step()
    if verb.letter == "T":
        return pad(type_name(value) if value is not None else "<nil>", verb, budget)
    if value is None:
        return "<nil>" if within else pad("<nil>", verb, budget) if verb.letter == "v" else f"%!{verb.letter}(<nil>)"
    if _prints_itself(value) and verb.letter in "vsqxX":
        return _of_string(_own_text(value, budget), verb, budget)
    kind = bool if isinstance(value, bool) else type(value)
    writer = _WRITERS.get(kind)
    if writer is not None:
        return writer(value, verb, budget)
    return _composite(value, verb, budget)


def pad(text: str, verb: Verb, budget: Budget) -> str:
    """The text padded to the verb's width, with zeros or spaces on the left, or spaces on the right."""
    missing = (verb.width or 0) - len(text)
    budget.make(max(missing, 0) + len(text))
    if missing <= 0:
        return text
    if "-" in verb.flags:
        return text + " " * missing
    return ("0" if "0" in verb.flags else " ") * missing + text


# --- lists, maps and structs ---------------------------------------------------------------------------------------


def _prints_itself(value: Any) -> bool:
    return isinstance(value, JsonMap | JsonList | Text) or (isinstance(value, Struct) and value.type.prints_json)


def _own_text(value: Any, budget: Budget) -> str:
    if isinstance(value, Text):
        return value[0] if len(value) == 1 else write(list(value), PLAIN, budget) if value else ""
    if isinstance(value, JsonMap) and value.nil:
        return "{}"
    return marshal_or_nothing(value, budget)


def _composite(value: Any, verb: Verb, budget: Budget) -> str:
    def each(inner: Any) -> str:
        return write(inner, verb, budget, within=True)

    if isinstance(value, Struct):
        names = "=" in verb.flags
        shown = ((each.name, value.values[each.name], each.hidden_if_nil) for each in value.type.members)
        opener, closer = "{", "}"
        parts = [
            f"{name}:{each(inner)}" if names else each(inner)
            for name, inner, hidden_if_nil in shown
            if inner is not None or not hidden_if_nil
        ]
    elif isinstance(value, dict):
        opener, closer = "map[", "]"
        parts = [f"{each(key)}:{each(inner)}" for key, inner in sorted(value.items())]
    else:
        opener, closer = "[", "]"
        parts = [each(inner) for inner in value]
    budget.make(len(parts) + len(opener) + 1)
    return opener + " ".join(parts) + closer


# --- other values --------------------------------------------------------------------------------------------------


def _bad(value: Any, verb: Verb, budget: Budget) -> str:
    return f"%!{verb.letter}({type_name(value)}={write(value, PLAIN, budget)})"


def _of_bool(value: bool, verb: Verb, budget: Budget) -> str:  # noqa: FBT001  the value itself
    return pad(str(value).lower(), verb, budget) if verb.letter in "vt" else _bad(value, verb, budget)


def _of_string(value: str, verb: Verb, budget: Budget) -> str:
    letter = verb.letter
    budget.read(len(value))
    if letter in "vs" and not ("#" in verb.flags and letter == "v"):
        return pad(value[: verb.precision], verb, budget)
    if letter in "vq":
        budget.make(len(value) * 2)
        return pad(quoting.quoted(value[: verb.precision], verb.flags), verb, budget)
    if letter in "xX":
        budget.make(len(value) * 4)
        data = bytes_of(value)[: verb.precision]
        text = data.hex(" ") if " " in verb.flags else data.hex()
        text = f"0x{text.replace(' ', ' 0x')}" if "#" in verb.flags and text else text
        return pad(text.upper() if letter == "X" else text, verb, budget)
    return _bad(value, verb, budget)


_BASES = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "x"}
_PREFIXES = {"b": "0b", "o": "0", "O": "0o", "x": "0x", "X": "0x"}


def _of_int(value: int, verb: Verb, budget: Budget) -> str:
    letter = verb.letter
    if letter in "cqU":
        return pad(quoting.character(value, letter, verb.flags), verb, budget)
    if letter not in _BASES:
        return _bad(value, verb, budget)
    if verb.precision == 0 and value == 0:
        return pad("", Verb(flags="", width=verb.width), budget)
    sign = "-" if value < 0 else "+" if "+" in verb.flags else " " if " " in verb.flags else ""
    least = verb.precision
    if least is None and "0" in verb.flags and "-" not in verb.flags:
        least = (verb.width or 0) - len(sign)
    budget.make(max(least or 0, 0))
    digits = format(abs(value), _BASES[letter]).rjust(least or 0, "0")
    if letter == "O" or ("#" in verb.flags and letter in _PREFIXES and not (letter == "o" and digits[0] == "0")):
        digits = _PREFIXES[letter] + digits
    digits = digits.upper() if letter == "X" else digits
    return pad(sign + digits, Verb(flags=verb.flags.replace("0", ""), width=verb.width), budget)


def _of_float(value: float, verb: Verb, budget: Budget) -> str:
    letter = "g" if verb.letter == "v" else verb.letter
    if letter not in "eEfFgGxX":
        return _bad(value, verb, budget)
    budget.make(verb.precision or 0)
    text = _digits(abs(value), letter, verb.precision) if math.isfinite(value) else "Inf" if value == value else "NaN"  # noqa: PLR0124  only NaN differs from itself
    negative = math.copysign(1, value) < 0 and value == value  # noqa: PLR0124
    plus = "+" if "+" in verb.flags or text == "Inf" else " " if " " in verb.flags else ""
    sign = "-" if negative else plus
    zeros = "0" in verb.flags and "-" not in verb.flags and math.isfinite(value)
    if zeros and verb.width is not None:
        budget.make(verb.width)
        return sign + text.rjust(verb.width - len(sign), "0")
    return pad(sign + text, Verb(flags=verb.flags.replace("0", ""), width=verb.width), budget)


def _of_complex(value: complex, verb: Verb, budget: Budget) -> str:
    if verb.letter not in "veEfFgG":
        return _bad(value, verb, budget)
    signed = Verb(verb.letter, verb.flags + "+", verb.width, verb.precision)
    return f"({_of_float(value.real, verb, budget)}{_of_float(value.imag, signed, budget)}i)"


def _digits(value: float, letter: str, precision: int | None) -> str:
    if letter in "xX":
        text = _hexadecimal(value)
    elif letter in "gG":
        text = _shortest(value) if precision is None else format(value, f".{precision}g")
    else:
        text = format(value, f".{6 if precision is None else precision}{letter.lower()}")
    return text.upper() if letter.isupper() else text


def _shortest(value: float) -> str:
    """The fewest digits that identify the number, with an exponent from 1e+06 and below 1e-04: 1e+06, 123456, 1e-05."""
    text = repr(value)
    if "e" not in text and value < 1e6:
        return text.removesuffix(".0")
    mantissa, exponent = format(Decimal(text).normalize(), "e").split("e")
    return f"{mantissa}e{int(exponent):+03d}"


def _hexadecimal(value: float) -> str:
    mantissa, _, exponent = value.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{int(exponent):+03d}"


_WRITERS: dict[type[Any], Callable[[Any, Verb, Budget], str]] = {
    bool: _of_bool,
    str: _of_string,
    int: _of_int,
    float: _of_float,
    complex: _of_complex,
}
