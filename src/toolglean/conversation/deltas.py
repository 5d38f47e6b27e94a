# What this file knows: how OpenAI's wire format cuts calls into deltas, how servers deviate from it, and how events are
# written as such deltas.
# Does not depend on where the deltas come from, or on what they are sent in.
#
# A fragment belongs to the call with its `index`. Servers deviate from this, and such fragments are read as follows:
#   an id that differs from that call's id, with a name         another call (some servers give every call index 0)
#   no index, an id                                             the call with that id; without a name, the call that was
#                                                               written last, if it has no id yet; else a new call
#   no index, no id                                             the call that was written last; a name begins a new call
#                                                               if that call has arguments already
#   a name that comes again                                     the same call, unless its arguments are complete: then
#                                                               another call, because two identical calls are two
#   another name after arguments                                another call
#   the name in pieces                                          joined, as long as there are no arguments
#   arguments before any name                                   the same call
#   an index as text ("0")                                      that number
#   arguments as an object, or None                             their JSON; nothing
#   `function_call`                                             a call without index and id
# No fragment marks the end of a call: `finish` returns the calls once the stream or the choice has ended.
"""Deltas of OpenAI's chat stream: calls joined from fragments, and events written as deltas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation.fields import arguments_of, field, id_of, listed, refused_end, text_in
from toolglean.conversation.messages import ContentPartToolCall
from toolglean.errors import shown
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Problem, Reasoning
from toolglean.scan.json import JsonScanner
from toolglean.scan.nested import json_text
from toolglean.scan.scanner import CLOSE, FAIL

__all__ = ["ChatDeltas", "LegacyDeltas", "ToolCallAggregator", "call_item", "fragments_of", "reason_with_calls"]

MAX_CHARS = 16 * 1024 * 1024
"""The limit for one call's arguments. Characters beyond it are dropped, and the arguments are then unread."""


# -- from deltas to calls ----------------------------------------------------------------------------------------------


class _Call:
    """One call, as far as it has been received."""

    def __init__(self, id: str, place: int) -> None:  # noqa: A002  # the wire's own word
        self.id = id
        self.place = place
        self.name = ""
        self.parts: list[str] = []
        self.chars = 0
        self.cut = False
        self._scanner = JsonScanner()
        self._seen = 0
        self._whole = False

    def begin(self, name: str) -> None:
        """Add a piece of the name. Some servers repeat the whole name in every fragment."""
        if name != self.name:
            self.name += name

    def add(self, text: str) -> None:
        """Add a piece of the arguments."""
        if self.chars + len(text) > MAX_CHARS:
            self.cut = True
            text = text[: MAX_CHARS - self.chars]
        self.parts.append(text)
        self.chars += len(text)

    @property
    def whole(self) -> bool:
        """Whether the arguments are one complete JSON object. Each character is scanned once."""
        for part in self.parts[self._seen :]:
            text = part if self._seen or part[:1] == "{" else part.lstrip()
            place = 0
            while place < len(text) and not self._whole and self._scanner.token != FAIL:
                place = self._scanner.skim(text, place, 0)
                self._whole = self._scanner.token == CLOSE and not self._scanner.stack
            self._seen += 1
        return self._whole

    def finished(self) -> ContentPartToolCall:
        """The call, if nothing more will come."""
        text = "".join(self.parts)
        arguments, unread = ({}, text) if self.cut else arguments_of(text)
        return ContentPartToolCall(self.name, arguments, self.id or None, unread)


