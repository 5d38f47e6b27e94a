# What is installed next to toolglean: extras, engines, formats of other packages. Asks the metadata of packages, and
# imports none of them but those that add formats. Does not depend on how any of it is shown (doctor.py).
"""What is installed."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from toolglean._install import how_to_install
from toolglean._version import __version__
from toolglean.engines.environment import options_from_environment
from toolglean.errors import UsageError
from toolglean.formats.registry import plugins

__all__ = ["installation"]

ENGINES = (
    *("vllm", "sglang", "tensorrt-llm", "llama-cpp-python", "mlx-lm", "transformers", "litellm"),
    *("xgrammar", "llguidance"),
)
"""Engines, and what they constrain decoding with, by the names of their packages."""
FOR_A_CHECKOUT = ("dev", "examples")
"""Extras that nobody needs who only uses toolglean."""

_requirement = re.compile(r"([\w.-]+)(?:>=([\w.]+))?.*?(?:python_version < '([\d.]+)'.*)?extra == '([\w-]+)'").match


def installation() -> dict[str, Any]:
    """What is installed, in words.

    Returns:
        `toolglean`, `python`: the versions; and lists: `extras`: those that are installed; `missing`: those that are
        not, with what is too old; `install`: how to get them; `engines`, with their versions; `plugins`: the names of
        the formats that other packages add; `faults`: what is wrong, and what to do about it.
    """
    extras = _extras()
    missing = [name for name, lacks in extras.items() if lacks]
    old = {name: ", ".join(filter(None, extras[name])) for name in missing}
    formats, failed = plugins()
    return {
        "toolglean": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}, {platform.platform(terse=True)}",
        "extras": [name for name, lacks in extras.items() if not lacks],
        "missing": [f"{name} ({old[name]})" if old[name] else name for name in missing],
        "install": [how_to_install(",".join(missing), "them")] if missing else [],
        "engines": [f"{name} {found}" for name in ENGINES if (found := _version(name)) is not None],
        "plugins": [each.name for each in formats],
        "faults": [*(_failed(name, error) for name, error in failed.items()), *_faults()],
    }


def _extras() -> dict[str, list[str]]:
    # What each extra lacks: "" for a package that is not installed, and in words one that is too old.
    found: dict[str, list[str]] = {}
    wanted = requires("toolglean") or [] if _version("toolglean") is not None else []
    for name, least, before, extra in (each.groups() for each in map(_requirement, wanted) if each):
        if extra not in FOR_A_CHECKOUT and not (before and sys.version_info >= _numbers(before)):
            found.setdefault(extra, []).extend(_lack(name, least or "0"))
    return dict(sorted(found.items()))


def _lack(name: str, least: str) -> Iterator[str]:
    found = _version(name)
    if found is None:
        yield ""
    elif _numbers(found) < _numbers(least):
        yield f"{name} {found} is older than {least}"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(written: str) -> tuple[int, ...]:
    # Of a version, which is enough to tell whether it is too old: `3.50rc1` passes for 3.50.
    return tuple(map(int, re.findall(r"^\d+|(?<=\.)\d+", written)))


def _failed(name: str, error: Exception) -> str:
    return f"the entry point {name!r} failed: fix or remove its package ({type(error).__name__}: {error})"


def _faults() -> Iterator[str]:
    if _version("toolglean") is None:
        yield "toolglean is not installed in this Python, but run from its source, so its extras are not known"
    try:
        options_from_environment()
    except UsageError as error:
        yield str(error)
