"""Formats that are learnt from turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import account, events_of
from tests.support.trace_formats import FORMATS, KEPT, TAUGHT, TOOLS, Invented, Meant
from toolglean import (
    Format,
    FormatError,
    Output,
    Parser,
    ParserOptions,
    Tool,
    ToolError,
    ToolSet,
    UsageError,
    fold,
    parse,
    render,
)
from toolglean.cli.formats import declaration
from toolglean.formats.origin import NO_ORIGIN
from toolglean.sources.traces import Learnt, learn

KNOWN = ToolSet(TOOLS)
BY_NAME = {each.name: each for each in FORMATS}
STRICT = ParserOptions(strict=True)


def turns_of(invented: Invented, meant: Sequence[Meant]) -> list[str]:
    return [invented.turn(invented.without_reasoning(each)) for each in meant]


@lru_cache
def learnt(name: str) -> Learnt:
    return learn(turns_of(BY_NAME[name], TAUGHT), KNOWN, name=name)


def as_meant(output: Output) -> Meant:
    assert not output.unfinished
    calls = tuple((call.name, call.arguments) for call in output.calls)
    return Meant(calls, output.content.strip(), output.reasoning.strip())


def test_there_are_enough_formats() -> None:
    assert len(FORMATS) >= 15


SOME: list[Invented] = depth.chosen(FORMATS, 7, key=lambda each: each.name)


@pytest.mark.parametrize("invented", SOME, ids=lambda each: each.name)
class TestInventedFormats:
    @pytest.mark.sampled(5)
    def test_turns_that_were_not_learnt_from_are_read(self, invented: Invented) -> None:
        found = learnt(invented.name).format
        for each in KEPT:
            meant = invented.without_reasoning(each)
            output = parse(invented.turn(meant), KNOWN, format=found, options=STRICT)
            assert as_meant(output) == meant
            assert not output.problems

    def test_every_chunking_gives_the_same_events(self, invented: Invented) -> None:
        found = learnt(invented.name).format
        options = replace(STRICT, markup=True)
        for turn, each in zip(turns_of(invented, KEPT[1:3]), KEPT[1:3], strict=True):
            events = events_of(lambda: Parser(KNOWN, format=found, options=options), turn)
            account(events, turn)
            assert as_meant(fold(events)) == invented.without_reasoning(each)

    def test_the_declaration_can_be_pasted(self, invented: Invented) -> None:
        found = learnt(invented.name).format
        space: dict[str, Any] = {}
        exec(declaration(replace(found, origin=NO_ORIGIN)), space)  # noqa: S102
        [pasted] = [value for value in space.values() if isinstance(value, Format)]
        assert pasted == found

    def test_what_is_written_is_read(self, invented: Invented) -> None:
        found = learnt(invented.name).format
        calls = [call for meant in KEPT for call in meant.calls]
        assert as_meant(parse(render(found, calls, tools=KNOWN), KNOWN, format=found, options=STRICT)).calls == tuple(
            calls
        )


def test_the_shortest_declaration_is_returned() -> None:
    assert learnt("vox").format == Format(
        "vox", call="<|call|>{name}<|args|>{arguments}<|done|>", separator="\n", drop=("<|stop|>",)
    )
    assert learnt("rack").format == Format(
        "rack",
        call="[[run {name}]]\n{parameters}[[/run]]",
        parameter="[key={key}]{value}[/key]\n",
        separator="\n",
        reasoning=("[[mull]]", "[[/mull]]\n"),
    )


@pytest.mark.parametrize("pair", ["  {} = {}\n", '\t<arg k="{}">{}</arg>\n', "    - {}: {}\n"])
def test_what_is_written_is_indented_as_the_turns_are(pair: str) -> None:
    # The blanks before the first pair were the call's, so that only the first one had them.
    tools = ToolSet([Tool("weather", {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}})])
    given: list[dict[str, Any]] = [
        {"city": "Oslo"},
        {"city": "Rome", "days": 2},
        {"city": "New York"},
        {"city": "Bonn", "days": 14},
    ]
    calls = [{"name": "weather", "arguments": each} for each in given]
    turns = [f"<<RUN weather\n{''.join(pair.format(*each) for each in values.items())}RUN>>" for values in given]
    found = learn(turns, tools).format
    assert [render(found, [call], tools=tools) for call in calls] == turns


@pytest.mark.parametrize("separator", ["", "\n\n", " "])
def test_what_is_between_calls_is_learnt_from_the_turn_that_has_two(separator: str) -> None:
    # The signs at its joint are one marker to a turn that is aligned with the others, so it was left out, and the
    # separator was a guess, although the turn was read.
    tools = ToolSet([Tool("weather", {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}})])
    given = [{"city": "Oslo", "days": 1}, {"city": "Rome", "days": 2}, {"city": "Bonn", "days": 3}]
    one, two, three = (f"=>tool weather city: {each['city']} | days: {each['days']} <=" for each in given)
    found = learn([one + separator + two, three, f"Hm.\n{two}", one, three], tools)
    assert found.format.separator == separator
    assert f"1 turns: several calls, separated by {separator!r}" in found.evidence


def test_it_says_how_it_was_found() -> None:
    found = learnt("batch")
    assert found.recognised is None
    assert found.format.reason == "learnt from 5 turns: the name, then the arguments as a JSON object"
    assert "5 of 5 turns: 8 calls, each the name, then the arguments as a JSON object" in found.evidence
    assert "5 turns: the calls are between '<batch>' and '</batch>'" in found.evidence
    assert "2 turns: reasoning is between '<mull>' and '</mull>'" in found.evidence
    assert "5 of 5 turns are read the same with what the others show" in found.evidence


def test_the_constructor_gives_the_format_alone() -> None:
    turns = turns_of(BY_NAME["vox"], TAUGHT)
    found = Format.from_turns(turns, TOOLS, name="vox")
    assert found == learnt("vox").format
    assert found.is_declared
    assert found.losses == ()
    assert Format.from_turns(iter(turns), KNOWN).name == "learnt"


# -- what the turns do not show ----------------------------------------------------------------------------------------


def single(city: str) -> str:
    return f'<|go|>get_weather<|with|>{{"city": {json.dumps(city)}}}<|/go|>'


def test_losses_say_what_no_turn_shows() -> None:
    found = Format.from_turns([single("Oslo"), single("Rome"), single("a <b>")], TOOLS)
    assert "no turn has two calls: what is between calls is a guess" in found.losses
    assert any(line.startswith("no turn has a value of the type integer") for line in found.losses)


def test_calls_with_one_parameter_do_not_show_what_is_between_two() -> None:
    turns = [f"((DO~get_weather))\n-- city >> {city}\n((OVER))" for city in ("Oslo", "Rome", "Bergen")]
    told = [line for line in Format.from_turns(turns, TOOLS).losses if line.startswith("no call has two parameters")]
    assert len(told) == 1
    assert not any("two parameters" in line for line in Format.from_turns([*map(single, "abc")], TOOLS).losses)


def test_a_part_that_only_one_turn_shows() -> None:
    assert learnt("coin").losses == ("only turn 5 shows all that it needs: pass more turns like it",)


def test_turns_without_a_call_show_the_end_of_a_turn() -> None:
    turns = [single("Oslo") + "<|over|>", single("Rome") + "<|over|>", "It is fine.<|over|>"]
    assert Format.from_turns(turns, TOOLS).drop == ("<|over|>",)


def test_an_id_in_the_marker_of_a_call() -> None:
    """Fixed bug: the marker was taken for that of a section, which has no fields, and the message said that."""
    turns = [
        f'<go id="c{i}x">{{"fn": "get_weather", "args": {{"city": "{city}"}}}}</go>' for i, city in enumerate("abc")
    ]
    found = Format.from_turns(turns, TOOLS)
    assert found.call == '<go id="{id}">{"fn": "{name}", "args": {arguments}}</go>'
    assert [call.id for turn in turns for call in parse(turn, TOOLS, format=found).calls] == ["c0x", "c1x", "c2x"]


# -- known formats -----------------------------------------------------------------------------------------------------


def test_a_known_format_is_not_declared_again() -> None:
    calls = [call for meant in TAUGHT for call in meant.calls]
    turns = [render("hermes", [call], tools=KNOWN, content="So:\n") for call in calls]
    found = learn(turns, KNOWN, name="nova")
    assert found.recognised == "hermes"
    assert found.format.name == "hermes"
    assert found.format.reason == f"the known format 'hermes' reads all {len(turns)} turns"


# -- answers -----------------------------------------------------------------------------------------------------------

QUOTED = [f"<go>{f}</go><with>city</with><as>{value}</as><stop/>" for f, value in (("get_weather", '"Oslo"'),) * 3]


def test_answers_decide_what_a_value_is() -> None:
    tools = [Tool("get_weather", {"properties": {"city": {"type": "string"}}, "required": ["city"]})]
    assert parse(QUOTED[0], tools, format=Format.from_turns(QUOTED, tools)).calls[0].arguments == {"city": "Oslo"}
    with pytest.raises(FormatError, match="its answer has"):
        Format.from_turns(QUOTED, tools, answers=[[("get_weather", {"city": "Rome"})]] * 3)


def test_answers_in_the_shapes_of_servers() -> None:
    turns = [single("Oslo"), single("Rome"), single("Bonn")]
    answers: list[list[Any]] = [
        [("get_weather", {"city": "Oslo"})],
        [{"name": "get_weather", "arguments": {"city": "Rome"}}],
        [{"function": {"name": "get_weather", "arguments": {"city": "Bonn"}}}],
    ]
    assert Format.from_turns(turns, TOOLS, answers=answers).call == "<|go|>{name}<|with|>{arguments}<|/go|>"


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([single("Oslo")], "from 1 turn: pass at least 3"),
        (["Hello.", "Hi.", "Well."], r"no turn contains the name of a tool \(get_weather, send_note"),
        ([single("Oslo"), "Hi.", "Well."], "only 1 of 3 has a call"),
        ([f'Please call get_weather {{"city": "{city}"}} now.' for city in ("Oslo", "Rome", "Bonn")], "prose"),
        ([f'- get_weather {{"city": "{city}"}}' for city in ("Oslo", "Rome", "Bonn")], "the only text before a call is '-', which prose contains"),
        ([f"<go>get_weather\ncity is {city}\n" for city in ("Oslo", "Rome", "Bonn")], "get_weather"),
        (
            [f'RUN: get_weather city="{city}"' for city in ("Oslo", "Rome", "Bonn")],
            "nothing shows that the call of get_weather is complete: it needs a closing marker",
        ),
        (
            [turn.replace("```invoke", "```json") for turn in turns_of(BY_NAME["quill"], TAUGHT)],
            "turn 1: 0 of 1 calls are read",  # a fence of code after other text is a quotation
        ),
    ],
)  # fmt: skip
def test_refusals_say_why(turns: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Format.from_turns(turns, TOOLS)


SHOWN = {
    # The quotation became a part of the marker, and from then on each such text was a call.
    "code": ("Example: `CALL`", "opens code"),
    "two backticks": ("Example: ``CALL``", "opens code"),
    "a fence": ("Never:\n```\nCALL\n```", "opens a code fence"),
    "a fence with a language": ("Text\n```json\nCALL\n```\nDo not.", "opens a code fence"),
    "tildes": ("~~~\nCALL\n~~~", "opens a code fence"),
    "a quoted line": ("> CALL", "opens a quoted line"),
    "a comment": ("<!-- CALL -->", "opens a comment"),
    "code in HTML": ("<pre>CALL</pre>", "opens an element"),
    "a result, as a section": ("<tool_response>\nCALL\n</tool_response>", "opens a tool's result"),
    "another role": ("<|im_start|>user\nCALL", "opens another role's message"),
    "thoughts": ("<think>CALL</think>No.", "opens the reasoning"),
    "thoughts after words": ("<think>Maybe so.\nCALL</think>No.", "opens the reasoning"),
    "thoughts of Kimi": ("◁think▷CALL◁/think▷No.", "opens the reasoning"),
    "thoughts in an invented spelling": ("[[mull]]CALL[[/mull]]No.", "opens the reasoning"),
}
MEANT = {
    "alone": "CALL",
    "after empty reasoning": "<think>\n\n</think>\n\nCALL",
    "after empty reasoning with words for its ends": "<|begin_of_thought|><|end_of_thought|>CALL",
    "in a fence that opens the turn": "```json\nCALL\n```",  # the engine ignores it after other text
    "in a fence with a word of its own": "Go.\n```run\nCALL\n```",
    "in a tag with a word of its own": "<script tools>\nCALL\n</script tools>",
}


def around(frame: str) -> list[str]:
    return [
        frame.replace("CALL", f'<<DO get_weather>>{{"city": "{city}"}}<<END>>') for city in ("Oslo", "Rome", "Bonn")
    ]


@pytest.mark.parametrize(("frame", "why"), SHOWN.values(), ids=SHOWN)
def test_calls_that_are_only_shown_are_not_learnt(frame: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        Format.from_turns(around(frame), TOOLS)


@pytest.mark.parametrize("frame", MEANT.values(), ids=MEANT)
def test_what_looks_like_a_quotation_and_is_a_marker(frame: str) -> None:
    found = Format.from_turns(around(frame), TOOLS)
    assert [call.name for call in parse(around(frame)[0], TOOLS, format=found).calls] == ["get_weather"]


def test_two_frames_are_shown() -> None:
    other = '{{{{get_weather => {{"city": "Rome"}}}}}}'
    with pytest.raises(FormatError, match=r"two ways, .*<\|go\|>.* and .*get_weather =>"):
        Format.from_turns([single("Oslo"), single("Bonn"), other.format(), other.format()], TOOLS)


def test_an_opener_that_prose_contains_is_not_learnt() -> None:
    turns = [f'@@get_weather {{"city": "{city}"}}@@' for city in ("Oslo", "Rome", "Bonn")]
    assert Format.from_turns(turns, TOOLS).is_declared
    with pytest.raises(FormatError, match="also in the prose of a turn"):
        Format.from_turns([*turns, "Mail me @@ home."], TOOLS)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"turns": "text", "tools": TOOLS}, UsageError),
        ({"turns": ["a", 3, "b"], "tools": TOOLS}, UsageError),
        ({"turns": ["a"] * 101, "tools": TOOLS}, UsageError),
        ({"turns": ["a"] * 3, "tools": TOOLS, "name": ""}, UsageError),
        ({"turns": ["a"] * 3, "tools": TOOLS, "answers": [[]]}, UsageError),
        ({"turns": ["a"] * 3, "tools": TOOLS, "answers": [[3], [], []]}, UsageError),
        ({"turns": ["a"] * 3, "tools": ["get_weather"]}, FormatError),
        ({"turns": ["a"] * 3, "tools": [{}]}, ToolError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Format.from_turns(**arguments)


def test_many_turns_are_learnt_from() -> None:
    turns = [single(f"city {number} <b>") for number in range(100)]
    assert replace(Format.from_turns(turns, TOOLS)).call == "<|go|>{name}<|with|>{arguments}<|/go|>"


def test_the_white_space_before_the_end_of_a_section_is_learnt_as_it_is_written() -> None:
    calls = [f"<use>get_weather city={city} days={days}</use>" for days, city in enumerate(("Oslo", "Rome", "Bern"), 1)]
    turns = [f"<calls>\n  {each}\n  </calls>" for each in (*calls, "\n  ".join(calls[:2]))]
    assert Format.from_turns(turns, TOOLS).section == ("<calls>\n  ", "\n  </calls>")


def test_turns_of_which_none_fits_are_refused() -> None:
    """Fixed bug: a ValueError."""
    turns = [
        "set_level{level@@run get_weather{city=}@",
        "find_files{query@",
        "@run set_level{level=7}\nget_weather{city@",
    ]
    with pytest.raises(FormatError):
        Format.from_turns(turns, TOOLS)
