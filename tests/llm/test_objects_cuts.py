# What this file knows: objects look the same, wherever the text was cut.
# Does not depend on how objects are read.
"""Valid and broken objects, cut into pieces."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support import depth
from toolglean import CallDelta, CallEnd, CallStart, ToolCall
from toolglean.llm import StreamingObjectProcessor
from toolglean.llm.errors import ObjectError

ALPHABET = ("{", "}", "[", "]", '"', ":", ",", "\\", "\\u0", "\\u00e9", "\\ud83d", "\\ude00", "\n", " ", "a", "name", '"name": "', '{"name": "A', "1", "-", ".", "e", "true", "tru", "nulx", "```json", "é", '{"n": 1}', '"n": [')  # fmt: skip
TEXTS = [
    # Objects that break within one chunk must be shown too.
    '{"name": "A\\u0:0e9"}',
    '{"name": "A\\x"}',
    '{"name": trux}',
    '{"name": -x}',
    '{"name": 1.x}',
    '{"name": "A", "n": [1, "b\\q"]}',
    '{"na\\q": 1}',
    '{"name" 1}',
    '{"name": }',
    'Hm {"name": "A\\u0:"} and {"name": "B"}',
    '{"name": "A", "name": "B\\u12:"}',
    r'{"name": "C:\dir"}',
    '{{"name": -1.\n1{"name": "z"}',
    '{"name": }{"name": "a"}',
    "{name: 1} {}",
]


class A(BaseModel):
    name: str
    n: list[int] = []


def cut(text: str, chance: random.Random) -> list[str]:
    places = sorted(chance.sample(range(len(text) + 1), chance.randrange(min(6, len(text) + 1))))
    return [text[begin:end] for begin, end in zip([0, *places], [*places, len(text)], strict=True)]


def shown(chunks: Iterable[Any]) -> Any:
    # Everything that a processor returns at the end: the views, the problems, the objects or their errors.
    processor = StreamingObjectProcessor(A, content=True)
    for chunk in chunks:
        processor.feed(chunk)
    partials = [repr(each) for each in processor.partials]
    results = [str(each) if isinstance(each, ObjectError) else each for each in processor.results()]
    return partials, results, processor.problems, processor.ignored


def as_call(pieces: list[str], text: str) -> list[Any]:
    call = ToolCall("call_0", 0, "A", True, None, text, (0, len(text)), "malformed")
    return [CallStart(0, "call_0", "A", True, 0), *(CallDelta(0, piece, 0) for piece in pieces), CallEnd(0, call, 0)]


def check(text: str, chance: random.Random) -> None:
    for wrap in (lambda pieces: pieces, lambda pieces: as_call(pieces, text)):
        whole = shown(wrap([text]))
        assert shown(wrap(list(text))) == whole
        for _ in range(4):
            assert shown(wrap(cut(text, chance))) == whole


@pytest.mark.parametrize("text", TEXTS)
def test_a_broken_object_shows_the_same_at_every_cut(text: str) -> None:
    whole = shown([text])
    for place in range(len(text)):
        assert shown([text[:place], text[place:]]) == whole
    check(text, random.Random(text))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_any_text_shows_the_same_at_every_cut(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60 if depth.is_full() else 25):
        check("".join(chance.choices(ALPHABET, k=chance.randrange(1, 16))), chance)
