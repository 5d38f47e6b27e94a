# What a case is, where the shipped cases are, and which files are refused. Does not depend on how a case is played
# (runner.py) or judged (judge.py).
#
# case.schema.json defines the same for other programs. `_wrong` checks by hand, because the package has no validator; a
# test compares the two.
"""Cases: a text, the tools, and the expected result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Final

from toolglean.errors import UsageError

__all__ = ["SCHEMA", "Case", "case_schema", "load_cases", "read_cases"]

SCHEMA: Final = 2
"""The version of the schema in which this toolglean ships its cases."""

READABLE: Final = (1, 2)
"""The versions that it reads."""

FILES: Final = ("written.jsonl", "wild.jsonl", "formats.jsonl", "templates.jsonl")
TIERS: Final = ("core", "policy")
_SHAPES: Final[dict[str, tuple[type | tuple[type, ...], bool]]] = {
    "id": (str, True),
    "kind": (str, True),
    "text": (str, True),
    "tools": (list, True),
    "expected": (dict, True),
    "source": (str, True),
    "license": (str, True),
    "format": ((str, type(None)), False),
    "model": ((str, type(None)), False),
    "start": ((str, type(None)), False),
    "also_right": (list, False),
    "special": ((list, type(None)), False),
    "atomic": ((list, type(None)), False),
    "note": (str, False),
}
"""For each field of version 1: its types, and whether it is required."""

_SHAPES_2: Final[dict[str, tuple[type | tuple[type, ...], bool]]] = {
    "tier": (str, True),
    "question": ((str, type(None)), False),
    "also_sound": (list, False),
    "disputed": ((str, type(None)), False),
    "third_party": ((dict, type(None)), False),
}
"""The fields that version 2 added. A case of version 1 is a core case."""

_REASONING: Final = re.compile(r"\s*</?[\w:]*think>")
"""A marker of reasoning at the beginning of a turn. Later it may be text of a value."""


@dataclass(frozen=True, slots=True)
class Case:
    """One turn of a model, and the expected result.

    Attributes:
        id: its name, unique among the cases of a run.
        kind: what it tests: "clean", "mention", "truncated" and so on.
        text: everything that the model wrote.
        tools: the tools of the request, as OpenAI's function dicts.
        calls: the calls that should run, as dicts with `name` and `arguments`.
        content, reasoning: the rest of the turn; None if that is not judged.
        also_right: other lists of calls that are right too, such as those of a repaired reading.
        format: the name of the wire format (`toolglean formats`); None if there is none, or it is not known.
        model: a model that writes like this; None if it is not known.
        start: "reasoning" if the prompt has opened the reasoning.
        special: the spans of the text that special tokens wrote, `(start, end)` in characters; None if that is not
            known.
        atomic: the markers that are one token in the model's vocabulary; None if that is not known.
        source: where the case comes from.
        license: the terms under which it may be used.
        note: what is special about it.
        tier: "core" if every sound parser gives this result; "policy" if it answers a question on which sound parsers
            differ.
        question: which question, one of `tiers.QUESTIONS`, or one of your own; None for a core case.
        also_sound: for a policy case, other lists of calls that a sound parser may run. They are not right, but they
            are not unsafe either.
        disputed: why, and where, the expected result is disputed; "" if it is not. A disputed case is tried and
            reported, but not scored.
        third_party, third_party_license: work of others that is contained in the text, and its terms; "" if there is
            none.
    """

    id: str
    kind: str
    text: str
    tools: tuple[dict[str, Any], ...]
    calls: tuple[dict[str, Any], ...]
    content: str | None
    reasoning: str | None
    also_right: tuple[tuple[dict[str, Any], ...], ...] = ()
    format: str | None = None
    model: str | None = None
    start: str | None = None
    special: tuple[tuple[int, int], ...] | None = None
    atomic: tuple[str, ...] | None = None
    source: str = ""
    license: str = ""
    note: str = ""
    tier: str = "core"
    question: str | None = None
    also_sound: tuple[tuple[dict[str, Any], ...], ...] = ()
    disputed: str = ""
    third_party: str = ""
    third_party_license: str = ""

    @property
    def reasons(self) -> bool:
        """Whether reasoning matters: it is judged, the prompt has opened it, or the text begins with a marker of it."""
        return self.start == "reasoning" or self.reasoning is not None or _REASONING.match(self.text) is not None

    @property
    def ended(self) -> str:
        """Why the turn ended: "length" if it was cut off, else "stop", as a server knows it."""
        return "length" if self.kind == "truncated" else "stop"

    @property
    def tool_names(self) -> frozenset[str]:
        """The names of the tools."""
        return frozenset(tool["function"]["name"] for tool in self.tools)


def load_cases() -> list[Case]:
    """The cases that ship with toolglean."""
    folder = files("toolglean.kit.conformance") / "cases"
    return [case for name in FILES for case in _cases(folder.joinpath(name).read_text(encoding="utf-8"), name)]


def read_cases(path: str | PathLike[str]) -> list[Case]:
    """The cases of a file of JSON lines, one case in each line.

    Args:
        path: the file.

    Raises:
        UsageError: the file cannot be read, a line is not a case, its `schema` is a version that this toolglean cannot
            read, or two cases have the same id. The message names file and line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    return list(_cases(text, str(path)))


