# How a model with random weights is made, and how each engine holds it to a grammar while transformers generates. Does
# not depend on how a turn is read.
"""The model, and the engines that constrain it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import xgrammar
from llguidance import LLMatcher
from llguidance.hf import from_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessor
from xgrammar.contrib.hf import LogitsProcessor as XgrammarProcessor

from tests.engines.random_weights.requests import CHOICES, Request
from tests.engines.random_weights.vocabulary import FAMILIES, Family, tokenizer_of
from toolglean import UsageError
from toolglean.engines import SpecialTokens
from toolglean.grammar import Grammar, grammar_of

__all__ = ["BACK_ENDS", "Model", "generated"]

WEIGHTS = 20_261_123
"""The seed of the weights."""
SPELLED_AT = 5
"""After so many tokens of text, the manner "spelled" spells an opener out."""
ANOTHER = 3
"""Of four turns, the last one is written in another family's format."""
CLOSERS = ('"', "}", "]", "</", "<|im_end|>")


class Model:
    """A model of one family, with random weights: two layers, 48 numbers wide.

    Args:
        family: how its turns are written.
        device: where it computes, as torch names it: `cpu`, `cuda`.
    """

    def __init__(self, family: Family, device: str = "cpu") -> None:
        self.family = family
        self.device = device
        self.tokenizer = tokenizer_of(family)
        special = SpecialTokens.from_tokenizer(self.tokenizer)
        assert special is not None
        self.special = special
        self.size = len(self.tokenizer)
        self.end = int(self.tokenizer.eos_token_id)
        self.atomic = {each: int(self.tokenizer.convert_tokens_to_ids(each)) for each in (*family.atomic, family.end)}
        torch.set_num_threads(1)
        torch.manual_seed(WEIGHTS)
        config = LlamaConfig(
            vocab_size=self.size,
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=1024,
            initializer_range=0.3,
            eos_token_id=self.end,
            pad_token_id=self.end,
        )
        self.weights: Any = LlamaForCausalLM(config).eval().to(device)
        texts = [self.tokenizer.decode([number]) for number in range(self.size)]
        closers = [number for number, text in enumerate(texts) if text.lstrip().startswith(CLOSERS)]
        self.closers = torch.tensor([*closers, self.end])
        self.openers = torch.tensor([self.atomic[each] for each in family.openers])
        self.spelled: list[int] = [
            *tokenizer_of(family, with_markers=False).encode(family.openers[0], add_special_tokens=False)
        ]
        self.markers = torch.tensor([number for text, number in self.atomic.items() if text != family.end])

    def prompt(self, request: Request) -> Any:
        """The tokens of the prompt, as the model takes them."""
        before, after = self.family.roles
        text = f"{before}{request.prompt}{after}"
        return self.tokenizer(text, return_tensors="pt", add_special_tokens=False).to(self.device)

    def manner(self, request: Request, prompt: int) -> Manner:
        """How the model writes this turn, whose prompt has so many tokens."""
        return Manner(self, request, prompt)

    def generate(self, request: Request, processors: list[Any], streamer: Any) -> list[int]:
        """The tokens of a turn; the streamer gets each when it is written."""
        given = self.prompt(request)
        torch.manual_seed(request.seed)
        with torch.inference_mode():
            found = self.weights.generate(
                **given,
                do_sample=True,
                temperature=request.temperature,
                top_k=0,
                max_new_tokens=request.most,
                logits_processor=[*processors, self.manner(request, given["input_ids"].shape[1])],
                streamer=streamer,
            )
        return [int(each) for each in found[0, given["input_ids"].shape[1] :]]


class Manner(LogitsProcessor):  # type: ignore[misc, unused-ignore]
    """What makes random weights end a string now and then, and begin a call where text is free."""

    def __init__(self, model: Model, request: Request, prompt: int) -> None:
        self.bias = torch.zeros(model.size)
        self.closing = torch.zeros(model.size)
        self.opener: list[int] = []
        self.prompt = prompt
        if request.manner == "spelled":
            self.bias[model.markers] = float("-inf")
            self.opener = model.spelled if request.choice == "auto" else []
        elif request.choice == "auto":
            self.bias[model.markers] += 5.0
            self.bias[model.openers] += 2.0
        if request.manner != "wild":
            self.closing[model.closers] = 1.0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        written = input_ids.shape[1] - self.prompt
        bias = self.bias + self.closing * (1.5 + written / 20)
        scores = scores + bias.to(scores.device)
        if 0 <= written - SPELLED_AT < len(self.opener):
            scores[:, self.opener[written - SPELLED_AT]] += 50.0
        return scores


