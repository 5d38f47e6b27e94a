# Asks the engine what it makes of the call in a text, and compares that with the reference. Does not depend on how the
# texts are made (texts.py), or on which differences are known (known.py).
"""The engine beside the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from fuzz.context_calls import TOOLS
from tests.page.contexts import CALL, FIRST, Context
from tests.page.reference import CONTENT, EITHER, RUNS, contexts_of, says
from tests.support.chunkings import ended_calls
from toolglean import Event, Parser, ParserOptions, join
from toolglean.formats.registry import find_format
from toolglean.formats.render import render

__all__ = ["AUTO", "FORMATS", "VALUE", "begins_broken", "differs", "differs_by_characters", "engine_says", "turn_of"]

AUTO = "auto"
FORMATS = ("hermes", "qwen3-coder", "mistral-v13", "glm-4.5", "deepseek-v3.2", "harmony", "kimi-k2")
"""Formats whose calls begin with a marker, of different kinds: JSON, elements, brackets, keys and values, messages."""
VALUE = "Q7"
_OPEN_ENDED = frozenset({"mistral-v13"})  # text behind the arguments, on their line, is said to change what they are
_OPENER = re.compile(r"<function=|<tool_call>|\[TOOL_CALLS\]|<｜DSML|<\|tool_call_begin")


@lru_cache(maxsize=256)
def written(name: str, value: str = VALUE) -> str:
    """The call as that format writes it, on as few lines as it allows."""
    declared = find_format(name)
    assert declared is not None
    text = render(declared, [("note", {"text": value})], tools=TOOLS).strip("\n")
    return re.sub(r"\n(?=[{<])|(?<=})\n", "", text) if name == "hermes" else text


def turn_of(text: str, name: str) -> str:
    """The turn: the text with the call in it as that format writes it."""
    return text.replace(CALL, written(name)).replace(FIRST, written(name, "P1"))


def engine_says(text: str, name: str, reads: str) -> str:
    """What becomes of the call in a text.

    Args:
        text: the text, with one CALL.
        name: the format that writes the call.
        reads: the format that reads the turn, or AUTO.
    """
    ended = ended_calls(_events([turn_of(text, name)], reads))
    ran = any((call.name, call.arguments) == ("note", {"text": VALUE}) for call in ended if call.status == "ok")
    return RUNS if ran else CONTENT


def differs(text: str, name: str, reads: str) -> str:
    """What the engine makes of the call, if the reference says otherwise; else ""."""
    right = says(text)
    if right == RUNS and _after_an_opener(text):
        return ""
    if right == EITHER or (right == RUNS and name in _OPEN_ENDED and re.search(rf"[{CALL}{FIRST}][ \t]*[^\s]", text)):
        return ""
    found = engine_says(text, name, reads)
    return "" if found == right else found


def _after_an_opener(text: str) -> bool:
    """Whether a call breaks off in plain text before the one that is asked for: it may take that one with it."""
    found = contexts_of(text)
    return any(found[each.start()] is Context.PLAIN for each in _OPENER.finditer(text, 0, text.index(CALL)))


def begins_broken(text: str) -> bool:
    """Whether a call breaks off first in a fence that opens the turn, or in a string of JSON: what follows may be its
    arguments.
    """
    if re.match(rf"\s*(?:`{{3,}}|~{{3,}})[^\n]*\n\s*(?:{_OPENER.pattern})", text) is not None:
        return True
    found = contexts_of(text)
    return any(found[each.start()] is Context.JSON_STRING for each in _OPENER.finditer(text, 0, text.index(CALL)))


def differs_by_characters(text: str, name: str, reads: str) -> bool:
    """Whether the engine reads the turn otherwise if it comes character by character."""
    turn = turn_of(text, name)
    return _events([turn], reads) != _events(turn, reads)


def _events(chunks: Iterable[str], reads: str) -> list[Event]:
    parser = Parser(TOOLS, format=reads, options=ParserOptions(markup=True))
    return join([event for chunk in chunks for event in parser.feed(chunk)] + parser.finish())
