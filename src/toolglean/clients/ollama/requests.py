# The arguments of a request to the ollama package (0.6). Does not depend on what becomes of the answer.
"""Arguments of `ollama.Client.chat` and `generate`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

import ollama
from ollama._utils import convert_function_to_tool

from toolglean.tools import ToolLike, ToolSet

__all__ = ["ChatOptions", "GenerateOptions", "Messages", "Tools", "known_tools", "sent_tools"]

Messages: TypeAlias = Sequence[Mapping[str, Any] | ollama.Message] | None
Tools: TypeAlias = Iterable[ToolLike] | ToolSet | None


class ChatOptions(TypedDict, total=False):
    """Further arguments of `ollama.Client.chat`."""

    tools: Tools
    think: bool | str | None
    logprobs: bool | None
    top_logprobs: int | None
    format: Literal["", "json"] | dict[str, Any] | None
    options: Mapping[str, Any] | ollama.Options | None
    keep_alive: float | str | None


class GenerateOptions(ChatOptions, total=False):
    """Further arguments of `ollama.Client.generate`."""

    suffix: str
    system: str
    template: str
    context: Sequence[int] | None
    images: Sequence[str | bytes | ollama.Image] | None


def sent_tools(tools: Tools) -> list[Any]:
    """The tools, as the package takes them: functions, dicts and its own; all other shapes become dicts."""
    return [
        tool if inspect.isroutine(tool) or isinstance(tool, Mapping | ollama.Tool) else ToolSet([tool]).to_openai()[0]
        for tool in tools or ()
    ]


def known_tools(tools: Iterable[Any]) -> ToolSet | None:
    """The same for a parser. Functions become tools as the package makes them."""
    found = [convert_function_to_tool(tool) if inspect.isroutine(tool) else tool for tool in tools]
    return ToolSet(found) or None
