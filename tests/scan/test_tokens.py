"""What collects the text of JSON tokens and values: the same, however the text is cut, copied or pickled."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable

import pytest

from toolglean.scan.scanner import CLOSE, FAIL, NEED, OPEN
from toolglean.scan.tokens import JsonTokens, object_text

TEXT = '{"na\\"me": "get", "a": [1, -2.5e3, true], "o": {"s": "x\ty", "l": []}, "z": null}'


def tokens_of(pieces: Iterable[str], *, values_from: int = 99) -> list[str]:
    """The texts of all tokens, from a `values_from`th container on of whole values."""
    tokens, found, in_value = JsonTokens(), [], False
    for piece in pieces:
        pos = 0
        while pos < len(piece):
            if in_value:
                pos = tokens.read_value(piece, pos)
                if tokens.token == CLOSE:
                    found.append(tokens.take_collected())
                    in_value = False
                continue
            pos, raw = tokens.read_token(piece, pos)
            assert tokens.token != FAIL
            if tokens.token != NEED:
                found.append(raw.strip(" ,:"))
            if tokens.token == OPEN and len(tokens.stack) >= values_from:
                tokens.begin_value()
                in_value = True
        tokens = pickle.loads(pickle.dumps(tokens.copy()))
    return found


@pytest.mark.parametrize("values_from", [2, 3, 99])
def test_a_cut_changes_nothing(values_from: int) -> None:
    whole = tokens_of([TEXT], values_from=values_from)
    assert tokens_of(TEXT, values_from=values_from) == whole
    for cut in range(1, len(TEXT)):
        assert tokens_of([TEXT[:cut], TEXT[cut:]], values_from=values_from) == whole


def test_values_are_whole() -> None:
    """And their raw control characters are escaped, so that they are JSON text."""
    found = tokens_of([TEXT], values_from=2)
    assert [json.loads(each) for each in found if each[:1] in {"[", "{"} and len(each) > 1] == [
        [1, -2500.0, True],
        {"s": "x\ty", "l": []},
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (' {"a": 1} ', ('{"a": 1}', "")),
        ("[1]", (None, "an object was expected")),
        ('{"a": 1} x', (None, "one whole JSON value was expected")),
        ('{"a": [[1]]}', (None, "depth")),
    ],
)
def test_an_object_with_nothing_around_it(text: str, found: tuple[str | None, str]) -> None:
    assert object_text(text, 2) == found
