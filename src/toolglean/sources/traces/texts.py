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
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["MARKER", "Common", "common_end", "common_start", "is_markup", "is_pair", "markers_in", "same"]

LONGEST = 1_000
"""How much of each text is compared, in characters: no marker is longer, and prose may be."""

_tokens = re.compile(r"\{(?:name|key)\}|\s+|\w+(?:-\w+)*|.", re.DOTALL).findall
_word = re.compile(r"[\w-]+").fullmatch
_OPEN, _CLOSE = "‹«⟨⟪【⟦「『〔〈《", "›»⟩⟫】⟧」』〕〉》"
_opening = frozenset("<[({/|" + _OPEN)
_closing = frozenset(">])}|/" + _CLOSE)
_pair_words = re.compile(r"begin|start|open|end|close|stop", re.IGNORECASE)
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


def markers_in(text: str) -> list[str]:
    """What looks like a marker in a text."""
    return [match.group() for match in _markers(text)]


def is_pair(opener: str, closer: str) -> bool:
    """Whether one marker closes the other, by its letters."""
    return opener != closer and _stem(opener) == _stem(closer) != ""


def _stem(marker: str) -> str:
    return re.sub(r"[\W_]", "", _pair_words.sub("", marker)).lower()


def is_markup(text: str) -> bool:
    """Whether a text looks like part of a format, and not like prose: it has more than words and their punctuation."""
    if re.search(r"[^\w\s.,;:!?'\"()’…-]", text):
        return True
    return bool(re.fullmatch(r"\s*[\W_]{2,}\s*", text)) and not re.fullmatch(r"[\s.,;:!?'\"’…)]*", text)


class _Walk:
    # Walks along the tokens of all texts together.

    def __init__(self, rows: list[list[str]]) -> None:
        self.rows = rows
        self.places = [0] * len(rows)
        self.steps: list[tuple[str, list[int]]] = []  # what was found, and the places before it

    def heads(self) -> list[str]:
        return [row[place] if place < len(row) else "" for row, place in zip(self.rows, self.places, strict=True)]

    def step(self, text: str, moved: Sequence[bool]) -> None:
        self.steps.append((text, list(self.places)))
        self.places = [place + move for place, move in zip(self.places, moved, strict=True)]

    def back(self) -> None:
        _, self.places = self.steps.pop()


def _common(rows: list[list[str]], *, ids: bool, back: bool) -> Common:
    walk = _Walk(rows)
    while _step(walk, ids=ids):
        pass
    if any(walk.heads()):
        _snap(walk, back=back)
    while walk.steps and walk.steps[-1][0].isspace():
        walk.back()
    found = [text for text, _ in walk.steps]
    lengths = tuple(sum(map(len, row[:place])) for row, place in zip(rows, walk.places, strict=True))
    return Common("".join(found[::-1] if back else found), lengths)


def _step(walk: _Walk, *, ids: bool) -> bool:
    heads = walk.heads()
    spaces = [head.isspace() for head in heads]
    if any(spaces):
        walk.step(next(head for head in heads if head.isspace()), spaces)
        return True
    if not all(heads):
        return False
    if len(set(heads)) == 1:
        walk.step(heads[0], [True] * len(heads))
        return True
    if ids and _are_ids(heads) and walk.steps and not walk.steps[-1][0].isspace() and walk.steps[-1][0] != "{id}":
        walk.step("{id}", [True] * len(heads))
        return True
    return False


def _are_ids(heads: list[str]) -> bool:
    return all(_word(head) for head in heads) and all(re.search(r"\d", head) for head in heads)


def _snap(walk: _Walk, *, back: bool) -> None:
    # Go back to a place where no marker is cut.
    edge, inner = (_closing, _opening) if back else (_opening, _closing)
    while walk.steps:
        last = walk.steps[-1][0]
        glued = any(head and not head.isspace() for head in walk.heads())
        if (
            last == "{id}"
            or (glued and last in edge and not (last == "|" and _is_end(walk, inner)))
            or (glued and _is_cut(walk, back=back))
        ):
            walk.back()
        else:
            return


def _is_end(walk: _Walk, inner: frozenset[str]) -> bool:
    return len(walk.steps) > 1 and walk.steps[-2][0] in inner


def _is_cut(walk: _Walk, *, back: bool) -> bool:
    # Whether a bracket of a marker that was passed has its other bracket beyond.
    found = [text for text, _ in walk.steps]
    for opener, closer in _pairs.items():
        near, far = (closer, opener) if back else (opener, closer)
        depth = 0
        for text in found:
            depth = depth + (text == near) - (text == far and depth > 0)
        if depth and any(far in row[place : place + 40] for row, place in zip(walk.rows, walk.places, strict=True)):
            return True
    return False
