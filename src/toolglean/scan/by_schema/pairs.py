# Arguments that are keys and values on lines of their own. Does not depend on what is around them.
#
#   city: Paris                     a pair on each line, perhaps after a sign: `- city: Paris`, `--city Paris`
#   days = 3
#
#   city                            a key on a line, and its value on the next
#   Paris
#
#   BEGIN_ARG: city                 lines of words around each value
#   Paris
#   END_ARG
#
# All pairs of a call are written in the same way. A value ends where the next declared key is written in that way.
# What looks like a pair of another key, or like a pair in another way, is refused: nothing shows where the value ends.
"""Arguments on lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.literals import string_at
from toolglean.scan.by_schema.source import longest_at
from toolglean.scan.by_schema.tags import closing_words, compact, mirrored
from toolglean.scan.by_schema.values import Pair

__all__ = ["MID", "absent_keys", "alternating", "any_pair", "banners", "blocks", "has_key", "has_literal", "lines"]

_lead = re.compile(r"[ \t]*([^\w\s\"'`<>(){}\[\],;=]{0,4}[ \t]*)").match
MID = re.compile(r"[ \t]*(=>|->|:=|::|==|>>|→|⇒|⟶|[=:|])[ \t]?").match
any_pair = re.compile(
    r"[ \t]*+[^\w\s\"'`<>(){}\[\],;=]{0,4}[ \t]*+([\w.-]*\w)[ \t]*(=>|->|:=|::|==|>>|→|⇒|⟶|[=:|~])"
).match


@dataclass(frozen=True, slots=True)
class _Head:
    # How a pair begins on a line: the sign before its key, the quote around it, and what is after it.
    lead: str
    quote: str
    mid: str


# -- lines -------------------------------------------------------------------------------------------------------------


def lines(text: str, tool: Schema) -> list[Pair] | None:
    """The pairs, each on lines of its own; None if the text is not such lines.

    A value goes on over the following lines that cannot begin a pair.
    """
    rows = text.split("\n")
    if len(rows) > 1 and rows[-1].strip() and not rows[0].strip():
        return None  # the frame's opener is on a line of its own, and its closer is not
    rows = [row.rstrip("\r") for row in rows]
    number = next((at for at, row in enumerate(rows) if row.strip()), len(rows))
    head: _Head | None = None
    found: list[Pair] = []
    while number < len(rows):
        begun = _begun(rows[number], tool)
        if begun is None or (head is not None and begun[0] != head):
            return None
        head, key, value = begun
        read = _value(rows, number, value, head, tool)
        if read is None:
            return None
        pair_text, is_exact, number = read
        found.append(Pair(key, pair_text, is_exact))
    absent = absent_keys(tool, found)
    if head is None or _have_ends(found) or any(_hides_pair(pair, head.mid, absent) for pair in found):
        return None
    return found


def _have_ends(pairs: list[Pair]) -> bool:
    # Whether a line of its own seems to end each value: a word for it, or the same line again.
    last = [pair.text.rpartition("\n")[2].strip() for pair in pairs if "\n" in pair.text and not pair.is_exact]
    return len(set(last)) < len(last) or any(
        row and compact(row) in closing_words((pair.key,)) for pair in pairs for row in last
    )


def _begun(row: str, tool: Schema) -> tuple[_Head, str, str] | None:
    # How the pair on that line is written, its key, and its value.
    lead = _lead(row)
    assert lead is not None  # it matches the empty string
    pos = lead.end()
    quote = row[pos : pos + 1] if row[pos : pos + 1] in {'"', "'", "`"} else ""
    pos += len(quote)
    key = longest_at(row, pos, tool.keys)
    pos += len(key)
    if not key or not row.startswith(quote, pos):
        return None
    pos += len(quote)
    sign = lead[1].strip()
    is_option = sign.startswith("--") and row[pos : pos + 1] in {" ", "\t"}
    mid = None if is_option else MID(row, pos)
    if mid and mid[1] != sign:  # otherwise these are marks
        return _Head(sign, quote, mid[1]), key, row[mid.end() :]
    if (
        sign
        and sign not in "-*•+"
        and row[pos : pos + 1] in {" ", "\t"}
        and row[pos:].strip() not in {sign, mirrored(sign)}
    ):
        return _Head(sign, quote, " "), key, row[pos + 1 :]
    return None


def _value(rows: list[str], number: int, first: str, head: _Head, tool: Schema) -> tuple[str, bool, int] | None:
    # The value that begins with that text, whether it is exact, and the number of the line after it.
    value = first.strip()
    for read in (_heredoc, _triple, _block):
        block = read(rows, number, value)
        if block is not None:
            return block
    taken = [value]
    at = number + 1
    while at < len(rows) and _begun(rows[at], tool) is None:
        other = any_pair(rows[at])
        if other and (not head.lead or rows[at].strip().startswith(head.lead)):
            is_own = other[2].strip() == head.mid.strip() and _indent(rows[at]) == _indent(rows[number])
            if is_own or other[1] in tool.properties:
                return None
        taken.append(rows[at])
        at += 1
    while len(taken) > 1 and not taken[-1].strip():
        taken.pop()
    if not value and len(taken) > 1:  # the key is on a line of its own
        if len(taken) > 2 and any(row[:1] in {" ", "\t"} for row in taken):
            return None  # the blanks may belong to the value, or to the spelling
        taken = [row.strip() if len(taken) == 2 else row for row in taken[1:]]
    value = "\n".join(taken)
    return value, False, at


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _heredoc(rows: list[str], number: int, value: str) -> tuple[str, bool, int] | None:
    word = value[2:].strip("-'\"")
    if not value.startswith("<<") or not word.isidentifier():
        return None
    for at in range(number + 1, len(rows)):
        if rows[at].strip() == word:
            return "\n".join(rows[number + 1 : at]), True, at + 1
    return None


def _triple(rows: list[str], number: int, value: str) -> tuple[str, bool, int] | None:
    if not value.startswith(('"""', "'''")):
        return None
    text = "\n".join([value, *rows[number + 1 :]])
    found = string_at(text, 0)
    if found is None or text[found[0] :].split("\n", 1)[0].strip():
        return None
    return found[1], True, number + text.count("\n", 0, found[0]) + 1


