# vLLM's parsers as its server uses them: `ParserManager`, and `ChatStreamProcessor` for streams.
# Does not depend on what is right.
#
# toolglean's plugin runs through the same two, under the names that it registers. inside_vllm.py times both.
#
# TOOLGLEAN_VLLM_SOURCE is the unpacked source archive; its compiled part is not needed. The tokenizer is a stand-in:
# bytes, the markers of the format as special tokens, and the words of the cases, so that each is one id, as in the
# model's own vocabulary.
"""vLLM."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = os.environ.get("TOOLGLEAN_VLLM_SOURCE", "")
if SOURCE:
    sys.path.insert(0, SOURCE)
os.environ.update(VLLM_TARGET_DEVICE="cpu", HF_HUB_OFFLINE="1", VLLM_LOGGING_LEVEL="ERROR")
logging.disable(logging.CRITICAL)

from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers  # noqa: E402
from tokenizers.models import BPE  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402
from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor  # noqa: E402
from vllm.parser.parser_manager import ParserManager  # noqa: E402
from vllm.reasoning import _REASONING_PARSERS_TO_REGISTER  # noqa: E402
from vllm.tool_parsers import _TOOL_PARSERS_TO_REGISTER  # noqa: E402

from benchmarks.peers.tokens import markers_of, pieces, vocabulary  # noqa: E402
from toolglean.engines.names import PREFIX  # noqa: E402
from toolglean.engines.vllm import register  # noqa: E402
from toolglean.formats.registry import find_format  # noqa: E402

register()  # which vLLM calls itself where toolglean is installed

LITERAL = re.compile(r"[\"']([<\[][^\"'\s]{2,60})[\"']")
REASONING = {"hermes": "qwen3", "qwen3-coder": "qwen3", "deepseek-v3.1": "deepseek_v3", "llama3-json": "deepseek_r1"}
"""Parsers of reasoning, where the name of the family says less than the models that are served so."""

LEFT_OUT = {"openai", "cohere_command3", "cohere_command4"}
"""harmony is chosen by the type of the model and reads ids of its own vocabulary; Cohere needs another package."""


@cache
def tool_parsers() -> dict[str, str]:
    """By the name of our format: the first of vLLM's parsers with a name that means it."""
    found: dict[str, str] = {}
    for name in _TOOL_PARSERS_TO_REGISTER:
        declared = find_format(name)
        if declared is not None and name not in LEFT_OUT:
            found.setdefault(declared.name, name)
    return found


@cache
def reasoning_parser(name: str) -> str | None:
    """Its parser of reasoning for that format."""
    same = (each for each in _REASONING_PARSERS_TO_REGISTER if getattr(find_format(each), "name", "") == name)
    return REASONING.get(name) or next(same, None)


@cache
def literals(tool: str, reasoning: str | None) -> tuple[str, ...]:
    """Markers in the source of the parsers: they look for their ids."""
    files = [Path("tool_parsers", f"{_TOOL_PARSERS_TO_REGISTER[tool][0]}.py")]
    if reasoning is not None:
        files.append(Path("reasoning", f"{_REASONING_PARSERS_TO_REGISTER[reasoning][0]}.py"))
    import vllm

    root = Path(vllm.__file__).parent
    return tuple(each for file in files for each in LITERAL.findall((root / file).read_text(encoding="utf-8")))


