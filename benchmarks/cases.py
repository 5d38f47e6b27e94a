# What is measured, as data. A new format is a row of READERS, a new flood one of FLOODS.
# Does not depend on how time is taken.
"""Cases: what reads, and what there is to read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolglean import Format, Parser, Tool, ollama

__all__ = [
    "CHUNK",
    "FLOODS",
    "LISTS",
    "OF_TEN_TOOLS",
    "PROSE",
    "READERS",
    "SIZES",
    "TOOLS",
    "Flood",
    "Reader",
    "Text",
    "call_of",
    "code",
    "cut",
    "numbers",
    "prose",
    "reader",
]

CHUNK = 4
"""Characters of a chunk: about a token."""

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
NUMBERS = {"type": "object", "properties": {"numbers": {"type": "array", "items": {"type": "number"}}}}
TYPED = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "units": {"type": "string", "enum": ["metric", "imperial"]},
        "parts": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
TEN_TOOLS = tuple(Tool(f"look_up_{number}", TYPED) for number in range(10))
TOOLS = (Tool("write_file", TEXT), Tool("get_weather", CITY), Tool("plot", NUMBERS))
SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Lengths of the string argument of the one call that is read."""

PLAIN = "The quick brown fox looks for a tool, finds none, and jumps over the lazy dog.\n"
WORDS = "The quick brown fox looks for a tool, finds none (x = y, [1], {z}), and jumps over the lazy dog.\n"
HTML = "The <b>quick</b> brown <i>fox</i> looks for a tool, finds <b>none</b>, and jumps over the lazy dog.\n"
SPANS = "The `quick` brown *fox* looks for a `tool`, finds **none**, and jumps over the lazy dog.\n"
MARKDOWN = """\
## What it *does*

It looks for `tools`, **then** calls one: see [the page](https://example.org/a), or `look(path, deep=True)`.

- one: `x = 1`
- two, with *more* and <b>bold</b>
  1. deeper (a, b)

| key | value |
|---|---|
| `city` | Oslo |

> A quotation of one line.

```python
def look(path: str) -> list[int]:
    return [n for n in (1, 2) if path]
```

That is all of it.

"""
PAGE = """\
<div class="page">
  <h1 id="a">Title</h1>
  <p>Text with <a href="https://example.org">a link</a> &amp; <br/> more.</p>
  <!-- a comment -->
</div>
"""
BRACKETS = "See [1], (x), {y} and [a, [b]] in f(x)[0]; or {z: [1, 2]} (as said), [here] and there.\n"
XML = "<dependency>\n  <groupId>org.example</groupId>\n  <version>1.0</version>\n</dependency>\n"
CODE = '''def look(path: str, *, deep: bool = False) -> "list[int]":
    """Look at a file's <parts>, and count."""
    if path == "" or not deep and len(path) < 3:
        raise ValueError(f"path={path!r}: too short")
    return [n for n, line in enumerate(open(path)) if "\\\\t" in line and line < "z"]
'''


