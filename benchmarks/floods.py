# Long texts of one unit, at every state of a call, for every reader; and what four times as much costs. Does not depend
# on how anything is read; fuzz/floods.py looks for other units.
#
# A row is a reader and a state: a turn up to there. It is followed by a unit n times and 4n times, whole and by
# characters, then by the rest of the turn (a value is typed when it is complete). Of all units, the one that grows most
# is shown. Four times the text may cost about four times as much. Not every unit is tried at every state (that would
# take hours): they take turns from one state to the next.
"""`python -m benchmarks.floods [--smoke] [--size N] [--workers N] [WORD…]`: what floods cost, for every format."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from tests.support.face import faced
from toolglean import Parser, ToolSet, UsageError
from toolglean.formats.registry import all_formats, find_format
from toolglean.formats.render import render

__all__ = [
    "MANY_TOOLS",
    "MOST",
    "Cost",
    "Reads",
    "cost_of",
    "cost_of_tools",
    "readers",
    "reads",
    "rows",
    "states",
    "time_of",
    "units",
]

MOST = 6.5  # times what n costs: what 4n may cost
SLIGHT = 0.02  # seconds for 4n: below it, a ratio means nothing
KINDS = {"s": "string", "n": "integer", "x": "number", "b": "boolean", "o": "object", "a": "array"}
TOOLS: list[Any] = [
    {"name": name, "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in KINDS.items()}}}
    for name in ("f", "get_weather")
]
CALL: list[tuple[str, dict[str, Any]]] = [("f", {"s": "y z", "n": 7, "o": {"k": [1, "v"]}})]
STRINGS: list[tuple[str, dict[str, Any]]] = [("f", {"s": "y z"})]  # what every format can write
CALLS = [*CALL, ("get_weather", {"s": "w"})]
TAGS = ("<tool_call>", "[TOOL_CALLS]", "{", "[", "```json")
MAX_TURNS = 8  # of each reader: `auto` has one of every format
COMMON = (" ", "\n", "1", "a", '"', "\\", "[", "{", "<", "'", "(", "a ", '{"', "[[1],")


@dataclass(frozen=True, slots=True)
class Reads:
    """What reads, and what it reads when nothing floods it.

    Attributes:
        name: as in the table.
        options: for `Parser`.
        turns: turns with calls.
        markers: the literals of its markup.
    """

    name: str
    options: tuple[tuple[str, Any], ...]
    turns: tuple[str, ...]
    markers: tuple[str, ...]

    def parser(self) -> Parser:
        """A new parser."""
        return Parser(_toolset(), **faced(**dict(self.options)))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a flood costs.

    Attributes:
        unit: what comes again and again.
        chars: whether it was given by characters.
        size: n, in characters.
        one, four: processor time of n and 4n, in seconds.
    """

    unit: str
    chars: bool
    size: int
    one: float
    four: float

    @property
    def growth(self) -> float:
        """How many times as much 4n costs as n; 4 if it is too little to tell."""
        return 4.0 if self.four < SLIGHT else self.four / max(self.one, 1e-6)

    @property
    def linear(self) -> bool:
        """Whether that is about four times as much."""
        return self.growth < MOST


@cache
def _toolset() -> ToolSet:
    return ToolSet(TOOLS)


# -- what reads --------------------------------------------------------------------------------------------------------


def readers() -> list[str]:
    """The names of all that reads: formats, `auto`, tags, response templates."""
    formats = [each.name for each in all_formats()]
    return [*formats, "auto", *(f"tag {tag}" for tag in TAGS), *(f"response {each}" for each in RESPONSES)]


@cache
def reads(name: str) -> Reads:
    """The reader of that name."""
    kind, _, rest = name.partition(" ")
    if kind == "tag":
        texts = (rest + '{"name": "f", "arguments": {"s": "y z", "n": 7}}', f'{rest} f {{"s": "y"}} ')
        return Reads(name, (("tag", rest),), texts, (rest,))
    if kind == "response":
        turn, template = RESPONSES[rest]
        return Reads(name, (("response_template", template),), (turn,), ("<tc", "</tc>", "<p=", "</p>", "<q>", "</q>"))
    if name == "auto":
        every = [reads(each.name) for each in all_formats()]
        firsts = dict.fromkeys(turn for each in every for turn in each.turns[:1])
        markers = dict.fromkeys(marker for each in every for marker in each.markers)
        return Reads(name, (("format", name),), tuple(firsts), tuple(markers))
    declared = find_format(name)
    assert declared is not None, name
    turns: list[str] = []
    for calls, reasoning in ((CALL, ""), (CALLS, ""), (CALL, "Hm."), (STRINGS, "")):
        try:
            turns.append(render(declared, calls, reasoning=reasoning, tools=_toolset()))
        except UsageError:
            continue
    return Reads(name, (("format", name),), tuple(turns), declared.markers)


