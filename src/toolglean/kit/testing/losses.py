# What a template does not write of a message, each loss with a name by which it can be allowed. Does not depend on what
# values it can carry (carrying.py).
"""Losses of a template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolglean.errors import TemplateError
from toolglean.formats.patterns import is_marker
from toolglean.formats.spec import Format, Json, PythonDict, ScriptObject, Slot, literals_in, literals_of, tokens_of
from toolglean.sources.templates.infer.messages import ODD
from toolglean.sources.templates.infer.prober import Prober
from toolglean.sources.templates.infer.probes import TYPED, Call, Message, call
from toolglean.sources.templates.infer.verify import Proof, score
from toolglean.sources.templates.language import advice_in

__all__ = ["Loss", "losses"]

TOJSON = "write values that are not text with |tojson"
MENDS = {
    "several-calls": "write each of message.tool_calls, in a loop",
    "reasoning": "write message.reasoning_content between the markers of reasoning",
    "content": "write message.content before the calls",
    "order": "write the arguments in their own order: |tojson without sort_keys, |items without |dictsort",
    "white-space": "write the content as it is, without |trim",
    "closer": "write the closer after each call, also after the last one",
    "header": "write all calls of a message before its end: a server stops there",
    "arguments-as-an-object": "write them with |tojson unless they are a string",
    "content-as-text": "accept text too",
    "the-key-function": "read the name and the arguments in call.function, and the tools in tool.function",
    "calls-at-the-end": "write those of the last message too",
}
ALIKE = "write the same markers before and after each call"
NAMES = {
    **dict.fromkeys(("two calls of one tool", "two calls", "three calls"), "several-calls"),
    **dict.fromkeys(("no arguments before another call", "line break before another call"), "several-calls"),
    **dict.fromkeys(("reasoning", "reasoning and call", "reasoning, content and call"), "reasoning"),
    **dict.fromkeys(("content", "content and call"), "content"),
    **dict.fromkeys(("list", "empty list", "object", "constants in an object", "quotes in a list"), "nested"),
}
PARTS = {
    "types together": ("integer", "number", "boolean", "null"),
    "quotes in a list": ("quotes",),
    "line break before another call": ("line break at the edges",),
    "no arguments before another call": ("no arguments",),
    "reasoning, content and call": ("reasoning", "content", "reasoning and call", "content and call"),
}
"""Checks that mix what others try alone: such a check tells nothing new if one of these is lost."""
PYTHON = {
    "object": ("python", "lists and objects"),
    "null": ("null", "null"),
    "boolean": ("boolean", "true and false"),
}
"""By JSON type, the name of the loss if it is written as Python does, and what it is."""
_closes = re.compile(r"[^\w\s]*(/|(\w*_)?end(?![a-z]))", re.IGNORECASE).match


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the template does not write.

    Attributes:
        name: a word for it, such as `several-calls`.
        what: what is lost, in words.
        mend: what the template's author can do.
    """

    name: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.what}: {self.mend}"


def losses(prober: Prober, declared: Format) -> tuple[Loss, ...]:
    """What the template loses, each loss once.

    Args:
        prober: the template.
        declared: the format by which its turns are read.
    """
    found: dict[str, Loss] = {}
    for loss in (*_of_proof(score(prober, declared)), *_of_form(prober, declared)):
        found.setdefault(loss.name, replace(loss, mend=advice_in(prober.renderer.language, loss.mend)))
    if "closer" in found and found.get("several-calls", found["closer"]).mend == ALIKE:
        del found["several-calls"]  # they are not read back because of that
    return tuple(found.values())


def _of_proof(proof: Proof) -> Iterator[Loss]:
    for label, how in {**proof.unwritten, **proof.failed}.items():
        if label in ODD or not proof.lost.isdisjoint(PARTS.get(label, ())):
            continue  # which texts do not come back, carrying.py says
        name = NAMES.get(label, label.replace(" ", "-"))
        if label in proof.unwritten:
            yield Loss(name, how, MENDS.get(name, TOJSON))
        else:
            yield Loss(name, f"{label}: {how}", ALIKE if name == "several-calls" else MENDS.get(name, TOJSON))


def _of_form(prober: Prober, declared: Format) -> Iterator[Loss]:
    # What reading does not show, because it makes no difference to it.
    one = call(0)
    (first, early), (second, late) = one.arguments.items()
    turned = prober.written(Message((Call(one.name, {second: late, first: early}),)))
    if -1 < turned.find(early) < turned.find(late):
        yield Loss("order", "the template sorts the keys of the arguments", MENDS["order"])
    said = f"  {early}\n\n    {late} \n"
    written = prober.written(Message(content=said))
    if early in written and said not in written:
        yield Loss("white-space", "the template changes the white space of the content", MENDS["white-space"])
    if f'"{TYPED["integer"][2]}"' in prober.typed("integer"):
        yield Loss("numbers", "the template writes numbers in quotation marks", TOJSON)
    for kind, (name, what) in PYTHON.items():
        if _is_python(prober, declared, kind):
            yield Loss(name, f"the template writes {what} as Python does", TOJSON)
    for label, what in prober.style.demands.items():
        name = label.replace(" ", "-")
        yield Loss(name, what, MENDS[name])
    between, after = _around_the_second(prober)
    closer = next((each for each in _closers(declared) if each in between and each not in after), "")
    if closer:
        yield Loss("closer", f"the last call of a turn has no {closer!r}", MENDS["closer"])
    end = next((each for each in _ends(prober, declared, after) if each in between), "")
    if end:
        yield Loss("header", f"the template writes {end!r} between two calls", MENDS["header"])


def _is_python(prober: Prober, declared: Format, kind: str) -> bool:
    # Of a text between markers it makes no difference how null and booleans are spelled.
    slots = " ".join((declared.call, *declared.parameters))
    if "{keywords}" in slots or isinstance(declared.arguments, PythonDict | ScriptObject):
        return False
    is_json = "{value}" not in slots and isinstance(declared.arguments, Json)
    return str(TYPED[kind][2]) in prober.typed(kind) and (is_json or kind == "object")


def _around_the_second(prober: Prober) -> tuple[str, str]:
    # The text between two calls, and that after the second.
    calls = (call(0), call(1))
    last, first = list(calls[0].arguments.values())[-1], calls[1].name
    _, found, rest = prober.written(Message(calls)).partition(last)
    between, both, after = rest.partition(first)
    return (between, after.rpartition(list(calls[1].arguments.values())[-1])[2]) if found and both else ("", "")


def _closers(declared: Format) -> Iterator[str]:
    tokens = tokens_of(declared.call.strip())
    last = max(place for place, token in enumerate(tokens) if isinstance(token, Slot))
    yield from (each for each in literals_in(tokens[last + 1 :]) if is_marker(each) and not each[0].isalnum())
    # A template that leaves out the last closer seems to have a separator.
    yield from (each for each in map(str.strip, literals_of(declared.separator)) if is_marker(each) and _closes(each))


def _ends(prober: Prober, declared: Format, after: str) -> Iterator[str]:
    # The markers that end a turn of this template, and the header of the model's message.
    yield from (each for each in declared.drop if each in after)
    try:
        header = prober.prompt().strip()
    except TemplateError:
        return
    if is_marker(header):
        yield header
