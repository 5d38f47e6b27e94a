"""What checks the site finds what is wrong, and the pages come to the site with links that hold there."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from docs import make_site
from docs.check_site import check
from docs.finish_site import finish
from docs.make_api import api_pages
from docs.make_home import home_page, picture, style
from docs.make_navigation import GROUPS, TOPICS, Entry, index_pages, navigation, read_pages
from docs.make_site import OUTSIDE, ROOT, place_of, with_links
from docs.public import FACES, public_names
from toolglean.kit.demo import load_streams


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="other.html">x</a><a href="other.html#there">x</a><a href="#here">x</a>', ""),
        ('<a href="/docs/other.html">from the root of the site</a>', ""),
        ('<a href="https://host.example/gone">not followed</a>', ""),
        ('<a href="https://example.invalid/gone">x</a>', "the placeholder 'https://example.invalid'"),
        ("<code>Lorem ipsum</code>", "the placeholder 'Lorem ipsum'"),
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


LINKED = (
    "[a](proxy.md#x) [b](../reference/cli.md) [c](../../SECURITY.md) [`examples/album.py`](../../examples/album.py) "
    "[licence: MIT](../../LICENSE) [e](#here) ![f](../images/replay.png)\n```text\n[f](../../SECURITY.md)\n```\n"
    "~~~\n```\n[g](../../SECURITY.md)\n```\n~~~\n"
)


@pytest.mark.parametrize(
    ("addresses", "album", "licence"),
    [
        (
            {"Repository": "https://host/repo"},
            "[`examples/album.py`](https://host/repo/blob/main/examples/album.py)",
            "[licence: MIT](https://host/repo/blob/main/LICENSE)",
        ),
        ({}, "`examples/album.py`", "licence: MIT, in `LICENSE`"),
    ],
    ids=["address", "no address"],
)
def test_links_are_written_as_the_site_needs_them(
    addresses: dict[str, str], album: str, licence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_site, "urls", lambda: addresses)
    assert with_links(LINKED, "docs/how-to/frameworks.md") == (
        f"[a](proxy.md#x) [b](../reference/cli.md) [c](../project/security.md) {album} {licence} [e](#here) "
        "![f](../images/replay.png)\n```text\n[f](../../SECURITY.md)\n```\n"
        "~~~\n```\n[g](../../SECURITY.md)\n```\n~~~\n"
    )


def test_a_link_to_nothing_stops_the_build() -> None:
    with pytest.raises(SystemExit, match=r"gone\.md, which does not exist"):
        with_links("[a](gone.md)", "docs/how-to/frameworks.md")


def test_every_folder_of_pages_has_its_place() -> None:
    assert all((ROOT / name).is_file() for name in OUTSIDE)
    assert place_of("docs/how-to/proxy.md") == "how-to/proxy.md"
    folders = {page.relative_to(ROOT / "docs").parts[0] for page in (ROOT / "docs").rglob("*/*.md")}
    assert folders <= {folder for group in GROUPS.values() for folder in group}


# -- the navigation ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, as the site is built from them; of each, only its title."""
    pages = tmp_path_factory.mktemp("pages")
    places = [place_of(path.relative_to(ROOT).as_posix()) for path in (ROOT / "docs").rglob("*.md")]
    for place in [*places, *OUTSIDE.values(), *(f"api/{name}" for name in api_pages())]:
        (pages / str(place)).parent.mkdir(parents=True, exist_ok=True)
        (pages / str(place)).write_text(f"# A page `{place}`\n", encoding="utf-8")
    for place, text in index_pages(pages).items():
        (pages / place).write_text(text, encoding="utf-8")
    return pages


def places(entries: list[Entry]) -> list[str]:
    return [
        place
        for entry in entries
        for inside in entry.values()
        for place in (places(inside) if isinstance(inside, list) else [inside])
    ]


def test_every_page_is_in_one_group(laid_out: Path) -> None:
    groups = navigation(laid_out)
    assert [title for group in groups for title in group] == [*GROUPS]
    found = places(groups)
    assert len(found) == len(set(found))
    assert {*found, "index.md"} == {page.relative_to(laid_out).as_posix() for page in laid_out.rglob("*.md")}


def test_the_navigation_names_only_what_is_there() -> None:
    named = [
        f"docs/{folder}/{name}.md" for folder, topics in TOPICS.items() for names in topics.values() for name in names
    ]
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_each_group_begins_with_a_page_that_leads_to_all_of_it(laid_out: Path) -> None:
    for group, folders in GROUPS.items():
        [entries] = [each[group] for each in navigation(laid_out) if group in each]
        first = places(entries)[0]
        assert first == f"{folders[0]}/index.md"
        if folders[0] != "api":  # which says what each module is for
            text = (laid_out / first).read_text(encoding="utf-8")
            linked = {(laid_out / first).parent.joinpath(link).resolve() for link in re.findall(r"\]\((.+?)\)", text)}
            assert linked == {laid_out / place for place in places(entries)[1:]}


