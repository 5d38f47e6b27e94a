# What this file knows: under which keys JSON calls hold their parts.
# What it must not know: where such calls stand.
"""The keys of calls in JSON."""

from __future__ import annotations

__all__ = ["ARGUMENT_KEYS", "ID_KEYS", "NAME_KEYS"]

NAME_KEYS = frozenset({"name", "tool_name"})
ARGUMENT_KEYS = frozenset({"arguments", "parameters", "args", "input"})
ID_KEYS = frozenset({"id", "tool_call_id", "call_id"})
