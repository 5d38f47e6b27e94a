# As much of SGLang's classes and tables as our parsers touch, written from its interface.
# Does not depend on what our parsers do.
"""Stand-ins for SGLang's modules: the real ones are looked at by `nox -s sglang`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

__all__ = ["MODULES", "install", "tool"]

NAMES = ["qwen25", "hermes"]


class BaseFormatDetector:
    def __init__(self) -> None:
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.streamed_args_for_tool: list[str] = []
        self.current_tool_id = -1


class BaseReasoningFormatDetector:
    def __init__(
        self,
        think_start_token: str,
        think_end_token: str,
        *,
        force_reasoning: bool,
        stream_reasoning: bool,
        continue_final_message: bool,
        previous_content: str,
        reasoning_default: str | None,
        force_nonempty_content: bool,
    ) -> None:
        self.think_start_token, self.think_end_token = think_start_token, think_end_token
        self.stream_reasoning = stream_reasoning
        self.reasoning_default = reasoning_default
        self._force_nonempty_content = force_nonempty_content
        said = previous_content if continue_final_message else ""
        self._in_reasoning = think_end_token not in said and (force_reasoning or think_start_token in said)

    def _maybe_apply_force_nonempty_content(self, found: Thoughts) -> Thoughts:
        if self._force_nonempty_content and not found.normal_text:
            return Thoughts(found.reasoning_text, "")
        return found


@dataclass
class Item:
    tool_index: int
    parameters: str
    name: str | None = None


@dataclass
class Calls:
    normal_text: str = ""
    calls: list[Item] = field(default_factory=list)


@dataclass
class Thoughts:
    normal_text: str = ""
    reasoning_text: str = ""


MODULES: dict[str, dict[str, Any]] = {
    "sglang.srt.environ": {"envs": SimpleNamespace(SGLANG_FORWARD_UNKNOWN_TOOLS=SimpleNamespace(get=lambda: False))},
    "sglang.srt.function_call.base_format_detector": {"BaseFormatDetector": BaseFormatDetector},
    "sglang.srt.function_call.core_types": {"StreamingParseResult": Calls, "ToolCallItem": Item},
    "sglang.srt.function_call.parser_names": {"TOOL_CALL_PARSER_NAMES": NAMES},
    "sglang.srt.parser.reasoning_parser_names": {"REASONING_PARSER_NAMES": NAMES},
    "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": SimpleNamespace(ToolCallParserEnum={"hermes": object})},
    "sglang.srt.parser.reasoning_parser": {
        "BaseReasoningFormatDetector": BaseReasoningFormatDetector,
        "ReasoningParser": SimpleNamespace(DetectorMap={"qwen3": object}),
        "StreamingParseResult": Thoughts,
    },
}  # fmt: skip


def install(patch: pytest.MonkeyPatch) -> None:
    """Put the stand-ins where SGLang's modules are looked for, and forget our parsers, which stand on them."""
    for name in [each for each in sys.modules if each == "sglang" or each.startswith("sglang.")]:
        patch.delitem(sys.modules, name)
    for name in ("calls", "thoughts"):
        patch.delitem(sys.modules, f"toolglean.engines.sglang.{name}", raising=False)
    for name, contents in MODULES.items():
        for part in parents(name):
            if part not in sys.modules:
                patch.setitem(sys.modules, part, ModuleType(part))
        module = ModuleType(name)
        for key, value in contents.items():
            copied = (
                SimpleNamespace(**{each: dict(table) for each, table in vars(value).items()})
                if key in TABLES
                else value
            )
            setattr(module, key, list(copied) if isinstance(copied, list) else copied)
        patch.setitem(sys.modules, name, module)


TABLES = {"FunctionCallParser", "ReasoningParser"}


def parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def tool(name: str, *, strict: bool = False, **properties: Any) -> SimpleNamespace:
    """A tool of a request, as SGLang's protocol has it."""
    parameters = {"type": "object", "properties": properties}
    function = SimpleNamespace(name=name, description=None, parameters=parameters, strict=strict)
    return SimpleNamespace(type="function", function=function)
