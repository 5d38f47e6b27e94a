# A file of options, in TOML, that becomes arguments of a command. Does not depend on which options a command has.
#
#   upstream = "http://localhost:8000/v1"      --upstream=http://localhost:8000/v1
#   no-repair = true                           --no-repair
#   set = ["a=1", "b=2"]                       --set=a=1 --set=b=2
#
# They come before those of the command line, which therefore replace them.
"""Options from a file."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from toolglean.batch.lines import InputError
from toolglean.cli.options import read_text

__all__ = ["NAME", "with_file"]

NAME = "--config"


def with_file(
    args: Sequence[str], options: Mapping[str, argparse.Action], did_you_mean: Callable[[str, Iterable[str]], str]
) -> list[str]:
    """The arguments, with those of the file that they name.

    Args:
        args: of the command line.
        options: what each option of the command is, by its name.
        did_you_mean: what an error adds about an unknown key.

    Raises:
        InputError: the file cannot be read, or has a key that is not an option, or a value that the option cannot have;
            the message names the file and the key.
    """
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument(NAME)
    try:
        path = finder.parse_known_args(args)[0].config
        values = {} if path is None else tomllib.loads(read_text(path))
    except argparse.ArgumentError:  # it has no value, as the command's own parser says
        return list(args)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    known = {name.removeprefix("--"): each for name, each in options.items() if name not in (NAME, "--help", "-h")}
    found: list[str] = []
    for key, value in values.items():
        if key not in known:
            near = did_you_mean(key, known) or "; its keys are the names of the options, without the two dashes"
            raise InputError(f"{path}: unknown key {key!r}{near}")
        found += _written(path, key, value, known[key])
    return [*found, *args]


def _written(path: str, key: str, value: Any, option: argparse.Action) -> list[str]:
    if option.nargs == 0:
        if not isinstance(value, bool):
            raise InputError(f"{path}: {key} = {value!r:.80}: expected true or false")
        return [f"--{key}"] if value else []
    is_list = type(option).__name__ == "_AppendAction"
    if is_list and not isinstance(value, list):
        raise InputError(f"{path}: {key} = {value!r:.80}: expected a list of strings")
    values = value if is_list else [value]
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in values):
        raise InputError(f"{path}: {key} = {value!r:.80}: expected a string or a number")
    return [f"--{key}={each}" for each in values]
