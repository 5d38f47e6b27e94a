# The report: how many turns of each family and engine were read as they must be. Does not depend on how any of it is done.
"""`python -m tests.engines.random_weights`: requests to a model with random weights."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from importlib.metadata import version

from tests.engines.random_weights.engines import BACK_ENDS, Model, generated
from tests.engines.random_weights.reading import Streamed, Turn, faults_of_constrained, faults_of_free, read
from tests.engines.random_weights.requests import CHOICES, requests
from tests.engines.random_weights.vocabulary import FAMILIES
from tests.support import depth

COLUMNS = (
    "requests",
    "ended",
    "cut",
    "calls",
    "incomplete",
    "by ids",
    "spelled",
    "both",
    "hidden",
    "doubted",
    "problems",
    "faults",
)


def tried(model: Model, name: str, count: int, seed: int = 0) -> tuple[dict[str, Counter[str]], list[str]]:
    """So many requests with one engine: what was counted, by choice, and what is wrong."""
    engine = BACK_ENDS[name](model)
    counts = {choice: Counter[str]() for choice in CHOICES}
    wrong: list[str] = []
    for request in requests(model.family, count, seed):
        streamed = Streamed(model.tokenizer, model.special, model.family.name, request)
        turn = read(model, request, generated(model, engine, request, streamed), streamed)
        faults = [*(faults_of_free if name == "none" else faults_of_constrained)(turn, model.special)]
        _count(counts[request.choice], turn, faults)
        shown = f"{model.family.name} {name} {request.choice} {request.number}"
        wrong += [f"{shown}: {each}\n    {turn.text!r}" for each in faults]
    return counts, wrong


def _count(seen: Counter[str], turn: Turn, faults: list[str]) -> None:
    seen["requests"] += 1
    seen["cut" if turn.is_cut else "ended"] += 1
    seen["calls"] += len(turn.calls)
    seen["incomplete"] += sum(each.status == "incomplete" for each in turn.whole.unfinished)
    if turn.calls:
        seen[turn.written] += 1
    seen["hidden"] += turn.is_hidden
    seen["doubted"] += turn.is_doubted
    seen["problems"] += turn.has_problem
    seen["faults"] += bool(faults)


def main(arguments: list[str] | None = None) -> int:
    """Print a table; 1 where a turn was not read as it must be."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines.random_weights")
    parser.add_argument("--requests", type=int, default=200, help="of each family and engine")
    parser.add_argument("--families", nargs="+", default=[*FAMILIES][:4], choices=[*FAMILIES])
    parser.add_argument("--engines", nargs="+", default=[*BACK_ENDS], choices=[*BACK_ENDS])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="where the model computes: cpu, cuda")
    parser.add_argument("--all-cuts", action="store_true", help="cut short turns at every place; slow")
    given = parser.parse_args(arguments)
    depth.use(full=given.all_cuts)
    print(", ".join(f"{each} {version(each)}" for each in ("torch", "transformers", "xgrammar", "llguidance")), "\n")
    print(f"| family | engine | choice | {' | '.join(COLUMNS)} |\n|{'---|' * (3 + len(COLUMNS))}")
    faults = 0
    for name in given.families:
        model = Model(FAMILIES[name], given.device)
        for engine in given.engines:
            begun = time.monotonic()
            counts, wrong = tried(model, engine, given.requests, given.seed)
            for choice, seen in counts.items():
                figures = " | ".join(str(seen[column]) for column in COLUMNS)
                print(f"| {name} | {engine} | {choice} | {figures} |", flush=True)
            print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
            print(*wrong, sep="\n", file=sys.stderr, flush=True)
            faults += bool(wrong)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
