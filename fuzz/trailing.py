# Invariant: turns that end with JSON after other text obey the laws of laws.py, and this one: the option changes
# nothing but that. With it, a turn has the events that it has without it, or these up to a bracket, and after it calls
# that are written there and nothing else. If text follows, there are no such calls.
#
# A case is made of lines: prose, code, quotations, lists, other JSON, declared calls, reasoning; then JSON that mostly
# is a call, whole or cut, with or without something around it; then some of the text is mutated.
"""`python -m fuzz.trailing [--count N] [--seed N]`: turns that end with JSON, and what breaks on them."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from typing import Any

from fuzz.laws import Breach, Subject, broken
from fuzz.mutants import Found, smaller
from fuzz.runner import Fuzzer
from fuzz.turns import rendered_turns
from fuzz.undeclared import of_lines
from toolglean import CallEnd, Content, Event, Problem, join
from toolglean.engine.reasons import TRAILING_JSON
from toolglean.formats.registry import get_format

__all__ = ["FUZZER", "case"]

NAMES = ("f", "g", "get_weather", "get_weather", "other", "functions.f", "Get_weather")
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"city": "Oslo"}, {"days": 3}, {"city": "a } b", "days": 2}, {"code": "x = `1`\n", "exact": True}, {"city": "<b>"},
    {"units": ["a", {"b": 1}]}, {"days": "many"}, {"colour": "red"}, {}, {"code": "<tool_call>"}, {"x": {"y": {}}},
)  # fmt: skip
LINES = (
    "I will look.", "", "Then:", "- one", "1. two", "| a | b |", "Note: this", "```py", "```", "`<x>`", "a ` b", "~~~",
    "> quoted", "<!-- f -->", "<pre>", "</pre>", "<think>", "</think>", "<|im_end|>", "<|im_start|>user", "{", '"a": [',
    "[1]", '{"a": 1}', "return ", "x = ", "**Call:** ", "好的。", "As in [a, b].", "(e.g. ", "  ", "Done! ", "key: ",
    '"',
)  # fmt: skip
FORMATS = ("auto", "hermes", "qwen3-coder", "mistral", "harmony", "llama3-json", "pythonic", "kimi-k2")


def case(name: str, seed: int) -> tuple[Subject, str]:
    """The case of that number."""
    rng = random.Random(f"trailing {name} {seed}")
    if rng.random() < 0.4:
        tools = rng.choice(("typed", "typed", "numbers"))
        text = (
            rng.choice(("I will look.", "好的。", "Note: this", "A\n\n", "`<x>`. ")) + rng.choice("\n\n ") + _calls(rng)
        )
        return Subject(name, tools, rng.random() < 0.5, trailing=True), text
    subject, text = of_lines(rng, name, _line, _calls, (1, 1, 1, 2))
    return replace(subject, trailing=True), text


def _line(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.7:
        return rng.choice(LINES)
    if kind < 0.8:
        return rng.choice(list(rendered_turns(get_format(rng.choice(FORMATS[1:])))))
    return _calls(rng)


def _calls(rng: random.Random) -> str:
    found = [_call(rng) for _ in range(rng.choice((1, 1, 1, 2)))]
    one = json.dumps(found[0], indent=rng.choice((None, None, 2)))
    text = rng.choice(
        (one, one, one, json.dumps(found), json.dumps({"tool_calls": found}), one + "\n" + json.dumps(found[-1]))
    )
    text = rng.choice(("",) * 9 + ("Sure. ", "Look: ", "the ", "{", "[", "`")) + text
    text += rng.choice(("",) * 9 + ("\n", "}", "`", ".", "<|im_end|>", ","))
    return text[: rng.randrange(len(text))] if rng.random() < 0.05 else text


def _call(rng: random.Random) -> dict[str, Any]:
    name, arguments = rng.choice(NAMES), rng.choice(ARGUMENTS)
    return rng.choice(
        (
            {"name": name, "arguments": arguments},
            {"name": name, "arguments": arguments},
            {"type": "tool_use", "id": "c1", "name": name, "input": arguments},
            {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}},
            {"arguments": arguments, "name": name},
            {"name": name},
            {"name": name, "arguments": arguments, "status": "ok"},
        )
    )


def _events(subject: Subject, text: str) -> list[Event]:
    parser = subject.parser()
    return join(parser.feed(text) + parser.finish())


def _changes_more(subject: Subject, text: str) -> Breach | None:
    """Whether the option changes anything but JSON at the end."""
    with_it, without = _events(subject, text), _events(replace(subject, trailing=False), text)
    if with_it == without:
        return None
    said = [each for each in with_it if isinstance(each, Problem) and each.reason == TRAILING_JSON.text]
    calls = [each for each in with_it if isinstance(each, CallEnd)]
    if len(said) != 1 or not calls or any(isinstance(each, CallEnd) for each in without):
        return Breach("only the end", "no such call", (text,), f"{with_it} instead of {without}")
    content = _content(without)
    place = said[0].start
    kept = "".join(each.text for each in with_it if isinstance(each, Content))
    if text[place] not in "{[" or not content.startswith(kept) or content[len(kept) :].strip() != said[0].text:
        return Breach("only the end", "content", (text,), f"{with_it} instead of {without}")
    after = [each for each in _events(subject, f"{text} and so on") if isinstance(each, CallEnd)]
    return Breach("only at the end", "calls", (text,), str(after)) if after else None


def _content(events: list[Event]) -> str:
    return "".join(each.text for each in events if isinstance(each, Content))


def look(name: str, seed: int) -> Found | str:
    """Read the case of that number with that format."""
    subject, text = case(name, seed)
    breach = broken(subject, text, seed=seed) or _changes_more(subject, text)
    if breach is not None:
        return Found(subject, text, breach, seed)
    return "call" if _events(subject, text) != _events(replace(subject, trailing=False), text) else "read"


FUZZER = Fuzzer("trailing", "Turns that end with JSON after other text.", "turns", lambda: list(FORMATS), look, smaller)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
