# The project's own files, cut after something that looks like a call, with a tool that is made to fit it: the hardest
# case of a text that is not a call. Does not depend on how it is read.
"""Programs, pages and configuration that end with what a tool was made for."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["ending"]

ROOT = Path(__file__).parents[1]
PROGRAMS = (
    "src/toolglean/[a-eg-z]*/**/*.py",
    "src/toolglean/*.py",
    "examples/**/*.py",
    "pyproject.toml",
)
PAGES = (
    "docs/how-to/*.md",
    "docs/explanation/*.md",
    "docs/tutorial/*.md",
    "docs/coming-from/*.md",
    "CONTRIBUTING.md",
    "README.md",
)
"""Neither the declarations of formats nor the page about them, which contain whole calls."""
KEY = r"[A-Za-z_][\w-]*"
LIKE_CALLS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"(?P<name>{KEY})\((?P<pairs>(?:{KEY} ?= ?[^()=]+)+)\)",
        rf"<(?P<name>{KEY})(?P<pairs>(?: {KEY}=\"[^\"]*\")+) ?/?>",
        rf"^\[(?:\w+\.)*(?P<name>{KEY})\]\n(?P<pairs>(?:{KEY} = .*\n)+)",
        rf"^ *(?P<name>{KEY}):\n(?P<pairs>(?: +{KEY}: .*\n)+)",
        rf"(?P<name>{KEY}) (?P<pairs>(?:--{KEY} [\w.\"']+ ?)+)",
        rf"(?P<name>{KEY}) (?P<pairs>(?:{KEY}=[\w.\"']+ ?)+)",
        rf"(?P<name>{KEY}) ?\{{(?P<pairs>(?:[\"']?{KEY}[\"']?: ?[^{{}}:]+)+)\}}",
        rf"\"(?P<name>{KEY})\": ?\{{(?P<pairs>(?:\"{KEY}\": ?[^{{}}:]+)+)\}}",
    )
)
PAIR = re.compile(rf"(?:--|[\"'])?({KEY})[\"']? ?(?:[:=]| (?=\w))")
MOST = 3_000
"""So many characters of a file are before the place where it is cut."""


@cache
def _texts() -> tuple[str, ...]:
    # Programs, and the sections of pages: a piece that begins inside a fence would be read inside out.
    programs, pages = (
        [path.read_text(encoding="utf-8") for path in sorted({path for each in globs for path in ROOT.glob(each)})]
        for globs in (PROGRAMS, PAGES)
    )
    return (*programs, *(part for page in pages for part in re.split(r"\n(?=## )", page)))


@cache
def _places() -> tuple[tuple[int, re.Match[str]], ...]:
    found = (
        (number, match) for number, text in enumerate(_texts()) for like in LIKE_CALLS for match in like.finditer(text)
    )
    return tuple((number, match) for number, match in found if _keys(match))


def _keys(match: re.Match[str]) -> list[str]:
    return list(dict.fromkeys(PAIR.findall(match["pairs"])))


def ending(rng: random.Random) -> tuple[str, tuple[dict[str, Any], ...]]:
    """A piece of a file that ends with the line of such a thing, and the tool that would fit it."""
    number, match = rng.choice(_places())
    text = _texts()[number]
    line_end = text.find("\n", match.end() - 1) if rng.random() < 0.5 else match.end()
    keys = _keys(match)
    schema = {"type": "object", "properties": {key: {} for key in keys}, "required": keys[: rng.randint(0, 1)]}
    before = max(0, match.start() - rng.randint(0, MOST))
    start = 0 if "\n```" in text else text.rfind("\n", 0, before) + 1
    return text[start : line_end if line_end >= match.end() else len(text)], (
        {"name": match["name"], "parameters": schema},
    )
