# Answers as servers stream them: server-sent events, or lines of JSON, of OpenAI's chat API and Responses API, of
# Anthropic's Messages API, and of Ollama's. Does not depend on what is done with a turn, or on how calls are found.
#
# The chunks of each answer become what the server would have sent in one piece, with its text in the pieces that came.
# turns.py reads that. An answer ends where its API says so; what follows is another.
"""Streamed answers as whole ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})
THOUGHTS = frozenset({"response.reasoning_text.delta", "response.reasoning_summary_text.delta"})


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
        ended = ended or data.strip() == DONE
        if not data.strip() or data.startswith(FIELDS) or data.strip() == DONE:
            continue
        chunk = json_in(data, f"{name}: line {number}")
        if not isinstance(chunk, dict):
            raise InputError(f"{name}: line {number}: not a chunk of a server's stream; expected a JSON object")
        other = ended or text_in(chunk, "type") in STARTS or (reason and chunk.get("id") != chunks[-1].get("id"))
        if chunks and other:
            yield first, *_answer(chunks)
            chunks, reason = [], ""
        first = first if chunks else number
        chunks.append(chunk)
        ended = chunk.get("done") is True or text_in(chunk, "type") in ENDS
        reason = OpenAIChunkWrapper(chunk).finish_reason or reason
    if chunks:
        yield first, *_answer(chunks)


def _answer(chunks: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    holders = [chunks[0], chunks[0].get("message"), chunks[0].get("response")]
    answer: dict[str, Any] = {
        key: found for key in ("id", "model") for each in holders if (found := text_in(each, key))
    }
    error = next(filter(None, map(error_in, chunks)), "")
    told = f", with an error: {error}" if error else "."
    answer["choices"] = list(_choices(chunks))
    said = [each["message"] for each in answer["choices"]]
    if not any(each["content"] or each["tool_calls"] for each in said):
        whole = listed(chunks[-1].get("response"), "output")  # some servers send nothing before the end
        answer = {"output": whole} if whole else {"error": error} if error else answer
    return answer, f"This turn was joined from {len(chunks):,} chunks of a server's stream{told}"


def _choices(chunks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if any(text_in(chunk, "type").startswith("response.") for chunk in chunks):
        yield _of_response(chunks)
    elif indexes := {index_of(each) for chunk in chunks for each in listed(chunk, "choices")}:
        for index in sorted(indexes):
            yield _choice(index, OpenAIHistoryConverter(), [OpenAIChunkWrapper(chunk, index) for chunk in chunks])
    else:
        is_ollama = any("done" in chunk for chunk in chunks)
        converter: Any = OllamaHistoryConverter() if is_ollama else AnthropicHistoryConverter()
        yield _choice(0, converter, [converter.create_chunk_wrapper(chunk) for chunk in chunks])


def _choice(index: int, converter: Any, chunks: Sequence[Any]) -> dict[str, Any]:
    message = converter.to_history_item(chunks)
    calls = [] if message is None else message.calls
    texts = [text for each in chunks if (text := each.get_text() or text_in(field(each, "delta"), "refusal"))]
    reasons = [field(each, "finish_reason") or field(each.raw, "done_reason") for each in chunks]
    reasons += [field(field(each.raw, "delta"), "stop_reason") for each in chunks]
    said = [call_item(call.id, call.name, call.unread or json_text(call.arguments)) for call in calls]
    return _written(index, texts, (each.get_reasoning() for each in chunks), said, [*filter(None, reasons)])


def _of_response(chunks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    said = [(text_in(each, "type"), each) for each in chunks]
    texts = [text_in(each, "delta") for kind, each in said if kind in TEXTS]
    thoughts = [text_in(each, "delta") for kind, each in said if kind in THOUGHTS]
    # Of each item, what was said of it last: a call that has only begun has no arguments.
    items = {str(each.get("output_index")): each["item"] for each in chunks if "item" in each}
    own = (each for each in items.values() if field(each, "type") == "function_call")
    calls = [{"id": field(each, "call_id"), "function": each} for each in own]
    return _written(0, texts, thoughts, calls, ["stop"] if said[-1][0] == "response.completed" else [])


def _written(
    index: int, texts: list[str], thoughts: Iterable[str], calls: list[dict[str, Any]], reasons: list[Any]
) -> dict[str, Any]:
    said = {"role": "assistant", "content": texts, "reasoning_content": "".join(thoughts), "tool_calls": calls}
    reason = reasons[-1] if reasons else "incomplete"  # the connection broke
    return {"index": index, "message": said, "finish_reason": reason}
