# What is read between slots, after the arguments, and after a call. Does not depend on how the contents of a slot are
# read (arguments.py, texts.py), or on what is done with a call without a marker whose line continues (judge/drafts.py).
#
# Between slots: if no literal fits, a slot may begin. If no slot fits either, the walk goes back to the last place with
# an alternative: a slot that was passed over for a marker (a marker takes precedence over a slot), or a complete marker
# with an action (a longer one still fitted). If there is no alternative, the text is not a call.
#
# After arguments that end without a marker, with a parenthesis or a brace: `delete_all()` is a call. `delete_all() if
# sure else None`, `delete_all() == 1` and `[delete_all() for x in y]` are Python that would call it, or not, or more
# than once: a reader must not decide that. In the same way, a comment after JSON (`{"path": "/"} // cancelled`) may
# revoke the call, and so may words between JSON arguments and the call's closing marker. So the call stays open until
# the next character that is not white space. A line break ends it: what follows on the next line is text after a call
# that lacks its closing marker.
"""Between slots, and after a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.matcher.calls import begins, is_broken_off, no_call
from toolglean.engine.matcher.literals import accept, arrived
from toolglean.engine.matcher.reading import Stage
from toolglean.engine.matcher.walk import open_slot
from toolglean.engine.modes import DONE
from toolglean.engine.reasons import AFTER_ARGUMENTS, ANOTHER_MESSAGE, EXPRESSION, LEFTOVER_MARKER, NO_CLOSER, NO_MARKER
from toolglean.engine.repair.suspended import Refusal
from toolglean.engine.strays import Mark
from toolglean.formats.builder import BETWEEN_CALLS
from toolglean.formats.nfa import CLOSED_AGAIN, LEFTOVER, LITERAL, MARKUP, STOP

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import OpenSlot, Walk
    from toolglean.engine.repair.suspended import Put
    from toolglean.engine.turn import Turn
    from toolglean.formats.nfa import StateSet

__all__ = ["AFTER", "BETWEEN", "Ending"]

COMMENTS = ("//", "/*", "#", "-- ", "<!--")
JUNK, DASHES = " \t}])>,;:.!?*~|=\"'`", "-\u2013\u2014"
"""Between the arguments and the closing marker, these mean nothing by themselves."""
MOST_JUNK = 256  # characters
LONGEST_NAME = 256

_word = re.compile(r"\w[\w.:/-]*").match
_word_body = re.compile(r"[\w.-]*").match
# `, "dry_run":`, `, dry_run=` or `, dry_run:` behind the arguments goes on with them: the bracket was too early.
_next_argument = re.compile(
    r',\s{0,64}(?:"([\w.$ -]{1,64})"[ \t]{0,8}:|([^\W\d]\w{0,63})[ \t]{0,8}[=:][ \t]{0,8}[^=\s])'
).match
_argument_begun = re.compile(
    r',\s{0,64}(?:"[\w.$ -]{0,64}(?:"[ \t]{0,8})?|(?:[^\W\d]\w{0,63}[ \t]{0,8}(?:[=:][ \t]{0,8})?)?)'
).fullmatch


# -- between slots -----------------------------------------------------------------------------------------------------


class Between(Stage):
    """Literals and white space between slots."""

    __slots__ = ()

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        while i < len(text):
            j = walk.step(turn, text, i)
            if j == i:
                _astray(turn, reading, text[i], i)
                return i
            i, flags = j, walk.states.flags
            if not flags:
                continue
            closed = reading.call.closed
            if flags & CLOSED_AGAIN and closed is not None and not closed.is_closed_again(turn):
                closed.resume(turn, reading)
                return i
            # When a call begins, another limit is in force: the machine checks it before reading on.
            open_before = turn.emit.open
            if not arrived(turn, reading, turn.tape.base + i) or turn.emit.open != open_before:
                return i
        return i

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return Refusal(char, marker=_value_opener(reading.walk) if turn.emit.open else "")

    def put_in(self, put: Put) -> bool:
        """See `Stage`."""
        return True


def _value_opener(walk: Walk) -> str:
    # The marker that must precede a value, if only that is expected; "" elsewhere, and once it has begun.
    literals = () if walk.unsettled[0].strip() else walk.program.nfa.literals_at(walk.states)
    if len(literals) != 1:
        return ""
    states: StateSet | None = walk.states
    for char in literals[0]:
        states = states and walk.program.nfa.step(states, char)
    return literals[0] if states and any(edge.kind == "value" for edge in states.slots) else ""


def _astray(turn: Turn, reading: Reading, char: str, i: int) -> None:
    """No literal fits."""
    walk = reading.walk
    edges, passed = walk.states.slot_for(char), walk.others
    if edges:
        reading.enter(turn, edges, i)
    elif reading.call.closed is not None:
        reading.call.closed.resume(turn, reading)
    elif _gone_back(turn, reading):
        pass
    elif walk.pending_action is not None and turn.region.open:
        accept(turn, reading)
    elif turn.emit.open:
        turn.give_up(NO_MARKER, char, turn.tape.base + i)
    elif not reading.call.name or char == "\n" or turn.region.text.endswith("\n\n"):
        no_call(turn, reading)  # behind an empty line, or in its place, nothing stands for arguments
    else:
        awaited = [each for states in (walk.states, *(other for other, _ in passed)) for each in states.formats]
        no_call(turn, reading, awaits=(reading.call.name, awaited))


def _gone_back(turn: Turn, reading: Reading) -> bool:
    # Go back to a slot that was passed over for a marker.
    walk = reading.walk
    pending, start = walk.unsettled
    while (other := walk.back()) is not None:
        states, chars = other
        edges = states.slot_for(pending[chars])
        if not edges:
            continue
        if not begins(turn, reading, open_slot(walk.program, edges)):
            return True
        if not turn.read_again(pending[chars:], start + chars):
            return False
        if turn.region.open:
            turn.region.shorten(len(pending) - chars)
        reading.enter(turn, edges, -1)
        return True
    return False


# -- after the arguments -----------------------------------------------------------------------------------------------


class Ending(Stage):
    """What follows the parenthesis that closes a call, or the brace that closes its arguments."""

    __slots__ = ("_slot",)

    def __init__(self, slot: OpenSlot) -> None:
        self._slot = slot

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        if not walk.pending_chars:  # nothing of the prompt is read again, if it ends here
            walk.settle(turn.tape.base + i)
        while i < len(text):
            char = text[i]
            walk.wait(char)
            i += 1
            if char.isspace() and walk.pending_chars <= turn.limits.held and (char != "\n" or _is_in_list(walk)):
                continue
            rest = walk.unsettled[0].lstrip()
            ends = not rest or self._may_end(turn, reading, rest)
            if ends:
                self.completes(turn, reading)
            elif ends is False:
                self._refuse(turn, walk)
            if ends is not None:
                return i
        return i

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """The call has ended. What was read since is read again as what follows it."""
        pending, end = reading.walk.unsettled
        by_another = self._slot.is_tree and _is_marker(reading.walk, pending.lstrip()) is not True
        if by_another and (turn.emit.call.arguments == "{}" or is_broken_off(turn)):  # by another tag's closer
            turn.end_malformed(NO_CLOSER, turn.emit.call.name, end)
        else:
            turn.end_call(end)
        reading.go_after(reading.walk.states)
        turn.read_again(pending, end, always=True)
        return True

    def _may_end(self, turn: Turn, reading: Reading, rest: str) -> bool | None:
        # Whether the call may end before that; None: one more character is needed.
        draft = turn.judge.draft
        if self._slot.is_tree:
            is_marker = _is_marker(reading.walk, rest)
            return is_marker or (None if is_marker is None else _closes_another(turn, rest))
        if draft is not None and draft.is_plain:  # what follows is examined as text
            return True
        ends = self._is_behind(turn, reading, rest)
        if not ends:
            return ends
        more, call = _next_argument(rest), turn.emit.call
        if more is not None:  # without a closer, only a parameter tells it from prose
            return not (_has_closer(reading) or turn.names.has_parameter(call.name, more[1] or more[2]))
        return None if _argument_begun(rest) is not None else True

    def _is_behind(self, turn: Turn, reading: Reading, rest: str) -> bool | None:
        # The same, whatever a comma means.
        if self._slot.kind == "keywords":
            return _ends_python(reading.walk, rest)
        if not _has_closer(reading):  # so nothing that follows is inside the call, except a comment on its line
            return _is_no_comment(rest)
        if self._slot.kind == "call":
            return _ends_object(reading.walk, rest)
        return _ends_arguments(turn, reading.walk, rest)

    def _refuse(self, turn: Turn, walk: Walk) -> None:
        pending, place = walk.unsettled
        start = len(pending) - len(pending.lstrip())
        walk.settle_all()
        reason = EXPRESSION if self._slot.kind == "keywords" else AFTER_ARGUMENTS
        turn.give_up(reason, pending[start:], place + start)
        turn.read_again(pending[start:], place + start, always=True)


def _closes_another(turn: Turn, rest: str) -> bool | None:
    # Whether the call may end before that tag, which is not its closer: not before one that closes a parameter again,
    # and then another parameter. None: more text is needed.
    lead, sign, behind = rest.partition("</")
    key: str = _word_body(behind)[0]  # type: ignore[index]  # it matches the empty string
    if (
        not sign
        or len(rest) > LONGEST_NAME
        or not (key == behind or turn.names.has_parameter(turn.emit.call.name, key))
    ):
        return True
    following = behind[len(key) :].removeprefix(">").lstrip()
    if key == behind or f"{lead}<".startswith(following):
        return None
    name: str = _word_body(following.removeprefix(f"{lead}<"))[0]  # type: ignore[index]
    if following.endswith(name) and name:
        return None
    return not (following.startswith(f"{lead}<{name}") and turn.names.has_parameter(turn.emit.call.name, name))


def _ends_python(walk: Walk, rest: str) -> bool | None:
    # The same for Python: what follows is not an operator.
    if rest == "<":  # a marker, or "less than"
        return None
    if rest[0] == "<":
        return not (rest[1].isspace() or rest[1].isdigit() or rest[1] in "=!")
    return walk.program.nfa.step(walk.states, rest[0]) is not None and rest[0] not in "=!"


def _ends_arguments(turn: Turn, walk: Walk, rest: str) -> bool | None:
    # See `Ending`. Brackets, punctuation, and the beginnings of other markers do not speak against the call.
    is_marker = _is_marker(walk, rest)
    if is_marker is not False:
        return is_marker
    plain, junk = _ends_object(walk, rest), rest
    if not plain or not (rest := rest.lstrip(JUNK + DASHES)):
        return plain and _waits_behind(junk)
    word = None if _is_marker(walk, rest) else _word(rest)
    if word is None:
        return rest[0] != "{"  # more of the same kind
    if word.end() == len(rest) <= LONGEST_NAME:
        return None
    return bool(walk.states.slot_for(rest[0])) and turn.names.could_be_tool(word[0])


def _ends_object(walk: Walk, rest: str) -> bool | None:
    # The same where the whole call is JSON.
    is_marker = _is_marker(walk, rest)
    if is_marker is not False:
        return is_marker
    junk, rest = rest, rest.lstrip(JUNK)
    return _waits_behind(junk) if not rest else _is_no_comment(rest) if rest[0] != "(" else False


def _waits_behind(junk: str) -> bool | None:
    # All of it is looked at again with each character: what is longer is text. None: more text is needed.
    return None if len(junk) <= MOST_JUNK else False


def _is_no_comment(rest: str) -> bool | None:
    # None: one more character is needed.
    if rest.startswith(COMMENTS):
        return False
    return None if any(each.startswith(rest) for each in COMMENTS) else True


def _is_marker(walk: Walk, text: str) -> bool | None:
    # Whether the text begins with a marker that may follow; None: it is the beginning of one.
    states = walk.states
    for char in text:
        found = walk.program.nfa.step(states, char)
        if found is None:
            return False
        if found.flags & LITERAL:
            return True
        states = found
    return None


def _has_closer(reading: Reading) -> bool:
    # Without a closing marker, nothing that follows is inside the call.
    program, states, number = reading.walk.program, reading.walk.states, reading.call.format
    key = "has closer", states.key, number
    if key not in program.kept:
        brackets = any(closer[0] in ")]}" for closer in program.closers(number))
        program.kept[key] = brackets or bool(program.nfa.closers_at(states))
    return bool(program.kept[key])


def _is_in_list(walk: Walk) -> bool:
    key = "in list", walk.states.key
    if key not in walk.program.kept:
        literals = walk.program.nfa.literals_at(walk.states)
        walk.program.kept[key] = any(each.startswith("]") for each in literals)
    return bool(walk.program.kept[key])


# -- after the call ----------------------------------------------------------------------------------------------------


class After(Stage):
    """What follows a call: markup, another call without an opener, or the end of the section."""

    __slots__ = ()

    within = ""

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        if not walk.pending_chars:
            if text[i].isspace():
                return turn.wait_for_more(text, i)
            walk.set_out(turn.tape.base + i)
        j = walk.advance(text, i)
        if j == i:
            _beyond(turn, reading, text[i], i)
        elif walk.states.flags & LITERAL:
            _literal_after(turn, reading, turn.tape.base + j)
        elif turn.judge.draft is not None and walk.unsettled[0].strip() in BETWEEN_CALLS:  # the rest of a line decides
            turn.leave(text_follows=False)
            turn.read_again(*walk.unsettled, always=True)
        return j

    def finish(self, turn: Turn, reading: Reading) -> bool:
        """See `Stage`."""
        text, start = reading.walk.unsettled
        turn.leave(text_follows=bool(text))
        turn.say(text, start)
        return True


def _beyond(turn: Turn, reading: Reading, char: str, i: int) -> None:
    # What follows no longer belongs to the call. Its closer may still come, after text that should not be there.
    walk = reading.walk
    pending, start = walk.unsettled
    turn.expect_late_closers(walk.program.nfa.closers_at(walk.origin() if pending else walk.states), turn.tape.base + i)
    if pending.strip() in BETWEEN_CALLS and char == "{" and walk.states.slot_for(char):
        turn.emit.set_aside(Mark(pending, start), (), 0)
        walk.settle_all()
    elif pending:
        if not _is_name(turn, reading, pending, start):
            turn.leave(text_follows=False)
            if not turn.read_again(pending, start):
                turn.say(pending, start)
        return
    edges = walk.states.slot_for(char)
    if edges:
        turn.open_region(turn.tape.base + i, 0, bare=turn.region.bare)  # if it is not a call, a marker may begin there
        reading.enter(turn, edges, i)
    else:
        turn.leave(text_follows=False)


def _is_name(turn: Turn, reading: Reading, pending: str, start: int) -> bool:
    # A call without a marker may begin like a marker: `plan(` like `print(`.
    origin = reading.walk.origin()
    edges = origin.slot_for(pending[0])
    if origin is reading.walk.states or not edges or not turn.read_again(pending, start):
        return False
    turn.open_region(start, 0, bare=turn.region.bare)
    reading.walk.settle(start)
    reading.enter(turn, edges, -1)
    return True


def _literal_after(turn: Turn, reading: Reading, here: int) -> None:
    walk = reading.walk
    text, start = walk.unsettled
    flags = walk.states.flags
    if flags & STOP:
        turn.leave(text_follows=True)
        turn.enter(DONE)
        turn.emit.problem(ANOTHER_MESSAGE, text.strip(), start)
        turn.say(text, start)
    elif flags & (MARKUP | LEFTOVER):
        if not flags & MARKUP:
            turn.emit.problem(LEFTOVER_MARKER, text, start)
        turn.emit.markup(text, start)
        walk.settle_all()
    else:
        turn.open_region(start, 0, bare=turn.region.bare)  # a call whose first literal is JSON itself, or a word
        turn.region.keep(text)
        reading.go_on()
        arrived(turn, reading, here)


BETWEEN, AFTER = Between(), After()
"""They have no state, so one of each is enough."""
