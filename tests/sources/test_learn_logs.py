"""Formats that are learnt from logs as they are: broken turns, two formats, long turns."""

from __future__ import annotations

import cProfile
import json
import pstats
from dataclasses import replace
from functools import lru_cache
from itertools import product

import pytest

from tests.support import depth
from tests.support.log_formats import LOGGED, meant_turns, mixed
from tests.support.trace_formats import FORMATS, TAUGHT, TOOLS, Arguments, Invented, Meant
from toolglean import Format, FormatError, ParserOptions, ToolSet, parse
from toolglean.sources.traces import Learnt, learn

KNOWN = ToolSet(TOOLS)
LONG_LOG, MANY, FEW = (30, 24, 8) if depth.is_full() else (10, 6, 2)
"""Turns of a log; and of one in two formats, those of each."""
STRICT = ParserOptions(strict=True)
BY_NAME = {each.name: each for each in (*FORMATS, *LOGGED)}


@lru_cache
def learnt(name: str, share: float) -> tuple[Learnt, frozenset[int]]:
    turns, bad = mixed(BY_NAME[name], LONG_LOG, share, 1)
    return learn(turns, KNOWN, name=name), bad


def held_out(invented: Invented, found: Format) -> tuple[int, int]:
    """How many turns that were not learnt from are read right, and how many with other calls than they mean."""
    right = wrong = 0
    for each in meant_turns(12, f"held {invented.name}"):
        meant = invented.without_reasoning(each)
        output = parse(invented.turn(meant), KNOWN, format=found, options=STRICT)
        calls = tuple((call.name, call.arguments) for call in output.calls)
        said = Meant(calls, output.content.strip(), output.reasoning.strip())
        right += said == Meant(meant.calls, meant.content.strip(), meant.reasoning.strip())
        wrong += bool(calls) and calls != meant.calls
    return right, wrong


def test_the_formats_differ() -> None:
    meant = meant_turns(1, "differ")[0]
    assert len({each.turn(each.without_reasoning(meant)) for each in LOGGED}) == len(LOGGED) == 30


# What was learnt from these logs had a broken turn in it, whose faults became part of the format.
ONCE_LEARNT = (("keyed", 0.03), ("white", 0.03), ("cobra", 0.1))
LOGS = [(each.name, share) for each in LOGGED for share in (0, 0.03, 0.1, 0.2)] if depth.is_full() else ONCE_LEARNT


# The markers of the reasoning of `dollar` have no word in common; it stayed content.
@pytest.mark.parametrize(("name", "share"), LOGS)
def test_broken_turns_are_named_and_no_others(name: str, share: float) -> None:
    found, bad = learnt(name, share)
    left_out = dict(found.left_out)
    assert left_out.keys() <= bad  # a broken turn may be one that can be read,
    assert left_out or share < 0.2  # but not every one of them is
    assert all(left_out.values())
    for number, why in left_out.items():
        assert f"turn {number + 1} is left out: {why}" in found.losses
    assert held_out(BY_NAME[name], found.format) == (12, 0)


# Of two, the calls of the other format were learnt as reasoning; of `guillemet` the closer has the letters of the opener.
@pytest.mark.parametrize(
    "name", [each.name for each in LOGGED] if depth.is_full() else ["bars", "guillemet", "thinking"]
)
def test_the_format_of_most_turns_is_learnt(name: str) -> None:
    number = [each.name for each in LOGGED].index(name)
    invented, other = LOGGED[number], LOGGED[(number + 7) % len(LOGGED)]
    turns = [*mixed(invented, MANY, 0, "m")[0], *mixed(other, FEW, 0, "n")[0]]
    found = learn(turns, KNOWN, name=invented.name)
    right, wrong = held_out(invented, found.format)
    assert not wrong
    assert right > 10
    assert not [each for each, _ in found.left_out if each < MANY]
    assert found.left_out


# -- logs of formats that were not among those that it was made with -----------------------------------------------------


def numbered(_: int, name: str, given: Arguments) -> str:
    return f"Step {_ + 1}: <use>{name}</use>\n<with>{json.dumps(given)}</with>"


