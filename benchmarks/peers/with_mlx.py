# mlx-lm's state machine and tool parsers as its own server uses them (server.py): the text is cut
# at the markers, a call is read once it is whole, and one that cannot be read is left out with a warning.
# Does not depend on what is right.
"""mlx-lm."""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

from mlx_lm.generate import TextStateMachine

logging.disable(logging.CRITICAL)

PARSERS = {
    "hermes": "json_tools",
    "qwen3-coder": "qwen3_coder",
    "gemma-4": "gemma4",
    "functiongemma": "function_gemma",
    "glm-4.5": "glm47",
    "glm-4.7": "glm47",
    "kimi-k2": "kimi_k2",
    "kimi-k3": "kimi_k3",
    "laguna": "laguna",
    "longcat": "longcat",
    "minicpm-5": "minicpm5",
    "minimax-m2": "minimax_m2",
    "mistral-v13": "mistral",
    "muse": "muse_spark",
    "lfm2": "pythonic",
}
"""By the name of our format: its module."""

THINK = ("<think>", "</think>")


def _module(name: str) -> Any:
    return importlib.import_module(f"mlx_lm.tool_parsers.{PARSERS[name]}")


class Mlx:
    """A turn, read as `mlx_lm.server` reads it."""

    def __init__(self, tools: list[dict[str, Any]], format: str | None = None, start: str | None = None) -> None:
        if format not in PARSERS:
            raise NotImplementedError
        module = _module(format)
        opener, closer = module.tool_call_start, module.tool_call_end
        self.machine = TextStateMachine(
            {
                "normal": [(THINK[0], "reasoning"), (opener, "tool")],
                "reasoning": [(THINK[1], "normal"), (opener, "tool")],
                "tool": [(closer, "normal")] if closer else [],
            }
        )
        self.begin(self.machine, tools, format, "reasoning" if start == "reasoning" else "normal")

    def begin(self, machine: Any, tools: list[dict[str, Any]], format: str, state: str) -> None:
        """Begin a turn."""
        self._state = machine.make_state(state)
        self._tools, self._read = tools, _module(format).parse_tool_call
        self._texts = {"normal": "", "reasoning": "", "tool": ""}
        self._calls: list[str] = []
        self._before = "normal"

    def feed(self, chunk: str) -> None:
        self._state, segments = TextStateMachine.split(self._state, chunk)
        self._take(segments)

    def _take(self, segments: list[tuple[str, str]]) -> None:
        for state, text in segments:
            if state == "normal" and self._before == "tool":
                self._calls.append(self._texts["tool"])
                self._texts["tool"] = ""
            self._texts[state] += text
            self._before = state

    def finish(self) -> dict[str, Any]:
        # At its end, the server reads what is in "tool" as a call too.
        self._state, rest, state = TextStateMachine.flush(self._state)
        self._take([(state, rest)])
        if self._texts["tool"]:
            self._calls.append(self._texts["tool"])
        calls: list[dict[str, Any]] = []
        for text in self._calls:
            try:
                found = self._read(text, self._tools)
            except (ValueError, json.JSONDecodeError):
                continue
            calls += found if isinstance(found, list) else [found]
        return {
            "content": self._texts["normal"],
            "reasoning": self._texts["reasoning"],
            "calls": [{"name": call["name"], "arguments": call["arguments"]} for call in calls],
        }


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn. The server keeps the machine itself."""
    machine = Mlx(tools, format).machine

    def make() -> Mlx:
        made = Mlx.__new__(Mlx)
        made.begin(machine, tools, format, "normal")
        return made

    return make


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:  # noqa: FBT001
    """What reads a turn."""
    make = maker(format, tools)

    def read() -> None:
        parser = make()
        feed = parser.feed
        for chunk in chunks:
            feed(chunk)
        parser.finish()

    return read