def _response(**calls: Any) -> dict[str, Any]:
    fields = {"content": {}, "tool_calls": {"close": "</tc>", "repeats": True} | calls}
    return {"version": 1, "start_anchor": "<|im_start|>assistant\n", "fields": fields}


def _in_json(**how: Any) -> dict[str, Any]:
    transform = {"type": "function", "function": "{content}"}
    return _response(open="<tc>", content="json", content_args=how, transform=transform)


def _in_tags(**how: Any) -> dict[str, Any]:
    transform = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    pattern = {"tag_pattern": r"<p=(?P<key>[^>\n]+)>(?P<value>.*?)</p>"} | how
    name = r"<tc=(?P<name>\w+)>"
    return _response(open_pattern=name, content="xml-inline", content_args=pattern, transform=transform)


_JSON_TURN = '<tc>{"name": "f", "arguments": {"s": "y z", "n": 7, "o": {"k": [1]}}}</tc>'
RESPONSES: dict[str, tuple[str, dict[str, Any]]] = {
    "JSON": (_JSON_TURN, _in_json()),
    "JSON, delimiters": (_JSON_TURN.replace('"y z"', "<q>y z</q>"), _in_json(string_delims=[["<q>", "</q>"]])),
    "JSON, bare keys": ("<tc>{name: f, arguments: {s: y}}</tc>", _in_json(unquoted_keys=True)),
    "tags": ("<tc=f><p=s>y z</p><p=n>7</p></tc>", _in_tags()),
    "tags, merged": ("<tc=f><p=s>y z</p><p=s>7</p></tc>", _in_tags(merge_duplicates=True)),
}


# -- floods ------------------------------------------------------------------------------------------------------------


def states(each: Reads) -> tuple[tuple[str, str], ...]:
    """Turns up to some place, and the rest: the start, after the first of each marker and bracket or one further, …"""
    return _states(each.turns, each.markers)


