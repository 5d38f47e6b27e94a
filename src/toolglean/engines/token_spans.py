# Which characters of a turn's text were written by special tokens. Does not depend on any tokenizer
# (special_tokens.py), or on what the text means.
#
# The ids of a delta come with its text or before it, never after it, because detokenizers hold text back: bytes of an
# unfinished character, text that may become a stop string. So the ids say what text to expect:
#
#     text of ordinary ids, marker, text of ordinary ids, marker, ..., text of ordinary ids
#     '-------- _queue: one entry for each marker ---------'          '------- _run -------'
#
# Ordinary ids are decoded once, and only if a marker follows them, or if their text contains a character with which a
# marker begins or ends. The answer for a chunk is "not known" as soon as its text is not the expected one, or could
# also be explained in another way, and stays so for the rest of the turn.
"""The characters that special tokens wrote."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Self, TypeAlias

from toolglean.scan.plain import Plain

__all__ = ["SpecialText", "TokenSpans", "edges_of"]

SpecialText: TypeAlias = "bool | tuple[tuple[int, int], ...] | None"
"""What special tokens wrote of a chunk, as for `Parser.feed`: all, nothing, these characters; None: not known."""

ENOUGH = 256
"""After how many ordinary ids their text is compared."""

TOO_MANY = 1024
"""After how many ordinary ids whose text cannot be compared (an unfinished character) the rest is not known."""

BROKEN = "\ufffd"
"""What decoders write for an unfinished character."""

AHEAD = 24
"""How many ids after a marker, and how many characters more than it, are compared with the text in its place."""


class _Expected(NamedTuple):
    """The text up to a marker's end.

    Attributes:
        before: the text of the ordinary ids before the marker, in each form that it may have.
        ids: the first of these ids.
        marker: the marker.
    """

    before: tuple[str, ...]
    ids: tuple[int, ...]
    marker: str


class TokenSpans(Plain):
    """The text of one turn, delta by delta.

    Args:
        markers: the text of each special token, by its id.
        decode: the text of several other ids.
        edges: the characters with which the markers begin or end; None: they are found here.
    """

    __slots__ = ("_decode", "_edges", "_expected", "_known", "_lost", "_markers", "_run", "_tail")
    owned = ("_expected", "_run", "_tail")

    def __init__(
        self, markers: Mapping[int, str], decode: Callable[[Sequence[int]], str], edges: frozenset[str] | None = None
    ) -> None:
        self._markers = markers
        self._decode = decode
        self._edges = edges_of(markers.values()) if edges is None else edges
        self._expected: deque[_Expected] = deque()
        self._known = ""  # text of earlier ordinary ids that has not arrived yet
        self._run: list[int] = []  # ordinary ids since then
        self._tail: list[str] = []  # the text that has arrived since then
        self._lost = False

    def fork(self) -> Self:
        """Copy the state; the copies then continue separately."""
        return self.copy()

    def spans(self, text: str, ids: Sequence[int] | None) -> SpecialText:
        """Which characters of a delta were written by special tokens.

        Args:
            text: the text of the delta, possibly empty.
            ids: the ids of the tokens that were generated since the last delta. Their text need not be complete in
                this one, but none of it may have come before. None: they are not known, nor is the rest of the turn.

        Returns:
            What `Parser.feed` takes as `special`: False if no special token wrote any of it, True if all of it was
            written by them, otherwise the spans `(start, end)` in characters of the text. None if this cannot be known.
        """
        if ids is None or self._lost:
            self._lost = True
            return None
        try:
            self._take(ids)
            return self._found(text) if text else False
        except Exception:  # noqa: BLE001  # whatever a tokenizer raises for an id
            self._lost = True
            return None

    def _take(self, ids: Sequence[int]) -> None:
        for each in ids:
            marker = self._markers.get(each)
            if marker is None:
                self._run.append(each)
            else:
                self._expected.append(_Expected(self._forms(), tuple(self._run[:AHEAD]), marker))
                self._known, self._run = "", []

    def _forms(self) -> tuple[str, ...]:
        # The text of the ordinary ids. Tokenizers differ in whether they keep a blank at its beginning.
        if not self._run:
            return (self._known,)
        return tuple(self._known + each for each in _forms_of(self._decode(self._run)))

    def _found(self, text: str) -> SpecialText:
        self._tail.append(text)
        if self._expected:
            return self._located(text)
        if not self._run and not self._known:
            self._lost = True  # no id has written this
        elif len(self._run) >= ENOUGH or not self._edges.isdisjoint(text):
            self._compare()
        return None if self._lost else False

    def _compare(self) -> None:
        # Whether the text that has arrived is that of the ids. If so, neither is needed any longer.
        tail = "".join(self._tail)
        fitting = [form for form in self._forms() if form.startswith(tail)]
        if len(fitting) == 1 and not fitting[0].endswith(BROKEN):
            self._known, self._run, self._tail = fitting[0][len(tail) :], [], []
        elif not fitting or len(self._run) > TOO_MANY:
            self._lost = True

    def _located(self, text: str) -> SpecialText:
        tail = "".join(self._tail)
        chunk, place = len(tail) - len(text), 0
        found: list[tuple[int, int]] = []
        while self._expected:
            before, _, marker = self._expected[0]
            ends = {place + len(form) for form in before if _agree(tail, place, form + marker)}
            begins = {min(end, len(tail)) for end in ends}
            if len(begins) != 1:  # there is no such text, or it is not clear yet where the marker begins
                self._lost = not begins or max(ends) + len(marker) <= len(tail)
                self._tail = [tail[place:]]
                return None
            [begin], end = begins, max(ends) + len(marker)
            if begin < len(tail) and self._is_doubtful(tail, begin):
                self._lost = True
                return None
            found.append((max(begin - chunk, 0), min(end, len(tail)) - chunk))
            if end > len(tail):
                break
            place = end
            self._expected.popleft()
        self._tail = [tail[place:]]
        return self._answer(text, [(begin, end) for begin, end in found if begin < end])

    def _answer(self, text: str, found: list[tuple[int, int]]) -> SpecialText:
        if not self._expected and self._tail[0]:
            self._compare()  # what follows the markers must have been written by ordinary ids
        if self._lost:
            return None
        return sum(end - begin for begin, end in found) == len(text) or (tuple(found) if found else False)

    def _is_doubtful(self, tail: str, begin: int) -> bool:
        # Whether the text in the place of a marker could also be that of the ordinary ids after it: if special tokens
        # are left out of the text, and the model has spelled the marker out.
        marker = self._expected[0].marker
        ids, last = self._ordinary_after()
        if not ids:
            return False
        text = tail[begin : begin + len(marker) + AHEAD]
        return any(
            form.startswith(text) or (text.startswith(form) and not last) for form in _forms_of(self._decode(ids))
        )

    def _ordinary_after(self) -> tuple[Sequence[int], bool]:
        # The ordinary ids after the first marker, and whether these are all ids that are left.
        for place, each in enumerate(self._expected):
            if place and each.ids:
                return each.ids, False
            if place > AHEAD:
                break
        return self._run[:AHEAD], len(self._run) <= AHEAD and len(self._expected) <= AHEAD


def edges_of(markers: Iterable[str]) -> frozenset[str]:
    """The characters with which markers begin or end."""
    return frozenset(char for marker in markers for char in (marker[0], marker[-1]))


def _forms_of(text: str) -> tuple[str, ...]:
    return (text, f" {text}", text[1:]) if text.startswith(" ") else (text, f" {text}")


def _agree(tail: str, place: int, whole: str) -> bool:
    # Whether the text from that place on is this one, or the beginning of it.
    return tail.startswith(whole, place) if len(tail) - place >= len(whole) else whole.startswith(tail[place:])