class Xgrammar:
    """xgrammar, with a structural tag; its own processor for transformers."""

    def __init__(self, model: Model) -> None:
        info = xgrammar.TokenizerInfo.from_huggingface(
            model.tokenizer, vocab_size=model.size, stop_token_ids=[model.end]
        )
        self.compiler: Any = xgrammar.GrammarCompiler(info, max_threads=1)
        self.compiled: dict[int, tuple[Grammar, Any]] = {}

    def processor(self, request: Request) -> Any:
        """What holds one turn to its grammar."""
        known = self.compiled.get(id(request.grammar))
        if known is None:
            tag = json.dumps(request.grammar.structural_tag())
            known = self.compiled[id(request.grammar)] = request.grammar, self.compiler.compile_structural_tag(tag)
        return XgrammarProcessor(known[1])


class Llguidance:
    """llguidance, with Lark. Where markers are to be spelled out, its tokenizer has no tokens for them."""

    def __init__(self, model: Model) -> None:
        self.tokenizer: Any = from_tokenizer(model.tokenizer, n_vocab=model.size, eos_token=model.end)
        self.special = {text: number for text, number in model.atomic.items() if number != model.end}
        plain = tokenizer_of(model.family, with_markers=False)
        self.without: Any = from_tokenizer(plain, n_vocab=model.size, eos_token=model.end)
        self.compiled: dict[tuple[int, bool], tuple[Grammar, Any]] = {}

    def processor(self, request: Request) -> Any:
        """What holds one turn to its grammar."""
        key = id(request.grammar), request.manner == "spelled"
        if key not in self.compiled:
            self.compiled[key] = request.grammar, self._matcher(request.grammar, spelled=key[1])
        return _LlguidanceProcessor(self.compiled[key][1].deep_copy())

    def _matcher(self, grammar: Grammar, *, spelled: bool) -> Any:
        tokenizer, special = (self.without, None) if spelled else (self.tokenizer, self.special)
        matcher = LLMatcher(tokenizer, grammar.lark(special), log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher


class _LlguidanceProcessor(LogitsProcessor):  # type: ignore[misc, unused-ignore]
    def __init__(self, matcher: Any) -> None:
        self.matcher = matcher
        self.begun = False

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self.begun and not self.matcher.consume_token(int(input_ids[0, -1])):
            raise AssertionError(f"allowed, and refused: {self.matcher.get_error()}")
        self.begun = True
        mask = torch.frombuffer(bytearray(self.matcher.compute_bitmask()), dtype=torch.uint8)
        bits = mask[:, None].bitwise_right_shift(torch.arange(8, dtype=torch.uint8)).bitwise_and(1).flatten()
        return scores.masked_fill(bits[: scores.shape[1]].to(scores.device) == 0, float("-inf"))


class Free:
    """No engine, or hardly any: one turn in four is free, two are let go of after some tokens, and one is written in
    another family's format.
    """

    def __init__(self, model: Model) -> None:
        self.engine = Llguidance(model)

    def processor(self, request: Request) -> Any:
        """What lets a turn go."""
        turn = request.number // len(CHOICES) % 4
        if turn < ANOTHER:
            return _FreeProcessor(self.engine.processor(request), 7 * turn + request.number % 31 if turn else 0)
        others = [each for each in FAMILIES if each != request.grammar.format]
        try:
            grammar = grammar_of(others[request.number % len(others)], request.tools)
        except UsageError:  # that format cannot be made to write such values
            grammar = request.grammar
        return self.engine.processor(replace(request, grammar=grammar))


class _FreeProcessor(LogitsProcessor):  # type: ignore[misc, unused-ignore]
    def __init__(self, held: Any, most: int) -> None:
        self.held = held
        self.left = most

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if not self.left:
            return scores
        self.left -= 1
        return self.held(input_ids, scores)


BACK_ENDS: dict[str, Callable[[Model], Any]] = {"xgrammar": Xgrammar, "llguidance": Llguidance, "none": Free}


def generated(model: Model, engine: Any, request: Request, streamer: Any) -> list[int]:
    """The tokens of the turn that answers a request, held by that engine."""
    return model.generate(request, [engine.processor(request)], streamer)
