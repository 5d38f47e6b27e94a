# One text that is read: what is done at each place at which something may change. Does not depend on who asks
# (page.py).
#
# Each step returns the place that it reached, or ~place if the text from there on waits for what follows.
"""How a page reads."""

from __future__ import annotations

from collections.abc import Callable

from toolglean.engine.page.documents import Document, begun, is_in_string, is_small, may_follow, read_on
from toolglean.engine.page.expressions import Rows, Sought, ends_paragraph, is_mention
from toolglean.engine.page.table import END_MARKERS, MOST_BLANKS, At, Context
from toolglean.engine.page.where import Before, Guess, Marks, Run, Where, behind_code, deeper, line_before
from toolglean.scan.text import KEPT

__all__ = ["Reading"]

_PLAIN = Context.PLAIN
_MOST_CLOSED = 32  # contexts that have ended and were not asked for
_FENCE, _NOWHERE = 3, -1 << 62
_AHEAD = 192


class Reading:
    """One text that is read, apart from its first `passed` characters, which have changed nothing. Its places are those
    in `text`; `base` is the place of its beginning.
    """

    __slots__ = (
        "ahead", "base", "closed", "context", "documents", "end", "ends", "first", "guesses", "inner", "opener",
        "reached", "read_to", "rows", "ruler", "run", "seen", "sign", "since", "sought", "text",
    )  # fmt: skip

    def __init__(
        self,
        rows: Rows,
        where: Where,
        text: str,
        start: int,
        ruler: Marks | None,
        *,
        ends: bool = False,
        passed: int = 0,
    ) -> None:
        self.rows, self.ruler, self.ends = rows, ruler, ends
        (
            self.context, self.since, self.sign, self.opener, self.inner, self.guesses, self.documents, self.seen,
            last, self.run, tail, closed,
        ) = where  # fmt: skip
        self.closed = [*closed[-_MOST_CLOSED:]]
        self.text = last + tail + text
        self.base = start - len(tail) - len(last)
        self.ahead = self.text + rows.mark if ends else self.text
        self.first, self.read_to = len(last) + passed, len(last)
        self.end = len(self.text)
        self.sought: Sought | None = None  # what is looked for in the context

    def read(self, until: int = 0) -> Where:
        """Read all of it, or up to where there are fewer guesses than `until`."""
        i = self.first
        if self.run is not None:
            i = self._go_on_with_run(self.run, i)
        confirmed = 0
        while confirmed >= 0:  # JSON that is complete: what was found behind it was not so
            while 0 <= i < self.end and len(self.guesses) >= until:
                i = self._step(i)
            self.reached, stop = i, self.end if i >= 0 else ~i
            i = confirmed = self._read_documents(stop) if self.documents and self.read_to < stop else -1
        return self._where(stop)

    def _where(self, stop: int) -> Where:
        text = self.text
        if self.guesses:
            self._note_space(stop)
        return Where(
            self.context, self.since, self.sign, self.opener, self.inner, self.guesses, self.documents,
            self.seen if self.guesses else (),
            text[max(stop - KEPT, 0) : stop], self.run,
            text[stop:], tuple(self.closed),
        )  # fmt: skip

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _step(self, i: int) -> int:
        sought = self.sought
        if sought is None:
            sought = self.sought = self.rows.sought(self.context, self.sign, bool(self.seen))
        # A line that matters ends the search: what comes behind it is searched from there, once.
        line = self.text.find("\n", i) if self.seen and self.context is _PLAIN else -1
        found = sought.search(self.text, i) if line < 0 else sought.search(self.text, i, line)
        place = found.start() if found is not None else line if line >= 0 else self.end
        if self.documents and self.read_to < place and (confirmed := self._read_documents(place)) >= 0:
            return confirmed
        if found is None:
            return self.end if line < 0 else self._read_line(line)
        if self.ends and sought.kinds[found.lastindex or 0] == "begun":  # it may be whole with the marker that follows
            whole = sought.search(self.ahead, place)
            found = whole if whole is not None and whole.start() == place else found
        return self._found(sought.kinds[found.lastindex or 0], place, found.end())

    def _found(self, what: str, place: int, end: int) -> int:
        if what == "run":
            return self._read_signs(place, end)
        if what == "line":
            return self._read_line(place)
        if what == "bracket":
            return self._read_bracket(place)
        if what == "quote":
            if line_before(self.text, place) is not Before.TEXT:
                self._open(Context.QUOTE, "", self.base + place, ">")
            return end
        if what == "end":
            self._close(end)
            return end
        if what == "begun":
            return place + 1 if self.ends else ~place
        return self._read_tag(place)

    def _read_tag(self, place: int) -> int:
        tags = self.rows.tags if self.context is _PLAIN else self.rows.tags_in_reasoning
        found = tags.match(self.ahead, place)
        if found is None:
            if not self.ends and tags.is_begun(self.text, place):
                return ~place
            may_be_json = self.text[place] in "[{" and self.rows.has_json and self.context is _PLAIN
            return self._read_bracket(place) if may_be_json else place + 1
        row, end = found
        if row.at is At.LINE and line_before(self.text, place) in {Before.TEXT, Before.MORE_BLANKS}:
            return place + 1
        if row.at is At.NO_WORD and (mention := is_mention(self.ahead, place, end, ends=self.ends)) is not False:
            return ~place if mention is None else place + 1
        ends = row.ends
        if "SIGN" in ends:
            ends = ends.replace("SIGN", row.sign_at(self.ahead, place))
        if self.context is Context.REASONING:  # its end is that of the reasoning
            self._mark(self.since, place)
            ends = self.sign
        elif self.context is Context.QUOTE:
            self._close(place)
        self._open(row.context, ends, self.base + place, self.text[place:end])
        return end if row.ends and row.at is not At.NO_WORD else place + 1

    def _read_line(self, place: int) -> int:
        if self.context is Context.QUOTE:
            self._close(place)
            return place  # it is looked at again, in plain text
        over = ends_paragraph(self.rows, self.ahead, place + 1, ends=self.ends)
        if over is None:
            return ~place
        if over:
            self._end_paragraph()
        return place + 1

    # -- contexts ------------------------------------------------------------------------------------------------------

    def _open(self, context: Context, sign: str, since: int, opener: str) -> None:
        self.context, self.sign, self.since, self.opener = context, sign, since, opener
        self.inner, self.sought = False, None

    def _mark(self, since: int, end: int) -> None:
        if self.ruler is not None:
            self.ruler.mark(self.context, since, self.base + end, since, since)

    def _close(self, end: int) -> None:
        self._mark(self.since, end)
        self.closed.append((self.since, self.base + end, self.context, True))
        self._open(_PLAIN, "", 0, "")

    def _leave_out(self, is_none: Callable[[Guess], bool]) -> None:
        self.guesses = tuple(each for each in self.guesses if not is_none(each))

    def _confirm(self, number: int, end: int, context: Context) -> None:
        # The guess of that number is so, up to that place.
        guess = self.guesses[number]
        self.guesses = self.guesses[:number]
        if not any(each.size for each in self.guesses):
            self.seen, self.sought = (), None
        self._open(_PLAIN, "", 0, "")
        self._ended(guess.start, end, context)
        if self.ruler is not None and not guess.size:
            self.ruler.nest(guess.document, guess.start)

    # -- backticks and tildes ------------------------------------------------------------------------------------------

    def _go_on_with_run(self, run: Run, i: int) -> int:
        self.run = None
        if not run.whole:
            begin = i
            while i < self.end and self.text[i] == run.sign:
                i += 1
            run = Run(run.sign, run.size + i - begin, run.start, run.shown, i < self.end or self.ends)
        return self._read_run(run, i)

    def _wait_with(self, run: Run, end: int) -> int:
        self.run = run
        return ~end

    def _read_signs(self, place: int, end: int) -> int:
        if end - place < _FENCE and end < self.end:
            closed = end if self.text[place] == "~" else self._end_of_short_code(place, end)
            if closed:
                return closed
        shown = self.text[max(place - KEPT, 0) : place]
        run = Run(self.text[place], end - place, self.base + place, shown, end < self.end or self.ends)
        return self._read_run(run, end)

    def _read_run(self, run: Run, end: int) -> int:
        if self.documents:
            self._read_documents(end)
        return self._read_whole(run, end) if run.whole else self._wait_with(run, end)

    def _read_whole(self, run: Run, end: int) -> int:
        is_code = run.sign == "`"
        ahead = "" if run.size < _FENCE or run.is_escaped else run.sign * run.size + self.ahead[end : end + _AHEAD]
        may_open = ahead != "" and (self.context is _PLAIN or (is_code and self.seen != ()))
        opened = self._opens_fence(run, ahead) if may_open else 0
        # Behind a draft, the backticks before it count.
        is_line = opened != 0 and run.is_first and self.context is not Context.OVER
        for number, guess in enumerate(self.guesses if is_code else ()):
            # If a line may begin with a fence, that counts, as in Markdown.
            if guess.size == run.size and (guess.is_fence or opened == 0 or not is_line):
                return self._close_code(number, end)
        if opened is None:
            return self._wait_with(run, end)
        if opened and is_code:
            seen = () if is_line else self.seen
            self._end_paragraph(max((place for size, place in seen if size == run.size), default=_NOWHERE))
        if self.context is _PLAIN and opened:
            return self._open_fence(run, ahead, opened, end)
        if self.context is not _PLAIN:
            return self._close_fence(run, ahead, end)
        if is_code:
            is_fence = run.size >= _FENCE and run.is_first and ahead[run.size :] == self.rows.mark
            self.guesses = (*self.guesses, Guess(run.start, run.size, self.base + end, is_fence=is_fence))
            self._see(run, first=True)
        return end

    def _end_of_short_code(self, place: int, end: int) -> int:
        # Most code is closed on its line by the next backticks, and nothing that opens, ends or goes on is in it: then
        # it need not be guessed. Returns the place after it; 0 if it is not so, or not certain yet.
        sought, text, closer = self.sought, self.text, self.text.find("`", end)
        if self.guesses or self.documents or self.seen or self.context is not _PLAIN or sought is None or closer < 0:
            return 0
        after = closer + end - place
        is_closed = after < self.end and text[after] != "`" and text[closer:after] == text[place:end]
        if not is_closed or text.find("\n", end, closer) >= 0 or sought.search(text, end, closer) is not None:
            return 0
        self._ended(self.base + place, after, Context.CODE)
        return after

    def _ended(self, since: int, end: int, context: Context) -> None:
        # What was guessed is so.
        self.closed.append((since, self.base + end, context, False))
        if self.ruler is not None:
            self.ruler.drop(since)
            self.ruler.mark(context, since, self.base + end, since, since)

    def _end_paragraph(self, since: int = _NOWHERE) -> None:
        # A line ends the paragraph, or a fence does; one in a line, unless backticks wait since which others of its
        # length have come: those that began behind `since`.
        self._leave_out(lambda guess: guess.size > 0 and not guess.is_fence and guess.start > since)
        if not any(each.size for each in self.guesses):
            self.seen, self.sought = (), None

    def _open_fence(self, run: Run, ahead: str, opened: int, end: int) -> int:
        if run.sign == "`":
            self._see(run)
        sign = run.sign * run.size
        self._open(Context.FENCE, sign, run.start, run.opener)
        return end + opened - run.size - (ahead[opened - 1] == "\n")  # the line's end is looked at by itself

    def _close_fence(self, run: Run, ahead: str, end: int) -> int:
        if self.context is Context.FENCE and self.sign[0] == run.sign and run.size >= len(self.sign):
            closes = self._closes_fence(run, ahead)
            if closes is None:
                return self._wait_with(run, end)
            if closes:
                self._close(end)
        if run.sign == "`":
            self._see(run)
        return end

    def _see(self, run: Run, *, first: bool = False) -> None:
        if first or self.seen:
            others = (each for each in self.seen if each[0] != run.size) if self.seen else ()
            self.seen = (*others, (run.size, run.start))
            self.sought = None

    def _opens_fence(self, run: Run, ahead: str) -> int | None:
        # How much of the text ahead opens a fence: 0 for none; None if more text is needed.
        waits = False
        in_line = run.before is Before.TEXT or (run.sign == "~" and self.seen != ())  # a line with tildes ends the wait
        for row, opens, line in self.rows.fences[run.sign]:
            if row.at is At.LINE and in_line:
                continue
            if not self.ends and len(ahead) < run.size + _AHEAD and line.fullmatch(ahead) is not None:
                waits = True
            elif (found := opens.match(ahead)) is not None:
                return found.end()
        return None if waits else 0

    def _closes_fence(self, run: Run, ahead: str) -> bool | None:
        rest = ahead[run.size :]
        self.inner = self.inner or (run.is_first and rest[:1].isalpha())
        behind = rest.lstrip(" \t\r")
        is_far = len(rest) - len(behind) > MOST_BLANKS
        if is_far or rest[:1].isalpha() or run.is_code_behind(self.opener, self.since):
            return False
        if not self.ends and not behind:
            return None
        if run.is_first and self.inner:
            self.inner = rest[:1] not in {"[", "&"} and behind[:1] not in {"\n", "<", self.rows.mark}
            return False
        if behind[:1] in {"\n", self.rows.mark} or (run.is_first and rest[:1] in {"<", "[", "&"}):
            return True
        if run.is_first and behind and not self.ends and any(each.startswith(behind) for each in END_MARKERS):
            return None
        return run.is_first and behind.startswith(END_MARKERS)

    def _close_code(self, number: int, end: int) -> int:
        self._note_space(end)
        self.documents = behind_code(self.documents, self.guesses[number:], self.base + end)
        self._confirm(number, end, Context.CODE)
        return end

    def _note_space(self, end: int) -> None:
        # Notes where the first white space after each run of backticks is.
        for each in self.guesses:
            if each.size and each.space < 0:
                self.guesses = tuple(one.with_space(self.text, self.base, end) for one in self.guesses)
                return

    # -- JSON ----------------------------------------------------------------------------------------------------------

    def _read_bracket(self, place: int) -> int:
        if self.documents and self.read_to < place and (confirmed := self._read_documents(place)) >= 0:
            return confirmed
        if place + 1 == self.end and not self.ends:
            return ~place
        after = self.text[place + 1 : place + 2]
        if not may_follow(self.text[place], after):  # most brackets of prose are refused at once
            return place + 1
        start = self.base + place
        if self.rows.ruled and not self.documents and (small := is_small(self.text, place)) is not None:
            if self.ruler is not None:
                self.ruler.mark(Context.JSON, start, self.base + small.end(), start, start)
            self.read_to = small.end()
            return small.end()
        before = {each.start: each for each in self.documents if not is_in_string(each)}
        if self.documents:
            self._read_documents(place + 1)
        self.read_to = place + 1
        around = next((each for each in self.documents if each.start in before), None)
        if around is None:
            around = begun(start, self.text[place])
            self.documents = (*self.documents, around)
        self.guesses = (*self.guesses, Guess(start, document=around.start, depth=around.depth))
        return place + 1

    def _read_documents(self, end: int) -> int:
        # Reads on in the documents, up to that place. Returns where one of them is complete, if that is before it;
        # else -1.
        read: list[tuple[Document, Document | None, list[tuple[int, int]], int]] = []
        nested = self.guesses if any(self.text.find(each, self.read_to, end) >= 0 for each in "]}") else ()
        for document in self.documents:
            levels = tuple(each.depth for each in nested if not each.size and each.document == document.start)
            after, i, strings, depth = read_on(document, self.text, self.read_to, end, self.base, levels)
            if depth:
                if i < end:  # what comes first counts: the others are read up to there
                    return self._read_documents(i)
                end = i
            read.append((document, after, strings, depth))
        nothing: tuple[Document, ...] = ()
        self.documents, self.read_to = nothing, end
        complete = start = 0
        for document, after, strings, depth in read:
            if self.ruler is not None:
                for first, stop in strings:
                    self.ruler.mark(Context.JSON_STRING, max(first, document.shown), stop, first, document.start)
            complete = depth or complete
            if depth:
                start = document.start
            self._go_on_with(document, after, over=not depth)
        if not complete:
            return -1
        number = [(guess.size, guess.document, guess.depth) for guess in self.guesses].index((0, start, complete))
        self.documents = tuple(one for one in self.documents if one.start <= self.guesses[number].start)
        self._confirm(number, end, Context.JSON)
        return end

    def _go_on_with(self, document: Document, after: Document | None, *, over: bool) -> None:
        if after is None:
            if over:
                self._leave_out(lambda guess: not guess.size and guess.document == document.start)
            return
        if after.outer > document.outer:
            self.guesses = deeper(self.guesses, document.start, after.outer)
        self.documents = (*self.documents, after)
