# Invariant: a parser and its fork share the turn until one of them reads, and neither notices: whichever reads first,
# from wherever on, in chunks of any size.
"""Forks beside their parser."""

from __future__ import annotations

import pytest

from fuzz import straight
from fuzz.turns import fixture_turns, rendered_turns
from toolglean import Event, Parser, ParserOptions, join
from toolglean.formats.registry import all_formats, get_format

OPTIONS = (ParserOptions(markup=True), ParserOptions(unknown_tools="content", trailing_json="call"))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", [each.name for each in all_formats()])
def test_a_fork_and_its_parser(name: str) -> None:
    turns = sorted({*fixture_turns().get(name, ()), *rendered_turns(get_format(name))}, key=len)[-1:]
    for text in [begun + turn for turn in turns for begun in ("", "<think>Hm. So: ")]:
        for options in OPTIONS:
            for size in (1, 7, len(text) or 1):
                chunks = [text[i : i + size] for i in range(0, len(text), size)]
                whole = _read(_parser(name, options), chunks)
                parser, told, forks = _parser(name, options), list[Event](), list[tuple[Parser, list[Event], int]]()
                for number, chunk in enumerate(chunks):
                    forks.append((parser.fork(), list(told), number))
                    parser.fork().feed("x")
                    told += parser.feed(chunk)
                assert join(told + parser.finish()) == whole
                for fork, before, number in forks[:: max(1, len(forks) // 6)]:
                    assert join(before + _read(fork, chunks[number:])) == whole


def _parser(name: str, options: ParserOptions) -> Parser:
    return Parser(straight.NO_TOOLS, format=name, options=options)


def _read(parser: Parser, chunks: list[str]) -> list[Event]:
    return join([event for chunk in chunks for event in parser.feed(chunk)] + parser.finish())
