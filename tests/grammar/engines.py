# How each engine compiles a grammar, and follows it byte by byte or token by token. Does not depend on formats and
# tools.
"""Engines that read grammars: xgrammar, llguidance, and our own reader of GBNF."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tests.grammar.gbnf_reader import EMPTY, Gbnf
from toolglean.grammar import Grammar

BYTES = [bytes([number]) for number in range(256)]
END = b"<end>"


class Walk(Protocol):
    """A place in a grammar."""

    def allowed(self) -> Sequence[int]:
        """The tokens that may come."""

    def push(self, token: int) -> bool:
        """Go on by one token; whether it fitted."""

    def may_end(self) -> bool:
        """Whether the turn may end here."""


class Xgrammar:
    """xgrammar: structural tags and EBNF."""

    def __init__(self, notation: str, vocabulary: Sequence[bytes] = BYTES) -> None:
        import xgrammar  # noqa: PLC0415  # not in every environment

        self.xgr: Any = xgrammar
        self.notation = notation
        self.size = len(vocabulary) + 1
        info = xgrammar.TokenizerInfo([*vocabulary, END], stop_token_ids=[self.size - 1])
        self.compiler: Any = xgrammar.GrammarCompiler(info, max_threads=1)

    def compiled(self, grammar: Grammar) -> Any:
        if self.notation == "structural-tag":
            return self.compiler.compile_structural_tag(json.dumps(grammar.structural_tag()))
        return self.compiler.compile_grammar(grammar.gbnf())

    def walk(self, compiled: Any) -> Walk:
        return XgrammarWalk(self, compiled)

    def acceptor(self, grammar: Grammar) -> Callable[[str], bool]:
        return self.accepting(self.compiled(grammar))

    def accepting(self, compiled: Any) -> Callable[[str], bool]:
        """Whether a text is a turn of what was compiled."""

        def accepts(text: str) -> bool:
            matcher = self.xgr.GrammarMatcher(compiled)
            return all(matcher.accept_token(byte) for byte in text.encode()) and bool(
                matcher.accept_token(self.size - 1)
            )

        return accepts


class XgrammarWalk:
    def __init__(self, engine: Xgrammar, compiled: Any) -> None:
        self.matcher = engine.xgr.GrammarMatcher(compiled)
        self.mask = engine.xgr.allocate_token_bitmask(1, engine.size)
        self.end = engine.size - 1

    def bits(self) -> Any:
        """Of each token, whether it may come: an array of numpy."""
        import numpy as np  # noqa: PLC0415  # it comes with xgrammar

        if not self.matcher.fill_next_token_bitmask(self.mask):
            return np.ones(self.end, dtype=bool)
        return np.unpackbits(self.mask[0].numpy().view(np.uint8), bitorder="little")[: self.end].astype(bool)

    def allowed(self) -> Sequence[int]:
        found: list[int] = self.bits().nonzero()[0].tolist()
        return found

    def push(self, token: int) -> bool:
        return bool(self.matcher.accept_token(token))

    def may_end(self) -> bool:
        self.matcher.fill_next_token_bitmask(self.mask)
        word = int(self.mask[0, self.end >> 5]) & 0xFFFFFFFF
        return bool(word >> (self.end & 31) & 1)


class Llguidance:
    """llguidance: Lark."""

    notation = "lark"

    def __init__(
        self, tokenizer: Any = None, special_tokens: dict[str, int] | None = None, size: int = len(BYTES)
    ) -> None:
        import llguidance  # noqa: PLC0415  # not in every environment

        self.llg: Any = llguidance
        self.tokenizer: Any = tokenizer or llguidance.LLTokenizer("byte")
        self.special = special_tokens
        self.size = size

    def compiled(self, grammar: Grammar) -> Any:
        matcher = self.llg.LLMatcher(self.tokenizer, grammar.lark(self.special), log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def walk(self, compiled: Any) -> Walk:
        return LlguidanceWalk(compiled.deep_copy(), self.size)

    def acceptor(self, grammar: Grammar) -> Callable[[str], bool]:
        return self.accepting(self.compiled(grammar))

    def accepting(self, compiled: Any) -> Callable[[str], bool]:
        """Whether a text is a turn of what was compiled."""

        def accepts(text: str) -> bool:
            matcher = compiled.deep_copy()
            tokens = self.tokenizer.tokenize_bytes(text.encode())
            return matcher.try_consume_tokens(tokens) == len(tokens) and bool(matcher.is_accepting())

        return accepts


class LlguidanceWalk:
    def __init__(self, matcher: Any, size: int) -> None:
        self.matcher = matcher
        self.size = size  # without the end of the turn

    def bits(self) -> Any:
        """Of each token, whether it may come: an array of numpy."""
        import numpy as np  # noqa: PLC0415  # it comes with xgrammar

        mask = np.frombuffer(self.matcher.compute_bitmask(), dtype=np.uint8)
        return np.unpackbits(mask, bitorder="little")[: self.size].astype(bool)

    def allowed(self) -> Sequence[int]:
        found: list[int] = self.bits().nonzero()[0].tolist()
        return found

    def push(self, token: int) -> bool:
        return int(self.matcher.try_consume_tokens([token])) == 1

    def may_end(self) -> bool:
        return bool(self.matcher.is_accepting())


CHARACTERS = "".join(map(chr, range(9, 127))) + "é東🙂\x7f\x00"


class OwnReader:
    """Our reader of GBNF, by characters: its tokens are their numbers."""

    notation = "own reader"

    def compiled(self, grammar: Grammar) -> Any:
        return Gbnf(grammar.gbnf())

    def walk(self, compiled: Any) -> Walk:
        return OwnWalk(compiled)

    def acceptor(self, grammar: Grammar) -> Callable[[str], bool]:
        return Gbnf(grammar.gbnf()).accepts


class OwnWalk:
    def __init__(self, grammar: Gbnf) -> None:
        self.grammar = grammar
        self.stacks = grammar.start

    def allowed(self) -> Sequence[int]:
        return [ord(char) for char in CHARACTERS if self.grammar.fits(self.stacks, char)]

    def push(self, token: int) -> bool:
        found = self.grammar.step(self.stacks, chr(token))
        self.stacks = found or self.stacks
        return bool(found)

    def may_end(self) -> bool:
        return EMPTY in self.stacks


def text_of(tokens: Sequence[int], walk: Walk) -> str:
    """The text of the tokens of a walk."""
    if isinstance(walk, OwnWalk):
        return "".join(map(chr, tokens))
    return bytes(tokens).decode(errors="replace")


def sampled(walk: Walk, rng: random.Random, snippets: Sequence[str], most: int = 400) -> str | None:
    """A turn that the walk leads through: tokens at random, and pieces of text that are tried out as they stand.

    None where it did not end in time.
    """
    found: list[int] = []
    while len(found) < 4 * most:
        if (rng.random() < 0.25 or len(found) > most) and walk.may_end():
            return text_of(found, walk)
        if rng.random() < (0.9 if len(found) > most else 0.35):
            begun = 0
            piece = rng.choice(snippets)
            for token in map(ord, piece) if isinstance(walk, OwnWalk) else piece.encode():
                if not walk.push(token):
                    break
                found.append(token)
                begun += 1
            if begun:
                continue
        choices = walk.allowed()
        if not choices:
            return text_of(found, walk) if walk.may_end() else None
        plain = [each for each in choices if 32 <= each < 127]
        token = rng.choice(plain if plain and rng.random() < 0.9 else choices)
        if not walk.push(token):
            raise AssertionError(f"allowed, and refused: {token} after {text_of(found, walk)!r}")
        found.append(token)
    return None
