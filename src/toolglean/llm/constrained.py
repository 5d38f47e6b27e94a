# What this file knows: which field of a request takes a grammar of calls, by server, and what else must then be so.
# What it must not know: how a grammar is made (toolglean.grammar), how the answer is read.
#
#   server        the grammar goes into                   the tools
#   "vllm"        response_format, as a structural tag    in the request, with tool_choice "none": with another choice
#   "sglang"      the same                                the server makes a grammar of its own
#   "llama.cpp"   grammar, as GBNF                        in the messages: the server refuses a grammar beside tools
#
# The answer is text then, and is read with the same format. docs/how-to/grammar-*.md say where all this is from.
"""Calls that a server is made to write as the grammar of a format says."""

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
from toolglean.stream import render

__all__ = ["REPLACED", "Server", "constraint", "example_in", "says_format", "written_format"]

Server: TypeAlias = Literal["vllm", "sglang", "llama.cpp"]
REPLACED = ("tool_choice", "parallel_tool_calls")
"""Fields of a request whose meaning is in the grammar."""
EXAMPLE = ("name_of_the_function", {"name_of_a_parameter": "its value"})


def says_format(options: Mapping[str, Any]) -> bool:
    """Whether these arguments of `toolglean.Parser` say how calls are written."""
    return any(options.get(name) is not None for name in FORMAT_OPTIONS)


def written_format(model: str, options: Mapping[str, Any]) -> Format | None:
    """The format in which a model writes its calls; None if nobody says.

    Args:
        model: its name.
        options: arguments of `toolglean.Parser`.
    """
    if says_format(options):
        return Parser(None, **options).format
    return format_of_model(model)


def constraint(
    server: Server,
    format: Format,  # noqa: A002  # the field's own word for it
    tools: Sequence[Mapping[str, Any]],
    *,
    choice: Any,
    parallel: bool,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of a request that make the server write calls as the format says.

    Args:
        server: what serves the model.
        format: in which it writes calls.
        tools: what it may call, in OpenAI's form.
        choice: the request's `tool_choice`.
        parallel: whether it may make several calls.
        options: further arguments of `toolglean.grammar.grammar_of`.

    Raises:
        ConfigurationError: these calls cannot be enforced; it says why.
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
    if given is None or given == "any":  # Mistral's word for "required"
        return "auto" if given is None else "required"
    name = field(field(given, "function") or given, "name")
    return name if isinstance(name, str) else str(given)


def example_in(format: Format | None) -> str | None:  # noqa: A002
    """A call as the format writes it, to show to a model; None if it cannot be shown."""
    try:
        return None if format is None else render(format, [EXAMPLE])
    except ToolgleanError:
        return None
