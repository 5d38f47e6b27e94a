"""The same table by the engines themselves: xgrammar and llguidance, where they are installed (nox -s grammar)."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("xgrammar", reason="xgrammar is not installed: nox -s grammar")
pytest.importorskip("llguidance", reason="llguidance is not installed: nox -s grammar")
pytest.importorskip("jsonschema", reason="jsonschema is not installed: nox -s grammar")

import jsonschema

from tests.grammar import schemas
from tests.grammar.cases import BEFORE_CALLS, BEGINNINGS, EXPRESSED, TOOLS, accepted, mutants, texts
from tests.grammar.engines import Llguidance, Xgrammar, sampled
from tests.grammar.laws import fault, snippets
from tests.support import depth
from toolglean import Tool, ToolSet, UsageError
from toolglean.formats import Format, all_formats
from toolglean.formats.registry import get_format
from toolglean.formats.render import render
from toolglean.grammar import grammar_of, register_xgrammar

FORMATS = pytest.mark.parametrize("declared", EXPRESSED, ids=lambda each: each.name)
ENGINES: dict[str, Any] = {"structural-tag": Xgrammar("structural-tag"), "gbnf": Xgrammar("gbnf"), "lark": Llguidance()}
ENGINE = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


@ENGINE
@FORMATS
def test_required(engine: Any, declared: Format) -> None:
    accepts = engine.acceptor(grammar_of(declared, TOOLS, choice="required"))
    assert [text for _, text in accepted(declared) if not accepts(text)] == []
    assert [(what, text) for what, text in mutants(declared) if accepts(text)] == []


@ENGINE
@FORMATS
def test_named(engine: Any, declared: Format) -> None:
    accepts = engine.acceptor(grammar_of(declared, TOOLS, choice="get_weather"))
    for calls, text in accepted(declared):
        assert accepts(text) == all(name == "get_weather" for name, _ in calls), text


@ENGINE
@FORMATS
def test_auto(engine: Any, declared: Format) -> None:
    accepts = engine.acceptor(grammar_of(declared, TOOLS))
    for text in ("", "Hello, 1 < 2 and `x`.", *(text for _, text in accepted(declared))):
        assert accepts(text), text
    for what, text in mutants(declared):
        assert not accepts(text) or fault(declared, TOOLS, "auto", text) == "", what


@ENGINE
@FORMATS
def test_what_is_sampled_is_read(engine: Any, declared: Format) -> None:
    rng = random.Random(declared.name)
    for choice in ("required", "auto", "none", "plan"):
        compiled = engine.compiled(grammar_of(declared, TOOLS, choice=choice))
        for _ in range(10 if depth.is_full() else 2):
            text = sampled(engine.walk(compiled), rng, snippets(declared), most=200)
            assert text is None or fault(declared, TOOLS, choice, text) == "", text


@ENGINE
@FORMATS
def test_random_schemas(engine: Any, declared: Format) -> None:
    rng = random.Random(declared.name)
    for _ in range(20 if depth.is_full() else 2):
        parameters = schemas.parameters(rng)
        tools = ToolSet([Tool("do_it", parameters)])
        arguments = schemas.value(rng, parameters, parameters)
        if any(jsonschema.Draft202012Validator(parameters).iter_errors(arguments)):
            continue
        try:
            grammar = grammar_of(declared, tools, choice="required")
            text = render(declared, [("do_it", arguments)], tools=tools)
        except UsageError:
            continue
        if not grammar.notes:
            assert engine.acceptor(grammar)(text), (text, parameters)
        found = sampled(engine.walk(engine.compiled(grammar)), rng, snippets(declared, [text]), most=200)
        assert found is None or fault(declared, tools, "required", found) == "", (found, parameters)


@ENGINE
def test_text(engine: Any) -> None:
    for name, text, may_be in BEGINNINGS:
        assert engine.acceptor(grammar_of(name, TOOLS))(text) == may_be, (name, text)
    accepts = engine.acceptor(grammar_of("hermes", TOOLS))
    call = texts(get_format("hermes"), [("now", {})])
    for text, may_be in BEFORE_CALLS:
        assert accepts(f"{text}{call}") == may_be, text


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "glm-4.5", "minimax-m2", "kimi-k2", "harmony"])
def test_structural_tags_have_few_states(name: str) -> None:
    """Each state takes xgrammar up to 50 milliseconds, unless it is in a text that only avoids others."""
    for choice in ("required", "auto"):
        rules = grammar_of(name, TOOLS, choice=choice).structural_tag()["format"]["grammar"].splitlines()
        assert any("TagDispatch" in rule for rule in rules) or choice == "required"
        assert sum("\\uE000-" in rule and "TagDispatch" not in rule for rule in rules) <= 16


def test_formats_are_where_xgrammar_looks() -> None:
    import xgrammar  # noqa: PLC0415  # as above

    names = register_xgrammar()
    assert {f"toolglean-{each.name}" for each in all_formats()} <= set(names)
    assert "llama" not in names
    assert "hermes" in names
    tools: list[Any] = [
        {"type": "function", "function": {"name": each.name, "parameters": dict(each.parameters)}} for each in TOOLS
    ]
    named = {"type": "function", "function": {"name": "now"}}
    for choice in ("auto", "required", "none", named):
        tag = xgrammar.get_model_structural_tag("toolglean-qwen3-coder", tools=tools, tool_choice=choice)
        xgrammar.Grammar.from_structural_tag(tag)
    assert register_xgrammar() == names
