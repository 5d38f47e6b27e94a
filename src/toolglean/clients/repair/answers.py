# What becomes of the parts of an answer (server-sent events, lines of JSON, one JSON value), and how a part in which
# nothing was repaired is sent as the bytes that arrived.
# Does not depend on what the parts mean (the readers know), on how bytes are divided into them (parts.py), or on where
# the bytes come from. A part is read once it is complete.
#
# As long as nothing was repaired, parts are sent as they came. The parser may hold back the end of a text ("<tool"
# could begin a call). The parts that contain it then wait. If the text turns out to be for the user, they are sent
# unchanged, otherwise repaired. So an answer without calls is the same answer, byte for byte. Most parts differ from
# the one before in nothing but their text, and take a shorter way (../lane.py): also after a repair, if what remains of
# their text is for the user, or nothing is sent yet, as in the middle of a call.
"""The bytes of an answer, read and repaired part by part."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Protocol

from toolglean.clients.lane import NOTHING, OTHER, SAME, Held, Lane, Plain, lane_of
from toolglean.clients.parts import END_OF_EVENT, END_OF_LINE, Parts, data_of
from toolglean.clients.streams import Reader
from toolglean.events import Event

__all__ = ["AnswerReader", "ItemReader", "Lines", "ServerSentEvents", "Whole", "decoded"]

LONGEST = 4 * 1024 * 1024
"""Bytes of one part, a million tokens. From a longer part on, an answer is passed through unchanged: to read a part
takes five times its size, and a few kilobytes of gzip can become any size."""
WAITING = 16 * 1024 * 1024
"""Bytes that are kept while a text is held back: those of the events that wait, and `ENTRY` for each. Beyond
that, an answer is passed through unchanged, too. A call whose name comes last may have forty thousand tokens."""
ENTRY = 200
SILENCE = 64
"""After so many parts without output, a comment is sent, for clients that close a silent connection."""
TRIES = 8
"""After so many events that are not like the one before, none is expected to be: some servers add something to each."""
COMMENT = b": a tool call is being written\n\n"


class AnswerReader(Protocol):
    """Reads the bytes of one answer."""

    def feed(self, data: bytes) -> bytes:
        """Read `data`, more of the answer, and return what can be sent."""
        ...

    def finish(self) -> bytes:
        """The answer is over, or its connection broke: return what was held back."""
        ...


class ItemReader(Reader, Protocol):
    """Reads the items of one stream: `StreamReader`, `ResponseReader`, `MessageReader`, `LineReader`.

    It may have two more methods: `passed(item)`, which is told of an item that was sent unchanged, and `plain(item)`,
    which says whether such an item is nothing but a piece of text.
    """

    @property
    def pristine(self) -> bool:
        """Whether everything so far is text for the user, as the server sent it."""
        ...

    @property
    def waits(self) -> bool:
        """Whether some of such text is held back, or an event that waits for it."""
        ...


class _Parts:
    """What both kinds of stream have in common: parts that end with a pattern, and parts that wait."""

    end: re.Pattern[bytes]
    ended: bytes
    """An end, whatever of one has come."""

    def __init__(self, reader: ItemReader) -> None:
        self._reader = reader
        self._passed: Callable[[Any], None] | None = getattr(reader, "passed", None)
        self._plain: Callable[[Any], Plain | None] = getattr(reader, "plain", lambda _: None)
        self._lane: Lane | None = None
        self._tries = 0  # how often a lane was looked for since an event was like another
        self._parts = Parts(self.end)
        self._waiting: list[tuple[Any, bytes, list[Any]]] = []  # (item, its bytes, what it became)
        self._kept = 0  # what waits, as `WAITING` counts it
        self._gave_up = False

    def feed(self, data: bytes) -> bytes:
        """Read `data`, more of the answer, and return what can be sent."""
        if self._lane is not None and not self._parts.left and (text := self._lane.text(data)) is not None:
            return self._along(self._lane, text, data)
        blocks = self._parts.feed(data)
        found = [self._strange(block) if self._gave_up else self._part(block) for block in blocks]
        if len(left := self._parts.left) > LONGEST:
            found.append(self._give_up())
        if self._gave_up:
            found.append(self._strange(bytes(left)))
            left.clear()
        return b"".join(found)

    def _give_up(self) -> bytes:
        self._gave_up = True
        found, self._lane = self._rest(), None
        return found

    def finish(self) -> bytes:
        """The answer is over, or its connection broke: return what was held back."""
        last = bytes(self._parts.left)
        self._parts.left.clear()
        if self._item_in(last) is None:  # nothing, or cut in the middle
            return self._rest() + self._strange(last)
        whole = last + self.ended  # more may be written behind it
        found = self._part(whole) + self._rest()
        return found[: -len(self.ended)] if found.endswith(whole) else found

    def _part(self, block: bytes) -> bytes:
        return self._read(self._item_in(block), block)

    def _along(self, lane: Lane, text: str, block: bytes) -> bytes:
        """A part that is like the one before, with another text."""
        turn, self._tries = lane.turn, 0
        events = turn.feed(text)
        if lane.leads is not None:
            return self._said(self._as_before(lane, lane.leads, events, text, block))
        if not turn.pristine:
            lane.held.append(Held(block, events, text, lane.number))
            return self._said(self._leave())
        if not turn.waits and not lane.held:  # most parts
            if lane.sent is not None:
                lane.sent(text, lane.number)
            return block
        lane.held.append(Held(block, events, text, lane.number))
        if turn.waits:
            self._kept += len(block) + ENTRY
            return self._said(b"" if self._kept <= WAITING else self._give_up())
        held, lane.held, self._kept = lane.held, [], 0
        if lane.sent is not None:
            for each in held:
                lane.sent(each.text, each.number)
        return self._said(b"".join([each.block for each in held]))

    def _as_before(self, lane: Lane, leads: set[str], events: list[Event], text: str, block: bytes) -> bytes:
        # After a repair: what became of the parts before it becomes of this one, if as much of its text remains.
        if (found := lane.written(text, events, block)) is not None:
            return found
        lane.turn.again(events)
        self._lane = None
        found = self._read(self._item_in(block), block)
        if self._lane is not None and self._lane.leads is not None:
            self._lane.leads |= leads
            self._lane.moved = self._lane.moved or lane.moved
            self._lane.kept = self._lane.kept or lane.kept
        return found

    def _said(self, found: bytes) -> bytes:
        """What was sent instead of a part, which may be nothing."""
        return found

    def _leave(self) -> bytes:
        """Other parts follow: those that are held back take the long way."""
        lane, self._lane = self._lane, None
        if lane is None:
            return b""
        self._kept = 0 if lane.held else self._kept
        for each in lane.held:
            lane.turn.again(each.events)
        found = b"".join([self._read(self._item_in(each.block), each.block) for each in lane.held])
        self._tries = 0 if lane.held else self._tries  # they were like each other
        return found

    def _read(self, item: dict[str, Any] | None, block: bytes) -> bytes:
        if item is None:
            return self._strange(block)
        if item.get("error") or item.get("type") == "error":
            return self._error(item, block)
        return self._item(item, block)

    def _error(self, item: dict[str, Any], block: bytes) -> bytes:
        del item
        return self._rest() + block

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        raise NotImplementedError

    def _write(self, item: Any) -> bytes:
        raise NotImplementedError

    def _item(self, item: Any, block: bytes) -> bytes:
        """A part that is an item of the stream."""
        found = self._reader.read(item)
        if not self._reader.pristine:
            before = self._repaired()
            if not found:  # the reader may keep the event
                self._kept = self._kept + len(block) + ENTRY if self._reader.waits else 0
                if self._kept > WAITING:
                    return before + self._give_up()
            lane = self._lane_of(item, block) if len(found) < 2 else None
            self._lane = lane if lane is not None and self._leads(lane, item, found) else None
            return before + self._written(item, block, found)
        if self._reader.waits:
            same = all(each is item or each == item for each in found)  # as most: keep no more than the bytes
            return self._wait(None, block, [None] * len(found)) if same else self._wait(item, block, found)
        if self._passed is not None:
            self._passed(item)
        self._lane = self._lane_of(item, block)
        return self._as_they_came() + block if self._waiting else block

    def _leads(self, lane: Lane, item: Any, found: list[Any]) -> bool:
        # Whether it is certain what the events that are like this one become after a repair.
        if not found:
            lane.leads = {NOTHING}
            return True
        old, new = lane.plain, self._plain(found[0])
        lane.moved = None if new is None else lane_of(self._write(found[0]), new)
        lane.leads = {SAME if new is not None and new.text == old.text else OTHER}
        lane.kept = SAME in lane.leads and {**found[0], old.number: 0} == {**item, old.number: 0}
        return lane.moved is not None

    def _lane_of(self, item: Any, block: bytes) -> Lane | None:
        plain = self._plain(item) if self._tries < TRIES else None
        self._tries += plain is not None
        return None if plain is None else lane_of(block, plain)

    def _strange(self, block: bytes) -> bytes:
        """A part that cannot be read, or the bytes of one: it keeps its place among those that wait."""
        if not self._waiting:
            return block
        return self._wait(None, block, [None])

    def _wait(self, item: Any, block: bytes, found: list[Any]) -> bytes:
        self._waiting.append((item, block, found))
        self._kept += len(block) + ENTRY
        return self._give_up() if self._kept > WAITING and not self._gave_up else b""

    def _rest(self) -> bytes:
        left = self._leave()
        found = self._reader.finish()
        if self._reader.pristine:
            return left + self._as_they_came()
        return left + self._repaired() + b"".join(map(self._write, found))

    def _as_they_came(self) -> bytes:
        waiting, self._waiting, self._kept = self._waiting, [], 0
        return b"".join(block for _, block, _ in waiting)

    def _repaired(self) -> bytes:
        waiting, self._waiting = self._waiting, []
        return b"".join(self._written(*each) for each in waiting)

    def _written(self, item: Any, block: bytes, found: list[Any]) -> bytes:
        return b"".join(block if each is item or each == item else self._write(each) for each in found)


class ServerSentEvents(_Parts):
    """A stream of server-sent events.

    Args:
        reader: reads the events' data.
        named: whether an event's name is also written before its data, as in all APIs but the chat API.
    """

    end, ended = END_OF_EVENT, b"\n\n"

    def __init__(self, reader: ItemReader, *, named: bool) -> None:
        super().__init__(reader)
        self._named = named
        self._silent = 0

    def _part(self, block: bytes) -> bytes:
        if self._lane is not None and (text := self._lane.text(block)) is not None:
            return self._along(self._lane, text, block)
        data = data_of(block)
        if not data:
            return block  # a comment keeps the connection alive, so it must not wait
        if data.strip() == b"[DONE]":
            return self._done(block)
        return self._said(self._leave() + self._read(decoded(data), block))

    def _said(self, found: bytes) -> bytes:
        self._silent = 0 if found else self._silent + 1
        return found if self._silent < SILENCE else self._comment()

    def _done(self, block: bytes) -> bytes:
        return self._rest() + block

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        return decoded(data_of(block))

    def _comment(self) -> bytes:
        self._silent = 0
        return COMMENT

    def broken(self, item: Any) -> bytes:
        """The connection broke: what was held back, and an event that says so. As for clients, an event that was cut is
        nothing: with an end, it would be one that they cannot read.
        """
        if self._gave_up:  # nobody knows where an event ends
            return b""
        if self._item_in(bytes(self._parts.left)) is None:
            self._parts.left.clear()
        return self.finish() + b"\n\n" + self._write(item)

    def _write(self, item: Any) -> bytes:
        name = f"event: {item['type']}\n".encode(errors="replace") if self._named and "type" in item else b""
        return name + b"data: " + _json(item) + b"\n\n"


class Lines(_Parts):
    """A stream of lines of JSON, as Ollama's."""

    end, ended = END_OF_LINE, b"\n"

    def _item_in(self, block: bytes) -> dict[str, Any] | None:
        return decoded(block)

    def _write(self, item: Any) -> bytes:
        return _json(item) + b"\n"


