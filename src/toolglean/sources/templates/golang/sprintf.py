# How Go's `fmt.Sprintf` reads a format: flags, widths, argument numbers, and its wording of faults. Does not depend on
# how a value looks under a verb.
"""Go's `fmt.Sprintf`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toolglean.sources.templates.golang.budget import Budget
from toolglean.sources.templates.golang.printing import PLAIN, Verb, write
from toolglean.sources.templates.golang.values import type_name

__all__ = ["sprintf"]

_LARGEST = 1_000_000  # Go accepts no larger width or precision
_FLAGS = re.compile(r"[-+# 0]*+")
_NUMBER = re.compile(r"[0-9]++")
_INDEX = re.compile(r"\[([^\]]*+)\]")


def sprintf(text: str, values: Sequence[Any], budget: Budget) -> str:
    """The format, with its verbs replaced by the values.

    Raises:
        Exceeded: a limit is exceeded. Faults of the format are reported in the result, as in Go.
    """
    return _Format(text, values, budget).run()


class _Format:
    __slots__ = ("at", "bad_index", "budget", "next", "parts", "reordered", "text", "values")

    def __init__(self, text: str, values: Sequence[Any], budget: Budget) -> None:
        self.text = text
        self.values = values
        self.budget = budget
        self.parts: list[str] = []
        self.at = 0
        self.next = 0  # the argument for the next verb
        self.reordered = False  # an argument number was used: extra arguments are allowed then
        self.bad_index = False

    def run(self) -> str:
        text = self.text
        while True:
            percent = text.find("%", self.at)
            end = len(text) if percent == -1 else percent
            self.budget.make(end - self.at)
            self.parts.append(text[self.at : end])
            if percent == -1:
                break
            self.at = percent + 1
            self.verb()
        if not self.reordered and self.next < len(self.values):
            extra = ", ".join(self.typed(each) for each in self.values[self.next :])
            self.parts.append(f"%!(EXTRA {extra})")
        return "".join(self.parts)

    def verb(self) -> None:
        self.budget.step()
        self.bad_index = False
        flags = self.flags()
        self.index()
        width = self.size("BADWIDTH")
        if width is not None and width < 0:
            flags, width = flags.replace("0", "") + "-", -width
        precision = None
        if self.text.startswith(".", self.at):
            self.at += 1
            self.index()
            precision = self.size("BADPREC")
            precision = 0 if precision is None else precision if precision >= 0 else None
        self.index()
        if self.at >= len(self.text):
            self.parts.append("%!(NOVERB)")
            return
        letter = self.text[self.at]
        self.at += 1
        if letter == "v":
            flags = flags.replace("+", "=")  # `%+v` names the fields of structs and puts no sign before numbers
        self.parts.append(self.filled(Verb(letter, flags, width, precision)))

    def filled(self, verb: Verb) -> str:
        if verb.letter == "%":
            return "%"
        if self.bad_index:
            return f"%!{verb.letter}(BADINDEX)"
        if self.next >= len(self.values):
            return f"%!{verb.letter}(MISSING)"
        value = self.values[self.next]
        self.next += 1
        return write(value, verb, self.budget)

    def flags(self) -> str:
        found = _FLAGS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        flags = "".join(sorted(set(found[0])))
        return flags.replace("0", "") if "-" in flags else flags

    def index(self) -> None:
        """`[n]`: the next argument is the n-th."""
        if not self.text.startswith("[", self.at):
            return
        self.reordered = True
        found = _INDEX.match(self.text, self.at)
        self.at = found.end() if found else self.at + 1
        digits = found[1] if found else ""
        number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 9 else 0
        if 1 <= number <= len(self.values):
            self.next = number - 1
        else:
            self.bad_index = True

    def size(self, fault: str) -> int | None:
        """A width or a precision: digits, or a star, which takes it from the arguments."""
        if self.text.startswith("*", self.at):
            self.at += 1
            value: Any = self.values[self.next] if self.next < len(self.values) else None
            self.next += self.next < len(self.values)
            if isinstance(value, int) and not isinstance(value, bool):
                least = -_LARGEST if fault == "BADWIDTH" else 0
                if least <= value <= _LARGEST:
                    return value
            self.parts.append(f"%!({fault})")
            return None
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            return None
        digits = found[0].lstrip("0")
        if len(digits) > 8 or int(digits[:-1] or "0") > _LARGEST:  # Go checks before it reads the last digit
            self.at = len(self.text)  # Go gives up here: the rest is not a verb
            return None
        self.at = found.end()
        return int(digits or "0")

    def typed(self, value: Any) -> str:
        return "<nil>" if value is None else f"{type_name(value)}={write(value, PLAIN, self.budget)}"
