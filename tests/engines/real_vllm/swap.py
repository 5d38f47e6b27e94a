# Where vLLM keeps its parser classes, so that its own tests find toolglean's in their place.
# Does not depend on what the tests expect.
#
# A plugin for pytest, run in vLLM's tree. With TOOLGLEAN_SWAP=1 every class of a registered parser is replaced. In a few
# things these tests are not the server, and are helped: they call tool parsers without tools, whose calls a server would
# throw away; some call tools other than those that they give; and their helpers never end a stream, which vLLM does.
# Nor do they tell the prompt: whether a family's prompts open its reasoning stands in OPENED. And one asks its parser for
# the ids of the closer, which is no question of vLLM's interface.
"""vLLM's own tests with toolglean's parsers."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import offline_tokenizers

offline_tokenizers.install()

from vllm.reasoning import _REASONING_PARSERS_TO_REGISTER, ReasoningParserManager
from vllm.tool_parsers import _TOOL_PARSERS_TO_REGISTER, ToolParserManager

from toolglean.formats.registry import find_format

APPENDS = {"minimax_m2_append_think"}
"""Reasoning parsers that leave the reasoning in the content."""

OPENED = dict.fromkeys(("granite", "hunyuan_a13b"), False)
"""Families whose models open their reasoning themselves: what comes without an opener is content."""

FORMATS = {("vllm.reasoning", "qwen3"): "qwen3-coder"}
"""Where the tests of a parser write calls in another dialect than the format of that name."""

results: dict[str, str] = {}


def _swap() -> None:
    from toolglean.engines.vllm import parsers

    class Reasoning(parsers.ToolgleanReasoningParser):
        @property
        def reasoning_end_token_ids(self) -> set[int]:
            return {self.vocab[closer] for _, closer in self.syntax.pairs if closer in self.vocab}

    class Tool(parsers.ToolgleanToolParser):
        reads_without_tools = True

    kinds = (
        ("vllm.tool_parsers", _TOOL_PARSERS_TO_REGISTER, ToolParserManager, Tool),
        ("vllm.reasoning", _REASONING_PARSERS_TO_REGISTER, ReasoningParserManager, Reasoning),
    )
    for room, table, manager, base in kinds:
        for name, (file, class_name) in table.items():
            declared = find_format(FORMATS.get((room, name), name))
            if name in APPENDS:
                made: Any = parsers.AppendThinkParser
            elif declared is None:
                continue
            else:
                made = type(class_name, (base,), {"format_name": declared.name})
                if room == "vllm.reasoning" and name in OPENED:
                    made.opened_by_prompt = OPENED[name]
            for where in (f"{room}.{file}", "vllm.parser.engine.registered_adapters"):
                module = importlib.import_module(where)
                if hasattr(module, class_name):
                    setattr(module, class_name, made)
            manager.register_module(name, module=made)


def _end_streams(module: Any, function: str) -> None:
    run = getattr(module, function)

    def run_to_the_end(parser: Any, *args: Any, **kwargs: Any) -> Any:
        found = run(parser, *args, **kwargs)
        last = parser.finish_streaming() if hasattr(parser, "finish_streaming") else None
        for part in _parts(last):
            found.append_delta(part)
        return found

    setattr(module, function, run_to_the_end)


def _parts(delta: Any) -> list[Any]:
    # The helpers take content, reasoning and calls one at a time.
    if delta is None:
        return []
    found = [type(delta)(**{name: getattr(delta, name)}) for name in ("reasoning", "content") if getattr(delta, name)]
    return found + [type(delta)(tool_calls=[call]) for call in delta.tool_calls]


if os.environ.get("TOOLGLEAN_SWAP"):
    os.environ["TOOLGLEAN_UNKNOWN_TOOLS"] = "call"
    _swap()
    _end_streams(importlib.import_module("tests.reasoning.utils"), "run_reasoning_extraction_streaming")
    _end_streams(importlib.import_module("tests.tool_parsers.utils"), "run_tool_extraction_streaming")


def pytest_runtest_logreport(report: Any) -> None:
    """Keep the worst that was said of each test."""
    if report.failed and "[XPASS(strict)]" in str(report.longrepr):
        results[report.nodeid] = "better"  # vLLM expects its own parser to fail here
    elif report.failed:
        results[report.nodeid] = "failed" if report.when == "call" else "error"
    elif report.when == "call":
        results.setdefault(report.nodeid, report.outcome)
    elif report.skipped:
        results.setdefault(report.nodeid, "skipped")


def pytest_sessionfinish() -> None:
    """Write the results down."""
    target = os.environ.get("TOOLGLEAN_RESULTS")
    if target:
        Path(target).write_text(json.dumps(results, indent=0, sort_keys=True), encoding="utf-8")
