# The parts of an explanation in words, the same for the command line and for the page. Does not depend on how they are
# laid out.
"""An explanation in words."""

from __future__ import annotations

from collections.abc import Sequence

from toolglean.kit.explain.explanation import Cause, Explanation, Opener, Reach, Span, Trouble

__all__ = ["fits", "outcome", "place", "summary", "troubles"]

NAMES = 5  # formats that are named

_ENDS = {"unfinished": "the turn ends", "stopped": "looked no further"}


def place(part: Cause | Opener | Reach | Span | Trouble) -> str:
    """The place of a part, as "line:column"."""
    return f"{part.line}:{part.column}"


def summary(found: Explanation, most: int) -> str:
    """What the turn was read as, in one line.

    Args:
        found: the explanation.
        most: how many calls are named.
    """
    calls = ", ".join(found.calls[:most]) + (", …" if len(found.calls) > most else "")
    said = f"{len(found.calls)} complete {'call' if len(found.calls) == 1 else 'calls'}"
    return f"Read as {found.format or 'no format'}: {said}{f' ({calls})' if calls else ''}"


def troubles(found: Explanation) -> list[Trouble]:
    """The problems, without that of a call which was then read, in a spelling that no format declares."""
    read = {each.start for each in found.problems if each.code == "undeclared-spelling"}
    return [each for each in found.problems if each.code != "unreadable-call" or each.start not in read]


def fits(opener: Opener) -> str:
    """The formats that a marker fits."""
    more = len(opener.formats) - NAMES
    return (", ".join(opener.formats[:NAMES]) + (f" and {more} more" if more > 0 else "")) or "no format"


def outcome(reach: Reach) -> tuple[str, Sequence[str]]:
    """How far a reading got, and what was expected there."""
    if reach.outcome == "call":
        return f"a whole call{f' of {reach.name}' if reach.name else ''}, to {place(reach)}", ()
    if reach.outcome == "marker":
        return "a marker by itself", ()
    return f"{_ENDS.get(reach.outcome, 'ended')} at {place(reach)}", reach.expected[:3]
