# The table of all formats: turns that are accepted, and mutants that are refused. Does not depend on how grammars are
# made, or on the engines.
"""Every format, every notation, three choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from tests.grammar.cases import EXPRESSED, TOOLS, accepted, mutants
from tests.grammar.laws import fault
from toolglean import UsageError
from toolglean.formats import Format
from toolglean.grammar import Grammar, grammar_of

__all__ = ["CHOICES", "judged", "made", "table"]

CHOICES = ("required", "get_weather", "auto")
PROSE = ("", "Hello, 1 < 2.", "I will look it up: 1 < 2, [x] and `code`.\n\n")


def table(every: Mapping[str, Any]) -> bool:
    """Print for each format whether each engine accepts all turns and refuses all mutants. Whether all of it is so."""
    right: Counter[tuple[str, str]] = Counter()
    for declared in EXPRESSED:
        faults = []
        for choice in CHOICES:
            grammar = made(declared, choice)
            for name, engine in every.items():
                missed, passed = judged(declared, engine.acceptor(grammar), choice) if grammar else (["refused"], [])
                right[name, choice] += not missed and not passed
                faults += [f"{choice} {name}: {each!r:.60}" for each in (missed + passed)[:1]]
        turns, spoilt = len(accepted(declared)), len(list(mutants(declared)))
        print(f"{declared.name:22}{turns:4} turns {spoilt:4} mutants  {'; '.join(faults) or 'right'}")
    print()
    total = len(EXPRESSED)
    for name in every:
        print(f"{name:18}" + "  ".join(f"{choice}: {right[name, choice]} of {total}" for choice in CHOICES))
    return all(right[name, choice] == total for name in every for choice in CHOICES)


def made(declared: Format, choice: str) -> Grammar | None:
    """The grammar; None, and a line that says why, where there is none."""
    try:
        return grammar_of(declared, TOOLS, choice=choice)
    except UsageError as error:
        print(f"{declared.name}: {choice}: {error}")
        return None


def judged(declared: Format, accepts: Callable[[str], bool], choice: str) -> tuple[list[str], list[str]]:
    """What was refused, and is good; what was accepted, and is not."""
    good = [
        text for calls, text in accepted(declared) if choice not in TOOLS or {name for name, _ in calls} == {choice}
    ]
    missed = [text for text in good if not accepts(text)]
    if choice == "auto":
        missed += [text for text in PROSE if not accepts(text)]
        bad = [text for _, text in mutants(declared) if accepts(text) and fault(declared, TOOLS, choice, text)]
        return missed, bad
    return missed, [what for what, text in mutants(declared) if accepts(text)]
