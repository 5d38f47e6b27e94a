# A parser for each of many turns, with the work that can be shared done once. Does not depend on where the turns come
# from or go to.
#
# A parser is made once for each list of tools and each model, and forked for each turn: a fork takes a tenth of the
# time of `Parser(...)`, and a thousandth if the tools must be read. Only the last KEPT are kept, so that a log in which
# every turn has other tools takes no more memory than one with a few.
"""A new parser for each of many turns."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, Unpack

from toolglean.errors import ToolError, UsageError
from toolglean.events import Problem
from toolglean.formats.registry import find_format, folded
from toolglean.parser import Parser, ParserArguments
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ParserFactory"]

KEPT = 256
SHOWN = 200
WANTED = "expected a list of tool dicts or names"
HOW = ("format", "model", "template")
"""The options that say how the model writes. If one is given for all turns, what a turn says about it is not used."""

Way = tuple[str, str]
"""How a turn says that its model writes: "format" or "model", and the name."""


class ParserFactory:
    """Makes the parsers of many turns. It can be pickled.

    Args:
        tools, parsing: as for `Parser`; for every turn.

    Raises:
        ToolgleanError: at once, whatever `Parser` raises for wrong arguments.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None = None, **parsing: Unpack[ParserArguments]) -> None:
        self._first = Parser(tools, **parsing)
        self._parsing = parsing
        self._has_tools = tools is not None
        self._has_way = any(parsing.get(name) is not None for name in HOW)
        self._kept = OrderedDict[tuple[str, Way | None], Parser]()

    def parser(self, tools: Any = None, model: Any = None, format: Any = None) -> tuple[Parser, Problem | None]:  # noqa: A002  # the wire's own word
        """A parser that has read nothing yet.

        Args:
            tools: the tools of this turn, as a list or as JSON text of one; None or empty: those for every turn. They
                are ignored if tools were given for every turn.
            model: the model of this turn, whose name may say how it writes. It is ignored if it is not known or not
                text, or if an option says how the model writes for every turn.
            format: the name of the format of this turn, which takes precedence over the model. It is ignored in the
                same cases, and if it is an alias: in requests, `format` may be `json`, for another purpose.

        Returns:
            The parser; and a problem if `tools` cannot be read: the parser then has no tools of this turn.
        """
        way = self._way(model, format)
        own = None if self._has_tools else tools
        try:
            return self._fork("" if not own else own if isinstance(own, str) else _key(own), way), None
        except ToolError as error:
            return self._fork("", way), Problem("invalid-tools", f"tools ignored: {error}", str(tools)[:SHOWN], 0)

    def arguments(
        self,
        tools: Any = None,
        model: Any = None,
        format: Any = None,  # noqa: A002  # the wire's own word
    ) -> tuple[ToolSet | None, ParserArguments]:
        """The arguments of the parser that `parser` returns, if more than one such parser is needed."""
        parser, _ = self.parser(tools, model, format)
        way = self._way(model, format)
        named = {} if way is None or self._with(way, None) is None else {way[0]: way[1]}
        parsing: ParserArguments = {**self._parsing, **named}  # type: ignore[typeddict-item]  # two of its keys
        return parser.tools, parsing

    def _way(self, model: Any, format: Any) -> Way | None:  # noqa: A002  # the wire's own word
        if self._has_way:
            return None
        if isinstance(format, str) and format and _is_declared(format):
            return "format", format
        return ("model", model) if isinstance(model, str) and model else None

    def _fork(self, own: str, way: Way | None) -> Parser:
        if not own and way is None:
            return self._first.fork()
        found = self._kept.get((own, way))
        if found is None:
            found = self._kept[own, way] = self._made(own, way)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((own, way))
        return found.fork()

    def _made(self, own: str, way: Way | None) -> Parser:
        tools = _tools_in(own) if own else self._first.tools
        named = None if way is None else self._with(way, tools)
        return Parser(tools, **self._parsing) if named is None else named

    def _with(self, way: Way, tools: ToolSet | None) -> Parser | None:
        """The parser of a turn that says how its model writes; None if its model is not known."""
        named: ParserArguments = {**self._parsing, way[0]: way[1]}  # type: ignore[misc]  # two of its keys
        try:
            return Parser(tools, **named)
        except UsageError:  # the options were right for the first parser, so the name is unknown
            return None


def _is_declared(name: str) -> bool:
    found = find_format(name)
    return found is not None and folded(found.name) == folded(name)


def _key(tools: Any) -> str:
    try:
        return json.dumps(tools)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError(f"the tools of a turn cannot be read: {error}; {WANTED}, as JSON") from error


def _tools_in(text: str) -> ToolSet:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the tools of a turn are not JSON: {error}; {WANTED}") from error
    if not isinstance(found, list):
        raise ToolError(f"the tools of a turn are not a list: {text[:80]}; {WANTED}")
    return ToolSet(found)
