"""The text of one turn of a server, and the calls that the server has parsed, read together. No package is needed."""

__all__: list[str] = []
