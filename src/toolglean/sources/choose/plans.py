# What this file knows: where the plan of some formats is found that another parser has had made.
# What it must not know: which formats a user wants.
#
# A parser is made for each turn, and what does not change between turns must not cost anything then. So plans are found
# by identity and by the tools' names: to compare 75 declarations takes longer than to make a parser.
"""Plans, found again."""

from __future__ import annotations

from toolglean.engine.places.payload import FormatPlan
from toolglean.formats.compile import compiled
from toolglean.formats.reasonings import reasonings_of_others
from toolglean.formats.registry import formats_of_auto, get_format
from toolglean.formats.siblings import siblings_of
from toolglean.formats.spec import Format

__all__ = ["plan_for"]

MOST = 128  # plans that are kept, for as many sets of tools

Formats = tuple[Format, ...]


def plan_for(named: str | Format, names: tuple[str, ...], *, strict: bool = False) -> FormatPlan:
    """The plan of a format, or of all of them ("auto"), for tools of these names.

    `strict`: the named format is read alone; else its siblings read calls of known tools that it does not read, and the
    reasoning of every family is reasoning.

    Raises:
        UsageError: no format has that name.
        FormatError: the declaration is wrong.
    """
    library = formats_of_auto()
    if named == "auto":
        whole: Formats | Format = library
    else:
        whole = get_format(named) if isinstance(named, str) else named
        if strict and not whole.is_for_tools:
            names = ()
    key = (id(whole), id(library), names, strict)
    found = _plans.get(key)
    if found is None:
        if len(_plans) >= MOST:
            _plans.pop(next(iter(list(_plans))), None)  # a list: another thread may add one meanwhile
        found = _plans[key] = (whole, library), _new(whole, library, names, strict=strict)
    return found[1]


_plans: dict[tuple[object, ...], tuple[tuple[object, ...], FormatPlan]] = {}
"""With what the ids belong to: while that is here, no other object gets them."""


def _new(whole: Formats | Format, library: Formats, names: tuple[str, ...], *, strict: bool) -> FormatPlan:
    formats = whole if isinstance(whole, tuple) else (whole,)
    fixed = tuple(each for each in formats if not each.is_for_tools)
    written_out = (each.for_tools(names) for each in formats if each.is_for_tools)
    chosen = (*fixed, *(each for each in written_out if each is not None))
    if strict or isinstance(whole, tuple) or not chosen:
        program = compiled(chosen)
    else:
        program = compiled(chosen, reasonings_of_others(chosen[0], library))
    if strict or not names or isinstance(whole, tuple):
        return FormatPlan(program)
    return FormatPlan(program, siblings_of(program, names))
