# The explanation of a turn, for the page. Does not depend on how any of it was found (kit/explain).
"""What `explain` finds in a turn, for the page."""

from __future__ import annotations

from typing import Any

from toolglean.kit.explain import Explanation, Opener, Reach
from toolglean.kit.explain.wording import fits, outcome, place, summary

__all__ = ["findings_of"]

MOST = 50  # problems
CALLS = 12  # calls that are named
TEXT = 120  # characters of a marker


def findings_of(found: Explanation) -> dict[str, Any]:
    """The explanation as JSON: plain words, with places as "line:column"."""
    return {
        "summary": f"{summary(found, CALLS)}.",
        "complete": found.complete,
        "causes": [{"name": cause.name, "at": place(cause), "text": cause.text} for cause in found.causes],
        "advice": [{"text": advice.text, "effect": advice.effect} for advice in found.advice],
        "problems": [{"at": place(each), "text": each.reason} for each in found.problems[:MOST]],
        "problems_left_out": max(0, len(found.problems) - MOST),
        "openers": [_opener(opener) for opener in found.openers],
        "openers_left_out": found.openers_left_out,
    }


def _opener(opener: Opener) -> dict[str, Any]:
    return {
        "at": place(opener),
        "text": opener.text[:TEXT],
        "kind": opener.kind,
        "read_as": f"{opener.read_as}, in code" if opener.quoted else opener.read_as,
        "fits": fits(opener),
        "best": _reach(opener.reaches[0]) if opener.reaches else "",
    }


def _reach(best: Reach) -> str:
    said, expected = outcome(best)
    far = "" if best.outcome in {"call", "marker"} else " came farthest"
    return f"{best.format}{far}: {said}" + (f"; expected {' or '.join(expected)}" if expected else "")
