# How a reader is held to its laws, whatever the dialect.
# Does not depend on any dialect.
"""One helper for all readers: every cut, copies and pickles at every place, and JSON from beginning to end.

Of long texts, a sample of the cuts and places.
"""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import currently_in_test_context

from tests.support import depth
from toolglean.scan.json import JsonScanner
from toolglean.scan.reader import Reader
from toolglean.scan.scanner import CLOSE, DONE, FAIL, NEED

MakeReader = Callable[[], Reader]


@dataclass
class Outcome:
    """What became of a text: the JSON text, the status, where it was reached, and the fault."""

    text: str
    status: int
    place: int
    fault: str

    @property
    def value(self) -> Any:
        """The value, of a text that was read to its end."""
        assert self.status == DONE, self
        return json.loads(self.text)


def read_pieces(reader: Reader, pieces: Iterable[str], place: int = 0) -> Outcome:
    """Feed the pieces until the reader is done."""
    out, status = [], 0
    for piece in pieces:
        pos, text, status = reader.read(piece, 0)
        out.append(text)
        place += pos
        if status:
            break
        assert pos == len(piece)
    return Outcome("".join(out), status, place, reader.fault if status == FAIL else "")


def read_all(make: MakeReader, text: str, seed: int = 0) -> Outcome:
    """Read the text; the outcome is the same for every cut, and after copies and pickles. That is checked here."""
    whole = read_pieces(make(), [text])
    _begins_json(make, text, whole)
    size = len(text)
    cuts = _places(size + 1, 160, seed)
    for cut in cuts:
        assert read_pieces(make(), [text[:cut], text[cut:]]) == whole, cut
    for count in range(2, 8):
        ends = sorted(random.Random(f"{seed} {count}").choices(range(size + 1), k=count))
        pieces = [text[i:j] for i, j in zip([0, *ends], [*ends, size], strict=True)]
        assert read_pieces(make(), pieces) == whole, pieces
    if size <= 1000:
        _forked(make, text, whole, set(_places(size, 80, seed)))
    return whole


def _places(size: int, most: int, seed: int) -> Iterable[int]:
    if not depth.is_full():  # of an example of a property, fewer: there are many examples
        most //= 10 if currently_in_test_context() else 2
    return range(size) if size <= most else sorted(random.Random(f"{seed} {size}").sample(range(size), most // 2))


def _begins_json(make: MakeReader, text: str, whole: Outcome) -> None:
    # One character at a time: the pieces are the beginning of a JSON object; done, they are exactly one.
    reader, scanner, out = make(), JsonScanner(100_000), ""
    for place, char in enumerate(text):
        pos, piece, status = reader.read(char, 0)
        assert not piece or scanner.token == NEED, "text after the end"
        scanner.skim(piece, 0, 0)
        assert scanner.token != FAIL, (out, piece, scanner.fault)
        out += piece
        if status:
            assert Outcome(out, status, place + pos, reader.fault if status == FAIL else "") == whole
            break
    else:
        assert whole.status == 0, "whole it is done, in characters it is not"
        assert out == whole.text
    assert (scanner.token == CLOSE) == (whole.status == DONE)
    assert not out or out[0] == "{"


def _forked(make: MakeReader, text: str, whole: Outcome, places: set[int]) -> None:
    # At every place a copy and a pickle go on to the same end, and the original is not moved by them.
    reader, out = make(), ""
    for place in range(len(text)):
        for twin in (reader.copy(), pickle.loads(pickle.dumps(reader))) if place in places else ():
            rest = read_pieces(twin, [text[place:]], place)
            assert Outcome(out + rest.text, rest.status, rest.place, rest.fault) == whole
        _, piece, status = reader.read(text[place], 0)
        out += piece
        if status:
            break
