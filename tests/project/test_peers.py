"""The comparison with the peers: what it counts, what it times, and the page. The peers themselves run in `nox -s peers`."""

from __future__ import annotations

import io
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import growth
from benchmarks.peers import figures, plots, timer, with_toolglean
from benchmarks.peers.correctness import GROUPS, WAYS, claimed, examine, group_of
from benchmarks.peers.names import INSIDE, PEERS
from benchmarks.peers.tokens import markers_of, pieces, vocabulary
from benchmarks.peers.workloads import SIZES, TOOL_DICTS, WORKLOADS
from tests.support.shared import ROOT
from toolglean import parse
from toolglean.formats.registry import all_formats
from toolglean.kit.conformance import load_cases
from toolglean.kit.conformance import runner as kit

CASES = load_cases()


def test_what_is_installed_is_what_the_page_says() -> None:
    nox = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for peer in PEERS:
        package = peer.name.partition(" ")[0].lower()
        assert not peer.version or f'"{package}=={peer.version}"' in nox, peer.name
        assert not peer.environment or f'"{peer.environment.removeprefix("TOOLGLEAN_PEER_")}"' in nox, peer.name


@pytest.mark.parametrize("name", ["hermes", "minicpm-5", "mistral-v13", None])
def test_a_marker_is_one_token_and_nothing_is_lost(name: str | None) -> None:
    markers = markers_of(name, ("<think>",))
    for case in (each for each in CASES if each.format == name):
        found = pieces(case.text, markers)
        assert "".join(found) == case.text
        assert all(
            marker in found for marker in markers if marker in "".join(each for each in found if each in markers)
        )
    assert markers[0] in pieces(f"a{markers[0]}b", markers)
    assert not set(vocabulary(name, markers)) & set(markers)


def test_growth_is_measured_from_the_smallest_size(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.argv", ["growth", "--smoke"])
    growth.main()
    out = capsys.readouterr().out
    for plot in growth.PLOTS.values():
        assert f"| {plot.what}: {plot.part} | {plot.sizes[0]:,} | {plot.sizes[1]:,} |" in out
    assert "| register, a format | – |" in out  # none is registered for the first size
    assert growth.PLOTS["formats"].sizes[0] == len(all_formats())
    assert [plot.sizes[-1] for plot in growth.PLOTS.values()] == [1_000, 10_000, 1_000, 1_000]


def test_inside_vllm_four_take_turns() -> None:
    assert [peer.name for peer in INSIDE] == ["toolglean alone", "vLLM without a parser", "vLLM", "vLLM with toolglean"]
    source = (ROOT / "benchmarks" / "peers" / "inside_vllm.py").read_text(encoding="utf-8")
    for peer in INSIDE:
        assert f"def {peer.reader}(" in source
        maker = peer.reader.replace("reader", "maker")
        assert f"def {maker}(" in source or f"    {maker},\n" in source


def test_every_case_has_a_group() -> None:
    assert {group_of(case) for case in CASES} == set(GROUPS)
    assert set().union(*GROUPS.values()) <= {case.kind for case in CASES}


@pytest.mark.parametrize(
    "work", [work for work in WORKLOADS if work.name != "argument of 1,000 KB"], ids=lambda work: work.name
)
def test_what_is_timed_is_read_rightly(work: Any) -> None:
    text = "".join(work.chunks())
    found = parse(text, TOOL_DICTS, format=work.format)
    assert len(found.calls) == work.calls
    assert not found.unfinished
    assert work.reasons == bool(found.reasoning)
    with_toolglean.reader(work.format, TOOL_DICTS, work.chunks()[:50], work.reasons)()


def test_a_timer_answers_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [
        {"work": "short turn", "repeats": 1},
        {"work": "short turn", "memory": True},
        {"work": "construction", "repeats": 2},
    ]
    for reader in ("reader", "auto_reader"):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, asked))))
        ready, short, memory, construction = timer._answers(with_toolglean, reader, 0.5)
    assert ready["import"] == 0.5
    assert short.keys() == construction.keys() == {"seconds"}
    assert memory["peak"] > 0
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(asked[0])))
    assert list(timer._answers(with_toolglean, "missing", 0.5))[1] == {"failed": "does not do this"}


def test_rare_ways_have_columns_and_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.peers.correctness.load_cases", lambda: CASES[:1])

    def tried(*_: Any, **__: Any) -> kit.Report:
        findings = (
            kit.Finding("altered", "x", ("in one chunk",)),
            kit.Finding("cuts", "x", ("in one chunk", "random cuts 1")),
        )
        ways = ("whole", "in one chunk", "piece by piece", "a few pieces at once", "random cuts 1")
        return kit.Report("t", (kit.Result(CASES[0], "altered", findings, ways, None, 0.0),))

    monkeypatch.setattr("benchmarks.peers.correctness.run", tried)
    row = examine(PEERS[0])[0]
    assert row["verdict"] == "right"
    assert row["ways"] == {name: name != "in one chunk" for name in WAYS}