def _block(rows: list[str], number: int, value: str) -> tuple[str, bool, int] | None:
    # YAML's block of text: `|`, then lines that are indented more than their key.
    if value not in {"|", "|-"}:
        return None
    outer = len(rows[number]) - len(rows[number].lstrip())
    at = number + 1
    while at < len(rows) and (not rows[at].strip() or len(rows[at]) - len(rows[at].lstrip()) > outer):
        at += 1
    block = rows[number + 1 : at]
    while block and not block[-1].strip():
        block.pop()
    if not block:
        return None
    indent = min(len(row) - len(row.lstrip()) for row in block if row.strip())
    return "\n".join(row[indent:] for row in block), True, at


def absent_keys(tool: Schema, pairs: list[Pair]) -> tuple[str, ...]:
    """The keys that belong to none of the pairs."""
    used = {pair.key for pair in pairs}
    return tuple(key for key in tool.keys if key not in used)


def _hides_pair(pair: Pair, mid: str, keys: tuple[str, ...]) -> bool:
    # Whether the line goes on with another pair, after a sign: then it is not one value.
    return not (pair.is_exact or has_literal(pair.text)) and has_key(pair.text, mid, keys)


def alternating(text: str, tool: Schema) -> list[Pair] | None:
    """The pairs, each key on a line of its own, and its value on the next."""
    rows = [row.strip() for row in text.strip().split("\n")]
    if len(rows) % 2 or not all(rows) or not all(key in tool.properties for key in rows[::2]):
        return None
    return [Pair(key, value) for key, value in zip(rows[::2], rows[1::2], strict=True)]


_block_opener = re.compile(r"[ \t]*([\w-]{1,64})[ \t]*[:=][ \t]*(\S{1,64})[ \t]*\Z").match


def blocks(text: str, tool: Schema) -> list[Pair] | None:
    """The pairs, each value between two lines of words: `BEGIN_ARG: city`, then `END_ARG`."""
    rows = [row.rstrip("\r") for row in text.strip().split("\n")]
    found: list[Pair] = []
    number, label = 0, ""
    while number < len(rows):
        opener = _block_opener(rows[number])
        if not opener or opener[2] not in tool.properties or (label and opener[1] != label):
            return None
        label = opener[1]
        closing = closing_words((label,))
        end = number + 1
        while end < len(rows) and compact(rows[end]) not in closing:
            end += 1
        if end == len(rows):
            return None
        found.append(Pair(opener[2], "\n".join(rows[number + 1 : end])))
        number = end + 1
    return found or None


_banner = re.compile(r"[ \t]*([^\w\s\"'`]{1,6})[ \t]*([\w-]{1,64})[ \t]*([^\w\s\"'`]{0,6})[ \t]*\Z").match


def banners(text: str, tool: Schema) -> list[Pair] | None:
    """The pairs, each key between signs on a line of its own: `*** city ***`, and its value on the lines below."""
    rows = [row.rstrip("\r") for row in text.strip("\r\n").split("\n")]
    heads = [_banner(row) for row in rows]
    first = heads[0]
    if not first or first[1] in "-*•+>|" or first[3] not in {"", ":", first[1], mirrored(first[1])}:
        return None
    found: list[tuple[str, int]] = []
    for number, head in enumerate(heads):
        if head and (head[1], head[3]) == (first[1], first[3]):
            if head[2] not in tool.properties:
                return None
            found.append((head[2], number))
    ends = [number for _, number in found[1:]] + [len(rows)]
    return [Pair(key, "\n".join(rows[number + 1 : end])) for (key, number), end in zip(found, ends, strict=True)]


def has_key(value: str, mid: str, keys: tuple[str, ...]) -> bool:
    """Whether one of the keys is in the value, with that sign after it."""
    for key in keys:
        pos = value.find(key)
        while pos >= 0:
            rest = value[pos + len(key) :]
            follows = rest.lstrip(" \t").startswith(mid.strip()) if mid.strip() else rest[:1] in {" ", "\t"}
            if follows and (mid.strip() or value[:pos].rstrip(" \t").endswith("--")) and longest_at(value, pos, [key]):
                return True
            pos = value.find(key, pos + 1)
    return False


def has_literal(value: str) -> bool:
    """Whether the value is one string in quotes."""
    found = string_at(value, 0) if value[:1] in {'"', "'"} else None
    return found is not None and found[0] == len(value)
