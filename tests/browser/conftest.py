# What this file knows: how a real Chromium is started, and how the pages get to it.
# What it must not know: what a page should do.
"""Chromium, a server on this machine, and axe. `nox -s browser` installs what they need."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

# As root, in a closed network: none of what Chromium does besides showing pages.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
        """Say nothing."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nox -s browser")
    if CHROMIUM is None:
        pytest.skip("no Chromium: install the package chromium, or set CHROMIUM")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens an address. At the end, no script failed, the console is empty, no dialog opened, and nothing was asked of
    another machine.
    """
    trouble: list[str] = []
    contexts = []

    def dismiss(dialog: Any) -> None:
        trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def opened(address: str, **how: Any) -> Any:
        context = how.pop("context", None) or browser.new_context(**{"viewport": SIZE, **how})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("dialog", dismiss)
        own = ("file:", "data:", "blob:", "http://127.0.0.1:")
        page.on("request", lambda asked: None if asked.url.startswith(own) else trouble.append(asked.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not trouble


@pytest.fixture(scope="session")
def served() -> Iterator[Callable[[Path], str]]:
    """Serves a folder on this machine; returns its address."""
    servers = []

    def start(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def site(served: Callable[[Path], str]) -> str:
    """Where the built site is served."""
    folder = os.environ.get("SITE")
    if folder is None:
        pytest.skip("SITE does not name the built site: nox -s browser")
    return served(Path(folder))


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, from npm."""
    path = os.environ.get("AXE")
    if path is None:
        pytest.skip("AXE does not name axe.min.js: nox -s browser")
    return Path(path).read_text(encoding="utf-8")


def fits(page: Any) -> bool:
    """Whether nothing makes the page wider than the screen."""
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return bool(wide <= screen)


def violations(page: Any, axe: str) -> list[str]:
    """What axe finds wrong by WCAG 2.2, level AA, and by good practice.

    The page's own policy does not let axe in, so the page is opened in a context with `bypass_csp`.
    """
    page.evaluate(axe)
    found = page.evaluate("axe.run(document)")
    return [f"{each['id']}: {node['html'][:120]}" for each in found["violations"] for node in each["nodes"]]
