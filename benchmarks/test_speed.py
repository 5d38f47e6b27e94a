"""The same cases for pytest-benchmark: `python -m pytest benchmarks --benchmark-enable` (compare, store, plot)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.cases import FLOODS, PROSE, READERS, Flood, Reader, Text, call_of, cut
from benchmarks.cases import reader as reader_of
from toolglean.cli.measure import baseline

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = (1_000, 100_000)


def read(new: Callable[[], Callable[[str], Any]], chunks: Sequence[str]) -> None:
    feed = new()
    for chunk in chunks:
        feed(chunk)


def test_baseline(benchmark: BenchmarkFixture) -> None:
    benchmark(baseline, cut(PROSE[0].text))


@pytest.mark.parametrize(
    ("text", "reader"),
    [(text, name) for text in PROSE for name in text.readers],
    ids=lambda each: each.name if isinstance(each, Text) else each,
)
def test_prose(benchmark: BenchmarkFixture, text: Text, reader: str) -> None:
    benchmark(read, reader_of(reader).new, [text.opener, *cut(text.text)])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_one_call(benchmark: BenchmarkFixture, reader: Reader, size: int) -> None:
    benchmark(read, reader.new, cut(call_of(reader, size)))


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: f"{flood.reader}, {flood.name}")
def test_flood(benchmark: BenchmarkFixture, flood: Flood) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]  # it has no annotations
        read, (reader_of(flood.reader).new, cut(flood.text(flood.size))), rounds=3
    )
