# What this file knows: the three states, the only loop, and what becomes of text that turned out not to be a call.
# What it must not know: how a payload is written (discovery.py), and what the user had to name the format (parser.py).
#
# The loop hands the text to the step function of the current mode until the text is used up. A step reads on from a
# position and returns the position that it reached; what it cannot decide yet it keeps in the machine's state, never
# in local variables, so that the next chunk goes on where this one ended. Nothing is decided by where a chunk ends:
# that is why every chunking gives the same events.
#
# From a tag on, and until a call is certain, the text is kept as the *region*. If a call comes of it, the region is the
# beginning of the call's span. If not, its opener is content and the rest is read again, for it may hide a real call:
# it is laid on a stack in front of the text that follows. Re-read characters stay below those read, plus 4 KB
# (REREAD_GRACE); beyond that the region is content as it stands. Both rules depend on positions alone.
"""The machine: LookingForTag, ToolCalling, Done."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from toolglean.arguments import text_of
from toolglean.emit import Emitter
from toolglean.errors import UsageError
from toolglean.events import CallDelta, Content, Event, Output, Reasoning, fold
from toolglean.limits import Limits
from toolglean.modes import BESIDE, CALL, CONTENT, DONE, SKIP, SPACE, START, STEPS, TEXT
from toolglean.scan.rope import Rope, flat, joined

if TYPE_CHECKING:
    from toolglean.plan import Payload, Plan
    from toolglean.tools import Tool, ToolSet

__all__ = ["Machine", "State"]

NEVER = sys.maxsize
REREAD_GRACE = 4096
WINDOW = 256  # how much text is joined to held-back text at once: joining to all of a long text would copy it each time
NO_GUARD = "\x00no guard"  # not in any chunk; were it in one, only the fast path would be missed
PROMPT_CHARS = 2048  # how much of a prompt's end is read
LAYOUT = 1  # of the pickled state


class State(enum.Enum):
    """Where the parser is, in Ollama's words."""

    LookingForTag = 0
    ToolCalling = 1
    Done = 2


