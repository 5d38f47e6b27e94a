# What this file knows: how results go out: JSON lines in UTF-8, and words for people on any terminal.
# What it must not know: which command speaks.
"""Output."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from dataclasses import asdict
from typing import Any

from toolglean.events import Event, Output

__all__ = [
    "BLUE",
    "BOLD",
    "DIM",
    "GREEN",
    "YELLOW",
    "Paint",
    "end_line",
    "event_line",
    "for_machines",
    "for_people",
    "output_line",
]

GREEN, YELLOW, BLUE, BOLD, DIM = "32", "33", "34", "1", "2"


def for_machines() -> None:
    r"""Standard output becomes UTF-8, whatever the locale says.

    A lone surrogate, which UTF-8 cannot write, comes out as `\ud83d`: within a JSON string that is its own escape.
    """
    _reconfigure(encoding="utf-8", errors="backslashreplace")


def for_people() -> None:
    """What the terminal cannot show comes out escaped, not as an error."""
    _reconfigure(errors="backslashreplace")


def _reconfigure(**how: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**how)  # type: ignore[arg-type]  # typeshed names each argument


def event_line(event: Event) -> str:
    """One event as a line of JSON: `event` is its name in snake case, then come its fields."""
    return _line({"event": _snake(type(event).__name__), **asdict(event)})


def end_line(format_name: str | None) -> str:
    """What follows the last event: the turn is over, and which format it was."""
    return _line({"event": "end", "format": format_name})


def output_line(output: Output, format_name: str | None) -> str:
    """A folded turn as a line of JSON, with the name of its format; None where that is not known."""
    return _line({"format": format_name, **asdict(output)})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Paint:
    """Colour, where there is someone to see it.

    Args:
        wanted: False: never. Otherwise on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb.
    """

    def __init__(self, *, wanted: bool) -> None:
        self.on = wanted and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def __call__(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.on and text and codes else text
