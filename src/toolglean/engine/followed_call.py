# What the machine needs to know about a call that was followed, to go on after it. Does not know how calls are followed
# (straight/).
"""A call that was followed to its end."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FollowedCall"]


class FollowedCall(NamedTuple):
    """A call that has ended.

    Attributes:
        start, end: where it began, and the place after it.
        place: where the machine reads on after it; `seen`: how far it looked ahead.
        markup: the text of the format between these two.
        is_first: whether it was the first of the calls that were followed.
        again: how much the machine would have read again of all calls so far, in characters.
    """

    start: int
    end: int
    place: int
    seen: int
    markup: str
    is_first: bool
    again: int
