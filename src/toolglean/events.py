# The whole vocabulary of what the parser reports. Does not depend on how any of it is found.
#
# Plain slotted dataclasses, because an event is built for almost every chunk (109 ns; a frozen one takes 199, a
# NamedTuple 194). Treat them as read-only.
"""Events, in the order in which the model wrote them, and the `Output` into which they fold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from toolglean.errors import UnfinishedCallError, UsageError

__all__ = [
    "CallDelta",
    "CallEnd",
    "CallStart",
    "Content",
    "Event",
    "Markup",
    "Output",
    "Problem",
    "ProblemCode",
    "Reasoning",
    "Status",
    "ToolCall",
    "fold",
    "join",
]

Status: TypeAlias = Literal["ok", "incomplete", "malformed"]
"""How a call ended: complete; cut off by the end of the turn; written in a way that cannot be read."""

# fmt: off
ProblemCode: TypeAlias = Literal[
    # text that looks like a call, and is content or reasoning
    "unreadable-call", "not-a-call", "quoted-call", "call-in-json-string", "call-in-reasoning", "call-to-user",
    "call-in-line", "unknown-tool", "unread-call", "spelled-marker",
    # calls that end as malformed
    "malformed-arguments", "string-arguments", "malformed-call", "misplaced-arguments", "name-alone",
    "part-of-expression", "text-after-arguments", "missing-closer", "swallowed-markup", "repeated-closer",
    "markup-in-value", "unclosed-call", "numbered-call",
    # calls that are complete
    "repaired", "duplicate-key", "repeated-call-key", "ignored-keys", "ignored-server", "missing-arguments",
    "undeclared-spelling",
    # markers, and the end of the turn
    "leftover-marker", "unopened-reasoning", "cut-off", "another-message",
    # limits
    "limit-call-chars", "limit-calls", "limit-depth", "limit-held",
    # problems that the parser itself never reports: of a log, and of objects in text
    "not-a-turn", "not-text", "invalid-tools", "text-outside-objects",
]
# fmt: on
"""What kind of `Problem` it is. The codes never change their meaning; later versions may add some."""


@dataclass(init=False, repr=False, eq=False)
class ToolCall:
    """One tool call.

    Attributes:
        id: the model's own id if it wrote one, else `id_prefix` + index.
        index: position among the calls of the turn; the first is 0.
        name: the tool's name.
        known: whether the name is one of the tools; None if you passed no tools.
        arguments: the arguments of a complete call, decoded: integers are exact, keys are in the order written. If
            `status` is not "ok", reading them raises an `UnfinishedCallError`.
        arguments_text: the arguments as JSON text, as far as they were written; equal to the joined deltas.
        span: (start, end) of the call in the turn, in characters.
        status: "ok"; "incomplete" if the stream ended inside the call; "malformed" if it cannot be read. Execute only
            "ok" calls.
        repairs: what was repaired before the call could be read; empty if nothing was.

    Raises:
        UsageError: a call of status "ok" was made without arguments.
    """

    # Written by hand, because `arguments` is a property: no unfinished call shows arguments that somebody could run
    # (`getattr(call, "arguments", {})` raises too). In all other ways it is an ordinary dataclass.
    __match_args__ = ("id", "index", "name", "known", "arguments", "arguments_text", "span", "status", "repairs")
    __slots__ = ("_arguments", "arguments_text", "id", "index", "known", "name", "repairs", "span", "status")

    id: str
    index: int
    name: str
    known: bool | None
    arguments_text: str
    span: tuple[int, int]
    status: Status
    repairs: tuple[str, ...]

    def __init__(
        self,
        id: str,  # noqa: A002  # the field's own word
        index: int,
        name: str,
        known: bool | None,  # noqa: FBT001
        arguments: dict[str, Any] | None = None,
        arguments_text: str = "",
        span: tuple[int, int] = (0, 0),
        status: Status = "ok",
        repairs: tuple[str, ...] = (),
    ) -> None:
        if status != "ok":
            arguments = None
        elif arguments is None:
            raise UsageError(
                f"arguments=None of the call of {name!r} is not valid: pass a dict, or another status than 'ok'"
            )
        self.id = id
        self.index = index
        self.name = name
        self.known = known
        self._arguments = arguments
        self.arguments_text = arguments_text
        self.span = span
        self.status: Status = status
        self.repairs = repairs

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a complete call.

        Raises:
            UnfinishedCallError: `status` is not "ok". Do not execute the call; `arguments_text` shows what was written.
        """
        if self.status != "ok" or self._arguments is None:
            raise UnfinishedCallError(self.name, self.status)
        return self._arguments

    def __repr__(self) -> str:
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
        return f"ToolCall({', '.join(each for each in shown if each != 'repairs=()')})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not ToolCall:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in ToolCall.__slots__)

    __hash__ = None  # type: ignore[assignment]  # its arguments are a dict


