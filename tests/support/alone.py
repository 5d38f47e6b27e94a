# One environment that has every package, used as if only one extra had been installed.
# Does not depend on any test, and not on what an extra is for.
#
# What `pip install '.[openai]'` would bring is read from the packages' own metadata: what the extra names, what these
# need, and so on. With `-p tests.support.alone`, nothing else can be imported but the tools of the tests. So an extra that
# forgets a package fails here, without an environment of its own. What pip itself would choose, the nightly sessions say.
# By default one row of each test is run, for a package is missing in any of them; the rest runs with all packages.
"""A plugin for pytest: TOOLGLEAN_ALONE=openai hides every package that the extra `openai` does not bring."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from types import ModuleType
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import depth

if TYPE_CHECKING:
    import pytest

__all__ = ["Hidden", "brought_by"]

TOOLS = ("pytest", "hypothesis", "packaging", "pip", "setuptools")


class Hidden(MetaPathFinder):
    """Finds none of these modules.

    Args:
        names: names of modules, without dots.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuse what is hidden, and leave the rest to others."""
        del path, target
        if fullname.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {fullname!r}: it is hidden", name=fullname)
        return None


def brought_by(*named: str) -> set[str]:
    """The packages that `pip install` of these would bring, by their normal names, themselves among them.

    Args:
        named: requirements, such as `toolglean[openai]`.
    """
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    todo = [Requirement(each) for each in named]
    while todo:
        each = todo.pop()
        name, extras = canonicalize_name(each.name), frozenset(each.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found.add(name)
        try:
            needed = requires(name) or []
        except PackageNotFoundError:  # for another system, or another Python
            continue
        for requirement in map(Requirement, needed):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                todo.append(requirement)
    return found


def hidden(*named: str) -> set[str]:
    """The modules of this environment that none of these requirements brings."""
    kept = brought_by(*named)
    return {
        module
        for module, owners in packages_distributions().items()
        if not kept & {canonicalize_name(owner) for owner in owners}
    }


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the first row of each test."""
    if depth.is_full():
        return
    first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
    kept = set(first.values())
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


if extra := os.environ.get("TOOLGLEAN_ALONE"):
    names = hidden(f"toolglean[{extra}]", *TOOLS)
    early = sorted(names & {*sys.modules})
    assert not early, f"imported before it could be hidden: {early}"
    sys.meta_path.insert(0, Hidden(names))