def test_a_spelling_that_a_peer_cannot_mean_is_left_out() -> None:
    rows = [
        {"id": id, "ways": {"whole": right}}
        for id, right in (  # noqa: A001
            ("formats/a/1", False),
            ("formats/a/2", False),
            ("formats/b/1", True),
            ("formats/b/2", False),
            ("templates/a/1", True),
            ("written/a", False),
        )
    ]
    kept, unread = claimed(rows)
    assert unread == ["formats/a"]
    assert [row["id"] for row in kept] == ["formats/b/1", "formats/b/2", "templates/a/1", "written/a"]


def test_the_page_shows_losses_as_losses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def row(id: str, verdict: str) -> dict[str, Any]:  # noqa: A002
        ways = dict.fromkeys(WAYS, verdict == "right")
        return {"id": id, "group": "plain turns", "format": "hermes", "verdict": verdict, "ways": ways, "findings": []}

    def speed(seconds: float) -> dict[str, Any]:
        works: dict[str, Any] = {work.name: seconds for work in WORKLOADS} | {"construction": seconds}
        return {"ready": {"import": 0.1, "memory": 20e6}, "works": works, "peak": {"peak": 5000}}

    slow = speed(2e-3)
    slow["works"][f"argument of {SIZES[-1] // 1000:,} KB"] = "not run: a tenth of it took 9.0 s"
    heading = {"toolglean": "1", "commit": "c", "python": "p", "machine": "m", "date": "d", "versions": {"vLLM": "9"}}
    found = {
        "heading": heading,
        "correctness": {"toolglean": [row("a", "missed"), row("b", "right")], "vLLM": [row("a", "right")]},
        "left_out": {"toolglean": [], "vLLM": ["formats/x"]},
        "speed": {"toolglean": speed(1e-3), "vLLM": slow, "mlx-lm": speed(1e-4)},
        "inside": {
            "toolglean alone": speed(1e-3),
            "vLLM without a parser": speed(1e-4),
            "vLLM": slow,
            "vLLM with toolglean": speed(1.5e-3) | {"works": {**speed(1.5e-3)["works"], "50 calls": 4e-3}},
        },
        "growth": {
            "tools": {"what": "tools", "part": "a parser", "sizes": [1, 1000], "lines": {"ToolSet": [30.04, math.nan]}}
        },
    }
    drawn: list[str] = []
    monkeypatch.setattr(figures, "DOCS", tmp_path)
    monkeypatch.setattr(plots, "verdicts", lambda path, *_: drawn.append(path.name))
    monkeypatch.setattr(plots, "growth", lambda path, *_: drawn.append(path.name))
    monkeypatch.setattr(plots, "curves", lambda path, *_: drawn.append(path.name))
    (tmp_path / "explanation").mkdir()
    figures.write(found)
    page = (tmp_path / "explanation" / "figures.md").read_text(encoding="utf-8")
    assert "| vLLM | 1 | 100 | 100 | 100 | 100 | 100 | 0 |" in page  # what toolglean got wrong of the same cases
    assert "| 50 calls | 1,000 | 2 | 0.1 |" in page
    assert "| argument of 1,000 KB | 1,000 | – | 0.1 |" in page
    assert "- vLLM: argument of 1,000 KB: not run: a tenth of it took 9.0 s." in page
    assert "- vLLM: `formats/x`." in page
    faster = "50 calls (0.1), prose of 10 KB (0.1), reasoning of 10 KB (0.1)."
    assert re.search(
        rf"^- mlx-lm: construction \(0\.1\), short turn \(0\.1\), .*{re.escape(faster)}$", page, re.MULTILINE
    )
    assert "- vLLM: construction" not in page  # it is slower
    assert "| 50 calls | 1,000.0 | 100.0 | 2,000.0 | 4,000.0 | 0.5 |" in page
    assert "| argument of 1,000 KB | 1,000.0 | 100.0 | – | 1,500.0 | – |" in page
    assert "vLLM's own parser is faster for: 50 calls (0.5)." in page
    assert "| tools: a parser | 1 | 1,000 |" in page
    assert "| ToolSet | 30.0 | – |" in page
    assert drawn == ["peers-correctness.svg", "peers-speed.svg", "growth.svg"]
    assert re.search(r"\*\*vLLM\*\*: ", page)