class _FieldsOfCall:
    # The fields of the class; of an unfinished call, those without its arguments. `dataclasses.replace`, `asdict` and
    # whatever prints dataclasses ask here what to read, and so they never raise.

    def __init__(self, known: Mapping[str, Any]) -> None:
        arguments = field()
        arguments.name, arguments.type = "arguments", "dict[str, Any]"
        arguments._field_type = known["id"]._field_type
        self._whole = {name: known.get(name, arguments) for name in ToolCall.__match_args__}
        self._unfinished = {name: each for name, each in self._whole.items() if name != "arguments"}

    def __get__(self, call: ToolCall | None, _: type[ToolCall] | None = None) -> dict[str, Any]:
        return self._whole if call is None or call._arguments is not None else self._unfinished


ToolCall.__dataclass_fields__ = _FieldsOfCall(ToolCall.__dataclass_fields__)  # type: ignore[assignment]


@dataclass(slots=True)
class Content:
    """Text for the user. Consecutive ones may be split anywhere.

    Attributes:
        text: a piece of it.
        start: position of its first character in the turn, in characters.
    """

    text: str
    start: int


@dataclass(slots=True)
class Reasoning:
    """Text of the model's reasoning. Consecutive ones may be split anywhere.

    Attributes:
        text: a piece of it.
        start: position of its first character in the turn, in characters.
    """

    text: str
    start: int


@dataclass(slots=True)
class CallStart:
    """A call has begun and its name is certain.

    Attributes:
        index: number of the call in the turn, the first is 0.
        id: the call's id; None while the model may still write one of its own.
        name: the tool's name.
        known: whether a tool has that name; None if no tools were given.
        start: position of the call's opener in the turn, in characters.
    """

    index: int
    id: str | None
    name: str
    known: bool | None
    start: int


@dataclass(slots=True)
class CallDelta:
    """A piece of a call's arguments as JSON text. Joined, the pieces are the call's `arguments_text`.

    Attributes:
        index: number of the call in the turn, the first is 0.
        text: the piece.
        start: position in the turn, in characters, at which the model had written it.
    """

    index: int
    text: str
    start: int


@dataclass(slots=True)
class CallEnd:
    """A call has ended: complete (`call.status == "ok"`), cut off or malformed.

    Attributes:
        index: number of the call in the turn, the first is 0.
        call: the call. Run it only if its status is "ok".
        start: position in the turn at which it ended, in characters.
    """

    index: int
    call: ToolCall
    start: int


@dataclass(slots=True)
class Problem:
    """The parser could not accept something as written.

    The text is not lost: it is also in a `Content`, or in the span of a call.

    Attributes:
        code: what kind of problem it is, for programs: compare this.
        reason: what is wrong, for people: a phrase, sometimes with details after a colon. Its words may change.
        text: the offending text.
        start: its position in the turn, in characters.
    """

    code: ProblemCode
    reason: str
    text: str
    start: int


@dataclass(slots=True)
class Markup:
    """Text of the format itself, outside calls (only with `markup=True`): closers, separators, white space.

    Attributes:
        text: a piece of it.
        start: position of its first character in the turn, in characters.
    """

    text: str
    start: int


Event: TypeAlias = Content | Reasoning | CallStart | CallDelta | CallEnd | Problem | Markup
"""What `Parser.feed` and `iter_events` give: match on the class."""


