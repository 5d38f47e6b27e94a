# What this file knows: the names under which formats are found: their own, their aliases, models' names.
# What it must not know: what any format writes.
#
# The library is imported when a name is first looked up, not with toolglean. Third parties add formats by the entry
# point group `toolglean.formats` (a Format, or a list of them), or by `register`.
"""Formats by name."""

from __future__ import annotations

import importlib
from fnmatch import fnmatchcase
from functools import lru_cache

from toolglean.errors import FormatError, UsageError
from toolglean.formats.spec import Format

__all__ = ["LIBRARY", "all_formats", "find_format", "format_of_model", "get_format", "register"]

LIBRARY = "toolglean.formats.library"
_added: dict[str, Format] = {}


def folded(name: str) -> str:
    """A name as it is compared: without regard to case, and with `-`, `_` and `.` alike."""
    return name.casefold().replace("_", "-").replace(".", "-")


def register(declared: Format) -> None:
    """Add a format of one's own, under its name and its aliases. A later one hides an earlier one of the same name."""
    for name in (declared.name, *declared.aliases):
        _added[folded(name)] = declared


def all_formats() -> tuple[Format, ...]:
    """All formats: those that were registered, those of entry points, and the library, in this order."""
    return tuple(dict.fromkeys([*_added.values(), *_installed(), *_library()]))


def find_format(name: str) -> Format | None:
    """The format of that name or alias, or None."""
    key = folded(name)
    return _added.get(key) or _names().get(key)


def get_format(name: str) -> Format:
    """The format of that name or alias.

    Raises:
        UsageError: there is none, or it is known and cannot be supported; the message says why, or names the nearest.
    """
    found = find_format(name)
    if found is not None:
        return found
    reason = _unsupported().get(folded(name))
    if reason is not None:
        raise UsageError(f"format {name!r} is not supported: {reason}")
    import difflib  # noqa: PLC0415  # only for the message

    near = difflib.get_close_matches(folded(name), [*_names(), *_added], n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `toolglean formats` lists all"
    raise UsageError(f"no format is called {name!r}{hint}")


def format_of_model(model: str) -> Format | None:
    """The format that a model of that name writes (`Qwen/Qwen3-8B`, `qwen3:8b`), or None where that is not known.

    The most specific pattern counts: the longest that matches.
    """
    key = folded(model)
    matches = [
        (len(pattern), declared)
        for declared in all_formats()
        for pattern in declared.models
        if fnmatchcase(key, folded(pattern)) or fnmatchcase(key.rpartition("/")[2], folded(pattern))
    ]
    return max(matches, key=lambda match: match[0])[1] if matches else None


@lru_cache(maxsize=1)
def _library() -> tuple[Format, ...]:
    library = importlib.import_module(LIBRARY)
    found: tuple[Format, ...] = library.formats()
    return found


@lru_cache(maxsize=1)
def _unsupported() -> dict[str, str]:
    library = importlib.import_module(LIBRARY)
    return {folded(name): reason for name, reason in library.UNSUPPORTED.items()}


@lru_cache(maxsize=1)
def _installed() -> tuple[Format, ...]:
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow to import, and only asked once

    found: list[Format] = []
    for point in entry_points(group="toolglean.formats"):
        loaded = point.load()
        for each in [loaded] if isinstance(loaded, Format) else loaded:
            if not isinstance(each, Format):
                raise FormatError(f"entry point {point.name!r} gives {each!r}, which is no Format")
            found.append(each)
    return tuple(found)


@lru_cache(maxsize=1)
def _names() -> dict[str, Format]:
    names: dict[str, Format] = {}
    for declared in (*_installed(), *_library()):
        for name in (declared.name, *declared.aliases):
            names.setdefault(folded(name), declared)
    return names
