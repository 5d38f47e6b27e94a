# A badge for a README: what was tried, and the core score, as an SVG that loads nothing, or as the JSON that badge
# servers read. Does not depend on how results were obtained.
#
# It has one colour: it states a figure, and does not judge it.
"""A badge with the core score."""

from __future__ import annotations

import json
from html import escape
from typing import Final

from toolglean.errors import UsageError
from toolglean.kit.conformance.casesets import SHIPPED
from toolglean.kit.conformance.results import Results, visible

__all__ = ["as_badge", "as_badge_json"]

HEIGHT, PADDING = 20, 6
WIDE, NARROW = 8.6, 3.9
USUAL: Final = 6.7
"""Widths of characters in pixels, about those of Verdana at 11 pixels: `textLength` makes any font fit them."""

_WIDE, _NARROW = frozenset("mwMW@%"), frozenset("ijlftr.,:;'|!()[] -1I")
COLORS: Final = ("#444c56", "#0b5394")


def as_badge(results: Results) -> str:
    """An SVG that says "conformance 2026.1: core 98.2 %".

    Raises:
        UsageError: no core case was judged.
    """
    label, message = map(visible, _texts(results))
    left, right = _width(label), _width(message)
    total = left + right
    title = escape(visible(f"{results.target.name}, {label}: {message}, {results.date[:10]}"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:g}" height="{HEIGHT}" viewBox="0 0 {total:g} {HEIGHT}" '
        f'role="img" aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left:g}" height="{HEIGHT}" fill="{COLORS[0]}"/>'
        f'<rect x="{left:g}" width="{right:g}" height="{HEIGHT}" fill="{COLORS[1]}"/>'
        '<g fill="#ffffff" font-family="Verdana, DejaVu Sans, Geneva, sans-serif" font-size="11">'
        f"{_text(label, 0, left)}{_text(message, left, right)}</g></svg>\n"
    )


def as_badge_json(results: Results) -> str:
    """The same as an endpoint of shields.io: an object with `label` and `message`.

    Raises:
        UsageError: no core case was judged.
    """
    label, message = _texts(results)
    found = {"schemaVersion": 1, "label": label, "message": message, "color": COLORS[1].removeprefix("#")}
    return json.dumps(found, indent=1) + "\n"


def _texts(results: Results) -> tuple[str, str]:
    score = results.score("core")
    if score is None or score.percent is None:
        raise UsageError("the badge needs a core score, and no core case was judged")
    used = results.case_set
    name = "" if used["name"] == SHIPPED else f"{used['name'] or 'own cases'} "
    label = f"conformance {name}{used['version'] or ''}".strip()
    parts = [] if used["chosen"] == used["cases"] else [f"{used['chosen']} of {used['cases']} cases"]
    parts += [] if results.ways == "all" else [results.ways]
    return label, f"core {score.share}" + (f" ({', '.join(parts)})" if parts else "")


def _width(text: str) -> float:
    wide = sum(WIDE if each in _WIDE else NARROW if each in _NARROW else USUAL for each in text)
    return round(wide + 2 * PADDING)


def _text(text: str, begin: float, width: float) -> str:
    middle, length = begin + width / 2, width - 2 * PADDING
    return (
        f'<text x="{middle:g}" y="14" text-anchor="middle" textLength="{length:g}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )
