"""Our parser in TensorRT-LLM, on stand-ins for its classes, written from its interface. It was not run in the real thing."""

from __future__ import annotations

import importlib
import json
import runpy
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.engines.sglang_stand_ins import Calls, Item, parents, tool
from tests.engines.test_sglang import ARGUMENTS, CALL, JSON_CALL, streamed
from toolglean import UsageError
from toolglean.engines import EngineError
from toolglean.engines.names import parser_names
from toolglean.engines.tensorrt_llm import register

PACKAGE = "tensorrt_llm.serve.tool_parser"
OURS = "toolglean.engines.tensorrt_llm.parsers"
TOOLS = [tool("get_weather", city={"type": "string"}, days={"type": "integer"})]


class OldBaseToolParser:
    """Before the server told a parser that its stream has ended."""

    needs_raw_special_tokens = False

    def __init__(self) -> None:
        self._buffer = ""
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.streamed_args_for_tool: list[str] = []
        self.current_tool_id = -1


class BaseToolParser(OldBaseToolParser):
    def finish(self, tools: list[Any]) -> Calls:
        raise NotImplementedError


class Factory:
    """Makes a parser from its name, as the server does."""

    def __init__(self) -> None:
        self.parsers: dict[str, Any] = {"qwen3": object}

    def create_tool_parser(self, name: str) -> Any:
        return self.parsers[name.lower()]()


def _install(patch: pytest.MonkeyPatch, base: Any = BaseToolParser) -> dict[str, ModuleType]:
    contents: dict[str, dict[str, Any]] = {
        f"{PACKAGE}.core_types": {"StreamingParseResult": Calls, "ToolCallItem": Item},
        f"{PACKAGE}.base_tool_parser": {"BaseToolParser": base},
        f"{PACKAGE}.tool_parser_factory": {"ToolParserFactory": Factory()},
        "tensorrt_llm.commands.serve": {"main": lambda: None},
    }
    made = {}
    for name, members in contents.items():
        for part in (*parents(name), name):
            if part not in made:
                made[part] = ModuleType(part)
                made[part].__path__ = []
                patch.setitem(sys.modules, part, made[part])
        vars(made[name]).update(members)
    return made


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    sys.modules.pop(OURS, None)
    yield
    sys.modules.pop(OURS, None)  # it stands on what is gone now


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Factory:
    made: Factory = vars(_install(monkeypatch)[f"{PACKAGE}.tool_parser_factory"])["ToolParserFactory"]
    register()
    register()  # a second time changes nothing
    return made


def test_the_names_are_choices(factory: Factory) -> None:
    assert list(factory.parsers) == ["qwen3", *parser_names()]
    assert all(factory.parsers[name].needs_raw_special_tokens for name in parser_names())


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", ["toolglean", "toolglean-qwen3-coder"])
def test_a_stream(name: str, size: int, factory: Factory) -> None:
    """The end of the text, which may be the beginning of a marker, comes when the server says that it is over."""
    parser = factory.create_tool_parser(name)
    content, [(called, arguments)] = streamed(parser, f"Hi {CALL}\nDone <too", size, TOOLS)
    assert (content, called, json.loads(arguments)) == ("Hi \nDone <too", "get_weather", ARGUMENTS)
    assert parser.streamed_args_for_tool == [arguments]
    assert parser.incomplete_tool_call_indices == set()


def test_a_whole_text(factory: Factory) -> None:
    parser = factory.create_tool_parser("TOOLGLEAN")
    assert parser.has_tool_call(JSON_CALL)
    assert not parser.has_tool_call("Use <tool_call> for calls.")
    found = parser.detect_and_parse(f"Hi {JSON_CALL}", TOOLS)
    assert found == Calls("Hi ", [Item(0, '{"city": "Oslo"}', "get_weather")])
    assert factory.create_tool_parser("toolglean").detect_and_parse(CALL[:60], TOOLS) == Calls(CALL[:60], [])


def test_an_unknown_tool_is_content_by_default(factory: Factory, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [tool("get_tide")]
    assert streamed(factory.create_tool_parser("toolglean"), CALL, tools=others) == (CALL, [])
    monkeypatch.setenv("TOOLGLEAN_UNKNOWN_TOOLS", "call")
    _, found = streamed(factory.create_tool_parser("toolglean"), CALL, tools=others)
    assert [name for name, _ in found] == ["get_weather"]


def test_a_wrong_option_stops_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch)
    monkeypatch.setenv("TOOLGLEAN_QUOTED", "perhaps")
    with pytest.raises(UsageError, match="quoted='perhaps'"):
        register()


def test_there_are_no_structural_tags(factory: Factory) -> None:
    parser = factory.create_tool_parser("toolglean-hermes")
    assert not parser.supports_structural_tag()
    with pytest.raises(UsageError, match="structure_info"):
        parser.structure_info()


def test_the_program_registers_the_names_before_the_servers_own_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _install(monkeypatch)
    served: list[list[str]] = []
    factory = vars(made[f"{PACKAGE}.tool_parser_factory"])["ToolParserFactory"]
    vars(made["tensorrt_llm.commands.serve"])["main"] = lambda: served.append(list(factory.parsers))
    runpy.run_module("toolglean.engines.tensorrt_llm", run_name="__main__")
    assert served == [["qwen3", *parser_names()]]


def test_a_release_that_does_not_end_streams_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, OldBaseToolParser)
    with pytest.raises(EngineError, match="BaseToolParser has no `finish`"):
        register()


def test_without_tensorrt_llm() -> None:
    with pytest.raises(EngineError, match=r"none of the modules tensorrt_llm\.serve\.tool_parser\.tool_parser_factory"):
        register()


def test_names_of_other_things_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _install(monkeypatch)
    vars(made[f"{PACKAGE}.core_types"]).clear()
    with pytest.raises(EngineError, match="with StreamingParseResult, ToolCallItem"):
        importlib.import_module(OURS)
