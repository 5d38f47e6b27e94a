# The path of a structural tag through vLLM: a request of its chat API, the tool parser's `adjust_request`, the sampling
# parameters, vLLM's validation, xgrammar, and the answer as vLLM reads it. Does not depend on how grammars are made, or
# on how turns are read. No model runs, and no GPU is needed.
#
#   python -m tests.grammar.vllm_path      with vllm 0.33 importable (its source is enough), torch and xgrammar
"""Structural tags through vLLM."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.grammar.cases import EXPRESSED, TOOLS, accepted
from tests.grammar.engines import Xgrammar
from tests.grammar.proof_table import CHOICES, judged
from toolglean import parse
from toolglean.formats import Format
from toolglean.grammar import Grammar, grammar_of

MESSAGES = [{"role": "user", "content": "What is the weather in Oslo?"}]
WAYS = ("tool parser", "structured_outputs", "response_format")


def parser_of(declared: Format) -> Any:
    """A parser of vLLM's that composes a tool parser of this format, as `--tool-call-parser` does."""
    from vllm.parser.parser_manager import ParserManager  # noqa: PLC0415  # not in every environment
    from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager  # noqa: PLC0415
    from xgrammar.structural_tag import StructuralTag  # noqa: PLC0415

    class Enforced(ToolParser):  # type: ignore[misc]  # vLLM may be missing
        structural_tag_model = "toolglean"

        def get_structural_tag(self, request: Any, **_: Any) -> Any:
            named = getattr(getattr(request.tool_choice, "function", None), "name", None)
            tools = [each.function for each in request.tools]
            found = grammar_of(
                declared,
                [{"name": each.name, "parameters": each.parameters} for each in tools],
                choice=named or request.tool_choice,
                parallel=request.parallel_tool_calls is not False,
            )
            return StructuralTag.model_validate(found.structural_tag())

        def extract_tool_calls(self, model_output: str, request: Any) -> Any:
            return _answer(declared, model_output, request)

    ToolParserManager.register_module(f"toolglean-{declared.name}", module=Enforced, force=True)
    composed: Any = ParserManager.get_parser(tool_parser_name=f"toolglean-{declared.name}", enable_auto_tools=True)
    return composed


def _answer(declared: Format, text: str, request: Any) -> Any:
    from vllm.entrypoints.generate.base.protocol import (  # noqa: PLC0415
        ExtractedToolCallInformation,
        FunctionCall,
        ToolCall,
    )

    found = parse(text, [each.function.model_dump() for each in request.tools], format=declared)
    calls = [
        ToolCall(function=FunctionCall(name=each.name, arguments=json.dumps(each.arguments))) for each in found.calls
    ]
    return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=found.content)


def request_of(way: str, choice: str, grammar: Grammar) -> Any:
    """A request of the chat API, checked as vLLM checks what comes over the wire."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: PLC0415

    functions = [{"name": each.name, "parameters": dict(each.parameters), "strict": True} for each in TOOLS]
    body: dict[str, Any] = {
        "model": "m",
        "messages": MESSAGES,
        "tools": [{"type": "function", "function": each} for each in functions],
    }
    tag = grammar.structural_tag()
    if way == "structured_outputs":
        body |= {"tool_choice": "none", "structured_outputs": {"structural_tag": json.dumps(tag)}}
    elif way == "response_format":
        body |= {"tool_choice": "none", "response_format": tag}
    else:
        body["tool_choice"] = {"type": "function", "function": {"name": choice}} if choice in TOOLS else choice
    return ChatCompletionRequest.model_validate(body)


def spec_of(request: Any) -> str:
    """The structural tag that reaches xgrammar: from the sampling parameters, after vLLM's validation."""
    from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar  # noqa: PLC0415

    params = request.to_sampling_params(64, {})
    validate_xgrammar_grammar(params)
    found: str = params.structured_outputs.structural_tag
    return found


def _faults(declared: Format, engine: Xgrammar) -> Iterator[tuple[str, str, str]]:
    # The way, the choice, and what went wrong; "" for nothing.
    composed = parser_of(declared)
    for choice in CHOICES:
        grammar = grammar_of(declared, TOOLS, choice=choice)
        for way in WAYS:
            request = request_of(way, choice, grammar)
            parser = composed(tokenizer=None, tools=request.tools)
            if way == "tool parser":
                request = parser.adjust_request(request)
            compiled = engine.compiler.compile_structural_tag(spec_of(request))
            missed, passed = judged(declared, engine.accepting(compiled), choice)
            wrong = next((f"{each!r:.60}" for each in (*missed, *passed)), "")
            if way == "tool parser" and not wrong:
                wrong = _misread(declared, parser, request, choice)
            yield way, choice, wrong


def _misread(declared: Format, parser: Any, request: Any, choice: str) -> str:
    for calls, text in accepted(declared):
        if choice in TOOLS and any(name != choice for name, _ in calls):
            continue
        _, _, found = parser.parse(text, request, enable_auto_tools=True)
        if [(each.name, json.loads(each.arguments)) for each in found or ()] != calls:
            return f"read as {found!r:.80}"
    return ""


def main() -> int:
    """Print, for each way and choice, how many formats held; 1 where one did not."""
    right: Counter[tuple[str, str]] = Counter()
    engine = Xgrammar("structural-tag")
    for declared in EXPRESSED:
        for way, choice, wrong in _faults(declared, engine):
            right[way, choice] += not wrong
            if wrong:
                print(f"{declared.name}, {way}, {choice}: {wrong}")
    total = len(EXPRESSED)
    for way in WAYS:
        print(f"{way:20}" + "  ".join(f"{choice}: {right[way, choice]} of {total}" for choice in CHOICES))
    return int(any(right[way, choice] != total for way in WAYS for choice in CHOICES))


if __name__ == "__main__":
    sys.exit(main())
