# The parser's arguments that a user gives to a client, a handler or a model: they are kept for later turns, and checked
# when it is made. From them comes the reader of a turn, with the options that every client has by default: ids that no
# other turn has, and calls to unknown tools as text. Does not depend on who keeps them, or on how the turn is read.
"""A user's arguments for parsers that are made later, and the reader of a turn from them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from toolglean.conversation.reading.counts import Counts
from toolglean.conversation.reading.reasoning_field import reader_of_reasoning
from toolglean.conversation.reading.text import Manner, Tools, TurnText
from toolglean.errors import UsageError, shown
from toolglean.options import with_defaults
from toolglean.parser import Parser, ParserArguments

__all__ = ["FORMAT_OPTIONS", "TurnArguments", "check_parsing", "says_format", "text_for"]

FORMAT_OPTIONS = ("format", "model", "template")
"""With one of these, the user says how calls are written; otherwise the server or the model's name does, or the turn.
"""
ARGUMENTS = "pass format, model, template, start or options, as for toolglean.Parser"
OWN = ("whole_calls", "single_call", "counts", "drop_duplicates", "keep_closers")


class TurnArguments(ParserArguments, total=False):
    """How a turn is read: the arguments of `toolglean.Parser` besides `tools`, and of `TurnText`.

    Attributes:
        whole_calls: whether a call is sent only once it has ended well, and in one piece. The text of a call that does
            not stays text. If False, calls are sent as they are written.
        single_call: whether only the first call is sent as a call; the text of the others stays text.
        legacy: in the chat API, whether calls go into `function_call`, for a request that has `functions`.
        counts: what was found is added to it.
    """

    whole_calls: bool
    single_call: bool
    legacy: bool
    counts: Counts | None


def text_for(tools: Tools, parsing: Mapping[str, Any]) -> TurnText:
    """The text of a turn of which nothing has been read yet.

    Args:
        tools: as for `toolglean.Parser`.
        parsing: as for `toolglean.Parser`; and what is in `OWN`, as for `TurnText`.

    Raises:
        What `Parser` raises.
    """
    own = {name: parsing[name] for name in OWN if parsing.get(name) is not None}
    asked = {name: value for name, value in parsing.items() if name not in OWN}
    given = with_defaults(asked, id_prefix=f"call_{uuid.uuid4().hex[:12]}_", unknown_tools="content")
    _check_names(given)
    chosen, field = given["options"], reader_of_reasoning(tools, given)
    manner = Manner(chosen.id_prefix, unknown_tools=chosen.unknown_tools, reasoning=field, **own)
    return TurnText(Parser(tools, **given), manner)


# -- checked when they are given ------------------------------------------------------------------------------------


def says_format(options: Mapping[str, Any]) -> bool:
    """Whether these arguments of `toolglean.Parser` give the format of calls."""
    return any(options.get(name) is not None for name in FORMAT_OPTIONS)


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
    _check_names(parsing)
    arguments: Any = parsing
    Parser(None, **arguments)


def _check_names(parsing: Mapping[str, Any]) -> None:
    """Whether a parser has arguments with these names.

    Args:
        parsing: as for `check_parsing`.

    Raises:
        UsageError: an argument is unknown; the message names it.
    """
    for name, given in parsing.items():
        if name not in ParserArguments.__annotations__:
            raise UsageError(f"{name}={shown(given)} is an unknown argument: {ARGUMENTS}, or leave it out")
