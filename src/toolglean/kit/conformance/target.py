# What this file knows: what can be tested, whatever it is.
# What it must not know: any of them.
"""What is under test."""

from __future__ import annotations

from typing import Protocol

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.reading import Reading

__all__ = ["CrashError", "LateError", "Target", "UnprovenError"]


class CrashError(Exception):
    """What is under test raised an error, died, or did not answer as it should."""


class LateError(Exception):
    """What is under test took too long."""


class UnprovenError(Exception):
    """It is not known what the model wrote: nothing can be said of the parser."""


class Target(Protocol):
    """A parser, or a server.

    Attributes:
        name: what the report calls it.

    A `way` of its methods is one of `cuts.ways`: how the text is given to it.
    """

    name: str

    def claims(self, case: Case, way: str) -> bool:
        """Whether a case is to be tried in a way of `cuts.ways`."""

    def read(self, case: Case, way: str) -> Reading | None:
        """What it makes of a case; None if it does not claim it. May raise the errors of this file."""

    def close(self) -> None:
        """End it."""
