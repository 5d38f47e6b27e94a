# Answers as servers stream them: server-sent events, or lines of JSON, of OpenAI's chat API and Responses API, of
# Anthropic's Messages API, and of Ollama's. Does not depend on what is done with a turn, or on how calls are found.
#
# The chunks of each answer become what the server would have sent in one piece, with its text in the pieces that came.
# turns.py reads that. An answer ends where its API says so; what follows is another.
"""Streamed answers as whole ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolglean.batch.lines import InputError, json_in
from toolglean.batch.turns import DATA, FIELDS, error_in
from toolglean.conversation.anthropic import AnthropicHistoryConverter
from toolglean.conversation.deltas import call_item
from toolglean.conversation.fields import field, listed, text_in
from toolglean.conversation.ollama import OllamaHistoryConverter
from toolglean.conversation.openai import OpenAIChunkWrapper, OpenAIHistoryConverter, index_of
from toolglean.scan.nested import json_text

__all__ = ["joined"]

DONE = "[DONE]"
ENDS = frozenset({"message_stop", "response.completed", "response.incomplete", "response.failed"})
STARTS = frozenset({"message_start", "response.created"})
ITEM, TEXT, ARGUMENTS = "response.output_item.", "output_text", "response.function_call_arguments.delta"
TEXTS = {
    **dict.fromkeys(("response.output_text.delta", "response.refusal.delta"), TEXT),
    **dict.fromkeys(("response.reasoning_text.delta", "response.reasoning_summary_text.delta"), "reasoning_text"),
}
"""The events with a piece of text, and the type of the parts that have it."""


def joined(lines: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """The answers of a stream: the number of the first line of each, the answer, and what to know about it.

    Args:
        lines: of server-sent events, or of JSON.
        name: the input's name in messages.

    Raises:
        InputError: the data of a line is not a JSON object.
    """
    chunks: list[dict[str, Any]] = []
    first, ended, reason = 0, False, ""
    for number, line in enumerate(lines, 1):
        data = line.replace(DATA, " " * len(DATA), 1) if line.startswith(DATA) else line
        if not data.strip() or data.startswith(FIELDS) or data.strip() == DONE:
            ended = ended or data.strip() == DONE
            continue
        chunk = json_in(data, f"{name}: line {number}")
        if not isinstance(chunk, dict):
            raise InputError(f"{name}: line {number}: not a chunk of a server's stream; expected a JSON object")
        other = ended or chunk.get("type") in STARTS or (reason and chunk.get("id") != chunks[-1].get("id"))
        if chunks and other:
            yield first, *_answer(chunks)
            chunks, reason = [], ""
        first = first if chunks else number
        chunks.append(chunk)
        ended = chunk.get("done") is True or chunk.get("type") in ENDS
        reason = OpenAIChunkWrapper(chunk).finish_reason or reason
    if chunks:
        yield first, *_answer(chunks)


def _answer(chunks: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    holders = [chunks[0], chunks[0].get("message"), chunks[0].get("response")]
    named = {key: found for key in ("id", "model") for each in holders if (found := text_in(each, key))}
    error = next(filter(None, map(error_in, chunks)), "")
    told = f", with an error: {error}" if error else "."
    note = f"This turn was joined from {len(chunks):,} chunks of a server's stream{told}"
    items = _items(chunks)
    choices = [] if items else list(_choices(chunks))
    if error and not items and not any(each["message"]["content"] or each["message"]["tool_calls"] for each in choices):
        return {"error": error}, note
    return {**named, **({"output": items} if items else {"choices": choices})}, note


def _choices(chunks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if not any(listed(chunk, "choices") for chunk in chunks):
        is_ollama = any("done" in chunk for chunk in chunks)
        yield _choice(0, OllamaHistoryConverter() if is_ollama else AnthropicHistoryConverter(), chunks)
        return
    chunks = [{**chunk, "choices": [*map(_with_delta, listed(chunk, "choices"))]} for chunk in chunks]
    for index in sorted({index_of(each) for chunk in chunks for each in chunk["choices"]}):
        yield _choice(index, OpenAIHistoryConverter(), [OpenAIChunkWrapper(chunk, index) for chunk in chunks])


def _with_delta(choice: Any) -> Any:
    # Chunks of the older API of completions have a text.
    text = field(choice, "text")
    return {**choice, "delta": {"content": text}} if isinstance(text, str) else choice


def _choice(index: int, converter: Any, chunks: Sequence[Any]) -> dict[str, Any]:
    given = [each if isinstance(each, OpenAIChunkWrapper) else converter.create_chunk_wrapper(each) for each in chunks]
    message = converter.to_history_item(given)
    calls = [] if message is None else message.calls
    said = {
        "role": "assistant",
        "content": [text for each in given if (text := each.get_text() or text_in(field(each, "delta"), "refusal"))],
        "reasoning_content": "".join(each.get_reasoning() for each in given),
        "tool_calls": [call_item(call.id, call.name, call.unread or json_text(call.arguments)) for call in calls],
    }
    reason = next(filter(None, map(_reason, reversed(given))), "incomplete")  # without one, the connection broke
    return {"index": index, "message": said, "finish_reason": reason}


def _reason(chunk: Any) -> Any:
    own = field(chunk, "finish_reason"), field(chunk.raw, "done_reason")
    return next(filter(None, own), field(field(chunk.raw, "delta"), "stop_reason"))


def _items(chunks: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The items of a response, as far as they have come."""
    items: dict[Any, Any] = {}
    for chunk in chunks:
        kind, place, item = text_in(chunk, "type"), str(chunk.get("output_index")), chunk.get("item")
        if isinstance(item, dict) and kind == f"{ITEM}done":
            items[place] = item
        elif isinstance(item, dict) and kind == f"{ITEM}added":
            items[place] = {**item, "status": "incomplete", "content": [], "arguments": []}
        elif kind in TEXTS or kind == ARGUMENTS:
            own = items.setdefault(place, {"type": "message", "content": []})
            pieces, piece = listed(own, "arguments" if kind == ARGUMENTS else "content"), text_in(chunk, "delta")
            if isinstance(pieces, list):
                pieces.append(piece if kind == ARGUMENTS else {"type": TEXTS[kind], "text": piece})
    for item in items.values():
        if isinstance(item.get("arguments"), list):
            item["arguments"] = "".join(item["arguments"])
    return [*items.values()] or [*listed(chunks[-1].get("response"), "output")]
