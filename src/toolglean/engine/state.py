# Where a turn is: all its fields, how they are copied, and questions about them. Does not know how they change
# (speech.py, turn.py).
#
# The text is on the tape, the policies are in the judge, the events are in the emitter. What remains is where the
# reader of the turn is: in which mode, in content or in reasoning, in a region that may become a call. A reader keeps
# what it cannot decide yet in its own state, never in local variables, so that the next chunk continues where this one
# ended. Nothing is decided by where a chunk ends: that is why every chunking gives the same events.
"""Where a turn is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Self

from toolglean.engine.by_schema.lines import NOTHING, Around
from toolglean.engine.modes import CALL, CONTENT, DONE, MARKER_SPACE, START, TEXT, Mode
from toolglean.engine.reasons import OTHER_ROLE, Kind
from toolglean.engine.repair.suspended import ON
from toolglean.engine.tape import UNBOUND, Region, Tape
from toolglean.scan.plain import Plain
from toolglean.scan.text import KEPT, in_sentence, is_wrapped, joins

if TYPE_CHECKING:
    from toolglean.engine.by_schema.candidate import Candidate
    from toolglean.engine.emit import Emitter
    from toolglean.engine.judge.judge import Judge
    from toolglean.engine.names import Names
    from toolglean.engine.payload import Payload
    from toolglean.engine.reasons import Reason
    from toolglean.engine.repair.suspended import Repair, Suspended
    from toolglean.limits import Limits

__all__ = ["Rules", "TurnState"]


class Rules(NamedTuple):
    """What applies to the whole turn.

    Attributes:
        coerce: whether values are typed by the tool's schema.
        stops_after_bare: whether all text is content after anything but a call without a marker.
        marks: the markers of reasoning, by its channel: see `Plan`. None: calls in reasoning are returned at once.
        no_calls_in_reasoning: whether reasoning contains no calls, whatever is in it.
        by_schema: whether calls in undeclared spellings are read: see by_schema/.
        drops_orphans: whether closers at the end of the turn that nothing opened are markup.
        thoughts: the markers that open reasoning: see `Plan`.
    """

    coerce: bool
    stops_after_bare: bool
    marks: Callable[[int], tuple[str, ...]] | None
    no_calls_in_reasoning: bool
    by_schema: bool = False
    drops_orphans: bool = False
    thoughts: tuple[str, ...] = ()


class TurnState(Plain):
    """Where a turn is: see the head of this file.

    Attributes:
        tape: the text.
        emit: the events.
        judge: the policies.
        names: the tools, by the names that a model writes.
        limits: how much the turn may use; `bound` is the limit in force.
        rules: what else applies to the whole turn.
        region: text that may become a call.
        payload: what the last tag opened, while it is read.
        mode: what is done with the text that comes next.
        channel: content (0), or reasoning of one kind.
        narrowed_to: what the search is narrowed to, in numbers of the plan's own: the formats that the turn may still
            be in, or the field of a response template whose text is being read. () for everything.
        is_foreign: whether a marker of another family than the named one came: from then on its own are not enough.
        last_text: the text before: its end tells whether a word begins.
        at_start: whether nothing has come yet after which a call needs a marker.
        has_content: whether any content came.
        long_space: whether more white space of the reasoning has waited than the limit allows.
        repair: whether calls are repaired: OFF, ON, or TRIAL in a copy that reads what may have been meant.
        suspended: the call that may have to be repaired, until its end is seen.
        repair_failed_at: the number of calls that had begun when a repair failed: that call is not tried again.
        candidate: content that may be calls in an undeclared spelling, or None.
        has_tags: whether the content has any tag, which a closer that follows may belong to.
        opened: what is open on the line, also behind a marker: a quotation mark, and an apostrophe that may close it;
            ROW or INDENT, if it is a table's or indented; its break and blanks, as long as no more came; "" for none.
        last_char: the last character of the content; "" where none has come since a marker or a call.
    """

    __slots__ = (
        *("tape", "emit", "judge", "region", "bound", "payload", "suspended", "names", "limits", "rules"),
        *(
            "mode",
            "channel",
            "around",
            "narrowed_to",
            "is_foreign",
            "last_text",
            "at_start",
            "has_content",
            "long_space",
            "repair",
            "repair_failed_at",
            "candidate",
            "last_char",
            "has_tags",
            "opened",
        ),
    )

    def __init__(
        self, emit: Emitter, names: Names, limits: Limits, judge: Judge, rules: Rules, *, repair: Repair = ON
    ) -> None:
        self.tape, self.emit, self.judge = Tape(), emit, judge
        self.names, self.limits, self.rules = names, limits, rules
        self.region, self.bound = Region(), UNBOUND
        self.payload: Payload | None = None
        self.mode: Mode = TEXT
        self.channel = CONTENT
        self.narrowed_to: tuple[int, ...] = ()
        self.last_text = ""
        self.at_start = self.has_content = self.long_space = self.has_tags = self.is_foreign = False
        self.repair = repair
        self.suspended: Suspended | None = None
        self.repair_failed_at = -1
        self.candidate: Candidate | None = None
        self.around: Around = NOTHING
        self.last_char = self.opened = ""

    def copy(self) -> Self:
        """The same turn, with nothing shared that changes."""
        twin = type(self).__new__(type(self))
        twin.tape, twin.emit, twin.judge = self.tape.copy(), self.emit.copy(), self.judge.copy()
        twin.region, twin.bound, twin.payload = self.region.copy(), self.bound, self.payload and self.payload.copy()
        twin.names, twin.limits, twin.rules = self.names, self.limits, self.rules
        twin.mode, twin.channel = self.mode, self.channel
        twin.narrowed_to, twin.is_foreign, twin.last_text = self.narrowed_to, self.is_foreign, self.last_text
        twin.last_char, twin.around, twin.has_tags = self.last_char, self.around, self.has_tags
        twin.opened, twin.suspended = self.opened, self.suspended and self.suspended.copy()
        twin.at_start, twin.has_content, twin.long_space = self.at_start, self.has_content, self.long_space
        twin.repair, twin.repair_failed_at = self.repair, self.repair_failed_at
        twin.candidate = self.candidate and self.candidate.copy()
        return twin

    def copy_for_attempt(self, payload: Payload | None = None) -> Self:
        """The same turn, without its events, which may be many; with that payload, if it is given."""
        own = self.payload
        told, self.payload = self.emit.take(), payload or own
        twin = self.copy()
        self.emit.tell_first(told)
        self.payload = own
        return twin

    def adopt(self, other: Self) -> None:
        """Take over the state of the other turn, except for its text."""
        for slot in _READING:
            setattr(self, slot, getattr(other, slot))

    # -- questions -----------------------------------------------------------------------------------------------------

    @property
    def reading_call(self) -> bool:
        """Whether the payload is still being read: not given up, not stopped, not left."""
        return self.mode is CALL

    @property
    def calls_ignored(self) -> bool:
        """Whether calls are ignored here: in reasoning, if the user wants that; otherwise see `Judge.ignores_calls`."""
        if self.channel == CONTENT:
            return self.judge.ignores_calls or (self.region.open and self.region.start < self.judge.refused)
        return self.rules.no_calls_in_reasoning or self.judge.is_other_role

    @property
    def ignored_because(self) -> Reason | None:
        """Why calls are ignored here, for a `Problem`; None if the user wants that."""
        if self.channel == CONTENT:
            return self.judge.ignored_because
        return None if self.rules.no_calls_in_reasoning else OTHER_ROLE

    @property
    def reads_by_schema(self) -> bool:
        """Whether calls in undeclared spellings are read: not among markers that are known to be text."""
        return self.rules.by_schema and not self.tape.hides

    @property
    def described(self) -> frozenset[str]:
        """The names of the tools that have parameters."""
        return frozenset() if self.names.tools is None else self.names.tools.described

    @property
    def in_line(self) -> bool:
        """Whether there is text on this line already, after the last line break, marker or call."""
        is_behind = not self.at_start and self.last_text[-1:] not in {"", "\n"}
        return is_behind or ((self.is_within or self.opened == INDENT) and self.judge.heeds_quotes)

    @property
    def is_within(self) -> bool:
        """Whether a quotation mark is open on this line, maybe before a marker, or it is the row of a table."""
        return len(self.opened) == 1 and self.opened not in "\n\t"

    @property
    def in_sentence(self) -> bool:
        """Whether the text before is in the middle of a sentence."""
        if self.channel != CONTENT or not self.judge.heeds_quotes:
            return False
        return in_sentence(self.last_text) or self.around.continues(self.last_text)

    @property
    def may_mention(self) -> bool:
        """Whether a marked call that comes now is one only if no text follows: on its line, or behind indented code."""
        if self.channel != CONTENT or not self.judge.heeds_quotes:
            return False
        is_line = self.is_indented or self.is_wrapped
        return self.in_sentence or self.is_within or joins(self.last_text) or is_line

    @property
    def is_wrapped(self) -> bool:
        """Whether the line before ends with a word that cannot end its sentence, if quotations matter."""
        return self.judge.heeds_quotes and is_wrapped(self.last_text[-KEPT:]) is not None

    @property
    def is_indented(self) -> bool:
        """Whether this line is indented as code is in Markdown, by four blanks or a tab, if quotations matter."""
        line = self.last_text[-KEPT:].rpartition("\n")[2]
        is_blank = line.isspace() and ("\t" in line or len(line) == KEPT)
        return (is_blank or self.opened == INDENT) and self.judge.heeds_quotes

    def is_escaped(self, start: int) -> bool:
        """Whether the marker at that place is escaped as in Markdown: by a backslash; two are one backslash."""
        if self.last_char != "\\" or self.channel != CONTENT or not self.judge.heeds_quotes:
            return False
        before = self.last_text[-KEPT:]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1 and not self.tape.is_trusted(start)

    def keeps_end(self, marker: str, start: int) -> bool:
        """Whether that marker, which may end a message, is text: it is escaped, and not behind a path that ends so; or
        it closes a tag of the content (`<s>10</s>`). One that begins it may be a marker.
        """
        if self.is_escaped(start):
            return not (self.last_text[-2:-1].isalnum() or self.last_text[-2:-1] in {":", "\\", "/", "."})
        is_closer = marker.startswith("</") and self.judge.heeds_quotes
        return is_closer and any(name == marker[2:-1] and place > 0 for name, place in self.around.open)

    def remember(self, text: str) -> None:
        """That text was emitted, or is about to be. Behind blanks that begin the turn, a line begins."""
        if self.mode is not START or not text.isspace():
            self.last_text = text if len(text) >= KEPT else (self.last_text + text)[-KEPT:]

    @property
    def is_quoted_here(self) -> bool:
        """Whether the region begins in a quotation, and no special token has written its marker."""
        judge = self.judge
        code = judge.thought if self.channel else judge.code
        quoted = code is not None and (code.sure or (code.made_up and self.channel != CONTENT))
        # Directly after a backtick, too: no reasoning begins so.
        quoted = quoted or (judge.in_doubt and judge.code is not None and judge.code.end == self.region.start)
        return quoted and not self.tape.is_trusted(self.region.start)

    @property
    def holds_form(self) -> bool:
        """Whether only its form shows that what is held back is a call: no tools are known, and no marker opened it. If
        it cannot be read, it is prose: `Hello (world).`
        """
        draft = self.judge.draft
        return self.names.tools is None and draft is not None and draft.kind is Kind.ALONE

    @property
    def holds_bare_name(self) -> bool:
        """Whether of such a call only the name and a bracket came: then nothing is said of it."""
        return self.holds_form and self.emit.open and not self.emit.call.written.strip("{")

    @property
    def holds_word(self) -> bool:
        """Whether what is held back is a tool's own tag, with nothing of a call behind it: then it is a word."""
        return self.judge.draft is not None and self.judge.draft.is_word

    def pass_space(self, text: str) -> None:
        """White space next to a call or a marker: a line may begin after it, which is code if the one before was."""
        if self.channel != CONTENT:
            return
        self.last_char = text[-1:] or self.last_char
        if "\n" in text:
            self.last_text = "" if self.mode is MARKER_SPACE else self.last_text
        code = INDENT if self.opened[:1] == INDENT else ""
        opened = _opened_after(self.opened[len(code) :], "", text)
        self.opened = INDENT if code and _is_deep(opened) else code + opened
        self.judge.space(text)

    def note_marker(self) -> None:
        """A marker was read, or a call begins: what follows is behind no text; its line may be code."""
        self.opened = INDENT if self.is_indented else "" if "\n" in self.opened else self.opened
        self.last_text = self.last_char = ""

    def note_signs(self, text: str, last: str) -> None:
        """That text is content, behind that character: whether it has tags, and what it quotes."""
        if not self.has_tags and ("<" in text or "[" in text or last in _BEGIN_TAGS):
            self.has_tags = _tag(last + text) is not None
        self.opened = _opened_after(self.opened, last, text)

    def pass_data(self, text: str) -> None:
        """That text, which is JSON that is data, was emitted on a fast path, without the turn."""
        self.judge.json(text)
        self.note_signs(text, self.last_char)
        self.last_char = text[-1]
        self.remember(text)

    @property
    def may_end_with_orphans(self) -> bool:
        """Whether closers that come now, and end the turn, belong to nothing: they do not end a sentence or a
        quotation, and nothing was opened.
        """
        judge = self.judge
        return not (
            self.has_tags
            or self.tape.hides
            or (judge.draft is not None and not judge.draft.is_object)
            or judge.in_doubt
            or self.calls_ignored
            or self.in_sentence
        )

    def accepts(self, name: str) -> bool:
        """Whether a call of that name is accepted."""
        return not self.calls_ignored and self.names.accepts(name, bare=self.region.bare)

    def lift_limit(self) -> None:
        """What is read of the region ends by itself after some characters, however little may be held."""
        self.bound = UNBOUND

    def limit_passed(self, i: int) -> bool:
        """Whether what is at `i` exceeds a limit, for example that of a call that has just become certain."""
        return self.tape.base + i >= self.bound.at

    def narrowed(self, formats: tuple[int, ...]) -> tuple[int, ...]:
        """Of these formats, those that the turn may still be in."""
        return tuple(number for number in formats if number in self.narrowed_to) or formats

    @property
    def is_over(self) -> bool:
        """Whether the header of another message was read: the rest is content."""
        code = self.judge.code
        return code is not None and self.mode is not DONE and not self.tape.in_prompt and code.over is not None


