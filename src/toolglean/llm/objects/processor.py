# What this file knows: which object each event, or each piece of text, belongs to, and the order of the objects.
# Does not depend on where the events come from, on how JSON is read, or on how a view is read.
#
#   input                                         result
#   CallStart, CallDelta, CallEnd                 one object for each call, by its index
#   text, and Content with `content=True`         one object for each `{`; between objects, white space, commas,
#                                                 brackets and code fences are ignored, and anything else is a Problem
#   ChatResponse with events                      as its events
#   ChatResponse without events                   its calls by their positions, as far as they differ from the last
#                                                 response; its delta, or the new part of its text
#
# Each feed is one tick of the clock. The result refers to the slots and the time: no list is copied.
"""Objects that are filled while the model writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

from pydantic import BaseModel, PydanticUserError

from toolglean.errors import UsageError
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Markup, Problem, Reasoning, ToolCall
from toolglean.llm.errors import ConfigurationError, ObjectError
from toolglean.llm.objects.final import validated
from toolglean.llm.objects.partial import Partial
from toolglean.llm.objects.shapes import Shapes
from toolglean.llm.objects.tree import Builder
from toolglean.llm.types import ChatResponse

__all__ = ["Partials", "StreamingObjectProcessor", "check_class"]

M = TypeVar("M", bound=BaseModel)
M_co = TypeVar("M_co", bound=BaseModel, covariant=True)

Piece: TypeAlias = "str | Event | ChatResponse | Iterable[Event]"

_EVENTS = (CallDelta, CallEnd, CallStart, Content, Markup, Problem, Reasoning)
_passes = re.compile(r"(?:[\s,\[\]]++|```\w*+)*+").fullmatch


class _Slot(Generic[M]):
    # One object: what has been read of it, and its result, once it is requested.

    __slots__ = ("builder", "counts", "ended", "fed", "name", "result", "sound")

    def __init__(self, name: str, *, counts: bool) -> None:
        self.name = name
        self.counts = counts
        self.builder = Builder()
        self.ended = False  # nothing more will come
        self.sound = False  # a call whose status is "ok", or an object in text: closed brackets alone do not end a call
        self.fed = 0  # characters of a call's arguments that were received as deltas
        self.result: M | ObjectError | None = None


class Partials(Sequence[Partial[M_co]]):
    """The objects of a turn at one moment, in the order in which the model began them.

    Made by `StreamingObjectProcessor`.
    """

    __slots__ = ("_count", "_processor", "_time")

    def __init__(self, processor: StreamingObjectProcessor[M_co], count: int, time: int) -> None:
        self._processor = processor
        self._count = count
        self._time = time

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Partial[M_co]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Partial[M_co]]: ...
    def __getitem__(self, index: int | slice) -> Partial[M_co] | list[Partial[M_co]]:
        places = range(self._count)[index]
        if isinstance(places, range):
            return [self._processor._partial(place, self._time) for place in places]
        return self._processor._partial(places, self._time)

    def __repr__(self) -> str:
        return repr(list(self))


class StreamingObjectProcessor(Generic[M]):
    """Reads a model's output into objects of one class, and shows them while they are being written.

    Every character is read once, so the cost of a step depends only on its chunk. The views share what was read: a view
    is created in constant time, and never changes.

    Args:
        output_cls: the class.
        allow_parallel_tool_calls: whether several objects are wanted; if not, only the first is read, and the others
            are `ignored`.
        tool_name: read only calls of this tool; None: all calls.
        content: whether `Content` events and the text of responses are read as JSON too.

    Attributes:
        problems: duplicate keys, and text between objects.
        ignored: names of the calls that were not read, in order; "" for an object in text.

    Raises:
        ConfigurationError: `output_cls` is not a pydantic class, or refers to a type that is not known.
    """

    def __init__(
        self,
        output_cls: type[M],
        *,
        allow_parallel_tool_calls: bool = True,
        tool_name: str | None = None,
        content: bool = False,
    ) -> None:
        check_class(output_cls)
        try:
            output_cls.model_rebuild()  # does nothing if the class is complete
        except (PydanticUserError, NameError) as error:
            message = f"output_cls={output_cls.__name__} refers to an unknown type: {error}"
            raise ConfigurationError(message, field="output_cls", value=output_cls) from error
        self.output_cls = output_cls
        self.ignored: list[str] = []
        self._parallel = allow_parallel_tool_calls
        self._tool_name = tool_name
        self._content = content
        self._shape = Shapes().model(output_cls)
        self._slots: list[_Slot[M]] = []
        self._visible: list[_Slot[M]] = []  # those with something to show, in the same order
        self._next = 0  # the first slot that may still become visible
        self._open: dict[int, _Slot[M]] = {}  # the calls that are being written, by index
        self._text: _Slot[M] | None = None  # the object that text is read into
        self._between: list[str] = []  # text since the last object
        self._passed = 0  # characters of text before it
        self._outside: list[Problem] = []
        self._seen_calls = 0  # in events
        self._seen_text = 0  # characters of the text of responses
        self._last_calls: list[tuple[_Slot[M], str]] = []  # the calls of responses without events, with their last text
        self._progress = 0  # characters that were added to objects
        self._time = 0
        self._finished = False

    # -- while the model writes ----------------------------------------------------------------------------------------

    def feed(self, piece: Piece) -> Partials[M]:
        """Read the next piece.

        Args:
            piece: JSON text cut anywhere; an event, or several; or a `ChatResponse` of a stream.

        Returns:
            The objects at this moment, in the order in which the model began them; empty before the first.

        Raises:
            UsageError: the turn is over (make a new processor for the next one), or `piece` is none of these.
        """
        if self._finished:
            raise UsageError("this processor has finished: make a new one for the next turn")
        self._time += 1
        if isinstance(piece, str):
            self._read_text(piece)
        elif isinstance(piece, ChatResponse):
            self._read_response(piece)
        else:
            for event in [piece] if isinstance(piece, _EVENTS) else piece:
                self._read_event(event)
        self._uncover()
        return self.partials

    def process(self, chunk: Piece, cur_objects: Sequence[Partial[M]] | None = None) -> Sequence[Partial[M]]:
        """Read the next chunk, and return what to show now.

        Args:
            chunk: as for `feed`.
            cur_objects: the result of the last call; None at first.

        Returns:
            `cur_objects` itself, if the chunk added nothing to the objects; otherwise what `feed` returns.
        """
        before = self._progress
        found = self.feed(chunk)
        return found if cur_objects is None or self._progress != before else cur_objects

    @property
    def partials(self) -> Partials[M]:
        """The objects at this moment."""
        return Partials(self, len(self._visible), self._time)

    @property
    def problems(self) -> list[Problem]:
        """What could not be accepted as written, object by object; then text between objects."""
        return [problem for slot in self._slots for problem in slot.builder.problems] + self._outside

    # -- at the end ----------------------------------------------------------------------------------------------------

    def finish(self) -> list[M]:
        """End the turn.

        Returns:
            The validated objects in order; empty if the model began none.

        Raises:
            IncompleteObjectError, MalformedObjectError, InvalidObjectError: an object is not valid; this is the first
                one. `results` has the others.
        """
        found = self.results()
        for each in found:
            if isinstance(each, ObjectError):
                raise each
        return [each for each in found if not isinstance(each, ObjectError)]

    def results(self) -> list[M | ObjectError]:
        """End the turn without raising: returns each object, or its error, in order."""
        if not self._finished and self._between:
            self._report()
        self._finished = True
        return [self._result(index, slot) for index, slot in enumerate(self._slots)]

    def _result(self, index: int, slot: _Slot[M]) -> M | ObjectError:
        if slot.result is None:
            root = slot.builder.root
            partial: Partial[M] | None = None if root is None else Partial(root, self._shape, self._time)
            try:
                cut = not slot.sound
                slot.result = validated(self.output_cls, slot.builder, index=index, partial=partial, cut=cut)
            except ObjectError as error:
                slot.result = error
        return slot.result

    def _partial(self, index: int, time: int) -> Partial[M]:
        root = self._visible[index].builder.root
        assert root is not None
        return Partial(root, self._shape, time)

    def _uncover(self) -> None:
        # An object becomes visible only after those that began before it, so that positions do not change.
        for slot in self._slots[self._next :]:
            if slot.builder.begun:
                self._visible.append(slot)
            elif not (slot.ended or slot.builder.fault):
                return
            self._next += 1

    # -- events --------------------------------------------------------------------------------------------------------

    def _read_event(self, event: Any) -> None:
        if isinstance(event, CallStart):
            self._open[event.index] = self._begin(event.name)
        elif isinstance(event, CallDelta):
            if (slot := self._open.get(event.index)) is not None:
                slot.fed += len(event.text)
                self._fill(slot, event.text)
        elif isinstance(event, CallEnd):
            self._end(event.call)
        elif isinstance(event, Content):
            if self._content:
                self._read_text(event.text)
        elif not isinstance(event, _EVENTS):
            raise UsageError(
                f"piece={event!r:.200} cannot be read: pass text, an event, a list of events or a ChatResponse"
            )

    def _begin(self, name: str) -> _Slot[M]:
        # An ignored object is read too, so that its pieces are not taken for another's.
        counts = (self._parallel or not self._slots) and not (name and self._tool_name not in {None, name})
        slot: _Slot[M] = _Slot(name, counts=counts)
        if counts:
            self._slots.append(slot)
            self._progress += 1
        else:
            self.ignored.append(name)
        return slot

    def _fill(self, slot: _Slot[M], text: str) -> None:
        slot.builder.feed_all(text, self._time)
        self._progress += len(text) if slot.counts else 0

    def _end(self, call: ToolCall) -> None:
        slot = self._open.pop(call.index, None) or self._begin(call.name)
        slot.ended, slot.sound = True, call.status == "ok"
        self._fill(slot, call.arguments_text[slot.fed :])
        if call.status == "malformed":
            slot.builder.refuse("the call cannot be read")
        elif call.status == "ok" and not slot.builder.length:
            self._fill(slot, json.dumps(call.arguments, ensure_ascii=False))

    # -- text and responses --------------------------------------------------------------------------------------------

    def _read_text(self, text: str) -> None:
        # After a broken object, the rest of the text is not read.
        pos = 0
        while pos < len(text):
            if self._text is None:
                pos = self._pass(text, pos)
                continue
            builder, begin = self._text.builder, pos
            pos = builder.feed(text, self._time, pos)
            self._progress += pos - begin if self._text.counts else 0
            if builder.fault and not builder.certain:
                self._forget(builder)
            elif builder.certain and self._between:
                self._report()
            if builder.done:
                self._passed += builder.length
                self._text = None

    def _pass(self, text: str, pos: int) -> int:
        # Up to the next brace; if it is at `pos`, an object begins there.
        begin = text.find("{", pos)
        end = len(text) if begin == -1 else begin
        if pos < end:
            self._between.append(text[pos:end])
        if begin != -1:
            self._text = self._begin("")
            self._text.sound = True
        return end

    def _forget(self, builder: Builder) -> None:
        # A brace that is not followed by an object: prose.
        if self._slots and self._slots[-1].builder is builder:
            self._slots.pop()
        else:
            self.ignored.pop()
        self._text = None
        self._between.append(builder.text)

    def _report(self) -> None:
        text = "".join(self._between)
        self._between.clear()
        if not _passes(text):
            self._outside.append(Problem("text-outside-objects", "text outside the objects", text, self._passed))
        self._passed += len(text)

    def _read_response(self, response: ChatResponse) -> None:
        if response.events:
            for event in response.events:
                self._read_event(event)
                self._seen_calls += type(event) is CallEnd and event.call.status == "ok"
            return
        # Each response repeats all calls so far, in the same positions.
        whole, begun = response.tool_calls[self._seen_calls :], response.unfinished
        for place, call in enumerate([*whole, *begun]):
            text = call.unread or json.dumps(call.arguments, ensure_ascii=False)
            self._update_call(place, call.name, text, whole=place < len(whole))
        if self._content:
            new_text = response.message.content[self._seen_text :] if response.delta is None else response.delta
            self._seen_text += len(new_text)
            self._read_text(new_text)

    def _update_call(self, place: int, name: str, text: str, *, whole: bool) -> None:
        if place == len(self._last_calls):
            self._last_calls.append((self._begin(name), ""))
        slot, last = self._last_calls[place]
        if text != last:
            goes_on = not slot.sound and text.startswith(last)
            slot.builder = slot.builder if goes_on else Builder()
            self._fill(slot, text[len(last) :] if goes_on else text)
        slot.ended = slot.sound = whole
        self._last_calls[place] = slot, text


def check_class(output_cls: Any) -> None:
    """Whether it is a pydantic class.

    Raises:
        ConfigurationError: it is not.
    """
    if not (isinstance(output_cls, type) and issubclass(output_cls, BaseModel)):
        message = f"output_cls={output_cls!r} is not a pydantic class: pass a subclass of pydantic.BaseModel"
        raise ConfigurationError(message, field="output_cls", value=output_cls)
