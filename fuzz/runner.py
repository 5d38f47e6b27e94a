# How a fuzzer runs: seeds, batches, processes, progress, the report and the command line. Does not depend on what is
# tried, or on what is wrong with it.
#
# A fuzzer looks at the case of a name (that of a format, mostly) and a number. It returns what it found wrong, or a
# word for the outcome of the case, or counts of what happened in it. Cases are functions of name and number alone, so a
# printed seed repeats a run.
"""What all fuzzers share: `Fuzzer.run` for tests, `Fuzzer.main` for the command line."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

__all__ = ["Finding", "Found", "Fuzzer", "Job", "fresh_seed", "jobs", "judged", "raised"]

BATCH = 200
BEGIN_USER_TEXT = 30  # seconds from one line of progress to the next
SEEDS = 1_000_000_000

Job: TypeAlias = tuple[str, int, int]
"""The name of what reads, and the numbers of its first case and of the first one after the last."""


class Finding(Protocol):
    """What was found wrong with a case."""

    @property
    def text(self) -> str:
        """The text that shows it."""

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this from other findings: what read the text, the law, and what broke."""


@dataclass(frozen=True)
class Found:
    """A breach of a law.

    Attributes:
        name: what read the text.
        law: the law that was broken.
        what: how: what tells this breach from others of the same law.
        text: the text that shows it.
        detail: what was found, for people.
    """

    name: str
    law: str
    what: str
    text: str
    detail: str

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this from others."""
        return self.name, self.law, self.what

    def __str__(self) -> str:
        return f"{self.law}: {self.what}\n  by {self.name}\n  text {self.text!r}\n{self.detail}\n"


F = TypeVar("F", bound=Finding)
T = TypeVar("T")


def raised(error: Exception) -> tuple[str, str]:
    """How a reading raised: the error's type and where, and the last lines of its traceback."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {frame.name}", "".join(traceback.format_exception(error, limit=-3))


def judged(law: str, verdict: Callable[..., T], *given: Any) -> tuple[str, T | tuple[str, str]]:
    """The law, and what the verdict says about it; or that none is raised, which is a law too, and how one was."""
    try:
        return law, verdict(*given)
    except Exception as error:  # noqa: BLE001  # whatever it is
        return "no exception", raised(error)


def fresh_seed() -> int:
    """A seed that nobody has chosen. Whoever takes one prints it."""
    return random.SystemRandom().randrange(SEEDS)


def jobs(count: int, seed: int, names: Sequence[str]) -> Iterator[Job]:
    """The batches: as many cases for each name; twice as many for a name that comes twice.

    They begin with another name for each seed, since a short run does not reach all of them.
    """
    weights = Counter(names)
    each, rest = divmod(count, len(names))
    first = seed % len(weights)
    order = [*weights][first:] + [*weights][:first]
    left = {}
    for name in order:
        more = min(rest, weights[name])
        rest -= more
        left[name] = each * weights[name] + more
    for begin in range(seed, seed + max(left.values(), default=0), BATCH):
        for name, number in left.items():
            if begin < seed + number:
                yield name, begin, min(begin + BATCH, seed + number)


def _same(found: F) -> F:
    return found


