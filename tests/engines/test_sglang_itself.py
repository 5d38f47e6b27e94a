"""Our parsers in SGLang's own classes: how they get there, what that loads, and whether xgrammar takes their tags.

What needs SGLang is run by `nox -s sglang`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("sglang", reason="needs SGLang: nox -s sglang")

from tests.grammar.engines import Xgrammar
from toolglean import render
from toolglean.engines.sglang import register

STARTED = """
import sys, time
from sglang.srt.plugins import load_plugins
load_plugins()
print(*sorted(name for name in sys.modules if name.startswith(("sglang.srt.function_call", "sglang.srt.parser"))))
import argparse
from sglang.srt.server_args import ServerArgs
parser = argparse.ArgumentParser()
ServerArgs.add_cli_args(parser)
flags = ["--model-path", "m", "--tool-call-parser", "toolglean", "--reasoning-parser", "toolglean-hermes"]
found = parser.parse_args(flags)
print(found.tool_call_parser, found.reasoning_parser)
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser
print(FunctionCallParser([], found.tool_call_parser).detector.format_name == "")
print(ReasoningParser(found.reasoning_parser).detector.format_name)
"""


def test_the_plugin_is_found_and_loads_no_table() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    loaded, flags, calls, thoughts = done.stdout.splitlines()
    assert loaded.split() == [
        "sglang.srt.function_call",
        "sglang.srt.function_call.parser_names",
        "sglang.srt.parser",
        "sglang.srt.parser.reasoning_parser_names",
    ]
    assert (flags, calls, thoughts) == ("toolglean toolglean-hermes", "True", "hermes")


TOOLS = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city", "days"],
            "additionalProperties": False,
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}},
]
CALLS = [("get_weather", {"city": "Oslo", "days": 3}), ("now", {})]


@pytest.fixture(scope="module")
def engine() -> Xgrammar:
    return Xgrammar("structural-tag")


def parsers(name: str, *, strict: bool) -> Any:
    from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: PLC0415
    from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: PLC0415

    register()
    tools = [Tool.model_validate({"type": "function", "function": each | {"strict": strict}}) for each in TOOLS]
    return FunctionCallParser(tools, f"toolglean-{name}")


def acceptor(engine: Xgrammar, constraint: Any) -> Callable[[str], bool]:
    """Whether a model held to it may write a text, and end there."""
    kind, tag = constraint
    assert kind == "structural_tag"
    grammar: Any = SimpleNamespace(structural_tag=lambda: tag.model_dump(by_alias=True))  # as SGLang passes it on
    return engine.acceptor(grammar)


# All formats are looked at by `nox -s grammar`: here is one of each kind.
KINDS = ("hermes", "qwen3-coder", "glm-4.7", "kimi-k2", "mistral-v13", "llama3-json", "pythonic", "gemma-4", "harmony")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_a_required_call_is_enforced_in_the_models_own_format(name: str, strict: bool, engine: Xgrammar) -> None:
    parser = parsers(name, strict=strict)
    accepts = acceptor(engine, parser.get_structure_constraint("required"))
    for call in CALLS:
        text = render(name, [call], tools=TOOLS)
        assert accepts(text), text
        assert [item.name for item in parser.parse_non_stream(text)[1]] == [call[0]]
    assert not accepts("It is sunny.")
    assert not accepts(render(name, [("other", {})]))
    # `render` refuses to write what would not be read, so the wrong arguments are written into a right call.
    wrong = render(name, CALLS[:1], tools=TOOLS).replace("city", "town")
    assert accepts(wrong) is not strict


def test_a_tool_by_name_and_one_call_alone(engine: Xgrammar) -> None:
    from sglang.srt.entrypoints.openai.protocol import ToolChoice  # noqa: PLC0415

    parser = parsers("qwen3-coder", strict=True)
    first, second = (render("qwen3-coder", [call], tools=TOOLS) for call in CALLS)
    named = acceptor(engine, parser.get_structure_constraint(ToolChoice(function={"name": "now"})))
    assert named(second)
    assert not named(first)
    both = render("qwen3-coder", CALLS, tools=TOOLS)
    assert acceptor(engine, parser.get_structure_constraint("required"))(both)
    assert not acceptor(engine, parser.get_structure_constraint("required", parallel_tool_calls=False))(both)
    assert parser.get_structure_constraint("auto") is not None  # a tool is strict
    assert parsers("qwen3-coder", strict=False).get_structure_constraint("auto") is None


def test_a_turn_goes_through_both_parsers() -> None:
    """As the server calls them, for a model whose tokenizer it has: cut at random, and whole."""
    from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: PLC0415
    from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: PLC0415
    from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: PLC0415

    register()
    tools = [Tool.model_validate({"type": "function", "function": each}) for each in TOOLS]
    tokenizer = SimpleNamespace(name_or_path="Qwen/Qwen3-8B", chat_template=None)
    turn = f"<think>\nI must look.\n</think>\n\nI look.\n{render('hermes', CALLS)}<|im_end|>"
    for seed in range(50):
        thoughts = ReasoningParser("toolglean", force_reasoning=True, tokenizer=tokenizer)
        calls = FunctionCallParser(tools, "toolglean", tokenizer=tokenizer)
        chance, rest = random.Random(seed), turn
        reasoning, content = "", ""
        found: dict[int, tuple[str, str]] = {}
        while rest:
            size = chance.randint(1, 9) if seed else len(turn)
            thought, text = thoughts.parse_stream_chunk(rest[:size])
            rest = rest[size:]
            if not rest:
                last = thoughts.parse_stream_end()
                thought, text = thought + last[0], text + last[1]
            parts = [calls.parse_stream_chunk(text), *([] if rest else [calls.parse_stream_end()])]
            reasoning += thought
            for said, items in parts:
                content += said
                for item in items:
                    name, arguments = found.get(item.tool_index, ("", ""))
                    found[item.tool_index] = (name + (item.name or ""), arguments + item.parameters)
        assert (reasoning.strip(), content.strip()) == ("I must look.", "I look.")
        assert [(name, json.loads(arguments)) for name, arguments in found.values()] == CALLS
