# What this room knows: text and a position in, a position out. Scanners of literals, JSON and ropes of text.
# Does not depend on formats and events.
