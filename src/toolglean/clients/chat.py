# What this file knows: how leaked calls are moved from the text of OpenAI's chat stream into its `tool_calls`, on plain
# dicts: for proxies. It needs no package.
# What it must not know: any client's objects (openai.py), how calls are written.
#
# A chunk of plain text is passed through unchanged: that is the fast path. Otherwise each delta that the text became
# goes out in a separate chunk. The chunk's other fields (role, refusal, logprobs, a server's extra fields) go with the
# first of them, or without any text if all of it is held back; `usage` goes with the last. Text held back is released
# before `finish_reason`, or at the end of the stream if none comes.
#
# Calls that the server has parsed itself pass; both kinds are numbered in the order in which they begin, so theirs keep
# their index as long as none of ours came before.
"""Leaked calls in OpenAI's chat stream, on plain dicts."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any

from toolglean.clients.reading import Tools, TurnText, is_all, listed, text_for, whole_turn
from toolglean.clients.streams import AsyncReading, Reading, aread, read
from toolglean.events import ToolCall
from toolglean.messages.deltas import ChatDeltas, LegacyDeltas
from toolglean.messages.joining import ToolCallAggregator
from toolglean.messages.wire import arguments_of, field, text_of

__all__ = ["ChoiceReader", "StreamReader", "Tools", "adict_chunks", "dict_chunks", "dict_completion"]

CHUNK_FIELDS = frozenset(
    {"id", "object", "created", "model", "choices", "system_fingerprint", "service_tier", "obfuscation"}
)
"""What every chunk says again, so that a chunk without anything else may be held back whole."""
CHOICE_FIELDS = frozenset({"index", "delta", "finish_reason"})
"""The fields that are rewritten if a choice changes."""
STOPPED: Any = ("stop",)
"""The reasons that a call changes; a tuple, because a server may put anything there."""


class ChoiceReader:
    """What one choice of a stream says.

    Args:
        turn: reads its text.
        deltas: writes what the text says.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self.turn = turn
        self.over = False
        self._deltas = deltas
        self._joined = ToolCallAggregator()  # the server's calls
        self._indexes: dict[Any, int] = {}  # theirs, or their id, to ours
        turn.own_calls = lambda: [(name, arguments_of("".join(parts))[0]) for _, name, parts in self._joined.begun]
        self._last: int | str = 0

    def read(self, text: str) -> list[dict[str, Any]] | None:
        """The deltas that the text becomes; None where it is nothing but text."""
        events = self.turn.feed(text)
        return None if is_all(events, text) else self._deltas.deltas(events)

    def moved(self, fragments: Sequence[Any]) -> list[int]:
        """The indexes that the server's own fragments get, one for each."""
        self.turn.take()
        self._joined.add(fragments)
        return [self._moved(field(fragment, "index"), field(fragment, "id")) for fragment in fragments]

    def _moved(self, index: Any, id: Any) -> int:  # noqa: A002  # the wire's own word
        # A list or the like in the place of either is none.
        key = index if isinstance(index, int) else id if id and isinstance(id, str | int) else self._last
        if key not in self._indexes:
            self._indexes[key] = self._deltas.next_index
            self._deltas.next_index += 1
        self._last = key
        return self._indexes[key]

    def end(self, reason: str | None = None) -> tuple[list[dict[str, Any]], str | None]:
        """The choice is over: the deltas that were held back, and the finish reason that is right."""
        self.over = True
        return self._deltas.deltas(self.turn.finish()), self._deltas.finish_reason(reason)


