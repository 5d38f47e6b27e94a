"""The comparison with the peers: what it counts, what it times, and the page. The peers themselves run in `nox -s peers`."""

from __future__ import annotations

import gc
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import growth
from benchmarks.peers import figures, plots, timer, with_toolglean
from benchmarks.peers.correctness import GROUPS, examine, group_of
from benchmarks.peers.names import INSIDE, PEERS
from benchmarks.peers.workloads import SIZES, TOOL_DICTS, WORKLOADS
from benchmarks.timing import Stopwatch
from tests.support import depth
from tests.support.shared import ROOT
from toolglean import parse
from toolglean.formats.registry import all_formats
from toolglean.kit.conformance import About, CaseSet, Report, load_cases, results_of, run
from toolglean.kit.conformance.runner import Finding, Result
from toolglean.kit.conformance.targets import TARGETS

CASES = load_cases()


def test_what_is_installed_is_what_the_page_says() -> None:
    nox = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    others = {"llama.cpp": "llama-cpp-python==", "AI SDK's middleware": "@ai-sdk-tool/parser@"}
    for peer in PEERS:
        package = others.get(peer.name, f"{peer.name.partition(' ')[0].lower()}==")
        assert not peer.version or f'"{package}{peer.version.rpartition(" ")[2]}"' in nox, peer.name
        assert not peer.environment or f'"{peer.environment.removeprefix("TOOLGLEAN_PEER_")}"' in nox, peer.name


def test_growth_is_measured_from_the_smallest_size(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.argv", ["growth", "--smoke"])
    gc.freeze()  # each measure collects garbage first: all that the tests before have made would be looked through
    if not depth.is_full():  # nobody reads the figures: each work once
        monkeypatch.setattr(Stopwatch, "_calibrated", staticmethod(lambda *_: 1))
        formats = growth.PLOTS["formats"]  # each process declares so many, which takes as long as all the rest
        monkeypatch.setitem(
            growth.PLOTS, "formats", replace(formats, sizes=(growth.LIBRARY, growth.LIBRARY + 5, 1_000))
        )
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
        assert f"def {maker}(" in source or f" {maker}," in source


def test_every_case_has_a_group() -> None:
    assert {group_of(case.kind) for case in CASES} == set(GROUPS)
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


def test_every_peer_is_a_target_of_the_command() -> None:
    """One rule for the page and the command: the page runs what `toolglean conformance --target` runs."""
    named = {peer.kit for peer in PEERS if peer.kit and ":" not in peer.kit}
    assert named <= set(TARGETS)
    assert "toolglean" in named


def test_the_page_tries_what_the_command_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def tried(target: Any, cases: Any, **options: Any) -> Report:
        asked.update(options)
        return run(target, list(cases)[:1], **options)

    monkeypatch.setattr("benchmarks.peers.correctness.run", tried)
    found = examine(PEERS[0])
    assert asked == {}  # the defaults of the command
    assert found.data["deliveries"]["ways"] == "all"
    assert found.data["deliveries"]["random_cuts"] == 3
    assert found.target.name == "toolglean"


def test_the_page_shows_losses_as_losses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kit(name: str, *verdicts: str) -> dict[str, Any]:
        results = [
            Result(case, verdict, () if verdict == "right" else (Finding(verdict, "x", ways),), ways, None, 0.0)
            for case, verdict in zip(CASES, verdicts, strict=False)
        ]
        report = Report(name, tuple(results), "all", 3, About(name))
        return results_of(report, case_set=CaseSet("toolglean-cases", "2026.1", tuple(CASES[: len(results)]))).data

    ways = ("whole", "piece by piece", "a few pieces at once", "random cuts 1")

    def speed(seconds: float) -> dict[str, Any]:
        works: dict[str, Any] = {work.name: seconds for work in WORKLOADS} | {"construction": seconds}
        return {"ready": {"import": 0.1, "memory": 20e6}, "works": works, "peak": {"peak": 5000}}

    slow = speed(2e-3)
    slow["works"][f"argument of {SIZES[-1] // 1000:,} KB"] = "not run: a tenth of it took 9.0 s"
    heading = {"toolglean": "1", "commit": "c", "python": "p", "machine": "m", "date": "d", "versions": {"vLLM": "9"}}
    found = {
        "heading": heading,
        "correctness": {"toolglean": kit("toolglean", "missed", "right"), "vLLM": kit("vLLM", "right")},
        "speed": {"toolglean": speed(1e-3), "vLLM": slow, "mlx-lm": speed(1e-4)},
        "inside": {
            "toolglean alone": speed(1e-3),
            "vLLM without a parser": speed(1e-4),
            "vLLM": slow,
            "vLLM with toolglean": speed(1.5e-3) | {"works": {**speed(1.5e-3)["works"], "50 calls": 4e-3}},
        },
        "proxy": [("prose, auto", 5.0, 2.5)],
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
    assert "| vLLM | 1 | 100 | 100 | 100 | 0 | – |" in page  # what toolglean got wrong of the same cases
    assert "| toolglean | 2 | 50.0 | 50.0 | 50.0 | 50.0 | – |" in page
    assert "| 50 calls | 1,000 | 2 | 0.1 |" in page
    assert "| argument of 1,000 KB | 1,000 | – | 0.1 |" in page
    assert "- vLLM: argument of 1,000 KB: not run: a tenth of it took 9.0 s." in page
    faster = "answer in JSON of 10 KB (0.1), reasoning of 10 KB (0.1)."
    assert re.search(
        rf"^- mlx-lm: construction \(0\.1\), short turn \(0\.1\), .*{re.escape(faster)}$", page, re.MULTILINE
    )
    assert "- vLLM: construction" not in page  # it is slower
    assert "| 50 calls | 1,000.0 | 100.0 | 2,000.0 | 4,000.0 | 0.5 |" in page
    assert "| argument of 1,000 KB | 1,000.0 | 100.0 | – | 1,500.0 | – |" in page
    assert "vLLM's own parser is faster for: 50 calls (0.5)." in page
    assert "| prose, auto | 5.0 | 2.5 | 2 |" in page
    assert "| tools: a parser | 1 | 1,000 |" in page
    assert "| ToolSet | 30.0 | – |" in page
    assert drawn == ["peers-correctness.svg", "peers-speed.svg", "growth.svg"]
    assert re.search(r"\*\*vLLM\*\*: ", page)
