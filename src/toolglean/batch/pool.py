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
from toolglean.parser import Parser, ParserArguments
from toolglean.tools import ToolLike, ToolSet

__all__ = ["ParserFactory"]

KEPT = 256
SHOWN = 200
WANTED = "expected a list of tool dicts or names"
HOW = ("format", "model", "template")
"""The options that say how the model writes. If one is given for all turns, the model of a turn is not used."""


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
        self._kept = OrderedDict[tuple[str, str], Parser]()

    def parser(self, tools: Any = None, model: Any = None) -> tuple[Parser, Problem | None]:
        """A parser that has read nothing yet.

        Args:
            tools: the tools of this turn, as a list or as JSON text of one; None or empty: those for every turn. They
                are ignored if tools were given for every turn.
            model: the model of this turn, whose name may say how it writes. It is ignored if it is not known or not
                text, or if an option says how the model writes for every turn.

        Returns:
            The parser; and a problem if `tools` cannot be read: the parser then has no tools of this turn.
        """
        name = model if isinstance(model, str) and not self._has_way else ""
        own = None if self._has_tools else tools
        try:
            return self._fork("" if not own else own if isinstance(own, str) else _key(own), name), None
        except ToolError as error:
            return self._fork("", name), Problem("invalid-tools", f"tools ignored: {error}", str(tools)[:SHOWN], 0)

    def _fork(self, own: str, name: str) -> Parser:
        if not own and not name:
            return self._first.fork()
        found = self._kept.get((own, name))
        if found is None:
            found = self._kept[own, name] = self._made(own, name)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((own, name))
        return found.fork()

    def _made(self, own: str, name: str) -> Parser:
        tools = _tools_in(own) if own else self._first.tools
        if name:
            try:
                named: ParserArguments = {**self._parsing, "model": name}
                return Parser(tools, **named)
            except UsageError:  # the options were right for the first parser, so the name is unknown
                pass
        return Parser(tools, **self._parsing)


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
