# What this file knows: which kind of trouble each reason of a `Problem` tells.
# What it must not know: what is said of it (causes.py).
#
# This is the only file that looks at the sentences. A reason that is new in the engine gets a row here if a cause is to
# be told of it; without one it is "other", and its sentence is shown.
"""Reasons of problems, by kind."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolglean.engine.judge.judge import ADDRESSED, IN_STRING, QUOTED
from toolglean.engine.turn import ALONE, DISTRUSTED, LEFT_OVER, QUOTING
from toolglean.scan.data import NOT_A_CALL

__all__ = ["Trouble", "limit_of", "said_by", "trouble_of"]

Trouble: TypeAlias = Literal[
    "limit",
    "not closed",
    "quoted",
    "in a string",
    "data",
    "to the user",
    "alone",
    "left over",
    "arguments",
    "call",
    "other",
]

_LIMIT, _ARGUMENTS, _CALL = "limit passed: ", "malformed arguments: ", "malformed call: "
_BEGINNINGS: dict[str, Trouble] = {
    _LIMIT: "limit",
    QUOTING: "not closed",
    DISTRUSTED: "not closed",
    QUOTED: "quoted",
    IN_STRING: "in a string",
    NOT_A_CALL: "data",
    ADDRESSED: "to the user",
    ALONE: "alone",
    LEFT_OVER: "left over",
    _ARGUMENTS: "arguments",
    _CALL: "call",
}


def trouble_of(reason: str) -> Trouble:
    """What kind of trouble a reason tells."""
    return next((kind for beginning, kind in _BEGINNINGS.items() if reason.startswith(beginning)), "other")


def limit_of(reason: str) -> str:
    """The name of the limit that was passed."""
    return reason.removeprefix(_LIMIT)


def said_by(reason: str) -> str:
    """What a reason says of arguments or of a call, without the words that say so."""
    return reason.removeprefix(_ARGUMENTS).removeprefix(_CALL).removeprefix(f"{NOT_A_CALL}: ")
