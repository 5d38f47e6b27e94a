"""What a template writes for a tool call, found out without running it."""
