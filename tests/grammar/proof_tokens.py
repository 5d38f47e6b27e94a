# The law for a tokenizer of many tokens, with the format's markers as special tokens. Does not depend on how grammars
# are made, how engines follow them (engines.py), or how vocabularies are read (tokens.py).
"""Turns in tokens."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.grammar.cases import EXPRESSED, accepted
from tests.grammar.laws import fault, snippets
from tests.grammar.proof_laws import CHOICES, Case, case_of, renders_of
from tests.grammar.tokens import Tokens, pieces_of, vocabulary_of
from toolglean.formats import Format

__all__ = ["tokens"]


def tokens(wanted: int, file: str = "", part: str = "1/1") -> bool:
    """Print how many turns are accepted and read, of about so many of each engine. Whether the law held.

    Args:
        wanted: how many, over all formats and choices.
        file: a tokenizer, as `tokens.vocabulary_of` reads it; "": a small one, of words of the turns.
        part: "2/3": the second third of the formats, so that several processes can share the work.
    """
    formats = EXPRESSED
    each = -(-wanted // (len(formats) * len(CHOICES)))
    words, special = vocabulary_of(Path(file)) if file else ([], [])
    first, parts = map(int, part.split("/"))
    seen: Counter[str] = Counter()
    with suppress(KeyboardInterrupt):
        _tried(formats[first - 1 :: parts], each, (words, special), seen)
    for key, number in sorted(seen.items()):
        print(f"{key:50}{number:8,}")
    return not any("MIS" in key for key in seen)


def _tried(formats: Sequence[Format], each: int, given: tuple[list[bytes], list[str]], seen: Counter[str]) -> None:
    words, special = given
    for declared in formats:
        vocabulary = Tokens(declared, words or pieces_of(text for _, text in accepted(declared)), special)
        engines = (vocabulary.xgrammar(), vocabulary.llguidance())
        rng = random.Random(declared.name)
        for choice in CHOICES:
            case = case_of(rng, declared, choice)
            while case.grammar is None:  # what the format cannot be made to write, with a reason
                case = case_of(rng, declared, choice)
            for engine in engines:
                _walked(case, engine, vocabulary, (each, rng, seen))
        seen["formats"] += 1
        print(f"{declared.name}: {len(vocabulary.vocabulary):,} tokens, {len(vocabulary.special)} special", flush=True)


def _walked(case: Case, engine: Any, vocabulary: Tokens, rest: tuple[int, random.Random, Counter[str]]) -> None:
    each, rng, seen = rest
    assert case.grammar is not None
    compiled, name = engine.compiled(case.grammar), engine.notation
    renders_of(case, name, lambda text: vocabulary.accepts(engine, compiled, text), seen)
    pieces = [vocabulary.encoded(piece) for piece in snippets(case.format, case.renders)]
    done = 0
    for _ in range(3 * each):
        found = vocabulary.sampled(engine.walk(compiled), rng, pieces)
        wrong = "" if found is None else fault(case.format, case.tools, case.choice, found)
        seen[f"{name}: samples " + ("that did not end" if found is None else "MISREAD" if wrong else "read")] += 1
        if wrong:
            print(
                case.format.name, name, case.choice, wrong, repr(found), [dict(tool.parameters) for tool in case.tools]
            )
        done += found is not None
        if done == each:
            break
