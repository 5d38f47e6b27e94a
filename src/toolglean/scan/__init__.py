# Scanners: text and a position in, a position out. JSON, the dialects of arguments, literals, and values from text.
# Nothing here depends on formats or events.
