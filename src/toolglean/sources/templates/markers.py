# What the marker of a call looks like in the text that a template writes before and after a call. Does not depend on
# where that text came from.
#
# The text before a call, since the last value that is not part of it, may be
#
#   <|im_end|>\n<|im_start|>assistant\n</think>\n<tool_call>\n{"name": "
#   ──────── header of the message ──── ─ closer ─ ── tag ──
#
# First the header is removed, then anything that closes something else, then everything from the first `{` on. The tag
# is the first whole marker of what remains. A short tag is best, because models vary the white space around it.
"""Tags and closers, from the text around a call."""

from __future__ import annotations

import re

__all__ = ["GENERIC", "closer_for", "first_marker", "is_pair", "tag_before"]

GENERIC = "{"
"""The tag if a template has none: every object may be a call."""

MAX_CHARS = 4_000  # of the text before a call
MAX_TAG = 100  # a longer one is prose

# <x>, [x], <|x|>: what tokenizers often have as one token. A marker cannot contain the opening bracket of another one,
# so no text is looked at twice.
_MARKER = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Za-z_]{2,60}\]")
_ROLE = re.compile(
    r"(?:assistant|\bmodel(?=\n))[^\s<>\[\]]{0,8}[>\]]?(?:<[^<>\s]{0,20}(?:end|sep|mid)[^<>\s]{0,20}>)?[:\s]*",
    re.IGNORECASE,
)
_HEADER_WORDS = ("assistant", "chatbot", "start_of_turn", "im_start", "header", "role", "eot", "bos", "eos")
_ENDS = re.compile(r"</|\[/|(?<![a-z])(?:end|stop|close)(?![a-z])|(?:^|\W)think(?:ing)?\W", re.IGNORECASE)
_PAIR_WORDS = re.compile(r"begin|start|open|prefix|end|close|stop|suffix", re.IGNORECASE)


def tag_before(text: str) -> str:
    """The tag in the text that a template writes immediately before the first value of a call.

    Returns:
        The tag; "{" if there is none, "[" if the call is in a bare list.
    """
    text = _after_closers(_after_header(text[-MAX_CHARS:]).partition("{")[0])
    line = text.strip().partition("\n")[0].strip()
    tag = first_marker(line)
    return tag if 0 < len(tag) <= MAX_TAG else GENERIC


def first_marker(line: str) -> str:
    """The first whole marker of a line that begins with one; otherwise the line itself."""
    marker = _MARKER.match(line)
    return marker.group() if marker else line


def _after_header(text: str) -> str:
    return text[max((match.end() for match in _ROLE.finditer(text)), default=0) :]


def _after_closers(text: str) -> str:
    """The text without the markers at its beginning that close something else, or belong to a header."""
    pos = 0
    for match in _MARKER.finditer(text):
        marker = match.group()
        word = marker.lower()
        if _ENDS.search(marker) or any(each in word for each in _HEADER_WORDS):
            pos = match.end()
        elif not closer_for(marker, text[match.end() :]):  # a pair around something else is passed over
            break
    return text[pos:]


def closer_for(tag: str, text: str) -> str:
    """The closer of the tag in the text after a call; "" if nothing there is clearly one."""
    if tag == GENERIC:
        return ""
    opener = first_marker(tag)
    for match in _MARKER.finditer(text):
        if is_pair(opener, match.group()):
            return match.group()
    if "```" in tag:
        return "```" if "```" in text else ""
    return "]" if tag.endswith("[") and text.lstrip().startswith("]") else ""


def is_pair(opener: str, closer: str) -> bool:
    """Whether one marker closes the other, by its letters."""
    return opener != closer and _stem(opener) == _stem(closer) != ""


def _stem(marker: str) -> str:
    """What a tag and its closer have in common: the letters, without the words that distinguish the two."""
    element = re.match(r"<[A-Za-z_:]+(?=[ =])", marker)  # <function=… is closed by </function>
    marker = element.group() if element else marker
    return re.sub(r"[\W_]", "", _PAIR_WORDS.sub("", marker)).lower()
