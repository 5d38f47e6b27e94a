"""Which JSON is a call, and which is data: docs/explanation/calls-in-json.md, and scan/data.py."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, read_with
from toolglean import CallEnd, Content, Event, Format, Limits, Parser, ParserOptions, Problem, render
from toolglean.engine.reasons import IGNORED_KEYS, IN_JSON_STRING, LEFTOVER_MARKER, MISPLACED, not_a_call
from toolglean.scan import data

READ = {
    "name": "read",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["path"],
    },
}
TOOLS: list[Any] = [READ, "delete_all", "Blue"]
PATH = {"path": "x"}
CALL = [("read", PATH)]
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "llama3-json": {"format": "llama3-json"},
    "xlam-object": {"format": "xlam-object"},
    "lfm2": {"format": "lfm2"},
    "hermes": {"format": "hermes"},
    "by model": {"model": "Qwen3-Coder"},
    "tag {": {"tag": "{"},
    "tag nothing": {"tag": ""},
}


def read(text: str, **options: Any) -> list[Event]:
    tools, one_of_many = options.pop("tools", TOOLS), options.pop("one_of_many", False)
    return read_with(tools, text, **options, one_of_many=one_of_many)


def problems(events: list[Event]) -> list[str]:
    return [event.reason for event in events if isinstance(event, Problem)]


def call(name: str, arguments: Any = None, **others: Any) -> dict[str, Any]:
    return {"name": name} | ({} if arguments is None else {"arguments": arguments}) | others


# -- JSON without a marker ---------------------------------------------------------------------------------------------

# What is data, and why, where a tool is named in the place of a call.
DATA: dict[str, tuple[Any, str]] = {
    "definition with a description": (call("read", description="Reads."), data.DEFINITION),
    "definition with a description first": ({"description": "Reads.", "name": "read"}, ""),
    "definition with its schema": ({"name": "read", "parameters": SCHEMA}, data.DEFINITION),
    "definition with a short schema": ({"name": "read", "parameters": SCHEMA["properties"]}, data.DEFINITION),
    "definition under function": (
        {"type": "function", "function": {"name": "read", "parameters": SCHEMA}},
        data.DEFINITION,
    ),
    "definitions in the list at the top": ([call("delete_all"), call("read", description="Reads.")], data.DEFINITION),
    "definitions under a key": ({"tools": [call("read", description="Reads."), call("delete_all")]}, ""),
    "schemas under a key": ({"tools": [{"name": "read", "parameters": SCHEMA}]}, data.INSIDE),
    "plan": ({"plan": [call("delete_all")]}, ""),
    "example": ({"example": call("delete_all", {"path": "/"}), "warning": "never do this"}, data.INSIDE),
    "rooms": ({"rooms": [call("Blue", seats=4)]}, ""),
    "room": (call("Blue", seats=4), data.BESIDE),
    "forbidden": ({"forbidden": [call("read", PATH)]}, data.INSIDE),
    "denied": ({"denied": call("read", PATH), "tool_calls": []}, data.INSIDE),
    "list in a list": ([[call("read", PATH)]], data.INSIDE),
    "list under a list": ({"tool_calls": [[call("read", PATH)]]}, data.INSIDE),
    "result": (call("read", PATH, result="ok"), data.BESIDE),
    "status": (call("read", PATH, status="denied"), data.BESIDE),
    "dry run": (call("read", PATH, dry_run=True), data.BESIDE),
    "status of the list": ({"tool_calls": [call("read", PATH)], "status": "denied"}, data.BESIDE),
    "flat": (call("read", path="x"), data.BESIDE),
    "no arguments": (call("read"), data.NO_ARGUMENTS),
    "not the required ones": (call("read", {"lines": 4}), data.NO_ARGUMENTS),
    "no object": (call("read", "x"), data.NO_OBJECT),
    "list for an object": (call("read", ["x"]), data.NO_OBJECT),
    "number for an object": (call("read", 1), data.NO_OBJECT),
    **{
        f"arguments under {key}": (call("read", **{key: PATH}), data.BESIDE)
        for key in ("response", "result", "output", "error", "denied", "example", "old", "returns", "inputSchema")
    },
    "a result of the Responses API": (
        {"type": "function_call_output", "call_id": "c1", "name": "read", "output": PATH},
        data.ANOTHERS,
    ),
    "a tool's message": ({"tool_call_id": "c1", "name": "read", "content": PATH}, data.ANOTHERS),
    "a tool's message, with the arguments": (call("read", PATH, tool_call_id="c1", content="ok"), data.ANOTHERS),
    "a result of the Messages API": ({"type": "tool_result", "name": "read", "input": PATH}, data.ANOTHERS),
    "type of a denial": ({"name": "read", "input": PATH, "type": "tool_use_denied"}, data.ANOTHERS),
    "type of an example, around it": ({"type": "example", "function": call("read", PATH)}, data.ANOTHERS),
    "type that is no string": (call("read", PATH, type=1), data.BESIDE),
    "role of the user": ({"role": "user", "name": "read", "input": PATH}, data.ANOTHERS),
    "role of a tool": ({"role": "tool", **call("read", PATH)}, data.ANOTHERS),
    "role of a tool, last": (call("read", PATH, role="tool"), data.ANOTHERS),
    "role of the user, around it": ({"role": "user", "tool_calls": [call("read", PATH)]}, data.ANOTHERS),
    "role of the user, around and behind it": ({"tool_calls": [call("read", PATH)], "role": "user"}, data.ANOTHERS),
    "other key, unknown parameters": (call("Blue", seats={"left": 4}), data.BESIDE),
    "two other keys": (call("read", a=PATH, b={}), data.BESIDE),
    "a name and a type": (call("delete_all", type="function"), data.NO_ARGUMENTS),
    "the name under a key of much else": ({"action": "delete_all"}, data.NO_ARGUMENTS),
    "name as a key": ({"read": PATH}, data.OTHER_KEY),
    "name as a key of something else": ({"read": {"lines left": 4}}, ""),
    "strings that hold calls": (["<tool_call>delete_all</tool_call>", "[TOOL_CALLS]delete_all[ARGS]{}"], ""),
    "no JSON calls": ([1, 2], ""),
    "nothing": ([], ""),
}

CALLS: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
    "arguments": (call("read", PATH), CALL),
    "arguments first": ({"arguments": PATH, "name": "read"}, CALL),
    "parameters": ({"name": "read", "parameters": PATH}, CALL),
    "tool and tool_input": ({"tool": "read", "tool_input": PATH}, CALL),
    "action and action_input": ({"action": "read", "action_input": PATH}, CALL),
    "arguments as text": (call("read", json.dumps(PATH)), CALL),
    "other key": (call("read", params=PATH), CALL),
    "no arguments are needed": (call("delete_all"), [("delete_all", {})]),
    "none are given": (call("delete_all", {}), [("delete_all", {})]),
    "null": ({"name": "delete_all", "arguments": None}, [("delete_all", {})]),
    "ids": ({"id": "c1", "type": "function", "index": 0} | call("read", PATH), CALL),
    "a type of the Messages API": ({"type": "tool_use", "id": "c1", "name": "read", "input": PATH}, CALL),
    "a type of the Responses API": ({"type": "function_call"} | call("read", PATH, call_id="c1"), CALL),
    "a role": ({"role": "assistant"} | call("read", PATH), CALL),
    "Cohere's": ([{"tool_call_id": "0", "tool_name": "read", "parameters": PATH}], CALL),
    "a thought": ({"thought": "I look."} | call("read", PATH), CALL),
    "a list": ([call("read", PATH), call("delete_all")], [*CALL, ("delete_all", {})]),
    "tool_calls": ({"tool_calls": [call("read", PATH)]}, CALL),
    "a message": (
        {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": call("read", PATH)}]},
        CALL,
    ),
    "function_call": ({"function_call": call("read", PATH)}, CALL),
    "several at once, as OpenAI's models write them": (
        {"tool_uses": [{"recipient_name": "functions.read", "parameters": PATH}]},
        CALL,
    ),
    "tool_call": ({"tool_call": call("read", PATH)}, CALL),
    "call": ({"call": call("read", PATH)}, CALL),
    "beside a call of no tool": ([call("read", PATH), call("nope", {})], CALL),
}


@pytest.mark.parametrize("name", DATA)
def test_data_is_content(name: str) -> None:
    document, reason = DATA[name]
    text = json.dumps(document)
    for way, options in WAYS.items():
        events = read(text, one_of_many=bool(options), **options)
        assert not [event for event in events if isinstance(event, CallEnd)], way
        assert content_of(events) == text, way
        looked_at = not (way == "tag {" and text[0] == "[")  # only what begins with the tag is
        assert problems(events) == ([not_a_call(reason).text] if reason and looked_at else []), way


AROUND = ("```json\n{}\n```", "```\n{}\n```", "<think>Hm.</think>\n{}", "{} That is all.")


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", DATA)
def test_data_is_content_in_a_fence_and_after_reasoning(name: str) -> None:
    for around, options in itertools.product(AROUND, ({}, {"format": "xlam"})):
        text = around.replace("{}", json.dumps(DATA[name][0], indent=2))
        events = read(text, one_of_many=True, **options)
        assert not [event for event in events if isinstance(event, CallEnd)], text
        assert content_of(events).strip() == text.removeprefix("<think>Hm.</think>").strip()


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_calls(name: str) -> None:
    document, expected = CALLS[name]
    for way, options in WAYS.items():
        events = read(json.dumps(document), one_of_many=bool(options), **options)
        if isinstance(document, list) and way == "tag {":
            assert content_of(events) == json.dumps(document)
        else:
            assert calls_of(events) == expected, way


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_calls_in_a_fence(name: str) -> None:
    document, expected = CALLS[name]
    if name == "beside a call of no tool":  # a fence that contains anything but calls is a quotation
        expected = []
    assert calls_of(read(f"```json\n{json.dumps(document)}\n```")) == expected


SAID = '{"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": {"path": "x"}}}]}'
RESULT = '{"role": "tool", "content": "ok"}'


@pytest.mark.parametrize(
    "text",
    [
        *(f"{SAID}\n{RESULT}", f"{SAID}{RESULT}", f"{SAID},\n{RESULT}\n", f"{SAID}\n{RESULT}\n{SAID}\n{RESULT}"),
        f'{json.dumps(CALLS["arguments"][0])}\n\n{{ "role" : "tool"}}',
        f'{json.dumps(CALLS["arguments"][0])}\n{json.dumps(CALLS["arguments"][0])}\n{RESULT}',
        f'{{"role": "user", "content": "hi"}}\n{SAID}',
    ],
)  # fmt: skip
def test_objects_with_roles_are_a_transcript(text: str) -> None:
    for options in ({}, {"format": "llama3-json"}, {"format": "hermes"}):
        events = read(text, **options)
        assert (calls_of(events), content_of(events)) == ([], text)


def test_a_call_with_a_role_that_nothing_follows() -> None:
    for text in (SAID, f"{SAID}\n", f"{SAID}\n{SAID}"):
        assert set(map(str, calls_of(read(text)))) == {"('read', {'path': 'x'})"}


@pytest.mark.parametrize(
    "text",
    [
        *(
            " is what I would write.",
            ", I say.",
            ": no",
            ' "or so"',
            " (no)",
            "\t# done",
            " if ok",
            " → DENIED",
            " ❌",
            "。",
        ),
        *(
            " | no",
            " [cancelled]",
            " [CANCELLED]",
            " [1]",
            " {no}",
            " <no>",
            "<br>",
            " <!-- no -->",
            " ¬",
            " ``no``",
            "} no",
        ),
    ],
)
def test_json_in_a_sentence_is_content(text: str) -> None:
    turn = json.dumps(CALLS["arguments"][0]) + text
    for options in ({}, {"format": "llama3-json"}, {"format": "hermes"}):
        events = read(turn, **options)
        assert content_of(events) == turn
        assert problems(events) == [not_a_call(data.IN_TEXT).text]


@pytest.mark.parametrize("between", ["; ", ", ", ",\n", " ", ""])
def test_calls_in_a_row(between: str) -> None:
    text = between.join(map(json.dumps, [CALLS["arguments"][0], call("delete_all")]))
    for options in ({}, *({"format": name} for name in ("llama3-json", "lfm2", "xlam", "json-input"))):
        assert calls_of(read(text, **options)) == [*CALL, ("delete_all", {})], options


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n", " \nIt is done.", ";", "<|im_end|>", " \n\nOk", ",", "}", "]}\nOk", " </tool_call>", "</s>"),
        *(" <end_of_turn>", "[/TOOL_CALLS]", "✿RESULT✿", " <｜end▁of▁sentence｜>", " ```\nOk"),
    ],
)
def test_json_alone_on_its_line_is_a_call(text: str) -> None:
    assert calls_of(read(json.dumps(CALLS["arguments"][0]) + text)) == CALL


def test_data_is_content_as_soon_as_it_shows() -> None:
    parser = Parser(TOOLS)
    assert parser.feed('{"rooms": [{"name": ') == [Content('{"rooms": ', 0), Content('[{"name": ', 10)]


def test_a_call_without_a_marker_is_held_to_its_last_bracket() -> None:
    parser = Parser(TOOLS, options=ParserOptions(limits=Limits(held=64)))
    text = json.dumps([call("read", {"path": "x" * 500}), call("delete_all")])
    assert parser.feed(text) == []
    assert parser.add("\n").calls == []  # what follows may show that it is a transcript
    assert [each.status for each in parser.close().calls] == ["ok", "ok"]
    other = Parser(TOOLS, format=Format.from_tag("["))
    assert [each.status for each in other.add(text).calls] == ["ok", "ok"]


CUT = {
    "in the arguments": ('{"name": "read", "arguments": {"path": "x', [], ["incomplete"]),
    "after the arguments": ('{"name": "read", "arguments": {"path": "x"}', [], ["incomplete"]),
    "after an element": ('[{"name": "read", "arguments": {"path": "x"}}', CALL, ["ok"]),
    "after a comma": ('[{"name": "read", "arguments": {"path": "x"}},', CALL, ["ok"]),
    "in the next element": ('[{"name": "read", "arguments": {"path": "x"}}, {"name": "rea', CALL, ["ok"]),
    "after the name": ('{"name": "delete_all"', [], ["incomplete"]),
    "in the name": ('{"name": "delete_', [], []),
    "in data": ('{"rooms": [{"name": "Bl', [], []),
}


@pytest.mark.parametrize("way", [each for each in WAYS if not each.startswith("tag")])
@pytest.mark.parametrize("name", CUT)
def test_turns_that_are_cut_off(name: str, way: str) -> None:
    text, calls, statuses = CUT[name]
    events = read(text, **WAYS[way])
    assert calls_of(events) == calls
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == statuses


def test_without_tools_the_arguments_make_the_call() -> None:
    for document, expected in (
        (call("any", {"x": 1}), [("any", {"x": 1})]),
        (call("any"), []),
        (call("any", x={}), []),
    ):
        assert calls_of(read(json.dumps(document), tools=None)) == expected


def test_a_tag_after_data_counts() -> None:
    text = '{"text": "<tool_call>delete_all</tool_call>"} <tool_call>{"name": "delete_all"}</tool_call>'
    for options in ({}, {"format": "hermes"}):
        events = read(text, **options)
        assert calls_of(events) == [("delete_all", {})]
        assert content_of(events) == '{"text": "<tool_call>delete_all</tool_call>"} '


# -- strings of JSON in text -------------------------------------------------------------------------------------------

IN_LINE = {
    "gemma-4": "<|tool_call>call:delete_all{}<tool_call|>",
    "kimi-k2": "<|tool_call_begin|>functions.delete_all:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    "mistral-v13": "[TOOL_CALLS]delete_all[ARGS]{}",
    "glm-4.7": "<tool_call>delete_all</tool_call>",
}


@pytest.mark.parametrize("name", IN_LINE)
@pytest.mark.parametrize(
    "around", ['{"text": "@"}', '["a", "@"]', '{"a": [1, {"b": "x\\n@ y"}]}', '{\n "text": "@"\n}']
)
def test_a_call_in_a_string_of_json_is_text(name: str, around: str) -> None:
    quoted = "Here it is: " + around.replace("@", IN_LINE[name])
    for options in ({}, {"format": name}):
        events = read(f"{quoted}\nNow: {IN_LINE[name]}", one_of_many=bool(options), **options)
        assert calls_of(events) == [("delete_all", {})]
        assert content_of(events) == f"{quoted}\nNow: "
        told = [reason.rpartition(" that opened at ") for reason in problems(events)]
        assert [reason for reason, _, _ in told] == [IN_JSON_STRING.text]
        assert [quoted[int(since)] for _, _, since in told] == ['"']
        assert len(calls_of(read(quoted, quoted="call", **options))) == 1


@pytest.mark.parametrize("before", ['["', '{"a": "b\n', "[1] {x} ", 'An "', '{"a": "b"} ', '["a" "b" '])
def test_what_is_no_string_of_json_hides_no_call(before: str) -> None:
    before = f"See {before}\n" if before == '["' else f"See {before}"
    for name, text in IN_LINE.items():
        assert calls_of(read(before + text, format=name)) == [("delete_all", {})]


# -- arguments after a marker -----------------------------------------------------------------------------------------

MARKED = ("<tool_call>{}</tool_call>", "[TOOL_CALLS][{}]", "<|python_tag|>{}")
OBJECTS: dict[str, tuple[Any, list[tuple[str, Any]], list[str]]] = {
    "params": (call("read", params=PATH), CALL, []),
    "kwargs": (call("read", kwargs=PATH), CALL, []),
    "tool_args, as no tool needs them": (call("delete_all", tool_args=PATH), [("delete_all", PATH)], []),
    "with an id": ({"id": "c1", "type": "function"} | call("read", params=PATH), CALL, []),
    "unknown name": (call("nope", params=PATH), [("nope", PATH)], []),
    "flat": (call("read", path="x"), [], [MISPLACED.text]),
    "flat, a number": (call("read", lines=4), [], [MISPLACED.text]),
    "flat, a list": (call("read", paths=["x"]), [], [MISPLACED.text]),
    "two objects": (call("read", a=PATH, b=PATH), [], [MISPLACED.text]),
    "an object and a scalar": (call("read", given=PATH, lines=4), [], [MISPLACED.text]),
    "definition": (call("read", description="Reads."), [], [MISPLACED.text]),
    "schema": (call("read", SCHEMA), [], [f"malformed call: {data.DEFINITION}"]),
    "in another object": (call("read", {"args": PATH}), [], [f"malformed call: {data.WRAPPED}"]),
    "in another object, as no tool needs them": (
        call("delete_all", {"args": PATH}),
        [("delete_all", {"args": PATH})],
        [],
    ),
    "keys beside": (call("read", PATH, dry_run=True, cancelled={"by": "me"}), CALL, [IGNORED_KEYS.text]),
    "ids beside": ({"id": "c1", "index": 0} | call("read", PATH, type="function"), CALL, []),
    "null beside": (call("read", PATH, result=None), CALL, []),
    "no arguments": (call("delete_all"), [("delete_all", {})], []),
    "a name that is a list": ({"tool_name": ["x"]} | call("read", PATH), CALL, [IGNORED_KEYS.text]),
}


@pytest.mark.parametrize("marked", MARKED)
@pytest.mark.parametrize("name", OBJECTS)
def test_arguments_are_never_dropped(name: str, marked: str) -> None:
    document, expected, reasons = OBJECTS[name]
    events = read(marked.replace("{}", json.dumps(document)))
    assert calls_of(events) == expected
    assert problems(events) == reasons


NO_ARGUMENTS = call("delete_all")
ALL: list[tuple[str, Any]] = [("delete_all", {})]
NESTED: dict[str, tuple[Any, list[tuple[str, Any]], str]] = {
    "under tool_calls": ({"tool_calls": [call("read", PATH), NO_ARGUMENTS]}, [*CALL, *ALL], ""),
    "under calls": ({"calls": [call("read", PATH)]}, CALL, ""),
    "under function": ({"id": "c1", "type": "function", "function": call("read", PATH)}, CALL, ""),
    "under function, before its type": ({"function": call("read", PATH), "type": "function", "id": "c1"}, CALL, ""),
    "under tool_calls, before their ids": (
        {"tool_calls": [{"function": call(name, PATH), "id": "c1", "index": 0} for name in ("read", "read")]},
        [*CALL, *CALL],
        "",
    ),
    "in lists": ([[call("read", PATH)]], CALL, ""),
    "a list of no calls, before the name": ({"tool_calls": []} | call("read", PATH), CALL, "ignored-keys"),
    "before the name": ({"history": [NO_ARGUMENTS]} | call("read", PATH), CALL, "ignored-keys"),
    "between name and arguments": (
        {"name": "read", "history": [NO_ARGUMENTS], "arguments": PATH},
        CALL,
        "ignored-keys",
    ),
    "after the arguments": (call("read", PATH, history=[NO_ARGUMENTS]), CALL, "ignored-keys"),
    "beside an unknown name": ({"name": "log", "entries": [NO_ARGUMENTS]}, [], "unreadable-call"),
    "beside an unknown name, under a key of calls": (
        {"name": "log", "tool_calls": [call("read", PATH)]},
        [],
        "unreadable-call",
    ),
    "beside an unknown name and more": ({"name": "log", "n": 1, "entry": NO_ARGUMENTS}, [], "unreadable-call"),
    "beside a note": ({"note": "never do this", "bad": [call("read", PATH)]}, [], "unreadable-call"),
    "under a key": ({"cancelled": call("read", PATH)}, [], "unreadable-call"),
    "in a list under a key": ({"undo": [call("read", PATH)]}, [], "unreadable-call"),
    "as a key, under a key": ({"undo": {"read": PATH}}, [], "unreadable-call"),
    "in a list with text": ([["never", call("read", PATH)]], [], "unreadable-call"),
    "in a list with a number": ([1, call("read", PATH)], [], "unreadable-call"),
    "after a call": ([call("read", PATH), {"undo": NO_ARGUMENTS}], CALL, "ignored-keys"),
    "after a call and text": ([call("read", PATH), "not:", NO_ARGUMENTS], CALL, "ignored-keys"),
    "under another key, after a call": (
        {"tool_calls": [call("read", PATH)], "no": [NO_ARGUMENTS]},
        CALL,
        "ignored-keys",
    ),
    "in the object around a call": ({"function": call("read", PATH)} | NO_ARGUMENTS, CALL, "ignored-keys"),
}


@pytest.mark.sampled(1, each="name")
@pytest.mark.parametrize("marked", MARKED[:2])
@pytest.mark.parametrize("name", NESTED)
def test_what_is_in_the_object_of_a_call_is_data(name: str, marked: str) -> None:
    document, expected, told = NESTED[name]
    for options in ({}, {"format": "hermes"}):
        events = read(marked.replace("{}", json.dumps(document)), **options)
        assert calls_of(events) == expected
        assert codes_of(events)[:1] == ([told] if told else [])
        assert told or content_of(events) == ""


def test_calls_under_any_key_after_a_tag() -> None:
    """Of a tag alone nobody knows what is written there. But an object with a name is no list of calls."""
    for document, expected in (
        ({"first": call("read", PATH), "second": NO_ARGUMENTS}, [*CALL, *ALL]),
        ({"name": "log", "entries": [NO_ARGUMENTS]}, []),
    ):
        assert calls_of(read(f"<my_call>{json.dumps(document)}</my_call>", tag="<my_call>")) == expected


@pytest.mark.parametrize("sign", [",", ", ", ",\n", "; ", "\n", ""])
def test_calls_in_one_marker_whatever_parts_them(sign: str) -> None:
    first, second = json.dumps(call("read", PATH)), json.dumps(NO_ARGUMENTS)
    for name in ("auto", "hermes"):
        events = read(f"<tool_call>{first}{sign}{second}</tool_call>", format=name)
        assert (calls_of(events), content_of(events)) == ([*CALL, *ALL], "")
        assert problems(events) == ([LEFTOVER_MARKER.text] if sign.strip() else [])
    assert content_of(read(f"<tool_call>{first}</tool_call>, and so on")) == ", and so on"
    assert content_of(read(f'<tool_call>{first}, {{"x": 1}}</tool_call>')) == ', {"x": 1}'
    events = read(f"[TOOL_CALLS]{first}, [TOOL_CALLS]{second}", format="mistral")
    assert (calls_of(events), content_of(events), problems(events)) == ([*CALL, *ALL], ", ", [])


def test_keys_beside_the_arguments_are_named() -> None:
    text = "<tool_call>" + json.dumps({"dry_run": True} | call("read", PATH, cancelled="yes")) + "</tool_call>"
    assert [event.text for event in read(text) if isinstance(event, Problem)] == ["dry_run, cancelled"]
    text = "<tool_call>" + json.dumps({"tool_calls": [call("read", PATH)], "execute": False}) + "</tool_call>"
    assert [event.text for event in read(text) if isinstance(event, Problem)] == ["execute"]


@pytest.mark.parametrize(
    "document",
    [
        {"name": "drop", "arguments": {}, "dry_run": True},
        {"name": "drop", "arguments": {"id": "7"}, "dry_run": True},
        {"name": "drop", "arguments": {}, "parameters": {"dry_run": True}},
        {"name": "drop", "arguments": None, "params": {"dry_run": True}},
        {"name": "drop", "response": {"id": "7"}},
        {"name": "drop", "Output": {"id": "7"}},
    ],
)
def test_a_call_does_not_run_without_a_parameter_that_is_beside_its_arguments(document: dict[str, Any]) -> None:
    tool = {"name": "drop", "parameters": {"properties": {"id": {"type": "string"}, "dry_run": {"type": "boolean"}}}}
    events = read(f"<tool_call>{json.dumps(document)}</tool_call>", tools=[tool])
    assert calls_of(events) == []
    assert MISPLACED.text in problems(events)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("apertus", '<|tools_prefix|>[{"drop": {"id": "7"}, "dry_run": true}]<|tools_suffix|>'),
        ("apertus", '<|tools_prefix|>[{"drop": {"id": "7"}, "other": {"id": "8"}}]<|tools_suffix|>'),
        ("lfm2", '<|tool_call_start|>[drop(id="7"), dry_run=True]<|tool_call_end|>'),
        ("react", 'Action: drop\nAction Input: {"id": "7"}, "dry_run": true}'),
        ("mistral-v13", '[TOOL_CALLS]drop[ARGS]{"id": "7"}, "dry_run": true}'),
        (
            "kimi-k2",
            '<|tool_call_begin|>functions.drop:0<|tool_call_argument_begin|>{"id": "7"} {"id": "8"}<|tool_call_end|>',
        ),
        ("harmony", '<|channel|>commentary to=functions.drop<|message|>{"id": "7"}{"id": "8"}<|call|>'),
        ("harmony", '<|channel|>commentary to=functions.drop<|message|>{"id": "7"}, "dry_run"'),
        ("apertus", '<|tools_prefix|>[{"drop": {"id": "7"},\n  "dry_run": true}]<|tools_suffix|>'),
        ("lfm2", '<|tool_call_start|>[drop(id="7"),\n dry_run=True]<|tool_call_end|>'),
        ("mistral-v13", '[TOOL_CALLS]drop[ARGS]{"id": "7"},\n  "dry_run": true}'),
        ("gemma-4", '<|tool_call>call:drop{id:<|"|>7<|"|>},\n dry_run:true}<tool_call|>'),
        ("kimi-k2", '<|tool_call_begin|>functions.drop:0<|tool_call_argument_begin|>{"id": "7"}, "x<|tool_call_end|>'),
    ],
)
def test_arguments_that_go_on_behind_their_bracket(name: str, text: str) -> None:
    """Fixed bug: the call ran without them."""
    tool = {"name": "drop", "parameters": {"properties": {"id": {"type": "string"}, "dry_run": {"type": "boolean"}}}}
    for given in (name, "auto"):
        events = read(text, tools=[tool], format=given)
        assert (calls_of(events), len(problems(events))) == ([], 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("apertus", '<|tools_prefix|>[{"drop": {"id": "7"}}, {"drop": {"id": "8"}}]<|tools_suffix|>'),
        ("lfm2", '<|tool_call_start|>[drop(id="7"), drop(id="8")]<|tool_call_end|>'),
        ("mistral-v13", '[TOOL_CALLS]drop[ARGS]{"id": "7"}[TOOL_CALLS]drop[ARGS]{"id": "8"}, "as said"'),
        ("mistral-v13", '[TOOL_CALLS]drop[ARGS]{"id": "7"}[TOOL_CALLS]drop[ARGS]{"id": "8"}, "as said": yes'),
        ("lfm2", '<|tool_call_start|>[drop(id="7"),\n drop(id="8")]<|tool_call_end|>'),
    ],
)
def test_what_is_no_argument_behind_their_bracket(name: str, text: str) -> None:
    tool = {"name": "drop", "parameters": {"properties": {"id": {"type": "string"}, "dry_run": {"type": "boolean"}}}}
    for given in (name, "auto"):
        assert calls_of(read(text, tools=[tool], format=given)) == [("drop", {"id": "7"}), ("drop", {"id": "8"})]


def test_a_parameter_under_a_key_of_ids_is_not_dropped() -> None:
    tool = {"name": "drop", "parameters": {"properties": {"id": {"type": "string"}}}}
    events = read('<tool_call>{"name": "drop", "id": "7"}</tool_call>', tools=[tool])
    assert calls_of(events) == []
    assert problems(events) == [MISPLACED.text]


@pytest.mark.parametrize(
    ("number", "status"),
    [("1e400", "malformed"), ("1E-400", "malformed"), ("-0.01e-322", "malformed"), ("1e-320", "ok"), ("0e-999", "ok")],
)
def test_a_number_that_no_float_can_hold(number: str, status: str) -> None:
    for marked in (*MARKED, "{}"):
        text = marked.replace("{}", f'{{"name": "read", "arguments": {{"path": "x", "n": {number}}}}}')
        assert [event.call.status for event in read(text) if isinstance(event, CallEnd)] == [status]


def test_calls_in_markers_stream() -> None:
    parser = Parser(TOOLS, format="hermes")
    assert len(parser.feed('<tool_call>{"name": "read", "arguments": {"path": "xxx')) > 1


# -- the rule ----------------------------------------------------------------------------------------------------------


def test_a_parameter_of_a_type_that_no_schema_has_takes_objects() -> None:
    schema = {"properties": {"opts": {"type": "dict"}}}
    assert not data.is_definition({"opts": {"type": "list"}}, schema)
    assert data.is_definition({"opts": {"type": "list"}}, {"properties": {"opts": {"type": "integer"}}})


def test_a_tool_whose_parameters_are_schemas() -> None:
    schema = {"properties": {"type": {}, "properties": {"type": "object"}, "field": {"type": "object"}}}
    assert not data.is_definition({"type": "object", "properties": {}}, schema)
    assert not data.is_definition({"field": {"type": "string"}}, schema)
    assert data.is_definition({"type": "object", "properties": {}}, {})
    assert not data.is_definition({}, schema)


def test_what_is_required_as_schemas_say_it() -> None:
    assert data.missing({"required": ("a",)}, ["b"])
    assert not data.missing({"required": ["a"]}, ["b", "a"])
    for odd in ("a", None, {"a": 1}, [1]):
        assert not data.missing({"required": odd}, [])
    assert not data.missing(None, [])


OF_NUMBERS = [{"name": "calc", "parameters": {"type": "object", "properties": {"height": {"type": "integer"}}}}]
WITH_JSON = ("hermes", "kimi-k2", "mistral-v13", "deepseek-v3", "harmony", "functionary-v3.1", "react", "qwen-agent")


@pytest.mark.sampled(1, each="name")
@pytest.mark.parametrize("kind", ["integer", "int", "str, optional"])
@pytest.mark.parametrize("name", [*WITH_JSON, "deepseek-v3.2", "pythonic"])
def test_the_echo_of_a_schema_is_no_call(name: str, kind: str) -> None:
    """Fixed bug (crewAI#2237, gorilla#967): it ran where the name is outside the JSON, and with types of Python."""
    text = render(name, [("calc", {"height": 7777})], tools=OF_NUMBERS)
    for given in (name, "auto"):
        echo = text.replace("7777", json.dumps({"type": kind, "description": "how high"}))
        events = read(echo, tools=OF_NUMBERS, format=given)
        assert [event.call.status for event in events if isinstance(event, CallEnd)] in ([], ["malformed"])
        assert any("definition" in reason for reason in problems(events))
        assert calls_of(read(text, tools=OF_NUMBERS, format=given)) == [("calc", {"height": 7777})]


@pytest.mark.parametrize("name", ["auto", "mistral-v3"])
def test_an_object_in_a_list_that_is_no_call_is_told_if_a_call_follows(name: str) -> None:
    none, call = '{"nam": "f", "arguments": {"x": 1}}', '{"name": "g", "arguments": {}}'
    text = f"[TOOL_CALLS] [{none}, {none}, {call}, {call}]"
    events = read_with(["f", "g"], text, format=name)
    assert [called for called, _ in calls_of(events)] == ["g", "g"]
    assert [(each.code, each.text) for each in events if isinstance(each, Problem)] == [
        ("unreadable-call", f"[TOOL_CALLS] [{none}")
    ]
