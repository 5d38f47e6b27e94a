# What is nearly a call, and a person reads as one: arguments that are not an object, a string that never ends, keys
# that a call does not have, a misspelt marker, a line of Python in a sentence, a call in another message. Does not
# depend on how the evidence was found (assemble.py), or on the other causes (causes.py).
"""Near misses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolglean.kit.explain.evidence import Evidence
from toolglean.kit.explain.names_and_code import Bare
from toolglean.kit.explain.reading import another_message
from toolglean.kit.explain.rules import broken_rule, json_around
from toolglean.kit.explain.stories import Story, story

if TYPE_CHECKING:
    from toolglean.events import ProblemCode, ToolCall

__all__ = [
    "after_another_message",
    "in_sentence",
    "misspelt",
    "no_object",
    "open_string",
    "undeclared",
    "unmarked_json",
]

NEAR = 0.75
"""How similar a misspelling must be to a marker: two letters of `<tool_call>` may be wrong."""
LONG = 60  # characters of a header, or of a call, that are shown
BEFORE = 80  # characters before a name, in which its marker would be

_argument_key = re.compile(
    r'"(?:arguments|parameters|params|args|input|tool_input|action_input)"[ \t\r\n]{0,16}:[ \t\r\n]{0,16}$'
)
_marker = re.compile(r"<\|?/?[\w｜▁ :.\-]{2,40}\|?>|\[/?[A-Z_]{2,40}\]")
_quote = re.compile(r'\\.|"', re.DOTALL)
_python = re.compile(r"[\w.\-]{1,300}\((?!\{)[^\n]{0,400}\)")
_STRING = "a string that is not a JSON object"
_KINDS = {'"': _STRING, "[": "a list", "t": "true", "f": "false", "n": "null"}


def no_object(text: str, name: str, place: int, code: ProblemCode) -> Iterator[Story]:
    """The arguments at that place of the turn are JSON, but not an object."""
    kind = _STRING if code == "string-arguments" else ""
    if not kind and _argument_key.search(text, max(place - BEFORE, 0), place):
        first = text[place : place + 1]
        kind = _KINDS.get(first) or ("a number" if first == "-" or first.isdigit() else "")
    if kind:
        yield story("arguments-not-object", place, call=name, kind=kind)


def open_string(found: Evidence, call: ToolCall) -> Iterator[Story]:
    """The arguments of a call that did not end leave a string open, and a closing marker at the end is in it."""
    text = found.read.text.rstrip()
    quotes = [each.start() for each in _quote.finditer(text, *call.span) if each[0] == '"']
    if len(quotes) % 2 and text.endswith(tuple(found.markers)):
        yield story("json-broken/string", quotes[-1], call=call.name, at=text[quotes[-1] :][:LONG])


def in_sentence(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The parser does not report a call in Python that stands behind words."""
    call = _python.match(found.read.text, bare.start)
    return iter([story("in-a-line", bare.start, text=call[0][:LONG])] if call else [])


def misspelt(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The name of a call comes after what is nearly a marker."""
    text = found.read.text
    begin = max(bare.start - BEFORE, 0)
    seen = [each for each in _marker.finditer(text, begin, bare.start) if each[0] not in found.markers]
    for each in reversed(seen):
        near = difflib.get_close_matches(each[0], found.markers, n=1, cutoff=NEAR)
        if near:
            yield story("misspelt-marker", each.start(), marker=each[0], call=bare.name, near=near[0])
            return


def undeclared(found: Evidence, place: int) -> Iterator[Story]:
    """A spelling that no format declares; first, if a marker is misspelt, or it is JSON, that, because it says more."""
    yield from (nearly for each in found.bare for nearly in misspelt(found, each))
    stories = (story for each in found.bare for story in unmarked_json(found, each, place))
    yield next(stories, None) or story("undeclared", place, rule=broken_rule(found, place))


def unmarked_json(found: Evidence, bare: Bare, place: int | None = None) -> Iterator[Story]:
    """JSON, at that place if one is given, that names a tool as a call does, without a marker."""
    span = json_around(found.read.text, bare.start)
    if span is not None and place in {None, span[0]}:
        yield story("unmarked-json", span[0], call=bare.name, rule=broken_rule(found, *span))


def after_another_message(found: Evidence) -> Iterator[Story]:
    """A call or a marker after the header of another message."""
    header = another_message(found.read)
    if header is None:
        return
    starts = [*(each.start for each in found.openers), *(each.start for each in found.bare)]
    if any(start > header.start for start in starts):
        yield story("another-message", header.start, header=header.text.strip()[:LONG])
