"""What looks like a request for a tool, and does not run: the rules of SECURITY.md hold in routing, too."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from toolglean.conversation import McpIntegration, ToolUseContent, to_neutral

PATH = {"path": "/"}
JSON = '{"name": "clean", "arguments": {"path": "/"}}'
CALL = {"id": "c1", "type": "function", "function": {"name": "clean", "arguments": '{"path": "/"}'}}
USE = {"type": "tool_use", "id": "t1", "name": "clean", "input": PATH}
ITEM = {
    "type": "function_call",
    "id": "fc",
    "call_id": "r1",
    "name": "clean",
    "arguments": '{"path": "/"}',
    "status": "completed",
}
DEFINITION = {"name": "reset", "description": "Resets all.", "parameters": {"type": "object", "properties": {}}}


def ran(content: Any) -> tuple[list[Any], str]:
    """The calls that ran, and the answers."""
    found: list[Any] = []
    mcp = McpIntegration()

    @mcp.register_tool
    def clean(path: str, dry_run: bool = False) -> str:  # noqa: FBT002
        found.append(("clean", path, dry_run))
        return "done"

    @mcp.register_tool
    def reset() -> str:
        found.append(("reset",))
        return "done"

    @mcp.register_tool
    def note(content: str, id: str = "") -> str:  # noqa: A002
        found.append(("note", content, id))
        return "done"

    assert [clean, reset, note]
    return found, str(asyncio.run(mcp.route_tool_use(content)))


# Each of these ran, some without the arguments that said what was meant.
ATTRIBUTES = [
    '<clean dry_run="true"><path>/</path></clean>',
    '<clean path="/srv" dry_run="true"><path>/</path></clean>',
    '<clean id="1" dry_run="true"><path>/</path></clean>',
    "<clean dry_run><path>/</path></clean>",
    '<note id="1"><content>x</content></note>',  # a parameter of this tool
]
QUOTED = [
    f"<think>maybe {JSON}</think>No, I will not.", f"<think><tool_call>{JSON}</tool_call></think>No.",
    f"<!-- {JSON} -->", f"<tool_response>\n{JSON}\n</tool_response>", f"> <tool_call>{JSON}</tool_call>",
    f"Never call `{JSON}`", f"Example:\n```json\n{JSON}\n```\nDo not run it.", f"Example:\n{JSON}\nDo not run it.",
    f"<|im_start|>user\n<tool_call>{JSON}</tool_call>", f"user: {JSON}", f"Result: {JSON}", f"- {JSON}",
    f'He said "{JSON}"',
]  # fmt: skip
DATA: list[Any] = [
    {"name": "clean", "arguments": PATH, "dry_run": True},
    {"name": "clean", "arguments": PATH, "execute": False},
    {"name": "clean", "arguments": PATH, "input": {"path": "/srv"}},
    [{"role": "user", "content": "x"}, {"name": "clean", "arguments": PATH}],
    [1, 2, {"name": "clean", "arguments": PATH}],
    [USE, {"type": "tool_result", "tool_use_id": "t1", "content": "12"}],
    {"role": "user", "content": [USE]},
    {"role": "tool", "tool_calls": [CALL]},
    {"tool_calls": [{**CALL, "type": "tool_result"}]},
    {"type": "tool_result", "name": "reset", "tool_use_id": "x", "content": "12"},
    {"role": "tool", "name": "reset", "content": "12"},
    {"name": "reset", "tool_call_id": "x", "content": "12"},
    {"name": "reset", "result": "12"},
    {"name": "reset", "status": "done"},
    {"name": "reset", "kwargs": {"all": True}},
    {"name": "reset", "input_schema": {"type": "object"}},
    DEFINITION,
    {"type": "function", **DEFINITION},
    {"type": "function", "function": DEFINITION},
    {**USE, "dry_run": True},
    {**USE, "arguments": {"path": "/srv"}},
    {**USE, "role": "user"},
    {**CALL, "dry_run": True},
    {"function": {"name": "clean", "arguments": {}}, "arguments": PATH},
    {"function": {"name": "reset", "arguments": {}, "parameters": PATH}},
    {"role": "assistant", "function_call": {**CALL["function"], "dry_run": True}},  # type: ignore[dict-item]
]
TEXT_ONLY = [  # a server may add such fields to a call, a model may not
    {"tool_calls": [CALL], "cancelled": True},
    {**CALL, "cancelled": True},
    {**USE, "cancelled": True},
    {"name": "reset", "id": "7"},
]
TWICE = [
    '{"name": "clean", "arguments": {"path": "/srv"}, "arguments": {"path": "/"}}',
    '{"name": "reset", "name": "clean", "arguments": {"path": "/"}}',
    '[{"type": "tool_result", "type": "tool_use", "name": "clean", "input": {"path": "/"}}]',
    '{"role": "user", "role": "assistant", "tool_calls": [{"function": {"name": "reset"}}]}',
]
OBJECTS = [
    SimpleNamespace(type="tool_result", name="reset", content="x"),
    SimpleNamespace(role="tool", name="reset", content="x"),
    SimpleNamespace(type="function", function=SimpleNamespace(**DEFINITION)),
]


@pytest.mark.parametrize(
    "content", [*ATTRIBUTES, *QUOTED, *DATA, *map(json.dumps, DATA + TEXT_ONLY), *TWICE, *OBJECTS], ids=str
)
def test_what_is_no_call_does_not_run(content: Any) -> None:
    found, answer = ran(content)
    assert found == []
    assert "bad_request" in answer or "bad_arguments" in answer


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_attributes_are_never_dropped(text: str) -> None:
    assert "bad_arguments" in ran(text)[1]


def test_the_answer_says_why() -> None:
    assert "there are other keys next to the name" in ran({"name": "clean", "arguments": PATH, "dry_run": True})[1]
    assert "it is a result, or a message of another role" in ran({"role": "tool", "name": "reset"})[1]
    assert "the definition of a tool" in ran({"type": "function", "function": DEFINITION})[1]


MESSAGE = {"role": "assistant", "content": "So.", "refusal": None, "annotations": [], "tool_calls": [CALL]}
NOTE = {"id": "n", "type": "function", "function": {"name": "note", "arguments": '{"content": "x"}'}}
CLEANED = ("clean", "/", False)


@pytest.mark.parametrize(
    ("content", "calls"),
    [
        # servers' own fields beside a call, and null
        ({**CALL, "index": 0, "extra_content": {"google": {"thought_signature": "x"}}}, [CLEANED]),
        ({**CALL, "function": {**CALL["function"], "provider_specific_fields": {"a": 1}}}, [CLEANED]),  # type: ignore[dict-item]
        ({**USE, "caller": {"type": "direct"}, "cache_control": None}, [CLEANED]),
        ({"role": "assistant", "type": "message", "id": "m", "content": [{"type": "thinking"}, USE]}, [CLEANED]),
        ([{"type": "reasoning"}, {"type": "message", "role": "assistant"}, ITEM], [CLEANED]),
        (json.dumps(ITEM), [CLEANED]),
        (json.dumps(USE), [CLEANED]),
        (MESSAGE, [CLEANED]),
        (json.dumps(MESSAGE), [CLEANED]),
        ({"role": "assistant", "content": "so", "tool_calls": [NOTE, CALL]}, [("note", "x", ""), CLEANED]),
        ({"name": "clean", "arguments": PATH, "dry_run": None, "thought": "Hm."}, [CLEANED]),
        ({"type": "tool_call", "name": "clean", "args": PATH, "id": "l"}, [CLEANED]),
        ({"function": {"name": "clean", "parameters": PATH}}, [CLEANED]),
        ({"id": "i", "name": "reset"}, [("reset",)]),
        ('{"name": "reset"}', [("reset",)]),
        (SimpleNamespace(type="tool_use", id="x", name="clean", input=PATH, meta=None), [CLEANED]),
        (f"Let me see: {JSON}", [CLEANED]),
        (f"```json\n{JSON}\n```", [CLEANED]),
        ('<clean path="/" dry_run="true"></clean>', [("clean", "/", True)]),
    ],
    ids=str,
)
def test_calls_run(content: Any, calls: list[Any]) -> None:
    assert ran(content)[0] == calls


def test_an_attribute_may_be_the_id() -> None:
    (found,) = to_neutral('<clean id="7"><path>/</path></clean>', ["clean"])
    assert found == ToolUseContent("clean", "7", {"path": "/"})


def test_arguments_that_are_not_json_are_judged_by_the_keys_around_them() -> None:
    value = object()
    (found,) = to_neutral({"type": "tool_use", "name": "f", "input": {"x": value}})
    assert found.input == {"x": value}
    assert ran({"name": "clean", "input": {"path": value}, "dry_run": True})[0] == []
