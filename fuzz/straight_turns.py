# Turns with calls as a format declares them, some of them broken. Does not depend on how they are read, or on what is
# proven of them (straight.py).
#
# The renderer writes the calls, so a new format needs nothing here. Then a turn is broken where straight ways part from
# others: in the JSON, in names and ids, at markers, in white space, in the order of what is written.
"""Turns for the law of the straight way."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from fuzz.laws import ODD_NAMES
from fuzz.mutation import mutant
from fuzz.turns import all_markers, fixture_turns, rendered_turns
from toolglean import ToolSet, UsageError
from toolglean.formats.registry import all_formats
from toolglean.formats.render import render
from toolglean.formats.spec import Format

__all__ = ["turn"]

MOST = 4_000  # characters
NAMES = ("f",) * 6 + ("get_weather",) * 4 + ("g",) * 4 + ("a.b", "h")
KEYS = ("city", "days", "code", "units", "exact", "x", "colour", "a b", "")
TEXTS = (
    "Oslo", "", "one\ntwo\n", 'a "b"', "a < b && c > d", "</tool_call>", "<tool_call>", "é 函数 😀", "\\", "\\n", "`a`",
    "```\nx\n```", "null", "3", "true", " x ", "{}", '{"name": "f", "arguments": {}}', "[1, 2]", "f(x=1)", "</think>",
    "<|im_end|>", "</parameter>", "</arg_value>", "\t", "\u2028", "it's", "a, b: c", "x" * 300, "line\n" * 60, "'", "}",
    "y" * 2_500,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (0, 1, -5, 3.5, 1e300, -0.0, 10**30, 12345678901234567890, True, False, None, 1e-7)
PLAIN = ("", "", "", "I will look.\n", "So:\n\n", "a < b\n", "\n", " ", "1. one\n", "Hm, <b>\n")
BEFORE = (*PLAIN * 3, "`f` is good.\n", "{", '["', "`", "- ")
BETWEEN = (
    "", "", "", "", "\n", "\n\n", " ", " and ", "\nThen:\n", "`", "\n```\n", "<think>no</think>", "\u00a0", "}", ",",
    "]",
)  # fmt: skip
BEHIND = (
    "",
    "",
    "",
    "\n",
    " ",
    "\n\n",
    "Done.",
    "\nDone.\n",
    "<|im_end|>",
    "</s>",
    "<|im_end|>\n<|im_start|>user\n",
    "}",
)

# -- as it is declared -------------------------------------------------------------------------------------------------


def turn(rng: random.Random, declared: Format, tools: ToolSet) -> str:
    """A turn with calls, as that format writes them; some of the time, broken in one way or in several."""
    parts = [rng.choice(BEFORE)] if rng.random() < 0.8 else [_reasoning(rng, declared)]
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        parts += calls(rng, declared, tools), rng.choice(BETWEEN)
    parts[-1] = rng.choice(BEHIND)
    text = "".join(parts)
    for _ in range(rng.choice((0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3))):
        text = rng.choice(_WAYS)(rng, text, declared)[:MOST]
    return text


def calls(rng: random.Random, declared: Format, tools: ToolSet) -> str:
    """One to four calls, as the format writes them; rarely many."""
    count = rng.choice((1, 1, 1, 1, 2, 2, 3, 4)) if rng.random() < 0.98 else 20
    for simple in (False, False, True, True):
        with suppress(UsageError):
            made = [(rng.choice(NAMES), _arguments(rng, simple=simple)) for _ in range(count)]
            content, reasoning = rng.choice((("", ""),) * 6 + (("Well.\n", ""), ("", "Hm."), ("So:", "Hm.\nYes.")))
            return render(declared, made, content=content, reasoning=reasoning, tools=tools)
    return rng.choice((*rendered_turns(declared), *fixture_turns().get(declared.name, ()), "f"))


def _arguments(rng: random.Random, *, simple: bool) -> dict[str, Any]:
    keys = rng.sample(KEYS[:6] if simple or rng.random() < 0.9 else KEYS, rng.choice((0, 1, 1, 2, 3)))
    if simple:
        return {key: rng.choice(("Oslo", "x y", "a")) for key in keys if key in {"city", "code"}}
    return {key: _fitting(rng, key) if rng.random() < 0.6 else _value(rng, 0) for key in keys}


def _fitting(rng: random.Random, key: str) -> Any:
    if key in {"city", "code"}:
        return rng.choice(TEXTS)
    found: dict[str, Any] = {"days": rng.choice((0, 3, -1, 10**20)), "exact": rng.random() < 0.5, "units": ["a", 1]}
    return found[key] if key in found else {"y": [_value(rng, 2)], "z": rng.choice(TEXTS)}


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if kind < 0.4 or depth > 3:
        return rng.choice(TEXTS)
    if kind < 0.65:
        return rng.choice(NUMBERS)
    if kind < 0.82:
        return [_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(("a", "b", "name", "arguments", "")): _value(rng, depth + 1) for _ in range(rng.randrange(3))}


def _reasoning(rng: random.Random, declared: Format) -> str:
    opener, closer = rng.choice(declared.all_reasonings or (("<think>", "</think>"),))
    inner = rng.choice(("Hm.", "", "\n", "Hm.\n\nYes `f`.", rng.choice(rendered_turns(declared) or ("f",))))
    return opener + rng.choice(("", "\n")) + inner + rng.choice((closer, closer, closer + "\n\n", closer + "\n", ""))


# -- broken ------------------------------------------------------------------------------------------------------------

_Way = Callable[[random.Random, str, Format], str]
WRITTEN = (
    "NaN", "-Infinity", "1e999", "-1e999", "1E+5", "-0", "01", "+1", "1.", ".5", "1e", "0x1f", "tru", "nul", "None",
    "True", "9" * 400, "1" * 5000, '"\\ud83d"', '"\\ud83d\\ude00"',
    '"\\udE00x"', '"\ud83d"', '"\\u12"', '"\\x"', '"a\nb"', '"\t"',
    '"\x00"', '"\\/"', "'a'", '"a', "[" * 300 + "]" * 300, '{"a": 1, "a": 2}', '{"a":1,}', "[1,]", "[,]", "{,}",
    '{"a"}', "{1: 2}", '{"a": }', "", "/* c */ 1", '"""a"""', "{{}}", '"{\\"a\\": 1}"',
)  # fmt: skip
SPACES = (" ", "\n", "\t", "\r\n", "  \n ", "\u00a0", "\u2003", " " * 300, "\x0b", "\ufeff")
PUNCTUATION = '{}[],:"()=<>|/'
BRACKETS = ("", *list(PUNCTUATION), "}}", "]}", '"', "'", "`", "\\")
ODD = (
    "functions.f", "h", "F", " f", "f ", "", "get_weathe", "tools/f", "default_api.f", "f\n", 'f"', "f:0", "f:1",
    "a.b.c", "{f}", "your_tool", "name", "get weather", "functions_f_0", "函数", "f" * 300,
)  # fmt: skip
_value_in_json = re.compile(r'(?<=[:\[,])\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)')
_name = re.compile(r"\b(?:get_weather|a\.b|f|g|h)\b")
_pair = re.compile(r'"\w*":\s*(?:"(?:[^"\\]|\\.)*"|[\w.-]+|\{[^{}]*\}),?\s*')


def _spot(rng: random.Random, text: str, chars: str = PUNCTUATION) -> int:
    found = [place for place, char in enumerate(text) if char in chars]
    return rng.choice(found) + rng.randint(0, 1) if found else rng.randint(0, len(text))


def _instead(rng: random.Random, text: str, found: Sequence[re.Match[str]], made: str) -> str:
    if not found:
        return text
    begin, end = rng.choice(found).span()
    return text[:begin] + made + text[end:]


def _other_value(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    return _instead(rng, text, list(_value_in_json.finditer(text)), rng.choice(WRITTEN))


def _other_name(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    return _instead(rng, text, list(_name.finditer(text)), rng.choice((*ODD, *ODD, *ODD_NAMES)))


def _space(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    place = _spot(rng, text)
    return text[:place] + rng.choice(SPACES) + text[place:]


def _no_space(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    return _instead(rng, text, list(re.finditer(r"\s+", text)), rng.choice(("", "", " ", "\n")))


def _bracket(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    place, made = _spot(rng, text), rng.choice(BRACKETS)
    return text[:place] + made + text[place + rng.randint(0, 1) :]


def _twice(rng: random.Random, text: str, declared: Format) -> str:
    # A key and its value, or a call with its id.
    del declared
    found = list(_pair.finditer(text))
    return _instead(rng, text, found, 2 * rng.choice(found)[0]) if found else text + text


def _respelt(rng: random.Random, text: str, declared: Format) -> str:
    # A JSON value, in another spelling, another order of its keys, or with a key more.
    del declared
    places = [place for place, char in enumerate(text) if char in "{["]
    for place in rng.sample(places, min(3, len(places))):
        with suppress(ValueError, RecursionError):
            value, end = json.JSONDecoder().raw_decode(text, place)
            if isinstance(value, dict) and value:
                value = _other_object(rng, value)
            spelling = rng.choice(
                ({}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"indent": 0})
            )
            return text[:place] + json.dumps(value, **spelling) + text[end:]
    return text


def _other_object(rng: random.Random, value: dict[str, Any]) -> dict[str, Any]:
    items = list(value.items())
    if rng.random() < 0.5:
        rng.shuffle(items)
    if rng.random() < 0.5:
        more = ("id", rng.choice(("x1", "x1", "", 7, None))), ("type", "function"), ("index", 0), ("note", {"a": 1})
        items.insert(rng.randint(0, len(items)), rng.choice((*more, ("arguments", {}), ("name", "g"))))
    if rng.random() < 0.2:
        items = [
            (rng.choice(("parameters", "args", "input")) if key == "arguments" else key, each) for key, each in items
        ]
    if rng.random() < 0.2:
        items = [(key, json.dumps(each) if isinstance(each, dict) else each) for key, each in items]
    return dict(items)


@lru_cache(maxsize=256)
def _markers(declared: Format) -> tuple[str, ...]:
    return tuple(sorted((each for each in declared.markers if len(each) > 1), key=len, reverse=True)) or ("{",)


def _marker(rng: random.Random, text: str, declared: Format) -> str:
    # A marker is missing, comes twice, is another one, has white space around it, or comes somewhere else.
    present = [each for each in _markers(declared) if each in text]
    if not present or rng.random() < 0.2:
        place = _spot(rng, text)
        marker = rng.choice(_markers(declared) if rng.random() < 0.6 else all_markers())
        return text[:place] + marker[: rng.choice((len(marker), rng.randint(0, len(marker))))] + text[place:]
    one = rng.choice(present)
    found = [each.start() for each in re.finditer(re.escape(one), text)]
    place = rng.choice(found)
    other = rng.choice((*_markers(declared), *all_markers()))
    made = rng.choice(("", "", one + one, f" {one}", f"{one} ", f"\n{one}", f"{one}\n", other, one[:-1], one.upper()))
    return text[:place] + made + text[place + len(one) :]


def _cut(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    return text[: rng.randint(0, len(text))]


def _quoted(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    before, after = rng.choice(
        (
            *(
                ("`", "`"),
                ("```\n", "\n```"),
                ("```json\n", "\n```\n"),
                ("> ", ""),
                ("<!-- ", " -->"),
                ("<pre>", "</pre>"),
            ),
            *(('"', '"'), ("```\n", ""), ("<think>", ""), ("<think>", "</think>"), ("say `", "` now")),
        )
    )
    place = rng.choice((0, 0, rng.randint(0, len(text))))
    return text[:place] + before + text[place:] + after


def _other_format(rng: random.Random, text: str, declared: Format) -> str:
    del declared
    other = rng.choice(rendered_turns(rng.choice(all_formats())) or ("",))
    place = rng.choice((0, len(text), rng.randint(0, len(text))))
    return text[:place] + rng.choice(("", "\n")) + other + rng.choice(("", "\n")) + text[place:]


def _mutated(rng: random.Random, text: str, declared: Format) -> str:
    return mutant(rng, (text, *rendered_turns(declared)[:3]), _markers(declared))


_WAYS: tuple[_Way, ...] = (
    *(
        _other_value,
        _other_value,
        _other_name,
        _space,
        _space,
        _no_space,
        _bracket,
        _bracket,
        _twice,
        _respelt,
        _respelt,
    ),
    *(_marker, _marker, _cut, _quoted, _other_format, _mutated),
)
