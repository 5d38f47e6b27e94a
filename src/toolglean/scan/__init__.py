# What this room knows: text and a position in, a position out. Scanners of literals, JSON and ropes of text.
# What it must not know: formats and events.
