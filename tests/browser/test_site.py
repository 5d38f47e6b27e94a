"""The built site in a real Chromium: what each page looks like to somebody who opens it, and to a screen reader."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs.make_navigation import GROUPS
from tests.browser.conftest import PHONE, SIZE, fits, violations

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nox -s browser")

Open = Callable[..., Any]

PAGES = (
    "index.html",
    "how-to/index.html",
    "how-to/replay.html",
    "reference/formats.html",
    "reference/formats/qwen.html",
    "explanation/figures.html",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SIZE, PHONE], ids=["1280", "390"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(open_page: Open, site: str, axe: str, name: str, size: dict[str, int], scheme: str) -> None:
    page = open_page(site + name, viewport=size, color_scheme=scheme, bypass_csp=True)
    page.wait_for_timeout(500)  # the theme adds its buttons when blocks come into view
    assert violations(page, axe) == []
    assert fits(page)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light(open_page: Open, site: str, name: str) -> None:
    """The index of the search would be the heaviest part; it is fetched only if it is asked for."""
    page = open_page("about:blank")
    bodies: dict[str, int] = {}
    page.on("response", lambda answer: bodies.update({answer.url: len(answer.body())}))
    page.goto(site + name, wait_until="networkidle")
    assert len(bodies) <= 16
    assert sum(bodies.values()) < 700_000


@pytest.mark.parametrize("key", ["", "/"])
def test_the_search_works_once_it_is_opened(open_page: Open, site: str, key: str) -> None:
    page = open_page(site + PAGES[1])
    page.wait_for_load_state("networkidle")
    with page.expect_response(lambda answer: answer.url.endswith("search.json")):
        page.keyboard.press(key) if key else page.locator(".md-search__button").click()
    page.locator("input[type=text], input[type=search]").last.fill("repaired")
    page.locator("a[href*='explanation/repairs.html?h=repaired']").first.wait_for()


# -- the home page -------------------------------------------------------------------------------------------------------


def test_the_home_page_shows_at_one_glance_what_it_is(open_page: Open, site: str) -> None:
    page = open_page(site)
    for name, link in (("Try it", "playground/index.html"), ("Start", "tutorial/first-parser.html")):
        button = page.locator(".home-buttons").get_by_role("link", name=name, exact=True)
        assert button.get_attribute("href") == link
        assert lower_edge(button) < SIZE["height"]
    assert lower_edge(page.locator(".replay-panes")) < SIZE["height"]
    snippet, printed = page.locator(".home-first pre > code").all()[:2]
    assert "Parser(" in snippet.inner_text()
    assert printed.inner_text().strip()
    for block in (snippet, printed):
        assert block.evaluate("code => code.scrollWidth <= code.clientWidth"), "it is cut off"


def lower_edge(part: Any) -> float:
    box = part.bounding_box()
    return float(box["y"] + box["height"])


def test_the_picture_moves_and_can_be_paused(open_page: Open, site: str) -> None:
    page = open_page(site)
    call = page.locator(".replay-output .name")
    assert "get_weather" in page.locator(".replay-turn").inner_text()
    assert call.evaluate("each => getComputedStyle(each).opacity") == "0"
    states = "() => [...new Set(document.getAnimations().map(each => each.playState))]"
    assert page.evaluate(states) == ["running"]
    page.evaluate("document.getAnimations().forEach(each => { each.currentTime = 11000 })")
    assert call.evaluate("each => getComputedStyle(each).opacity") == "1"
    page.get_by_label("Pause").check()
    assert page.evaluate(states) == ["paused"]


def test_the_picture_is_still_for_those_who_ask(open_page: Open, site: str) -> None:
    page = open_page(site, reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator(".replay-output .name").evaluate("each => getComputedStyle(each).opacity") == "1"
    assert not page.get_by_text("Pause", exact=True).is_visible()


# -- the navigation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["reference/formats/qwen.html", "api/toolglean.parser.html", "how-to/vllm.html", "explanation/engine.html"]
)
def test_the_navigation_has_five_groups_none_longer_than_a_screen(open_page: Open, site: str, name: str) -> None:
    page = open_page(site + name)
    assert page.locator(".md-tabs__link").all_inner_texts() == [*GROUPS]
    sidebar = page.locator(".md-sidebar--primary .md-sidebar__scrollwrap")
    assert sidebar.evaluate("box => box.scrollHeight <= box.clientHeight")


def test_the_playground_is_in_every_header(open_page: Open, site: str) -> None:
    folder = Path(os.environ["SITE"])
    without = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.html")
        if 'class="to-playground"' not in path.read_text(encoding="utf-8")
    ]
    assert without == ["playground/index.html"]
    for size in (SIZE, PHONE):
        page = open_page(f"{site}reference/formats/qwen.html", viewport=size)
        page.get_by_role("banner").get_by_role("link", name="Playground").click()
        assert page.title() == "toolglean playground"
        page.get_by_role("link", name="toolglean").click()
        assert page.url == f"{site}index.html"


# -- tables --------------------------------------------------------------------------------------------------------------


def test_no_column_of_the_figures_is_out_of_sight(open_page: Open, site: str) -> None:
    page = open_page(f"{site}explanation/figures.html")
    api.expect(page.locator(".md-typeset__scrollwrap").first).to_be_attached()
    hidden = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).length"
    assert page.locator(".md-typeset__scrollwrap").evaluate_all(hidden) == 0


def test_a_wide_table_scrolls_beside_its_first_column(open_page: Open, site: str) -> None:
    page = open_page(f"{site}explanation/figures.html", viewport=PHONE)
    box = page.locator(".md-typeset__scrollwrap").first
    api.expect(box).to_have_attribute("tabindex", "0")
    first, second = (box.locator(f"tbody tr:first-child td:nth-child({place})") for place in (1, 2))
    before = (first.bounding_box()["x"], second.bounding_box()["x"])
    box.evaluate("box => { box.scrollLeft = 90 }")
    after = (first.bounding_box()["x"], second.bounding_box()["x"])
    assert after[1] < before[1] - 50
    assert abs(after[0] - before[0]) < 20  # only the margin goes
