# What this room knows: how the library is offered on a command line. One file for each command.
# What it must not know: how anything is parsed.
#
#   __init__.py   the commands, and what a command may end with
#   options.py    arguments that commands share
#   chunks.py     input: text or JSON lines, as it arrives
#   output.py     JSON lines, colour, odd terminals
#   parse.py  explain.py  replay.py  inspect.py  fuzz.py  formats.py  grammar.py  demo.py  bench.py  proxy.py
#   anonymize.py  conformance.py
#   logs/         parse with --output: a log becomes a file
#   measure.py    the clock, for bench and for the project's benchmarks
"""The command `toolglean`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from toolglean._version import __version__
from toolglean.cli import (
    anonymize,
    bench,
    conformance,
    demo,
    explain,
    formats,
    fuzz,
    grammar,
    inspect,
    parse,
    proxy,
    replay,
)
from toolglean.cli.options import InputError
from toolglean.errors import ToolgleanError

__all__ = ["main"]

COMMANDS = (
    *(parse, explain, replay, inspect, fuzz, formats, grammar),
    *(demo, bench, proxy, anonymize, conformance),
)
"""In the order of the help."""

OK = 0
PROBLEM = 1
"""A turn had a problem, or a call that was not finished; a case of the conformance kit is not right."""
USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141
"""The reader of our output went away: what a shell reports of a program that the pipe ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments without the program's name; None: those of the process.

    Returns:
        The exit code: 0; 1 where a turn had a problem or an unfinished call, a template is refused, or a case of
        the conformance kit is not right; 2 for bad usage or unreadable input; 3 where a run broke off that can be
        resumed.
    """
    args = _parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except (InputError, ToolgleanError) as error:
        print(f"toolglean: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # Python flushes standard output once more at its end: into nothing, so that no one complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolglean",
        description="Turns what a language model writes, chunk by chunk, into content, reasoning and tool calls.",
        epilog="exit codes: 0; 1 if a turn had a problem or an unfinished call, or a template was refused; 2 for wrong "
        "usage or unreadable input; 3 if a run broke off that `toolglean parse --resume` continues",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"toolglean {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        parse,
        explain,
        replay,
        inspect,
        fuzz,
        formats,
        grammar,
        demo,
        bench,
        proxy,
        anonymize,
        conformance,
    ):
        command.add_to(commands)
    return parser
