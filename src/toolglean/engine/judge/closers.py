# Closers and other tags that come outside a call. Does not know how text is searched, or how a call is read.
#
# A call that could not be read is skipped up to a closer, which may belong to a call that its arguments quote. So what
# follows may still be its arguments: calls are ignored until one of its own closers has come.
#
# A call may also end without some of its closers (`}` was enough). If one comes soon after, it is markup.
"""Closers outside a call."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["MOST_TAG", "Closers", "closers", "ends_with_fence", "goes_on", "tag_begun"]

MOST_TAG = 64  # characters
_tags = re.compile(rf"(?:</?[|｜]?/?\w[^<>\n]{{0,{MOST_TAG}}}>[ \t\r]*)+").match
closers = re.compile(rf"(?:\s|</[\w:.|-]{{0,{MOST_TAG}}}>)*(?:<(?:/[\w:.|-]{{0,{MOST_TAG}}})?)?").fullmatch
"""Matches closers, and the beginning of one."""
_behind_fence = re.compile(r"(?:\s|<[|｜](?!tool)[^<>\s]{1,32}[|｜]>|</s>)*\Z").search
MOST_BEHIND = 256  # characters behind a fence
tag_begun = re.compile(r"<[^<>\s]*(?:>\s*)?\Z").search
"""Finds the tag, or the beginning of one, with which a text ends."""


class Closers(NamedTuple):
    """What is awaited. Never changed.

    Attributes:
        awaited: closers of a call that failed: calls are ignored until one comes, and with (), for the rest of the
            turn. None if no call failed in this way.
        failed: the place of that call; -1 if it is none.
        late: closers of the last call that did not come; `until`: the place up to which they are recognised.
        in_section: whether that may be a section of another family, in which the named one's calls follow.
    """

    awaited: tuple[str, ...] | None = None
    late: tuple[str, ...] = ()
    until: int = 0
    failed: int = -1
    in_section: bool = False

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What must be found in text, in addition to what formats look for."""
        return (*(self.awaited or ()), *self.late)

    def after_fault(self, closers: tuple[str, ...], place: int) -> Closers:
        """The same, after a call at that place that failed. If one failed before it, that one's closers are kept."""
        return self if self.awaited is not None else self._replace(awaited=closers, failed=place)

    def after_mention(self) -> Closers:
        """The same, after what looks like a call and is none: a closer that follows may be its own."""
        return self if self.awaited is None else self._replace(awaited=(), failed=-1)

    def trusting(self) -> Closers:
        """The same, after the closer of the call that failed."""
        return self._replace(awaited=None)

    def call_began(self, place: int) -> Closers:
        """The same, when a call begins at that place."""
        return self if self.in_section and place <= self.until else self.expecting((), 0)

    def after_call(self, late: tuple[str, ...], until: int, *, foreign: bool) -> Closers:
        """The same, after a call that ended without these closers. `foreign`: it is another family's."""
        if not self.in_section:
            return self._replace(late=late, until=until if late else 0, in_section=foreign)
        return self._replace(late=tuple(dict.fromkeys((*late, *self.late))), until=until)

    def expecting(self, late: tuple[str, ...], until: int) -> Closers:
        """The same, if only these late ones are looked for."""
        return self._replace(late=late, until=until if late else 0, in_section=False)

    def is_awaited(self, found: str) -> bool:
        """Whether that is a closer of the call that failed."""
        return self.awaited is not None and found in self.awaited

    def is_too_late(self, found: str, place: int) -> bool:
        """Whether that is only a closer of the last call, and comes too late."""
        return place > self.until and found in self.late and not self.is_awaited(found)


def goes_on(rest: str, *, is_line: bool) -> bool | None:
    """Whether a sentence goes on behind tags of another family, with which that text begins. None: more text is needed.
    `is_line`: a line begins with it, which goes on with nothing if it begins with no tag.
    """
    found = _tags(rest)
    behind = (rest if found is None else rest[found.end() :]).lstrip(" \t\r")
    if not behind or (behind[0] == "<" and ">" not in behind and "\n" not in behind and len(behind) < MOST_TAG):
        return None
    return behind[0] != "\n" and (found is not None or not is_line)


def ends_with_fence(text: str, fence: str) -> bool:
    """Whether that fence ends the text, but for white space and ends of messages: those of calls may have their own."""
    end = text.rstrip()[-MOST_BEHIND:]
    behind = _behind_fence(end)
    return behind is not None and end[: behind.start()].endswith(fence)
