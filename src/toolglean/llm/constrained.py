# What this file knows: in which field of a request each server accepts a grammar for calls, and what that requires.
# Does not depend on how a grammar is made (toolglean.grammar), or on how the answer is read.
#
#   server        the grammar goes into                   the tools
#   "vllm"        response_format, as a structural tag    in the request, with tool_choice "none": for any other choice
#   "sglang"      the same                                the server makes a grammar of its own
#   "llama.cpp"   grammar, as GBNF                        in the messages: the server rejects a grammar with tools
#
# The answer is then text, and is read with the same format. docs/how-to/grammar-*.md give the sources for this.
"""Servers that are constrained to write calls by the grammar of a format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from toolglean.clients.repair import FORMAT_OPTIONS
from toolglean.conversation.fields import field
from toolglean.errors import ToolgleanError
from toolglean.formats.registry import format_of_model
from toolglean.formats.spec import Format
from toolglean.grammar import grammar_of
from toolglean.llm.errors import ConfigurationError
from toolglean.parser import Parser

__all__ = ["REPLACED", "Server", "constraint", "says_format", "written_format"]

Server: TypeAlias = Literal["vllm", "sglang", "llama.cpp"]
REPLACED = ("tool_choice", "parallel_tool_calls")
"""Fields of a request that the grammar replaces."""


def says_format(options: Mapping[str, Any]) -> bool:
    """Whether these arguments of `toolglean.Parser` give the format of calls."""
    return any(options.get(name) is not None for name in FORMAT_OPTIONS)


def written_format(model: str, options: Mapping[str, Any]) -> Format | None:
    """The format in which a model writes its calls; None if it is not known.

    Args:
        model: its name.
        options: arguments of `toolglean.Parser`.
    """
    if says_format(options):
        return Parser(None, **options).format
    return format_of_model(model)


def constraint(
    server: Server,
    format: Format,  # noqa: A002  # the name of the parser's argument
    tools: Sequence[Mapping[str, Any]],
    *,
    choice: Any,
    parallel: bool,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of a request that constrain the server to write calls in the format.

    Args:
        server: the server software.
        format: the format of calls.
        tools: the tools that the model may call, in OpenAI's form.
        choice: the request's `tool_choice`.
        parallel: whether it may make several calls.
        options: further arguments of `toolglean.grammar.grammar_of`.

    Raises:
        ConfigurationError: such a grammar cannot be made; the message says why.
    """
    try:
        chosen = _choice(choice)
        grammar = grammar_of(format, [each["function"] for each in tools], choice=chosen, parallel=parallel, **options)
    except ToolgleanError as error:
        raise ConfigurationError(f"grammar={server!r}: {error}", field="grammar", value=server) from error
    if server == "llama.cpp":
        return {"grammar": grammar.gbnf()}
    return {"response_format": grammar.structural_tag(), "tool_choice": "none", "skip_special_tokens": False}


def _choice(given: Any) -> str:
    if given is None or given == "any":  # Mistral's name for "required"
        return "auto" if given is None else "required"
    name = field(field(given, "function") or given, "name")
    return name if isinstance(name, str) else str(given)
