# Invariant: what comes again and again costs what it is long. Rows: floods that once did not.
# The table of all is `python -m benchmarks.floods`, the search for new ones `python -m fuzz.floods`.
"""Floods."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import floods
from benchmarks.floods import cost_of, reads
from fuzz import flood_lines
from fuzz import floods as search
from tests.support import depth
from tests.support.chunkings import calls_of, read_with
from tests.support.own_formats import own_format
from toolglean import Parser, parse
from toolglean.formats.quotations import MADE_UP
from toolglean.formats.words import tokens_of


def typed(kind: str) -> list[dict[str, Any]]:
    """A tool `f` with one parameter `n` of that kind."""
    return [{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": kind}}}}]


CODER = "<tool_call>\n<function=f>\n<parameter=n>\n"
CODER_END = "\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.sampled(1, each="unit")
@pytest.mark.parametrize("kind", ["integer", "number", "array"])
@pytest.mark.parametrize("unit", ["1", "1.", "0", " ", "[", "(", '\\"', "'a'"])
def test_values_that_are_not_quite_of_their_kind(kind: str, unit: str) -> None:
    after = "x" + CODER_END
    assert cost_of(
        lambda: Parser(typed(kind), format="qwen3-coder"), CODER, unit, 4000, chars=False, after=after
    ).linear


BLANKS = [
    ("qwen3-coder", "<tool_call>\n<function=f>\n<parameter="),
    ("qwen3-coder", "<tool_call>\n<function=f"),
    ("glm-4.5", "<tool_call>f\n<arg_key>"),
    ("minimax-m2", '<minimax:tool_call>\n<invoke name="f">\n<parameter name="'),
    ("deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="city" string="'),
    ("mistral-v11", "[TOOL_CALLS]f[CALL_ID]"),
    ("kimi-k2", "<|tool_call_begin|>functions.f:0"),
    ("kimi-k3", '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="k" type="'),
]


@pytest.mark.sampled(1, each="before")
@pytest.mark.parametrize(("name", "before"), BLANKS, ids=[f"{name}, {before[-12:]}" for name, before in BLANKS])
@pytest.mark.parametrize("unit", [" ", "a "])
def test_blanks_in_a_word(name: str, before: str, unit: str) -> None:
    size = 4_000 if depth.is_full() else 1_000
    for chars in (False, True):
        assert cost_of(lambda: Parser(["f"], format=name), before, unit, size, chars=chars).linear


@pytest.mark.parametrize(
    "unit",
    [
        "<function=f\n<parameter=x=",
        "<function=f\n<parameter=x\n",
        "<parameter=x\n<function=f\n",
        "<function=f>\n<parameter=x=a",
    ],
)
def test_tags_without_their_last_sign(unit: str) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}]
    for name in ("auto", "qwen3-coder"):
        assert cost_of(lambda: Parser(tools, format=name), "", unit, 150, chars=False).linear  # noqa: B023  # called at once


@pytest.mark.parametrize("unit", ["\r\n", " ", "\n" * 200 + "d" * 50])
def test_white_space_in_a_value_that_a_line_ends(unit: str) -> None:
    # A run of it could match in many ways, and was matched again at each character.
    pairs = own_format("own:pairs")
    assert cost_of(
        lambda: Parser(typed("string"), format=pairs), "@f\nn: y", unit, 250, chars=True, after="@end"
    ).linear


@pytest.mark.parametrize("size", [129, 257, 700])
def test_however_much_white_space_ends_a_value_it_is_no_part_of_it(size: int) -> None:
    for after, arguments in (("@end", {"n": "y"}), ("m: z\n@end", {"n": "y", "m": "z"})):
        text = "@f\nn: y" + "\n" * size + after
        tools = [{"name": "f", "parameters": {"properties": {"n": {"type": "string"}, "m": {"type": "string"}}}}]
        events = read_with(tools, text, format=own_format("own:pairs"))
        assert calls_of(events) == [("f", arguments)]


@pytest.mark.parametrize("unit", [">)", " > ", "- ,"])
def test_signs_behind_the_arguments(unit: str) -> None:
    # All of them were looked at again with each one: 128 KB in one chunk took 66 seconds.
    before = '<|tool_call:begin|>0<|tool_call:name|>f<|tool_call:args|>{"n": 1}'
    size = 16_000 if depth.is_full() else 4_000
    assert cost_of(lambda: Parser(typed("integer"), format="solar"), before, unit, size, chars=False).linear


@pytest.mark.sampled(1, each="unit")
@pytest.mark.parametrize("name", ["auto", "gemma-4"])
@pytest.mark.parametrize("unit", ["<", "<t", "<tool_call", "<|"])
def test_what_may_begin_a_marker_in_bare_text(name: str, unit: str) -> None:
    # The text after each `<` was searched up to the next comma or bracket: 64,000 of them took 13 seconds.
    before = "<|tool_call>call:save_note{text:"
    assert cost_of(lambda: Parser(["save_note"], format=name), before, unit, 3_000, chars=False).linear


@pytest.mark.parametrize("which", floods.MANY_TOOLS)
def test_many_tools(which: str) -> None:
    # 32,000 tools took over 90 seconds: each closer was looked up in the list of all openers, and a format that is
    # written out for the tools was checked once for each pair of them.
    assert floods.cost_of_tools(which, 100).linear


def test_the_pattern_of_each_tool_is_taken_apart_twice_at_most() -> None:
    # More patterns than the cache of their tokens holds were taken apart six times each: four times the tools took 6.6
    # times the time.
    def patterns(count: int) -> int:
        before = tokens_of.cache_info().misses
        parse("Hi.", [f"{count}_tool_{number}" for number in range(count)])
        return tokens_of.cache_info().misses - before

    patterns(10)  # with those of the library
    assert patterns(9000) <= 2 * (9000 + 1) + len(MADE_UP)  # those of the library, which all tools share


@pytest.mark.parametrize("which", floods.MANY_TOOLS)
def test_a_long_name_of_a_tool(which: str) -> None:
    # A name of a megabyte took 17 seconds. No call can have such a name: see `NAME_CHARS`.
    assert floods.cost_of_tools(which, 20_000, long_name=True).linear


@pytest.mark.sampled(1, each="unit")
@pytest.mark.parametrize("name", ["auto", "hermes"])
@pytest.mark.parametrize("unit", ["'word\n", "“\n", "=f\n", "<foo>\nbar\n", "Tool: f\n", "|a|b|\n"])
def test_lines_in_the_first_chunk(name: str, unit: str) -> None:
    # All text before a line was looked through again for each line: 256 KB in one chunk took 23 seconds.
    size = 60_000 if depth.is_full() else 2_000
    assert cost_of(reads(name).parser, "", unit, size, chars=False).linear


@pytest.mark.sampled(1, each="unit")
@pytest.mark.parametrize("name", ["auto", "hermes"])
@pytest.mark.parametrize("unit", ["some words here\n", "**a** \n", "a\n"])
def test_lines_behind_a_lone_backtick(name: str, unit: str) -> None:
    # Each line was a place at which the rest of the text was searched for a sign.
    size = 40_000 if depth.is_full() else 4_000
    assert cost_of(lambda: Parser(typed("string"), format=name), "It`s so. ", unit, size, chars=False).linear


def test_instructions_of_xml() -> None:
    # Each was one more thing that is open around what follows, and all of them were copied for each piece of text.
    assert cost_of(
        lambda: Parser(typed("string"), format="hermes"),
        "Hi.\n",
        "<?\n",
        12_000 if depth.is_full() else 4_000,
        chars=True,
    ).linear


def test_a_flood_of_lines_that_is_not_linear_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = flood_lines.Measured(small=0.01, large=0.16)
    assert (round(found.exponent, 2), found.linear) == (1.0, True)
    assert not flood_lines.Measured(small=0.01, large=0.64).linear
    monkeypatch.setattr(flood_lines, "time_of", lambda *given, **_: 1e-10 * given[4] ** 2)
    each = next(flood_lines.floods("hermes", openers=False))
    assert not flood_lines.cost(each).linear


def test_floods_of_lines_for_a_moment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.argv", ["flood_lines", "--reader", "hermes", "--every", "200" if depth.is_full() else "1200"]
    )
    monkeypatch.setattr(flood_lines, "SMALL", 512)
    monkeypatch.setattr(flood_lines, "LARGE", 8192)
    flood_lines.main()
    assert " floods, 0 of them not linear" in capsys.readouterr().out


RESPONSES = {
    # Each head looked for its end up to the one `>` after all of them.
    "heads with one end after all": ("response tags, merged", "<tc=f><p=s", "<p= ", ">y z</p></tc>", False),
    "heads with one end, not merged": ("response tags", "<tc=f><p=s", "<p= ", ">y z</p></tc>", False),
    # What waits after a value was one string, longer with each character.
    "blanks after a value": ("response tags", "<tc=f><p=s>y z</p>", " ", "</tc>", True),
    "blanks after a value that goes on": ("response tags", "<tc=f><p=s>y z</p>", "\n", "x</p></tc>", True),
}


@pytest.mark.parametrize("which", RESPONSES)
def test_floods_of_response_templates(which: str) -> None:
    name, before, unit, after, chars = RESPONSES[which]
    for size in (15_000,) if chars else (1000, 5000):  # copying is fast: it shows where much is copied
        assert cost_of(reads(name).parser, before, unit, size, chars=chars, after=after).linear


def test_a_flood_that_is_not_linear_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A parser that looks at all its text again with each chunk, and one that does not, by a clock of characters."""
    looked_at, length, found = [0], [0], Parser.feed

    def feed(self: Parser, chunk: str) -> Any:
        length[0] += len(chunk)
        looked_at[0] += length[0] if again[0] else len(chunk)
        return found(self, chunk)

    def clock() -> float:  # it is read before each turn, and after it
        length[0] = 0
        return looked_at[0] * 1e-4

    monkeypatch.setattr(Parser, "feed", feed)
    monkeypatch.setattr("time.process_time", clock)
    each = search.Flood("hermes", "", "a", "", chars=True)
    monkeypatch.setattr(search, "flood", lambda *_: each)
    monkeypatch.setattr("sys.argv", ["floods", "--count", "1", "--size", "500", "--workers", "1"])
    again = [False]
    once = search.cost(each, 500)
    assert once.four > floods.SLIGHT
    assert once.linear
    assert search.main() == 0
    capsys.readouterr()
    again[0] = True
    assert search.cost(each, 500).growth == pytest.approx(16, rel=0.01)
    assert search.main() == 1
    out = capsys.readouterr().out
    assert "NOT LINEAR" in out
    assert "1 are not linear" in out


def test_the_search_tries_everything() -> None:
    names = floods.readers()
    assert {"hermes", "auto", "tag {", "response tags"} <= set(names)
    for name in names:
        assert reads(name).turns, name
        assert len(floods.states(reads(name))) > 2, name
        assert search.flood(3, name) == search.flood(3, name)
    assert len({search.flood(seed).reader for seed in range(12 * len(names))}) == len(names)


def test_the_search_for_a_moment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    count = "60" if depth.is_full() else "12"
    monkeypatch.setattr("sys.argv", ["floods", "--count", count, "--size", "400"])
    assert search.main() == 0
    assert f"{count} floods in " in capsys.readouterr().out


def test_the_table_for_a_moment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["floods", "--smoke", "hermes", "response", "tag"])
    assert floods.main() == 0
    out = capsys.readouterr().out
    assert "hermes" in out
    assert " states, 0 of them not linear" in out
