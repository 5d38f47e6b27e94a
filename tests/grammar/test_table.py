"""Every format, every choice: our own reader of GBNF accepts what is good, and refuses what is spoilt."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("jsonschema", reason="the law needs jsonschema, which comes with the extra [mcp]")

from tests.grammar.cases import EXPRESSED, GOOD, TOOLS, accepted, mutants
from tests.grammar.engines import OwnReader, sampled
from tests.grammar.laws import fault, snippets
from tests.support import depth
from toolglean import ToolCall, parse
from toolglean.formats import Format
from toolglean.grammar import grammar_of


def name_of(declared: Format) -> str:
    """What tells a format from others."""
    return declared.name


FORMATS = pytest.mark.parametrize("declared", EXPRESSED, ids=name_of)
CHOSEN: list[Format] = depth.chosen(EXPRESSED, 5, key=name_of)
SOME = pytest.mark.parametrize("declared", CHOSEN, ids=name_of)
TEXT = "I will look it up: 1 < 2, [x], {y} and `code`.\n\n"
PROSE = (
    "",
    "Hello, world.",
    "1 < 2 and a > b",
    "```python\nprint('x')\n```\n",
    "Let's see: é 東 🙂 [1] {2}",
    "\n\nYes.",
)


def has_marker(declared: Format) -> bool:
    """Whether text may stand before a call: the main spelling begins with a marker."""
    opener = (declared.section[0] or declared.call).lstrip()
    return not opener.startswith(("{", '["', "[{")) and opener[:2] != "[" and opener != "["


def prose(declared: Format) -> list[str]:
    """Text that may be a turn: where a fence may hold a call, none may begin it."""
    openers = (*declared.calls, *(opener for opener, _ in declared.all_sections))
    fenced = any(each.startswith("```") for each in openers)
    return [each for each in PROSE if not (fenced and each.startswith("```"))]


@pytest.mark.sampled(2)
@FORMATS
def test_required(declared: Format) -> None:
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS, choice="required"))
    good = accepted(declared)
    assert len(good) >= 8
    assert [text for _, text in good if not accepts(text)] == []
    bad = mutants(declared)
    assert len({what for what, _ in bad}) >= 11
    assert [(what, text) for what, text in bad if accepts(text)] == []


@SOME
def test_named(declared: Format) -> None:
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS, choice="get_weather"))
    for calls, text in accepted(declared):
        assert accepts(text) == all(name == "get_weather" for name, _ in calls), text
    assert [what for what, text in mutants(declared) if accepts(text)] == []


@SOME
def test_one_call(declared: Format) -> None:
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS, choice="required", parallel=False))
    for calls, text in accepted(declared):
        assert accepts(text) == (len(calls) == 1), text


@pytest.mark.sampled(2)
@SOME
def test_auto(declared: Format) -> None:
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS))
    for text in (*prose(declared), *(text for _, text in accepted(declared))):
        assert accepts(text), text
        assert fault(declared, TOOLS, "auto", text) == ""
    if has_marker(declared) and prose(declared) == list(PROSE) and "{name}" not in declared.call[:6]:
        for calls, text in accepted(declared)[:4]:
            assert accepts(TEXT + text), text
            assert [(call.name, call.arguments) for call in parse_of(declared, TEXT + text)] == calls
    for what, text in mutants(declared):
        for each in (text, TEXT + text):
            assert not accepts(each) or fault(declared, TOOLS, "auto", each) == "", what


def parse_of(declared: Format, text: str) -> list[ToolCall]:
    return list(parse(text, TOOLS, format=declared).calls)


@SOME
def test_none(declared: Format) -> None:
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS, choice="none"))
    assert all(map(accepts, prose(declared)))
    for _, text in accepted(declared):
        assert not accepts(text) or fault(declared, TOOLS, "none", text) == ""


@SOME
def test_reasoning(declared: Format) -> None:
    opener, closer = declared.reasoning
    if not opener:
        return
    accepts = OwnReader().acceptor(grammar_of(declared, TOOLS, choice="required", reasoning=True))
    text = next(text for calls, text in accepted(declared) if calls == GOOD[0])
    assert accepts(text)
    assert accepts(f"{opener}I think of <b>, `x` and 3 < 4.{closer}{text}")
    assert not accepts(f"{opener}I think{text}")
    assert not accepts(f"{opener}I think{closer}")


@pytest.mark.sampled(2)
@SOME
def test_what_is_sampled_is_read(declared: Format) -> None:
    rng = random.Random(declared.name)
    pieces = snippets(declared)
    for choice in ("required", "auto", "none", "plan"):
        engine = OwnReader()
        compiled = engine.compiled(grammar_of(declared, TOOLS, choice=choice))
        for _ in range(2 if depth.is_full() else 1):
            text = sampled(engine.walk(compiled), rng, pieces, most=150)
            if text is not None:
                assert fault(declared, TOOLS, choice, text) == "", text
