# Which lines of content may begin a call in a spelling that no format declares. Does not know with what such a line
# begins (beginnings.py), or what follows it (candidate.py).
#
# What may still become the beginning of such a line waits for the next chunk. Most text never gets this far: the fast
# paths examine only text with a line break, or with a sign.
#
# Such a call counts only where nothing is open around it: `<rejected>`, `[example]` or `<permission>` say what it is,
# whether they are closed later or not. Every tag counts, because a list of those that matter would never be whole;
# HTML's elements that have no closer do not. And no line before it may announce it.
"""Lines that may begin a call, and what stands around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolglean.engine.by_schema.beginnings import begins, may_begin
from toolglean.scan.text import KEPT, NO_GUARD, Finder, in_sentence

if TYPE_CHECKING:
    from toolglean.engine.page.where import Closed

__all__ = [
    "NOTHING",
    "NO_GUARDS",
    "READ",
    "Around",
    "Lines",
    "Searches",
    "announces",
    "begin_in",
    "lines_of",
    "may_have_tags",
    "searches_of",
]

Search: TypeAlias = "Callable[[str], re.Match[str] | None]"

LINE = "\n"
SIGNS = "<["  # with which closers begin, too
READ = -2
NO_GUARDS = ("", "", "")
MOST_KINDS, MOST_SHORT, SHORT = 4096, 1024, 8  # what `begins` says of so few characters is remembered, too
LONGEST_TAG = 512
MOST_TAGS = 32  # tags that are remembered
_SPACE = " \t\r\n*_"
_ANNOUNCES = frozenset(":：?？؟;；—↓⇓⬇⤵▼▽👇🔽")
_BEHIND = "".join((_SPACE, "\u00a0\u200b\u2060\ufe0e\ufe0f", "\"'`”’»)]}）】」』\\"))  # what may follow such a sign
_opens = re.compile(  # the end of a line that opens something
    r"(?:[-=+~#|<({\[]|\*\*\*|__|\*/)[ \t]*\r?\n\Z"
).search

# Each way begins with a character, so that the search skips to those at once.
_tag = re.compile(
    r"<(?:(?<![\w`]<)|(?=/))(?P<close>/?)(?P<name>[^\W\d][\w.:-]{0,64})(?:\s[^<>]{0,512})?(?P<empty>/?)>"
    r"|\[(?<![^\n]\[)(?P<shut>/?)(?P<word>[^\W\d][\w-]{0,32})(?:[ =:][^\[\]\n]{0,96})?\](?=\s)"
    r"|<(?<=[^<]<<)-?[\"']?(?P<here>[^\W\d]\w{0,32})[\"']?[ \t]*\r?\n"  # a here-document
    r"|<!--(?P<note>[^<>]{0,512})-->"
).finditer
_begun = re.compile(
    r"<(?:(?<!\w<)|(?=/|\Z))(?:(?:/|-?[\"']?)[^\W\d][^<>]{0,600}|/|-?[\"']?|!(?:-|--[^<>]{0,600})?)?\Z"
    r"|\[(?<![^\n]\[)(?:/?[^\W\d][^\[\]\n]{0,128}\]?|/)?\Z"
).search

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)


def may_have_tags(text: str) -> bool:
    """Whether that text may change what is open, if no tag has begun before it."""
    return "<" in text or "\n[" in text or text[:1] == "["


def guards_of(finder: Finder, also: str = "") -> tuple[str, str, str]:
    """Three characters without which a text contains nothing of that finder, nor any of these characters; NO_GUARDS if
    they are more.
    """
    guards = [*dict.fromkeys((*also, *finder.guards))]
    found = [each for each in guards if each != NO_GUARD]
    if "" in found or len(found) > 3:
        return NO_GUARDS
    first, second, third = [*found, *[NO_GUARD] * 3][:3]
    return first, second, third


class Searches:
    """What the fast paths look for in text. Shared, never changed but for caches.

    Args:
        finder: finds the openers of formats.
        guarded: whether a text without its guards need not be examined.

    Attributes:
        find_opener: tells whether a chunk must be examined.
        guards: the characters without which it need not be: see `guards_of`.
        plain: some chunks in which it has found nothing; without guards, of all that have the same finder.
        search: tells whether a text may contain an opener, apart from the beginnings of lines.
    """

    __slots__ = ("find_opener", "guards", "plain", "search")

    def __init__(self, finder: Finder, *, guarded: bool) -> None:
        self.find_opener: Search = finder.search
        self.guards = guards_of(finder) if guarded else NO_GUARDS
        self.plain: set[str] = set() if self.guards[0] else finder.plain
        self.search: Search = finder.search


class _LineSearches(Searches):
    """The same for content in which lines matter, whatever the tools are.

    Attributes:
        kinds: for the first two characters of a line, whether it must be examined: see `Lines`.
        words, begun, longest: the openers at beginnings of lines, how they begin, and the length of the longest one.
    """

    __slots__ = ("begun", "ends", "kinds", "longest", "words")

    def __init__(self, finder: Finder) -> None:
        self.words = tuple(finder.line_words)
        self.longest = max(map(len, self.words), default=0)
        self.begun = frozenset(each[: size + 1] for each in self.words for size in range(len(each)))
        anywhere = finder.within_lines()
        super().__init__(anywhere, guarded=False)
        self.guards = guards_of(anywhere, SIGNS + LINE)
        self.find_opener, self.plain = anywhere.search_also(SIGNS + LINE), set()
        self.ends: dict[str, int] = {}  # see `Lines`
        self.kinds: tuple[dict[str, bool], dict[str, bool]] = {}, {}  # without tools, and with tools


searches_of = lru_cache(maxsize=256)(_LineSearches)
"""The searches for what such a finder finds; made once."""


@lru_cache(maxsize=256)
def _beginnings_of(names: frozenset[str]) -> frozenset[str]:
    # The first two characters of lines that begin with a tool's name, and the first one. Made once for all finders.
    return frozenset(f"{each[:2]}{sign}"[:size] for each in names for sign in "({[ " for size in (1, 2))


class Lines:
    """What to look for at the beginnings of lines, on the fast paths. Shared, never changed except for a cache.

    Args:
        finder: finds the openers of formats.
        names: the names of the tools; none if no calls in undeclared spellings are read.

    Attributes:
        ends: for some short texts without a line, with one, and at the start of one, how much of them is plain.
            The first is the same for all tools.
    """

    __slots__ = ("_begun", "_kinds", "_longest", "_named", "_names", "_short", "_words", "ends")

    def __init__(self, finder: Finder, names: frozenset[str]) -> None:
        found = searches_of(finder.alike)
        self._names, self._words, self._begun, self._longest = names, found.words, found.begun, found.longest
        self._kinds = found.kinds[bool(names)]
        self._named = _beginnings_of(names)
        self._short = lru_cache(maxsize=MOST_SHORT)(self._looked_at)  # for texts that come again and again
        self.ends: tuple[dict[str, int], ...] = found.ends, {}, {}

    def look(self, text: str, *, at_line: bool) -> int:
        """Look for a line of the text that may begin a call, or that may become the beginning of such a line.

        Args:
            text: content, which is not the first of its turn.
            at_line: whether a line begins where the text does.

        Returns:
            -1 if there is none. The place where the last line begins if only that one may, and its beginning is not
            complete: it waits for more text. READ: the text must be read.
        """
        kinds = self._kinds
        i, end = (0 if at_line else text.find(LINE) + 1 or len(text)), len(text)
        while i < end:
            two = text[i : i + 2]
            kind = kinds.get(two)
            if kind is None:
                kind = self._learn(two)
            if (kind or two in self._named) and (found := self._begins(text, i)) is not False:
                return READ if found else i
            i = text.find(LINE, i) + 1 or end
        return -1

    def _learn(self, two: str) -> bool:
        found = bool(self._names and may_begin(two)) or two in self._begun or two[:1] in self._words
        if len(self._kinds) < MOST_KINDS:
            self._kinds[two] = found
        return found

    def _begins(self, text: str, i: int) -> bool | None:
        return self._looked_at(text, i) if len(text) - i > SHORT else self._short(text[i:])

    def _looked_at(self, text: str, i: int = 0) -> bool | None:
        if text.startswith(self._words, i):
            return True
        if self._names and (found := begins(text, i, self._names, opens_content=False, at_end=True)) is not False:
            return found
        return None if len(text) - i <= self._longest and text[i:] in self._begun else False


@lru_cache(maxsize=1024)
def lines_of(finder: Finder, names: frozenset[str]) -> Lines | None:
    """What to look for at the beginnings of lines, if anything; made once."""
    return Lines(finder, names) if names or finder.line_words else None


def begin_in(text: str, i: int, end: int, last: str, names: frozenset[str], *, opens_content: bool) -> tuple[int, bool]:
    """Find the first line that may begin a call. More text may follow, so that a line's beginning may be incomplete.

    Args:
        text: content, from `i` to `end`.
        i, end: where it begins and ends.
        last: the text before it.
        names: the names of the tools.
        opens_content: whether it is the first content of its turn: then a line may begin with a tool's name.

    Returns:
        Its place, and True; or the place of a line whose beginning is not complete, and False; or -1.
    """
    if end < len(text):
        text = text[:end]
    begun = i
    i = i if last[-1:] in {"", LINE} else text.find(LINE, i) + 1 or end
    while i < end:
        opens_content, begun = opens_content and not text[begun:i].strip(), i
        found = begins(text, i, names, opens_content=opens_content, at_end=True)
        if found is not False:
            return i, found is True
        i = text.find(LINE, i) + 1 or end
    return -1, False


class Around(NamedTuple):
    """What is open. Never changed.

    Attributes:
        open: the names of the tags that are open, and their places, the last one last.
        seen: the names of all tags.
        refused: whether a line that may begin a call was refused: then those that follow it are not calls either.
        tail: the end of the text, if it may be the beginning of a tag.
        before: the text before that.
        mention: the end of the text up to its last tag, if that opens and is a word of a sentence (`write <calls>`);
            or "".
        announced: the end of the text up to its last tag, if what is before that announces what follows; or "".
        shut: the last tags that were closed, and the place of what closed each.
    """

    open: tuple[tuple[str, int], ...] = ()
    seen: frozenset[str] = frozenset()
    refused: bool = False
    tail: str = ""
    before: str = ""
    mention: str = ""
    announced: str = ""
    shut: tuple[tuple[str, int, int], ...] = ()

    def continues(self, text: str) -> bool:
        """Whether a sentence goes on behind text with that end: only its last tag and white space are there."""
        return self.mention != "" and _is_behind(text, self.mention)

    def announces(self, text: str) -> bool:
        """Whether text with that end announces what follows, whatever tags are behind the colon."""
        return announces(text, self.announced)

    def reaches(self, closed: Closed) -> bool:
        """Whether any tag began, opened or was closed in that quotation, or behind its beginning."""
        since, shut = closed[0], self.shut
        return self.tail != "" or (shut != () and shut[-1][2] >= since) or any(each[1] >= since for each in self.open)

    def outside(self, closed: Closed, end: int) -> Around:
        """The same if no tag counts that is in a quotation that has ended: see `Where.closed`. What opened in one that
        was a guess is open: `I can`t <rejected> it, I won`t` may be prose.

        `end`: the place after the text.
        """
        since, until, _, is_sure = closed
        again = (each[:2] for each in self.shut if since <= each[2] < until)
        opened = [each for each in (*self.open, *again) if not (is_sure and since <= each[1] < until)]
        shut = (each for each in self.shut if not (since <= each[2] < until or (is_sure and since <= each[1] < until)))
        found = self._replace(open=tuple(sorted(opened, key=_place)), shut=tuple(shut))
        begun = end - len(self.tail)
        if not is_sure or until <= begun:
            return found
        tail = self.tail[until - begun :]  # no tag goes on behind a quotation
        return found._replace(tail="", before="").read(tail, self.tail[: until - begun], until)

    def read(self, text: str, last: str, start: int) -> Around:
        """The same after that text, which is content, and is at that place; `last`: the end of the text before it, if
        there is any.
        """
        ends = "<" in text or ">" in text or "]" in text or self.tail[-1:] == "]" or len(self.tail) > LONGEST_TAG
        ends = ends or (LINE in text and self.tail[:1] == "<")
        if self.tail and not ends:
            # It goes on. `_replace` costs four calls of functions.
            return Around(self.open, self.seen, self.refused, self.tail + text, *self[4:])
        before = (self.before if self.tail else last) or "\n"
        text, size, base = before + self.tail + text, len(before), start - len(self.tail) - len(before)
        opened, seen, mention = list(self.open), self.seen, self.mention
        announced, shut = self.announced, self.shut
        if "<?" in text and "?" not in [each for each, _ in opened]:  # what follows is a document of XML
            opened = [("?", base + text.index("<?")), *opened]
        for tag in _tag(text, size):
            close, word, empty, shut_word, other, here, note = tag.groups()
            name, place = (word or other or here or "").casefold(), tag.start()
            mentioned, mention, behind = mention, "", text[max(place - KEPT, 0) : place]
            is_announced = _announces(behind) or (announced != "" and _is_behind(behind, announced))
            announced = _end_of(text, tag.end()) if is_announced and not behind.isspace() else ""
            if note is not None:
                mention = mentioned
            elif empty or name in _VOID:
                seen = seen if name in seen else seen | {name}
            elif not (close or shut_word):
                # What may be the beginning of a tag is read again with more text, and tags in it are open once.
                new, seen = (name, base + place), seen if name in seen else seen | {name}
                opened = opened if new in opened else [*opened, new][:MOST_TAGS]
                in_line = (behind[-1] != LINE and _in_sentence(behind)) or (mentioned and _is_behind(behind, mentioned))
                if in_line and not name.startswith("end_"):  # `<end_x>` may close a result
                    mention = _end_of(text, tag.end())
            elif name in (names := [each for each, _ in opened]):
                last_one, closer = len(names) - 1 - names[::-1].index(name), base + place
                shut = (*shut, *((*each, closer) for each in opened[last_one:]))[-MOST_TAGS:]
                del opened[last_one:]
        begun = _begun(text, size)
        seen = seen if len(seen) <= MOST_TAGS else self.seen
        if begun is None:
            return Around(tuple(opened), seen, self.refused, "", "", mention, announced, shut)
        place = begun.start()
        return Around(tuple(opened), seen, self.refused, text[place:], _end_of(text, place), mention, announced, shut)


NOTHING = Around()


def _place(tag: tuple[str, int]) -> int:
    return tag[1]


def _end_of(text: str, place: int) -> str:
    return text[max(place - KEPT, 0) : place]


def _is_behind(text: str, mention: str) -> bool:
    # Whether text with that end ends with the tag that was mentioned, and white space.
    end = text[-KEPT:].rstrip()
    return len(end) > 1 and mention.endswith(end)


def announces(before: str, announced: str = "") -> bool:
    """Whether text with that end announces what follows: it ends in a colon, a question mark or a sign that points on,
    with nothing but signs behind it. Or it opens something: the line directly before ends as a rule does, or in an
    opening bracket. If it is all white space, that is not known.

    `announced`: see `Around`.
    """
    return _announces(before[-KEPT:]) or (announced != "" and _is_behind(before, announced))


_in_sentence = lru_cache(maxsize=1024)(in_sentence)  # the ends before tags are few


@lru_cache(maxsize=1024)
def _announces(end: str) -> bool:
    text = end.rstrip(_SPACE)
    if not text or _opens(end):
        return bool(end)
    from unicodedata import category  # noqa: PLC0415  # the import of toolglean does without it

    while (
        text
        and not (text[-1].isalnum() or text[-1] in _ANNOUNCES)
        and (text[-1] in _BEHIND or category(text[-1]) == "So")
    ):
        text = text[:-1]
    return text[-1:] in _ANNOUNCES
