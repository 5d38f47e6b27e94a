# What this file knows: the names that a Go template may call.
# What it must not know: what they do (the executor's matter) and where they are called.
"""Functions of Go's `text/template` and of Ollama, by name."""

from __future__ import annotations

__all__ = ["BUILTINS", "KNOWN", "OLLAMA"]

BUILTINS = frozenset(
    [
        "and",
        "call",
        "eq",
        "ge",
        "gt",
        "html",
        "index",
        "js",
        "le",
        "len",
        "lt",
        "ne",
        "not",
        "or",
        "print",
        "printf",
        "println",
        "slice",
        "urlquery",
    ],
)
"""What every Go template has."""

OLLAMA = frozenset(["currentDate", "json", "toJson", "toTypeScriptType", "yesterdayDate"])
"""What Ollama adds; `toJson` is the older name of `json`."""

KNOWN = BUILTINS | OLLAMA
