"""Samples are the same each time, from all over, and leave no group out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support import depth


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    full = depth.is_full()
    yield
    depth.use(full=full)


ITEMS = [f"{kind}{number}" for number in range(100) for kind in ("a", "b")] + ["c0"]


def test_by_default_some_of_each_group_are_chosen_in_their_order() -> None:
    depth.use(full=False)
    some = depth.chosen(ITEMS, 5, key=str, group=lambda item: item[0])
    assert Counter(item[0] for item in some) == {"a": 5, "b": 5, "c": 1}
    assert some == sorted(some, key=ITEMS.index)
    assert some == depth.chosen(iter(ITEMS), 5, key=str, group=lambda item: item[0]), "the same each time"
    assert some[:5] != ITEMS[:5], "not the first ones"
    assert depth.chosen(ITEMS[50:] + ITEMS[:50], 5, key=str, group=lambda item: item[0]) != some
    assert set(depth.chosen(ITEMS[50:] + ITEMS[:50], 5, key=str, group=lambda item: item[0])) == set(some), "by hash"


def test_at_full_depth_all_are() -> None:
    depth.use(full=True)
    assert depth.chosen(ITEMS, 1, key=str) == ITEMS
    assert depth.examples(500) == 500
