# The text around calls: opener and closer of each, what separates them, and the section around all. Does not depend on
# how a call carries its arguments (bodies.py).
#
#   turn with three calls   before  BODY  between  BODY  between  BODY  after
#   closer of a call        the common beginning of every `between` and `after`
#   opener of a call        the common end of every `before`, and of what remains of `between`
#   separator               what remains of `between`; the common end and beginning of what remains of `before` and
#                           `after` is the section; the rest is prose
"""The text around calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from toolglean.sources.templates.markers import is_pair
from toolglean.sources.traces.bodies import Body, Shape
from toolglean.sources.traces.given import Given
from toolglean.sources.traces.talk import Talk, talk_of
from toolglean.sources.traces.texts import common_end, common_start, is_markup, markers_in, same, space_at_end

__all__ = ["Frame", "frame_of"]


@dataclass(frozen=True, slots=True)
class Frame:
    """The patterns around calls.

    Attributes:
        opener, closer: the text before and after each call's body.
        head: the text between name and arguments; None if it differs.
        separator: the text between two calls; None if no two are alike.
        section: the text before the first call and after the last one.
        named: whether the closer contains the tool's name.
        several: how many turns have more than one call.
        talk: what is around prose.
        extra: markers after the calls that close nothing.
    """

    opener: str
    closer: str
    head: str | None
    separator: str | None
    section: tuple[str, str]
    named: bool
    several: int
    talk: Talk
    extra: tuple[str, ...] = ()


# Whole lines of at least three words, with blank lines, are prose even if every turn has them.
_sentences = re.compile(r"(?:\s*[\w'’\"“”,;:-]+(?:[^\S\n]+[\w'’\"“”,;:()-]+){2,}[.!?…:,]*\s*\n\s*)*").match
_prose = re.compile(r"[^\S\n]*(?:[\w.,;:!?'\"’”)…—-]+[^\S\n]*)+").match


def frame_of(given: Given, shape: Shape) -> Frame:
    """The text around the calls of that shape."""
    rows = [(text, row) for text, row in zip(given.turns, shape.bodies, strict=True) if row]
    plain = [text for text, row in zip(given.turns, shape.bodies, strict=True) if not row]
    talk = talk_of([text[: row[0].start] for text, row in rows], [text[row[-1].end :] for text, row in rows], plain)
    heads = [body.head for row in shape.bodies for body in row]
    follows, named = _follows(rows, shape.slot, talk)
    closer = common_start(follows, ids=True)
    rests = [text[length:] for text, length in zip(follows, closer.lengths, strict=True)]
    between, after = rests[: -len(rows)], rests[-len(rows) :]
    leads = [*(talk.before_call(text[: row[0].start]) for text, row in rows), *between]
    opener = common_end(leads, ids=True)
    rests = [text[: len(text) - size] for text, size in zip(leads, opener.lengths, strict=True)]
    before, separators = rests[: len(rows)], rests[len(rows) :]
    lead = _without_prose(opener.text, before)
    found = Frame(
        opener=opener.text[lead:],
        closer=closer.text,
        head=same(heads) if heads else "",
        separator=same(separators) if separators else "",
        section=_section(before, after) if separators else ("", ""),
        named=named,
        several=sum(len(row) > 1 for row in shape.bodies),
        talk=talk,
    )
    return _without_ends(found) if separators else _unwrapped(found)


def _follows(rows: Sequence[tuple[str, tuple[Body, ...]]], slot: str, talk: Talk) -> tuple[list[str], bool]:
    # The texts between two calls, then those after the last one; and whether the name is in all of them.
    found = [(text[one.end : two.start], one) for text, row in rows for one, two in pairwise(row)]
    found += [(talk.after_call(text[row[-1].end :]), row[-1]) for text, row in rows]
    named = all(re.search(_own(body), text[:80]) for text, body in found) and slot != "{call}"
    return [re.sub(_own(body), "{name}", text, count=1) if named else text for text, body in found], named


def _own(body: Body) -> str:
    return rf"(?<![\w-]){re.escape(body.site.tool.name)}(?![\w-])"


def _without_prose(opener: str, before: Sequence[str]) -> int:
    # How much at the beginning of an opener is the end of prose: words and their punctuation, up to a line break. They
    # are part of the opener only where it begins a line in every turn.
    start = _sentences(opener).end()  # type: ignore[union-attr]  # the pattern matches the empty string
    if start or all(not text.strip() or text.endswith("\n") for text in before):
        return start
    match = _prose(opener)
    end = match.end() if match is not None else 0
    return end if end == len(opener) or opener[end] != "\n" else len(opener) - len(opener[end:].lstrip())


def _section(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    opener = common_end(before).text
    opener = opener[_without_prose(opener, [text[: len(text) - len(opener)] for text in before]) :].strip()
    closer = common_start(after).text.strip()
    return (
        opener + space_at_end(before) if is_markup(opener) else "",
        space_at_end(text[::-1] for text in after)[::-1] + closer if is_markup(closer) else "",
    )


def _unwrapped(found: Frame) -> Frame:
    # Where no turn has several calls, a pair of markers around a whole call may be around all of them: that reads both.
    found = replace(found, opener=_id(r"\1{id}", found.opener), head=found.head and _id(r"\1{id}", found.head))
    first, last = _outer(found)
    rest, inner = found.opener.lstrip()[len(first) :], found.closer.rstrip()
    inner = inner[: len(inner) - len(last)]
    if not first or "{id}" in first or rest.strip()[:1] == "[" or not (rest.strip() or rest.startswith("\n")):
        return found
    before, after = rest[: len(rest) - len(rest.lstrip())], inner[len(inner.rstrip()) :]
    return replace(found, opener=rest.lstrip(), closer=inner.rstrip(), section=(first + before, after + last))


def _outer(found: Frame) -> tuple[str, str]:
    # The first and the last marker, or line, if one closes the other; else nothing.
    opener, closer = found.opener.lstrip(), found.closer.rstrip()
    first, last = markers_in(opener)[:1], markers_in(closer)[-1:]
    pairs = [(first[0], last[0])] if first and last else []
    pairs.append((opener.partition("\n")[0], closer.rpartition("\n")[2]))
    for one, other in pairs:
        if one and other and opener.startswith(one) and closer.endswith(other) and is_pair(one, other):
            return one, other
    return "", ""


_id = re.compile(
    r"((?<![A-Za-z])(?:id|ref|no|nr|num|index|idx|uid|call_id)\s*[=:]\s*[\"']?)[\w-]*\d[\w-]*", re.IGNORECASE
).sub


def _without_ends(found: Frame) -> Frame:
    # What closes although nothing was opened ends the turn.
    opener, closer = found.section
    if opener or not closer.strip():
        return found
    markers = markers_in(closer) or [closer.strip()]
    return replace(found, section=("", ""), extra=tuple(markers))
