# Which tokens of a vocabulary are markers: its special tokens, and the others that were added to it, such as Qwen's
# `<tool_call>`. Does not depend on any engine: tokenizers are objects with attributes. token_spans.py finds the text
# that these tokens wrote.
"""The special tokens of a vocabulary, as evidence for a parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from toolglean.engines.token_spans import TokenSpans, edges_of
from toolglean.errors import UsageError, shown

__all__ = ["SpecialTokens", "decoded"]

CONTROL = 8
"""llama.cpp's attribute of tokens such as `<|im_end|>`: the type "control" in a GGUF file."""

USER_DEFINED = 16
"""llama.cpp's attribute of tokens such as `<tool_call>`: the type "user defined" in a GGUF file."""


class SpecialTokens:
    """The tokens of a vocabulary that are markers. Make it once for each model; each turn has a `turn()`.

        special = SpecialTokens.from_tokenizer(tokenizer)
        parser = Parser(tools, model=name, atomic=special.atomic)
        turn = special.turn()
        for text, ids in stream:
            events = parser.feed(text, turn.spans(text, ids))

    Args:
        texts: the text of each marker, by its id. Blank texts are left out: runs of blanks are not markers.
        decode: gives the text of a list of other ids: of exactly these, with nothing removed.

    Attributes:
        atomic: the texts, for `Parser(atomic=...)`.

    Raises:
        UsageError: `texts` is not a mapping from ids to text.
    """

    __slots__ = ("_decode", "_edges", "_texts", "atomic")

    def __init__(self, texts: Mapping[int, str], decode: Callable[[Sequence[int]], str]) -> None:
        _check(texts)
        self._texts = {number: text for number, text in texts.items() if text.strip()}
        self._decode = decode
        self._edges = edges_of(self._texts.values())
        self.atomic = frozenset(self._texts.values())

    @classmethod
    def from_tokenizer(cls, tokenizer: Any) -> SpecialTokens | None:
        """The special and added tokens of a tokenizer.

        Args:
            tokenizer: one of transformers, of the `tokenizers` package, or another that has `decode` and
                `added_tokens_decoder` or `get_added_vocab`, such as those of vLLM and mlx-lm.

        Returns:
            None if it has no such tokens, or cannot decode: then nothing is known about its ids.
        """
        decode = getattr(tokenizer, "decode", None)
        texts = dict(_added(tokenizer))
        if not callable(decode) or not any(map(str.strip, texts.values())):
            return None
        return cls(texts, partial(decoded, decode))

    @classmethod
    def from_llama_cpp(cls, llama: Any) -> SpecialTokens | None:
        """The control tokens and user-defined tokens of a GGUF file.

        Args:
            llama: a `llama_cpp.Llama`.

        Returns:
            None if the file does not say which type its tokens have: then nothing is known about its ids.
        """
        attribute = llama._model.token_get_attr  # llama-cpp-python has no public name for it
        texts = {
            number: llama.detokenize([number], special=True).decode("utf-8", "replace")
            for number in range(llama.n_vocab())
            if attribute(number) & (CONTROL | USER_DEFINED)
        }
        found = cls(texts, lambda ids: llama.detokenize(list(ids), special=True).decode("utf-8", "replace"))
        return found if found.atomic else None

    def turn(self) -> TokenSpans:
        """What finds the text of these tokens in one turn, delta by delta."""
        return TokenSpans(self._texts, self._decode, self._edges)


def _check(texts: Any) -> None:
    if not isinstance(texts, Mapping) or not all(
        isinstance(number, int) and isinstance(text, str) for number, text in texts.items()
    ):
        raise UsageError(f"texts={shown(texts)} is not valid: pass the text of each marker, by its id")


def decoded(decode: Callable[..., Any], ids: Sequence[int]) -> str:
    """The text of the ids by a tokenizer's `decode`, called such that it removes nothing."""
    given = list(ids)
    for removing in (("skip_special_tokens", "clean_up_tokenization_spaces"), ("skip_special_tokens",)):
        with suppress(TypeError):  # a tokenizer without these arguments
            return str(decode(given, **dict.fromkeys(removing, False)))
    return str(decode(given))


def _added(tokenizer: Any) -> Iterator[tuple[int, str]]:
    # The ids and texts of special and added tokens, as far as the tokenizer tells them.
    decoder = getattr(tokenizer, "added_tokens_decoder", None)
    if decoder is None and callable(getattr(tokenizer, "get_added_tokens_decoder", None)):
        decoder = tokenizer.get_added_tokens_decoder()
    if isinstance(decoder, Mapping):
        for number, token in decoder.items():
            yield int(number), str(getattr(token, "content", token))
        return
    if callable(getattr(tokenizer, "get_added_vocab", None)):
        yield from ((number, text) for text, number in tokenizer.get_added_vocab().items())
    numbers, texts = (getattr(tokenizer, name, None) for name in ("all_special_ids", "all_special_tokens"))
    if isinstance(numbers, list | tuple) and isinstance(texts, list | tuple) and len(numbers) == len(texts):
        yield from zip(numbers, texts, strict=True)
