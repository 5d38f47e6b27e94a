# What this file knows: what of an explanation goes on the page, and in which words.
# What it must not know: how any of it was found (toolglean/explain).
"""What `explain` says of a turn, for the page."""

from __future__ import annotations

from typing import Any

from toolglean.kit.explain import Explanation, Opener, Reach

__all__ = ["findings_of"]

MOST = 50  # problems
NAMES = 5  # formats that are named of a marker
CALLS = 12  # calls that are named
TEXT = 120  # characters of a marker

_ENDS = {"unfinished": "the turn ends", "stopped": "nothing was looked at behind it"}


def findings_of(found: Explanation) -> dict[str, Any]:
    """The explanation as JSON: plain words, with places as "line:column"."""
    return {
        "summary": _summary(found),
        "complete": found.complete,
        "causes": [{"name": cause.name, "at": _at(cause), "text": cause.text} for cause in found.causes],
        "advice": [{"text": advice.text, "effect": advice.effect} for advice in found.advice],
        "problems": [{"at": _at(each), "text": each.reason} for each in found.problems[:MOST]],
        "problems_left_out": max(0, len(found.problems) - MOST),
        "openers": [_opener(opener) for opener in found.openers],
        "openers_left_out": found.openers_left_out,
    }


def _summary(found: Explanation) -> str:
    calls = f"{len(found.calls)} complete {'call' if len(found.calls) == 1 else 'calls'}"
    names = ", ".join(found.calls[:CALLS]) + (", …" if len(found.calls) > CALLS else "")
    return f"Read as {found.format or 'no format'}: {calls}{f' ({names})' if names else ''}."


def _opener(opener: Opener) -> dict[str, Any]:
    more = len(opener.formats) - NAMES
    fits = ", ".join(opener.formats[:NAMES]) + (f" and {more} more" if more > 0 else "")
    return {
        "at": _at(opener),
        "text": opener.text[:TEXT],
        "kind": opener.kind,
        "read_as": f"{opener.read_as}, in code" if opener.quoted else opener.read_as,
        "fits": fits or "no format",
        "best": _reach(opener.reaches[0]) if opener.reaches else "",
    }


def _reach(best: Reach) -> str:
    if best.outcome == "call":
        return f"{best.format}: a whole call{f' of {best.name}' if best.name else ''}, to {_at(best)}"
    if best.outcome == "marker":
        return f"{best.format}: a marker by itself"
    end = _ENDS.get(best.outcome, "the reading ended")
    expected = f"; expected {' or '.join(best.expected[:3])}" if best.expected else ""
    return f"{best.format} came farthest: {end} at {_at(best)}{expected}"


def _at(part: Any) -> str:
    return f"{part.line}:{part.column}"
