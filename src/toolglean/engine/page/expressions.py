# What is looked for in a context: one compiled expression for each, made from the rows of the table when it is first
# needed. Does not depend on what is done with what is found (page.py).
"""The expressions of the contexts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from toolglean.engine.page.documents import AFTER, SMALL
from toolglean.engine.page.table import ATTRIBUTES_BEGUN, PARAGRAPH_ENDS, At, Context, Lasts, Row
from toolglean.engine.page.where import Before, line_before, space_in
from toolglean.scan.text import WORD

__all__ = ["Rows", "Search", "Sought", "ends_paragraph", "is_mention"]

_END = r"\Z"
_TAIL = 1100  # characters, more than any opener has
_LOOKED_AT = 5  # characters of an opener behind its first, in the search for it
_BEFORE_MENTION = frozenset(" \t(\"'“‘")
_end_of_element = re.compile(r"\(\?i:(</(?:\w|\\-)+)").match
_is_mention = re.compile(r"[ \t]{1,32}[^\W_]|[.,;:!?)\]\"'”’*_](?:\s|[.,;:!?)\]\"'”’*_])").match
_mention_begun = re.compile(r"[ \t]{0,32}|[.,;:!?)\]\"'”’*_]").fullmatch
_paragraph_begun = re.compile(r"[ \t\r]{0,32}(?:#{0,6}|[-*+]?|\d{0,9}[.)]?|~{0,2})").fullmatch
Search: TypeAlias = Callable[..., "re.Match[str] | None"]
_Tree = dict[str, "_Tree"]


def _tree(literals: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for literal in literals:
        node = root
        for char in literal:
            node = node.setdefault(char, {})
        node[""] = {}
    return root


def _begun(node: _Tree, most: int = _TAIL) -> str:
    """An expression for the rest of any literal below that node, or for its beginning at the end of the text.

    `most`: characters, after which any text will do.
    """
    if not most:
        return ""
    ways = [re.escape(char) + _begun(each, most - 1) for char, each in node.items() if char]
    if "" in node:  # what is longer comes first
        return f"(?:{'|'.join(ways)}|)" if ways else ""
    return f"(?:{'|'.join(ways)}|\\Z)"


def _any_begun(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Where any of the rows may begin: a character, and the next few. Whole openers would take long to compile."""
    rows = tuple(rows)
    begins = _tree(text for row in rows for text in row.begins)
    inside = {text[0] for row in rows if row.at is not At.LINE for text in row.begins}
    return [
        (re.escape(char), ("" if char in inside else _AT_LINE) + _begun(node, _LOOKED_AT))
        for char, node in begins.items()
    ]


class Sought(NamedTuple):
    """What is looked for in a context.

    Attributes:
        search: finds it; `expression`: the same.
        kinds: what was found, by the number of the group.
    """

    search: Search
    expression: str
    kinds: tuple[str, ...]


def _sought(ways: Sequence[tuple[str, str, str]]) -> Sought:
    # Each way is what was found, the character with which it begins, and the rest. Each alternative begins with a
    # character, so that the search goes to these at once.
    expression = "|".join(f"{first}({rest})" for _, first, rest in ways) or "(?!)"
    return Sought(re.compile(expression).search, expression, ("", *(what for what, _, _ in ways)))


_line = re.compile("\n").search
_LINE = ("line", "\n", "")
_TICKS = ("run", "`", "`*")
_AT_LINE = r"(?<![^\n \t\ufeff\u200b>].)"  # no text is directly before that character: a line may begin with it


