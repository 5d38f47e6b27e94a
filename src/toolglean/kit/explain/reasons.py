# Which kind of trouble each code of a `Problem` means. Does not depend on how it is explained (causes.py).
#
# A new code of the engine gets a row here if it has a cause of its own; without one it is "other", and its reason is
# shown.
"""Problems, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from toolglean.events import ProblemCode

__all__ = ["Trouble", "detail_of", "limit_of", "trouble_of"]

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
    "unread",
    "other",
]

_LIMIT = "limit-"
_KINDS: dict[ProblemCode, Trouble] = {
    "limit-call-chars": "limit",
    "limit-calls": "limit",
    "limit-depth": "limit",
    "limit-held": "limit",
    "swallowed-markup": "not closed",
    "unclosed-call": "not closed",
    "quoted-call": "quoted",
    "call-in-json-string": "in a string",
    "not-a-call": "data",
    "call-to-user": "to the user",
    "call-in-line": "alone",
    "unread-call": "unread",
    "leftover-marker": "left over",
    "malformed-arguments": "arguments",
    "string-arguments": "arguments",
    "markup-in-value": "arguments",
}


def trouble_of(code: ProblemCode) -> Trouble:
    """What kind of trouble a code tells."""
    return _KINDS.get(code, "other")


def limit_of(code: ProblemCode) -> str:
    """The name of the limit that was exceeded."""
    return code.removeprefix(_LIMIT).replace("-", "_")


def detail_of(reason: str) -> str:
    """What a reason says after its colon; all of it if it has none."""
    return reason.partition(": ")[2] or reason