@cache
def tokenizer(markers: tuple[str, ...], words: tuple[str, ...]) -> Any:
    """Bytes, those markers, and those words."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(BPE(vocab={letter: number for number, letter in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    special = [AddedToken(marker, special=True, normalized=False) for marker in (*markers, "<eos>")]
    made.add_special_tokens(special)
    made.add_tokens([AddedToken(word, special=False, normalized=False) for word in words])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>")  # noqa: S106  # not a password


class Vllm:
    """A turn, read as `vllm serve --tool-call-parser NAME` reads it."""

    reasons = False

    def __init__(self, tools: list[dict[str, Any]], format: str | None = None, start: str | None = None) -> None:
        own = tool_parsers().get(format or "")
        own_reasoning = reasoning_parser(format or "") if self.reasons else None
        if own is None or (self.reasons and own_reasoning is None):
            raise NotImplementedError
        self.markers = markers_of(format, ("<think>", "</think>", *literals(own, own_reasoning)))
        name, reasoning = self._flags(format or "", own, own_reasoning)
        self._tokens = tokenizer(self.markers, vocabulary(format, self.markers))
        prompt = "user: hi\nassistant:" + ("<think>\n" if start == "reasoning" else "")
        self._prompt: list[int] = self._ids(prompt)
        self._class = ParserManager.get_parser(
            tool_parser_name=name,
            reasoning_parser_name=reasoning,
            enable_auto_tools=True,
            tokenizer=self._tokens,
        )
        messages = [{"role": "user", "content": "hi"}]
        self._request = ChatCompletionRequest(model="m", messages=messages, tools=tools, tool_choice="auto")
        self._processor: Any = None
        self._late: tuple[str, list[int]] | None = None

    def _flags(self, format: str, own: str, own_reasoning: str | None) -> tuple[str, str | None]:  # noqa: ARG002
        # The parsers that the server is told to use.
        return own, own_reasoning

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self._tokens.encode(text, add_special_tokens=False)
        return found

    def _parser(self) -> Any:
        return self._class(self._tokens, self._request.tools, chat_template_kwargs={}, model_config=None)

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self.markers)

    def whole(self, text: str) -> dict[str, Any]:
        reasoning, content, calls = self._parser().parse(
            text, self._request, enable_auto_tools=True, model_output_token_ids=self._ids(text)
        )
        fields = assemble_chat_message_fields(
            self._request, reasoning, content, calls, enable_auto_tools=True, parser_cls=self._class
        )
        return {
            "content": fields.content,
            "reasoning": fields.reasoning,
            "calls": [
                {"name": call.function.name, "arguments": call.function.arguments} for call in fields.tool_calls or ()
            ],
        }

    def feed(self, chunk: str) -> dict[str, Any] | None:
        # The last delta comes with the reason why it ended: each waits for the next.
        late, self._late = self._late, (chunk, self._ids(chunk)) if chunk else self._late
        return self._step(late, None) if late is not None and chunk else None

    def finish(self) -> dict[str, Any] | None:
        return self._step(self._late or ("", []), "stop")

    def _step(self, delta: tuple[str, list[int]], reason: str | None) -> dict[str, Any] | None:
        if self._processor is None:
            self._processor = ChatStreamProcessor(
                self._request, self._parser(), enable_auto_tools=True, parser_cls=self._class
            )
        found = self._processor.step(*delta, reason, prompt_token_ids=self._prompt).delta
        if found is None:
            return None
        calls = [
            {
                "index": call.index,
                "name": call.function.name if call.function else None,
                "arguments": call.function.arguments if call.function else None,
            }
            for call in found.tool_calls or ()
        ]
        return {"content": found.content, "reasoning": found.reasoning, "calls": calls}


class VllmReasoning(Vllm):
    """The same with `--reasoning-parser`."""

    reasons = True


class Plugin(Vllm):
    """A turn, read as `vllm serve --tool-call-parser toolglean-NAME` reads it."""

    def _flags(self, format: str, own: str, own_reasoning: str | None) -> tuple[str, str | None]:  # noqa: ARG002
        name = PREFIX + format
        return name, name if own_reasoning else None


class PluginReasoning(Plugin):
    """The same with `--reasoning-parser toolglean-NAME`."""

    reasons = True


def maker_of(made: Vllm) -> Callable[[], Any]:
    """What makes the parser of a turn. The request, the class and the tokenizer are there before."""
    return lambda: ChatStreamProcessor(made._request, made._parser(), enable_auto_tools=True, parser_cls=made._class)


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    return maker_of(Vllm(tools, format))


def bare_maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """The server's layer alone."""
    made = Vllm(tools, format)
    return lambda: ChatStreamProcessor(made._request, None, enable_auto_tools=False, parser_cls=None)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], reasons: bool) -> Callable[[], Any]:  # noqa: FBT001
    """What reads a turn: texts and ids are there before, as they come from the engine."""
    made = (VllmReasoning if reasons else Vllm)(tools, format)
    return stepping(maker_of(made), made, chunks)


def bare_reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:  # noqa: FBT001
    """The server's layer alone, without a parser: what of the time is not the parser's."""
    return stepping(bare_maker(format, tools), Vllm(tools, format), chunks)


def stepping(make: Callable[[], Any], made: Vllm, chunks: Sequence[str]) -> Callable[[], Any]:
    """What reads the chunks, a step for each, and the end."""
    deltas = [(chunk, made._ids(chunk)) for chunk in chunks]
    prompt = made._prompt

    def read() -> None:
        step = make().step
        for text, ids in deltas:
            step(text, ids, None, prompt_token_ids=prompt)
        step("", [], "stop", prompt_token_ids=prompt)

    return read
