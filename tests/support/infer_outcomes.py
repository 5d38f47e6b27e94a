# What comes of each of the shared templates: whether a format is read from it, and whether that reads its renders.
# Does not depend on how formats are inferred.
"""The outcomes of inference over the shared templates: inferred, recognised, refused; right, lossy, wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.support.shared import SHARED, rows
from toolglean.errors import ToolgleanError
from toolglean.events import fold
from toolglean.parser import Parser
from toolglean.sources.templates.infer import Inference, infer

__all__ = ["Outcome", "outcomes"]


@dataclass
class Outcome:
    """What came of one template.

    `by_template`, `by_auto`: if it was refused, how many calls of its own renders are read right when it is given, and
    when nothing is.
    """

    name: str
    found: Inference | None = None
    error: str = ""
    wrong: tuple[str, ...] = ()
    by_template: int = 0
    by_auto: int = 0

    @property
    def how(self) -> str:
        """Inferred, recognised or refused."""
        return "refused" if self.found is None else "recognised" if self.found.recognised else "inferred"


def outcomes(names: list[str], *, alone: bool, samples: int) -> list[Outcome]:
    """What comes of the templates that render calls."""
    renders = _renders()
    found = []
    for row in rows(SHARED / "templates" / "index.jsonl"):
        if not row["renders_tool_calls"] or (names and row["name"] not in names):
            continue
        found.append(_outcome(row, renders[row["kind"], row["name"]], alone=alone, samples=samples))
    return found


@cache
def _renders() -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for kind in ("jinja", "go"):
        for row in rows(SHARED / "renders" / f"{kind}.jsonl.gz"):
            found[kind, row["template"]].append(row)
    return found


def _outcome(row: dict[str, Any], cases: list[dict[str, Any]], *, alone: bool, samples: int) -> Outcome:
    suffix = "jinja" if row["kind"] == "jinja" else "gotmpl"
    source = (SHARED / "templates" / row["kind"] / f"{row['name']}.{suffix}").read_text(encoding="utf-8")
    outcome = Outcome(row["name"])
    try:
        outcome.found = infer(source, language=row["kind"], recognise=not alone, samples=samples)
    except ToolgleanError as error:
        outcome.error = f"{type(error).__name__}: {error}".partition("\n")[0]
    if outcome.found is None:
        outcome.by_template = sum(_right(case, template=source) for case in cases)
        outcome.by_auto = sum(_right(case) for case in cases)
    else:
        mode = "string" if any("only as a JSON string" in loss for loss in outcome.found.losses) else "object"
        for case in cases:  # as the template asks for them
            if case["args_mode"] == mode and _holds_all(case) and (wrong := _difference(outcome.found, case)):
                outcome.wrong = (*outcome.wrong, f"{case['case']}: {wrong}")
    return outcome


def _right(case: dict[str, Any], **given: Any) -> int:
    """How many calls of the render are read as they were given to the template; none if there are others."""
    try:
        parser = Parser(case["tools"], **given)
    except ToolgleanError:
        return 0
    wanted = [(each["name"], each["arguments"]) for each in case["calls"]]
    calls = [(call.name, call.arguments) for call in _folded(parser, case["rendered_assistant_turn"]).calls]
    return sum(call == each for call, each in zip(calls, wanted, strict=False))


def _holds_all(case: dict[str, Any]) -> bool:
    # Whether the render has every call: some templates write only the first, and nothing can give back the others.
    text = case["rendered_assistant_turn"]
    names = Counter(each["name"] for each in case["calls"])
    return all(text.count(name) >= count for name, count in names.items())


def _difference(found: Inference, case: dict[str, Any]) -> str:
    parser = Parser(case["tools"], format=found.format)
    output = _folded(parser, case["rendered_assistant_turn"])
    wanted = [(each["name"], each["arguments"]) for each in case["calls"]]
    calls = [(call.name, call.arguments) for call in output.calls]
    return "" if calls == wanted else f"{calls!r} for {case['rendered_assistant_turn'][:400]!r}"


def _folded(parser: Parser, text: str) -> Any:
    return fold(parser.feed(text) + parser.finish())