class Machine:
    """Reads one turn, chunk by chunk. Made by `Parser`; see there for the arguments."""

    def __init__(
        self,
        plan: Plan,
        tools: ToolSet | None,
        *,
        unknown_tools: str,
        markup: bool,
        id_prefix: str,
        limits: Limits,
        coerce: bool = True,
    ) -> None:
        self.plan = plan
        self.emit = Emitter(id_prefix, markup=markup)
        self.payload: Payload | None = None
        self.base = 0  # place in the turn of the first character of the text that is being read
        self.lane = CONTENT
        self.only: tuple[int, ...] = ()  # the numbers of the formats that the turn may still be in; () for all
        self.tools = tools
        self.unknown_tools = unknown_tools
        self.coerce = coerce
        self.limits = limits
        self.mode = START if plan.bare else SPACE if plan.spaced else TEXT
        self.fresh = plan.bare  # whether nothing has come yet before which a call would need a marker
        self._pos = 0  # characters of the turn that were taken in
        self._held = ""  # the end of the text, which may be the beginning of a tag
        self._region: Rope = ()
        self._region_start = 0
        self._in_region = False
        self.bare_region = False  # whether no marker opened it, so that an unknown name does not count
        self._keep = 0  # how much of the region's beginning is not read again
        self._limit_at = NEVER  # the place at which a limit is passed, and which one
        self._limit_name = ""
        self._replay: tuple[str, int] | None = None
        self._reread = 0
        self._long_space = False  # whether more white space of the reasoning has waited than may
        self._finished = False
        self._lent = False  # whether a fork may have the same payload
        # Fast paths: a chunk without the guard, or without any of the openers, is plain content; a chunk without the
        # stops is plain arguments.
        self._guard = self._stops = self._openers = ""
        self._idle = False
        self._set_fast_paths()

    def begin_reasoning(self) -> None:
        """The prompt has opened the reasoning."""
        lane = self.plan.reasoning_lane()
        if not lane:
            raise UsageError("start='reasoning' needs a format that has reasoning; a tag says nothing of it")
        self.enter_lane(lane)
        self._set_fast_paths()

    def read_prompt(self, prompt: str) -> None:
        """Read the end of the prompt; its events are dropped, and places count from its end.

        What is left of it is where it ends: in the reasoning, in a marker, in a call that the model is to complete.
        """
        prompt = prompt[-PROMPT_CHARS:]
        self._pos = -len(prompt)
        self._run(prompt, self._pos)
        self._pos = 0
        self.emit.begin_turn()
        if self.mode in {TEXT, SPACE, BESIDE, DONE} and self.lane == CONTENT:
            if self._held not in self.plan.finder(CONTENT, self.only).literals:
                self._held = ""
            self.fresh = self.plan.bare
            self.mode = START if self.plan.bare else TEXT
        self._set_fast_paths()

    # -- the face ------------------------------------------------------------------------------------------------------

    def feed(self, chunk: str | None) -> list[Event]:
        """Read one chunk.

        Args:
            chunk: the next piece of what the model writes: any length, cut anywhere, also empty. None is no text, for
                that is what clients have where a chunk holds none (`delta.content`).

        Returns:
            The events that have become certain, in the order in which the model wrote them; often a single `Content`,
            or nothing while text is held back.

        Raises:
            UsageError: the turn was ended by `finish` or `close`: use one parser for each turn. Or the chunk is not
                text: the message says what to do with what it is.
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if self._guard not in chunk:  # most chunks stop here
            start = self._pos
            self._pos = start + len(chunk)
            return [Content(chunk, start)] if chunk else []
        if self._stops and (event := self._plain_delta(chunk)):  # and most chunks of a call here
            return [event]
        if self._openers and chunk and not _class_search(self._openers)(chunk):  # where tags begin with several, here
            start = self._pos
            self._pos = start + len(chunk)
            return [Content(chunk, start)]
        if self._idle and (found := self._plain_text(chunk)):
            return [found]
        if self._finished:
            raise UsageError("the turn is over: use a new Parser for the next turn (or fork one before it reads)")
        start = self._pos
        self._pos += len(chunk)
        self._run(chunk, start)
        return self._taken()

    def _plain_delta(self, chunk: str) -> CallDelta | None:
        # Inside a string of the arguments: a chunk without any character that ends or escapes it.
        start = self._pos
        end = start + len(chunk)
        if not chunk or end >= self._limit_at or _stop_search(self._stops)(chunk):
            return None
        self._pos = end
        return self.emit.plain_delta(chunk, start)

    def _plain_text(self, chunk: str) -> Content | Reasoning | None:
        # Between calls, where the tags begin with several characters, or where it is reasoning.
        if self.plan.finder(self.lane, self.only).find(chunk, 0)[0] < len(chunk) or not chunk:
            return None
        if self.lane != CONTENT and chunk[-1].isspace():
            return None
        start = self._pos
        self._pos = start + len(chunk)
        self._long_space = False
        return Content(chunk, start) if self.lane == CONTENT else Reasoning(chunk, start)

    def finish(self) -> list[Event]:
        """End the turn.

        Returns:
            The last events: text that was held back, and a call that was cut off, as `CallEnd` with status
            "incomplete". A second `finish` gives none.
        """
        if not self._finished:
            while self._release_at_end():
                pass
            self.emit.flush()
            self._finished, self._idle, self._guard, self._stops, self._openers = True, False, "", "", ""
        return self._taken()

    def add(self, chunk: str | None) -> Output:
        """Read one chunk, folded: its content, its reasoning, and the calls that it finished.

        Args, errors: as for `feed`.
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if self._guard not in chunk:
            self._pos += len(chunk)
            return Output(chunk)
        return fold(self.feed(chunk))

    def close(self) -> Output:
        """End the turn, folded: what was held back, and in `unfinished` a call that was cut off."""
        return fold(self.finish())

    def fork(self) -> Self:
        """The same parser at the same place; both go on apart. At every moment: beam search, replay, retries."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.emit = self.emit.copy()
        # The payload is lent to both, and copied by whoever reads with it first: many a twin is dropped before that,
        # and plain arguments pass without it.
        self._lent = twin._lent = self.payload is not None
        return twin

    def _own_payload(self) -> None:
        if self._lent and self.payload is not None:
            self.payload = self.payload.copy()
        self._lent = False

    __copy__ = fork

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    @property
    def state(self) -> State:
        """Where the parser is: looking for a tag, in a call, or done looking."""
        if self.mode in {CALL, SKIP}:
            return State.ToolCalling
        return State.Done if self.mode == DONE else State.LookingForTag

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _taken(self) -> list[Event]:
        events, self.emit.out = self.emit.out, []
        return events

    def _run(self, text: str, base: int) -> None:
        if self._lent:
            self._own_payload()
        # A stack of (text, position, place of the text's first character): texts to read again lie on top.
        stack = [(text, 0, base)]
        while stack:
            text, i, self.base = stack.pop()
            if self._held and i < len(text):
                text, i = self._with_held(text, i, stack)
            text, i = self._read(text, i, stack)
            if self._replay is not None:
                if i < len(text):
                    stack.append((text, i, self.base))
                again, place = self._replay
                self._replay = None
                stack.append((again, 0, place))
        self._set_fast_paths()

    def _set_fast_paths(self) -> None:
        self._idle = self.mode == TEXT and not self._held and self.emit.clean
        self._guard = self._stops = self._openers = ""  # "" is in every chunk: it shuts the fast path
        if self._idle and self.lane == CONTENT:
            finder = self.plan.finder(CONTENT, self.only)
            self._guard, self._openers = finder.first, "" if finder.first else finder.openers
        elif self.mode == DONE and self.emit.clean:
            self._guard = NO_GUARD
        elif self.mode == CALL and self.emit.open and not self._held and self.payload is not None:
            self._stops = self.payload.stops()

    def _read(self, text: str, i: int, stack: list[tuple[str, int, int]]) -> tuple[str, int]:
        """Read on, until something is to be read again. Returns the text, as far as it is read now, and the place."""
        n = len(text)
        beyond = ""  # the first character that passes the limit
        while i < n and self._replay is None:
            room = self._limit_at - self.base
            if n > room:
                if i >= room:
                    self.stop(self._limit_name, text[i], self.base + i)
                else:  # read up to the limit first, so that it is passed at its own character
                    stack.append((text, room, self.base))
                    beyond = text[room]
                    text, n = text[:room], room
            else:
                i = STEPS[self.mode](self, text, i)
        if beyond and self._held and self._limit_at <= self.base + n:  # it cannot wait for what lies behind the limit
            self._held = ""
            self.stop(self._limit_name, beyond, self.base + n)
        return text, i

    def _with_held(self, text: str, i: int, stack: list[tuple[str, int, int]]) -> tuple[str, int]:
        held, self._held = self._held, ""
        if len(text) - i > WINDOW:
            stack.append((text, i + WINDOW, self.base))
        self.base += i - len(held)
        return held + text[i : i + WINDOW], 0

    def _release_at_end(self) -> bool:
        """Let go of what waits for more text. True: there was text to read again, and something may wait anew."""
        self._own_payload()
        held, self._held = self._held, ""
        if self.emit.open:
            self.emit.end_call("malformed" if self.mode == SKIP else "incomplete", self._pos)
            self.mode = TEXT
        elif self.payload is not None:
            self.payload.finish(self)
        else:
            self.say(held, self._pos - len(held))
        if self._replay is None:
            return False
        (again, place), self._replay = self._replay, None
        self._run(again, place)
        return True

    def say(self, text: str, start: int) -> None:
        """Text that is no call: content, or reasoning."""
        if self.lane == CONTENT:
            self.fresh = self.fresh and (not text or text.isspace())
            self.emit.content(text, start)
        else:  # white space at its end waits: beside a marker it is markup
            end = len(text.rstrip())
            if end:
                self._long_space = False
            self.emit.reasoning(text[:end], start)
            if self._long_space:  # too much of this run has waited: the rest is not looked at again
                self.emit.reasoning(text[end:], start + end)
                return
            self.emit.space(text[end:], start + end)
            if self.emit.space_before(start + len(text)) > self.limits.held:
                self.emit.space_is_text(self.lane)
                self._long_space = True

    def hold(self, text: str, place: int) -> int:
        """The text's end, from `place` on, waits for the next chunk, before which it is read again."""
        self._held = text[place:]
        return len(text)

    def read_again(self, text: str, start: int, *, always: bool = False) -> bool:
        """Read that text, which stands at `start`, once more, before what follows. False: too much was read again.

        `always`: the text is the beginning of a marker, short and at a place of its own.
        """
        if not always and self._reread + len(text) > start + len(text) + REREAD_GRACE:
            return False
        self._reread += len(text)
        if text:
            self._replay = (text, start)
        return True

    # -- regions: text that may become a call --------------------------------------------------------------------------

    @property
    def reading_call(self) -> bool:
        """Whether the payload is still being read: not given up, not stopped, not left."""
        return self.mode == CALL

    @property
    def in_region(self) -> bool:
        """Whether text is kept."""
        return self._in_region

    def open_region(self, start: int, keep: int, *, bare: bool = False) -> None:
        """From `start` on, text is kept; if no call comes of it, its first `keep` characters are not read again.

        `bare`: no marker opened it.
        """
        self._in_region, self._region, self._region_start, self._keep = True, (), start, keep
        self._limit_at, self._limit_name = start + self.limits.held, "held"
        self.bare_region = bare

    def keep(self, text: str) -> None:
        """Add to the region."""
        self._region = (self._region, text)

    def allow_long_region(self) -> None:
        """The region holds the arguments of a call whose name is still to come: they may be as long as a call."""
        if self._in_region:
            self._limit_at, self._limit_name = self._region_start + self.limits.call_chars, "call_chars"

    def _take_region(self) -> tuple[str, int]:
        text, start = joined(self._region), self._region_start
        self._in_region, self._region, self._limit_at = False, (), NEVER
        return text, start

    def content_region(self, drop: int = 0) -> bool:
        """No call came of the region: it is content, but for its last `drop` characters. Whether any is left."""
        text, start = self._take_region()
        text = text[: len(text) - drop]
        self.say(text, start)
        return bool(text)

    def release_region(self, problem: str = "", again: int | None = None) -> None:
        """No call came of the region: its opener is content, and the rest is read again.

        Args:
            problem: the reason of the `Problem` that is reported; "" for none.
            again: how many characters at the region's end are read again; None: all but the opener.
        """
        keep = self._keep
        text, start = self._take_region()
        if problem:
            self.emit.problem(problem, text, start)
        if again is not None:
            keep = len(text) - again
        if self.mode != DONE and keep < len(text) and self.read_again(text[keep:], start + keep):
            text = text[:keep]
        self.say(text, start)

    def shorten_region(self, chars: int) -> None:
        """The region's last characters are read again, and kept again then."""
        text = joined(self._region)
        self._region = ((), text[: len(text) - chars])

    def markup_region(self, chars: int) -> None:
        """The region's first characters are a marker; the rest is read again."""
        text, start = self._take_region()
        self.emit.markup(text[:chars], start)
        if not self.read_again(text[chars:], start + chars):
            self.say(text[chars:], start + chars)

    def enter_lane(self, lane: int) -> None:
        """A marker was read: what follows is content (0), or reasoning of one kind. White space beside it is markup."""
        self.lane, self._long_space = lane, False
        self.payload, self.mode = None, BESIDE

    def resume(self) -> None:
        """The payload that was skipped reads on."""
        self.mode = CALL

    def wait_for_more(self, text: str, i: int) -> int:
        """White space from `i` on waits for what follows; returns its end."""
        j = i
        while j < len(text) and text[j].isspace():
            j += 1
        self.emit.space(text[i:j], self.base + i)
        if self.emit.space_before(self.base + j) > self.limits.held:
            self.emit.space_is_text(self.lane)
            self.leave(text_follows=True)
        return j

    def narrowed(self, formats: tuple[int, ...]) -> tuple[int, ...]:
        """Of these formats, those that the turn may still be in."""
        return tuple(number for number in formats if number in self.only) or formats

    # -- calls ---------------------------------------------------------------------------------------------------------

    def resolve(self, name: str) -> str | None:
        """The tool that a written name means: itself, or what is left without a namespace; None if it is no tool's."""
        tools = self.tools
        if tools is None:
            return None
        for candidate in (name, name.removeprefix("functions."), name.rpartition(".")[2]):
            if candidate in tools:
                return candidate
        return None

    def tool(self, name: str) -> Tool | None:
        """The tool that a written name means, if it is one."""
        known = self.resolve(name)
        return None if known is None or self.tools is None else self.tools.get(known)

    def may_be_tool(self, begun: str) -> bool:
        """Whether a tool's name, without its namespace, begins so."""
        return any(tool.name.startswith(begun.rpartition(".")[2]) for tool in self.tools or ())

    @property
    def has_spaced_names(self) -> bool:
        """Whether any tool's name holds white space."""
        return self.tools is not None and self.tools.spaced

    def delta(self, text: str, start: int) -> None:
        """A piece of the open call's arguments; "" is none."""
        if text:
            self.emit.delta(text, start)

    def has_parameter(self, name: str, key: str) -> bool:
        """Whether the tool's schema knows that parameter."""
        tool = self.tools.get(name) if self.tools is not None else None
        return tool is not None and key in tool.properties

    def takes(self, name: str) -> bool:
        """Whether a call of that name counts: always if it is a tool's, else as the user wants it.

        Without a marker an unknown name never counts, for then any JSON would be a call.
        """
        if not name:
            return False
        if self.tools is None or self.resolve(name) is not None:
            return True
        return self.unknown_tools == "call" and not self.bare_region

    def begin_call(self, name: str, model_id: str | None, *, may_get_id: bool) -> bool:
        """A call is certain; the region is the beginning of its span. False: the limit of calls is passed."""
        if self.emit.index >= self.limits.calls:
            self.stop("calls", name, self._region_start)
            return False
        known = None if self.tools is None else name in self.tools
        _, start = self._take_region()
        self._limit_at, self._limit_name = start + self.limits.call_chars, "call_chars"
        self.lane, self.fresh = CONTENT, False
        self.emit.start_call(name, model_id, known=known, start=start, may_get_id=may_get_id)
        return True

    def end_call(self, end: int) -> None:
        """The open call is finished."""
        self.emit.end_call("ok", end)
        self._limit_at = NEVER

    def leave(self, *, text_follows: bool) -> None:
        """The payload is over. Unless text follows at once, white space waits for what comes."""
        self.payload, self._limit_at = None, NEVER
        self.mode = SPACE if not text_follows else DONE if self.plan.stops_after_bare else TEXT

    def give_up(self, reason: str, text: str, place: int) -> None:
        """The open call cannot be read: pass over the rest of it."""
        self.emit.problem(reason, text, place)
        self._limit_at, self.mode, self._held = NEVER, SKIP, ""

    def stop(self, limit: str, text: str, place: int) -> None:
        """A limit is passed: an open call ends here, and the rest of the turn is content."""
        self.mode, self.payload, self._limit_at = DONE, None, NEVER
        self.emit.problem(f"limit passed: {limit}", text, place)
        if self.emit.open:
            self.emit.end_call("malformed", place)
        elif self.in_region:
            self.release_region()

    # -- pickles -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[int, dict[str, Any]]:
        # Compiled things are made anew, and ropes joined: the rope of a long text is too deep for pickle.
        state = self.__dict__
        return LAYOUT, state | {"_region": flat(self._region)}

    def __setstate__(self, layout_and_state: tuple[int, dict[str, Any]]) -> None:
        layout, state = layout_and_state
        if layout != LAYOUT:
            raise UsageError(f"a parser pickled by another version of toolglean (layout {layout}, not {LAYOUT})")
        self.__dict__.update(state)


@lru_cache(maxsize=256)
def _class_search(chars: str) -> Callable[[str], object]:
    return re.compile("[" + re.escape(chars) + "]").search


@lru_cache(maxsize=64)
def _stop_search(stops: str) -> Callable[[str], object]:
    return re.compile("[" + re.escape(stops) + '"\\\\\x00-\x1f]').search
