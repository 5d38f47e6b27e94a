# What this room knows: what of a turn is the format's, and how all else is replaced so that the parser reads the same
# shape.
# What it must not know: how a turn is parsed; it only asks whether both readings look alike.
#
#   fillers.py   which word stands for which: the same one each time, as long, and none of the user's own
#   kept.py      what stays: markers, also broken ones, keys of calls, the literals of JSON
#   turns.py     texts, JSON values and tool definitions
#   shape.py     whether a turn and its anonymous form are read alike
"""Turns without their names and values, for reports."""

from toolglean.kit.anonymize.shape import Shape, shape_of
from toolglean.kit.anonymize.turns import Anonymizer

__all__ = ["Anonymizer", "Shape", "shape_of"]
