# The names under which formats are found: their own, their aliases, and names of models. Does not depend on what any
# format writes.
#
# A name of a format is compared twice: first as it is declared, where only the case does not matter and `-`, `_` and
# `.` are interchangeable; then by its letters and digits alone. So two names that differ in their punctuation alone
# (`glm4` and `glm-4`, or the name of a format that a user registers) still lead to their own formats; every other
# spelling leads to the format that takes precedence.
#
# The library is imported when a name is first looked up, not with toolglean. Third parties add formats with an entry
# point of the group `toolglean.formats` (a Format, or several), or with `register`. The order of precedence is:
# registered formats, the latest first; then installed ones; then the library.
"""Formats by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from threading import Lock

from toolglean.errors import FormatError, UsageError
from toolglean.formats.entry_points import entry_points
from toolglean.formats.models import Families, name_of, plain, words_of
from toolglean.formats.spec import Format

__all__ = [
    "ENTRY_POINTS",
    "LIBRARY",
    "all_formats",
    "find_format",
    "folded",
    "format_named",
    "format_of_model",
    "formats_of_auto",
    "get_format",
    "letters_and_digits",
    "plugins",
    "register",
    "registered",
    "unknown_model",
    "unsupported",
]

LIBRARY = "toolglean.formats.library"
ENTRY_POINTS = "toolglean.formats"

NEAR = 0.8
"""How similar a name must be to be suggested, from 0 to 1. Below that, names of other families are suggested."""
MOST_NEAR = 3
FIRST_WORDS = 4
"""Words of an unknown model's name that are compared with the families: what follows is its size and the like."""


_Added = tuple[()] | tuple[Format, "_Added"]


class _Registered:
    # The registered formats, the latest first. It never changes: a new object replaces it, so a cache made from the old
    # one is never used for the new one, even if a thread is still making it.
    #
    # Those that were added last are linked, and put in order when they are asked for, or when they are half of all: to
    # copy all others with each one would make the time grow with the square of their number.

    __slots__ = ("_added", "_count", "_formats")

    def __init__(self, formats: tuple[Format, ...] = (), added: _Added = (), count: int = 0) -> None:
        self._formats, self._added, self._count = formats, added, count

    @property
    def formats(self) -> tuple[Format, ...]:
        added = self._added  # before the others: another thread may put them in order meanwhile
        if added:
            self._formats = _first_of_each_name(*_linked(added), *self._formats)
            self._added, self._count = (), 0
        return self._formats

    def with_one(self, declared: Format) -> _Registered:
        added = self._added
        if self._count > len(self._formats):
            return _Registered(self.formats, (declared, ()), 1)
        return _Registered(self._formats, (declared, added), self._count + 1)


def _linked(added: _Added) -> Iterator[Format]:
    while added:
        declared, added = added
        yield declared


def _first_of_each_name(*formats: Format) -> tuple[Format, ...]:
    found: dict[str, Format] = {}
    for declared in formats:
        found.setdefault(folded(declared.name), declared)
    return tuple(found.values())


_registered = _Registered()
_registering = Lock()


def folded(name: str) -> str:
    """A name as it is declared, for comparison: case does not matter, and `-`, `_` and `.` are interchangeable."""
    return name.casefold().replace("_", "-").replace(".", "-")


def letters_and_digits(name: str) -> str:
    """A name without case, accents, punctuation and white space: `Qwen2.5 Coder` is `qwen25coder`."""
    return "".join(filter(str.isalnum, plain(name)))


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
        _registered = _registered.with_one(declared)


def registered() -> object:
    """An object that identifies the formats that are registered now: another one when they change."""
    return _registered


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
    """The format of that name or alias, or None.

    A name as it is declared takes precedence over one that has the same letters and digits, and a name over an alias.
    """
    return _names(_registered, folded).get(folded(name)) or _loose_names().get(letters_and_digits(name))


