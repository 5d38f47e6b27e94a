# Invariant: to name a format never reads less than to name none.
#
# A turn is read by `auto`, and by a parser that was given the name of a format: that of the turn, or any other. For
# both, the tools are those of the turn. Of what `auto` reads,
#
#   calls     each complete call is a complete call of the other reading: the same name, and the same arguments, but for
#             white space at their ends (a format may say that a line break belongs to a value)
#   markers   each character that is markup, white space aside, is neither content nor reasoning there
#
# A word is looked for by those who declare it, and by `auto`: the others would have to look at all prose for it. So let
# pass are a header that begins the turn with a word, because the prompt ends in its first marker (` to=self` before
# `<|message|>`), and all from a call on that begins neither its line nor with one of the signs `<[` (`functools[…]`).
# And if the prompt has opened the reasoning, a format that has reasoning of its own knows how it ends. And behind
# Harmony's own header, which begins the turn, comes what may be text, also if it begins like another family's call.
#
"""`python -m fuzz.knowing [--count N] [--seed N] [--format NAME]`: what is read only if no format is named."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from fuzz.reading import calls_of, labels, read
from fuzz.runner import Found, Fuzzer, raised
from tests.support.shared import FIXTURES, SHARED, rows
from toolglean import Event, Parser, ParserOptions
from toolglean.formats.registry import formats_of_auto, get_format
from toolglean.formats.spec import JsonOrText

__all__ = ["FUZZER", "KNOWN", "Row", "all_rows", "fixture_rows", "missed", "names"]

_FENCE = "its own fence begins with the same word, and no other one is asked"
_WRAPPER = "`<function=` is its own call: the wrapper around it is nobody's, and so a tag of the text"
KNOWN = {
    ("continue", "tool-code"): _FENCE,
    ("tool-call-fence", "tool-code"): _FENCE,
    ("mimo", "w3-qw-09"): _WRAPPER,
    ("seed-oss", "w3-qw-09"): _WRAPPER,
    ("step-3.5", "w3-qw-09"): _WRAPPER,
    ("seed-oss", "w3-nm-04"): _WRAPPER,
    ("functionary-v2", "functionary-v2"): "the prompt ends in the first marker: without it, `all` is text",
    ("granite-pythonic", "raven"): "its own calls have no separator",
    ("hyperclovax-think", "lag-02"): "a name alone: the turn is over before a format is certain",
}
"""What is read only if that format is not named, by its name and the row's id: why. Each row was read by each name."""


@dataclass(frozen=True, eq=False)
class Row:
    """A turn.

    Attributes:
        id: where it is from.
        text: what the model wrote.
        tools: those of its request.
        start: `content` or `reasoning`.
    """

    id: str
    text: str
    tools: list[Any]
    start: Literal["content", "reasoning"] = "content"


@lru_cache(maxsize=1)
def fixture_rows() -> tuple[Row, ...]:
    """The turns of the fixtures: each text once."""
    return _once(_of_fixtures())


@lru_cache(maxsize=1)
def all_rows() -> tuple[Row, ...]:
    """These, and the turns of ../shared where it is at hand."""
    return _once([*_of_shared(), *fixture_rows()])


def _once(found: Iterable[Row]) -> tuple[Row, ...]:
    texts = {row.text: row for row in found if row.text and row.tools}
    return tuple(sorted(texts.values(), key=lambda row: _number(row.text)))


def _number(text: str) -> int:
    return int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8], 16)


def _of_shared() -> Iterator[Row]:
    for path in sorted((SHARED / "renders").glob("[gj]*.jsonl.gz")):
        for number, each in enumerate(rows(path)):
            name = f"{path.stem}:{number}:{each['template']}:{each['case']}"
            yield Row(name, each["rendered_assistant_turn"], each["tools"])
    for path in sorted((SHARED / "vectors/wire").glob("*.jsonl")):
        for number, each in enumerate(rows(path)):
            yield Row(f"{path.stem}:{number}", each["output"], each["tools"])


