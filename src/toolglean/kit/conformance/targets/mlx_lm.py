# mlx-lm's state machine and tool parsers as its own server uses them (server.py: ToolCallFormatter, and the loop over
# what is generated). Runs in a Python that has mlx-lm; mlx's build for processors is enough, and no model is loaded.
# Tried with mlx-lm 0.32.2.
#
#   a stream      TextStateMachine.split for each chunk; a call is read once it is whole, and one that cannot be read is
#                 left out; what is held at the end is discarded if the turn ended by itself, and kept if it was cut off
#   a whole turn  the same: the server has one loop
#   format        the name of its tool parser (PARSERS), as it is inferred from a model's chat template; the markers of
#                 reasoning are those that it infers from the vocabulary, here the markers of the format
#
# Not claimed: formats without a tool parser. By design it leaves out calls that it cannot read, and does not stream
# arguments. Does not depend on what is right.
"""`toolglean conformance --target mlx-lm`."""

from __future__ import annotations

import importlib
import json
import logging
from functools import cache
from typing import Any

from mlx_lm.generate import TextStateMachine, make_text_state_machine
from mlx_lm.tokenizer_utils import TokenizerWrapper
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from toolglean.kit.conformance.targets.flags import named
from toolglean.kit.conformance.targets.tokens import THINK, Adapter, Tokens

logging.disable(logging.CRITICAL)

__all__ = ["PARSERS", "MlxLm", "wrapped"]

PARSERS = named("mlx-lm")
"""For each format: the module of its tool parser."""

NO_THINK = {"gemma-4", "kimi-k3", "longcat", "muse"}
"""Formats of models without `<think>` in their vocabulary: their markers of reasoning are others."""

RESPONSE_FORMATS = {"muse": "muse_spark"}
"""Formats for which mlx-lm brings a chat template with states of its own."""


@cache
def wrapped(format: str, markers: tuple[str, ...]) -> Any:
    """The tokenizer of a model with these markers, as `mlx_lm.tokenizer_utils.load` wraps it."""
    module = importlib.import_module(f"mlx_lm.tool_parsers.{PARSERS[format]}")
    shape = None
    if format in RESPONSE_FORMATS:
        shape = importlib.import_module(f"mlx_lm.chat_templates.{RESPONSE_FORMATS[format]}").RESPONSE_FORMAT
    known = [marker for marker in markers if format not in NO_THINK or marker not in THINK]
    made = Tokenizer(BPE(vocab={"a": 0}, merges=[]))
    made.add_special_tokens([AddedToken(marker, special=True, normalized=False) for marker in (*known, "<eos>")])
    return TokenizerWrapper(
        PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>"),  # noqa: S106  # not a password
        tool_parser=module.parse_tool_call,
        tool_call_start=module.tool_call_start,
        tool_call_end=module.tool_call_end,
        response_format=shape,
    )


class MlxLm(Adapter):
    """A turn, read as `mlx_lm.server` reads it."""

    def open(self) -> None:
        """See `Adapter`."""
        if self.format not in PARSERS:
            raise NotImplementedError(f"mlx-lm has no tool parser for {self.format or 'turns of no known format'}")
        self._tokenizer = wrapped(self.format, Tokens(self.format).markers)
        self.machine = make_text_state_machine(self._tokenizer)
        initial = "reasoning" if self.opened and self._tokenizer.has_thinking else "normal"
        self.begin(self.tools, self._tokenizer.response_initial_state or initial, self.ended)

    def begin(self, tools: list[dict[str, Any]], initial: str, ended: str) -> None:
        """Begin a turn in that state."""
        self._state = self.machine.make_state(initial)
        self._tools, self._ended = tools, ended
        self._texts = {"normal": "", "reasoning": "", "tool": ""}
        self._calls: list[str] = []
        self._before = initial

    def feed(self, chunk: str) -> None:
        """Read a chunk."""
        self.take(self._tokens.passed(chunk))

    def take(self, text: str) -> None:
        """Read what a server passes on."""
        self._state, segments = TextStateMachine.split(self._state, text)
        for state, part in segments:
            self._add(state, part)

    def _add(self, state: str, text: str) -> None:
        if state == "normal" and self._before == "tool":
            self._calls.append(self._texts["tool"])
            self._texts["tool"] = ""
        self._texts[state] = self._texts.get(state, "") + text
        self._before = state

    def finish(self) -> dict[str, Any]:
        """The answer to the whole turn."""
        if self._ended == "length":
            self._state, rest, state = TextStateMachine.flush(self._state)
            self._add(state, rest)
        else:
            self._state, state = TextStateMachine.discard(self._state)
            self._add(state, "")
        if self._before == "tool" and self._texts["tool"]:
            self._calls.append(self._texts["tool"])
        calls: list[dict[str, Any]] = []
        for text in self._calls:
            try:
                found = self._tokenizer.tool_parser(text, self._tools)
            except (ValueError, json.JSONDecodeError):
                continue
            calls += found if isinstance(found, list) else [found]
        return {
            "content": self._texts["normal"],
            "reasoning": self._texts["reasoning"],
            "calls": [{"name": call["name"], "arguments": json.dumps(call["arguments"])} for call in calls],
        }
