# One row for each token, with what became known through it. Does not depend on where the streams come from (kit/demo).
"""`toolglean demo`: a model's turn, token by token, and what toolglean makes of it."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from toolglean.batch.lines import InputError
from toolglean.cli.output import Paint, add_color_option, for_people, paint_of
from toolglean.cli.usage import add_options, did_you_mean, exit_codes
from toolglean.events import CallDelta, CallEnd, CallStart, Content, Event, Output, Reasoning, ToolCall, fold
from toolglean.kit.demo import Stream, load_streams, load_tools
from toolglean.parser import Parser

__all__ = ["add_arguments"]

TOKEN_WIDTH = 22
LABEL_WIDTH = 11
DELAY = 0.08
"""Seconds between tokens on a terminal: about as fast as a model on a laptop."""
UNDECIDED = "..."
LABELS: dict[type[Event], tuple[str, ...]] = {
    Content: ("content",),
    Reasoning: ("reasoning", Paint.BLUE),
    CallStart: ("call", Paint.YELLOW),
    CallDelta: ("arguments", Paint.YELLOW),
}
"""The label of an event, and the codes of its colour."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Replays token streams that ship with toolglean: turns written by real chat templates and cut by "
        "real tokenizers. On the left is each token as it arrives, on the right what is known by then."
    )
    parser.epilog = exit_codes(1, 4, _0="shown", _2="wrong usage, or an unknown stream")
    parser.add_argument("name", nargs="?", metavar="NAME", help="show this stream (default: the first one)")
    which = {"--list": "name the shipped streams", "--all": "show all streams"}
    add_options(parser.add_mutually_exclusive_group(), which)
    about = {
        "--agent": "play an agent: run its tools, and ask the model again",
        "--delay SECONDS": f"how long to wait between tokens (default: {DELAY} on a terminal, else 0)",
    }
    add_options(parser, about, delay={"type": _seconds})
    add_color_option(parser)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 60:
        raise argparse.ArgumentTypeError(f"invalid value {text!r}: expected 0 to 60 seconds")
    return value


def run(args: argparse.Namespace) -> int:
    """Show the streams that were asked for. Always returns 0: the shipped streams have no problems."""
    for_people()
    streams = load_streams()
    paint = paint_of(args)
    if args.name is not None and (args.all or args.list):
        raise InputError(f"--{'all' if args.all else 'list'} shows every stream: leave out {args.name}")
    if args.list:
        for stream in streams:
            print(f"{paint(f'{stream.name:15}', paint.BOLD)}{stream.about}")
        return 0
    chosen = streams if args.all else [_named(args.name, streams)]
    delay = args.delay if args.delay is not None else DELAY if sys.stdout.isatty() else 0.0
    for stream in chosen:
        if args.agent:
            _play_agent(stream, paint, delay)
        else:
            _play(stream, paint, delay)
    if not args.all:
        print(paint(f"\n{len(streams)} streams ship with toolglean: toolglean demo --list, NAME, --all", paint.DIM))
    return 0


def _named(name: str | None, streams: Sequence[Stream]) -> Stream:
    found = next((each for each in streams if name in {None, each.name}), None)
    if found is None:
        near = did_you_mean(str(name), [each.name for each in streams]) or "; `toolglean demo --list` lists them"
        raise InputError(f"unknown stream {name!r}{near}")
    return found


def _play(stream: Stream, paint: Paint, delay: float) -> None:
    print(paint(f"{stream.name}: {stream.about}", paint.BOLD))
    about = f"the chat template {stream.template} wrote this turn, the tokenizer {stream.tokenizer} cut it"
    print(paint(about, paint.DIM))
    print("\nfrom toolglean import Parser\nparser = Parser(tools)\n")
    print(paint(f"{'each token':{TOKEN_WIDTH + 2}}parser.feed(token): what is certain by now", paint.DIM))
    parser = Parser(load_tools())
    events: list[Event] = []
    for token in stream.tokens:
        known = parser.format
        found = parser.feed(token)
        shown = "" if known is not None or parser.format is None else parser.format.name
        _show(_visible(token), shown, found, paint)
        events += found
        time.sleep(delay)
    found = parser.finish()
    if found:
        _show("(the end)", "", found, paint)
    _summary(fold(events + found), paint)


