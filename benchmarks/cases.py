# What this file knows: what is measured, as data. A new format is a row of READERS.
# What it must not know: how time is taken.
"""Cases: what reads, and what there is to read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolglean import Parser, ollama

__all__ = ["CHUNK", "FLOODS", "PROSE", "READERS", "SIZES", "Flood", "Reader", "call_of", "cut", "prose"]

CHUNK = 4
"""Characters of a chunk: about a token."""

TOOLS = ("write_file", "get_weather")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Lengths of the string argument of the one call that is read."""

WORDS = "The quick brown fox looks for a tool, finds none (x = y, [1], {z}), and jumps over the lazy dog.\n"
HTML = "The <b>quick</b> brown <i>fox</i> looks for a tool, finds <b>none</b>, and jumps over the lazy dog.\n"


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read.

    Attributes:
        name: as in the table.
        new: makes what reads: a function for one chunk.
        tag, closer: how the call is written for it.
        prose_goal, call_goal: DESIGN section 8, in floors; None where it names none.
    """

    name: str
    new: Callable[[], Callable[[str], Any]]
    tag: str
    closer: str
    prose_goal: float | None = None
    call_goal: float | None = None


def _parser(tag: str, method: str) -> Callable[[], Callable[[str], Any]]:
    fresh = Parser(TOOLS, tag=tag)
    return lambda: getattr(fresh.fork(), method)


def _port(tag: str) -> Callable[[], Callable[[str], Any]]:
    return lambda: ollama.Parser(TOOLS, tag).add


READERS: tuple[Reader, ...] = (
    Reader("feed", _parser("<tool_call>", "feed"), "<tool_call>", "</tool_call>", prose_goal=1.5, call_goal=12),
    Reader("add", _parser("<tool_call>", "add"), "<tool_call>", "</tool_call>", prose_goal=3),
    Reader("the exact port", _port("<tool_call>"), "<tool_call>", "</tool_call>"),
)


def prose(characters: int, words: str = WORDS) -> str:
    """Text without a call."""
    return (words * (characters // len(words) + 1))[:characters]


PROSE = {"prose": prose(40_000), "prose with HTML": prose(40_000, HTML)}
"""Text without a tag: without, and with, the character with which tags begin."""


def call_of(reader: Reader, size: int) -> str:
    """One call whose string argument has `size` characters."""
    body = {"name": "write_file", "arguments": {"text": prose(size)}}
    return f"{reader.tag}\n{json.dumps(body)}\n{reader.closer}"


@dataclass(frozen=True, slots=True)
class Flood:
    """A text that is long in an unusual way. `size` says how often `unit` comes; it costs the same at any place."""

    name: str
    size: int
    text: Callable[[int], str]


_OPEN = '<tool_call>{"name": "get_weather", "arguments": '
_CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'

FLOODS: tuple[Flood, ...] = (
    Flood("white space after a call", 160_000, lambda n: _CALL + " " * n),
    Flood("nested brackets", 160_000, lambda n: "<tool_call>" + "[" * n),
    Flood("nested objects in arguments", 160_000, lambda n: _OPEN + '{"a":' * (n // 5)),
    Flood("parallel calls", 80, lambda n: _CALL * n),
    Flood("tags in prose", 8_000, lambda n: "see <tool_call> " * n),
    Flood("beginnings of tags", 40_000, lambda n: "<too" * n),
    Flood("braces after a tag", 80_000, lambda n: "<tool_call>" + "{}" * n),
)


def cut(text: str, size: int = CHUNK) -> list[str]:
    """The text in chunks."""
    return [text[i : i + size] for i in range(0, len(text), size)]