class ToolCallAggregator:
    """Joins the fragments of calls in OpenAI's stream (`delta.tool_calls`). Use one for each choice.

    Fragments may be dicts or the client's objects. Malformed fragments never raise: each is assigned to the call that
    it most likely belongs to. The cost of a fragment depends on its own length, not on the length of the call.

    Attributes:
        begun: the calls that have begun, as far as they have been received: (id, name, pieces of the arguments).
    """

    def __init__(self) -> None:
        self.begun: list[tuple[str, str, list[str]]] = []
        self._calls: list[_Call] = []
        self._last: _Call | None = None
        self._by_index: dict[int, _Call] = {}  # the newest call: an index may be used again
        self._by_id: dict[str, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def names(self) -> list[str]:
        """The names of the calls that have begun, as far as they have been received."""
        return [name for _, name, _ in self.begun]

    def add_delta(self, delta: Any) -> None:
        """Add the fragments of a `delta`: its `tool_calls`, and its legacy `function_call`."""
        self.add(fragments_of(delta))

    def has_arguments(self, place: int) -> bool:
        """Whether any arguments have been received for the call at that place of `begun`."""
        return bool(self._calls[place].parts)

    def arguments(self, place: int, *, over: bool = False) -> dict[str, Any] | None:
        """The arguments of the call at that place of `begun`; None as long as they are not a complete JSON object.

        Args:
            place: the call's place.
            over: nothing more will come: an empty text then means no arguments.
        """
        call = self._calls[place]
        if not (over or call.whole):
            return None
        found = call.finished()
        return None if found.unread else found.arguments

    def add(self, fragments: Iterable[Any] | None, *, whole: bool = False) -> list[int]:
        """Add fragments; None, as in a delta without `tool_calls`, adds nothing.

        Args:
            fragments: the fragments.
            whole: whether each is a call of its own, whatever its id, as in a message that was not streamed.

        Returns:
            For each fragment, the place in `begun` of the call that it belongs to.
        """
        places = []
        for fragment in fragments or ():
            function = field(fragment, "function")
            name, arguments = text_in(function, "name"), field(function, "arguments")
            own = id_of(fragment) or ""
            call = self._begin(own) if whole else self._call(field(fragment, "index"), own, name)
            call.begin(name)
            if arguments:
                call.add(_json(arguments))
            self._last = call
            self.begun[call.place] = call.id, call.name, call.parts
            places.append(call.place)
        return places

    def finish(self) -> list[ContentPartToolCall]:
        """The stream has ended: return the calls, in the order in which they began.

        Returns:
            Each call with its arguments. If these are not a JSON object, they are in `unread`, and the call must not be
            executed. The aggregator is empty afterwards.
        """
        found = [call.finished() for call in self._calls]
        self.__init__()  # type: ignore[misc]  # empty again
        return found

    def _begin(self, id: str) -> _Call:  # noqa: A002  # the wire's own word
        self._calls.append(_Call(id, len(self._calls)))
        self.begun.append((id, "", []))
        return self._calls[-1]

    def _call(self, index: Any, id: str, name: str) -> _Call:  # noqa: A002  # the wire's own word
        index = int(index) if isinstance(index, str) and index.isdecimal() and len(index) < 10 else index
        index = index if isinstance(index, int) else None
        found = self._by_index.get(index) if index is not None else self._by_id.get(id) if id else self._last
        if found is None and index is None and not name and self._last is not None and not self._last.id:
            found = self._last  # its id comes late
        if found is None or _is_another(found, id, name):
            found = self._begin(id)
            if index is not None:
                self._by_index[index] = found
        if id:
            found.id = found.id or id
            self._by_id[id] = found
        return found


def fragments_of(delta: Any) -> list[Any]:
    """The fragments of calls in a delta: its `tool_calls`, and its legacy `function_call`."""
    legacy = field(delta, "function_call")
    return [*listed(delta, "tool_calls"), *([] if legacy is None else [{"function": legacy}])]


def _is_another(call: _Call, id: str, name: str) -> bool:  # noqa: A002  # the wire's own word
    if not name:
        return False
    if id and call.id and id != call.id:
        return True
    return bool(call.parts) and bool(call.name) and (name != call.name or call.whole) and not (id and id == call.id)


def _json(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    try:
        return json_text(dict(arguments) if isinstance(arguments, Mapping) else arguments)
    except (TypeError, ValueError, RecursionError):  # NaN, or a value that contains itself
        return shown(arguments, 200)


# -- from events to deltas ---------------------------------------------------------------------------------------------


def call_item(id: str | None, name: str, arguments: str) -> dict[str, Any]:  # noqa: A002  # the wire's own word
    """A call in a message; `arguments` is their JSON text."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class ChatDeltas:
    """Writes a turn's events as deltas of `chat.completion.chunk`, for proxies and servers. Use one for each choice.

    Args:
        next_index: the index of the next call; increase it if the server sends calls itself.
        id_prefix: what the ids of calls begin with, before their number in the parser. The wire format needs an id when
            a call begins, even if the model has not written one by then. Use the same prefix for the parser, so that no
            two ids are equal.

    Attributes:
        calls_closed: how many calls were completed. A call that was cut off or is malformed is not included, although
            pieces of its arguments have been sent. Joined, they are not JSON: if they were (because a complete object
            was written, or nothing), a last piece, `<incomplete>` or `<malformed>`, is added. Half an object of a
            malformed call gets one, too, so that no client can complete it.
        problems: what the parser could not accept as written.
    """

    def __init__(self, next_index: int = 0, id_prefix: str = "call_") -> None:
        self.next_index = next_index
        self.id_prefix = id_prefix
        self.calls_closed = 0
        self.problems: list[Problem] = []
        self._open = 0  # the index of the call whose arguments are being written
        self._silent = False  # whether no piece of its arguments has been written yet

    def deltas(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        """The deltas of these events, in order.

        Returns:
            Dicts with `content`, `reasoning_content`, or `tool_calls` with one fragment: the first of each call has
            `id`, `type` and `function.name`, the others pieces of `function.arguments`.
        """
        return [delta for event in events for delta in self._written(event)]

    def finish_reason(self, given: str | None) -> str | None:
        """The reason to send: "tool_calls" instead of "stop" once a call is complete; otherwise `given`."""
        return reason_with_calls(given, legacy=False) if self.calls_closed else given

    def _written(self, event: Event) -> list[dict[str, Any]]:
        if type(event) is Content:
            return [{"content": event.text}]
        if type(event) is Reasoning:
            return [{"reasoning_content": event.text}]
        if type(event) is CallDelta:
            self._silent = False
            return [self._piece(event.text)]
        if type(event) is CallStart:
            return [self._start(event)]
        if type(event) is CallEnd:
            return self._end(event)
        if type(event) is Problem:
            self.problems.append(event)
        return []

    def _start(self, event: CallStart) -> dict[str, Any]:
        index = self._open = self.next_index
        self.next_index, self._silent = index + 1, True
        call = call_item(event.id or f"{self.id_prefix}{event.index}", event.name, "")
        return {"tool_calls": [{"index": index, **call}]}

    def _piece(self, text: str) -> dict[str, Any]:
        return {"tool_calls": [{"index": self._open, "function": {"arguments": text}}]}

    def _end(self, event: CallEnd) -> list[dict[str, Any]]:
        if event.call.status != "ok":
            broken = refused_end(event.call.arguments_text, event.call.status)
            return [self._piece(broken)] if broken else []
        self.calls_closed += 1
        return [self._piece("{}")] if self._silent else []


def reason_with_calls(given: Any, *, legacy: bool) -> Any:
    """Why a choice ended that has calls: what the server gave, which may be anything, unless calls change that.

    `legacy`: whether the request has `functions`, not `tools`.
    """
    if legacy:
        return "function_call" if given == "stop" else given
    return "tool_calls" if given in ("stop", "function_call") else given


class LegacyDeltas(ChatDeltas):
    """The same with calls in `function_call`, for requests with `functions`: a message can contain one call only."""

    def finish_reason(self, given: str | None) -> str | None:
        """The reason to send: "function_call" instead of "stop" once a call is complete; otherwise `given`."""
        return reason_with_calls(given, legacy=True) if self.calls_closed else given

    def _start(self, event: CallStart) -> dict[str, Any]:
        self._silent = True
        return {"function_call": {"name": event.name, "arguments": ""}}

    def _piece(self, text: str) -> dict[str, Any]:
        return {"function_call": {"arguments": text}}
