# Tokenizers that need no download: bytes, and every marker of the formats, and of vLLM's parsers,
# as one token.
# Does not depend on which parser is tested with them.
"""Tokenizers that stand in for those of the models."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import vllm
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from toolglean.formats.registry import all_formats

MARKER = re.compile(r"<[|｜]?[/\w:|｜▁ -]{2,60}[|｜]?>|\[/?[A-Z_]{3,30}\]|[◁][^▷]{2,20}▷|[-\]]~[a-z]\]|\]<\]\w+\[>\[")
QUOTED = re.compile(r"\"([^\"\\\n]{2,70})\"|'([^'\\\n]{2,70})'")
ROOMS = ("tool_parsers", "reasoning", "parser")


def _markers() -> list[str]:
    found = [marker for declared in all_formats() for marker in declared.markers]
    for room in ROOMS:
        for path in sorted((Path(vllm.__file__).parent / room).rglob("*.py")):
            found += [a or b for a, b in QUOTED.findall(path.read_text(encoding="utf-8"))]
    whole = [text.strip() for text in found]
    return sorted({text for text in whole if MARKER.fullmatch(text)})


@lru_cache(maxsize=1)
def _core() -> Tokenizer:
    vocabulary = {char: number for number, char in enumerate(bytes_to_unicode().values())}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_tokens([AddedToken(marker, special=False, normalized=False) for marker in _markers()])
    return core


def tokenizer_of(name: str) -> Any:
    """The stand-in for the tokenizer of a model."""
    made = PreTrainedTokenizerFast(tokenizer_object=_core(), clean_up_tokenization_spaces=False)
    made.name_or_path = name
    return made


def install() -> None:
    """From now on, every tokenizer that is asked for by name is a stand-in."""
    import transformers
    import vllm.tokenizers
    import vllm.tokenizers.registry

    def from_pretrained(name: str, *_: Any, **__: Any) -> Any:
        return tokenizer_of(str(name))

    def get_tokenizer(tokenizer_name: str, *_: Any, **__: Any) -> Any:
        return tokenizer_of(str(tokenizer_name))

    transformers.AutoTokenizer.from_pretrained = staticmethod(from_pretrained)
    for module in (vllm.tokenizers, vllm.tokenizers.registry):
        module.get_tokenizer = get_tokenizer
