# How much of a large sample the tests look at: a part of it by default, all of it with `--depth full`.
# Does not depend on what is sampled.
#
# A part is chosen by hash: the same each time, and from all over, not the first so many. There is at least one of each
# group; and where formats themselves are sampled, each has a test of its own elsewhere.
"""The depth of the tests: `python -m pytest` looks at samples, `python -m pytest --depth full` at everything."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["EXAMPLES", "chosen", "examples", "is_full", "use"]

Item = TypeVar("Item")

EXAMPLES = 12
"""What Hypothesis looks at by default, at most: with fewer it is not yet past the simplest values."""


@dataclass
class _Depth:
    full: bool = True  # for reports and scripts; conftest.py says what was asked of pytest


_depth = _Depth()


def use(*, full: bool) -> None:
    """Say how deep the tests of this process go: before they are imported, for numbers of examples are fixed then."""
    _depth.full = full


def is_full() -> bool:
    """Whether everything is looked at."""
    return _depth.full


def examples(full: int) -> int:
    """How many examples Hypothesis looks at where it looks at `full` in a full run."""
    return full if _depth.full else min(full, EXAMPLES)


def chosen(
    items: Iterable[Item], count: int, *, key: Callable[[Item], str], group: Callable[[Item], str] = lambda _: ""
) -> list[Item]:
    """The items, in their order: all in a full run, otherwise `count` of each group.

    Args:
        items: the whole sample.
        count: how many of each group.
        key: what tells an item from all others; its hash decides.
        group: the name of the item's group.
    """
    found = list(items)
    if _depth.full:
        return found
    groups: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(found):
        groups[group(item)].append(place)
    wanted = {
        place for places in groups.values() for place in sorted(places, key=lambda at: _rank(key(found[at])))[:count]
    }
    return [item for place, item in enumerate(found) if place in wanted]


def _rank(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