@cache
def _states(turns: tuple[str, ...], markers: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {"": ""}
    seen: set[str] = set()
    for turn in turns[:MAX_TURNS]:
        for place in range(1, len(turn) + 1):
            endings = [text for text in (*markers, '"', "{", "[", ":", "=", "(", ",") if turn.endswith(text, 0, place)]
            if endings and endings[0] not in seen:
                seen.add(endings[0])
                place_or_next = place + len(seen) % 2
                found.setdefault(turn[:place_or_next], turn[place_or_next:])
        found[turn] = ""
    return tuple(found.items())


def units(each: Reads) -> tuple[str, ...]:
    """What may come again and again: common characters, and the reader's own markers, whole and not quite."""
    own = each.markers if len(each.markers) < 40 else each.markers[:: len(each.markers) // 20]
    parts = [text for marker in own for text in (marker, marker[:-1], marker + " ") if text]
    return tuple(dict.fromkeys((*COMMON, *parts)))


def cost_of(make: Callable[[], Parser], before: str, unit: str, size: int, *, chars: bool, after: str = "") -> Cost:
    """What n characters of the unit cost after that text, and what 4n do.

    Args:
        make: makes the parser.
        before: the turn up to the flood; its own cost is not measured.
        unit: what comes again and again.
        size: n, in characters.
        chars: give it by characters, else whole.
        after: what follows the flood; its cost is measured.
    """
    work = partial(time_of, make, before, unit, after, chunk=1 if chars else 0)
    for tries in (1, 2, 4):  # what is wrong is measured again: another process may have been in the way
        four = work(4 * size, tries=tries)
        if four < SLIGHT:
            return Cost(unit, chars, size, four / 4, four)
        found = Cost(unit, chars, size, work(size, tries=tries), four)
        if found.linear:
            break
    return found


def time_of(
    make: Callable[[], Parser], before: str, unit: str, after: str, size: int, *, chunk: int, tries: int
) -> float:
    """The processor time of so many characters of the unit, the best of so many tries; for the rest see `cost_of`.

    Args:
        chunk: the length of the chunks; 0: all in one.
    """
    flood = unit * (size // len(unit))
    step = chunk or max(len(flood), 1)
    chunks = [flood[place : place + step] for place in range(0, len(flood), step)]
    best = float("inf")
    for _ in range(tries):
        parser = make()
        parser.feed(before)
        begin = time.process_time()
        for each in chunks:
            parser.feed(each)
        parser.feed(after)
        parser.finish()
        best = min(best, time.process_time() - begin)
    return best


MANY_TOOLS = {
    # What is asked of the parser, by format; {} is a tool's name.
    "a tool's own tag": ("auto", "<{0}><path>x</path></{0}> Done."),
    "a tool's own tag, by name": ("hermes", "<{0}><path>x</path></{0}> Done."),
    "calls in a row": ("auto", '<tool_call>{{"name": "{0}", "arguments": {{}}}}</tool_call>' * 40),
    "own tags in a row": ("auto", "<{0}><path>x</path></{0}>\n" * 40),
}
"""Turns whose cost may grow with the number of tools, and not faster."""


def cost_of_tools(which: str, size: int, *, long_name: bool = False) -> Cost:
    """What such a turn costs with n tools and with 4n, the parser included; or with a name of n characters."""
    declared, turn = MANY_TOOLS[which]

    def seconds(count: int, number: int) -> float:
        names = [f"t{number}_{each}" for each in range(1 if long_name else count)]
        names += [f"t{number}" + "a" * count] if long_name else []  # other names each time: nothing is remembered
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        tools = ToolSet([{"name": name, "parameters": schema} for name in names])
        begin = time.process_time()
        parser = Parser(tools, format=declared)
        parser.feed(turn.format(names[0]))
        parser.finish()
        return time.process_time() - begin

    for number in range(0, 30, 10):
        four = min(seconds(4 * size, number + each) for each in range(2))
        found = Cost(
            "a" if long_name else "tool", False, size, min(seconds(size, number + each) for each in (5, 6)), four
        )
        if found.linear:
            break
    return found


def rows(name: str, size: int, *, every: int = 1) -> Iterator[tuple[str, Cost]]:
    """For each state of that reader, the flood that grows most; `every`: only each so many of states and units."""
    each = reads(name)
    chosen = units(each)[::every]
    for number, (state, rest) in enumerate(states(each)[::every]):
        costs = [
            cost_of(each.parser, state, unit, size, chars=chars, after=rest)
            for place, unit in enumerate(chosen)
            for chars in (False, True)
            if (number + place) % (12 if chars else 4) == 0  # characters one by one take several times as long
        ]
        if costs:  # where few units are chosen, a state may get none
            yield state, max(costs, key=lambda cost: (cost.growth, cost.four))


def _rows(job: tuple[str, int, int]) -> tuple[str, list[tuple[str, Cost]]]:
    name, size, every = job
    return name, list(rows(name, size, every=every))


def main() -> int:
    """Measure, and print; 1 where anything is not linear."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floods", description="What floods cost, at n and 4n.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only what has such a word in its name")
    parser.add_argument("--smoke", action="store_true", help="short: to see that everything runs")
    parser.add_argument("--size", type=int, default=3000, help="n, in characters (default: 3000)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    size, every = (100, 7) if options.smoke else (options.size, 1)
    jobs = [(each, size, every) for each in readers() if not options.words or any(w in each for w in options.words)]
    print(f"{'':22}{'behind':>30}  {'unit':24}{'fed':8}{f'{size:,}':>10}{f'{4 * size:,}':>10}{'growth':>8}")
    wrong = count = 0
    with multiprocessing.Pool(options.workers) as pool:
        for name, found in pool.imap(_rows, jobs):
            for state, cost in found:
                count, wrong = count + 1, wrong + (not cost.linear)
                print_row(name, state, cost)
    for which in MANY_TOOLS if not options.words or "tools" in options.words else ():
        cost = cost_of_tools(which, size // 4)
        count, wrong = count + 1, wrong + (not cost.linear)
        print_row("many tools", which, cost)
    print(f"{count} states, {wrong} of them not linear")
    return 1 if wrong and not options.smoke else 0  # so short, a busy machine shows as growth


def print_row(name: str, state: str, cost: Cost) -> None:
    """One line of the table."""
    times = f"{cost.one * 1000:8.1f}ms{cost.four * 1000:8.1f}ms"
    grown = f"{cost.growth:7.1f}x" if cost.four >= SLIGHT else "       -"
    fed = "chars" if cost.chars else "whole"
    verdict = "" if cost.linear else "  NOT LINEAR"
    print(f"{name:22}{state[-26:]!r:>30}  {cost.unit[:20]!r:24}{fed:8}{times}{grown}{verdict}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
