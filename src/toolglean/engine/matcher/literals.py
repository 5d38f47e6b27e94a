# What becomes of a literal that a walk has read: it ends a value or a call, or is a marker without a call. Does not
# depend on how a call begins and ends (calls.py).
"""What a literal on a walk means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.matcher.calls import end_call, end_value, is_over, no_call, read_by_others
from toolglean.engine.matcher.ending import waits_behind
from toolglean.engine.matcher.fallback import FRAMED, OWN
from toolglean.engine.modes import CONTENT
from toolglean.engine.reasons import LEFTOVER_MARKER, UNOPENED_REASONING
from toolglean.formats.builder import BEGIN_CONTENT, BEGIN_USER_TEXT, CLOSE_REASONING, DROP, OPEN_REASONING, STRAY
from toolglean.formats.nfa import ACTION, EMPTY, END, FOLLOWS, LITERAL, NAMED, START

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.turn import Turn

__all__ = ["accept", "accept_with_follower", "arrived"]


def arrived(turn: Turn, reading: Reading, here: int) -> bool:
    """States with flags were reached. False: another stage follows, or the reading is over."""
    walk, call = reading.walk, reading.call
    flags = walk.states.flags
    if walk.needs_follower and flags & FOLLOWS:
        accept_with_follower(turn, reading)
        return False
    if flags & EMPTY and not flags & END and not turn.emit.open:
        return _nothing_in_it(turn, reading)
    if flags & NAMED:
        call.take("name", walk.states.name)
    if flags & END:
        if is_over(turn, reading) and not waits_behind(reading):
            end_call(turn, reading, here)
        return False
    if flags & LITERAL and call.closed is not None and not end_value(turn, reading, call.closed, here):
        return False
    if turn.emit.open or flags & START:
        if flags & LITERAL:
            walk.settle(here)
    elif flags & ACTION and not walk.states.chars and not walk.states.slots:
        accept(turn, reading)
        return False
    return True


def _nothing_in_it(turn: Turn, reading: Reading) -> bool:
    # A section without a call: next to a call it is markup, elsewhere a mention.
    if turn.emit.index and not turn.calls_ignored:
        turn.keep_line()
        turn.leave(text_follows=False)
        turn.drop_region(LEFTOVER_MARKER)
        return False
    closers = reading.walk.program.closers_of(turn.region.text[: turn.region.opener_length])
    turn.region.settle()
    if turn.may_set_aside():
        turn.set_aside(tuple(each for each in closers if each not in turn.region.text))
    else:
        no_call(turn, reading)
    return False


def accept(turn: Turn, reading: Reading) -> None:
    """A complete marker with an action was read, and no longer marker fits."""
    assert reading.walk.pending_action is not None
    if reading.fallback.role is OWN and read_by_others(turn, reading, None, FRAMED):
        return
    action, chars = reading.walk.pending_action
    draft = turn.judge.draft
    if draft is not None and draft.is_over_at(action == DROP, action == STRAY, action >= OPEN_REASONING):
        turn.end_draft(turn.region.start)
        return
    if turn.channel == CONTENT and _is_text(turn, action):
        if action >= OPEN_REASONING and turn.judge.quotes_as_json:  # it may be none: calls behind it may be plans
            turn.judge.mention(action - OPEN_REASONING)
        turn.leave(text_follows=True)  # a quotation ends only at its own end
        turn.release_region()
        return
    if turn.region.fence_line:
        _quote_as_fence(turn)
        return
    if turn.region.text.startswith(reading.walk.program.borrowed):
        turn.widen()
    sentence = turn.last_text if turn.in_sentence and _opens_message(action, turn.region.text[:chars]) else ""
    turn.pass_marker(chars)
    turn.markup_region(chars, UNOPENED_REASONING if action == STRAY and (turn.has_content or turn.emit.index) else None)
    if action == STRAY:
        turn.judge.mention(CONTENT)  # what a word of a sentence may have opened is over
    if action in {CLOSE_REASONING, BEGIN_CONTENT, BEGIN_USER_TEXT}:
        turn.enter_content(for_user=action == BEGIN_USER_TEXT, at_start=action == CLOSE_REASONING)
    elif action >= OPEN_REASONING:
        turn.enter_channel(action - OPEN_REASONING)
    else:  # a dropped marker
        turn.enter_channel(turn.channel, ends_message=True)
    turn.remember(sentence)


def _quote_as_fence(turn: Turn) -> None:
    # A marker without a call is first in the fence that opens the turn: the fence quotes what is in it.
    lead = turn.region.fence_line
    turn.judge.open_fence("")
    turn.leave(text_follows=True)
    text, start = turn.take_region()
    turn.say(text[:lead], start)
    if not turn.read_again(text[lead:], start + lead):
        turn.say(text[lead:], start + lead)


def _is_text(turn: Turn, action: int) -> bool:
    # Whether a marker is text: one that is dropped elsewhere is escaped, or closes a tag of the text; one of reasoning
    # may be quoted, or is a word.
    if action < OPEN_REASONING and action not in {STRAY, CLOSE_REASONING}:
        return action == DROP and turn.keeps_end(turn.region.text.strip(), turn.region.start)
    draft = turn.judge.draft
    in_code = draft is not None and draft.is_quoted and draft.quotes_marker(turn.region.start)
    return in_code or turn.is_quoted_here or _is_no_header(turn)


def _is_no_header(turn: Turn) -> bool:
    # Behind text, the end of a header opens no reasoning, and neither does a whole one that is a word of a sentence.
    text = turn.region.text.lstrip()
    if text.startswith("<|start|>"):
        return turn.in_sentence and turn.last_char == " " and not turn.tape.is_trusted(turn.region.start)
    return turn.in_line and text.startswith(("<|message|>", "to="))


def _opens_message(action: int, marker: str) -> bool:
    from toolglean.formats.headers import HEADERS  # noqa: PLC0415  # few turns need it

    is_header = action == BEGIN_CONTENT or (action == DROP and marker.strip().startswith(HEADERS))
    return is_header and "\n" not in marker


def accept_with_follower(turn: Turn, reading: Reading) -> None:
    """A dropped marker is followed by another one, or by the end of the turn."""
    turn.pass_marker(reading.walk.needs_follower)
    turn.markup_region(reading.walk.needs_follower)
    turn.enter_channel(turn.channel)
