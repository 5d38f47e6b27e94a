# Turns that are short, or have many short calls, and the tools that they come with, as data. Does not depend on how
# time is taken.
"""Cases: small calls, short turns, tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.timing import feeding
from toolglean import Format, Parser, ToolSet

__all__ = [
    "CALL_TOKENS",
    "COUNT",
    "HERMES",
    "SETS",
    "SMALL_CALLS",
    "TOKENS",
    "SmallCalls",
    "many_lists",
    "many_sets",
    "read",
    "short_turn",
    "tool_dicts",
]

COUNT = 50
"""Calls in a row."""

SETS = 1_000
"""Sets of tools that take turns."""

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool_dicts(count: int, label: str = "") -> list[dict[str, Any]]:
    """That many tools as a request has them: `get_weather`, and others whose names have the label."""
    return [_tool("get_weather"), *(_tool(f"look_up{label}_{number}") for number in range(1, count))]


def _tool(name: str) -> dict[str, Any]:
    function = {"name": name, "description": f"What {name} knows of a city.", "parameters": _CITY}
    return {"type": "function", "function": function}


@cache
def many_lists(count: int) -> list[list[dict[str, Any]]]:
    """That many lists of ten tools, each with names of its own."""
    return [tool_dicts(10, f"_{number}") for number in range(count)]


@cache
def many_sets(count: int) -> list[ToolSet]:
    """The same as `ToolSet`s."""
    return [*map(ToolSet, many_lists(count))]


# -- many small calls --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SmallCalls:
    """Many calls in a row.

    Attributes:
        name: as in the table.
        format: the format's name, or the tag if it is only that.
        call: one of them; `#` is its number.
        opener, between, closer: around them.
        goal: in multiples of the baseline, in chunks of 4; None if there is none.
        goal_whole: the same for the whole turn in one chunk.
    """

    name: str
    format: str
    call: str
    opener: str = ""
    between: str = ""
    closer: str = ""
    goal: float | None = None
    goal_whole: float | None = None

    def text(self, count: int = COUNT) -> str:
        """That many calls."""
        calls = (self.call.replace("#", str(number)) for number in range(count))
        return self.opener + self.between.join(calls) + self.closer

    def new(self) -> Parser:
        """A parser that has read nothing."""
        return _parser(self.format).fork()


@cache
def _parser(name: str) -> Parser:
    return Parser(ToolSet(tool_dicts(3)), format=Format.from_tag(name) if name.startswith("<") else name)


HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
_CODER = "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
_GLM = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"
_KIMI = '<|tool_call_begin|>functions.get_weather:#<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>'
_INVOKE = '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>'
_DSML = (
    '<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>"
)
_DEEPSEEK = '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'
_JSON = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
_HARMONY = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>'

SMALL_CALLS = (
    SmallCalls("hermes", "hermes", HERMES, between="\n", goal=12, goal_whole=4000),
    SmallCalls("tag", "<tool_call>", HERMES, between="\n", goal=12, goal_whole=4000),
    SmallCalls("auto", "auto", HERMES, between="\n", goal=12, goal_whole=4000),
    SmallCalls(
        *("kimi-k2", "kimi-k2", _KIMI, "<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"),
        goal=14,
        goal_whole=4000,
    ),
    SmallCalls("qwen3-coder", "qwen3-coder", _CODER, between="\n", goal=18, goal_whole=4000),
    SmallCalls("qwen3-coder, auto", "auto", _CODER, between="\n"),
    SmallCalls("glm-4.5", "glm-4.5", _GLM, between="\n"),
    SmallCalls("minimax-m2", "minimax-m2", _INVOKE, "<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>"),
    SmallCalls("dsml", "deepseek-v3.2", _DSML, "<｜DSML｜function_calls>\n", "\n", "\n</｜DSML｜function_calls>"),
    SmallCalls("deepseek-v3.1", "deepseek-v3.1", _DEEPSEEK, "<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"),
    SmallCalls("mistral-v13", "mistral-v13", '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}'),
    SmallCalls("mistral-v3, a list", "mistral-v3", _JSON, "[TOOL_CALLS] [", ", ", "]"),
    SmallCalls("llama3-json", "llama3-json", _JSON.replace("arguments", "parameters"), between="; "),
    SmallCalls("pythonic, a list", "pythonic", "get_weather(city='Oslo')", "[", ", ", "]"),
    SmallCalls("gemma-4", "gemma-4", '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'),
    SmallCalls("harmony", "harmony", _HARMONY, between="<|start|>assistant"),
)


# -- short turns -------------------------------------------------------------------------------------------------------

TOKENS = ("I ", "will ", "look ", "that ", "up ", "for ", "you ", "now, ", "one ", "moment ", "please", ".\n")
"""Twelve tokens of prose."""
CALL_TOKENS = (
    *("<tool_call>", "\n", '{"', 'name":', ' "get', '_weather"', ', "arguments":', ' {"city":', ' "Oslo"', "}}", "\n"),
    "</tool_call>",
)
"""Twelve tokens of one call."""


def short_turn(tools: Any, *chunks: str, format: str = "hermes") -> None:  # noqa: A002  # as the parser calls it
    """A parser, those chunks, and the end."""
    parser = Parser(tools, format=format)
    add = parser.add
    for chunk in chunks:
        add(chunk)
    parser.close()


def read(new: Callable[[], Parser], chunks: list[str]) -> Callable[[], None]:
    """What reads the chunks, and throws the events away."""
    return feeding(lambda: new().feed, chunks)
