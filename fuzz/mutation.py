# How a turn is spoilt: cut, spliced, doubled, polluted. Does not depend on formats: callers pass the markers.
"""Mutants of turns."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

__all__ = ["LONGEST", "long_mutant", "mutant"]

ODD = (
    "\ud800", "\udfff", "\ud83d\ude00", "\\ud800", "\\uDFFF", "\\N{", "\\N{BULLET}", "\\N{\ud800}", "\\N{}", "\\x",
    "\\U0011", "\ufeff", "\u0130", "ſ", "²", "٣", "\u200b", "\x1c", "\x85", "&amp;", "&quot;", "&", "\u0000",
)  # fmt: skip
HUGE = (
    "9" * 4290 + "e9", "9" * 4290 + "e300", "-" + "9" * 4299 + "e1", "1" * 4301, "1" * 4300 + "x", "1e308", "1e309",
    "0." + "0" * 4000 + "1e400", "-1e309", "1E+0308", "0e99999", "1e-99999", "9" * 400 + ".5e-90", "0x" + "f" * 3500,
    "0x" + "f" * 3600, "[" * 250 + "]" * 250, "[" * 300 + "]" * 300, '{"a":' * 200 + "1" + "}" * 200,
    "(" * 254 + "1" + ")" * 254, "<a>" * 300,
)  # fmt: skip
MAX_TEXT = 1500
LONGEST = 20_000
FLOODS = (" ", "\n", "\t", "\r\n", "{", "[", "(", "<", '"', "\\", "}", "]")
POLLUTION = (
    " ", "\n", "\n\n", "\t", "\u00a0", "\u2028", "{", "}", "[", "]", "(", ")", "<", ">", '"', "'", "\\", ",", ":", ";",
    "=", "null", "true", "1e400", "NaN", "0", "-", "é", "😀", "\ud83d", "\x00", '{"name": "f", "arguments": {}}',
    '{"f": {}}', "f", "f(x=1)", "text", "name", "\\u12", "```", "`", "`", "``",
    "\n```\n", "\n```json\n", "</think>", "<think>", "'''", "functions.", "~~~", "\n~~~xml\n", "\n> ", "<!--", "-->",
    "<pre>", "</pre>", "<code>", "</code>", "<script> ", "<tool_response>", "</tool_response>", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "<|im_start|>user\n", "<|user|>", "`<pre>`",
)  # fmt: skip


def mutant(rng: random.Random, turns: Sequence[str], markers: Sequence[str]) -> str:
    """A new text from one or two of the turns, spoilt one to four times.

    Args:
        rng: the source of chance.
        turns: real or generated turns.
        markers: markers of this format and others.
    """
    text = rng.choice(turns)
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        text = rng.choice(_WAYS)(rng, text, turns, markers)[:MAX_TEXT]
    if rng.random() < 0.1:
        text = _huge(rng, text)
    return text


def long_mutant(rng: random.Random, turns: Sequence[str], markers: Sequence[str]) -> str:
    """A text of up to LONGEST characters: mutants and pieces in a row, some of which come again and again.

    Args:
        rng: the source of chance.
        turns: real or generated turns.
        markers: markers of this format and others.
    """
    size = round(LONGEST ** rng.uniform(0.7, 1))  # as many of 2,000 as of 20,000
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        kind = rng.random()
        part = mutant(rng, turns, markers) if kind < 0.5 else rng.choice((*markers, *POLLUTION, *FLOODS))
        parts.append(part * (1 if kind < 0.8 else rng.choice((2, 5, 20, 400))))
        if kind > 0.9:
            parts.append(rng.choice(parts))
    return "".join(parts)[:size]


def _huge(rng: random.Random, text: str) -> str:
    # Numbers and nesting at the edge of what is read: instead of a value, where there is one.
    values = [found.span() for found in re.finditer(r"(?<=[:=>(\s])[\w\"'.-]+", text)]
    begin, end = rng.choice(values) if values and rng.random() < 0.8 else (_spot(rng, text),) * 2
    return text[:begin] + rng.choice(HUGE) + text[end:]


Way = Callable[[random.Random, str, Sequence[str], Sequence[str]], str]


def _spot(rng: random.Random, text: str) -> int:
    # Half of all places are beside a bracket or a quote, for there the decisions fall.
    place = rng.randint(0, len(text))
    if rng.random() < 0.5:
        near = [at for at in range(max(0, place - 20), min(len(text), place + 20)) if text[at] in "<>{}[]()|\"'`\n"]
        if near:
            return rng.choice(near) + rng.randint(0, 1)
    return place


def _cut(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    return text[: _spot(rng, text)] if rng.random() < 0.7 else text[_spot(rng, text) :]


def _delete(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    place = _spot(rng, text)
    return text[:place] + text[place + rng.choice((1, 1, 1, 2, 3, 8, 20)) :]


def _swap(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    place = _spot(rng, text)
    return text[:place] + text[place : place + 2][::-1] + text[place + 2 :]


def _double(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    begin = _spot(rng, text)
    end = min(len(text), begin + rng.choice((1, 2, 5, 20, 60, len(text))))
    to = end if rng.random() < 0.5 else _spot(rng, text)
    return text[:to] + text[begin:end] + text[to:]


def _splice(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del markers
    other = rng.choice(turns)
    return text[: _spot(rng, text)] + other[_spot(rng, other) :]


def _insert_turn(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del markers
    place = _spot(rng, text)
    return text[:place] + rng.choice(turns) + text[place:]


def _insert_marker(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns
    marker = rng.choice(markers)
    if rng.random() < 0.3:
        marker = marker[: rng.randint(0, len(marker))]
    place = _spot(rng, text)
    return text[:place] + marker + text[place:]


def _pollute(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    place = _spot(rng, text)
    return text[:place] + rng.choice(POLLUTION) + text[place + rng.choice((0, 0, 1)) :]


def _odd(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    place = _spot(rng, text) if rng.random() < 0.5 else rng.randint(0, len(text))
    return text[:place] + rng.choice(ODD) + text[place + rng.choice((0, 0, 1)) :]


def _flood(rng: random.Random, text: str, turns: Sequence[str], markers: Sequence[str]) -> str:
    del turns, markers
    place = _spot(rng, text)
    return text[:place] + rng.choice(FLOODS) * rng.choice((2, 3, 10, 100)) + text[place:]


_WAYS: tuple[Way, ...] = (
    _cut, _delete, _delete, _swap, _double, _splice, _insert_turn, _insert_marker, _insert_marker, _insert_marker,
    _pollute, _pollute, _flood, _odd,
)  # fmt: skip
