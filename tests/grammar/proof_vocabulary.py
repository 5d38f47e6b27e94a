# How long xgrammar takes to compile structural tags with a large vocabulary, for this tree and, in turn, for another
# one. Does not depend on how grammars are made, or on how vocabularies are read (tokens.py).
"""Seconds to compile, with a real vocabulary."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
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
ROUNDS = 3
LONGEST = 20  # seconds of the processor after which a compilation is given up
MAKE = """
import json, sys
from tests.grammar.cases import TOOLS
from toolglean.grammar import grammar_of
pairs = json.load(sys.stdin)
print(json.dumps([json.dumps(grammar_of(name, TOOLS, choice=choice).structural_tag()) for name, choice in pairs]))
"""


def vocabulary_times(file: str, other: str = "") -> bool:
    """Print the seconds of the processor, the least of a few rounds. Whether each is below one second.

    Args:
        file: a tokenizer, as `tokens.vocabulary_of` reads it.
        other: another checkout of the repository, whose times are printed first; "": none.
    """
    import xgrammar  # noqa: PLC0415  # not in every environment

    words, special = vocabulary_of(Path(file))
    vocabulary = [*words, *(each.encode() for each in special)]
    info: Any = xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[len(vocabulary) - 1])
    pairs = [(name, choice) for name in FORMATS for choice in CHOICES]
    trees = [_tags(tree, pairs) for tree in [*([Path(other)] if other else []), Path.cwd()]]
    print(f"{len(vocabulary):,} tokens\n{'format':16}" + "".join(f"{choice:>18}" for choice in CHOICES), flush=True)
    held = True
    for at, (name, choice) in enumerate(pairs):
        times: list[list[float]] = [[] for _ in trees]
        for _ in range(ROUNDS):
            for found, tags in zip(times, trees, strict=True):
                if not found or found[0] < LONGEST / ROUNDS:  # a slow one is not tried again
                    found.append(_seconds(tags[at], info))
        best = [min(each) for each in times]
        held = held and best[-1] < 1
        row = " -> ".join(f"{each:.2f}" if each < LONGEST else f"> {LONGEST}" for each in best)
        print((f"{name:16}" if choice == CHOICES[0] else "") + f"{row:>18}", end="", flush=True)
        print("\n" if choice == CHOICES[-1] else "", end="", flush=True)
    return held


def _tags(tree: Path, pairs: list[tuple[str, str]]) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tree / "src"), str(tree)))}
    command = [sys.executable, "-c", MAKE]
    given = json.dumps(pairs)
    done = subprocess.run(command, cwd=tree, env=environment, input=given, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def _seconds(tag: str, info: Any) -> float:
    # In a process of its own, which ends after so many seconds of the processor.
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_compile, args=(tag, info, there))
    process.start()
    there.close()
    try:
        found = float(here.recv())
    except EOFError:
        found = float("inf")
    process.join()
    return found


def _compile(tag: str, info: Any, answer: Any) -> None:
    import xgrammar  # noqa: PLC0415  # as above

    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    compiler: Any = xgrammar.GrammarCompiler(info, max_threads=1)
    begin = time.process_time()
    compiler.compile_structural_tag(tag)
    answer.send(time.process_time() - begin)
