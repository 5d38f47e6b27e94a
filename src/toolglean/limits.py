# How much of a turn is held back or read for one purpose. Does not depend on who enforces the limits.
"""Limits against hostile or broken model output."""

from __future__ import annotations

from dataclasses import dataclass, fields

from toolglean.errors import UsageError

__all__ = ["Limits"]

MAX_DEPTH = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a turn may use. If a turn passes a limit, a `Problem` names it, and the rest of the turn is content.

    Attributes:
        call_chars: the length of one call from its opener, in characters.
        depth: how deep arguments may nest, in containers, including the format's own JSON around them; at most 10,000.
            toolglean does not recurse over such values, but `json.dumps` does, and fails from about 1,000 on.
        calls: the number of calls in one turn.
        held: how much undecided text may be held back, in characters.

    Raises:
        UsageError: a limit is not a positive integer, or `depth` is over 10,000.
    """

    call_chars: int = 16 * 1024 * 1024
    depth: int = 256
    calls: int = 1024
    held: int = 4096

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"Limits({each.name}={value!r}) is not valid: pass an integer of 1 or more")
        if self.depth > MAX_DEPTH:  # the open containers are a string, which is copied each time one opens
            raise UsageError(f"Limits(depth={self.depth!r}) is over the maximum: pass {MAX_DEPTH:,} or less")
