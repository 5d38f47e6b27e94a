# What this file knows: of what the home page is made: the words and the first snippet of README.md, and the picture of
# a replay that moves, which is drawn from a turn that ships with toolglean.
# What it must not know: how the turn was read (the recording says it), or how the rest of the site looks.
#
# The picture is text and CSS: each part of the turn has an animation that gives it the colours of the player, step by
# step, and each piece of the output one that shows it. Without animations (prefers-reduced-motion), all of it is there.
"""The home page of the site."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.replay import record
from toolglean.kit.replay.page import page_data

ROOT = Path(__file__).parents[1]

STEP, END = 0.22, 5.0
"""Seconds of a step, and those for which the picture stays as it is at the end."""

PAGE = """\
---
hide:
  - navigation
  - toc
---

<div class="home" markdown>

<div class="home-words" markdown>

{sentence}

[Try it](docs/playground/index.html){{ .md-button .md-button--primary }}
[Start](docs/tutorial/first-parser.md){{ .md-button }}
{{ .home-buttons }}

</div>

{picture}

</div>

<div class="home-first" markdown>

{words}

{snippet}

</div>

{rest}
"""

PICTURE = """\
<figure class="replay">
<input type="checkbox" id="replay-pause" class="replay-pause"><label for="replay-pause">Pause</label>
<div class="replay-panes" role="img" aria-label="{label}">
<div class="replay-pane"><p class="replay-title">The model writes</p><pre class="replay-turn">{turn}</pre></div>
<div class="replay-pane"><p class="replay-title">Your program gets</p><div class="replay-output">{output}</div></div>
</div>
</figure>
"""

LABEL = "A replay: your program gets what the model writes at once, and a call once it is certain."

FIRST = re.compile(r"^```python\n.*?^```\n\n```text\n.*?^```\n", re.MULTILINE | re.DOTALL)


def home_page(readme: str) -> str:
    """The home page, in Markdown, with links as from the README.

    Raises:
        SystemExit: the README has no snippet with what it prints.
    """
    snippet = FIRST.search(readme)
    if snippet is None:
        raise SystemExit(
            "README.md: no ```python block with a ```text block after it: the home page shows the first one"
        )
    title, sentence, *words = readme[: snippet.start()].strip().split("\n\n")
    return PAGE.format(
        sentence=f"{title}\n\n{sentence}",
        words="\n\n".join(words),
        picture=picture(),
        snippet=snippet[0],
        rest=readme[snippet.end() :],
    )


def picture() -> str:
    """The replay of the first shipped turn, as HTML; its style is that of `style`."""
    data = _data()
    turn = "".join(
        f'<span class="{_class(*history)}">{html.escape("".join(part[0] for part in parts), quote=False)}</span>'
        for history, parts in groupby(data["parts"], key=lambda part: tuple(part[1:4]))
    )
    return PICTURE.format(label=LABEL, turn=turn, output="".join(_output(data)))


def style() -> str:
    """The style of the picture's animations."""
    data = _data()
    seconds = data["steps"] * STEP + END
    rules = [
        "/* Made by docs/make_home.py from a recorded turn. */",
        "@media (prefers-reduced-motion: no-preference) {",
    ]
    rules.append(f".replay-panes span {{ animation: {seconds:.2f}s step-end infinite; }}")
    for kind, fed, given in sorted({(part[1], part[2], part[3]) for part in data["parts"]}):
        name = _class(kind, fed, given).split()[1]
        stops = {0.0: "future", _at(fed, seconds): "held", _at(given, seconds): data["kinds"][kind]}
        frames = " ".join(f"{at:.2f}% {{ {_colours(look)} }}" for at, look in stops.items())
        rules.append(f".replay-panes .{name} {{ animation-name: {name}; }} @keyframes {name} {{ {frames} }}")
    for step in sorted({event[0] for event in data["events"]}):
        frames = f"0% {{ opacity: 0; }} {_at(step, seconds):.2f}% {{ opacity: 1; }}"
        rules.append(f".replay-panes .e{step} {{ animation-name: e{step}; }} @keyframes e{step} {{ {frames} }}")
    return "\n".join([*rules, "}", ""])


def _data() -> dict[str, Any]:
    stream = load_streams()[0]
    return page_data(record(stream.tokens, load_tools()))


def _at(step: int, seconds: float) -> float:
    return step * STEP / seconds * 100


def _class(kind: int, fed: int, given: int) -> str:
    return f"k{kind} p{kind}-{fed}-{given}"


def _colours(look: str) -> str:
    # Colour is not the only sign: each kind has its own line, too.
    names = {"color": look, "background": f"{look}-back", "text-decoration": f"{look}-line"}
    return " ".join(f"{name}: var(--replay-{value});" for name, value in names.items())


def _output(data: dict[str, Any]) -> Iterator[str]:
    # Text, then the call: name, arguments as they arrive, and that it is whole. The turn has one call.
    texts = [(step, rest[0]) for step, name, *rest in data["events"] if name == "content"]
    yield f'<p><span class="badge e{texts[0][0]}">content</span> {"".join(_shown(*each) for each in texts)}</p>'
    for step, name, *rest in data["events"]:
        if name == "call_start":
            yield f'<p><span class="badge e{step}">call</span> {_shown(step, rest[1], "name")}</p><p class="arguments">'
        elif name == "call_delta":
            yield _shown(step, rest[1], "given")
        elif name == "call_end":
            yield f'</p><p><span class="ready e{step}">✓ ready to run</span></p>'


def _shown(step: int, text: str, kind: str = "") -> str:
    return f'<span class="{f"{kind} " if kind else ""}e{step}">{html.escape(text, quote=False)}</span>'
