# The parser's arguments that a client, a handler or a model keeps for later turns, checked when it is made.
# Does not depend on who keeps them, or on how a turn is read.
"""A user's arguments for parsers that are made later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglean.errors import UsageError, shown
from toolglean.parser import Parser, ParserArguments

__all__ = ["FORMAT_OPTIONS", "check_names", "check_parsing"]

FORMAT_OPTIONS = ("format", "model", "template")
"""With one of these, the user says how calls are written; otherwise the server or the model's name does, or the turn.
"""
ARGUMENTS = "pass format, model, template, start or options, as for toolglean.Parser"


def check_parsing(parsing: Any) -> None:
    """Whether a parser can be made with these arguments.

    Otherwise a typo would be found only when the first turn is read, in the middle of a program.

    Args:
        parsing: the arguments of `toolglean.Parser` besides `tools`, by name.

    Raises:
        UsageError: an argument is unknown or wrong; the message names it.
        FormatError, TemplateError: a format or a template cannot be used.
    """
    if not isinstance(parsing, Mapping):
        raise UsageError(f"parser={shown(parsing)} is not a dict: {ARGUMENTS}, such as {{'format': 'hermes'}}")
    check_names(parsing)
    arguments: Any = parsing
    Parser(None, **arguments)


def check_names(parsing: Mapping[str, Any]) -> None:
    """Whether a parser has arguments with these names.

    Args:
        parsing: as for `check_parsing`.

    Raises:
        UsageError: an argument is unknown; the message names it.
    """
    for name, given in parsing.items():
        if name not in ParserArguments.__annotations__:
            raise UsageError(f"{name}={shown(given)} is an unknown argument: {ARGUMENTS}, or leave it out")
