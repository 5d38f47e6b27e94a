# What two texts have in common, cut where markers begin and end; and what the texts around items that repeat show of
# them. Does not depend on where the texts come from.
#
# `\n</parameter>\n</function>` and `\n</parameter>\n<parameter=` both begin with `\n</parameter>\n<`, but no marker
# ends there. So texts are compared token by token (white space, words, `<`, `</`, single characters), and a marker that
# is not whole is left out of what they have in common.
"""What texts have in common."""

from __future__ import annotations

import re
from itertools import takewhile

__all__ = ["around_items", "common_prefix", "common_suffix", "last_marker", "markers_of", "snapped", "turn_ends"]

_tokens = re.compile(r"\s|\w+|</|.").findall
_opening = re.compile(r"start|begin|user|assistant|system|header|role|inst|tools", re.IGNORECASE).search
_marker = re.compile(r"<<?[^<>\s][^<>\n]{0,80}>>?|\[/?[A-Z][A-Za-z_ ]{1,60}\]|[<\[]\|[^<>\n|]{1,60}\|[>\]]").finditer


def turn_ends(text: str) -> list[str]:
    """The markers that end a turn: those at the beginning of a text that open nothing new."""
    found: list[str] = []
    place = 0
    for match in _marker(text):
        if text[place : match.start()].strip() or _opening(match.group()):
            break
        found.append(match.group())
        place = match.end()
    return found


def common_prefix(one: str, other: str) -> str:
    """What both begin with, up to the end of a marker or word."""
    found = "".join(_shared(_tokens(one), _tokens(other)))
    return found if len(found) in {len(one), len(other)} else found[: snapped(found, len(found))]


def common_suffix(one: str, other: str) -> str:
    """What both end with, from the beginning of a marker or word."""
    found = "".join(reversed(_shared(_tokens(one)[::-1], _tokens(other)[::-1])))
    if len(found) in {len(one), len(other)}:
        return found
    end = found.find(">")
    begun = end != -1 and "<" not in found[:end]
    return found[end + 1 :] if begun else found


def around_items(before: str, between: str, after: str, *, whole: bool = False) -> tuple[str, str, str]:
    """The opener and the closer of an item that repeats, and the separator of two.

        before  ITEM  between  ITEM  after

        closer      the common beginning of `between` and `after`
        opener      the common end of `before` and the rest of `between`
        separator   what remains of `between`

    Args:
        before, between, after: the texts around the items.
        whole: the closer ends with a whole marker, even if all of `after` is the beginning of one.
    """
    closer = common_prefix(between, after)
    closer = closer[: snapped(between, len(closer))] if whole else closer
    rest = between.removeprefix(closer)
    opener = common_suffix(before, rest)
    return opener, closer, rest.removesuffix(opener)


def _shared(one: list[str], other: list[str]) -> list[str]:
    return [token for token, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))]


def snapped(text: str, end: int) -> int:
    """The place at or before `end` where no marker is open."""
    for opener, closer in (("<", ">"), ("[", "]")):
        at = text.rfind(opener, 0, end)
        if at != -1 and closer not in text[at:end] and not text[at + 1 : end + 1].isspace():
            end = at
    while 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end -= 1
    return end


def markers_of(text: str) -> list[str]:
    """The markers in a text; if it has none, the text itself without the white space around it."""
    found = [match.group() for match in _marker(text)]
    return found or ([text.strip()] if text.strip() else [])


def last_marker(text: str) -> str:
    """The marker at the end of a text, with the white space after it; "" if it does not end with one."""
    found = list(_marker(text))
    return text[found[-1].start() :] if found and not text[found[-1].end() :].strip() else ""
