# What a request to vLLM says about tools and the choice among them, vLLM's levels of strictness, and a grammar as the
# object that vLLM expects. Does not depend on how a grammar is made.
"""Structural tags for requests to vLLM."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from xgrammar import StructuralTag

from toolglean.conversation.fields import field
from toolglean.engines.syntax import tools_of
from toolglean.engines.vllm.interface import get_function_tools
from toolglean.errors import ToolgleanError
from toolglean.grammar import grammar_of
from toolglean.tools import Tool, ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["request_tools", "structural_tag_of"]

PARAMETER = 2
"""vLLM's level at which all schemas are enforced; below it, only those of tools with `strict`."""

_log = logging.getLogger(__name__)


def request_tools(tools: Any) -> ToolSet | None:
    """The functions that the model was shown; None if there are none."""
    return tools_of(get_function_tools(tools)) if tools else None


def structural_tag_of(declared: Format, request: Any, *, reasoning: bool, strict_level: int) -> Any:
    """What the model may write, for any choice among the tools.

    Returns:
        xgrammar's `StructuralTag`; None if the request does not ask for a call, or the format's calls cannot be
        enforced: the log says why, and the answer is read anyway.
    """
    given = get_function_tools(request.tools or [])
    tools = tools_of(given)
    choice = _choice(request.tool_choice)
    if tools is None or choice == "none":
        return None
    functions = [_function(each) for each in given]
    strict = {field(each, "name"): strict_level >= PARAMETER or field(each, "strict") is True for each in functions}
    shown = ToolSet([tool if strict.get(tool.name) else Tool(tool.name, {}, tool.description) for tool in tools])
    try:
        grammar = grammar_of(
            declared,
            shown,
            choice=choice,
            parallel=request.parallel_tool_calls is not False,
            reasoning=reasoning and bool(declared.all_reasonings),
            strict=False,
        )
        return StructuralTag.model_validate(grammar.structural_tag())
    except ToolgleanError as error:
        _log.warning("tool_choice=%r is not enforced: %s", choice, error)
        return None


def _choice(given: Any) -> str:
    if given is None or isinstance(given, str):
        return given or "auto"
    return str(field(_function(given), "name"))


def _function(given: Any) -> Any:
    function = field(given, "function")
    return given if function is None else function
