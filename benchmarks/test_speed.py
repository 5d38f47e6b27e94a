"""The same cases for pytest-benchmark: `python -m pytest benchmarks --benchmark-enable` (compare, store, plot)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.cases import FLOODS, PROSE, READERS, Flood, Reader, call_of, cut
from toolglean.cli.measure import floor

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = (1_000, 100_000)


def read(new: Callable[[], Callable[[str], Any]], chunks: Sequence[str]) -> None:
    feed = new()
    for chunk in chunks:
        feed(chunk)


def test_floor(benchmark: BenchmarkFixture) -> None:
    benchmark(floor, cut(PROSE["prose"]))


@pytest.mark.parametrize("text", PROSE)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_prose(benchmark: BenchmarkFixture, reader: Reader, text: str) -> None:
    benchmark(read, reader.new, cut(PROSE[text]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_one_call(benchmark: BenchmarkFixture, reader: Reader, size: int) -> None:
    benchmark(read, reader.new, cut(call_of(reader, size)))


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.name)
def test_flood(benchmark: BenchmarkFixture, flood: Flood) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]  # it has no annotations
        read, (READERS[0].new, cut(flood.text(flood.size))), rounds=3
    )
