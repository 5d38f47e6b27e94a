# How a call ends where its last sign may come too early: a parenthesis, a brace, a closing marker within its section.
# Does not know how arguments are read (arguments.py), or what follows a call (between.py).
#
# `delete_all()` is a call. `delete_all() if sure else None`, `delete_all() == 1` and `[delete_all() for x in y]` are
# Python that would call it, or not, or more than once: a reader must not decide that. In the same way, a comment after
# JSON (`{"path": "/"} // cancelled`) may revoke the call, and so may words between JSON arguments and the call's
# closing marker. So the call stays open until the next character that is not white space. A line break ends it: what
# follows on the next line is text after a call that lacks its closing marker. But a comma and another argument go on
# with the call, on whatever line; and so does a parameter behind a closing marker.
"""The end of arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.matcher.calls import end_call
from toolglean.engine.matcher.reading import Stage
from toolglean.engine.reasons import AFTER_ARGUMENTS, EXPRESSION, LEFTOVER_MARKER, NO_CLOSER
from toolglean.formats.nfa import LITERAL, TAG
from toolglean.formats.parameters import heads_of_parameter

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import OpenSlot, Walk
    from toolglean.engine.reasons import Reason
    from toolglean.engine.turn import Turn

__all__ = ["Behind", "Ending", "waits_behind"]

COMMENTS = ("//", "/*", "#", "-- ", "<!--")
JUNK, DASHES = " \t}])>,;:.!?*~|=\"'`", "-\u2013\u2014"
"""Between the arguments and the closing marker, these mean nothing by themselves."""
BRACKETS = "}]) \t\r\n"
"""If nothing else is between the arguments and the closing marker, they are no text, even with line breaks."""
MOST_JUNK = 256  # characters
LONGEST_NAME = 256

INPUT = "action input:"
"""Behind `Action: f()`, on the next line, it has the arguments, as in ReAct: the parentheses have none, or others."""

_word = re.compile(r"\w[\w.:/-]*").match
_word_body = re.compile(r"[\w.-]*").match
# `, "dry_run":`, `, dry_run=` or `, dry_run:` behind the arguments goes on with them: the bracket was too early.
_next_argument = re.compile(
    r',\s{0,64}(?:"([\w.$ -]{1,64})"[ \t]{0,8}:|([^\W\d]\w{0,63})[ \t]{0,8}[=:][ \t]{0,8}[^=\s])'
).match
_argument_begun = re.compile(
    r',\s{0,64}(?:"[\w.$ -]{0,64}(?:"[ \t]{0,8})?|(?:[^\W\d]\w{0,63}[ \t]{0,8}(?:[=:][ \t]{0,8})?)?)'
).fullmatch


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
            on_line = char != "\n" or _is_in_list(walk) or _may_have_input(reading)
            if char.isspace() and walk.pending_chars <= turn.limits.held and on_line:
                continue
            rest = walk.unsettled[0].lstrip()
            ends = not rest or self._may_end(turn, reading, rest)
            if ends:
                self.completes(turn, reading)
            elif ends is False:
                _refuse(turn, walk, EXPRESSION if self._slot.kind == "keywords" else AFTER_ARGUMENTS)
            if ends is not None:
                return i
        return i

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """The call has ended. What was read since is read again as what follows it."""
        pending, end = reading.walk.unsettled
        by_another, call = self._slot.is_tree and _is_marker(reading.walk, pending.lstrip()) is not True, turn.emit.call
        lacks = by_another and (call.arguments == "{}" or turn.names.lacks_arguments(call.name, call.arguments))
        if lacks:  # it ended by another tag's closer
            turn.end_malformed(NO_CLOSER, call.name, end)
        else:
            turn.end_call(end)
        brackets = pending[: len(pending) - len(pending.lstrip(BRACKETS))]
        is_own = brackets.strip() == "}" and reading.walk.program.nfa.step(reading.walk.states, "}") is not None
        is_own = is_own and _is_marker(reading.walk, pending) is False  # it closes the object around the arguments
        if is_own or (brackets.strip() and _is_marker(reading.walk, pending[len(brackets) :])):
            if not is_own:
                turn.emit.problem(LEFTOVER_MARKER, brackets.rstrip(), end)
            turn.emit.markup(brackets, end)
            pending, end = pending[len(brackets) :], end + len(brackets)
        reading.go_after(reading.walk.states)
        turn.read_again(pending, end, always=True)
        return True

    def _may_end(self, turn: Turn, reading: Reading, rest: str) -> bool | None:
        # Whether the call may end before that; None: one more character is needed.
        draft = turn.judge.draft
        if self._slot.is_tree:
            is_marker = _is_marker(reading.walk, rest)
            return is_marker or (None if is_marker is None else _ends_tree(turn, rest))
        if _may_have_input(reading) and "\n" in reading.walk.unsettled[0]:
            begun = rest.casefold()
            return False if begun == INPUT else None if INPUT.startswith(begun) else True
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
            is_free = _is_no_comment(rest)
            return _is_marker(reading.walk, rest) if is_free is False else is_free
        if self._slot.kind == "call":
            return _ends_object(reading.walk, rest)
        return _ends_arguments(turn, reading.walk, rest)


class Behind(Stage):
    """What follows the closing marker of a call whose section is still open.

    Another parameter there shows that the marker came too early: the call must not run without it.
    """

    __slots__ = ("_closed", "_heads")

    def __init__(self, heads: tuple[str, ...], closed: int) -> None:
        self._heads, self._closed = heads, closed  # characters that are pending, of the call and its closer

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        walk = reading.walk
        while i < len(text):
            char, space = text[i], walk.ends_with_space
            walk.wait(char)
            i += 1
            if space and char.isspace() and walk.pending_chars <= turn.limits.held:
                continue
            begun = walk.unsettled[0][self._closed :].lstrip().casefold()
            if begun in self._heads:
                _refuse(turn, walk, AFTER_ARGUMENTS, self._closed)
                return i
            if not any(head.startswith(begun) for head in self._heads) or walk.pending_chars > turn.limits.held:
                self.completes(turn, reading)
                return i
        return i

    def completes(self, turn: Turn, reading: Reading) -> bool:
        """See `Payload`."""
        behind, place = reading.walk.take_back(self._closed)
        end_call(turn, reading, place)
        turn.read_again(behind, place, always=True)
        return True


def _refuse(turn: Turn, walk: Walk, reason: Reason, since: int = 0) -> None:
    # What follows that many characters, and white space, must not be there.
    pending, place = walk.unsettled
    walk.settle_all()
    rest = pending[since:].lstrip()
    start = len(pending) - len(rest)
    if rest.casefold() == INPUT:  # the call is over, and that is text
        turn.end_malformed(AFTER_ARGUMENTS, rest, place + since)
        turn.leave(text_follows=True)
        start = since
    else:
        turn.give_up(reason, rest, place + start)
    turn.read_again(pending[start:], place + start, always=True)


def waits_behind(reading: Reading) -> bool:
    """The call's last marker was read: whether what follows it, in its section, shows whether the call is over."""
    walk, number = reading.walk, reading.call.format
    key = "behind", walk.states.key, number
    if key not in walk.program.kept:
        own = walk.program.closers(number)  # not those of another format, whose calls end alike
        in_section = not walk.states.flags & TAG and any(
            each in own for each in walk.program.nfa.closers_at(walk.states)
        )
        in_input = (INPUT,) if _may_have_input(reading) else ()
        walk.program.kept[key] = heads_of_parameter(walk.program.formats[number]) if in_section else in_input
    heads: tuple[str, ...] = walk.program.kept[key]
    if heads:
        reading.read_as(Behind(heads, walk.pending_chars))
    return bool(heads)


def _ends_tree(turn: Turn, rest: str) -> bool | None:
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
    if is_marker is False and rest[0] in BRACKETS:
        is_marker = _is_marker(walk, rest.lstrip(BRACKETS)) if len(rest) <= MOST_JUNK else False
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


def _may_have_input(reading: Reading) -> bool:
    # Whether the call began as one of ReAct's does.
    return reading.walk.program.formats[reading.call.format].call.startswith("Action: {name}(")


def _is_in_list(walk: Walk) -> bool:
    key = "in list", walk.states.key
    if key not in walk.program.kept:
        literals = walk.program.nfa.literals_at(walk.states)
        walk.program.kept[key] = any(each.startswith("]") for each in literals)
    return bool(walk.program.kept[key])
