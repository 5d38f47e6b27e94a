# The commands that reproduce the figures of docs/explanation/grammars.md. Does not depend on how any figure is made.
"""Figures of grammars."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

from tests.grammar.cases import EXPRESSED
from tests.grammar.engines import Llguidance, OwnReader, Xgrammar
from tests.grammar.proof_laws import laws
from tests.grammar.proof_table import table
from tests.grammar.proof_times import times
from tests.grammar.proof_tokens import tokens
from tests.grammar.proof_vocabulary import vocabulary_times


def engines() -> dict[str, Any]:
    """The engines that are installed as Python packages, by notation."""
    return {"structural-tag": Xgrammar("structural-tag"), "lark": Llguidance(), "gbnf": Xgrammar("gbnf")}


def main(arguments: list[str]) -> int:
    """Print what was asked for; 1 where something did not hold."""
    print(f"xgrammar {version('xgrammar')}, llguidance {version('llguidance')}, {len(EXPRESSED)} formats\n")
    what, *rest = arguments or ["table"]
    if what == "times" and rest:
        return 0 if vocabulary_times(*rest) else 1
    count = int(rest[0]) if rest else 300
    if what == "table":
        held = table({**engines(), "gbnf, own reader": OwnReader()})
    elif what == "laws":
        held = laws(count, engines(), int(rest[1]) if len(rest) > 1 else 0)
    elif what == "tokens":
        held = tokens(count, *rest[1:])
    else:
        times(engines())
        held = True
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
