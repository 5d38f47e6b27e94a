# The measures, and how each is made from the cases. Does not depend on how time is taken (timing.py), or on how figures
# are shown.
"""The measures: a function for each kind, and all of them in the order of the table."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest

from benchmarks.cases import (
    FLOODS,
    LISTS,
    PROSE,
    READERS,
    SIZES,
    Flood,
    Reader,
    Text,
    call_of,
    code,
    cut,
    numbers,
    prose,
    reader,
)
from benchmarks.others import ADAPTERS, PROCESSES, REPAIRS, TEMPLATES
from benchmarks.timing import BASELINE, Effort, Measure, Quotient, Work, feeding
from benchmarks.turns import (
    CALL_TOKENS,
    COUNT,
    HERMES,
    SETS,
    SMALL_CALLS,
    TOKENS,
    SmallCalls,
    many_lists,
    many_sets,
    read,
    short_turn,
    tool_dicts,
)
from toolglean import Format, Parser, ToolSet
from toolglean.cli.measure import baseline

__all__ = ["MEASURES"]


def _floor(chunks: Sequence[str], *, shown: bool = False) -> Work:
    return Work(BASELINE, lambda: baseline(chunks), len(chunks), shown=shown)


# -- a chunk of text, and of one call ----------------------------------------------------------------------------------


def _prose(text: Text) -> Measure:
    def make(effort: Effort) -> Iterator[Work]:
        chunks = cut(text.text[: len(text.text) // effort.divide_by])
        yield _floor(chunks, shown=True)
        for name, own in zip_longest(text.readers, text.goals):
            each = reader(name)
            goal = {"prose": each.prose_goal, "reasoning": each.reasoning_goal}.get(text.name, own)
            yield Work(name, feeding(each.new, chunks, text.opener), len(chunks), goal=goal)

    return Measure(f"{text.name}, a chunk", lambda effort: [*make(effort)])


def _code() -> Measure:
    def make(effort: Effort) -> Iterator[Work]:
        for each in READERS:
            chunks = cut(call_of(each, 100_000 // effort.divide_by, code))
            if each is READERS[0]:
                yield _floor(chunks)
            yield Work(each.name, feeding(each.new, chunks), len(chunks), goal=each.code_goal)

    return Measure("one call, 100 KB of code, a chunk", lambda effort: [*make(effort)])


def _growth(each: Reader, payload: Callable[[int], object], what: str) -> Measure:
    names = {size: f"{size // 1000:,} KB of {what}" for size in SIZES}

    def make(effort: Effort) -> Iterator[Work]:
        for size, name in names.items():
            chunks = cut(call_of(each, size // effort.divide_by, payload))
            if size == SIZES[-2]:  # longer lists of chunks do not fit the processor's caches
                yield _floor(chunks)
            yield Work(name, feeding(each.new, chunks), len(chunks))

    first, last = names[SIZES[0]], names[SIZES[-1]]
    growth = Quotient(f"growth {SIZES[0] // 1000:,} to {SIZES[-1] // 1000:,} KB", last, first)
    return Measure(f"one call, a chunk: {each.name}, {what}", lambda effort: [*make(effort)], (growth,), rounds=5)


def _flood(flood: Flood) -> Measure:
    def make(effort: Effort) -> list[Work]:
        size = max(flood.size // effort.divide_by, 8)
        whole, part, new = cut(flood.text(size)), cut(flood.text(size // 4)), reader(flood.reader).new
        return [
            _floor(whole),
            Work(f"{flood.size:,} {flood.name}", feeding(new, whole), len(whole)),
            Work("a quarter of it", feeding(new, part), len(part), shown=False),
        ]

    growth = Quotient("    growth from a quarter of it", f"{flood.size:,} {flood.name}", "a quarter of it")
    return Measure(f"floods, a chunk: {flood.reader}", make, (growth,), rounds=5)


# -- small calls, short turns, tools -----------------------------------------------------------------------------------


def _small(size: int | None) -> Measure:
    # In chunks of that size, or each turn in one chunk.
    def make(effort: Effort) -> Iterator[Work]:
        count = max(COUNT // effort.divide_by, 2)
        for each in SMALL_CALLS:
            text = each.text(count)
            chunks = cut(text) if size else [text]
            if each is SMALL_CALLS[0]:
                yield _floor(cut(text))
            yield Work(
                each.name, read(each.new, chunks), len(chunks), "ns" if size else "us", _goal_of_small(each, size)
            )

    return Measure(f"{COUNT} small calls, {'a chunk' if size else 'all, in one chunk'}", lambda effort: [*make(effort)])


def _goal_of_small(each: SmallCalls, size: int | None) -> float | None:
    return each.goal if size else each.goal_whole


def _short(_: Effort) -> list[Work]:
    ten = tool_dicts(10)
    known = ToolSet(ten)
    return [
        _floor(cut("x" * 40_000)),
        Work("one call in 12 tokens, a ToolSet", partial(short_turn, known, *CALL_TOKENS), unit="us", goal=280),
        Work("one call in 12 tokens, 10 dicts", partial(short_turn, ten, *CALL_TOKENS), unit="us", goal=310),
        Work("prose and a call, a ToolSet", partial(short_turn, known, *TOKENS, HERMES), unit="us"),
        Work("prose and a call, 10 tools as dicts", partial(short_turn, ten, *TOKENS, HERMES), unit="us"),
        Work("prose and a call, auto", partial(short_turn, known, *TOKENS, HERMES, format="auto"), unit="us"),
        Work("prose only, a ToolSet", partial(short_turn, known, *TOKENS), unit="us"),
        Work("prose only, 10 tools as dicts", partial(short_turn, ten, *TOKENS), unit="us"),
        Work("prose only, auto, a ToolSet", partial(short_turn, known, *TOKENS, format="auto"), unit="us"),
    ]


def _parsers(_: Effort) -> list[Work]:
    dicts = {count: tool_dicts(count) for count in (1, 10, 100)}
    known = {count: ToolSet(found) for count, found in dicts.items()}
    goals = {100: 310}
    return [
        _floor(cut("x" * 40_000)),
        *(Work(f"a ToolSet of {count}", partial(Parser, known[count]), unit="us", goal=35) for count in known),
        Work("a ToolSet of 100, hermes", partial(Parser, known[100], format="hermes"), unit="us", goal=35),
        *(Work(f"{n} dicts", partial(Parser, dicts[n]), unit="us", goal=goals.get(n)) for n in dicts),
        Work("a ToolSet of 100, made anew", lambda: Parser(ToolSet(dicts[100])), unit="us", goal=310),
    ]


def _in_turn(effort: Effort) -> list[Work]:
    count = SETS // effort.divide_by
    known, lists = many_sets(count), many_lists(count)

    def turns(many: Sequence[object]) -> None:
        for each in many:
            short_turn(each, *TOKENS, HERMES)

    return [
        _floor(cut("x" * 40_000)),
        Work("Parser(a ToolSet of 10)", lambda: [Parser(each) for each in known], count, "us", 35),
        Work("the same, hermes", lambda: [Parser(each, format="hermes") for each in known], count, "us", 35),
        Work("a short turn, a ToolSet of 10", partial(turns, known), count, "us", 280),
        Work("a short turn, 10 tools as dicts", partial(turns, lists), count, "us", 310),
    ]


# -- memory, forks -----------------------------------------------------------------------------------------------------


def _peak(each: Reader, chunks: Sequence[str], characters: int) -> float:
    feed = each.new()
    tracemalloc.start()
    for chunk in chunks:
        feed(chunk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / characters


def _memory(effort: Effort) -> Iterator[Work]:
    for name in ("hermes", "qwen3-coder", "auto", "pythonic"):
        each = reader(name)
        text = call_of(each, 100_000 // effort.divide_by, code)
        run = partial(_peak, each, cut(text), len(text))
        yield Work(name, run, unit="bytes", goal=6, counted=True)


def _forks(_: Effort) -> list[Work]:
    tag = Format.from_tag("<tool_call>")
    text, call, coder = Parser(format=tag), Parser(format=tag), Parser(format="qwen3-coder")
    for parser, each in ((call, READERS[0]), (coder, reader("qwen3-coder"))):
        for chunk in cut(call_of(each, 100_000))[:-20]:
            parser.feed(chunk)
    return [
        _floor(cut("x" * 40_000)),
        Work("in text", text.fork, goal=10),
        Work("in a call, 100 KB of arguments read", call.fork, goal=10),
        Work("the same, qwen3-coder", coder.fork, goal=10),
    ]


MEASURES: tuple[Measure, ...] = (
    *map(_prose, PROSE),
    _code(),
    _small(4),
    _small(None),
    Measure("a short turn", _short),
    Measure("Parser(tools)", _parsers),
    Measure("memory of an open call, 100 KB of code, a character", lambda effort: [*_memory(effort)], rounds=1),
    Measure("a fork", _forks),
    *PROCESSES,
    *(_growth(each, prose, "prose") for each in READERS),
    *(_growth(each, numbers, "numbers") for each in LISTS),
    *map(_flood, FLOODS),
    *TEMPLATES,
    *ADAPTERS,
    *REPAIRS,
    Measure(f"{SETS:,} sets of tools in turn", _in_turn, rounds=5),
)
"""In the order of the table. The last fills caches that others would share."""
