# What values a writer of calls can carry: texts that look like its own markers go through it and back, and of those
# that come back otherwise the shortest is found. Does not depend on whether a template or `render` writes.
"""Values that do not come back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from toolglean.errors import TemplateError, UsageError
from toolglean.events import Output
from toolglean.formats.patterns import is_marker
from toolglean.formats.spec import Format, literals_of
from toolglean.sources.templates.infer.probes import Call, Message
from toolglean.sources.templates.infer.verify import ESCAPED, entities, read
from toolglean.tools import Tool, ToolSet

__all__ = ["KINDS", "Uncarried", "Writer", "uncarried"]

Writer = Callable[[Message, tuple[Tool, ...]], tuple[str, str]]
"""Writes a message with these tools: the turn, and the end of the prompt. It may raise TemplateError or UsageError."""

SIGNS = (
    *("", " ", "\n", "\n\n", "\t", " x", "x ", "\nx", "x\n", "first name", "x, b=1", "x\nb: 1", '{"a": 1}'),
    *"""
    " ' \\ & &amp; < > <b> { } [ ] , ; : = | # ` ``` x;b=1 42 1.0 true True null None [1] a.b a-b é 李
    """.split(),  # noqa: SIM905  # three dozen of them
)
STEPS = 150  # how often a text is shortened, at most
_FIRST, _SECOND = "zqxfirst", "zqxsecond"


def _tool(name: str, **properties: dict[str, Any]) -> Tool:
    return Tool(name, {"type": "object", "properties": properties, "required": []}, f"Tool {name}")


STRING = {"type": "string"}
PLACE = _tool("find_place", city=STRING, note=STRING)
LISTED = _tool("send_list", items={"type": "array", "items": STRING})
MAPPED = _tool("send_map", options={"type": "object", "additionalProperties": STRING})

KINDS: dict[str, Callable[[str], tuple[Call, Tool]]] = {
    "value": lambda text: (Call("find_place", {"city": text}), PLACE),
    "list": lambda text: (Call("send_list", {"items": [text, "x"]}), LISTED),
    "object": lambda text: (Call("send_map", {"options": {"name": text}}), MAPPED),
    "key": lambda text: (Call("send_map", {"options": {text: "x"}}), MAPPED),
    "parameter": lambda text: (Call("find_it", {text: "x"}), _tool("find_it", **{text: STRING})),
}
"""For each kind of value a call with that text, and its tool: a text, one in a list and in an object, a key of an
object, and the name of a parameter."""

NAMED = frozenset({"key", "parameter"})
"""Of these kinds no text is empty."""

BECAME = (
    "another call is made",
    "another argument is set",
    "the call is lost",
    "the value is changed",
    "it is refused",
)
"""What becomes of a call, the worst first."""


@dataclass(frozen=True, slots=True)
class Uncarried:
    """A text that does not come back.

    Attributes:
        kind: where it was: one of `KINDS`.
        text: the shortest one that was found.
        became: one of `BECAME`.
        found: what came back instead, in words.
        mend: what the template's author can do.
    """

    kind: str
    text: str
    became: str
    found: str
    mend: str

    def __str__(self) -> str:
        return f"{json.dumps(self.text, ensure_ascii=False)}: {self.became}: {self.found}; {self.mend}"


def uncarried(write: Writer, declared: Format, advice: Callable[[str], str] = str) -> tuple[Uncarried, ...]:
    """For each kind of value, and each thing that may become of the call, the shortest text with which it does.

    Args:
        write: writes the messages.
        declared: the format by which they are read.
        advice: what to do, which is written for Jinja, in the words of another language.
    """
    texts = tuple(dict.fromkeys((*SIGNS, *_marked(declared), *_injected(write))))
    found: list[Uncarried] = []
    for kind in KINDS:
        shortest: dict[str, tuple[str, str]] = {}
        for text in filter(None, texts) if kind in NAMED else texts:
            became, shown = _outcome(write, declared, kind, text)
            if became and (became not in shortest or len(text) < len(shortest[became][0])):
                shortest[became] = (text, shown)
        found += [
            _shortened(write, declared, kind, became, shortest[became][0]) for became in BECAME if became in shortest
        ]
    return tuple(replace(each, mend=advice(each.mend)) for each in found)


def _marked(declared: Format) -> Iterator[str]:
    # The format's own marks, alone and within a text.
    pairs = (*declared.all_sections, *declared.all_reasonings)
    patterns = (*declared.calls, *declared.parameters, declared.separator, *declared.drop, *declared.content_markers)
    for text in literals_of(*patterns, *(each for pair in pairs for each in pair)):
        yield from (text, f"x{text}y", f"x\n{text}\ny")


def _injected(write: Writer) -> Iterator[str]:
    # What the writer writes between two values, and between two calls.
    one, two = Call("find_place", {"city": _FIRST}), Call("find_place", {"city": _SECOND})
    both = Call("find_place", {"city": _FIRST, "note": _SECOND})
    for calls in ((both,), (one, two)):
        try:
            turn, _ = write(Message(calls), (PLACE,))
        except (TemplateError, UsageError):
            continue
        _, first, rest = turn.partition(_FIRST)
        if first and _SECOND in rest:
            yield f"x{rest.partition(_SECOND)[0]}y"
        yield f"x{rest.rpartition(_SECOND)[2]}"


def _outcome(write: Writer, declared: Format, kind: str, text: str) -> tuple[str, str]:
    call, tool = KINDS[kind](text)
    try:
        turn, prompt = write(Message((call,)), (tool,))
    except TemplateError:
        return "", ""
    except UsageError as error:
        return BECAME[4], str(error)
    return _became(call, read(declared, ToolSet((tool,)), [turn], prompt))


def _became(call: Call, found: Output) -> tuple[str, str]:
    if len(found.calls) > 1:
        return BECAME[0], ", ".join(f"{each.name}({_shown(each.arguments)})" for each in found.calls)
    if not found.calls:
        reason = next((f" ({each.reason})" for each in found.problems), "")
        return BECAME[2], f"no call came back{reason}"
    arguments = found.calls[0].arguments
    if found.calls[0].name == call.name and arguments == call.arguments:
        return "", ""
    more = len(arguments) > len(call.arguments)
    return BECAME[1 if more else 3], f"{_shown(arguments)} came back"


def _shown(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _shortened(write: Writer, declared: Format, kind: str, became: str, text: str) -> Uncarried:
    size, steps = len(text) // 2, STEPS
    while size and steps:
        at = 0
        while at < len(text) and steps:
            steps -= 1
            shorter = text[:at] + text[at + size :]
            if (shorter or kind not in NAMED) and _outcome(write, declared, kind, shorter)[0] == became:
                text = shorter
            else:
                at += size
        size //= 2
    found = _outcome(write, declared, kind, text)[1]
    return Uncarried(kind, text, became, found, _mend(declared, kind, found if "&" not in text else ""))


def _mend(declared: Format, kind: str, found: str) -> str:
    if entities(found):
        return ESCAPED
    if kind == "parameter":
        return "write the arguments as a whole with |tojson, or refuse tools with such a parameter"
    if any("{value}" in each for each in declared.parameters):
        closer = next(filter(is_marker, reversed(literals_of(*declared.parameters))), "")
        own = "" if closer else ", or end it with a closer of its own"
        return f"write the value with |tojson{own}"
    return "write the arguments as a whole with |tojson, which escapes it"
