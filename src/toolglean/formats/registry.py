# The names under which formats are found: their own, their aliases, and names of models. Does not depend on what any
# format writes.
#
# The library is imported when a name is first looked up, not with toolglean. Third parties add formats with an entry
# point of the group `toolglean.formats` (a Format, or several), or with `register`. The order of precedence is:
# registered formats, the latest first; then installed ones; then the library.
"""Formats by name."""

from __future__ import annotations

import difflib
import importlib
import warnings
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.metadata import entry_points
from threading import Lock

from toolglean.errors import FormatError, UsageError
from toolglean.formats.spec import Format

__all__ = [
    "ENTRY_POINTS",
    "LIBRARY",
    "all_formats",
    "find_format",
    "folded",
    "format_of_model",
    "formats_of_auto",
    "get_format",
    "library_names",
    "register",
    "unsupported",
]

LIBRARY = "toolglean.formats.library"
ENTRY_POINTS = "toolglean.formats"


class _Registered:
    # The registered formats, the latest first. It never changes: a new object replaces it, so a cache made from the old
    # one is never used for the new one, even if a thread is still making it.

    def __init__(self, formats: tuple[Format, ...] = ()) -> None:
        self.formats = formats


_registered = _Registered()
_registering = Lock()


def folded(name: str) -> str:
    """A name in the form in which it is compared: case does not matter, and `-`, `_` and `.` are interchangeable."""
    return name.casefold().replace("_", "-").replace(".", "-")


def register(declared: Format) -> None:
    """Add a format of your own, under its name, its aliases and its models.

    It replaces an earlier one of the same name, and takes precedence over the library. Existing parsers are not
    affected.

    Args:
        declared: the format.
    """
    declared.declared("be found by its name")
    global _registered  # noqa: PLW0603  # replaced as a whole
    with _registering:
        others = (each for each in _registered.formats if folded(each.name) != folded(declared.name))
        _registered = _Registered((declared, *others))


def all_formats() -> tuple[Format, ...]:
    """All formats: those registered, those of entry points, and the library, in this order; each name only once."""
    return _merged(_registered)


def formats_of_auto() -> tuple[Format, ...]:
    """All formats that are also looked for if they are not named."""
    return _unnamed(_registered)


@lru_cache(maxsize=1)
def _unnamed(registered: _Registered) -> tuple[Format, ...]:
    return tuple(each for each in _merged(registered) if not each.by_name_only)


def find_format(name: str) -> Format | None:
    """The format of that name or alias, or None. A name takes precedence over an alias."""
    return _names(_registered).get(folded(name))


def get_format(name: str) -> Format:
    """The format of that name or alias.

    Raises:
        UsageError: the name is unknown or not supported; the message says why, or suggests similar names.
        FormatError: the entry point of that name failed; the cause says how.
    """
    found = find_format(name)
    if found is not None:
        return found
    error = _plugins()[1].get(folded(name))
    if error is not None:
        said = f"{type(error).__name__}: {error}"
        raise FormatError(f"format {name!r}: its entry point failed: fix or remove that package ({said})") from error
    reason = unsupported().get(folded(name))
    if reason is not None:
        raise UsageError(f"format {name!r} is not supported: {reason}")
    names = _names(_registered)
    near = dict.fromkeys(names[each].name for each in difflib.get_close_matches(folded(name), names, n=3))
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `toolglean formats` lists all"
    raise UsageError(f"unknown format {name!r}{hint}")


def format_of_model(model: str) -> Format | None:
    """The format that a model of that name writes (`Qwen/Qwen3-8B`, `qwen3:8b`), or None if it is not known.

    The most specific pattern is used: the longest one that matches the name, with or without the part before its last
    slash. A colon is treated as a dash, and a dash is added to the end of the name: `qwen3.5-*` matches `Qwen3.5`,
    `qwen3.5:4b` and `Qwen/Qwen3.5-4B`, but not `Qwen3-5B`.
    """
    key = folded(model).replace(":", "-") + "-"
    last = key.rpartition("/")[2]
    best, found = -1, None
    for declared in all_formats():
        for pattern in map(folded, declared.models):
            if len(pattern) > best and (fnmatchcase(last, pattern) or fnmatchcase(key, pattern)):
                best, found = len(pattern), declared
    return found


@lru_cache(maxsize=1)
def unsupported() -> Mapping[str, str]:
    """Folded names that engines know but that have no format, each with the reason."""
    reasons: Mapping[str, str] = importlib.import_module(LIBRARY).UNSUPPORTED
    return {folded(name): reason for name, reason in reasons.items()}


@lru_cache(maxsize=1)
def _merged(registered: _Registered) -> tuple[Format, ...]:
    found: dict[str, Format] = {}
    for declared in (*registered.formats, *_installed(), *_library()):
        found.setdefault(folded(declared.name), declared)
    return tuple(found.values())


@lru_cache(maxsize=1)
def _names(registered: _Registered) -> Mapping[str, Format]:
    names = {folded(declared.name): declared for declared in _merged(registered)}
    for declared in _merged(registered):
        for alias in declared.aliases:
            names.setdefault(folded(alias), declared)
    return names


@lru_cache(maxsize=1)
def _library() -> tuple[Format, ...]:
    found: tuple[Format, ...] = importlib.import_module(LIBRARY).formats()
    return found


def library_names() -> tuple[str, ...]:
    """The names of the formats of the library, in the order in which `auto` prefers them, whatever else is added."""
    return tuple(declared.name for declared in _library())


@lru_cache(maxsize=1)
def _installed() -> tuple[Format, ...]:
    return _plugins()[0]


@lru_cache(maxsize=1)
def _plugins() -> tuple[tuple[Format, ...], Mapping[str, Exception]]:
    # The formats that are installed; and the error of each entry point that failed, by its folded name. Whatever the
    # code of others raises, the other formats are found.
    found: list[Format] = []
    failed: dict[str, Exception] = {}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found += _several(point.name, point.load())
        except Exception as error:  # noqa: BLE001  # the code of others
            failed[folded(point.name)] = error
            said = f"{type(error).__name__}: {error}"
            message = f"entry point {point.name!r} ({point.value}) of {ENTRY_POINTS} failed, and is ignored: {said}"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
    return tuple(found), failed


def _several(name: str, loaded: object) -> tuple[Format, ...]:
    formats = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
    for each in formats:
        if not isinstance(each, Format):
            raise FormatError(f"entry point {name!r} gives {each!r}, which is not a Format")
    return formats
