# The command line. One file for each command, which is imported when that command is asked for. Does not depend on how
# anything is parsed.
#
#   __init__.py   the commands, and the exit codes
#   usage.py      unknown and renamed options, the help, suggestions
#   input.py      the input of a command: which file, which line of it, which columns
#   chunks.py     input as it arrives: text, chunks or turns
#   options.py    how the model writes, and which calls are read
#   output.py     JSON lines, colour, odd terminals, files
#   progress.py   progress on standard error
#   parse.py      with logs.py (--output)
#   doctor.py, with installed.py (extras, engines, plugins)
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
    "doctor": "show on one screen what is installed, and what to do about a turn",
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
    "conformance": "try any parser or server on the shipped cases",
}
"""Each command and its line in the help, in the order of the help."""

OK = 0
UNREAD = 1
USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141
"""The reader of our output is gone: what a shell reports for a program that was ended by the pipe."""

EXIT_CODES = """\
exit codes:
  0    everything was read
  1    something could not be read: a line that is not a turn, a turn with a
       malformed call or another problem, a template without a format, a case of
       the conformance kit that is not right
  2    wrong usage, or input that cannot be read
  3    a run of `toolglean parse --output` broke off: --resume continues it
  4    calls were cut off, and nothing worse
  130  interrupted
  141  the program that reads the output has closed the pipe"""
"""One meaning in all commands; the help of each has the details. Wrapped here, because `--help` loads nothing else."""

DOCTOR = "if something does not work, `toolglean doctor` shows what to do next"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments without the program's name; None: those of the process.

    Returns:
        The exit code: see `EXIT_CODES`.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    if given == ["--version"]:  # answered before argparse is imported, which takes as long as Python's own start
        print(VERSION)
        sys.exit(OK)
    asked = next((each for each in given if not each.startswith("-")), "")
    _open_closed_streams()
    args = _parser(asked, given).parse_args(given)
    from toolglean.batch.lines import InputError, LineError  # noqa: PLC0415  # a command that runs has loaded both
    from toolglean.errors import ToolgleanError  # noqa: PLC0415

    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except (InputError, ToolgleanError) as error:
        print(f"toolglean: {error}", file=sys.stderr)
        if sys.stderr.isatty() and asked != "doctor":  # for a person: programs get the message alone
            print(f"toolglean: {DOCTOR}", file=sys.stderr)
        return UNREAD if isinstance(error, LineError) else USAGE
    except BrokenPipeError:
        _give_up_output()
        return PIPE_CLOSED
    except OSError as error:  # files that are read and written have messages of their own
        _give_up_output()
        print(f"toolglean: {error.filename or 'standard output'}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _open_closed_streams() -> None:
    # A shell can close them: then they are None, and whatever writes to them would fail.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # until the process ends


def _give_up_output() -> None:
    # Python flushes standard output once more when it exits. With this, that does not raise again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(asked: str, given: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of the command line, with the arguments of the command that is asked for, and of no other."""
    import argparse  # noqa: PLC0415
    from importlib import import_module  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        prog="toolglean",
        description="Turns what a language model writes, chunk by chunk, into content, reasoning\nand tool calls.",
        epilog=f"{EXIT_CODES}\n\n{DOCTOR}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=VERSION)
    kind = import_module(f"{__name__}.usage").CommandParser if asked in COMMANDS else argparse.ArgumentParser
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=kind)
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about, allow_abbrev=False)
        if name == asked:
            module = import_module(f"{__name__}.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    option = next((each for each in given if each.startswith("--")), "--help")
    known = tuple(COMMANDS) if asked else ("--help", "--version")
    if (asked or option) not in known:  # argparse would only say that the command is missing
        from toolglean.cli.usage import did_you_mean  # noqa: PLC0415  # only an error needs it

        hint = did_you_mean(asked or option, known) or "; `toolglean --help` lists the commands"
        parser.error((f"unknown command {asked!r}" if asked else f"unrecognized arguments: {option}") + hint)
    return parser
