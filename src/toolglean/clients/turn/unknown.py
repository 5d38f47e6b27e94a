# Calls to tools that the request does not have, which stay text: what is reported, and which of the markup after such a
# call belongs to it. Does not depend on any wire format, or on how calls are found.
#
# A program that gets a call with an unknown name may fail: the OpenAI Agents SDK raises. So such a call is content for
# it, as the model wrote it, with its closers. It was read as a call, so nothing that its arguments quote is read as
# another one.
"""Calls to unknown tools."""

from __future__ import annotations

import logging
from functools import lru_cache

from toolglean.events import Problem, ToolCall
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format
from toolglean.scan.text import Finder

__all__ = ["closers_in", "unknown_tool"]

log = logging.getLogger(__name__)

SHOWN = 80
"""Characters of a name in the log."""


def unknown_tool(call: ToolCall) -> Problem:
    """The problem of a call to an unknown tool, which stays text. It is logged, too."""
    log.warning("a call to an unknown tool stays text: %.*r", SHOWN, call.name)
    return Problem("unknown-tool", "call to an unknown tool", call.name, call.span[0])


def closers_in(markup: str, declared: Format | None) -> str:
    """What closes a call, of the markup after it: all up to the end of the message, another header, or reasoning.

    Args:
        markup: the text between the call and what follows.
        declared: the format of the turn, if it is known; it may not be one of the library.
    """
    known = all_formats()
    formats = known if declared is None or any(each is declared for each in known) else (*known, declared)
    place, found = _finder(formats).find(markup, 0)
    return markup[:place] if found else markup


@lru_cache(maxsize=8)
def _finder(formats: tuple[Format, ...]) -> Finder:
    return Finder(tuple(dict.fromkeys(marker for each in formats for marker in _ends(each) if marker)))


def _ends(declared: Format) -> list[str]:
    reasonings = [marker.strip() for pair in declared.all_reasonings for marker in pair]
    return [*declared.drop, *declared.content_markers, *declared.headers, *reasonings]
