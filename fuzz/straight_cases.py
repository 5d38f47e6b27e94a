# Who reads a turn of the law of the straight way, and how it is cut. Does not depend on what is in the turn
# (straight_turns.py), or on what is proven (straight.py).
"""Readers with all options, and scripts with all cuttings."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from fuzz.laws import TOOLS
from fuzz.straight_formats import made_format
from fuzz.turns import all_markers
from tests.support.own_formats import own_format
from tests.support.shared import FIXTURES, rows
from tests.support.straight import ADD, CLOSE, COPY, CUT, END, FORK, INSIDE, LOOK, OFF, PICKLE, STRAY, scripted
from toolglean import Format, Limits, Parser, ParserOptions, ToolSet
from toolglean.formats.registry import all_formats, find_format
from toolglean.formats.spec import Format as Declared

__all__ = ["NAMED", "RESPONSE", "Reader", "declared_of", "reader", "script", "tools_of"]

NAMED = "names:"
RESPONSE = "response:"
TEMPLATE = "template:"
MOST = 1_000_000  # characters of a chunk
DOINGS = (FORK, COPY, PICKLE, STRAY, LOOK, INSIDE, OFF, ADD, END, CLOSE)


def _schemas(name: str) -> dict[str, Any]:
    # What a schema may say besides a type.
    kinds: dict[str, Any] = {
        "city": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "days": {"$ref": "#/$defs/n"},
        "code": {},
        "units": {"type": "array", "items": {"type": "string"}},
        "exact": {"enum": [True, False, "maybe"]},
        "x": {"type": "object", "additionalProperties": {"type": "integer"}},
    }
    rules = {"required": ["city"], "additionalProperties": False, "$defs": {"n": {"type": ["integer", "number"]}}}
    return {"name": name, "parameters": {"type": "object", "properties": kinds, **rules}}


TOOLSETS: dict[str, Any] = {
    **TOOLS,
    "schemas": tuple(map(_schemas, ("f", "g", "get_weather", "a.b"))),
    "no parameters": ({"name": "f"}, {"name": "g", "parameters": {"type": "object", "properties": {}}}, "get_weather"),
}
WEIGHTED = ("typed",) * 9 + ("schemas",) * 6 + ("many", "many", "none", "numbers", "no parameters") + tuple(TOOLSETS)


@lru_cache(maxsize=64)
def tools_of(key: str) -> ToolSet | None:
    """The tools of that key: `FILE#NUMBER` for a row of fixtures/, `names:NAME,NAME` for names; else as in TOOLSETS."""
    if key.startswith(NAMED):
        return ToolSet(key[len(NAMED) :].split(","))
    file, _, number = key.partition("#")
    if number:
        return ToolSet(_rows(file)[int(number)]["tools"] or ())
    found = TOOLSETS[key]
    return None if found is None else ToolSet(found)


@lru_cache(maxsize=8)
def _rows(file: str) -> list[dict[str, Any]]:
    return rows(FIXTURES / file)


@dataclass(frozen=True)
class Reader:
    """What reads a turn.

    Attributes:
        format: the name of a format, of the library or of tests/support/own_formats.py; `auto`; a tag, a template or a
            response template, by `tag:`, `template:` and `response:`.
        others: formats that are read beside it.
        tools: what the model may call: see `tools_of`.
        options: options of the parser, by name.
        limits: limits, by name.
        start, prompt: as for `Parser`.
    """

    format: str
    others: tuple[str, ...] = ()
    tools: str = "typed"
    options: tuple[tuple[str, Any], ...] = ()
    limits: tuple[tuple[str, int], ...] = ()
    start: str = ""
    prompt: str = ""

    def parser(self, kind: type[Parser] = Parser) -> Parser:
        """A new parser of that class."""
        given: Any = declared_of(self.format) or self.format
        if self.others:
            given = [given, *(declared_of(each) or each for each in self.others)]
        options = ParserOptions(**dict(self.options), limits=Limits(**dict(self.limits)))
        more: dict[str, Any] = {"prompt": self.prompt} if self.prompt else {"start": self.start or None}
        return kind(tools_of(self.tools), format=given, options=options, **more)


@lru_cache(maxsize=256)
def declared_of(name: str) -> Declared | None:
    """The format that is meant; None for `auto`."""
    kind, _, what = name.partition(":")
    if kind == "made":
        return made_format(int(what))
    if kind == "tag":
        return Format.from_tag(what)
    if kind == "template":
        return Format.from_template((FIXTURES / "templates" / what).read_text(encoding="utf-8"))
    if kind == "response":
        found = json.loads((FIXTURES / "response_templates.json").read_text(encoding="utf-8"))
        return Format.from_response_template(found[int(what)]["template"])
    return own_format(name) or find_format(name)


# -- who reads ---------------------------------------------------------------------------------------------------------


def reader(rng: random.Random, name: str, text: str, tools: str = "") -> tuple[Reader, str]:
    """What reads that turn, and the part of it that comes after the prompt.

    Args:
        rng: the source of chance.
        name: the name of the format that must read it, or `auto`.
        text: the turn.
        tools: the tools with which it is read; "" for any.
    """
    options = _options(rng)
    limits = _limits(rng) if rng.random() < 0.12 else ()
    others: tuple[str, ...] = ()
    if name.startswith(RESPONSE):  # it is read alone
        pass
    elif name != "auto" and rng.random() < 0.08:
        others = tuple(each.name for each in rng.sample(all_formats(), rng.choice((1, 1, 2, 5))))
        if rng.random() < 0.3:
            name, others = others[0], (name, *others[1:])
    elif name != "auto" and rng.random() < 0.05:
        declared = declared_of(name)
        name = f"tag:{rng.choice((declared.markers if declared else ()) or all_markers())}"
    made = Reader(name, others, tools or rng.choice(WEIGHTED), options, limits)
    place = rng.randint(0, len(text))
    if rng.random() < 0.08:
        header = rng.choice(
            ("x", "<|im_start|>assistant\n", "<|im_end|>\n<|im_start|>assistant\n<think>\n", "Say f.\n")
        )
        return Reader(name, others, made.tools, options, limits, prompt=header + text[:place]), text[place:]
    declared = declared_of(name)
    if rng.random() < 0.08 and (name == "auto" or (declared is not None and declared.all_reasonings)):
        return Reader(name, others, made.tools, options, limits, start="reasoning"), text
    return made, text


def _options(rng: random.Random) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {"markup": rng.random() < 0.5}
    more: dict[str, tuple[Any, ...]] = {
        "strict": (True,), "repair": (False,), "unknown_tools": ("content",), "calls_in_reasoning": ("call", "text"),
        "quoted": ("call",), "undeclared": ("text",), "trailing_json": ("call",), "coerce": (False,),
        "id_prefix": ("", "c-", "call_"),
    }  # fmt: skip
    for option, values in more.items():
        if rng.random() < (0.35 if option == "strict" else 0.12):
            found[option] = rng.choice(values)
    return tuple(found.items())


def _limits(rng: random.Random) -> tuple[tuple[str, int], ...]:
    # Small ones, under which no call is followed, and ones that a call on the straight way may just reach.
    small = {"call_chars": 300, "depth": 6, "calls": 3, "held": 120}
    near = {"call_chars": (1024, 1100, 2048, 2600), "depth": (64, 80, 81), "calls": (1, 2, 3), "held": (1024, 2048)}
    chosen = rng.sample(sorted(small), rng.choice((1, 1, 2, 4)))
    if rng.random() < 0.4:
        return tuple((each, rng.randint(1, small[each])) for each in chosen)
    return tuple((each, max(1, rng.choice(near[each]) + rng.choice((-1, 0, 0, 1)))) for each in chosen)


# -- how it is cut -----------------------------------------------------------------------------------------------------

_words = re.compile(r"\w{1,6}|\s+|[^\w\s]{1,3}")


def script(rng: random.Random, text: str) -> str:
    """That turn, cut in some way, with something done at some of the cuts."""
    found = scripted(rng.choice(_CUTTINGS)(rng, text))
    if rng.random() < 0.1:
        found += CUT + rng.choice(DOINGS)
    places = [place for place, char in enumerate(found) if char == CUT]
    kind = rng.random()
    if kind < 0.45 or not places:
        return found
    if kind < 0.5 and len(places) < 200:  # the same at every cut
        return found.replace(CUT, rng.choice((INSIDE, OFF, LOOK, ADD, END, STRAY)))
    signs = list(found)
    for place in rng.choices(places, k=rng.choice((1, 1, 2, 4))):
        signs[place] = rng.choice(DOINGS)
    return "".join(signs)


def _every(rng: random.Random, text: str, size: int) -> list[str]:
    del rng
    return [text[place : place + size] for place in range(0, len(text), size)]


def _some(rng: random.Random, text: str) -> list[str]:
    cuts = sorted(rng.choices(range(len(text) + 1), k=rng.choice((1, 1, 2, 3, 8, 20))))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _up_to(rng: random.Random, text: str) -> list[str]:
    most, found, place = rng.choice((3, 6, 12, 40)), [], 0
    while place < len(text):
        size = rng.randint(0, most)
        found.append(text[place : place + size])
        place += size
    return found


def _tokens(rng: random.Random, text: str) -> list[str]:
    del rng
    return _words.findall(text)


_CUTTINGS: tuple[Callable[[random.Random, str], list[str]], ...] = (
    *(partial(_every, size=size) for size in (MOST, 1, 2, 4)), _tokens, _some, _up_to,
)  # fmt: skip
