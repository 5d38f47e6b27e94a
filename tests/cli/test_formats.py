"""`toolglean formats`: what it prints is the declaration itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolglean import Format
from toolglean.cli import main
from toolglean.cli.formats import declaration
from toolglean.formats import all_formats, get_format

FORMATS = all_formats()


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["formats", *args]) == 0
    return capsys.readouterr().out


def test_the_list_has_every_format_with_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    rows = shown(capsys).splitlines()
    assert [row for row in rows if not row.startswith(" ")] == [declared.name for declared in FORMATS]
    place = rows.index("kimi-k2")
    assert rows[place + 1].strip().startswith("<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:{index}")
    assert rows[place + 2].split(maxsplit=1)[0] == "aliases"
    assert "kimi" in rows[place + 2].replace(",", "").split()
    assert rows[place + 3].split()[:2] == ["models", "kimi-k2,"]
    assert "    <tool_call>\\n{call}\\n</tool_call>" in rows  # one line: line breaks are written out
    assert any("<parameter={key}>\\n{value}\\n</parameter>" in row for row in rows)  # the parameters are shown in place


@pytest.mark.parametrize("declared", FORMATS, ids=lambda declared: declared.name)
def test_a_declaration_can_be_pasted(declared: Format) -> None:
    text = declaration(declared)
    names: dict[str, Any] = {}
    exec(text, names)  # noqa: S102  # that it can be run is what is tested
    [made] = [value for value in names.values() if isinstance(value, Format)]
    assert made == declared
    assert all(f"#     {json.dumps(marker, ensure_ascii=False)}\n" in text for marker in declared.markers)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hermes", "hermes"),
        ("QWEN2_5", "hermes"),  # another name, written otherwise
        ("qwen3:8b", "hermes"),  # a model
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder"),
    ],
)
def test_one_is_found_by_any_name(name: str, found: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, name).rstrip("\n") == declaration(get_format(found))


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = [json.loads(line) for line in shown(capsys, "--json").splitlines()]
    assert [each["name"] for each in found] == [declared.name for declared in FORMATS]
    for each, declared in zip(found, FORMATS, strict=True):
        assert each["markers"] == list(declared.markers)
        assert each["call"] == declared.call
        assert Format.from_json(each) == Format.from_json(declared.to_json())
    [gemma] = [json.loads(line) for line in shown(capsys, "gemma4", "--json").splitlines()]
    assert gemma["arguments"] == {"codec": "Quoted", "quote": '<|"|>', "all": False, "commas": False}


def test_json_has_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(shown(capsys, "--json-schema"))
    assert schema == Format.json_schema()
    valid = jsonschema.validators.validator_for(schema)(schema)
    rows = [json.loads(line) for line in shown(capsys, "--json").splitlines()]
    for row in rows:
        valid.validate(row)
    templates = [row["name"] for row in rows if row["response_template"] is not None]
    assert {"hermes", "qwen3-coder", "gemma-4", "mistral-v13"} <= {*templates}
