# A small model with random weights behind transformers' `generate`, held to a grammar by an engine, and read by a parser.
# Does not depend on how a parser reads, or how a grammar is made.
"""Grammars and parsers end to end, with random weights."""
