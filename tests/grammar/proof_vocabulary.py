# How long xgrammar takes to compile structural tags with a large vocabulary, for this tree and, in turn, for another
# one. Does not depend on how grammars are made, or on how vocabularies are read (tokens.py).
"""Seconds to compile, with a real vocabulary."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.grammar.tokens import vocabulary_of

__all__ = ["vocabulary_times"]

FORMATS = (
    *("hermes", "qwen3-coder", "llama3-json", "mistral-v13", "deepseek-v3.1", "kimi-k2", "glm-4.5", "minimax-m2"),
    *("harmony", "gemma-4", "pythonic"),
)
CHOICES = ("required", "get_weather", "auto")
ROUNDS = 2
LONGEST = 20  # seconds after which a compilation is given up
MAKE = """
import json, sys
from tests.grammar.cases import TOOLS
from toolglean.grammar import grammar_of
print(json.dumps(grammar_of(sys.argv[1], TOOLS, choice=sys.argv[2]).structural_tag()))
"""


def vocabulary_times(file: str, other: str = "") -> bool:
    """Print the seconds of the processor, the least of a few rounds. Whether each is below one second.

    Args:
        file: a tokenizer, as `tokens.vocabulary_of` reads it.
        other: another checkout of the repository, whose times are printed first; "": none.
    """
    trees = [*([Path(other)] if other else []), Path.cwd()]
    held = True
    print(f"{'format':16}" + "".join(f"{choice:>24}" for choice in CHOICES), flush=True)
    for name in FORMATS:
        row = []
        for choice in CHOICES:
            tags = [_run([sys.executable, "-c", MAKE, name, choice], tree) for tree in trees]
            times: list[list[float]] = [[] for _ in trees]
            for _ in range(ROUNDS):
                for found, tag in zip(times, tags, strict=True):
                    if not found or found[0] < LONGEST / ROUNDS:  # a slow one is not tried again
                        found.append(_seconds(tag, file))
            best = [min(each) for each in times]
            held = held and best[-1] < 1
            row.append(" -> ".join(f"{each:.2f}" if each < LONGEST else f"> {LONGEST}" for each in best))
        print(f"{name:16}" + "".join(f"{each:>24}" for each in row), flush=True)
    return held


def _run(command: list[str], tree: Path, given: str = "") -> str:
    paths = os.pathsep.join((str(tree / "src"), str(tree)))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        command,
        cwd=tree,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST + 15,
    )
    return done.stdout


def _seconds(tag: str, file: str) -> float:
    try:
        return float(_run([sys.executable, "-m", "tests.grammar.proof_vocabulary", file], Path.cwd(), tag))
    except subprocess.TimeoutExpired:
        return float("inf")


def _compile(tag: str, file: str) -> float:
    import xgrammar  # noqa: PLC0415  # not in every environment

    words, special = vocabulary_of(Path(file))
    vocabulary = [*words, *(each.encode() for each in special)]
    info: Any = xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[len(vocabulary) - 1])
    compiler: Any = xgrammar.GrammarCompiler(info, max_threads=1)
    begin = time.process_time()
    compiler.compile_structural_tag(tag)
    return time.process_time() - begin


if __name__ == "__main__":
    print(_compile(sys.stdin.read(), sys.argv[1]))