def members(given: Arguments, pattern: str, between: str) -> str:
    return between.join(pattern.format(key=key, value=json.dumps(value)) for key, value in given.items())


MORE = {
    # Learnt as `Step 1: <use>{name}`, from turns of one call; all others were blamed, and read wrong.
    "steps": (numbered, "<use>{name}</use>\n<with>{arguments}</with>"),
    # What follows the inner object was taken for the closer, up to the number of the first call: `, "n":`.
    "around": (lambda n, f, a: f"<x>{json.dumps({'call': {'fn': f, 'kw': a}, 'n': n})}</x>", "<x>{call}</x>"),
    # "The only text before a call is 'TOOL_REQUEST', which prose contains."
    "words": (lambda _, f, a: f"TOOL_REQUEST {f}\nTOOL_ARGS {json.dumps(a)}\nTOOL_END", "TOOL_REQUEST {name}\nTOOL_ARGS {arguments}\nTOOL_END"),
    # Of a broken turn the opener of its broken call was learnt as part of the closer: `)\n(call`.
    "lisp": (lambda _, f, a: f"(call {f} {members(a, ':{key} {value}', ' ')})", "(call {name} {parameters})"),
}  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("share", [0, 0.2])
def test_more_formats_are_learnt(name: str, share: float) -> None:
    write, pattern = MORE[name]
    invented = Invented(name, write)
    turns, bad = mixed(invented, LONG_LOG, share, 2)
    found = learn(turns, KNOWN, name=name)
    assert found.format.call == pattern
    assert dict(found.left_out).keys() <= bad
    for each in meant_turns(12, name):
        calls = [(call.name, call.arguments) for call in parse(invented.turn(each), KNOWN, format=found.format).calls]
        assert calls == list(each.calls)


def test_what_few_turns_agree_on_is_not_learnt() -> None:
    # Of 30 turns three were read, by an opener with prose in it, and 18 good ones were blamed.
    invented = Invented("sql", lambda _, f, a: f"CALL {f}({members(a, '{key} => {value}', ', ')});")
    with pytest.raises(FormatError, match="'CALL', which prose contains: a marker is needed"):
        learn(mixed(invented, 30, 0.1, 1)[0], KNOWN)


def test_the_end_of_a_turn_is_known_among_turns_of_another_format() -> None:
    # It became part of the section, because turns of the other format, without calls, end otherwise.
    invented, other = BY_NAME["batch"], BY_NAME["quill"]
    turns = [*mixed(invented, MANY, 0, "m1")[0], *mixed(other, FEW, 0, "n1")[0]]
    found = learn(turns, KNOWN)
    assert found.format.section == ("<batch>\n", "\n</batch>")
    assert found.format.drop == ("<fin>",)


def single(city: str) -> str:
    return f'<|go|>get_weather<|with|>{{"city": "{city}"}}<|/go|>'


CITIES = ("Oslo", "Rome", "Bonn", "Lima", "Kyiv")


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ('<|go|>get_weather<|with|>{"city": "Par', "nothing shows that the call of get_weather is complete"),
        ("<|go|>get_wea", "'<|go|>' is left in its content"),
        ('{{get_weather => {"city": "Rome"}}}', "it names get_weather with 'city', and no call is read there"),
        ("get_weather(city='Rome')", "it names get_weather with 'city', and no call is read there"),
    ],
)
def test_what_does_not_fit_is_said(turn: str, why: str) -> None:
    found = learn([*map(single, CITIES), turn, "get_weather is not needed in this city."], KNOWN)
    assert found.format.call == "<|go|>{name}<|with|>{arguments}<|/go|>"
    [(number, said)] = found.left_out
    assert number == len(CITIES)
    assert why in said
    assert "1 of 7 turns do not agree with these, and are left out" in found.evidence
    assert found.format.reason.startswith("learnt from 6 of 7 turns")


BROKEN = ('{"city": "Par', '{"city": "Par<|/go|>', '{"city": }<|/go|>', '{"town": "Paris"}<|/go|>', '{"city": "Par"')
"""The ends of a call that is broken."""


