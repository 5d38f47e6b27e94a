# Spellings of calls that nobody has declared, made at random: a frame, a way to write arguments, marks, and values.
# Does not depend on how they are read.
#
# Values are left out that no reader can tell from the spelling itself: quotes around all of a value, white space at its
# ends, and what looks like a pair or a closing tag of this very spelling on a line of its own.
"""Calls in spellings of their own."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Callable
from typing import Any

from toolglean.tools import Tool

__all__ = ["TOOLS", "Call", "spelled_turn"]

Call = tuple[str, dict[str, Any]]
Tags = tuple[str, str]

_STRING, _INTEGER, _NUMBER, _BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))


def _tool(name: str, required: list[str], **properties: Any) -> Tool:
    return Tool(name, {"type": "object", "properties": properties, "required": required})


TOOLS = [
    _tool("get_weather", ["city"], city=_STRING, days=_INTEGER, note=_STRING, tags={"type": "array", "items": _STRING}, exact=_BOOLEAN),
    _tool("send_mail", ["to", "body"], to=_STRING, body=_STRING, urgent=_BOOLEAN),
    _tool("read", ["path"], path=_STRING, limit=_NUMBER),
]  # fmt: skip
_KEYS = {key for tool in TOOLS for key in tool.properties} | {tool.name for tool in TOOLS}

BRACKETS: tuple[Tags, ...] = (
    ("<", ">"), ("[", "]"), ("<|", "|>"), ("<<", ">>"), ("[[", "]]"), ("{{", "}}"), ("{%", "%}"), ("⟦", "⟧"), ("【", "】"),
    ("«", "»"), ("‹", "›"), ("⟨", "⟩"), ("『", "』"), ("(", ")"), ("{", "}"), ("<[", "]>"), ("<@", "@>"), ("⦃", "⦄"),
)  # fmt: skip
RUNS: tuple[Tags, ...] = tuple((each, each) for each in ("@@", "%%", "==", "::", "§", "##", "!!", "---", "==="))
FRAMES = (
    "name", "word", "attribute", "colon", "body", "label in body", "element in body", "object", "fence", "named fence",
    "label", "name as label", "parentheses", "attributes",
)  # fmt: skip
CLOSED = ("json", "js", "python", "keywords")
PAYLOADS = (
    *CLOSED, "json in element", "elements", "elements in element", "param name", "param eq", "param word", "key and value",
    "colon", "equals", "arrow", "dash", "options", "colon in args", "semicolons", "pipes", "bars", "quoted options",
)  # fmt: skip
PLAIN = (
    "Paris", "New York", "São Paulo", "a b c", "https://x.org/a?b=1", "3 apples", "C3PO", "it's fine", "ok - really", "50%",
)  # fmt: skip
TRICKY = (
    "<b>bold</b>", "a < b && c > d", "</city>", "x </call> y", "[/call]", 'say "hi"', '{"a": 1}', "key: value", "a=b",
    "a; b", "a | b", "1, 2", "line1\nline2", "line1\n\nline3", "<note>x</note>", "[link](http://x)", "`code`", "# head",
    "- item", "<|end|>", "5 > 3", "**b**", "@@x@@", "§", "see </arg> there", "<city>Rome</city>", "end", "```", "-3",
    "x]]y", "}}", "/etc/a.txt", "None", "true", "f(x) -> {y}",
)  # fmt: skip


class Style:
    """How all tags of one kind are written."""

    def __init__(self, rng: random.Random, tags: Tags) -> None:
        self.left, self.right = tags
        self.space = " " if tags[0] in {"{%", "---", "===", "==", "##"} or rng.random() < 0.15 else ""
        self.closer = rng.choice(("/", "/", "/", "end word", "end_word", "end", "word_end"))
        self.end = rng.choice(("end", "END", "close", "stop"))

    def tag(self, inner: str) -> str:
        """A tag of those words."""
        return f"{self.left}{self.space}{inner}{self.space}{self.right}"

    def around(self, word: str, text: str, rest: str = "") -> str:
        """The text in tags: the opening one is the word and the rest."""
        opener = self.tag(word + rest)
        closer = {"end word": f"{self.end} {word}", "end_word": f"{self.end}_{word}", "end": self.end}.get(self.closer)
        if self.closer == "word_end":
            closer = f"{word}_{self.end}"
            if not rest and word not in _KEYS:
                opener, closer = self.tag(f"{word}_start"), f"{word}_end"
        return opener + text + self.tag(closer or f"/{word}")


def spelled_turn(seed: int, tricky: float = 0.0) -> tuple[str, list[Call], str]:
    """A turn of one to three calls in one spelling: the text, the calls, and what the spelling is.

    Args:
        seed: which one.
        tricky: how many of the strings contain markup, from 0 to 1.
    """
    rng = random.Random(seed)
    spelling = Spelling(rng)
    calls = [_call(rng, tricky) for _ in range(rng.choice((1, 1, 2, 3)))]
    between = rng.choice(("\n", "\n\n", "\n" if spelling.needs_lines else ""))
    text = between.join(spelling.call(*each) for each in calls)
    if rng.random() < 0.3:
        text = Style(rng, rng.choice(BRACKETS)).around(rng.choice(("calls", "tool_calls")), f"\n{text}\n")
    return text, calls, f"{spelling.frame}, {spelling.payload}"


def _call(rng: random.Random, tricky: float) -> Call:
    tool = rng.choice(TOOLS)
    keys = [key for key in tool.properties if key in tool.parameters["required"] or rng.random() < 0.5]
    return tool.name, {key: _value(rng, tool.properties[key], tricky) for key in keys}


def _value(rng: random.Random, schema: dict[str, Any], tricky: float) -> Any:
    made: dict[str, Callable[[], Any]] = {
        "string": lambda: rng.choice(TRICKY if rng.random() < tricky else PLAIN),
        "integer": lambda: rng.randrange(-3, 99),
        "number": lambda: rng.choice((1, 2.5, -0.5)),
        "boolean": lambda: rng.random() < 0.5,
        "array": lambda: [rng.choice(PLAIN) for _ in range(rng.randrange(1, 3))],
    }
    return made[schema["type"]]()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


class Spelling:
    """One spelling of calls."""

    def __init__(self, rng: random.Random) -> None:
        self.frame = rng.choice(FRAMES)
        closed = self.frame in {"label", "name as label", "parentheses"}
        self.payload = rng.choice(CLOSED if closed else PAYLOADS)
        self.word = rng.choice(("call", "tool", "use", "invoke", "do_tool", "act"))
        outer = rng.choice(BRACKETS if self.frame == "attributes" else BRACKETS + RUNS)
        self.outer = Style(rng, outer)
        self.inner = Style(rng, outer if rng.random() < 0.6 else rng.choice(BRACKETS + RUNS))
        self.wrap = Style(rng, (self.inner.left, self.inner.right))
        self.param = rng.choice(("arg", "param", "p"))
        self.line = rng.choice(("\n", ""))
        self.sign = rng.choice((" ", "\n"))
        runs = {self.outer.left, self.inner.left} & {left for left, _ in RUNS}
        self.needs_lines = closed or "fence" in self.frame or bool(runs)

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The text of a call."""
        payload = self._payload(arguments)
        if "\n" not in (self.line, payload[-1:]) and self.frame == "body" and payload[0] not in "{(<[⟨«‹⟦【『⦃@%=:§#!-":
            payload = f"\n{payload}"
        before = "" if payload.startswith("\n") else self.line
        body = before + payload + ("" if payload.endswith("\n") else self.line)
        match self.frame:
            case "name":
                return self.outer.around(name, body)
            case "word":
                return self.outer.around(self.word, body, f" {name}")
            case "attribute":
                return self.outer.around(self.word, body, f' name="{name}"')
            case "colon":
                return self.outer.around(self.word, body, f":{name}")
            case "body":
                return self.outer.around(self.word, f"{self.line}{name}{body}")
            case "label in body":
                end = "" if payload.endswith("\n") else "\n"
                return self.outer.around(self.word, f"\ntool: {name}\n{payload.lstrip(chr(10))}{end}")
            case "element in body":
                return self.outer.around(self.word, self.line + self.wrap.around("name", name) + body)
            case "object":
                whole = json.dumps({"tool": name, "args": arguments}, ensure_ascii=False)
                return self.outer.around(self.word, self.line + whole + self.line)
            case _:
                return self._other_frame(name, payload.strip("\n"), arguments)

    def _other_frame(self, name: str, payload: str, arguments: dict[str, Any]) -> str:
        match self.frame:
            case "fence":
                return f"```{self.word}\n{name}\n{payload}\n```"
            case "named fence":
                return f"~~~{name}\n{payload}\n~~~"
            case "label":
                return f"{self.word}: {name}{self.sign}{payload}"
            case "name as label":
                return f"@{name}{payload if self.payload == 'keywords' else ' ' + payload}"
            case "parentheses":
                return f"({self.word} {name} {payload})"
            case _:
                pairs = " ".join(f'{key}="{_escaped(_text(value))}"' for key, value in arguments.items())
                return f'{self.outer.left}{self.word} tool="{name}" {pairs}/{self.outer.right}'

    def _payload(self, arguments: dict[str, Any]) -> str:
        whole = json.dumps(arguments, ensure_ascii=False)
        match self.payload:
            case "json":
                return whole
            case "json in element":
                return self.wrap.around("args", self.line + whole + self.line)
            case "js":
                pairs = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
                return "{" + ", ".join(pairs) + "}"
            case "python":
                return repr(arguments)
            case "keywords":
                return "(" + ", ".join(f"{key}={value!r}" for key, value in arguments.items()) + ")"
            case "elements in element":
                return self.wrap.around("args", self.line + self._elements(arguments) + self.line)
            case _:
                pairs_of = {key: _text(value) for key, value in arguments.items()}
                return self._pairs(pairs_of) if self.payload in _PAIRS else self._elements(arguments)

    def _elements(self, arguments: dict[str, Any]) -> str:
        made: list[str] = []
        for key, value in arguments.items():
            text = _text(value)
            match self.payload:
                case "param name":
                    made.append(self.inner.around(self.param, text, f' name="{key}"'))
                case "param eq":
                    made.append(self.inner.around(self.param, text, f"={key}"))
                case "param word":
                    made.append(self.inner.around(self.param, text, f" {key}"))
                case "key and value":
                    made.append(self.wrap.around("k", key) + self.inner.around("v", text))
                case _:
                    made.append(self.inner.around(key, self.line + text + self.line))
        return self.line.join(made)

    def _pairs(self, pairs: dict[str, str]) -> str:
        if self.payload == "bars":
            return "|" + "|".join(f"{key}|{value}" for key, value in pairs.items()) + "|"
        if self.payload == "quoted options":
            return " ".join(f"--{key} {shlex.quote(value)}" for key, value in pairs.items())
        form, between = _PAIRS[self.payload]
        text = between.join(form.format(key, value) for key, value in pairs.items())
        return text if between != "\n" else f"\n{'args:' + chr(10) if 'args' in self.payload else ''}{text}\n"


_PAIRS = {
    "colon": ("{}: {}", "\n"), "equals": ("{} = {}", "\n"), "arrow": ("{} => {}", "\n"), "dash": ("- {}: {}", "\n"),
    "options": ("--{} {}", "\n"), "colon in args": ("  {}: {}", "\n"), "semicolons": ("{}={}", "; "),
    "pipes": ("{}={}", " | "), "bars": ("", ""), "quoted options": ("", ""),
}  # fmt: skip
