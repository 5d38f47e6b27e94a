# What this file knows: what may follow the last character of a call's arguments, where that is no marker: the closing
# parenthesis of a call in Python, the closing brace of JSON.
# Does not depend on how arguments are read, or on what becomes of a call without a marker whose line goes on
# (draft.py).
#
# `delete_all()` is a call. `delete_all() if sure else None`, `delete_all() == 1` and `[delete_all() for x in y]` are
# Python that would call it, or not, or more than once: a reader must not choose. In the same way, words or a comment
# between JSON and the call's closing marker (`{"path": "/"} // cancelled`) may take the call back. The parenthesis and
# the brace do not tell, so the call stays open until the next character that is not white space. A line break ends it:
# what follows on the next line is text after a call that lacks its closing marker.
"""The end of a call whose arguments end without a marker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.places.phases import ENDING
from toolglean.formats.net import LITERAL
from toolglean.scan.rope import grown, joined

if TYPE_CHECKING:
    from toolglean.engine.places.walk import Walk
    from toolglean.engine.turn import Turn

__all__ = ["await_end", "awaits_end", "complete", "read_ending"]

EXPRESSION = "malformed call: it is a part of an expression"
BEHIND_ARGUMENTS = "malformed call: text after the arguments"
COMMENT = "<!--"
REMARKS = "/#("
"""With these begins what is said of a call, not a marker."""
LONGEST_NAME = 256

_word = re.compile(r"\w[\w.:/-]*").match


def awaits_end(walk: Walk) -> bool:
    """Whether what follows the arguments must be seen before the call is complete."""
    edge = walk.edges[0]
    return edge.kind == "keywords" or (edge.last and _has_closer(walk))


def await_end(walk: Walk) -> None:
    """The arguments have ended; the call has, if what follows says nothing else."""
    walk.phase = ENDING


def read_ending(turn: Turn, walk: Walk, text: str, i: int) -> int:
    """What follows the arguments."""
    if not walk.pending_chars:  # the same place, but where the prompt ends: nothing of it is read again
        walk.pending_start = turn.base + i
    decides = _ends_python if walk.edges[0].kind == "keywords" else _ends_json
    while i < len(text):
        char = text[i]
        walk.pending = grown(walk.pending, char)
        walk.pending_chars += 1
        i += 1
        if char.isspace() and walk.pending_chars <= turn.limits.held and (char != "\n" or _is_in_list(walk)):
            continue
        pending = joined(walk.pending)
        ends = not pending.strip() or decides(turn, walk, pending)
        if ends:
            complete(turn, walk)
        elif ends is False:
            _refuse(turn, walk, pending)
        if ends is not None:
            return i
    return i


def _ends_python(turn: Turn, walk: Walk, pending: str) -> bool | None:
    # Whether the call may end before that; None: one more character tells.
    rest = pending.lstrip()
    if turn.judge.draft is not None and turn.judge.draft.is_alone:  # what follows is looked at as text
        return True
    if rest == "<":  # of a marker, or is less than
        return None
    if rest[0] == "<":
        return not (rest[1].isspace() or rest[1].isdigit() or rest[1] in "=!")
    return walk.program.net.step(walk.place, rest[0]) is not None and rest[0] not in "=!"


def _ends_json(turn: Turn, walk: Walk, pending: str) -> bool | None:
    # The same after JSON. Punctuation, and what begins other markers, says nothing against the call.
    rest = pending.lstrip()
    is_marker = _is_marker(walk, rest)
    if is_marker is not False:
        return is_marker
    if len(rest) < len(COMMENT) and COMMENT.startswith(rest):
        return None
    word = _word(rest)
    if word is None:
        return not (rest[0] in REMARKS or rest.startswith(COMMENT))
    if word.end() == len(rest) <= LONGEST_NAME:
        return None
    return bool(walk.place.hole_for(rest[0])) and turn.names.may_be(word[0])


def _is_marker(walk: Walk, text: str) -> bool | None:
    # Whether the text begins with a marker that may follow; None: it is the beginning of one.
    place = walk.place
    for char in text:
        found = walk.program.net.step(place, char)
        if found is None:
            return False
        if found.flags & LITERAL:
            return True
        place = found
    return None


def _has_closer(walk: Walk) -> bool:
    # Without a closing marker, nothing that follows is inside the call.
    key = "has closer", walk.place.key, walk.format
    if key not in walk.program.kept:
        brackets = any(closer[0] in ")]}" for closer in walk.program.closers(walk.format))
        walk.program.kept[key] = brackets or bool(walk.program.net.closers_at(walk.place))
    return bool(walk.program.kept[key])


def _is_in_list(walk: Walk) -> bool:
    key = "in list", walk.place.key
    if key not in walk.program.kept:
        literals = walk.program.net.literals_at(walk.place)
        walk.program.kept[key] = any(each.startswith("]") for each in literals)
    return bool(walk.program.kept[key])


def complete(turn: Turn, walk: Walk) -> None:
    """The call has ended; what was read since is read as what follows it."""
    pending, end = joined(walk.pending), walk.pending_start
    turn.end_call(end)
    walk.go_behind(walk.place)
    turn.read_again(pending, end, always=True)


def _refuse(turn: Turn, walk: Walk, pending: str) -> None:
    place, start = walk.pending_start, len(pending) - len(pending.lstrip())
    walk.clear_pending()
    reason = EXPRESSION if walk.edges[0].kind == "keywords" else BEHIND_ARGUMENTS
    turn.give_up(reason, pending[start:], place + start)
    turn.read_again(pending[start:], place + start, always=True)
