"""The shipped cases, the schema, and what our own parser makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.conformance.here import Here
from tests.support import depth
from toolglean import UsageError
from toolglean.cli import main
from toolglean.formats.registry import find_format
from toolglean.kit.conformance import case_schema, load_cases, read_cases, run
from toolglean.kit.conformance import cases as cases_module

FOLDER = Path(cases_module.__file__).parent / "cases"
ROWS = [
    (f"{path.name}:{number}", json.loads(line))
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
    if line
]
GOOD = {
    "schema": 1,
    "id": "a",
    "kind": "clean",
    "text": "",
    "tools": [],
    "expected": {"calls": [], "content": "", "reasoning": None},
    "source": "here",
    "license": "MIT",
}

GOOD_2 = GOOD | {
    "schema": 2,
    "tier": "policy",
    "question": "form",
    "also_sound": [[{"name": "f", "arguments": {}}]],
    "disputed": None,
    "third_party": {"name": "a template", "license": "Apache-2.0"},
}

KNOWN = {"wild/llama-04"}
"""Cases that our own parser does not get right: a call without markers after prose is content."""


@pytest.mark.parametrize("own", ["Own", "Auto"])
def test_our_own_parser_is_right(own: str) -> None:
    every = 1 if depth.is_full() else 36
    report = run(Here(f"toolglean.kit.conformance.own:{own}"), load_cases()[::every], random_cuts=1)
    wrong = {result.case.id: result.findings for result in report.results if result.failed}
    if own == "Own":
        assert wrong.keys() <= KNOWN, wrong
    # Without a name, a bare form may be anything: it is content, and nothing runs that should not.
    worst = {each.verdict for findings in wrong.values() for each in findings}
    assert not worst & {"unsafe", "altered", "invented", "lost", "crash", "timeout", "cuts"}, wrong


def test_every_format_of_a_case_is_known() -> None:
    assert {case.format for case in load_cases() if case.format and find_format(case.format) is None} == set()


def test_ids_are_unique_and_sources_are_told() -> None:
    found = load_cases()
    assert len({case.id for case in found}) == len(found) > 500
    assert all(case.source and case.license == "MIT" for case in found)


def test_the_schema_says_what_the_reader_checks() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schema")
    validator = jsonschema.Draft202012Validator(case_schema())
    validator.check_schema(case_schema())
    every = 1 if depth.is_full() else 30
    assert [where for where, row in ROWS[::every] if not validator.is_valid(row)] == []
    assert validator.is_valid(GOOD)
    assert validator.is_valid(GOOD_2)
    assert [broken for broken in BROKEN if validator.is_valid({**GOOD, **broken})] == []
    assert [broken for broken in BROKEN_2 if validator.is_valid({**GOOD_2, **broken})] == []


BROKEN: list[dict[str, Any]] = [
    {"schema": 3},
    {"schema": True},
    {"id": 3},
    {"text": None},
    {"extra": 1},
    {"start": "middle"},
    {"format": 3},
    {"tools": [{"name": "f"}]},
    {"tools": ["f"]},
    {"expected": {"calls": []}},
    {"expected": {"calls": [{"name": "f"}], "content": "", "reasoning": None}},
    {"expected": {"calls": {}, "content": "", "reasoning": None}},
    {"expected": {"calls": [], "content": 3, "reasoning": None}},
    {"also_right": [{}]},
    {"special": 3},
    {"special": [3]},
    {"special": [[1]]},
    {"special": [[-1, 0]]},
    {"special": [["0", 1]]},
    {"atomic": "<a>"},
    {"atomic": [""]},
    {"also_right": [[{"name": "f", "arguments": []}]]},
]


BROKEN_2: list[dict[str, Any]] = [
    {"schema": 1},
    {"tier": "both"},
    {"tier": None},
    {"tier": "core"},  # with a question
    {"tier": "core", "question": None},  # with another sound answer
    {"question": None},
    {"question": ""},
    {"question": 3},
    {"also_sound": [{}]},
    {"also_sound": 3},
    {"disputed": 3},
    {"third_party": "trl"},
    {"third_party": {"name": "trl"}},
    {"third_party": {"name": "trl", "license": ""}},
    {"third_party": {"name": "trl", "license": "MIT", "extra": 1}},
]


def mine(folder: Path, text: str) -> Path:
    (folder / "mine.jsonl").write_text(text, encoding="utf-8")
    return folder / "mine.jsonl"


@pytest.mark.parametrize(
    ("good", "broken"),
    [*((GOOD, broken) for broken in BROKEN), *((GOOD_2, broken) for broken in BROKEN_2)],
    ids=json.dumps,
)
def test_a_wrong_case_is_refused_with_its_place(good: dict[str, Any], broken: dict[str, Any], tmp_path: Path) -> None:
    path = mine(tmp_path, json.dumps(GOOD) + "\n\n" + json.dumps({**good, "id": "b", **broken}) + "\n")
    with pytest.raises(UsageError, match=r"mine\.jsonl, line 3: "):
        read_cases(path)


def test_a_case_of_version_1_is_a_core_case(tmp_path: Path) -> None:
    old, new = read_cases(mine(tmp_path, f"{json.dumps(GOOD)}\n{json.dumps(GOOD_2 | {'id': 'b'})}\n"))
    assert (old.tier, old.question, old.also_sound, old.disputed, old.third_party) == ("core", None, (), "", "")
    assert (new.tier, new.question, new.third_party, new.third_party_license) == (
        "policy",
        "form",
        "a template",
        "Apache-2.0",
    )
    assert new.also_sound == (({"name": "f", "arguments": {}},),)


@pytest.mark.parametrize("special", [[[0, 99]], [[2, 1]], [[1, 1]], [[0, 2], [1, 3]]], ids=str)
def test_spans_outside_the_text_or_out_of_order_are_refused(special: list[list[int]], tmp_path: Path) -> None:
    path = mine(tmp_path, json.dumps(GOOD | {"text": "<a>b", "special": special}))
    with pytest.raises(UsageError, match=r"special: .* is not a span"):
        read_cases(path)


def test_what_special_tokens_wrote_is_read(tmp_path: Path) -> None:
    rows = [
        GOOD | {"text": "<a>b", "special": [[0, 3]], "atomic": ["<a>"]},
        GOOD | {"id": "b", "special": None},
        GOOD | {"id": "c"},
    ]
    found = read_cases(mine(tmp_path, "\n".join(map(json.dumps, rows))))
    assert [(case.special, case.atomic) for case in found] == [
        (((0, 3),), ("<a>",)),
        (None, None),
        (None, None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("3", "is not a case"),
        (json.dumps(GOOD) + "\n" + json.dumps(GOOD), "line 2: id='a' is the id of an earlier case"),
        (json.dumps(GOOD | {"schema": 3}), "schema=3: this toolglean reads versions 1 and 2"),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        read_cases(mine(tmp_path, text))
    with pytest.raises(UsageError, match="cannot be read"):
        read_cases(tmp_path / "missing")


def test_fixtures_still_make_the_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fixtures import make_cases  # noqa: PLC0415  # a script

    monkeypatch.setattr(make_cases, "CASES", tmp_path)
    make_cases.write("wild.jsonl", make_cases.wild())
    make_cases.write("templates.jsonl", make_cases.templates())
    for name in ("wild.jsonl", "templates.jsonl"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (FOLDER / name).read_text(encoding="utf-8")


def test_cases_of_your_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = mine(tmp_path, json.dumps(GOOD | {"text": "Hello.", "id": "mine"}))
    assert main(["conformance", "--cases", str(path), "--brief", "--cuts", "0"]) == 1
    assert "0 of 1 cases right" in capsys.readouterr().out