class Rows:
    """The rows of a table, compiled. Shared, never changed except for a cache.

    Args:
        rows: the rows.
        mark: the character that stands for a marker in them.
        ruled: whether documents are found that are complete at once, and change nothing: for a ruler.

    Attributes:
        fences: the rows of fences, each with its expression, by the sign of which they consist.
    """

    def __init__(self, rows: tuple[Row, ...], mark: str, *, ruled: bool) -> None:
        self._rows, self.mark, self.ruled = rows, mark, ruled
        self.fences: dict[str, list[tuple[Row, re.Pattern[str], re.Pattern[str]]]] = {"`": [], "~": []}
        for row in rows:
            if row.context is Context.FENCE:
                sign = "`" if "`" in row.opens[:8] else "~"
                rest = r"[^\n`]{0,96}" if sign == "`" else r"[^\n]{0,95}"
                begun = f"{sign}+{rest if row.at is At.LINE else WORD + ATTRIBUTES_BEGUN}"
                self.fences[sign].append((row, re.compile(row.opens), re.compile(begun)))
        self.has_code = any(row.lasts is Lasts.NOTHING for row in rows)
        self.has_json = any(row.context is Context.JSON for row in rows)

    @lru_cache(maxsize=512)  # noqa: B019  # there are two or three of these, for good
    def sought(self, context: Context, sign: str, by_line: bool) -> Sought:  # noqa: FBT001  # part of the cache's key
        """What is looked for in a context. `by_line`: whether backticks wait there; then lines matter too, for which
        plain text has no expression of its own: it would be made anew for them alone.
        """
        if context is Context.PLAIN:
            return self._sought_plain
        ways = self._end(context, sign, by_line=by_line)
        return _sought([*ways, _LINE] if by_line or context is Context.QUOTE else ways)

    @lru_cache(maxsize=512)  # noqa: B019
    def calm(self, context: Context, sign: str, by_line: bool, spaced: bool) -> Search:  # noqa: FBT001
        """Finds what changes anything where at most backticks wait. `spaced`: they wait for white space, too."""
        search = self.sought(context, sign, by_line).search
        if not spaced and not (by_line and context is Context.PLAIN):
            return search
        other = space_in if spaced else _line
        return lambda text: search(text) or other(text)

    @cached_property
    def tags(self) -> _Tags:
        """What opens a context, apart from backticks, tildes, `>` and JSON."""
        return _Tags(self._rows)

    @cached_property
    def tags_in_reasoning(self) -> _Tags:
        """The same in reasoning."""
        return _Tags(tuple(row for row in self._rows if row.in_reasoning))

    @cached_property
    def _sought_plain(self) -> Sought:
        ways = [("tag", *each) for each in _any_begun(self._rows)]
        if self.has_code:
            ways += [_TICKS, ("run", "~", "~*"), ("quote", ">", r"(?<![^\n \t\ufeff\u200b].)")]
        if self.has_json:
            ways += [
                (
                    "bracket",
                    re.escape(each),
                    f"{'' if self.ruled else f'(?!{SMALL[each]})'}(?=[{re.escape(after)}]|\\Z)",
                )
                for each, after in AFTER.items()
            ]
        return _sought(ways)

    def opened_in(self, text: str) -> Iterator[tuple[Context, int]]:
        """What could open in that text apart from backticks and JSON, if nothing else did, and the places."""
        sought, text = self._sought_plain, f"\n{text}"
        for found in re.finditer(sought.expression, text):
            place, what = found.start(), sought.kinds[found.lastindex or 0]
            is_first = line_before(text, place) is not Before.TEXT
            if what == "tag" and (tag := self.tags.match(text, place)) is not None:
                if tag[0].at is not At.LINE or is_first:
                    yield tag[0].context, place - 1
            elif what == "quote" and is_first:
                yield Context.QUOTE, place - 1
            elif what == "run" and text[place] == "~":
                rows = (row for row in self.fences["~"] if is_first or row[0].at is not At.LINE)
                if any(opens.match(text, place) for _, opens, _ in rows):
                    yield Context.FENCE, place - 1

    def _end(self, context: Context, sign: str, *, by_line: bool) -> list[tuple[str, str, str]]:
        # What ends a context; and backticks, where some wait.
        ways = [_TICKS] if by_line else []
        if context is Context.FENCE:
            ways += [("run", sign[0], f"{sign[0]}*")]
        elif sign:
            first, rest, begun = _end(sign)
            ways += [("end", first, rest), ("begun", first, begun)]
        if context in {Context.REASONING, Context.QUOTE}:  # the turn may be over there
            ways += [("tag", *each) for each in _any_begun(row for row in self._rows if row.in_reasoning)]
        return ways


