# How far after the opener of a call that cannot be read to look for a tool's name, and what may precede it there. Does
# not depend on how calls are read.
#
# An opener in prose is a mention. An opener followed by a tool's name was meant for a call, and a failed call must be
# visible: a `Problem` reports it. The text is content in both cases. The search is short, and does not extend into
# prose: it ends at the first word that is neither a tool's name nor a word that formats write before names.
#
# A fence of code after other text is a quotation, also where it is the opener of a format. A call that follows it is
# reported in the same way. A command in it is not a call, even if a tool has its name: a name counts where it follows
# one of those words, or comes before a bracket.
"""Missed calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolglean.engine.reasons import QUOTED
from toolglean.engine.turn import Payload
from toolglean.scan.text import passing

if TYPE_CHECKING:
    from toolglean.engine.names import Names
    from toolglean.engine.reasons import Reason
    from toolglean.engine.turn import Turn

__all__ = ["end_of_fence", "quote", "release"]

REACH = 128  # characters after the opener
_JOINS = frozenset("<{[(=\"'`")  # what may follow a name that was written together with its key: `get_weathercity=`
LABEL = ":"  # a word with it may begin a line of prose: a name counts if nothing follows it, or what ReAct's paper has
BEFORE_NAMES = frozenset({"call", "function", "functions", "invoke", "name", "print", "tool", "tool_name", "type"})

_line_of_fence = passing(r"[\w+#./-]*[ \t\r]*(?P<line>(?<=[\w+#./-])\n)?")
_info = passing(r"[`~]*[^`\n]*(?P<line>\n)?")  # behind the first three signs of a fence
_words = re.compile(
    r"<[|｜][\w▁]{1,32}(?:sep|begin|start)[|｜]>"
    r"|<(?P<parameter>(?:\w{1,16}:)?(?:(?:parameter|param|argument|arg)[= ]|arg_key>))"
    r"|(?P<begun><[|｜]?[\w▁:]{0,40}[|｜]?\Z)|(?P<word>[\w.:/▁-]+)[|｜]?"
).finditer
"""Markers within calls, the beginnings of parameters, what may become one of these, and words."""
_line_words = re.compile(r"[\w.-]+").findall
_part = re.compile(r"[.:/]+").split


def release(
    turn: Turn, problem: Reason | None, missed: Reason, *, at_end: bool = False, closers: tuple[str, ...] | None = None
) -> None:
    """The region is not a call: release it now, or as soon as it is clear whether a tool's name follows the opener.

    Args:
        turn: the turn, whose region is open.
        problem: the reason of a `Problem` that is reported in both cases; None for none.
        missed: the reason of the one that is reported if a tool's name follows the opener.
        at_end: whether what follows is ignored.
        closers: what closes the opener; None if it cannot enclose calls of other formats.
    """
    around = None if at_end else closers
    if problem is None and _may_be_missed(turn):
        Missed(missed, around).begin(turn, at_end=at_end)
    else:
        _leave(turn, problem, around if problem is None else None)


def quote(turn: Turn, opener: str, start: int, *, is_code: bool) -> None:
    """That fence, or escaped opener, quotes: it is content now, or as soon as it is clear whether a call follows it."""
    if _reports_nothing(turn):
        turn.say(opener, start)
        return
    turn.open_region(start, len(opener))
    turn.region.keep(opener)
    turn.lift_limit()  # as where the whole line is in the chunk: see `end_of_fence`
    turn.read_with(Missed(QUOTED, is_code=is_code))


def _reports_nothing(turn: Turn) -> bool:
    # Whether no call is reported that follows a fence.
    unsure = turn.judge.draft is not None or turn.judge.in_doubt
    return turn.names.tools is None or turn.calls_ignored or unsure or turn.tape.in_prompt


def end_of_fence(turn: Turn, text: str, place: int, fence: str) -> int:
    """Whether that fence of code in the text is content, and no call follows that would have to be reported.

    Returns:
        The end of the fence, or of its line, if so; its place, if more text is needed; -1 if it must be read.
    """
    end = place + len(fence)
    if _reports_nothing(turn):
        return end
    line = _line_of_fence(text, end)
    if line.end() == len(text) and line.end() - end < REACH:
        return place
    # The word for the language decides, whatever follows it, unless names may come after such a word.
    is_code_line = line["line"] and _is_named(f"{line[0]}x", turn.names, at_end=False, is_code=True)[0] is False
    return line.end() if is_code_line and not _may_name(line[0], turn.described) else -1


def _leave(turn: Turn, problem: Reason | None, closers: tuple[str, ...] | None) -> None:
    if closers is not None and turn.may_set_aside():
        turn.set_aside(closers, problem)
    else:
        turn.leave(text_follows=True)
        turn.release_region(problem)


def _may_be_missed(turn: Turn) -> bool:
    # Whether a marker opened the region, so that it may have been meant for a call.
    region = turn.region
    if turn.names.tools is None or turn.calls_ignored or turn.channel or turn.tape.in_prompt:
        return False  # without tools, any word may be a name, also that of a mere mention
    opener = region.text[region.fence_line : region.opener_length]
    return opener != "" and (not opener[0].isalnum() or opener.rstrip().endswith(LABEL))


class Missed(Payload):
    """Reads on after a region that is not a call, until it is clear whether a tool's name follows its opener.

    Args:
        problem: the reason of the `Problem` that is reported if one does.
        closers: see `release`.
        is_code: whether the opener is a fence of code.
    """

    __slots__ = ("_closers", "_is_code", "_problem")

    def __init__(self, problem: Reason, closers: tuple[str, ...] | None = None, *, is_code: bool = False) -> None:
        self._problem, self._closers, self._is_code = problem, closers, is_code

    def begin(self, turn: Turn, *, at_end: bool) -> None:
        """Take over the region. `at_end`: what follows it is ignored."""
        turn.pass_payload(self)
        self._look(turn, "", at_end=at_end)

    def read(self, turn: Turn, text: str, i: int) -> int:
        """Read on."""
        return i + self._look(turn, text[i : i + REACH], at_end=False)

    def finish(self, turn: Turn) -> None:
        """The turn is over."""
        self._look(turn, "", at_end=True)

    def refuse(self, turn: Turn) -> None:
        """See `Payload`."""
        self._look(turn, "", at_end=True)

    def copy(self) -> Missed:
        """The same object: it never changes."""
        return self

    def _look(self, turn: Turn, piece: str, *, at_end: bool) -> int:
        opener, rest = turn.region.text[: turn.region.opener_length], turn.region.text[turn.region.opener_length :]
        if self._is_code and (rest + piece).startswith(":"):
            rest = opener.lstrip("`~") + rest  # its word may introduce a name: `tool:f`
        text = (rest + piece)[:REACH]
        alone = not (self._is_code or turn.in_sentence or turn.judge.in_doubt)
        named, end = _is_named(text, turn.names, at_end=at_end, is_code=self._is_code, alone=alone)
        if named and opener[:1].isalnum():
            behind = text[end:].lstrip()
            named = None if not behind and not at_end and len(text) < REACH else behind[:1] in {"", "["}
            end = len(text) - max(len(behind) - 1, 0)
        info = _info(text, 0)
        if self._is_code and named is False and not at_end and not info["line"] and info.end() == len(text) < REACH:
            named, end = None, len(text)  # the line may end there
        taken = max(end - len(rest), 0)
        turn.region.keep(piece[:taken])
        if named is not None:
            if self._is_code and info["line"] and not _may_name(info[0], turn.described):
                turn.pass_line()
            if named and self._problem == QUOTED and not self._is_code:  # what is in an escaped opener opens nothing
                turn.leave(text_follows=True)
                turn.release_region(QUOTED, again=0)
            else:
                _leave(turn, self._problem if named else None, None if at_end else self._closers)
        return taken

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._problem, self._closers, self._is_code)


def _may_name(line: str, names: frozenset[str]) -> bool:
    # Whether the line of a fence may name a tool: then the block may be a call in an undeclared spelling.
    return not names.isdisjoint(_line_words(line))


def _restored(problem: Reason, closers: tuple[str, ...] | None, is_code: bool) -> Missed:  # noqa: FBT001  # of a pickle
    return Missed(problem, closers, is_code=is_code)


def _is_named(text: str, names: Names, *, at_end: bool, is_code: bool, alone: bool = False) -> tuple[bool | None, int]:
    # Whether the text begins with a tool's name, None if it is not clear yet; and the place where it is clear. `alone`:
    # the opener stands for itself: so does a parameter behind it.
    text, introduced, last = text[:REACH], not is_code, 0
    for word in _words(text):
        if (word["word"] or word["begun"]) and word.end() == len(text) < REACH and not at_end:
            return None, len(text)
        before, last = text[last : word.start()], word.end()
        if word["parameter"] and alone and not before.strip() and (not before or "\n" in before):
            return True, last
        if word["word"] is None:
            continue
        parts = [word["word"], *filter(None, _part(word["word"]))]
        if any(names.resolve(part) is not None for part in parts):
            introduced = introduced or not BEFORE_NAMES.isdisjoint(map(str.lower, parts[1:-1]))  # `tool:f`
            return introduced or text[word.end() : word.end() + 1] in {"(", "{"}, word.end()
        if not BEFORE_NAMES.issuperset(map(str.lower, parts[1:])):
            is_joined = parts[0][-1] == ":" or text[word.end() : word.end() + 1] in _JOINS
            return not is_code and is_joined and names.is_part_of(parts[0]), word.end()
        introduced = True
    return (False if at_end or len(text) == REACH else None), len(text)
