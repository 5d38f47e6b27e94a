# Does not depend on how time is measured (measure.py).
"""`toolglean bench`: how fast streams are parsed on this machine, the user's own or the shipped ones."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Sequence
from typing import Any

from toolglean._version import __version__
from toolglean.batch.lines import InputError
from toolglean.cli.input import add_input_arguments, one_turn
from toolglean.cli.measure import baseline, best_times, reading
from toolglean.cli.options import add_format_options, at_least_one, given
from toolglean.cli.output import for_machines
from toolglean.cli.usage import exit_codes
from toolglean.kit.demo import load_streams, load_tools
from toolglean.parser import Parser
from toolglean.tools import ToolSet

__all__ = ["add_arguments"]


Figures = dict[str, Any]
"""The figures of one stream with one method, as `_measure` makes them and `--json` prints them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Parses whole turns again and again, and prints the best times. The baseline is a loop that builds "
        "one list with one event for each chunk, timed in the same run."
    )
    add_input_arguments(parser, exit_codes(1, 4, _0="measured"), default=None, one_turn=True)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument("--chunk", type=at_least_one, metavar="N", help="cut the turn into new chunks of N characters")
    add_format_options(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, and print."""
    for_machines()
    figures = _own(args) if args.file is not None else _shipped(args)
    versions = {"toolglean": __version__, "python": f"{platform.python_implementation()} {platform.python_version()}"}
    if args.json:
        print(json.dumps({**versions, "figures": figures}, ensure_ascii=False))
    else:
        print(f"toolglean {versions['toolglean']}, {versions['python']}; best times of whole turns, parser included\n")
        _print_table(figures)
    return 0


def _own(args: argparse.Namespace) -> list[Figures]:
    turn = one_turn(args)
    chunks = _cut(turn.chunks, args.chunk)
    if not chunks:
        raise InputError(f"{args.file}: nothing to measure: the input is empty")
    reading = turn.reading(args)
    return _measure(args.file, chunks, Parser(reading.tools, **reading.parsing).fork)


def _shipped(args: argparse.Namespace) -> list[Figures]:
    if given(args):
        raise InputError(
            "options for formats, tools and prompts need a FILE of your own: the shipped streams have theirs"
        )
    tools = ToolSet(load_tools())
    return [
        figures
        for stream in load_streams()
        for figures in _measure(stream.name, _cut(stream.tokens, args.chunk), Parser(tools, format=stream.name).fork)
    ]


def _cut(chunks: Sequence[str], size: int | None) -> Sequence[str]:
    from toolglean.kit.replay import cut_turn  # noqa: PLC0415  # --help does not need it

    return chunks if size is None else cut_turn("".join(chunks), size)


def _measure(name: str, chunks: Sequence[str], new: Callable[[], Parser]) -> list[Figures]:
    feed, add = reading(new, chunks), reading(new, chunks, "add", "close")
    best = best_times({"baseline": lambda: baseline(chunks), "feed": feed, "add": add})
    characters = sum(map(len, chunks))
    return [
        {
            "stream": name,
            "method": method,
            "chunks": len(chunks),
            "characters": characters,
            "ns_per_chunk": round(best[method] / len(chunks) * 1e9, 1),
            "characters_per_second": round(characters / best[method]),
            "baseline_ns_per_chunk": round(best["baseline"] / len(chunks) * 1e9, 1),
            "times_baseline": round(best[method] / best["baseline"], 2),
        }
        for method in ("feed", "add")
    ]


def _print_table(figures: Sequence[Figures]) -> None:
    width = max(len(each["stream"]) for each in figures) + 2
    print(
        f"{'stream':{width}}{'method':8}{'chunks':>8}{'characters':>12}"
        f"{'ns/chunk':>10}{'x baseline':>12}{'characters/s':>15}"
    )
    for each in figures:
        print(
            f"{each['stream']:{width}}{each['method']:8}{each['chunks']:>8,}{each['characters']:>12,}"
            f"{each['ns_per_chunk']:>10,.0f}{each['times_baseline']:>12.1f}{each['characters_per_second']:>15,}"
        )
