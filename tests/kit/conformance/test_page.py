"""The page and the badge of results: what they show, and that nothing in a results file can change them."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.kit.conformance.here import Here
from tests.support import depth
from toolglean import UsageError
from toolglean.cli import main
from toolglean.kit.conformance import CaseSet, Results, load_cases, results_of, run, shipped_set
from toolglean.kit.conformance.badge import as_badge, as_badge_json
from toolglean.kit.conformance.casesets import SHIPPED
from toolglean.kit.conformance.page import as_html, as_markdown
from toolglean.kit.conformance.runner import Report
from toolglean.kit.conformance.tables import groups_of, tables_of

CASES = {case.id: case for case in load_cases()}
NAMES = (
    "written/plain/hermes",
    "written/mention/quoted-call",
    "written/text-behind/hermes",
    "written/cut-off/in-the-name/hermes",
)
HOSTILE = """</style></pre><script>alert(1)</script><img src=x onerror=alert(1)> " ' | `a` [b](javascript:c) \u202e\x00\ud800 &lt;"""


def made(parser: str, name: str, version: str | None = None, **changes: Any) -> Results:
    report = run(Here(parser), [CASES[each] for each in NAMES], random_cuts=1)
    assert report.about is not None
    report = replace(report, target=name, about=replace(report.about, name=name, version=version))
    results = results_of(report, case_set=shipped_set(), date=datetime(2026, 11, 23, tzinfo=UTC))
    return Results(results.data | changes)


@pytest.fixture(scope="module")
def simple() -> Results:
    return made("tests.kit.conformance.parsers:simple", "simple", "1.0")


@pytest.fixture(scope="module")
def own() -> Results:
    return made("toolglean.kit.conformance.own:Own", "Toolglean")


