# The requests of the playground and their answers, both in JSON; an error names the field of the page that is wrong.
# Does not depend on the playground's page (docs/playground).
"""The playground's questions and answers. Both are JSON, because one side of them is JavaScript."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from toolglean._version import __version__
from toolglean.errors import ToolError, ToolgleanError
from toolglean.formats.registry import all_formats
from toolglean.kit.demo import load_streams, load_tools
from toolglean.kit.replay.page import page_data
from toolglean.kit.replay.recording import cut_turn, record
from toolglean.tools import ToolSet

__all__ = ["about", "answer", "first_request"]

MOST_STEPS = 20_000
"""A browser stays fast up to this; a longer turn is cut into larger pieces."""

DEEPEST = 64
"""The deepest nesting of JSON in a field. Python in a browser does not raise if its stack overflows: it dies."""

_no_brackets = re.compile(r'"(?:[^"\\]|\\.)*"?|[^\[\]{}"]+', re.DOTALL).sub


class OwnToolsError(Exception):
    """The text in the field for the user's own tools cannot be used."""


def about() -> str:
    """What the playground offers: its version, the names of formats, the tools and turns that ship with toolglean."""
    tools = [tool["function"] for tool in load_tools()]
    return json.dumps(
        {
            "version": __version__,
            "formats": sorted(each.name for each in all_formats()),
            "tools": [{"name": tool["name"], "about": tool.get("description", "")} for tool in tools],
            "streams": [
                {"name": each.name, "about": each.about, "turn": "".join(each.tokens)} for each in load_streams()
            ],
        }
    )


def first_request() -> str:
    """The request with which the page begins: the first shipped turn, with all tools."""
    first, names = load_streams()[0], [tool["function"]["name"] for tool in load_tools()]
    asked = {"turn": "".join(first.tokens), "tools": names, "own_tools": "", "format": "auto", "start": "content"}
    return json.dumps({**asked, "cut": None})


def answer(request: str) -> str:
    """Replay a turn.

    Args:
        request: a JSON object: `turn`, the text; `tools`, names of shipped tools; `own_tools`, the text of a JSON list
            of more tools, or ""; `format`, a name or "auto"; `start`, "content" or "reasoning"; `cut`, characters of
            a piece, or null for words.

    Returns:
        A JSON object: `data`, for the player; or `error` with `field`, the name of the field that is wrong, and
        `message`. No text in any field raises an exception.
    """
    asked = json.loads(request)
    try:
        chunks, notes = _chunks(asked["turn"], asked["cut"])
        tools = _tools(asked["tools"], asked["own_tools"])
        found = record(chunks, tools, notes=notes, title="", format=asked["format"], start=asked["start"])
        return json.dumps({"data": page_data(found)})
    except OwnToolsError as error:
        return json.dumps({"error": {"field": "own_tools", "message": str(error)}})
    except ToolgleanError as error:
        return json.dumps({"error": {"field": "format", "message": str(error)}})


def _chunks(turn: str, size: int | None) -> tuple[list[str], list[str]]:
    least = -(-len(turn) // MOST_STEPS)
    chunks = cut_turn(turn, size)
    if len(chunks) <= MOST_STEPS:
        return chunks, []
    return cut_turn(turn, least), [f"The turn is long, so it was cut into pieces of {least:,} characters."]


def _tools(names: list[str], own: str) -> ToolSet | None:
    chosen: list[Any] = [tool for tool in load_tools() if tool["function"]["name"] in names]
    if own.strip():
        chosen += _own_tools(own)
    try:
        return ToolSet(chosen) or None
    except ToolError as error:
        raise OwnToolsError(f"{error}.") from error


def _own_tools(text: str) -> list[Any]:
    if _depth(text) > DEEPEST:
        raise OwnToolsError(f"This JSON is nested more than {DEEPEST} levels deep; a list of tools never is.")
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise OwnToolsError(f"This is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from error
    except ValueError as error:
        raise OwnToolsError(f"This JSON cannot be read: {error}.") from error
    if not isinstance(found, list):
        raise OwnToolsError('Expected a JSON list of tools, such as ["search", "open_file"].')
    return found


def _depth(text: str) -> int:
    return max(accumulate((1 if char in "[{" else -1 for char in _no_brackets("", text)), initial=0))
