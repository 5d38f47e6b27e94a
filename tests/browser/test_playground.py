"""The playground in a real Chromium, with toolglean's own wheel in Pyodide, served from this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import violations
from toolglean.kit.demo import load_streams

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nox -s browser")

ROOT = Path(__file__).parents[2]
READY = 180_000  # milliseconds: Python is loaded in the browser
ANSWER = 60_000

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def address(served: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the playground is served, as `docs/make_playground.py` puts it together."""
    folder = tmp_path_factory.mktemp("playground")
    archive = os.environ.get("PYODIDE")
    if archive is None:
        pytest.skip("PYODIDE does not name Pyodide's archive: nox -s browser")
    script = str(ROOT / "docs" / "make_playground.py")
    subprocess.run([sys.executable, script, str(folder), "--pyodide", archive], check=True)
    return served(folder)


def expect_status(page: Any, text: str, *, timeout: int = ANSWER) -> None:
    api.expect(page.locator("#status")).to_have_text(re.compile(text), timeout=timeout)


def turn_of(page: Any) -> str:
    return "".join(page.locator(".turn span").all_text_contents()).replace("↵\n", "\n")


def test_a_turn_is_read_in_the_page(open_page: Open, address: str) -> None:
    page = open_page(address)
    expect_status(page, "^Read: 1 call", timeout=READY)
    assert turn_of(page) == "".join(load_streams()[0].tokens)
    so_far = page.locator("[data-part=so-far]")
    assert 'get_weather {"location": "Paris", "unit": "celsius"}' in so_far.inner_text()

    # Drag the cut: what came of the turn up to there.
    slider = page.get_by_role("slider", name="Step")
    slider.fill("3")
    assert so_far.inner_text().split("\n")[-1] == "I will check"
    assert "not fed yet" not in so_far.inner_text()

    # Another reading of the same turn leaves the step where it is.
    page.get_by_label("get_weather").uncheck()
    api.expect(page.locator("[data-part=findings]")).to_contain_text("unknown-tool", timeout=ANSWER)
    assert slider.input_value() == "3"

    # A turn of one's own, with a tool of one's own.
    page.get_by_label("The turn: what the model wrote").fill(
        'Yes.<tool_call>{"name": "mine", "arguments": {}}</tool_call>'
    )
    page.get_by_label("Tools of your own").fill('["mine"]')
    api.expect(so_far).to_contain_text("mine {}", timeout=ANSWER)
    assert "not one of the tools" not in so_far.inner_text()

    # What is wrong in a field is said beside it, and the last answer stays.
    own = page.get_by_label("Tools of your own")
    own.fill("[1")
    expect_status(page, "^Not read: This is not JSON: line 1, column 3")
    assert own.get_attribute("aria-invalid") == "true"
    assert page.locator("#own_tools-error").inner_text().startswith("This is not JSON: line 1, column 3")
    assert "own_tools-error" in (own.get_attribute("aria-describedby") or "")
    assert "mine {}" in so_far.inner_text()
    own.fill("[" * 5000)
    expect_status(page, "nested more than 64 deep")
    own.fill("")
    expect_status(page, "^Read")
    assert own.get_attribute("aria-invalid") is None

    # Floods of brackets: Python's stack is small in a browser.
    page.get_by_label("The turn: what the model wrote").fill(
        '<tool_call>{"name": "get_time", "arguments": ' + '{"a":[' * 3000
    )
    api.expect(page.locator(".facts[data-part=facts]")).to_contain_text("18,0", timeout=ANSWER)

    # Every shipped turn can be chosen, and keys typed into a field are the field's.
    page.get_by_label("Start from a shipped turn").select_option("glm-4.5")
    api.expect(page.locator(".facts[data-part=facts]")).to_contain_text("glm-4.5", timeout=ANSWER)
    step = slider.input_value()
    page.get_by_label("The turn: what the model wrote").press("ArrowLeft")
    page.get_by_label("The turn: what the model wrote").press(" ")
    assert slider.input_value() == step


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, address: str, axe: str, scheme: str) -> None:
    page = open_page(address, color_scheme=scheme, bypass_csp=True)
    expect_status(page, "^Read", timeout=READY)
    page.get_by_label("Tools of your own").fill("[1")
    expect_status(page, "^Not read")
    assert violations(page, axe) == []
