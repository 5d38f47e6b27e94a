# The kind of trouble that each reason of a `Problem` reports. Does not depend on what is told about it (causes.py).
#
# This is the only file that looks at the sentences. A new reason of the engine gets a row here if it has a cause of its
# own; without a row it is "other", and its sentence is shown.
"""Reasons of problems, by kind."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolglean.engine.judge.judge import ADDRESSED, IN_STRING, QUOTED
from toolglean.engine.turn import ALONE, DISTRUSTED, LEFT_OVER, QUOTING
from toolglean.scan.data import NOT_A_CALL

__all__ = ["STRING", "Trouble", "is_string", "limit_of", "said_by", "trouble_of"]

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

STRING = "a string that is not a JSON object"
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
    """The kind of trouble that a reason reports."""
    return next((kind for beginning, kind in _BEGINNINGS.items() if reason.startswith(beginning)), "other")


def is_string(reason: str) -> bool:
    """Whether a reason reports that the arguments are a string that is not a JSON object."""
    return reason.endswith(STRING)


def limit_of(reason: str) -> str:
    """The name of the limit that was exceeded."""
    return reason.removeprefix(_LIMIT)


def said_by(reason: str) -> str:
    """The fault in a reason about arguments or a call, without the words before it."""
    return reason.removeprefix(_ARGUMENTS).removeprefix(_CALL).removeprefix(f"{NOT_A_CALL}: ")
