# What the literals and slots of a pattern show by themselves. Does not depend on the automaton that patterns become.
"""Questions about the patterns of a format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolglean.formats.spec import Format, Literal, Slot, Space, Token, ends_line, literals_of, tokens_of

__all__ = [
    "before_name",
    "begins_with_objects",
    "closers_of",
    "ends_of_pairs",
    "first_literal",
    "head_of",
    "is_bare",
    "is_marker",
    "is_value",
    "lead_at",
    "marks",
    "parts_words",
    "space_at",
    "whole_markers",
]


NOT_JSON = frozenset("!#$%&:;<=>?@^|")
"""Characters with which no value of JSON or Python begins."""


def parts_words(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether the white space there is between a word and a name, or between a name and a word before a marker.

    Between a name and a word alone it may be missing: removed special tokens leave such texts.
    """
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after == Slot("name"):
        return isinstance(before, Literal) and before.text[-1].isalnum()
    if before != Slot("name") or not isinstance(after, Literal):
        return False
    return after.text[0].isalnum() and not after.text[-1].isalnum()


def first_literal(pattern: str) -> str:
    """The literal with which a pattern begins; "" if it begins with a slot."""
    tokens = tokens_of(pattern.strip())
    return tokens[0].text if tokens and isinstance(tokens[0], Literal) else ""


def begins_with_objects(pattern: str) -> bool:
    """Whether a pattern begins with JSON objects of name and arguments."""
    first = next(iter(tokens_of(pattern.strip())), None)
    return isinstance(first, Slot) and first.name in {"call", "calls"}


def marks(declared: Format, patterns: tuple[str, ...]) -> list[str]:
    """For each of these markers, with which reasoning continues or ends, the literal that shows it."""
    # If a marker contains white space, that is a part with which no call is written. A marker with which a call begins
    # is one nevertheless. A phrase ("Here is my response:") is shown by all of its words.
    sections = tuple(text for pair in declared.all_sections for text in pair)
    calls = " ".join((*declared.calls, *sections))
    found = []
    for pattern in patterns:
        parts = literals_of(pattern)
        if len(parts) > 1 and all(each[0].isalnum() for each in parts):
            found.append(pattern.strip())
            continue
        written = calls.replace(f" {parts[0]} ", " ") if len(parts) == 1 else calls
        found += [each for each in parts if not each[0].isalnum() and each not in written][:1]
    return found


def before_name(pattern: str) -> str:
    """The text before the name in a pattern of calls; "" if there is none."""
    before, name, _ = pattern.strip().partition("{name}")
    return (literals_of(before) or [""])[-1] if name else ""


def closers_of(opener: str, formats: tuple[Format, ...]) -> tuple[str, ...]:
    """The last markers of the sections and calls that begin with that one."""
    found: dict[str, None] = {}
    for declared in formats:
        around = [(first_literal(begin), end) for begin, end in declared.all_sections]
        around += [(first_literal(pattern), pattern) for pattern in declared.calls]
        for begin, pattern in around:
            if not begin or begin != opener:
                continue
            ends = literals_of(pattern)
            if ends and is_marker(ends[-1]) and ends[-1] != begin:
                found[ends[-1]] = None
    return tuple(found)


def ends_of_pairs(declared: Format) -> tuple[str, ...]:
    """What ends the arguments of a call if they are pairs: the whole text after them, or what may follow the call."""
    found: dict[str, None] = {}
    for pattern in declared.spellings:
        after = [token for token in tokens_of(pattern.partition("{arguments}")[2]) if not isinstance(token, Slot)]
        text = "".join(token.text for token in after).strip()
        others = [*(closer for _, closer in declared.all_sections), declared.separator]
        others += [first_literal(each) for each in declared.calls]
        # A line break that separates calls ends pairs that do not begin lines.
        lines = ["\n"] if not text and declared.separator.isspace() and "\n" in declared.separator else []
        found |= dict.fromkeys([text] if text else [*filter(None, map(str.strip, others)), *lines])
    return tuple(found)


def head_of(tag: str) -> str:
    """The first part of an opener: up to white space, but not before a letter or a digit has come."""
    return _head(tag)[0]  # type: ignore[index]  # the pattern matches the empty string


_head = re.compile(r"\W*\w?\S*").match


def is_marker(literal: str) -> bool:
    """Whether a literal is a marker: more than brackets and signs."""
    return any(char.isalnum() for char in literal)


def is_bare(literal: str) -> bool:
    """Whether a literal is not a marker but JSON or Python itself: then it is accepted only at the start of a turn."""
    if literal.startswith(
        ("[[", "{{")
    ):  # `[[run`, `[[` before a name, and `{{` are markers; `[[1` and `{{"` may be JSON
        inner = literal.lstrip("[{").removeprefix("/")[:1]
        return literal != "[[" and not inner.isalpha() and (literal[0] == "[" or inner in {'"', "'"})
    inner = literal[1:].removeprefix("/")[:1]  # `[!` is neither JSON nor Python
    return literal[0] == "{" or (literal[0] == "[" and not inner.isalpha() and inner not in NOT_JSON)


def space_at(tokens: Sequence[Token], place: int) -> str:
    """The white space at that place of a pattern; "" if something else, or nothing, is there."""
    token = tokens[place] if 0 <= place < len(tokens) else None
    return token.text if isinstance(token, Space) else ""


def lead_at(tokens: Sequence[Token], place: int) -> str:
    """The white space before the value at that place: "" if it ends the key's line."""
    return "" if place < 1 or ends_line(tokens, place - 1) else space_at(tokens, place - 1)


def is_value(tokens: list[Token], place: int) -> bool:
    """Whether the slot of a value is at that place of a pattern."""
    token = tokens[place] if 0 <= place < len(tokens) else None
    return isinstance(token, Slot) and token.name == "value"


def whole_markers(literals: list[str]) -> list[tuple[int, int]]:
    """The first and the last literal of each marker after a call: a tag that is open at white space continues after it.

    A marker with which an earlier one begins is left out: `-` alone would end a call within `--- end -`.
    """
    found: list[tuple[int, int]] = []
    first = 0
    for place, text in enumerate(literals):
        begun = "".join(literals[first : place + 1])
        if begun[0] != "<" or ">" in text or place == len(literals) - 1 or ">" not in literals[place + 1].rstrip("]"):
            if not any(earlier.startswith(begun) and earlier != begun for earlier in literals[:first]):
                found.append((first, place))
            first = place + 1
    return found
