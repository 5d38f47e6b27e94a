"""Our parsers in SGLang, on stand-ins for its classes: how they are registered, and what they say in its words."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.engines.sglang_stand_ins import install, tool
from tests.support import depth
from tests.support.stand_in import stand_in
from toolglean import UsageError
from toolglean.engines.names import parser_names
from toolglean.engines.sglang import CALLS, THOUGHTS, register, when_imported

TOOLS = [tool("get_weather", city={"type": "string"}, days={"type": "integer"})]
CALL = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\n01\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
    "</function>\n</tool_call>"
)
ARGUMENTS = {"city": "01", "days": 3}
JSON_CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    install(monkeypatch)
    yield
    for name in ("calls", "thoughts"):  # they stand on what is gone now
        sys.modules.pop(f"toolglean.engines.sglang.{name}", None)


@pytest.fixture
def calls() -> dict[str, Any]:
    register()
    table: dict[str, Any] = sys.modules[CALLS].FunctionCallParser.ToolCallParserEnum
    return table


@pytest.fixture
def thoughts() -> dict[str, Any]:
    register()
    table: dict[str, Any] = sys.modules[THOUGHTS].ReasoningParser.DetectorMap
    return table


def streamed(parser: Any, text: str, size: int = 1, tools: Any = TOOLS) -> tuple[str, list[tuple[str, str]]]:
    results = [parser.parse_streaming_increment(text[at : at + size], tools) for at in range(0, len(text), size)]
    results.append(parser.finish(tools))
    found: dict[int, list[str]] = {}
    for item in (item for result in results for item in result.calls):
        call = found.setdefault(item.tool_index, [item.name, ""])
        call[1] += item.parameters
    return "".join(result.normal_text for result in results), [(name, text) for name, text in found.values()]


# -- registering -----------------------------------------------------------------------------------------------------


def test_the_names_are_choices_and_no_table_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (CALLS, THOUGHTS):
        monkeypatch.delitem(sys.modules, table)
    register()
    register()  # a second time adds nothing
    for module, name in (
        ("sglang.srt.function_call.parser_names", "TOOL_CALL_PARSER_NAMES"),
        ("sglang.srt.parser.reasoning_parser_names", "REASONING_PARSER_NAMES"),
    ):
        names = getattr(sys.modules[module], name)
        assert names[:2] == ["qwen25", "hermes"]
        assert tuple(names[2:]) == parser_names()
    assert CALLS not in sys.modules
    assert THOUGHTS not in sys.modules
    assert "toolglean.engines.sglang.calls" not in sys.modules


def test_tables_that_are_there_are_filled_at_once(calls: dict[str, Any], thoughts: dict[str, Any]) -> None:
    for table, first in ((calls, "hermes"), (thoughts, "qwen3")):
        assert list(table) == [first, *parser_names()]
        assert table["toolglean"].format_name == ""
        assert table["toolglean-kimi-k2"].format_name == "kimi-k2"


def test_tables_are_filled_when_they_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late_table.py").write_text("TABLE = {}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen: list[ModuleType] = []
    when_imported("late_table", seen.append)
    when_imported("late_table", seen.append)  # once is enough
    assert not seen
    module = importlib.import_module("late_table")
    assert seen == [module]
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
    assert type(module.__loader__).__module__ != "toolglean.engines.sglang"
    del sys.modules["late_table"]


def test_an_import_succeeds_whatever_we_do_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "odd_table.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    when_imported("odd_table", lambda module: module.Missing.table.clear())
    with caplog.at_level(logging.WARNING):
        importlib.import_module("odd_table")
    assert "toolglean could not extend odd_table" in caplog.text
    del sys.modules["odd_table"]


def test_a_module_that_is_not_there_stays_missing() -> None:
    when_imported("no_such_module_here", lambda _: None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module_here")


def test_registering_never_raises(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(sys.modules, "sglang.srt.function_call.parser_names", ModuleType("empty"))
    monkeypatch.delitem(sys.modules, "sglang.srt.parser.reasoning_parser_names")
    monkeypatch.setitem(sys.modules, CALLS, ModuleType(CALLS))
    with caplog.at_level(logging.WARNING):
        register()
    assert caplog.text.count("toolglean") >= 3


def test_the_entry_point_is_declared() -> None:
    found = [each for each in entry_points(group="sglang.srt.plugins") if each.name == "toolglean"]
    if not found:
        pytest.skip("toolglean is not installed in this environment, or was before it had the entry point")
    assert found[0].load() is register


# -- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["toolglean", "toolglean-qwen3-coder"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream(name: str, size: int, calls: dict[str, Any]) -> None:
    parser = calls[name]()
    content, found = streamed(parser, f"I look.\n{CALL}<|im_end|>", size)
    assert content.strip() == "I look."
    assert [(each, json.loads(arguments)) for each, arguments in found] == [("get_weather", ARGUMENTS)]
    # What the server reads at the end: nothing is left to send.
    assert parser.prev_tool_call_arr[-1]["arguments"] == parser.streamed_args_for_tool[-1] == found[0][1]
    assert parser.incomplete_tool_call_indices == set()


def test_a_whole_answer(calls: dict[str, Any]) -> None:
    parser = calls["toolglean-qwen3-coder"]()
    text = f"I look.\n{CALL}\n{CALL}"
    assert parser.has_tool_call(text)
    result = parser.detect_and_parse(text, TOOLS)
    assert result.normal_text.strip() == "I look."
    assert [(each.tool_index, each.name, json.loads(each.parameters)) for each in result.calls] == [
        (0, "get_weather", ARGUMENTS),
        (1, "get_weather", ARGUMENTS),
    ]


@pytest.mark.parametrize("text", ["", "Hello (you).", "See `<tool_call>` for it.", "{}"], ids=repr)
def test_an_answer_without_calls(text: str, calls: dict[str, Any]) -> None:
    for name in ("toolglean", "toolglean-hermes"):
        assert not calls[name]().has_tool_call(text)
        assert streamed(calls[name](), text) == (text, [])


@pytest.mark.parametrize(
    "text",
    [JSON_CALL, '{"name": "get_weather", "parameters": {}}', "```json\n" + JSON_CALL[12:-13] + "\n```"],
    ids=repr,
)
def test_a_call_that_counts_for_known_tools_only_is_seen_without_them(text: str, calls: dict[str, Any]) -> None:
    """The server asks `has_tool_call` first, which is not told the tools."""
    parser = calls["toolglean-qwen3-coder"]()
    assert parser.has_tool_call(text)
    assert [each.name for each in parser.detect_and_parse(text, TOOLS).calls] == ["get_weather"]


@pytest.mark.parametrize(
    "text",
    [
        JSON_CALL.replace("get_", "get "),  # a name with a blank
        JSON_CALL[12:-13].replace("get_", "get "),
        JSON_CALL.replace("get_", "g\\u0065t "),
        JSON_CALL.replace("get_weather", "no\\u0074e"),
        '<call:my.tool{city:<|"|>Oslo<|"|>}/>',
        'Ok.\n<note city="Oslo"/>',  # spelt by the schema
        'Hm.</think><note city="Oslo"/>',
        'Ok.\n<call name="note"><arg name="city">Oslo</arg></call>',
        'note city="Oslo"',
        "Tool: note\ncity: Oslo.\nEnd.",
    ],
    ids=repr,
)
def test_a_whole_answer_has_the_calls_of_a_stream(text: str, calls: dict[str, Any]) -> None:
    """`has_tool_call` denied these, so that a whole answer stayed text."""
    tools = [
        tool(name, strict=False, city={"type": "string"}) for name in ("get weather", "get_weather", "note", "my.tool")
    ]
    for name in ("toolglean", "toolglean-hermes"):
        _, found = streamed(calls[name](), text, tools=tools)
        whole = calls[name]().detect_and_parse(text, tools).calls
        assert [(each.name, each.parameters) for each in whole] == found != []
        assert calls[name]().has_tool_call(text)


def test_a_call_that_was_cut_off_is_told_in_a_stream_and_text_in_a_whole_answer(calls: dict[str, Any]) -> None:
    parser = calls["toolglean-qwen3-coder"]()
    _, found = streamed(parser, CALL[:80])
    assert found == [("get_weather", '{"city": "01"')]
    assert parser.incomplete_tool_call_indices == {0}  # so the finish reason is not tool_calls
    result = calls["toolglean-qwen3-coder"]().detect_and_parse(CALL[:80], TOOLS)
    assert (result.normal_text, result.calls) == (CALL[:80], [])


def test_an_unknown_tool_is_content_unless_they_are_forwarded(
    calls: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [tool("get_tide")]
    assert streamed(calls["toolglean-qwen3-coder"](), CALL, tools=others) == (CALL, [])
    envs = sys.modules["sglang.srt.environ"].envs
    monkeypatch.setattr(envs, "SGLANG_FORWARD_UNKNOWN_TOOLS", SimpleNamespace(get=lambda: True))
    _, found = streamed(calls["toolglean-qwen3-coder"](), CALL, tools=others)
    assert [name for name, _ in found] == ["get_weather"]
    monkeypatch.setenv("TOOLGLEAN_UNKNOWN_TOOLS", "content")  # our own variable comes first
    assert streamed(calls["toolglean-qwen3-coder"](), CALL, tools=others) == (CALL, [])


def test_the_format_is_that_of_the_models_name(calls: dict[str, Any]) -> None:
    parser = calls["toolglean"](
        tokenizer=SimpleNamespace(name_or_path="moonshotai/Kimi-K2-Instruct", chat_template=None)
    )
    assert parser.supports_structural_tag()
    assert parser._syntax.format.name == "kimi-k2"
    assert not calls["toolglean"](
        tokenizer=SimpleNamespace(name_or_path="/models/m", chat_template={})
    ).supports_structural_tag()


def test_a_long_argument_costs_the_same_for_each_chunk(calls: dict[str, Any]) -> None:
    """What the server compares at the end is joined there, not with each delta."""
    parser = calls["toolglean-hermes"]()
    text = JSON_CALL.replace("Oslo", "O" * 5_000)
    for at in range(0, len(text) - 40, 4):
        parser.parse_streaming_increment(text[at : at + 4], TOOLS)
    assert parser.streamed_args_for_tool == [""]
    assert parser.prev_tool_call_arr == [{"name": "get_weather", "arguments": ""}]


# -- structured tool choice -------------------------------------------------------------------------------------------


class Tag:
    @staticmethod
    def model_validate(given: dict[str, Any]) -> dict[str, Any]:
        return given


@pytest.fixture
def xgrammar(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "xgrammar", StructuralTag=Tag)


@pytest.mark.usefixtures("xgrammar")
def test_a_choice_becomes_a_tag(calls: dict[str, Any]) -> None:
    tools = [*TOOLS, tool("get_tide", strict=True, port={"enum": ["north"]})]
    parser = calls["toolglean-hermes"]()
    named = SimpleNamespace(function=SimpleNamespace(name="get_tide"))
    for choice, both in (("auto", True), ("required", True), (named, False)):
        tag = parser.get_structural_tag(tools=tools, tool_choice=choice)
        assert tag["type"] == "structural_tag"
        text = json.dumps(tag)
        assert "north" in text
        assert ("get_weather" in text) is both
        assert "days" not in text  # not strict: any arguments


@pytest.mark.usefixtures("xgrammar")
def test_reasoning_is_in_the_tag_if_nobody_else_sees_to_it(calls: dict[str, Any]) -> None:
    parser = calls["toolglean-hermes"]()
    assert "</think>" in json.dumps(parser.get_structural_tag(tools=TOOLS, tool_choice="required", thinking_mode=True))
    assert "</think>" not in json.dumps(parser.get_structural_tag(tools=TOOLS, tool_choice="required"))


def test_without_a_format_sglang_asks_for_json(calls: dict[str, Any]) -> None:
    parser = calls["toolglean"]()
    assert not parser.supports_structural_tag()
    assert parser.get_structural_tag(tools=TOOLS, tool_choice="required") is None
    listed = '[{"name": "get_weather", "parameters": {"days": 3}}]'
    assert [each.parameters for each in parser.detect_and_parse(listed, TOOLS).calls] == ['{"days": 3}']


def test_the_old_kind_of_tag_is_not_offered(calls: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="get_structural_tag"):
        calls["toolglean-hermes"]().structure_info()


# -- reasoning --------------------------------------------------------------------------------------------------------

THOUGHT = "<think>\nHm.\n</think>\n\n"


def told(parser: Any, text: str, size: int = 1) -> tuple[str, str]:
    results = [parser.parse_streaming_increment(text[at : at + size]) for at in range(0, len(text), size)]
    results.append(parser.finish())
    return "".join(each.reasoning_text for each in results), "".join(each.normal_text for each in results)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_reasoning_goes_and_the_call_stays(size: int, thoughts: dict[str, Any]) -> None:
    parser = thoughts["toolglean-hermes"]()
    assert told(parser, f"{THOUGHT}I look.\n{JSON_CALL}<|im_end|>", size) == ("Hm.", f"\n\nI look.\n{JSON_CALL}")
    assert (parser.think_start_token, parser.think_end_token) == ("<think>", "</think>")


def test_a_whole_answer_is_split_in_the_same_way(thoughts: dict[str, Any]) -> None:
    result = thoughts["toolglean-hermes"]().detect_and_parse(f"{THOUGHT}{JSON_CALL}")
    assert (result.reasoning_text, result.normal_text.strip()) == ("Hm.", JSON_CALL)


def test_without_tools_the_formats_markers_are_gone(thoughts: dict[str, Any]) -> None:
    turn = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.<|return|>"
    assert told(thoughts["toolglean-harmony"](), turn) == ("Hm.", "Hi.")


def test_reasoning_that_the_prompt_has_opened(thoughts: dict[str, Any]) -> None:
    for name in ("toolglean", "toolglean-hermes"):
        assert told(thoughts[name](force_reasoning=True), "Hm.</think>Hi.") == ("Hm.", "Hi.")
        reasoning, content = told(thoughts[name](force_reasoning=True), f"{THOUGHT}Hi.")
        assert (reasoning.strip(), content.strip()) == ("Hm.", "Hi.")
    going_on = thoughts["toolglean"](continue_final_message=True, previous_content="<think>So")
    assert told(going_on, " what.</think>Hi.") == (" what.", "Hi.")


def test_reasoning_that_is_not_streamed_comes_at_once(thoughts: dict[str, Any]) -> None:
    parser = thoughts["toolglean-hermes"](stream_reasoning=False)
    turn = "<think>One two three.</think>Hi. <think>Four.</think>You."
    results = [parser.parse_streaming_increment(each) for each in turn] + [parser.finish()]
    assert next(each.reasoning_text for each in results if each.reasoning_text) == "One two three."
    assert "".join(each.reasoning_text for each in results).startswith("One two three.Four")
    cut_off = thoughts["toolglean-hermes"](stream_reasoning=False)
    assert told(cut_off, "<think>One two") == ("One two", "")


def test_content_that_must_not_be_empty_is_the_reasoning(thoughts: dict[str, Any]) -> None:
    def new() -> Any:
        return thoughts["toolglean-hermes"](force_nonempty_content=True)

    assert new().detect_and_parse("<think>One two").normal_text == "One two"
    assert told(new(), "<think>One two")[1] == "One two"
    assert told(new(), f"{THOUGHT}Hi.") == ("Hm.", "\n\nHi.")


HISTORY = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n"
    "</think>\n\n{% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
)
DEFAULTS = [
    ("<think>\n", "always"),
    ("{% if enable_thinking is not defined or enable_thinking %}<think>\n{% endif %}", "enable_thinking"),
    ("{% if thinking is defined and thinking %}<think>\n{% endif %}", "explicit_thinking"),
    ("", None),
]


@pytest.mark.skipif(not depth.is_full(), reason="reads four templates, a second each: see tests/support/depth.py")
@pytest.mark.parametrize(("tail", "default"), DEFAULTS)
def test_when_the_prompt_opens_the_reasoning(tail: str, default: str | None, thoughts: dict[str, Any]) -> None:
    pytest.importorskip("jinja2", reason="needs toolglean[jinja]")
    tokenizer = SimpleNamespace(name_or_path="", chat_template=f"{HISTORY}{tail}{{% endif %}}")
    assert thoughts["toolglean"](tokenizer=tokenizer).reasoning_default == default


@pytest.mark.parametrize(
    ("template", "opens", "default"),
    [
        ("a", [None], "always"),
        ("b thinking", [None, {"thinking": True}], "thinking"),
        ("c thinking", [None, {"thinking": True}, {"thinking": False}], "always"),
        ("d enable_thinking", [{"enable_thinking": True}], "explicit_enable_thinking"),
        ("e enable_thinking", [], None),
    ],
)
@pytest.mark.usefixtures("thoughts")
def test_the_words_for_it(
    template: str, opens: list[Any], default: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`opens`: the variables with which the template opens the reasoning; None: without any."""
    module = sys.modules["toolglean.engines.sglang.thoughts"]
    monkeypatch.setattr(module, "opens_reasoning", lambda _, variables=None: variables in opens)
    assert module.reasoning_default(template) == default


def test_without_a_template_the_prompt_opens_nothing(thoughts: dict[str, Any]) -> None:
    assert thoughts["toolglean"]().reasoning_default is None
