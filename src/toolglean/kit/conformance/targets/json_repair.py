# json-repair, which repairs JSON: between_markers.py finds the calls. Tried with json-repair 0.64.5. Not claimed: all
# formats but hermes. Does not depend on what is right.
"""`toolglean conformance --target json-repair`."""

from __future__ import annotations

from typing import Any

from json_repair import loads

from toolglean.kit.conformance.targets.between_markers import read

__all__ = ["json_repair"]


def json_repair(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    """`<tool_call>` found, and its body repaired."""
    return read(text, loads) if format == "hermes" else None
