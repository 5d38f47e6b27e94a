# All policies of a turn, and the order in which they are asked. Does not know how they decide.
#
# A turn tells the judge what it emits (`content`, `json`, `marker`, `space`, `entered`, `call_began`), and asks whether
# calls are accepted (`ignores_calls`). A new policy is a file of its own, a slot here, and a line in each method that
# concerns it; no reader changes. A policy that is not in force is None, (), "" or False, and costs nothing.
"""The policies of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglean.engine.judge.closers import Closers
from toolglean.engine.reasons import IN_JSON_STRING, JSON_STRING, MADE_UP, QUOTED, TO_USER, Reason, in_quotation
from toolglean.scan.plain import Plain

if TYPE_CHECKING:
    from toolglean.engine.attempt import Attempt
    from toolglean.engine.judge.code import Quotes
    from toolglean.engine.judge.drafts import Draft

__all__ = ["Judge"]

TRUSTED = Closers()
NOWHERE = -(1 << 62)  # before every place: those in a prompt are below 0


class Judge(Plain):
    """The policies of a turn.

    Attributes:
        code: whether content is quoted; None if that does not matter.
        closers: closers that may come outside a call.
        others: whether another role's header is in the reasoning, also in a quotation; None as long as nothing in it
            may open anything.
        thought: whether the reasoning is quoted; None as long as `others` is.
        for_user: whether the text is for the user alone.
        fence: the code fence that opened the turn, as long as it contains nothing but calls; else "".
        refused: the place up to which the last quoted call that was ignored reaches at least: none begins before it.
        attempt: the turn from before the region, if a call in it will be held back.
        draft: calls that are held back, or None.
        mentioned: the kind of reasoning whose opener was taken for a word of a sentence, so that calls behind it are
            held back as in reasoning; or 0.
    """

    __slots__ = (
        *("attempt", "closers", "code", "draft", "fence", "for_user", "mentioned", "others", "refused", "thought"),
    )

    owned = ("attempt", "code", "draft", "others", "thought")

    def __init__(self, code: Quotes | None) -> None:
        self.code = code
        self.others: Quotes | None = None
        self.thought: Quotes | None = None
        self.closers = TRUSTED
        self.for_user = False
        self.fence = ""
        self.refused = NOWHERE
        self.attempt: Attempt | None = None
        self.draft: Draft | None = None
        self.mentioned = 0

    # -- what is emitted -----------------------------------------------------------------------------------------------

    def reasoning(self, text: str, start: int, before: str, *, is_data: bool) -> None:
        """Reasoning is emitted. `before`: the end of what comes before; `is_data`: it is a call, and opens nothing."""
        if self.others is None or self.thought is None:
            if self.code is None or not (is_data or self.code.may_begin(text)):
                return
            self.others = type(self.code)(heeded=False)
            self.thought = type(self.code)(heeded=self.code.heeded).reads_json(on=False)
            self.thought.go_on_behind(before)
        self.others.scan(text, start, before)
        if is_data:
            self.thought.pass_by(text, is_data=True)
            self.thought.call_began()
        else:
            self.thought.scan(text, start, before)

    def marker_in_reasoning(self, place: int, before: str) -> None:
        """What follows in the reasoning, behind that text, is a marker: it may complete another role's header."""
        if self.others is not None and self.thought is not None:
            self.others.settle(place, before)
            self.thought.settle(place, before)

    def reasoning_began(self) -> None:
        """Another kind of text begins: reasoning, or content."""
        self.others, self.thought, self.mentioned = None, None, 0

    def mention(self, channel: int) -> None:
        """An opener of that kind of reasoning was a word of a sentence; 0: a closer."""
        self.mentioned = channel

    def content(self, text: str, start: int) -> None:
        """Content is emitted."""
        if self.code is not None:
            self.code.scan(text, start)
        if self.fence and text and not text.isspace():
            self.fence = ""

    def json(self, text: str) -> None:
        """JSON that is data is emitted: its strings open nothing."""
        if self.code is not None:
            self.code.pass_by(text, is_data=True)
        if text and not text.isspace():
            self.fence = ""

    def was_text(self, code: Quotes | None) -> None:
        """What was taken for JSON was none. `code`: what its text has opened."""
        self.code = code and code.reads_json(on=True)

    def quoted(self) -> None:
        """Content is emitted that is quoted as a whole: it opens and closes no quotation."""
        if self.code is not None:
            self.code.skip()
        self.fence = ""

    def space(self, text: str) -> None:
        """White space next to a call or a marker: a line may begin after it."""
        if self.code is not None:
            self.code.pass_by(text)

    def swallowed(self, arguments: str, refused: str, end: int) -> None:
        """The arguments of a call that could not be read: what they quote is quoted, and another role's header in them
        ends the turn. So does what was refused, if that is more than a character. `end`: the place after them.
        """
        text = arguments.replace("\\n", "\n") + (refused if len(refused) > 1 else "")
        if self.code is not None and text:
            self.code.scan(text, end - len(text))
            self.code.skip()  # no document of the text goes on in them, and none of theirs after them

    def skipped(self, text: str, start: int) -> None:
        """The rest of such a call. Unless its arguments have opened code, its backticks may be those of its format."""
        if self.code is not None and text:
            self.code.scan_skipped(text, start)

    def marker(self, text: str, place: int) -> None:
        """A marker that is always markup: it may be part of another message's header."""
        if self.code is not None:
            self.code.mark(text, place)

    def marker_follows(self, place: int, *, trusted: bool = False) -> None:
        """What follows in the content is a marker. `trusted`: a special token has written it, so it ends quotations."""
        if trusted and self.code is not None:
            self.code.trust()
        if self.code is not None:
            self.code.settle(place)

    def entered(self) -> None:
        """A marker was read: content or reasoning begins again after it."""
        self.for_user = False
        if self.code is not None:
            self.code.entered()

    def call_began(self, place: int) -> None:
        """A call is certain, which begins at that place."""
        self.closers = self.closers.call_began(place)
        if self.code is not None:
            self.code.call_began()

    def turn_began(self, prompt: str, *, is_own: bool | None) -> None:
        """The prompt is over, and ended in content. What the model's own words have quoted goes on; of words that may
        be others', only what their last word has opened. `is_own`: see `Machine`.
        """
        self.closers = self.closers.trusting()
        code = self.code
        goes_on = is_own or (code is not None and is_own is False and len(prompt[code.opened :].split()) == 1)
        if code is not None and (code.over is not None or not goes_on):
            self.code = type(code)(heeded=code.heeded)

    # -- what is accepted ----------------------------------------------------------------------------------------------

    @property
    def is_other_role(self) -> bool:
        """Whether the reasoning so far has another role's header: calls that follow in it are not the model's."""
        return self.others is not None and self.others.over is not None

    @property
    def ignores_calls(self) -> bool:
        """Whether calls in the content are ignored here: in code, in JSON, in text for the user, behind a result."""
        return self.for_user or (self.code is not None and (self.code.sure or self.code.made_up))

    @property
    def ignored_because(self) -> Reason:
        """Why calls are ignored here, for a `Problem`."""
        if self.for_user or self.code is None:
            return TO_USER
        if self.code.made_up:
            return MADE_UP
        if not self.code.sure:  # it is in what a quoted call seems to contain, which broke off
            return QUOTED
        context, since = self.code.quoted_by
        return in_quotation(IN_JSON_STRING if context == JSON_STRING else QUOTED, context, since)

    @property
    def quotes_as_json(self) -> bool:
        """Whether a string of JSON alone quotes what follows."""
        return self.code is not None and self.code.sure and self.code.where.is_plain

    @property
    def in_doubt(self) -> bool:
        """Whether a call is in code that may turn out not to be code."""
        return self.code is not None and self.code.open > 0

    @property
    def begins_line(self) -> bool:
        """Whether nothing but blanks is on the line so far; False if quotations do not matter."""
        return self.code is not None and self.code.begins_line

    @property
    def at_line(self) -> bool:
        """Whether nothing but a few spaces is on the line so far; False if quotations do not matter."""
        return self.code is not None and self.code.at_line

    @property
    def heeds_quotes(self) -> bool:
        """Whether calls in quotations are content."""
        return self.code is not None and self.code.heeded

    # -- what changes --------------------------------------------------------------------------------------------------

    def address(self, *, for_user: bool) -> None:
        """Whether what follows is for the user alone."""
        self.for_user = for_user

    def open_fence(self, fence: str) -> None:
        """That fence has opened the turn, and a call follows it at once; "" closes it."""
        self.fence = fence

    def refuse_quoted(self, end: int) -> None:
        """A call that began in a quotation was ignored: its text reaches at least up to that place."""
        self.refused = max(self.refused, end)
        if self.code is not None:
            self.code.refuse(end)

    def heed(self, closers: Closers) -> None:
        """Await these closers from now on."""
        self.closers = closers

    def attempt_from(self, attempt: Attempt | None) -> None:
        """Keep the turn from before the region, if a call in it will be held back."""
        self.attempt = attempt

    def keep_back(self, draft: Draft | None) -> None:
        """Keep these calls back; None: no calls any longer."""
        self.draft = draft
