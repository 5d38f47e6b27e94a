# What this file knows: the names of what of a region can be being read.
# What it must not know: how it is read.
"""Phases."""

FIRST = 0  # what follows the opener
OBJECTS = 1  # JSON objects with name and arguments
ARGUMENTS = 2  # the arguments in a codec
BETWEEN = 3  # what stands between parameters
VALUE = 4  # the text of a parameter
VALUE_END = 5  # what may follow a parameter
GATHERING = 6  # a region that is read as a whole
BEHIND = 7  # what follows the last call
