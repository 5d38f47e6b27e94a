# How json-repair and partial-json-parser are timed: on what a regular expression finds, as in the adapters of the
# conformance kit (targets/json_repair.py, targets/partial_json_parser.py).
# Does not depend on what is right.
"""json-repair and partial-json-parser."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from partial_json_parser import loads

from toolglean.kit.conformance.targets.json_repair import json_repair

__all__ = ["partial_reader", "reader"]


def reader(format: str, tools: list[dict[str, Any]], chunks: Sequence[str], _: bool) -> Callable[[], Any]:
    """json-repair reads a turn once it is whole."""
    if format != "hermes":
        raise NotImplementedError
    text = "".join(chunks)
    return lambda: json_repair(text, tools, format=format)


def partial_reader(format: str, _: Any, chunks: Sequence[str], __: bool) -> Callable[[], Any]:
    """partial-json-parser reads a call at each chunk, from its beginning."""
    if format != "hermes":
        raise NotImplementedError

    def read() -> None:
        text = ""
        for chunk in chunks:
            text += chunk
            for body in text.split("<tool_call>")[1:]:
                with contextlib.suppress(ValueError):  # the beginning of a closer
                    loads(body.partition("</tool_call>")[0].strip())

    return read
