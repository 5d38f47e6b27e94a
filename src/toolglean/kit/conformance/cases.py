# What a case is, where the shipped cases are, and which files are refused. Does not depend on how a case is played
# (runner.py) or judged (judge.py).
#
# case.schema.json defines a case, for this reader and for other programs.
"""Cases: a text, the tools, and the expected result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Final

from toolglean.errors import UsageError
from toolglean.scan.schema_faults import faults

__all__ = ["SCHEMA", "Case", "case_schema", "faults_by", "load_cases", "read_cases"]

SCHEMA: Final = 2
"""The version of the schema in which this toolglean ships its cases."""

READABLE: Final = (1, 2)
"""The versions that it reads."""

FILES: Final = ("written.jsonl", "wild.jsonl", "formats.jsonl", "templates.jsonl")

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
    return [case for name in FILES for case in _cases(shipped(f"cases/{name}"), name)]


def shipped(name: str) -> str:
    """The text of a file of the kit."""
    return files("toolglean.kit.conformance").joinpath(name).read_text(encoding="utf-8")


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
    found: dict[str, Any] = json.loads(shipped("case.schema.json"))
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


def faults_by(schema: Mapping[str, Any], value: Any) -> Iterator[str]:
    """Where a value does not meet a schema of the kit, whose definitions are in `$defs`."""
    return faults(value, schema, lambda place: schema["$defs"][place.removeprefix("#/$defs/")])


def _wrong(row: Mapping[str, Any]) -> Iterator[str]:
    yield from faults_by(_schema(), row)
    place = 0
    for begin, end in row.get("special") or ():  # the schema cannot compare them
        if not place <= begin < end <= len(row["text"]):
            yield f"special: {[begin, end]!r} is not a span; expected [start, end] within the text, in order"
        place = end


_schema = cache(case_schema)


_AS_WRITTEN = (
    *("id", "kind", "text", "format", "model", "start", "source", "license", "note", "tier", "question", "disputed"),
)
"""The fields of a case that are in a row as they are."""


def _made(row: Mapping[str, Any]) -> Case:
    def calls(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
        return tuple({"name": each["name"], "arguments": each["arguments"]} for each in rows)

    expected, third_party = row["expected"], row.get("third_party") or {}
    return Case(
        **{name: row[name] for name in _AS_WRITTEN if row.get(name) is not None},
        tools=tuple(row["tools"]),
        calls=calls(expected["calls"]),
        content=expected["content"],
        reasoning=expected["reasoning"],
        also_right=tuple(calls(each) for each in row.get("also_right", ())),
        special=None if row.get("special") is None else tuple((begin, end) for begin, end in row["special"]),
        atomic=None if row.get("atomic") is None else tuple(row["atomic"]),
        also_sound=tuple(calls(each) for each in row.get("also_sound", ())),
        third_party=third_party.get("name", ""),
        third_party_license=third_party.get("license", ""),
    )