# -- what reads --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read.

    Attributes:
        name: as in the table.
        new: makes what reads: a function for one chunk.
        before, after: the call, around its one argument.
        quote: how the argument is written.
        prose_goal, reasoning_goal, code_goal: the goals of the project, in multiples of the baseline; None if there is
            none. The last is that of one call with 100 KB of code.
    """

    name: str
    new: Callable[[], Callable[[str], Any]]
    before: str = ""
    after: str = ""
    quote: Callable[[Any], str] = json.dumps
    prose_goal: float | None = None
    reasoning_goal: float | None = None
    code_goal: float | None = None


def _parser(method: str, format: str, tools: str = "three") -> Callable[[], Callable[[str], Any]]:  # noqa: A002
    return lambda: getattr(_fresh(format, tools).fork(), method)  # called as the parser calls it


@cache
def _fresh(name: str, tools: str) -> Parser:
    return Parser(
        TOOLS if tools == "three" else TEN_TOOLS, format=Format.from_tag(name) if name.startswith("<") else name
    )


def _port(tag: str) -> Callable[[], Callable[[str], Any]]:
    return lambda: ollama.Parser(["write_file", "get_weather"], tag).add


def _format(name: str, before: str, after: str, quote: Callable[[Any], str] = json.dumps, **goals: float) -> Reader:
    return Reader(name, _parser("feed", name), before, after, quote, **goals)


AS_JSON, AS_TEXT = 4.5, 5.0
"""Goals for code."""

BEFORE, AFTER = '<tool_call>\n{"name": "write_file", "arguments": {"text": ', "}}\n</tool_call>"

READERS: tuple[Reader, ...] = (
    Reader("feed", _parser("feed", "<tool_call>"), BEFORE, AFTER, prose_goal=1.7, code_goal=AS_JSON),
    Reader("add", _parser("add", "<tool_call>"), BEFORE, AFTER, prose_goal=2),
    Reader("the exact port", _port("<tool_call>"), BEFORE, AFTER),
    Reader("auto", _parser("feed", "auto"), BEFORE, AFTER, prose_goal=3.2),
    _format("hermes", BEFORE, AFTER, prose_goal=1.7, reasoning_goal=3.6, code_goal=AS_JSON),
    _format(
        "qwen3-coder",
        "<tool_call>\n<function=write_file>\n<parameter=text>\n",
        "\n</parameter>\n</function>\n</tool_call>",
        str,
        code_goal=AS_TEXT,
    ),
    _format(
        "glm-4.5",
        "<tool_call>write_file\n<arg_key>text</arg_key>\n<arg_value>",
        "</arg_value>\n</tool_call>",
        str,
        code_goal=AS_TEXT,
    ),
    _format("mistral-v13", '[TOOL_CALLS]write_file[ARGS]{"text": ', "}\n", code_goal=AS_JSON),
    _format("pythonic", "[write_file(text=", ")]\n", repr),
    _format("gemma-4", '<|tool_call>call:write_file{text:<|"|>', '<|"|>}<tool_call|>', str),
    _format(
        "harmony",
        '<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{"text": ',
        "}<|call|>",
        code_goal=AS_JSON,
    ),
)

LISTS: tuple[Reader, ...] = (
    _format("hermes", '<tool_call>\n{"name": "plot", "arguments": {"numbers": ', AFTER),
    _format(
        "qwen3-coder",
        "<tool_call>\n<function=plot>\n<parameter=numbers>\n",
        "\n</parameter>\n</function>\n</tool_call>",
    ),
    _format("pythonic", "[plot(numbers=", ")]\n", repr),
)
"""What reads a list of numbers."""

OF_TEN_TOOLS: tuple[Reader, ...] = (
    Reader("hermes, ten tools", _parser("feed", "hermes", "ten")),
    Reader("auto, ten tools", _parser("feed", "auto", "ten")),
)
"""What reads text that is not plain, with ten tools that have types."""


def reader(name: str) -> Reader:
    """The reader of that name."""
    return next(each for each in (*READERS, *OF_TEN_TOOLS) if each.name == name)


def prose(characters: int, words: str = WORDS) -> str:
    """Text without a call."""
    return (words * (characters // len(words) + 1))[:characters]


def code(characters: int) -> str:
    """Source code, with quotes, escapes, brackets and `<`."""
    return prose(characters, CODE)


def numbers(characters: int) -> list[int | float]:
    """A list of numbers that is about as long as JSON."""
    return [n if n % 3 else n / 8 for n in range(1000, 1000 + characters // 6)]


def call_of(each: Reader, size: int, payload: Callable[[int], Any] = prose) -> str:
    """One call whose argument has about `size` characters."""
    return each.before + each.quote(payload(size)) + each.after


# -- text without a call -----------------------------------------------------------------------------------------------

MOST_READERS = ("feed", "add", "the exact port", "hermes", "auto")
TEN = tuple(each.name for each in OF_TEN_TOOLS)


@dataclass(frozen=True, slots=True)
class Text:
    """Text without a call.

    Attributes:
        name: as in the table.
        text: what is read.
        readers: the names of what reads it.
        opener: what comes before it, and is not measured: a marker of reasoning, a sentence, or nothing.
        goals: those of the readers, in multiples of the baseline, where they are not goals of the readers.
    """

    name: str
    text: str
    readers: tuple[str, ...]
    opener: str = ""
    goals: tuple[float | None, ...] = ()


PROSE: tuple[Text, ...] = (
    Text("prose", prose(40_000, PLAIN), ("feed", "add", "the exact port", "hermes", "mistral-v13", "harmony", "auto")),
    Text("prose with brackets", prose(40_000), MOST_READERS, goals=(None, None, None, 4, 6)),
    Text("prose with code", prose(40_000, SPANS), ("feed", "hermes", "auto")),
    Text("prose with HTML", prose(40_000, HTML), MOST_READERS, goals=(None, None, None, 7, 10)),
    Text("reasoning", prose(40_000, PLAIN), ("hermes", "qwen3-coder", "auto"), "<think>\n"),
    Text("Markdown", prose(40_000, MARKDOWN), TEN, "It is so.\n", (5, 7)),
    Text("many brackets", prose(40_000, BRACKETS), TEN, "It is so.\n"),
    Text("lines of HTML", prose(40_000, PAGE), TEN, "It is so.\n"),
    Text("lines of XML", prose(40_000, XML), TEN, "It is so.\n"),
    Text("a JSON answer", json.dumps({"items": [{"n": n, "t": "some text"} for n in range(1_200)]}), TEN, goals=(8, 9)),
)
"""The texts of a plain kind, and reasoning, have the goals of what reads them: nothing in them may begin a call."""


# -- floods ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flood:
    """A text that is long in an unusual way. `size`: how often `unit` comes; it should cost the same at any place.

    Attributes:
        calls: how many calls are in it, at its full size.
    """

    name: str
    size: int
    text: Callable[[int], str]
    reader: str = "feed"
    calls: int = 0


_OPEN = '<tool_call>{"name": "get_weather", "arguments": '
_CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
_CODER = "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n"
_CODER_OPEN = "<tool_call>\n<function=write_file>\n<parameter=text>\n"

FLOODS: tuple[Flood, ...] = (
    Flood("white space after a call", 160_000, lambda n: _CALL + " " * n, calls=1),
    Flood("nested brackets", 160_000, lambda n: "<tool_call>" + "[" * n),
    Flood("nested objects in arguments", 160_000, lambda n: _OPEN + '{"a":' * (n // 5)),
    Flood("parallel calls", 80, lambda n: _CALL * n, calls=80),
    Flood("tags in prose", 8_000, lambda n: "see <tool_call> " * n),
    Flood("beginnings of tags", 40_000, lambda n: "<too" * n),
    Flood("braces after a tag", 80_000, lambda n: "<tool_call>" + "{}" * n),
    Flood("parallel calls", 80, lambda n: _CALL * n, "hermes", calls=80),
    Flood("white space after a call", 160_000, lambda n: _CALL + " " * n, "hermes", calls=1),
    Flood("white space in reasoning", 160_000, lambda n: "<think>" + " " * n, "hermes"),
    Flood("parallel calls", 80, lambda n: _CODER * n, "qwen3-coder", calls=80),
    Flood("white space after a call", 160_000, lambda n: _CODER + " " * n, "qwen3-coder", calls=1),
    Flood("closing markers in a value", 8_000, lambda n: _CODER_OPEN + "a </parameter> b" * n, "qwen3-coder"),
    Flood("closing markers that touch", 8_000, lambda n: _CODER_OPEN + "</parameter>" * n, "qwen3-coder"),
    Flood("nested brackets in arguments", 160_000, lambda n: "[write_file(text=" + "[" * n, "pythonic"),
    Flood("nested objects", 160_000, lambda n: "<|tool_call>call:write_file" + "{a:" * (n // 3), "gemma-4"),
    Flood("headers without a message", 4_000, lambda n: "<|channel|>commentary to=functions.x " * n, "harmony"),
    Flood("parallel calls", 80, lambda n: _CODER * n, "auto", calls=80),
    Flood("beginnings of markers", 40_000, lambda n: "<tool_call><|[{" * (n // 4), "auto"),
    Flood("nested brackets", 160_000, lambda n: "[" * n, "auto"),
    Flood("openers of reasoning", 20_000, lambda n: "<think></think>" * n, "auto"),
)


def cut(text: str, size: int = CHUNK) -> list[str]:
    """The text in chunks."""
    return [text[i : i + size] for i in range(0, len(text), size)]
