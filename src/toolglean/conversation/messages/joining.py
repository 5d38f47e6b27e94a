# What this file knows: how OpenAI's wire cuts calls into fragments, and how servers depart from it.
# What it must not know: what becomes of the calls.
#
# A fragment goes to the call of its `index`. What servers do besides, and what is made of it:
#   an id that differs from that call's own, with a name        another call (all calls have index 0)
#   no index, an id                                             the call of that id; else, without a name, the call that
#                                                               was last written to, if it has none yet; else a new one
#   no index, no id                                             the call that was last written to; a name begins a new
#                                                               one if that call has arguments already
#   a name that comes again                                     the same call, unless its arguments are whole: then it
#                                                               is another one, because two identical calls are two
#   another name once arguments have come                       another call
#   the name in pieces                                          joined, as long as no arguments have come
#   arguments before any name                                   the same call
#   an index as text ("0")                                      that number
#   arguments as an object, or None                             their JSON; nothing
#   `function_call`                                             a call without index and id
# When a call is whole is not said by any fragment: `finish` gives the calls, once the stream or the choice has ended.
"""Calls from fragments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglean.conversation.messages.types import ContentPartToolCall
from toolglean.conversation.messages.wire import arguments_of, field, id_of, shown
from toolglean.scan.json import JsonScanner
from toolglean.scan.nested import json_text
from toolglean.scan.scanner import CLOSE, FAIL

__all__ = ["ToolCallAggregator"]

MAX_CHARS = 16 * 1024 * 1024
"""Of one call's arguments: what comes beyond is dropped, and the call's arguments count as unread."""


class _Call:
    """One call, as far as it has come."""

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

    def add(self, text: str) -> None:
        if self.chars + len(text) > MAX_CHARS:
            self.cut = True
            text = text[: MAX_CHARS - self.chars]
        self.parts.append(text)
        self.chars += len(text)

    @property
    def whole(self) -> bool:
        """Whether the arguments are one whole JSON object. Each character is looked at once."""
        for part in self.parts[self._seen :]:
            text = part if self._seen or part[:1] == "{" else part.lstrip()
            place = 0
            while place < len(text) and not self._whole and self._scanner.token != FAIL:
                place = self._scanner.skim(text, place, 0)
                self._whole = self._scanner.token == CLOSE and not self._scanner.stack
            self._seen += 1
        return self._whole

    def finished(self) -> ContentPartToolCall:
        text = "".join(self.parts)
        arguments, unread = ({}, text) if self.cut else arguments_of(text)
        return ContentPartToolCall(self.name, arguments, self.id or None, unread)


class ToolCallAggregator:
    """Joins the fragments of calls in OpenAI's stream (`delta.tool_calls`). Use one for each choice.

    Fragments may be dicts or the client's objects. Odd fragments never raise (the head of this file lists what servers
    are known to send). The cost of a fragment depends on its own length, not on the length of the call.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._last: _Call | None = None
        self._by_index: dict[int, _Call] = {}  # the newest: an index may come again
        self._by_id: dict[str, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def names(self) -> list[str]:
        """The names of the calls that have begun, as far as they are written."""
        return [call.name for call in self._calls]

    @property
    def begun(self) -> list[tuple[str, str, list[str]]]:
        """The calls that have begun: (id, name, pieces of the arguments), as far as they are written."""
        return [(call.id, call.name, call.parts) for call in self._calls]

    def add_delta(self, delta: Any) -> None:
        """Take in a delta: its `tool_calls`, and its old `function_call`."""
        fragments = field(delta, "tool_calls")
        self.add(fragments if isinstance(fragments, list | tuple) else ())
        legacy = field(delta, "function_call")
        if legacy is not None:
            self.add([{"function": legacy}])

    def has_arguments(self, place: int) -> bool:
        """Whether arguments of the call at that place of `begun` have come."""
        return bool(self._calls[place].parts)

    def arguments(self, place: int, *, over: bool = False) -> dict[str, Any] | None:
        """The arguments of the call at that place of `begun`; None as long as they are not a whole JSON object.

        Args:
            place: of the call.
            over: no more of it will come: nothing then counts as no arguments.
        """
        call = self._calls[place]
        if not (over or call.whole):
            return None
        found = call.finished()
        return None if found.unread else found.arguments

    def add(self, fragments: Iterable[Any] | None) -> list[int]:
        """Take in fragments; None counts as no fragments, as in a delta without `tool_calls`.

        Returns:
            For each fragment, the place in `begun` of the call to which it belongs.
        """
        places = []
        for fragment in fragments or ():
            function = field(fragment, "function")
            name, arguments = _text(field(function, "name")), field(function, "arguments")
            call = self._call(field(fragment, "index"), id_of(fragment) or "", name)
            if name and name != call.name:
                call.name += name
            if arguments:
                call.add(_json(arguments))
            self._last = call
            places.append(call.place)
        return places

    def finish(self) -> list[ContentPartToolCall]:
        """The stream has ended: the calls, in the order in which they began.

        Returns:
            Each call with its arguments. If these are not a JSON object, they are in `unread`, and the call must not be
            executed. The aggregator is empty then.
        """
        found = [call.finished() for call in self._calls]
        self.__init__()  # type: ignore[misc]  # empty again
        return found

    def _call(self, index: Any, id: str, name: str) -> _Call:  # noqa: A002  # the wire's own word
        index = int(index) if isinstance(index, str) and index.isdecimal() and len(index) < 10 else index
        index = index if isinstance(index, int) else None
        found = self._by_index.get(index) if index is not None else self._by_id.get(id) if id else self._last
        if found is None and index is None and not name and self._last is not None and not self._last.id:
            found = self._last  # its id comes late
        if found is None or _is_another(found, id, name):
            found = _Call(id, len(self._calls))
            self._calls.append(found)
            if index is not None:
                self._by_index[index] = found
        found.id = found.id or id
        if id:
            self._by_id[id] = found
        return found


def _is_another(call: _Call, id: str, name: str) -> bool:  # noqa: A002  # the wire's own word
    if not name:
        return False
    if id and call.id and id != call.id:
        return True
    return bool(call.parts) and bool(call.name) and (name != call.name or call.whole) and not (id and id == call.id)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _json(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    try:
        return json_text(dict(arguments) if isinstance(arguments, Mapping) else arguments)
    except (TypeError, ValueError, RecursionError):  # NaN and what holds itself are not JSON
        return shown(arguments)
