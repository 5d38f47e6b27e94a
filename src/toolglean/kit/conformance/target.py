# The interface of everything that can be tested, and its errors.
"""The target of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.reading import Reading

__all__ = ["About", "CrashError", "LateError", "NotClaimedError", "Target", "UnprovenError"]


@dataclass(frozen=True, slots=True)
class About:
    """What results say about a target.

    Attributes:
        name: its name.
        version: its version; None if it is not known.
        adapter: what gave it the turns: a class or a function, or the mode of a server.
        adapter_digest: the digest of the adapter's file, "sha256:" and 64 hexadecimal digits; None if it has no file.
        python, platform: where it ran; None if it is not known, as for a server.
    """

    name: str
    version: str | None = None
    adapter: str | None = None
    adapter_digest: str | None = None
    python: str | None = None
    platform: str | None = None


class CrashError(Exception):
    """The target raised an error, died, or gave an invalid answer."""


class LateError(Exception):
    """The target took too long."""


class NotClaimedError(Exception):
    """The target does not claim the case. Its message is the reason, or empty."""


class UnprovenError(Exception):
    """It is not known what the model wrote, so the parser cannot be judged."""


class Target(Protocol):
    """A parser, or a server.

    Attributes:
        name: its name in the report.

    It may also have `about`, an `About`: what else results say about it.

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
            NotClaimedError: it does not claim the case, and says why.
            UnprovenError: it is not known what the model wrote.
        """

    def close(self) -> None:
        """Stop it."""
