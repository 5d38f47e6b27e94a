# Invariant: turns with calls in undeclared spellings obey the laws of laws.py, as all turns do.
#
# A case is made of lines: frames of many kinds around a tool's name and arguments that mostly fit, some of them broken,
# next to prose, code, HTML, lists, reasoning and declared calls; then some of the text is mutated. Whether a frame is
# read rightly is not asked here: tests/scan and tests/engine know the truth.
"""`python -m fuzz.undeclared [--count N] [--seed N]`: turns with undeclared spellings, and what breaks on them."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from typing import Any

from fuzz.laws import Subject, broken
from fuzz.mutants import Found, smaller
from fuzz.mutation import mutant
from fuzz.runner import Fuzzer
from fuzz.turns import all_markers, rendered_turns
from toolglean.formats.registry import all_formats, get_format

__all__ = ["FRAMES", "FUZZER", "WORDS", "bodies", "case", "of_lines"]

NAMES = ("f", "g", "get_weather", "other", "functions.f", "get_weathe", "Get_weather")
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"city": "Oslo"},
    {"days": 3},
    {"city": "a </city> b", "days": 2},
    {"code": "x = 1\ny: 2\n", "exact": True},
    {"units": ["a", 1]},
    {"days": "many"},
    {"colour": "red"},
    {},
)
FRAMES = (
    "<{w}>{b}</{w}>", "<{w}>\n{b}\n</{w}>", "<|{w}|>{b}<|/{w}|>", "<|{w}_begin|>\n{b}\n<|{w}_end|>", "[{w}]{b}[/{w}]",
    "⟦{w}⟧{b}⟦/{w}⟧", "@@{w}@@\n{b}\n@@end@@", "```{w}\n{b}\n```", "CALL: {b}", "call -> {b}", "=> {b}", "({w} {b})",
    "<{w} {b}/>", "<all>\n<{w}>{b}</{w}>\n<{w}>{b}</{w}>\n</all>", "{b}", "- {b}", "> <{w}>{b}</{w}>",
    "CALL {b} END", "(call {b})", "tool://{b}\n", "call({b});", "🔧 {b} 🔧", "🔧 {b}\n🔚", "调用：{b}\n结束",
    "tools.{b}",
)  # fmt: skip
WORDS = ("call", "act", "nova:do", "tool", "use_tool", "tool_call", "invoke", "div", "b")
LINES = (
    "I will look.", "", "# Title", "- one", "1. two", "| a | b |", "Tool: get_weather is one.", "Note: this", "```py",
    "```", "`<x>`", "<p>text</p>", '<div class="f">', "> quoted", "<!-- f -->", "<think>", "</think>", "<|im_end|>",
    "<|im_start|>user", "get_weather", "f(1)", "{", '"a": [', "~~~", "<pre>", "</pre>", "Call", "A", "Use f", "=", "--",
)  # fmt: skip
FORMATS = ("auto", "hermes", "qwen3-coder", "mistral", "harmony", "granite-pythonic", "kimi-k2")


def case(name: str, seed: int) -> tuple[Subject, str]:
    """The case of that number."""
    return of_lines(random.Random(f"undeclared {name} {seed}"), name, _line, _frame, (1, 1, 1, 2, 3))


def of_lines(
    rng: random.Random,
    name: str,
    line: Callable[[random.Random], str],
    last: Callable[[random.Random], str],
    most: tuple[int, ...],
) -> tuple[Subject, str]:
    """A text of lines, then so many last ones, sometimes a mutant of it; and what reads it."""
    lines = [line(rng) for _ in range(rng.choice((0, 1, 1, 2, 4, 9)))]
    lines += [last(rng) for _ in range(rng.choice(most))]
    if rng.random() < 0.2:
        lines.append(line(rng))
    text = rng.choice(("\n", "\n", "\n\n", " ")).join(lines)
    if rng.random() < 0.4:
        text = mutant(rng, (text,), all_markers())
    if rng.random() < 0.05:
        text = "\n".join([text] * rng.randint(5, 60))
    limits = (("held", rng.choice((1, 9, 60, 300, 900))),) if rng.random() < 0.25 else ()
    name = name if rng.random() < 0.8 else rng.choice(all_formats()).name
    tools = rng.choice(("typed", "typed", "typed", "numbers", "many"))
    quoted = "call" if rng.random() < 0.1 else ""
    return Subject(name, tools, rng.random() < 0.3, limits, quoted=quoted, repair=rng.random() < 0.8), text


def _line(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.7:
        return rng.choice(LINES)
    if kind < 0.85:
        return rng.choice(list(rendered_turns(get_format(rng.choice(FORMATS[1:])))))
    return _frame(rng)


def _frame(rng: random.Random) -> str:
    frame, word = rng.choice(FRAMES), rng.choice(WORDS)
    return frame.replace("{w}", word).replace("{b}", _body(rng))


def _body(rng: random.Random) -> str:
    name, arguments = rng.choice(NAMES), rng.choice(ARGUMENTS)
    return rng.choice(bodies(name, arguments))


def bodies(name: str, arguments: dict[str, Any]) -> tuple[str, ...]:
    """What is in the frames: a tool's name and its arguments, in many ways."""
    text = json.dumps(arguments)
    pairs = [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in arguments.items()]
    return (
        f"{name} {text}",
        f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})",
        f"{name}\n" + "\n".join(f"{key}: {value}" for key, value in pairs),
        f"<name>{name}</name>\n" + "".join(f"<{key}>{value}</{key}>\n" for key, value in pairs),
        f'name="{name}" ' + " ".join(f'{key}="{value}"' for key, value in pairs),
        json.dumps({"fn": name, "with": arguments}),
        f"{name} " + " ".join(f"--{key} {value!r}" for key, value in pairs),
        f"tool: {name}\nargs: {text}",
        f"{name}?" + "&".join(f"{key}={value}" for key, value in pairs),
        f"{name} " + " ".join(f":{key} {json.dumps(value)}" for key, value in arguments.items()),
        f"{name} " + " ".join(f"{key}={value}" for key, value in pairs),
    )


def look(name: str, seed: int) -> Found | str:
    """Read the case of that number with that format."""
    subject, text = case(name, seed)
    breach = broken(subject, text, seed=seed)
    return "read" if breach is None else Found(subject, text, breach, seed)


FUZZER = Fuzzer(
    "undeclared", "Turns with calls in undeclared spellings.", "turns", lambda: list(FORMATS), look, smaller
)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
