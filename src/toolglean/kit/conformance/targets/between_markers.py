# How programs without a parser of their own read calls: a regular expression finds them, and a library that is lenient
# with JSON reads what is between the markers. Does not depend on what is right.
#
# json-repair and partial-json-parser are libraries for JSON, not for turns: what they are given here is this file's
# responsibility. It runs only calls whose closing marker came.
"""Calls between `<tool_call>` and `</tool_call>`, read by a library for JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["read"]

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
REASONING = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)


def read(text: str, loads: Callable[[str], Any]) -> dict[str, Any]:
    """The answer to a whole turn, whose calls `loads` reads."""
    thought = REASONING.match(text)
    rest = text[thought.end() :] if thought else text
    found = [loads(body.strip()) for body in CALL.findall(rest)]
    good = [each for each in found if isinstance(each, dict) and isinstance(each.get("name"), str)]
    calls = [{"name": each["name"], "arguments": each.get("arguments")} for each in good]
    return {
        "content": CALL.sub("", rest),
        "reasoning": thought[1] if thought else "",
        "calls": [call for call in calls if isinstance(call["arguments"], dict)],
    }
