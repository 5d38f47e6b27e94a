# What users see of a parser besides its events: options, formats and how they were found, outputs, `repr`.
# Does not depend on how anything is read.
"""The face of a parser."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.chunkings import calls_of, events_of
from tests.support.own_template import ANSWERS, TEMPLATE
from toolglean import (
    Content,
    Format,
    FormatError,
    Limits,
    Output,
    Parser,
    ParserOptions,
    State,
    UsageError,
    choose_format,
    fold,
    iter_events,
    parse,
    render,
)
from toolglean.formats import get_format, register
from toolglean.grammar import grammar_of

HERMES = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
MISTRAL = '[TOOL_CALLS]f[ARGS]{"x": 1}'


# -- signatures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [Parser, parse, render, iter_events, choose_format])
def test_nine_parameters_at_most(function: Callable[..., Any]) -> None:
    assert len(inspect.signature(function).parameters) <= 9


def test_the_face_of_a_parser_is_small() -> None:
    names = {name for name in dir(Parser()) if not name.startswith("_")}
    assert names == {"add", "close", "feed", "finish", "fork", "format", "state", "tools"}


# -- options -----------------------------------------------------------------------------------------------------------


def test_options_are_frozen_equal_and_picklable() -> None:
    options = ParserOptions(quoted="call", limits=Limits(depth=3))
    with pytest.raises(FrozenInstanceError):
        options.quoted = "content"  # type: ignore[misc]  # that is the test
    assert pickle.loads(pickle.dumps(options)) == options == replace(options)
    assert hash(options) == hash(replace(options))
    assert eval(repr(options)) == options  # noqa: S307  # our own text
    assert repr(ParserOptions()) == "ParserOptions()"


def test_one_vocabulary_for_parser_and_parse() -> None:
    """What a parser takes besides the tools, `parse` takes besides them and the text."""
    own = [*inspect.signature(Parser).parameters]
    assert [*inspect.signature(parse).parameters] == ["text", *own]


def test_options_are_read() -> None:
    quoted = f"Write `{HERMES}`"
    assert parse(quoted, ["f"]).calls == []
    assert len(parse(quoted, ["f"], options=ParserOptions(quoted="call")).calls) == 1
    assert parse(HERMES, ["g"], options=ParserOptions(unknown_tools="content")).content == HERMES
    assert parse(HERMES, ["f"], options=ParserOptions(id_prefix="turn_")).calls[0].id == "turn_0"
    assert parse(HERMES, ["f"]).calls[0].id == "call_0"


# -- formats -----------------------------------------------------------------------------------------------------------


def test_from_model() -> None:
    found = Format.from_model("Qwen/Qwen3-8B")
    assert found == get_format("hermes")
    assert found.reason == "models named like 'Qwen/Qwen3-8B' write it"
    assert found.losses == ()
    with pytest.raises(UsageError, match="unknown model 'nobody'"):
        Format.from_model("nobody")


def test_from_template(tmp_path: Path) -> None:
    path = tmp_path / "own.jinja"
    path.write_text(TEMPLATE, encoding="utf-8")
    for given in (TEMPLATE, path):
        found = Format.from_template(given)
        assert found.is_declared
        assert found.reason == "it was read from the template, and gives back what that writes"
        assert isinstance(found.losses, tuple)
        assert calls_of(Parser(["f"], format=found).feed('<do>f ~ {"x": 1}</do>\n')) == [("f", {"x": 1})]
    assert render(found, [("f", {"x": 1})]).startswith("<do>f ~ ")


def test_from_tokenizer_config(tmp_path: Path) -> None:
    config = {"chat_template": TEMPLATE, "eos_token": "<|stop|>"}
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    assert Format.from_tokenizer_config(config) == Format.from_tokenizer_config(path)
    with pytest.raises(UsageError, match="cannot be read"):
        Format.from_tokenizer_config(tmp_path / "missing.json")


def test_from_response_template() -> None:
    found = Format.from_response_template(ANSWERS)
    text = '<call>{"name": "f", "arguments": {"x": 1}}</call>'
    assert calls_of(Parser(["f"], format=found).feed(text)) == [("f", {"x": 1})]
    with pytest.raises(FormatError):
        Format.from_response_template({"fields": {"a": {"content": "nonsense"}}})
    with pytest.raises(UsageError, match=r"response_template=\{\} does not say"):
        Format.from_response_template({})


def test_from_tag() -> None:
    found = Format.from_tag("<x>", closer="</x>")
    assert (found.tag, found.is_declared, found.name) == ("<x>", False, "tag <x>")
    assert found == Format.from_tag("<x>", closer="</x>") != Format.from_tag("<x>")
    parser = Parser(["f"], format=found)
    assert parser.format is None  # nothing of its calls is declared
    assert "tag <x>" in repr(parser)
    with pytest.raises(UsageError, match="tag=3"):
        Format.from_tag(3)  # type: ignore[arg-type]  # that is the test


def test_what_is_not_declared_cannot_be_written() -> None:
    found = Format.from_tag("<x>")
    for use in (
        lambda: render(found, [("f", {})]),
        lambda: grammar_of(found, ["f"]),
        lambda: register(found),
        lambda: Parser(format=[found, "hermes"]),
    ):
        with pytest.raises(UsageError, match="format 'tag <x>' cannot be"):
            use()


def test_a_format_keeps_its_origin_in_a_pickle() -> None:
    found = Format.from_model("qwen3:8b")
    copied = pickle.loads(pickle.dumps(found))
    assert (copied, copied.reason) == (found, found.reason)


@pytest.mark.parametrize("text", [f"Hi. {HERMES} ok", MISTRAL, f"<think>a</think>\n\n{MISTRAL}"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_list_reads_all_of_its_formats(text: str, strict: bool) -> None:
    options = ParserOptions(markup=True, strict=strict)
    events = events_of(lambda: Parser(["f"], format=["mistral-v13", get_format("hermes")], options=options), text)
    assert calls_of(events) == [("f", {"x": 1})]


def test_the_first_of_a_list_comes_first() -> None:
    one, two = (Format(name, call="<c>{call}</c>") for name in ("one", "two"))
    text = '<c>{"name": "f", "arguments": {}}</c>'
    rows: list[tuple[list[str | Format], str]] = [([one, two], "one"), ([two, one], "two"), ([one, "auto"], "one")]
    for formats, name in rows:
        parser = Parser(["f"], format=formats)
        assert parser.format is None
        assert len(parser.add(text).calls) == 1
        found = parser.format
        assert found is not None
        assert found.name == name


# -- outputs -----------------------------------------------------------------------------------------------------------


def test_outputs_have_their_events() -> None:
    parser, twin = Parser(["f"], format="hermes"), Parser(["f"], format="hermes")
    for chunk in ("Hi ", "there <to", "ol_call>", HERMES.removeprefix("<tool_call>"), " ok", ""):
        output, events = parser.add(chunk), twin.feed(chunk)
        assert output.events == events
        assert output == fold(events)
        assert pickle.loads(pickle.dumps(output)).events == events
    assert parser.close().events == twin.finish()
    assert parse("Hi", ["f"]).events == [Content("Hi", 0)]


def test_an_output_of_your_own_has_no_events() -> None:
    output = Output("Hi")
    assert output.events == []
    output.events.append(Content("Hi", 0))
    assert output.events == [Content("Hi", 0)]
    assert [each.name for each in fields(output)] == ["content", "reasoning", "calls", "unfinished", "problems"]


# -- repr and state ----------------------------------------------------------------------------------------------------


def test_repr_shows_format_tools_and_state() -> None:
    parser = Parser(["f"], format="hermes")
    assert repr(parser) == "<Parser format='hermes', tools=['f'], state=LOOKING_FOR_TAG>"
    parser.feed("<tool_call>{")
    assert repr(parser) == "<Parser format='hermes', tools=['f'], state=TOOL_CALLING>"
    assert parser.state is State.TOOL_CALLING
    assert repr(Parser()) == "<Parser format='auto', state=LOOKING_FOR_TAG>"
