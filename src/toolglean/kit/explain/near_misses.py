# What is nearly a call, and a person reads as one: arguments that are not an object, a string that never ends, keys
# that a call does not have, a misspelt marker, a line of Python in a sentence, a call in another message; and calls
# whose arguments the tool does not take. Does not depend on how the evidence was found (assemble.py), or on the other
# causes (causes.py).
"""Near misses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from toolglean.formats.spec import Format
from toolglean.kit.explain.evidence import Evidence
from toolglean.kit.explain.explanation import Span
from toolglean.kit.explain.names_and_code import Bare
from toolglean.kit.explain.reading import another_message, read_turn
from toolglean.kit.explain.rules import UNKNOWN, broken_rule, json_around
from toolglean.kit.explain.stories import Story, story
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.events import ProblemCode, ToolCall

__all__ = [
    "after_another_message",
    "in_sentence",
    "meant",
    "misfits",
    "misspelt",
    "misspelt_closers",
    "misspelt_end",
    "nearest",
    "no_object",
    "open_string",
    "undeclared",
    "unmarked_json",
]

NEAR = 0.75
"""How similar a misspelling must be to a marker: two letters of `<tool_call>` may be wrong."""
SURE = 0.85
"""The same where no call shows that a marker was meant, and of tools' names: `select_all` is not `delete_all`."""
LONG = 60  # characters of a header, or of a call, that are shown
BEFORE = 80  # characters before a name, in which its marker would be
MOST = 20  # markers in the reasoning, parts of the turn and arguments that are looked at

_argument_key = re.compile(
    r'"(?:arguments|parameters|params|args|input|tool_input|action_input)"[ \t\r\n]{0,16}:[ \t\r\n]{0,16}$'
)
_marker = re.compile(r"<\|?/?[\w｜▁ :.\-]{2,40}\|?>|\[/?[A-Z_]{2,40}\]")
_quote = re.compile(r'\\.|"', re.DOTALL)
_bracket = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*(?:\1|\Z)|[()\[\]{}]""", re.DOTALL)
_called = re.compile(r"(?<![\w.\-])[\w.\-]{1,300}(?=\()")
_python = re.compile(r"[\w.\-]{1,300}\((?!\{)[^\n]{0,400}\)")
_STRING = "a string that is not a JSON object"
_KINDS = {'"': _STRING, "[": "a list", "t": "true", "f": "false", "n": "null"}


def no_object(text: str, name: str, place: int, code: ProblemCode) -> Iterator[Story]:
    """The arguments at that place of the turn are JSON, but not an object."""
    kind = _STRING if code == "string-arguments" else ""
    if not kind and _argument_key.search(text, max(place - BEFORE, 0), place):
        first = text[place : place + 1]
        kind = _KINDS.get(first) or ("a number" if first == "-" or first.isdigit() else "")
    if kind:
        yield story("arguments-not-object", place, call=name, kind=kind)


def open_string(found: Evidence, call: ToolCall) -> Iterator[Story]:
    """The arguments of a call that did not end leave a string open, and a closing marker at the end is in it."""
    text = found.read.text.rstrip()
    quotes = [each.start() for each in _quote.finditer(text, *call.span) if each[0] == '"']
    if len(quotes) % 2 and text.endswith(found.known.in_brackets):
        yield story("json-broken/string", quotes[-1], call=call.name, at=text[quotes[-1] :][:LONG])


def in_sentence(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The parser does not report a call in Python that stands behind words."""
    call = _python.match(found.read.text, bare.start)
    return iter([story("in-a-line", bare.start, text=call[0][:LONG])] if call else [])


def misspelt(found: Evidence, bare: Bare) -> Iterator[Story]:
    """The name of a call comes after what is nearly a marker."""
    text = found.read.text
    begin = max(bare.start - BEFORE, 0)
    for each in reversed([*_marker.finditer(text, begin, bare.start)]):
        if near := nearest(each[0], found.known.in_brackets, NEAR):
            if each[0] not in found.hints:
                found.hints[each[0]] = _tried_as_tag(found, each[0])
            said = {"where": f"comes before {bare.name!r}", "near": near, "kind": "content"}
            yield story("misspelt-marker", each.start(), marker=each[0], **said, hint=found.hints[each[0]])
            return


def _tried_as_tag(found: Evidence, marker: str) -> str:
    ways = {"format": Format.from_tag(marker), "options": found.asked.options.get("options")}
    gains = len(read_turn(found.read.text, found.asked.tools, ways).done) > len(found.read.done)
    return f" As a tag, it reads more: pass format=Format.from_tag({marker!r}) (--tag {marker!r})." if gains else ""


