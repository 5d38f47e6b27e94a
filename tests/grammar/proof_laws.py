# The law, in both directions, for random schemas and values: what is rendered is accepted, and what is sampled from the
# grammar is read. Does not depend on how grammars are made, or on the engines.
"""Renders and samples of random schemas."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import jsonschema

from tests.grammar import schemas
from tests.grammar.cases import EXPRESSED
from tests.grammar.engines import sampled
from tests.grammar.laws import fault, snippets
from toolglean import Tool, ToolSet, UsageError
from toolglean.formats import Format
from toolglean.formats.render import render
from toolglean.grammar import Grammar, grammar_of

__all__ = ["CHOICES", "Case", "case_of", "laws", "renders", "renders_of"]

CHOICES = ("required", "do_it", "auto")
SAMPLES = 4  # of one grammar


@dataclass(frozen=True)
class Case:
    """A format with random tools, and turns of them that must be accepted. `grammar`: None where there is none."""

    format: Format
    tools: ToolSet
    choice: str
    grammar: Grammar | None
    renders: tuple[str, ...]


def cases(rng: random.Random) -> Iterator[Case]:
    """Cases without end: all formats in turn, and all choices with each."""
    for number in count():
        formats = EXPRESSED
        # The choice moves on with each round: whatever the number of formats, each comes with all of them.
        yield case_of(rng, formats[number % len(formats)], CHOICES[(number + number // len(formats)) % len(CHOICES)])


def case_of(rng: random.Random, declared: Format, choice: str) -> Case:
    """A case of that format and choice, with random tools."""
    tools = ToolSet([Tool("do_it", schemas.parameters(rng)), Tool("look", schemas.parameters(rng, 2))])
    try:
        grammar = grammar_of(declared, tools, choice=choice)
    except UsageError:
        return Case(declared, tools, choice, None, ())
    return Case(declared, tools, choice, grammar, tuple(_renders(rng, declared, tools, choice)))


def _renders(rng: random.Random, declared: Format, tools: ToolSet, choice: str) -> Iterator[str]:
    parameters: dict[str, Any] = {tool.name: dict(tool.parameters) for tool in tools}
    for _ in range(SAMPLES):
        names = [rng.choice(("do_it", "look") if choice != "do_it" else ("do_it",)) for _ in range(rng.randint(1, 2))]
        calls = [(name, schemas.value(rng, parameters[name], parameters[name])) for name in names]
        valid = all(jsonschema.Draft202012Validator(parameters[name]).is_valid(arguments) for name, arguments in calls)
        try:
            if valid:
                yield render(declared, calls, tools=tools)
        except UsageError:
            continue


def laws(wanted: int, every: Mapping[str, Any], seed: int = 0) -> bool:
    """Print how it went, until each engine has accepted and given that many turns. Whether the law held.

    An interrupt (SIGINT) ends it before, with the figures so far.
    """
    seen: Counter[str] = Counter()
    with suppress(KeyboardInterrupt):
        _tried(wanted, every, random.Random(seed), seen)
    for key, number in sorted(seen.items()):
        print(f"{key:50}{number:8,}")
    return not any("MIS" in key for key in seen)


def _tried(wanted: int, every: Mapping[str, Any], rng: random.Random, seen: Counter[str]) -> None:
    for case in cases(rng):
        if case.grammar is None:
            seen["schemas refused, with a reason"] += 1
            continue
        seen["grammars"] += 1
        seen[f"grammars, choice {case.choice}"] += 1
        for name, engine in every.items():
            compiled = engine.compiled(case.grammar)
            renders_of(case, name, engine.accepting(compiled), seen)
            _samples_of(case, name, engine, compiled, (seen, rng))
        if all(seen[f"{name}: samples read"] >= wanted <= seen[f"{name}: renders accepted"] for name in every):
            return


def renders(wanted: int, every: Mapping[str, Any], seen: Counter[str]) -> None:
    """Count in `seen` which renders are accepted, until there were so many."""
    rng = random.Random(wanted)
    for case in cases(rng):
        for name, engine in every.items() if case.grammar is not None else ():
            renders_of(case, name, engine.acceptor(case.grammar), seen)
        if all(seen[f"{name}: renders accepted"] >= wanted for name in every):
            return


def renders_of(case: Case, name: str, accepts: Callable[[str], bool], seen: Counter[str]) -> None:
    """Count the renders of a case that an engine accepts, and print those that it misses without a note."""
    assert case.grammar is not None
    for text in case.renders:
        if accepts(text):
            seen[f"{name}: renders accepted"] += 1
        elif case.grammar.notes:
            seen[f"{name}: renders missed, with a note"] += 1
        else:
            seen[f"{name}: renders MISSED"] += 1
            print(
                case.format.name,
                name,
                case.choice,
                "missed",
                repr(text),
                [dict(tool.parameters) for tool in case.tools],
            )


def _samples_of(case: Case, name: str, engine: Any, compiled: Any, rest: tuple[Counter[str], random.Random]) -> None:
    seen, rng = rest
    pieces = snippets(case.format, case.renders)
    for _ in range(SAMPLES):
        found = sampled(engine.walk(compiled), rng, pieces, most=200)
        if found is None:
            seen[f"{name}: samples that did not end"] += 1
            continue
        wrong = fault(case.format, case.tools, case.choice, found)
        seen[f"{name}: samples {'MISREAD' if wrong else 'read'}"] += 1
        if wrong:
            print(
                case.format.name, name, case.choice, wrong, repr(found), [dict(tool.parameters) for tool in case.tools]
            )
