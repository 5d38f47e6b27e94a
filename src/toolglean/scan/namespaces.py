# What this file knows: what may be written before a tool's name without making it another name.
# Does not depend on where names are written, or on what a call of them means.
#
# Templates and SDKs show tools in a namespace, and models write it before the name: `functions.f`, `default_api.f`.
# A namespace that the tools themselves carry (`github.search` beside `fetch`) is as plain, and so is the tool's own
# name (Muse writes `read.read`). Any other word before the name says something else: `dry_run.delete_all` is not
# `delete_all`.
"""Namespaces before the names of tools."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

__all__ = ["NAMESPACES", "namespaces_of", "without_namespace"]

NAMESPACES = frozenset({"functions", "tools", "default_api"})

_parting = re.compile("[.:/]").finditer


def namespaces_of(names: Iterable[str]) -> frozenset[str]:
    """The namespaces that may come before the names of these tools."""
    own = (name.rpartition(".")[0] for name in names if "." in name)
    return NAMESPACES.union(filter(None, own))


def without_namespace(name: str, namespaces: Container[str], names: Container[str]) -> str | None:
    """What is left of a written name after a namespace, if that is one of the names."""
    for found in _parting(name):
        namespace, rest = name[: found.start()], name[found.end() :]
        if rest in names and (namespace in namespaces or namespace == rest):
            return rest
    return None
