# What this file knows: long text collected in pieces, joined once.
# Does not depend on what the text is.
#
# A rope is () or (rope, piece). Adding a piece and forking cost the same however long the text is: `x += piece` on an
# attribute is quadratic (5.8 µs a piece at 64,000 pieces against 0.12 µs), and a list must be copied by every fork.
# Small pieces are joined as they come, because a separate piece of four characters takes more than a hundred bytes.
"""Ropes: long text in pieces."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Rope", "flat", "grown", "joined"]

Rope: TypeAlias = "tuple[()] | tuple[Rope, str]"

PIECE = 512  # characters up to which a piece is made longer


def grown(rope: Rope, text: str) -> Rope:
    """The rope with that text after it."""
    if rope and len(rope[1]) < PIECE:
        return (rope[0], rope[1] + text)
    return (rope, text)


def joined(rope: Rope) -> str:
    """The whole text."""
    if rope and not rope[0]:  # mostly
        return rope[1]
    pieces: list[str] = []
    while rope:
        rope, piece = rope
        pieces.append(piece)
    pieces.reverse()
    return "".join(pieces)


def flat(rope: Rope) -> Rope:
    """The same text in one piece: it is what is pickled, because a long rope is too deep."""
    return ((), joined(rope)) if rope else ()
