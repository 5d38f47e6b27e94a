"""What is too long is not a call, wherever it is cut; and what a parser keeps in memory."""

from __future__ import annotations

import gc
import json
import tracemalloc
from typing import Any

import pytest

from tests.support import depth
from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with
from toolglean import Limits, Parser, ParserOptions, Problem, parse

TEXTS = {"x": {"type": "string"}, "y": {"type": "string"}}
TOOLS = [{"name": name, "parameters": {"type": "object", "properties": TEXTS}} for name in ("f",)]
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    ("name", "most", "text"),
    [
        ("tool-tags", 1, "<f>\n"),
        ("beam", 40, "to=f<|channel|>analysis <|constrain|>xml<|message|><|call|>"),
        ("hermes", 10, CALL),
        ("apertus", 20, '<|tools_prefix|>[{"f": {"x": "1"}}]<|tools_suffix|>'),
    ],
)
def test_a_call_that_is_too_long_before_it_is_certain(name: str, most: int, text: str) -> None:
    """Whether it was `ok` depended on the cuts."""
    events = read_with(["f"], text, format=name, limits=Limits(call_chars=most))
    assert calls_of(events) == []
    assert "limit-call-chars" in codes_of(events)


@pytest.mark.parametrize(
    ("name", "limits", "text"),
    [
        ("firefunction", None, 'functools{"name":"g","arguments":""sfunctools{'),
        ("muse", None, '<atem:function_calls><atem:invoke name="f">tto=commentary<|message|>'),
        (
            "beam",
            Limits(call_chars=83),
            "<|start|>assistant to=get_weather<|channel|>analysis <|constrain|>xml<|message|><rfl",
        ),
        # A fence opens the turn, and reasoning in it ends with the same backticks.
        ("tool-code", None, "```\n<think>)```o"),
        ("tool-code", None, "```\n<think>```"),
    ],
)
def test_mutants_whose_answer_once_depended_on_the_cuts(name: str, limits: Limits | None, text: str) -> None:
    """An opener of letters directly after a malformed call; a limit of a call that begins in the middle of a chunk."""
    read_with(None, text, format=name, limits=limits or Limits())


@pytest.mark.parametrize("between", [40, 48, 49, 300])
def test_what_is_too_long_to_be_a_call_by_schema_quotes_none_wherever_it_is_cut(between: int) -> None:
    """It is let go now and then, and whether a value was open in it depended on when."""
    text = f"CALL: f\n{'z' * between}\nx: {CALL} "
    events = read_with(TOOLS, text, format="hermes", limits=Limits(held=60))
    assert len(calls_of(events)) == (between > 48)


# A word at the start of a turn waits until it is certain whether a call may begin with it. Such words are prose, even if
# their first letters begin a marker or a tool's name.
WORDS = {
    "the beginning of a marker": ("pre", ["f"]),
    "a word that begins like a marker": ("pres", ["f"]),
    "a word that begins like a marker and a tool's name": ("pres", ["pr_x"]),
    "a word that begins like a tool's name": ("zoo", ["zebra"]),
    "a word that begins like a name of two letters": ("zoo", ["zx"]),
    "a word after which a longer name may come": ("ze", ["zebra"]),
}


@pytest.mark.parametrize("held", [1, 2, 3, 4])
@pytest.mark.parametrize(("word", "tools"), WORDS.values(), ids=list(WORDS))
def test_a_word_of_prose_at_the_start_passes_no_limit(word: str, tools: list[str], held: int) -> None:
    """Character by character, `limit-held` was reported, and the rest of the turn was content."""
    options = ParserOptions(limits=Limits(held=held), repair=False, markup=True)
    for text in (word, f"{word} and\n{CALL}"):
        events = events_of(lambda: Parser(tools, options=options), text)
        assert content_of(events).startswith(word)
        assert not [event for event in events if isinstance(event, Problem) and event.start <= len(word)]


# -- memory -----------------------------------------------------------------------------------------------------------


def test_what_strangers_write_is_not_kept() -> None:
    """Places remembered every character that had missed."""

    def feed(begin: int, end: int) -> None:
        parse("".join("<tool_call>" + chr(0x10000 + each) for each in range(begin, end)), ["f"], format="hermes")

    many = 1000 if depth.is_full() else 240
    feed(0, many)
    gc.freeze()  # else all that the tests before have made would be looked through
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        feed(many, 2 * many)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert kept < 100 * many  # it was 118 bytes for each character


CODE = "def f(x):\n    return \"a\" + 'b' if x else None  # a comment\n" * 1000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hermes", f'<tool_call>{{"name": "f", "arguments": {{"x": {json.dumps(CODE)}}}}}</tool_call>'),
        ("hermes", f'<tool_call>{{"arguments": {{"x": {json.dumps(CODE)}}}, "name": "f"}}</tool_call>'),
        ("qwen3-coder", f"<tool_call>\n<function=f>\n<parameter=x>\n{CODE}\n</parameter>\n</function>\n</tool_call>"),
    ],
    ids=["JSON", "JSON, the name last", "text"],
)
def test_an_open_call_holds_few_bytes_a_character(name: str, text: str) -> None:
    assert parse(text, TOOLS, format=name).calls[0].arguments == {"x": CODE}  # all that is imported, is
    parser = Parser(TOOLS, format=name)
    chunks = [text[begin : begin + 4] for begin in range(0, len(text), 4)]
    tracemalloc.start()
    try:
        for chunk in chunks:
            parser.feed(chunk)
        parser.finish()
        peak: Any = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / len(text) < 6  # it was 17: each four characters in a piece of their own
