# What may be between calls and after the last one without being a call or content. Does not know how calls are read.
"""Between calls, and after them."""

from __future__ import annotations

import re

from toolglean.scan.by_schema.source import Source
from toolglean.scan.by_schema.tags import compact
from toolglean.scan.by_schema.words import END_SIGNS, ends, parts_of

__all__ = ["after_frame", "after_separator"]

MAX_WORDS = 3  # of a tag that ends a turn

_rule = re.compile(r"[ \t\r\n]*(?:[,;|]|([-=*_~+#.])\1{2,}(?=[ \t]*\r?\n))?[ \t\r\n]*").match
_signs = r"[^\w\s\"'`(){}\[\]<>]{0,6}"
_stop_line = re.compile(rf"{_signs}[ \t]*(\w[\w -]{{0,15}}?)[ \t]*{_signs}|[{END_SIGNS}]{{1,3}}").fullmatch
_TURNS = frozenset(
    {"turn", "reply", "message", "msg", "assistant", "answer", "end", "done", "over", "stop", "fin", "eot", "halt"}
)
_WHOLES = frozenset({"", "turn", "ofturn", "text", "oftext", "message", "ofmessage", "reply", "ofreply", "answer"})


def after_frame(source: Source, pos: int, end: int) -> int:
    """Where the next frame may begin after one that ended at `pos`: after white space, a comma, or a rule.

    At the end of the whole text, one more line or tag may say that the turn is over.
    """
    at = source.after_space(pos)
    if at >= end or (end == len(source.text) and _ends_turn(source, at)):
        return end
    rule = _rule(source.text, pos, end)
    return rule.end() if rule else at


def after_separator(source: Source, pos: int, end: int) -> int:
    """The end of a tag at `pos` that only separates two frames; 0 if there is none."""
    tag = source.opener_at(pos, end)
    if tag is None or tag.element in source.tools:
        return 0
    after = source.after_space(tag.end)
    return after if after < end else 0


def _ends_turn(source: Source, pos: int) -> bool:
    # Whether nothing but a tag follows that is written nowhere else, or a line that says that this is the end.
    rest = source.text[pos:].rstrip()
    line = _stop_line(rest)
    if line and source.starts_line(pos) and (line[1] is None or ends(line[1])):
        return True
    tag = source.tag_at(pos)
    if tag is None or tag.pairs or tag.left == "(" or tag.end < pos + len(rest) or len(tag.words) > MAX_WORDS:
        return False
    if _TURNS.isdisjoint(parts_of(" ".join(tag.words))):
        return False  # it closes what is before the text, or is text: `[see below]`
    word = compact(" ".join(tag.words))
    is_other = word.startswith("end") and word[3:] not in _WHOLES
    return not (is_other or any(each in source.tools for each in tag.words)) and source.text.find(rest) == pos
