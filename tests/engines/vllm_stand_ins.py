# The few types of vLLM that its plugins use, so far as they use them, and the order in which its
# serving layer asks them.
# Does not depend on toolglean. `nox -s vllm` runs the same against the real thing.
"""vLLM in small."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any


@dataclass
class DeltaFunctionCall:
    name: str | None = None
    arguments: str | None = None


@dataclass
class DeltaToolCall:
    index: int
    id: str | None = None
    type: str | None = None
    function: DeltaFunctionCall | None = None


@dataclass
class DeltaMessage:
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = field(default_factory=list)


@dataclass
class FunctionCall:
    name: str
    arguments: str


@dataclass
class ToolCall:
    id: str
    type: str
    function: FunctionCall


@dataclass
class ExtractedToolCallInformation:
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


class ToolParser:
    engine_based_streaming = False
    supports_required_and_named = True
    structural_tag_model: str | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.structural_tag_model is not None:
            cls.supports_required_and_named = False

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        self.model_tokenizer = tokenizer
        self.tools = tools or []

    def adjust_request(self, request: Any) -> Any:
        return request


class ReasoningParser:
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, *_: Any, **__: Any) -> None:
        self.model_tokenizer = tokenizer


class Manager:
    """A registry of names, as both of vLLM's are."""

    def __init__(self) -> None:
        self.lazy: dict[str, tuple[str, str]] = {}

    def register_lazy_module(self, name: str, module_path: str, class_name: str) -> None:
        self.lazy[name] = (module_path, class_name)


class DelegatingParser:
    """The way of a turn: reasoning first, and the rest to the tool parser."""

    reasoning_parser_cls: Any = None
    tool_parser_cls: Any = None

    def __init__(self, tokenizer: Any, tools: Any = None, **kwargs: Any) -> None:
        made = self.reasoning_parser_cls
        self.reasoning: Any = made(tokenizer, **kwargs) if made else None
        self.tool: Any = self.tool_parser_cls(tokenizer, tools) if self.tool_parser_cls else None
        if self.reasoning is None and self.tool is not None:
            self.tool.skip_reasoning_parsing = True
        self.over = self.reasoning is None

    def start(self, prompt: list[int]) -> None:
        if self.reasoning is not None:
            self.reasoning.set_prompt_token_ids(prompt)
            self.over = self.reasoning.is_reasoning_end(prompt)

    def parse(self, text: str, request: Any) -> tuple[str, str, list[tuple[str, str]]]:
        reasoning, content = self.reasoning.extract_reasoning(text, request) if self.reasoning else (None, text)
        if self.tool is None:
            return content or "", reasoning or "", []
        found = self.tool.extract_tool_calls(content or "", request)
        calls = [] if request.tool_choice == "none" else found.tool_calls
        return found.content or "", reasoning or "", [(call.function.name, call.function.arguments) for call in calls]

    def step(self, text: str, request: Any, ids: list[int] | None = None) -> list[DeltaMessage]:
        found: list[Any] = []
        passed, ids = text, ids or []
        if not self.over:
            delta = self._reasoning(text, ids)
            if self.reasoning.has_engine_confirmed_reasoning_end():
                self.over = True
                ids = self.reasoning.extract_content_ids(ids)
                rest = self.reasoning.finish_streaming()
                passed = (delta.content if delta else None) or ""
                passed += (rest.content if rest else None) or ""
                if delta is not None:
                    delta.content = None
                if self.tool is None:
                    return [delta, DeltaMessage(content=passed)]
            if delta is not None and (delta.content or delta.reasoning or delta.tool_calls):
                found.append(delta)
        if self.over:
            found.append(self._tool(passed, request, ids) if self.tool is not None else DeltaMessage(content=passed))
        return [each for each in found if each is not None]

    def finish(self) -> list[DeltaMessage]:
        ending = self.tool if self.over else self.reasoning
        found = ending.finish_streaming() if ending is not None else None
        return [found] if found is not None else []

    def _reasoning(self, text: str, ids: list[int]) -> Any:
        return self.reasoning.extract_reasoning_streaming("", text, text, [], ids, ids)

    def _tool(self, text: str, request: Any, ids: list[int]) -> Any:
        return self.tool.extract_tool_calls_streaming("", text, text, [], ids, ids, request)


class StructuralTag:
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given

    @classmethod
    def model_validate(cls, given: dict[str, Any]) -> StructuralTag:
        return cls(given)


