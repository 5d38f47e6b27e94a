# Invariant: no mutant of any turn, read by any format, by `auto` or by a tag, breaks a law of laws.py. That is:
# 0 differ by chunking, 0 lose a character, 0 raise.
"""`python -m fuzz.mutants [--count N] [--seed N] [--format NAME]`: spoilt turns, and what breaks on them."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fuzz.laws import LIMITS, TOOLS, Breach, Subject, broken, can_reason
from fuzz.mutation import mutant
from fuzz.shrink import shrunk
from fuzz.turns import all_markers, all_reasonings, fixture_turns, rendered_turns, shared_turns, stream_turns
from toolglean.formats.registry import all_formats, find_format

__all__ = ["Found", "main", "run"]

BATCH = 200
TELL = 30  # seconds from one line of progress to the next
HEADERS = ("x", "<|im_start|>assistant\n", "<|im_end|>\n<|im_start|>assistant\n<think>\n", "[/INST]", "Say f.\n")
TAGS = ("<tool_call>", "[TOOL_CALLS]", "{", "[", "<|tool_call|>", "<TOOLCALL>", "```json", "<function_call>")


@dataclass(frozen=True)
class Found:
    """A breach, and the smallest text that was found to show it."""

    subject: Subject
    text: str
    breach: Breach

    @property
    def key(self) -> tuple[str, str]:
        """What tells this from others."""
        return self.breach.law, self.breach.what

    def __str__(self) -> str:
        return (
            f"{self.breach.law}: {self.breach.what}\n  {self.subject}\n  text {self.text!r}\n"
            f"  chunks {list(self.breach.chunks)!r}\n{self.breach.detail}\n"
        )


def names() -> list[str]:
    """What mutants are read by: every format, `auto`, and tags."""
    return [*(each.name for each in all_formats()), "auto", *(f"tag:{tag}" for tag in TAGS)]


@lru_cache(maxsize=512)
def turns_for(name: str, *, shared: bool) -> Sequence[str]:
    """The turns that are spoilt for that subject: those of its format; else of all."""
    declared = find_format(name)
    formats = all_formats() if declared is None else (declared,)
    found = [text for each in formats for text in (*rendered_turns(each), *fixture_turns().get(each.name, ()))]
    if declared is None:
        found += stream_turns()
    if shared:
        found += [text for each in formats for text in shared_turns().get(each.name, ())]
    return found


def case(name: str, seed: int, *, shared: bool) -> tuple[Subject, str]:
    """The mutant of that number."""
    rng = random.Random(f"{name} {seed}")
    declared = find_format(name)
    markers = declared.markers if declared is not None and rng.random() < 0.8 else all_markers()
    if declared is None and rng.random() < 0.3:
        markers = all_reasonings()
    reasons = can_reason(name) and rng.random() < 0.15
    limits = _limits(rng) if rng.random() < 0.25 else ()
    subject = Subject(name, rng.choice(list(TOOLS)), rng.random() < 0.3, limits, reasons, repair=rng.random() < 0.8)
    if rng.random() < 0.2:
        subject = replace(subject, drafts=rng.choice(("", "call", "text")), quoted=rng.choice(("", "call")))
    turns = turns_for(name, shared=shared)
    text = mutant(rng, turns, markers)
    if rng.random() > 0.15:
        return subject, text
    # The prompt ends anywhere in a turn: what is left of it, or another turn, is the model's.
    place = rng.randint(0, len(text))
    prompt, rest = rng.choice(HEADERS) + text[:place], text[place:]
    rest = mutant(rng, turns, markers) if rng.random() < 0.3 else rest
    return replace(subject, reasons=False, prompt=prompt), rest


def _limits(rng: random.Random) -> tuple[tuple[str, int], ...]:
    # One or several, from nothing at all to what a turn may well need.
    chosen = rng.sample(LIMITS, rng.choice((1, 1, 2, 4)))
    most = {"call_chars": 200, "depth": 6, "calls": 3, "held": 80}
    return tuple((each, rng.choice((1, 2, rng.randint(1, most[each])))) for each in chosen)


def batch(job: tuple[str, int, int, bool]) -> list[Found]:
    """Read the mutants of some numbers; the smallest example of each breach."""
    name, begin, end, shared = job
    found: dict[tuple[str, str], Found] = {}
    for seed in range(begin, end):
        subject, text = case(name, seed, shared=shared)
        breach = broken(subject, text, seed=seed)
        if breach is not None and (breach.law, breach.what) not in found:
            small = _smallest(subject, text, breach, seed)
            found.setdefault((breach.law, breach.what), small)
    return list(found.values())


def _smallest(subject: Subject, text: str, breach: Breach, seed: int) -> Found:
    def still(candidate: str) -> bool:
        again = broken(subject, candidate, seed=seed, thorough=True)
        return again is not None and again.law == breach.law

    if breach.law == "an end":  # each try would take seconds
        return Found(subject, text, breach)

    def still_behind(prompt: str) -> bool:
        again = broken(replace(subject, prompt=prompt), text, seed=seed, thorough=True) if prompt else None
        return again is not None and again.law == breach.law

    text = shrunk(text, still)
    if subject.prompt:
        subject = replace(subject, prompt=shrunk(subject.prompt, still_behind))
    return Found(subject, text, broken(subject, text, seed=seed, thorough=True) or breach)


def jobs(count: int, seed: int, only: str | None, *, shared: bool) -> Iterator[tuple[str, int, int, bool]]:
    """The batches: as many mutants for each name."""
    chosen = names() if only is None else [only]
    each = -(-count // len(chosen))
    for begin in range(seed, seed + each, BATCH):
        for name in chosen:
            yield name, begin, min(begin + BATCH, seed + each), shared


def run(count: int, *, seed: int = 0, only: str | None = None, shared: bool = False, workers: int = 1) -> list[Found]:
    """Read that many mutants, and return what broke, each kind of breach once for each name."""
    todo = list(jobs(count, seed, only, shared=shared))
    found: dict[tuple[str, tuple[str, str]], Found] = {}
    if workers == 1:
        _gather(map(_numbered, todo), found, count)
    else:
        with multiprocessing.Pool(workers) as pool:
            _gather(pool.imap_unordered(_numbered, todo), found, count)
    return list(found.values())


def _numbered(job: tuple[str, int, int, bool]) -> tuple[int, list[Found]]:
    return job[2] - job[1], batch(job)


def _gather(
    results: Iterator[tuple[int, list[Found]]], found: dict[tuple[str, tuple[str, str]], Found], count: int
) -> None:
    begin = told = time.perf_counter()
    done = 0
    for number, result in results:
        done += number
        for each in result:
            key = each.subject.name, each.key
            if key not in found:
                print(each, flush=True)
            if key not in found or len(each.text) < len(found[key].text):
                found[key] = each
        if time.perf_counter() - told > TELL:
            told = time.perf_counter()
            print(f"{done:,} of {count:,}, {told - begin:,.0f} s, {len(found)} breaches", file=sys.stderr, flush=True)


def main() -> int:
    """Run, and say how many laws were broken."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutants", description="Spoilt turns for every format.")
    parser.add_argument("--count", type=int, default=100_000, help="how many mutants (default: 100,000)")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one (default: 0)")
    parser.add_argument("--format", help="one format, `auto`, or `tag:…`; default: all of them")
    parser.add_argument("--shared", action="store_true", help="spoil the turns of ../shared too, where it is at hand")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    begin = time.perf_counter()
    found = run(options.count, seed=options.seed, only=options.format, shared=options.shared, workers=options.workers)
    print(f"{options.count:,} mutants in {time.perf_counter() - begin:,.0f} s: {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