def test_a_page_that_no_list_names_comes_last(laid_out: Path) -> None:
    page = laid_out / "reference" / "new.md"
    page.write_text("# `new` page\n", encoding="utf-8")
    [entries] = [each["Reference"] for each in navigation(laid_out) if "Reference" in each]
    page.unlink()
    assert entries[-1] == {"new page": "reference/new.md"}


def test_a_folder_in_no_group_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "poems").mkdir()
    (tmp_path / "poems" / "one.md").write_text("# One\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"in no group of the navigation: poems/one\.md"):
        navigation(tmp_path)


def test_titles_and_sections_are_those_of_the_page_of_pages() -> None:
    named = read_pages(
        "# x\n| you have | read |\n|---|---|\n| a stream | [mlx-lm](how-to/mlx-lm.md) |\n[b\nc](b.md) [d](../D.md) [e](e.md#e)"
    )
    assert named.rows == [("a stream", ["how-to/mlx-lm.md"])]
    assert named.titles == {"how-to/mlx-lm.md": "mlx-lm", "b.md": "b c"}


# -- the home page -----------------------------------------------------------------------------------------------------


def test_the_home_page_has_the_words_and_the_snippets_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = home_page(readme)
    for part in readme.split("\n\n"):
        assert part.strip() in page
    assert page.index("Try it") < page.index("```python")


def test_a_readme_without_a_snippet_stops_the_build() -> None:
    with pytest.raises(SystemExit, match="no ```python block with a ```text block after it"):
        home_page("# A\n\nWords.\n\n```python\nprint()\n```\n")


def test_the_picture_is_the_whole_turn_and_what_came_of_it() -> None:
    drawn = picture()
    turn, output = (
        html.unescape(re.sub(r"<[^>]+>", "", part)) for part in re.split('class="replay-(?:turn|output)">', drawn)[1:]
    )
    assert turn.startswith("".join(load_streams()[0].tokens))
    assert 'get_weather{"location": "Paris", "unit": "celsius"}' in output
    rules = style()
    for name in set(re.findall(r'class="[^"]*?\b(p\d+-\d+-\d+|e\d+)"', drawn)):
        assert f"@keyframes {name} " in rules
    assert rules.count("prefers-reduced-motion: no-preference") == 1


# -- what is changed in the built pages --------------------------------------------------------------------------------

BUILT = (
    '<head></head><header><div class="md-header__source"></div></header>'
    '<nav class="md-nav" data-md-level="1" aria-labelledby="__nav_3_label" aria-expanded="true">'
    '<label class="md-nav__title" for="__nav_3">API</label></nav><table><th align="left"></th><th>a</th></table>'
)


def test_the_built_pages_are_finished(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "playground").mkdir()
    for name in ("index.html", "404.html", "api/x.html"):
        (tmp_path / name).write_text(BUILT, encoding="utf-8")
    (tmp_path / "playground" / "index.html").write_text("not the theme's", encoding="utf-8")
    finish(tmp_path, "/docs/")
    found = {name: (tmp_path / name).read_text(encoding="utf-8") for name in ("index.html", "404.html", "api/x.html")}
    assert 'href="./playground/index.html">Playground</a>' in found["index.html"]
    assert 'href="/docs/playground/index.html"' in found["404.html"]
    assert 'href="../playground/index.html"' in found["api/x.html"]
    assert [name for name, text in found.items() if "style/home.css" in text] == ["index.html"]
    assert all(text.partition("</head>")[0].count("search.json") == 1 for text in found.values())
    assert 'aria-labelledby="__nav_3_title"' in found["api/x.html"]
    assert '<label class="md-nav__title" id="__nav_3_title" for="__nav_3">' in found["api/x.html"]
    assert '<td align="left"></td><th>a</th>' in found["api/x.html"]


def test_a_theme_that_is_not_known_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<header></header>", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"the header is not as docs/finish_site\.py expects it"):
        finish(tmp_path, "/")


# -- the reference -----------------------------------------------------------------------------------------------------


def test_the_reference_has_every_name_once() -> None:
    pages = api_pages()
    assert pages.keys() == {"index.md", *(f"{face}.md" for face in FACES)}
    described = [line for text in pages.values() for line in text.splitlines() if line.startswith(":::")]
    assert len(described) == len(set(described))
    for each in public_names():
        assert f"::: {each.home}.{each.name}" in described
        assert each.name in pages[f"{each.module}.md"]