class Page(HTMLParser):
    """What is in a page: its elements, with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for each, attributes in self.elements if each == tag]


# -- HTML --------------------------------------------------------------------------------------------------------------


def test_a_page_shows_targets_in_alphabetical_order_with_date_and_scores(simple: Results, own: Results) -> None:
    [group] = groups_of([own, simple, made("toolglean.kit.conformance.own:Auto", "auto")])
    assert [column.label for column in group.columns] == ["auto", "simple 1.0", "Toolglean"]
    scores = tables_of(group)[0]
    assert [[*row] for row in scores.rows] == [
        [f"{name} (part of the set: 4 of 511 cases)", *rest, "4", "0", "2026-11-23"]
        for name, *rest in (
            ("auto", "100 % (3 of 3)", "100 % (3 of 3)", "100 % (3 of 3)", "100 % (2 of 2)", "0"),
            ("simple 1.0", "66.6 % (2 of 3)", "–", "–", "100 % (2 of 2)", "1"),
            ("Toolglean", "100 % (3 of 3)", "100 % (3 of 3)", "100 % (3 of 3)", "100 % (2 of 2)", "0"),
        )
    ]


def test_a_page_has_a_table_by_kind_and_by_question_and_every_case_that_is_not_right(
    simple: Results, own: Results
) -> None:
    [group] = groups_of([simple, own])
    tables = {table.title: table for table in tables_of(group)}
    kinds = {row[0]: [*row[1:]] for row in tables["Core score by kind of case"].rows}
    assert kinds == {"clean": ["1 of 1", "1 of 1"], "mention": ["0 of 1", "1 of 1"], "truncated": ["1 of 1", "1 of 1"]}
    questions = [row[0].partition(":")[0] for row in tables["Policy score by question"].rows]
    assert questions == ["after", "unread"]
    [row] = tables["Cases that were not answered as expected"].rows
    assert [*row] == ["written/mention/quoted-call", "mention", "core", "unsafe", "right"]
    page = Page(as_html([simple, own]))
    assert "ran delete_files" in page.text
    assert "sha256:" in page.text
    [link] = page.all("a")
    assert {"id": (link["href"] or "").removeprefix("#")} in page.all("h4")


def test_a_page_loads_nothing_and_runs_nothing(simple: Results) -> None:
    text = as_html([simple])
    page = Page(text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    [policy] = [each["content"] for each in page.all("meta") if "http-equiv" in each]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not {"script", "img", "link", "iframe", "form", "object"} & {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") or name in {"style", "src"} for _, each in page.elements for name in each)
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert page.open == []


def test_a_page_is_readable_without_a_mouse_or_eyes(simple: Results, own: Results) -> None:
    page = Page(as_html([simple, own]))
    assert page.all("html") == [{"lang": "en"}]
    assert [len(page.all(tag)) for tag in ("main", "h1", "title", "header")] == [1, 1, 1, 1]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(set(ids)) == len(ids)
    assert all(each.get("scope") in {"row", "col"} for each in page.all("th"))
    scrolled = [each for each in page.all("div") if each.get("class") == "scroll"]
    assert len(scrolled) == len(page.all("table")) == len(page.all("caption"))
    assert all(each["tabindex"] == "0" and each["role"] == "region" for each in scrolled)
    assert len({each["aria-label"] for each in scrolled}) == len(scrolled)
    assert "width=device-width" in str(page.all("meta"))


def spoiled(value: Any) -> Any:
    """The same with a hostile text wherever a text of the file may be anything."""
    if isinstance(value, dict):
        fixed = {"verdict", "tier", "ways", "date", "digest", "adapter_digest", "text"}
        return {key: each if key in fixed else spoiled(each) for key, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each) for each in value]
    return f"{value}{HOSTILE}" if isinstance(value, str) else value


def test_nothing_in_a_results_file_becomes_markup(simple: Results, tmp_path: Path) -> None:
    data = copy.deepcopy(simple.data)
    data["results"][1] |= {"text": HOSTILE, "disputed": HOSTILE}
    hostile = Results(spoiled(data) | {"deliveries": data["deliveries"], "verdicts": data["verdicts"]})
    clean, dirty = Page(as_html([simple], title="x")), Page(as_html([hostile], title="x"))
    assert {tag for tag, _ in dirty.elements} <= {tag for tag, _ in clean.elements}
    assert "<script>alert(1)</script>" in dirty.text  # as text
    assert not set("\u202e\x00\ud800") & set(as_html([hostile]))
    assert r"\u202e\u0000\ud800" in dirty.text
    markdown = as_markdown([hostile])
    assert "<script" not in markdown
    assert "](javascript" not in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert all(line.endswith(" |") for line in rows)
    badge = ET.fromstring(as_badge(hostile))  # noqa: S314  # our own
    assert {each.tag.rpartition("}")[2] for each in badge.iter()} == {"svg", "title", "rect", "g", "text"}
    json.loads(as_badge_json(hostile))
    (tmp_path / "x.html").write_text(as_html([hostile]), encoding="utf-8")


def test_results_on_other_cases_are_in_tables_of_their_own(simple: Results, own: Results) -> None:
    other = Results(own.data | {"case_set": own.case_set | {"version": "2027.1", "digest": f"sha256:{'0' * 64}"}})
    first, second = groups_of([other, simple])
    assert (first.name, second.name) == (f"toolglean-cases {shipped_set().version}", "toolglean-cases 2027.1")
    page = Page(as_html([other, simple]))
    assert len(page.all("h2")) == 2
    assert as_markdown([other, simple]).count("\n### Scores\n") == 2
    assert as_markdown([simple]).startswith("## Scores\n")


def test_the_same_target_twice_is_told_apart(simple: Results) -> None:
    later = Results(simple.data | {"date": "2026-12-01T00:00:00Z"})
    [group] = groups_of([later, simple, simple])
    assert [column.label for column in group.columns] == [
        "simple 1.0, 2026-11-23T00:00:00Z",
        "simple 1.0, 2026-11-23T00:00:00Z (2)",
        "simple 1.0, 2026-12-01T00:00:00Z",
    ]


def test_a_run_that_was_wholly_right_has_a_page(own: Results) -> None:
    page = Page(as_html([own]))
    assert "The answers" not in page.text
    with pytest.raises(UsageError, match="pass at least one"):
        as_html([])


def test_what_was_not_claimed_is_listed_with_its_reason(own: Results) -> None:
    data = copy.deepcopy(own.data)
    data["results"][0] |= {"verdict": "skipped", "reason": "no parser for this format", "core": None}
    [group] = groups_of([Results(data)])
    table = tables_of(group)[-1]
    assert table.title == "Cases that were not claimed"
    assert [[*row] for row in table.rows] == [["Toolglean", "1", "no parser for this format"]]


# -- Markdown ----------------------------------------------------------------------------------------------------------


def test_tables_in_markdown_have_as_many_cells_as_columns(simple: Results, own: Results) -> None:
    blocks = re.findall(r"(?:^\|.*\n)+", as_markdown([simple, own]), re.MULTILINE)
    assert len(blocks) == 6
    for block in blocks:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


# -- the badge ---------------------------------------------------------------------------------------------------------


def test_a_badge_names_the_version_of_the_cases_and_the_core_score() -> None:
    cases = shipped_set().cases[:: 1 if depth.is_full() else 8]  # test_cases.py compares the answers themselves
    report = run(Here("toolglean.kit.conformance.own:Own"), list(cases), ways="whole")
    whole = results_of(report, case_set=CaseSet(SHIPPED, shipped_set().version, cases))
    every = Results(
        whole.data
        | {"deliveries": whole.data["deliveries"] | {"ways": "all"}, "scores": {"all": whole.data["scores"]["whole"]}}
    )
    version = shipped_set().version
    assert json.loads(as_badge_json(every)) == {
        "schemaVersion": 1,
        "label": f"conformance {version}",
        "message": "core 100 %",
        "color": "0b5394",
    }
    badge = ET.fromstring(as_badge(every))  # noqa: S314  # our own
    assert badge.get("role") == "img"
    assert badge.get("aria-label") == badge[0].text
    assert badge[0].text == f"{every.target.name}, conformance {version}: core 100 %, {every.date[:10]}"
    assert "http" not in as_badge(every).replace("http://www.w3.org/2000/svg", "")
    assert json.loads(as_badge_json(whole))["message"] == "core 100 % (whole)"


def test_a_badge_says_that_a_run_was_a_part(simple: Results) -> None:
    assert json.loads(as_badge_json(simple))["message"] == "core 66.6 % (4 of 511 cases)"
    mine = Results(simple.data | {"case_set": simple.case_set | {"name": "mine.jsonl", "version": None, "cases": 4}})
    assert json.loads(as_badge_json(mine))["label"] == "conformance mine.jsonl"


def test_a_badge_needs_a_core_score() -> None:
    nothing = results_of(Report("x", ()))
    with pytest.raises(UsageError, match="no core case was judged"):
        as_badge(nothing)


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_writes_a_page_and_a_badge_of_a_run_and_of_files(tmp_path: Path, capsys: Any) -> None:
    def path(name: str) -> str:
        return str(tmp_path / name)

    written = ["--page", path("run.html"), "--badge", path("run.svg"), "--output", path("r.json")]
    assert main(["conformance", "--only", "written/prose", "--brief", *written]) == 0
    capsys.readouterr()
    assert main(["conformance", path("r.json"), "--page", path("files.html"), "--badge", path("files.json")]) == 0
    assert capsys.readouterr().out == ""  # nothing ran
    assert Path(path("run.html")).read_text("utf-8") == Path(path("files.html")).read_text("utf-8")
    assert json.loads(Path(path("files.json")).read_text("utf-8"))["message"].startswith("core 100 %")
    ET.fromstring(Path(path("run.svg")).read_text("utf-8"))  # noqa: S314  # our own
    assert main(["conformance", path("r.json"), path("r.json"), "--page", path("two.md")]) == 0
    assert "## Scores" in Path(path("two.md")).read_text("utf-8")
    assert Path(path("two.md")).read_text("utf-8").startswith("# Conformance results\n\n#")
