# What this file knows: what every reader of a dialect is to the engine, and the loop that the readers share.
# Does not depend on any dialect.
#
# A reader turns one dialect (Python keywords, quoted objects, nested tags) into JSON text while the text arrives. It is
# a state, and for each state a method that reads on from a position and returns the position that it reached. What
# it cannot decide yet it keeps in its slots, never in local variables: then no cut of the text shows in the result.
# All slots are plain (strings, numbers, tuples, ropes), so a reader copies and pickles at every moment.
"""Readers: a dialect in, JSON text out, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, ClassVar

from toolglean.scan.plain import Plain
from toolglean.scan.text import space

if TYPE_CHECKING:
    from toolglean.scan.json import JsonScanner

__all__ = [
    "DONE", "DOUBTED", "FAILED", "NEED", "Reader", "Search", "Status", "Steps", "quoted_text", "stop_search",
    "string_text",
]  # fmt: skip

Search = Callable[[str], object]
"""Tells whether a text contains something."""


class Status(IntEnum):
    """Where a reader is."""

    NEED = 0  # the text ran out; nothing is wrong so far
    DONE = 1  # the value is whole; the position is after its last character
    FAILED = 2  # the character at the position is not allowed there; `fault` says what was expected
    DOUBTED = 3  # the value at the position may lack its quote markers: to read it as it is, relent


NEED, DONE, FAILED, DOUBTED = Status

string_text: Callable[[str], str] = encode_basestring
"""The text as a JSON string, with its quotes; everything but quotes, backslashes and control characters as it is."""


def quoted_text(text: str) -> str:
    """The text as it is written inside a JSON string."""
    return string_text(text)[1:-1]


@lru_cache(maxsize=64)
def stop_search(stops: str) -> Search:
    """Finds one of these characters, or one that JSON escapes."""
    return re.compile("[" + re.escape(stops) + '"\\\\\x00-\x1f]').search


class Reader(Plain):
    """Reads one value of a dialect, in pieces cut anywhere.

    Attributes:
        fault: after FAILED, what was expected; "depth" where the depth limit was passed.
        rest: after DONE or FAILED, what was read of a marker that is not the reader's: it is read again.
    """

    __slots__ = ("fault", "rest")

    def __init__(self) -> None:
        self.fault = self.rest = ""

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on.

        Returns:
            The position reached; the JSON text that became certain, often ""; and NEED, DONE or FAILED. All pieces
            joined are the beginning of a JSON object, after DONE exactly one JSON object.
        """
        raise NotImplementedError

    @property
    def waiting(self) -> int:
        """How many characters were read that may be passed on with what comes next."""
        return 0

    @property
    def after_comma(self) -> bool:
        """Whether what was read ends with a comma of JSON, which is passed on although nothing has followed it yet."""
        return False

    @property
    def scanner(self) -> JsonScanner | None:
        """What reads JSON that is passed on as it is written; None in other dialects."""
        return None

    def search(self) -> Search | None:
        """Inside a string that goes out as it is: finds something in text that the reader must read. None elsewhere."""
        return None

    def passed(self, text: str) -> tuple[str, bool] | None:
        """See `JsonScanner.passed`."""
        return None

    def undo_refusal(self) -> bool:
        """After FAILED or DOUBTED: go back before that character, to be read on with another text, or without the
        doubt. False: that cannot be.
        """
        return False

    def brackets(self) -> str:
        """What closes the open containers, innermost first."""
        return ""

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """The marker around strings, "" where the dialect has none; and the parameters that the schema knows."""
        return "", ()


class Steps(Reader):
    """What readers share. A subclass has `steps`, the method of each state by its number.

    Attributes:
        max_depth: how many containers may be open.
        out: the pieces of the current `read`; empty between two.
        state: the number of the state.
        status: NEED while there is more to read, then DONE or FAILED for good.
    """

    __slots__ = ("max_depth", "out", "state", "status")
    owned: ClassVar[tuple[str, ...]] = ("out",)

    steps: ClassVar[tuple[Callable[[Any, str, int], int], ...]]
    spaced: ClassVar[frozenset[int]] = frozenset()
    """The states before which white space does not count; `space` passes over it."""
    space = staticmethod(space)

    def __init__(self, max_depth: int) -> None:
        super().__init__()
        self.max_depth = max_depth
        self.out: list[str] = []
        self.state = 0
        self.status = NEED

    def read(self, text: str, pos: int) -> tuple[int, str, int]:
        """Read on: see `Reader.read`."""
        end, steps, out = len(text), self.steps, self.out
        while pos < end and not self.status:
            state = self.state
            if state in self.spaced and (pos := self.space(text, pos).end()) == end:
                break
            pos = steps[state](self, text, pos)
        if not out:
            return pos, "", self.status
        piece = "".join(out)
        out.clear()
        return pos, piece, self.status

    def undo_refusal(self) -> bool:
        """See `Reader`."""
        if self.status not in {FAILED, DOUBTED} or self.fault == "depth":
            return False
        self.status, self.fault, self.rest = NEED, "", ""
        return True

    def fail(self, fault: str, pos: int) -> int:
        """Refuse the character at `pos`."""
        self.status, self.fault = FAILED, fault
        return pos
