# The codes of a `Problem` that have a cause in common. Does not depend on how it is explained (causes.py, which has
# those with a cause of their own).
"""Problems with a common cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglean.events import ProblemCode

__all__ = ["ARGUMENTS", "NOT_CLOSED", "detail_of", "limit_of"]

ARGUMENTS: frozenset[ProblemCode] = frozenset({"malformed-arguments", "string-arguments", "markup-in-value"})
NOT_CLOSED: frozenset[ProblemCode] = frozenset({"swallowed-markup", "unclosed-call"})


def limit_of(code: ProblemCode) -> str:
    """The name of the limit that was exceeded; "" if the code tells something else."""
    return code.removeprefix("limit-").replace("-", "_") if code.startswith("limit-") else ""


def detail_of(reason: str) -> str:
    """What a reason says after its colon; all of it if it has none."""
    return reason.partition(": ")[2] or reason
