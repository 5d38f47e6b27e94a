# Parsers with one fault each, of every kind that the kit accepts. Does not depend on how the kit finds the fault.
"""Parsers to be tried: `tests.kit.conformance.parsers:NAME`."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from typing import Any

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


def simple(text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """What many write first: it runs whatever looks like a call."""
    print("a parser may print", tools)  # noqa: T201  # that is what is tried
    return {"content": CALL.sub("", text), "calls": [json.loads(found) for found in CALL.findall(text)]}


def nothing(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: A002, ARG001
    """Claims one format, and reads no calls."""
    return {"content": text} if format == "hermes" else None


def generated(chunks: Iterator[str], tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:  # noqa: ARG001
    """Content as it comes."""
    for chunk in chunks:
        yield {"content": chunk}


class Hasty:
    """Looks at each chunk alone: what it finds depends on the cuts."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self.tools = tools

    def feed(self, chunk: str) -> dict[str, Any]:
        return simple(chunk, self.tools)

    def finish(self) -> None:
        """Nothing is left."""


class Spans:
    """Tells what special tokens wrote: that text is its reasoning, the rest its content."""

    def __init__(self, tools: list[dict[str, Any]], *, atomic: list[str] | None = None) -> None:  # noqa: ARG002
        self.known = bool(atomic)

    def feed(self, chunk: str, special: list[tuple[int, int]] | None = None) -> dict[str, Any]:
        if special is None or not self.known:
            return {"content": chunk}
        written = {place for begin, end in special for place in range(begin, end)}
        parts = [
            "".join(char for place, char in enumerate(chunk) if (place in written) is each) for each in (True, False)
        ]
        return {"reasoning": parts[0], "content": parts[1]}

    def finish(self) -> None:
        """Nothing is left."""


def spans(text: str, tools: list[dict[str, Any]], *, special: list[list[int]] | None = None) -> dict[str, Any]:  # noqa: ARG001
    """The same, for a whole text."""
    return Spans([], atomic=["<a>"]).feed(text, None if special is None else [(begin, end) for begin, end in special])


class Pieces(Hasty):
    """Reads tokens: none is cut; and whole turns by other code, which drops everything."""

    @staticmethod
    def pieces(text: str) -> list[str]:
        return re.findall(r"<tool_call>.*?</tool_call>|[^<]+|<", text, re.DOTALL)

    def whole(self, text: str) -> dict[str, Any]:  # noqa: ARG002
        return {"content": ""}


def endless(text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: ARG001
    """Never returns."""
    while True:
        time.sleep(0.01)


def deadly(text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: ARG001
    """Takes its process with it, as a fault in C does."""
    os._exit(3)


def wrong(text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: ARG001
    """Does not keep to the protocol."""
    return {"content": text, "calls": [text]}


NOT_A_PARSER = 3


class NoFinish:
    """A class that cannot be used."""

    def feed(self, chunk: str) -> None:
        """Nothing."""
