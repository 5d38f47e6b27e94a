# Formats that no library declares, written by code so that the calls of every turn are known: what `Format.from_turns`
# must learn. Does not depend on how it learns.
#
# Each format is a function that writes one call; what is around the calls are its fields. TAUGHT are the turns to learn
# from, KEPT are turns of the same format that the learner does not see. The values contain markup, quotes, line breaks
# and the words of tools and parameters.
"""Invented formats, their turns and the calls in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["FORMATS", "KEPT", "TAUGHT", "TOOLS", "Arguments", "Invented", "Meant"]

Arguments = dict[str, Any]


def _tool(name: str, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}


STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
LIST = {"type": "array", "items": STRING}
OBJECT = {"type": "object"}

TOOLS = [
    _tool("get_weather", ["city"], city=STRING, days=INTEGER, metric=BOOLEAN),
    _tool("send_note", ["to", "body"], to=STRING, body=STRING, tags=LIST),
    _tool("set_level", ["level"], level=NUMBER, room=STRING),
    _tool("find_files", ["query"], query=STRING, options=OBJECT, limit=INTEGER),
]


@dataclass(frozen=True)
class Meant:
    """What a turn means: reasoning, content, and calls as pairs of name and arguments."""

    calls: tuple[tuple[str, Arguments], ...] = ()
    content: str = ""
    reasoning: str = ""


TAUGHT = (
    Meant((("get_weather", {"city": "Oslo", "days": 3, "metric": True}),), "Let me look at the weather."),
    Meant((("send_note", {"to": "Ana", "body": 'Use <b>bold</b> & "quotes", please.'}),), "", "A note is due."),
    Meant((("set_level", {"level": 0.5, "room": "kitchen"}), ("get_weather", {"city": "Lima [Peru]", "metric": False})), "Two things at once:"),
    Meant((("find_files", {"query": "a < b {x}", "options": {"deep": True, "ext": ["py", "md"]}, "limit": 10}),)),
    Meant(
        (
            ("send_note", {"to": "Bo", "body": "it's late; see city=Rome", "tags": ["x", "y z"]}),
            ("set_level", {"level": 7}),
            ("get_weather", {"city": "Bonn"}),
        ),
        "",
        "Three calls then.",
    ),
)  # fmt: skip

KEPT = (
    Meant((("get_weather", {"city": "Rio <de> Janeiro", "days": 12}),)),
    Meant((("set_level", {"room": "hall (north)", "level": 22}),), "Sure, I will do that now."),
    Meant(
        (
            ("find_files", {"query": "</div> or [x]", "limit": 1}),
            ("send_note", {"body": "get_weather says: rain", "to": "Mia"}),
        ),
        "I search first.",
        "The user wants two things.",
    ),
    Meant((), "There is nothing to do: the weather in Oslo is fine, and get_weather is not needed."),
    Meant((("find_files", {"query": 'say "hi" & <i>go</i>', "options": {}}),), "One moment."),
)


@dataclass(frozen=True)
class Invented:
    """A format: `write` writes one call, of that index, with that name and arguments."""

    name: str
    write: Callable[[int, str, Arguments], str]
    section: tuple[str, str] = ("", "")
    separator: str = "\n"
    reasoning: tuple[str, str] = ("", "")
    end: str = ""
    content_gap: str = "\n"

    def turn(self, meant: Meant) -> str:
        """The turn as a model would write it."""
        opener, closer = self.reasoning
        text = f"{opener}{meant.reasoning}{closer}" if meant.reasoning and opener else ""
        calls = self.separator.join(self.write(n, name, given) for n, (name, given) in enumerate(meant.calls))
        if meant.calls:
            calls = self.section[0] + calls + self.section[1]
        gap = self.content_gap if meant.content and meant.calls else ""
        return text + meant.content + gap + calls + self.end

    def without_reasoning(self, meant: Meant) -> Meant:
        """What remains of it in this format."""
        return meant if self.reasoning[0] else Meant(meant.calls, meant.content)


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _js(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_js(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_js, value)) + "]"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'" if isinstance(value, str) else json.dumps(value)


def _pairs(given: Arguments, pattern: str, between: str, write: Callable[[Any], str] = _raw) -> str:
    return between.join(pattern.replace("KEY", key).replace("VALUE", write(value)) for key, value in given.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _formats() -> Iterator[Invented]:
    yield Invented("vox", lambda _, f, a: f"<|call|>{f}<|args|>{_json(a)}<|done|>", end="<|stop|>")
    yield Invented("quill", lambda _, f, a: f"```invoke\n{_json({'verb': f, 'with': a})}\n```", separator="\n\n")
    yield Invented(
        "rack",
        lambda _, f, a: f"[[run {f}]]\n{_pairs(a, '[key=KEY]VALUE[/key]', chr(10))}\n[[/run]]",
        reasoning=("[[mull]]", "[[/mull]]\n"),
    )
    yield Invented("ledger", lambda _, f, a: f"ACTION: {f}\n{_pairs(a, 'KEY: VALUE', chr(10))}\nEND ACTION")
    yield Invented("attic", lambda _, f, a: f"<do tool={_json(f)} {_pairs(a, 'KEY=VALUE', ' ', _json)}/>")
    yield Invented("cobra", lambda _, f, a: f"{f}({_pairs(a, 'KEY=VALUE', ', ', repr)})", section=("@py{\n", "\n}@py"))
    yield Invented("jade", lambda _, f, a: f"<<{f} {_js(a)}>>", reasoning=("<<<muse\n", "\nmuse>>>\n"))
    yield Invented(
        "brood", lambda _, f, a: f"<tool:{f}>\n{_pairs(a, '  <KEY>VALUE</KEY>', chr(10))}\n</tool:{f}>", end="\n<over/>"
    )
    yield Invented(
        "herald",
        lambda n, f, a: (
            f'<request fn="{f}" ref="r{n + 17}">\n{_pairs(a, "<arg name=~KEY~>VALUE</arg>", chr(10)).replace("~", chr(34))}\n'
            "</request>"
        ),
        section=("<requests>\n", "\n</requests>"),
    )
    yield Invented("flags", lambda _, f, a: f"$> {f} {_pairs(a, '--KEY VALUE', ' ', _json)} <$")
    yield Invented("arrow", lambda _, f, a: f"(( {f} :: {_pairs(a, 'KEY => VALUE', ', ', _json)} ))")
    yield Invented(
        "batch",
        lambda _, f, a: f"{f} {_json(a)}",
        section=("<batch>\n", "\n</batch>"),
        separator="\n---\n",
        reasoning=("<mull>\n", "\n</mull>\n"),
        end="<fin>",
    )
    yield Invented("pipes", lambda _, f, a: f"CALL!{f} | {_pairs(a, 'KEY=VALUE', ' | ')} | !LLAC")
    yield Invented("adder", lambda _, f, a: f"‹tool›{ {'tool': f, 'args': a}!r}‹/tool›", end="‹eot›")
    yield Invented(
        "coin",
        lambda _, f, a: f"<|fn|>{f}" + _pairs(a, "<|k|>KEY<|v|>VALUE", "") + "<|/fn|>",
        reasoning=("<|muse|>", "<|/muse|>"),
        end="<|stop|>",
    )
    yield Invented("semi", lambda _, f, a: f"§{f}§ {_pairs(a, 'KEY: VALUE;', ' ', _json)} §end§")

    yield from _more()


def _kind(value: Any) -> str:
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return kinds[type(value)]


def _typed(given: Arguments) -> str:
    pairs = (f'<param name="{key}" type="{_kind(value)}">{_raw(value)}</param>\n' for key, value in given.items())
    return "".join(pairs)


def _between(given: Arguments) -> str:
    return " ".join(f"{key}='{_raw(value)}'" for key, value in given.items())


def _more() -> Iterator[Invented]:
    yield Invented(
        "typed", lambda _, f, a: f'<invoke tool="{f}">\n{_typed(a)}</invoke>', reasoning=("<thoughts>", "</thoughts>\n")
    )
    yield Invented("index", lambda _, f, a: f"TOOL[{f}]({_pairs(a, 'KEY: VALUE', '; ', _json)})")
    yield Invented(
        "yaml",
        lambda _, f, a: f"---call\ntool: {f}\nwith:\n{_pairs(a, '  KEY: VALUE', chr(10), _json)}\n---end",
        end="\n<<eot>>",
    )
    yield Invented("backwards", lambda _, f, a: f"<act>{_json({'given': a, 'tool': f})}</act>")
    yield Invented("bullets", lambda _, f, a: f"**call** {f}\n{_pairs(a, '- KEY: VALUE', chr(10))}\n**/call**")
    yield Invented("fields", lambda _, f, a: f"::{f}::\n{_pairs(a, ':KEY: VALUE', chr(10))}\n::/{f}::")
    yield Invented(
        "listed", lambda _, f, a: _json({"fn": f, "in": a}), section=("<calls>[", "]</calls>"), separator=", "
    )
    yield Invented("ids", lambda n, f, a: f"[CALL id=ab{n * 7 + 12}] {f} {_json(a)} [/CALL]")
    yield Invented("ruby", lambda _, f, a: f"-> {f}({_pairs(a, 'KEY: VALUE', ', ', _json)})")
    yield Invented("lua", lambda _, f, a: f"@run {f}{{{_pairs(a, 'KEY = VALUE', ', ', _json)}}}@")
    yield Invented(
        "keyed",
        lambda _, f, a: f"<|f:{f}|>{_pairs(a, '<|p:KEY|>VALUE<|/p|>', '', _json)}<|/f|>",
        reasoning=("<|deep|>\n", "\n<|/deep|>\n"),
    )
    yield Invented("colons", lambda _, f, a: f"Tool: {f}\nInput: {_json(a)}\nEnd tool")
    yield Invented("single", lambda _, f, a: f"<tool name={_json(f)} {_between(a)} />")
    yield Invented("braces", lambda _, f, a: f"{{{{{f}|{_pairs(a, 'KEY=VALUE', '|')}}}}}")
    yield Invented(
        "script", lambda _, f, a: f"await tools.{f}({_js(a)});", section=("<script tools>\n", "\n</script tools>")
    )
    yield Invented("white", lambda _, f, a: f"⟦tool:{f}⟧{_pairs(a, '⟦KEY⟧VALUE⟦/KEY⟧', '')}⟦/tool⟧")
    yield Invented("square", lambda _, f, a: f"[{f} {_pairs(a, 'KEY=VALUE', ' ', _json)} /]")
    yield Invented("fence", lambda _, f, a: f"```use {f}\n{_pairs(a, 'KEY: VALUE', chr(10))}\n```")
    yield Invented(
        "commands",
        lambda _, f, a: f"{f} {_pairs(a, '--KEY VALUE', ' ', _json)}",
        section=("[commands]\n", "\n[/commands]"),
    )
    yield Invented(
        "piped",
        lambda _, f, a: f"{f}({_pairs(a, 'KEY=VALUE', ', ', repr)})",
        section=("<|do|>", "<|od|>"),
        separator=" | ",
    )


FORMATS = tuple(_formats())
