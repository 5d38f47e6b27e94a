# Which parts of a request become a grammar, and the class in which SGLang accepts it.
# Does not depend on how grammars are made (toolglean.grammar).
"""Structural tags, for SGLang."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from toolglean.errors import UsageError
from toolglean.formats.spec import Format
from toolglean.grammar import grammar_of

__all__ = ["structural_tag"]


def structural_tag(
    declared: Format, tools: list[Any], choice: str, *, parallel: bool = True, reasoning: bool = False
) -> Any:
    """What the model may write, as an object of xgrammar.

    A schema is enforced only for a tool that asks for it (`strict`), as everywhere in SGLang; its option
    `SGLANG_TOOL_STRICT_LEVEL` asks for all.

    Args:
        declared: the model's format.
        tools: the request's tools, as objects of SGLang.
        choice: "auto", "required" or a tool's name.
        parallel: whether there may be several calls.
        reasoning: whether the turn may begin with reasoning, unless another part of SGLang handles that.

    Raises:
        UsageError: the format cannot be enforced with these tools, or xgrammar is missing.
    """
    try:
        kind = import_module("xgrammar").StructuralTag
    except (ImportError, AttributeError) as error:
        raise UsageError(f"structural tags need xgrammar 0.1.30 or later: {error}") from error
    grammar = grammar_of(
        declared,
        [_tool(each.function) for each in tools],
        choice=choice if tools else "none",
        parallel=parallel,
        reasoning=reasoning and bool(declared.reasoning[0]),
        strict=False,  # what a tag cannot express of a schema is allowed
    )
    return kind.model_validate(grammar.structural_tag())


def _tool(function: Any) -> dict[str, Any]:
    return {"name": function.name, "parameters": (function.parameters or {}) if function.strict else {}}