class StreamReader:
    """Reads a stream of dicts, each choice for itself.

    Args:
        tools: as for `toolglean.Parser`.
        options: as for `toolglean.Parser`; `whole_calls` and `single_call`, as for `TurnText`; `legacy`: calls go into
            `function_call`, for requests that have `functions` instead of tools.
    """

    def __init__(self, tools: Tools, options: Mapping[str, Any]) -> None:
        self._deltas = LegacyDeltas if options.get("legacy") else ChatDeltas
        self._turn = text_for(tools, _reading(options))
        self._choices: dict[int, ChoiceReader] = {}
        self._last: Any = None

    @property
    def pristine(self) -> bool:
        """Whether all that came so far is text for the user, as the server sent it."""
        return all(reader.turn.pristine for reader in self._choices.values())

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back."""
        return any(reader.turn.waits for reader in self._choices.values())

    def choice(self, index: Any) -> ChoiceReader:
        """The reader of that choice."""
        index = index if isinstance(index, int) else 0
        if index not in self._choices:
            self._choices[index] = ChoiceReader(self._turn.fork(), self._deltas(id_prefix=self._turn.id_prefix))
        return self._choices[index]

    def read(self, chunk: Any) -> list[Any]:
        """The chunks that a chunk becomes: often itself, or none while text is held back."""
        choices = field(chunk, "choices")
        if not isinstance(choices, list | tuple) or not choices:
            return [chunk]
        self._last = chunk
        found = [pieces for choice in choices for pieces in self._pieces(choice)]
        if len(found) == len(choices) and all(new is old for new, old in zip(found, choices, strict=True)):
            return [chunk]
        if not found and self.says_more(chunk, CHUNK_FIELDS):
            found = [self.choice_with(choices[0], {}, None)]
        last = len(found) - 1
        return [self.chunk_with(chunk, choice, is_last=place == last) for place, choice in enumerate(found)]

    def finish(self) -> list[Any]:
        """The stream is over: what was held back of choices that had no finish reason."""
        found: list[Any] = []
        for index, reader in self._choices.items():
            if not reader.over:
                choice = self.new_choice(index)
                found += [
                    self.chunk_with(self._last, self.choice_with(choice, delta, None), is_last=False)
                    for delta in reader.end()[0]
                ]
        return found

    def _pieces(self, choice: Any) -> list[Any]:
        reader, delta = self.choice(field(choice, "index")), field(choice, "delta")
        content, calls, reason = field(delta, "content"), field(delta, "tool_calls"), field(choice, "finish_reason")
        text = text_of(content)
        fragments = calls if isinstance(calls, list | tuple) else ()
        if reader.over:
            return [choice]
        if field(delta, "function_call"):
            reader.turn.take()
        new = reader.read(text) if text else None
        indexes = reader.moved(fragments) if fragments else []
        same_calls = indexes == [field(each, "index") for each in fragments]
        tail, ended = reader.end(reason) if reason else ([], reason)  # some servers say "" until the end
        if new is None and same_calls and not tail and ended == reason:
            return [choice]
        deltas = [{"content": content}] if new is None and content else new or []
        if calls:
            deltas = [*deltas, {"tool_calls": self.with_indexes(fragments, indexes) if fragments else calls}]
        return self._choices_of(choice, deltas + tail, ended)

    def _choices_of(self, choice: Any, deltas: list[dict[str, Any]], reason: str | None) -> list[Any]:
        rest = self.rest_of(field(choice, "delta"))
        if deltas and rest.keys().isdisjoint(deltas[0]):
            deltas = [rest | deltas[0], *deltas[1:]]
        elif deltas:  # the server's own reasoning, and some that stood in the text
            deltas = [rest, *deltas]
        elif rest or reason or self.says_more(choice, CHOICE_FIELDS):
            deltas = [rest]
        if reason and deltas and deltas[-1]:  # as servers do: the reason in a chunk of its own
            deltas = [*deltas, {}]
        last = len(deltas) - 1
        return [
            self.choice_with(choice, delta, reason if place == last else None, first=place == 0)
            for place, delta in enumerate(deltas)
        ]

    # -- dicts: the client's objects have their own ways ---------------------------------------------------------------

    def says_more(self, holder: Any, known: frozenset[str]) -> bool:
        """Whether a chunk or a choice says anything besides these fields."""
        return any(value is not None for name, value in holder.items() if name not in known)

    def rest_of(self, delta: Any) -> dict[str, Any]:
        """What a delta holds besides text and calls."""
        fields = delta.items() if isinstance(delta, Mapping) else ()
        return {key: value for key, value in fields if key not in {"content", "tool_calls"}}

    def with_indexes(self, fragments: Iterable[Any], indexes: list[int]) -> list[Any]:
        """The server's fragments with other indexes."""
        return [
            {**fragment, "index": index} if isinstance(fragment, Mapping) else fragment
            for fragment, index in zip(fragments, indexes, strict=True)
        ]

    def new_choice(self, index: int) -> Any:
        """An empty choice."""
        return {"index": index}

    def choice_with(self, choice: Any, delta: dict[str, Any], reason: str | None, *, first: bool = False) -> Any:
        """The choice with another delta; what else it holds goes with the first."""
        rest = choice if first else {"index": choice.get("index", 0)}
        return {**rest, "delta": delta, "finish_reason": reason}

    def chunk_with(self, chunk: Any, choice: Any, *, is_last: bool) -> Any:
        """The chunk with that choice alone; `usage` goes with the last."""
        found = {**chunk, "choices": [choice]}
        if not is_last and found.get("usage") is not None:
            found["usage"] = None
        return found


