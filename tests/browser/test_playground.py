"""The playground in a real Chromium, with toolglean's own wheel in Pyodide, served from this machine."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE, SIZE, fits, violations
from toolglean.kit.demo import load_streams

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nox -s browser")

READY = 180_000  # milliseconds: Python is loaded in the browser
ANSWER = 60_000

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def address(site: str) -> str:
    """Where the playground is served."""
    return f"{site}playground/index.html"


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

    # A turn of your own, with a tool of your own.
    page.get_by_text("Your own tools", exact=True).click()
    page.get_by_label("The turn: what the model wrote").fill(
        'Yes.<tool_call>{"name": "mine", "arguments": {}}</tool_call>'
    )
    page.get_by_label("Your own tools, as a JSON list").fill('["mine"]')
    api.expect(so_far).to_contain_text("mine {}", timeout=ANSWER)
    assert "not one of the tools" not in so_far.inner_text()

    # What is wrong in a field is said beside it, and the last answer stays.
    own = page.get_by_label("Your own tools, as a JSON list")
    own.fill("[1")
    expect_status(page, "^Not read: This is not JSON: line 1, column 3")
    assert own.get_attribute("aria-invalid") == "true"
    assert page.locator("#own_tools-error").inner_text().startswith("This is not JSON: line 1, column 3")
    assert "own_tools-error" in (own.get_attribute("aria-describedby") or "")
    assert "mine {}" in so_far.inner_text()
    own.fill("[" * 5000)
    expect_status(page, "nested more than 64 levels deep")
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


def test_there_is_something_to_see_before_python_is_loaded(open_page: Open, address: str) -> None:
    page = open_page(address, viewport=SIZE)
    assert page.locator("#status").inner_text().startswith("Loading Python")
    assert turn_of(page) == "".join(load_streams()[0].tokens)
    assert "ready to run" in page.locator("[data-part=so-far]").inner_text()


def test_a_second_visit_starts_at_once(open_page: Open, address: str) -> None:
    first = seconds(page := open_page(address))
    second = seconds(open_page(address, context=page.context))
    # On a machine that does other things too, both take longer.
    assert second < max(5, first / 2), f"{first:.1f} s, then {second:.1f} s"


def seconds(page: Any) -> float:
    """How long the page takes until Python has read the turn, from its beginning."""
    page.goto("about:blank")
    page.go_back(wait_until="commit")
    started = time.monotonic()
    expect_status(page, "^Read", timeout=READY)
    return time.monotonic() - started


def test_states_of_the_parser_are_shown_only_if_asked_for(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.get_by_role("slider", name="Step").fill("12")
    now = page.locator("[data-part=now]")
    assert "parser:" not in now.inner_text()
    page.get_by_label("Show the parser's state").check()
    assert "parser: " in now.inner_text()
    page.get_by_role("slider", name="Step").fill("13")
    assert "parser: " in now.inner_text()


def test_it_fits_a_phone(open_page: Open, address: str) -> None:
    page = open_page(address, viewport=PHONE, has_touch=True, is_mobile=True)
    expect_status(page, "^Read", timeout=READY)
    assert fits(page)
    assert not page.get_by_label("get_weather").is_visible()  # the answer is nearer than what few need
    page.get_by_text("Tools, format and cuts").click()
    page.get_by_text("Your own tools", exact=True).click()
    page.get_by_role("button", name="Copy a link").click()
    page.get_by_text("Show what each part became").click()
    assert fits(page)
    for control in ("Play", "One step forward", "Copy a link to this turn"):
        box = page.get_by_role("button", name=control).bounding_box()
        assert box["height"] >= 24, control


# -- links -------------------------------------------------------------------------------------------------------------

ODD = 'Ødd "text" \u2028 \U0001f600 <img src=x onerror=alert(1)>\n<tool_call>{"name": "mine", "arguments": {}}</tool_call>'


def test_a_turn_is_shared_by_a_link(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.get_by_label("The turn: what the model wrote").fill(ODD)
    page.get_by_label("get_time").uncheck()
    page.get_by_text("Your own tools", exact=True).click()
    page.get_by_label("Your own tools, as a JSON list").fill('["mine"]')
    page.get_by_label("Format").select_option("hermes")
    page.get_by_label("Cut", exact=True).select_option("4")
    page.get_by_role("button", name="Copy a link").click()
    link = page.get_by_label("The link").input_value()
    assert link.startswith(f"{address}#turn=")
    assert page.url == link

    other = open_page("about:blank")
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    expect_status(other, "^Read: 1 call", timeout=READY)
    assert turn_of(other) == ODD.replace("\u2028", "⟨U+2028⟩")
    assert other.get_by_label("The turn: what the model wrote").input_value() == ODD
    assert "mine {}" in other.locator("[data-part=so-far]").inner_text()
    assert not other.get_by_label("get_time").is_checked()
    assert other.get_by_label("get_weather").is_checked()
    assert other.get_by_label("Format").input_value() == "hermes"
    assert other.get_by_label("Cut", exact=True).input_value() == "4"
    sent = [
        url for url in asked if "turn=" in url
    ]  # a fragment is in no request: only the browser's own name of the page
    assert set(sent) <= {link}
    assert other.locator("main img").count() == 0

    # Another link in the same tab: only the fragment changes, so the page stays.
    other.goto(f"{address}#turn={packed(turn='Hi.')}")
    api.expect(other.locator(".turn")).to_have_text("Hi.", timeout=ANSWER)


def packed(**fields: Any) -> str:
    asked = {"turn": "", "tools": [], "own_tools": "", "format": "auto", "start": "content", "cut": None, **fields}
    return urlsafe(json.dumps(asked).encode())


def urlsafe(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


HOSTILE = {
    "not base64": "%3Cscript%3Ealert(1)%3C/script%3E",
    "not UTF-8": urlsafe(b"\xff\xfe"),
    "not JSON": urlsafe(b"{"),
    "no object": urlsafe(b"[1]"),
    "null": urlsafe(b"null"),
    "nested": urlsafe(b"[" * 30_000),
    "too long": packed(turn="x" * 60_000),
    "a field missing": urlsafe(b'{"turn": "x"}'),
    "a field too many": packed(more=1),
    "a prototype": urlsafe(b'{"__proto__": {"turn": "x"}}'),
    "a turn that is no text": packed(turn={"toString": 1}),
    "a tool of no list": packed(tools="get_weather"),
    "an unknown tool": packed(tools=["rm"]),
    "an unknown format": packed(format="<b>"),
    "an unknown start": packed(start="x"),
    "a cut of nothing": packed(cut=0),
    "empty": "",
}


def test_hostile_links_do_nothing(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#turn={HOSTILE['not base64']}")
    first = "".join(load_streams()[0].tokens)
    for name, fragment in HOSTILE.items():
        page.goto("about:blank")
        page.goto(f"{address}#turn={fragment}")
        told = page.locator("#shared")
        assert told.inner_text().startswith("The turn of this link cannot be shown: "), name
        assert page.get_by_label("The turn: what the model wrote").input_value() == first, name
    expect_status(page, "^Read: 1 call", timeout=READY)


def test_a_link_with_odd_tools_is_as_if_they_were_typed(open_page: Open, address: str) -> None:
    page = open_page(f"{address}#turn={packed(turn='Hi.', own_tools='[' * 5000)}")
    expect_status(page, "nested more than 64 levels deep", timeout=READY)
    assert page.get_by_label("Your own tools, as a JSON list").is_visible()


def test_a_turn_that_is_too_long_for_a_link(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.get_by_label("The turn: what the model wrote").fill("x" * 50_000)
    page.get_by_role("button", name="Copy a link").click()
    assert page.locator("#shared").inner_text() == "No link was made: the turn is too long for a link."
    assert "#" not in page.url


def test_the_policy_lets_nothing_in(open_page: Open, address: str) -> None:
    page = open_page(address)
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert policy.split("; ")[0] == "default-src 'none'"
    assert "unsafe-inline" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SIZE, PHONE], ids=["1280", "390"])
def test_axe_finds_nothing(open_page: Open, address: str, axe: str, scheme: str, size: dict[str, int]) -> None:
    page = open_page(address, color_scheme=scheme, viewport=size, bypass_csp=True)
    assert violations(page, axe) == []
    expect_status(page, "^Read", timeout=READY)
    page.get_by_role("button", name="Copy a link").click()
    assert violations(page, axe) == []
    page.evaluate("document.getElementById('own_tools').value = '[1'")
    page.locator("#asked").dispatch_event("input")
    expect_status(page, "^Not read")
    assert page.get_by_label("Your own tools, as a JSON list").is_visible()
    assert violations(page, axe) == []
