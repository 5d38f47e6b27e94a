# The table of contexts that the page reads (engine/page/table.py), with the characters and the markers that stand for
# calls and for the end of a turn in the texts of these tests.
"""The table of contexts, for texts with a call in them."""

from __future__ import annotations

from toolglean.engine.page.table import (
    BLANKS,
    INDENT,
    MOST_DEEP,
    MOST_SCALAR,
    PARAGRAPH_ENDS,
    At,
    Context,
    Inside,
    Lasts,
    Row,
    escape,
    rows,
)

__all__ = [
    "BLANKS",
    "CALL",
    "END_MARKERS",
    "FIRST",
    "INDENT",
    "MOST_DEEP",
    "MOST_SCALAR",
    "PARAGRAPH_ENDS",
    "ROWS",
    "At",
    "Context",
    "Inside",
    "Lasts",
    "Row",
    "escape",
]

CALL = "\ue000"
"""Stands for a whole call in a text, wherever its format would write it: a marker, and nothing else is read in it."""
FIRST = "\ue001"
"""Stands for another call, before the one that is asked for."""
END_MARKERS = ("<|im_end|>", "</s>", "<|eot_id|>", "<|end|>", "<tool_response|>")
"""Some markers that are markup wherever they are."""
ROWS = rows(reasoning=True, marks=CALL + FIRST, ends=END_MARKERS)
