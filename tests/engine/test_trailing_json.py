# JSON after other text, at the end of a turn: with trailing_json="call" it is read as calls, if it is nothing but calls
# that fit the tools' schemas. Which JSON is a call at all is in test_json_calls.py; the law for any text is
# fuzz/trailing.py; what the doors to Ollama do is in tests/clients/test_ollama.py and tests/conversation.
"""Calls in JSON after other text."""

from __future__ import annotations

import json
import pickle
from typing import Any, NamedTuple

import pytest

from fuzz import trailing
from tests.support import depth
from tests.support.chunkings import account, calls_of, codes_of, content_of, events_of
from tests.support.work import calls_made
from toolglean import Content, Event, Limits, Markup, Parser, ParserOptions, Problem, fold, join, parse

WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "kind": {"enum": ["short", "long"]},
            "of": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        },
        "required": ["city"],
    },
}
LIST = {"name": "list_files", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
TOOLS: list[Any] = [WEATHER, LIST, {"name": "now", "parameters": {"type": "object", "properties": {}}}, "reset"]
CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
ROME = CALL.replace("Oslo", "Rome")
NEUTRAL = '{"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}'
OPENAI = json.dumps(
    {"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}]}
)
MARKED = f"<tool_call>{CALL}</tool_call>"
OSLO, TO_ROME = ("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})


def calling(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def make(**options: Any) -> Parser:
    given: Any = {"trailing_json": "call", "markup": True, "id_prefix": "call_", **options}
    return Parser(TOOLS, options=ParserOptions(**given))


class Row(NamedTuple):
    """A turn, and the calls that are read of it; all else is content. `content`: if a marker or reasoning is not."""

    what: str
    text: str
    calls: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012  # never changed
    content: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


CALLS = [
    Row("after a sentence", f"I'll look that up. {CALL}", [OSLO], "I'll look that up. "),
    Row("on the next line", f"I'll look that up\n{CALL}", [OSLO], "I'll look that up\n"),
    Row("after an empty line", f"I'll look that up:\n\n{CALL}\n", [OSLO], "I'll look that up:\n\n"),
    Row("after a colon", f"I call it now: {CALL}", [OSLO], "I call it now: "),
    Row("after bold text", f"**Now I call it:** {CALL}", [OSLO], "**Now I call it:** "),
    Row("after a sentence in Chinese", f"我来查一下。{CALL}", [OSLO], "我来查一下。"),
    Row("after a quotation that is closed", f"`x` is a name.\n```\na\n```\n{CALL}", [OSLO], "`x` is a name.\n```\na\n```\n"),
    Row("after JSON in a sentence", f"As in [1], {{}} is empty.\n{CALL}", [OSLO], "As in [1], {} is empty.\n"),
    Row("after a brace in prose", f"Use {{ here.\n{CALL}", [OSLO], "Use { here.\n"),
    Row("after reasoning", f"<think>Hm.</think>I look.\n{CALL}", [OSLO], "I look.\n"),
    Row("before the end of the turn", f"I look.\n{CALL}<|im_end|>\n", [OSLO], "I look.\n"),
    Row("a list", f"I look.\n[{CALL}, {ROME}]", [OSLO, TO_ROME], "I look.\n"),
    Row("on two lines", f"I look.\n{CALL}\n{ROME}", [OSLO, TO_ROME], "I look.\n"),
    Row("twice the same", f"I look.\n{CALL}\n{CALL}", [OSLO, OSLO], "I look.\n"),
    Row("over several lines", "I look.\n" + json.dumps(json.loads(CALL), indent=2), [OSLO], "I look.\n"),
    Row("in the neutral form", f"I look. {NEUTRAL}", [OSLO], "I look. "),
    Row("in OpenAI's form", f"I look. {OPENAI}", [OSLO], "I look. "),
    Row("the name last", 'I look. {"arguments": {"city": "Oslo"}, "name": "get_weather"}', [OSLO], "I look. "),
    Row("no arguments, if none is required", f"I look.\n{calling('list_files')}", [("list_files", {})], "I look.\n"),
    Row("an opener in a string", f"I look.\n{calling('list_files', path='<tool_call>{')}", [("list_files", {"path": "<tool_call>{"})], "I look.\n"),
    Row("the last JSON of the turn", f"Not {CALL}, but this:\n{ROME}", [TO_ROME], f"Not {CALL}, but this:\n"),
    Row("with unknown tools as content", f"I look. {CALL}", [OSLO], "I look. ", {"unknown_tools": "content"}),
    Row("without repairs", f"I look. {CALL}", [OSLO], "I look. ", {"repair": False}),
]  # fmt: skip
CONTENT = [
    # where it is
    Row("text follows", f"I look. {CALL} Done."),
    Row("a sign follows", f"I look. {CALL}."),
    Row("a bracket follows", f"I look. {CALL}}}"),
    Row("other JSON follows", f"I look.\n{CALL}\n{{}}"),
    Row("in a sentence", f"The request is {CALL}"),
    Row("in quotation marks", f'I look: "{CALL}"'),
    Row("in inline code", f"I look: `{CALL}`"),
    Row("after a backtick that may open code", f"A ` is a sign. {CALL}"),
    Row("in a fence", f"I look:\n```json\n{CALL}\n```"),
    Row("in a fence that is not closed", f"I look:\n```json\n{CALL}"),
    Row("in a quoted line", f"He wrote:\n> Look. {CALL}"),
    Row("in a comment", f"<!-- a\n{CALL}"),
    Row("in pre", f"So:\n<pre>\n{CALL}"),
    Row("in a tool's result", f"So:\n<tool_response>\n{CALL}"),
    Row("in a list", f"Steps:\n- First. {CALL}"),
    Row("in a numbered list", f"Steps:\n1. {CALL}"),
    Row("in a table", f"Steps:\n| a. {CALL}"),
    Row("on an indented line", f"Code:\n\n    {CALL}"),
    Row("in code", f"def call():\n    return {CALL}"),
    Row("as a value of a key", f"Config follows\nrequest: {CALL}"),
    Row("as a value of a key in quotes", f"Config follows\n'a b': {CALL}"),
    Row("inside other JSON that is cut off", f'The plan:\n{{"steps": [\n{CALL}'),
    Row("after other JSON", f'The plan:\n{{"a": 1}}\n{CALL}'),
    Row("after other JSON and a comma", f'The plan:\n{{"a": 1}},\n{CALL}'),
    Row("in reasoning", f"<think>I look.\n{CALL}", content=""),
    Row("after a call", f"{MARKED} I look: {CALL}", [OSLO], f" I look: {CALL}"),
    Row("before the header of another message", f"I look.\n{CALL}<|im_end|>\n<|im_start|>user\nNo.", [], f"I look.\n{CALL}<|im_start|>user\nNo."),
    # what it is
    Row("cut off", f"I look. {CALL[:-1]}"),
    Row("cut off in a string", f"I look. {CALL[:-6]}"),
    Row("an unknown tool", f"I look. {calling('forecast', city='Oslo')}"),
    Row("a name in another spelling", f"I look. {calling('Get_Weather', city='Oslo')}"),
    Row("a tool without parameters", f"I look. {calling('now')}"),
    Row("a tool without a schema", f"I look. {calling('reset')}"),
    Row("a tool without a schema, with arguments", f"I look. {calling('reset', all=True)}"),
    Row("a name alone", 'I look. {"name": "list_files"}'),
    Row("a required argument is missing", f"I look. {calling('get_weather', days=3)}"),
    Row("an unknown argument", f"I look. {calling('get_weather', city='Oslo', zip=1)}"),
    Row("an argument of the wrong type", f"I look. {calling('get_weather', city=3)}"),
    Row("an integer as text", f"I look. {calling('get_weather', city='Oslo', days='3')}"),
    Row("a value that is not in the enum", f"I look. {calling('get_weather', city='Oslo', kind='odd')}"),
    Row("a missing argument deeper down", f"I look. {calling('get_weather', city='Oslo', of={})}"),
    Row("one of two does not fit", f"I look.\n[{CALL}, {calling('get_weather')}]"),
    Row("a result", 'I look. {"name": "get_weather", "arguments": {"city": "Oslo"}, "result": "rain"}'),
    Row("a definition", 'I look. {"name": "get_weather", "description": "x", "parameters": {"city": "Oslo"}}'),
    Row("twice the same key", 'I look. {"name": "get_weather", "arguments": {"city": "Oslo", "city": "Rome"}}'),
    Row("a comma too many", 'I look. {"name": "get_weather", "arguments": {"city": "Oslo",}}'),
    # what was chosen
    Row("off", f"I look. {CALL}", options={"trailing_json": "content"}),
    Row("off by default", f"I look. {CALL}", options={"trailing_json": None}),
    Row("strict", f"I look. {CALL}", options={"strict": True}),
]  # fmt: skip


@pytest.mark.parametrize("row", CALLS + CONTENT, ids=lambda row: row.what)
def test_rows(row: Row) -> None:
    events = events_of(lambda: make(**row.options), row.text)
    content = row.text if row.content is None else row.content
    assert calls_of(events) == row.calls
    assert content_of(events) == content
    quietly = parse(row.text, TOOLS, options=ParserOptions(**{"trailing_json": "call", **row.options}))
    assert ([(call.name, call.arguments) for call in quietly.calls], quietly.content) == (row.calls, content)


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row.what)
def test_calls_are_told_of_with_their_places(row: Row) -> None:
    output = make(**row.options).add(row.text)
    assert output.calls == []  # text may follow
    parser = make(**row.options)
    found = fold(parser.feed(row.text) + parser.finish())
    said = [each for each in found.problems if each.code == "undeclared-spelling"]
    assert len(said) == 1
    assert row.text[said[0].start :].startswith(said[0].text)
    for call in found.calls:
        begin, end = call.span
        assert call.name in row.text[begin:end]
        assert (call.status, call.known, call.repairs) == ("ok", True, ())


def test_ids() -> None:
    parser = make()
    parser.feed(f"I look.\n{NEUTRAL}\n{ROME}")
    assert [call.id for call in fold(parser.finish()).calls] == ["t1", "call_1"]


def test_all_other_text_is_returned_at_once() -> None:
    parser = make(markup=False)
    pieces = {
        "I look": "I look", ". ": ". ", "{": "", '"a"': "", ": 1": "", "} is": '{"a": 1} is', " JSON.\n": " JSON.\n",
        '{"name"': "", ': "get_weather"': "", ', "x"': "", ": 1 }": '{"name": "get_weather", "x": 1 }',
    }  # fmt: skip
    assert {piece: _text(parser.feed(piece)) for piece in pieces} == pieces


def test_content_is_kept_for_so_many_characters() -> None:
    call = calling("list_files", path="x" * 50)
    for held, calls in ((len(call), 1), (len(call) - 1, 0)):
        text = f"I look.\n{call}"
        events = events_of(lambda held=held: make(limits=Limits(held=held)), text)  # type: ignore[misc]
        assert len(calls_of(events)) == calls


def test_nothing_is_kept_of_a_long_document() -> None:
    parser = make(limits=Limits(held=100))
    document = 'So:\n{"name": "get_weather", "arguments": {"city": "' + "x" * 200
    assert _text(parser.feed(document)) == document
    assert fold(parser.feed(f'"}}}}\n{CALL}') + parser.finish()).calls == []  # JSON after JSON


def test_a_copy_goes_on_alone() -> None:
    parser = make()
    parser.feed(f"I look. {CALL[:30]}")
    twin, kept = parser.fork(), pickle.loads(pickle.dumps(parser))
    assert fold(parser.feed(" no") + parser.finish()).calls == []
    assert len(fold(twin.feed(CALL[30:]) + twin.finish()).calls) == 1
    assert len(fold(kept.feed(CALL[30:]) + kept.finish()).calls) == 1


def test_with_the_ids_of_tokens() -> None:
    parser = make()
    events = parser.feed("I look. ", special=False) + parser.feed(CALL, special=False)
    assert len(fold(events + parser.feed("<|im_end|>", special=True) + parser.finish()).calls) == 1


def test_an_undone_reading_leaves_no_trace() -> None:
    # What follows JSON that is no call is read as it is read after plain text of the same length.
    for json_text in (CALL[:-1], '{"a": [1, {"b": "`"}]}', "[1, 2", '{"name": "x', "{", '{"a": "\n'):
        for tail in (f" and\n{MARKED}", f" x.\n\nNow:\n{CALL}", " <think>a</think> b"):
            if json_text[-1] not in "}{\n" and "Now" in tail:
                continue  # the string is open: the tail belongs to it
            plain = "".join("x" if char not in " \n" else char for char in json_text)
            found, wanted = (_read(f"A sentence. {each};{tail}") for each in (json_text, plain))
            assert calls_of(found) == calls_of(wanted), (json_text, tail)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "piece", ['\n{"name": "get_weather", ', "\n{", "\n[1]", f"\n{CALL}\n", "\n{}", 'A. {"a": "', "["]
)
def test_the_cost_is_linear(piece: str) -> None:
    def work(count: int) -> int:
        parser, text = make(), "I look." + piece * count

        def read() -> None:
            for at in range(0, len(text), 64):
                parser.feed(text[at : at + 64])
            parser.finish()

        return calls_made(read)

    work(10)  # what is made once
    size = 500 if depth.is_full() else max(40, 500 // len(piece))
    assert work(4 * size) < 5 * work(size)


def test_random_turns_obey_the_laws() -> None:
    found = trailing.FUZZER.run(4_000 if depth.is_full() else 12, seed=26)
    assert [str(each) for each in found] == []


def _read(text: str) -> list[Event]:
    parser = make()
    events = join(parser.feed(text) + parser.finish())
    account(events, text)
    return events


def _text(events: list[Event]) -> str:
    assert all(isinstance(each, Content | Problem | Markup) for each in events)
    return "".join(each.text for each in events if isinstance(each, Content))


UNREAD = [
    *(f"I call it.\n{CALL}", f"I call it:\n\n{CALL}\n", f"json\n{CALL}", f"<json>\n{CALL}\n</json>", f"So.\n[{CALL}]"),
    *(f"I call it.\n{CALL}\nDone.", f"> So.\n\n{CALL}", f'{{"a": 1}}\n{CALL}'),
    *(f"TOOL_CALL: {CALL}", f"So.\nTool call: {CALL}\nDone.", f"It`s so:\n{CALL}", f"`\n{CALL}"),
    # Within a line, too, also as a value of another object.
    f'So, {{"x": {CALL}}}',
    *(f"So, {CALL}\n</think>\nok", f"So, {CALL} <tool_call>"),  # whatever else is told
    *(f"So, {CALL}", f"Calling: <invoke_tool>{CALL}</invoke_tool> now", f'The {{a}} of `x` is {{"b": 1}}, so {CALL}.'),
]
OTHER_KEYS = [
    *('{"operation": "get_weather", "arguments": {"city": "Oslo"}}', '{"get_weather": {"city": "Oslo"}}'),
    '{"method": "get_weather", "params": {"city": "Oslo"}, "id": 1}',
]
TOLD_OTHERWISE = [
    f"It`s so:\n{CALL}\n` Yes.",
    *(f"So.\n```json\n{CALL}\n```", f"{CALL}\n", f"So.\n{CALL}\n{MARKED}", f"> {CALL}", 'So.\n{"name": "get_weather"}'),
    *(
        'So.\n{"tool": "get_weather", "city": "Oslo"}',
        f'So.\n{CALL[:-1]}, "status": "done"}}',
        f"So.\n{json.dumps(WEATHER)}",
    ),
    *(
        f"So, `{CALL}`.",
        f"So, `a` and\n```\n{CALL}\n```",
        f"So, {MARKED}",
        f"So, {CALL}\n{MARKED}",
    ),
    *('So.\n{"name": "get_weat', 'So.\n{"name": "city", "x": "get_weather"}', "So.\n{\n}"),
]


@pytest.mark.parametrize("text", UNREAD)
def test_json_that_is_not_read_as_a_call_is_told(text: str) -> None:
    events = events_of(lambda: make(trailing_json="content"), text)
    assert calls_of(events) == []
    problem = [event for event in events if isinstance(event, Problem)][-1]
    assert problem.code == "unread-call"
    assert CALL in problem.text


def test_what_is_quoted_behind_an_object_that_is_too_long_is_not_told() -> None:
    """Fixed bug: it was told, if both came in one chunk, and the object had begun in the one before."""
    quoted = '`{"name": "get_weather", "arguments": {"city": "x"}} `'
    text = f'{quoted}{{"tool": [{{"type": "get_weather", "id": "get_weather", ' * 60
    for cut in range(3):
        parser = make(trailing_json="content")
        events = parser.feed(text[:cut]) + parser.feed(text[cut:]) + parser.finish()
        assert [each for each in events if isinstance(each, Problem)] == []


@pytest.mark.parametrize("digits", [4060, 4070, 4080])
def test_json_behind_an_object_that_is_too_long_is_told(digits: int) -> None:
    """Fixed bug: where both came in one chunk, nothing was said of it."""
    text = f'\n{{"a": 1}}\n> So.\n{{"name": "get_weather", -{"9" * digits}, "x": 2}}}}\n{NEUTRAL}\nSure.'
    events = events_of(lambda: make(trailing_json="content"), text)
    assert [(each.code, each.text) for each in events if isinstance(each, Problem)] == [("unread-call", NEUTRAL)]


@pytest.mark.parametrize("text", OTHER_KEYS)
def test_json_that_names_a_tool_under_any_key_is_told(text: str) -> None:
    """Fixed bug: nothing was said of it."""
    for before, codes in (("So.\n", ["unread-call"]), ("", ["not-a-call"])):
        events = events_of(lambda: make(trailing_json="content"), before + text)
        assert calls_of(events) == []
        assert codes_of(events) == codes


@pytest.mark.parametrize("text", TOLD_OTHERWISE)
def test_other_json_is_not_told(text: str) -> None:
    events = events_of(lambda: make(trailing_json="content"), text)
    assert not any(event.code == "unread-call" for event in events if isinstance(event, Problem))
