# Where the engine is known to differ from the reference: by how the text looks to the reference, as narrowly as that can
# be said. Each has a row in differences.py; the test of that row fails as soon as the engine is right: then it goes from here.
# Does not depend on how a text is made, except for the calls that break off.
"""Differences that have a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.page.contexts import CALL, END_MARKERS, FIRST
from tests.page.reference import document, without_ends

__all__ = ["KNOWN", "explained"]

_NESTED = frozenset({"qwen3-coder", "deepseek-v3.2"})  # formats with an opener inside that is an opener, too
_ENDS = "|".join(map(re.escape, (*END_MARKERS, "<|im_start|>assistant", "<|start_header_id|>assistant")))


def _inner_opener(text: str, name: str, ran: str) -> bool:
    place = text.index(CALL)
    again = name in _NESTED or FIRST in text  # the call has an opener inside, or another one before it has been refused
    return ran == "runs" and again and any(start <= place < end for start, end in _strings(text))


def _in_a_list(text: str, name: str, ran: str) -> bool:
    return ran != "runs" and name.startswith("mistral") and without_ends(text).lstrip()[:1] in {"[", "{"}


def _strings(text: str) -> Iterator[tuple[int, int]]:
    # The strings of whatever may be a document before the call.
    for found in re.finditer(r"[{\[]", text[: text.index(CALL)]):
        yield from document(text, found.start(), len(text))[0]


def _goes_on(text: str, _format: str, ran: str) -> bool:
    return ran != "runs" and re.search(r"(?m)^>.*<\w[^<>\n]*>?\n", text) is not None


def _no_line(text: str, _format: str, _ran: str) -> bool:
    behind = rf"(?:{FIRST}|</think(?:ing)?>|\[/THINK\])[ \t]*"
    return (
        re.search(rf"{behind}(?:[><\[{{@#/.\\]|~{{3,}}|`{{3,}})", text) is not None
    )  # what opens at a line's beginning


def _marker_first(text: str, _format: str, _ran: str) -> bool:
    return re.search(r"(?m)^[ \t]*(?:<\|end\|>|<tool_response\|>)[ \t]*>", text) is not None


def _thought_in_doubt(text: str, name: str, ran: str) -> bool:
    is_quoted = re.search(r"`[^`]+(?:<think|\[THINK)", text) is not None
    if name == "harmony":  # its calls begin as its reasoning does
        is_quoted = is_quoted or any(FIRST in text[start:end] for start, end in _strings(text))
    return ran != "runs" and is_quoted


def _thought_mentioned(text: str, _format: str, ran: str) -> bool:
    return ran == "runs" and re.search(r"`(?:<think|\[THINK)", text) is not None


def _tag_on_next_line(text: str, _format: str, ran: str) -> bool:
    return ran != "runs" and re.search(rf"{CALL}[ \t\r]*\n\s*<[/|]?\w[^<>\n]*>[ \t]*\S", text) is not None


def _behind_a_header(text: str, _format: str, ran: str) -> bool:
    return ran != "runs" and re.search(rf"[^\n]<\|im_start\|>[ \t]*\n\s*{CALL}[^\n]*\S", text) is not None


def _closed_by_a_fence(text: str, _format: str, ran: str) -> bool:
    found = re.search(rf"(`{{3,}})[^`]*(?:`+[^`]*)*{CALL}(?:[^`]|(?<!`)`{{1,2}}(?!`))*\n[ \t]{{0,3}}(`{{3,}})", text)
    return ran != "runs" and found is not None and found[1] == found[2]


def _breaks_off(text: str, _format: str, _ran: str) -> bool:
    # Its backtick is one of a pair for the engine, and the next one is for the reference.
    begun = without_ends(text)
    begun = begun[begun.rfind(FIRST, 0, begun.index(CALL)) + 1 :].lstrip()
    if begun[:1] not in {"[", "{"}:
        return False
    strings, end, whole = document(begun, 0, len(begun))
    opens = any(sign in begun[start:stop] for start, stop in strings for sign in "`<~")
    return not whole and opens and end <= begun.index(CALL)


KNOWN: dict[str, Callable[[str, str, str], bool]] = {
    "an inner opener in a string": _inner_opener,
    "a list before a bracket": _in_a_list,
    "what opens in a string of JSON that breaks off": _breaks_off,
    "a quoted line that goes on": _goes_on,
    "no line begins there": _no_line,
    "a marker that begins a line": _marker_first,
    "reasoning in code": _thought_in_doubt,
    "reasoning behind a lone backtick": _thought_mentioned,
    "a tag on the line behind a mention": _tag_on_next_line,
    "backticks before a call that a fence closes": _closed_by_a_fence,
    "a line behind a header that was set aside": _behind_a_header,
}
"""By name: whether a difference is of that kind. Each takes the text, the format and what the engine does."""


def explained(text: str, name: str, ran: str) -> str:
    """The name of the known difference; "" if there is none."""
    return next((what for what, is_it in KNOWN.items() if is_it(text, name, ran)), "")
