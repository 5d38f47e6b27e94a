# What belongs to the format stays in a turn; everything else is replaced so that the parser reads the same shape. Does
# not depend on how a turn is parsed: it only compares both readings.
#
#   placeholders.py  which word replaces which: always the same one, equally long, and not one of the user's words
#   preserved.py     what stays: markers, even broken ones, keys of calls, the literals of JSON
#   turns.py         texts, JSON values and tool definitions
#   shape.py         whether a turn and its anonymous form are read alike
"""Turns without their names and values, for reports."""

from toolglean.kit.anonymize.shape import Shape, shape_of
from toolglean.kit.anonymize.turns import Anonymizer

__all__ = ["Anonymizer", "Shape", "shape_of"]
