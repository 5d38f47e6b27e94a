# Where the engine is known to differ from the reference: by how the text looks to the reference, as narrowly as that can
# be said. Each has a row in differences.py; the test of that row fails as soon as the engine is right: then it goes from here.
# Does not depend on how a text is made, except for the calls that break off.
"""Differences that have a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.page.contexts import CALL, END_MARKERS, FIRST, ROWS, At, Context, Row
from tests.page.reference import document, read, says, without_ends
from tests.page.texts import BEGUN

__all__ = ["KNOWN", "explained"]

_NESTED = frozenset({"qwen3-coder", "deepseek-v3.2"})  # formats with an opener inside that is an opener, too
_THOUGHT = re.compile(r"</?think(?:ing)?>|\[/?THINK\]")
_MARKER = "|".join(map(re.escape, END_MARKERS)) + r"|<\|im_start\|>|<\|start_header_id\|>|</?think|\[/?THINK"
_OVER = re.compile(next(row.opens for row in ROWS if row.context is Context.OVER))
_BEGUN = "|".join(map(re.escape, BEGUN))
_QUOTED = frozenset({Context.CODE, Context.FENCE, Context.QUOTE, Context.COMMENT, Context.ELEMENT, Context.RESULT})


def _with(change: Callable[[Row], Row | None]) -> tuple[Row, ...]:
    return tuple(new for row in ROWS if (new := change(row)) is not None)


def _loose(row: Row) -> Row | None:
    # A fence as the engine has it: with more than a word, it is none; any run closes it that no letter follows.
    if row.context is not Context.FENCE:
        return row
    if row.at is At.INDENT and "`" in row.opens:
        return None
    sign = "`" if "`" in row.opens else "~"
    opens, at = (r"(?P<sign>~{3,})(?!~)", At.LINE) if row.at is At.INDENT else (row.opens, row.at)
    return row._replace(opens=opens, at=at, ends=rf"(?<!{sign}){sign}{{SIZE,}}(?![{sign}\w])")


_LOOSE = _with(_loose)
_NO_JSON = _with(lambda row: None if row.context is Context.JSON else row)


def _fences(text: str, _format: str, ran: str) -> bool:
    return says(text, _LOOSE) in {ran, "either"}


def _inner_opener(text: str, name: str, ran: str) -> bool:
    place = text.index(CALL)
    again = name in _NESTED or FIRST in text  # the call has an opener inside, or another one before it has been refused
    return ran == "runs" and again and any(start <= place < end for start, end in _strings(text))


def _opaque_json(text: str, _format: str, ran: str) -> bool:
    return says(text, _NO_JSON) in {ran, "either"}


def _outlived(text: str, _format: str, ran: str) -> bool:
    # A document begins in a quotation, and one of its strings goes on after it.
    place = text.index(CALL)
    found = read(text)
    return ran != "runs" and any(
        start <= place < end
        for each in re.finditer(r"[{\[]", text[:place])
        if found[each.start()].context in _QUOTED
        for start, end in document(text, each.start(), len(text))[0]
    )


def _after_a_tick(text: str, _format: str, ran: str) -> bool:
    return ran != "runs" and text[: text.index(CALL)].endswith("`")


def _in_a_list(text: str, name: str, ran: str) -> bool:
    return ran != "runs" and name.startswith("mistral") and without_ends(text).lstrip()[:1] in {"[", "{"}


def _tag_ends_paragraph(text: str, _format: str, _ran: str) -> bool:
    return re.search(r"`(?:[^\n]|\n(?!\n))*\n[<\[]", text) is not None


def _tildes_before_a_marker(text: str, _format: str, ran: str) -> bool:
    return ran != "runs" and re.search(rf"~{{3,}}[\w+#./-]*[ \t]*(?:{_MARKER}|[{CALL}{FIRST}])", text) is not None


def _strings(text: str) -> Iterator[tuple[int, int]]:
    # The strings of whatever may be a document before the call.
    for found in re.finditer(r"[{\[]", text[: text.index(CALL)]):
        yield from document(text, found.start(), len(text))[0]


def _goes_on(text: str, _format: str, _ran: str) -> bool:
    return re.search(rf"(?m)^>.*(?:{_BEGUN})", text) is not None


def _broken_call(text: str, _format: str, ran: str) -> bool:
    before = text[: text.index(CALL)]
    return (
        ran == "runs"
        and re.match(rf"\s*~{{3,}}\w*\n(?:{_BEGUN})", before) is not None
        and bool(_THOUGHT.search(before))
    )


def _document_after_a_tick(text: str, _format: str, ran: str) -> bool:
    return ran == "runs" and re.search(r"`[^\s`]*[{\[][^`]*\n", text[: text.index(CALL)]) is not None


def _no_line(text: str, _format: str, _ran: str) -> bool:
    return re.match(r"\s*[ \t]>", text) is not None or re.search(rf"{FIRST}(?:>|~{{3,}})", text) is not None


def _bracket_in_a_string(text: str, _format: str, ran: str) -> bool:
    found = read(text)
    return (
        ran == "runs"
        and found[text.index(CALL)].context is Context.JSON_STRING
        and any(found[each.start()].context is Context.JSON_STRING for each in re.finditer(r"[{\[]", text))
    )


KNOWN: dict[str, Callable[[str, str, str], bool]] = {
    "an inner opener in a string": _inner_opener,
    "the end of a fence": _fences,
    "JSON that is complete": _opaque_json,
    "JSON in a quotation": _outlived,
    "a mention before a call": _after_a_tick,
    "a list before a bracket": _in_a_list,
    "a tag that ends a paragraph": _tag_ends_paragraph,
    "tildes before a marker": _tildes_before_a_marker,
    "a quoted line that goes on": _goes_on,
    "a broken call in tildes": _broken_call,
    "no line begins there": _no_line,
    "a document after a lone backtick": _document_after_a_tick,
    "a bracket in a string": _bracket_in_a_string,
}
"""By name: whether a difference is of that kind. Each takes the text, the format and what the engine does."""


def explained(text: str, name: str, ran: str) -> str:
    """The name of the known difference; "" if there is none."""
    return next((what for what, is_it in KNOWN.items() if is_it(text, name, ran)), "")