class _Tags:
    """What opens the contexts of some rows that have `begins`."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        tags = [row for row in rows if row.begins]
        self._rows = {f"row{number}": row for number, row in enumerate(tags)}
        # The end of the text is not that of the turn, which is told by a marker.
        ways = (
            f"(?P<{name}>{re.sub('[?]P<[a-z]+>', '', row.opens).replace(_END, '(?!)')})"
            for name, row in self._rows.items()
        )
        self._match = re.compile("|".join(ways) or "(?!)").match
        self._begins = sorted(text for row in tags for text in row.begins)
        self.firsts = frozenset(text[0] for text in self._begins)

    @cached_property
    def _goes_on(self) -> Callable[..., re.Match[str] | None]:
        begins: dict[str, list[str]] = {}  # by what may follow
        for row in self._rows.values():
            begins.setdefault(row.goes_on, []).extend(map(re.escape, row.begins))
        rest = "|".join(f"(?:{'|'.join(texts)})(?:{goes_on})" for goes_on, texts in begins.items())
        return re.compile(rest or "(?!)").fullmatch

    def match(self, text: str, place: int) -> tuple[Row, int] | None:
        """The row that opens at that place, and the end of what opens it."""
        found = self._match(text, place)
        return None if found is None else (self._rows[str(found.lastgroup)], found.end())

    def is_begun(self, text: str, place: int) -> bool:
        """Whether the rest of the text, from that place on, may become what opens one."""
        if len(text) - place > _TAIL:
            return False
        rest = text[place:]
        number = bisect_left(self._begins, rest)
        is_begun = number < len(self._begins) and self._begins[number].startswith(rest)
        return is_begun or self._goes_on(text, place) is not None


def is_mention(text: str, begin: int, end: int, *, ends: bool) -> bool | None:
    """Whether a tag is a word of a sentence: `a <pre> tag`, `(<pre>)`, `in <pre>.`. None if more text is needed."""
    if begin and text[begin - 1] not in _BEFORE_MENTION:
        return False
    if _is_mention(text, end) is not None:
        return True
    return None if not ends and _mention_begun(text, end) is not None else False


_line_ends_paragraph = re.compile(PARAGRAPH_ENDS).match


def ends_paragraph(rows: Rows, text: str, place: int, *, ends: bool) -> bool | None:
    """Whether the line at that place ends the paragraph before it. None if more text is needed."""
    if _line_ends_paragraph(text, place) is not None:
        return True
    if not ends and _paragraph_begun(text, place) is not None:
        return None
    if text[place : place + 1] not in rows.tags.firsts:
        return False
    found = rows.tags.match(text, place)
    if found is not None:
        return found[0].context not in {Context.REASONING, Context.PARAMETER}  # which calls have too
    return None if not ends and rows.tags.is_begun(text, place) else False


def _end(sign: str) -> tuple[str, str, str]:
    # The first character of such an end, the rest, and the rest of its beginning where the end of the text cuts it off.
    element = _end_of_element(sign)
    if element is not None:
        begun, name = r"\s{0,8}\Z|\Z", element[1][1:]
        for char in reversed(name.replace("\\", "")):
            begun = f"{re.escape(char)}(?:{begun}|\\Z)"
        return "<", f"(?i:{name}\\s{{0,8}}>)", f"(?i:{begun}|\\Z)"
    if sign[0] == "\n":  # at the beginning of a line, which is short
        return "\n", sign[1:], r"[^\n]{0,32}\Z"
    ends = [re.sub(r"\\(.)", r"\1", each) for each in re.split(r"(?<!\\)\|", sign)]
    first, rest = ends[0][0], "|".join(re.escape(each[1:]) for each in ends)
    return re.escape(first), f"(?:{rest})", _begun(_tree(ends)[first])
