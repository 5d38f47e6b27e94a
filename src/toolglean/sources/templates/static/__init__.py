"""Determines what a template writes for a tool call, without running it."""
