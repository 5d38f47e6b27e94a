# The interface of everything that can be tested, and its errors.
"""The target of a test."""

from __future__ import annotations

from typing import Protocol

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.reading import Reading

__all__ = ["CrashError", "LateError", "Target", "UnprovenError"]


class CrashError(Exception):
    """The target raised an error, died, or gave an invalid answer."""


class LateError(Exception):
    """The target took too long."""


class UnprovenError(Exception):
    """It is not known what the model wrote, so the parser cannot be judged."""


class Target(Protocol):
    """A parser, or a server.

    Attributes:
        name: its name in the report.

    The argument `way` of its methods is one of `cuts.ways`: how the text is given to it.
    """

    name: str

    def claims(self, case: Case, way: str) -> bool:
        """Whether a case is to be tried in a way of `cuts.ways`."""

    def read(self, case: Case, way: str) -> Reading | None:
        """Its reading of a case; None if it does not claim the case.

        Raises:
            CrashError: it failed, or gave an invalid answer.
            LateError: it took too long.
            UnprovenError: it is not known what the model wrote.
        """

    def close(self) -> None:
        """Stop it."""
