"""One turn of a server: its text, its own reasoning, and the calls that it has parsed. No package is needed."""

__all__: list[str] = []
