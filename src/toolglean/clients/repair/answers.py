# What this file knows: how the bytes of an answer are cut into its parts (server-sent events, lines of JSON, one JSON
# value), and that a part of which nothing was mended goes out as the bytes that came.
# What it must not know: what the parts say (the readers do), where the bytes come from.
#
# Bytes arrive cut anywhere: inside a character, between CR and LF. A part is read once it is whole.
#
# As long as nothing was mended, parts go out as they came. The parser may hold back the end of a text ("<tool" could
# begin a call); the parts that hold it then wait, and go out unchanged once that text is certain to be the user's, or
# mended where it is not. So an answer without calls is the same answer, byte for byte.
"""The bytes of an answer, read and mended part by part."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["AnswerReader", "ItemReader", "Lines", "ServerSentEvents", "Whole"]

LONGEST = 64 * 1024 * 1024
"""Bytes of one part. What has a longer one is passed on as it is from there on."""
SILENCE = 64
"""After so many parts of which nothing came out, a comment does, for whoever hangs up on a silent connection."""
COMMENT = b": a tool call is being written\n\n"

END_OF_EVENT = re.compile(rb"(?:\r\n|\n|\r(?=[^\n]))(?:\r\n|\n|\r(?=[^\n]))")
END_OF_LINE = re.compile(rb"\n")
LINES = re.compile(rb"\r\n|\n|\r")


class AnswerReader(Protocol):
    """Reads the bytes of one answer."""

    def feed(self, data: bytes) -> bytes:
        """Take in `data`, more of the answer, and return what can go out."""
        ...

    def finish(self) -> bytes:
        """The answer is over, or its connection broke: what was held back."""
        ...


class ItemReader(Protocol):
    """Reads the items of one stream: `StreamReader`, `ResponseReader`, `LineReader`."""

    @property
    def pristine(self) -> bool:
        """Whether all that came so far is text for the user, as the server sent it."""
        ...

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back."""
        ...

    def read(self, item: Any, /) -> list[Any]:
        """What an item becomes."""
        ...

    def finish(self) -> list[Any]:
        """What was held back."""
        ...


class _Parts:
    """What the streams have in common: parts that end with a pattern, and those that wait."""

    end: re.Pattern[bytes]

    def __init__(self, reader: ItemReader) -> None:
        self._reader = reader
        self._passed: Callable[[Any], None] = getattr(reader, "passed", _nothing)
        self._left = bytearray()
        self._looked = 0  # up to there the end of a part was looked for
        self._waiting: list[tuple[Any, bytes, list[Any]]] = []  # (item, its bytes, what it became)
        self._gave_up = False

    def feed(self, data: bytes) -> bytes:
        """Take in `data`, more of the answer, and return what can go out."""
        if self._gave_up:
            return data
        self._left += data
        found: list[bytes] = []
        begin = 0
        while end := self.end.search(self._left, max(self._looked, begin)):
            found.append(self._part(bytes(self._left[begin : end.end()])))
            begin = self._looked = end.end()
        del self._left[:begin]
        self._looked = max(len(self._left) - 3, 0)  # an end may have begun
        if len(self._left) > LONGEST:
            self._gave_up = True
            found += [self._rest(), bytes(self._left)]
            self._left.clear()
        return b"".join(found)

    def finish(self) -> bytes:
        """The answer is over, or its connection broke: what was held back."""
        last, self._left = bytes(self._left), bytearray()
        if self._item_in(last) is None:  # nothing, or cut in the middle
            return self._rest() + last
        found, rest = self._part(last), self._rest()
        if found and rest and not found.endswith((b"\n", b"\r")):
            found += b"\n\n"
        return found + rest

    def _part(self, block: bytes) -> bytes:
        return self._read(self._item_in(block), block)

    def _read(self, item: dict[str, Any] | None, block: bytes) -> bytes:
        if item is None:
            return self._strange(block)
        if item.get("error") or item.get("type") == "error":
            return self._rest() + block
        return self._item(item, block)

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        raise NotImplementedError

    def _write(self, item: Any) -> bytes:
        raise NotImplementedError

    def _item(self, item: Any, block: bytes) -> bytes:
        """A part that is an item of the stream."""
        found = self._reader.read(item)
        if not self._reader.pristine:
            return self._mended() + self._written(item, block, found)
        if self._reader.waits:
            self._waiting.append((item, block, found))
            return b""
        self._passed(item)
        return self._as_they_came() + block if self._waiting else block

    def _strange(self, block: bytes) -> bytes:
        """A part that cannot be read: it keeps its place."""
        if not self._waiting:
            return block
        self._waiting.append((None, block, [None]))
        return b""

    def _rest(self) -> bytes:
        found = self._reader.finish()
        if self._reader.pristine:
            return self._as_they_came()
        return self._mended() + b"".join(map(self._write, found))

    def _as_they_came(self) -> bytes:
        waiting, self._waiting = self._waiting, []
        return b"".join(block for _, block, _ in waiting)

    def _mended(self) -> bytes:
        waiting, self._waiting = self._waiting, []
        return b"".join(self._written(*each) for each in waiting)

    def _written(self, item: Any, block: bytes, found: list[Any]) -> bytes:
        return b"".join(block if each is item or each == item else self._write(each) for each in found)


