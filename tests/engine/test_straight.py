# Invariant: a parser that may leave its machine gives what a parser gives whose machine reads everything: the law in
# tests/support/straight.py. Here: each format's turns, the token streams, the turns of models, and some hundred made-up
# ones; and that the straight way is taken at all. `python -m fuzz.straight` tries as many as one likes.
"""The straight way beside the machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import pytest

from fuzz import straight
from fuzz.straight_cases import NAMED, Reader, script, tools_of
from fuzz.straight_turns import turn
from fuzz.turns import fixture_turns, rendered_turns
from tests.support import depth
from tests.support.chunkings import places
from tests.support.shared import FIXTURES, rows
from tests.support.straight import COPY, CUT, FORK, INSIDE, LOOK, OFF, PICKLE, ByMachine, Watched, play, scripted
from tests.support.vectors import labels
from tests.support.wild import FILES
from toolglean import CallDelta, CallEnd, CallStart, Event, Format, Limits, Parser, ParserOptions
from toolglean.engine.straight.follower import LONGEST
from toolglean.formats.registry import all_formats, get_format
from toolglean.formats.render import render

STREAMS = rows(FIXTURES / "streams/turns.jsonl")
Row: TypeAlias = tuple[str, int, dict[str, Any]]
ROWS: list[Row] = [(file, number, row) for file in FILES for number, row in enumerate(rows(FIXTURES / file))]


def _scripts(text: str) -> Iterator[str]:
    """Whole, and by characters with copies on the way; at full depth by four, cut in two, and at random too."""
    yield text
    yield _with_signs(list(text))
    if depth.is_full():
        yield scripted(text[place : place + 4] for place in range(0, len(text), 4))
        yield from (scripted((text[:cut], text[cut:])) for cut in places(text))
        yield from (script(random.Random(f"{text} {number}"), text) for number in range(8))


def _with_signs(chunks: list[str]) -> str:
    signs = (CUT, FORK, CUT, INSIDE, LOOK, CUT, PICKLE, CUT, OFF, COPY)
    step = max(1, len(chunks) // 7)
    return "".join(
        (chunk if not number else (CUT if number % step else signs[number // step % len(signs)]) + chunk)
        for number, chunk in enumerate(chunks)
    )


def _tried(reader: Reader, text: str) -> None:
    for each in _scripts(text):
        found = straight.tried(reader, each)
        assert not isinstance(found, straight.Broken), str(found)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [each.name for each in all_formats()])
def test_turns_of_each_format(name: str) -> None:
    turns = [*fixture_turns().get(name, ()), *rendered_turns(get_format(name))]
    for text in depth.chosen(turns, 1, key=str):
        _tried(Reader(name, options=(("markup", True),)), text)
        if depth.is_full():
            _tried(Reader("auto"), text)
            _tried(Reader(name, tools="none", options=(("strict", True),)), text)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("row", STREAMS, ids=lambda row: f"{row['template']}/{row['case']}")
def test_token_streams(row: dict[str, Any]) -> None:
    name = labels()[row["format"]] or "auto"
    tools = NAMED + ",".join(call["name"] for call in row["calls"])
    readers = (Reader(name, tools=tools), Reader(name, tools="none"), Reader("auto", tools=tools))
    ways = product(readers, (scripted(row["tokens"]), _with_signs(row["tokens"])))
    for reader, made in depth.chosen(ways, 1, key=str):
        found = straight.tried(reader, made)
        assert not isinstance(found, straight.Broken), str(found)


def _id(row: Row) -> str:
    return str(row[2]["id"])


SOME: list[Row] = depth.chosen(ROWS, 3, key=_id, group=lambda row: row[0])


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("file", "number", "row"), SOME, ids=lambda value: value["id"] if isinstance(value, dict) else str(value)
)
def test_turns_of_models(file: str, number: int, row: dict[str, Any]) -> None:
    names = ("auto", row["format"]) if row["format"] else ("auto",)
    for name in names:
        _tried(Reader(name, tools=f"{file}#{number}", start=row["start"] or ""), row["text"])


def test_made_up_turns() -> None:
    found = straight.FUZZER.run(40_000 if depth.is_full() else 10, seed=24)
    assert [str(each) for each in found] == []


def test_most_formats_have_a_course() -> None:
    # Their names are rows of the next test: it would have none if no course were found.
    assert len(straight.straight_formats()) > 60


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", straight.straight_formats())
def test_the_straight_way_is_taken(name: str) -> None:
    """Calls as their format declares them are followed to their end, whole and in pieces: the law proves something."""
    made: list[Any] = [("f", {"city": "Oslo"}), ("g", {"city": "x"}), ("f", {"city": "é"})]
    text = render(name, made, tools=straight.NO_TOOLS)
    for chunks in ([text], [text[place : place + 4] for place in range(0, len(text), 4)]):
        found = straight.tried(Reader(name), scripted(chunks))
        assert not isinstance(found, straight.Broken), str(found)
        assert found["boarded"]
        assert not found["got off"]
        # The last one may have no marker at its end but that of the turn.
        assert found["calls followed to their end"] in {len(made), len(made) - 1}


# -- what the law has found, each in one row ---------------------------------------------------------------------------

CALL = '<tool_call>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</tool_call>'
KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>functions."
ARGS = "<|tool_call_argument_begin|>"
DSML = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="city" string="true">a</｜DSML｜parameter>\n'
COGITO = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜>"
GIVEN: dict[str, tuple[Format, str]] = {
    "a section's closer and a call's opener begin alike": (
        Format("alike", call="@@tool {call}@@", section=("@@x", "\n\n@@"), reasoning=("<think>", "</think>")),
        "@@x@@",
    ),
    "only white space at the end": (
        Format("open end", call="<|args|>\n\n{name}\n{arguments} ", section=("<t><\n\n", "\n></>")),
        "<t><\n\n<|args|>\n\nf\n{} \n></>",
    ),
    "a line break at both ends": (
        Format("lines", call="<|n|>\n{name}\n{arguments}\n\n", section=("<t>\n", "\n\n</t>")),
        "<|n|>r{</t><t><|n|>f{}<|",
    ),
    "an index without a name": (
        Format("number", call="t =>{name}:{index}<a>{arguments}<eot>", section=("<tool>\n", "\n\n</tool>"), id="{name}:{index}"),
        "<tool>t =>:",
    ),
    "nothing behind the arguments": (
        Format("no end", call="<|x|>{name}:{index}<a>{arguments}", section=("<|c|> ", "<|/c|>"), separator=",", id="{name}:{index}"),
        "<|c|><|x|>f:0<a>{}<",
    ),
}  # fmt: skip
FOUND: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "a comma before a key": ("hermes", [CALL[:53], "0, ", '"', 'x": 1}}'], {}),
    "an empty chunk": ("hermes", ['<tool_call>{"name":"g", "arguments": {', ""], {}),
    "markup behind the last call": ("hermes", [CALL], {"markup": True}),
    "two calls at once": ("hermes", [CALL + CALL], {}),
    "a line break behind the object": ("ernie-4.5", ['<tool_call>{"name":"f", "arguments": {}}\n'], {}),
    "a tag without its blank": ("minicpm-5", ['<functionname="g"><paramname="c"><'], {}),
    "a name without the line break before it": ("step-audio-2", ["<tool_call>functionf{"], {}),
    "no closer behind JSON": ("mistral-v13", ['[TOOL_CALLS]f[ARGS]{"s":[],"":""}'], {}),
    "a list that is cut": ("firefunction", ['functools[{"name":"f", "arguments": {"x":false}}'], {}),
    "a number in a list": ("jamba", ['<tool_calls>[{"name":"f", "arguments": {"x":[1,"a"]}}'], {}),
    "a list as deep as the limit": (
        "phi-4-mini", ['<|tool_call|>[{"name":"f", "arguments": {"x":1}}, {"name":"f", "arguments": {"x":', "[" * 100, "]" * 100],
        {"limits": Limits(depth=80)},
    ),
    "a broken call before a list": (
        "hunyuan-a13b", ['<tool_calls>{"name":"g"</tool_calls><tool_calls>[{"name":"f", "arguments": {"x":1}}'], {"repair": False}
    ),
    "a draft before a broken call": (
        "mistral-v3", ['\n[TOOL_CALLS][{"x":0}},{"name":"h","a":{}}}[TOOL_CALLS]{"name":"h","arguments":{:'], {}
    ),
    "behind a broken call of a family": ("auto", ["<tool_call>f<arg_key></arg_key>></tool_call>", "<m"], {"strict": True}),
    "another opener begins": (
        "inkling", ['<|content_invoke_tool_json|>{"name":"f", "args": {}}<|end_message|><|message_model|><|c', ""], {}
    ),
    "behind a broken call": ("functionary-v3.1", ["<function=g>{:</function>", "<f"], {}),
    "behind two calls": ("kimi-k2", [f"{KIMI}g:0{ARGS}{{}}<|tool_call_end|>{KIMI[28:]}f:1{ARGS}{{}}<|tool_call_end|><|"], {}),
    "an index that is none": ("kimi-k2", [f"{KIMI}g:n"], {"limits": Limits(call_chars=12)}),
    "markers of the longest call": ("cogito", [f"<｜tool▁calls▁begin｜>{COGITO}"], {"limits": Limits(call_chars=21)}),
    "closers of two spellings": ("auto", [f"{DSML}</｜DSML｜invoke><｜DS"], {}),
    "a value of several lines": ("qwen3-coder", ["<tool_call><function=f><parameter=code>\n", "\n_"], {}),
    "a sign behind white space in a value": ("call-record", ['<call_record tool="g"><parameter name="code">\u2028', '<}"]<x'], {}),
    "white space before a value": ("dots", ['<dots_function_call><invoke name="g"><parameter name="code"> ', "x"], {}),
    "a marker in a value that is no number": (
        "minimax-m2", ['<minimax:tool_call>\n<invoke name="f">\n<parameter name="days">a[e~[</parameter>\n</invoke>', "\n</minimax:tool_call>"], {}
    ),
    "text that a draft has kept": ("command-r", ['Action:\n```json\n{"name":"m","s":{"":7}}\n', "w\nAction:<"], {}),
    "a bracket in a draft": ("cwm", ["\n<tool:`<tool:function>g{x"], {}),
    "calls of formats that the first has ruled out": ("auto", [f"<｜tool▁calls▁begin｜>{COGITO}{COGITO[:-20]}"], {}),
    "deltas without unknown tools": (
        "internlm", ['<|action_start|><|plugin|>{"name":"f", "parameters": ', '{"'], {"unknown_tools": "content"}
    ),
    **{name: (name, [text], {}) for name, (_, text) in GIVEN.items()},
}  # fmt: skip


@pytest.mark.parametrize("found", FOUND)
def test_what_was_found(found: str) -> None:
    name, chunks, options = FOUND[found]
    tools, given = tools_of("typed"), GIVEN[name][0] if name in GIVEN else name

    def make(kind: type[Parser]) -> Parser:
        return kind(tools, format=given, options=ParserOptions(**options))

    whole = "".join(chunks)
    others = depth.chosen((CUT, LOOK, OFF, FORK, PICKLE), 1, key=lambda sign: f"{found} {sign}")
    for sign in (INSIDE, *others):
        assert play(make, sign.join(chunks)) is None
        if depth.is_full():
            assert play(make, sign.join(whole)) is None
        if sign != INSIDE or depth.is_full():
            assert play(make, whole + sign) is None


# -- the law itself: what breaks it is found ---------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["qwen3-coder", "glm-4.5", "minimax-m2", "deepseek-v4", "hermes", "kimi-k2"])
def test_a_call_as_long_as_one_may_be_that_is_followed(name: str) -> None:
    """The last deltas of a value were lost, if its closer came a few characters beyond the bound."""
    for size in range(LONGEST - 260, LONGEST + 10, 1 if depth.is_full() else 19):
        text = render(name, [("f", {"x": "y" * size})])
        for step in (3, 4):
            parser = Parser(["f"], format=name)
            events = [event for at in range(0, size + 300, step) for event in parser.feed(text[at : at + step])]
            (call,) = (event.call for event in [*events, *parser.finish()] if isinstance(event, CallEnd))
            assert call.arguments == {"x": "y" * size}
            assert "".join(event.text for event in events if isinstance(event, CallDelta)) == call.arguments_text


def _law(script: str) -> str:
    found = play(Reader("hermes").parser, script)
    return found.law if found is not None else ""


def test_nothing_is_wrong_with_a_parser_as_it_is() -> None:
    assert _law(_with_signs(list(CALL))) == ""


def test_an_event_in_another_chunk_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Watched, chunk: str) -> list[Event]:
        events = Parser.feed(self, chunk)
        late = [each for each in events if isinstance(each, CallStart)]
        waiting, kept[:] = kept[:], late
        return waiting + [each for each in events if each not in late]

    kept: list[Event] = []
    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    assert _law(scripted(CALL)) == "events"


def test_a_delta_at_another_place_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Watched, chunk: str) -> list[Event]:
        found = Parser.feed(self, chunk)
        return [
            CallDelta(each.index, each.text, each.start + 1) if isinstance(each, CallDelta) else each for each in found
        ]

    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    assert _law(CALL) == "events"


def test_another_number_of_the_same_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`1 == 1.0 == True`, which the law must not take for the same."""

    def feed(self: Watched, chunk: str) -> list[Event]:
        return Parser.feed(self, chunk.replace("true", "1.00"))

    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    assert _law(CALL.replace('"Oslo"', "true")) == "events"


