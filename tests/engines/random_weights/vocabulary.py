# A tokenizer for each family of models, made in code: byte-level BPE, with the family's markers as added tokens, and
# enough ordinary tokens to spell the same markers out. Does not depend on engines or grammars.
"""Tokenizers that need no download."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from tests.grammar.cases import GOOD, TOOLS
from toolglean import UsageError, render

__all__ = ["FAMILIES", "Family", "tokenizer_of"]

SIZE = 2_000
"""Ordinary tokens."""
PIECES = r" ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+\n*|\s+"
"""How text is cut before tokens are learned. Line breaks stay with the signs before them, so `>` and a line break may
be one token, as in many real vocabularies."""
SYLLABLES = (
    "an",
    "be",
    "con",
    "de",
    "er",
    "fi",
    "get",
    "in",
    "lo",
    "me",
    "ni",
    "out",
    "pre",
    "re",
    "st",
    "ta",
    "un",
    "ver",
)
SIGNS = (
    " ",
    " ",
    " ",
    ", ",
    ". ",
    ": ",
    "\n",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"',
    '": ',
    '", "',
    "/",
    "_",
    "é",
    "東京",
    "🙂",
)


@dataclass(frozen=True)
class Family:
    """How models of one family write.

    Attributes:
        name: the name of the format.
        atomic: the markers that are one token.
        openers: those of them with which a call, or a section of calls, begins.
        end: the token that ends the turn.
        roles: what the prompt puts before and after the user's text.
    """

    name: str
    atomic: tuple[str, ...]
    openers: tuple[str, ...]
    end: str
    roles: tuple[str, str]


_THINK = ("<think>", "</think>")
_CHATML = ("<|im_start|>", *_THINK, "<|endoftext|>")
_CHATML_ROLES = ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n")
_DEEPSEEK = tuple(f"<｜tool▁{name}｜>" for name in ("calls▁begin", "calls▁end", "call▁begin", "call▁end", "sep"))
_KIMI = (
    *("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    *("<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
)
FAMILIES: dict[str, Family] = {
    each.name: each
    for each in (
        Family("hermes", ("<tool_call>", "</tool_call>", *_CHATML), ("<tool_call>",), "<|im_end|>", _CHATML_ROLES),
        Family("qwen3-coder", ("<tool_call>", "</tool_call>", *_CHATML), ("<tool_call>",), "<|im_end|>", _CHATML_ROLES),
        Family(
            "kimi-k2",
            (*_KIMI, *_THINK, "<|im_user|>", "<|im_assistant|>", "<|im_middle|>"),
            (_KIMI[0],),
            "<|im_end|>",
            ("<|im_user|>user<|im_middle|>", "<|im_end|><|im_assistant|>assistant<|im_middle|>"),
        ),
        Family(
            "mistral-v13",
            ("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "[INST]", "[/INST]"),
            ("[TOOL_CALLS]",),
            "</s>",
            ("[INST]", "[/INST]"),
        ),
        Family(
            "glm-4.5",
            (
                *("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
                *(*_THINK, "<|user|>", "<|assistant|>", "<|endoftext|>"),
            ),
            ("<tool_call>",),
            "<|observation|>",
            ("<|user|>\n", "<|assistant|>\n"),
        ),
        Family(
            "minimax-m2",
            ("<minimax:tool_call>", "</minimax:tool_call>", *_THINK, "]~b]"),
            ("<minimax:tool_call>",),
            "[e~[",
            ("]~b]user\n", "[e~[\n]~b]ai\n"),
        ),
        Family(
            "deepseek-v3.1",
            (*_DEEPSEEK, *_THINK, "<｜User｜>", "<｜Assistant｜>"),
            (_DEEPSEEK[0],),
            "<｜end▁of▁sentence｜>",
            ("<｜User｜>", "<｜Assistant｜>"),
        ),
        Family(
            "llama3-json",
            ("<|python_tag|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>"),
            ("<|python_tag|>",),
            "<|eot_id|>",
            (
                "<|start_header_id|>user<|end_header_id|>\n\n",
                "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
            ),
        ),
    )
}
"""By the format's name. The first four are run by default."""


def tokenizer_of(family: Family, *, with_markers: bool = True) -> Any:
    """A tokenizer of transformers, learned from turns that the family writes.

    Args:
        family: the family.
        with_markers: whether the markers are tokens. If not, all other tokens have the same ids.
    """
    from tokenizers import (  # noqa: PLC0415  # not in every environment
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        pre_tokenizers,
        trainers,
    )
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415  # the same

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(_texts(family), trainer)
    markers = (family.end, *(family.atomic if with_markers else ()))
    made.add_tokens([AddedToken(each, special=True, normalized=False) for each in markers])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=family.end, pad_token=family.end, clean_up_tokenization_spaces=False
    )


def _texts(family: Family) -> list[str]:
    # Turns, whose markers are ordinary text here, and prose.
    rng = random.Random(family.name)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(1_500)]
    words += [str(rng.randint(0, 2_000)) for _ in range(300)]
    found = ["".join(word + rng.choice(SIGNS) for word in rng.choices(words, k=40)) for _ in range(600)]
    for calls in GOOD:
        try:
            found.append(render(family.name, calls, tools=TOOLS))
        except UsageError:
            continue
    found += [f"{marker}\n{marker} {marker}" for marker in (*family.atomic, family.end)]
    return found
