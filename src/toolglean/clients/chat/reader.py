# Moves leaked calls from the text of OpenAI's chat stream into its `tool_calls`, on plain dicts. No package is needed.
# Does not depend on any client's objects (openai/objects.py), or on how calls are written.
#
# A chunk of plain text is passed through unchanged: that is the fast path. Otherwise each delta that the text became
# is sent in a separate chunk. The chunk's other fields (role, refusal, logprobs, a server's extra fields) go with the
# first of them, or alone if all of the text is held back; `usage` goes with the last. Text that was held back is sent
# before `finish_reason`, or at the end of the stream if there is none.
#
# Calls that the server has parsed itself are passed through, unless the text has given them already. They and the calls
# of the text are numbered in the order in which they are sent, so the server's keep their index unless one of ours came
# before. Reasoning goes where the server has put its own.
"""Leaked calls in OpenAI's chat stream, on plain dicts."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any, Unpack, cast

from toolglean.clients.chat.types import ChunkDict, CompletionDict
from toolglean.clients.lane import Plain
from toolglean.clients.streams import AsyncReading, Reading
from toolglean.conversation.deltas import ChatDeltas, LegacyDeltas, call_item, reason_with_calls
from toolglean.conversation.fields import field, listed, text_in, text_of
from toolglean.conversation.openai import CUT_OFF, REASONING_FIELDS, index_of, reasoning_of
from toolglean.conversation.reading.arguments import TurnArguments, text_for
from toolglean.conversation.reading.parsed import ChatCalls
from toolglean.conversation.reading.text import Tools, TurnText, is_all
from toolglean.events import Event, Reasoning, fold

__all__ = ["StreamReader", "Tools", "adict_chunks", "dict_chunks", "dict_completion"]

CHUNK_FIELDS = frozenset(
    {"id", "object", "created", "model", "choices", "system_fingerprint", "service_tier", "obfuscation"}
)
"""The fields that every chunk repeats, so that a chunk with no others may be held back."""
WRITTEN = frozenset({"content", "tool_calls"})
"""The fields of a delta that are written anew."""
SAYS = (*WRITTEN, *REASONING_FIELDS, "function_call")
"""The fields of a delta that are read."""
CHOICE_FIELDS = frozenset({"index", "delta", "finish_reason"})
"""The fields that are rewritten if a choice changes."""
DEFAULT = REASONING_FIELDS[:1]
"""The field for reasoning that is found in the text, if the server has shown no other."""
MOST_CHOICES = 128
"""How many choices are read, as many as a request may ask for: each keeps a parser. Others are passed through."""


class _Old(dict[str, Any]):
    """A fragment of the deprecated `function_call`, in the form of a fragment of `tool_calls`."""


class ChoiceReader:
    """Reads one choice of a stream.

    Args:
        turn: reads its text.
        deltas: writes the deltas of the events.

    Attributes:
        ids: the new ids of the server's calls, by their indexes; "": its own, which no call in the text has.
    """

    def __init__(self, turn: TurnText, deltas: ChatDeltas) -> None:
        self.turn = turn
        self.over = False
        self.own = ChatCalls(turn)
        self.deltas = deltas
        self.ids: dict[int, str] = {}
        self._indexes: dict[int, int] = {}  # of the server's calls, by the places of `own`
        self._names = DEFAULT  # of the server's fields for reasoning

    def think(self, delta: Any) -> list[dict[str, Any]] | None:
        """The deltas that the reasoning in the server's own field becomes; None if it is nothing but reasoning."""
        text, names = reasoning_of(delta)
        if not text:
            return None
        self._names = names
        events = self.turn.think(text)
        return None if is_all(events, text, Reasoning) else self._thought(events)

    def stop_thinking(self) -> list[dict[str, Any]]:
        """The deltas of such reasoning that was held back, if content follows, or a call that the server has parsed."""
        return self._thought(self.turn.stop_thinking())

    def _thought(self, events: list[Event]) -> list[dict[str, Any]]:
        (own,) = DEFAULT
        deltas = self.deltas.deltas(events)
        return [dict.fromkeys(self._names, each[own]) if own in each else each for each in deltas]

    def read(self, text: str) -> list[dict[str, Any]] | None:
        """The deltas that the text becomes; None if it is nothing but text."""
        events = self.turn.feed(text)
        return None if is_all(events, text) else self.deltas.deltas(events)

    def numbered(self, fragments: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
        """Fragments of the server's calls, each with its new index instead of the place of its call."""
        found = []
        for fragment, place in fragments:
            if place not in self._indexes:
                self._indexes[place] = self.deltas.next_index
                self.deltas.next_index += 1
            index, own = self._indexes[place], self.own.joined.begun[place][0]
            if own and index not in self.ids:  # it may come late
                new = self.turn.parsed_id(own, index)
                self.ids[index] = "" if new == own else new
            found.append((fragment, index))
        return found

    def end(self, reason: str | None = None) -> tuple[list[dict[str, Any]], str | None]:
        """The choice is over: the deltas that were held back, and the right finish reason."""
        self.over = True
        self.own.close()
        thought = self._thought(self.turn.end_thinking(cut=reason is None or was_cut(reason)))
        return thought + self.deltas.deltas(self.turn.finish()), self.deltas.finish_reason(reason)


def was_cut(reason: Any) -> bool:
    """Whether a turn that ended for this reason was cut off."""
    return isinstance(reason, str) and reason in CUT_OFF  # a server may send any value


class StreamReader:
    """Reads a stream of dicts, each choice separately.

    Args:
        tools: as for `toolglean.Parser`.
        parsing: as for `toolglean.Parser`; `whole_calls` and `single_call`, as for `TurnText`; `legacy`: calls go into
            `function_call`, for requests that have `functions` instead of tools.
    """

    def __init__(self, tools: Tools, parsing: Mapping[str, Any]) -> None:
        self._deltas = LegacyDeltas if parsing.get("legacy") else ChatDeltas
        self._turn = text_for(tools, _reading(parsing))
        self._choices: dict[int, ChoiceReader] = {}
        self._last: Any = None

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it."""
        return all(reader.turn.pristine for reader in self._choices.values())

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back, or a call that the server has parsed."""
        return any(reader.turn.waits or reader.own.undecided for reader in self._choices.values())

    def _reader(self, choice: Any, delta: Any) -> ChoiceReader | None:
        # That of the choice; None if it has not said anything yet, or there are too many.
        index = index_of(choice)
        found = self._choices.get(index)
        if found is not None or len(self._choices) >= MOST_CHOICES:
            return found
        if field(choice, "finish_reason") or (delta and any(field(delta, name) for name in SAYS)):
            found = ChoiceReader(self._turn.fork(), self._deltas(id_prefix=self._turn.id_prefix))
            self._choices[index] = found
        return found

    def read(self, chunk: Any) -> list[Any]:
        """The chunks that a chunk becomes: often itself, or none while text is held back."""
        choices = field(chunk, "choices")
        if not isinstance(choices, list | tuple) or not choices:
            return [chunk]
        self._last = chunk
        found = [pieces for choice in choices for pieces in self._pieces(choice)]
        if len(found) == len(choices) and all(new is old for new, old in zip(found, choices, strict=True)):
            return [chunk]
        if not found and self._says_more(chunk, CHUNK_FIELDS):
            found = [self._choice_with(choices[0], {}, None)]
        last = len(found) - 1
        return [self._chunk_with(chunk, choice, is_last=place == last) for place, choice in enumerate(found)]

    def plain(self, chunk: dict[str, Any]) -> Plain | None:
        """What a chunk that was sent unchanged is, if it is nothing but a piece of the text of one choice."""
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
        delta, reason = field(choice, "delta"), field(choice, "finish_reason")
        text, reader = field(delta, "content"), self._choices.get(index_of(choice))
        more = reasoning_of(delta)[0] or field(delta, "tool_calls") or field(delta, "function_call")
        if not isinstance(text, str) or not text or reason or more or reader is None or reader.over:
            return None
        return Plain("content", text, reader.turn)

    def finish(self) -> list[Any]:
        """The stream is over: what was held back in choices without a finish reason."""
        found: list[Any] = []
        for index, reader in self._choices.items():
            if not reader.over:
                deltas = reader.end()[0] + self._fragments(reader, reader.numbered(reader.own.finish()))
                found += [
                    self._chunk_with(self._last, self._choice_with({"index": index}, delta, None), is_last=False)
                    for delta in deltas
                ]
        return found

    def _pieces(self, choice: Any) -> list[Any]:
        delta = field(choice, "delta")
        reader = self._reader(choice, delta)
        if reader is None:
            return [choice]
        content, calls, reason = field(delta, "content"), field(delta, "tool_calls"), field(choice, "finish_reason")
        text, old = text_of(content), self._old(reader, delta)
        fragments = [*(calls if isinstance(calls, list | tuple) else ()), *old]
        if reader.over:  # a repeated reason must be the same
            right = reader.deltas.finish_reason(reason)
            return [choice] if text or fragments or right == reason else self._choices_of(choice, [], right)
        thought = reader.think(delta)
        held = reader.stop_thinking() if reader.turn.thinks and (text or fragments) else []
        new = reader.read(text) if text else None
        own = reader.numbered([*reader.own.settle(), *reader.own.read(fragments)])
        settled = reader.deltas.deltas(reader.turn.settle())
        tail, ended = reader.end(reason) if reason else ([], reason)  # some servers send "" until the end
        rest = self._fragments(reader, reader.numbered(reader.own.finish())) if reason else []
        as_it_came = new is thought is None and _as_they_came(own, fragments, reader.ids)
        if as_it_came and not (held or settled or tail or rest) and ended == reason:
            return [choice]
        kept = content if new is None else _content(content, "")
        deltas = [*([{"content": kept}] if kept else ()), *(new or ())]
        if calls and not fragments:
            deltas = [*deltas, {"tool_calls": calls}]
        deltas = [*(thought or ()), *held, *deltas, *self._fragments(reader, own), *settled, *tail, *rest]
        gone = () if thought is None else reasoning_of(delta)[1]
        return self._choices_of(choice, deltas, ended, without=(*gone, *(("function_call",) if old else ())))

    def _old(self, reader: ChoiceReader, delta: Any) -> list[_Old]:
        # The server's `function_call`. Only if the request has `functions` may a call in the text be the same one.
        found = field(delta, "function_call")
        if found and self._deltas is not LegacyDeltas:
            reader.turn.take()
        return [_Old(function=found)] if found and self._deltas is LegacyDeltas else []

    def _fragments(self, reader: ChoiceReader, given: Sequence[tuple[Any, int]]) -> list[dict[str, Any]]:
        own = [(self.fields_of(each), each, index) for each, index in given if not isinstance(each, _Old)]
        calls = [
            {**fields, "index": index, "id": new}
            if fields.get("id") and (new := reader.ids.get(index))
            else {**fields, "index": index}
            if fields
            else each
            for fields, each, index in own
        ]
        found: list[dict[str, Any]] = [{"tool_calls": calls}] if calls else []
        return found + [{"function_call": each["function"]} for each, _ in given if isinstance(each, _Old)]

    def _choices_of(
        self, choice: Any, deltas: list[dict[str, Any]], reason: str | None, *, without: tuple[str, ...] = ()
    ) -> list[Any]:
        gone = WRITTEN.union(without) if without else WRITTEN
        rest = {key: value for key, value in self.fields_of(field(choice, "delta")).items() if key not in gone}
        if deltas and rest.keys().isdisjoint(deltas[0]):
            deltas = [rest | deltas[0], *deltas[1:]]
        elif deltas:  # the server's own reasoning, and some from the text
            deltas = [rest, *deltas]
        elif rest or reason or self._says_more(choice, CHOICE_FIELDS):
            deltas = [rest]
        if reason and deltas and deltas[-1]:  # as servers do: the reason in a separate chunk
            deltas = [*deltas, {}]
        last = len(deltas) - 1
        return [
            self._choice_with(choice, delta, reason if place == last else None, first=place == 0)
            for place, delta in enumerate(deltas)
        ]

    # -- writing: an object that changes becomes a dict ----------------------------------------------------------------

    def fields_of(self, holder: Any) -> Mapping[str, Any]:
        """The fields of a dict. A subclass has those of the client's objects, too."""
        return holder if isinstance(holder, Mapping) else {}

    def _says_more(self, holder: Any, known: frozenset[str]) -> bool:
        # Whether a chunk or a choice contains anything besides these fields.
        return any(value is not None for name, value in self.fields_of(holder).items() if name not in known)

    def _choice_with(self, choice: Any, delta: dict[str, Any], reason: str | None, *, first: bool = False) -> Any:
        # The choice with another delta; its other fields go with the first.
        rest = self.fields_of(choice) if first else {"index": field(choice, "index") or 0}
        return {**rest, "delta": delta, "finish_reason": reason}

    def _chunk_with(self, chunk: Any, choice: Any, *, is_last: bool) -> Any:
        # The chunk with that choice alone; `usage` goes with the last.
        found = {**self.fields_of(chunk), "choices": [choice]}
        return found if is_last or found.get("usage") is None else found | {"usage": None}


def dict_chunks(
    chunks: Iterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> Reading[ChunkDict]:
    """Move the calls that a model leaked into its text to where OpenAI's chat API has them: for proxies.

    Args:
        chunks: `chat.completion.chunk` objects as dicts: the decoded `data:` of server-sent events.
        tools: as for `toolglean.Parser`.
        parsing: as for `toolglean.Parser`; `whole_calls=True`: a call is sent once it is complete, see below;
            `single_call=True`: only the first call is sent as a call, the text of the others stays text.

    Yields:
        Chunks of the same kind: text without calls; calls in `delta.tool_calls`, the name first, then the arguments
        piece by piece, as the model writes them; reasoning from the text in `reasoning_content`; `finish_reason`
        "tool_calls" instead of "stop" if a call was completed. The text of a call that the server has already sent
        stays text. Everything else is unchanged.

        A call that is cut off leaves arguments that are not complete JSON. Some frameworks complete such arguments and
        run the call: give them chunks that were made with `whole_calls=True`. Then a call is sent once it is complete,
        and the text of one that is cut off or cannot be read stays text.

    Raises:
        ToolgleanError: at once: what `Parser` raises for wrong arguments.
        Exception: what `chunks` raises, after the text that was held back. The source is closed at the end, and when
            the iterator is closed.
    """
    return Reading(chunks, StreamReader(tools, parsing))


def adict_chunks(
    chunks: AsyncIterable[Mapping[str, Any]], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> AsyncReading[ChunkDict]:
    """The same for an asynchronous stream: see `dict_chunks`."""
    return AsyncReading(chunks, StreamReader(tools, parsing))


def _as_they_came(own: Sequence[tuple[Any, int]], fragments: Sequence[Any], ids: Mapping[int, str]) -> bool:
    if len(own) != len(fragments):
        return False
    return all(
        new is old and (isinstance(old, _Old) or (index == field(old, "index") and not ids.get(index)))
        for (new, index), old in zip(own, fragments, strict=True)
    )


# -- whole answers -----------------------------------------------------------------------------------------------------


def dict_completion(
    completion: Mapping[str, Any], tools: Tools = None, **parsing: Unpack[TurnArguments]
) -> CompletionDict:
    """The same for a whole `chat.completion`: see `dict_chunks`. The argument is not changed.

    Calls that were cut off, or cannot be read, stay in the text. One that the server has also parsed leaves it, as in a
    stream whose text comes first; the server's own is kept.
    """
    turn = text_for(tools, {**_reading(parsing), "whole_calls": True, "drop_duplicates": True})
    choices = completion.get("choices")
    found: Any = dict(completion)  # it has whatever fields the server sent
    if isinstance(choices, list | tuple):
        legacy = bool(parsing.get("legacy"))
        read = [_completed(choice, turn, legacy=legacy) for choice in choices[:MOST_CHOICES]]
        found["choices"] = [*read, *choices[MOST_CHOICES:]]
    return cast("CompletionDict", found)


def _reading(parsing: Mapping[str, Any]) -> dict[str, Any]:
    # A message with a `function_call` has a field for only one call, and a server that knows no other kind reads no
    # more.
    found = {name: value for name, value in parsing.items() if name != "legacy"}
    return found | {"single_call": True} if parsing.get("legacy") else found


def _completed(choice: Any, turn: TurnText, *, legacy: bool) -> Any:
    message = field(choice, "message")
    content = field(message, "content")
    text, (thought, names) = text_of(content), reasoning_of(message)
    if not (text or thought):
        return choice
    turn = turn.fork()
    old = message.get("function_call")
    own = [*listed(message, "tool_calls"), *([{"function": old}] if old else [])]
    for place, each in enumerate(own):
        turn.take_whole(field(each, "function"))
        turn.parsed_id(field(each, "id"), place)
    thoughts, events = turn.heard(thought, text, goes_on=bool(own), cut=was_cut(choice.get("finish_reason")))
    own_reasoning, output = fold(thoughts), fold(events)
    calls, left = own_reasoning.calls + output.calls, output.content
    if left == text and not (calls or output.reasoning):
        return choice
    repaired = {**message, **dict.fromkeys(names, own_reasoning.reasoning)}
    if text:
        repaired["content"] = _content(content, left) or None if calls or own else _content(content, left)
    if output.reasoning:
        repaired["reasoning_content"] = text_in(repaired, "reasoning_content") + output.reasoning
    found = {**choice, "message": repaired}
    if calls:
        name = "function_call" if legacy else "tool_calls"
        items = [call_item(call.id, call.name, call.arguments_text or "{}") for call in calls]
        repaired[name] = items[0]["function"] if legacy else [*listed(message, "tool_calls"), *items]
    if calls or own:
        found["finish_reason"] = reason_with_calls(choice.get("finish_reason"), legacy=legacy)
    return found


def _content(given: Any, left: str) -> Any:
    # In a list of parts, those that are not text stay as they are.
    others = [part for part in given if field(part, "type") != "text"] if isinstance(given, list | tuple) else []
    return [*others, *([{"type": "text", "text": left}] if left else [])] if others else left
