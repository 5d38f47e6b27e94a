# What a caller knows of how text was written: by special tokens, or spelled out in ordinary ones. Is above the machine:
# readers of text ask the tape whether a token wrote a marker (prose.py), and whether one is hidden (by_schema/), and
# know nothing else of it.
"""Special tokens as evidence."""