def case_schema() -> dict[str, Any]:
    """The JSON schema of a case, for all versions that this toolglean reads."""
    found: dict[str, Any] = json.loads(
        files("toolglean.kit.conformance").joinpath("case.schema.json").read_text("utf-8")
    )
    return found


def _cases(text: str, where: str) -> Iterator[Case]:
    seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{where}, line {number}"
            case = _case(line, place)
            if case.id in seen:
                raise UsageError(f"{place}: id={case.id!r} is the id of an earlier case; each case needs its own")
            seen.add(case.id)
            yield case


def _case(line: str, place: str) -> Case:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{place}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise UsageError(f"{place}: {line[:60]!r} is not a case; expected an object")
    version = row.get("schema")
    if version not in READABLE or isinstance(version, bool):
        raise UsageError(
            f"{place}: schema={version!r}: this toolglean reads versions {' and '.join(map(str, READABLE))}; install "
            f"one that reads the case, or write the case in version {SCHEMA}"
        )
    wrong = next(_wrong(row), None)
    if wrong is not None:
        raise UsageError(f"{place}: {wrong} (`toolglean conformance --print-schema` prints the schema)")
    return _made(row)


def _wrong(row: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrong_fields(row)
    if row.get("start") not in {None, "content", "reasoning"}:
        yield f"start={row['start']!r}: expected 'content', 'reasoning' or null"
    yield from _wrong_calls(row["expected"].get("calls"), "expected.calls")
    for other in row.get("also_right", ()):
        yield from _wrong_calls(other, "also_right")
    for name in ("content", "reasoning"):
        if not isinstance(row["expected"].get(name, 0), str | None):
            yield f"expected.{name} must be text, or null if it is not judged"
    if row["schema"] != 1:
        yield from _wrong_tier(row)
    yield from _wrong_tokens(row)
    for tool in row["tools"]:
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            yield f"tools: {tool!r} is not a function in the form of OpenAI's API"


def _wrong_fields(row: Mapping[str, Any]) -> Iterator[str]:
    shapes = _SHAPES if row["schema"] == 1 else _SHAPES | _SHAPES_2
    for name, (shape, needed) in shapes.items():
        if (name in row and not isinstance(row[name], shape)) or (needed and name not in row):
            shown = repr(row[name])[:60] if name in row else "missing"
            yield f"{name}={shown}: expected {_named(shape)}"
    for name in sorted(row.keys() - shapes.keys() - {"schema"}):
        yield f"{name!r} is not a field of a case of schema version {row['schema']}"


def _wrong_tier(row: Mapping[str, Any]) -> Iterator[str]:
    if row["tier"] not in TIERS:
        yield f"tier={row['tier']!r}: expected 'core' or 'policy'"
    if (row["tier"] == "policy") != bool(row.get("question")):
        yield f"question={row.get('question')!r}: a policy case needs its question; a core case has none"
    if row.get("also_sound") and row["tier"] == "core":
        yield "also_sound: a core case has only right answers; use also_right"
    for other in row.get("also_sound", ()):
        yield from _wrong_calls(other, "also_sound")
    party = row.get("third_party")
    if party is not None and not (party.keys() == {"name", "license"} and all(map(_is_text, party.values()))):
        yield f"third_party={party!r:.60}: expected an object with name and license"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _wrong_tokens(row: Mapping[str, Any]) -> Iterator[str]:
    place = 0
    for span in row.get("special") or ():
        fine = isinstance(span, list) and len(span) == 2 and all(type(each) is int for each in span)
        if not fine or not place <= span[0] < span[1] <= len(row["text"]):
            yield f"special: {span!r} is not a span; expected [start, end] within the text, in order"
            return
        place = span[1]
    for marker in row.get("atomic") or ():
        if not isinstance(marker, str) or not marker:
            yield f"atomic: {marker!r} is not a marker; expected text"


def _wrong_calls(calls: object, where: str) -> Iterator[str]:
    if not isinstance(calls, list):
        yield f"{where}={calls!r}: expected a list of calls"
        return
    for call in calls:
        fine = isinstance(call, dict) and isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)
        if not fine:
            yield f"{where}: {call!r} is not a call; expected an object with name and arguments"


def _named(shape: type | tuple[type, ...]) -> str:
    words = {str: "text", list: "a list", dict: "an object", type(None): "null"}
    return " or ".join(words[each] for each in (shape if isinstance(shape, tuple) else (shape,)))


def _made(row: Mapping[str, Any]) -> Case:
    def calls(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
        return tuple({"name": each["name"], "arguments": each["arguments"]} for each in rows)

    expected, third_party = row["expected"], row.get("third_party") or {}
    return Case(
        id=row["id"],
        kind=row["kind"],
        text=row["text"],
        tools=tuple(row["tools"]),
        calls=calls(expected["calls"]),
        content=expected["content"],
        reasoning=expected["reasoning"],
        also_right=tuple(calls(each) for each in row.get("also_right", ())),
        format=row.get("format"),
        model=row.get("model"),
        start=row.get("start"),
        special=None if row.get("special") is None else tuple((begin, end) for begin, end in row["special"]),
        atomic=None if row.get("atomic") is None else tuple(row["atomic"]),
        source=row["source"],
        license=row["license"],
        note=row.get("note", ""),
        tier=row.get("tier", "core"),
        question=row.get("question"),
        also_sound=tuple(calls(each) for each in row.get("also_sound", ())),
        disputed=row.get("disputed") or "",
        third_party=third_party.get("name", ""),
        third_party_license=third_party.get("license", ""),
    )
