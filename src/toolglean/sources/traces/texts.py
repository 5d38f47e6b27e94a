# What texts have in common, at their beginning or at their end, cut where markers and words end. Does not depend on
# what the texts are.
#
#   common_start(["</arg>\n</call>", "</arg>\n<arg name="])   "</arg>", not "</arg>\n<"
#
# White space is compared as any run of white space, or none, because that is how a pattern reads it. With `ids`, a word
# that differs between markers that are the same is an id: it becomes `{id}`.
"""What texts have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["MARKER", "Common", "common_end", "common_start", "is_markup", "markers_in", "same", "space_at_end"]

LONGEST = 1_000
"""How much of each text is compared, in characters: no marker is longer, and prose may be."""

_tokens = re.compile(r"\{(?:name|key)\}|\s+|\w+(?:-\w+)*|.", re.DOTALL).findall
_word = re.compile(r"[\w-]+").fullmatch
_OPEN, _CLOSE = "‹«⟨⟪【⟦「『〔〈《", "›»⟩⟫】⟧」』〕〉》"
_opening = frozenset("<[({/|" + _OPEN)
_closing = frozenset(">])}|/" + _CLOSE)
_OTHER = rf"[{_OPEN}][^{_OPEN}{_CLOSE}\n]{{1,60}}[{_CLOSE}]|\{{\{{[^{{}}\n]{{1,60}}\}}\}}"
_pairs = {"<": ">", "[": "]"} | dict(zip(_OPEN, _CLOSE, strict=True))
MARKER = rf"(?:<[^<>\n]{{1,60}}>|\[\[?[^\[\]\n]{{1,60}}\]\]?|{_OTHER})"
_markers = re.compile(
    r"<<?[^<>\s][^<>\n]{0,80}>>?|\[\[?/?[A-Za-z|_][^\[\]\n]{0,60}\]\]?|[<\[{]\|[^<>\n|]{1,60}\|[>\]}]"
    rf"|{_OTHER}"
).finditer


@dataclass(frozen=True, slots=True)
class Common:
    """What texts have in common.

    Attributes:
        text: as a pattern; white space as in the first text that has it.
        lengths: how many characters it takes of each text, white space at its inner edge not included.
    """

    text: str
    lengths: tuple[int, ...]


def common_start(texts: Sequence[str], *, ids: bool = False) -> Common:
    """What the texts begin with, up to the end of a marker or word."""
    return _common([_tokens(text[:LONGEST]) for text in texts], ids=ids, back=False)


def common_end(texts: Sequence[str], *, ids: bool = False) -> Common:
    """What the texts end with, from the beginning of a marker or word."""
    return _common([_tokens(text[-LONGEST:])[::-1] for text in texts], ids=ids, back=True)


def same(texts: Sequence[str]) -> str | None:
    """The pattern of texts that are all the same, except for white space and ids; None if they are not."""
    if len(set(texts)) == 1:
        return texts[0]
    found = common_start(texts, ids=True)
    rests = [text[length:] for text, length in zip(texts, found.lengths, strict=True)]
    if any(rest.strip() for rest in rests):
        return None
    return found.text + max(set(rests), key=lambda rest: (rests.count(rest), rest))


def space_at_end(texts: Iterable[str]) -> str:
    """The white space at the end of the text that ends with the least of it; "" if there are no texts."""
    return min((text[len(text.rstrip()) :] for text in texts), key=len, default="")


def markers_in(text: str) -> list[str]:
    """What looks like a marker in a text."""
    return [match.group() for match in _markers(text)]


def is_markup(text: str) -> bool:
    """Whether a text looks like part of a format, and not like prose: it has more than words and their punctuation."""
    if re.search(r"[^\w\s.,;:!?'\"()’…-]", text):
        return True
    return bool(re.fullmatch(r"\s*[\W_]{2,}\s*", text)) and not re.fullmatch(r"[\s.,;:!?'\"’…)]*", text)


Steps = list[tuple[str, list[int]]]
"""What all rows of tokens have in common, token by token, each with the places in the rows before it."""


def _heads(rows: list[list[str]], places: list[int]) -> list[str]:
    return [row[place] if place < len(row) else "" for row, place in zip(rows, places, strict=True)]


def _common(rows: list[list[str]], *, ids: bool, back: bool) -> Common:
    steps: Steps = []
    places = [0] * len(rows)
    while (text := _shared(heads := _heads(rows, places), steps, ids=ids)) is not None:
        steps.append((text, places))
        # White space counts as any other, and as none.
        places = [place + (head.isspace() == text.isspace()) for head, place in zip(heads, places, strict=True)]
    differs = any(_heads(rows, places))
    while steps and differs and _is_inside(rows, places, [text for text, _ in steps], back=back):
        places = steps.pop()[1]
    while steps and steps[-1][0].isspace():
        places = steps.pop()[1]
    found = [text for text, _ in steps]
    lengths = tuple(sum(map(len, row[:place])) for row, place in zip(rows, places, strict=True))
    return Common("".join(found[::-1] if back else found), lengths)


def _shared(heads: list[str], steps: Steps, *, ids: bool) -> str | None:
    # What the next tokens have in common.
    space = next((head for head in heads if head.isspace()), None)
    if space is not None or not all(heads):
        return space
    if len(set(heads)) == 1:
        return heads[0]
    are_ids = ids and all(_word(head) and re.search(r"\d", head) for head in heads)
    return "{id}" if are_ids and steps and not (steps[-1][0].isspace() or steps[-1][0] == "{id}") else None


def _is_inside(rows: list[list[str]], places: list[int], found: list[str], *, back: bool) -> bool:
    # Whether a marker would be cut there.
    edge, inner = (_closing, _opening) if back else (_opening, _closing)
    if found[-1] == "{id}":
        return True
    if not any(head and not head.isspace() for head in _heads(rows, places)):
        return False
    is_end = found[-1] == "|" and len(found) > 1 and found[-2] in inner
    return (found[-1] in edge and not is_end) or _is_cut(rows, places, found, back=back)


def _is_cut(rows: list[list[str]], places: list[int], found: list[str], *, back: bool) -> bool:
    # Whether a bracket of a marker that was passed has its other bracket beyond.
    for opener, closer in _pairs.items():
        near, far = (closer, opener) if back else (opener, closer)
        depth = 0
        for text in found:
            depth = depth + (text == near) - (text == far and depth > 0)
        if depth and any(far in row[place : place + 40] for row, place in zip(rows, places, strict=True)):
            return True
    return False
