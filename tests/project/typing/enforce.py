# A user's program, for the type checkers only: a grammar for a server. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Calls that a server enforces."""

from typing import Any, assert_type

from toolglean import Format, Output, ToolSet, UsageError, parse
from toolglean.grammar import Grammar, grammar_of

TOOLS = ToolSet([{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}])


def request(model: str, messages: list[dict[str, str]]) -> dict[str, Any]:
    """The body of a request."""
    declared = Format.from_model(model)
    try:
        grammar = grammar_of(declared, TOOLS, choice="required", parallel=False)
    except UsageError:
        grammar = grammar_of(declared, TOOLS, choice="required", strict=False)
    assert_type(grammar, Grammar)
    assert_type(grammar.structural_tag(), dict[str, Any])
    assert_type(grammar.gbnf(), str)
    return {"messages": messages, "response_format": grammar.structural_tag()}


assert_type(parse("text", TOOLS, model="qwen3:8b"), Output)

grammar_of("hermes", TOOLS, choices="auto")  # type: ignore[call-arg]
request("qwen3:8b", "text")  # type: ignore[arg-type]