class ServerSentEvents(_Parts):
    """A stream of server-sent events.

    Args:
        reader: reads the events' data.
        named: whether an event's name stands before its data, too, as in the Responses API.
    """

    end = END_OF_EVENT

    def __init__(self, reader: ItemReader, *, named: bool) -> None:
        super().__init__(reader)
        self._named = named
        self._silent = 0

    def _part(self, block: bytes) -> bytes:
        data = _data_of(block)
        if not data:
            return block  # a comment: what keeps a connection alive must not wait
        if data.strip() == b"[DONE]":
            return self._rest() + block
        found = self._read(_item_of(data), block)
        self._silent = 0 if found else self._silent + 1
        return found if self._silent < SILENCE else self._comment()

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        return _item_of(_data_of(block))

    def _comment(self) -> bytes:
        self._silent = 0
        return COMMENT

    def _write(self, item: Any) -> bytes:
        name = f"event: {item['type']}\n".encode() if self._named and "type" in item else b""
        return name + b"data: " + _json(item) + b"\n\n"


class Lines(_Parts):
    """A stream of lines of JSON, as Ollama's."""

    end = END_OF_LINE

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        return _item_of(block)

    def _write(self, item: Any) -> bytes:
        return _json(item) + b"\n"


class Whole:
    """An answer that is one JSON object.

    Args:
        mend: makes the mended answer of the answer.
    """

    def __init__(self, mend: Callable[[dict[str, Any]], Any]) -> None:
        self._mend = mend
        self._data: bytearray | None = bytearray()

    def feed(self, data: bytes) -> bytes:
        """More of the answer. Nothing goes out before its end, unless it is too long."""
        if self._data is None:
            return data
        self._data += data
        if len(self._data) <= LONGEST:
            return b""
        found, self._data = bytes(self._data), None
        return found

    def finish(self) -> bytes:
        """The answer, mended; or as it came, if nothing was mended or it cannot be read."""
        data, self._data = self._data or bytearray(), None
        item = _item_of(data)
        if item is None or item.get("error"):
            return bytes(data)
        mended = self._mend(item)
        return bytes(data) if mended == item else _json(mended)


def _data_of(event: bytes) -> bytes:
    if event.startswith(b"data: ") and event.find(b"\n") == len(event) - 2 and b"\r" not in event:
        return event[6:-2]  # most events have one line
    lines = LINES.split(event)
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))


def _item_of(data: bytes | bytearray) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _json(item: Any) -> bytes:
    try:
        return json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return json.dumps(item, separators=(",", ":")).encode()


def _nothing(item: Any) -> None:
    del item
