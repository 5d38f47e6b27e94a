# Texts that are made to look like calls, and contain none: documents composed of parts (alarm_hard_pages.py) that show
# whole calls in every way in which calls are quoted. Does not depend on how they are read.
"""Hard texts: each is about a tool that is given, and calls nothing."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable
from functools import partial

from fuzz.alarm_hard_pages import BARE, HARD, WHOLE
from fuzz.alarm_places import AFTER, LEADS, sentence
from fuzz.alarm_spellings import slots, spelled
from fuzz.alarm_tools import About
from toolglean import ToolSet, UsageError, render
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format

__all__ = ["BARE", "HARD_KINDS", "MOST_HARD", "hard"]

MIXED = "several of these"
HARD_KINDS = (*HARD, *WHOLE, MIXED)
"""The kinds of hard texts."""
SLOT = re.compile("«([a-z ]+)»")
WORDS_AFTER_A_FENCE = ("", "", "xml", "json", "text", "python", "html", "console")
MOST_PARTS = 4
MOST_HARD = 0.05
"""In so many of these texts, at most, may calls be found: one in twenty."""


def hard(rng: random.Random, kind: str, on: About, declared: Format) -> str:
    """A text of that kind about that tool.

    Args:
        rng: where chance comes from.
        kind: one of HARD_KINDS.
        on: the tool, and valid arguments.
        declared: the format in which calls are shown.
    """
    fill = partial(_filled, rng, on=on, declared=declared)
    if kind in WHOLE:
        before = rng.choice(("", "", "", rng.choice(LEADS) + "\n\n"))
        after = rng.choice(("", "", "", "\n" + rng.choice(AFTER)))
        return before + fill(rng.choice(WHOLE[kind])) + after
    kinds = list(HARD) if kind == MIXED else [kind]
    parts = [fill(rng.choice(HARD[rng.choice(kinds)])) for _ in range(rng.randint(1, MOST_PARTS))]
    before = rng.choice(("", sentence(rng, on) + "\n\n", f"# {on.name}\n\n", rng.choice(LEADS) + "\n\n"))
    after = rng.choice(("", "", "\n" + rng.choice(AFTER)))
    return before + "\n".join(parts) + after


def _filled(rng: random.Random, template: str, on: About, declared: Format) -> str:
    values = slots(on)

    def fill(slot: re.Match[str]) -> str:
        name = slot[1]
        if name in values:
            return values[name]
        if name == "s":
            return sentence(rng, on)
        other = name.removeprefix("other ")
        return SHOWN[other](rng, on, rng.choice(all_formats()) if other != name else declared)

    return SLOT.sub(fill, template)


# -- calls that are shown ----------------------------------------------------------------------------------------------


def _call(_: random.Random, on: About, declared: Format) -> str:
    try:
        return render(declared, [(on.name, on.given)], tools=ToolSet(on.tools)).strip()
    except UsageError:
        return json.dumps({"name": on.name, "arguments": on.given}, ensure_ascii=False)


def _on_one_line(rng: random.Random, on: About, declared: Format) -> str:
    # The call in an answer's line, as far as it can be: the line breaks of its markup are left out.
    return " ".join(line.strip() for line in _call(rng, on, declared).split("\n"))


def _fenced(rng: random.Random, on: About, declared: Format) -> str:
    call = _call(rng, on, declared)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", call)), default=0))
    return f"{fence}{rng.choice(WORDS_AFTER_A_FENCE)}\n{call}\n{fence}"


def _inline(rng: random.Random, on: About, declared: Format) -> str:
    call = _on_one_line(rng, on, declared)
    ticks = "`" * (1 + max(map(len, re.findall("`+", call)), default=0))
    blank = " " if call.startswith("`") or call.endswith("`") else ""
    return f"{ticks}{blank}{call}{blank}{ticks}"


def _in_words(rng: random.Random, on: About, declared: Format) -> str:
    # In the middle of a sentence. A call that has no marker of its own is code there, as anybody would write it.
    call = _on_one_line(rng, on, declared)
    return call if call.startswith(("<", "[TOOL")) and "`" not in call else _inline(rng, on, declared)


def _quoted(rng: random.Random, on: About, declared: Format) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _call(rng, on, declared).split("\n"))


def _form(rng: random.Random, on: About, declared: Format) -> str:
    call = _on_one_line(rng, on, declared).replace(on.name, "NAME")
    return _inline(rng, on, declared) if "NAME" not in call else call


SHOWN: dict[str, Callable[[random.Random, About, Format], str]] = {
    "call": _call,
    "one line": _on_one_line,
    "fenced": _fenced,
    "inline": _inline,
    "in words": _in_words,
    "quoted call": _quoted,
    "escaped": lambda rng, on, declared: html.escape(_on_one_line(rng, on, declared)),
    "string": lambda rng, on, declared: json.dumps(_call(rng, on, declared), ensure_ascii=False),
    "form": _form,
    "family": lambda _, __, declared: declared.name,
    "spelled": lambda rng, on, _: spelled(rng, on),
    "spelled line": lambda rng, on, _: spelled(rng, on, one_line=True),
}
"""What fills the slots that show a call."""
