# What must be told of the end of a turn, which is content: that it names a call which nobody read. Does not know how it
# was said (outbox.py), or how calls are read (reading.py).
#
# Quotations are blanked before, so they are neither told nor part of what is told; but a fence is told as quoted, if a
# call comes first in it. Everything is looked for once, when the turn is over, and only if a tool's name is there.
"""Calls that were not read."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from toolglean.engine.by_schema.beginnings import begins, is_json
from toolglean.engine.by_schema.reading import is_call_in, value_in
from toolglean.engine.outbox import MOST
from toolglean.engine.page.page import stretches_of
from toolglean.engine.page.table import Context
from toolglean.engine.page.where import Stretch
from toolglean.engine.reasons import QUOTED, UNREAD, Reason
from toolglean.scan.by_schema.words import is_language
from toolglean.scan.data import missing
from toolglean.scan.names import ARGUMENT_KEYS, BESIDE_KEYS, KNOWN_NAME_KEYS, NAME_KEYS

if TYPE_CHECKING:
    from toolglean.engine.state import TurnState
    from toolglean.tools import Tool

__all__ = ["unread_in"]

MOST_FIRST = 512  # characters of a turn that opens with a sign, and may be a call in it
MOST_OBJECT = 4096  # characters of an object that are read
NAME_WITHIN = 192  # characters of it in which its tool's name must be
MOST_LINE = 32  # characters of a fence's first line
MOST_TRIED = 32  # places at which a call may begin, of each kind
MOST_OBJECTS = 512  # that are looked at whether a tool's name is near
FIRST_WITHIN = 48  # characters behind a tool's name in which its first key must be
MOST_FRAME = 1024  # the same for its last one
_OPEN = frozenset({Context.PLAIN, Context.JSON, Context.JSON_STRING, Context.PARAMETER})  # what may be a call
_LINES = frozenset({Context.FENCE, Context.QUOTE})  # what may quote a call that is meant
_SIGNS = tuple('`~<"\u201c\ufeff{[')  # prose does not open so
_objects = re.compile(rf'\{{(?=\s*"((?:{"|".join(sorted(NAME_KEYS | KNOWN_NAME_KEYS))})"\s*:)?)').finditer
_fence = re.compile(r"^[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*([^`\n]?)", re.MULTILINE).search
_lines = re.compile(r"^(?=\S)", re.MULTILINE).finditer
_words = re.compile(r"(?<![\w.-])[\w.-]*\w").findall
_called = re.compile(
    r"(?:^\[?|[\"'`\u201c])([\w.-]*\w)[\\\"'`\u201d]{0,2}(?:(?<!`)\(|(?<=[\"'\u201d])[\s,\uff0c])", re.MULTILINE
).finditer
_keys = re.compile(r"(?<![\w.-])([\w.-]*\w)[\\\"'\u201d\u2019]{0,4}\s{0,4}[:=\uff1a]").findall
_given = re.compile(  # a key with its value: `city="Oslo"`, `<city>Oslo`, `--city Oslo`, `<key>city</key>`; but no type
    r"(?:(?:(?<![\w.-])--?|(?<=\s):|[(@])([\w.-]*\w)[ \t]"
    r"|(?<![\w.-])([\w.-]*\w)[\\\"'\u201d\u2019*_]{0,4}[ \t]{0,4}(?:[:=\uff1a\u2192]>?|->|[>\]]|</\w*key>))"
    r"(?=\s*\S)(?!\s*(?:\{\s*\"?type\"?:|(?i:str|string|text|int|integer|number|float|bool|boolean|object|array|list"
    r"|dict|any)\b\s*(?:[][,(){}|=?;.\n]|\Z)))"
).finditer

_PART = "[A-Za-z0-9_-]"  # of a name; any other letter may come before or behind it
_ends_sentence = re.compile(r"[.!?;]\s").search

Told = tuple[Reason, str, int]
"""Why a call was not read, its text, and its place."""


class _Shown(NamedTuple):
    # The end of the content.
    text: str  # what is in code, comments, tags or results is blank
    plain: str  # what is in fences and quoted lines, too
    stretches: tuple[Stretch, ...]  # in order

    def at(self, place: int) -> Stretch:
        return self.stretches[bisect(self.stretches, place, key=lambda each: each.start) - 1]

    def document_at(self, place: int) -> int:
        # Where the JSON in which that place is begins; -1 if it is in none that ends.
        around = self.at(place)
        if around.context is Context.JSON_STRING:
            around = self.at(around.start - 1)
        return around.since if around.context is Context.JSON else -1


def unread_in(text: str, start: int, turn: TurnState) -> Iterator[Told]:
    """What must be told of that text, which is at that place and ends the turn."""
    is_whole, size = len(text) < MOST, len(text)
    if not is_whole:  # it may begin in code, which mostly ends on its line, or in a fence
        text = text[text.find("\n") if "\n" in text else size :]
        fence = _fence(text)
        text = text[fence.end() if fence is not None and not fence[1] else 0 :]
        start += size - len(text)
    opens = turn.emit.index == 0 and is_whole
    first = text.strip() if opens else ""
    if first.startswith(_SIGNS) and _spells_call(first[:MOST_FIRST].rstrip(), turn):
        yield UNREAD, first[:MOST_FIRST].rstrip(), start + text.index(first)
        return
    shown = _shown(text, heeded=turn.judge.heeds_quotes)
    for found in (_line(shown, turn, opens=opens), _object(shown, start, turn), _mention(shown, start, turn)):
        if found is not None:
            reason, part, place = found
            yield reason, part, start + place


def _shown(text: str, *, heeded: bool) -> _Shown:
    found = stretches_of([(text, 0, True)], len(text)) if heeded else [Stretch(Context.PLAIN, 0, len(text), 0)]
    stretches = tuple(_fenced(each, text) for each in found)
    shown = _blank(text, (each for each in stretches if each.context not in _OPEN | _LINES))
    return _Shown(shown, _blank(shown, (each for each in stretches if each.context in _LINES)), stretches)


def _fenced(stretch: Stretch, text: str) -> Stretch:
    # Code between as many backticks is a fence for a model, also in the middle of a line.
    is_fence = stretch.context is Context.CODE and text.startswith("```", stretch.since)
    return stretch._replace(context=Context.FENCE) if is_fence else stretch


def _blank(text: str, stretches: Iterable[Stretch]) -> str:
    parts, place = [], 0
    for each in stretches:
        parts += [text[place : each.start], " " * (each.end - each.start)]
        place = each.end
    return "".join((*parts, text[place:]))


def _line(shown: _Shown, turn: TurnState, *, opens: bool) -> Told | None:
    # The first line that begins like a call, with what follows, if that names one. `opens`: the first line is that of
    # the turn.
    text = shown.plain
    for line in _lines(text):
        place = line.start()
        if is_json(text, place):
            continue
        if begins(text, place, turn.described, opens_content=opens, at_end=False):
            part = text[place : place + MOST_FRAME].rstrip()
            return (UNREAD, part, place) if _names_call(part, turn) else None
        opens = False
    return None


def _object(shown: _Shown, base: int, turn: TurnState) -> Told | None:
    # The first object that would be a call at the start of a turn.
    text, begin = shown.text, 0
    names = [f'{each}"' for each in turn.described if each in text]
    near = (
        each
        for each in islice(_objects(text), MOST_OBJECTS)
        if any(text.find(name, each.start(), each.start() + NAME_WITHIN) >= 0 for name in names)
    )
    for found in islice(near, MOST_TRIED):
        place = found.start()
        around = shown.at(place)
        is_fenced = around.context is Context.FENCE and place <= around.since + MOST_LINE
        if place < begin or not (is_fenced or around.context in _OPEN):
            continue
        written = text[place : place + MOST_OBJECT]
        value, end = value_in(written, turn)
        since = place if around.context is Context.PLAIN else around.since
        is_told = turn.emit.tells_of(base + since, base + place + end)  # of the document
        if isinstance(value, dict) and not is_told and is_call_in(value, turn):
            return QUOTED if is_fenced else UNREAD, written[:end], place
        begin = place + end if found[1] else begin  # another object may contain calls
    return None


def _mention(shown: _Shown, base: int, turn: TurnState) -> Told | None:
    # The first tool's name with all keys which that tool requires, or one key if it requires none, before values.
    text = shown.text
    tools = {tool.name: tool for tool in turn.names.tools or () if tool.properties and tool.name in text}
    names = "|".join(re.escape(each) for each in sorted(tools, key=len, reverse=True))
    for found in islice(
        re.finditer(rf"(?<!{_PART})(?<![^/]/)(?:{names})(?!{_PART})", text), MOST_TRIED if tools else 0
    ):
        around = shown.at(found.start())
        is_fenced, is_quoted = around.context is Context.FENCE, around.context in _LINES
        document = shown.document_at(found.start())
        if document >= 0 and value_in(text[document : document + MOST_OBJECT], turn)[0] is not None:  # of an object
            continue
        if is_fenced and found.start() > around.since + MOST_LINE:
            continue
        opens = is_fenced and not text[: around.since].strip()  # the turn
        if is_fenced and not opens and is_language(text[around.since :].lstrip("`~").partition("\n")[0]):
            continue
        if is_quoted and turn.emit.tells_of(base + around.since, base + around.end):
            continue
        frame = text[: around.end] if is_fenced else text if is_quoted else shown.plain
        frame = frame[found.end() : found.end() + MOST_FRAME].partition("\n\n")[0]
        if end := _end_of_keys(frame, tools[found[0]]):
            begin = around.since if is_fenced else text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.end() + end)
            part = text[begin : end if end >= 0 else len(text)]
            return QUOTED if is_quoted and not opens else UNREAD, part.strip(), begin + len(part) - len(part.lstrip())
    return None


def _end_of_keys(frame: str, tool: Tool) -> int:
    # The place behind the last of these keys; 0 if one of them is missing, or the first is far.
    seen: set[str] = set()
    is_near = False
    for each in _given(frame):
        is_near = is_near or (each.start() <= FIRST_WITHIN and _ends_sentence(frame, 0, each.start()) is None)
        if not is_near:
            return 0
        if (each[1] or each[2]) in tool.properties:
            seen.add(each[1] or each[2])
            if not missing(tool.parameters, seen):
                return each.end()
    return 0


def _names_call(text: str, turn: TurnState) -> bool:
    # Whether the text names a tool, and the parameters which it requires.
    words = {part for word in _words(text) for part in (word, word.rpartition(".")[2])}  # `functions.f`
    named = (tool for tool in turn.names.tools or () if tool.name in words)
    return any(tool.parameters.get("required") and not missing(tool.parameters, words) for tool in named)


def _spells_call(text: str, turn: TurnState) -> bool:
    # Whether the text, which has no marker, spells a call: a tool's name as a word of code, behind it a bracket or its
    # quotation mark, and then the parameters which it requires, each with a colon or an equals sign, and no others.
    if text.count("<") > (2 if text[0] == "<" else 0):  # of an element that is all of it
        return False
    if isinstance(value_in(text, turn)[0], dict | list):  # JSON is told of elsewhere
        return False
    for found in _called(text, 0, NAME_WITHIN):
        tool = None if turn.names.tools is None else turn.names.tools.get(found[1])
        keys = frozenset(_keys(text, found.end()))
        if tool is None or not tool.parameters.get("required") or missing(tool.parameters, keys):
            continue
        if keys <= {*tool.properties, *ARGUMENT_KEYS, *BESIDE_KEYS}:
            return True
    return False
