"""The page of `toolglean replay` in a real Chromium."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import violations
from tests.support.face import faced
from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.replay import cut_turn, html_page, record

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nox -s browser")
pillow = pytest.importorskip("PIL.Image", reason="pillow is not installed: nox -s browser")

IMAGES = Path(__file__).parents[2] / "docs" / "images"
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>"
    "<iframe srcdoc='<script>alert(4)</script>'></iframe>\u2028\u202eright\ud83d &lt;b&gt; \0"
)

Open = Callable[..., Any]


def written(tmp_path: Path, chunks: list[str], title: str = "a turn", **options: Any) -> str:
    path = tmp_path / "page.html"
    tools = options.pop("tools", load_tools())
    path.write_text(html_page(record(chunks, tools, title=title, **faced(**options))), encoding="utf-8", newline="\n")
    return path.as_uri()


@pytest.fixture
def hermes(tmp_path: Path) -> str:
    stream = load_streams()[0]
    return written(tmp_path, list(stream.tokens), stream.name)


def step_of(page: Any) -> int:
    return int(page.locator("[data-part=slider]").input_value())


def kinds_of(page: Any) -> list[tuple[str, str]]:
    """The turn as it is shown: text and classes, neighbours with the same classes joined."""
    script = "spans => spans.map(span => [span.textContent, span.className.replace(' latest', '')])"
    found: list[tuple[str, str]] = []
    for text, kind in page.locator(".turn span").evaluate_all(script):
        found[-1:] = [(found[-1][0] + text, kind)] if found and found[-1][1] == kind else [*found[-1:], (text, kind)]
    return found


def test_keys_and_buttons(open_page: Open, hermes: str) -> None:
    page = open_page(hermes)
    last = len(load_streams()[0].tokens) + 1
    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
        page.keyboard.press(key)
        assert step_of(page) == step
    page.get_by_role("button", name="One step forward").click()
    page.keyboard.press("ArrowRight")  # with the focus on a button, too
    assert step_of(page) == 2
    page.get_by_role("button", name="Last step").click()
    assert step_of(page) == last
    page.locator(".turn span").nth(2).click()  # a token: to the step that fed it
    assert step_of(page) == 3


def test_the_slider(open_page: Open, hermes: str) -> None:
    page = open_page(hermes)
    slider = page.get_by_role("slider", name="Step")
    slider.fill("15")
    assert page.locator("[data-part=count]").inner_text() == "15 / 34"
    assert slider.get_attribute("aria-valuetext") == "token 15 of 33: _weather"
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert step_of(page) == 34
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert step_of(page) == 33  # one step, not two: the slider's own key is not added


def test_space_plays_and_pauses(open_page: Open, hermes: str) -> None:
    page = open_page(hermes)
    page.get_by_label("Pace").select_option("30")
    page.locator(".turn").focus()
    page.keyboard.press(" ")
    assert page.get_by_role("button", name="Pause").is_visible()
    api.expect(page.get_by_role("slider", name="Step")).to_have_value("34", timeout=20_000)
    assert page.get_by_role("button", name="Play").is_visible()  # it stopped by itself
    page.keyboard.press(" ")  # from the start again
    assert page.get_by_role("button", name="Pause").is_visible()
    page.keyboard.press(" ")
    assert page.get_by_role("button", name="Play").is_visible()
    assert step_of(page) < 34


def test_what_each_character_is_at_each_step(open_page: Open, hermes: str) -> None:
    page = open_page(hermes)
    assert {kind for _, kind in kinds_of(page)} == {"future"}
    slider = page.get_by_role("slider", name="Step")
    slider.fill("15")
    assert kinds_of(page)[:2] == [
        ("I will check the weather now.↵\n", "content"),
        ('<tool_call>↵\n{"name": "get_weather', "held"),
    ]
    slider.fill("34")
    whole = [
        ("I will check the weather now.↵\n", "content"),
        ('<tool_call>↵\n{"name": "', "markup"),
        ("get_weather", "name"),
        ('", "arguments": ', "markup"),
        ('{"location": "Paris", "unit": "celsius"}', "arguments"),
        ("}↵\n</tool_call>", "markup"),
    ]
    assert kinds_of(page) == whole
    for step in (16, 3, 20, 0, 34):  # wherever one comes from
        slider.fill(str(step))
    assert kinds_of(page) == whole
    styles = page.locator(".legend .badge").evaluate_all(
        "all => all.map(each => [getComputedStyle(each).color, getComputedStyle(each).textDecorationLine + getComputedStyle(each).textDecorationStyle, getComputedStyle(each).backgroundImage])"
    )
    assert len({tuple(style[1:]) for style in styles}) == len(styles)  # also without colours


def test_what_is_said_at_a_step(open_page: Open, hermes: str) -> None:
    page = open_page(hermes)
    slider = page.get_by_role("slider", name="Step")
    slider.fill("16")
    live = page.get_by_role("status")
    assert live.inner_text() == "call starts get_weather. 2 characters held back."
    assert page.locator("[data-part=now]").inner_text().startswith('token 16 of 33: ",')
    slider.fill("34")
    assert "ready to run" in page.locator("[data-part=so-far]").inner_text()
    assert 'get_weather {"location": "Paris", "unit": "celsius"}' in page.locator("[data-part=so-far]").inner_text()
    page.get_by_text("Show what each part became").click()
    assert page.get_by_role("row").nth(3).inner_text().split("\t") == ["call: name", "get_weather", "14 to 15", "16"]


def test_hostile_text_is_inert(open_page: Open, tmp_path: Path) -> None:
    turn = f'{HOSTILE}<tool_call>{{"name": "get_weather", "arguments": {{"x": {json.dumps(HOSTILE)}}}}}</tool_call><tool_call>{HOSTILE}'
    page = open_page(written(tmp_path, cut_turn(turn), HOSTILE))
    page.get_by_text("Show what each part became").click()
    page.keyboard.press("End")
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    assert page.locator("script").count() == 3
    assert page.locator("main img, main svg, main iframe, main b").count() == 0
    shown = page.locator(".turn").inner_text()
    assert "</script><script>alert(1)</script><img src=x onerror=alert(2)>" in shown
    assert "⟨U+2028⟩⟨U+202E⟩right⟨U+D83D⟩ &lt;b&gt; ⟨U+0000⟩" in shown


def test_unfinished_calls_and_problems(open_page: Open, tmp_path: Path) -> None:
    page = open_page(written(tmp_path, ['<tool_call>{"name": "get_weather", ', '"arguments": {"location": ', '"Par']))
    slider = page.get_by_role("slider", name="Step")
    slider.fill("3")
    assert kinds_of(page)[-1] == ('{"location": "Par', "arguments")
    slider.fill("4")
    assert [kind for _, kind in kinds_of(page)] == ["unfinished"]
    assert "incomplete: do not run" in page.locator("[data-part=so-far]").inner_text()
    assert "cut-off, at 1:" in page.locator("[data-part=findings]").inner_text()


def test_a_long_turn(open_page: Open, tmp_path: Path) -> None:
    """100 KB in 4-character chunks: a step changes few elements, so it stays quick."""
    code = "def area(x):\n    return x * 2  # twice\n" * 2600
    turn = '<tool_call>{"name": "send_message", "arguments": {"body": ' + json.dumps(code) + "}}</tool_call>"
    page = open_page(written(tmp_path, cut_turn(turn, 4)))
    page.evaluate(
        "window.changed = 0; new MutationObserver(all => { window.changed += all.length })"
        ".observe(document.querySelector('.turn'), {attributes: true, subtree: true})"
    )
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert 0 < page.evaluate("window.changed") < 200
    page.keyboard.press("End")
    assert step_of(page) == -(-len(turn) // 4) + 1
    assert "ready to run" in page.locator("[data-part=so-far]").inner_text()
    assert page.locator(".turn").evaluate("box => box.scrollTop") > 1000  # it follows


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, axe: str, tmp_path: Path, scheme: str) -> None:
    turn = (
        "<think>Hm.</think>Hi.\n"
        '<tool_call>{"name": "get_weather", "arguments": {"location": "Oslo"}}</tool_call>'
        '<tool_call>{"name": "get_time", "argu'
    )
    page = open_page(written(tmp_path, cut_turn(turn), notes=["A note."]), color_scheme=scheme, bypass_csp=True)
    page.get_by_text("Show what each part became").click()
    for step in ("0", "14", "999"):
        page.get_by_role("slider", name="Step").fill(step)
        assert violations(page, axe) == []


def test_less_motion_and_dark(open_page: Open, hermes: str) -> None:
    page = open_page(hermes, reduced_motion="reduce", color_scheme="dark")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator("button").first.evaluate("each => getComputedStyle(each).transitionDuration") == "0s"
    assert page.locator("body").evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(18, 22, 28)"


def test_the_picture_of_the_documents(open_page: Open, tmp_path: Path) -> None:
    """With PICTURES=1 in the environment, it is drawn anew."""
    stream = next(each for each in load_streams() if each.name == "glm-4.5")
    page = open_page(written(tmp_path, list(stream.tokens), f"{stream.name}: {stream.about}"))
    page.get_by_role("slider", name="Step").fill("38")
    page.get_by_role("slider", name="Step").blur()
    target = IMAGES / "replay.png" if os.environ.get("PICTURES") else tmp_path / "replay.png"
    shot = page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": 780})
    pillow.open(io.BytesIO(shot)).quantize(64, dither=pillow.Dither.NONE).save(target, optimize=True)
    assert (IMAGES / "replay.png").exists()
