# The command line. One file for each command, which is imported when that command is asked for. Does not depend on how
# anything is parsed.
#
#   __init__.py   the commands, and the exit codes
#   options.py    arguments that commands share
#   chunks.py     input: text or JSON lines, as it arrives
#   output.py     JSON lines, colour, odd terminals
#   progress.py   progress on standard error
#   parse.py      with report.py (many turns) and logs.py (--output)
#   explain.py  replay.py  inspect.py  learn.py  fuzz.py  formats.py  grammar.py  demo.py  bench.py  proxy.py
#   anonymize.py  conformance.py
#   measure.py    the clock, for bench and for the project's benchmarks
#
# A command is a row in COMMANDS and a file with `add_arguments(parser)` and `run(args)`, which returns the exit code.
"""The command `toolglean`."""

from __future__ import annotations

import os
import sys

from toolglean._version import __version__

TYPE_CHECKING = False  # for type checkers it is True, as in `typing`, which `--version` does without
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

__all__ = ["main"]

VERSION = f"toolglean {__version__}"

COMMANDS = {
    "parse": "read one turn of a model, or one on each line, and print content and calls as JSON",
    "explain": "show why a call was not found in a turn, and what to do about it",
    "replay": "write a page that plays a turn, token by token",
    "inspect": "read the format of calls from a chat template",
    "learn": "learn the format of calls from a few turns that a model wrote",
    "fuzz": "send random calls through a chat template and back",
    "formats": "list the formats that are known by name, or show one",
    "grammar": "write the grammar of a format's calls, for engines that constrain decoding",
    "demo": "watch a shipped token stream being parsed",
    "bench": "measure the parser's speed on your own stream, or on the shipped ones",
    "proxy": "serve the API of a server, with leaked calls repaired (needs toolglean[proxy])",
    "anonymize": "replace the names and values of a turn, and keep its markers, to report it",
    "conformance": "try any parser or server on our cases",
}
"""Each command and its line in the help, in the order of the help."""

OK = 0
PROBLEM = 1
"""A turn had a problem, or an unfinished call; a case of the conformance kit is not right."""
USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141
"""The reader of our output is gone: what a shell reports for a program that was ended by the pipe."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments without the program's name; None: those of the process.

    Returns:
        The exit code: 0; 1 if a turn had a problem or an unfinished call, a template is refused, no format can be
        learnt, or a case of the conformance kit is not right; 2 for wrong usage or unreadable input; 3 if a run broke
        off that can be resumed.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    if given == ["--version"]:  # answered before argparse is imported, which takes as long as Python's own start
        print(VERSION)
        sys.exit(OK)
    args = _parser(next((each for each in given if not each.startswith("-")), "")).parse_args(given)
    from toolglean.batch.lines import InputError  # noqa: PLC0415  # a command that runs has loaded both
    from toolglean.errors import ToolgleanError  # noqa: PLC0415

    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except (InputError, ToolgleanError) as error:
        print(f"toolglean: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # Python flushes standard output once more when it exits. With this, that does not raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _parser(asked: str) -> argparse.ArgumentParser:
    """The parser of the command line, with the arguments of the command that is asked for, and of no other."""
    import argparse  # noqa: PLC0415
    from importlib import import_module  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        prog="toolglean",
        description="Turns what a language model writes, chunk by chunk, into content, reasoning and tool calls.",
        epilog="exit codes: 0; 1 if a turn had a problem or an unfinished call, or a template was refused; 2 for wrong "
        "usage or unreadable input; 3 if a run was interrupted: continue it with `toolglean parse --resume`",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about, allow_abbrev=False)
        if name == asked:
            import_module(f"{__name__}.{name}").add_arguments(command)
    return parser
