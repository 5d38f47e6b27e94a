# All repairs, in one table: their names, the faults to which they apply, and the texts that may have been meant. Does
# not depend on which of the texts is right (repairer.py): nothing is decided here, so nothing needs to be certain.
#
# The columns `wrong` and `needed` are the table in docs/explanation/repairs.md, word for word. The functions are pure:
# they see the text from the refused character up to the call's closer.
"""The table of repairs."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from toolglean.engine.repair.relaxed import Dialect, json_of, without_doubled_braces
from toolglean.engine.repair.suspended import Kind, Put, Refusal
from toolglean.scan.bare import ODD_QUOTES
from toolglean.scan.names import NAME_KEYS

__all__ = [
    "AGAIN", "BACKSLASH", "BRACKETS", "CLOSER", "COMMA", "DOUBLED", "EXTRA", "KEYS", "NAME", "OF_BARE", "OF_VALUES",
    "OPENER", "PYTHON", "QUOTE", "QUOTED_VALUE", "QUOTES", "REPAIRS", "TRAILING",
    "Asked", "Candidate", "candidates", "put_at_once", "waits",
]  # fmt: skip

# The names of the repairs, as `ToolCall.repairs` has them.
BRACKETS = "closing brackets"
PYTHON = "python literals"
CLOSER = "parameter closer"
AGAIN = "extra closer"
OPENER = "value opener"
TRAILING = "trailing comma"
COMMA = "extra comma"
NAME = "name quote"
BACKSLASH = "lone backslash"
QUOTE = "quote marker"
EXTRA = "extra brackets"
KEYS = "key quotes"
QUOTES = "string quotes"
DOUBLED = "doubled braces"
QUOTED_VALUE = "quoted value"

OF_VALUES = frozenset({CLOSER, OPENER})
"""The repairs that insert markers of values: in one call, they must not insert all of them."""

OF_BARE = frozenset({BRACKETS, PYTHON})
"""The repairs of JSON without a marker."""

MOST = 8  # brackets, or places for a quote marker, that are tried


class Asked(NamedTuple):
    """What is known about the call that cannot be read as written.

    Attributes:
        kind: what cannot be read.
        tail: the text from there on, up to the call's closer.
        closed: whether the closer came.
        closers: the brackets that close the open containers, innermost first.
        whole: whether the object of the arguments has closed, and only the containers around it are open.
        quote: the marker around strings; keys: the parameters in the tool's schema.
    """

    kind: Kind
    tail: str
    closed: bool
    closers: str
    whole: bool
    quote: str
    keys: tuple[str, ...]


Text = tuple[str, str] | tuple[str, str, str]
"""Brackets to insert, the text that follows them, and what comes after that unchanged."""


class Candidate(NamedTuple):
    """A text that may have been meant.

    Attributes:
        name: the repair; "" for the text as it is written.
        brackets: brackets to insert; text: what follows them; rest: what comes after that, as it is written.
    """

    name: str
    brackets: str
    text: str
    rest: str = ""


class Repair(NamedTuple):
    """A repair: a row of the table.

    Attributes:
        name: its name.
        wrong: what is written, for people; needed: what is needed for the repair.
        at_once: what is inserted at once, so that the call is read on with it.
        kinds: otherwise, the faults for which it is tried at the end of the call.
        begins: the characters at which it is tried; "" for all.
        texts: what may have been meant.
        guesses: what may have been meant if the call as written does not satisfy the schema.
        open_too: whether it is tried although the call's closer did not come.
    """

    name: str
    wrong: str
    needed: str
    at_once: Callable[[Refusal], Put | None] = lambda _: None
    kinds: frozenset[Kind] = frozenset()
    begins: str = ""
    texts: Callable[[Asked], Iterable[Text]] = lambda _: ()
    guesses: Callable[[Asked], Iterable[Text]] = lambda _: ()
    open_too: bool = False

    def is_tried(self, kind: Kind, char: str) -> bool:
        """Whether the end of the call may show what was meant at that character."""
        return kind in self.kinds and (not self.begins or (bool(char) and char in self.begins))


def put_at_once(refusal: Refusal) -> tuple[str, Put] | None:
    """What was certainly meant there, and the name of that repair."""
    found = ((each.name, each.at_once(refusal)) for each in REPAIRS)
    return next(((name, put) for name, put in found if put is not None), None)


def waits(kind: Kind, char: str) -> bool:
    """Whether the end of the call may show what was meant there."""
    return any(each.is_tried(kind, char) for each in REPAIRS)


def candidates(asked: Asked) -> Iterator[list[Candidate]]:
    """The texts that may have been meant, in groups of equal certainty."""
    rows = [each for each in REPAIRS if each.is_tried(asked.kind, asked.tail[:1]) and (asked.closed or each.open_too)]
    readable = asked.kind == Kind.QUOTES and asked.closed and asked.tail[:1] not in ODD_QUOTES
    written = [Candidate("", "", asked.tail)] if readable else []
    yield written + [Candidate(row.name, *text) for row in rows for text in row.texts(asked)]
    yield [Candidate(row.name, *text) for row in rows for text in row.guesses(asked)]


# -- a key with the sign of an attribute -------------------------------------------------------------------------------


def _with_name_quote(refusal: Refusal) -> Put | None:
    key = refusal.last[1:-2]
    is_name = refusal.due == "colon" and refusal.last == f'"{key}="' and key in NAME_KEYS
    return Put(f'"{key}": "', back=True) if is_name and refusal.char != '"' else None


# -- escapes -----------------------------------------------------------------------------------------------------------

_OF_THEMSELVES = frozenset(f"{string.ascii_uppercase}cdghijklmopqswyz .,:;=?+-|^()[]{{}}")
"""Behind a backslash, these belong to a pattern, a path or a formula: with none of them, a string has another character
there (but see `has_other_escapes`), and nobody escapes them without need, as they do `_`, `$` and quotation marks."""


def _with_backslash(refusal: Refusal) -> Put | None:
    return Put("\\") if refusal.due == "escape" and refusal.char in _OF_THEMSELVES else None


# -- markers of values -------------------------------------------------------------------------------------------------


def _with_value_opener(refusal: Refusal) -> Put | None:
    return Put(refusal.marker) if refusal.marker else None


# -- brackets ----------------------------------------------------------------------------------------------------------

_brackets = re.compile(r"[}\])]").finditer


def _missing_brackets(asked: Asked) -> Iterator[Text]:
    # All missing brackets at the end, or the innermost ones before another bracket.
    if not asked.tail.strip():
        yield asked.closers, asked.tail
    elif asked.tail[0] in "}])":
        for size in range(1, min(len(asked.closers), MOST) + 1):
            yield asked.closers[:size], asked.tail


def _without_extra_brackets(asked: Asked) -> Iterator[Text]:
    # More closing brackets than are open. Any other text may revoke the call before it: "// cancelled".
    if not asked.whole:
        return
    brackets = list(_brackets(asked.tail))
    written = "".join(each[0] for each in brackets)
    wanted = len(asked.closers)
    if len(written) > wanted and written == "".join(asked.tail.split()) and written.endswith(asked.closers):
        yield "", asked.tail[brackets[-wanted].start() :]


# -- commas ------------------------------------------------------------------------------------------------------------


def _without_trailing_comma(refusal: Refusal) -> Put | None:
    return Put("", back=True) if refusal.last == "," and refusal.char in {"}", "]"} else None


def _without_extra_comma(refusal: Refusal) -> Put | None:
    # Before the first key of a value's object, its closing bracket may be missing: `"at": {, "code": 5}`.
    is_first = refusal.due == "first key" and not refusal.inner
    return Put("", skip=1) if refusal.char == "," and (refusal.due == "key" or is_first) else None


# -- what is nearly JSON ----------------------------------------------------------------------------------------------


def _from(dialect: Dialect) -> Callable[[Asked], Iterator[Text]]:
    def texts(asked: Asked) -> Iterator[Text]:
        found = json_of(asked.tail, dialect, len(asked.closers))
        if found is not None:
            text, end = found
            rest = asked.tail[end:]
            yield ("", text, rest) if not asked.closed else ("", text + rest)

    return texts


def _without_doubled_braces(asked: Asked) -> Iterator[Text]:
    for found in without_doubled_braces(asked.tail):
        yield "", found


# -- strings between markers -------------------------------------------------------------------------------------------

_after_value = re.compile(r"\s*(?:[,}\])]|\Z)").match


def _with_quotes(asked: Asked) -> Iterator[Text]:
    # The value at the beginning of the tail has other quotes, or only the marker at its end.
    tail, quote = asked.tail, asked.quote
    other = ODD_QUOTES.get(tail[:1])
    if other:
        for place in _ends(tail, other, _next_key(asked.keys)):
            yield "", f"{quote}{tail[1:place]}{quote}{_requoted(tail[place + 1 :], quote)}"
    elif quote in tail:
        yield "", quote + tail


def _with_quotes_by_schema(asked: Asked) -> Iterator[Text]:
    # The value has no markers at all: the next parameter, or the last bracket, ends it.
    tail, quote = asked.tail, asked.quote
    if tail[:1] in ODD_QUOTES:
        return
    found = _next_key(asked.keys).search(tail)
    if found:
        end = found.start()
    elif len(asked.closers) == 1 and tail.rstrip().endswith(asked.closers):
        end = len(tail.rstrip()) - 1
    else:
        return
    if not _member(tail, 0, end):  # which may be a parameter, or a part of the value
        yield "", f"{quote}{tail[:end]}{quote}{tail[end:]}"


_member = re.compile(r",\s*[^\s,:]+\s*:").search


def _next_key(keys: Iterable[str]) -> re.Pattern[str]:
    known = "|".join(re.escape(key) for key in keys if key)
    return re.compile(rf"\s*,\s*(?:{known or '(?!)'})\s*:")


def _ends(tail: str, other: str, next_key: re.Pattern[str]) -> list[int]:
    # The places of quotes that may close the value, up to the first one before a parameter in the schema.
    places: list[int] = []
    place = tail.find(other, 1)
    while place >= 0 and len(places) < MOST:
        if _after_value(tail, place + 1):
            places.append(place)
            if next_key.match(tail, place + 1):
                break
        place = tail.find(other, place + 1)
    return places


def _requoted(text: str, quote: str) -> str:
    # Later values between the same odd quotes.
    for opener, closer in ODD_QUOTES.items():
        inner = f"[^{re.escape(opener)}{re.escape(closer)}]*"
        pattern = rf"([:,\[]\s*){re.escape(opener)}({inner}){re.escape(closer)}(?=\s*(?:[,}}\])]|\Z))"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text


# -- the table ---------------------------------------------------------------------------------------------------------

REPAIRS = (
    Repair(
        BRACKETS,
        "brackets are missing in JSON, in Python arguments, or in Gemma's objects",
        "every value is whole, the call's closer came, and the bracket can only have been in one place",
        kinds=frozenset({Kind.CHARACTER}),
        texts=_missing_brackets,
    ),
    Repair(
        PYTHON,
        "Python's quotes, `True`, `False` and `None` where the format has JSON",
        "the rest is JSON",
        kinds=frozenset({Kind.CHARACTER, Kind.REGION}),
        begins="'TFN",
        texts=_from(Dialect.PYTHON),
        open_too=True,
    ),
    Repair(
        KEYS,
        "keys without quotes, as in JavaScript",
        "the rest is JSON, in a call's markers, and the call's closer came",
        kinds=frozenset({Kind.CHARACTER, Kind.REGION}),
        begins=string.ascii_letters + "_",
        texts=_from(Dialect.KEYS),
    ),
    Repair(
        QUOTES,
        "typographic quotes around a key or a string",
        "the rest is JSON, there are no such quotes in the string, and the call's closer came",
        kinds=frozenset({Kind.CHARACTER, Kind.REGION}),
        begins="\u201c\u201d",
        texts=_from(Dialect.QUOTES),
    ),
    Repair(
        DOUBLED,
        'the braces are doubled, as in a format string: `{{"name": …}}`',
        "all braces are, or only the first and the last; the rest is JSON, and the call's closer came",
        kinds=frozenset({Kind.CHARACTER, Kind.REGION}),
        begins="{",
        texts=_without_doubled_braces,
    ),
    Repair(
        CLOSER,
        "the closing marker of a parameter is missing, or has another spelling, such as its key's tag (`</city>`), or "
        "one with a wrong letter (`</paramter>`)",
        "what follows is the opener of another parameter of the tool, or all of the call's own closers, and after them "
        "nothing but the end of the turn or the next call",
    ),
    Repair(
        OPENER,
        "the marker between a parameter's name and its value is missing (`<arg_value>`), or the `>` of the tag is, at "
        "a line's end or where `=` is in its place",
        "the closing marker of the value came, no other one of the call is missing, and no part of the opening one is "
        "there",
        _with_value_opener,
    ),
    Repair(
        AGAIN,
        "the closing marker of a parameter comes twice",
        "the opener of another parameter or the call's closer follows, and the value contains no opener of a parameter "
        "to which the first marker could belong",
    ),
    Repair(
        QUOTE,
        "a string of Gemma's has no quote marker before it, has none at all, or has backticks or typographic quotes in "
        "its place",
        "the schema says that it is a string, or the other quotes show it",
        kinds=frozenset({Kind.QUOTES}),
        texts=_with_quotes,
        guesses=_with_quotes_by_schema,
    ),
    Repair(
        EXTRA,
        "closing brackets between the arguments' object and the brackets that close the object around it",
        "there is no other text between them",
        kinds=frozenset({Kind.CHARACTER}),
        texts=_without_extra_brackets,
    ),
    Repair(
        TRAILING,
        "a comma before the bracket that closes an object or a list",
        "the rest is JSON, in a call's markers",
        _without_trailing_comma,
    ),
    Repair(
        COMMA,
        "another comma between two members of an object, or one before the first of the arguments",
        "the rest is JSON, in a call's markers, and a key follows",
        _without_extra_comma,
    ),
    Repair(
        QUOTED_VALUE,
        'a value of JSON is written as a string: `"limit": "3"`, `"items": "[1, 2]"`',
        "the schema allows no string there, and the text is exactly one JSON value of a type that it allows",
    ),
    Repair(
        NAME,
        'the name as an attribute of a tag: `{"name="f", …`',
        "the rest is JSON, in a call's markers",
        _with_name_quote,
    ),
    Repair(
        BACKSLASH,
        r"a backslash that is not escaped, in a string of JSON: `\d`, `\.`",
        "the rest is JSON, in a call's markers, the sign behind it is one that nobody escapes without need, and the "
        'arguments have no other escapes but `\\"`: `\\n` may be meant for a backslash, too, and `\\\\` for two',
        _with_backslash,
    ),
)
"""All repairs, in the order in which they are tried."""
