# What is never learnt, even if it reads all turns: openers that prose contains. Does not depend on how a declaration
# was found.
"""Declarations that would read prose as calls."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolglean.formats.patterns import opening
from toolglean.formats.spec import Format
from toolglean.sources.traces.bodies import Shape

__all__ = ["danger", "is_begun", "mentioned"]

_ordinary = re.compile(r"(?:[^\W_]+(?:[-'’][^\W_]+)*[ \t,]*)*[.?:;]?|[-*+>#.,:;'\"()!?•]").fullmatch


_sentence = re.compile(r"(?:[A-Za-z'’]+[ ,]+){4}[A-Za-z'’]+").search


def danger(declared: Format, shape: Shape) -> str:
    """Why a declaration is not safe; "" if it is."""
    opener = opening(declared.section[0]) or opening(declared.call)
    if not opener:
        own = shape.slot in {"{call}", "{keywords})"} and not declared.section[0]
        return "" if own else "nothing shows where a call begins: no marker is before it"
    if _ordinary(opener) and not (opener[-1:] == ":" and declared.at_line_start):
        return f"the only text before a call is {opener!r}, which prose contains: a marker is needed"
    if _sentence(opener):
        return f"the text before a call, {opener!r}, has prose in it"
    return ""


def mentioned(declared: Format, contents: Iterable[str]) -> str:
    """Whether the content of a turn contains what would begin a call; "" if none does."""
    opener = opening(declared.section[0]) or opening(declared.call)
    if opener and any(_contains(text, opener, line=declared.at_line_start) for text in contents):
        return f"the text before a call is {opener!r}, which is also in the prose of a turn"
    return ""


def is_begun(declared: Format, content: str, names: Iterable[str]) -> bool:
    """Whether a text with an opener was meant for a call: another marker, a sign or a tool's name is there too."""
    if sum(len(marker) > 1 and marker in content for marker in declared.markers) > 1:
        return True
    opener = (opening(declared.section[0]) or opening(declared.call)).split()
    places = re.finditer(re.escape(opener[-1]) + r"\s*([\w-]*)", content) if opener else ()
    words = {match[1] for match in places}
    return any(not word or name.startswith(word) or word.startswith(name) for word in words for name in names)


def _contains(text: str, opener: str, *, line: bool) -> bool:
    pattern = r"\s*".join(map(re.escape, opener.split()))
    return re.search(rf"(?m)^[ \t]*{pattern}" if line else pattern, text) is not None
