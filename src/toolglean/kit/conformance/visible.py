# Text of others, made safe to show: characters that change how text is shown become escapes. Does not depend on where
# it is shown; escaping for HTML, Markdown or XML comes after this.
"""Text without hidden characters."""

from __future__ import annotations

import re

__all__ = ["visible"]

# Controls (not tab and line feed), bidirectional marks and overrides, lone surrogates, and what XML does not allow.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""The text with an escape such as `\u202e` for each hidden character."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
