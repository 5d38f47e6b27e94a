# What calls after a tag come to, row by row. A fixed bug becomes a row with its story.
# Does not depend on how they are found.
"""The sound parser for a tag."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with
from tests.support.shared import shared_rows
from toolglean import CallEnd, Format, Limits, Parser, ParserOptions, Tool

TAG = "<tool_call>"
END = "</tool_call>"


class Row(NamedTuple):
    title: str
    text: str
    calls: list[tuple[str, Any]]
    content: str = ""
    tag: str = TAG
    tools: tuple[Any, ...] = ("get_weather", "get_time", "add")
    unfinished: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


PARIS = {"city": "Paris"}
CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
TIME = '{"name": "get_time", "arguments": {}}'
DEEPSEEK = "<｜tool▁calls▁begin｜>"

ROWS = [
    # -- text ------------------------------------------------------------------------------------------------------
    Row("nothing", "", []),
    Row("plain text", "Hello, how are you?", [], "Hello, how are you?"),
    Row("text before, between and after calls", f"A {TAG}{CALL}{END} B {TAG}{TIME}{END} C", [("get_weather", PARIS), ("get_time", {})], "A  B  C"),
    Row("white space between calls is markup", f"{TAG}{CALL}{END}\n\n{TAG}{TIME}{END}\n", [("get_weather", PARIS), ("get_time", {})]),
    Row("white space before text after a call is content", f"{TAG}{CALL}{END}\n\nDone.", [("get_weather", PARIS)], "\n\nDone."),
    Row("the beginning of a tag at the end", "if a <tool", [], "if a <tool"),
    Row("a tag in prose", f"I write {TAG} when I call a tool, and then more.", [], f"I write {TAG} when I call a tool, and then more."),
    Row("a tag in prose, then a call", f"I write {TAG} first: {TAG}{CALL}{END}", [("get_weather", PARIS)], f"I write {TAG} first: "),
    Row("a tag and its closer in prose", f"Put it between {TAG} and {END}, so: {TAG}{TIME}{END}", [("get_time", {})], f"Put it between {TAG} and {END}, so: "),
    Row("a tag that begins twice", f"<tool_<tool_call>{TIME}", [("get_time", {})], "<tool_"),
    Row("a tag twice", f"{TAG}{TAG}{TIME}", [("get_time", {})], TAG),
    # -- JSON with a name key ----------------------------------------------------------------------------------------
    Row("no closer", f"{TAG}{CALL}", [("get_weather", PARIS)]),
    Row("no arguments key", TAG + '{"name": "get_time"}' + END, [("get_time", {})]),
    Row("arguments null", TAG + '{"name": "get_time", "arguments": null}' + END, [("get_time", {})]),
    Row("arguments an empty string", TAG + '{"name": "get_time", "arguments": ""}' + END, [("get_time", {})]),
    Row("no arguments must not block the next call", TAG + '{"name": "get_time"}' + END + TAG + CALL + END, [("get_time", {}), ("get_weather", PARIS)]),
    Row("arguments before the name", TAG + '{"arguments": {"city": "Paris"}, "name": "get_weather"}' + END, [("get_weather", PARIS)]),
    Row("parameters for arguments", TAG + '{"name": "get_weather", "parameters": {"city": "Paris"}}' + END, [("get_weather", PARIS)]),
    Row("input for arguments", TAG + '{"name": "get_weather", "input": {"city": "Paris"}}' + END, [("get_weather", PARIS)]),
    Row("tool_name and args", TAG + '{"tool_name": "get_weather", "args": {"city": "Paris"}}' + END, [("get_weather", PARIS)]),
    Row("arguments as a string", TAG + r'{"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}' + END, [("get_weather", PARIS)]),
    Row("arguments as a string before the name", TAG + r'{"arguments": "{\"city\": \"Paris\"}", "name": "get_weather"}' + END, [("get_weather", PARIS)]),
    Row("an unknown tool beside its arguments", TAG + '{"name": "lookup", "arguments": {"q": 1}}' + END, [("lookup", {"q": 1})]),
    Row("an unknown tool, arguments first", TAG + '{"arguments": {"q": 1}, "name": "lookup"}' + END, [("lookup", {"q": 1})]),
    Row("an unknown name without arguments is no call", TAG + '{"name": "lookup"}' + END, [], TAG + '{"name": "lookup"}' + END, problems=("unreadable-call",)),
    Row("a namespace before the name", TAG + '{"name": "functions.get_time", "arguments": {}}' + END, [("get_time", {})]),
    Row("a name within an unknown name", TAG + '{"name": "forget_time", "arguments": {"x": 1}}' + END, [("forget_time", {"x": 1})]),
    Row("a name in an argument", TAG + '{"arguments": {"city": "what is get_time?"}, "name": "get_weather"}' + END, [("get_weather", {"city": "what is get_time?"})]),
    Row("a call in an argument", TAG + '{"name": "get_weather", "arguments": {"city": {"name": "get_time", "arguments": {}}}}' + END, [("get_weather", {"city": {"name": "get_time", "arguments": {}}})]),
    Row("a call in an argument before the name", TAG + '{"arguments": {"name": "get_time", "arguments": {}}, "name": "get_weather"}' + END, [("get_weather", {"name": "get_time", "arguments": {}})]),
    Row("a name within the tag", TAG + CALL + END, [("get_weather", PARIS)], tools=("tool", "call", "get_weather")),
    Row("a closer in a string", TAG + '{"name": "get_weather", "arguments": {"city": "a</tool_call>b"}}' + END, [("get_weather", {"city": "a</tool_call>b"})]),
    Row("a tag in a string", TAG + '{"name": "get_weather", "arguments": {"city": "a<tool_call>b"}}' + END, [("get_weather", {"city": "a<tool_call>b"})]),
    Row("braces in a string", TAG + '{"name": "get_weather", "arguments": {"city": "}{]["}}' + END, [("get_weather", {"city": "}{]["})]),
    Row("exact integers, order kept", TAG + '{"name": "add", "arguments": {"z": 12345678901234567890, "a": 9007199254740993}}' + END, [("add", {"z": 12345678901234567890, "a": 9007199254740993})]),
    Row("raw line breaks in a string", TAG + '{"name": "get_weather", "arguments": {"city": "a\nb\tc"}}' + END, [("get_weather", {"city": "a\nb\tc"})]),
    Row("the model's own id", TAG + '{"id": "x7", "name": "get_time", "arguments": {}}' + END, [("get_time", {})]),
    Row("two identical calls", (TAG + CALL + END) * 2, [("get_weather", PARIS)] * 2),
    Row("arguments twice: the first are out", TAG + '{"name": "add", "arguments": {"x": 1}, "arguments": {"x": 2}}' + END, [("add", {"x": 1})], problems=("repeated-call-key",)),
    Row("arguments twice before the name", TAG + '{"arguments": {"x": 1}, "parameters": {"x": 2}, "name": "add"}' + END, [("add", {"x": 1})], problems=("repeated-call-key",)),
    Row("a name twice: the first counts", TAG + '{"name": "add", "name": "get_weather", "arguments": {"x": 1}}' + END, [("add", {"x": 1})], problems=("repeated-call-key",)),
    Row("a duplicate key: the last one", TAG + '{"name": "add", "arguments": {"x": 1, "x": 2}}' + END, [("add", {"x": 2})], problems=("duplicate-key",)),
    # -- nested ------------------------------------------------------------------------------------------------------
    Row("a list", TAG + "[" + CALL + ", " + TIME + "]" + END, [("get_weather", PARIS), ("get_time", {})]),
    Row("in a row", TAG + CALL + "\n" + TIME + END, [("get_weather", PARIS), ("get_time", {})]),
    Row("in a row, with semicolons", TAG + CALL + "; " + TIME, [("get_weather", PARIS), ("get_time", {})]),
    Row("a list under a key", TAG + '{"tool_calls": [' + CALL + ", " + TIME + "]}" + END, [("get_weather", PARIS), ("get_time", {})]),
    Row("under two keys, in document order", TAG + '{"second": ' + TIME + ', "first": ' + CALL + "}" + END, [("get_time", {}), ("get_weather", PARIS)]),
    Row("OpenAI's own form", TAG + '[{"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]' + END, [("get_weather", {})]),
    Row("a list left open", TAG + "[" + CALL + END + " Done.", [("get_weather", PARIS)], " Done."),
    Row("an object among calls", TAG + "[" + CALL + ', {"x": 1}, ' + TIME + "]" + END, [("get_weather", PARIS), ("get_time", {})], '{"x": 1}'),
    Row("keys after a nested call", TAG + '{"calls": [' + CALL + '], "note": "none"}' + END + " Done.", [("get_weather", PARIS)], '"note": "none" Done.', problems=("ignored-keys",)),
    # -- a tool's name as the only key -----------------------------------------------------------------------------------
    Row("name as key", TAG + '{"get_weather": {"city": "Paris"}}' + END, [("get_weather", PARIS)]),
    Row("names as keys in a list", TAG + '[{"get_weather": {"city": "Paris"}}, {"get_time": {}}]' + END, [("get_weather", PARIS), ("get_time", {})]),
    Row("name as key, a string", TAG + r'{"get_weather": "{\"city\": \"Paris\"}"}' + END, [("get_weather", PARIS)]),
    Row("the arguments next to the object with the name", TAG + '{"function": {"name": "get_weather"}, "parameters": {"city": "Paris"}}' + END, [("get_weather", PARIS)]),
    Row("the name alone in an object", TAG + '{"type": "function", "function": {"name": "get_time"}, "index": 0}' + END, [("get_time", {})]),
    Row("the arguments next to empty ones", TAG + '{"function": {"name": "get_weather", "arguments": {}}, "parameters": {"city": "Paris"}}' + END, [], unfinished=("malformed",), problems=("repeated-call-key", "misplaced-arguments"), tools=({"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},)),
    Row("name as one key of two is no call", TAG + '{"get_weather": {"city": "Paris"}, "x": 1}' + END, [], TAG + '{"get_weather": {"city": "Paris"}, "x": 1}' + END, problems=("unreadable-call",)),
    # -- a name, then an object ------------------------------------------------------------------------------------------
    Row("name and marker", '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}', [("get_weather", PARIS)], tag="[TOOL_CALLS]"),
    Row("a parameter called name", '[TOOL_CALLS]add[ARGS]{"name": "Bob"}', [("add", {"name": "Bob"})], tag="[TOOL_CALLS]"),
    Row("a parameter called name, deeper", '[TOOL_CALLS]add[ARGS]{"user": {"name": "get_time"}}', [("add", {"user": {"name": "get_time"}})], tag="[TOOL_CALLS]"),
    Row("parameters called name and arguments", '[TOOL_CALLS]add[ARGS]{"name": "x", "arguments": {"a": 1}}', [("add", {"name": "x", "arguments": {"a": 1}})], tag="[TOOL_CALLS]"),
    Row("name, then an envelope", '[TOOL_CALLS]add{"arguments": {"a": 1}}', [("add", {"a": 1})], tag="[TOOL_CALLS]"),
    Row("a parameter called arguments", '[TOOL_CALLS]add{"arguments": {"a": 1}}', [("add", {"arguments": {"a": 1}})], tag="[TOOL_CALLS]", tools=(Tool("add", {"type": "object", "properties": {"arguments": {}}}),)),
    Row("no arguments", "[TOOL_CALLS]get_time[ARGS]{}", [("get_time", {})], tag="[TOOL_CALLS]"),
    Row("two, each with the tag", '[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]get_time[ARGS]{}', [("add", {"a": 1}), ("get_time", {})], tag="[TOOL_CALLS]"),
    Row("like a function", TAG + 'get_weather({"city": "Paris"})' + END, [("get_weather", PARIS)]),
    Row("the longest name", TAG + 'get_weather_now{"x": 1}', [("get_weather_now", {"x": 1})], tools=("get_weather", "get_weather_now")),
    Row("markers and a fence around", DEEPSEEK + '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁calls▁end｜>', [("get_weather", PARIS)], tag=DEEPSEEK),
    Row("markers between two", DEEPSEEK + "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{\"a\": 1}\n```<｜tool▁calls▁end｜>", [("get_time", {}), ("add", {"a": 1})], tag=DEEPSEEK),
    Row("a tool called like a fence's language", DEEPSEEK + "get_time\n```json\n{}\n```", [("get_time", {})], tag=DEEPSEEK, tools=("json", "get_time")),
    Row("Kimi's form", "<|calls_begin|>functions.get_weather:0<|arguments|>{\"city\": \"Paris\"}<|calls_end|>", [("get_weather", PARIS)], tag="<|calls_begin|>"),
    # -- what is not a call ----------------------------------------------------------------------------------------------
    Row("an object after a call is text", f'{TAG}{CALL} {{"x": 1}} is what I sent', [("get_weather", PARIS)], ' {"x": 1} is what I sent'),
    Row("a name in the text after a call", f'{TAG}{CALL}{END} I ran add with {{"x": 1}}, ok?', [("get_weather", PARIS)], ' I ran add with {"x": 1}, ok?'),
    Row("text after a call without closer", f"{TAG}{CALL} ok a", [("get_weather", PARIS)], " ok a"),
    Row("prose with a name after a call", f'{TAG}{CALL} add them: {{"x": 1}}', [("get_weather", PARIS)], ' add them: {"x": 1}'),
    Row("quotes and backslashes before the object", TAG + ' the 6" \\' + CALL, [("get_weather", PARIS)]),
    Row("another object before the call", TAG + '{"reason": "because"} then ' + CALL, [("get_weather", PARIS)]),
    Row("an object that is no call", TAG + '{"reason": "because"}' + END, [], TAG + '{"reason": "because"}' + END, problems=("unreadable-call",)),
    Row("braces that are no JSON", TAG + "{x} and " + TAG + TIME, [("get_time", {})], TAG + "{x} and ", problems=("unreadable-call",)),
    Row("a call hidden in an open string", TAG + '{"note": "' + TAG + CALL, [("get_weather", PARIS)], TAG + '{"note": "', problems=("unreadable-call",)),
    Row("a gap that is too long", TAG + "x " * 200 + CALL, [], TAG + "x " * 200 + CALL),
    # -- cut off, malformed ----------------------------------------------------------------------------------------------
    Row("cut off in a string", f"Sure.{TAG}" + '{"name": "get_weather", "arguments": {"city": "Par', [], "Sure.", unfinished=("incomplete",)),
    Row("cut off before the last brace", TAG + '{"name": "get_weather", "arguments": {"city": "Paris"}', [], unfinished=("incomplete",)),
    Row("cut off before the name", TAG + '{"na', [], TAG + '{"na', problems=("unreadable-call",)),
    Row("a trailing comma", TAG + '{"name": "add", "arguments": {"x": 1,}}' + END + " Done.", [], " Done.", unfinished=("malformed",), problems=("malformed-arguments",)),
    # It may be quoted in the first one's arguments, after a quote that was not escaped: nobody can tell.
    Row("a malformed call, then another before its closer", TAG + '{"name": "add", "arguments": {"x": oops}}' + TAG + TIME + END, [], unfinished=("malformed", "malformed"), problems=("malformed-arguments", "unclosed-call")),
    Row("a malformed call, its closer, then a good one", TAG + '{"name": "add", "arguments": {"x": oops}}' + END + TAG + TIME + END, [("get_time", {})], unfinished=("malformed",), problems=("malformed-arguments",)),
    Row("a malformed call, one before its closer, one after it", TAG + '{"name": "add", "arguments": {"x": "a "' + TAG + TIME + END + '""}}' + END + TAG + TIME + END, [("get_time", {})], '""}}' + END, unfinished=("malformed", "malformed"), problems=("malformed-arguments", "unclosed-call")),
    Row("two calls quoted in arguments before the name", TAG + '{"arguments": {"x": "a "' + TAG + TIME + END + TAG + TIME + END + '""}, "name": "add"}', [], TAG + '{"arguments": {"x": "a "' + '""}, "name": "add"}', unfinished=("malformed", "malformed"), problems=("unreadable-call", "unclosed-call", "unclosed-call")),
    Row("a call quoted in arguments that are cut off before the name", TAG + '{"arguments": {"x": "a ' + TAG + TIME + END, [], TAG + '{"arguments": {"x": "a ', unfinished=("malformed",), problems=("unreadable-call", "unclosed-call")),
    Row("a number that no float can hold", TAG + '{"name": "add", "arguments": {"x": 1e400}}' + END, [], unfinished=("malformed",), problems=("malformed-arguments",)),
    Row("NaN", TAG + '{"name": "add", "arguments": {"x": NaN}}' + END, [], unfinished=("malformed",), problems=("malformed-arguments",)),
    Row("arguments a list", TAG + '{"name": "add", "arguments": [1]}' + END, [], unfinished=("malformed",), problems=("malformed-arguments",)),
    Row("arguments a number", TAG + '{"name": "add", "arguments": 12}' + END, [], unfinished=("malformed",), problems=("malformed-arguments",)),
    Row("arguments a string without an object", TAG + '{"name": "add", "arguments": "x=1"}' + END, [], unfinished=("malformed",), problems=("string-arguments",)),
    Row("a lone surrogate", TAG + r'{"name": "add", "arguments": {"x": "\ud83d!"}}' + END, [("add", {"x": "\ufffd!"})]),
    # -- bare JSON -------------------------------------------------------------------------------------------------------
    Row("bare", CALL, [("get_weather", PARIS)], tag="{"),
    Row("bare, after white space", "\n " + CALL, [("get_weather", PARIS)], "\n ", tag="{"),
    Row("bare, then text", CALL + " I called it.", [("get_weather", PARIS)], " I called it.", tag="{"),
    Row("bare, in a row", CALL + TIME, [("get_weather", PARIS), ("get_time", {})], tag="{"),
    Row("bare, with semicolons, then text with braces", CALL + "; " + TIME + " {}", [("get_weather", PARIS), ("get_time", {})], " {}", tag="{"),
    Row("prose before bare JSON", "Sure: " + CALL, [], "Sure: " + CALL, tag="{"),
    Row("a fence before bare JSON", f"```json\n{CALL}\n```", [], f"```json\n{CALL}\n```", tag="{"),
    Row("a JSON answer", '{"answer": {"x": 1}}', [], '{"answer": {"x": 1}}', tag="{"),
    Row("an unknown name in bare JSON", '{"name": "lookup", "arguments": {}}', [], '{"name": "lookup", "arguments": {}}', tag="{"),
    Row("bare list", f"[{CALL}, {TIME}]", [("get_weather", PARIS), ("get_time", {})], tag="["),
    Row("citations", "[1] First, [2] second", [], "[1] First, [2] second", tag="["),
    Row("a tag with a bracket", f"[TOOL_CALLS] [{CALL}, {TIME}][/TOOL_CALLS]", [("get_weather", PARIS), ("get_time", {})], tag="[TOOL_CALLS] ["),
    Row("functools", f"functools[{CALL}]", [("get_weather", PARIS)], tag="functools["),
    Row("a fence", f"Action: ```json\n[{CALL}]\n```\nDone.", [("get_weather", PARIS)], "\nDone.", tag="Action: ```json"),
    Row("an empty tag: the payload begins at once", 'get_weather {"city": "Paris"}', [("get_weather", PARIS)], tag=""),
    Row("an empty tag, and prose", "Hello there.", [], "Hello there.", tag=""),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_row(row: Row) -> None:
    events = read_with(row.tools, row.text, format=Format.from_tag(row.tag))
    assert calls_of(events) == row.calls
    assert content_of(events) == row.content
    unfinished = [event.call.status for event in events if isinstance(event, CallEnd) and event.call.status != "ok"]
    assert tuple(unfinished) == row.unfinished
    problems = codes_of(events)
    assert problems == list(row.problems)


def test_a_limit_that_is_reached_where_text_is_read_again() -> None:
    """Text was read twice where a region came near its limit in the same chunk in which a reader gave text back."""
    prefix = "]<]minimax[>["
    nested = f"{prefix}<n>" * 130 + "v" + f"{prefix}</n>" * 130
    text = f'{prefix}<tool_call>\n{prefix}<invoke name="get_time">{nested}{prefix}</invoke>\n{prefix}</tool_call>'
    events = read_with(["get_time"], text, format="minimax-m3")
    assert len(calls_of(events)) == 1
    assert not content_of(events)


def test_ids() -> None:
    text = (
        TAG
        + '{"id": "x7", "name": "get_time"}'
        + END
        + TAG
        + '{"name": "get_time", "id": "x8"}'
        + END
        + TAG
        + TIME
        + END
    )
    events = read_with(["get_time"], text, format=Format.from_tag(TAG), id_prefix="t1_")
    assert [event.call.id for event in events if isinstance(event, CallEnd)] == ["x7", "x8", "t1_2"]


def test_unknown_tools_as_content() -> None:
    text = "A " + TAG + '{"name": "lookup", "arguments": {"q": 1}}' + END + " B " + TAG + TIME + END
    events = read_with(["get_time"], text, format=Format.from_tag(TAG), unknown_tools="content")
    assert calls_of(events) == [("get_time", {})]
    assert content_of(events) == "A " + TAG + '{"name": "lookup", "arguments": {"q": 1}}' + END + " B "


def test_no_tools_given() -> None:
    events = read_with(None, TAG + '{"name": "anything", "arguments": {"q": 1}}' + END, format=Format.from_tag(TAG))
    assert calls_of(events) == [("anything", {"q": 1})]
    assert [event.call.known for event in events if isinstance(event, CallEnd)] == [None]


# What is right for the cases of ../shared/vectors/ollama/defects.jsonl that have a tag: (calls, content, unfinished).
# D15 and D16 stay content, once: bare JSON counts only at the start of the turn. D20: an object that is no call, between
# the tag and a call, lies in the span of that call.
F1 = ("f", {"x": 1})
WEATHER_C1 = ("get_weather", {"c": 1})
DEFECTS: dict[str, tuple[list[tuple[str, Any]], str | None, list[str]]] = {
    "D01": ([("get_time", {})], "", []),
    "D01b": ([("get_time", {}), ("get_weather", {"city": "Paris"})], "", []),
    "D02": ([("create_user", {"name": "Bob"})], "", []),
    "D02b": ([("create_user", {"user": {"name": "Bob"}})], "", []),
    "D02c": ([("run", {"name": "x", "arguments": {"a": 1}})], "", []),
    "D03": ([WEATHER_C1], " I called it for you.", []),
    "D03b": ([WEATHER_C1], " I called it.", []),
    "D04": ([], "Sure.", ["incomplete"]),
    "D05": ([("lookup", {"c": 1})], "", []),
    "D06": ([("forget_everything", {"c": 1})], "", []),
    "D07": ([("search", {"q": "how does get_weather work"})], "", []),
    "D07b": ([("explain", {"topic": "delete_file"})], "", []),
    "D08": ([WEATHER_C1], "", []),
    "D09": ([("add", {"x": 1})], " ok a", []),
    "D10": ([("f", {"id": 9007199254740993, "big": 12345678901234567890})], "", []),
    "D10b": ([], "", ["malformed"]),
    "D11": ([("a", {"x": 1}), ("b", {"y": 2})], "", []),
    "D12": ([F1], "", []),
    "D13": ([F1], "", []),
    "D14": ([], "", ["malformed"]),
    "D15": ([], None, []),  # None: the whole text
    "D16": ([], None, []),
    "D17": ([F1], "Hi ", []),
    "D18": ([], None, []),
    "D20": ([F1], "", []),
    "D21": ([F1], ' I ran f with {"x": 1}, ok?', []),
    "D22": ([("a", {"x": 1}), ("b", {"y": 2})], "", []),
    "D23": ([("f", {"z": 1, "a": 2, "m": 3})], "", []),
    "D24": ([], None, []),
    "D25": ([], None, []),
}


def test_defects_of_the_original_are_right_here() -> None:
    cases = [case for case in shared_rows("vectors/ollama/defects.jsonl") if "tag" in case]
    assert {case["id"].split()[0] for case in cases} == set(DEFECTS)
    for case in cases:
        calls, content, unfinished = DEFECTS[case["id"].split()[0]]
        text = "".join(case["chunks"])
        events = read_with(case["tools"], text, format=Format.from_tag(case["tag"]))
        assert calls_of(events) == calls, case["id"]
        assert content_of(events) == (text if content is None else content), case["id"]
        statuses = [event.call.status for event in events if isinstance(event, CallEnd) and event.call.status != "ok"]
        assert statuses == unfinished, case["id"]


def test_a_limit_inside_held_back_text_is_passed_there() -> None:
    """`feed` never came back: the text before the limit was held for ever."""
    text = "<function=f>\n<parameter=x>\naaaa</paramzzz"
    for chars in range(30, 40):

        def make(limits: Limits = Limits(call_chars=chars)) -> Parser:  # noqa: B008  # of this round
            return Parser(format="qwen3-coder", options=ParserOptions(markup=True, limits=limits))

        events = events_of(make, text)
        assert codes_of(events) == ["limit-call-chars"]
        assert [event.call.span for event in events if isinstance(event, CallEnd)] == [(0, chars)]


def test_arguments_as_a_string_after_a_marker() -> None:
    text = '[TOOL_CALLS]add[ARGS]"{\\"a\\": 1}"[TOOL_CALLS]add[ARGS]"no object"'
    events = read_with(["add"], text, format="mistral-v13")
    assert calls_of(events) == [("add", {"a": 1})]
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["ok", "malformed"]


@pytest.mark.parametrize(("tag", "closer"), [("[[call]]", "[[/call]]"), ("{{call}}", "{{/call}}"), ("<c>", "{end}")])
@pytest.mark.parametrize("between", ["", "\n", ",", "]"])
def test_a_closer_that_begins_like_json(tag: str, closer: str, between: str) -> None:
    """It was content, with a problem: it began another call."""
    text = f"So. {tag}{CALL}{between}{closer}\n{tag}{CALL}{CALL}{closer} Done."
    events = read_with(["get_weather"], text, format=Format.from_tag(tag, closer=closer))
    assert len(calls_of(events)) == 3
    assert content_of(events) == "So.  Done."
    assert codes_of(events) == []
