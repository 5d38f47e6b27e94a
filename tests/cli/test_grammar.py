"""`toolglean grammar`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.grammar.gbnf_reader import Gbnf
from toolglean.cli import main

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
TEMPLATE = (
    "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + (message.content or '') }}"
    "{%- for call in message.tool_calls or [] %}{{- '\\n<tool_call>\\n' + ({'name': call.function.name, 'arguments': "
    "call.function.arguments} | tojson) + '\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endfor %}"
)


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    path.write_text(json.dumps([{"name": "get_weather", "parameters": schema}]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["hermes", "qwen3:8b"])
def test_a_format_or_a_model(name: str, tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", name, "--tools", tools, "--notation", "gbnf", "--tool-choice", "required"]) == 0
    accepts = Gbnf(capsys.readouterr().out).accepts
    assert accepts(CALL)
    assert not accepts(CALL.replace("city", "town"))


@pytest.mark.usefixtures("rendered_here")
def test_a_template(tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="the template is Jinja")
    template = tmp_path / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    assert main(["grammar", str(template), "--tools", tools, "--notation", "gbnf"]) == 0
    assert Gbnf(capsys.readouterr().out).accepts(CALL)


def test_a_structural_tag_is_one_line_of_json(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", "qwen3-coder", "--tools", tools]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out)["type"] == "structural_tag"


def test_special_tokens(tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"<tool_call>": 151657}', encoding="utf-8")
    given = ["grammar", "hermes", "--tools", tools, "--tool-choice", "required", "--special-tokens", str(tokens)]
    assert main([*given, "--notation", "lark"]) == 0
    assert "start: <[151657]>" in capsys.readouterr().out
    assert main([*given, "--notation", "gbnf"]) == 2
    assert "--notation lark" in capsys.readouterr().err


def test_what_is_loosened_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tools.json"
    schema = {"type": "object", "properties": {"ids": {"type": "array", "uniqueItems": True}}}
    path.write_text(json.dumps([{"name": "pick", "parameters": schema}]), encoding="utf-8")
    assert main(["grammar", "hermes", "--tools", str(path)]) == 2
    assert "tools.pick.parameters.properties.ids.uniqueItems" in capsys.readouterr().err
    assert main(["grammar", "hermes", "--tools", str(path), "--loose"]) == 0
    assert "uniqueItems" in capsys.readouterr().err
