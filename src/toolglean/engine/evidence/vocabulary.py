# What is known of a model's tokens before it writes. Does not know what follows from it.
"""A vocabulary, as far as it matters."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Vocabulary"]


class Vocabulary(NamedTuple):
    """What is known of the model's tokens before the turn.

    Attributes:
        atomic: the markers that are one token.
        in_reasoning: whether the prompt has opened the reasoning, which it does with special tokens.
    """

    atomic: frozenset[str]
    in_reasoning: bool
