# Where the plan of some formats is found that another parser has had made.
# Does not depend on which formats a user wants, or why.
#
# A parser is made for each turn, and what does not change between turns must not cost anything then. So plans are found
# by the identity of the formats, because to compare 75 declarations takes longer than to make a parser, and by the
# tools' names, of which equal ones are one object (`toolglean.tools.ToolNames`). A plan does not depend on the tools'
# schemas. Tool sets that take turns find their plans again, and so do equal ones that are made anew for each request.
"""Plans, found again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

    from toolglean.engine.plan import Plan
    from toolglean.formats.compile import Program
    from toolglean.formats.origin import Source
    from toolglean.formats.spec import Format
    from toolglean.tools import ToolNames

__all__ = ["json_plan", "plan_for"]

MOST = 1024
"""Plans that are kept, at least; at most twice as many. How much memory they take: docs/explanation/performance.md."""
NAMES_OF_ONE = 10
"""With formats that are written out for the tools, as with `auto`, that many tools count as a plan."""
MOST_PROGRAMS = 64


class Recent:
    """The values that were asked for last: at least `most` of them, and at most twice as many, if each counts as one.

    There are two generations. A value that is asked for is in the newer one, or moves there from the older one. When
    the newer one is full, it becomes the older one, and what was not asked for since the last change is dropped. So a
    hit costs one look at a dict. Any number of threads may use it: a thread that is interrupted may drop a value too
    early or keep it too long, and a value that was dropped is made again.
    """

    __slots__ = ("_most", "_newer", "_older", "_size")

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._newer: dict[Hashable, tuple[Any, int]] = {}
        self._older: dict[Hashable, tuple[Any, int]] = {}

    def get(self, key: Hashable) -> Any:
        """The value of that key; None if it is not kept."""
        found = self._newer.get(key)
        if found is None and (found := self._older.get(key)) is not None:
            self.put(key, *found)
        return None if found is None else found[0]

    def put(self, key: Hashable, value: Any, size: int = 1) -> None:
        """Keep that value, which counts as so many."""
        if self._size >= self._most:
            self._older, self._newer, self._size = self._newer, {}, 0
        self._newer[key] = value, size
        self._size += size

    def __len__(self) -> int:
        return len(self._newer.keys() | self._older.keys())


def plan_for(formats: tuple[Format, ...] | None, names: ToolNames, *, strict: bool = False) -> Plan:
    """The plan of these formats, or of all of them (None), for tools of these names.

    `strict`: they are read alone; else other formats of the library read calls to known tools that they do not read,
    and the reasoning of every family is reasoning.

    Raises:
        FormatError: the declaration is wrong.
    """
    frame = None if formats is None else formats[0].reads
    if frame is not None and not _is_any(frame):
        return _plan_of_source(frame)
    from toolglean.formats.registry import formats_of_auto  # noqa: PLC0415  # a parser for a tag does without formats

    library = formats_of_auto()
    which = 0 if formats is None else id(formats[0]) if len(formats) == 1 else tuple(map(id, formats))
    key = which, id(library), id(names), strict
    found: Found | None = _plans.get(key)
    if found is None:
        every = formats is None or frame is not None
        chosen = library if formats is None else _with_library(formats[0], library) if every else formats
        plan = _new(chosen, library, names, alone=strict or every)
        found = (chosen, formats, library, names), plan
        written_out = any(each.is_for_tools for each in chosen)
        _plans.put(key, found, max(1, len(names.names) // NAMES_OF_ONE) if written_out else 1)
    return found[1]


def json_plan(names: ToolNames) -> Plan:
    """The plan that reads calls in JSON without a marker, and nothing else, for tools of these names."""
    return plan_for((_json(),), names, strict=True)


@lru_cache(maxsize=1)
def _json() -> Format:
    from toolglean.formats.spec import Format  # noqa: PLC0415  # a parser for a tag does without formats

    return Format("json", call="{call}")


Found = tuple[tuple[object, ...], "Plan"]
"""What the ids of a key belong to, so that no other object gets them while the plan is kept; and the plan."""

_plans = Recent(MOST)


def _is_any(source: Source) -> bool:
    from toolglean.formats.origin import AnyFormat  # noqa: PLC0415

    return isinstance(source, AnyFormat)


@lru_cache(maxsize=64)
def _with_library(frame: Format, library: tuple[Format, ...]) -> tuple[Format, ...]:
    # The library, what a template shows of its turns, and its tag, which is tried last.
    from toolglean.sources.choose.frame import tag_format  # noqa: PLC0415  # only those with such a template pay for it

    own = tag_format(frame)
    return (*library, frame, *(() if own is None else (own,)))


def _plan_of_source(source: Source) -> Plan:
    from toolglean.formats.origin import ResponseTemplate, TagOnly  # noqa: PLC0415

    if isinstance(source, TagOnly):
        from toolglean.engine.discovery import TagPlan  # noqa: PLC0415  # a parser for a format does without it
        from toolglean.engine.tag import Tag  # noqa: PLC0415

        return TagPlan(Tag.of(source.tag, source.closer), source.ends)
    from toolglean.sources.response import plan_of  # noqa: PLC0415

    assert isinstance(source, ResponseTemplate)
    return plan_of(source.template)


def _new(formats: tuple[Format, ...], library: tuple[Format, ...], tools: ToolNames, *, alone: bool) -> Plan:
    from toolglean.engine.matcher.payload import FormatPlan  # noqa: PLC0415
    from toolglean.formats.fallback_formats import fallback_formats_of  # noqa: PLC0415

    names = tools.names
    if any(each.is_for_tools for each in formats):
        fixed = tuple(each for each in formats if not each.is_for_tools)
        written_out = (each.for_tools(names) for each in formats if each.is_for_tools)
        formats = (*fixed, *(each for each in written_out if each is not None))
    program = _program(formats, library, alone=alone)
    return FormatPlan(program, None if alone or not names else fallback_formats_of(program, names), formats)


def _program(formats: tuple[Format, ...], library: tuple[Format, ...], *, alone: bool) -> Program:
    # Found by identity, too: to compare the markers of all families takes longer than to make the rest of a plan.
    from toolglean.formats.compile import compiled  # noqa: PLC0415
    from toolglean.formats.frames import frame_of_others  # noqa: PLC0415

    if alone or not formats:
        return compiled(formats)
    key = (id(library), *map(id, formats))
    found: tuple[object, Program] | None = _programs.get(key)
    if found is None:
        found = (formats, library), compiled(formats, frame_of_others(formats[0], library))
        _programs.put(key, found)
    return found[1]


_programs = Recent(MOST_PROGRAMS)
