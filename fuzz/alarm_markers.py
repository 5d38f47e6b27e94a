# Texts about the markers of declared formats, which contain no call. Does not depend on how they are read.
"""Prose, code and documents about markers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from toolglean import ToolSet, UsageError, render
from toolglean.formats.spec import Format

__all__ = ["MARKERS", "TOOLS", "markers_of", "sentence"]

ROOT = Path(__file__).parents[1]
NAMES = ("get_weather", "shell", "search", "read_file", "json", "python", "f")
WORDS = (
    *("the model", "a parser", "the server", "each turn", "your client", "this marker", "the template", "an engine"),
    *(
        "writes",
        "reads",
        "closes",
        "skips",
        "opens",
        "shows",
        "keeps",
        "returns",
        "then",
        "and",
        "or",
        "never",
        "always",
    ),
    *(
        "get_weather",
        "shell",
        "search",
        "arguments",
        "name",
        "a call",
        "the reasoning",
        "twice",
        "in its answer",
        "first",
    ),
)
TOOLS = tuple(
    {
        "name": name,
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "x": {}}, "required": ["city"]},
    }
    for name in NAMES
)
"""What a call of these texts would be of, with a schema that fits it."""
_tools = ToolSet(NAMES)
PAGES = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md")
EXAMPLE = re.compile(r"^for example\n.*?^which is read as$", re.MULTILINE | re.DOTALL)
"""In the page of formats, a turn written out plainly."""


def sentence(rng: random.Random) -> str:
    """A sentence of words about formats."""
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 12)))
    return words[0].upper() + words[1:] + rng.choice((".", ".", ":", ", as said.", "?", "!"))


def markers_of(declared: Format) -> list[str]:
    """The markers of a format that are not mere punctuation."""
    return [each for each in declared.markers if len(each) > 2 and any(map(str.isalnum, each))]


def _call(rng: random.Random, declared: Format) -> str:
    name = rng.choice(NAMES)
    try:
        return render(declared, [(name, {"city": "Oslo", "x": rng.choice([1, "a b", None])})], tools=_tools).strip()
    except UsageError:
        return f'{{"name": "{name}", "arguments": {{}}}}'


def _mention(rng: random.Random, declared: Format) -> str:
    marker = rng.choice(markers_of(declared) or ["<tool_call>"])
    return rng.choice(
        ("Write {0} first, and then the name.", "{0} opens a call.", "What is {0} for?", "See {0}")
    ).format(marker)


def _pair(rng: random.Random, declared: Format) -> str:
    markers = markers_of(declared) or ["<tool_call>"]
    frame = rng.choice(("{0} and {1} stand around it.", "From {0} to {1}.", "{0}…{1}", "{0} ... {1}", "({0}, {1})"))
    return frame.format(rng.choice(markers), rng.choice(markers))


def _inline(rng: random.Random, declared: Format) -> str:
    text = _call(rng, declared) if rng.random() < 0.6 else rng.choice(markers_of(declared) or ["<tool_call>"])
    tick = "``" if "`" in text else "`"
    return f"It writes {tick}{text}{tick} for that." if "```" not in text else "It writes a fence."


def _fenced(rng: random.Random, declared: Format) -> str:
    word = rng.choice(("", "xml", "json", "text", "python", "html", "tool_call"))
    fence = "````" if "```" in (call := _call(rng, declared)) else "```"
    return f"For example:\n\n{fence}{word}\n{call}\n{fence}\n"


def _code(rng: random.Random, declared: Format) -> str:
    marker = rng.choice(markers_of(declared) or ["<tool_call>"])
    lines = (
        f'OPENER = "{marker}"',
        f"if text.startswith({marker!r}):\n    return parse(text)",
        f"assert {marker!r} in output",
        f"// the lexer stops at {marker}",
        f"pattern = re.compile(r'{re.escape(marker)}(.*?)')",
    )
    return "The code:\n```python\n" + "\n".join(rng.sample(lines, rng.randint(1, 4))) + "\n```\n"


def _plain_code(rng: random.Random, declared: Format) -> str:
    del declared
    return rng.choice(
        (
            'result = {"name": "get_weather", "city": "Oslo"}',
            "print(get_weather(city='Oslo'))",
            "def shell(command):\n    return run([command])",
            'const x = [{"name": "a", "value": 1}];',
            "SELECT name, arguments FROM calls WHERE name = 'shell';",
            "for f in search(q): f(x=1)",
        )
    )


def _template(rng: random.Random, declared: Format) -> str:
    # What a document writes for a call: names and values left open.
    name = rng.choice(("NAME", "...", "<name>", "{name}"))
    text = re.sub(r"get_weather|shell|search|read_file|python|json|\bf\b", name, _call(rng, declared))
    return rng.choice(("The form is {0} for all.", "{0}", "- {0}\n- and so on")).format(text.replace("Oslo", "..."))


def _table(rng: random.Random, declared: Format) -> str:
    markers = markers_of(declared) or ["<tool_call>"]
    rows = "\n".join(f"| {declared.name} | `{rng.choice(markers)}` | {rng.choice(markers)} |" for _ in range(3))
    return f"| family | opener | closer |\n|---|---|---|\n{rows}\n"


def _page(rng: random.Random, declared: Format) -> str:
    del declared
    return rng.choice(_pages())


_read: list[str] = []


def _pages() -> list[str]:
    # Paragraphs of the project's own documents, with the fences that are in them.
    if not _read:
        for pattern in PAGES:
            for path in sorted(ROOT.glob(pattern)):
                text = EXAMPLE.sub("", path.read_text(encoding="utf-8"))
                _read.extend(each for each in re.split(r"\n(?=#)", text) if each.strip())
    return _read


MARKERS: dict[str, Callable[[random.Random, Format], str]] = {
    "a marker in prose": _mention,
    "two markers in prose": _pair,
    "inline code": _inline,
    "a fence behind text": _fenced,
    "code about markers": _code,
    "other code": _plain_code,
    "a form with names left open": _template,
    "a table": _table,
    "our own documents": _page,
}
"""How to make a text of each kind."""
