# What this room knows: a format and tools → a grammar of the turns that a model may write, for engines that enforce it.
# What it must not know: how turns are read (engine/), and any engine's code: what it gives is JSON and text.
#
#   grammar.py    the public face; register.py: where xgrammar looks for formats
#   turns.py      calls, text and reasoning of a format
#   arguments.py  the arguments of one tool, in each dialect; untyped.py: values that are text
#   shapes.py     JSON Schema: which shapes a value may have; words.py, members.py, merge.py, overlap.py, fits.py: its
#                 words, and what they say together
#   values.py     shapes → nodes; dialects.py, strings.py, patterns.py, numbers.py: how they are spelt
#   nodes.py      the words of a grammar; texts.py, prose.py, regexes.py: constraints on text
#   writer.py     nodes as rules; gbnf.py, lark.py, tags.py: the three notations
"""Grammars for constrained decoding, from the declarations that parse."""

from toolglean.grammar.grammar import CHOICES, Grammar, grammar_of
from toolglean.grammar.register import register_xgrammar

__all__ = ["CHOICES", "Grammar", "grammar_of", "register_xgrammar"]
