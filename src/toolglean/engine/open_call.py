# What a call has gathered so far. Does not know how events are put in order (emit.py), or how the call was written.
#
# The arguments lag by one comma: a comma between two values waits for what follows, so that a repair may remove it.
# White space after it waits too.
#
# `{"name": "f"}` calls a tool that needs no arguments. But in `{"name": "f"}, "arguments": {"x": 1}}` a bracket came
# too early, and in `<function=f></function><parameter=x>` a marker: the arguments are what follows. A call must never
# run without arguments that were written. So the end of such a call waits (`NameAlone`): until something closes it, any
# text shows that it was not complete; behind that, if the tool takes arguments, only what begins like them.
"""The open call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from toolglean.engine.reasons import NAME_ALONE
from toolglean.events import CallDelta, CallEnd, CallStart, Event, Problem, Status, ToolCall
from toolglean.scan.json import decode
from toolglean.scan.plain import Plain, Rope, flat, joined

if TYPE_CHECKING:
    from toolglean.engine.quoted_values import QuotedValues

__all__ = ["NameAlone", "OpenCall", "is_empty"]

LATE = 128  # how many pieces of the arguments are joined at a time
SPACE_AFTER_COMMA = 256  # with more of it, the comma is emitted
MOST_EMPTY = 8  # characters of an empty object


class OpenCall(Plain):
    """A call that has begun: the last one of the turn.

    Attributes:
        index: its number among the calls of the turn.
        name, start: its name, and where it began.
        known: whether a tool has that name; None where no tools were given.
        floor: where it began, or the last place that was repaired: what was inserted there has no place of its own.
        shown_id: the id in its `CallStart`, or None; model_id: the model's own id, or None.
        schema: of the parameters, if values that are written as strings are to be found; else {}.
        max_depth: how many containers the arguments may open, in that case.
        quoted: what finds them, from the first key on that may have one; None before.
    """

    __slots__ = (
        *("_args", "_args_start", "_lag", "_lag_start", "_late"),
        *("floor", "index", "known", "max_depth", "model_id", "name", "quoted", "schema", "shown_id", "start"),
    )

    ropes = frozenset({"_args"})

    def __init__(self, index: int, name: str, start: int, *, known: bool | None, model_id: str | None) -> None:
        self.index, self.name, self.start, self.known = index, name, start, known
        self.floor = start
        self.model_id = model_id
        self.shown_id: str | None = None
        self.schema: Mapping[str, Any] = {}
        self.max_depth = 0
        self.quoted: QuotedValues | None = None
        self._args: Rope = ()
        self._late: list[str] = []  # the end of the arguments, not yet joined to the rope
        self._args_start: int | None = None
        self._lag = ""  # a comma at the end of the arguments, and the white space after it
        self._lag_start = 0

    def copy(self) -> OpenCall:
        """The same call."""
        if self._late:
            self._gather()
        twin = OpenCall.__new__(OpenCall)  # by hand, not by slots, because each fork in a call needs it
        twin.index, twin.name, twin.start, twin.known = self.index, self.name, self.start, self.known
        twin.model_id, twin.shown_id, twin.floor = self.model_id, self.shown_id, self.floor
        twin.schema, twin.max_depth, twin.quoted = self.schema, self.max_depth, self.quoted and self.quoted.copy()
        twin._args, twin._args_start, twin._late = self._args, self._args_start, []
        twin._lag, twin._lag_start = self._lag, self._lag_start
        return twin

    def __getstate__(self) -> dict[str, Any]:
        self._gather()
        return super().__getstate__()

    # -- what was read of it -------------------------------------------------------------------------------------------

    def set_id(self, model_id: str) -> None:
        """The model's own id, written after the name. If one was shown already, that stays."""
        self.model_id = model_id

    def begin(self, shown_id: str | None) -> CallStart:
        """The call begins, and shows that id."""
        self.shown_id = shown_id
        return CallStart(self.index, shown_id, self.name, self.known, self.start)

    def begin_turn(self) -> CallStart:
        """The prompt is over, and has left the call open: it is the turn's first one."""
        self.index, self.start = 0, 0
        return CallStart(0, self.shown_id, self.name, self.known, 0)

    def delta(self, text: str, start: int, *, after_comma: bool = False) -> CallDelta | None:
        """A piece of its arguments as JSON text; None if it waits.

        `after_comma`: it ends with a comma between two values.
        """
        if self._lag:
            text, start, self._lag = self._lag + text, self._lag_start, ""
        if after_comma:
            comma = text.rfind(",")
            if comma >= 0 and len(text) - comma <= SPACE_AFTER_COMMA:
                text, self._lag, self._lag_start = text[:comma], text[comma:], start + comma
                if not text:
                    return None
        start = max(start, self.floor)
        if self._args_start is None:
            self._args_start = start
        return self.plain_delta(text, start)

    def plain_delta(self, text: str, start: int) -> CallDelta:
        """A piece of a string in its arguments, emitted at once. It is not the first piece of the arguments."""
        late = self._late
        late.append(text)
        if len(late) >= LATE:
            self._gather()
        return CallDelta(self.index, text, start)

    def catch_up(self) -> CallDelta | None:
        """Emit the comma that waits, if one does."""
        return self.delta("", self._lag_start) if self._lag else None

    # -- repairs -------------------------------------------------------------------------------------------------------

    def repaired(self, place: int) -> None:
        """Note that the call was repaired at that place."""
        self.floor = place

    @property
    def lags(self) -> bool:
        """Whether a comma waits for what follows it."""
        return bool(self._lag)

    def drop_comma(self) -> None:
        """Drop the comma that waits."""
        self._lag = ""

    # -- its arguments -------------------------------------------------------------------------------------------------

    @property
    def arguments(self) -> str:
        """Its arguments so far."""
        self._gather()
        self._args = flat(self._args)
        return joined(self._args)

    @property
    def written(self) -> str:
        """Its arguments so far, with what is kept of them."""
        return self.arguments + (self.quoted.held if self.quoted is not None else "")

    @property
    def arguments_start(self) -> int:
        """Where its arguments begin."""
        return self.start if self._args_start is None else self._args_start

    def expect_values(self, schema: Mapping[str, Any], max_depth: int) -> None:
        """The arguments are JSON: find values that are written as strings although the schema allows none."""
        self.schema, self.max_depth = schema, max_depth

    def may_quote(self, text: str) -> QuotedValues | None:
        """What must read that piece of the arguments, which comes next, if a value in it may be written as a string."""
        if self.quoted is None and '"' in text:
            from toolglean.engine import quoted_values as found  # noqa: PLC0415  # only JSON and a schema need it

            last = lambda: self.tail(found.MOST_KEY) + self._lag  # noqa: E731
            if next(found.opens_quoted(self.schema, text, last), None) is not None:
                self.quoted = found.QuotedValues(self.schema, self.max_depth, self.arguments + self._lag)
        return self.quoted

    @property
    def arguments_end(self) -> str:
        """The last few characters of them."""
        return self.tail(4)

    def tail(self, chars: int) -> str:
        """That many characters at their end, or all."""
        self._gather()
        rope, text = self._args, ""
        while rope and len(text) < chars:
            rope, piece = rope
            text = piece[-chars:] + text
        return text[-chars:]

    @property
    def has_arguments(self) -> bool:
        """Whether any arguments were written."""
        return self._args_start is not None

    @property
    def is_empty(self) -> bool:
        """Whether none were written, or an empty object."""
        self._gather()
        rope, text = self._args, ""
        while rope and len(text) <= MOST_EMPTY:
            rope, piece = rope
            text = piece + text
        return not rope and is_empty(text)

    def ended(
        self, status: Status, call_id: str, end: int, repairs: tuple[str, ...]
    ) -> tuple[ToolCall, tuple[str, int] | None]:
        """The call, which ends before `end`; and a key that came twice, with its place, or None."""
        self._gather()
        text, self._args = joined(self._args), ()
        arguments: dict[str, Any] = {}
        repeated = None
        if status == "ok":
            arguments, twice = decode(text)
            repeated = None if twice is None else (twice, self._args_start or 0)
        span = (self.start, end)
        call = ToolCall(call_id, self.index, self.name, self.known, arguments, text, span, status, repairs)
        return call, repeated

    def _gather(self) -> None:
        if self._late:
            self._args = (self._args, "".join(self._late))
            self._late = []


