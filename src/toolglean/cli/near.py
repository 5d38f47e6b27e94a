# Which name was meant, if one is spelled much alike. Does not depend on what is named.
"""Suggestions for names that are unknown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]

NEAR = 0.8
"""The least similarity of a name that is suggested: one letter of five may differ. Others would only mislead."""
PREFIX = 3
"""So many letters are enough if they are the beginning of a name."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """What an error adds about an unknown name: "; did you mean X?" if a name is near, otherwise nothing."""
    known = list(names)
    near = difflib.get_close_matches(name, known, n=1, cutoff=NEAR)
    if not near and len(name.lstrip("-")) >= PREFIX:
        near = [each for each in known if each.startswith(name)]
    return f"; did you mean {near[0]}?" if len(near) == 1 else ""
