# What this file knows: under which keys calls in JSON have their parts.
# Does not depend on where such calls are.
"""The keys of calls in JSON."""

from __future__ import annotations

__all__ = ["ARGUMENT_KEYS", "BESIDE_KEYS", "HOLDER_KEYS", "ID_KEYS", "KNOWN_NAME_KEYS", "NAME_KEYS", "THOUGHT_KEYS"]

NAME_KEYS = frozenset({"name", "tool_name"})
KNOWN_NAME_KEYS = frozenset({"tool", "function", "action", "function_name"})
"""Keys with many uses: they name a tool if it is a known one and an arguments key is beside them."""
ARGUMENT_KEYS = frozenset({"arguments", "parameters", "args", "input", "action_input", "tool_input"})
ID_KEYS = frozenset({"id", "tool_call_id", "call_id"})
BESIDE_KEYS = ID_KEYS | {"type", "index"}
"""Keys that may be beside a name without being arguments."""
HOLDER_KEYS = frozenset({"tool_calls", "function_call", "function", "tool_call", "call"})
"""Keys whose value is a call, or a list of calls."""
THOUGHT_KEYS = frozenset({"thought", "thoughts", "reasoning", "reason", "explanation", "role", "content"})
"""Keys of text that may be beside a call in JSON without a marker."""
