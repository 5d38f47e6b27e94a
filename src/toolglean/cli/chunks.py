# What this file knows: how a stream of chunks is stored in a file, and how it is read while it is still being written.
# What it must not know: what the chunks mean.
#
# Two ways. Text: what arrives together is a chunk. JSON lines: a line is a chunk (a JSON string, or an object that has
# one under one of CHUNK_KEYS) or many (a JSON list of strings). The first line that is not blank tells which; it is
# waited for only while it can still become JSON.
"""Chunks from a file or from standard input."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from toolglean.cli.options import InputError

__all__ = ["CHUNK_KEYS", "RULE", "Form", "read_chunks"]

Form: TypeAlias = Literal["text", "jsonl"]

CHUNK_KEYS = ("chunk", "token", "content", "text")
RULE = (
    "Input is UTF-8: text, or JSON lines of chunks. It is read as JSON lines if its first line (blank ones aside) is "
    "a JSON string, a JSON list of strings, or a JSON object with a string under "
    f"{', '.join(CHUNK_KEYS[:-1])} or {CHUNK_KEYS[-1]}. Every line must then be one of these. --text and --jsonl "
    "override this."
)
BLOCK = 65536


def read_chunks(path: str, form: Form | None) -> Iterator[str]:
    """The chunks, as they arrive.

    Args:
        path: a file; "-" for standard input.
        form: how they are stored; None: by the rule of RULE.

    Raises:
        InputError: the file cannot be read, or a line is not a chunk; the message says where.
    """
    name = "standard input" if path == "-" else path
    with ExitStack() as stack:
        try:
            source = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
            pieces = _decoded(source, name)
            yield from _by_form(pieces, form, name)
        except OSError as error:
            raise InputError(f"{name}: {error.strerror or error}") from error


def _by_form(pieces: Iterator[str], form: Form | None, name: str) -> Iterator[str]:
    head = ""
    if form is None:
        for piece in pieces:
            head += piece
            form = _form_of(head)
            if form is not None:
                break
        else:
            form = _form_of(head + "\n")
    if form == "jsonl":
        yield from _json_lines(_with_head(head, pieces), name)
    else:
        yield from filter(None, _with_head(head, pieces))


def _with_head(head: str, pieces: Iterator[str]) -> Iterator[str]:
    yield head
    yield from pieces


def _decoded(source: BinaryIO, name: str) -> Iterator[str]:
    # read1 gives what is there; read would wait for a full block.
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    read1 = getattr(source, "read1", source.read)
    line, column = 1, 1
    while True:
        data = read1(BLOCK)
        try:
            piece = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            line, column = _moved(error.object[: error.start].decode("utf-8"), line, column)
            raise InputError(f"{name}: line {line}, column {column}: not valid UTF-8") from error
        line, column = _moved(piece, line, column)
        if piece:
            yield piece
        if not data:
            return


def _moved(text: str, line: int, column: int) -> tuple[int, int]:
    breaks = text.count("\n")
    return line + breaks, len(text) - text.rfind("\n") if breaks else column + len(text)


def _form_of(head: str) -> Form | None:
    """What the first line says; None while it is not whole and may still be JSON."""
    text = head.lstrip()
    if not text:
        return None
    if text[0] not in '"[{':
        return "text"
    first, line_break, _ = text.partition("\n")
    if not line_break:
        return None
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return "text"
    return "text" if _chunks_of(found) is None else "jsonl"


def _chunks_of(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    if isinstance(value, dict):
        return next(([value[key]] for key in CHUNK_KEYS if isinstance(value.get(key), str)), None)
    return None


def _lines(pieces: Iterator[str]) -> Iterator[str]:
    # Parts of a long line are joined once. Only "\n" ends a line: a JSON string may hold other line breaks.
    parts: list[str] = []
    for piece in pieces:
        first, *more = piece.split("\n")
        parts.append(first)
        for each in more:
            yield "".join(parts)
            parts = [each]
    yield "".join(parts)


def _json_lines(pieces: Iterator[str], name: str) -> Iterator[str]:
    for number, line in enumerate(_lines(pieces), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{name}: line {number}, column {error.colno}: {error.msg} (for text, use --text)"
            ) from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}: line {number}, column 1: {error} (for text, use --text)") from error
        chunks = _chunks_of(found)
        if chunks is None:
            column = len(line) - len(line.lstrip()) + 1
            raise InputError(f"{name}: line {number}, column {column}: not a valid chunk; see `toolglean parse --help`")
        yield from chunks
