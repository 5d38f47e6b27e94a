# The argument parser of one command: what it says about options that it does not know, how its help is printed, and how
# options are read from a file; and which name was meant, if one is spelled much alike. Does not depend on which options
# a command has.
#
# The file is TOML. Its options come before those of the command line, which therefore replace them:
#
#   upstream = "http://localhost:8000/v1"      --upstream=http://localhost:8000/v1
#   no-repair = true                           --no-repair
#   set = ["a=1", "b=2"]                       --set=a=1 --set=b=2
"""Usage, and the errors of usage."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

__all__ = ["CommandParser", "add_options", "did_you_mean", "exit_codes"]

CODES = {
    0: "everything was read",
    1: "something could not be read",
    2: "wrong usage, or input that cannot be read",
    4: "calls were cut off, and nothing worse",
    130: "interrupted",
    141: "the program that reads the output has closed the pipe",
}
"""The exit codes that all commands share."""


RENAMED: Mapping[str, Mapping[str, str]] = {
    "": {"--jsonl": "--stream", "--no-color": "--color never"},
    "parse": {"--strict": "--fail-fast; to read the named format alone, pass --strict-format"},
    "proxy": {"--strict": "--strict-format"},
    "inspect": {"--samples": "--examples"},
    "grammar": {"--choice": "--tool-choice", "--target": "--notation"},
    "conformance": {"--listen": "--host and --port"},
    "demo": {"--stream": "an argument: `toolglean demo NAME`", "--fast": "--delay 0"},
}
"""Options of earlier versions: for each command, "" for all of them, what to write instead."""


FILE = "--config"
NOT_IN_FILES = (FILE, "--help", "-h")
NEAR = 0.8
"""The least similarity of a name that is suggested: one letter of five may differ. Others would only mislead."""
PREFIX = 3
"""So many letters are enough if they are the beginning of a name."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """What an error adds about an unknown name: "; did you mean X?" if a name is near, otherwise nothing."""
    import difflib  # noqa: PLC0415  # only an error needs it

    known = list(names)
    near = difflib.get_close_matches(name, known, n=1, cutoff=NEAR)
    if not near and len(name.lstrip("-")) >= PREFIX:
        near = [each for each in known if each.startswith(name)]
    return f"; did you mean {near[0]}?" if len(near) == 1 else ""


def add_options(group: Any, about: Mapping[str, str], **more: Mapping[str, Any]) -> None:
    """Add options to a command.

    Args:
        group: its parser, or a group of that.
        about: each option as users write it, and what the help says: `--flag`, `--option METAVAR`, `--option one|two`.
        more: what else argparse is told of an option, by its name.
    """
    for shown, text in about.items():
        option, _, value = shown.partition(" ")
        how: dict[str, Any] = {"metavar": value} if value else {"action": "store_true"}
        how = {"choices": value.split("|")} if "|" in value else how
        group.add_argument(option, help=text, **how, **more.get(option.strip("-").replace("-", "_"), {}))


def exit_codes(*without: int, **said: str) -> str:
    """The exit codes of a command, for the end of its help.

    Args:
        without: codes that the command does not return.
        said: what a code means in this command, if there is more to say: `_1="..."`.
    """
    codes = {code: text for code, text in CODES.items() if code not in without}
    codes |= {int(name.removeprefix("_")): text for name, text in said.items()}
    rows = [f"  {code:<5}{text}" for code, text in sorted(codes.items())]
    return "\n".join(["exit codes:", *rows])


class _Paragraphs(argparse.HelpFormatter):
    """Wraps each paragraph, and each row of a list (two spaces, a word, its meaning), on its own."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = (_wrapped(line, width, indent) for line in text.split("\n"))
        return "\n".join(lines)


def _wrapped(line: str, width: int, indent: str) -> str:
    is_row = line.startswith("  ")
    hanging = indent + " " * 7 if is_row else indent
    return textwrap.fill(line, width, initial_indent=indent, subsequent_indent=hanging, break_on_hyphens=False)


def _in_file(key: str, value: Any, option: argparse.Action) -> tuple[list[str], str]:
    # The arguments for a key of a file, and what is wrong with its value.
    if option.nargs == 0:
        return [f"--{key}"] if value is True else [], "" if isinstance(value, bool) else "expected true or false"
    is_list = type(option).__name__ == "_AppendAction"
    if is_list and not isinstance(value, list):
        return [], "expected a list of strings"
    values = value if is_list else [value]
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in values):
        return [], "expected a string or a number"
    return [f"--{key}={each}" for each in values], ""


class CommandParser(argparse.ArgumentParser):
    """The parser of a command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, formatter_class=_Paragraphs)
        self.suggest_on_error = False  # Python 3.15 would suggest names that are not near

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]  # overloads
        """As argparse does, but it refuses whatever it does not know, and a file may contain options (--config)."""
        if FILE in self._option_string_actions and any(each.startswith(FILE) for each in args or ()):
            args = self._with_file(args)
        for each in args or ():
            if each == "--":
                break
            name = each.partition("=")[0]
            if name.startswith("--") and " " not in name and name not in self._option_string_actions:
                self.error(self._unknown(name))
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}{self._see_help()}")
        return found, rest

    def _with_file(self, args: Sequence[str]) -> list[str]:
        # The arguments, with those of the file that they name before them.
        import tomllib  # noqa: PLC0415  # for one command

        from toolglean.batch.lines import InputError, read_text  # noqa: PLC0415

        finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
        finder.add_argument(FILE)
        try:
            path = finder.parse_known_args(args)[0].config
            values = {} if path is None else tomllib.loads(read_text(path))
        except argparse.ArgumentError:  # it has no value, as the command's own parser says
            return list(args)
        except tomllib.TOMLDecodeError as error:
            self.error(f"{path}: not valid TOML: {error}")
        except InputError as error:
            self.error(str(error))
        options = self._option_string_actions.items()
        known = {name.removeprefix("--"): each for name, each in options if name not in NOT_IN_FILES}
        found: list[str] = []
        for key, value in values.items():
            if key not in known:
                near = did_you_mean(key, known) or "; its keys are the names of the options, without the two dashes"
                self.error(f"{path}: unknown key {key!r}{near}")
            words, fault = _in_file(key, value, known[key])
            if fault:
                self.error(f"{path}: {key} = {value!r:.80}: {fault}")
            found += words
        return [*found, *args]

    def format_help(self) -> str:
        """The help. Its usage is short, because all options are listed below it: some commands have twenty."""
        self.usage = " ".join([self.prog, *self._words()])
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        self.exit(2, f"usage: {' '.join([self.prog, *self._words()])}\n{self.prog}: error: {message}\n")

    def _words(self) -> Iterator[str]:
        yield "[OPTIONS]"
        needed = (each for each in self._actions if each.required and each.option_strings)
        yield from (f"{each.option_strings[0]} {each.metavar}" for each in needed)
        for each in self._actions:
            if not each.option_strings:
                word = f"{each.metavar} ..." if each.nargs in {"+", "*"} else str(each.metavar)
                yield f"[{word}]" if each.nargs in {"?", "*"} else word

    def _unknown(self, name: str) -> str:
        instead = RENAMED.get(self.prog.rpartition(" ")[2], {}).get(name) or RENAMED[""].get(name)
        if instead is not None:
            return f"{name} is now {instead}"
        near = did_you_mean(name, self._option_string_actions)
        return f"unrecognized arguments: {name}{near or self._see_help()}"

    def _see_help(self) -> str:
        return f"; `{self.prog} --help` lists the options"