def get_format(name: str) -> Format:
    """The format of that name or alias.

    Raises:
        UsageError: the name is unknown or not supported; the message says why, or suggests similar names.
        FormatError: the entry point of that name failed; the cause says how.
    """
    found = find_format(name)
    if found is not None:
        return found
    error = plugins()[1].get(folded(name))
    if error is not None:
        said = f"{type(error).__name__}: {error}"
        raise FormatError(f"format {name!r}: its entry point failed: fix or remove that package ({said})") from error
    reason = unsupported().get(letters_and_digits(name))
    if reason is not None:
        raise UsageError(f"format {name!r} is not supported: {reason}")
    raise UsageError(f"unknown format {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    is_model = "/" in name or len(_family_words(name)) < len(words_of(name))
    if is_model and format_of_model(name) is not None:
        return f": it looks like a model's name, so pass model={name!r}, or Format.from_model({name!r}) in its place"
    names = _loose_names()
    near = dict.fromkeys(_spelled(names[each], each) for each in _close(letters_and_digits(name), names, MOST_NEAR))
    return f"; did you mean {' or '.join(near)}?" if near else "; `toolglean formats` lists all"


def _spelled(declared: Format, letters: str) -> str:
    """The format's name or alias with these letters and digits."""
    return next(each for each in (declared.name, *declared.aliases) if letters_and_digits(each) == letters)


def format_of_model(model: str) -> Format | None:
    """The format that a model of that name writes (`Qwen/Qwen3-8B`, `qwen3:8b`), or None if it is not known.

    The most specific pattern is used: formats/models.py says how a name is read, and which pattern that is. If a
    registered or installed format has a pattern as specific as one of the library, its own is used.
    """
    added, replaced = _added_families(_registered)
    own, known = added.find(model), _library_families().find(model, without=replaced)
    if own is not None and (known is None or known.format is None or own.rank >= known.rank):
        return own.format
    return None if known is None else known.format


def format_named(name: str) -> Format:
    """The format of that name or alias, or of the model of that name.

    Raises:
        UsageError, FormatError: as for `get_format`.
    """
    try:
        return get_format(name)
    except UsageError:
        found = format_of_model(name)
        if found is None:
            raise
        return found


def unknown_model(model: str) -> UsageError:
    """The error for a model that no format is known for.

    It names the two families of a name that has two, or suggests families whose names are spelled much alike.
    """
    found = _library_families().find(model)
    near = _near_families(model)
    hint = f"did you mean {' or '.join(near)}? Otherwise " if near else ""
    if found is not None and found.other:
        hint = f"its name has two families that write different formats, {found.text} and {found.other}: "
    return UsageError(
        f"unknown model {model!r}: {hint}pass a format, a template or a tag instead, or nothing, to detect the format"
    )


def _near_families(model: str) -> tuple[str, ...]:
    names = {letters_and_digits(each): each for each in reversed(_library_families().names())}
    words = _family_words(name_of(model)[1])
    near: dict[str, None] = {}
    for count in range(min(len(words), FIRST_WORDS), 0, -1):
        near |= dict.fromkeys(names[each] for each in _close("".join(words[:count]), names, FIRST_WORDS))
    return tuple(near)[:MOST_NEAR]


def _close(name: str, names: Iterable[str], most: int) -> list[str]:
    import difflib  # noqa: PLC0415  # only an error needs it

    # Another number is another format or family (`qwen4`, `llama-2`), not a mistake.
    found = difflib.get_close_matches(name, list(names), n=most, cutoff=NEAR)
    return [each for each in found if _digits(each) == _digits(name)]


def _family_words(name: str) -> tuple[str, ...]:
    # Those before the size of a model.
    return tuple(takewhile(lambda word: word.isdigit() or word.isalpha(), words_of(name)))


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


@lru_cache(maxsize=1)
def unsupported() -> Mapping[str, str]:
    """Names that engines know but that have no format, by their letters and digits, each with the reason."""
    reasons: Mapping[str, str] = importlib.import_module(LIBRARY).UNSUPPORTED
    return {letters_and_digits(name): reason for name, reason in reasons.items()}


@lru_cache(maxsize=1)
def _merged(registered: _Registered) -> tuple[Format, ...]:
    return _first_of_each_name(*registered.formats, *plugins()[0], *_library())


@lru_cache(maxsize=2)
def _names(registered: _Registered, spelled: Callable[[str], str]) -> Mapping[str, Format]:
    # By names and aliases as they are compared; the first one of those that are alike, and no alias before a name.
    every = _merged(registered)
    spellings = [(each.name, each) for each in every] + [(alias, each) for each in every for alias in each.aliases]
    names: dict[str, Format] = {}
    for name, declared in spellings:
        names.setdefault(spelled(name), declared)
    names.pop("", None)  # of a name that has no letters
    return names


def _loose_names() -> Mapping[str, Format]:
    return _names(_registered, letters_and_digits)


@lru_cache(maxsize=1)
def _added_families(registered: _Registered) -> tuple[Families, frozenset[str]]:
    # The families of formats that are not the library's; and the names of the library's formats that they replace.
    every, library = _merged(registered), _library()
    theirs = set(map(id, library))
    used = set(map(id, every))
    added = Families(each for each in every if id(each) not in theirs)
    return added, frozenset(each.name for each in library if id(each) not in used)


@lru_cache(maxsize=1)
def _library_families() -> Families:
    return Families(_library(), importlib.import_module(LIBRARY).NO_FORMAT)


@lru_cache(maxsize=1)
def _library() -> tuple[Format, ...]:
    found: tuple[Format, ...] = importlib.import_module(LIBRARY).formats()
    return found


@lru_cache(maxsize=1)
def plugins() -> tuple[tuple[Format, ...], Mapping[str, Exception]]:
    """The formats that other packages add; and the error of each entry point that failed, by its folded name.

    Whatever the code of others raises, the other formats are found.
    """
    found: list[Format] = []
    failed: dict[str, Exception] = {}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found += _several(point.name, point.load())
        except Exception as error:  # noqa: BLE001  # the code of others
            failed[folded(point.name)] = error
            said = f"{type(error).__name__}: {error}"
            _warn("entry point %r (%s) of %s failed, and is ignored: %s", point.name, point.value, ENTRY_POINTS, said)
    _warn_of_same_names(found)
    return tuple(found), failed


def _warn_of_same_names(installed: Iterable[Format]) -> None:
    shipped = {folded(each.name) for each in _library()}
    seen: set[str] = set()
    for each in installed:
        name = folded(each.name)
        if name in seen:
            _warn("two installed packages have a format %r: the first one found is used", each.name)
        elif name in shipped:
            _warn("an installed package has a format %r: it replaces the one of toolglean", each.name)
        seen.add(name)


def _warn(message: str, *values: str) -> None:
    import logging  # noqa: PLC0415  # hardly anybody has such a package

    logging.getLogger(__name__).warning(message, *values)


def _several(name: str, loaded: object) -> tuple[Format, ...]:
    formats = tuple(loaded) if isinstance(loaded, Iterable) and not isinstance(loaded, str) else (loaded,)
    for each in formats:
        if not isinstance(each, Format):
            raise FormatError(f"entry point {name!r} gives {each!r}, which is not a Format")
    return formats
