"""Results as a file: written, read back, refused if it is wrong; and the validator that reads them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.kit.conformance.here import Here
from toolglean import UsageError, __version__
from toolglean.cli import main
from toolglean.kit.conformance import (
    Case,
    Reading,
    Results,
    case_schema,
    load_cases,
    read_results,
    results_of,
    results_schema,
    run,
    shipped_set,
)
from toolglean.kit.conformance.cases import faults_by
from toolglean.kit.conformance.cuts import ONE_CHUNK, WAYS, WHOLE, is_within, ways
from toolglean.scan.schema_faults import KEYWORDS

CASES = {case.id: case for case in load_cases()}
CHOSEN = [
    CASES[name]
    for name in (
        "written/plain/hermes",
        "written/mention/quoted-call",
        "written/text-behind/hermes",
        "written/two/hermes",
    )
]


@pytest.fixture(scope="module")
def results() -> Results:
    report = run(Here("tests.kit.conformance.parsers:Hasty"), CHOSEN)
    return results_of(report, case_set=shipped_set(), date=datetime(2026, 11, 23, 9, 30, tzinfo=UTC))


def test_results_say_what_was_tried_and_how(results: Results) -> None:
    data = results.data
    assert data["toolglean"] == __version__
    assert results.date == "2026-11-23T09:30:00Z"
    assert results.target.name == "tests.kit.conformance.parsers:Hasty"
    used = shipped_set()
    assert results.case_set == {
        "name": "toolglean-cases",
        "version": used.version,
        "digest": used.digest,
        "cases": len(used.cases),
        "chosen": 4,
    }
    assert not results.is_complete
    assert data["deliveries"]["ways"] == "all"
    assert data["deliveries"]["tried"][:2] == ["whole", "piece by piece"]
    assert list(data["scores"]) == ["whole", "pieces", "all"]
    assert [row["id"] for row in results.rows] == [case.id for case in CHOSEN]
    assert [row["tier"] for row in results.rows] == ["core", "core", "policy", "core"]


def test_a_right_case_takes_little_room_and_a_wrong_one_is_shown_whole(results: Results) -> None:
    wrong_row = results.rows[1]
    assert wrong_row["text"] == CHOSEN[1].text
    assert wrong_row["got"]["calls"] == [{"name": "delete_files", "arguments": {"pattern": "*"}}]
    assert {each["tier"] for each in wrong_row["findings"]} == {"core"}
    right = results_of(run(Here("toolglean.kit.conformance.own:Own"), CHOSEN[:1])).rows[0]
    assert right["verdict"] == "right"
    assert not {"text", "got", "expected"} & right.keys()


def test_results_survive_a_file(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(results.data), encoding="utf-8")
    found = read_results(path)
    assert found == results
    assert found.score("core") == found.score("core", "all")
    whole = results_of(run(Here("tests.kit.conformance.parsers:Hasty"), CHOSEN, ways="whole"))
    assert whole.score("core", "pieces") is None


def test_results_are_json_even_if_a_call_ran_with_nan() -> None:
    class Careless(Here):
        def read(self, case: Case, way: str) -> Reading:  # noqa: ARG002
            return Reading(calls=[{"name": "get_weather", "arguments": {"days": float("nan"), "most": float("inf")}}])

    found = results_of(run(Careless("toolglean.kit.conformance.own:Own"), CHOSEN[:1], ways="whole"))
    assert found.rows[0]["got"]["calls"][0]["arguments"] == {"days": "NaN", "most": "Infinity"}
    assert not {"NaN", "Infinity"} & set(re.findall(r"(?<!\")\b\w+\b(?!\")", json.dumps(found.rows[0]["got"])))


def test_an_installed_validator_agrees(results: Results) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="a validator of JSON schema")
    validator = jsonschema.Draft202012Validator(results_schema())
    validator.check_schema(results_schema())
    assert validator.is_valid(results.data)
    for change in CHANGES:
        broken = copy.deepcopy(results.data)
        change(broken)
        ours = list(faults_by(results_schema(), broken))
        assert bool(ours) == (not validator.is_valid(broken)), ours


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda data: data.pop("date"),
    lambda data: data.update(extra=1),
    lambda data: data.update(schema=True),
    lambda data: data.update(date="yesterday"),
    lambda data: data.update(passed="no"),
    lambda data: data["target"].update(name=""),
    lambda data: data["target"].update(version=3),
    lambda data: data["case_set"].update(digest="md5:00"),
    lambda data: data["case_set"].update(cases=-1),
    lambda data: data["case_set"].update(cases=True),
    lambda data: data["deliveries"].update(ways="some"),
    lambda data: data["scores"].update(other={}),
    lambda data: data["scores"]["all"]["core"].update(right="many"),
    lambda data: data["verdicts"].update(unsafe=1.5),
    lambda data: data["results"][0].update(verdict="fine"),
    lambda data: data["results"][0].update(tier="both"),
    lambda data: data["results"][0].update(core=1),
    lambda data: data["results"][1]["findings"][0].pop("tier"),
    lambda data: data["results"][1]["got"]["calls"][0].update(arguments="{}"),
    lambda data: data["results"].append("x"),
]


def refused(text: str, said: str, folder: Path) -> None:
    (folder / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=rf"r\.json: .*{re.escape(said)}"):
        read_results(folder / "r.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["scores"]["all"]["core"].update(right=3), "scores.all.core is"),
        (lambda data: data["results"][0].update(core=None), "but its rows give"),
        (lambda data: data["verdicts"].update(right=4), "verdicts is"),
        (lambda data: data["results"][0].update(id=data["results"][1]["id"]), "two rows have the same id"),
        (lambda data: data["case_set"].update(chosen=9), "case_set.chosen is 9, but there are 4 rows"),
        (lambda data: data.update(schema=2), "schema=2: this toolglean reads results of version 1"),
        *((change, "") for change in CHANGES),
    ],
)
def test_a_wrong_file_and_numbers_that_contradict_its_rows_are_refused(
    change: Callable[[dict[str, Any]], object], said: str, results: Results, tmp_path: Path
) -> None:
    broken = copy.deepcopy(results.data)
    change(broken)
    refused(json.dumps(broken), said, tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"', "[" * 100_000, "\ufeff{}"])
def test_what_is_no_json_object_is_refused(text: str, tmp_path: Path) -> None:
    refused(text, "", tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_results(tmp_path / "missing.json")


def test_the_validator_knows_every_keyword_of_the_schema() -> None:
    def keywords(schema: Any) -> set[str]:
        found = set(schema)
        for name in ("properties", "$defs"):
            for each in schema.get(name, {}).values():
                found |= keywords(each) if isinstance(each, dict) else set()
        for name in ("items", "additionalProperties", "if", "then", "else"):
            if isinstance(schema.get(name), dict):
                found |= keywords(schema[name])
        return found

    known = KEYWORDS | {"$schema", "$defs", "title", "description"}
    for schema in (results_schema(), case_schema()):
        assert keywords(schema) <= known
    assert not keywords({"items": {"$dynamicRef": "#"}}) <= known


# -- ways --------------------------------------------------------------------------------------------------------------


def test_each_set_of_ways_contains_those_before_it() -> None:
    assert ways(0, "whole") == [WHOLE]
    assert ways(2, "pieces") == [WHOLE, "piece by piece", "a few pieces at once"]
    assert ways(2) == [WHOLE, ONE_CHUNK, "piece by piece", "a few pieces at once", "random cuts 1", "random cuts 2"]
    every = ways(2)
    inside = {name: {way for way in every if is_within(way, name)} for name in WAYS}
    assert inside["whole"] < inside["pieces"] < inside["all"] == set(every)
    assert [set(ways(2, name)) for name in WAYS] == list(inside.values())


@pytest.mark.parametrize("name", WAYS)
def test_a_run_tries_the_ways_of_one_set(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.json"
    arguments = ["conformance", "--only", "written/no-closer", "--ways", name, "--cuts", "1", "--output", str(path)]
    assert main(arguments) == 0
    assert f"ways: {name}" in capsys.readouterr().out
    found = read_results(path)
    assert found.data["deliveries"]["tried"] == [way for way in ways(1, name) if way != ONE_CHUNK]
    assert list(found.data["scores"]) == list(WAYS)[: list(WAYS).index(name) + 1]


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_prints_and_writes_the_same_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.json"
    assert main(["conformance", "--only", "written/prose", "--json", "--output", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    written = read_results(path)
    assert printed["scores"] == written.data["scores"]
    assert written.target.name == "toolglean"
    assert written.target.version == __version__
    assert written.target.adapter == "toolglean.kit.conformance.own:Own"
    assert re.fullmatch("sha256:[0-9a-f]{64}", written.target.adapter_digest or "")


def test_an_adapter_in_a_file_is_named_without_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter = tmp_path / "vllm.py"
    adapter.write_text('def version():\n    return "9.9"\n\ndef parse(text, tools):\n    return {"content": text}\n')
    path = tmp_path / "r.json"
    assert main(["conformance", "--parser", f"{adapter}:parse", "--only", "written/prose", "--output", str(path)]) == 0
    target = read_results(path).target
    assert (target.name, target.version, target.adapter) == ("vllm.py:parse", "9.9", "vllm.py:parse")
    assert str(tmp_path) not in path.read_text(encoding="utf-8")
    capsys.readouterr()
    path.unlink()  # it is not overwritten
    named = ["--target-name", "mine", "--target-version", "2"]
    assert (
        main(["conformance", "--parser", f"{adapter}:parse", "--only", "written/prose", "--output", str(path), *named])
        == 0
    )
    assert (read_results(path).target.name, read_results(path).target.version) == ("mine", "2")
    assert capsys.readouterr().out.endswith("mine: 7 of 7 cases right (100 %)\n")


REFUSES = (
    "{indent}if reasons:\n"
    '{indent}    raise NotImplementedError("no parser of reasoning")\n'
    '{indent}if id.startswith("written/prose/j"):\n'
    "{indent}    raise NotImplementedError\n"
)
ADAPTERS = {
    "Mine": (
        "class Mine:\n"
        "    def __init__(self, tools, id, reasons):\n"
        + REFUSES.format(indent=" " * 8)
        + "    def feed(self, chunk):\n"
        '        return {"content": chunk}\n'
        "    def finish(self):\n"
        "        pass\n"
    ),
    "mine": "def mine(text, tools, id, reasons):\n" + REFUSES.format(indent=" " * 4) + '    return {"content": text}\n',
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_what_an_adapter_does_not_claim_is_skipped_with_its_reason(name: str, tmp_path: Path) -> None:
    adapter = tmp_path / "mine.py"
    adapter.write_text(ADAPTERS[name])
    path = tmp_path / "r.json"
    kinds = ["--kind", "prose", "--kind", "in_thinking"]
    assert main(["conformance", "--parser", f"{adapter}:{name}", *kinds, "--output", str(path), "--brief"]) == 0
    skipped = {row["id"]: row.get("reason") for row in read_results(path).rows if row["verdict"] == "skipped"}
    assert skipped.pop("written/prose/json") is None
    assert set(skipped.values()) == {"no parser of reasoning"}


def test_an_adapter_is_told_why_the_turn_ended_and_whether_it_reasons() -> None:
    cases = {case.id: case for case in load_cases()}
    assert cases["written/cut-off/in-the-key/hermes"].ended == "length"
    assert cases["written/plain/hermes"].ended == "stop"
    assert cases["wild/qwen-18"].reasons
    # A closing marker in an argument's value is not reasoning.
    assert "</think>" in cases["written/value/escapes/hermes"].text
    assert not cases["written/value/escapes/hermes"].reasons


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 0), (["--fail-on", "policy"], 1), (["--tier", "core", "--fail-on", "policy"], 0)]
)
def test_a_difference_in_policy_fails_only_if_you_say_so(arguments: list[str], code: int) -> None:
    chosen = ["--only", "wild/llama-0", "--brief", "--ways", "whole"]  # one of them is read otherwise
    assert main(["conformance", *chosen, *arguments]) == code


def test_a_missing_peer_is_told_with_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolglean.kit.conformance import parsers  # noqa: PLC0415
    from toolglean.kit.conformance.targets import ShippedTarget  # noqa: PLC0415

    made = ShippedTarget("x", "tests.kit.conformance.parsers:simple", "no-such-peer", "Run `pip install x`.")
    gone = ShippedTarget("y", "no_such_module:parse", "no-such-peer", "Run `pip install y`.")
    monkeypatch.setattr(parsers, "TARGETS", {"x": made, "y": gone})
    for name, why in (("x", "it does not say its version"), ("y", "No module named 'no_such_module'")):
        assert main(["conformance", "--target", name]) == 2
        said = capsys.readouterr().err
        assert "does not have no-such-peer" in said
        assert why in said
        assert f"Run `pip install {name}`." in said


@pytest.mark.parametrize(
    ("what", "schema"), [([], case_schema), (["case"], case_schema), (["results"], results_schema)]
)
def test_both_schemas_are_printed(what: list[str], schema: Callable[[], Any], capsys: Any) -> None:
    assert main(["conformance", "--print-schema", *what]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