@dataclass(init=False)
class Output:
    """The result of one chunk or a whole turn: its events, folded.

    Attributes:
        content: text for the user.
        reasoning: text of the model's reasoning.
        calls: complete calls, which can be executed.
        unfinished: calls that were cut off or cannot be read. Show or log them, but never execute them.
        problems: what the parser could not accept as written.
        events: the events themselves, in the order in which the model wrote them.
    """

    __slots__ = ("_events", "calls", "content", "problems", "reasoning", "unfinished")

    content: str
    reasoning: str
    calls: list[ToolCall]
    unfinished: list[ToolCall]
    problems: list[Problem]

    def __init__(  # by hand: factories of lists take a third longer, and `add` makes one for each chunk
        self,
        content: str = "",
        reasoning: str = "",
        calls: list[ToolCall] | None = None,
        unfinished: list[ToolCall] | None = None,
        problems: list[Problem] | None = None,
    ) -> None:
        self.content = content
        self.reasoning = reasoning
        self.calls = [] if calls is None else calls
        self.unfinished = [] if unfinished is None else unfinished
        self.problems = [] if problems is None else problems
        self._events: list[Event] | int | None = None  # of plain content: its place, because few ask for the event

    @property
    def events(self) -> list[Event]:
        """The events themselves, in the order in which the model wrote them; empty if you made the output yourself."""
        events = self._events
        if type(events) is int:
            events = [Content(self.content, events)]
        elif type(events) is not list:
            events = []
        self._events = events
        return events


_new = object.__new__


def plain_output(content: str, start: int) -> Output:
    """The output of a chunk of which nothing came but content, and where it begins in the turn, in characters."""
    output = _new(Output)  # `__init__` asks what was given: this is made for almost every chunk, and takes a third less
    output.content = content
    output.reasoning = ""
    output.calls = []
    output.unfinished = []
    output.problems = []
    output._events = start
    return output


def fold(events: Iterable[Event]) -> Output:
    """Fold events into one `Output`."""
    output = Output()
    output._events = found = events if type(events) is list else list(events)
    content: list[str] = []
    reasoning: list[str] = []
    for event in found:
        if type(event) is Content:
            content.append(event.text)
        elif type(event) is Reasoning:
            reasoning.append(event.text)
        elif type(event) is CallEnd:
            (output.calls if event.call.status == "ok" else output.unfinished).append(event.call)
        elif type(event) is Problem:
            output.problems.append(event)
    output.content = "".join(content)
    output.reasoning = "".join(reasoning)
    return output


def join(events: Iterable[Event]) -> list[Event]:
    """Join adjacent `Content`, `Reasoning` and `Markup` events, and the deltas of one call.

    The joined events of a turn are the same for every chunking.
    """
    runs: list[list[Event]] = []
    for event in events:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and type(event) is type(last)
            and (
                isinstance(event, Content | Reasoning | Markup)
                or (isinstance(event, CallDelta) and isinstance(last, CallDelta) and event.index == last.index)
            )
        ):
            runs[-1].append(event)
        else:
            runs.append([event])
    return [_joined(run) for run in runs]


def _joined(run: list[Event]) -> Event:
    first = run[0]
    if len(run) == 1 or isinstance(first, CallStart | CallEnd | Problem):
        return first
    text = "".join(event.text for event in run if not isinstance(event, CallStart | CallEnd))
    if isinstance(first, CallDelta):
        return CallDelta(first.index, text, first.start)
    return type(first)(text, first.start)


def parted(events: list[Event], place: int) -> tuple[list[Event], list[Event]]:
    """The events before that place, and the others. Content may belong to both, and a Problem may come early."""
    first: list[Event] = []
    rest: list[Event] = []
    for event in events:
        if isinstance(event, Content) and event.start < place < event.start + len(event.text):
            size = place - event.start
            first.append(Content(event.text[:size], event.start))
            rest.append(Content(event.text[size:], place))
        else:
            (first if event.start < place else rest).append(event)
    return first, rest