def _play_agent(stream: Stream, paint: Paint, delay: float) -> None:
    import asyncio  # noqa: PLC0415  # only for this

    from toolglean.kit.demo.agent import QUESTION, PlayedAgent  # noqa: PLC0415  # it imports the conversation

    about = f"{stream.name}: {stream.about}; the model and its tools are simulated, everything else is real\n"
    print(paint(about, paint.DIM))
    print(f"{'user':{LABEL_WIDTH}}{QUESTION}")
    agent = PlayedAgent(stream)

    async def turns() -> None:
        while True:
            async for row in _merged_rows(agent.turn(), paint):
                print(row, flush=True)
                await asyncio.sleep(delay)
            if not agent.wants_another_turn:
                return
            print(paint("\nthe messages of the next request", paint.DIM))
            for message in agent.request():
                print(json.dumps(message, ensure_ascii=False))
            print()

    asyncio.run(turns())


async def _merged_rows(parts: AsyncIterator[dict[str, Any]], paint: Paint) -> AsyncIterator[str]:
    # Text and reasoning arrive in pieces; consecutive pieces are one row.
    kind, text = "", ""
    async for part in parts:
        if part["type"] != kind and text.strip():
            yield _part_row(kind, _visible(text), paint)
        if part["type"] != kind:
            kind, text = part["type"], ""
        if kind == "tool_use":
            yield _part_row("call", f"{part['name']} {json.dumps(part['input'], ensure_ascii=False)}", paint)
        elif kind == "tool_result":
            yield _part_row("result", part["content"]["content"][0]["text"], paint)
        else:
            text += part.get("text", "")
    if text.strip():
        yield _part_row(kind, _visible(text), paint)


def _part_row(label: str, text: str, paint: Paint) -> str:
    codes = {"reasoning": [Paint.BLUE], "call": [Paint.YELLOW], "result": [Paint.GREEN]}.get(label, [])
    return paint(f"{label:{LABEL_WIDTH}}{text}", *codes)


def _show(token: str, shown_format: str, found: list[Event], paint: Paint) -> None:
    rows = [paint(f"{'format':{LABEL_WIDTH}}{shown_format}", paint.DIM)] if shown_format else []
    rows += [row for event in found for row in _rows(event, paint)]
    for row in rows or [paint(UNDECIDED, paint.DIM)]:
        print(f"{token:{TOKEN_WIDTH}}  {row}".rstrip(), flush=True)
        token = ""


def _rows(event: Event, paint: Paint) -> list[str]:
    if isinstance(event, CallEnd):
        ready = paint(f"{'ready':{LABEL_WIDTH}}{_written(event.call)}", paint.GREEN, paint.BOLD)
        return [ready] if event.call.status == "ok" else []
    label, *codes = LABELS.get(type(event), ("",))
    text = event.name if isinstance(event, CallStart) else _visible(event.text)
    return [paint(f"{label:{LABEL_WIDTH}}{text}", *codes)] if label else []


def _summary(output: Output, paint: Paint) -> None:
    print(paint("\nthe whole turn", paint.DIM))
    if output.reasoning:
        print(f"{'reasoning':{LABEL_WIDTH}}{paint(_visible(output.reasoning), paint.BLUE)}")
    if output.content.strip():
        print(f"{'content':{LABEL_WIDTH}}{_visible(output.content)}")
    for call in output.calls:
        print(f"{'call':{LABEL_WIDTH}}{paint(_written(call), paint.GREEN, paint.BOLD)}")


def _written(call: ToolCall) -> str:
    own_id = "" if call.id == f"call_{call.index}" else f" (id {call.id})"
    return f"{call.name}{own_id} {json.dumps(call.arguments, ensure_ascii=False)}"


def _visible(text: str) -> str:
    # Keeps a row on one line. The signs differ from JSON's escapes, so that a `\\n` in JSON can be told from a line
    # break.
    return text.replace("\r", "\\r").replace("\n", "↵").replace("\t", "→")
