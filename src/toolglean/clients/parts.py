# How bytes that arrive cut anywhere, inside a character or between CR and LF, are divided into parts: events that a
# server sends, lines. Does not depend on what the parts mean, or on where the bytes come from.
"""The parts of a stream of bytes."""

from __future__ import annotations

import re

__all__ = ["END_OF_EVENT", "END_OF_LINE", "Parts", "data_of"]

END_OF_EVENT = re.compile(rb"(?:\r\n|\n|\r(?=[^\n]))(?:\r\n|\n|\r(?=[^\n]))")
END_OF_LINE = re.compile(rb"\n")
LINES = re.compile(rb"\r\n|\n|\r")
BOM = b"\xef\xbb\xbf"  # may begin a stream


class Parts:
    """Divides a stream. Each of its bytes is searched once.

    Args:
        end: what ends a part.

    Attributes:
        left: what has come of a part that has not ended.
    """

    def __init__(self, end: re.Pattern[bytes]) -> None:
        self.left = bytearray()
        self._end = end
        self._looked = 0  # the end of a part was searched for up to here

    def feed(self, data: bytes) -> list[bytes]:
        """The parts that end in `data`, more of the stream, with their ends."""
        self.left += data
        found: list[bytes] = []
        begin = 0
        while end := self._end.search(self.left, max(self._looked, begin)):
            found.append(bytes(self.left[begin : end.end()]))
            begin = self._looked = end.end()
        del self.left[:begin]
        self._looked = max(len(self.left) - 3, 0)  # an end may have begun
        return found


def data_of(event: bytes) -> bytes:
    """The data of a server-sent event; b"" if it has none."""
    # Most events have one line, or a name and one line.
    line = event.partition(b"\n")[2] if event.startswith(b"event: ") else event
    if line.startswith(b"data: ") and line.find(b"\n") == len(line) - 2 and b"\r" not in event:
        return line[6:-2]
    lines = LINES.split(event.removeprefix(BOM))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
