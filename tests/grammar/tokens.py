# What this file knows: a tokenizer with a format's markers as special tokens, as models have them, for both engines.
# What it must not know: what is written with it.
"""Tokens of more than one byte, and special ones."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tests.grammar.engines import END, Llguidance, Walk, Xgrammar
from toolglean.formats import Format

MOST = 160
"""Tokens of a sample, about."""


class Tokens:
    """A vocabulary: bytes, pieces of words, and the markers of a format as special tokens.

    Args:
        declared: the format.
        texts: turns from which the pieces are taken.
    """

    def __init__(self, declared: Format, texts: Iterable[str]) -> None:
        self.special = [each for each in declared.markers if len(each) > 3 and each[0] in "<[]" and each[-1] in ">]["]
        words = dict.fromkeys(piece for text in texts for piece in re.findall(r" ?\w+|[^\w\s]{2,3}|\s+", text))
        plain = [each.encode() for each in words if len(each.encode()) > 1 and each not in self.special]
        self.vocabulary = [*(bytes([number]) for number in range(256)), *plain]
        self.first_special = len(self.vocabulary)
        self.vocabulary += [each.encode() for each in self.special]
        self._cut = re.compile("(" + "|".join(map(re.escape, sorted(self.special, key=len, reverse=True))) + ")")

    @property
    def ids(self) -> dict[str, int]:
        """The special tokens, with their ids."""
        return {text: self.first_special + at for at, text in enumerate(self.special)}

    def encoded(self, text: str) -> list[int]:
        """The tokens of a text, the longest first."""
        found: list[int] = []
        known = {each: number for number, each in enumerate(self.vocabulary[: self.first_special])}
        for piece in self._cut.split(text) if self.special else [text]:
            if piece in self.ids:
                found.append(self.ids[piece])
                continue
            data = piece.encode()
            while data:
                size = next(size for size in range(min(len(data), 16), 0, -1) if data[:size] in known)
                found.append(known[data[:size]])
                data = data[size:]
        return found

    def xgrammar(self) -> Xgrammar:
        """xgrammar, with this vocabulary."""
        return Xgrammar("structural-tag", self.vocabulary)

    def llguidance(self) -> Llguidance:
        """llguidance, with this vocabulary."""
        import llguidance  # noqa: PLC0415  # not in every environment

        wrapper = llguidance.TokenizerWrapper(_Wrapped(self))
        return Llguidance(llguidance.LLTokenizer(wrapper), self.ids, len(self.vocabulary))

    def accepts(self, engine: Any, compiled: Any, text: str) -> bool:
        """Whether the turn, in tokens, is accepted."""
        walk: Walk = engine.walk(compiled)
        return all(walk.push(token) for token in self.encoded(text)) and walk.may_end()

    def sampled(self, walk: Walk, rng: random.Random) -> str | None:
        """A turn of allowed tokens; special ones are as likely as all others together."""
        found: list[int] = []
        while len(found) < 3 * MOST:
            if (rng.random() < 0.2 or len(found) > MOST) and walk.may_end():
                return b"".join(self.vocabulary[each] for each in found).decode(errors="replace")
            choices = [each for each in walk.allowed() if each < len(self.vocabulary)]
            token = self._chosen(choices, rng)
            if token is None or not walk.push(token):
                return None
            found.append(token)
        return None

    def _chosen(self, choices: Sequence[int], rng: random.Random) -> int | None:
        special = [each for each in choices if each >= self.first_special]
        closing = [each for each in choices if self.vocabulary[each] in {b'"', b"'", b"}", b"]", b")", b"\n"}]
        words = [each for each in choices if 256 <= each < self.first_special]
        for some, chance in ((special, 0.5), (closing, 0.4), (words, 0.7)):
            if some and rng.random() < chance:
                return rng.choice(some)
        return rng.choice(choices) if choices else None


class _Wrapped:
    # What llguidance asks of a tokenizer.

    def __init__(self, tokens: Tokens) -> None:
        self.eos_token_id = len(tokens.vocabulary)
        self.bos_token_id = None
        self.tokens = [*tokens.vocabulary, END]
        self.special_token_ids = [*tokens.ids.values(), self.eos_token_id]
        self._encoded = tokens.encoded

    def __call__(self, text: str | bytes) -> list[int]:
        return self._encoded(text if isinstance(text, str) else text.decode(errors="replace"))
