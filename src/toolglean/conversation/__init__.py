# What this room knows: nothing of its own yet; see its two rooms.
# What it does not depend on: any client, and any server.
"""Conversations: histories, calls, results, and who runs the tools."""