class Tokenizer:
    """One id for each character, and one for each marker."""

    def __init__(self, *markers: str, name: str = "", template: str | None = None) -> None:
        self.name_or_path = name
        self.chat_template = template
        self.markers = list(markers)
        self.decoded = 0

    @property
    def added_tokens_decoder(self) -> dict[int, str]:
        return {0x110000 + place: marker for place, marker in enumerate(self.markers)}

    def encode(self, text: str) -> list[int]:
        marker = "|".join(map(re.escape, self.markers)) or "(?!)"
        return [
            0x110000 + self.markers.index(each) if each in self.markers else ord(each)
            for each in re.findall(rf"(?s){marker}|.", text)
        ]

    def decode(self, ids: list[int], *, skip_special_tokens: bool = True) -> str:
        self.decoded += len(ids)
        assert not skip_special_tokens
        return "".join(self.markers[each - 0x110000] if each >= 0x110000 else chr(each) for each in ids)

    def get_vocab(self) -> dict[str, int]:
        return {marker: 0x110000 + place for place, marker in enumerate(self.markers)}


def request(tools: Any = None, choice: Any = None, **more: Any) -> Any:
    """A request, with vLLM's defaults."""
    default = "auto" if tools else "none"
    return SimpleNamespace(
        **{
            "tools": tools,
            "tool_choice": choice or default,
            "parallel_tool_calls": True,
            "skip_special_tokens": True,
            **more,
        }
    )


class OldToolParser:
    """The base class before vLLM 0.24: nothing tells a parser that its stream has ended."""


def _moved(contents: dict[str, dict[str, Any]], old: str, new: str) -> dict[str, dict[str, Any]]:
    # With modules of another name, and those above them.
    moved = {
        new + name.removeprefix(old) if name == old or name.startswith(f"{old}.") else name: members
        for name, members in contents.items()
    }
    above = (name.split(".")[:depth] for name in moved for depth in range(1, name.count(".") + 1))
    return {".".join(parts): {} for parts in sorted(above)} | moved


LAYOUTS: dict[str, tuple[tuple[str, str], ...]] = {
    "0.33": (),
    "0.24 to 0.28": (("vllm.entrypoints.generate.base.protocol", "vllm.entrypoints.openai.engine.protocol"),),
    "vllm.frontend": (
        ("vllm.tool_parsers", "vllm.frontend.processing.tool_parsers"),
        ("vllm.reasoning", "vllm.frontend.processing.reasoning"),
        ("vllm.parser", "vllm.frontend.processing.parser"),
        ("vllm.entrypoints.generate", "vllm.frontend.entrypoints.generate"),
        ("vllm.envs", "vllm.foundation.system.envs"),
    ),
    "0.12": (
        ("vllm.tool_parsers", "vllm.entrypoints.openai.tool_parsers"),
        ("vllm.entrypoints.generate.base.protocol", "vllm.entrypoints.openai.protocol"),
    ),
}
"""The names that releases have given to their modules: what is at another place than in the first."""


def modules(layout: str = "0.33") -> dict[str, ModuleType]:
    """The modules of vLLM that a plugin imports, in the places of these releases."""
    types: tuple[type[Any], ...] = (DeltaFunctionCall, DeltaMessage, DeltaToolCall, FunctionCall, ToolCall)
    protocol: dict[str, Any] = {each.__name__: each for each in (*types, ExtractedToolCallInformation)}
    contents: dict[str, dict[str, Any]] = {
        "vllm": {},
        "vllm.envs": {"VLLM_ENFORCE_STRICT_TOOL_CALLING": True},
        "vllm.entrypoints": {},
        "vllm.entrypoints.generate": {},
        "vllm.entrypoints.generate.base": {},
        "vllm.entrypoints.generate.base.protocol": protocol,
        "vllm.parser": {},
        "vllm.parser.abstract_parser": {"DelegatingParser": DelegatingParser},
        "vllm.reasoning": {"ReasoningParserManager": Manager()},
        "vllm.reasoning.abs_reasoning_parsers": {"ReasoningParser": ReasoningParser},
        "vllm.tool_parsers": {"ToolParserManager": Manager()},
        "vllm.tool_parsers.abstract_tool_parser": {"ToolParser": ToolParser},
        "xgrammar": {"StructuralTag": StructuralTag},
    }
    for old, new in LAYOUTS[layout]:
        contents = _moved(contents, old, new)
    found: dict[str, ModuleType] = {}
    for name, members in contents.items():
        module = found[name] = ModuleType(name)
        module.__path__ = []
        vars(module).update(members)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(found[parent], last, module)
    return found


def ours_loaded() -> list[str]:
    """The modules of the plugin that are loaded, which hold on to these types."""
    return [name for name in sys.modules if name.startswith("toolglean.engines.vllm")]
