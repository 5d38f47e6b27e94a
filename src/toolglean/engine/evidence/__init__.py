# What a caller knows of how text was written: by special tokens, or spelled out in ordinary ones. Is above the machine:
# no reader of text knows that there is such evidence, except for one question that prose.py asks the tape.
"""Special tokens as evidence."""
