# How vLLM's parsers are timed, through the adapter of the conformance kit (targets/vllm.py), and toolglean's plugin
# through the same layer, under the names that it registers. inside_vllm.py times both. Does not depend on what is
# right.
"""vLLM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor

from toolglean.engines.names import PREFIX
from toolglean.engines.vllm import register
from toolglean.kit.conformance import load_cases
from toolglean.kit.conformance.targets.tokens import Tokens
from toolglean.kit.conformance.targets.vllm import Vllm, tokenizer

__all__ = ["Plugin", "Timed", "TimedPlugin", "bare_maker", "bare_reader", "maker", "maker_of", "reader", "stepping"]

register()  # which vLLM calls itself where toolglean is installed


class Plugin(Vllm):
    """A turn, read as `vllm serve --tool-call-parser toolglean-NAME` reads it."""

    def _flags(self, format: str, reasons: bool) -> tuple[str, str | None]:
        super()._flags(format, reasons)  # the same cases are claimed
        name = PREFIX + format
        return name, name if reasons else None


@cache
def vocabulary(name: str | None) -> tuple[str, ...]:
    """All tokens of the cases of a format, so that each word is one id, as in the model's own vocabulary."""
    tokens = Tokens(name)
    texts = (case.text for case in load_cases() if case.format == name)
    return tuple(sorted({piece for text in texts for piece, is_marker in tokens.split(text) if not is_marker}))


class Timed(Vllm):
    """The same with a vocabulary of words, which saves vLLM time."""

    def _tokenizer(self, format: str | None) -> Any:
        return tokenizer(self._tokens.markers, vocabulary(format))


class TimedPlugin(Timed, Plugin):
    """Both."""


def maker_of(made: Vllm) -> Callable[[], Any]:
    """What makes the parser of a turn. The request, the class and the tokenizer are there before."""
    return lambda: ChatStreamProcessor(
        made.request, made.parser(), enable_auto_tools=True, parser_cls=made.parser_class
    )


def maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """What makes the parser of a turn."""
    return maker_of(Timed(tools, format))


def bare_maker(format: str, tools: list[dict[str, Any]]) -> Callable[[], Any]:
    """The server's layer alone."""
    made = Timed(tools, format)
    return lambda: ChatStreamProcessor(made.request, None, enable_auto_tools=False, parser_cls=None)


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], reasons: bool) -> Callable[[], Any]:
    """What reads a turn: texts and ids are there before, as they come from the engine."""
    made = Timed(tools, format, reasons=reasons)
    return stepping(maker_of(made), made, chunks)


def bare_reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:
    """The server's layer alone, without a parser: what of the time is not the parser's."""
    return stepping(bare_maker(format, tools), Timed(tools, format), chunks)


def stepping(make: Callable[[], Any], made: Vllm, chunks: Sequence[str]) -> Callable[[], Any]:
    """What reads the chunks, a step for each, and the end."""
    deltas = [(chunk, made.ids(chunk, None)) for chunk in chunks]
    prompt = made.prompt

    def read() -> None:
        step = make().step
        for text, ids in deltas:
            step(text, ids, None, prompt_token_ids=prompt)
        step("", [], "stop", prompt_token_ids=prompt)

    return read
