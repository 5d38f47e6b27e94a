"""What checks the site finds what is wrong, and the pages come to the site with links that hold there."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.check_site import check
from docs.make_api import api_pages
from docs.make_site import OUTSIDE, ROOT, SECTIONS, place_of, urls, with_links
from docs.public import FACES, public_names


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="other.html">x</a><a href="other.html#there">x</a><a href="#here">x</a>', ""),
        ('<a href="/docs/other.html">from the root of the site</a>', ""),
        ('<a href="https://example.invalid/gone">not followed</a>', ""),
        ('<a href="gone.html">x</a>', "gone.html, which does not exist"),
        ('<img src="gone.svg">', "gone.svg, which does not exist"),
        ('<a href="other.html#gone">x</a>', "an anchor that other.html does not have"),
        ('<a href="#gone">x</a>', "an anchor that index.html does not have"),
        ("<p>a list\n- that needs a blank line</p>", "Markdown left as it was"),
        ("<p>| a | table |</p>", "Markdown left as it was"),
        ("<p>[a link](page.md)</p>", "Markdown left as it was"),
        ("<p><code>[a link](page.md)</code></p>", ""),
    ],
)
def test_faults_of_a_page_are_found(tmp_path: Path, body: str, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text(f'<html><h1 id="here">x</h1>{body}</html>', encoding="utf-8")
    (tmp_path / "other.html").write_text('<html><h1 id="there">x</h1></html>', encoding="utf-8")
    assert check(tmp_path, "/docs/") == bool(fault)
    assert fault in capsys.readouterr().out


def test_an_empty_site_is_a_fault(tmp_path: Path) -> None:
    assert check(tmp_path) == 1


def test_links_are_written_as_the_site_needs_them() -> None:
    page = "docs/how-to/frameworks.md"
    told = with_links(
        "[a](proxy.md#x) [b](../reference/cli.md) [c](../../SECURITY.md) [d](../../examples/album.py) [e](#here)\n"
        "```text\n[f](../../SECURITY.md)\n```\n",
        page,
    )
    assert told == (
        "[a](proxy.md#x) [b](../reference/cli.md) [c](../project/security.md) "
        f"[d]({urls()['Repository']}/blob/main/examples/album.py) [e](#here)\n"
        "```text\n[f](../../SECURITY.md)\n```\n"
    )


def test_a_link_to_nothing_stops_the_build() -> None:
    with pytest.raises(SystemExit, match=r"gone\.md, which does not exist"):
        with_links("[a](gone.md)", "docs/how-to/frameworks.md")


def test_every_folder_of_pages_has_its_place() -> None:
    assert all((ROOT / name).is_file() for name in OUTSIDE)
    assert place_of("docs/how-to/proxy.md") == "how-to/proxy.md"
    folders = {page.parent.name for page in (ROOT / "docs").rglob("*.md")}
    assert folders <= SECTIONS.keys() | {"playground"}


def test_the_reference_has_every_name_once() -> None:
    pages = api_pages()
    assert pages.keys() == {"index.md", *(f"{face}.md" for face in FACES)}
    described = [line for text in pages.values() for line in text.splitlines() if line.startswith(":::")]
    assert len(described) == len(set(described))
    for each in public_names():
        assert f"::: {each.home}.{each.name}" in described
        assert each.name in pages[f"{each.module}.md"]
