# Sets of cases with a name, a version and a digest: the shipped one, those of other packages, and those of files. Does
# not depend on how a case is judged.
#
# The digest is the SHA-256 of all cases in canonical form: one line for each case, in the order of their ids, each a
# JSON object of every field of `Case` with sorted keys, no white space and only ASCII. So two sets have the same digest
# if and only if they ask the same, whatever their files look like.
#
# Another package adds a set through an entry point of the group GROUP. The name of the entry point is the name of the
# set. It gives the path of a file of cases, or of a folder of such files, or a function that returns one.
"""Sets of cases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolglean.errors import UsageError
from toolglean.formats.entry_points import entry_points
from toolglean.kit.conformance.cases import Case, load_cases, read_cases, shipped

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "SHIPPED", "CaseSet", "digest_of", "find_set", "installed_sets", "sets_of", "shipped_set"]

GROUP: Final = "toolglean.kit.conformance"
SHIPPED: Final = "toolglean-cases"
"""The name of the shipped set. Its version is not that of toolglean."""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases, and what identifies them in results.

    Attributes:
        name: of the shipped cases "toolglean-cases", of those of another package the name of its entry point, otherwise
            the names of the files.
        version: the version of the set, or of the package that has it; None if there is none.
        cases: the cases.
    """

    name: str
    version: str | None
    cases: tuple[Case, ...]

    @property
    def digest(self) -> str:
        """The digest of all cases, "sha256:" and 64 hexadecimal digits."""
        return digest_of(self.cases)

    @property
    def licenses(self) -> tuple[str, ...]:
        """The licences of the cases, and those of the work of others in them."""
        found = {case.license for case in self.cases} | {case.third_party_license for case in self.cases}
        return tuple(sorted(found - {""}))


def digest_of(cases: Iterable[Case]) -> str:
    """The digest of cases in canonical form."""
    rows = sorted((asdict(case) for case in cases), key=lambda row: str(row["id"]))
    lines = (json.dumps(row, sort_keys=True, separators=(",", ":")) for row in rows)
    return "sha256:" + hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()


def shipped_set() -> CaseSet:
    """The cases that ship with toolglean."""
    return CaseSet(SHIPPED, history()[-1]["version"], tuple(load_cases()))


def installed_sets() -> list[str]:
    """The names of all sets: the shipped one, and those of other packages."""
    return [SHIPPED, *sorted({point.name for point in entry_points(group=GROUP)} - {SHIPPED})]


def find_set(name: str) -> CaseSet:
    """The set of that name.

    Args:
        name: one of `installed_sets`.

    Raises:
        UsageError: there is no such set, or it cannot be loaded.
    """
    if name == SHIPPED:
        return shipped_set()
    for point in entry_points(group=GROUP):
        if point.name == name:
            return _loaded(point)
    raise UsageError(
        f"cases={name!r} is neither a file nor an installed set of cases; installed are {', '.join(installed_sets())}"
    )


def sets_of(names: Iterable[str]) -> CaseSet:
    """The cases of these files and installed sets together, as one set.

    Args:
        names: paths of files, and names of installed sets.

    Raises:
        UsageError: one cannot be read, or two cases have the same id.
    """
    found = [
        _file(name) if Path(name).is_file() or name.endswith((".json", ".jsonl")) else find_set(name) for name in names
    ]
    cases = [case for each in found for case in each.cases]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise UsageError(f"id={case.id!r} is the id of two cases; each case of a run needs its own")
        seen.add(case.id)
    version = found[0].version if len(found) == 1 else None
    return CaseSet(" + ".join(each.name for each in found), version, tuple(cases))


def _file(name: str) -> CaseSet:
    return CaseSet(Path(name).name, None, tuple(read_cases(name)))


def _loaded(point: EntryPoint) -> CaseSet:
    where = f"entry point {point.name!r} ({point.value}) of {GROUP}"
    try:
        found: Any = point.load()
        root = Path(str(found() if callable(found) else found))
    except Exception as error:
        raise UsageError(f"{where} failed: {type(error).__name__}: {error}") from error
    paths = sorted(root.glob("*.jsonl")) if root.is_dir() else [root]
    cases = [case for path in paths for case in read_cases(path)]
    if not cases:
        raise UsageError(f"{where}: {root.name} has no cases; expected a file or a folder of *.jsonl")
    return CaseSet(point.name, point.dist.version if point.dist is not None else None, tuple(cases))


def history() -> list[dict[str, str]]:
    """Each released version of the shipped set with its digest, the newest last."""
    found: list[dict[str, str]] = json.loads(shipped("cases/set.json"))["versions"]
    return found
