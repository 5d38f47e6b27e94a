# The ways in which messages and tools can be passed to a template, from the most usual to the least. Does not depend on
# what a template makes of them (prober.py).
#
# Templates differ in what they accept: arguments as an object or as a JSON string, content empty or None, ids of nine
# letters or made of the name and a number, content as text or as a list of parts, calls and tools with the key
# `function` or without. Some write the calls of a message only once another message follows.
"""How messages are passed to a template."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from toolglean.sources.templates.infer.probes import Call, Message
from toolglean.tools import Tool

__all__ = ["InputStyle", "all_styles", "styles_for_texts"]

MISSING = object()


@dataclass(frozen=True, slots=True)
class InputStyle:
    """How messages are passed to the template.

    Attributes:
        as_string: whether arguments are passed as a JSON string.
        empty: what is passed for missing content: "", None, or no key at all.
        named_ids: whether ids are `functions.NAME:NUMBER`, which some templates write instead of the name.
        parts: whether content is a list of parts.
        flat: whether calls and tools have their name also outside the key `function`.
        followed: whether another message follows one with calls.
        functions: whether the tools are a message of their own, as Fireworks' templates have it.
    """

    as_string: bool = False
    empty: Any = ""
    named_ids: bool = False
    parts: bool = False
    flat: bool = False
    followed: bool = False
    functions: bool = False

    @property
    def demands(self) -> dict[str, str]:
        """What a template asks for that takes messages only in this style: a probe, and what is lost otherwise."""
        takes = "the template takes"
        found = {
            "content as text": (self.parts, f"{takes} content only as a list of parts"),
            "arguments as an object": (self.as_string, f"{takes} arguments only as a JSON string"),
            "the key function": (self.flat, f"{takes} calls and tools only without the key 'function' around them"),
            "calls at the end": (self.followed, "the template writes calls only if another message follows"),
        }
        return {name: what for name, (asked, what) in found.items() if asked}

    def message(self, given: Message) -> dict[str, Any]:
        """The assistant's message."""
        written: dict[str, Any] = {"role": "assistant", "content": given.content}
        if not given.content and given.calls:
            written["content"] = self.empty
        if written["content"] is MISSING:
            del written["content"]
        if given.reasoning:
            written |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), given.reasoning)
        if given.calls:
            written["tool_calls"] = [self._call(each, number) for number, each in enumerate(given.calls)]
        return written

    def tools(self, given: Iterable[Tool]) -> list[dict[str, Any]]:
        """The tools."""
        return [self._flattened({**each.to_openai()}) for each in given]

    def messages(self, given: list[dict[str, Any]], functions: str) -> list[dict[str, Any]]:
        """The messages as they are passed; `functions`: the tools as a text."""
        given = [{"role": "functions", "content": functions}, *given] if self.functions else given
        return [_in_parts(each) for each in given] if self.parts else given

    def id_of(self, each: Call, number: int) -> str:
        """The id of the call with that number."""
        return f"functions.{each.name}:{number}" if self.named_ids else f"zqxidfor{'abcdefghij'[number % 10]}"

    def _call(self, each: Call, number: int) -> dict[str, Any]:
        arguments = json.dumps(each.arguments, ensure_ascii=False) if self.as_string else each.arguments
        function = {"name": each.name, "arguments": arguments}
        return self._flattened({"id": self.id_of(each, number), "type": "function", "function": function})

    def _flattened(self, given: dict[str, Any]) -> dict[str, Any]:
        return given | given["function"] if self.flat else given


def all_styles() -> Iterator[InputStyle]:
    """All styles, the most usual first."""
    for parts, named, as_string, empty in itertools.product(
        (False, True), (False, True), (False, True), ("", None, MISSING)
    ):
        yield InputStyle(as_string, empty, named, parts)
    for flat, as_string, empty in itertools.product((False, True), (False, True), ("", None, MISSING)):
        yield InputStyle(as_string, empty, flat=flat, followed=not flat)
    yield InputStyle(as_string=True, functions=True)


def styles_for_texts() -> Iterator[InputStyle]:
    """Those that differ in a conversation without calls."""
    yield from (InputStyle(), InputStyle(parts=True), InputStyle(functions=True))


def _in_parts(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    return message | {"content": [{"type": "text", "text": content}]} if isinstance(content, str) else message
