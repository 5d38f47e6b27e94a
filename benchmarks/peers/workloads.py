# What is timed, as data.
# Does not depend on what reads it.
"""Workloads: texts in chunks of four characters, about a token."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.cases import MARKDOWN, PAGE, TOOLS, call_of, code, cut, prose, reader

__all__ = ["SIZES", "TOOL_DICTS", "WORKLOADS", "Workload"]

TOOL_DICTS = [
    {"type": "function", "function": {"name": tool.name, "description": "", "parameters": dict(tool.parameters)}}
    for tool in TOOLS
]
SIZES = (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Workload:
    """One text to read.

    Attributes:
        name: as in the tables.
        format: the wire format.
        text: makes it.
        calls: how many calls are in it.
        reasons: whether it begins with reasoning: some servers read that with another parser before.
    """

    name: str
    format: str
    text: Callable[[], str]
    calls: int = 1
    reasons: bool = False

    def chunks(self) -> list[str]:
        """The text, as it arrives."""
        return cut(self.text())


def _sized(size: int) -> Workload:
    return Workload(f"argument of {size // 1000:,} KB", "hermes", lambda: call_of(reader("hermes"), size))


SHORT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
CODER = reader("qwen3-coder")

WORKLOADS = (
    Workload("short turn", "hermes", lambda: f"I will look that up.\n{SHORT}"),
    *map(_sized, SIZES),
    Workload(
        "code of 10 KB as JSON",
        "hermes",
        lambda: reader("hermes").before + json.dumps(code(10_000)) + reader("hermes").after,
    ),
    Workload("code of 10 KB in XML", "qwen3-coder", lambda: CODER.before + code(10_000) + CODER.after),
    Workload("50 calls", "hermes", lambda: "\n".join([SHORT] * 50), calls=50),
    Workload("prose of 10 KB", "hermes", lambda: prose(10_000), calls=0),
    Workload("Markdown of 10 KB", "hermes", lambda: prose(10_000, MARKDOWN), calls=0),
    Workload("HTML of 10 KB", "hermes", lambda: prose(10_000, PAGE), calls=0),
    Workload("answer in JSON of 10 KB", "hermes", lambda: json.dumps([{"n": n, "t": "text"} for n in range(400)]), 0),
    Workload("reasoning of 10 KB", "hermes", lambda: f"<think>\n{prose(10_000)}\n</think>\n\nYes.", 0, reasons=True),
)
