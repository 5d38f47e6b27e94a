# Arguments written as pairs of a key and a value, in a row or on lines. Does not depend on formats: the caller gives
# the pattern of one pair, the text between two, the tool's schema, and the markers that end the call.
#
#   --city "Oslo" --days 3        pattern `--{key} {value}`, quoted
#   city: Oslo\ndays: 3           pattern `{key}: {value}`, separator a line break
#   [city]Oslo[/city]             pattern `[{key}]{value}[/{key}]`
#
# - a value between quotes, or a list or object where the schema allows no text, ends by itself; the rest of the pattern
#   follows
# - any other value is text, and ends where the rest of the pattern and then the next pair, or the end of the call,
#   follow. A pair is one whose key is a parameter of the tool that was not given yet. So a value may contain
#   separators, signs, and keys of other tools. The schema types the text
# - white space in a pattern is any white space, or none; a separator with a line break is at least one, and then the
#   end of the call begins a line, too
# - text is exact next to a marker of the pattern; elsewhere, white space around it belongs to the pattern
#
# What ends a value is decided at the character that completes it. Values are emitted when they are whole.
"""Pairs of keys and values, incrementally."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from toolglean.scan.coerce import coerce_within, is_text, kinds_of
from toolglean.scan.json import decode
from toolglean.scan.nested import DepthError, json_text
from toolglean.scan.plain import grown
from toolglean.scan.reader import DialectReader, string_text
from toolglean.scan.scanner import DONE, loop
from toolglean.scan.values import QUOTES, ValueScanner, as_json

__all__ = ["PairPattern", "PairsReader"]

# States, named for what has been read.
BETWEEN = 0  # nothing, or a pair: another pair, or the end of the call
BEFORE_VALUE = 1  # `city=`
WHOLE = 2  # `city="Os`: a value that ends by itself
TEXT = 3  # `city=Os`

WINDOW = 640  # characters before a value's end that are looked at
SPACES = 128  # of white space in one place of a pattern
MAX_BETWEEN = 1024  # of the text between two pairs


class PairPattern(NamedTuple):
    """How a pair is written: see `Pairs` in formats/words.py.

    Attributes:
        before, between, after: the text before the key, between key and value, and after the value; the last may
            contain `{key}`.
        separator: the text between two pairs.
        quoted: whether quotes around a value are part of its notation.
    """

    before: str
    between: str
    after: str
    separator: str
    quoted: bool

    @property
    def by_lines(self) -> bool:
        """Whether each pair begins a line."""
        return "\n" in self.separator


class _Grammar(NamedTuple):
    # What may follow: compiled for a pattern, the keys of a tool, and the markers that end its calls.
    start: re.Pattern[str]  # another pair
    end: re.Pattern[str]  # the end of the call
    follows: re.Pattern[str]  # at the end of text: what follows a value
    beginnings: tuple[str, ...]  # all of that, without white space
    dull: re.Pattern[str]  # passes over what cannot be the last character of what follows a value


_GAP = rf"\s{{0,{SPACES}}}"
_SPACE = rf"\s{{1,{SPACES}}}"
_LINE = rf"[^\S\n]{{0,{SPACES}}}\n{_GAP}"
_WHITE = (_GAP, _SPACE, _LINE)


@lru_cache(maxsize=512)
def _grammar(pattern: PairPattern, keys: tuple[str, ...], ends: tuple[str, ...]) -> _Grammar:
    key = "|".join(map(re.escape, sorted(keys, key=len, reverse=True))) if keys else r"[\w.-]{1,256}"
    between = _spaced(pattern.between.rstrip()) if pattern.between.strip() else r"\s"
    start = f"{_spaced(pattern.before.lstrip())}(?P<key>{key}){between}"
    end = f"(?P<end>{'|'.join(each if each.isspace() else _spaced(each.lstrip()) for each in ends) or '(?!)'})"
    core, after = _spaced(pattern.separator.strip()), _spaced(pattern.after.strip())
    may_separate = f"(?:{core}{_GAP})?" if core else ""
    space = _LINE if pattern.by_lines else _GAP if after or not pattern.separator else _SPACE
    separator = _lined(pattern.separator) if core else [space]
    closes = [_GAP] * (pattern.after[:1].isspace() or not after) + ([after, _GAP] if after else [])
    lines = [_LINE] * pattern.by_lines
    ended = "|".join(_joined(*closes, *each, *lines) for each in ([core, _GAP], []) if core or not each)
    follows = f"{_joined(*closes, *separator)}{start}|(?:{ended}){end}"
    begin = r"(?<!\s)" if closes[0] == _GAP else ""  # a run of white space is matched from its beginning
    beginnings = [f"{pattern.before}{each}{pattern.between}" for each in keys]
    beginnings = [lead + each for each in (*beginnings, *ends) for lead in ("", pattern.separator)]
    lasts = {
        ("".join(each.split()) or each or " ")[-1] for each in (*beginnings, *(() if keys else (pattern.between,)))
    }
    lasts |= set() if pattern.between.strip() else {" ", "\n", "\t", "\r"}
    return _Grammar(
        re.compile(f"{_GAP}{may_separate}{start}"),
        re.compile(f"{_GAP}{may_separate}{end}"),
        re.compile(rf"{begin}(?:{follows})\Z"),
        tuple("".join(each.split()) for each in beginnings) if keys else (),
        re.compile(f"[^{re.escape(''.join(sorted(lasts)))}]*"),
    )


def _lined(separator: str) -> list[str]:
    # A line break in it is one; other white space may be missing.
    parts = re.split(r"(\s+)", separator)
    return [(_LINE if "\n" in part else _GAP) if part.isspace() else re.escape(part) for part in parts if part]


def _joined(*parts: str) -> str:
    # The parts in a row. A run of white space, which may be as long as what is looked at, matches in one way only: if
    # it could be shared between its parts in every way, it would take cubic time.
    found: list[str] = []
    for is_white, group in groupby(parts, _WHITE.__contains__):
        run = [*group]
        if not is_white or (len(run) == 1 and found):
            found += run
        elif _LINE in run:
            found.append(rf"\s{{0,{WINDOW}}}\n[^\S\n]{{0,{SPACES}}}")
        else:
            found.append(rf"\s{{{int(_SPACE in run)},{WINDOW}}}")
    return "".join(found)


def _spaced(text: str) -> str:
    return _GAP.join(map(re.escape, re.split(r"\s+", text)))


class PairsReader(DialectReader):
    """Reads pairs up to a marker that ends the call.

    Args:
        pattern: how a pair is written.
        properties: the JSON schema of each parameter; {} if the tool is not known.
        max_depth: how many containers may be open.
        root: the schema in which their `$ref` is looked up.
        ends: the markers that end the call.
    """

    __slots__ = (
        "_ends", "_grammar", "_key", "_pattern", "_properties", "_root", "_seen", "_tail", "_value", "unquoted",
    )  # fmt: skip
    owned = (*DialectReader.owned, "_value")
    is_final = True

    def __init__(
        self,
        pattern: PairPattern,
        properties: Mapping[str, Any],
        max_depth: int = 256,
        *,
        root: Mapping[str, Any] | None,
        ends: tuple[str, ...],
    ) -> None:
        super().__init__(max_depth)
        self._pattern, self._properties, self._root, self._ends = pattern, properties, root, ends
        self._seen: tuple[str, ...] = ()
        self._key = self._tail = self.unquoted = ""
        self._value: ValueScanner | None = None
        self._grammar = self._grammar_after("")
        self.write("{")  # it is emitted with whatever is read first

    def _grammar_after(self, own: str) -> _Grammar:
        # What may follow the value of the parameter `own`.
        after = self._pattern.after.replace("{key}", own)
        keys = tuple(key for key in self._properties if key not in self._seen)
        if self._properties and not keys:
            keys = ("\0",)  # none is left
        return _grammar(self._pattern._replace(after=after), keys, self._ends)

    def _read_between(self, text: str, pos: int) -> int:
        char, grammar = text[pos], self._grammar
        held = self.held + char
        if char == "\n" and self._seen and "\n" in self._ends:
            return self._finish("\n", pos + 1)
        if held.isspace():
            self.held = "\n" if "\n" in held else " "
            return pos + 1
        if (found := grammar.start.fullmatch(held)) is not None:
            return self._begin_value(found["key"], pos + 1)
        if (found := grammar.end.fullmatch(held)) is not None:
            return self._finish(found["end"], pos + 1)
        squeezed = "".join(held.split())
        wrong = grammar.beginnings and not any(each.startswith(squeezed) for each in grammar.beginnings)
        if wrong or len(held) > MAX_BETWEEN:
            return self.fail("a parameter of the tool was expected", pos)
        self.held = held
        return pos + 1

    def _begin_value(self, key: str, pos: int) -> int:
        self._key, self._seen, self.held = key, (*self._seen, key), ""
        self._grammar = self._grammar_after(key)
        self.state = BEFORE_VALUE
        return pos

    def _read_before(self, text: str, pos: int) -> int:
        char, pattern = text[pos], self._pattern
        if char.isspace() and (pattern.between[-1:].isspace() or not pattern.after) and char not in "\r\n":
            return pos + 1
        if (char in QUOTES and pattern.quoted) or (char in "[{" and self._ends_itself()):
            self._value, self.state = ValueScanner(self.max_depth), WHOLE
        else:
            self._tail, self.state = "", TEXT
        return pos

    @property
    def _schema(self) -> Any:
        return self._properties.get(self._key)

    def _ends_itself(self) -> bool:
        kinds = kinds_of(self._schema, self._root)
        return "string" not in kinds and bool(kinds & {"array", "object"} or (not kinds and self._pattern.quoted))

    def _read_whole(self, text: str, pos: int) -> int:
        value = self._value
        assert value is not None
        pos = value.read(text, pos)
        if value.fault:
            return self.fail(value.fault, pos)
        if value.is_whole:
            found = as_json(value.text, self.max_depth - 1)
            if not found:
                return self.fail("a value was expected", pos - 1)
            self._value = None
            if found[0] == '"' and not is_text(self._schema, self._root):
                found = json_text(self._typed(decode(found)[0]))
            self._end_value(found)
            self._expect_rest()
        return pos

    def _expect_rest(self) -> None:
        # After a value that ends by itself, the rest of its pattern is like the beginning of what follows.
        after = self._pattern.after.replace("{key}", self._key).strip()
        if after:
            base = self._grammar
            self._grammar = base._replace(
                start=re.compile(f"{_GAP}{_spaced(after)}{base.start.pattern}"),
                end=re.compile(f"{_GAP}{_spaced(after)}{base.end.pattern}"),
                beginnings=tuple("".join(after.split()) + each for each in base.beginnings),
            )

    def _typed(self, text: str) -> Any:
        try:
            return coerce_within(text, self._schema, self._root, self.max_depth - 1)
        except DepthError:
            return text

    def _read_text(self, text: str, pos: int) -> int:
        grammar = self._grammar
        dull = grammar.dull.match(text, pos).end()  # type: ignore[union-attr]  # it matches ""
        end = min(dull + 1, len(text))
        piece = text[pos:end]
        self.collected, self._tail = grown(self.collected, piece), (self._tail + piece)[-WINDOW:]
        found = grammar.follows.search(self._tail) if dull < end else None
        if found is None:
            return end
        value = self.take_collected()
        value = value[: len(value) - len(self._tail) + found.start()]
        self._tail = ""
        if not self._pattern.after:
            value = value.rstrip()
        if self._pattern.quoted:
            self.unquoted += f"{value}\n"
        self._end_value(json_text(self._typed(value)))
        if found["end"] is not None:
            return self._finish(found["end"], end)
        return self._begin_value(found["key"], end)

    def _end_value(self, value: str) -> None:
        self.write_item(f"{string_text(self._key)}: {value}")
        self.lead, self.state, self.held = ", ", BETWEEN, ""

    def _finish(self, end: str, pos: int) -> int:
        self.write("}")
        self.token, self.rest = DONE, end
        return pos

    states = (_read_between, _read_before, _read_whole, _read_text)
    advance = loop(states, 0)
