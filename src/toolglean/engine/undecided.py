# What this file knows: what becomes of JSON without a marker. Nothing is reported until it is clear that it is calls:
# then all of it is read again. Or it is data: then it is text.
# Does not depend on how calls in JSON are read (envelope.py), or on what tells calls from data (document.py).
"""JSON of which it is not clear yet whether it is calls or data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.document import CALLS, DATA
from toolglean.engine.passing import pass_over
from toolglean.scan.json import FAIL

if TYPE_CHECKING:
    from toolglean.engine.document import Document
    from toolglean.engine.turn import Turn
    from toolglean.scan.json import JsonScanner

__all__ = ["read_as_calls", "read_undecided"]


def read_undecided(turn: Turn, scanner: JsonScanner, document: Document, text: str, i: int) -> tuple[int, bool]:
    """Read on. The machine's payload has changed on return if it is data.

    Returns:
        The place reached, and whether it is calls. A call in which the JSON is broken is one too: it ends `malformed`.
    """
    j = document.read(scanner, turn.names, text, i)
    turn.region.keep(text[i:j])
    if document.is_long:
        turn.allow_long_region()
    if document.verdict == DATA:
        pass_over(turn, scanner, document)
    return j, document.verdict == CALLS or (scanner.token == FAIL and document.is_plausible)


def read_as_calls(turn: Turn, document: Document) -> None:
    """Have it read again from its first bracket on."""
    written = turn.region.text[document.start - turn.region.start :]
    turn.region.shorten(len(written))
    turn.read_instead(written, document.start)
