# What this file knows: what Zensical's theme has no setting for: a link to the playground in the header of every page,
# the style that only the home page needs, names that screen readers miss, and that the index of the search is fetched
# when somebody opens the search. The theme's own templates are not copied, so that it can be updated.
# What it must not know: what any page says.
"""Changes the pages that Zensical wrote."""

from __future__ import annotations

import os
import re
from pathlib import Path

HEADER = '<div class="md-header__source">'
"""Where the link goes: once in each page of the theme."""

UNNAMED = re.compile(
    r'(<nav class="md-nav" data-md-level="\d" aria-labelledby="(\w+))_label"(.*?<label class="md-nav__title")',
    re.DOTALL,
)
"""A section of the navigation. Its name is in the label within; the one that it refers to has only an icon."""

CORNER = re.compile(r"<th([^>]*)></th>")
"""The corner of a table whose rows have titles: with nothing in it, it is no title."""

SEARCH = """\
<script>
// The theme fetches the index of the search, more than a megabyte, with each page. Its request waits here until
// somebody opens the search, or comes from it: then the address has what is to be marked on the page (?h=).
(() => {
  const { open, send } = XMLHttpRequest.prototype;
  const waiting = [];
  let wanted = new URLSearchParams(location.search).has("h");
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.isIndex = new URL(url, location).pathname.endsWith("/search.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (wanted || !this.isIndex) send.apply(this, body);
    else waiting.push(this);
  };
  addEventListener("click", ({ target }) => {
    if (wanted || !target.closest(".md-search, [for=__search], [data-md-toggle=search]")) return;
    wanted = true;
    for (const each of waiting) send.call(each);
  }, true);
})();
</script>
"""
"""Goes before the theme's own scripts."""


def finish(site: Path, base: str) -> None:
    """Add all of it to every page.

    Args:
        site: the folder of the built site.
        base: the path below which it will be served. Only the page for errors needs it: it is served anywhere.

    Raises:
        SystemExit: a page has no header, or two: the theme is not the one that is known here.
    """
    for path in sorted(site.rglob("*.html")):
        if path.parent == site / "playground":
            continue
        text = path.read_text(encoding="utf-8")
        if text.count(HEADER) != 1:
            raise SystemExit(f"{path}: the header is not as docs/finish_site.py expects it")
        up = base if path.name == "404.html" else os.path.relpath(site, path.parent).replace(os.sep, "/") + "/"
        text = text.replace(HEADER, f'<a class="to-playground" href="{up}playground/index.html">Playground</a>{HEADER}')
        text = CORNER.sub(r"<td\1></td>", UNNAMED.sub(r'\1_title"\3 id="\2_title"', text))
        home = '<link rel="stylesheet" href="style/home.css">' if path == site / "index.html" else ""
        text = text.replace("</head>", f"{home}{SEARCH}</head>", 1)
        path.write_text(text, encoding="utf-8")
