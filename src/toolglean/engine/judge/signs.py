# The tokens with which a quotation, or a message that is not the model's, begins, and how to find them. Does not depend
# on what they mean for what follows (code.py).
#
# There are two regular expressions. `signs` tells whether text may contain a token, or the beginning of one at its end.
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
from toolglean.scan.text import NO_GUARD, Finder

__all__ = ["MARKS", "TOKEN", "is_begun", "is_header_begun", "signs", "watch"]

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


_tags = [f"<{spelt}" for name in _ELEMENTS for spelt in (name, name.upper(), name.title())]
_root = _tree(["~~~", "<!--", *_tags, *MARKS, *OTHERS, *ROLE_HEADERS])
signs = re.compile("|".join(re.escape(char) + _begun(node) for char, node in _root.items()) + r"|\n>").search
"""Finds a token, more or less, or what may be the beginning of one at the text's end."""

_element = rf"<(?:{'|'.join(each[1:] for each in _tags)})"
_role = rf"(?:{_any(ROLE_HEADERS)})[ \t\r\n]{{0,4}}"
_named = rf"(?:{'|'.join(part for each in ROLES for part in (each, each.upper(), each.title()))})"

TOKEN = re.compile(
    r"(?P<line>(?<![^\n])>)"
    rf"|(?P<tildes>(?<![^\n])~{{3,16}}(?=[^~])|(?<!~)~{{3,16}}{WORD}\n)"
    r"|(?P<comment><!--)"
    rf"|(?P<element>{_element}(?:\s[^<>]{{0,256}})?>)"
    rf"|(?P<result>{_any(MARKS)})"
    rf"|(?P<other>{_any(OTHERS)}|{_role}{_named}(?=[ \t]*[\r\n<\[(|:]|[ \t]+\w+=)"
    rf"|{_role}functions\.[\w.-]{{1,64}}(?=[ \t]*(?:to=assistant|[\r\n])))"
).search
"""Finds the next token, by its kind."""

_tildes_begun = re.compile(rf"(?<!~)(?:~{{1,2}}|~{{3,16}}{WORD})\Z").search
_goes_on = re.compile(
    rf"{_element}(?:\s[^<>]{{0,256}})?"
    rf"|{_role}(?:functions\.[\w.-]{{0,64}}[ a-z=]{{0,13}}|\w{{0,20}}[ \t]{{0,8}}\w{{0,20}})"
).fullmatch
is_header_begun = re.compile(_role).match
"""Whether the text begins with a marker after which a header names its role."""


def is_begun(text: str, begin: int) -> str:
    """The end of the text, after that place, that may be the beginning of a token; or ""."""
    end = text[max(begin, len(text) - _TAIL) :]
    tildes = _tildes_begun(text, max(begin, len(text) - _FENCE)) if "~" in end else None
    found = tildes[0] if tildes is not None else ""
    for place in (end.rfind("[e~["), end.rfind("["), end.rfind("<")):
        if 0 <= place < len(end) - len(found) and _is_begun(end[place:]):
            found = end[place:]
    return found


def _is_begun(text: str) -> bool:
    found = signs(text)
    return found is not None and not found.start() and (found.end() == len(text) or _goes_on(text) is not None)


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
