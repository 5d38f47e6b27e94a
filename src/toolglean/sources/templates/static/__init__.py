"""Static analysis: what a Jinja template writes for a tool call, without running it."""