@pytest.mark.sampled(2, each="end")
@pytest.mark.parametrize("end", BROKEN)
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_turn_that_fits_is_never_blamed(end: str, count: int, *, first: bool) -> None:
    # Beside three good turns, and beside two, which are too few, a good one was said to be wrong.
    broken, good = f"<|go|>get_weather<|with|>{end}", [*map(single, CITIES[:count])]
    turns = [broken, *good] if first else [*good, broken]
    place = turns.index(broken)
    if count == 2:
        with pytest.raises(FormatError, match=f"turn {place + 1}"):
            learn(turns, KNOWN)
    else:
        assert [number for number, _ in learn(turns, KNOWN).left_out] == [place]


def test_a_known_format_with_a_broken_turn_is_recognised() -> None:
    turns = [
        f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>' for city in CITIES
    ]
    found = learn([*turns, turns[0][:48]], KNOWN)
    assert found.recognised == "hermes"
    assert found.format.reason == "the known format 'hermes' reads 5 of 6 turns"
    assert [number for number, _ in found.left_out] == [len(CITIES)]


def test_two_turns_are_too_few_to_leave_others_out() -> None:
    with pytest.raises(FormatError, match="two ways"):
        learn([single("Oslo"), single("Rome"), 'get_weather: {"city": "Bonn"}', 'get_weather: {"city": "Lima"}'], KNOWN)


QUOTED_AND_BARE = {
    "lines": ("CALL! get_weather\ncity: {}\n!END", '"'),
    "markers": ("<go>get_weather<k>city</k><v>{}</v></go>", '"'),
    "attributes": ('<do tool="get_weather" city={}/>', '"'),
    "keywords": ("@f get_weather(city={})@", "'"),
}


@pytest.mark.sampled(2, each="name")
@pytest.mark.parametrize("name", QUOTED_AND_BARE)
@pytest.mark.parametrize("quoted", [2, 4, 5])
def test_texts_between_quotes_and_bare_ones_are_not_one_format(name: str, quoted: int) -> None:
    # They were learnt as one, in which the quotes were part of some texts.
    pattern, mark = QUOTED_AND_BARE[name]
    cities = (*CITIES, "Bern")
    turns = [pattern.format(f"{mark}{city}{mark}" if n < quoted else city) for n, city in enumerate(cities)]
    if quoted == 2 and name in {"attributes", "keywords"}:  # nothing shows where bare texts end there
        with pytest.raises(FormatError):
            learn(turns, KNOWN)
        return
    found = learn(turns, KNOWN)
    most = range(quoted) if quoted > 3 else range(quoted, len(cities))
    assert {number for number, _ in found.left_out} == set(range(len(cities))) - set(most)
    for number in most:
        [call] = parse(turns[number], KNOWN, format=found.format, options=STRICT).calls
        assert call.arguments == {"city": cities[number]}


# -- long turns --------------------------------------------------------------------------------------------------------

FLOODS = {
    "prose": "It is a fine day. ",
    "names": "get_weather is a tool. ",
    "keys": "the city and the level and days: ",
    "braces": 'get_weather { {"a": ',
    "tags": "<city>get_weather</city>",
}


# By default, each in one of the two places.
LONG = depth.chosen(product(FLOODS, ("content", "value")), 1, key=str, group=lambda each: each[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("unit", "where"), LONG)
def test_a_long_turn_takes_as_long_as_it_is(unit: str, where: str) -> None:
    # 160 KB took 22 seconds: what follows each tool's name was read to the end of the turn, in each way, for each group
    # of names, and once more for each turn that was left out; texts were compared as a whole.
    size = 40_000 if depth.is_full() or unit == "tags" else 10_000  # of tags, what is the same for any size is much
    long = FLOODS[unit] * (size // len(FLOODS[unit]))
    note = Meant(
        (("send_note", {"to": "Ana", "body": long if where == "value" else "Hi."}),), long if where == "content" else ""
    )
    turns = [BY_NAME["vox"].turn(replace(each, reasoning="")) for each in (*TAUGHT, note)]
    profile = cProfile.Profile()
    found = profile.runcall(learn, turns, KNOWN)
    assert found.format.call == "<|call|>{name}<|args|>{arguments}<|done|>"
    assert pstats.Stats(profile).total_calls < 210 * size  # type: ignore[attr-defined]  # typeshed does not know it