_BEGIN_TAGS = frozenset("<[")
_tag = re.compile(r"<[^\W\d_]|<[/｜|]|\[[/A-Z]").search
_READING = tuple(slot for slot in TurnState.__slots__ if slot != "tape")
_marks = re.compile("[\"'“”„‘’«»‹›「」『』《》]").finditer
_ENDED_BY = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』", "《": "》"}
ROW, INDENT = "|", "\t"
_ITEMS = frozenset("-+*0123456789")  # with what the sign of an item begins, which is no code
_BEFORE_QUOTATION = frozenset("([{=,:;>-–—*_/|+")


def _is_deep(mark: str) -> bool:
    # Whether a line that has only these blanks so far, behind its break, is indented as code is.
    return mark[:1] == "\n" and ("\t" in mark or len(mark) > KEPT)


def _opened_after(mark: str, last: str, text: str) -> str:
    # What is open on its line behind that text, before which it was `mark`; `last` is what it follows. Behind an
    # apostrophe in single quotes, the character that follows tells whether they end: then it is both.
    if (line := text.rfind("\n")) >= 0:
        mark, last, text = "\n", "\n", text[line + 1 :]
    mark = mark[1:] if mark[:2] == INDENT + "\n" else mark  # text, not a marker, follows a marker in code
    if mark[:1] == "\n":
        rest = text.lstrip(" \t")
        mark = (mark + text[: len(text) - len(rest)])[: KEPT + 1]
        if not rest:
            return mark
        mark = ROW if rest[0] == ROW else INDENT if _is_deep(mark) and rest[0] not in _ITEMS else ""
    if mark in (ROW, INDENT):
        return mark
    if len(mark) > 1 and text:
        mark = mark[0] if text[0].isalnum() else ""
    if text.isascii() and '"' not in text and "'" not in text:
        return mark
    for found in _marks(text):
        i, sign = found.start(), found[0]
        before = text[i - 1] if i else last
        if not mark:
            is_opened = sign in _ENDED_BY and (not before or before.isspace() or before in _BEFORE_QUOTATION)
            mark = sign if is_opened else ""
        elif sign in _ENDED_BY[mark]:
            is_word = sign in "'’" and text[i + 1 : i + 2].isalnum()
            mark = mark if is_word else mark + sign if sign in "'’" and i + 1 == len(text) else ""
    return mark
