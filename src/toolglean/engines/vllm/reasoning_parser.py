# vLLM's ReasoningParser: what it must answer about text, and what about token ids.
# Does not depend on how reasoning is found (engines/reading.py), or on how calls are read.
#
# A streamed turn is read in one of three ways. If the tool parser is toolglean's as well, it gets the turn with the
# first piece (pairing.py). If it is another one, it gets the rest unchanged as soon as the reasoning is over. If there
# is no such parser, the whole turn is read here. A whole answer is read at once; the rest of it contains every call
# with its markers.
"""toolglean as vLLM's reasoning parser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from toolglean.engines.reading import TurnReader
from toolglean.engines.vllm.interface import DelegatingParser, ReasoningParser, deltas
from toolglean.engines.vllm.pairing import has_foreign_partner, introduce
from toolglean.engines.vllm.tags import request_tools
from toolglean.engines.vllm.tokens import TAIL, ReasoningCount, Tokens, reasoning_is_over, special_tokens_of
from toolglean.engines.vllm.tool_parser import ToolgleanToolParser, delta_of, with_special_tokens

__all__ = ["AppendThinkParser", "ToolgleanReasoningParser"]

PROMPT_TOKENS = 512
"""How many tokens at the end of the prompt are read: the part that opens the model's message."""


class ToolgleanReasoningParser(ReasoningParser):
    """Reasoning of one request, as vLLM asks for it.

    Attributes:
        format_name: the format; "": it is learned from the tokenizer.
        opened_by_prompt: whether prompts open the reasoning, if vLLM does not pass the prompt; None: the chat template
            tells.
    """

    engine_based_streaming = True
    format_name = ""
    opened_by_prompt: bool | None = None

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._tokens = Tokens(tokenizer)
        self.syntax = self._tokens.syntax(self.format_name)
        self._thinks = _thinks(kwargs.get("chat_template_kwargs"))
        self._prompt = ""
        self._partner: ToolgleanToolParser | None = None
        self._reader: TurnReader | None = None
        self._count: ReasoningCount | None = None
        self._special = special_tokens_of(tokenizer)
        self._ids: list[int] = []  # since the last text
        self._over = False  # vLLM may pass the rest to the tool parser
        self._hands_over = False
        introduce(self)

    def meet(self, tool_parser: ToolgleanToolParser) -> None:
        """Meet the tool parser of the same request."""
        self._partner = tool_parser

    @property
    def reasoning_start_str(self) -> str | None:
        return self.syntax.pairs[0][0] or None if self.syntax.pairs else None

    @property
    def reasoning_end_str(self) -> str | None:
        return self.syntax.pairs[0][1] or None if self.syntax.pairs else None

    # -- requests

    def adjust_request(self, request: Any) -> Any:
        return with_special_tokens(request)

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self._prompt = self._tokens.text(prompt_token_ids[-PROMPT_TOKENS:])
        self._reader, self._count, self._ids = None, None, []

    def _begin(self, asked: Any = None) -> dict[str, Any]:
        # Without the prompt, the chat template tells. Without either, a model that can reason is expected to do so,
        # unless the request has switched it off.
        if self._prompt:
            return {"prompt": self._prompt}
        opened = self.syntax.opens if self.opened_by_prompt is None else self.opened_by_prompt
        expected = self.syntax.reasons if opened is None else opened
        return {"in_reasoning": expected and self.syntax.reasons and self._thinks and _thinks(asked)}

    # -- whole answers

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        begin = self._begin(getattr(request, "chat_template_kwargs", None))
        tools = request_tools(getattr(request, "tools", None))
        piece = TurnReader(self.syntax, tools, calls=False, spaces=True, **begin).read(model_output)
        if self._partner is not None and self._partner.reads_reasoning:
            self._partner.know(
                piece.content if piece.content.strip() else "", self._partner.read_whole(model_output, request, **begin)
            )
        return piece.reasoning or None, piece.content if piece.content.strip() else None

    # -- streams

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        return self._streamed(delta_text, delta_token_ids)

    def _streamed(self, text: str, token_ids: Sequence[int]) -> Any:
        if self._over:
            return deltas.DeltaMessage(content=text) if text else None
        self._ids += token_ids
        if not text:
            return None
        ids, self._ids = self._ids, []
        if self._reader is None:
            if self._partner is not None and self._partner.reads_reasoning:
                self._over = True
                self._partner.begin(ids=ids, **self._begin())
                return deltas.DeltaMessage(content=text)
            self._reader = TurnReader(self.syntax, calls=False, spaces=True, special=self._special, **self._begin())
            self._hands_over = has_foreign_partner(DelegatingParser, type(self), ToolgleanToolParser)
        piece = self._reader.feed(text, ids)
        self._over = self._hands_over and self._reader.ended
        return delta_of(piece)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._over

    def finish_streaming(self) -> Any:
        """What was held back, of the whole stream or of the reasoning."""
        reader, self._reader = self._reader, None
        return delta_of(reader.finish()) if reader is not None else None

    # -- ids

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        return reasoning_is_over(self._tokens, input_ids, self.syntax, expected=self._thinks)

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        tail = TAIL + len(list(delta_ids))
        return reasoning_is_over(self._tokens, input_ids[-tail:], self.syntax, expected=self._thinks, whole=False)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        texts = self._tokens.texts(input_ids)
        text = "".join(texts)
        end = max((text.rfind(closer) + len(closer) for _, closer in self.syntax.pairs if closer in text), default=-1)
        if end < 0:
            return [] if self.syntax.pairs else input_ids
        first = next((place for place, reached in enumerate(accumulate(map(len, texts))) if reached >= end), 0)
        return input_ids[first + 1 :]

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        if self._count is None or not self._count.goes_on(token_ids):
            self._count = ReasoningCount(self.syntax, self._begin())
        return self._count.read(self._tokens, token_ids)


class AppendThinkParser(ToolgleanReasoningParser):
    """Leaves the reasoning in the content, and adds its opener if the prompt has opened it."""

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        return None, self._opener() + model_output

    def _streamed(self, text: str, token_ids: Sequence[int]) -> Any:
        if text and not self._over:
            self._over = True
            text = self._opener() + text
            if self._partner is not None:
                self._partner.begin(keep_reasoning=True)
        return deltas.DeltaMessage(content=text) if text else None

    def _opener(self) -> str:
        return self.reasoning_start_str or ""


def _thinks(asked: Any) -> bool:
    # The variables of the chat template, by the names that templates use.
    if not isinstance(asked, Mapping):
        return True
    on = asked.get("enable_thinking", asked.get("thinking", True))
    return on is not False and asked.get("reasoning_effort") not in {"none", "no_think"}
