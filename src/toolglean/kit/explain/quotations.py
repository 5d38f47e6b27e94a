# Which parts of a turn's content are quoted, and by what, as the engine's own page says it. Does not depend on what
# becomes of calls there.
"""What a turn quotes."""

from __future__ import annotations

from toolglean.engine.page.page import page_of
from toolglean.engine.page.ruler import Ruler
from toolglean.engine.page.table import Context
from toolglean.engine.page.where import Where
from toolglean.kit.explain.explanation import Quotation
from toolglean.kit.explain.reading import Read

__all__ = ["quotations_in"]

_QUOTE_NOTHING = frozenset({Context.PLAIN, Context.JSON})


def quotations_in(read: Read) -> list[Quotation]:
    """The parts of the content that are quoted, in order."""
    page, ruler, where = page_of(), Ruler(), Where()
    for span in read.spans:
        if span.kind == "content":
            where = page.read(where, span.text, span.start, ruler)
        else:
            where = page.settle(where, span.start, ruler).without_documents()
    page.finish(where, len(read.text), ruler)
    found = (each for each in ruler.stretches(0, len(read.text)) if each.context not in _QUOTE_NOTHING)
    return [
        Quotation(each.context.value, each.start, each.end, each.since, *read.places.of(each.start)) for each in found
    ]
