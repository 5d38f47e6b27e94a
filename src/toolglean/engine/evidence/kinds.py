# What is known of each character (whether a special token wrote it), and of a model's tokens before it writes. Does
# not know what a marker is, or what follows from that.
"""The evidence of a chunk, a byte for each character; and a vocabulary, as far as it matters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from toolglean.errors import UsageError, shown

__all__ = ["Special", "Vocabulary", "is_ordinary", "is_special", "kinds_of"]

Special: TypeAlias = "bool | Iterable[tuple[int, int]] | None"
"""Which characters of a chunk were written by special tokens: see `Parser.feed`."""


class Vocabulary(NamedTuple):
    """What is known of the model's tokens before the turn.

    Attributes:
        atomic: the markers that are one token.
        in_reasoning: whether the prompt has opened the reasoning, which it does with special tokens.
    """

    atomic: frozenset[str]
    in_reasoning: bool


UNKNOWN, ORDINARY, SPECIAL = b"\0", b"\1", b"\2"


def kinds_of(chunk: str, special: Any) -> bytes:
    """The evidence of a chunk.

    Raises:
        UsageError: `special` is not what `Parser.feed` takes.
    """
    if special is None:
        return UNKNOWN * len(chunk)
    if isinstance(special, bool):
        return (SPECIAL if special else ORDINARY) * len(chunk)
    kinds = bytearray(ORDINARY * len(chunk))
    try:
        for start, end in special:
            if not 0 <= start <= end <= len(chunk):
                raise UsageError(
                    f"special={shown(special)} has the span {(start, end)}, which is not within the {len(chunk)} "
                    "characters of the chunk: pass (start, end) pairs that count the characters of this chunk"
                )
            kinds[start:end] = SPECIAL * (end - start)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"special={shown(special)} is not valid: pass None, True, False or (start, end) pairs of characters"
        ) from error
    return bytes(kinds)


def is_special(kinds: bytes) -> bool:
    """Whether special tokens wrote all of these characters."""
    return kinds.count(SPECIAL) == len(kinds)


def is_ordinary(kinds: bytes) -> bool:
    """Whether all of these characters are known, and ordinary tokens wrote some of them."""
    return UNKNOWN not in kinds and ORDINARY in kinds
