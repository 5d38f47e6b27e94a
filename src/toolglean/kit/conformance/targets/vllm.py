# vLLM's parsers as its server uses them. Runs in a Python that has vLLM, on any processor: no model is loaded. Tried
# with vLLM 0.33.0 (its source is enough; the compiled part is not needed).
#
#   a stream      ParserManager.get_parser, then ChatStreamProcessor.step for each chunk, with its token ids, and with
#                 the reason for the end as the server passes it
#   a whole turn  Parser.parse with the token ids, and assemble_chat_message_fields, as without streaming
#   format        the names for --tool-call-parser and, where reasoning matters, for --reasoning-parser (flags.json)
#   tokens        a stand-in tokenizer of bytes, in which each marker is one token: some parsers look for ids
#   reasoning     the request turns it on (THINKING) where the case has some
#
# Not claimed: harmony (its parser reads the ids of its own vocabulary), Cohere (its parser needs the package
# cohere_melody) and formats without a parser. Does not depend on what is right.
"""`toolglean conformance --target vllm`."""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import Any

os.environ.setdefault("VLLM_TARGET_DEVICE", "cpu")
os.environ |= {"HF_HUB_OFFLINE": "1", "VLLM_LOGGING_LEVEL": "ERROR"}
logging.disable(logging.CRITICAL)

from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers  # noqa: E402  # after the settings
from tokenizers.models import BPE  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402
from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor  # noqa: E402
from vllm.parser.parser_manager import ParserManager  # noqa: E402

from toolglean.kit.conformance.targets.flags import parsers_of  # noqa: E402
from toolglean.kit.conformance.targets.tokens import Adapter, Spans  # noqa: E402

__all__ = ["Vllm"]

THINKING = {"enable_thinking": True, "reasoning_effort": "high", "thinking": True, "thinking_mode": "enabled"}
"""How a request turns the reasoning of a model on: each family has a name of its own for it in `chat_template_kwargs`,
and its parser reads that one."""


@cache
def tokenizer(markers: tuple[str, ...], words: tuple[str, ...] = ()) -> Any:
    """Bytes, those markers, and those words, each as one token; words are in the vocabulary, as in a model's own."""
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=bool(words))
    letters = (level.pre_tokenize_str(word) for word in words)
    known = dict.fromkeys([*sorted(level.alphabet()), *(each[0][0] for each in letters if len(each) == 1)])
    made = Tokenizer(BPE(vocab={each: number for number, each in enumerate(known)}, merges=[], ignore_merges=True))
    made.pre_tokenizer = level
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in (*markers, "<eos>")])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>")  # noqa: S106  # not a password


class Vllm(Adapter):
    """A turn, read as `vllm serve --enable-auto-tool-choice --tool-call-parser NAME` reads it."""

    def open(self) -> None:
        """See `Adapter`."""
        name, reasoning = self._flags(self.format or "", self.reasons)
        self.tokenizer = self._tokenizer(self.format)
        self.prompt = self.ids("user: hi\nassistant:" + ("<think>\n" if self.opened else ""), None)
        self.parser_class: Any = ParserManager.get_parser(
            tool_parser_name=name, reasoning_parser_name=reasoning, enable_auto_tools=True, tokenizer=self.tokenizer
        )
        messages = [{"role": "user", "content": "hi"}]
        self.request = ChatCompletionRequest(model="m", messages=messages, tools=self.tools, tool_choice="auto")
        self._kwargs = THINKING if reasoning else {}
        self._processor: Any = None
        self._late: tuple[str, list[int]] | None = None

    def _flags(self, format: str, reasons: bool) -> tuple[str, str | None]:
        return parsers_of("vllm", "vLLM", format, id=self.id, reasons=reasons)

    def _tokenizer(self, format: str | None) -> Any:  # noqa: ARG002  # benchmarks add words of the format
        markers = self._tokens.markers
        if "<tool_calls>" in markers:  # a checkpoint of Hunyuan has one suffix, which vLLM reads from any of them
            markers = tuple(each for each in markers if not each.endswith(":opensource>"))
        return tokenizer(markers)

    def ids(self, text: str, special: Spans | None) -> list[int]:
        """The ids of the tokens of a text: those of its markers, and those of the bytes of what is spelled out."""
        found: list[int] = []
        for piece, is_marker in self._tokens.split(text, special):
            split = {} if is_marker else {"split_special_tokens": True}
            found += self.tokenizer.encode(piece, add_special_tokens=False, **split)
        return found

    def parser(self) -> Any:
        """A new parser, as for each request."""
        return self.parser_class(
            self.tokenizer, self.request.tools, chat_template_kwargs=self._kwargs, model_config=None
        )

    def whole(self, text: str) -> dict[str, Any]:
        """The answer to a whole turn."""
        text = self._tokens.passed(text)
        reasoning, content, calls = self.parser().parse(
            text, self.request, enable_auto_tools=True, model_output_token_ids=self.ids(text, None)
        )
        fields = assemble_chat_message_fields(
            self.request, reasoning, content, calls, enable_auto_tools=True, parser_cls=self.parser_class
        )
        return {
            "content": fields.content,
            "reasoning": fields.reasoning,
            "calls": [
                {"name": call.function.name, "arguments": call.function.arguments} for call in fields.tool_calls or ()
            ],
        }

    def feed(self, chunk: str, special: Spans | None = None) -> dict[str, Any] | None:
        """The answer to the chunk before. Each waits for the next: the last comes with the reason for the end."""
        chunk = self._tokens.passed(chunk)
        if not chunk:
            return None
        late, self._late = self._late, (chunk, self.ids(chunk, special))
        return self._step(late, None) if late is not None else None

    def finish(self) -> dict[str, Any] | None:
        """The answer to the last chunk and the end."""
        return self._step(self._late or ("", []), self.ended)

    def _step(self, delta: tuple[str, list[int]], reason: str | None) -> dict[str, Any] | None:
        if self._processor is None:
            self._processor = ChatStreamProcessor(
                self.request, self.parser(), enable_auto_tools=True, parser_cls=self.parser_class
            )
        found = self._processor.step(*delta, reason, prompt_token_ids=self.prompt).delta
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