def _of_fixtures() -> Iterator[Row]:
    inputs = json.loads((FIXTURES / "renders/inputs.json").read_text(encoding="utf-8"))
    for each in rows(FIXTURES / "renders/turns.jsonl"):
        yield Row(f"{each['template']}:{each['case']}", each["turn"], inputs["tools"])
    for path in sorted(FIXTURES.glob("wild*.jsonl")):
        for each in rows(path):
            yield Row(each["id"], each["text"], each["tools"], each.get("start") or "content")
    for path in sorted((FIXTURES / "formats").glob("*.json")):
        each = json.loads(path.read_text(encoding="utf-8"))
        yield Row(path.stem, each["turn"], each["tools"], each.get("start") or "content")


def _read(row: Row, name: str) -> list[Event]:
    options = ParserOptions(markup=True)
    return read(Parser(row.tools, format=name, start=row.start, options=options), row.text)


@lru_cache(maxsize=8192)
def _by_auto(row: Row) -> tuple[Counter[str], str]:
    events = _read(row, "auto")
    word = next((each.span[0] for each in calls_of(events) if _is_word(row.text, each.span[0])), len(row.text))
    return _calls(events, word), labels(events, len(row.text))[:word]


def _calls(events: list[Event], end: int) -> Counter[str]:
    return Counter(
        f"{'' if each.known else 'unknown '}{each.name} {json.dumps(_stripped(each.arguments), sort_keys=True)}"
        for each in calls_of(events)
        if each.status == "ok" and each.span[0] < end
    )


def _is_word(text: str, place: int) -> bool:
    line = text[:place].rpartition("\n")[2]
    return line.strip() != "" and text[place] not in "<["


def _stripped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.strip() if isinstance(value, str) else value for key, value in arguments.items()}


def missed(row: Row, name: str) -> tuple[str, str, str] | None:
    """What `auto` reads of a row and that format does not: the law, what, and a detail; or None."""
    wanted, marks = _by_auto(row)
    events = _read(row, name)
    found, kinds = _calls(events, len(row.text)), labels(events, len(row.text))
    shown = f"  {row.id}\n  {kinds}\n  {marks}\n"
    if (less := wanted - found) and not (_takes_text(name) and _tag_as_text(row.text)):
        return "calls", "fewer", f"{shown}  missed: {sorted(less)}\n  found: {sorted(found)}\n"
    pairs = zip(row.text, marks, kinds, strict=False)
    left = (char if mark == "m" and kind in "cr" else "\0" for char, mark, kind in pairs)
    if row.start == "reasoning" and get_format(name).all_reasonings:
        return None
    first, *pieces = "".join(left).split("\0")
    pieces = [each for each in (*([] if first.strip()[:1].isalnum() else [first]), *pieces) if each.strip()]
    return ("markers", "left", f"{shown}  left: {pieces}\n") if pieces else None


def _takes_text(name: str) -> bool:
    return isinstance(get_format(name).arguments, JsonOrText)


_tag_as_text = re.compile(r"\s*to=[^\s<]+<\|message\|>\s*<\w").match


def look(name: str, seed: int) -> Found | str:
    """Read the row of that number by its name."""
    row = all_rows()[(seed + _number(name)) % len(all_rows())]
    law, text = "no exception", row.text
    if (name, row.id) in KNOWN:
        return "known"
    try:
        found = missed(row, name)
    except Exception as error:  # noqa: BLE001  # that none is raised is a law
        what, detail = raised(error)
        return Found(name, law, what, text, detail)
    return "reads as much" if found is None else Found(name, found[0], f"{found[1]} ({row.id})", text, found[2])


def names() -> list[str]:
    """The formats. (One that is read only by its name finds more. Those of what breaks are in no model's name.)"""
    return [each.name for each in formats_of_auto() if not each.name.startswith("lost-")]


FUZZER: Fuzzer[Found] = Fuzzer("knowing", "What is read only if no format is named.", "readings", names, look)


if __name__ == "__main__":
    sys.exit(FUZZER.main())
