# Reads the table of contexts (contexts.py) over a whole text: slow, obvious, and able to look ahead. It is what the engine
# is compared with, so it does not use any of it.
#
# The text is read from left to right. At each place outside of all contexts, the first row of the table that opens there
# does, and lasts up to its end. What opens nothing is skipped: a run of backticks without another one in its paragraph,
# a tag that is a word of a sentence, a bracket that begins no JSON.
#
# A bracket that begins a document is more than one place: in a document that is complete, nothing else opens. One that
# turns out not to be JSON opened nothing, but what was in its strings up to there was quoted. A string may also go on
# after inline code: where a lone backtick comes first, what is code and what is not may be the other way round.
"""The context of every character of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tests.page.contexts import (
    CALL,
    END_MARKERS,
    FIRST,
    INDENT,
    MOST_DEEP,
    MOST_SCALAR,
    PARAGRAPH_ENDS,
    ROWS,
    At,
    Context,
    Inside,
    Lasts,
    Row,
    escape,
)

__all__ = ["CONTENT", "EITHER", "RUNS", "Where", "contexts_of", "document", "read", "says", "without_ends"]


_QUOTATIONS = frozenset({Context.COMMENT, Context.ELEMENT, Context.BLOCK, Context.RESULT, Context.OVER})


@dataclass(frozen=True, slots=True)
class Where:
    """What a character is in.

    Attributes:
        context: the context.
        since: the place of what opened it; 0 in plain text.
    """

    context: Context
    since: int = 0


def contexts_of(text: str) -> list[Context]:
    """The context of each character."""
    return [each.context for each in read(text)]


@lru_cache(maxsize=512)  # several questions are asked of the same text
def read(text: str, rows: tuple[Row, ...] = ROWS) -> list[Where]:
    """Where each character is. What opens and ends a context belongs to it."""
    found = [Where(Context.PLAIN)] * (len(text) + 1)
    _fill(text + CALL, 0, len(text) + 1, rows, found)  # behind its end is what a marker is
    return found[:-1]


def _fill(
    text: str, i: int, end: int, rows: tuple[Row, ...], found: list[Where], begun: list[int] | None = None
) -> None:
    # Marks everything from `i` to `end` that one of the rows opens. `begun`: takes the places of JSON that is not complete.
    while i < end:
        for row in rows:
            match = _opens(row, text, i, end)
            if match is None:
                continue
            if row.context is Context.JSON:
                i, begin = _fill_json(text, i, end, found), i
                if begun is not None and i == begin + 1:
                    begun.append(begin)
            else:
                stop = _end_of(row, match, text, end, rows)
                if stop < 0:
                    i = match.end()
                else:
                    _mark(found, i, stop, row.context)
                    inner = tuple(each for each in rows if each.context in row.inside and each.in_reasoning)
                    _fill(text, match.end(), stop, inner, found)
                    if row.context is Context.CODE:
                        _fill_after_code(text, match.end(), stop, rows, found)
                    i = stop
            break
        else:
            i += 1


def _mark(found: list[Where], begin: int, end: int, context: Context) -> None:
    found[begin:end] = [Where(context, begin)] * (end - begin)


@lru_cache(maxsize=1 << 12)
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _opens(row: Row, text: str, i: int, end: int | None = None) -> re.Match[str] | None:
    """What opens that context at that place, or None."""
    match = _pattern(row.opens).match(text, i, len(text) if end is None else end)
    if match is None or row.at is At.INSIDE:
        return None
    before, after = text[: match.start()], text[match.end() :]
    if row.at is At.LINE:
        shown = f"\n{before}"[-4:]
        if match[0][:1] == "~" and _is_deep(shown) and len(re.findall("`+", before.rpartition("\n\n")[2])) % 2:
            return None  # where a backtick waits, it is known whether something is on the line
        return match if _is_first(shown) and not (row.begins and _is_deep(shown)) else None
    return None if row.at is At.NO_WORD and _is_word(before, after) else match


def _is_first(before: str) -> bool:
    """Whether what follows is first on its line, or in an item of a list, as far as four characters show it."""
    line = before.rpartition("\n")[2]
    if not line.strip(" \t"):
        return "\n" in before or len(line) == 4
    return re.fullmatch(r"(?:\.[ \t])?[ \t]*(?:(?:[-*+]|\d{1,2}[.)])[ \t]+|>[ \t]*)+", line) is not None


def _is_deep(before: str) -> bool:
    """Whether many blanks are before what follows, or a tab: then something else may be on its line, too."""
    line = before.rpartition("\n")[2]
    return not line.strip(" \t") and ("\t" in line or ("\n" not in before and len(line) == 4))


def _is_word(before: str, after: str) -> bool:
    """Whether what is between these is used like a word in a sentence: `a <pre> tag`, `(<pre>)`, `in <pre>.`"""
    if not re.search(r"[ \t(\"'“‘]\Z", before):
        return False
    return re.match(r"[ \t]{1,32}[^\W_]|[.,;:!?)\]\"'”’*_](?:\s|[.,;:!?)\]\"'”’*_])", after) is not None


def _end_of(row: Row, opener: re.Match[str], text: str, end: int, rows: tuple[Row, ...]) -> int:
    """The place after the end of that context; -1 if it opened nothing."""
    if not row.ends:
        return end
    sign = opener.groupdict().get("sign") or ""
    limit = _end_of_paragraph(text, opener.end(), len(sign), rows) if row.lasts is Lasts.NOTHING else end
    ends = row.ends.replace("SIGN", escape(sign)).replace("SIZE", str(len(sign)))
    begin = opener.end()
    for closer in _pattern(ends).finditer(text, begin, min(limit, end) if limit < end else end):
        if row.context is not Context.FENCE:
            return closer.end()
        if _is_code(text, opener, closer.start()):
            continue
        if not _closes_inner(text, sign, begin, closer):
            return closer.end()
        begin = closer.end()
    return -1 if row.lasts is Lasts.NOTHING else end


def _closes_inner(text: str, sign: str, begin: int, closer: re.Match[str]) -> bool:
    """Whether a fence that is first on its line ends another one, which began in the code: one with a word behind it."""
    inner = rf"(?:\A|\n){INDENT}(?<!\\){escape(sign[0])}{{{len(sign)},}}[^\W\d_]"
    is_first = _is_first(f"\n{text[: closer.start()]}"[-4:]) and not _is_deep(f"\n{text[: closer.start()]}"[-4:])
    has_inner = re.search(inner, text[max(begin - 1, 0) : closer.start()]) is not None
    return is_first and has_inner


def _is_code(text: str, opener: re.Match[str], closer: int) -> bool:
    """Whether a fence is part of the code: behind a sign, or behind many blanks while nothing is before the one that
    opened; or one opened in the middle of a line that said something about fences, and nothing was in it.
    """
    before, shown = f"\n{text[: opener.start()]}"[-4:], f"\n{text[:closer]}"[-4:]
    inside = text[opener.end("sign") : closer]
    if shown.rpartition("\n")[2].strip(" \t"):
        return _is_first(shown)
    if _is_deep(shown) and before.endswith("\n"):
        return True
    return not _is_first(before) and len(inside) < 4 and re.fullmatch(r"[.,;:!?)]?\s+", inside) is not None


_marker = re.compile("|".join(map(re.escape, (CALL, FIRST, *END_MARKERS)))).match


def _is_fence(text: str, i: int, size: int) -> bool:
    """Whether so many backticks before that place are a fence to Markdown, but for the marker behind them."""
    begin = i - size
    is_first = re.search(rf"(?:\A|\n){INDENT}\Z", text[max(begin - 4, 0) : begin]) is not None
    return size >= 3 and is_first and _marker(text, i) is not None


def _end_of_paragraph(text: str, i: int, size: int, rows: tuple[Row, ...]) -> int:
    if _is_fence(text, i, size):
        return len(text)
    fences = [row for row in rows if row.context is Context.FENCE]
    others = [row for row in rows if row.context in {*_QUOTATIONS, Context.QUOTE}]
    waiting = {size}
    for found in re.compile("`+|\n").finditer(text, i):
        place = found.end()
        if found[0] == "\n":
            if _pattern(PARAGRAPH_ENDS).match(text, place) or any(_opens(row, text, place) for row in others):
                return place
        else:
            begin = found.start()
            is_first = re.search(rf"(?:\A|\n){INDENT}\Z", text[max(begin - 4, 0) : begin]) is not None
            if (is_first or len(found[0]) not in waiting) and any(_opens(row, text, begin) for row in fences):
                return begin
            waiting.add(len(found[0]))
    return len(text)


def _fill_after_code(text: str, i: int, stop: int, rows: tuple[Row, ...], found: list[Where]) -> None:
    # If a document begins in inline code, though not in its first word, and the code ends in one of its strings, then
    # what follows in its strings is in them. Which documents begin there is asked of the text as if it were no code.
    space = re.compile(r"\s").search(text, i, stop)
    begun: list[int] = []
    if space is not None and re.compile(r"[{\[]").search(text, i, stop) is not None:
        _fill(text[:stop], i, stop, rows, [Where(Context.PLAIN)] * stop, begun)
    for place in begun:
        if space is not None and place > space.start() and document(text[:stop], place, stop)[1] == stop:
            for start, after in document(text, place, len(text))[0]:
                if after > stop:
                    found[max(start, stop) : after] = [Where(Context.JSON_STRING, start)] * (after - max(start, stop))


# -- JSON --------------------------------------------------------------------------------------------------------------

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


def _fill_json(text: str, begin: int, end: int, found: list[Where]) -> int:
    """Mark a document that begins here. Returns the place from which the other contexts are looked for again."""
    strings, stop, complete = document(text, begin, end)
    if complete:
        _mark(found, begin, stop, Context.JSON)
    for start, after in strings:
        _mark(found, start, after, Context.JSON_STRING)
    return stop if complete else begin + 1


def _end(pattern: re.Pattern[str], text: str, i: int, end: int) -> int:
    match = pattern.match(text, i, end)
    return i if match is None else match.end()


def document(text: str, i: int, end: int) -> tuple[list[tuple[int, int]], int, bool]:
    """The strings of the document at `i`, where it stops, and whether it is complete there."""
    strings: list[tuple[int, int]] = []
    stack: list[str] = []
    state = "value"  # what must come: value, first (a value or the end), key, first key, colon, next (comma or the end)
    while True:
        i = _end(_SPACE, text, i, end)
        char = text[i : i + 1] if i < end else ""
        if char == '"' and state in {"value", "first", "key", "first key"}:
            after = _end(_STRING, text, i, end)
            closed = text[after : after + 1] == '"' and after < end
            strings.append((i, after + closed))
            if not closed:
                return strings, after, False
            i, state = after + 1, "colon" if "key" in state else "next"
        elif char and char in "{[" and state in {"value", "first"} and len(stack) < MOST_DEEP:
            stack.append("}" if char == "{" else "]")
            i, state = i + 1, "first key" if char == "{" else "first"
        elif stack and char == stack[-1] and state in {"first", "first key", "next"}:
            stack.pop()
            i, state = i + 1, "next"
            if not stack:
                return strings, i, True
        elif (char, state) == (":", "colon"):
            i, state = i + 1, "value"
        elif (char, state) == (",", "next"):
            i, state = i + 1, "key" if stack[-1] == "}" else "value"
        elif (
            state in {"value", "first"}
            and (scalar := _SCALAR.match(text, i, end)) is not None
            and len(scalar[0]) <= MOST_SCALAR
        ):
            i, state = scalar.end(), "next"
        else:
            return strings, i, False


# -- what becomes of a call --------------------------------------------------------------------------------------------

_OWN_HEADER = re.compile(r"<\|im_start\|>assistant|<\|start_header_id\|>assistant<\|end_header_id\|>")
_FENCE_AT_HEADER = re.compile(rf"(?:`{{3,}}|~{{3,}})[^`\n]*(?:{_OWN_HEADER.pattern})")

RUNS, CONTENT, EITHER = "runs", "content", "either"
"""What may become of a call; EITHER where nothing is decided."""


def says(text: str, rows: tuple[Row, ...] = ROWS) -> str:
    """What becomes of the call in a text (CALL in contexts.py): it runs, it is content, or nothing is decided."""
    place = text.index(CALL)
    found = read(text, rows)
    where = found[place]
    before, after = text[:place], text[place + 1 :]
    inside = next((row.call for row in ROWS if row.context is where.context), Inside.CALL)
    if _may_be_in_json(text, place) or _may_be_in_json(text, where.since):
        return EITHER
    if before.endswith("\\"):
        return EITHER  # whether that spells its marker
    if where.context in {Context.QUOTE, Context.PARAMETER} and FIRST in text[where.since : place]:
        return EITHER  # the first one may go on over the end of the line, and may close the parameter
    if re.search(rf"[`~][ \t]*{FIRST}", before) and where.context in {Context.PLAIN, Context.CODE}:
        return EITHER  # whether the first one was cut off in code, or is a mention behind what closes a fence
    first = before.find(FIRST)
    if first >= 0 and any(each.context is Context.RESULT for each in found[first:place]):
        return EITHER if inside is Inside.CALL else CONTENT  # if the first one ran, the result is made up
    if where.context is Context.FENCE and _FENCE_AT_HEADER.search(before):
        return EITHER  # whether a line is over where a header begins
    if found[max(place - 1, 0)].context is Context.PLAIN and _is_cut_off(text, place, rows):
        return CONTENT
    if inside is Inside.DRAFT:
        return CONTENT if without_ends(after).strip() else EITHER if after.strip() else RUNS
    if first >= 0 and _is_indented(before[:first]):
        return EITHER  # the first one is code, and what it begins may be of it
    if _is_indented(before) and re.match(r"<\s*(?:$|<\|)", without_ends(after)):
        return EITHER  # half a marker behind indented code, which the end may have cut off
    if inside is Inside.CALL and _is_indented(before) and re.sub(r"</[^<>]*>", "", without_ends(after)).strip():
        return CONTENT  # indented code, with more than closing tags behind it
    if inside is Inside.CALL:
        return EITHER if _in_sentence(before, after) else RUNS
    if where.context is Context.FENCE and _nothing(text, found, 0, where.since):
        return EITHER if FIRST in before else _opens_the_turn(text[where.since : place], after)
    return CONTENT


def _is_indented(before: str) -> bool:
    """Whether the line is indented as code is, and is no item and no row of a table."""
    line = before.rpartition("\n")[2]
    text = line.lstrip(" \t")
    is_deep = "\t" in line[: len(line) - len(text)] or len(line) - len(text) >= 4
    if not text:
        behind_text = before.strip() != "" and not before.rstrip().endswith(
            FIRST
        )  # white space behind a call is its own
        return is_deep and behind_text
    return is_deep and "\n" in before and text[0] not in "|-*+0123456789"


_begins_json = re.compile(rf"(?:\A|{FIRST})(?:\s|{_OWN_HEADER.pattern}|{'|'.join(map(re.escape, END_MARKERS))})*[{{\[]")


def _may_be_in_json(text: str, place: int) -> bool:
    """Whether the turn may be JSON with raw line breaks, at its beginning or after a call, and the place in a string of it:
    that of the call, or of what opened the context that it is in.
    """
    begins = [found.end() - 1 for found in _begins_json.finditer(text[:place])]
    return any(
        start < place < end and "\n" in text[start:place]
        for begin in begins
        for start, end in document(re.sub(r"[\r\n]", " ", text), begin, len(text))[0]
    )


def _is_cut_off(text: str, place: int, rows: tuple[Row, ...]) -> bool:
    """Whether a call is directly after backticks, and the turn ends in their paragraph: behind a marker of its end, no
    other one begins.
    """
    run = len(text[:place]) - len(text[:place].rstrip("`"))
    over = [end for end in (text.find(each, place) for each in END_MARKERS) if end >= 0]
    last = min(over) if over and not without_ends(text[min(over) :]).strip() else len(text)
    return run > 0 and _end_of_paragraph(text[:last], place, run, rows) == last


def _nothing(text: str, found: list[Where], begin: int, end: int) -> bool:
    """Whether there is only reasoning, white space, and markers of the turn: of its end, and the model's own header."""
    said = (text[i] for i in range(begin, end) if found[i].context is not Context.REASONING)
    return not _OWN_HEADER.sub("", without_ends("".join(said)).replace(FIRST, "")).strip()


