# Calls that begin a line, without a tag around them: what is before the tool's name, and what closes the call. Does not
# depend on the frames around them.
#
#   sign  words  sign           NAME     arguments      closer
#         action  :             f        {…}                          the arguments end by themselves
#   =>                          f        {…}             ;
#         tool    ://           f        ?a=b            ⏎            the end of its line, if no other pair can follow
#   $>                          f        --a "b"         <eoc>        a tag, a word or a sign for the end
#         CALL                  f        a=b             END
#   🔧                          f        a: b            🔚
#                               f   :    {…}                          where the content begins with it
#
# And between two lines:
#
#   BEGIN CALL f … END CALL      words, and those for the end
#   @call f … @end               with signs before or after both
#   >>> f … <<<                  signs alone: their mirror image, or the same again if there are several
#   f:: … ::f, run f: … :run     the mirror image of the line: its words and signs in reverse order
"""Calls without a tag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from toolglean.scan.by_schema.body import closed_by
from toolglean.scan.by_schema.found import Reading, Schema
from toolglean.scan.by_schema.heads import holds_arguments, label_at
from toolglean.scan.by_schema.literals import after_blanks
from toolglean.scan.by_schema.pairs import Exact, exact_at
from toolglean.scan.by_schema.payload import literal_call, typed
from toolglean.scan.by_schema.source import MAX_CLOSERS, Source
from toolglean.scan.by_schema.tags import Tag, closes, compact, mirrored, says_end
from toolglean.scan.by_schema.words import (
    BEGIN_WORDS,
    CALL_SIGNS,
    END_SIGNS,
    END_WORDS,
    ends,
    introduces_call,
    introduces_other,
    is_sentence,
    parts_of,
)

__all__ = ["between_lines", "labelled"]

REACH = 96  # characters before the name

_words = re.compile(r"\w[\w-]*").finditer
_ARROWS = "→⇒⇨⟶⟹➜➔➤▶►❯"
_lead = re.compile(
    rf"(?P<sign>={{1,2}}>|-{{1,2}}>|\$>|[{_ARROWS}]|(?:[{CALL_SIGNS}]\ufe0f?){{1,3}}|[!%@&§¶$])?[ \t]*"
    r"(?P<words>\w+(?:[ .-]\w+){0,5})?[ \t]*"
    rf"(?P<mid>:=|={{1,2}}>|-{{1,2}}>|~>|>{{1,3}}|:://?|://(?:\w+/)?|::|[:：|.{_ARROWS}]|(?:[{CALL_SIGNS}➡]\ufe0f?))?"
    r"(?P<space>\s*)(?P<quote>[\"'`@:]?)"
).fullmatch
_any_sign = re.compile(r"[ \t]*(?:={1,2}>|-{1,2}>|~>|:=|>>|::|[:：→⇒|,;，；]|➡\ufe0f?)?[ \t\r\n]*").match
_colon = re.compile(r"[ \t]*[:：]?[ \t\r\n]*").match
_semicolon = re.compile(r"[ \t]*;(?=[ \t]*(?:\r?\n|\Z))").match
_lone_word = re.compile(
    r"[^\w\s\"'`(){}\[\]<>*#>]{0,3}[ \t]*([^\W\d_]\w{0,15}(?:[ ]\w{1,15}){0,2})[.;!。]?[ \t]*(?=\r?\n|\Z)"
).match
_lone_sign = re.compile(
    rf"(?:(?:[{END_SIGNS}]\ufe0f?)|;;|%%|@@|\$\$|\^\^|-{{3,}}|={{3,}}|#{{3,}}|<{{3,}}|\+{{3,}}|~{{3,}}(?![^\n]))"
    r"[ \t]*(?=\r?\n|\Z)"
).match
_last_words = re.compile(r"(?=[ \t;.]((?:[^\W\d_]{2,9}[ _])?[^\W\d_]{2,9})[ \t]*\Z)").finditer
_is_line_end = re.compile(r"[ \t]*\r?\n").match
_line_end = re.compile(r"[ \t]*(?=\r?\n|\Z)").match
_CLOSED = frozenset("\"'}]")  # with which a literal ends that is not cut off


class _Lead(NamedTuple):
    # What is before the name: the words, a sign that may end the call too; the name's end.
    tool: Schema
    label: str
    sign: str
    after: int
    is_strong: bool  # it introduces a call anywhere


def labelled(source: Source, pos: int, end: int, frames: tuple[Tag, ...]) -> Iterator[Reading]:
    """The calls at the beginning of a line.

    Args:
        source: the text.
        pos: where the line begins.
        end: the end of the text that may be read.
        frames: the tags that are open around it.
    """
    lead = _lead_at(source, pos)
    if lead is None or lead.after > end:
        return
    yield from _with_literal(source, lead, pos, end)
    if lead.label != lead.tool.name or pos == source.after_space(0):
        yield from _closed(source, lead, (pos, end), frames)


def _lead_at(source: Source, pos: int) -> _Lead | None:
    names = ((word.start(), source.named_at(word.start())) for word in _words(source.text, pos, pos + REACH))
    at, tool = next((each for each in names if each[1] is not None), (pos, None))
    found = _lead(source.text, pos, at)
    return None if tool is None or found is None else _judged(source, tool, found)


def _judged(source: Source, tool: Schema, found: re.Match[str]) -> _Lead | None:
    text, after = source.text, found.end() + len(tool.name)
    quote = "" if found["quote"] in {"@", ":"} else found["quote"]
    words, sign, mid = found["words"] or "", (found["sign"] or "").strip("\ufe0f"), found["mid"]
    if not text.startswith(quote, after) or len(words.split()) > 3 or (words and introduces_other(words)):
        return None
    is_call = bool(words) and introduces_call(words)
    if mid in {">", ">>", ">>>", "|"} and not is_call:
        return None
    if "\n" in found["space"] and (not mid or text.startswith(":", after)):
        return None  # a key of YAML
    is_sign = bool(sign) and sign not in "!%@&§¶$"
    is_own = not (words or mid or is_sign)
    if is_own and (not source.opens_content or sign not in {"", "@"} or found["quote"] not in {"", "@"}):
        return None
    return _Lead(
        tool,
        words or (tool.name if is_own else ""),
        sign if is_sign else "",
        after + len(quote),
        source.opens_content or is_call or is_sign,
    )


# -- arguments that end by themselves ----------------------------------------------------------------------------------


def _with_literal(source: Source, lead: _Lead, start: int, end: int) -> Iterator[Reading]:
    # These must be in brackets, and may have a label of their own. `f(…)` is code, and after an arrow is a result.
    is_own = lead.label == lead.tool.name
    sign = (_colon if is_own else _any_sign)(source.text, lead.after)
    at = sign.end() if sign else lead.after
    if is_own and source.text.startswith("(", at) and not source.text.startswith("@", start):
        return
    second = label_at(source, at)
    if second is not None:
        if not holds_arguments(second[0], lead.tool):
            return
        at = source.after_space(second[1])
    found = literal_call(source, at, lead.tool)
    if found is None or found[0] > end:
        return
    closer = _closer(source, found[0], lead)
    semicolon = _semicolon(source.text, found[0], end)
    if lead.is_strong or second is not None or closer:
        for stop in {found[0], closer or found[0], semicolon.end() if semicolon else found[0]}:
            if stop <= end:
                yield Reading(stop, 0, (found[1].at((start, stop)),))


# -- arguments that must be closed -------------------------------------------------------------------------------------


def _closed(source: Source, lead: _Lead, span: tuple[int, int], frames: tuple[Tag, ...]) -> Iterator[Reading]:
    (start, end), sign = span, _any_sign(source.text, lead.after)
    exact = exact_at(source.text, sign.end() if sign else lead.after, end, lead.tool)
    if exact is not None and (call := typed(lead.tool, exact.pairs)):
        stop = _end_of(source, exact, lead)
        if 0 < stop <= end:
            yield Reading(stop, 0, (call.at((start, stop)),))
            return
    places = (each for each in _closers(source, lead, end) if _shows_end(source, lead, *each))
    yield from closed_by(source, lead.tool, (start, lead.after), frames, places)


_bare_pairs = re.compile(r"(?:\s*[\w-]+=[^\s,;|]+(?=\s)){2,}\s*").fullmatch


def _shows_end(source: Source, lead: _Lead, begin: int, stop: int) -> bool:
    # Whether what closes there is certainly not the end of a value: `f to=a; body=the end`.
    text = source.text
    word = compact(text[begin:stop])
    return (
        not text[begin].isalpha()
        or source.starts_line(begin)
        or (text[begin:stop].isupper() and lead.label.isupper())
        or (word not in END_WORDS and says_end(word, (lead.label, lead.tool.name)))
        or (word in END_WORDS and _bare_pairs(text, lead.after, begin) is not None)
    )


def _end_of(source: Source, exact: Exact, lead: _Lead) -> int:
    # Where the call with those pairs ends; 0 if another pair may have been cut off.
    begin = exact.end + (len(exact.sign) if exact.sign == ";" else 0)
    is_open = exact.sign.strip() not in {"", ";"} and exact.sign[0] != "<"
    stop = 0 if is_open else _closer(source, begin, lead)
    is_full = len(exact.pairs) == len(lead.tool.properties) and source.text[exact.end - 1] in _CLOSED
    if stop or lead.label == lead.tool.name:
        return stop or (exact.end if is_full and _is_all(source, exact) else 0)
    is_line = exact.between not in {"", "\n"} and _is_line_end(source.text, exact.end) is not None
    return exact.end if is_line or (is_full and _line_end(source.text, exact.end)) else 0


def _is_all(source: Source, exact: Exact) -> bool:
    # Whether the turn is nothing but a tool's name and pairs in quotes, on one line: `web_fetch url="https://a.example"`.
    text = source.text.strip()
    return "\n" not in text and text[-1:] in {'"', "'"} and exact.end >= len(source.text.rstrip())


def _closers(source: Source, lead: _Lead, end: int) -> Iterator[tuple[int, int]]:
    # The lines that close, and the tags, words and signs at the ends of lines.
    count = 0
    for pos, line in source.lines(lead.after, end):
        for place in sorted(_places(line, lead)):
            close = _closer(source, pos + place, lead, is_raw=True) if place < len(line) else 0
            if close and count < MAX_CLOSERS and pos + place > lead.after:
                count += 1
                yield pos + place, close
                break


def _places(line: str, lead: _Lead) -> set[int]:
    found = {len(line) - len(line.lstrip())}
    mark = max(line.rfind("<"), line.rfind("["), line.rfind("⟦"), line.rfind("«"))
    if mark > 0:
        found.add(mark - (line[mark - 1] == line[mark]))
    found |= {each.start(1) for each in _last_words(line, max(0, len(line) - 24))}
    last = line.rstrip().rstrip("\ufe0f")
    if last and (last[-1] in END_SIGNS or (lead.sign and last.endswith(lead.sign[-1]))):
        found.add(len(last) - 1)
    return found


def _closer(source: Source, pos: int, lead: _Lead, *, is_raw: bool = False) -> int:
    # The end of what closes a call there, perhaps on the next line; 0 if there is nothing.
    text, tool = source.text, lead.tool
    on_line = after_blanks(text, pos)
    at = source.after_space(pos)
    if at >= len(text):
        return 0
    heads = lead.label, tool.name
    tag = source.tag_at(at)
    if tag is not None and not (tag.pairs or tag.empty) and len(tag.words) < 3 and _line_end(text, tag.end):
        words = tag.said
        is_lone = tag.slash and not any(closes(each, tag) for each in source.tags(lead.after, at))
        is_end = says_end(words, heads) or is_lone or ends(words)
        if is_end and not any(word in source.tools or word in tool.properties for word in tag.words):
            return tag.end
    is_inside = at == on_line and not source.starts_line(at)
    if lead.sign[-1:] in CALL_SIGNS and lead.sign and text.startswith(lead.sign[-1], at):
        stop = at + 1 + text.startswith("\ufe0f", at + 1)
        return stop if _line_end(text, stop) else 0
    sign = _lone_sign(text, at)
    is_weak = is_inside or (is_raw and sign is not None and sign[0][0] in "-=#~+")
    if sign and not (is_weak and sign[0][0].isascii()):
        return at + len(sign[0].rstrip())
    word = _lone_word(text, at)
    if not word or word[1] in {*source.tools, *tool.properties} or source.is_begun(word.start(1), word[1], tool):
        return 0
    is_end = (says_end(word[1], heads) or ends(word[1])) and not is_sentence(word[0].strip())
    return at + len(word[0].rstrip()) if is_end else 0


# -- calls between two lines -------------------------------------------------------------------------------------------

_opener = re.compile(
    r"(?P<left>[^\w\s\"'`]{0,4})(?P<blank>[ \t]*)(?P<core>\w[^\n]{0,96}?)[ \t]*+(?P<right>[^\w\s]{0,4})[ \t]*+\r?\n"
).match
_signed = re.compile(r"(\W*)(.*?)([\W]*)", re.DOTALL).fullmatch
_BULLETS = frozenset("-*•>#$+~(")
_MIRRORS = {"→": "←", "▶": "◀", "▸": "◂", "⇒": "⇐", "+": "-", ">": "<", ":": ":"}


def between_lines(source: Source, pos: int, end: int, frames: tuple[Tag, ...]) -> Iterator[Reading]:
    """The calls between a line that opens and one that closes.

    Args:
        source: the text.
        pos: where the line begins that may open one.
        end: the end of the text that may be read.
        frames: the tags that are open around it.
    """
    found = _opener(source.text, pos)
    if not found or not source.starts_line(pos):
        return
    if (found["left"] in _BULLETS and found["blank"]) or found["left"] == "**":
        return  # Markdown
    tag = source.tag_at(pos)
    if tag is not None and source.closers(tag, end):
        return
    words = re.split(r"[\s:({]+", found["core"])
    tools = [source.tools[word] for word in words if word in source.tools]
    tool = tools[0] if tools else None
    label = " ".join(word for word in words if word not in source.tools)
    if len(tools) > 1 or len(words) > 4 or introduces_other(label) or (tool is None and not introduces_call(label)):
        return
    parts = parts_of(label)
    if not (found["left"] or found["right"]) and (not parts or {parts[0], parts[-1]}.isdisjoint(BEGIN_WORDS)):
        return  # a label: see above
    opener = _Opener(found, words, label)
    ends = list(islice(_closing_lines(source, opener, found.end(), end), source.bound + 1))
    if not ends and opener.left == opener.right:
        ends = list(islice(_closing_lines(source, opener, found.end(), end, repeats=True), source.bound + 1))
    yield from closed_by(source, tool, (pos, found.end()), frames, ends)


class _Opener:
    # What a line must be to close the one that was opened so.
    def __init__(self, found: re.Match[str], words: list[str], label: str) -> None:
        self.left, self.right, self.core = found["left"], found["right"], compact(found["core"])
        self.words = " ".join(words), *words, " ".join(parts_of(label))
        self.heads = {compact(word) for word in (*words, label)} - {""}
        mirror = "".join(_MIRRORS.get(char, mirrored(char)) for char in reversed(self.left))
        is_other = mirror != self.left and not self.left.isascii()
        self.signs = {mirror} if len(self.left) > 2 or is_other else set()
        self.signs = set() if set(self.left) == {"#"} else self.signs
        self.mirrors = {mirror} - {""}
        if self.right and self.right != mirrored(self.left):
            self.mirrors.add("".join(_MIRRORS.get(char, mirrored(char)) for char in reversed(self.right)))
            if self.right[-1] in "{([":
                self.signs.add(mirrored(self.right))

    def is_closed_by(self, line: str, *, repeats: bool) -> bool:
        """Whether that line closes it: a word for the end with the same signs, its mirror image, or the same again."""
        found = _signed(line)
        left, core, right = (found[1], compact(found[2]), found[3]) if found else ("", "", "")
        if says_end(core, self.words) and core not in self.heads:
            rights = {self.right} if self.right == mirrored(self.left) else {"", self.right, *self.mirrors}
            return left.strip() in {self.left, f"{self.left}/"} and right.strip(" .") in rights
        if repeats and (left, core, right) == (self.left, self.core, self.right):
            return True
        return core in self.heads and (left + right) in self.mirrors and (left + right) not in self.left


def _closing_lines(
    source: Source, opener: _Opener, start: int, end: int, *, repeats: bool = False
) -> Iterator[tuple[int, int]]:
    signs = opener.signs
    for pos, line in source.lines(start, end):
        inner = line.strip()
        if opener.left and inner.startswith(opener.left) and inner not in signs:
            signs = set()  # what it begins may be cut off
        if inner in signs or (inner and len(line) < 80 and opener.is_closed_by(inner, repeats=repeats)):
            begin = pos + len(line) - len(line.lstrip())
            rest = inner.lstrip(opener.left + " ")
            if not source.is_begun(begin + len(inner) - len(rest), rest, None):
                yield begin, pos + len(line.rstrip())
