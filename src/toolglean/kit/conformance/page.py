# The tables of tables.py as one HTML file, or as Markdown for a site. Does not depend on what is in them.
#
# The HTML loads nothing and runs nothing: there is no script, and its policy admits only its own style sheet.
# Everything that comes from a results file is escaped, and characters that would change how text is shown (controls,
# bidirectional overrides, lone surrogates) are written as escapes.
"""A page of results."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from toolglean._version import __version__
from toolglean.kit.conformance.cases import shipped
from toolglean.kit.conformance.judge import NEUTRAL
from toolglean.kit.conformance.reading import call_text
from toolglean.kit.conformance.results import Results, cut, visible
from toolglean.kit.conformance.tables import Group, Table, groups_of, tables_of, wrong_ids

__all__ = ["TITLE", "as_html", "as_markdown"]

TITLE: Final = "Conformance results"
"""The heading of a page that has no other."""
SHOWN: Final = 3000
"""Characters of a turn, and of an answer, that the page shows."""

_IN_MARKDOWN = re.compile(r"[\\`*_{}\[\]|~]")


def as_html(results: Sequence[Results], *, title: str = TITLE) -> str:
    """One HTML file with all results.

    Args:
        results: see `read_results` and `results_of`.
        title: its heading.

    Raises:
        UsageError: there are no results.
    """
    groups = groups_of(results)
    style = shipped("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_safe(title)}</title>\n<style>{style}</style>\n</head>\n<body>",
        f"<header><h1>{_safe(title)}</h1></header>\n<main>",
        *(line for number, group in enumerate(groups) for line in _html_group(group, number)),
        "</main>",
        f"<footer><p>Made by toolglean {_safe(__version__)} from {len(results)} results.</p></footer>",
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def as_markdown(results: Sequence[Results], *, link: Callable[[str], str] | None = None) -> str:
    """The same tables in Markdown, with headings from the second level on. The answers themselves are left out.

    Args:
        results: see `read_results` and `results_of`.
        link: gives the address of a case by its id; None: cases are not links.

    Raises:
        UsageError: there are no results.
    """
    groups = groups_of(results)
    alone = len(groups) == 1
    return "\n\n".join(block for group in groups for block in _markdown_group(group, link, alone=alone)) + "\n"


# -- HTML --------------------------------------------------------------------------------------------------------------


def _html_group(group: Group, number: int) -> Iterator[str]:
    yield f"<h2>Cases: {_safe(group.name)}</h2>"
    places = {name: f"case-{number}-{place}" for place, name in enumerate(wrong_ids(group), 1)}
    for place, table in enumerate(tables_of(group), 1):
        yield from _html_table(table, places, f"table-{number}-{place}", group.name)
    if places:
        yield "<h3>The answers</h3>"
    for name, target in places.items():
        yield from _html_case(group, name, target)


def _html_table(table: Table, places: dict[str, str], place: str, name: str) -> Iterator[str]:
    yield f'<h3 id="{place}">{_safe(table.title)}</h3>'
    yield from (f"<p>{_safe(note)}</p>" for note in table.notes)
    label = _safe(f"{table.title}: {name}")
    yield f'<div class="scroll" role="region" aria-label="{label} ({place})" tabindex="0"><table>'
    yield f"<caption>{_safe(table.title)}</caption>"
    yield "<thead><tr>" + "".join(f'<th scope="col">{_safe(each)}</th>' for each in table.head) + "</tr></thead><tbody>"
    for first, *others in table.rows:
        heading = f'<a href="#{places[first]}">{_safe(first)}</a>' if table.of_cases else _safe(first)
        cells = [f'<th scope="row">{heading}</th>', *(f"<td>{_safe(each)}</td>" for each in others)]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _html_case(group: Group, name: str, place: str) -> Iterator[str]:
    rows = [(column.label, column.by_id[name]) for column in group.columns if name in column.by_id]
    wrong = [(label, row) for label, row in rows if row["verdict"] not in NEUTRAL]
    first = wrong[0][1]
    yield f'<section aria-labelledby="{place}"><h4 id="{place}">{_safe(name)}</h4>'
    source = f"<p>{_safe(first['source'])}.</p>" if first.get("source") else ""
    disputed = f"<p>Disputed, and not scored: {_safe(first['disputed'])}</p>" if first.get("disputed") else ""
    yield source + disputed + "<dl>"
    yield f"<dt>The turn</dt><dd><pre>{_safe(cut(first.get('text', ''), SHOWN))}</pre></dd>"
    expected = [first["expected"]] if "expected" in first else []
    for each in [*expected, *({"calls": calls} for calls in first.get("also_right", ()))]:
        yield f"<dt>Expected</dt><dd><pre>{_safe(_answer(each))}</pre></dd>"
    for label, row in wrong:
        yield f"<dt>{_safe(label)}: {_safe(row['verdict'])}</dt><dd>"
        for each in row.get("findings", ()):
            shown = f"{each['verdict']} ({each['tier']}): {cut(each['detail'], SHOWN)} ({', '.join(each['ways'])})"
            yield f"<p>{_safe(shown)}</p>"
        yield f"<pre>{_safe(_answer(row['got']) if row.get('got') else 'no answer')}</pre></dd>"
    yield "</dl></section>"


def _answer(found: dict[str, Any]) -> str:
    lines = [f"call: {call_text(each)}" for each in found["calls"]] or ["no calls"]
    lines += [f"{name}: {_json(found[name])}" for name in ("content", "reasoning") if found.get(name)]
    lines += [f"unfinished: {_json(each)}" for each in found.get("unfinished", ())]
    return cut("\n".join(lines), SHOWN)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _safe(text: str) -> str:
    return html.escape(visible(text))


# -- Markdown ----------------------------------------------------------------------------------------------------------


def _markdown_group(group: Group, link: Callable[[str], str] | None, *, alone: bool) -> Iterator[str]:
    if not alone:
        yield f"## Cases: {_plain(group.name)}"
    for table in tables_of(group):
        yield f"{'##' if alone else '###'} {_plain(table.title)}"
        yield from map(_plain, table.notes)
        lines = [[*map(_plain, table.head)], ["---"] * len(table.head)]
        for first, *others in table.rows:
            heading = f"[{_plain(first)}]({link(first)})" if table.of_cases and link is not None else _plain(first)
            lines.append([heading, *map(_plain, others)])
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    # As entities: what a backslash escapes differs between readers of Markdown.
    return _IN_MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", _safe(" ".join(text.split())))