def without_ends(text: str) -> str:
    """The text without markers that end a turn."""
    for marker in END_MARKERS:
        text = text.replace(marker, "")
    return text


def _opens_the_turn(before: str, after: str) -> str:
    """The same in a fence that opens the turn: it is markup around its calls if there is nothing else, also no header."""
    line = re.fullmatch(r"[ \t]*(`{3,}|~{3,})[\w+#./-]{0,32}[ \t\r]*\n\s*", before)
    over = _pattern(next(row.opens for row in ROWS if row.context is Context.OVER)).search(after)
    said = after if over is None else after[: over.start()]
    if line is None or without_ends(said).strip().strip("`~"):
        return CONTENT
    return RUNS if re.fullmatch(rf"\s*(?:\n[ \t]*{line[1]}{line[1][0]}*\s*)?", after) else EITHER


def _in_sentence(before: str, after: str) -> bool:
    """Whether a call is in the middle of a sentence: text follows it on its line; before it is a word or an item's sign, or
    a tag on the line before that is a word of a sentence, or the line before ends with a word that cannot end one.
    """
    line = before.rpartition("\n")[2].strip()
    quoted = re.search(r"(?:^|[\s([{=,:;>–—*_/|+-])[\"'“„‘«‹「『《]", line) is not None
    ended = line[-1:] in {"", ".", ":", "!", "?"} and re.fullmatch(r"\d+\.", line) is None and not quoted
    is_behind_tag = line == "" and re.search(r"\S[ \t]*<\w[^<>\n]*>[ \t]*\n\s*\Z", before) is not None
    is_wrapped = re.search(r"(?:\b(?:a|an|as|by|is|of|or|to)|the)\n\Z", before) is not None
    return bool(after.partition("\n")[0].strip()) and (is_behind_tag or is_wrapped or not ended)
