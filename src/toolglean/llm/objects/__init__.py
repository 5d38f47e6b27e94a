# What this package knows: objects while they are being written: how they are built from JSON, read, and validated at
# the end. Does not depend on language models or clients. Its public names are those of `toolglean.llm`.
"""Partial objects, and the processor that makes them."""
