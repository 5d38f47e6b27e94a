# How text is read while no call is open: up to what may be an opener, a closer, or the end of a fence; and what is done
# with text in every other mode of the machine. Does not know where the text comes from, or which text never comes here
# (machine.py, fast.py).
"""The steps of the machine's loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolglean.engine.judge.fence import read_closing, read_opening
from toolglean.engine.modes import CONTENT, DONE, START, TEXT
from toolglean.engine.reasons import LEFTOVER_MARKER, Kind
from toolglean.engine.strays import Mark
from toolglean.scan.text import FENCES, is_code, with_closers

if TYPE_CHECKING:
    from toolglean.engine.plan import Plan
    from toolglean.engine.tape import Piece
    from toolglean.engine.turn import Turn
    from toolglean.scan.text import Finder

__all__ = [
    "STEPS",
    "begin",
    "begin_of_orphans",
    "ends_with_orphans",
    "keep_before_cut",
    "quotes_as_fence",
    "repairer",
    "text_before_marker",
]

_MARKER_BEGINS = ("<", "[")  # other text that waits may be a word, or end a quotation
BEHIND_QUOTED = frozenset(")]”’）」』")  # what follows a word in brackets or in quotation marks
QUOTES = frozenset("\"'`")  # the same, if it is before the word, too
BEHIND_WORD = frozenset(",;，；、")  # no reasoning begins so
BEFORE_WORD = frozenset(" `\"'(\u201c\u2018\u300c")  # before a word that the reasoning mentions
CLOSER = 48  # characters: LONGEST of formats/orphans.py, which few turns load


def _read_start(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """White space at the start of the turn; what follows it may be a call without a marker."""
    base = turn.tape.base
    j = _end_of_space(text, i)
    if plan.spaced or turn.emit.strays.marks:
        turn.emit.space(text[i:j], base + i)
        turn.judge.space(text[i:j])
    else:
        turn.say(text[i:j], base + i)
    if j == len(text):
        return j
    read = _begin_at_start(turn, plan, text, j)
    if read < 0:
        turn.enter(DONE if plan.stops_after_bare else TEXT)
    return max(read, j)


def _begin_at_start(turn: Turn, plan: Plan, text: str, i: int) -> int:
    # What begins the turn at `i`, if it is no text: returns the place reached; -1 for text.
    if text[i] in FENCES and turn.judge.heeds_quotes and (read := read_opening(turn, plan, text, i)) >= 0:
        return read
    if turn.emit.strays.marks and text[i] not in FENCES:  # behind a marker without a call, only a fence may be one
        return -1
    place, found = plan.text_finder(turn).find(text, i, turn.last_text) if plan.marked else (-1, "")
    if place == i and not found:
        return turn.hold(text, i)
    if place == i and not found[0].isalpha():  # a marker: after it an unknown name is accepted; a word may not be one
        turn.enter(TEXT)
        return i
    if plan.waits_at_start(turn, text, i):
        return turn.hold(text, i)
    begun = plan.begin_bare(turn, text, i) if plan.bare else None
    if begun is None:
        return -1
    payload, read = begun
    turn.read_with(payload)
    return i + read


def _read_text(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """Content or reasoning, until a tag."""
    judge, base = turn.judge, turn.tape.base
    # Reasoning has code of its own: only content ends the fence.
    if judge.fence and turn.channel == CONTENT and (end := read_closing(turn, text, i)) > i:
        return end
    own, awaited = plan.text_finder(turn), turn.emit.strays.awaited
    place, found = _with_awaited(turn, own).find(text, i, turn.last_text)
    if (orphans := begin_of_orphans(turn, text, i, place)) < place:
        return _read_orphans(turn, text, i, (orphans, place), found)
    end, waits = _say_text(turn, text, i, place, found)
    if waits:
        return turn.hold(text, end)
    # If a marker that waited turned out to be text, something else is looked for now.
    if end < place or (found and end > i and turn.emit.strays.awaited != awaited):
        return end
    return _read_found(turn, plan, (text, place, base), found, own) if found else turn.hold(text, place)


def _read_found(turn: Turn, plan: Plan, piece: Piece, found: str, own: Finder) -> int:
    # What was found at the piece's place: a fence, text after all, a closer, or an opener.
    text, place, base = piece
    end = place + len(found)
    is_mentioned = _is_mentioned(turn, plan, (found, base + place), text[end : end + 2])
    if is_mentioned is None:
        return turn.hold(text, place)
    is_text = is_mentioned or _is_text(turn, plan, found, base + place, own)
    is_escaped = not is_text and turn.is_escaped(base + place) and plan.opens_call(found)
    if (is_fence := quotes_as_fence(turn, found)) or is_escaped:
        from toolglean.engine.missed import quote  # noqa: PLC0415  # few turns have such a fence

        quote(turn, found, base + place, is_code=is_fence)
        return place + len(found)
    if is_text:
        turn.say(found, base + place)
        return place + len(found)
    if turn.channel == CONTENT:
        turn.judge.marker_follows(base + place, trusted=turn.tape.is_trusted(base + place))
        if turn.is_over:
            turn.end()
            return place
    else:
        turn.judge.marker_in_reasoning(base + place, turn.last_text)
    if _is_closer(turn, plan, found, base + place):
        return place + len(found)
    return place + begin(turn, plan, found, base + place)


def begin_of_orphans(turn: Turn, text: str, i: int, end: int) -> int:
    """Where closers begin that nothing may have opened, if the text up to `end` ends with such; else `end`."""
    if turn.channel != CONTENT or turn.has_tags or not turn.rules.drops_orphans:
        return end
    if text.rfind("<", max(i, end - CLOSER), end) < 0 and text.find("[/", max(i, end - CLOSER), end) < 0:
        return end
    from toolglean.formats.orphans import orphans_begin  # noqa: PLC0415  # few turns have one

    return orphans_begin(text, i, end)


def _read_orphans(turn: Turn, text: str, i: int, part: tuple[int, int], found: str) -> int:
    # The text up to the part is content, and the part is closers, before that marker or before what waits.
    begin, end = part
    if begin > i:
        read, waits = _say_text(turn, text, i, begin, found and text[begin:end] + found)
        return turn.hold(text, read) if waits else read
    from toolglean.formats.orphans import are_orphans  # noqa: PLC0415  # few turns have one

    if not turn.may_end_with_orphans or (found and not are_orphans(text[begin:end])):
        turn.say(text[begin:end], turn.tape.base + begin)
        return end
    if not found:
        return turn.hold(text, begin)
    turn.set_orphans_aside(text[begin:end], turn.tape.base + begin)
    return end


def ends_with_orphans(turn: Turn, held: str) -> bool:
    """Whether what waits at the end of the turn is closers that nothing opened."""
    if not (turn.rules.drops_orphans and held[:1] in {"<", "["} and turn.channel == CONTENT):
        return False
    from toolglean.formats.orphans import are_orphans  # noqa: PLC0415

    return turn.may_end_with_orphans and are_orphans(held)


def _with_awaited(turn: Turn, finder: Finder) -> Finder:
    # Finds the closers too for which the turn waits.
    closers = (*turn.judge.closers.looked_for, *turn.emit.strays.awaited)
    return with_closers(finder, closers) if closers else finder


def text_before_marker(turn: Turn, plan: Plan, held: str) -> int:
    """How much of what waits is text before the beginning of a marker: a line that may begin a call waits too."""
    if turn.mode is not TEXT:
        return 0
    place, _ = _with_awaited(turn, plan.text_finder(turn)).find(held, 0, turn.last_text)
    return place if place < len(held) else 0


def keep_before_cut(turn: Turn, held: str) -> None:
    """The turn ends in a marker, or in what a marker has begun: behind a call in a sentence, that is no text.

    `held`: what may have become a marker.
    """
    begun = turn.payload is not None and not turn.region.bare and not turn.emit.open
    draft, sign = turn.judge.draft, (turn.region.text if begun else held)[:1]
    may_be = sign in _MARKER_BEGINS or (begun and not sign)  # its text is kept no more; a word is text: `tool_call>`
    if draft is not None and draft.kind is Kind.MENTION and may_be:
        turn.keep_line()


def _say_text(turn: Turn, text: str, i: int, place: int, found: str) -> tuple[int, bool]:
    # Emit the text up to `place`, where that marker was found, or up to a line that may begin a call in an undeclared
    # spelling. Returns its end, and whether what follows waits for more text.
    base = turn.tape.base
    if not turn.reads_by_schema or turn.channel != CONTENT:
        if place > i:
            turn.say(text[i:place], base + i)
        return place, False
    awaited = turn.emit.strays.awaited
    while True:  # line by line: the search for the marker, which may be far away, is not repeated for each line
        end, waits = turn.part_at_line(text, i, place, last=turn.last_char, start=base, marker=found)
        if end > i:
            turn.say_up_to(text, i, end)
        over = waits or end >= place or end == i or turn.mode is not TEXT or turn.tape.waiting is not None
        if over or turn.tape.base != base or turn.judge.draft is not None or turn.emit.strays.awaited != awaited:
            return end, waits
        i = end


def _is_text(turn: Turn, plan: Plan, found: str, start: int, own: Finder) -> bool:
    # Whether what was found is ordinary text: it does not end anything before it.
    is_own = found in own.literals
    if not is_own and _is_too_late(turn, found, start):
        return True
    return is_own and not plan.may_begin(turn, found)


def _is_mentioned(turn: Turn, plan: Plan, marker: tuple[str, int], behind: str) -> bool | None:
    # Whether a marker, which is at that place, is only written about: in reasoning, between backticks; and one that
    # opens or closes reasoning, in a sentence that goes on behind it: `a <think> tag`. `behind`: what follows it. None:
    # that has not come yet.
    found, start = marker
    thoughts, before = turn.rules.thoughts, turn.last_text[-1:]
    is_thought = found in thoughts or found.replace("/", "", 1) in thoughts
    if turn.channel != CONTENT:
        if before == "`" and behind[:1] in {"", "`"}:
            return True if behind else None
        # An opener behind a word is no second one.
        is_word = found in thoughts and found[1].isalpha() and before in BEFORE_WORD
        return is_word and not turn.tape.is_trusted(start)
    if not (is_thought and turn.has_content and turn.in_sentence):
        return False
    if behind in {"", " "} or (behind == "]" and before != "[" and "/" not in found):
        return None
    in_code = behind[0] == "`" and turn.judge.in_doubt and found not in thoughts
    is_quoted = behind[0] in BEHIND_QUOTED and (behind != "]<" or before == "[" or "/" in found)  # MiniMax's marker
    if in_code or is_quoted or (behind[0] == before and before in QUOTES):
        return True
    is_alone = before == " " and turn.rules.marks is not None
    is_word = is_alone and (behind[0] in BEHIND_WORD or (behind[0] == " " and behind[1].islower()))
    if is_word and not turn.calls_ignored:  # as likely as not: what follows may be a plan
        turn.judge.mention(plan.reasoning_channel() if found in thoughts else CONTENT)
    return is_word


def _end_of_space(text: str, i: int) -> int:
    while i < len(text) and text[i].isspace():
        i += 1
    return i


def quotes_as_fence(turn: Turn, found: str) -> bool:
    """Whether what was found is a fence of code after other text."""
    return (
        found[0] == "`" and is_code(found) and turn.judge.heeds_quotes and turn.has_content and turn.channel == CONTENT
    )


def _is_too_late(turn: Turn, found: str, place: int) -> bool:
    # Then it is ordinary text, and nothing ends before it.
    return turn.judge.closers.is_too_late(found, place) and found not in turn.emit.strays.awaited


def _is_closer(turn: Turn, plan: Plan, found: str, place: int) -> bool:
    """Whether that is a closer for which the turn waits. If so, it has been read."""
    closers = turn.judge.closers
    if closers.is_awaited(found):
        turn.say(found, place)
        if not turn.judge.ignores_calls:  # in a quotation that it does not end it closes nothing
            turn.judge.heed(turn.judge.closers.trusting())
        return True
    awaited = turn.emit.strays.awaited
    unexpected = found not in awaited and found not in closers.late
    if unexpected or found in plan.finder(turn.channel, turn.narrowed_to).literals:
        return False
    if found in awaited:
        turn.leave(text_follows=False)
        turn.emit.set_aside(Mark(found, place), (), 0)
        turn.emit.closed(found)
    else:
        _late_closer(turn, found, place)
    return True


def begin(turn: Turn, plan: Plan, found: str, start: int) -> int:
    """Let the payload that the opener begins read on; returns how much of the opener it has read."""
    payload, read = plan.begin(turn, found, start)
    turn.read_with(payload)
    return read


def _late_closer(turn: Turn, closer: str, place: int) -> None:
    # The closer of the last call is markup, unless it comes too late, or in reasoning or code.
    closers = turn.judge.closers
    if turn.channel != CONTENT or turn.judge.in_doubt or place > closers.until:
        turn.say(closer, place)
        return
    turn.emit.problem(LEFTOVER_MARKER, closer, place)
    turn.emit.markup(closer, place)
    turn.emit.closed(closer)
    turn.judge.heed(closers.expecting(turn.emit.strays.around, closers.until))


def _read_space(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """White space after a call: what follows decides what it belongs to."""
    j = turn.wait_for_more(text, i)
    draft = turn.judge.draft
    if j == len(text):
        return j
    is_another = text[j] in FENCES and draft is not None and draft.is_fence_over(turn.tape.base + j)
    read = _begin_at_start(turn, plan, text, j) if is_another else -1
    if read < 0:
        turn.leave(text_follows=True)
    return max(read, j)


def _read_marker_space(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """White space next to a marker is markup."""
    del plan
    j = _end_of_space(text, i)
    turn.emit.markup(text[i:j], turn.tape.base + i)
    turn.pass_space(text[i:j])
    if j < len(text) and turn.is_over:
        turn.end()
    elif j < len(text):
        turn.enter(START if turn.at_start and turn.channel == CONTENT else TEXT)
    return j


def _read_rest_of_call(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """The rest of a malformed call."""
    assert turn.payload is not None
    end = turn.payload.skip(turn, text, i, plan.thoughts)
    turn.judge.skipped(text[i : end - len(turn.tape.held)], turn.tape.base + i)
    return end


def _read_repair(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """The rest of a call that may have to be repaired."""
    del plan
    place: int = repairer().read_repair(turn, text, i)
    return place


def repairer() -> Any:
    """The repairer. Imported lazily, because few turns need it."""
    from toolglean.engine.repair import repairer as found  # noqa: PLC0415

    return found


def _read_to_the_end(turn: Turn, plan: Plan, text: str, i: int) -> int:
    """Everything is content."""
    del plan
    turn.emit.content(text[i:], turn.tape.base + i)
    return len(text)


# By the numbers of modes.py; CALL, the last one, is read by payloads.
STEPS: tuple[Callable[[Turn, Plan, str, int], int], ...] = (
    _read_start,
    _read_text,
    _read_space,
    _read_marker_space,
    _read_rest_of_call,
    _read_to_the_end,
    _read_repair,
)
