# Calls in JSON that follow other text and end the turn. Does not know how JSON is read as calls: a machine of its own
# does that, by the rules for JSON at the start of a turn.
"""Calls in JSON after other text."""
