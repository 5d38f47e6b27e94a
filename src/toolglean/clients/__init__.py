# What this room knows: the foreign libraries, each in the file of its name, and the extra that installs it.
# What it must not know: how calls are written or read. Nothing is imported here: without openai you can still use
# ollama.
"""Adapters for clients: `toolglean.clients.ollama`, `toolglean.clients.openai`, `toolglean.clients.mcp`."""

__all__: list[str] = []