def misspelt_closers(found: Evidence) -> Iterator[Story]:
    """What comes right after a call is nearly a marker."""
    pairs = islice(pairwise(found.read.spans), MOST)
    for span in (after for before, after in pairs if before.call is not None and after.kind == "content"):
        text = span.text.lstrip()
        if (marker := _marker.match(text)) and (near := nearest(marker[0], found.known.in_brackets)):
            said = {"where": "comes right after a call", "near": near, "kind": "content", "hint": ""}
            yield story("misspelt-marker", span.end - len(text), marker=marker[0], **said)


def misspelt_end(found: Evidence, opener: str, reasoning: Span) -> Iterator[Story]:
    """What the reasoning contains is nearly the marker that ends it."""
    for each in islice(_marker.finditer(reasoning.text), MOST):
        near = nearest(each[0], found.known.in_brackets)
        if near.replace("/", "") == opener != near:
            said = {"where": "is in the reasoning", "near": near, "kind": "reasoning, as all after it is", "hint": ""}
            yield story("misspelt-marker", reasoning.start + each.start(), marker=each[0], **said)


def nearest(word: str, markers: Iterable[str], least: float = SURE) -> str:
    """The marker that the word nearly is, and opens or closes as it does; "" if there is none, or it is one."""
    alike = [each for each in markers if ("/" in each) == ("/" in word)]
    near = [] if word in alike else difflib.get_close_matches(word, alike, n=1, cutoff=least)
    return next(iter(near), "")


def meant(word: str, words: Iterable[str], least: float) -> str:
    """A question whether the model meant the word that is most similar, or the only one that contains it; or ""."""
    known = {each.casefold(): each for each in map(str, words)}
    longer = [each for each in known if word.casefold() in each]
    near = difflib.get_close_matches(word.casefold(), known, n=1, cutoff=least) or longer
    return f" Did the model mean {known[near[0]]!r}?" if len(near) == 1 else ""


def misfits(found: Evidence) -> Iterator[Story]:
    """Arguments that the tool does not have, or lacks."""
    tools = found.read.parser.tools or ToolSet([])
    for call, tool in ((call, tools.get(call.name)) for call in found.read.done):
        schema, known = (tool.parameters, tool.properties) if tool is not None else ({}, {})
        given, required = call.arguments or {}, schema.get("required")
        is_open = schema.get("additionalProperties") not in (None, False) or schema.get("patternProperties")
        odd = [key for key in given if known and not is_open and key not in known][:MOST]
        said = [f"There is no parameter {key!r}.{meant(key, known, NEAR)}" for key in odd]
        lacks = [each for each in required if each not in [*given]] if isinstance(required, list | tuple) else []
        said += [f"{each!r} is required, and is missing." for each in lacks]
        if said:
            yield story("misfit", call.span[0], call=call.name, said=" ".join(said))
            return


def undeclared(found: Evidence, place: int) -> Iterator[Story]:
    """A spelling that no format declares; if it is cut off, misspelt or JSON, that, because it says more."""
    if cut := [*cut_off(found, place)]:
        yield from cut
        return
    nearly = [nearly for each in found.bare for nearly in misspelt(found, each)]
    yield from nearly
    if any(each.start == place for each in nearly):
        return
    bare = [each for each in found.bare if each.start >= place]
    stories = chain.from_iterable((*unmarked_json(found, each, place), *in_sentence(found, each)) for each in bare)
    if told := next(stories, None):
        yield told
        return
    rule = broken_rule(found, place)
    if rule == UNKNOWN and bare:
        yield story("markers-stripped", bare[0].start, call=bare[0].name, hint="")
    else:
        yield story("undeclared", place, rule=rule)


def cut_off(found: Evidence, place: int) -> Iterator[Story]:
    """A tool's name after which a bracket is never closed."""
    text, tools = found.read.text, found.read.parser.tools or ()
    begun = next((each for each in _called.finditer(text, place) if each[0] in tools), None)
    signs = "" if begun is None else "".join(each[0] for each in _bracket.finditer(text, begun.end()) if not each[1])
    if begun and sum((each in "([{") - (each in ")]}") for each in signs) > 0:
        yield story("cut-off", len(text), what=f"the call of {begun[0]!r}")


def unmarked_json(found: Evidence, bare: Bare, place: int | None = None) -> Iterator[Story]:
    """JSON, at that place if one is given, that names a tool as a call does, without a marker."""
    span = json_around(found.read.text, bare.start)
    if span is not None and place in {None, span[0]}:
        yield story("unmarked-json", span[0], call=bare.name, rule=broken_rule(found, *span))


def after_another_message(found: Evidence) -> Iterator[Story]:
    """A call or a marker after the header of another message."""
    header = another_message(found.read)
    if header is None:
        return
    starts = [*(each.start for each in found.openers), *(each.start for each in found.bare)]
    if any(start > header.start for start in starts):
        yield story("another-message", header.start, header=header.text.strip()[:LONG])
