# The tokens with which a quotation, or a message that is not the model's, begins, and how to find them. Does not depend
# on what they mean for what follows (code.py).
#
# There are two regular expressions. `SIGNS` tells whether text may contain a token, or the beginning of one at its end.
# It is applied to every chunk that has one of their first characters, so it is a tree of literals, which rejects most
# text after a character or two. `TOKEN` finds the tokens themselves.
"""Tokens that quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from toolglean.engine.judge.ticks import WORD
from toolglean.formats.quotations import OTHERS, RESULTS, ROLE_HEADERS, ROLES
from toolglean.scan.expressions import Expression
from toolglean.scan.text import NO_GUARD, Finder

__all__ = ["HEADER", "MARKS", "SIGNS", "TOKEN", "is_begun", "may_quote", "watch"]

_GUARDED = "<["  # a token begins with one of these, or with
_ALWAYS = "`~>"  # one of these, for which every chunk is searched

MARKS = dict(RESULTS)
"""What ends a tool's result, by what opens it."""

_ELEMENTS = ("pre", "code", "script")
_TAIL = 300  # characters, more than any token has
_FENCE = 64  # more than the line of a fence has

_Tree = dict[str, "_Tree"]


def _tree(literals: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for literal in literals:
        node = root
        for char in literal:
            node = node.setdefault(char, {})
        node[""] = {}
    return root


def _begun(node: _Tree) -> str:
    """An expression for the rest of any literal below that node, or for its beginning at the end of the text."""
    if "" in node:
        return ""
    ways = [re.escape(char) + _begun(each) for char, each in node.items()]
    return f"(?:{'|'.join(ways)}|\\Z)"


def _any(texts: Iterable[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(texts, key=len, reverse=True))


_TAGS = [f"<{spelt}" for name in _ELEMENTS for spelt in (name, name.upper(), name.title())]


def _any_token() -> str:
    root = _tree(["~~~", "<!--", *_TAGS, *MARKS, *OTHERS, *ROLE_HEADERS])
    return "|".join(re.escape(char) + _begun(node) for char, node in root.items()) + r"|\n>"


SIGNS = Expression(_any_token)
"""Finds a token, more or less, or what may be the beginning of one at the text's end."""


def _element() -> str:
    return rf"<(?:{'|'.join(each[1:] for each in _TAGS)})"


def _role() -> str:
    return rf"(?:{_any(ROLE_HEADERS)})[ \t\r\n]{{0,4}}"


def _token() -> str:
    named = rf"(?:{'|'.join(part for each in ROLES for part in (each, each.upper(), each.title()))})"
    return (
        r"(?P<line>(?<![^\n])>)"
        rf"|(?P<tildes>(?<![^\n])~{{3,16}}(?=[^~])|(?<!~)~{{3,16}}{WORD}\n)"
        r"|(?P<comment><!--)"
        rf"|(?P<element>{_element()}(?:\s[^<>]{{0,256}})?>)"
        rf"|(?P<result>{_any(MARKS)})"
        rf"|(?P<other>{_any(OTHERS)}|{_role()}{named}(?=[ \t]*[\r\n<\[(|:]|[ \t]+\w+=)"
        rf"|{_role()}functions\.[\w.-]{{1,64}}(?=[ \t]*(?:to=assistant|[\r\n])))"
    )


TOKEN = Expression(_token)
"""Finds the next token, by its kind."""

_tildes_begun = Expression(rf"(?<!~)(?:~{{1,2}}|~{{3,16}}{WORD})\Z")
_goes_on = Expression(
    lambda: (
        rf"{_element()}(?:\s[^<>]{{0,256}})?"
        rf"|{_role()}(?:functions\.[\w.-]{{0,64}}[ a-z=]{{0,13}}|\w{{0,20}}[ \t]{{0,8}}\w{{0,20}})"
    )
)
HEADER = Expression(_role)
"""Matches a marker after which a header names its role."""


def may_quote(text: str) -> bool:
    """Whether text may contain a token, or the beginning of one at its end."""
    # With these characters `SIGNS` begins. Many turns have none of them in their content, and do not compile it.
    return ("<" in text or "[" in text or "~" in text or "\n>" in text) and SIGNS.search(text) is not None


def is_begun(text: str, begin: int) -> str:
    """The end of the text, after that place, that may be the beginning of a token; or ""."""
    end = text[max(begin, len(text) - _TAIL) :]
    tildes = _tildes_begun.search(text, max(begin, len(text) - _FENCE)) if "~" in end else None
    found = tildes[0] if tildes is not None else ""
    for place in (end.rfind("[e~["), end.rfind("["), end.rfind("<")):
        if 0 <= place < len(end) - len(found) and _is_begun(end[place:]):
            found = end[place:]
    return found


def _is_begun(text: str) -> bool:
    found = SIGNS.match(text)
    return found is not None and (found.end() == len(text) or _goes_on.fullmatch(text) is not None)


def watch(finder: Finder) -> tuple[Callable[[str], Any], tuple[str, str]]:
    """What tells whether a chunk may have a token, or a literal that the finder looks for; and the two characters with
    which these begin, apart from `` `~>{[ ``. ("", "") if two are not enough.
    """
    return _watch(finder.alike)


@lru_cache(maxsize=256)
def _watch(finder: Finder) -> tuple[Callable[[str], Any], tuple[str, str]]:
    guards = {*finder.guards, *_GUARDED} - {*_ALWAYS, *"{[", NO_GUARD}
    first, second = [*sorted(guards), NO_GUARD, NO_GUARD][:2]
    few = len(guards) <= 2 and "" not in guards
    return finder.search_also(_GUARDED + _ALWAYS), (first, second) if few else ("", "")
