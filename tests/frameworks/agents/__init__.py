"""Coding agents of npm, in front of a server that leaks: `nox -s agents`."""
