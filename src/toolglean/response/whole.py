# What this file knows: where calls stand in the value of a region that was read as a whole.
# What it must not know: how the region was read.
"""Calls in a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["calls_in"]


def calls_in(value: Any) -> list[tuple[str, Mapping[str, Any], str | None]]:
    """Name, arguments and id of each call in the value; [] where it holds anything else."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        function = each.get("function", each) if isinstance(each, Mapping) else None
        if not isinstance(function, Mapping):
            return []
        name, arguments, model_id = function.get("name"), function.get("arguments"), each.get("id")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not name or not isinstance(arguments, Mapping):
            return []
        found.append((name, arguments, model_id if isinstance(model_id, str) else None))
    return found
