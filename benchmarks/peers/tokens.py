# What a token is, for peers that read what a server reads: each marker of a format is one, as in
# the models' own tokenizers, and the text between them is cut about as byte-pair encodings cut it.
# Does not depend on any peer.
"""Stand-ins for the tokenizers of models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from toolglean.formats.registry import find_format
from toolglean.kit.conformance import load_cases

__all__ = ["markers_of", "pieces", "vocabulary"]

_MARKER = re.compile(r"<[^<>\s=\"']{2,60}>?|\[/?[A-Z_]{3,40}\]")
"""A marker, or what of it is before a name or a value. To be cut within it would be unfair to most."""

_TEXT = r" ?[^\W\d_]{1,8}|\d{1,3}| ?[^\s\w]{1,3}|\s|."
"""Part of a word, digits, some signs, white space."""


@cache
def markers_of(name: str | None, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The markers of a format that are tokens of their own, the longest first."""
    declared = find_format(name or "")
    texts = [*(declared.markers if declared else ()), *more]
    found = {match for text in texts for match in _MARKER.findall(text)}
    return tuple(sorted(found, key=lambda marker: (-len(marker), marker)))


def pieces(text: str, markers: tuple[str, ...]) -> list[str]:
    """The text, token by token."""
    found: list[str] = []
    for part in re.split(f"({'|'.join(map(re.escape, markers))})", text) if markers else [text]:
        found += [part] if part in markers else re.findall(_TEXT, part, re.DOTALL)
    return found


@cache
def vocabulary(name: str | None, markers: tuple[str, ...]) -> tuple[str, ...]:
    """All tokens of the cases of a format, so that each is one id."""
    texts = (case.text for case in load_cases() if case.format == name)
    return tuple(sorted({piece for text in texts for piece in pieces(text, markers)} - set(markers)))
