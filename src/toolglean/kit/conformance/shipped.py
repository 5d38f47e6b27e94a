# The targets that `--target` knows by name: toolglean's own two, and the adapters of targets/. Does not depend on how a
# target reads.
"""Targets by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolglean.errors import UsageError
from toolglean.kit.conformance.parsers import ParserTarget
from toolglean.kit.conformance.targets import TARGETS, ShippedTarget

__all__ = ["ALL", "open_target"]

_OWN: Final = (
    ShippedTarget("toolglean", "toolglean.kit.conformance.own:Own", "", ""),
    ShippedTarget("toolglean-auto", "toolglean.kit.conformance.own:Auto", "", ""),
)
"""With the format of each case, and without a format."""

ALL: Final[Mapping[str, ShippedTarget]] = MappingProxyType(
    dict(sorted({**TARGETS, **{each.name: each for each in _OWN}}.items()))
)
"""All of them, in alphabetical order."""


def open_target(name: str, *, python: str | None = None, timeout: float = 10.0) -> ParserTarget:
    """The target of that name, started.

    Args:
        name: one of `ALL`.
        python: the interpreter that has it; None: this one.
        timeout: seconds for one turn.

    Raises:
        UsageError: there is no such target, or that Python does not have it. The message says how to install it.
    """
    found = ALL.get(name)
    if found is None:
        raise UsageError(f"target={name!r} is not one of {', '.join(ALL)}")
    return ParserTarget(
        found.adapter,
        python=python,
        timeout=timeout,
        package=found.package,
        install=found.install,
        label=found.name,
    )
