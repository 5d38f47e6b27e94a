# From a format and tools to a grammar of the turns that a model may write, for engines that enforce it. Does not depend
# on how turns are read (engine/), or on any engine's code: the results are JSON and text.
#
#   grammar.py      the public face; register.py: registers the formats with xgrammar
#   turns.py        the calls, text and reasoning of a format
#   arguments.py    the arguments of one tool, in each dialect; untyped.py: values that are text
#   shapes.py       JSON Schema: which shapes a value may have, and which members an object; keywords.py, merge.py: its
#                   keywords, and what they mean together; schema_check.py: schemas that are refused
#   values.py       from shapes to nodes; members.py: members in a row; dialects.py, strings.py, patterns.py,
#                   numbers.py: how they are written
#   nodes.py        the nodes of a grammar; texts.py, prose.py, regexes.py: constraints on text
#   writer.py       nodes as rules; gbnf.py (with structural tags), lark.py: the three notations
#   free_text.py    constraints on text, for xgrammar: few states, so that it compiles in time
"""Grammars for constrained decoding, from the declarations that parse."""

from toolglean.grammar.grammar import CHOICES, Grammar, grammar_of
from toolglean.grammar.register import register_xgrammar

__all__ = ["CHOICES", "Grammar", "grammar_of", "register_xgrammar"]
