"""The readers of other projects' case sets, on files of their documented shape: the sets themselves are not here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import case_sets
from tests.kit.conformance.test_casesets import Point, install
from tests.support.stand_in import stand_in
from toolglean.kit.conformance import read_cases
from toolglean.kit.conformance.casesets import find_set

TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
CALL = {"name": "get_weather", "arguments": {"city": "Oslo"}}
TEXT = f"<tool_call>{json.dumps(CALL)}</tool_call>"

ANSWER = {"calls": [CALL], "normal_text": ""}
DYNAMO = {
    "family": "deepseek_v3_1",
    "mode": "batch",
    "cases": {
        "PARSER.batch.1": {"model_text": TEXT, "tools": [TOOL], "expected": {"dynamo": ANSWER, "vllm": ANSWER}},
        "PARSER.batch.4.a": {
            "model_text": TEXT,
            "tools": [TOOL],
            "expected": {"dynamo": {"calls": [], "normal_text": TEXT}, "vllm": ANSWER},
        },
        "PARSER.batch.4.b": {
            "model_text": TEXT,
            "expected": {"dynamo": ANSWER, "sglang": {"diverges": True, "reason": "its own rule"}},
        },
        "PARSER.batch.4.c": {"model_text": TEXT, "expected": {"dynamo": {"diverges": True}, "vllm": ANSWER}},
    },
}


@pytest.fixture
def dynamo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    stand_in(monkeypatch, "yaml", safe_load=json.loads)  # JSON is YAML, so that this test needs no PyYAML
    (tmp_path / "deepseek_v3_1").mkdir()
    (tmp_path / "deepseek_v3_1" / "PARSER.batch.yaml").write_text(json.dumps(DYNAMO), encoding="utf-8")
    return tmp_path


def test_dynamo(dynamo: Path) -> None:
    path = dynamo / "cases.jsonl"
    assert case_sets.main(["dynamo", str(dynamo), str(path)]) == 0
    one, other, third = read_cases(path)  # the last one has no answer of Dynamo's
    assert (one.id, one.format, one.text) == ("dynamo/deepseek_v3_1/PARSER.batch.1", "deepseek-v3.1", TEXT)
    assert (one.calls, one.content, one.reasoning) == ((CALL,), "", None)
    assert one.tools == ({"type": "function", "function": TOOL},)
    assert (other.calls, other.content, other.also_sound) == ((), None, ((CALL,),))
    assert (one.tier, other.tier, third.tier) == ("core", "policy", "policy")
    assert (third.content, third.also_sound) == (None, ())


def bellwether(text: str, **message: object) -> dict[str, Any]:
    calls = [{"type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}]
    reference = {"text": text, "finish_reason": "tool_calls", "message": {"tool_calls": calls, **message}}
    request = {"tools": [{"type": "function", "function": TOOL}]}
    return {"id": f"qwen3-8b/parse/{len(text)}", "request": request, "reference": reference}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "qwen3-8b"
    (folder / "parse").mkdir(parents=True)
    rows = [bellwether(TEXT, content=""), bellwether(f"Hm.</think>{TEXT}", reasoning_content="Hm.")]
    (folder / "parse" / "common.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_bellwether_as_a_set_of_a_package(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGLEAN_BELLWETHER", str(checkpoint))
    install(monkeypatch, Point("bellwether", case_sets.bellwether))
    one, other = find_set("bellwether").cases
    assert (one.format, one.kind, one.start) == ("hermes", "common", None)
    assert (one.calls, one.content, one.reasoning) == ((CALL,), "", "")
    assert (other.start, other.reasoning) == ("reasoning", "Hm.")


def test_a_folder_that_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLGLEAN_DYNAMO", raising=False)
    with pytest.raises(FileNotFoundError, match="TOOLGLEAN_DYNAMO is not set"):
        case_sets.dynamo()


def test_a_folder_without_cases(tmp_path: Path) -> None:
    assert case_sets.main(["bellwether", str(tmp_path), str(tmp_path / "none.jsonl")]) == 1


def test_a_model_of_unknown_format(tmp_path: Path) -> None:
    folder = tmp_path / "a-model-that-nobody-knows"
    (folder / "parse").mkdir(parents=True)
    (folder / "parse" / "common.jsonl").write_text(json.dumps(bellwether(TEXT)), encoding="utf-8")
    [row] = case_sets.bellwether_cases(folder)
    assert row["format"] is None