def test_deltas_of_one_chunk_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Watched, chunk: str) -> list[Event]:
        found: list[Event] = []
        for each in Parser.feed(self, chunk):
            if isinstance(each, CallDelta) and len(each.text) > 1:
                found += (
                    CallDelta(each.index, each.text[:1], each.start),
                    CallDelta(each.index, each.text[1:], each.start),
                )
            else:
                found.append(each)
        return found

    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    assert _law(CALL) == ""


def test_a_slot_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Watched, chunk: str) -> list[Event]:
        found = Parser.feed(self, chunk)
        self._turn.judge.address(for_user=True)
        return found

    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    found = play(Reader("hermes").parser, "x")
    assert found is not None
    assert (found.law, found.what) == ("inside", "turn.judge.for_user")


def test_a_copy_that_shares_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork(self: Watched) -> Watched:
        return self

    monkeypatch.setattr(Watched, "fork", fork, raising=False)
    assert _law(f"<tool_call>{FORK}{CALL[11:]}") != ""


def test_a_broken_parser_is_reported_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(self: Watched, chunk: str) -> list[Event]:
        return Parser.feed(self, chunk.replace("w", "v"))

    monkeypatch.setattr(Watched, "feed", feed, raising=False)
    found = straight.FUZZER.run(12, seed=1, only="hermes")
    assert found
    assert len(found[0].text) < 8
    assert "Reader(format='hermes'" in str(found[0])


def test_a_parser_by_machine_never_leaves_it() -> None:
    parser = Reader("hermes").parser(ByMachine)
    assert parser._route is None
    assert isinstance(parser.fork(), ByMachine)


def test_made_up_turns_are_the_same_each_time() -> None:
    first, again = (turn(random.Random(7), get_format("hermes"), straight.NO_TOOLS) for _ in range(2))
    assert first == again
    assert straight.case("hermes", 3) == straight.case("hermes", 3)
