# What is nearly a call, and a person reads as one: arguments that are not an object, a string that never ends, keys
# that a call does not have, a misspelt marker, a line of Python in a sentence, a call in another message. Does not
# depend on how the evidence was found (assemble.py), or on the other causes (causes.py).
"""Near misses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolglean.kit.explain.evidence import Evidence, Story
from toolglean.kit.explain.explanation import Opener
from toolglean.kit.explain.names_and_code import Bare
from toolglean.kit.explain.reading import another_message
from toolglean.kit.explain.rules import broken_rule, json_around

if TYPE_CHECKING:
    from toolglean.events import ProblemCode, ToolCall

__all__ = [
    "RARER",
    "after_another_message",
    "in_line",
    "in_sentence",
    "misspelt",
    "no_object",
    "open_string",
    "other_keys",
    "undeclared",
    "unmarked_json",
]

NEAR = 0.75
"""How similar a misspelling must be to a marker: two letters of `<tool_call>` may be wrong."""
LONG = 60  # characters of a header, or of a call, that are shown
BEFORE = 80  # characters before a name, in which its marker would be

RARER = "A lower temperature, a more precise quantisation or constrained output makes such calls rarer."

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
        yield Story(
            "arguments-not-object",
            place,
            f"The arguments of the call of {name!r} are {kind}, but they must be a JSON object, such as "
            '{"city": "Oslo"}. It is not known which parameter was meant, so the call is malformed and must not run.',
        )


def open_string(found: Evidence, call: ToolCall) -> Iterator[Story]:
    """The arguments of a call that did not end leave a string open, and a closing marker at the end is in it."""
    text = found.read.text.rstrip()
    quotes = [each.start() for each in _quote.finditer(text, *call.span) if each[0] == '"']
    if len(quotes) % 2 and text.endswith(tuple(found.markers)):
        yield Story(
            "json-broken",
            quotes[-1],
            f"A string of the call of {call.name!r} contains the closing marker, and the turn ends there: a quotation "
            f"mark is missing at {text[quotes[-1] :][:LONG]!r}, or before. Where it belongs cannot be known, so the "
            f"call is incomplete and must not run. {RARER}",
        )


def in_line(text: str, start: int) -> Story:
    """A call without a marker, or one in a sentence, shares its line with other text."""
    return Story(
        "in-a-line",
        start,
        f"{text[:LONG]!r} is a call, but it shares its line with other text, or is part of an expression: it reads "
        "like a sentence or like code, so it is content. Tell the model to write each call on a line of its own.",
    )


def in_sentence(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The parser does not report a call in Python that stands behind words."""
    return (in_line(call[0], bare.start) for call in [_python.match(found.read.text, bare.start)] if call)


def other_keys(opener: Opener, name: str) -> Story:
    """JSON after a marker names a tool, but not as a call does."""
    return Story(
        "wrong-keys",
        opener.start,
        f"{opener.text!r} is followed by JSON that names the tool {name!r}, but does not have the keys of a call: "
        'the name must be under "name", and the arguments, an object, under "arguments". So it is content.',
    )


def misspelt(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The name of a call comes after what is nearly a marker."""
    text = found.read.text
    begin = max(bare.start - BEFORE, 0)
    seen = [each for each in _marker.finditer(text, begin, bare.start) if each[0] not in found.markers]
    for each in reversed(seen):
        near = difflib.get_close_matches(each[0], found.markers, n=1, cutoff=NEAR)
        if near:
            yield Story(
                "misspelt-marker",
                each.start(),
                f"{each[0]!r} comes before {bare.name!r}, but is not a marker of any known format. The most similar "
                f"one is {near[0]!r}. A marker must be written as in the model's chat template, so this is content.",
            )
            return


def undeclared(found: Evidence, place: int) -> Iterator[Story]:
    """A spelling that no format declares; first, if a marker is misspelt, or it is JSON, that, because it says more."""
    yield from (nearly for each in found.bare for nearly in misspelt(found, each))
    stories = (story for each in found.bare for story in unmarked_json(found, each, place))
    if (story := next(stories, None)) is not None:
        yield story
        return
    yield Story(
        "undeclared",
        place,
        "This names a tool and its parameters, but no format declares the spelling, and it breaks one of the rules by "
        f"which such calls are read: {broken_rule(found, place)}. So it is content. If your model writes its calls "
        "like this, `toolglean learn` makes a format of a few turns.",
    )


def unmarked_json(found: Evidence, bare: Bare, place: int | None = None) -> Iterator[Story]:
    """JSON, at that place if one is given, that names a tool as a call does, without a marker."""
    span = json_around(found.read.text, bare.start)
    if span is not None and place in {None, span[0]}:
        yield Story(
            "unmarked-json",
            span[0],
            f"The JSON that names {bare.name!r} has no marker, and JSON without one breaks a rule here: "
            f"{broken_rule(found, *span)}. So it is content. The text does not show whether the model wrote no marker "
            "or the server removed it: pass skip_special_tokens=False to vLLM, SGLang or transformers to see.",
        )


def after_another_message(found: Evidence) -> Iterator[Story]:
    """A call or a marker after the header of another message."""
    header = another_message(found.read)
    if header is None:
        return
    starts = [*(each.start for each in found.openers), *(each.start for each in found.bare)]
    if any(start > header.start for start in starts):
        yield Story(
            "another-message",
            header.start,
            f"{header.text.strip()[:LONG]!r} begins another message, which is not the model's own, so everything "
            "after it is content. Pass the text of one turn only, and check that the server stops at the end of "
            "the turn.",
        )
