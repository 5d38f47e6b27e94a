# What this file knows: how results go out: JSON lines in UTF-8, and words for people on any terminal.
# What it must not know: which command speaks.
"""Output."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from dataclasses import fields, is_dataclass
from typing import Any

from toolglean.events import Event, Output, ToolCall
from toolglean.scan.nested import json_text

__all__ = [
    "BLUE",
    "BOLD",
    "DIM",
    "GREEN",
    "YELLOW",
    "Paint",
    "end_line",
    "event_line",
    "explanation_line",
    "for_machines",
    "for_people",
    "output_line",
    "row_line",
    "summary_line",
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
    return _line({"event": _snake(type(event).__name__), **_fields(event)})


def end_line(format_name: str | None) -> str:
    """What follows the last event: the turn is over, and which format it was."""
    return _line({"event": "end", "format": format_name})


def output_line(output: Output, format_name: str | None) -> str:
    """A folded turn as a line of JSON, with the name of its format; None where that is not known."""
    return _line({"format": format_name, **_fields(output)})


def row_line(place: dict[str, Any], output: Output, format_name: str | None) -> str:
    """One of many turns as a line of JSON: where it stands (its id and its line), and then as `output_line`."""
    return _line({**place, "format": format_name, **_fields(output)})


def summary_line(counts: dict[str, Any]) -> str:
    """What follows the last of many turns: what all of them came to."""
    return _line({"summary": counts})


def explanation_line(explanation: Any) -> str:
    """An explanation as a line of JSON: its fields, and those of its parts."""
    return _line(_parts(explanation))


def _parts(value: Any) -> Any:
    if isinstance(value, ToolCall):
        return _fields(value)
    if isinstance(value, list | tuple):
        return [_parts(each) for each in value]
    return {each.name: _parts(getattr(value, each.name)) for each in fields(value)} if is_dataclass(value) else value


def _fields(value: Any) -> Any:
    # As `asdict`, but for arguments: they are not copied, for they may be nested deeper than Python recurses.
    if isinstance(value, list):
        return [_fields(each) for each in value]
    return {
        each.name: _fields(found) if isinstance(found := getattr(value, each.name), list | ToolCall) else found
        for each in fields(value)
    }


def _line(value: dict[str, Any]) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return json_text(value)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _is_colourful() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Paint:
    """Colour, where there is someone to see it.

    Args:
        wanted: False: never. Otherwise on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb.
        always: whether to colour wherever the output goes.
    """

    def __init__(self, *, wanted: bool, always: bool = False) -> None:
        self.on = always or (wanted and _is_colourful())

    def __call__(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.on and text and codes else text
