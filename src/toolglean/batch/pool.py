# What this file knows: that each of many turns gets a parser of its own, and what of it can be made once for all turns.
# What it must not know: where the turns come from, and what becomes of them.
#
# A parser is made once for each list of tools and each model, and forked for each turn: a fork takes a tenth of what
# `Parser(...)` takes, and a thousandth where the tools must be read. Only the last KEPT are kept, so that a log in
# which every turn has other tools takes no more memory than one with a few.
"""A fresh parser for each of many turns."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from toolglean.errors import ToolError, UsageError
from toolglean.events import Problem
from toolglean.parser import Parser
from toolglean.tools import ToolLike, ToolSet

__all__ = ["FreshParsers"]

KEPT = 256
SHOWN = 200
WANTED = "give a list of tool dicts or names"
HOW = ("format", "model", "template")
"""The options that say how the model writes. One of them for all turns counts before the model of a turn."""


class FreshParsers:
    """Makes the parsers of many turns. It can be pickled.

    Args:
        tools, options: as for `Parser`; for every turn.

    Raises:
        What `Parser` raises for wrong arguments, at once.
    """

    def __init__(self, tools: Iterable[ToolLike] | ToolSet | None = None, **options: Any) -> None:
        self._first = Parser(tools, **options)
        self._options = options
        self._has_tools = tools is not None
        self._has_way = any(options.get(name) is not None for name in HOW)
        self._kept = OrderedDict[tuple[str, str], Parser]()

    def parser(self, tools: Any = None, model: Any = None) -> tuple[Parser, Problem | None]:
        """A parser that has read nothing yet, and what is wrong with `tools`: then the parser has none.

        Args:
            tools: the tools of this turn, as a list or as JSON text of one; None or empty: those for every turn. They
                do not count where tools were given for every turn.
            model: the model of this turn, whose name may say how it writes. It does not count if it is not known, is
                not text, or if it was said for every turn how the model writes.
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
                return Parser(tools, **{**self._options, "model": name})
            except UsageError:  # the options were right for the first parser: the name is not known
                pass
        return Parser(tools, **self._options)


def _key(tools: Any) -> str:
    try:
        return json.dumps(tools)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError(
            f"the tools of a turn cannot be read: {error}; give JSON: a list of tool dicts or names"
        ) from error


def _tools_in(text: str) -> ToolSet:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the tools of a turn are not JSON: {error}; {WANTED}") from error
    if not isinstance(found, list):
        raise ToolError(f"the tools of a turn are not a list: {text[:80]}; {WANTED}")
    return ToolSet(found)
