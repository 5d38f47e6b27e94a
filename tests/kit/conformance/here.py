# Tries a parser in this process, because starting another one takes longer than most cases. Does not depend on any parser.
"""`ParserTarget` without its process."""

from __future__ import annotations

from toolglean.kit.conformance import Case, Reading
from toolglean.kit.conformance.child import NotClaimed, Subject
from toolglean.kit.conformance.cuts import ONE_CHUNK, WHOLE
from toolglean.kit.conformance.reading import folded
from toolglean.kit.conformance.target import NotClaimedError

__all__ = ["Here"]


class Here:
    """A parser of this process: starting another takes longer than most cases."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._subject = Subject(name)

    def claims(self, case: Case, way: str) -> bool:  # noqa: ARG002
        return way == WHOLE or (self._subject.streams and (way != ONE_CHUNK or self._subject.has_whole))

    def read(self, case: Case, way: str) -> Reading | None:
        names = ("id", "text", "format", "model", "start", "special", "atomic", "reasons", "ended")
        given = {name: getattr(case, name) for name in names} | {"tools": list(case.tools)}
        try:
            found = self._subject.answers(given, way)
        except NotClaimed as error:
            raise NotClaimedError(*error.args) from error
        return None if found is None else folded(found)

    def close(self) -> None:
        """Nothing is open."""
