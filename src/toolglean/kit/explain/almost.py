# What this file knows: what is nearly a call, and a person reads as one: arguments that are not an object, keys that no
# call has, a marker that is misspelt.
# What it must not know: how the signs of it were found (whole.py), and which causes there are besides (causes.py).
"""What is nearly a call."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from toolglean.kit.explain.found import Found, Story
from toolglean.kit.explain.shapes import Opener
from toolglean.kit.explain.signs import Bare

__all__ = ["misspelt", "no_object", "other_keys"]

NEAR = 0.75
"""How alike two markers are of which one may be a misspelling of the other: two letters of `<tool_call>`, say."""
BEFORE = 80  # characters before a name, in which its marker would stand

_argument_key = re.compile(
    r'"(?:arguments|parameters|args|input|tool_input|action_input)"[ \t\r\n]{0,16}:[ \t\r\n]{0,16}$'
)
_marker = re.compile(r"<\|?/?[\w｜▁ :.\-]{2,40}\|?>|\[/?[A-Z_]{2,40}\]")
_KINDS = {'"': "a string that is not a JSON object", "[": "a list", "t": "true", "f": "false", "n": "null"}


def no_object(text: str, name: str, place: int) -> Iterator[Story]:
    """The arguments at that place of the turn are JSON, and not an object."""
    if not _argument_key.search(text, max(place - BEFORE, 0), place):
        return
    first = text[place : place + 1]
    kind = _KINDS.get(first) or ("a number" if first == "-" or first.isdigit() else "")
    if kind:
        yield Story(
            "arguments-not-object",
            place,
            f"The arguments of the call of {name!r} are {kind}, but they must be a JSON object, such as "
            '{"city": "Oslo"}. Which parameter was meant is not known, so the call is malformed and must not run.',
        )


def other_keys(opener: Opener, name: str) -> Story:
    """JSON behind a marker names a tool, but not as a call does."""
    return Story(
        "wrong-keys",
        opener.start,
        f"{opener.text!r} is followed by JSON that names the tool {name!r}, but it does not have the keys of a call: "
        'the name must be under "name", and the arguments, an object, under "arguments". So it is content.',
    )


def misspelt(found: Found, bare: Bare) -> Iterator[Story]:
    """The name of a call stands behind what is nearly a marker."""
    text = found.read.text
    begin = max(bare.start - BEFORE, 0)
    seen = [each for each in _marker.finditer(text, begin, bare.start) if each[0] not in found.markers]
    for each in reversed(seen):
        near = difflib.get_close_matches(each[0], found.markers, n=1, cutoff=NEAR)
        if near:
            yield Story(
                "misspelt-marker",
                each.start(),
                f"{each[0]!r} stands before {bare.name!r}, and no known format has such a marker. The nearest one is "
                f"{near[0]!r}. A marker counts only as the model's chat template writes it, so this is content.",
            )
            return
