# `explain`: which parts an explanation needs, in which order, and how many of them. Does not depend on how any of them
# is found (the other files here).
#
# The turn is read a bounded number of times: MOST openers are looked at, in the formats that they fit, and all these
# readings together read at most BUDGET characters; a few dozen trials read the turn once each.
"""The whole explanation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Unpack

from toolglean.kit.explain.causes import causes_of
from toolglean.kit.explain.evidence import Evidence
from toolglean.kit.explain.explanation import Explanation, Opener, Reach, Span
from toolglean.kit.explain.names_and_code import Bare, Quotes, bare_names, quotations_in
from toolglean.kit.explain.openers import Known, Seen, known_markers, plan_of
from toolglean.kit.explain.probe import reach
from toolglean.kit.explain.reading import Read, read_turn
from toolglean.kit.explain.trials import Asked, advice_for
from toolglean.parser import ParserArguments
from toolglean.sources.choose.arguments import text_of
from toolglean.tools import ToolLike, ToolSet

__all__ = ["explain"]

MOST = 12  # openers that are looked at
BEST = 6  # readings of each that are shown
BUDGET = 400_000  # characters that are read from openers
MOST_SPANS = 100  # of content, in which names are looked for

_name = re.compile(r"(?=.*\w)[\w.\-:/]+").fullmatch
_RANK = {"call": 0, "malformed": 1, "unfinished": 2, "stopped": 2, "none": 3, "marker": 4}


def explain(
    text: str, tools: Iterable[ToolLike] | ToolSet | None = None, **parsing: Unpack[ParserArguments]
) -> Explanation:
    """Explain how a turn is read: which markers it has, how far each reading got, and what would read it otherwise.

    Use it to find out why a call did not come, and for bug reports, but not for every turn: it reads the turn many
    times. The time is linear in the length of the text.

    Args:
        text: everything that the model wrote.
        tools, parsing: as for `Parser`: those with which the turn was read.

    Returns:
        The explanation. For a turn that was read well, `complete` is True.

    Raises:
        ToolgleanError: whatever `Parser` raises for wrong arguments. No text raises an exception.
    """
    text = text_of(text)
    asked = Asked(tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools), {**parsing})
    read = read_turn(text, asked.tools, asked.options)
    quotes = Quotes(text)
    known = known_markers(read.parser.format)
    openers, left_out = _openers(read, known, quotes)
    names = _bare(read, openers)
    advice = advice_for(asked, read, openers, _names(read, openers, names))
    causes = causes_of(Evidence(asked, read, openers, names, quotes, known, {}))
    return Explanation(
        format=read.format,
        complete=_is_complete(read, openers) and not causes,
        calls=tuple(call.name for call in read.done),
        spans=read.spans,
        quotations=quotations_in(read),
        problems=read.problems,
        openers=openers,
        openers_left_out=left_out,
        causes=causes,
        advice=advice,
    )


def _is_complete(read: Read, openers: list[Opener]) -> bool:
    good = all(call.status == "ok" and call.known is not False for call in read.calls)
    return bool(read.calls) and good and not read.problems and all(opener.read_as == "call" for opener in openers)


# -- openers -----------------------------------------------------------------------------------------------------------


def _openers(read: Read, known: Known, quotes: Quotes) -> tuple[list[Opener], int]:
    """The openers that are looked at, and how many more there are."""
    found: list[Opener] = []
    left, covered, left_out, thinks = BUDGET, 0, 0, False
    for seen in _with_start(read, known):
        span = read.span_at(seen.start)
        thinks = thinks or seen.kind == "reasoning"
        if seen.kind == "end of reasoning" and thinks:
            continue
        if not _is_worth_showing(read, seen) or seen.start + len(seen.text) <= covered:
            continue
        if seen.kind == "call" and quotes.closes(seen.start):
            continue
        if seen.kind == "end of call" and covered and not read.text[covered : seen.start].strip():
            continue  # it belongs to the reading before it
        if len(found) >= MOST:
            left_out += 1
            continue
        reaches: list[Reach] = []
        whole = span is not None and span.call is not None and span.call.status == "ok"
        if seen.kind in {"call", "reasoning", "start of turn"} and not whole:
            reaches, left = _reaches(read, seen, left)
        if seen.kind == "start of turn" and not _looks_like_a_call(reaches):
            continue
        if reaches and reaches[0].outcome != "marker":
            covered = reaches[0].end
        place = read.places.of(seen.start)
        read_as = "content" if span is None else span.kind
        names = tuple(each.name for each in seen.formats)
        quoted = quotes.contains(seen.start)
        best = tuple(reaches[:BEST])
        found.append(
            Opener(seen.text, seen.kind, seen.start, *place, read_as, quoted, names, best, len(names) - len(best))
        )
    return found, left_out


def _with_start(read: Read, known: Known) -> list[Seen]:
    """The markers, and the start of the turn, where a call needs no marker."""
    markers, start = list(known.find(read.text)), _start_of(read)
    if start is not None and all(seen.start != start for seen in markers):
        markers.append(Seen(read.text[start], start, "start of turn", known.at_start(read.text, start)))
    return sorted(markers, key=lambda seen: seen.start)


def _start_of(read: Read) -> int | None:
    for span in read.spans:
        blank = len(span.text) - len(span.text.lstrip())
        if span.kind == "call" or (span.kind == "content" and blank < len(span.text)):
            return span.start + (blank if span.kind == "content" else 0)
    return None


def _is_worth_showing(read: Read, seen: Seen) -> bool:
    """Whether the marker is worth showing: not if a call or markup explains it."""
    span = read.span_at(seen.start)
    if seen.kind == "end of reasoning":
        return not any(each.kind in {"reasoning", "call"} for each in _before(read, seen.start))
    if seen.kind == "end of call" and span is not None and span.kind in {"content", "markup"}:
        return span.kind == "content" or not any(each.kind == "call" for each in _before(read, seen.start))
    if span is None or span.kind == "markup":  # a marker without a call has a problem of its own
        return seen.kind == "call" and any(each.start == seen.start for each in read.problems)
    if span.call is not None:
        return seen.start == span.start and seen.kind in {"call", "start of turn"}
    return seen.kind == "call" or span.kind == "content"


def _before(read: Read, place: int) -> Iterator[Span]:
    # After reasoning or a call, the marker is one of many. Looking at the first spans is enough.
    return (each for each in islice(read.spans, 50) if each.start < place)


def _reaches(read: Read, seen: Seen, left: int) -> tuple[list[Reach], int]:
    tools, found = read.parser.tools, []
    names = () if tools is None else tools.names
    for declared in seen.formats:
        plan = plan_of(declared, names)
        if plan is None or left <= 0:
            continue
        bare = seen.kind == "start of turn"
        each = reach(read.text, seen.start, plan, tools, bare=bare, most=left, places=read.places)
        left -= each.chars
        found.append(each)
    return sorted(found, key=lambda each: (_RANK[each.outcome], -each.chars, each.format != read.format)), left


def _looks_like_a_call(reaches: list[Reach]) -> bool:
    return bool(reaches) and (reaches[0].outcome in {"call", "malformed"} or reaches[0].within in {"JSON", "arguments"})


# -- names -------------------------------------------------------------------------------------------------------------


def _bare(read: Read, openers: list[Opener]) -> list[Bare]:
    """Names before something like arguments, in content or reasoning that no opener covers."""
    tools = None if read.parser.tools is None else frozenset(read.parser.tools.names)
    spans = (span for span in read.spans if span.kind in {"content", "reasoning"})
    found = [each for span in islice(spans, MOST_SPANS) for each in bare_names(read.text, span.start, span.end, tools)]
    covered = [(each.start, each.reaches[0].end) for each in openers if each.reaches]
    return [each for each in found if not any(start <= each.start < end for start, end in covered)]


def _names(read: Read, openers: list[Opener], bare: list[Bare]) -> list[str]:
    """Names that may be names of tools: unknown calls, then what the openers reached, then names before arguments."""
    unknown = [call.name for call in read.calls if call.known is False]
    reached = [reach.name for opener in openers for reach in opener.reaches[:1] if reach.name]
    found = dict.fromkeys([*unknown, *reached, *(each.name for each in bare)])
    return [name for name in found if _name(name)][:MOST]