def dict_chunks(chunks: Iterable[dict[str, Any]], tools: Tools = None, **options: Any) -> Reading[dict[str, Any]]:
    """Move the calls that a model leaked into its text to where OpenAI's chat API has them: for proxies.

    Args:
        chunks: `chat.completion.chunk` objects as dicts: the decoded `data:` of server-sent events.
        tools, options: as for `toolglean.Parser`.

    Yields:
        Such chunks: text without calls; fragments of calls as they come (`delta.tool_calls`, the arguments piece by
        piece); reasoning that stood in the text as `reasoning_content`; `finish_reason` "tool_calls" where it was
        "stop" and a call was completed. Everything else is unchanged.

    Raises:
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what `chunks` raises, once the text that was held back is out. The source is closed at the end, and
            where the iterator is closed.
    """
    return read(chunks, StreamReader(tools, options))


def adict_chunks(
    chunks: AsyncIterable[dict[str, Any]], tools: Tools = None, **options: Any
) -> AsyncReading[dict[str, Any]]:
    """The same for an asynchronous stream: see `dict_chunks`."""
    return aread(chunks, StreamReader(tools, options))


# -- whole answers -----------------------------------------------------------------------------------------------------


def dict_completion(completion: Mapping[str, Any], tools: Tools = None, **options: Any) -> dict[str, Any]:
    """The same for a whole `chat.completion`: see `dict_chunks`. The argument is not changed.

    Calls that were cut off, or cannot be read, stay in the text.
    """
    turn = text_for(tools, {**_reading(options), "whole_calls": True})
    choices = completion.get("choices")
    if not isinstance(choices, list | tuple):
        return dict(completion)
    legacy = bool(options.get("legacy"))
    return {**completion, "choices": [_completed(choice, turn.fork(), legacy=legacy) for choice in choices]}


def _reading(options: Mapping[str, Any]) -> dict[str, Any]:
    # A message of the old kind has room for one call, and a server that knows no other reads no more.
    found = {name: value for name, value in options.items() if name != "legacy"}
    return found | {"single_call": True} if options.get("legacy") else found


def _completed(choice: Any, turn: TurnText, *, legacy: bool) -> Any:
    message = field(choice, "message")
    text = field(message, "content")
    if not isinstance(text, str) or not text:
        return choice
    own = listed(message, "tool_calls")
    if own or message.get("function_call"):
        turn.take()
        functions = [field(each, "function") for each in (*own, {"function": message.get("function_call")})]
        turn.own_calls = lambda: [
            (field(each, "name"), arguments_of(field(each, "arguments"))[0]) for each in functions if each
        ]
    left, output = whole_turn(text, turn)
    mended = {**message, "content": left or None if output.calls else left}
    if output.reasoning:
        said = message.get("reasoning_content")
        mended["reasoning_content"] = (said if isinstance(said, str) else "") + output.reasoning
    found = {**choice, "message": mended}
    if output.calls:
        mended |= {"function_call": _function(output.calls[0])} if legacy else _calls(message, output.calls)
        stopped = choice.get("finish_reason") in STOPPED
        found["finish_reason"] = (
            ("function_call" if legacy else "tool_calls") if stopped else choice.get("finish_reason")
        )
    return found


def _calls(message: Mapping[str, Any], calls: list[ToolCall]) -> dict[str, Any]:
    found = [{"id": call.id, "type": "function", "function": _function(call)} for call in calls]
    return {"tool_calls": [*listed(message, "tool_calls"), *found]}


def _function(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments_text or "{}"}
