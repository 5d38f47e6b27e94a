# What is never learnt, even if it reads all turns: openers that prose contains, or that quote the call. Does not depend
# on how a declaration was found.
"""Declarations that would read prose, or quotations, as calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from toolglean.engine.page.page import page_of
from toolglean.engine.page.table import Context
from toolglean.engine.page.where import Where
from toolglean.formats.spec import Format, Slot, tokens_of
from toolglean.formats.words import opening
from toolglean.scan.text import is_code
from toolglean.sources.traces.bodies import Shape
from toolglean.sources.traces.talk import THOUGHT, thinks

__all__ = ["danger", "is_begun", "mentioned", "shown_only"]

_ordinary = re.compile(r"(?:[^\W_]+(?:[-'’][^\W_]+)*[ \t,]*)*[.?:;]?|[-*+>#.,:;'\"()!?•]").fullmatch


_sentence = re.compile(r"(?:[A-Za-z'’]+[ ,]+){4}[A-Za-z'’]+").search
_END = "(?:end|close|stop)"
_thoughts_end = re.compile(
    rf"(?:/|{_END}[\W_])(?:of[\W_])?(?:{THOUGHT})|(?:{THOUGHT})[\W_]{_END}(?![a-z])", re.IGNORECASE
).split


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


def shown_only(declared: Format) -> str:
    """Whether the text before a call opens something in which calls are content; "" if it does not.

    The engine reads a format's own markers first: as a part of them, a quotation would no longer be one.
    """
    tokens = takewhile(
        lambda token: not isinstance(token, Slot) or token.name == "id", tokens_of(declared.call.strip())
    )
    lead = declared.section[0] + "".join("1" if isinstance(token, Slot) else token.text for token in tokens)
    # Each turn of a model that does not think may begin with empty reasoning.
    context = Context.REASONING if thinks(_thoughts_end(lead)[-1]) else _context_after(lead)
    if context in {Context.PLAIN, Context.PARAMETER}:
        return ""
    return f"the text before a call, {lead!r}, opens {context.value}, in which a call is only shown"


def _context_after(lead: str) -> Context:
    # As the engine says it. A fence, or a tag like those of code, may have a word of its own: that is a marker. So is a
    # fence with which it begins: the engine itself ignores that after other text.
    where = page_of().settle(page_of().read(Where(), lead, 0), len(lead))
    code = next((each.start for each in where.guesses if each.size), -1) if where.is_plain else where.since
    word = (lead[code:].split() or [""])[0]
    is_own_tag = where.context is Context.ELEMENT and " " in where.opener and "=" not in where.opener
    if is_own_tag or (word.startswith("```") and (code == 0 or not is_code(word))):
        return Context.PLAIN
    return Context.CODE if where.is_plain and code >= 0 else where.context


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