def is_empty(text: str) -> bool:
    """Whether arguments with that text are none."""
    return len(text) <= MOST_EMPTY and "".join(text.split()) in {"", "{}"}


class NameAlone(Plain):
    """The end of a call of which only the name was written so far, and the events since.

    Args:
        delta, end: its arguments and its end, if it was complete.
        is_open: whether any text shows that it was not: nothing has closed the call yet.
        keys: the parameters of the tool: only text that begins with one shows it, once something has.
    """

    __slots__ = ("_delta", "_end", "_is_open", "_keys", "_since", "_text")

    def __init__(self, delta: CallDelta, end: CallEnd, *, is_open: bool, keys: tuple[str, ...]) -> None:
        self._delta, self._end, self._is_open, self._keys = delta, end, is_open, keys
        self._since: list[Event] = []
        self._text = ""

    def copy(self) -> Self:
        """The same, for a fork."""
        twin = super().copy()
        twin._since = [*self._since]
        return twin

    def tell(self, event: Event) -> None:
        """Something comes after the call that shows nothing."""
        self._since.append(event)

    def close(self) -> bool:
        """A marker comes, which closes the call. Returns whether that shows that it was complete."""
        self._is_open = False
        return not self._keys

    def is_whole(self, text: str) -> bool | None:
        """That text comes: whether it shows that the call was complete, or that it was not. None: more is needed."""
        if self._is_open:
            return None if text.isspace() else False
        self._text = (self._text + text).lstrip(_BEFORE)[:_MOST]
        if _arguments_of(self._keys)(self._text) is not None:
            return False
        word = _word(self._text)[0]  # type: ignore[index]  # it matches the empty string
        words = (*_WORDS, *self._keys)
        begun = word in words or (word == self._text and any(each.startswith(word) for each in words))
        return None if len(self._text) < _MOST and (begun or self._text[0] in _SIGNS) else True

    def whole(self) -> list[Event]:
        """Something came that may follow a call: the call was complete."""
        return [self._delta, self._end, *self._since]

    def broken(self) -> list[Event]:
        """Its arguments came, or text where it was still open: the call is malformed."""
        was = self._end.call
        call = ToolCall(was.id, was.index, was.name, was.known, {}, "", was.span, "malformed")
        problem = Problem(*NAME_ALONE, call.name, call.span[0])
        return [problem, CallEnd(call.index, call, self._end.start), *self._since]


_MOST = 64  # characters
_BEFORE = " \t\r\n,;:"
_SIGNS = "`~{[\"'(<\\"  # what begins like arguments, apart from words, begins with one of these
_WORDS = ("arguments", "parameters", "params", "args", "input", "json")
_word = re.compile(r"[\w.-]*").match


@lru_cache(maxsize=64)
def _arguments_of(keys: tuple[str, ...]) -> Callable[[str], re.Match[str] | None]:
    # Matches text that begins with arguments that have one of these keys. If it does, so does all that begins with it.
    key = "|".join(map(re.escape, (*_WORDS[:-1], *keys)))
    return re.compile(
        rf"""(?:[`~]{{3,}}[^\n{{}}]*\s*|json\s+|\[ARGS\]\s*)?
        (?: \[?\s*\{{\s*\\?["']?(?:{key})\\?["']?\s*[:=]
          | \\?["'](?:{key})\\?["']\s*[:=]
          | \(?\s*(?:{key})\s*[:=]\s*[{{(\["'\d]
          | <(?:{key})>
          | <(?:[|｜]\w+[|｜])?(?:\w+:)?(?:parameter|param|arg_key|arg_value|argument|arg)[\s=>]
        )""",
        re.VERBOSE,
    ).match
