# partial-json-parser, which reads JSON that is not complete: between_markers.py finds the calls. Tried with
# partial-json-parser 0.2.1.1.post7. Not claimed: all formats but hermes. Does not depend on what is right.
"""`toolglean conformance --target partial-json-parser`."""

from __future__ import annotations

from typing import Any

from partial_json_parser import loads

from toolglean.kit.conformance.targets.between_markers import read

__all__ = ["partial_json"]


def partial_json(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    """`<tool_call>` found, and its body read as far as it goes."""

    def as_far_as_it_goes(body: str) -> Any:
        try:
            return loads(body)
        except ValueError:
            return None

    return read(text, as_far_as_it_goes) if format == "hermes" else None
