# What this file knows: how a format is written down as Python, and as JSON.
# What it must not know: what a format means.
"""Formats as text, ready to paste."""

from __future__ import annotations

from dataclasses import MISSING, asdict, fields
from typing import Any

from toolglean.formats.spec import Format

_LIBRARY = frozenset({"name", "_", "aliases", "models", "source"})

__all__ = ["as_dict", "declaration"]


def declaration(declared: Format) -> str:
    """The declaration of a format, as it would stand in a file: what is not said is as it is by default.

    Names under which the library knows it, and where it was read from, are left out.
    """
    lines = [f"    {declared.name!r},"]
    for name, value in _declared_fields(declared).items():
        lines.append(f"    {name}={value!r},")
    return "\n".join(["Format(", *lines, ")"])


def as_dict(declared: Format) -> dict[str, Any]:
    """The declaration as JSON knows it; the codec of the arguments is its name and its own fields."""
    found: dict[str, Any] = {"name": declared.name}
    for name, value in _declared_fields(declared).items():
        found[name] = {"codec": type(value).__name__, **asdict(value)} if name == "arguments" else value
    return found


def _declared_fields(declared: Format) -> dict[str, Any]:
    found = {}
    for each in fields(declared):
        value = getattr(declared, each.name)
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if each.name in _LIBRARY or value == default:
            continue
        found[each.name] = value[0] if each.name == "parameter" and len(value) == 1 else value
    return found