class Whole:
    """An answer that is one JSON object.

    Args:
        repair: returns the repaired answer for an answer.

    Attributes:
        status: that of the answer, which is JSON, at its end; 0: the server's own.
    """

    status = 0

    def __init__(self, repair: Callable[[dict[str, Any]], Any]) -> None:
        self._repair = repair
        self._data: bytearray | None = bytearray()

    def feed(self, data: bytes) -> bytes:
        """Read more of the answer. Nothing is sent before its end, unless it is too long."""
        if self._data is None:
            return self._strange(data)
        self._data += data
        if len(self._data) <= LONGEST:
            return b""
        found, self._data = bytes(self._data), None
        return self._strange(found)

    def _strange(self, data: bytes) -> bytes:
        """Bytes that cannot be read."""
        return data

    def _refused(self, item: dict[str, Any], data: bytes) -> bytes:
        """An error, as it came."""
        del item
        return data

    def finish(self) -> bytes:
        """The repaired answer; or the answer as it came, if nothing was repaired or it cannot be read."""
        data, self._data = self._data or bytearray(), None
        item = decoded(data)
        if item is None:
            return self._strange(bytes(data))
        if item.get("error"):
            return self._refused(item, bytes(data))
        repaired = self._repair(item)
        return bytes(data) if repaired == item else _json(repaired)


def decoded(data: bytes | bytearray) -> dict[str, Any] | None:
    """The fields in `data`, a body or a part of one; None if it is not a JSON object."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _json(item: Any) -> bytes:
    try:
        return json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which can only be written as an escape
        return json.dumps(item, separators=(",", ":")).encode()
