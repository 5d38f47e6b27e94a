# The messages of the proof: one for each trait that may get lost, and random ones that mix the traits that do not. Does
# not depend on templates or formats.
"""Messages for the proof."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from toolglean.sources.templates.infer.probes import Call, Message, described

__all__ = ["CORE", "TOOLS", "checks", "samples"]

_PROPERTIES: dict[str, dict[str, Any]] = {
    "city": {"type": "string"},
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "exact": {"type": "boolean"},
    "note": {"type": "string", "nullable": True},
    "items": {"type": "array", "items": {"type": "string"}},
    "options": {
        "type": "object",
        "properties": {"depth": {"type": "integer"}, "name": {"type": "string"}, "more": {"type": "object"}},
        "additionalProperties": {"type": "string"},
    },
}


_KEYS = {
    "get_weather": ("city", "text"),
    "measure": ("count", "ratio", "exact", "note"),
    "send_note": ("items", "text", "options", "city"),
    "now": (),
}
TOOLS = tuple(described(name, {key: _PROPERTIES[key] for key in keys}) for name, keys in _KEYS.items())

WORDS = (
    "Paris",
    "red green",
    "Zoë",
    "李雷",
    "o'brien",
    "42",
    "a-b_c",
    "naïve 😀",
    "x = 1",
    "true story",
    "C:/dir",
    "50 %",
)
ODD = {
    "empty string": "",
    "text of several lines": "first\nsecond\n\n  fourth",
    "quotes": "say \"hi\" and 'ho'",
    "backslash": "C:\\dir\\new",
    "markup": "a <b>bold</b> & <br/> c",
    "escapes": "&amp; &lt; \\n \\u0041",
    "text like a number": "42",
    "text like a constant": "true",
    "white space at the edges": "  edge ",
    "line break at the edges": "\nedge\n",
    "brackets": "}} ]] ) } ] {[(",
    "look-alikes": '</tool_call> or <tool_call> [TOOL_CALLS] </parameter> ```json\n{"name": "now", "arguments": {}}```',
}
CORE = frozenset({"one call", "two arguments", "no arguments", "integer", "number", "list", "object"})
"""A format that does not pass these is not accepted."""


def checks() -> Iterator[Message]:
    """One message for each trait; the label names the trait."""
    paris = Call("get_weather", {"city": "Paris"})
    both = Call("get_weather", {"city": "Oslo", "text": "red green"})
    yield Message((paris,), label="one call")
    yield Message((both,), label="two arguments")
    yield Message((Call("now", {}),), label="no arguments")
    typed: dict[str, tuple[str, dict[str, Any]]] = {
        "integer": ("measure", {"count": -70411}),
        "number": ("measure", {"ratio": 0.125}),
        "boolean": ("measure", {"exact": True}),
        "null": ("measure", {"note": None}),
        "types together": ("measure", {"count": 3, "ratio": -2.5, "exact": False, "note": "42"}),
        "list": ("send_note", {"items": ["Zoë", "b"], "text": "x"}),
        "empty list": ("send_note", {"items": []}),
        "object": ("send_note", {"options": {"depth": 3, "name": "n"}}),
        "constants in an object": ("send_note", {"options": {"more": {"yes": True, "no": False, "none": None}}}),
        "nested": ("send_note", {"options": {"more": {"a": {"b": ["c", {"d": 1.5}]}}}}),
        "quotes in a list": ("send_note", {"items": ['say "hi"', "o'brien"]}),
    }
    yield from (Message((Call(name, arguments),), label=label) for label, (name, arguments) in typed.items())
    yield from (
        Message((Call("get_weather", {"city": text, "text": "x"}),), label=label) for label, text in ODD.items()
    )
    yield Message((paris, Call("get_weather", {"city": "Oslo"})), label="two calls of one tool")
    yield Message((both, Call("measure", {"count": 7})), label="two calls")
    yield Message((both, Call("now", {}), paris), label="three calls")
    yield Message((Call("now", {}), paris), label="no arguments before another call")
    edge = Call("get_weather", {"city": ODD["line break at the edges"]})
    yield Message((edge, paris), label="line break before another call")
    yield Message((), content="Hello there.", label="content")
    yield Message((both,), content="Let me look.", label="content and call")
    yield Message((), content="Hello there.", reasoning="I wonder.\nSo.", label="reasoning")
    yield Message((both,), reasoning="I wonder.\nSo.", label="reasoning and call")
    yield Message((both,), content="Let me look.", reasoning="I wonder.", label="reasoning, content and call")


def samples(count: int, seed: int, lost: frozenset[str]) -> Iterator[Message]:
    """Random messages, without the traits that are lost."""
    rng = random.Random(seed)  # noqa: S311  a proof must be repeatable
    for number in range(count):
        most = (
            1 if "two calls" in lost else 1 if "three calls" not in lost and rng.random() < 0.4 else rng.randint(1, 3)
        )
        if "three calls" in lost:
            most = min(most, 2)
        calls = tuple(_call(rng, lost) for _ in range(most))
        if "no arguments before another call" in lost and not all(each.arguments for each in calls[:-1]):
            calls = calls[:1]
        if "no arguments" in lost:
            calls = tuple(each for each in calls if each.arguments) or (Call("get_weather", {"city": "Paris"}),)
        content = "" if "content and call" in lost or rng.random() < 0.6 else rng.choice(WORDS)
        reasoning = "" if "reasoning and call" in lost or rng.random() < 0.6 else f"I think of {rng.choice(WORDS)}."
        if content and reasoning and "reasoning, content and call" in lost:
            reasoning = ""
        yield Message(calls, content, reasoning, label=f"random message {number}")


def _call(rng: random.Random, lost: frozenset[str]) -> Call:
    tool = rng.choice(TOOLS)
    keys = [key for key in tool.properties if rng.random() < 0.7]
    return Call(tool.name, {key: _value(rng, key, lost) for key in keys if _trait(key) not in lost})


def _trait(key: str) -> str:
    # The label of the check that shows whether a value of the parameter gets lost: the name of its type, nearly always.
    return {"note": "null", "items": "list"}.get(key) or str(_PROPERTIES[key]["type"])


def _value(rng: random.Random, key: str, lost: frozenset[str]) -> Any:
    kind = _PROPERTIES[key]["type"]
    if kind == "integer":
        return rng.randint(-(10**9), 10**9)
    if kind == "number":
        return rng.randint(-4000, 4000) / 8
    if kind == "boolean":
        return rng.random() < 0.5
    if key == "note" and rng.random() < 0.4:
        return None
    if kind == "array":
        return [_text(rng, lost | {"empty string"}) for _ in range(rng.randint(1 if "empty list" in lost else 0, 3))]
    if kind == "object":
        return {"depth": rng.randint(0, 99), "name": _text(rng, lost | _ODD_IN_CONTAINERS)}
    return _text(rng, lost)


_ODD_IN_CONTAINERS = frozenset(
    {"empty string", "text like a number", "text like a constant", "white space at the edges"}
)


def _text(rng: random.Random, lost: frozenset[str]) -> str:
    odd = [text for label, text in ODD.items() if label not in lost]
    if "line break before another call" in lost:
        odd = [text for text in odd if text != ODD["line break at the edges"]]
    words = [each for each in WORDS if not (each == "42" and "text like a number" in lost)]
    if "quotes" in lost or "quotes in a list" in lost:
        words, odd = [w for w in words if "'" not in w], [w for w in odd if "'" not in w and '"' not in w]
    return rng.choice(odd) if odd and rng.random() < 0.4 else rng.choice(words)
