# What this file knows: the tables of docs/explanation/grammars.md, and how to make them anew.
# What it must not know: how grammars are made.
#
#   python -m tests.grammar.report table     every format, three notations, three choices: turns accepted, mutants refused
#   python -m tests.grammar.report laws N    random schemas and values: N renders accepted, N samples read
#   python -m tests.grammar.report tokens N  the same with a tokenizer that has the markers as special tokens
#   python -m tests.grammar.report times     time to make and to compile, for 1, 10 and 100 tools
"""Figures of grammars."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import jsonschema

from tests.grammar import schemas
from tests.grammar.cases import TOOLS, accepted, mutants
from tests.grammar.engines import Llguidance, OwnReader, Xgrammar, sampled
from tests.grammar.laws import fault, snippets
from tests.grammar.tokens import Tokens
from toolglean import Tool, ToolSet, UsageError
from toolglean.formats import Format, all_formats, get_format
from toolglean.formats.render import render
from toolglean.grammar import Grammar, grammar_of

CHOICES = ("required", "get_weather", "auto")
TEXT = "I will look it up: 1 < 2, [x] and `code`.\n\n"


def engines() -> dict[str, Any]:
    return {
        "structural-tag": Xgrammar("structural-tag"),
        "lark": Llguidance(),
        "gbnf": Xgrammar("gbnf"),
        "gbnf, own reader": OwnReader(),
    }


# -- the table -----------------------------------------------------------------------------------------------------------


def table() -> None:
    """For each format: whether all turns are accepted, and all mutants refused."""
    right: Counter[tuple[str, str]] = Counter()
    turns, spoilt = Counter[str](), Counter[str]()
    every = engines()
    for declared in all_formats():
        faults = []
        for choice in CHOICES:
            grammar = _made(declared, TOOLS, choice)
            for name, engine in every.items():
                missed, passed = _judged(declared, engine.acceptor(grammar), choice) if grammar else (["refused"], [])
                right[name, choice] += not missed and not passed
                faults += [f"{choice} {name}: {each!r:.60}" for each in (missed + passed)[:1]]
        turns[declared.name], spoilt[declared.name] = len(accepted(declared)), len(list(mutants(declared)))
        print(
            f"{declared.name:22}{turns[declared.name]:4} turns {spoilt[declared.name]:4} mutants  {'; '.join(faults) or 'right'}"
        )
    print()
    for name in every:
        print(
            f"{name:18}" + "  ".join(f"{choice}: {right[name, choice]} of {len(all_formats())}" for choice in CHOICES)
        )


def _made(declared: Format, tools: ToolSet, choice: str) -> Grammar | None:
    try:
        return grammar_of(declared, tools, choice=choice)
    except UsageError as error:
        print(f"{declared.name}: {choice}: {error}")
        return None


def _judged(declared: Format, accepts: Callable[[str], bool], choice: str) -> tuple[list[str], list[str]]:
    # What was refused, and is good; what was accepted, and is not.
    good = [(calls, text) for calls, text in accepted(declared)]
    if choice in TOOLS:
        good = [(calls, text) for calls, text in good if all(name == choice for name, _ in calls)]
    missed = [text for _, text in good if not accepts(text)]
    if choice == "auto":
        missed += [text for text in ("", "Hello, 1 < 2.", TEXT) if not accepts(text)]
        bad = [text for _, text in mutants(declared) if accepts(text) and fault(declared, TOOLS, choice, text)]
        return missed, bad
    return missed, [what for what, text in mutants(declared) if accepts(text)]


# -- the law, both ways --------------------------------------------------------------------------------------------------


def _cases(rng: random.Random) -> Iterator[tuple[Format, ToolSet, Grammar, str | None]]:
    formats = all_formats()
    while True:
        declared = rng.choice(formats)
        parameters = schemas.parameters(rng)
        valid = jsonschema.Draft202012Validator(parameters)
        arguments = [schemas.value(rng, parameters, parameters) for _ in range(rng.randint(1, 2))]
        if any(error for each in arguments for error in valid.iter_errors(each)):
            continue
        tools = ToolSet([Tool("do_it", parameters)])
        try:
            grammar = grammar_of(declared, tools, choice="required")
        except UsageError:
            yield declared, tools, None, None  # type: ignore[misc]
            continue
        try:
            text = render(declared, [("do_it", each) for each in arguments], tools=tools)
        except UsageError:
            text = None
        yield declared, tools, grammar, text


def laws(count: int) -> None:
    """Renders accepted, and samples read, for random schemas of depth 3."""
    rng = random.Random(count)
    every = engines()
    del every["gbnf, own reader"]
    seen: Counter[str] = Counter()
    for declared, tools, grammar, text in _cases(rng):
        if grammar is None:
            seen["refused, with a reason"] += 1
            continue
        seen["schemas"] += 1
        for name, engine in every.items():
            compiled = engine.compiled(grammar)
            if text is None:
                seen["not renderable"] += name == "lark"
            else:
                ok = engine.acceptor(grammar)(text)
                kind = (
                    "renders accepted"
                    if ok
                    else f"renders of {declared.name} missed, with a note"
                    if grammar.notes
                    else "renders MISSED"
                )
                seen[f"{name}: {kind}"] += 1
                if kind == "renders MISSED":
                    print(declared.name, name, "missed", repr(text), [dict(tool.parameters) for tool in tools])
            found = sampled(engine.walk(compiled), rng, snippets(declared, [text] if text else []), most=200)
            if found is None:
                seen[f"{name}: samples that did not end"] += 1
                continue
            wrong = fault(declared, tools, "required", found)
            seen[f"{name}: samples {'MISREAD' if wrong else 'read'}"] += 1
            if wrong:
                print(declared.name, name, wrong, repr(found))
        if min(seen[f"{name}: renders accepted"] for name in every) >= count:
            break
    for key, number in sorted(seen.items()):
        print(f"{key:50}{number:8,}")


# -- special tokens ------------------------------------------------------------------------------------------------------

SPECIAL = (
    "hermes",
    "qwen3-coder",
    "kimi-k2",
    "gemma-4",
    "mistral-v13",
    "glm-4.7",
    "deepseek-v3.1",
    "harmony",
    "minimax-m2",
    "command-a",
)


def tokens(count: int) -> None:
    """Turns in tokens, with the markers as special ones: accepted, sampled, read."""
    for name in SPECIAL:
        declared = get_format(name)
        vocabulary = Tokens(declared, [text for _, text in accepted(declared)])
        rng, seen = random.Random(name), Counter[str]()
        for choice in CHOICES:
            grammar = grammar_of(declared, TOOLS, choice=choice)
            for engine in (vocabulary.xgrammar(), vocabulary.llguidance()):
                compiled = engine.compiled(grammar)
                for calls, text in accepted(declared):
                    if choice not in TOOLS or all(each == choice for each, _ in calls):
                        seen[
                            f"{engine.notation} accepted"
                            if vocabulary.accepts(engine, compiled, text)
                            else f"{engine.notation} MISSED"
                        ] += 1
                for _ in range(count):
                    found = vocabulary.sampled(engine.walk(compiled), rng)
                    wrong = "" if found is None else fault(declared, TOOLS, choice, found)
                    seen[f"{engine.notation} " + ("no end" if found is None else "MISREAD" if wrong else "read")] += 1
                    if wrong:
                        print(name, engine.notation, choice, wrong, repr(found)[-300:])
        print(f"{name:16}" + "  ".join(f"{key} {number}" for key, number in sorted(seen.items())))


# -- time ----------------------------------------------------------------------------------------------------------------


def times() -> None:
    """Milliseconds to make and to compile; the best of three."""
    every = engines()
    print(f"{'format':16}{'tools':>6}{'make':>8}" + "".join(f"{name:>18}" for name in every if "own" not in name))
    for name in ("hermes", "qwen3-coder", "pythonic", "glm-4.7", "minimax-m3", "gemma-4", "kimi-k2"):
        for number in (1, 10, 100):
            tools = ToolSet(
                [
                    Tool(f"{each.name}_{at}", each.parameters)
                    for at in range(number)
                    for each in list(TOOLS)[at % 3 : at % 3 + 1]
                ]
            )
            made = _best(lambda: grammar_of(name, tools))  # noqa: B023  # called at once
            grammar = grammar_of(name, tools)
            row = [_best(lambda: engine.compiled(grammar)) for key, engine in every.items() if "own" not in key]  # noqa: B023
            print(f"{name:16}{number:>6}{made:>8.1f}" + "".join(f"{each:>18.1f}" for each in row))


def _best(do: Callable[[], object]) -> float:
    found = []
    for _ in range(3):
        begin = time.perf_counter()
        do()
        found.append((time.perf_counter() - begin) * 1e3)
    return min(found)


def main(arguments: list[str]) -> None:
    """Print what was asked for."""
    print(f"xgrammar {version('xgrammar')}, llguidance {version('llguidance')}, {len(all_formats())} formats\n")
    what = arguments[0] if arguments else "table"
    count = int(arguments[1]) if len(arguments) > 1 else 50
    {"table": table, "laws": lambda: laws(count), "tokens": lambda: tokens(count), "times": times}[what]()


if __name__ == "__main__":
    main(sys.argv[1:])