@dataclass(frozen=True)
class Fuzzer(Generic[F]):
    """A fuzzer.

    Attributes:
        prog: the name of its module, such as `mutants`.
        about: one line about it.
        noun: what its cases are, in the plural.
        names: gives the names of all that reads its cases.
        look: looks at the case of a name and a number.
        smaller: gives a smaller finding of the same kind, or the same where none is looked for.
        count: how many cases a run from the command line has by default.
    """

    prog: str
    about: str
    noun: str
    names: Callable[[], list[str]]
    look: Callable[[str, int], F | str | Counter[str]]
    smaller: Callable[[F], F] = _same
    count: int = 100_000

    def run(self, count: int, *, seed: int = 0, only: str | None = None, workers: int = 1) -> list[F]:
        """Look at that many cases, and return what was found: the smallest finding of each kind."""
        return self.tried(count, seed=seed, only=only, workers=workers)[0]

    def tried(
        self, count: int, *, seed: int = 0, only: str | None = None, workers: int = 1
    ) -> tuple[list[F], Counter[str]]:
        """The same, and how many of the other cases came out how."""
        todo = list(jobs(count, seed, [only] if only else self.names()))
        batch = partial(_batch, self.look, self.smaller)  # not `self`: processes are sent no lambda
        if workers == 1:
            return _gather(map(batch, todo), count)
        with multiprocessing.Pool(workers) as pool:
            return _gather(pool.imap_unordered(batch, todo), count)

    def main(self, *options: Callable[[argparse.ArgumentParser], Any]) -> int:
        """Run from the command line, and report. 1 if anything was found.

        Args:
            options: each adds an option. A fuzzer with options has a `look` that takes their values as keywords.
        """
        parser = argparse.ArgumentParser(prog=f"python -m fuzz.{self.prog}", description=self.about)
        parser.add_argument(
            "--count", type=int, default=self.count, help=f"how many {self.noun} (default: {self.count:,})"
        )
        parser.add_argument("--seed", type=int, help="the number of the first one (default: a fresh one, printed)")
        parser.add_argument("--format", help="one format, or `auto`; default: all of them")
        parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
        more = [option(parser).dest for option in options]
        given = parser.parse_args()
        seed = fresh_seed() if given.seed is None else given.seed
        print(f"python -m fuzz.{self.prog} --count {given.count} --seed {seed}", flush=True)
        with_options = {name: getattr(given, name) for name in more}
        this = Fuzzer(**{**vars(self), "look": partial(self.look, **with_options)}) if more else self
        begin = time.perf_counter()
        found, ways = this.tried(given.count, seed=seed, only=given.format, workers=given.workers)
        _report(found, ways)
        print(f"{given.count:,} {self.noun} in {time.perf_counter() - begin:,.0f} s: {len(found)} breaches")
        return 1 if found else 0


_Result: TypeAlias = tuple[list[F], Counter[str], int]
"""Of a batch: what was found, how the other cases came out, and how many cases it had."""


def _batch(look: Callable[[str, int], F | str | Counter[str]], smaller: Callable[[F], F], job: Job) -> _Result[F]:
    name, begin, end = job
    found: dict[tuple[str, ...], F] = {}
    ways: Counter[str] = Counter()
    for seed in range(begin, end):
        answer = look(name, seed)
        if isinstance(answer, str | Counter):
            ways.update([answer] if isinstance(answer, str) else answer)
            continue
        ways["broken"] += 1
        if answer.key not in found:
            found[answer.key] = smaller(answer)
    return list(found.values()), ways, end - begin


def _gather(results: Iterable[_Result[F]], count: int) -> tuple[list[F], Counter[str]]:
    begin = told = time.perf_counter()
    tried = 0
    found: dict[tuple[str, ...], F] = {}
    ways: Counter[str] = Counter()
    for result, some, cases in results:
        ways.update(some)
        tried += cases
        for each in result:
            if each.key not in found:
                print(each, flush=True)
            if each.key not in found or len(each.text) < len(found[each.key].text):
                found[each.key] = each
        if time.perf_counter() - told > BEGIN_USER_TEXT:
            told = time.perf_counter()
            done = f"{tried:,} of {count:,}, {told - begin:,.0f} s, {len(found)} breaches"
            print(done, file=sys.stderr, flush=True)
    return list(found.values()), ways


def _report(found: Sequence[Finding], ways: Counter[str]) -> None:
    kinds: dict[tuple[str, ...], list[str]] = {}
    for each in found:
        kinds.setdefault(each.key[1:], []).append(each.key[0])
    for kind, names in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):6} {': '.join(kind)} ({', '.join(sorted(names)[:6])}{', …' if len(names) > 6 else ''})")
    print(", ".join(f"{number:,} {way}" for way, number in ways.most_common()))
