# How a stream of chunks, or many turns, are stored in a file, and how the file is read while it is still being written.
# Does not depend on what the chunks mean, or on where the turn is in a line (batch/turns.py).
#
# There are four forms. Text: what arrives together is a chunk. JSON lines of chunks: a line is a chunk (a JSON string,
# or an object that has one under one of CHUNK_KEYS) or many (a JSON list of strings). JSON lines of turns: a line is a
# turn. What a server streamed: its chunks are joined to turns (batch/streams.py). The first line that is not blank
# tells the form, or the first two do (`_BY_SECOND`); the parser waits for them only while they can still become JSON,
# or an event of a server.
"""Chunks or turns from a file or from standard input."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias

from toolglean.batch.lines import InputError, json_in, name_of, not_utf8
from toolglean.batch.turns import DATA, FIELDS, evidence_of, id_in, is_server_chunk

if TYPE_CHECKING:
    from toolglean.batch.logs.source import Source

__all__ = ["CHUNK_KEYS", "RULE", "Form", "Line", "read_input"]

Form: TypeAlias = Literal["text", "stream", "turns", "server"]

CHUNKS_ONLY = ("chunk", "token")
CHUNK_KEYS = (*CHUNKS_ONLY, "content", "text")
RULE = (
    "The input is UTF-8: text, JSON lines of chunks, or JSON lines of turns. The first line that is not blank shows "
    "which. It is read as chunks if that line is a JSON string, a JSON list of strings, or a JSON object with a string "
    f"under {', '.join(CHUNK_KEYS[:-1])} or {CHUNK_KEYS[-1]}; every line must then be one of these. It is read as "
    "turns if that line is a whole answer of OpenAI or Ollama, an object with messages, or one with content and an id "
    "or a role. What a server streamed (server-sent events, or JSON lines of chunks, of OpenAI's, Anthropic's or "
    "Ollama's API) is joined to turns. If the first two lines leave it open, pass --text, --stream or --turns."
)
BLOCK = 65536


@dataclass(frozen=True, slots=True)
class Line:
    """A line that should contain a turn; `number` is counted from 1, and `note` is what to know about it."""

    number: int
    text: str
    note: str = ""


def read_input(path: str, form: Form | None) -> Iterator[str | Line]:
    """The input as it arrives: the chunks of one stream, or the lines of many turns; never both.

    Args:
        path: a file; "-" for standard input.
        form: how it is stored; None: detected, by the rule in RULE.

    Raises:
        InputError: the file cannot be read; a line of chunks is not a chunk; or the first lines could be chunks or
            turns. The message says where.
    """
    from toolglean.batch.logs.source import Source  # noqa: PLC0415  # the help does without it

    name = name_of(path)
    with Source(path) as source:
        try:
            if source.is_table:
                yield from _rows(source, form, name)
            else:
                yield from _by_form(_decoded(source.file), form, name)
        except source.unreadable() as error:
            raise InputError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _rows(table: Source, form: Form | None, name: str) -> Iterator[Line]:
    if form in {"text", "stream"}:
        raise InputError(f"{name}: this is Parquet, which has a turn in each row: leave out --{form}")
    from toolglean.batch.logs.rows import values_of  # noqa: PLC0415  # few inputs are tables

    for chunk in table.chunks():
        for number, row in enumerate(values_of(chunk.rows), chunk.first):
            yield Line(number, json.dumps(row))
    if table.error is not None:
        raise table.error


def _by_form(pieces: Iterator[str], form: Form | None, name: str) -> Iterator[str | Line]:
    head = ""
    if form is None:
        for piece in pieces:
            head += piece
            if len(head) > len(piece) and "\n" not in piece:
                continue  # the same line goes on
            form = _form_of(head, name, is_whole=False)
            if form is not None:
                break
        else:
            form = _form_of(head, name, is_whole=True)
    whole = chain([head], pieces)
    if form == "turns":
        yield from (Line(number, line) for number, line in enumerate(_lines(whole), 1) if line.strip())
    elif form == "stream":
        yield from _json_lines(_checked(whole, name), name)
    elif form == "server":
        from toolglean.batch.streams import joined  # noqa: PLC0415  # few inputs are streams of servers

        yield from (Line(number, json.dumps(turn), note) for number, turn, note in joined(_lines(whole), name))
    else:
        yield from filter(None, _checked(whole, name))


def _decoded(source: BinaryIO) -> Iterator[str]:
    # read1 returns what is there; read would wait for a full block.
    decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    read1 = getattr(source, "read1", source.read)
    while True:
        data = read1(BLOCK)
        piece = decoder.decode(data, final=not data)
        if piece:
            yield piece
        if not data:
            return


def _checked(pieces: Iterator[str], name: str) -> Iterator[str]:
    line, column = 1, 1
    for piece in pieces:
        wrong = None if piece.isascii() else not_utf8(piece)
        if wrong is not None:
            before = piece[: wrong.start()]
            if before:
                yield before
            line, column = _moved(before, line, column)
            raise InputError(f"{name}: line {line}, column {column}: not valid UTF-8")
        line, column = _moved(piece, line, column)
        yield piece


def _moved(text: str, line: int, column: int) -> tuple[int, int]:
    breaks = text.count("\n")
    return line + breaks, len(text) - text.rfind("\n") if breaks else column + len(text)


# -- which form it is --------------------------------------------------------------------------------------------------

_BY_FIRST: Mapping[str, Form] = {"chunk": "stream", "turn": "turns", "server chunk": "server"}
_BY_SECOND: Mapping[str, tuple[Form, tuple[str | None, ...]]] = {  # with another second line it could be either
    # Two messages, unless their ids show that they belong together.
    "message": ("turns", (None, "", "turn", "answer", "message")),
    "text": ("stream", (None, "", "chunk")),  # alone, the same turn either way
    "": ("text", (None, "", "chunk", "text", "answer")),
    "answer": ("text", (None, "")),
}
"""By what the first line is: the form, if the second is one of these. None: there is none; "": a broken one, too."""


def _form_of(head: str, name: str, *, is_whole: bool) -> Form | None:
    """The form that the first lines tell; None while they are not whole and may still tell one.

    Raises:
        InputError: they could be chunks or turns.
    """
    first, rest = _first_line(head)
    if first[:1] not in '"[{':  # "" is in it
        return _form_of_events(head, is_whole=is_whole)
    if rest is None and not is_whole:
        return None
    if not first:
        return "text"
    value = _value(first)
    kind = _kind(value)
    if kind in _BY_FIRST:
        return _BY_FIRST[kind]
    if not kind and first[0] != "{":
        return "text"
    second, rest = _first_line(rest or "")
    if rest is None and not is_whole:
        return None
    following = _value(second) if second else None
    form, seconds = _BY_SECOND[kind]
    is_told = (_kind(following) if second else None) in seconds
    if not is_told or (isinstance(following, dict) and kind == "message" and _belong_together(value, following)):
        raise InputError(
            f"{name}: each line could be a whole turn or a chunk of one stream: pass --turns (a turn on each line), "
            "--stream (one turn in chunks), or --text to read them as they are"
        )
    return form


def _form_of_events(head: str, *, is_whole: bool) -> Form | None:
    # Server-sent events, or text; None while it may still become an event with data.
    for line in head.lstrip().splitlines(keepends=True):
        if not is_whole and not line.endswith("\n"):
            return None if any(line.startswith(each) or each.startswith(line) for each in FIELDS) else "text"
        if line.startswith(DATA):
            data = _value(line.removeprefix(DATA))
            is_chunk = isinstance(data, dict) and (is_server_chunk(data) or "choices" in data or "error" in data)
            return "server" if is_chunk else "text"
        if line.strip() and not line.startswith(FIELDS):
            return "text"
    return "text" if is_whole else None


def _first_line(text: str) -> tuple[str, str | None]:
    """The first line that is not blank, and what follows it: None if the line may not be complete."""
    first, line_break, rest = text.lstrip().partition("\n")
    return first, rest if line_break else None


def _kind(value: Any) -> str:
    """What a line is: "chunk", or what `evidence_of` returns."""
    if isinstance(value, dict) and not any(isinstance(value.get(key), str) for key in CHUNKS_ONLY):
        return evidence_of(value)
    return "chunk" if _chunks_of(value) is not None else evidence_of(value)


def _belong_together(first: Any, second: Any) -> bool:
    # The chunks of a server's stream share an id; of turns, each has its own, or none has one.
    one, other = id_in(first), id_in(second)
    return (one is None) != (other is None) or (one is not None and one == other)


def _value(line: str) -> Any:
    """The line's JSON value; None if it is not JSON, or null, which tells nothing either."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _chunks_of(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    if isinstance(value, dict):
        return next(([value[key]] for key in CHUNK_KEYS if isinstance(value.get(key), str)), None)
    return None


# -- lines -------------------------------------------------------------------------------------------------------------


def _lines(pieces: Iterator[str]) -> Iterator[str]:
    # Parts of a long line are joined once. Only "\n" ends a line: a JSON string may contain other line breaks.
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
        found = json_in(line, f"{name}: line {number}", " (if this is text, pass --text)")
        chunks = _chunks_of(found)
        if chunks is None:
            column = len(line) - len(line.lstrip()) + 1
            raise InputError(f"{name}: line {number}, column {column}: not a valid chunk; see `toolglean parse --help`")
        yield from chunks
