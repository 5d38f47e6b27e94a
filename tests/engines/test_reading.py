"""What the engines share: names, the format of the served model, a turn in pieces."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engines import vllm_baseline
from tests.support import engine_names
from tests.support.engine_names import library_names
from toolglean.engines.names import ANY, FORMATS, format_of, parser_names
from toolglean.engines.reading import ToolCallDelta, TurnDelta, TurnReader
from toolglean.engines.syntax import model_syntax, tools_of
from toolglean.errors import UsageError
from toolglean.options import ParserOptions

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}}
TOOLS = tools_of([TOOL])
CALL = "<tool_call>\n<function=f>\n<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>"
CUT = "<tool_call>\n<function=f>\n<parameter=n>\n3"
UNKNOWN = CALL.replace("=f", "=g")
ARGUMENTS = '{"n": 3}'
TEXT_ARGUMENTS = '{"n": "3"}'  # nothing tells the type of an unknown tool's parameter


def test_every_format_of_the_library_has_a_parser() -> None:
    assert library_names() == FORMATS, "names.py and the library differ: run `python -m tests.support.engine_names`"
    source = engine_names.PATH.read_text(encoding="utf-8")
    assert engine_names.rewritten(source) == source


def test_parsers_names_name_formats() -> None:
    assert parser_names()[0] == ANY
    assert format_of(ANY) == ""
    assert format_of("toolglean-hermes") == "hermes"
    assert {format_of(name) for name in parser_names()[1:]} == set(FORMATS)


def read(chunks: list[str], **options: Any) -> TurnDelta:
    reader = TurnReader(model_syntax("qwen3-coder"), TOOLS, **options)
    pieces = [*(reader.feed(chunk) for chunk in chunks), reader.finish()]
    calls: dict[int, ToolCallDelta] = {}
    for part in (part for piece in pieces for part in piece.calls):
        call = calls.setdefault(part.index, ToolCallDelta(part.index, "", "id", part.name))
        call.arguments += part.arguments
        assert bool(part.id) is bool(part.name)
    return TurnDelta("".join(p.content for p in pieces), "".join(p.reasoning for p in pieces), list(calls.values()))


def in_all_ways(text: str, **options: Any) -> TurnDelta:
    luck = random.Random(text)
    ways = [[text], list(text)]
    for _ in range(4):
        cuts = sorted(luck.sample(range(len(text)), min(5, len(text))))
        ways.append([text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)])
    found = [read(way, **options) for way in ways]
    assert all(each == found[0] for each in found)
    return found[0]


ROWS: dict[str, tuple[str, dict[str, Any], str, str, list[str]]] = {
    # name: text, options, content, reasoning, the arguments of its calls
    "text": ("Hi <b> there", {}, "Hi <b> there", "", []),
    "all three": (f"<think>\nI see.\n</think>\n\nHi\n{CALL}<|im_end|>", {}, "Hi\n", "I see.", [ARGUMENTS]),
    "white space kept": (f"<think>\n\tI see. \n\n</think>\n\nHi {CALL}", {"spaces": True}, "\n\nHi ", "\tI see. \n", [ARGUMENTS]),
    "between reasoning and call is nothing": (f"<think>\nI\n</think>\n\n{CALL}", {"spaces": True}, "", "I", [ARGUMENTS]),
    "an empty block": ("<think>\n\n</think>\n\nHi", {}, "Hi", "", []),
    "the prompt has opened it": (f"I see.\n</think>\n{CALL}", {"in_reasoning": True}, "", "I see.", [ARGUMENTS]),
    "the prompt says so": ("I see.\n</think>\nHi", {"prompt": "<|im_start|>assistant\n<think>\n"}, "Hi", "I see.", []),
    "the prompt has closed it": ("Hi", {"prompt": "<|im_start|>assistant\n<think>\n\n</think>\n\n"}, "Hi", "", []),
    "white space before the opener": ("\n<think>I</think>Hi", {"in_reasoning": True, "spaces": True}, "Hi", "I", []),
    "a draft that ends the turn": (f"<think>I {CALL}", {}, "", "I", [ARGUMENTS]),
    "a draft that goes on": (f"<think>I {CALL} or not\n</think>\nNo.", {}, "No.", f"I {CALL} or not", []),
    "reasoning after a call": (f"{CALL}<think>So</think>Hi", {}, "Hi", "So", [ARGUMENTS]),
    "two calls": (CALL + "\n" + CALL, {}, "", "", [ARGUMENTS, ARGUMENTS]),
    "an unknown tool is text": (f"Hi {UNKNOWN}", {}, f"Hi {UNKNOWN}", "", []),
    "an unknown tool, if it is wanted": (UNKNOWN, {"options": ParserOptions(unknown_tools="call")}, "", "", [TEXT_ARGUMENTS]),
    "a quotation is text": (f"Write `{CALL}`", {}, f"Write `{CALL}`", "", []),
    "a call that is cut off, in pieces": (f"Hi {CUT}", {}, "Hi ", "", ['{"n": ']),
    "a call that is cut off, whole": (f"Hi {CUT}", {"whole_calls": True}, f"Hi {CUT}", "", []),
    "no calls wanted": (f"<think>\nI\n</think>\nHi {CALL}<|im_end|>", {"calls": False}, f"Hi {CALL}", "I", []),
    "no reasoning wanted": (f"<think>\nI\n</think>\nHi {CALL}", {"reasoning": False}, "<think>\nI\n</think>\nHi ", "", [ARGUMENTS]),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_a_turn_in_pieces(row: str) -> None:
    text, options, content, reasoning, arguments = ROWS[row]
    found = in_all_ways(text, **options)
    assert (found.content, found.reasoning) == (content, reasoning)
    assert [part.arguments for part in found.calls] == arguments


PATH = {
    "parameters": {"properties": {"path": {"type": "string"}, "dry_run": {"type": "boolean"}}, "required": ["path"]}
}
REFUSED: dict[str, tuple[str, str, str]] = {
    # name: format, text, what follows the arguments in the last delta
    "a comment behind the call": ("hermes", '<tool_call>\n{"name": "f", "arguments": {"path": "/"}} // no\n</tool_call>', "<malformed>"),
    "a parameter beside the arguments": ("hermes", '<tool_call>{"name": "f", "arguments": {"path": "/"}, "dry_run": true}</tool_call>', "<malformed>"),
    "the same in Mistral's format": ("mistral-v13", '[TOOL_CALLS]f[ARGS]{"path": "/"}, "dry_run": true}', "<malformed>"),
    "cut off behind the arguments": ("hermes", '<tool_call>\n{"name": "f", "arguments": {"path": "/"}', "<incomplete>"),
}  # fmt: skip


@pytest.mark.parametrize("row", REFUSED)
def test_the_deltas_of_a_call_that_must_not_run_are_no_json(row: str) -> None:
    """They joined to complete arguments, and vLLM cannot tell its clients in any other way."""
    name, text, mark = REFUSED[row]
    reader = TurnReader(model_syntax(name), tools_of([{"type": "function", "function": {"name": "f", **PATH}}]))
    parts = [part for each in [*text, None] for part in (reader.finish() if each is None else reader.feed(each)).calls]
    assert "".join(part.arguments for part in parts) == '{"path": "/"}' + mark
    assert reader.broken == {0}


def test_only_the_first_call() -> None:
    found = in_all_ways(f"{CALL}\n{CALL}", single_call=True)
    assert [part.arguments for part in found.calls] == [ARGUMENTS]
    assert "<function=f>" in found.content


def test_the_frame_of_an_answer_is_not_content() -> None:
    syntax = model_syntax("hunyuan-a13b")
    text = "<think>\nI\n</think>\n<answer>\nHi</answer>"
    assert TurnReader(syntax).read(text) == TurnReader(syntax, calls=False).read(text) == TurnDelta("Hi", "I")


def test_ids() -> None:
    def made() -> str:
        return "mine"

    named = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
    )
    assert TurnReader(model_syntax("kimi-k2"), TOOLS, new_id=made).read(named).calls[0].id == "functions.f:0"
    syntax = model_syntax("qwen3-coder")
    assert TurnReader(syntax, TOOLS, new_id=made).read(CALL).calls[0].id == "mine"
    assert TurnReader(syntax, TOOLS).read(CALL).calls[0].id != TurnReader(syntax, TOOLS).read(CALL).calls[0].id


def test_the_served_model() -> None:
    assert model_syntax("hermes").format == model_syntax("", "Qwen/Qwen3-8B").format
    assert model_syntax("", "/models/mine") == model_syntax()
    assert model_syntax().format is None
    assert model_syntax().pairs == (("<think>", "</think>"),)
    with pytest.raises(UsageError, match="unknown format"):
        model_syntax("no-such-format")


TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    '{% for c in m.tool_calls or [] %}<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)


def test_the_template_counts_before_the_name() -> None:
    found = model_syntax("", "meta-llama/Llama-3.1-8B", TEMPLATE)
    assert found.format is not None
    assert found.format.name == "hermes"
    assert (found.reasons, found.opens) == (True, True)


def test_tools_of_a_request() -> None:
    flat = {"type": "function", "name": "g", "parameters": {}}
    shown = SimpleNamespace(type="function", function=SimpleNamespace(name="h", parameters=None, description=None))
    found = tools_of([TOOL, flat, shown, {"type": "web_search"}, {"type": "function"}])
    assert found is not None
    assert found.names == ("f", "g", "h")
    assert tools_of(None) is tools_of([]) is tools_of([{"type": "web_search"}]) is None


def test_each_accepted_failure_has_its_reason() -> None:
    reasons, tests = vllm_baseline.accepted()
    assert set(tests.values()) == set(reasons)
    assert len(tests) > 100
