# What vLLM makes of its flags and of a request's tool choice, and what xgrammar then accepts.
# Does not depend on how a grammar is made.
"""The flags, and structural tags of every format through vLLM's own checks."""

from __future__ import annotations

import logging
import sys
from typing import Any

import offline_tokenizers

offline_tokenizers.install()
logging.disable(logging.CRITICAL)

import serving
import xgrammar
from vllm.entrypoints.common.cli_args import make_arg_parser, validate_api_server_args, validate_parsed_serve_args
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.sampling_params import SamplingParams
from vllm.utils.argparse_utils import FlexibleArgumentParser
from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar

from toolglean import ToolSet, render
from toolglean.errors import ToolgleanError
from toolglean.formats.registry import all_formats

NAMED = {"type": "function", "function": {"name": "get_weather"}}
CHOICES: dict[str, dict[str, Any]] = {
    "required": {"tool_choice": "required"},
    "named": {"tool_choice": NAMED},
    "auto": {"tool_choice": "auto"},
    "one call": {"tool_choice": "required", "parallel_tool_calls": False},
}


def flags(*names: str) -> None:
    """Start as far as `vllm serve` checks its flags."""
    parser = make_arg_parser(FlexibleArgumentParser())
    for name in names:
        given = ["--enable-auto-tool-choice", "--tool-call-parser", name, "--reasoning-parser", name]
        args = parser.parse_args(given)
        validate_parsed_serve_args(args)
        args.structured_outputs_config.reasoning_parser = name  # as the server does before it validates
        validate_api_server_args(args)


def accepted(compiler: Any, tag: str, text: str) -> bool:
    """Whether the tag lets a model write that text, and end there."""
    matcher = xgrammar.GrammarMatcher(compiler.compile_structural_tag(tag), terminate_without_stop_token=True)
    return bool(matcher.accept_string(text) and matcher.is_completed())


def tag_of(parser_class: Any, tokenizer: Any, **asked: Any) -> str | None:
    """The tag that vLLM would send to its engine; None if it sends none."""
    tools = [{**each, "function": {**each["function"], "strict": True}} for each in serving.TOOLS]
    request = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "hi"}], tools=tools, **asked)
    adjusted = parser_class(tokenizer, request.tools).adjust_request(request)
    outputs = adjusted.structured_outputs
    if outputs is None or outputs.structural_tag is None:
        return None
    validate_xgrammar_grammar(SamplingParams(structured_outputs=outputs))
    return str(outputs.structural_tag)


def fault(compiler: Any, declared: Any, parser_class: Any, tokenizer: Any, choice: str) -> str:
    """What is wrong with the tags of a format for that choice; "" if nothing is."""
    tag = tag_of(parser_class, tokenizer, **CHOICES[choice])
    if tag is None:
        return "no tag"
    tools = ToolSet(serving.TOOLS)
    for calls in serving.CALLS:
        right = (choice != "one call" or len(calls) == 1) and (choice != "named" or calls[0][0] == "get_weather")
        try:
            text = render(declared, calls, tools=tools)
        except ToolgleanError:
            continue
        if accepted(compiler, tag, text) is not right:
            return f"{text!r:.200} is {'not ' if right else ''}accepted"
    if choice != "auto" and accepted(compiler, tag, "I will not."):
        return "prose is accepted"
    return ""


def main() -> int:
    """The table; 1 if a tag of any format is wrong."""
    flags("toolglean", "toolglean-hermes")
    vocabulary = [bytes([each]) for each in range(256)] + [b"</s>"]
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[256]))
    faults: dict[str, list[str]] = {choice: [] for choice in CHOICES}
    for declared in all_formats():
        tokenizer = offline_tokenizers.tokenizer_of("any")
        parser_class = serving.parser_of(f"toolglean-{declared.name}", None, tokenizer)
        for choice, said in faults.items():
            wrong = fault(compiler, declared, parser_class, tokenizer, choice)
            if wrong:
                said.append(f"{declared.name}: {wrong}")
    total = len(all_formats())
    for choice, said in faults.items():
        print(f"{choice:9} {total - len(said)} of {total} formats", *said, sep="\n    ")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    serving.load()
    sys.exit(main())
